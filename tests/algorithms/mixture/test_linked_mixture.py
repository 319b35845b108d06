from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cclab import ConstraintSet, LinkedMixture, Problem, Session, iterate, load_dataset
from cclab.algorithms.mixture.covariance_choice import MODELS, Judge
from cclab.algorithms.mixture.gaussians import Samples
from cclab.algorithms.mixture.linked_fit import Linked, Model, from_centers, starts
from cclab.algorithms.mixture.linked_state import DONE, MOVING, with_winners
from cclab.core import HeldOut, ImpossibleKnowledge
from cclab.session.storage.states import pack_state, unpack_state


def bands(n=240, seed=0):
    """Two clusters side by side, each in two parts with a wide gap between: by themselves they are cut across."""
    rng = np.random.default_rng(seed)
    truth, part = np.arange(n) % 2, np.arange(n) // 2 % 2
    return np.column_stack([3.0 * truth, 9.0 * part]) + rng.normal(scale=0.6, size=(n, 2)), truth


def target(n=200, seed=0):
    """A tight cluster in the middle of a wide one."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    return rng.normal(size=(n, 2)) * np.where(truth, 3.0, 0.3)[:, None], truth


def drawn_links(truth, m, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(len(truth), size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def broken(known, labels):
    pairs = known.pairs
    return int(((labels[pairs.i] == labels[pairs.j]) != pairs.must).sum())


def test_forty_links_move_samples_that_none_touches():
    X, truth = bands()
    known = drawn_links(truth, 40)
    free = ~known.constrained
    plain = LinkedMixture(2, random_state=0).fit(X)
    model = LinkedMixture(2, random_state=0).fit(X, constraints=known)
    assert adjusted_rand_score(truth[free], plain.labels_[free]) < 0.2
    assert adjusted_rand_score(truth[free], model.labels_[free]) > 0.85
    assert model.predict([[0.0, 5.0], [3.0, 5.0]]).tolist() == model.predict([[0.0, -5.0], [3.0, -5.0]]).tolist()


def test_every_link_that_can_be_kept_is():
    rng = np.random.default_rng(0)
    for k, m in ((2, 60), (5, 250)):
        X, truth = rng.normal(size=(100, 2)), rng.integers(k, size=100)
        problem = Problem(X, drawn_links(truth, m))
        for state in iterate(LinkedMixture(k, covariance="shared", patience=1), problem):
            assert broken(problem.constraints, state.partition.labels()) == 0


def test_links_choose_the_covariance_and_a_gauge_says_so():
    X, truth = target()
    state = LinkedMixture(2, random_state=0).fit(X, constraints=drawn_links(truth, 60)).state_
    assert state.model.covariance == "free"
    gauge = next(gauge for gauge in state.gauges() if gauge.name == "Links not seen that are kept")
    shares = dict(zip(gauge.labels, gauge.values))
    assert shares["free"] > shares["shared"] + 0.1
    assert adjusted_rand_score(truth, state.partition.labels()) > 0.7


def beside_stronger_patterns(n=300, seed=0):
    """Two clusters that one feature shows; four others show two groups each, which have nothing to do with them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    patterns = 2.0 * np.column_stack([truth, np.repeat(rng.integers(2, size=(n, 2)), 2, axis=1)])
    return patterns + rng.normal(scale=0.4, size=patterns.shape), truth


def test_fits_start_where_links_say_and_without_links_where_samples_do():
    X, truth = beside_stronger_patterns()
    samples = Samples.of(X, np.ones(len(X)))

    def found_at_the_start(known):
        about = Linked.of(samples, known, 2)
        first = starts(about, np.random.default_rng(0), 8)[0]
        return adjusted_rand_score(truth, from_centers(about, Model("shared"), first).memberships.argmax(axis=1))

    assert found_at_the_start(drawn_links(truth, 60)) > 0.9
    assert found_at_the_start(ConstraintSet(len(X))) < 0.1


