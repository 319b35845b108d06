"""Ten real data sets that were not looked at while anything here was built: what works on them was not tuned to them.

They come with packages of R and Python and are read from where these are installed; nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from cclab.datasets import Dataset

#: Where R keeps the packages that a system installs; R_LIBS may name more.
R_LIBRARIES = ("/usr/lib/R/site-library", "/usr/local/lib/R/site-library", "/usr/lib/R/library")
#: Of a larger set so many samples are drawn, always the same.
MOST = 1000


class MissingData(ValueError):
    """The package that carries the data is not here; the message says how to get it."""


def _of_r(package: str, file: str) -> Path:
    """A file of data of an R package."""
    named = [folder for folder in os.environ.get("R_LIBS", "").split(os.pathsep) if folder]
    for library in [*named, *R_LIBRARIES]:
        path = Path(library) / package / "data" / file
        if path.is_file():
            return path
    raise MissingData(
        f"the R package {package} is not here, which carries {file}: install it (Debian: apt install "
        f"r-cran-{package.lower()}), or unpack it and let the environment variable R_LIBS name its library"
    )


def _rda(package: str, name: str) -> pd.DataFrame:
    path = _of_r(package, f"{name}.rda")
    if find_spec("pyreadr") is None:
        raise MissingData(f"reading {path} takes pyreadr: pip install pyreadr")
    import pyreadr

    return pyreadr.read_r(str(path))[name]


def _text(package: str, name: str) -> pd.DataFrame:
    return pd.read_csv(_of_r(package, f"{name}.txt.gz"), sep=r"\s+")


def _dataset(name: str, table: pd.DataFrame, classes: str, source: str) -> Dataset:
    """A data set of all numeric columns; rows with missing values are left out."""
    table = table.dropna()
    code, names = pd.factorize(table[classes].astype(str), sort=True)
    X = table.drop(columns=classes).astype(float)
    rows = np.arange(len(X))
    if len(rows) > MOST:
        rows = np.sort(np.random.default_rng(0).choice(len(rows), MOST, replace=False))
    return Dataset(
        name=name,
        X=X.to_numpy()[rows],
        feature_names=tuple(map(str, X.columns)),
        target=code[rows],
        target_names=tuple(map(str, names)),
        source=source,
    )


def vehicle() -> Dataset:
    """Silhouettes of four kinds of cars."""
    return _dataset("vehicle", _rda("mlbench", "Vehicle"), "Class", "R package mlbench")


def vowel() -> Dataset:
    """Eleven vowels, by frequencies; who speaks is left out."""
    return _dataset("vowel", _rda("mlbench", "Vowel").drop(columns="V1"), "Class", "R package mlbench")


def satellite() -> Dataset:
    """Kinds of ground, by the colours of nine pixels."""
    return _dataset("satellite", _rda("mlbench", "Satellite"), "classes", "R package mlbench")


def zoo() -> Dataset:
    """Animals, by what they have."""
    return _dataset("zoo", _rda("mlbench", "Zoo"), "type", "R package mlbench")


def votes() -> Dataset:
    """Members of a parliament, by how they voted: 1 yes, 0 no, 0.5 neither."""
    table = _rda("mlbench", "HouseVotes84")
    voted = table.drop(columns="Class").astype(object).map({"y": 1.0, "n": 0.0}.get).astype(float).fillna(0.5)
    return _dataset("votes", voted.assign(Class=table["Class"]), "Class", "R package mlbench")


def biomed() -> Dataset:
    """Carriers of a genetic disorder, by four measurements of blood."""
    return _dataset("biomed", _text("ddalpha", "biomed"), "C", "R package ddalpha")


def banknotes() -> Dataset:
    """Genuine and forged bank notes, by six lengths."""
    return _dataset("banknotes", _text("ddalpha", "banknoten"), "falsch", "R package ddalpha")


def crabs() -> Dataset:
    """Two species of crabs, by five lengths."""
    return _dataset("crabs", _text("ddalpha", "crab_BvsO"), "C", "R package ddalpha")


def olitos() -> Dataset:
    """Olive oils of four kinds, by 25 measurements."""
    return _dataset("olitos", _rda("rrcov", "olitos"), "grp", "R package rrcov")


def penguins() -> Dataset:
    """Three species of penguins, by four measurements."""
    package = find_spec("palmerpenguins")
    if package is None or package.origin is None:
        raise MissingData("the Python package palmerpenguins is not here: pip install palmerpenguins")
    table = pd.read_csv(Path(package.origin).parent / "data" / "penguins.csv")
    return _dataset(
        "penguins", table.drop(columns=["island", "sex", "year"]), "species", "Python package palmerpenguins"
    )


#: All of them. The list was written down before anything was run on them.
UNSEEN: tuple[Callable[[], Dataset], ...] = (
    vehicle,
    vowel,
    satellite,
    zoo,
    votes,
    biomed,
    banknotes,
    crabs,
    olitos,
    penguins,
)
