"""The commands that belong to no product; one module a command or group."""
