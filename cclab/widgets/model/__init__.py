"""What all views of a page share."""
