"""Queues: events in SQL, how they are announced, claimed, held and settled."""
