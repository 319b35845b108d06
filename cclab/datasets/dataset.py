"""What every loader gives: samples by features, and what is known about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from cclab.core.scales import ALL_ALIKE, all_alike, check_scale
from cclab.datasets.checked_arrays import checked_features, read_only
from cclab.datasets.classes import encode
from cclab.datasets.columns.own_units import in_own_units
from cclab.datasets.columns.plan import Plan
from cclab.datasets.coreset import Coreset
from cclab.datasets.made_from import MadeFrom
from cclab.datasets.meta import checked_images, checked_meta, content_of, light
from cclab.datasets.rows import Finder, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples by features, with the truth where it is known. A frozen value: its arrays are read-only.

    Attributes
    ----------
    name : str
    X : float array (n_samples, n_features), or a scipy CSR array of that shape for texts
    feature_names : tuple of str
        ``x1, x2, ...`` where none are given.
    target : int array (n_samples,) or None
        The class of each sample, from 0; -1 for a sample of no class (an outlier, or the class is not known).
    target_names : tuple of str
    images : array (n_samples, height, width) or (n_samples, height, width, 3), or None
        A picture of each sample, grey or RGB: bytes, 0 being black, or floats in [0, 1]. Grey floats are ink, 1 being
        black; `picture` gives any of them as it is shown.
    description : str
        One or two sentences for a person.
    source : str
        Where the data come from, and on what terms.
    notes : tuple of str
        What was done to the data on the way: columns and rows left out and why, departures from a paper.
    sample_names : tuple of str, or None
        The id of each sample, where there are any.
    outliers : bool array (n_samples,) or None
    rows : Rows
        Where each sample came from: its row in the original table, dropped rows known. Where none is given each
        sample is its own row.
    made_from : MadeFrom
        The name and the options that they were loaded by, or the file and the columns.
    meta : DataFrame
        All columns of the original table that are no features (texts, categories, dates, ids, the truth), with one
        row per sample, in the order of `X` and with `index`. It has no columns where there are none.
    text_column : str or None
        The column of `meta` that holds a text to be read for each sample.
    plan : Plan or None
        What became of the columns of the table: roles, missing values, scales. `with_columns` changes it.
    coreset : Coreset or None
        Of which rows of a large file the table is a part, and how many rows each stands for.

    Examples
    --------
    >>> data = Dataset("pair", [[0.0, 1.0], [2.0, 1.0]], target=[0, 1], target_names=("low", "high"))
    >>> data
    <Dataset pair: 2 samples x 2 features; 2 classes: low 1, high 1>
    >>> data.standardized().X
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    name: str
    X: np.ndarray | sparse.csr_array
    feature_names: tuple[str, ...] = ()
    target: np.ndarray | None = None
    target_names: tuple[str, ...] = ()
    images: np.ndarray | None = None
    description: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    sample_names: tuple[str, ...] | None = None
    outliers: np.ndarray | None = None
    rows: Rows = None  # type: ignore[assignment]  # each sample is its own row
    made_from: MadeFrom = field(default_factory=MadeFrom)
    meta: pd.DataFrame = None  # type: ignore[assignment]  # no columns
    text_column: str | None = None
    plan: Plan | None = None
    coreset: Coreset | None = None

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)
        keep("X", checked_features(self.name, self.X))
        n_samples, n_features = self.X.shape
        keep("feature_names", _names(self.feature_names) or tuple(f"x{j + 1}" for j in range(n_features)))
        keep("notes", tuple(self.notes))
        self._check_length("feature_names", self.feature_names, n_features)
        check_scale(self.X, self.feature_names)
        if all_alike(self.X) and ALL_ALIKE not in self.notes:
            keep("notes", (*self.notes, ALL_ALIKE))
        if self.target is not None:
            if not np.issubdtype(np.asarray(self.target).dtype, np.integer):
                raise ValueError(f"{self.name}: target holds class codes from 0; for labels use with_target")
            keep("target", read_only(self.target, int))
            self._check_length("target", self.target, n_samples)
            n_classes = self.target.max(initial=-1) + 1
            keep("target_names", _names(self.target_names) or tuple(str(k) for k in range(n_classes)))
            if self.target.min(initial=0) < -1 or n_classes > len(self.target_names):
                raise ValueError(
                    f"{self.name}: target must lie in -1..{len(self.target_names) - 1} (-1: of no class), "
                    f"one code for each of {self.target_names}"
                )
        elif self.target_names:
            raise ValueError(f"{self.name}: target_names without a target; give both or neither")
        if self.images is not None:
            keep("images", checked_images(self.name, self.images, n_samples))
        if self.rows is None or self.rows.is_itself:
            keep("rows", Rows(np.arange(n_samples), n_samples, is_itself=True))
        if self.rows.n_samples != n_samples:
            raise ValueError(
                f"{self.name}: {n_samples} samples, but the rows of {self.rows.n_samples}; use `subset`, which "
                "keeps the two together"
            )
        if self.sample_names is None and self.rows.ids is not None:
            keep("sample_names", tuple(self.rows.ids[row] for row in self.rows.positions))
        elif self.sample_names is not None:
            keep("sample_names", _names(self.sample_names))
            self._check_length("sample_names", self.sample_names, n_samples)
            keep("rows", self.rows.named(self.sample_names))
        if self.outliers is not None:
            keep("outliers", read_only(self.outliers, bool))
            self._check_length("outliers", self.outliers, n_samples)
        if self.coreset is not None:
            self._check_length("coreset", self.coreset.rows, self.rows.n_rows)
        keep("meta", checked_meta(self.name, self.meta, self.index))
        if self.text_column is not None and self.text_column not in self.meta:
            raise ValueError(f"{self.name}: there is no column {self.text_column!r:.60} of texts in meta")

    def _check_length(self, field: str, values: Sized, expected: int) -> None:
        if len(values) != expected:
            raise ValueError(f"{self.name}: {field} has {len(values)} entries, expected {expected}")

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def sample_weight(self) -> np.ndarray | None:
        """(n_samples,) how many rows of a large file each sample stands for; None where each is one."""
        return None if self.coreset is None else read_only(self.coreset.weights[self.rows.positions], float)

    @property
    def n_classes(self) -> int | None:
        """Number of classes of the truth; None where there is no truth."""
        return None if self.target is None else len(self.target_names)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the content: features, truth, the names of both, which rows they are, and `meta`.

        It is the same in every process and on every platform. What the data are called and where they come from
        does not count.

        >>> iris = Dataset("iris", [[5.1], [4.9]])
        >>> iris.fingerprint == Dataset("flowers", [[5.1], [4.9]], source="a book").fingerprint
        True
        >>> iris.fingerprint == Dataset("iris", [[5.1], [4.8]]).fingerprint
        False
        """
        digest = self._digest_of_features.copy()
        for content in content_of(self.meta):
            digest.update(content)
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        # A digest that is under way can't be sent to another process; the other can be read again there.
        return {k: value for k, value in self.__dict__.items() if k not in ("_digest_of_features", "own_units")}

    @property
    def feature_fingerprint(self) -> str:
        """A digest as `fingerprint`, without `meta`: the same where the same samples would be clustered."""
        return self._digest_of_features.hexdigest()

    @cached_property
    def _digest_of_features(self) -> Any:
        digest, X = hashlib.sha256(), cast(Any, self.X)
        names = (self.feature_names, self.target_names, self.sample_names)
        digest.update(json.dumps([self.X.shape, sparse.issparse(self.X), *names]).encode())
        if sparse.issparse(self.X):
            _digest(digest, X.indptr, "<i8")
            _digest(digest, X.indices, "<i8")
            _digest(digest, X.data, "<f8")
        else:
            _digest(digest, X, "<f8")
        if self.coreset is not None:
            _digest(digest, self.coreset.rows, "<i8")
            _digest(digest, self.coreset.weights, "<f8")
        _digest(digest, self.target, "<i8")
        _digest(digest, self.outliers, "|b1")
        if not self.rows.is_plain:
            _digest(digest, self.rows.positions, "<i8")
            digest.update(json.dumps([str(label) for label in self.rows.index]).encode())
        return digest

    def standardized(self) -> Dataset:
        """The same samples with every feature at mean 0 and variance 1; constant features are 0."""
        if sparse.issparse(self.X):
            raise ValueError(
                f"{self.name} is sparse: subtracting the means would fill it with {self.n_samples} x "
                f"{self.n_features} numbers. Text sets come with rows of unit length already; "
                "to standardise all the same, wrap X.toarray() with load_dataset"
            )
        Z = StandardScaler().fit(self.X, sample_weight=self.sample_weight).transform(self.X)
        Z[:, self.X.max(axis=0) == self.X.min(axis=0)] = 0.0
        rows = replace(self.rows, table=self.table, is_itself=False, reading=None)
        notes = (*self.notes, "features standardised to mean 0 and variance 1")
        data, reading = replace(self, X=Z, rows=rows, notes=notes, plan=self._scaled_plan()), self.rows.reading
        if reading is None or reading.standardized or reading.result != self.fingerprint:
            return data
        reading = replace(reading, standardized=True, result=data.fingerprint)
        return replace(data, rows=replace(rows, reading=reading))

    def _scaled_plan(self) -> Plan | None:
        """The plan that gives the same, where features are columns."""
        if self.plan is None or self.feature_names != tuple(self.plan.columns("feature")):
            return None
        return self.plan.changed(scale="standardise")

    def with_columns(self, **changes: Any) -> Dataset:
        """The same table with other roles of its columns, scales, or ways with missing values.

        Parameters
        ----------
        **changes
            ``roles``, ``missing``, ``scale``, ``metric`` and ``n_components``, as `load_dataset` takes them; what is
            not given stays as it is.

        Examples
        --------
        >>> from cclab import load_dataset
        >>> iris = load_dataset("iris").with_columns(roles={"sepal length (cm)": "ignored"}, scale="robust")
        >>> iris.n_features, iris.n_classes
        (3, 3)
        """
        from cclab.datasets.tables import rebuilt

        return rebuilt(self, **changes)

    def with_target(self, labels: Any, *, outliers: ArrayLike | None = None) -> Dataset:
        """The same samples with another truth: any labels, missing ones (None, NaN) meaning no class.

        Parameters
        ----------
        labels : array-like (n_samples,), or None for no truth
        outliers : bool array-like (n_samples,), optional
        """
        target, target_names = (None, ()) if labels is None else encode(labels)
        changes: dict[str, Any] = {"target": target, "target_names": target_names, "outliers": outliers}
        return replace(self, **changes, rows=replace(self.rows, reading=None))

    def subset(self, samples: ArrayLike) -> Dataset:
        """Some of the samples, in the order given; each still knows its row.

        Parameters
        ----------
        samples : int or bool array-like

        Examples
        --------
        >>> from cclab import load_dataset
        >>> some = load_dataset("iris").subset([100, 149])
        >>> some.target.tolist(), some.index.tolist()
        ([2, 2], [100, 149])
        """
        chosen = np.asarray(samples)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        per_sample: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[chosen]
            for name in ("target", "images", "outliers")
        }
        names = None if self.sample_names is None else tuple(self.sample_names[i] for i in chosen)
        rows = replace(self.rows, table=self.table, is_itself=False).subset(chosen)
        meta = self.meta.iloc[chosen]
        return replace(self, X=self.X[chosen], **per_sample, sample_names=names, rows=rows, meta=meta)

    def picture(self, sample: int) -> np.ndarray:
        """The picture of a sample, as bytes (height, width) or (height, width, 3) that a screen shows: 0 is black."""
        if self.images is None:
            raise ValueError(f"{self.name} has no pictures")
        return light(self.images[sample])

    def text(self, sample: int) -> str:
        """The text of a sample, out of `text_column`; empty where there is none."""
        said = None if self.text_column is None else self.meta[self.text_column].iloc[sample]
        return "" if said is None or said is pd.NA or said != said else str(said)

    # ------------------------------------------------------------------ where samples came from

    @property
    def index(self) -> pd.Index:
        """What each sample is called in the original table: its label in the table's index."""
        return self.rows.index[self.rows.positions]

    @property
    def table(self) -> pd.DataFrame | None:
        """The original table, dropped rows included; of an array its features. None where it is not at hand."""
        if self.rows.is_itself and not sparse.issparse(self.X):
            return pd.DataFrame(self.X, columns=list(self.feature_names), copy=False)
        return self.rows.table

    @cached_property
    def own_units(self) -> pd.DataFrame:
        """The features that were scaled or filled in, as the table has them, for all of its rows."""
        return in_own_units(self.plan, self.rows.table, self.feature_names)

    def by(self, kind: str) -> Finder:
        """Samples named in one way only: by ``"id"``, ``"index"``, ``"row"`` (of the table) or ``"position"``.

        Examples
        --------
        >>> from cclab import ConstraintSet
        >>> data = Dataset("d", [[0.0], [1.0], [5.0]], sample_names=("2", "3", "1"))
        >>> ConstraintSet(3).with_must_link([[1, 2]], by=data.by("id")).to_frame()[["i", "j"]].values.tolist()
        [[0, 2]]
        >>> ConstraintSet(3).with_must_link([[1, 2]], by=data)
        Traceback (most recent call last):
        ...
        ValueError: must_link: 1 could be the id 1 (row 2 of the table) or ... sample 1 (row 1 of the table), which ...
        """
        return self.rows.by(kind)

    @property
    def naming(self) -> str:
        """By what samples are best called outside: "id", else "row", or "position" where the two are the same."""
        return self.rows.naming

    def names_of(self, samples: Iterable[int]) -> list[Any]:
        """What these samples are called, by `naming`."""
        return self.rows.names_of(samples)

    def find(self, entries: Iterable[Any], what: str = "samples", kind: str | None = None) -> np.ndarray:
        """The samples that ids, index labels or numbers name; what could be two of them is refused.

        This is what ``by=data`` asks in `ConstraintSet.with_must_link` and its like.

        Parameters
        ----------
        entries : iterable
        what : str
            What an error is to be about.
        kind : {"id", "index", "row", "position"}, optional
            What the entries are; by default ids, index labels or positions, whichever they can only be.
        """
        return self.rows.find(entries, what, kind)

    def __repr__(self) -> str:
        parts = [f"{self.n_samples} samples x {self.n_features} features" + self._kind()]
        if self.target is not None:
            counts = np.bincount(self.target[self.target >= 0], minlength=len(self.target_names))
            shown = [f"{name} {count}" for name, count in zip(self.target_names[:8], counts)]
            shown += ["..."] if len(self.target_names) > 8 else []
            parts.append(f"{self.n_classes} classes: {', '.join(shown)}")
        if self.outliers is not None:
            parts.append(f"{self.outliers.sum()} outliers")
        if self.notes:
            parts.append(f"{len(self.notes)} note{'s' if len(self.notes) > 1 else ''}")
        return f"<Dataset {self.name}: {'; '.join(parts)}>"

    def _kind(self) -> str:
        if sparse.issparse(self.X):
            return " (sparse)"
        return "" if self.images is None else f" (images of {self.images.shape[1]} x {self.images.shape[2]})"


def _digest(digest: Any, array: np.ndarray | None, dtype: str) -> None:
    """Take an array into a digest, in one byte order; its length first, so that two arrays can't run together."""
    digest.update(b"-" if array is None else str(array.size).encode() + b":")
    if array is not None:
        digest.update(np.ascontiguousarray(array, dtype=dtype).data)


def _names(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)
