import numpy as np
import pytest
from scipy import sparse

from cclab import FCM, Problem
from cclab.core.registry import solvers
from cclab.core.sample_blocks import Block, Chunked, added


class Pieces(Chunked):
    """Samples in chunks of uneven length, an empty one among them; counts how often all are read."""

    def __init__(self, X, ends=(7, 7, 100)):
        self.X, self.shape, self.passes = X, X.shape, 0
        self.ends = ends

    def chunks(self):
        self.passes += 1
        return iter(np.split(self.X, [end for end in self.ends if end < len(self.X)]))


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(3)
    return rng.permutation(np.concatenate([rng.normal(at, 1, (90, 3)) for at in (0, 4, 8)]))


def problems(X, **more):
    return Problem(X, **more), Problem(Pieces(X), **more)


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_blocks_cover_all_samples_in_order(X, size):
    w = np.arange(len(X)) + 1.0
    for problem in problems(X, sample_weight=w):
        blocks = list(problem.blocks(size))
        np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
        np.testing.assert_array_equal(np.concatenate([block.weights for block in blocks]), w)
        np.testing.assert_allclose(np.concatenate([block.norms for block in blocks]), (X**2).sum(axis=1))
        assert [block.rows.start for block in blocks][1:] == [block.rows.stop for block in blocks][:-1]
        assert max(len(block.X) for block in blocks) <= size


def test_sparse_samples_come_in_blocks_too(X):
    problem = Problem(sparse.csr_array(X))
    np.testing.assert_allclose(np.concatenate([block.norms for block in problem.blocks(50)]), (X**2).sum(axis=1))


def test_totals_add_numbers_and_arrays_and_put_lists_in_order(X):
    for problem in problems(X):
        count, sums, firsts = problem.total(lambda block: (len(block.X), block.X.sum(axis=0), [block.start]), 50)
        assert count == len(X)
        np.testing.assert_allclose(sums, X.sum(axis=0))
        assert firsts == sorted(firsts)


def test_adding_up_does_not_touch_what_it_was_not_given():
    first = np.ones(2)
    assert added([(first.copy(), 1), (first, 2)])[1] == 3
    assert first.tolist() == [1, 1]


def test_spread_is_the_same_wherever_the_samples_are(X):
    here, there = problems(1e6 + X)
    assert there.spread == pytest.approx(here.spread, rel=1e-9)
    assert here.spread == pytest.approx(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()), rel=1e-6)


def test_picked_rows_are_remembered(X):
    pieces = Pieces(X)
    samples = np.array([200, 3, 3, 8])
    for _ in range(2):
        np.testing.assert_array_equal(pieces[samples], X[samples])
    assert pieces.passes == 1
    assert pieces[np.empty(0, dtype=int)].shape == (0, 3)


