"""The commands of this product; one module a command."""
