"""Of many answers, a person sees what is unsure or in conflict."""

import numpy as np
import pytest

from cclab import ConstraintSet
from cclab.oracles import Answer, review
from cclab.queries.base import Query


def pair(i, j):
    return Query.pair(i, j, "why", 0)


def test_what_is_sure_is_stated_and_the_rest_has_a_reason():
    queries = [pair(0, 1), pair(1, 2), pair(0, 2), pair(3, 4), pair(5, 6)]
    answers = [
        Answer("same", 0.9),
        Answer("same", 0.8),
        Answer("different"),
        Answer("same", 0.6),
        Answer.unsure("blank"),
    ]
    found = review(queries, answers, ConstraintSet(9), by="rules")
    assert [q.samples for q, _ in found.stated] == [(0, 1), (0, 2)]  # the surest of a contradiction are taken
    assert [(q.samples, q.reason, q.again) for q in found.eye] == [
        ((1, 2), "rules says same, 80 % sure, which contradicts what is known.", True),
        ((3, 4), "rules says same, but is only 60 % sure.", False),
        ((5, 6), "rules does not know: blank.", False),
    ]
    assert str(found) == "5 questions answered by rules; 3 want your eye"


def test_what_a_person_has_said_counts_more():
    known = ConstraintSet(9).with_must_link([[0, 1], [1, 2]])
    found = review([pair(0, 2)], [Answer("different")], known)
    assert found.stated == ()
    assert found.eye[0].again
    group = Query.group([0, 2, 5, 6], "", 0)
    assert review([group], [Answer((2,))], known).stated == ()
    assert len(review([group], [Answer((5,))], known).stated) == 1


def test_what_is_stated_never_contradicts_itself():
    rng = np.random.default_rng(0)
    queries = [pair(*rng.choice(12, 2, replace=False)) for _ in range(80)]
    answers = [Answer(str(rng.choice(["same", "different"])), float(rng.uniform(0.75, 1))) for _ in queries]
    found = review(queries, answers, ConstraintSet(12))
    from cclab.oracles import statements

    known = ConstraintSet(12)
    for query, answer in found.stated:
        known = known.with_statements(statements(query, answer))
    assert not known.conflicts()
    assert found.eye


def test_one_answer_to_each_question():
    with pytest.raises(ValueError, match="1 questions, but 0 answers"):
        review([pair(0, 1)], [], ConstraintSet(3))
