"""What was stated, and what can be stated about a selection."""
