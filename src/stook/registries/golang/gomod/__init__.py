"""go.mod files: their syntax, what they say, and their checksum."""
