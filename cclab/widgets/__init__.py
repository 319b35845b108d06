"""Views: what a page is made of. They know partitions and sessions, never algorithms."""
