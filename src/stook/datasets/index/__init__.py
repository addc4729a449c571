"""Which file holds which document: the exchange format of the original, and a database for look-ups."""
