"""Credal partitions: belief in sets of clusters, and in none."""
