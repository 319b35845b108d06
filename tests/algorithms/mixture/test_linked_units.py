import numpy as np

from cclab.algorithms.mixture.linked_units import LEAST, LEAST_OF_LABELS, LEAST_OF_MANY, LinkedUnits
from cclab.core import ConstraintSet


def test_samples_that_certain_links_join_are_one_unit():
    known = ConstraintSet(9).with_must_link([[0, 1], [1, 2]]).with_group([4, 5, 6]).with_must_link([[2, 7]], weight=0.5)
    units = LinkedUnits.of(known, np.ones(9))
    assert units.samples.tolist() == [0, 1, 2, 4, 5, 6, 7]
    assert units.unit.tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert (units.i.tolist(), units.j.tolist(), units.must.tolist()) == ([0], [2], [True])
    np.testing.assert_allclose(units.breaking, np.log(0.5))


def test_links_between_two_units_are_one_as_dear_as_all_of_them():
    known = ConstraintSet(6).with_group([0, 1]).with_group([2, 3]).with_cannot_link([[0, 2], [1, 3]], weight=0.9)
    units = LinkedUnits.of(known, np.ones(6))
    np.testing.assert_allclose(units.breaking, 2 * np.log(0.1))
    more = known.with_separation([0, 1], [2, 3])
    np.testing.assert_allclose(LinkedUnits.of(more, np.ones(6)).breaking, 2 * np.log(0.1) + np.log(LEAST))
    nine = [[i, j] for i in (0, 1, 2) for j in (3, 4, 5)]
    many = ConstraintSet(6).with_group([0, 1, 2]).with_group([3, 4, 5]).with_cannot_link(nine)
    np.testing.assert_allclose(LinkedUnits.of(many, np.ones(6)).breaking, np.log(LEAST_OF_MANY))


def test_a_link_inside_of_a_unit_is_left_out():
    units = LinkedUnits.of(ConstraintSet(4).with_group([0, 1, 2]).with_cannot_link([[0, 2]]), np.ones(4))
    assert not len(units.i)


def test_a_lasso_of_ten_thousand_is_one_unit():
    n = 10_000
    known = ConstraintSet(2 * n).with_group(np.arange(n)).with_separation(np.arange(n), np.arange(n, 2 * n))
    units = LinkedUnits.of(known, np.ones(2 * n))
    assert len(units) == n + 1
    (block,) = units.blocks
    assert block.a.tolist() == [0]
    assert len(block.b) == n


def test_what_a_unit_gathers_is_the_mean_of_its_samples_times_their_number():
    known = ConstraintSet(5).with_group([0, 1, 2])
    units = LinkedUnits.of(known, np.array([1.0, 1.0, 2.0, 1.0, 1.0]))
    assert (units.gather @ np.array([4.0, 0.0, 8.0])).tolist() == [15.0]
    nothing = LinkedUnits.of(known, np.array([0.0, 0.0, 0.0, 1.0, 1.0]))
    np.testing.assert_allclose(nothing.gather @ np.array([3.0, 0.0, 9.0]), [12.0])


def test_labels_say_what_is_possible():
    known = ConstraintSet(4).with_labels({0: 1, 2: {0, 2}}).with_labels({3: {1: 0.5}}, weight=0.5)
    units = LinkedUnits.of(known, np.ones(4))
    said, no = np.exp(units.potentials(known, 3)), LEAST_OF_LABELS
    np.testing.assert_allclose(said, [[no, 1, no], [1, no, 1], [1, 0.75, 1]])
