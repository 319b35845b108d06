"""Mixtures of Gaussians that find the number of clusters."""
