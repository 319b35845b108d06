import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cclab.core import Credal, Fuzzy, FuzzyPossibilistic, Hard, Possibilistic, matched_accuracy, scores
from cclab.core.constraints.set import ConstraintSet

FULL = [[], [0], [1], [0, 1], [2], [0, 2], [1, 2], [0, 1, 2]]


@st.composite
def credal(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    masses = np.random.default_rng(seed).dirichlet(np.full(8, 0.4), size=5)
    return Credal(masses, FULL)


@given(credal())
def test_belief_lies_below_probability_below_plausibility(belief):
    for k in range(3):
        bel, pl = belief.belief(k), belief.plausibility(k)
        alive = belief.empty_mass < 1 - 1e-9
        pig = belief.pignistic[:, k] * (1 - belief.empty_mass)
        assert np.all(bel <= pig + 1e-9)
        assert np.all(pig[alive] <= pl[alive] + 1e-9)
        assert not np.any(belief.lower(k) & ~belief.upper(k))
    np.testing.assert_allclose(belief.pignistic.sum(axis=1), 1)
    np.testing.assert_allclose(belief.belief([0, 1, 2]), 1 - belief.empty_mass, atol=1e-12)
    np.testing.assert_allclose(belief.plausibility([0, 2]) + belief.belief([1]) + belief.empty_mass, 1, atol=1e-12)
    assert np.all((belief.nonspecificity() >= 0) & (belief.nonspecificity() <= 1 + 1e-12))


def test_hard_credal_sets_by_hand():
    masses = np.zeros((4, 8))
    masses[0, 1] = masses[1, 3] = masses[2, 7] = masses[3, 0] = 1
    belief = Credal(masses, FULL)
    assert [belief.set_name(s) for s in belief.hard_sets()] == ["1", "1 or 2", "any", "outlier"]
    assert belief.lower(0).tolist() == [True, False, False, False]
    assert belief.upper(0).tolist() == [True, True, True, False]
    assert belief.outliers().tolist() == [False, False, False, True]
    np.testing.assert_allclose(belief.nonspecificity(), [0, 1 / np.log2(3), 1, 1])
    frame = belief.to_frame()
    assert {"mass_empty", "mass_0_1", "pignistic_2", "label", "outlier"} <= set(frame.columns)


def test_credal_input_is_checked():
    with pytest.raises(ValueError, match="one column for each of 3 focal sets"):
        Credal(np.ones((2, 2)) / 2, [[], [0], [1]])
    with pytest.raises(ValueError, match="named twice"):
        Credal(np.ones((2, 2)) / 2, [[0], [0]])


def test_outliers_by_kind():
    t = np.array([[0.05, 0.01], [0.9, 0.2]])
    assert Possibilistic(t, 0.1).outliers().tolist() == [True, False]
    assert Possibilistic(t, 0.1).outliers(0.01).tolist() == [False, False]
    assert not Fuzzy(np.array([[0.5, 0.5]])).outliers().any()
    assert not Hard([0, 1]).outliers().any()


def test_how_a_fuzzy_possibilistic_belief_decides():
    u, t = np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]])
    assert FuzzyPossibilistic(u, t).labels().tolist() == [1]
    assert FuzzyPossibilistic(u, t, "product").labels().tolist() == [0]
    with pytest.raises(ValueError, match="decide must be"):
        FuzzyPossibilistic(u, t, "guess")


def test_ambiguity_runs_from_sure_to_torn():
    np.testing.assert_allclose(Fuzzy([[1.0, 0.0], [0.5, 0.5], [0.8, 0.2]]).ambiguity(), [0, 1, 0.25])
    assert Hard([0, 1, 1]).ambiguity().tolist() == [0, 0, 0]
    assert Fuzzy(np.ones((2, 1))).ambiguity().tolist() == [0, 0]


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        Fuzzy([[1.0, 0.0]]).memberships[0, 0] = 5


def test_scores_on_all_and_on_free_samples():
    truth = np.array([0, 0, 0, 1, 1, 1, -1])
    labels = np.array([1, 1, 1, 0, 0, 1, 0])
    known = ConstraintSet(7).with_must_link([[4, 5]])
    result = scores(truth, labels, known)
    assert result["accuracy"] == pytest.approx(5 / 6)
    assert result["ari_free"] == result["nmi_free"] == 1
    assert result["satisfied"] == 0
    assert set(scores(None, labels)) == set()
    assert matched_accuracy([0, 0, 1], [7, 7, 7]) == pytest.approx(2 / 3)


def test_nmi_is_geometric():
    truth, labels = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    h_truth, h_labels = np.log(2), np.log(3)
    joint = np.array([2, 1, 1, 2]) / 6
    mutual = sum(p * np.log(p / (a * b)) for p, a, b in zip(joint, [0.5] * 4, [1 / 3] * 4))
    assert scores(truth, labels)["nmi"] == pytest.approx(mutual / np.sqrt(h_truth * h_labels))


def test_scores_say_when_there_is_too_little_to_measure():
    nothing = scores([-1, -1, -1], [0, 1, 0], ConstraintSet(3))
    assert all(np.isnan(nothing[name]) for name in ("ari", "rand", "nmi", "accuracy", "ari_free"))
    with pytest.raises(ValueError, match=r"truth has shape \(2,\)"):
        scores([0, 1], [0, 1, 0])


def test_clusters_that_there_are_not_are_named():
    belief = Credal([[0.2, 0.8, 0.0]], [[], [0], [1]])
    for ask in (belief.belief, belief.plausibility, belief.lower, belief.upper):
        with pytest.raises(ValueError, match="no cluster 9: clusters run from 0 to 1"):
            ask(9)
    with pytest.raises(ValueError, match="name no cluster"):
        Credal([[1.0]], [[]])


@pytest.mark.parametrize(
    ("labels", "n_clusters", "message"),
    [
        ([0, -1], None, "sample 1 has label -1; clusters are numbered from 0 on"),
        ([0, 3], 2, "sample 1 has label 3; clusters are numbered from 0 to 1"),
        ([0.5, 1], None, "sample 0 has label 0.5"),
        ([[0, 1]], None, r"shape \(n_samples,\), got \(1, 2\)"),
    ],
)
def test_hard_labels_are_numbers_of_clusters(labels, n_clusters, message):
    with pytest.raises(ValueError, match=message):
        Hard(labels, n_clusters)


@pytest.mark.parametrize(
    "belief",
    [
        Hard([2, 0, 1, 1]),
        Fuzzy([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [1, 0, 0], [0, 0, 1]]),
        Possibilistic([[0.4, 0.4, 0.2], [0.01, 0.02, 0.02], [1, 0, 0], [0, 0, 1]], 0.1),
        FuzzyPossibilistic(np.full((4, 3), 1 / 3), [[0.4, 0.4, 0], [0.1, 0.2, 0.2], [1, 0, 0], [0, 0, 1]], "product"),
        Credal([[0.6, 0.2, 0.2], [0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]], [[], [0, 1], [1, 2]]),
    ],
    ids=lambda belief: belief.kind,
)
def test_a_belief_about_some_samples_says_what_the_whole_says_of_them(belief):
    whole, some = belief.reordered([2, 0, 1]), [3, 0, 1]
    part = whole.restrict(some)
    assert part.labels().tolist() == whole.labels()[some].tolist()  # those that are torn too
    assert part.outliers().tolist() == whole.outliers()[some].tolist()
    assert part.to_frame().equals(whole.to_frame().iloc[some].reset_index(drop=True))
    assert whole.restrict(1).n_samples == 1
