"""Several kernels, weighted as the clusters form."""
