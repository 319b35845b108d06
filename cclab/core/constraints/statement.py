"""One thing that is said about samples, `Statement`, and the forms it takes: arguments of a call, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from cclab.core.arrays import as_pairs, as_samples
from cclab.core.constraints.naming import Finder, located, located_labels, located_pairs
from cclab.core.constraints.tables import Table, provenance, read_labels

if TYPE_CHECKING:
    from cclab.core.constraints.set import ConstraintSet

#: Each kind of statement, and the name by which `Session.constrain` and ``ConstraintSet.with_...`` take it.
NAMES = {
    "must": "must_link",
    "cannot": "cannot_link",
    "group": "group",
    "separation": "separation",
    "label": "labels",
}
_KINDS = {name: kind for kind, name in NAMES.items()}
#: What the parts of a statement are called in JSON.
_FIELDS = {
    "must_link": ("pairs",),
    "cannot_link": ("pairs",),
    "group": ("samples",),
    "separation": ("a", "b"),
    "labels": ("labels",),
}


@dataclass(frozen=True)
class Statement:
    """One thing that is said about samples. A value.

    Attributes
    ----------
    kind : {"must", "cannot", "group", "separation", "label"}
    samples : tuple of int
        The two samples of a link, the members of a group, the first set of a separation, the one labelled sample.
    others : tuple of int
        The second set of a separation.
    clusters : tuple of int
        Those that a label names.
    degrees : tuple of float, optional
        How possible each of `clusters` is; nothing is then said about the others. Without degrees all that are named
        are possible, and no other is.
    shares : tuple of float, optional
        How many samples each member of a group stands for; of a separation, two such tuples.
    weight : float
        In (0, 1], 1 = certain.
    source : str
    id : int, optional
        By which a constraint set knows it.

    Examples
    --------
    >>> from cclab.core import ConstraintSet
    >>> known = ConstraintSet(9).with_statements([Statement("group", (0, 1, 2), source="lasso")])
    >>> next(known.statements())
    Statement(kind='group', samples=(0, 1, 2), others=(), clusters=(), degrees=None, shares=None, weight=1.0, \
source='lasso', id=0)
    """

    kind: str
    samples: tuple[int, ...]
    others: tuple[int, ...] = ()
    clusters: tuple[int, ...] = ()
    degrees: tuple[float, ...] | None = None
    shares: Any = None
    weight: float = 1.0
    source: str = "code"
    id: int | None = None

    @property
    def possible(self) -> int | list[int] | dict[int, float]:
        """What a label says of its sample: its cluster, the clusters it may be in, or the degree of each."""
        if self.degrees is not None:
            return dict(zip(self.clusters, self.degrees, strict=True))
        return self.clusters[0] if len(self.clusters) == 1 else list(self.clusters)

    @property
    def what(self) -> tuple[Any, ...]:
        """What is said: the same where two statements say the same, whoever says it and however surely."""
        sides = frozenset({tuple(sorted(self.samples)), tuple(sorted(self.others))})
        return self.kind, sides, self.clusters, self.degrees, self.shares


def stated_in(known: ConstraintSet, ids: Iterable[int] | None = None) -> Iterator[Statement]:
    """The statements of a constraint set, or those with these ids; links first, then groups, separations, labels."""
    chosen = known if ids is None else known.rows(np.isin(known.ids, list(ids)))
    p, g, s, l = chosen.tables

    def members(block: int) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
        samples, shares = known.blocks.row(block)
        return tuple(samples.tolist()), None if np.all(shares == 1) else tuple(shares.tolist())

    for must, i, j, about in zip(p.must.tolist(), p.i.tolist(), p.j.tolist(), _about(p)):
        yield Statement("must" if must else "cannot", (i, j), **about)
    for block, about in zip(g.block, _about(g)):
        samples, shares = members(block)
        yield Statement("group", samples, shares=shares, **about)
    for a, b, about in zip(s.a, s.b, _about(s)):
        (samples, of_samples), (others, of_others) = members(a), members(b)
        ones = [(1.0,) * len(side) for side in (samples, others)]
        both = None if of_samples is of_others is None else (of_samples or ones[0], of_others or ones[1])
        yield Statement("separation", samples, others, shares=both, **about)
    for i, closed, (clusters, degrees), about in zip(
        l.sample.tolist(), l.closed.tolist(), l.degrees.tuples(), _about(l)
    ):
        whole = closed and set(degrees) == {1.0}
        yield Statement("label", (i,), clusters=clusters, degrees=None if whole else degrees, **about)


def _about(table: Table) -> Iterator[dict[str, Any]]:
    columns = zip(table.weight.tolist(), table.source.tolist(), table.id.tolist())
    return ({"weight": weight, "source": source, "id": id_} for weight, source, id_ in columns)


def runs(statements: Iterable[Statement]) -> Iterator[list[Statement]]:
    """The statements, with those together that can be made at once: a million are not made singly.

    Of two labels of a sample in a run the last counts.
    """
    for kind, run in groupby(statements, lambda statement: statement.kind):
        if kind in ("must", "cannot"):
            yield list(run)
        elif kind == "label":
            yield list({statement.samples: statement for statement in run}.values())
        else:
            yield from ([statement] for statement in run)


def argument(run: Sequence[Statement]) -> tuple[str, Any]:
    """The name and the value by which a call (see `NAMES`) makes the statements of a run."""
    kind, first = run[0].kind, run[0]
    match kind:
        case "must" | "cannot":
            return NAMES[kind], [list(statement.samples) for statement in run]
        case "group":
            return NAMES[kind], list(first.samples)
        case "separation":
            return NAMES[kind], (list(first.samples), list(first.others))
        case "label":
            return NAMES[kind], {statement.samples[0]: statement.possible for statement in run}
    raise ValueError(f"unknown kind {kind!r}; use {', '.join(list(NAMES)[:-1])} or label")


def said(
    n_samples: int,
    *,
    weight: Any = 1.0,
    source: str | Sequence[str] = "code",
    shares: Any = None,
    by: Finder | None = None,
    **what: Any,
) -> list[Statement]:
    """The statements that a call makes: the inverse of `argument`.

    Parameters
    ----------
    n_samples : int
    weight, source, shares, by
        As for ``ConstraintSet.with_...``.
    **what
        By their names in `NAMES`, what ``ConstraintSet.with_...`` takes; None says nothing.
    """
    made: list[Statement] = []
    for name, value in what.items():
        if name not in _KINDS:
            raise ValueError(f"unknown kind of statement {name!r}")
        if value is not None:
            rows = _rows(name, value, n_samples, by)
            about = provenance(0, len(rows), weight, source, name)
            said_by = zip(rows, about["weight"].tolist(), about["source"].tolist())
            made += [Statement(_KINDS[name], **row, shares=shares, weight=w, source=s) for row, w, s in said_by]
    return made


def _rows(name: str, value: Any, n_samples: int, by: Finder | None) -> list[dict[str, Any]]:
    """What is particular to each of the statements that a call makes."""

    def sample_set(samples: Any) -> tuple[int, ...]:
        return tuple(as_samples(located(_listed(samples), by, n_samples, name), n_samples, name).tolist())

    match name:
        case "group":
            return [{"samples": sample_set(value)}]
        case "separation":
            if len(value) != 2:
                raise ValueError(f"a separation keeps two sets of samples apart, got {len(value)}")
            return [{"samples": sample_set(value[0]), "others": sample_set(value[1])}]
        case "labels":
            samples, closed, degrees = read_labels(located_labels(value, by, n_samples), n_samples)
            known = zip(samples.tolist(), closed.tolist(), degrees.tuples())
            return [{"samples": (i,), "clusters": k, "degrees": None if whole else d} for i, whole, (k, d) in known]
    pairs = as_pairs(located_pairs(_listed(value), by, n_samples, name), n_samples, name)
    return [{"samples": tuple(pair)} for pair in pairs.tolist()]


def _listed(samples: Any) -> Any:
    return list(samples) if isinstance(samples, set | frozenset) else samples


def to_json(statements: Iterable[Statement]) -> list[dict[str, Any]]:
    """Statements ready for JSON, an entry for each run of one source; ids are the constraint set's to give."""
    entries = []
    for source, of_source in groupby(statements, lambda statement: statement.source):
        for run in runs(of_source):
            name, value = argument(run)
            if name == "labels":
                value = {"of": [[sample, _plain(possible)] for sample, possible in value.items()]}
            entry = {"kind": name} | dict(zip(_FIELDS[name], value if name == "separation" else [value]))
            if run[0].shares is not None:
                entry["shares"] = run[0].shares
            weights = [statement.weight for statement in run]
            entries.append(entry | {"weight": weights[0] if len(set(weights)) == 1 else weights, "source": source})
    return entries


def from_json(entries: Iterable[Mapping[str, Any]], n_samples: int) -> list[Statement]:
    """The inverse of `to_json`; it also reads labels that are arrays, as earlier versions wrote them."""
    made = []
    for entry in entries:
        name = entry["kind"]
        value: Any = [entry[field] for field in _FIELDS.get(name, ())]
        if name == "labels":
            value = _read_labels(entry["labels"])
        elif name != "separation":
            value = next(iter(value), ())
        about = {key: entry[key] for key in ("weight", "source", "shares") if key in entry}
        made += said(n_samples, **{name: value}, **about)
    return made


def _plain(possible: Any) -> Any:
    return {"degrees": [list(entry) for entry in possible.items()]} if isinstance(possible, dict) else possible


def _read_labels(labels: Any) -> Any:
    if isinstance(labels, dict):
        return {sample: dict(k["degrees"]) if isinstance(k, dict) else k for sample, k in labels["of"]}
    # A table of degrees holds None where nothing is known.
    return np.array(labels, dtype=float) if labels and isinstance(labels[0], list) else np.array(labels)
