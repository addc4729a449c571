"""Versions of Go modules: validity, order, and pseudo-versions taken apart."""