def judge_of(*shares):
    """A judge who has seen models keep these shares of 50 must-links and 50 cannot-links."""
    judge = Judge((), (), (), ())
    must = np.arange(100) % 2 == 0
    for place, share in enumerate(shares):
        degrees = (np.arange(100) < 100 * share).astype(float)
        judge._answers[place] = HeldOut(degrees, must, np.ones(100), np.full(100, "code", dtype=object)), []
    return judge


def test_a_model_must_lead_by_its_margin():
    assert judge_of(0.80, 0.81, 0.7, 0.7, 0.7).chosen(5) == 0
    assert judge_of(0.80, 0.84, 0.7, 0.7, 0.7).chosen(5) == 1
    assert judge_of(0.80, 0.7, 0.7, 0.7, 0.81).chosen(5) == 0
    assert judge_of(0.80, 0.7, 0.7, 0.7, 0.88).chosen(5) == 4


def test_links_that_share_their_samples_prove_less_than_their_number():
    X, _ = bands(80)
    together = ConstraintSet(80).with_must_link(np.arange(40, 60).reshape(10, 2))

    def margin(cannot):
        return LinkedMixture(2)._judge(Problem(X, together.with_cannot_link(cannot)))._margin

    assert margin(np.arange(40).reshape(20, 2)) == 1
    every_two_of_sixteen = np.column_stack(np.triu_indices(16, 1))
    assert margin(every_two_of_sixteen) == pytest.approx(np.sqrt(130 / 36))


def test_no_more_is_tried_where_nothing_could_lead_by_enough():
    assert not judge_of(0.9).settled(1)
    assert judge_of(1.0).settled(1)
    assert judge_of(*[0.5] * len(MODELS)).settled(len(MODELS))


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (lambda known: known, "no links are stated"),
        (lambda known: known.with_must_link([[0, 2]]).with_cannot_link([[0, 1]]), "too few"),
        (lambda known: known.with_must_link([[i, i + 2] for i in range(30)]), "only must-links"),
    ],
    ids=["none", "two", "only must-links"],
)
def test_where_links_cannot_judge_it_says_why(state, why):
    X, _ = bands(80)
    problem = Problem(X, state(ConstraintSet(80)))
    start = LinkedMixture(2).start(problem)
    assert any(why in note for note in start.notes)
    assert LinkedMixture(2).solve(problem).model.covariance == "shared"


def test_moves_are_kept_only_if_they_explain_more():
    data = load_dataset("iris")
    known = drawn_links(data.target, 30)
    seen = list(iterate(LinkedMixture(3, patience=6), Problem(data.X, known, seed=3)))
    moving = [state for state in seen if state.stage >= MOVING]
    for before, after in pairwise(moving):
        agreed = any("more of the links agree" in note for note in after.notes)
        assert after.evidence >= before.evidence or agreed
    assert seen[-1].stage == DONE
    assert any("move" in note for state in seen for note in state.notes)


def test_a_centre_is_placed_where_links_break():
    # Two of four clouds begin with one centre between them, and a far cloud with two.
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0], [3, 0], [30, 0], [30, 30]])
    X = np.concatenate([rng.normal(corner, 0.6, size=(30, 2)) for corner in corners])
    known = ConstraintSet(120).with_separation(range(5), range(30, 35))
    begin = [[1.5, 0], [30, 0.5], [30, -0.5], [30, 30]]
    model = LinkedMixture(4, init=begin, covariance="spherical").fit(X, constraints=known)
    assert adjusted_rand_score(np.repeat(range(4), 30), model.labels_) > 0.95
    assert any("became" in note for state in iterate(model, Problem(X, known)) for note in state.notes)


def test_a_link_counts_as_much_as_it_is_certain():
    X = np.array([[0.0], [0.2], [0.1], [0.3], [5.0], [5.1], [5.2], [5.3]])
    certain = LinkedMixture(2, random_state=0).fit(X, cannot_link=[[0, 1]])
    known = ConstraintSet(8).with_cannot_link([[0, 1]], weight=0.3)
    doubted = LinkedMixture(2, random_state=0).fit(X, constraints=known)
    assert certain.labels_[0] != certain.labels_[1]
    assert doubted.labels_[0] == doubted.labels_[1]


