"""The RFC series and its sub-series."""
