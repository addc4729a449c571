"""The injection scanner of the safe web."""
