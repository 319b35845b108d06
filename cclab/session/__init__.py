"""A person, a solver, and everything they did together."""

from cclab.session.session import Session
from cclab.session.snapshot import Snapshot, Summary

__all__ = ["Session", "Snapshot", "Summary"]
