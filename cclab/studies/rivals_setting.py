"""On what `cclab.studies.rivals` compares solvers: data sets, amounts of links, and the time that they take.

It stands apart from the solvers and the report, so that trials are run again only when what they rest on has changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from cclab.datasets import Dataset, load_dataset
from cclab.studies.declaration import Data
from cclab.studies.levels import Level
from cclab.studies.trial import Outcome
from cclab.studies.unseen_data import UNSEEN

LEVELS = [Level(0.01), Level(0.05), Level(0.1), Level(0.05, noise=0.1)]
#: Of a larger data set so many samples are drawn.
MOST = 200
#: Seconds of processor time that a trial may take.
LIMIT = 10.0
OTHERS = {"iris_uci": "iris", "wine": "wine", "ecoli": "ecoli", "ionosphere": "ionosphere"}
OTHERS |= {"sonar": "sonar", "flame": "flame"}


def drawn(source: str | Callable[[], Dataset]) -> Dataset:
    """A data set, or as many of its samples as take part, always the same."""
    data = load_dataset(source) if isinstance(source, str) else source()
    if data.n_samples <= MOST:
        return data
    return data.subset(np.sort(np.random.default_rng(0).choice(data.n_samples, MOST, replace=False)))


def processor(outcome: Outcome) -> dict[str, float]:
    """Seconds of processor time, whatever else the machine does: a trial with a limit has a process of its own."""
    return {"processor": time.process_time()}


DATA = [
    *(Data(partial(drawn, make), label=make.__name__, standardized=True) for make in UNSEEN),
    *(Data(partial(drawn, name), label=label, standardized=True) for name, label in OTHERS.items()),
]
