"""What people and machines see: tables, JSON, progress, logs."""
