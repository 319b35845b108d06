"""Statements in words."""

import numpy as np
import pytest

from cclab.core import ConstraintSet
from cclab.looks.describe import StatementReader, set_names, violation

LARGE, OTHER = [0, 1, 2, 3], [5, 6, 7, 8, 9]


@pytest.fixture
def known() -> ConstraintSet:
    return (
        ConstraintSet(12)
        .with_group(LARGE, source="lasso")
        .with_separation(LARGE, OTHER, source="lasso")
        .with_must_link([[10, 4]], source="query", weight=0.5)
        .with_cannot_link([[1, 11]], source="query")
        .with_group([4, 5], source="code")
        .with_labels({3: 1, 4: {0, 2}, 6: {1: 0.0}, 7: {0: 0.5}})
    )


def test_every_kind_of_statement_says_what_it_is_about(known):
    read = StatementReader(known, {0: 1, 1: 2, 2: 3}).read
    said = {id_: (s.kind, s.name, s.detail) for id_ in known.ids.tolist() for s in [read(id_)]}
    assert said == {
        0: ("group", "A", "4 samples"),
        1: ("separation", "A | B", "groups of 4 and 5"),
        2: ("must", "4 – 10", ""),
        3: ("cannot", "1 – 11", ""),
        4: ("group", "4, 5", "2 samples"),
        5: ("label", "3", "cluster 2"),
        6: ("label", "4", "cluster 1 or 3"),
        7: ("label", "6", "not cluster 2"),
        8: ("label", "7", "cluster 1: 0.5"),
    }
    assert read(1).samples.tolist() == LARGE + OTHER


def test_answers_are_numbered_and_weights_are_kept(known):
    reader = StatementReader(known)
    assert [reader.read(id_).source for id_ in (0, 2, 3)] == ["lasso", "query 1", "query 2"]
    assert reader.read(2).weight == 0.5
    with pytest.raises(ValueError, match="no statement with id 99"):
        reader.read(99)


def test_the_same_set_has_one_letter(known):
    assert sorted(set_names(known).values()) == ["4, 5", "A", "B"]
    assert set_names(ConstraintSet(3)) == {}


def test_a_label_has_the_number_that_its_cluster_has_on_the_page(known):
    assert StatementReader(known, {0: 2, 1: 1}).read(5).detail == "cluster 1"
    assert StatementReader(known, {0: 1}).read(5).detail == "cluster 2 (not there)"


def test_how_labels_break_a_statement(known):
    labels = np.array([0, 0, 1, 2, 0, 1, 1, 1, 1, 1, 1, 0])
    read = StatementReader(known, {0: 1, 1: 2, 2: 3}).read
    said = [violation(read(id_), labels, [1, 2, 3]) for id_ in (0, 2, 3, 5)]
    assert said == ["in 1 and 2 and 3", "in 1 and 2", "both in 1", "is in 3"]
