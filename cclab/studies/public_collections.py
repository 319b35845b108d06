"""Data sets whose links others have published, made again to the digit, and folders of one's own that have such links.

Results on the same data with the same links can be compared to the digit. P. Baumann and D. Hochbaum publish with PCCC
[1]_ two collections that follow from a seed; they are made here, and nothing is fetched. Any other collection is a
folder::

    collections/                     below the folder that the environment variable CCLAB_DATA names
      my_collection/
        wine.csv                     features, and a column "class" (or "label"): the truth
        wine_constraints_0.05.json   {"ml": [[0, 3], ...], "cl": [[1, 2], ...]}, samples counted from 0
        wine_constraints_lasso.csv   or a table of constraints as cclab writes it: kind, i, j, ...

References
----------
.. [1] P. Baumann, D. S. Hochbaum, An algorithm for clustering with confidence-based must-link and cannot-link
   constraints, INFORMS Journal on Computing, 2024.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_blobs

from cclab.core import ConstraintSet
from cclab.datasets import Dataset, load_dataset
from cclab.datasets.folder import COLLECTIONS, data_folder
from cclab.datasets.table_files import read_table
from cclab.studies.declaration import Data
from cclab.studies.knowledge import Knowledge

#: The seed of all of PCCC's collections.
SEED = 24
#: Levels of knowledge as they were made: the sum of steps, not the rounded number, says how many links there are.
LEVELS = np.arange(0.05, 0.55, 0.05)
#: What stands between the name of a data set and that of its links.
_BEGIN = "_constraints_"


def blobs(n: int, k: int, spread: float = 1.0, box: float = 10.0) -> Dataset:
    """Clusters in the plane, standardised."""
    X, y = make_blobs(n, n_features=2, centers=k, cluster_std=spread, center_box=(-box, box), random_state=SEED)
    made = load_dataset(X, target=y)
    return made.standardized()


def pairs_of_level(n: int, level: float) -> NDArray[np.int64]:
    """(m, 2) the pairs of a level: as many as a share of the samples has among themselves, drawn from all."""
    few = np.ceil(n * level)
    m = int(few * (few - 1) / 2)
    rng = np.random.RandomState(SEED)
    pairs = np.empty((0, 2), dtype=np.int64)
    while len(pairs) < m:
        i, j = rng.randint(0, n, size=m), rng.randint(0, n, size=m)
        drawn = np.sort(np.stack([i, j], axis=1), axis=1)
        pairs = np.unique(np.concatenate([pairs, drawn[drawn[:, 0] != drawn[:, 1]]]), axis=0)
    return pairs[:m]


@dataclass(frozen=True)
class PublishedLevel(Knowledge):
    """Links of a level of PCCC's collections: the same in every trial."""

    level: float
    label: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or f"{100 * self.level:.0f} %")

    def draw(self, data: Dataset, rng: np.random.Generator) -> ConstraintSet:
        """The links; nothing is drawn."""
        assert data.target is not None
        i, j = pairs_of_level(data.n_samples, self.level).T
        same = data.target[i] == data.target[j]
        known, pairs = ConstraintSet(data.n_samples), np.stack([i, j], axis=1)
        return known.with_must_link(pairs[same]).with_cannot_link(pairs[~same])


@dataclass(frozen=True)
class LinksFromFile(Knowledge):
    """Links that a file holds, for the data set it lies beside."""

    path: Path
    label: str = field(default="", kw_only=True)

    def draw(self, data: Dataset, rng: np.random.Generator) -> ConstraintSet:
        """The links; nothing is drawn."""
        return links_from_file(self.path, data)


def links_from_file(path: Path, data: Dataset) -> ConstraintSet:
    """The links of a file about the rows of a table, or an error that names it.

    A row that is left out, for want of a value, takes its links along; all others keep theirs.
    """
    try:
        table = pd.read_csv(path) if path.suffix == ".csv" else None
        if table is not None and "by" in table.columns:  # it says itself how it names samples
            return ConstraintSet.from_frame(table, by=data)
        known = (
            _links_in_json(path, data.rows.n_rows)
            if table is None
            else ConstraintSet.from_frame(table, data.rows.n_rows)
        )
        return known.restrict(data.rows.positions)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} has no links that can be read ({error}); expected "
            '{"ml": [[0, 3], ...], "cl": [[1, 2], ...]}, or a table with the columns kind, i, j'
        ) from None


