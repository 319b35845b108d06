"""Constrained multiple-kernel improved possibilistic c-means [1]_.

Notation
--------
=========  ======================  ==========================================================================
paper      here                    meaning
=========  ======================  ==========================================================================
U, T       ``U, T``                memberships and typicalities
m, p       ``m, p``                their exponents (``fuzzifier``, ``typicality_exponent``)
-          ``a``                   ``u^m t^p``: how much of a sample is in a cluster
kappa_k    ``kernels``             the base kernels
omega_k    ``omega``               their weights, which add up to 1
-          ``q``                   ``weight_exponent``: distances add up with ``omega^q``; 2 in the paper
Q_ci^k     ``Q``                   squared distance of sample i to centre c in the feature space of kernel k
D_ci^2     ``D``                   ``sum_k omega_k^q Q_ci^k``
Y_k        ``Y``                   ``sum_ci a_ci Q_ci^k``
S_ci       ``S``                   what the links of sample i say against cluster c
eta_c      ``eta``                 the squared distance at which the typicality is 1/2
alpha      ``alpha``               the weight of the links
=========  ======================  ==========================================================================

Notes
-----
What is printed and what is done here, in both variants:

- In ``S`` the cannot-link term is that of the partner, ``u_cj`` (as in Eq. 23, not Eq. 18); Eq. 37 has a sum too many;
  a spectral kernel is ``v v'``; there are as many of them as the samples have dimensions at most.
- Linked samples depend on each other, so the Hessians of Lemmas 4 and 5 are not diagonal, and updating all samples at
  once can raise the objective for ever. Here membership and typicality of a sample are set together, and linked
  samples one colour class after the other, those with few partners first (`cclab.maths.link_sweeps`).
- ``eta`` is estimated once, ``alpha`` once for each state of knowledge, and both are frozen: the objective can't rise.
- A sample's cluster is the one of the largest membership times typicality.

Where the default variant departs from the paper:

- Each kernel is divided by the variance of the samples in its feature space, so that its unit does not matter, and
  ``q = 3``: with 2 one kernel takes all the weight, mostly a rank-one kernel that sees a single direction.
- One ``eta`` for all clusters, at 4 times the mean squared distance (see `cclab.algorithms.ipcm`).
- ``alpha`` is a multiple of the mean squared distance for each link; by Eq. 15 links weaken as more are stated.
- ``m = p = 1.5``: with 2 memberships are often nearly the same for all clusters.

References
----------
.. [1] A. A. Abin, H. Beigy, Active constrained fuzzy clustering: a multiple kernels learning approach, Pattern
   Recognition 48(3), 2015.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.ipcm import IPCM, _PossibilisticMeans
from cclab.core import FuzzyPossibilistic, Gauge, Problem, State, iterate
from cclab.core.parameters import anything, choice, real, whole
from cclab.maths.joint_memberships import LinkedMemberships, joint_memberships, mean_cost
from cclab.maths.kernels import METHODS, Kernels, best_weights, choose_kernels, read_kernels
from cclab.maths.link_sweeps import LinkSweep, link_sweep
from cclab.maths.memberships import raised

# The weight of a link in mean squared distances, and the part of it that is added in each step of a ramp.
STRONG, RAMP = 10.0, 0.09


@dataclass(frozen=True, eq=False, kw_only=True)
class CMKIPCMState(State):
    """Memberships, typicalities and kernel weights; centres live in the kernels' feature space.

    Attributes
    ----------
    centers : (k, p) array
        The clusters' means in the space of the data, for showing.
    memberships, typicalities : (n, k) arrays
    distances : (n, k) array
        Squared distances to the centres that follow from them, in the space of the weighted kernels.
    kernel_weights : (M,) array
    kernel_names : tuple of str
    eta : (k,) array
        The squared distances at which typicalities are 1/2.
    alpha, full_alpha : float
        The weight of the links now, and when it has reached its full value.
    outlier_threshold : float
    """

    memberships: NDArray = field(repr=False)
    typicalities: NDArray = field(repr=False)
    distances: NDArray = field(repr=False)
    kernel_weights: NDArray
    kernel_names: tuple[str, ...]
    eta: NDArray
    alpha: float
    full_alpha: float
    outlier_threshold: float

    def _partition(self) -> FuzzyPossibilistic:
        return FuzzyPossibilistic(self.memberships, self.typicalities, "product", self.outlier_threshold)

    def gauges(self) -> tuple[Gauge, ...]:
        return (Gauge("Kernel weights", self.kernel_names, tuple(self.kernel_weights.tolist())),)


class CMKIPCM(_PossibilisticMeans):
    """Constrained clustering in a weighted mix of kernels that is learned on the way, with outliers set aside.

    Parameters
    ----------
    tol : float
        Stop when no membership changes by more than this (epsilon).
    kernels : str, callable, array, or list of them
        What likeness is measured by: "spectral 5" (one kernel for each of 5 principal directions), "rbf 7" (Gaussians,
        each half as wide as the one before), "polynomial 3" (degrees 1 to 3), "linked 2" (directions in which links
        tell clusters apart), a scikit-learn kernel such as "laplacian", a callable or an (n, n) matrix; several with
        commas or in a list.
    weight_exponent : float, optional
        How evenly the kernels share the weight (q), above 1: near 1 the best takes all. Left out: 3, in the paper's
        variant 2.
    constraint_weight : "auto" or float
        What a broken link costs, in mean squared distances within clusters (kappa). "auto" is 10; a run that starts
        with links comes to it in ten steps, from 1.
    kernel_method : {"auto", "stored", "blocks", "landmarks"}
        How kernels are multiplied: matrices kept in memory, worked out anew each time, or seen through a few landmark
        samples (Nystrom's method). "auto" keeps them where they fit into `memory`, and takes landmarks beyond.
    memory : float
        Bytes that kernel matrices may take.
    n_landmarks : int
        How many landmarks to see kernels through.
    variant : {"cclab", "paper"}
        "paper" minimises the printed objective: kernels as they are, a typicality scale for each cluster, and links
        that share a fixed total weight.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 0.1], [0.1, 0.3], [3.0, 3.0], [3.1, 2.8], [1.6, 1.6]])
    >>> free, linked = CMKIPCM(2, random_state=0), CMKIPCM(2, random_state=0)
    >>> labels = linked.fit(X, must_link=[[5, 0]], cannot_link=[[5, 3]]).labels_
    >>> bool(labels[5] == labels[0] != labels[3])
    True
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight", "affinity"})
    parameters = {
        "kernels": anything(),
        "weight_exponent": real(1, open_low=True, or_none=True),
        "constraint_weight": real(0, also=(str,)),
        "kernel_method": choice(*METHODS),
        "memory": real(0),
        "n_landmarks": whole(1),
        "variant": choice("cclab", "paper"),
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-3,
        random_state=None,
        fuzzifier=None,
        typicality_exponent=None,
        typicality_scale=None,
        kernels="spectral 5, rbf 7",
        weight_exponent=None,
        constraint_weight="auto",
        outlier_threshold=0.1,
        kernel_method="auto",
        memory=1e9,
        n_landmarks=300,
        variant="cclab",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.fuzzifier = fuzzifier
        self.typicality_exponent = typicality_exponent
        self.typicality_scale = typicality_scale
        self.kernels = kernels
        self.weight_exponent = weight_exponent
        self.constraint_weight = constraint_weight
        self.outlier_threshold = outlier_threshold
        self.kernel_method = kernel_method
        self.memory = memory
        self.n_landmarks = n_landmarks
        self.variant = variant

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if isinstance(self.constraint_weight, str) and self.constraint_weight != "auto":
            raise ValueError(f"constraint_weight must be 'auto' or a number, got {self.constraint_weight!r}")
        read_kernels(self.kernels)

    def start(self, problem: Problem, restart: int = 0) -> CMKIPCMState:
        shared = IPCM().get_params().keys() & self.get_params().keys() - {"tol"}
        run = iterate(IPCM(**{name: getattr(self, name) for name in shared}), problem, restart=restart)
        belief = list(run)[-1].partition
        U, T = belief.memberships, belief.typicalities
        a = self._shares(U, T)
        D, omega = self._distances(problem, a)
        eta = self.scale_of(problem.weights[:, None] * a, D)
        full_alpha = self._full_alpha(problem, a, D)
        alpha = full_alpha / STRONG if self._ramps else full_alpha
        note = self._kernels(problem).note
        return self._state_at(
            problem, U, T, D, omega, eta, alpha, full_alpha, notes=(note,) if note else (), restart=restart
        )

    def step(self, problem: Problem, state: CMKIPCMState) -> CMKIPCMState:
        alpha = min(state.alpha + RAMP * state.full_alpha, state.full_alpha)
        U, T = self._memberships(problem, state, alpha)
        D, omega = self._distances(problem, self._shares(U, T))
        return self._state_at(
            problem,
            U,
            T,
            D,
            omega,
            state.eta,
            alpha,
            state.full_alpha,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=np.abs(U - state.memberships).max(),
        )

    def converged(self, previous: CMKIPCMState, state: CMKIPCMState) -> bool:
        return state.alpha == state.full_alpha and super().converged(previous, state)

    def rebase(self, old_problem: Problem, new_problem: Problem, state: CMKIPCMState) -> CMKIPCMState:
        """With new knowledge the links' weight is estimated anew, and holds at once."""
        U, T = state.memberships, state.typicalities
        a = self._shares(U, T)
        D, omega = self._distances(new_problem, a)
        alpha = self._full_alpha(new_problem, a, D)
        return self._state_at(
            new_problem, U, T, D, omega, state.eta, alpha, alpha, restart=state.restart, iteration=state.iteration
        )

    # ------------------------------------------------------------------ the updates

    def _memberships(self, problem: Problem, state: CMKIPCMState, alpha: float) -> tuple[NDArray, NDArray]:
        """Eqs. 6 and 7: at once where no link touches, else by a sweep."""
        D, eta = state.distances, state.eta
        U, T, _ = joint_memberships(D, eta, *self.exponents)
        links = self._links(problem)
        at = links.samples
        if len(at):
            linked = LinkedMemberships(
                state.memberships[at], state.typicalities[at], D[at], _counted(problem)[at], eta, self.exponents, alpha
            )
            links.sweep(linked)
            U[at], T[at] = linked.U, linked.T
        return U, T

    def _distances(self, problem: Problem, a: NDArray) -> tuple[NDArray, NDArray]:
        """Squared distances to the centres of `a` (Eqs. 9 and 35), under the best kernel weights (Eq. 8)."""
        q = (2.0 if self.variant == "paper" else 3.0) if self.weight_exponent is None else self.weight_exponent
        kernels = self._kernels(problem)
        Q, Y = kernels.distances(problem.weights[:, None] * a)
        scale = np.ones(len(kernels)) if self.variant == "paper" else kernels.scale
        omega = best_weights(scale * Y, q, scale > 0)
        return np.tensordot(omega**q * scale, Q, 1), omega

    def _full_alpha(self, problem: Problem, a: NDArray, D: NDArray) -> float:
        """The links' weight: so many mean squared distances each, or all together one for each sample (Eq. 15)."""
        mean = float(mean_cost(problem.weights[:, None] * a, D, per_cluster=False)[0])
        if self.variant == "paper":
            n_links = problem.constraints.must.total + problem.constraints.cannot.total
            return mean * problem.weights.sum() / n_links if n_links else 0.0
        return mean * (STRONG if self.constraint_weight == "auto" else self.constraint_weight)

    @property
    def _ramps(self) -> bool:
        return self.constraint_weight == "auto" and self.variant != "paper"

    # ------------------------------------------------------------------ pieces

    def _kernels(self, problem: Problem) -> Kernels:
        return choose_kernels(
            problem,
            self.kernels,
            method=self.kernel_method,
            memory=self.memory,
            n_landmarks=self.n_landmarks,
            centered=self.variant != "paper",
        )

    def _links(self, problem: Problem) -> LinkSweep:
        return link_sweep(problem, problem.affinity)

    def _shares(self, U: NDArray, T: NDArray) -> NDArray:
        m, p = self.exponents
        return raised(U, m) * raised(T, p)

    def _terms(self, problem, U, T, D, eta, alpha) -> dict[str, float]:
        """The parts of the objective (Eq. 4)."""
        m, p = self.exponents
        um = problem.weights[:, None] * raised(U, m)
        links, a = self._links(problem), self._shares(U, T)
        must, cannot = links.cost(a[links.samples])
        return {
            "compactness": np.vdot(um * raised(T, p), D),
            "atypicality": np.vdot(um * raised(1 - T, p), np.broadcast_to(eta, D.shape)),
            "must-links": alpha * must,
            "cannot-links": alpha * cannot,
        }

    def _state_at(self, problem, U, T, D, omega, eta, alpha, full_alpha, **progress) -> CMKIPCMState:
        terms = self._terms(problem, U, T, D, eta, alpha)
        a = problem.weights[:, None] * self._shares(U, T)
        totals = np.maximum(a.sum(axis=0), np.finfo(float).tiny)
        return CMKIPCMState(
            centers=(a / totals).T @ problem.X,
            objective=sum(terms.values()),
            terms=terms,
            memberships=U,
            typicalities=T,
            distances=D,
            kernel_weights=omega,
            kernel_names=self._kernels(problem).names,
            eta=eta,
            alpha=alpha,
            full_alpha=full_alpha,
            outlier_threshold=self.outlier_threshold,
            **progress,
        )


def _counted(problem: Problem) -> NDArray:
    """(n,) the sample weights, kept above 0: what a sample of no weight says about its links is nobody's concern."""
    return np.maximum(problem.weights, 1e-12)
