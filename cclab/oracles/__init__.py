"""Oracles: who answers questions, how sure they are, and what if they are wrong."""

from cclab.oracles.answers import UNSURE, Answer, Nonsense, Oracle, read_answer
from cclab.oracles.calibration import Calibrated, Calibration, calibration_error, reliability
from cclab.oracles.dawid_skene import Consensus, consensus
from cclab.oracles.doubt import Suspect, suspects
from cclab.oracles.function import Function
from cclab.oracles.loop import Loop, Round, Talk, ask
from cclab.oracles.meaning import statements, weight_of
from cclab.oracles.question import Question
from cclab.oracles.reviewing import Review, review
from cclab.oracles.truth import Truth
from cclab.oracles.voting import Panel

__all__ = [
    "UNSURE",
    "Answer",
    "Calibrated",
    "Calibration",
    "Consensus",
    "Function",
    "Loop",
    "Nonsense",
    "Oracle",
    "Panel",
    "Question",
    "Review",
    "Round",
    "Suspect",
    "Talk",
    "Truth",
    "ask",
    "calibration_error",
    "consensus",
    "read_answer",
    "reliability",
    "review",
    "statements",
    "suspects",
    "weight_of",
]
