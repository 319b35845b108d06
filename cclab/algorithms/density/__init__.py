"""Clusters where samples are dense; what lies between belongs to none."""
