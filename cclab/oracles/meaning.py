"""What an answer means, as statements: the one place that says it.

=======  =======================================================================================================
kind     statements
=======  =======================================================================================================
pair     a must-link or a cannot-link
triplet  a must-link to the closer sample and a cannot-link to the other, both of reduced weight: closer is not same
group    the samples that belong are a group; those that don't stay apart from them (nothing about each other)
label    the label
name     a must-link to a sample of the same name, and a cannot-link to one sample of each other name
=======  =======================================================================================================

A statement weighs the more the better its answer is than a guess: one that is right with probability c has the weight
``(2 c - 1)²`` where it is one of two, and c² where there are many to choose from. ``docs/oracles.md`` tells how these
weights, and those of triplets, were measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cclab.core import ConstraintSet, Statement
from cclab.oracles.answers import Answer
from cclab.queries.base import Query

#: Weights of the must-link and of the cannot-link that a triplet becomes.
TRIPLET_WEIGHTS = (0.25, 0.25)
#: A statement of less weight than this is not worth making.
LEAST_WEIGHT = 0.05


def weight_of(query: Query, answer: Answer) -> float:
    """How much the statements weigh that come of an answer; 0 where it is no better than a guess.

    >>> weight_of(Query.pair(0, 1, "", 0), Answer("same", 0.9)), weight_of(Query.pair(0, 1, "", 0), Answer("same", 0.5))
    (0.64, 0.0)
    """
    if not answer.is_sure:
        return 0.0
    chance = _chance(query)
    return round((max(answer.confidence - chance, 0.0) / (1 - chance)) ** 2, 4)


def confidence_for(query: Query, weight: float) -> float:
    """The confidence of an answer whose statements have this weight: the inverse of `weight_of`.

    >>> round(confidence_for(Query.pair(0, 1, "", 0), 0.64), 4)
    0.9
    """
    if not 0 < weight <= 1:
        raise ValueError(f"a weight is above 0 and at most 1, got {weight!r}")
    return _chance(query) + (1 - _chance(query)) * float(np.sqrt(weight))


def _chance(query: Query) -> float:
    """How often a guess is right."""
    return 0.0 if query.kind in ("label", "name") else 0.5


def statements(
    query: Query, answer: Answer, *, source: str = "query", named: Mapping[str, int] | None = None
) -> list[Statement]:
    """The statements that come of an answer; none where it is unsure.

    Parameters
    ----------
    query : Query
    answer : Answer
    source : str
        Who says it.
    named : mapping from str to int, optional
        A sample of each name that was given before.

    Examples
    --------
    >>> odd_one_out = Query.group([4, 7, 8, 9], "", 0)
    >>> [(s.kind, s.samples, s.others) for s in statements(odd_one_out, Answer((8,)))]
    [('group', (4, 7, 9), ()), ('separation', (4, 7, 9), (8,))]
    """
    weight = weight_of(query, answer)
    if weight < LEAST_WEIGHT:
        return []

    def said(kind: str, samples: Any, others: Any = (), *, times: float = 1.0, **more: Any) -> Statement:
        return Statement(kind, tuple(samples), tuple(others), weight=weight * times, source=source, **more)

    samples, verdict = query.samples, answer.verdict
    match query.kind:
        case "pair":
            return [said("must" if verdict == "same" else "cannot", samples)]
        case "triplet":
            a, b, c = samples
            near, far = (b, c) if verdict == "b" else (c, b)
            must, cannot = TRIPLET_WEIGHTS
            return [said("must", (a, near), times=must), said("cannot", (a, far), times=cannot)]
        case "group":
            assert isinstance(verdict, tuple)
            inside = [i for i in samples if i not in verdict]
            made = [said("group", inside)] if len(inside) > 1 else []
            return made + ([said("separation", inside, verdict)] if inside and verdict else [])
        case "label":
            assert isinstance(verdict, int)
            return [said("label", samples[:1], clusters=(verdict,))]
        case "name":
            others = {name: i for name, i in (named or {}).items() if i != samples[0]}
            kinds = {name: "must" if name == verdict else "cannot" for name in others}
            return [said(kinds[name], sorted((samples[0], i))) for name, i in others.items()]
    raise ValueError(f"nobody has said what an answer to a question about a {query.kind!r} means")


def replaced(known: ConstraintSet, query: Query) -> list[int]:
    """Ids of the statements that were made of an earlier answer to the same question.

    Of a pair or a triplet, links between the same samples; of a group, the group and the separation that an answer
    makes of just these samples, and nothing else that is known of some of them. A label is replaced by the next one
    anyway, and a name adds to what is there.

    Examples
    --------
    >>> known = ConstraintSet(9).with_must_link([[0, 1], [1, 2]])
    >>> replaced(known, Query.pair(1, 2, "", 0))
    [1]
    """
    if query.kind in ("pair", "triplet"):
        first, *others = query.samples
        p = known.pairs
        same = ((p.i == first) & np.isin(p.j, others)) | ((p.j == first) & np.isin(p.i, others))
        return p.id[same].tolist()
    if query.kind == "group":
        asked = frozenset(query.samples)
        parted = {id_: inside for id_, inside, outside in _separations(known) if inside | outside == asked}
        grouped = {asked, *parted.values()}
        members = [frozenset(row.tolist()) for row, _ in known.blocks.rows()]
        groups = zip(known.groups.id.tolist(), known.groups.block)
        return [id_ for id_, block in groups if members[block] in grouped] + [*parted]
    return []


def asked_about(known: ConstraintSet, said: Statement) -> tuple[int, ...]:
    """The samples of the question that a statement answers.

    A group, and that others stay apart from it where that was said next, are one answer: they are asked about together.

    Examples
    --------
    >>> known = ConstraintSet(9).with_statements(statements(Query.group([4, 7, 8], "", 0), Answer((8,))))
    >>> [asked_about(known, said) for said in known.statements()]
    [(4, 7, 8), (4, 7, 8)]
    """
    samples = {*said.samples, *said.others}
    if said.kind == "group" and said.id is not None:
        for id_, inside, outside in _separations(known):
            if id_ == said.id + 1 and inside == samples:
                return tuple(sorted(inside | outside))
    return tuple(sorted(samples))


def _separations(known: ConstraintSet) -> list[tuple[int, frozenset[int], frozenset[int]]]:
    """The id and the two sides of each."""
    members = [frozenset(row.tolist()) for row, _ in known.blocks.rows()]
    s = known.separations
    return [(id_, members[a], members[b]) for id_, a, b in zip(s.id.tolist(), s.a, s.b)]
