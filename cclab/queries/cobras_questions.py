"""Ask what COBRAS needs to know next [1]_.

References
----------
.. [1] T. Van Craenendonck, S. Dumančić, E. Van Wolputte, H. Blockeel, COBRAS: interactive clustering with pairwise
   queries, IDA 2018.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from cclab.core import Problem, State
from cclab.maths.super_instances import Course, Question
from cclab.queries.base import Asked, Query, Settled, Strategy

# How many pairs of the same two groups are tried, where a person could tell of none before.
MOST_PAIRS = 1000


class COBRASQueries(Strategy):
    """Asks whether two groups of similar samples belong together, by a sample that speaks for each.

    These are the questions by which the solver `COBRAS` finds its clusters, and their number. They follow from the
    data and the answers alone, so any solver that takes links may listen. Each question depends on the answer to the
    one before: there is never more than one at a time. Where a person can't say, the next two samples of the same
    groups are shown.
    """

    title = "Super-instances (COBRAS)"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        # The solver COBRAS has heard some answers already; with any other one the course begins anew.
        heard = getattr(state, "heard", np.array([], dtype=bool)).tolist()
        course = Course.until_open(problem, state.restart, heard=heard)
        if course.question is None or n < 1:
            return ()
        settled = Settled(problem.constraints, asked)
        pairs = (pair for pair in islice(course.question.pairs(), MOST_PAIRS) if not settled(*pair))
        share = sum(len(piece) for piece in course.question.nearest) / problem.n_samples
        return tuple(Query.pair(i, j, _reason(course.question), share) for i, j in islice(pairs, 1))


def _reason(question: Question) -> str:
    """Why it is asked."""
    sizes = [len(piece) for piece in question.nearest]
    if question.splitting is not None:
        whole = len(question.splitting)
        return (
            f"How finely are {whole} samples to be split? Each of these two speaks for a part of them "
            f"({sizes[0]} and {sizes[1]} samples)."
        )
    return f"Each speaks for a group of samples ({sizes[0]} and {sizes[1]}): do their clusters belong together?"
