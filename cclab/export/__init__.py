"""What can be taken out of a session: files and figures, with no page."""
