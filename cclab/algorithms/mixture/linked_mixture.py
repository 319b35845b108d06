"""A mixture that takes links seriously: belief propagation, moves where links break, a covariance chosen by links.

Samples that certain must-links join are one unit. What a unit believes follows from the densities of its samples and,
by belief propagation, from what units believe that it is linked to. Gaussians follow from these beliefs, and so on.
At rest two clusters become one and a third becomes two, and that is kept if samples and links are explained better.
How rich covariances may be, and whether links shape the clusters at all, is decided by links that were held back.

Notation
--------
======  ====================================  ================================================================
symbol  here                                  meaning
======  ====================================  ================================================================
L       ``units.gather @ log_densities``      log of weight times density, added up over the samples of a unit
q       ``cavity``                            what a unit believes without what the other end of a link told it
F       ``evidence``                          Bethe's approximation of how well samples and links are explained
======  ====================================  ================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.competitive_mixture import CompetitiveMixture, CompetitiveMixtureState
from cclab.algorithms.mixture.covariance_choice import MODELS, Judge
from cclab.algorithms.mixture.doubting import doubted, may_be_wrong, suspected
from cclab.algorithms.mixture.gaussians import COVARIANCES, Gaussians, Samples
from cclab.algorithms.mixture.kept_links import kept_links
from cclab.algorithms.mixture.linked_fit import (
    DRAWS,
    RENEWED_EVERY,
    REST,
    SWEEPS,
    Fit,
    Linked,
    Model,
    expected,
    from_centers,
    kept_beside,
    numbered_by_labels,
    rested,
    seeded_by_labels,
    starts,
    swept,
    unlinked,
)
from cclab.algorithms.mixture.linked_state import DONE, MOVING, RESTING, TRYING, LinkedMixtureState, TriedModel
from cclab.algorithms.mixture.mixtures import responsibilities
from cclab.algorithms.mixture.rearranging import compared, rearranged, rearrangements
from cclab.core import CenterSolver, ConstraintSet, Fuzzy, Problem
from cclab.core.parameters import choice, flag, whole
from cclab.maths.constraint_cache import of_constraints

# Sweeps of each model that leads when it is tried; the one that is chosen goes on.
FIRST_SWEEPS = 15


@dataclass(eq=False, repr=False, kw_only=True)
class LinkedMixture(CenterSolver):
    """A mixture of Gaussians whose links reach further, by belief propagation and a covariance that links choose.

    Every certain link that can be kept is, and what is believed about linked samples shows how much in doubt they are.

    Parameters
    ----------
    n_clusters : int or None
        How many clusters there are, or None: to be found, as `CompetitiveMixture` does.
    n_init : int
        From how many starts to go on; the best explanation of samples and links wins.
    tol : float
        At rest when a sweep gains less than this for each sample, in nats.
    covariance : {"auto", "spherical", "shared", "equal volume", "free"}
        One variance for all clusters; one covariance; one each, all of the same volume; one each. "auto" takes what
        keeps most of the links that were held back, and one covariance for all where that is not sure, or where there
        are fewer than 20 links. It may also find that links had better not shape the clusters at all.
    patience : int
        After so many moves in a row that don't help, it is done.
    doubt_links : bool
        Whether certain links may be found wrong. Where links contradict the clusters that all links together make, as
        sure as these are, the share of wrong ones is estimated, and all is done again with links that are that much in
        doubt. Otherwise, and always if False, every certain link that can be kept is.

    Notes
    -----
    Features are measured in standard deviations, so that units don't matter; of more than 60, as many principal
    components are kept. A link of weight w that is broken makes an answer worth 1 - w of what it were, but no less
    than a millionth: so a wrong link may be broken. A must-link of weight 1 joins for good.

    Groups that are certain join their samples at once. Large separations, and large groups that are not certain, speak
    to each of their samples as one: no pair of theirs is ever made.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.1, 3.0], [0.0, 9.0], [5.0, 0.1], [5.2, 3.0], [5.0, 9.0]])
    >>> model = LinkedMixture(2, random_state=0).fit(X, must_link=[[0, 2], [3, 5]], cannot_link=[[0, 3]])
    >>> model.labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    uses = frozenset({"must", "cannot", "labels", "weights", "sample_weight"})
    # Models are tried one after the other, and weights and covariances are shrunk.
    descends = False
    parameters = {
        "n_clusters": whole(1, or_none=True),
        "covariance": choice("auto", *COVARIANCES),
        "patience": whole(0),
        "doubt_links": flag(),
    }

    n_clusters: int | None = field(default=3, kw_only=False)  # type: ignore[assignment]
    n_init: int = 3
    max_iter: int = 1000
    tol: float = REST
    covariance: str = "auto"
    patience: int = 25
    doubt_links: bool = True

    # ------------------------------------------------------------------ the algorithm

    def start(self, problem: Problem, restart: int = 0) -> LinkedMixtureState:
        about = self._about(problem)
        first = self._centers(problem, restart)[0]
        judge = self._judge(problem)
        models = self._models(problem)
        notes = () if judge is None or not judge.why_not else (f"One covariance for all: {judge.why_not}.",)
        if self.n_clusters is None:
            notes = (self._counted(problem)[1], *notes)
        fit = from_centers(about, models[0], first)
        stage = TRYING if len(models) > 1 else RESTING
        return self._show(problem, fit, models[0], stage=stage, restart=restart, notes=notes)

    def step(self, problem: Problem, state: LinkedMixtureState) -> LinkedMixtureState:
        problem = self._heard(problem, state.doubt)
        if state.stage == TRYING:
            return self._try_model(problem, state)
        if state.stage == RESTING:
            return self._sweep(problem, state)
        return self._move(problem, state)

    def converged(self, previous: LinkedMixtureState, state: LinkedMixtureState) -> bool:
        return state.stage == DONE

    def rebase(self, old_problem: Problem, new_problem: Problem, state: LinkedMixtureState) -> LinkedMixtureState:
        """From the same Gaussians; where links can judge, the models are tried again."""
        doubt = self._doubt(new_problem, state)[0] if state.doubt else 0.0
        new_problem = self._heard(new_problem, doubt)
        about, models = self._about(new_problem), self._models(new_problem)
        if about.n_clusters != len(state.gaussians):
            return replace(self.start(new_problem, state.restart), iteration=state.iteration, doubt=doubt)
        fit = expected(about, state.gaussians, None)
        stage = TRYING if len(models) > 1 else RESTING
        more = {"stage": stage, "doubt": doubt, "before": state.gaussians}
        return self._show(new_problem, fit, state.model, **more, **state.progress)

    def believe(self, X: NDArray, state: LinkedMixtureState) -> Fuzzy:
        return Fuzzy(state.memberships(X))

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.n_clusters is not None:
            problem.constraints.label_degrees(self.n_clusters)  # names a label that is too large

    def _n_starts(self) -> int:
        return 1  # all starts are part of one run

    # ------------------------------------------------------------------ what a step does

    def _try_model(self, problem: Problem, state: LinkedMixtureState) -> LinkedMixtureState:
        """Ask how the next model does on links that it has not seen, fit it if it leads; after the last, the choice."""
        about, models, judge = self._about(problem), self._models(problem), self._judge(problem)
        assert judge is not None
        model = models[state.count]
        share = judge.held_out(state.count).share
        tried = (*state.tried, TriedModel(model.covariance, model.linked, share))
        best = judge.chosen(len(tried))
        leader = state.leader
        if best == state.count:
            first = from_centers(about, model, self._centers(problem, state.restart)[0])
            fit = rested(about, model, first, FIRST_SWEEPS)
            leader = fit.gaussians
        else:  # as it was judged: it goes no further
            fit = expected(about, judge.unseen(state.count)[0][1], None)
        notes: tuple[str, ...] = (f"Covariance {model}: on links it has not seen {100 * share:.0f} % kept.",)
        said: dict[str, Any] = {"tried": tried, "restart": state.restart, "iteration": state.iteration + 1}
        said["doubt"] = state.doubt
        if not judge.settled(len(tried)):
            more = {"count": len(tried), "leader": leader, "before": state.before}
            return self._show(problem, fit, model, notes=notes, **more, **said)
        model = models[best]
        if leader is not None and leader is not fit.gaussians:
            fit = expected(about, leader, None)
        if state.before is not None and state.before.covariance == model.covariance:
            warm = rested(about, model, expected(about, state.before, None), SWEEPS)
            fit = max(warm, fit, key=lambda one: one.sound)
        notes = (*notes, f"The choice is covariance {model}: no other leads by enough.")
        return self._show(problem, fit, model, stage=RESTING, notes=notes, **said)

    def _sweep(self, problem: Problem, state: LinkedMixtureState) -> LinkedMixtureState:
        """One sweep of expectation and maximisation."""
        about, model, count = self._about(problem), self._model(problem, state), state.count + 1
        fit = swept(about, model, self._fit_of(problem, state), renew=count % RENEWED_EVERY == 0)
        at_rest = abs(fit.evidence - state.evidence) < self.tol * about.samples.total or count >= SWEEPS
        stage, count = (MOVING, 0) if at_rest else (RESTING, count)
        return self._after(problem, state, fit, model, stage=stage, count=count)

    def _move(self, problem: Problem, state: LinkedMixtureState) -> LinkedMixtureState:
        """Try another start, or a merge and a split; keep it if links agree more, or all is explained better."""
        about, model, fit = self._about(problem), self._model(problem, state), self._fit_of(problem, state)
        others = self._centers(problem, state.restart)[1:]
        number = state.count - len(others)
        if number < 0:
            other = rested(about, model, from_centers(about, model, others[state.count]), SWEEPS)
            what = "another start explains samples and links better"
        else:
            moves = kept_beside(fit, "moves", lambda: rearrangements(about, fit))[: self.patience]
            if number >= len(moves):
                note = f"Done: {number} moves in a row did not help." if number else "Done: there is nothing to move."
                doubt, gaussians = (0.0, state.gaussians) if state.doubt else self._doubt(problem, state)
                if doubt:
                    return self._do_again(problem, state, doubt, gaussians)
                return self._after(problem, state, fit, model, stage=DONE, notes=(note,))
            other, what = rearranged(about, model, fit, moves[number]), str(moves[number])
        found = compared(problem.constraints, about, other, fit)
        if found.links_agree:  # and still, once all has come to rest: else two moves might undo each other for ever
            other = rested(about, model, other, SWEEPS)
            found = compared(problem.constraints, about, other, fit)
        if found.links_agree or found.explains_more:
            fit, count = other, min(state.count + 1, len(others))
            note = f"A move was kept: {what} ({found})."
        else:
            count, note = state.count + 1, f"A move was refused: {what} ({found})."
        return self._after(problem, state, fit, model, stage=MOVING, count=count, notes=(note,))

    def _do_again(
        self, problem: Problem, state: LinkedMixtureState, doubt: float, gaussians: Gaussians
    ) -> LinkedMixtureState:
        """All once more, with links that are in doubt, from Gaussians that they suit."""
        problem = self._heard(problem, doubt)
        fit = expected(self._about(problem), gaussians, None)
        stage = TRYING if len(self._models(problem)) > 1 else RESTING
        note = f"About {100 * doubt:.0f} % of the links contradict what all say together: now they may be broken."
        more = {"stage": stage, "doubt": doubt, "before": gaussians, "notes": (note,)}
        progress = {"restart": state.restart, "iteration": state.iteration + 1}
        return self._show(problem, fit, state.model, **more, **progress)

    # ------------------------------------------------------------------ what it works on

    def _heard(self, problem: Problem, doubt: float) -> Problem:
        """The problem, with links as sure as they are where that share of them is wrong."""
        if not doubt:
            return problem
        return of_constraints(
            problem, ("doubted", doubt), lambda known: problem.with_constraints(doubted(known, doubt))
        )

    def _doubt(self, problem: Problem, state: LinkedMixtureState) -> tuple[float, Gaussians]:
        """Which share of the links is wrong, and the Gaussians that say so: where links left them, or without any.

        Unless that is sure, doubt must also not lower how many links are kept that were held back.
        """
        if not self.doubt_links or not may_be_wrong(problem.constraints, len(state.gaussians)):
            return 0.0, state.gaussians
        known, judge, unshaped = problem.constraints, self._judge(problem), self._without_links(problem)
        shaped = [(known, state.gaussians)]
        if judge is not None and not judge.why_not:
            place = self._models(problem).index(self._model(problem, state))
            shaped = judge.unseen(place)
        found = suspected([shaped, [(known, unshaped)]], self._samples(problem).Z)
        if found.share and not found.sure and judge is not None and not judge.why_not:
            doubting = self._judge(self._heard(problem, found.share))
            assert doubting is not None
            lead, error = doubting.best.lead_over(judge.held_out(place))
            if lead < -error / 2:
                return 0.0, state.gaussians
        return found.share, (state.gaussians, unshaped)[found.account]

    def _without_links(self, problem: Problem) -> Gaussians:
        """Where the Gaussians of the simplest model would be if nothing were known."""
        k = self._counted(problem)[0]

        def fit() -> Gaussians:
            about = Linked.of(self._samples(problem), ConstraintSet(problem.n_samples), k)
            centers = starts(about, problem.rng(0, 0), max(DRAWS, self.n_init))[: self.n_init]
            fits = [rested(about, MODELS[0], from_centers(about, MODELS[0], V), SWEEPS) for V in centers]
            return max(fits, key=lambda fit: fit.evidence).gaussians

        return problem.derived(("mixture without links", k, self.n_init), fit)

    def _samples(self, problem: Problem) -> Samples:
        return problem.derived("standardized samples", lambda: Samples.of(problem.X, problem.weights))

    def _about(self, problem: Problem) -> Linked:
        k = self._counted(problem)[0]
        return of_constraints(problem, ("linked units", k), lambda known: Linked.of(self._samples(problem), known, k))

    def _counted(self, problem: Problem) -> tuple[int, str]:
        """How many clusters there are, and why, in words."""
        if self.n_clusters is not None:
            return self.n_clusters, ""

        def count(_: Any) -> tuple[int, str]:
            seen = replace(problem, constraints=problem.constraints.links_from_labels())
            state = cast(CompetitiveMixtureState, CompetitiveMixture(n_init=1).solve(seen))
            named = int(problem.constraints.labels.degrees.items.max(initial=-1)) + 1
            return max(len(state.sizes), named), str(state.verdict)

        return of_constraints(problem, "number of clusters", count)

    def _judge(self, problem: Problem) -> Judge | None:
        """Who says which model suits; None where that is given."""
        if self.covariance != "auto":
            return None
        k = self._counted(problem)[0]
        return of_constraints(problem, ("judge", k), lambda _: Judge.of(problem, self._samples(problem), k))

    def _models(self, problem: Problem) -> tuple[Model, ...]:
        """Those to choose from."""
        judge = self._judge(problem)
        if judge is None:
            return (Model(self.covariance),)
        return MODELS[:1] if judge.why_not else MODELS

    def _model(self, problem: Problem, state: LinkedMixtureState) -> Model:
        """The one that was chosen, as long as it is still among those to choose from."""
        models = {str(model): model for model in self._models(problem)}
        return models.get(str(state.model), self._models(problem)[0])

    def _centers(self, problem: Problem, restart: int) -> list[NDArray]:
        """Where to start, the tightest first."""
        about = self._about(problem)
        if not isinstance(self.init, str):
            return [about.samples.scale.apply(np.asarray(self.init, dtype=float))]

        def draw(_: Any) -> list[NDArray]:
            drawn = starts(about, problem.rng(restart, 0), max(DRAWS, self.n_init))[: self.n_init]
            numbered = [numbered_by_labels(about, centers) for centers in drawn]
            return [seeded_by_labels(about, numbered[0]), *numbered[1:]]

        return of_constraints(problem, ("starts", restart, about.n_clusters, self.n_init), draw)

    def _fit_of(self, problem: Problem, state: LinkedMixtureState) -> Fit:
        """The fit that a state was made from: kept beside it, or worked out again."""
        if "fit" not in state.__dict__:
            R, log_density = responsibilities(state.gaussians.log_densities(self._samples(problem).Z))
            alone = R[state.samples]
            R[state.samples] = state.beliefs[state.unit]
            by_samples = unlinked(self._about(problem), log_density)
            state.__dict__["fit"] = Fit(
                state.gaussians, state.messages, state.evidence, state.beliefs, R, alone, by_samples
            )
        return state.__dict__["fit"]

    def _after(
        self, problem: Problem, state: LinkedMixtureState, fit: Fit, model: Model, **more: Any
    ) -> LinkedMixtureState:
        """The state one step on."""
        V = self._samples(problem).scale.back(fit.gaussians.means)
        progress = state.progress_to(V, problem.spread)
        return self._show(problem, fit, model, tried=state.tried, doubt=state.doubt, **progress, **more)

    def _show(self, problem: Problem, fit: Fit, model: Model, **more: Any) -> LinkedMixtureState:
        about = self._about(problem)
        units, samples = about.units, about.samples
        likely = fit.beliefs.argmax(axis=1)
        broken = (likely[units.i] == likely[units.j]) != units.must
        state = LinkedMixtureState(
            X=problem.X,
            centers=samples.scale.back(fit.gaussians.means),
            objective=-fit.evidence,
            scale=samples.scale,
            gaussians=fit.gaussians,
            linked=model.linked,
            messages=fit.messages,
            samples=units.samples,
            unit=units.unit,
            beliefs=fit.beliefs,
            clusters=kept_beside(fit, "clusters", lambda: kept_links(units, fit.beliefs, about.potentials)),
            evidence=fit.evidence,
            sizes=samples.weights @ fit.memberships,
            broken=float(broken.mean()) if len(broken) else 0.0,
            n_links=len(broken),
            **more,
        )
        state.__dict__["fit"] = fit
        return state
