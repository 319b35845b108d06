"""What a page tells the person."""
