"""Catalogues of standards bodies, kept as one file a record in trees that git can track."""
