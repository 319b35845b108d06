import numpy as np
import pytest

from cclab import PCP, ConstraintSet, Problem, iterate
from tests.algorithms.spectral.test_embedding import rings


def dual(program, F, prices):
    """The matrix of the dual program, and its value: no kernel at all has a lower roughness than that."""
    S = program.L + program.pull(prices).toarray()
    lengths = np.einsum("ur,ur->u", S @ F, F)
    return S - np.diag(lengths), lengths.sum()


@pytest.mark.parametrize("seed", range(3))
def test_the_low_rank_answer_is_that_of_the_semidefinite_program(seed):
    """Primal and dual agree, and the dual is feasible: no semidefinite solver could find a better kernel."""
    X, _, known = rings(seed)
    problem, solver = Problem(X, known), PCP(2)
    found, program = solver.found(problem), solver.program(problem)
    F, prices, _ = found.memory
    S, value = dual(program, F, prices)
    np.testing.assert_allclose(np.linalg.norm(F, axis=1), 1)
    assert np.abs(program.common(F)).max() < 1e-3
    assert np.linalg.eigvalsh(S)[0] > -1e-3
    assert program.roughness(F) == pytest.approx(value, rel=1e-3)


def test_must_linked_samples_are_one_and_cannot_linked_ones_orthogonal():
    X, _, known = rings()
    K = (lambda rows: rows @ rows.T)(PCP(2).found(Problem(X, known)).rows)
    frame = known.to_frame()
    for kind, wanted in (("must", 1.0), ("cannot", 0.0)):
        i, j = frame.loc[frame["kind"] == kind, ["i", "j"]].to_numpy(dtype=int).T
        np.testing.assert_allclose(K[i, j], wanted, atol=2e-3)


def test_links_that_contradict_each_other_end_in_an_answer():
    X, _, _ = rings()
    known = ConstraintSet(len(X)).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[0, 2], [0, 5]])
    state = list(iterate(PCP(2), Problem(X, known)))[-1]
    labels = state.partition.labels()
    assert labels[0] == labels[1] == labels[2] != labels[5]


def test_without_cannot_links_units_are_cut_as_the_data_say():
    X, _, _ = rings()
    model = PCP(2, random_state=0).fit(X, must_link=[[0, 2], [1, 3]])
    assert model.labels_[0] == model.labels_[2]
    assert model.labels_[1] == model.labels_[3]
    assert len(set(model.labels_)) == 2
