"""A person, a solver, and everything they did together."""

from cclab.session.history import Moment
from cclab.session.outcome import Difference, Summary
from cclab.session.session import Session
from cclab.session.snapshot import Snapshot
from cclab.session.storage.about import About, about
from cclab.session.storage.journal import copy_session
from cclab.session.storage.lock import InUse, ask_for, in_use

__all__ = [
    "About",
    "Difference",
    "InUse",
    "Moment",
    "Session",
    "Snapshot",
    "Summary",
    "about",
    "ask_for",
    "copy_session",
    "in_use",
]
