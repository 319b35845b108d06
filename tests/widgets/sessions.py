"""Sessions on small data, and a front end that sends what a browser would."""

from contextlib import contextmanager

import numpy as np

from cclab import FCM, Session
from cclab.core.registry import solvers
from cclab.datasets import Dataset
from cclab.widgets.kit.rows import Rows
from cclab.widgets.model.desk import Desk
from tests.front_end import send


def blobs(n: int = 60, seed: int = 0, **about) -> Dataset:
    """Three groups of samples in the plane, whose classes are known."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) % 3
    X = rng.normal(scale=0.6, size=(n, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[target]
    return Dataset("blobs", X, feature_names=("width", "height"), target=target, **about)


@contextmanager
def known_solver(cls: type):
    """A solver that the registry knows while it is tested, and no other test meets."""
    solvers.add(cls)
    yield
    solvers.remove(cls.__name__)


class Told(list):
    """All that a desk has told the person."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        desk.told.connect(lambda notice: self.append((notice.kind, notice.words)))


def desk_on(solver="FCM", data: Dataset | None = None, **options) -> Desk:
    data = blobs() if data is None else data
    return Desk(Session(data, FCM(3) if solver == "FCM" else solver, **options))


def act(rows: Rows, action: str, id_: object = None, **more) -> None:
    """What the browser sends when someone clicks."""
    send(rows, {"type": "act", "action": action, "id": None if id_ is None else str(id_), **more})


def hover(rows: Rows, id_: object) -> None:
    send(rows, {"type": "hover", "id": None if id_ is None else str(id_)})


def shown(rows: Rows) -> str:
    """All rows as one text."""
    return "\n".join(html for _, html in rows.rows)
