"""The words of the catalogue: bibliographic items, identifiers, dates."""
