"""A metric learned from links, then k-means by it."""
