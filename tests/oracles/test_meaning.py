"""What an answer means as statements, and what an answer is."""

import numpy as np
import pytest

from cclab import ConstraintSet
from cclab.oracles import Answer, Nonsense, read_answer, statements, weight_of
from cclab.oracles.meaning import LEAST_WEIGHT, TRIPLET_WEIGHTS, asked_about, confidence_for, replaced
from cclab.queries.base import Query

PAIR = Query.pair(4, 2, "", 0)
TRIPLET = Query.triplet(5, 9, 1, "", 0)
GROUP = Query.group([8, 3, 1, 5], "", 0)


def said(query, verdict, confidence=1.0, **more):
    return [(s.kind, s.samples, s.others, s.weight) for s in statements(query, Answer(verdict, confidence), **more)]


def test_each_kind_has_its_statements():
    must, cannot = TRIPLET_WEIGHTS
    assert said(PAIR, "same") == [("must", (2, 4), (), 1)]
    assert said(PAIR, "different") == [("cannot", (2, 4), (), 1)]
    assert said(TRIPLET, "b") == [("must", (5, 1), (), must), ("cannot", (5, 9), (), cannot)]
    assert said(TRIPLET, "c") == [("must", (5, 9), (), must), ("cannot", (5, 1), (), cannot)]
    assert said(GROUP, ()) == [("group", (1, 3, 5, 8), (), 1)]
    assert said(GROUP, (3, 8)) == [("group", (1, 5), (), 1), ("separation", (1, 5), (3, 8), 1)]
    assert said(GROUP, (1, 3, 8)) == [("separation", (5,), (1, 3, 8), 1)]
    assert said(GROUP, (1, 3, 5, 8)) == []
    (label,) = statements(Query.label(3, "", 0), Answer(2))
    assert (label.kind, label.samples, label.clusters) == ("label", (3,), (2,))


def test_names_link_to_a_sample_of_each_name_before():
    what = Query.name(7, "", 0)
    assert said(what, "cat") == []
    assert said(what, "cat", named={"cat": 2, "dog": 9}) == [("must", (2, 7), (), 1), ("cannot", (7, 9), (), 1)]


def test_a_guess_weighs_nothing_and_unsure_says_nothing():
    assert said(PAIR, "same", 0.5) == []
    assert said(PAIR, "same", 0.5 + np.sqrt(LEAST_WEIGHT) / 3) == []
    assert said(PAIR, "same", 0.75) == [("must", (2, 4), (), 0.25)]
    assert weight_of(Query.label(3, "", 0), Answer(1, 0.5)) == 0.25
    assert confidence_for(PAIR, 0.25) == 0.75
    assert statements(PAIR, Answer.unsure("no idea")) == []


def test_statements_make_a_constraint_set_whose_truth_is_the_answers():
    target = np.array([0, 0, 1, 1, 0, 0])
    group = Query.group(range(6), "", 0)
    known = ConstraintSet(6).with_statements(statements(group, Answer((2, 3))))
    assert known.satisfaction(target).rate == 1
    assert not known.conflicts()


def test_what_is_asked_again_is_replaced():
    known = ConstraintSet(9).with_must_link([[2, 4], [2, 5]]).with_cannot_link([[2, 4]])
    assert sorted(replaced(known, PAIR)) == [0, 2]
    assert replaced(known, Query.label(1, "", 0)) == []


@pytest.mark.parametrize("outside", [(), (3,), (3, 8), (1, 3, 8)])
def test_a_group_asked_again_replaces_its_answer_and_nothing_else(outside):
    others = ConstraintSet(9).with_group([1, 5, 7]).with_group([3, 8]).with_separation([1, 5], [2]).with_group([3, 5])
    known = others.with_statements(statements(GROUP, Answer(outside)))
    answered = [said for said in known.statements() if said.id not in others.ids]
    assert {asked_about(known, said) for said in answered} == {GROUP.samples}
    assert [*known.without(replaced(known, GROUP)).statements()] == [*others.statements()]


@pytest.mark.parametrize(
    ("query", "raw", "verdict"),
    [
        (PAIR, " SAME. ", "same"),
        (PAIR, False, "different"),
        (PAIR, '{"verdict": "different", "confidence": 0.7}', "different"),
        (PAIR, None, "unsure"),
        (PAIR, "don't know", "unsure"),
        (TRIPLET, "C", "c"),
        (GROUP, [np.int64(3)], (3,)),
        (GROUP, [], ()),
        (GROUP, np.array([8, 3]), (3, 8)),
        (Query.label(1, "", 0), "2", 2),
        (Query.name(1, "", 0), "  a   cat ", "a cat"),
    ],
)
def test_answers_of_programs_are_read(query, raw, verdict):
    assert read_answer(query, raw).verdict == verdict


@pytest.mark.parametrize(
    ("query", "raw", "words"),
    [
        (GROUP, [4], "4 is none of the samples 1, 3, 5, 8"),
        (GROUP, "3", "answered by a list of the samples that do not belong"),
        (TRIPLET, "a", "answered by 'b' or 'c', or by 'unsure'"),
        (Query.label(1, "", 0), -1, "the number of a cluster, from 0"),
        (Query.label(1, "", 0), True, "the number of a cluster, from 0"),
        (Query.name(1, "", 0), 5, "answered by a word"),
    ],
)
def test_what_is_no_answer_says_what_would_be(query, raw, words):
    with pytest.raises(Nonsense, match=words):
        read_answer(query, raw)


def test_questions_need_their_samples():
    with pytest.raises(ValueError, match="needs three samples, got 1, 1 and 2"):
        Query.triplet(1, 1, 2, "", 0)
    with pytest.raises(ValueError, match="at least three samples, got 2"):
        Query.group([1, 2, 2], "", 0)
    with pytest.raises(ValueError, match="there are no questions about a 'quartet'"):
        Query.of("quartet", [1, 2, 3, 4], "", 0)
