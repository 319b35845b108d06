"""The parameters of the solver, as a form."""