def test_a_missing_value_is_named_by_row_and_column(X):
    broken = X.copy()
    broken[150, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 150, column 2"):
        Problem(Pieces(broken))
    broken[150, 2] = 1e100
    with pytest.raises(ValueError, match="can't be squared"):
        Problem(Pieces(broken))
    with pytest.raises(ValueError, match="empty"):
        Problem(Pieces(X[:0]))


def test_new_samples_with_a_missing_value_are_refused_and_not_told(X):
    fcm = FCM(2, random_state=0).fit(X)
    broken = X.copy()
    broken[150, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 150, column 2"):
        fcm.predict(Pieces(broken))
    with pytest.raises(ValueError, match="NaN in row 150, column 2"):
        list(fcm.beliefs(Pieces(broken)))
    with pytest.raises(ValueError, match=r"X is empty: it has shape \(0, 3\)"):
        fcm.predict(Pieces(X[:0]))


def test_samples_are_picked_by_numbers_that_are_there(X):
    with pytest.raises(ValueError, match="names sample -1"):
        Pieces(X)[[-1]]
    with pytest.raises(ValueError, match="bool"):
        Pieces(X)[X[:, 0] > 0]


def knowledge(cls):
    if "labels" in cls.uses and "must" not in cls.uses:
        return {"labels": {0: 0, 120: 1, 250: 2}}
    return {"must_link": [[0, 5], [200, 3]], "cannot_link": [[1, 2], [101, 20]]} if "must" in cls.uses else {}


IN_CHUNKS = [cls for cls in map(solvers.get, solvers.names()) if cls.accepts_chunks]


def test_the_solvers_with_centres_take_chunks():
    names = {cls.__name__ for cls in IN_CHUNKS}
    assert {"FCM", "PCM", "PFCM", "SPFCM", "ECM", "CECM", "CFCM", "PCKMeans"} <= names


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cls", IN_CHUNKS, ids=lambda cls: cls.__name__)
def test_chunks_give_what_an_array_gives(cls, weighted, X):
    start = {"max_clusters": 4, "init": X[:4]} if "max_clusters" in cls.all_parameters() else {"init": X[:3]}
    told = knowledge(cls) | ({"sample_weight": np.linspace(0.5, 2, len(X))} if weighted else {})
    here = cls(**start, random_state=0, max_iter=20, tol=0.0)
    there = cls(**start, random_state=0, max_iter=20, tol=0.0)
    with pytest.warns(match="stopped after|had not converged") if cls.__name__ != "PCKMeans" else _nothing():
        here.fit(X, **told)
    with pytest.warns(match="stopped after|had not converged") if cls.__name__ != "PCKMeans" else _nothing():
        there.fit(Pieces(X), **told)
    np.testing.assert_allclose(there.centers_, here.centers_, rtol=1e-8, atol=1e-10)
    assert there.objective_ == pytest.approx(here.objective_, rel=1e-8)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    beliefs = [belief.to_frame() for belief in there.beliefs(Pieces(X), fitted=True)]
    assert len(beliefs) == 3
    for column, values in here.partition_.to_frame().items():
        found = np.concatenate([frame[column] for frame in beliefs])
        np.testing.assert_allclose(found.astype(float), values.to_numpy(float), rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(there.predict(Pieces(X)), here.predict(X))


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def test_starts_are_drawn_from_some_of_the_samples(X, monkeypatch):
    monkeypatch.setattr("cclab.core.problem.DRAWN", 60)
    drawn, weights = Problem(Pieces(X), sample_weight=np.arange(len(X)) + 1.0, seed=1).drawn()
    assert drawn.shape == (60, 3)
    np.testing.assert_array_equal(X[weights.astype(int) - 1], drawn)
    found = FCM(3, random_state=0).fit(Pieces(X))
    whole = FCM(3, random_state=0).fit(X)
    np.testing.assert_allclose(sorted(found.centers_[:, 0]), sorted(whole.centers_[:, 0]), atol=0.01)


def test_each_step_reads_the_samples_once(X):
    pieces = Pieces(X)
    problem = Problem(pieces)
    fcm = FCM(3, init=X[:3])
    state = fcm.step(problem, fcm.start(problem))
    before = pieces.passes
    fcm.step(problem, state)
    assert pieces.passes == before + 1


def test_what_is_not_in_memory_is_not_asked_for_at_once(X):
    fcm = FCM(3, init=X[:3]).fit(Pieces(X))
    assert not hasattr(fcm, "partition_")
    with pytest.raises(ValueError, match="not in memory"):
        _ = fcm.state_.partition
    with pytest.raises(ValueError, match="has 2 features"):
        fcm.predict(Pieces(X[:, :2]))


def test_solvers_that_need_all_samples_say_so(X):
    from cclab import SPCL

    with pytest.raises(ValueError, match="needs all samples in memory"):
        SPCL(3).fit(Pieces(X))


def test_samples_are_found_in_their_block():
    block = Block(10, np.zeros((5, 1)))
    inside, rows = block.find(np.array([2, 10, 14, 15]))
    assert (inside, rows.tolist()) == (slice(1, 3), [0, 4])
