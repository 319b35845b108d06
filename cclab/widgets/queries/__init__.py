"""The questions of the solver."""
