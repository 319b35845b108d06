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
  samples one colour class after the other, those with few partners first (`cclab.algorithms.multikernel.link_sweeps`).
- ``eta`` is estimated once, ``alpha`` once for each state of knowledge, and both are frozen: the objective can't rise.
- A sample's cluster is the one of the largest membership times typicality.

Where the default variant departs from the paper:

- Each kernel is divided by the variance of the samples in its feature space, so that its unit does not matter, and
  ``q = 3``: with 2 one kernel takes all the weight, mostly a rank-one kernel that sees a single direction.
- One ``eta`` for all clusters, at 4 times the mean squared distance (see `cclab.algorithms.multikernel.ipcm`).
- ``alpha`` is a multiple of the mean squared distance for each link; by Eq. 15 links weaken as more are stated.
- ``m = p = 1.5``: with 2 memberships are often nearly the same for all clusters.

References
----------
.. [1] A. A. Abin, H. Beigy, Active constrained fuzzy clustering: a multiple kernels learning approach, Pattern
   Recognition 48(3), 2015.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.multikernel.ipcm import IPCM, _PossibilisticMeans
from cclab.algorithms.multikernel.joint_memberships import LinkedMemberships, joint_memberships, mean_cost
from cclab.algorithms.multikernel.kernels import METHODS, Kernels, choose_kernels, mixed_distances, read_kernels
from cclab.algorithms.multikernel.link_sweeps import link_sweep
from cclab.core import FuzzyPossibilistic, Gauge, Problem, State, iterate
from cclab.core.parameters import anything, choice, real, whole
from cclab.maths.memberships import raised

