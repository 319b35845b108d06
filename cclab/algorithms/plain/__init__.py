"""scikit-learn's own clustering as solvers, for comparison: they take no knowledge, and say so."""