def _links_in_json(path: Path, n_rows: int) -> ConstraintSet:
    written = json.loads(path.read_text(encoding="utf-8"))
    if not {"ml", "cl"} & written.keys():
        raise ValueError("it has neither 'ml' nor 'cl'")
    known = ConstraintSet(n_rows)
    known = known.with_must_link(written["ml"]) if written.get("ml") else known
    return known.with_cannot_link(written["cl"]) if written.get("cl") else known


@dataclass(frozen=True)
class Collection:
    """Data sets, each with the links that were published for it.

    Attributes
    ----------
    name : str
    parts : tuple of (Data, tuple of Knowledge)
    alone : tuple of str
        Files of data without links, and of links without data.
    """

    name: str
    parts: tuple[tuple[Data, tuple[Knowledge, ...]], ...]
    alone: tuple[str, ...] = ()

    @property
    def left_out(self) -> str:
        """What of it takes no part, and why, in words; empty where all does."""
        if not self.parts and not self.alone:
            return f"collection {self.name} is an empty folder"
        files = f"collection {self.name}: {', '.join(self.alone)} left out"
        return f"{files}; NAME.csv and NAME_constraints_LEVEL.json (or .csv) belong together" if self.alone else ""


def pccc_2() -> Collection:
    """Fifteen sets of 300 samples, from clusters well apart to such that can't be told apart."""
    levels = tuple(PublishedLevel(float(level)) for level in LEVELS)
    sets = product((10, 20, 50), (1, 2, 3, 4, 5))
    parts = tuple((Data(blobs, label=f"2: k {k}, s {s}", n=300, k=k, spread=s, box=20.0), levels) for k, s in sets)
    return Collection("PCCC 2", parts)


def pccc_3() -> Collection:
    """Twenty-four sets from 500 to 5,000 samples and from 2 to 100 clusters."""
    levels = tuple(PublishedLevel(float(level)) for level in LEVELS[:4])
    sets = product((500, 1000, 2000, 5000), (2, 5, 10, 20, 50, 100))
    return Collection("PCCC 3", tuple((Data(blobs, label=f"3: n {n}, k {k}", n=n, k=k), levels) for n, k in sets))


def own_data(path: Path) -> Dataset:
    """The data of a collection's file."""
    table = read_table(path)
    truth = next((name for name in ("class", "label") if name in table.columns), None)
    if truth is None:
        raise ValueError(f"{path} has no column 'class' or 'label', which says what is true")
    return load_dataset(table, target=truth)


def own_collections() -> tuple[Collection, ...]:
    """The collections in the folder of data; none where there is no such folder."""
    folder = data_folder()
    if folder is None or not (folder / COLLECTIONS).is_dir():
        return ()
    return tuple(_collection(path) for path in sorted((folder / COLLECTIONS).iterdir()) if path.is_dir())


def _collection(folder: Path) -> Collection:
    tables = [path for path in sorted(folder.glob("*.csv")) if _BEGIN not in path.name]
    parts, alone, used = [], [], set()
    for path in tables:
        begin = path.stem.removesuffix("_data") + _BEGIN
        files = sorted(file for file in folder.rglob(f"{begin}*") if file.suffix in (".json", ".csv"))
        used |= set(files)
        if not files:
            alone.append(path.name)
            continue
        short = [file.stem.removeprefix(begin) for file in files]
        labels = [name if short.count(name) == 1 else str(file.relative_to(folder)) for name, file in zip(short, files)]
        links = tuple(LinksFromFile(file, label=label) for file, label in zip(files, labels))
        parts.append((Data(own_data, label=f"{folder.name}: {path.stem.removesuffix('_data')}", path=path), links))
    alone += [file.name for file in sorted(folder.rglob(f"*{_BEGIN}*")) if file not in used]
    return Collection(folder.name, tuple(parts), tuple(alone))
