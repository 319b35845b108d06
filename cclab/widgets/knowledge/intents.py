"""From a selection to a statement: what it would add, and whether it would contradict what is known. No widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import Conflict, ConstraintSet, Statement
from cclab.core.constraints.statement import said
from cclab.core.words import counted
from cclab.looks.describe import StatementReader
from cclab.widgets.kit.html import Html, join, tag

SOURCE = "lasso"


@dataclass(frozen=True, eq=False)
class Intention:
    """Something that could be stated.

    Attributes
    ----------
    said : dict
        For `Session.constrain`; empty where there is nothing to state.
    words : Html
        What it would add or remove, or why there is nothing to state.
    """

    said: dict[str, Any]
    words: Html

    def __bool__(self) -> bool:
        return bool(self.said)


def link_together(samples: NDArray) -> Intention:
    """State that the samples belong together."""
    n = len(samples)
    if n < 2:
        return Intention({}, join("Link together needs at least 2 samples. Shift adds to a selection."))
    if n == 2:
        return Intention({"must_link": [samples]}, join("Link together adds ", tag("b", "1 must-link"), "."))
    return Intention({"group": samples}, join("Link together adds ", tag("b", "1 group"), f" of {n:,} samples."))


def keep_apart(first: NDArray, second: NDArray) -> Intention:
    """State that no sample of the one belongs together with any of the other."""
    shared = len(np.intersect1d(first, second))
    if shared:
        which = f"{counted(shared, 'sample')} {'is' if shared == 1 else 'are'}"
        return Intention({}, join(f"{which} in both selections. Alt removes from a selection."))
    if not len(second):
        these = "this one" if len(first) == 1 else f"these {len(first):,}"
        return Intention({}, join(f"Now select the samples to keep apart from {these}."))
    if len(first) == len(second) == 1:
        pair = [[int(first[0]), int(second[0])]]
        return Intention({"cannot_link": pair}, join("Keep apart adds ", tag("b", "1 cannot-link"), "."))
    sizes = f" of {len(first):,} and {counted(len(second), 'sample')}."
    return Intention({"separation": (first, second)}, join("Keep apart adds ", tag("b", "1 separation"), sizes))


def label_as(samples: NDArray, cluster: int, name: str) -> Intention:
    """State that the samples belong to a cluster: the number that labels name it by, and its name for a person."""
    count = tag("b", counted(len(samples), "label"))
    labels = dict.fromkeys(samples.tolist(), cluster)
    return Intention({"labels": labels}, join(f"Label as {name} adds ", count, "."))


def forget(known: ConstraintSet, samples: NDArray) -> Intention:
    """Forget all statements about any of the samples."""
    ids = touching(known, samples)
    if not len(ids):
        return Intention({}, join("Nothing is stated about these samples."))
    count = tag("b", counted(len(ids), "statement"))
    return Intention({"forget": ids.tolist()}, join("Forget removes ", count, "."))


def is_stated(known: ConstraintSet, intention: Intention) -> bool:
    """Whether just this is stated already, and for certain: to say it again would add nothing."""
    if not intention or "forget" in intention.said or not len(known):
        return False
    wanted = _statements(known, intention)
    samples = np.array([sample for statement in wanted for sample in statement.samples], dtype=np.int64)
    ids = touching(known, samples)
    if len(ids) < len(wanted):
        return False
    certain = {statement.what for statement in known.statements(ids.tolist()) if statement.weight == 1}
    return all(statement.what in certain for statement in wanted)


def _statements(known: ConstraintSet, intention: Intention) -> list[Statement]:
    return said(known.n_samples, **intention.said)


def touching(known: ConstraintSet, samples: NDArray) -> NDArray[np.int64]:
    """Ids of the statements about any of the samples."""
    inside = np.zeros(known.n_samples, dtype=bool)
    inside[samples] = True
    p, g, s, l = known.tables
    block = np.zeros(len(known.blocks), dtype=bool)
    block[known.blocks.row_of_entry[inside[known.blocks.items]]] = True
    return np.concatenate(
        [
            p.id[inside[p.i] | inside[p.j]],
            g.id[block[g.block]],
            s.id[block[s.a] | block[s.b]],
            l.id[inside[l.sample]],
        ]
    )


def new_conflict(
    known: ConstraintSet, intention: Intention, n_clusters: int | None, numbers: Mapping[int, int]
) -> Html | None:
    """The first contradiction that a statement would bring, in words; None where it brings none."""
    if not intention or "forget" in intention.said:
        return None
    if not len(known) and n_clusters != 1:  # a single statement contradicts nothing
        return None
    then = known.with_statements(_statements(known, intention))
    before = {str(conflict) for conflict in known.conflicts(n_clusters)}
    for conflict in then.conflicts(n_clusters):
        if str(conflict) not in before:
            return _in_words(conflict, known, then, numbers)
    return None


def _in_words(conflict: Conflict, known: ConstraintSet, then: ConstraintSet, numbers: Mapping[int, int]) -> Html:
    if conflict.kind == "clique":
        return join(conflict.message)
    i, j = conflict.samples
    way = tag("span", " — ".join(map(str, conflict.chain)), class_="cc-chain")
    reader = StatementReader(then, numbers)
    stated = [reader.read(id_) for id_ in conflict.ids]
    apart = next((s for s in stated if s.kind in ("cannot", "separation")), None)
    if apart is None:
        labels = " and ".join(f"{s.name} is labelled {s.detail}" for s in stated if s.kind == "label")
        return join(f"{labels}, but must-links join them: ", way)
    if apart.id in known.ids:
        return join(f"{i} and {j} must stay apart ({apart.source}), but this would join them: ", way)
    return join(f"This would keep {i} and {j} apart, but they are linked: ", way)
