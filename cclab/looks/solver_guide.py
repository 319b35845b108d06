"""What a menu says of each solver: family, what it takes and believes, when to choose it, what speaks against it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse

from cclab.core import ConstraintSet, Problem, Solver
from cclab.core.registry import solvers
from cclab.core.words import counted

#: The families in the order of a menu, by their folders.
FAMILIES = {
    "kmeans": "k-means: one cluster for each sample",
    "fuzzy": "Fuzzy: shares in clusters",
    "possibilistic": "Possibilistic: how typical, and outliers",
    "evidential": "Evidential: doubt made visible",
    "multikernel": "Kernels that are learned",
    "mixture": "Mixtures: the number of clusters too",
    "metric": "A metric that is learned from links",
    "boosting": "Boosting: many weak ones vote",
    "spectral": "Spectral: clusters of any form",
    "density": "Density: clusters of any form, and noise",
}
YOURS = "Yours"
#: First where links are stated, on all samples and on those that no link is about: see docs/rivals.md.
RECOMMENDED_FOR_LINKS = "LinkedMixture"
_BELIEFS = {
    "hard": "one cluster each",
    "fuzzy": "shares",
    "possibilistic": "typicalities, outliers",
    "fuzzy-possibilistic": "shares, outliers",
    "credal": "sets of clusters, doubt",
}
#: When to choose those of the package; a class may say it itself, by an attribute `when`.
WHEN = {
    "BCKM": "links that one k-means breaks: many runs, each for what the last broke",
    "BoostCluster": "links, and features of which few matter",
    "CA": "nothing is known, not even the number of clusters; few features",
    "CECM": "links, and it should show where it is torn",
    "CFCM": "links that may bend, and shares",
    "CKM": "links of unequal weight, as many kept as can be",
    "CMKIPCM": "links, outliers, and no idea which kernel",
    "COBRAS": "answering questions, with no number of clusters given",
    "COPKMeans": "every link must hold",
    "CSP": "links, and clusters that are no clouds; how much they count is chosen",
    "CompetitiveMixture": "the number of clusters is wanted, also with many features",
    "ConstrainedKMeans": "labels that must hold",
    "ECM": "nothing is known, and doubt should be seen",
    "FCM": "nothing is known: a first look",
    "FOSC": "links, clusters of any form and density, noise, no number of clusters",
    "GK": "nothing is known, and clusters are longer one way than another",
    "IPCM": "nothing is known, outliers are likely, clusters may be curved",
    "ITML": "links that tell which directions matter, near a metric that is known",
    "KernelBoost": "links that teach a kernel, for clusters that are no clouds",
    "LCVQE": "links that may break at a price, shared by both centres",
    "LinkedMixture": "links that should reach beyond the samples they name, also if some are wrong",
    "MMC": "must-links and cannot-links that tell which directions matter",
    "MPCKMeans": "links, and features that do not count alike",
    "NoiseClustering": "nothing is known, and far samples should belong to none",
    "PCCC": "some links must hold, others may break, and each assignment is the best one",
    "PCP": "certain links, and clusters that are no clouds",
    "PCCA": "links, and the number of clusters is wanted",
    "PCKMeans": "links that may break at a price",
    "PCM": "nothing is known, much noise",
    "PlainAgglomerative": "nothing is known: a tree of clusters, to compare with",
    "PlainGaussianMixture": "nothing is known: Gaussian clusters, to compare with",
    "PlainKMeans": "nothing is known: k-means as it is, to compare with",
    "PlainSpectral": "nothing is known: clusters of any form, to compare with",
    "PFCM": "nothing is known, outliers should be found",
    "RCA": "must-links alone, and directions that should not count",
    "RCKM": "to compare with BCKM: the vote over many orders of the links",
    "RPCM": "nothing is known, noise, and clusters that must not coincide",
    "SFCM": "labels, and shares",
    "SPFCM": "labels with degrees, and outliers",
    "SPCL": "links, and clusters that are no clouds",
    "SRPCM": "labels with degrees, and clusters of unlike density",
    "SeededKMeans": "labels that may be wrong",
    "XiangMetric": "links, and few directions in which they show",
}
#: From so many samples on a start and a step take half a minute on one core, with ten features, five clusters and a
#: hundred links; those that reach a million are left out. Printed by ``python -m benchmarks.estimates --sizes``.
SLOW_FROM = {
    "BoostCluster": 100_000,
    "CMKIPCM": 20_000,
    "CSP": 10_000,
    "FOSC": 10_000,
    "IPCM": 500_000,
    "KernelBoost": 70_000,
    "PCP": 10_000,
    "PlainAgglomerative": 70_000,
    "PlainSpectral": 30_000,
    "RCKM": 500_000,
    "SPCL": 10_000,
}


@dataclass(frozen=True)
class Guide:
    """What is said of one solver.

    Attributes
    ----------
    name, family, takes, believes, when : str
    against : str
        Why it does not suit what is open; "" where nothing speaks against it.
    impossible : bool
        Whether it can't be chosen at all.
    """

    name: str
    family: str
    takes: str
    believes: str
    when: str
    against: str = ""
    impossible: bool = False


def guides(
    names: Iterable[str], X: Any, known: ConstraintSet, too_slow: Mapping[str, str] = MappingProxyType({})
) -> list[Guide]:
    """What to say of each of these solvers, in the order of their families.

    Parameters
    ----------
    names : iterable of str
    X : array or sparse array (n, p)
        What is open.
    known : ConstraintSet
        What is stated.
    too_slow : mapping from str to str, optional
        What was found of solvers that take long on these data.
    """
    made = [_guide(solvers.get(name), X, known, too_slow.get(name, "")) for name in names]
    order = [*FAMILIES.values()]
    return sorted(made, key=lambda g: (order.index(g.family) if g.family in order else len(order), g.family, g.name))


def _guide(cls: type[Solver], X: Any, known: ConstraintSet, slow: str) -> Guide:
    against, impossible = _against(cls, X, known)
    said = getattr(cls, "when", "") or WHEN.get(cls.__name__, "") or _first_sentence(cls)
    against = against or slow or _too_large(cls, X.shape[0])
    return Guide(cls.__name__, family_of(cls), takes(cls), believes(cls), said, against, impossible)


def family_of(cls: type[Solver]) -> str:
    """The family of a solver, as a title.

    >>> from cclab import CECM
    >>> family_of(CECM)
    'Evidential: doubt made visible'
    """
    room, _, rest = cls.__module__.removeprefix(f"{solvers.room}.").partition(".")
    if not cls.__module__.startswith(f"{solvers.room}."):
        return YOURS
    return FAMILIES.get(room, room.capitalize() if rest else YOURS)


def takes(cls: type[Solver]) -> str:
    """What a solver takes, in words.

    >>> from cclab import CECM, FCM, RCA, SFCM
    >>> [takes(cls) for cls in (CECM, FCM, RCA, SFCM)]
    ['links, labels', 'no knowledge', 'must-links', 'labels']
    """
    links = {frozenset({"must", "cannot"}): "links", frozenset({"must"}): "must-links"}
    said = [links.get(frozenset(cls.uses & {"must", "cannot"}), ""), "labels" if "labels" in cls.uses else ""]
    return ", ".join(filter(None, said)) or "no knowledge"


@cache
def believes(cls: type[Solver]) -> str:
    """What kind of belief a solver has: it is asked about a dozen samples; "" where it can't say."""
    X = np.array(
        [[0, 0], [0, 1], [1, 0], [1, 1], [9, 9], [9, 8], [8, 9], [8, 8], [0, 9], [1, 9], [0, 8], [1, 8]], float
    )
    known = ConstraintSet(len(X)).with_labels({0: 0, 4: 1})
    try:
        with warnings.catch_warnings(action="ignore"):
            solver = cls()
            problem = solver.adapt(Problem(X, constraints=known, seed=0))
            return _BELIEFS.get(solver.start(problem, 0).partition.kind, "")
    except Exception:  # it may need what a dozen samples have not
        return ""


def _against(cls: type[Solver], X: Any, known: ConstraintSet) -> tuple[str, bool]:
    """What speaks against a solver, and whether it can't be used at all."""
    if sparse.issparse(X) and not cls.accepts_sparse:
        return "takes no sparse data", True
    p, g, s, labels = (len(table) for table in known.tables)
    n_links, linked = p + g + s, cls.uses & {"must", "cannot"}
    if n_links and not linked:
        return f"takes no links; {counted(n_links, 'statement')} would not count", False
    if labels and not linked and "labels" not in cls.uses:
        return f"takes no labels; {counted(labels, 'label')} would not count", False
    return "", False


def _too_large(cls: type[Solver], n_samples: int) -> str:
    """What is known before a trial of a solver on so many samples."""
    slow_from = SLOW_FROM.get(cls.__name__)
    if slow_from is None or n_samples < slow_from:
        return ""
    return f"slow: from about {slow_from:,} samples on a start and a step take half a minute or more"


def _first_sentence(cls: type[Solver]) -> str:
    words = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ").strip()
    return words[:120].rstrip(".")
