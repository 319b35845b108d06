"""Samples one by one: as a table, and as cards."""