# The weight of a link in mean squared distances; where a ramp to it begins, and what each step adds.
STRONG, RAMP_START, RAMP_STEP = 10.0, 0.1, 0.09


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
    full_alpha : float
        The weight of the links when it has reached its full value.
    ramp : float
        The part of it that holds now.
    outlier_threshold : float
    """

    memberships: NDArray = field(repr=False)
    typicalities: NDArray = field(repr=False)
    distances: NDArray = field(repr=False)
    kernel_weights: NDArray
    kernel_names: tuple[str, ...]
    eta: NDArray
    full_alpha: float
    ramp: float
    outlier_threshold: float

    @property
    def alpha(self) -> float:
        """The weight of the links."""
        return self.ramp * self.full_alpha

    def _partition(self) -> FuzzyPossibilistic:
        return FuzzyPossibilistic(self.memberships, self.typicalities, "product", self.outlier_threshold)

    def gauges(self) -> tuple[Gauge, ...]:
        return (Gauge("Kernel weights", self.kernel_names, tuple(self.kernel_weights.tolist())),)


@dataclass(eq=False, repr=False, kw_only=True)
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

    Notes
    -----
    The result may depend on the order of the samples, even from the same centres: among linked samples with equally
    many partners the order decides whose turn it is first, and where links contradict each other, or samples
    coincide, another turn may lead to another minimum.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 0.1], [0.1, 0.3], [3.0, 3.0], [3.1, 2.8], [1.6, 1.6]])
    >>> labels = CMKIPCM(2, random_state=0).fit(X, must_link=[[5, 0]], cannot_link=[[5, 3]]).labels_
    >>> bool(labels[5] == labels[0] != labels[3])
    True
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight", "affinity"})
    # The weight of the links grows during the first steps, and the objective with it.
    descends = False
    parameters = {
        "kernels": anything(),
        "weight_exponent": real(1, open_low=True, or_none=True),
        "constraint_weight": real(0, also=(str,)),
        "kernel_method": choice(*METHODS),
        "memory": real(0, infinite=True),
        "n_landmarks": whole(1),
        "variant": choice("cclab", "paper"),
    }

    tol: float = 1e-3
    kernels: Any = "spectral 5, rbf 7"
    weight_exponent: float | None = None
    constraint_weight: str | float = "auto"
    kernel_method: str = "auto"
    memory: float = 1e9
    n_landmarks: int = 300

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if isinstance(self.constraint_weight, str) and self.constraint_weight != "auto":
            raise ValueError(f"constraint_weight must be 'auto' or a number, got {self.constraint_weight!r}")
        read_kernels(self.kernels)

    def start(self, problem: Problem, restart: int = 0) -> CMKIPCMState:
        shared = IPCM().get_params().keys() & self.get_params().keys() - {"tol"}
        run = iterate(IPCM(**{name: getattr(self, name) for name in shared}), problem, restart=restart)
        belief = run.last().partition
        note = self._kernels(problem).note
        return self._state_at(
            problem,
            belief.memberships,
            belief.typicalities,
            ramp=RAMP_START if self.constraint_weight == "auto" and self.variant != "paper" else 1.0,
            notes=(note,) if note else (),
            restart=restart,
        )

    def step(self, problem: Problem, state: CMKIPCMState) -> CMKIPCMState:
        ramp = min(state.ramp + RAMP_STEP, 1.0)
        U, T = self._memberships(problem, state, ramp * state.full_alpha)
        return self._state_at(
            problem,
            U,
            T,
            eta=state.eta,
            full_alpha=state.full_alpha,
            ramp=ramp,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=np.abs(U - state.memberships).max(),
        )

    def converged(self, previous: CMKIPCMState, state: CMKIPCMState) -> bool:
        return state.ramp == 1 and super().converged(previous, state)

    def rebase(self, old_problem: Problem, new_problem: Problem, state: CMKIPCMState) -> CMKIPCMState:
        """With new knowledge the links' weight is estimated anew, and holds at once."""
        U, T = state.memberships, state.typicalities
        return self._state_at(new_problem, U, T, eta=state.eta, restart=state.restart, iteration=state.iteration)

    # ------------------------------------------------------------------ the updates

    def _memberships(self, problem: Problem, state: CMKIPCMState, alpha: float) -> tuple[NDArray, NDArray]:
        """Eqs. 6 and 7: at once where no link touches, else by a sweep."""
        D, eta = state.distances, state.eta
        U, T, _ = joint_memberships(D, eta, *self.exponents)
        links = link_sweep(problem)
        at = links.samples
        if len(at):
            # A sample of no weight has nothing to lose by its links.
            counted = np.maximum(problem.weights[at], 1e-12)
            linked = LinkedMemberships(
                state.memberships[at], state.typicalities[at], D[at], counted, eta, self.exponents, alpha
            )
            links.sweep(linked)
            U[at], T[at] = linked.U, linked.T
        return U, T

    def _distances(self, problem: Problem, a: NDArray) -> tuple[NDArray, NDArray]:
        """Squared distances to the centres of shares `a` (Eqs. 9 and 35), under the best kernel weights (Eq. 8)."""
        q = (2.0 if self.variant == "paper" else 3.0) if self.weight_exponent is None else self.weight_exponent
        return mixed_distances(self._kernels(problem), a, q, scaled=self.variant != "paper")

    def _full_alpha(self, problem: Problem, a: NDArray, D: NDArray) -> float:
        """The links' weight: so many mean squared distances each, or all together one for each sample (Eq. 15)."""
        mean = float(mean_cost(a, D, per_cluster=False)[0])
        if self.variant == "paper":
            n_links = problem.constraints.must.total + problem.constraints.cannot.total
            return mean * problem.weights.sum() / n_links if n_links else 0.0
        return mean * (STRONG if isinstance(self.constraint_weight, str) else self.constraint_weight)

    # ------------------------------------------------------------------ pieces

    def _state_at(
        self,
        problem: Problem,
        U: NDArray,
        T: NDArray,
        *,
        eta: NDArray | None = None,
        full_alpha: float | None = None,
        ramp: float = 1.0,
        **progress: Any,
    ) -> CMKIPCMState:
        """The state of these memberships and typicalities; what is not given of the scales is estimated from them."""
        a = self._shares(U, T)
        counted = problem.weights[:, None] * a
        D, omega = self._distances(problem, counted)
        eta = self.scale_of(counted, D) if eta is None else eta
        full_alpha = self._full_alpha(problem, counted, D) if full_alpha is None else full_alpha
        terms = self._terms(problem, U, T, a, D, eta, ramp * full_alpha)
        return CMKIPCMState(
            centers=(counted / np.maximum(counted.sum(axis=0), np.finfo(float).tiny)).T @ problem.X,
            objective=sum(terms.values()),
            terms=terms,
            memberships=U,
            typicalities=T,
            distances=D,
            kernel_weights=omega,
            kernel_names=self._kernels(problem).names,
            eta=eta,
            full_alpha=full_alpha,
            ramp=ramp,
            outlier_threshold=self.outlier_threshold,
            **progress,
        )

    def _terms(
        self, problem: Problem, U: NDArray, T: NDArray, a: NDArray, D: NDArray, eta: NDArray, alpha: float
    ) -> dict[str, float]:
        """The parts of the objective (Eq. 4)."""
        (m, p), w = self.exponents, problem.weights
        links = link_sweep(problem)
        must, cannot = links.cost(a[links.samples])
        return {
            "compactness": w @ (a * D).sum(axis=1),
            "atypicality": w @ (raised(U, m) * raised(1 - T, p)) @ eta,
            "must-links": alpha * must,
            "cannot-links": alpha * cannot,
        }

    def _shares(self, U: NDArray, T: NDArray) -> NDArray:
        m, p = self.exponents
        return raised(U, m) * raised(T, p)

    def _kernels(self, problem: Problem) -> Kernels:
        return choose_kernels(
            problem,
            self.kernels,
            method=self.kernel_method,
            memory=self.memory,
            n_landmarks=self.n_landmarks,
            centered=self.variant != "paper",
        )
