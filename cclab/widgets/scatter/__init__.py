"""The Points panel."""
