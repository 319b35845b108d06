import numpy as np
import pytest

from cclab import ConstraintSet
from cclab.maths.link_table import LinkTable


def test_small_blocks_are_expanded_to_their_pairs():
    known = ConstraintSet(9).with_cannot_link([[0, 8]], weight=0.5).with_group([1, 3, 5]).with_separation([1], [2, 4])
    links = LinkTable.of(known)
    assert list(zip(links.i.tolist(), links.j.tolist(), links.must.tolist(), links.weight.tolist())) == [
        (0, 8, False, 0.5),
        (1, 3, True, 1.0),
        (1, 5, True, 1.0),
        (3, 5, True, 1.0),
        (1, 2, False, 1.0),
        (1, 4, False, 1.0),
    ]


def test_fifty_samples_are_expanded_and_fifty_one_are_not():
    assert len(LinkTable.of(ConstraintSet(60).with_group(range(50)))) == 50 * 49 // 2
    assert len(LinkTable.of(ConstraintSet(60).with_group(range(51)))) == 51


def test_links_of_a_large_group_hold_to_the_degree_that_its_pairs_do():
    known = ConstraintSet(120).with_group(range(100)).with_separation(range(60), range(60, 120))
    labels = np.random.default_rng(0).integers(3, size=120)
    links = LinkTable.of(known)
    agreement = links.agreement(labels)
    same = labels[:, None] == labels
    together = (same[:100, :100].sum(axis=1) - 1) / 99
    apart = 1 - np.concatenate([same[:60, 60:].mean(axis=1), same[60:, :60].mean(axis=1)])
    np.testing.assert_allclose(agreement, np.concatenate([together, apart]))


def test_agreement_of_large_blocks_is_the_satisfaction_of_the_statement():
    known = ConstraintSet(200).with_group(range(90), shares=np.arange(90) % 3 + 1.0)
    labels = np.random.default_rng(1).integers(4, size=200)
    links = LinkTable.of(known)
    mean = np.average(links.agreement(labels), weights=links.weight)
    assert mean == pytest.approx(known.satisfaction(labels).degrees[0], abs=0.01)


def test_partners_of_a_large_group_are_one_member_and_those_of_a_separation_many():
    known = ConstraintSet(200).with_group(range(100)).with_separation(range(100), range(100, 200))
    links = LinkTable.of(known)
    partners = links.partners(np.random.default_rng(0))
    assert np.all(partners != links.i)
    hub, others = np.unique(partners[:100], return_counts=True)
    assert sorted(others.tolist()) == [1, 99]
    assert hub.max() < 100
    assert partners[100:200].min() >= 100
    assert partners[200:].max() < 100
    assert len(np.unique(partners[100:200])) > 40
    again = links.partners(np.random.default_rng(1))
    assert not np.array_equal(partners[:100], again[:100])


def test_ten_thousand_samples_in_a_group_stay_ten_thousand_links():
    assert len(LinkTable.of(ConstraintSet(20_000).with_group(range(10_000)))) == 10_000
