"""A session on disk: its journal, its file, and all values as JSON."""
