"""The steps so far, and where things stand."""
