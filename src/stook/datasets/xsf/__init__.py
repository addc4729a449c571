"""The extension protocols of the XMPP Standards Foundation."""
