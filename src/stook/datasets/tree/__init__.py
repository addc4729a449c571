"""The tree of records: who has which name, what is written, what is skipped and what may be deleted."""
