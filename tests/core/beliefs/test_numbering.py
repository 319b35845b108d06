import numpy as np
import pytest

from cclab import CA, CECM, PCM, ConstrainedKMeans, ConstraintSet, COPKMeans, SeededKMeans, Session, load_dataset
from cclab.core import Credal, Fuzzy, FuzzyPossibilistic, Hard, Possibilistic
from cclab.core.beliefs.numbering import living_first, matched_to_labels, numbers_in, page_numbers
from cclab.session.renumbering import Renumbered

FOUR = np.array([[0.0, 0.0], [0.0, 0.1], [1.0, 1.0], [1.0, 1.1]])
FAR = [[0.0, 0.0], [100.0, 100.0], [1.0, 1.0]]


def test_labels_index_centres_and_belief_where_a_cluster_is_empty():
    model = SeededKMeans(3, init=FAR).fit(FOUR)
    assert model.labels_.tolist() == model.partition_.labels().tolist() == model.predict(FOUR).tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(model.centers_, [[0.0, 0.05], [1.0, 1.05], [100.0, 100.0]])
    np.testing.assert_array_equal(model.state_.centers[1], [100.0, 100.0])


def test_a_held_label_keeps_its_number():
    model = ConstrainedKMeans(3, init=FAR).fit(FOUR, labels={2: 2})
    assert model.labels_.tolist() == [0, 0, 2, 2]
    np.testing.assert_allclose(model.centers_[2], [1.0, 1.05])


@pytest.mark.parametrize("seed", range(5))
def test_possibilistic_clusters_that_coincide_are_empty_and_last(seed):
    X = load_dataset("iris").X
    model = PCM(4, random_state=seed).fit(X)
    n = model.labels_.max() + 1
    assert set(model.labels_) == set(range(n))
    for k in range(n):
        inside = model.partition_.typicalities[model.labels_ == k]
        assert (inside.argmax(axis=1) == k).all()


def test_link_solvers_match_their_clusters_to_the_labels():
    iris = load_dataset("iris")
    known = {int(i): 2 - int(iris.target[i]) for i in range(0, 150, 5)}
    model = COPKMeans(3, random_state=0).fit(iris.X, labels=known)
    assert (model.labels_[list(known)] == list(known.values())).all()
    assert (model.predict(iris.X) == model.labels_).mean() > 0.9


def test_numbers_beyond_the_clusters_leave_gaps():
    held = {0: 1, 1: 1, 2: 4}
    model = COPKMeans(2, random_state=0).fit(FOUR, labels=held)
    assert model.labels_.tolist() == [1, 1, 4, 4]
    assert model.partition_.n_clusters == len(model.centers_) == 5
    np.testing.assert_allclose(model.centers_[[1, 4]], [[0.0, 0.05], [1.0, 1.05]])
    assert np.isnan(model.centers_[[0, 2, 3]]).all()
    assert model.predict([[0.9, 0.9]]).tolist() == [4]


def test_a_label_that_numbers_no_cluster_is_refused():
    with pytest.raises(ValueError, match="sample 2 is labelled 1000000; number the clusters from 0 to 999"):
        COPKMeans(2).fit(FOUR, labels={2: 10**6})
    session = Session(FOUR, COPKMeans(2, random_state=0))
    with pytest.raises(ValueError, match="sample 2 is labelled 1000000"):
        session.constrain(labels={2: 10**6})
    assert len(session.constraints) == 0


def test_clusters_that_vanish_leave_no_gap():
    X = np.concatenate([np.random.default_rng(0).normal(size=(40, 2)) + c for c in ([0, 0], [9, 0], [0, 9])])
    model = CA(random_state=0).fit(X)
    assert set(model.labels_) == {0, 1, 2}
    assert model.state_.cluster_ids.max() > 2
    np.testing.assert_array_equal(page_numbers(model.state_.partition), [1, 2, 3])


