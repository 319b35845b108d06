"""Blocks that two or more algorithms use."""
