"""The Go module index and proxy."""