def test_ties_go_to_the_same_cluster_in_any_order():
    model = COPKMeans(3, random_state=0).fit(np.ones((6, 2)), labels={0: 2})
    assert model.labels_.tolist() == [2] * 6
    even = Fuzzy(np.full((2, 2), 0.5))
    assert even.reordered([1, 0]).labels().tolist() == [1, 1]
    assert even.reordered([1, 0]).reordered([1, 0]).labels().tolist() == [0, 0]
    assert Possibilistic(np.zeros((1, 2))).reordered([-1, 1, 0]).labels().tolist() == [2]


def test_every_kind_of_belief_can_be_reordered():
    U = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    order, places = [2, -1, 0, 1], [2, 3, 0]
    beliefs = [Hard([0, 2], 3), Fuzzy(U), Possibilistic(U, 0.3), FuzzyPossibilistic(U, U, "product", 0.4)]
    masses = np.array([[0.1, 0.5, 0.2, 0.1, 0.1], [0.6, 0.1, 0.1, 0.1, 0.1]])
    beliefs.append(Credal(masses, [[], [0], [1], [2], [0, 1]], outlier_threshold=0.55))
    for belief in beliefs:
        other = belief.reordered(order)
        assert type(other) is type(belief)
        assert other.n_clusters == 4
        np.testing.assert_array_equal(other.degrees[:, places], belief.degrees)
        assert not other.degrees[:, 1].any()
        assert other.labels().tolist() == [places[k] for k in belief.labels()]
        np.testing.assert_array_equal(other.outliers(), belief.outliers())
        assert belief.reordered([0, 1, 2]) is belief
    credal = beliefs[-1].reordered(order)
    assert credal.focal_sets == ((), (0,), (2,), (3,), (2, 3))
    np.testing.assert_array_equal(credal.masses, masses[:, [0, 3, 1, 2, 4]])
    np.testing.assert_allclose(credal.plausibility(2), beliefs[-1].plausibility(0))


def test_orders():
    belief = Hard([3, 1, 1, 3], n_clusters=5)
    assert living_first(belief).tolist() == [1, 3, 0, 2, 4]
    assert numbers_in(living_first(belief)).tolist() == [2, 0, 3, 1, 4]
    assert page_numbers(belief).tolist() == [3, 1, 4, 2, 5]


def test_labels_outvote_each_other_by_their_weights():
    known = ConstraintSet(4).with_labels({0: 0, 1: 0}, weight=0.3).with_labels({2: 1, 3: {0, 1}})
    order = matched_to_labels(Hard([0, 1, 0, 1]), known.labels)
    assert order.tolist() == [1, 0]


def test_a_session_numbers_as_fit_does():
    session = Session(FOUR, SeededKMeans(3, init=FAR))
    session.run()
    model = SeededKMeans(3, init=FAR).fit(FOUR)
    assert session.labels.tolist() == model.labels_.tolist()
    np.testing.assert_array_equal(session.partition.degrees, model.partition_.degrees)
    np.testing.assert_array_equal(session.current.partition.labels(), [0, 0, 2, 2])
    assert session.current.page_numbers.tolist() == [1, 3, 2]
    assert session.scores() == session.current.scores(None)


def test_a_first_label_that_changes_numbers_says_so():
    session = Session(FOUR, SeededKMeans(3, init=FAR))
    session.run()
    assert session.current.label_numbers.tolist() == [0, 1, 2]
    with pytest.warns(Renumbered, match="1 is now 2"):
        session.constrain(labels={2: 2})
    assert session.labels.tolist() == [0, 0, 2, 2]


def test_satisfaction_of_labels_is_by_their_numbers():
    session = Session(FOUR, COPKMeans(2, init=[[1.0, 1.0], [0.0, 0.0]]))
    session.constrain(labels={0: 0, 2: 1})
    session.run()
    assert session.labels.tolist() == [0, 0, 1, 1]
    assert session.scores()["satisfied"] == 1
    assert session.current.label_numbers.tolist() == [1, 0]


def test_evidential_beliefs_keep_held_numbers():
    X = np.concatenate([FOUR, FOUR + 9])
    model = CECM(2, random_state=0).fit(X, labels={0: 1, 7: 0})
    assert model.labels_[[0, 7]].tolist() == [1, 0]
    np.testing.assert_array_equal(model.partition_.labels(), model.labels_)