def test_doubt_about_linked_samples_is_shown():
    X = np.concatenate([bands(100)[0][:, :1], [[1.5], [1.55]]])  # two in the middle, which belong apart
    belief = LinkedMixture(2, random_state=0).fit(X, cannot_link=[[100, 101]]).partition_
    assert belief.ambiguity()[100:].min() > 0.3 > np.median(belief.ambiguity())
    assert belief.labels()[100] != belief.labels()[101]
    np.testing.assert_allclose(belief.memberships.sum(axis=1), 1)


def test_beliefs_change_places_where_a_link_asks_for_it():
    shown = with_winners(np.array([[0.6, 0.3, 0.1], [0.5, 0.5, 0.0]]), np.array([1, 1]))
    np.testing.assert_allclose(shown[0], [0.3, 0.6, 0.1])
    assert shown.argmax(axis=1).tolist() == [1, 1]
    np.testing.assert_allclose(shown.sum(axis=1), 1)


def test_the_number_of_clusters_is_found_by_evidence():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1.0, size=(30, 2)) for c in ([0, 0], [9, 0], [0, 9])])
    problem = Problem(X, ConstraintSet(90).with_cannot_link([[0, 30]]))
    start = LinkedMixture(None).start(problem)
    assert len(start.centers) == 3
    assert any("3 clusters" in note for note in start.notes)
    told = problem.with_constraints(ConstraintSet(90).with_labels({0: 3}))
    assert len(LinkedMixture(None).rebase(problem, told, start).centers) == 4


def test_labels_hold_and_reach_others():
    X, truth = bands(120)
    held = {i: int(1 - truth[i]) for i in range(16)}
    model = LinkedMixture(2, random_state=0).fit(X, labels=held)
    assert (model.labels_[:16] == 1 - truth[:16]).all()
    assert adjusted_rand_score(truth[16:], model.labels_[16:]) > 0.8
    with pytest.raises(ValueError, match="sample 0 is labelled 5, but there are only 2 clusters"):
        LinkedMixture(2).fit(X, labels={0: 5})


def test_two_lassos_of_ten_thousand_are_kept_apart():
    n = 10_000
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal([0, 0], 1, size=(n, 2)), rng.normal([3, 0], 1, size=(n, 2))])
    known = ConstraintSet(2 * n).with_separation(np.arange(n), np.arange(n, 2 * n))
    state = LinkedMixture(3).start(Problem(X, known))
    labels = state.partition.labels()
    assert not set(labels[:n]) & set(labels[n:])


def test_contradictions_are_said_and_survived():
    X, _ = bands(60)
    known = ConstraintSet(60).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[0, 2], [3, 4], [4, 5], [3, 5]])
    with pytest.warns(ImpossibleKnowledge):
        model = LinkedMixture(2, random_state=0).fit(X, constraints=known)
    assert broken(known, model.labels_) == 2


def test_one_cluster_and_more_features_than_samples():
    X = np.random.default_rng(0).normal(size=(12, 90))
    assert set(LinkedMixture(1).fit(X, must_link=[[0, 1]]).labels_) == {0}
    labels = LinkedMixture(2, random_state=0).fit(X, must_link=[[0, 1]], cannot_link=[[0, 2]]).labels_
    assert labels[0] == labels[1] != labels[2]


def test_what_is_stated_later_goes_on_from_where_it_was():
    X, truth = bands()
    session = Session(X, LinkedMixture(2), seed=0)
    session.run()
    session.constrain(constraints=drawn_links(truth, 60))
    session.run()
    assert adjusted_rand_score(truth, session.labels) > 0.85
    session.undo()
    assert np.isfinite(session.current.state.objective)


def test_a_state_is_written_and_read():
    X, truth = bands(80)
    problem = Problem(X, drawn_links(truth, 60))
    *_, state = iterate(LinkedMixture(2), problem, max_iter=3)
    again = unpack_state(*pack_state(state, problem.X), problem.X)
    np.testing.assert_array_equal(again.partition.memberships, state.partition.memberships)
    onward = [LinkedMixture(2).step(problem, one).objective for one in (again, state)]
    assert onward[0] == onward[1]
