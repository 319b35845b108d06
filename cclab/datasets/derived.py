"""Variants of published data sets that papers use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cclab.datasets.dataset import Dataset


def glass_two_class(glass: Dataset) -> Dataset:
    """Window glass (types 1, 2, 3) against the rest (5, 6, 7)."""
    _require_classes(glass, {"1", "2", "3", "5", "6", "7"})
    kind = np.array(glass.target_names)[glass.target]
    labels = np.where(np.isin(kind, ["1", "2", "3"]), "window", "other")
    two = glass.with_target(labels)
    return replace(
        two,
        name="glass_two_class",
        description="Splinters of glass by refraction and oxides: window glass or other glass.",
        notes=(
            "window glass is UCI's types 1, 2 and 3, other glass 5, 6 and 7; Antoine et al. (CECM, 2012) "
            "have two classes and do not say which",
        ),
    )


def ecoli_outliers(ecoli: Dataset) -> Dataset:
    """The three tiny classes imL, imS and omL as outliers, five classes left."""
    _require_classes(ecoli, {"imL", "imS", "omL"})
    place = np.array(ecoli.target_names, dtype=object)[ecoli.target]
    outliers = np.isin(place, ["imL", "imS", "omL"])
    place[outliers] = None
    five = ecoli.with_target(place, outliers=outliers)
    return replace(
        five,
        name="ecoli_outliers",
        notes=(
            f"the {outliers.sum()} samples of the classes imL, imS and omL are outliers (target -1), as in "
            "Antoine et al., Possibilistic clustering with seeds, 2018",
        ),
    )


def iris_uci(iris: Dataset) -> Dataset:
    """UCI's copy of Iris, which papers cite: two samples differ from Fisher's."""
    X = iris.X.copy()
    X[34] = 4.9, 3.1, 1.5, 0.1
    X[37] = 4.9, 3.1, 1.5, 0.1
    return replace(
        iris,
        name="iris_uci",
        X=X,
        notes=("UCI's copy: samples 34 and 37 differ slightly from Fisher's paper, which `iris` follows",),
    )


def letters_ijl_227(letters: Dataset, *, seed: int = 0) -> Dataset:
    """A tenth of the letters I, J and L: 227 drawn at random."""
    drawn = np.sort(np.random.default_rng(seed).choice(letters.n_samples, 227, replace=False))
    return replace(
        letters.subset(drawn),
        name="letters_ijl_227",
        notes=(
            f"227 of {letters.n_samples} drawn with seed {seed}; the papers' own sample of 227 (Basu et al., "
            "2006) is not published",
        ),
    )


@dataclass(frozen=True)
class Derived:
    """A variant: what it is made of, how, and its size."""

    base: str
    make: Callable[..., Dataset]
    n_samples: int
    n_features: int
    n_classes: int


DERIVED = {
    "iris_uci": Derived("iris", iris_uci, 150, 4, 3),
    "glass_two_class": Derived("glass", glass_two_class, 214, 9, 2),
    "ecoli_outliers": Derived("ecoli", ecoli_outliers, 336, 7, 5),
    "letters_ijl_227": Derived("letters_ijl", letters_ijl_227, 227, 16, 3),
}


def _require_classes(data: Dataset, names: set[str]) -> None:
    missing = sorted(names.difference(data.target_names))
    if missing:
        raise ValueError(f"this copy of {data.name} has no class {', '.join(missing)}: {data.target_names}")
