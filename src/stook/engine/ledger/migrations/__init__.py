"""The migrations of the ledger itself, and what all migrations share."""
