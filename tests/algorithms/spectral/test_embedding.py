"""What the spectral family shares: coordinates first, then k-means in them; and how many samples it takes."""

import numpy as np
import pytest
from scipy import sparse

from cclab import CSP, PCP, SPCL, ConstraintSet, Problem, Session, iterate
from cclab.algorithms.spectral.embedding import FEW, affinities, lowest_eigenvectors
from cclab.session.storage.states import pack_state, unpack_state

ALL = [SPCL, CSP, PCP]


def rings(seed=0, n=90):
    """A disc within a ring: no line parts them. And a dozen true links."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(truth, 4, 0.8) + rng.normal(scale=0.25, size=n)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(24)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return X, truth, ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def right(labels, truth):
    return max((labels == truth).mean(), (labels != truth).mean())


@pytest.mark.parametrize("cls", ALL)
def test_a_ring_around_a_disc(cls):
    X, truth, known = rings()
    model = cls(2, random_state=0).fit(X, constraints=known)
    assert right(model.labels_, truth) > 0.95
    assert known.satisfaction(model.labels_).rate > 0.95


@pytest.mark.parametrize("cls", ALL)
def test_first_the_coordinates_then_k_means(cls):
    X, _, known = rings()
    states = list(iterate(cls(2), Problem(X, known)))
    settled = [state.embedding.settled for state in states]
    assert settled == sorted(settled)
    assert not settled[0]
    turn = settled.index(True)
    assert "k-means" in states[turn].notes[0]
    inertia = [state.objective for state in states[turn:]]
    assert (np.diff(inertia) <= 1e-9 * inertia[0]).all()


@pytest.mark.parametrize("cls", ALL)
def test_later_starts_begin_where_the_first_has_found_the_coordinates(cls):
    X, _, known = rings()
    problem, solver = Problem(X, known), cls(2)
    first = list(iterate(solver, problem))[-1]
    other = solver.start(problem, 1)
    assert other.embedding.settled
    np.testing.assert_allclose(
        other.embedding.rows @ other.embedding.rows.T, first.embedding.rows @ first.embedding.rows.T
    )


@pytest.mark.parametrize("cls", ALL)
def test_a_state_is_kept_in_a_file(cls):
    X, _, known = rings()
    problem = Problem(X, known)
    for state in iterate(cls(2), problem, max_iter=3):
        again = unpack_state(*pack_state(state, problem.X), problem.X)
        np.testing.assert_array_equal(again.partition.labels(), state.partition.labels())
        np.testing.assert_array_equal(again.embedding.rows, state.embedding.rows)


@pytest.mark.parametrize("cls", ALL)
def test_a_session_takes_new_links_on_the_way(cls):
    X, truth, known = rings()
    session = Session(X, cls(2, random_state=0))
    session.run()
    frame = known.to_frame()
    for kind, word in (("must", "must_link"), ("cannot", "cannot_link")):
        session.constrain(**{word: frame.loc[frame["kind"] == kind, ["i", "j"]].to_numpy(dtype=int)})
    session.run()
    assert right(session.labels, truth) > 0.95
    session.undo()
    assert len(session.snapshots) > 2


@pytest.mark.parametrize("cls", ALL)
def test_affinities_may_be_given(cls):
    X, _, known = rings()
    W = affinities(Problem(X), "local-scaling")
    one, other = (
        cls(2, random_state=0, kernel=k).fit(x, constraints=known)
        for k, x in (("local-scaling", X), ("precomputed", W))
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(
        cls(2, random_state=0, kernel="precomputed").fit(sparse.csr_array(W), constraints=known).labels_, one.labels_
    )


@pytest.mark.parametrize("cls", ALL)
def test_what_is_refused_is_said_in_words(cls):
    W = np.ones((4, 4))
    W[1, 2] = W[2, 1] = -0.5
    with pytest.raises(ValueError, match=r"that of samples 1 and 2 is -0\.5"):
        cls(2, kernel="precomputed").fit(W)
    with pytest.raises(
        ValueError, match=rf"takes {cls.most_samples} of them at most, there are {cls.most_samples + 1}.*PCKMeans"
    ):
        cls(2).fit(np.zeros((cls.most_samples + 1, 1)))


def test_a_few_eigenvectors_are_the_same_by_iteration():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(FEW + 50, 5))
    M = A @ A.T + np.diag(np.arange(FEW + 50.0))
    values, vectors = lowest_eigenvectors(M, 3)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[:3], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(M @ vectors, values * vectors, atol=1e-4)
