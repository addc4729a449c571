"""The output for people and machines: tables, JSON, progress, logs."""
