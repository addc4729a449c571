"""The protocol registries of the Internet Assigned Numbers Authority."""
