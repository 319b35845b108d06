"""Clusters in the eigenvectors, or the kernel, of a matrix of affinities."""
