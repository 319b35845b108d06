"""Fuzzy c-means and its kin: memberships that add up to 1."""
