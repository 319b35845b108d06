"""Statements as values, as arguments and as JSON."""

import json

import numpy as np
import pytest

from cclab.core import ConstraintSet, Statement
from cclab.core.constraints.statement import from_json, said, to_json

SAID = [
    Statement("must", (0, 1), weight=0.5, source="lasso"),
    Statement("must", (2, 5), source="lasso"),
    Statement("cannot", (0, 7), source="query"),
    Statement("group", (3, 4, 8)),
    Statement("group", (5, 6), shares=(1.0, 2.5)),
    Statement("separation", (0, 1), (8, 9)),
    Statement("separation", (2,), (3, 4), shares=((2.0,), (1.0, 1.0)), source="stroke"),
    Statement("label", (3,), clusters=(1,)),
    Statement("label", (4,), clusters=(0, 2), weight=0.25),
    Statement("label", (6,), clusters=(0, 1), degrees=(0.5, 0.0)),
]


def bare(statements):
    """Without the ids that a set gives."""
    return [Statement(**(vars(statement) | {"id": None})) for statement in statements]


def test_a_set_gives_back_the_statements_that_it_was_told():
    known = ConstraintSet(10).with_statements(SAID)
    assert bare(known.statements()) == SAID
    assert [statement.id for statement in known.statements()] == list(range(len(SAID)))
    assert [statement.kind for statement in known.statements([8, 3])] == ["group", "label"]


def test_json_gives_back_the_statements():
    assert from_json(json.loads(json.dumps(to_json(SAID[:6]))), 10)[:4] == SAID[:4]
    again = ConstraintSet(10).with_statements(from_json(json.loads(json.dumps(to_json(SAID))), 10))
    assert again == ConstraintSet(10).with_statements(SAID)


def test_statements_of_one_call_are_one_entry():
    statements = said(200, labels=np.arange(200) % 3, weight=0.5)
    (entry,) = to_json(statements)
    assert entry["weight"] == 0.5
    assert from_json([entry], 200) == statements


@pytest.mark.parametrize(
    "labels", [[1, -1, 0], [[None, 0.4], [None, None], [1.0, 0.0]], {"of": [[0, 1], [2, {"degrees": [[1, 0.5]]}]]}]
)
def test_labels_are_read_as_earlier_versions_wrote_them(labels):
    form = {0: 1, 2: {1: 0.5}} if isinstance(labels, dict) else np.array(labels, dtype=None)
    form = form.astype(float) if getattr(form, "ndim", 1) == 2 else form
    read = ConstraintSet(3).with_statements(from_json([{"kind": "labels", "labels": labels}], 3))
    assert read == ConstraintSet(3).with_labels(form)


def test_the_same_may_be_said_in_another_order_by_another_source():
    apart = Statement("separation", (1, 2), (5, 4), source="lasso")
    assert apart.what == Statement("separation", (4, 5), (2, 1), weight=0.5).what
    assert apart.what != Statement("separation", (4, 5), (2, 3)).what


def test_what_can_not_be_stated_is_named():
    with pytest.raises(ValueError, match="unknown kind 'glue'; use must, cannot, group, separation or label"):
        ConstraintSet(3).with_statements([Statement("glue", (0, 1))])
    with pytest.raises(ValueError, match="unknown kind of statement 'glue'"):
        from_json([{"kind": "glue"}], 3)
    with pytest.raises(ValueError, match="two sets of samples apart, got 3"):
        said(3, separation=([0], [1], [2]))
