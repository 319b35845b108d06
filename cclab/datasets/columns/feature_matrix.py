"""From columns to features: numbers, dates, categories, vectors, texts and pictures, by a `Plan`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import normalize

from cclab.core.words import counted
from cclab.datasets.columns.missing import Filled, fill
from cclab.datasets.columns.plan import MATRIX, Plan
from cclab.datasets.columns.thumbnails import pixels

#: From so many features on they are reduced, to so many.
HUNDREDS, FEW_FEATURES = 200, 50
_MOST_LEVELS = 200
_MOST_WORDS = 20_000
# A matrix of zeros and a few numbers is written out up to so many cells.
_MOST_CELLS = 50_000_000
# Cells of which all singular values are worked out to find the largest.
_MOST_EXACT = 1_000_000


@dataclass(frozen=True)
class Features:
    """What samples are clustered by.

    Attributes
    ----------
    X : array or CSR array (n_samples, n_features)
    names : tuple of str
    keep : int array (n_samples,)
        The row of each sample.
    notes : tuple of str
    derived : bool
        Whether numbers come from texts, pictures or a reduction, so that other machines may differ in their last digit.
    filled : Filled
        What became of missing values.
    """

    X: Any
    names: tuple[str, ...]
    keep: np.ndarray
    notes: tuple[str, ...]
    derived: bool
    filled: Filled


@dataclass
class Columns:
    """A table that is ready to be made features of.

    Attributes
    ----------
    frame : DataFrame
        As `typed` gives it.
    kinds : mapping from column to kind
    matrix : array or CSR array (n_rows, d), or None
        Numbers that are in no column: an array, or a file of vectors.
    matrix_names : tuple of str
    thumbnails : array (n_rows, height, width[, 3]) or None
    broken : mapping from row to str
        Pictures that can't be read.
    embedded : array (n_rows, d), or None
        What a person's own function made of the pictures or texts.
    weights : array (n_rows,) or None
        How many rows each stands for, where columns are scaled.
    """

    frame: pd.DataFrame
    kinds: Mapping[str, str]
    matrix: Any = None
    matrix_names: tuple[str, ...] = ()
    thumbnails: np.ndarray | None = None
    broken: Mapping[int, str] = field(default_factory=dict)
    embedded: np.ndarray | None = None
    file: str = "the table"
    weights: np.ndarray | None = None


def make_features(columns: Columns, plan: Plan) -> Features:
    """The features of a plan.

    Raises
    ------
    ValueError
        There is nothing to cluster by, or too little is left; the words name the column.
    """
    frame, kinds = columns.frame, columns.kinds
    chosen = [name for name in plan.columns("feature") if name != MATRIX]
    numeric = [name for name in chosen if kinds[name] in ("number", "date")]
    vectors = [name for name in chosen if kinds[name] == "vector"]
    categories = [name for name in chosen if kinds[name] in ("category", "name")]
    texts = [name for name in chosen if kinds[name] == "text"]
    by_matrix = columns.matrix is not None and plan.roles.get(MATRIX, "feature") == "feature"
    by_pictures = any(kinds[name] == "picture" for name in chosen)
    unusable = [name for name in chosen if kinds[name] in ("other", "empty")]
    if unusable:
        raise ValueError(f"column {unusable[0]!r} can't be a feature: it is {_called(kinds[unusable[0]])}")
    notes: list[str] = []
    if not (chosen or by_matrix):
        if columns.embedded is not None:
            pass
        elif columns.thumbnails is not None and plan.columns("picture"):
            by_pictures = True
        elif plan.columns("text"):
            texts = plan.columns("text")[:1]
        else:
            raise ValueError(_nothing(columns, plan))

    filled = fill(
        {name: _as_floats(frame[name]) for name in numeric},
        {name: how for name, how in plan.missing.items() if name in numeric},
        _rows_without(columns, vectors, by_pictures),
        len(frame),
        columns.file,
        columns.weights,
    )
    keep = filled.keep
    notes += filled.notes
    blocks: list[Any] = []
    names: list[str] = []

    def add(block: Any, called: list[str]) -> None:
        blocks.append(block)
        names.extend(called)

    if numeric:
        w = None if columns.weights is None else columns.weights[keep]
        values = np.column_stack([_scaled(n, filled.columns[n], plan.scale.get(n, "none"), w) for n in numeric])
        add(values, numeric)
    if by_matrix:
        called = list(columns.matrix_names) or [f"x{j + 1}" for j in range(columns.matrix.shape[1])]
        scale, block = plan.scale.get(MATRIX, "none"), columns.matrix[keep]
        add(block if scale == "none" else _scaled_block(MATRIX, block, scale), called)
    for name in vectors:
        values = _stacked(frame[name].iloc[keep], name)
        values = _scaled_block(name, values, plan.scale.get(name, "none"))
        add(values, [f"{name} {j + 1}" for j in range(values.shape[1])])
    for name in categories:
        add(*_one_hot(name, frame[name].iloc[keep], notes))
    if columns.embedded is not None:
        add(columns.embedded[keep], [f"embedding {j + 1}" for j in range(columns.embedded.shape[1])])
    n_plain = len(blocks)
    for name in texts:
        add(*_words_of(name, frame[name].iloc[keep], notes))
    if by_pictures and columns.thumbnails is not None:
        add(*_pixels_of(columns.thumbnails[keep], notes))
    X = _joined(blocks, columns.file)
    if plan.metric == "cosine":
        X = normalize(X)
        notes.append("rows scaled to length 1: distances follow cosines")
    X, names, reduced = _reduced(X, names, plan.n_components, notes)
    return Features(X, tuple(names), keep, tuple(notes), reduced or len(blocks) > n_plain, filled)


def _called(kind: str) -> str:
    return "empty" if kind == "empty" else "neither numbers nor words"


def _nothing(columns: Columns, plan: Plan) -> str:
    there = ", ".join(repr(str(name)[:60]) for name in list(columns.frame)[:10])
    return (
        f"{columns.file} has no numeric column to cluster by, and no texts, vectors or pictures. Its columns: {there}; "
        "check the separator and the decimal sign, or give one of them the role 'feature'"
    )


def _rows_without(columns: Columns, vectors: Iterable[str], by_pictures: bool) -> dict[str, np.ndarray]:
    """Rows that lack something that nothing can fill in, by reason."""
    lacking = {name: columns.frame[name].isna().to_numpy() for name in vectors}
    if by_pictures and columns.broken:
        missing = np.zeros(len(columns.frame), dtype=bool)
        missing[list(columns.broken)] = True
        lacking["picture"] = missing
    return lacking


def _as_floats(values: pd.Series) -> np.ndarray:
    if values.dtype.kind == "M":
        days = (values - values.min()) / pd.Timedelta(days=1)
        return days.to_numpy(dtype=float)
    return values.to_numpy(dtype=float, na_value=np.nan)


def _scaled(name: str, values: np.ndarray, scale: str, weights: np.ndarray | None = None) -> np.ndarray:
    match scale:
        case "standardise":
            mean, spread = _mean_and_spread(values, weights)
            return (values - mean) / (spread or 1) if values.max() > values.min() else np.zeros_like(values)
        case "robust":
            how: dict[str, Any] = {} if weights is None else {"weights": weights, "method": "inverted_cdf"}
            low, middle, high = np.percentile(values, [25, 50, 75], **how)
            return (values - middle) / ((high - low) or values.std() or 1)
        case "log":
            if values.min() <= -1:
                raise ValueError(
                    f"column {name!r} can't be scaled by log: it holds {values.min():g}, and log needs x > -1"
                )
            return np.log1p(values)
    return values


def _mean_and_spread(values: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
    if weights is None:
        return float(values.mean()), float(values.std())
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _scaled_block(name: str, block: Any, scale: str) -> Any:
    if scale == "none":
        return block
    if sparse.issparse(block):
        if scale == "log" and (not block.nnz or block.data.min() > -1):
            block = block.copy()
            block.data = np.log1p(block.data)
            return block
        raise ValueError(f"{name!r} is sparse: only scale='log' (of values above -1) keeps it so")
    return np.column_stack([_scaled(name, column, scale) for column in block.T])


def _stacked(cells: pd.Series, name: str) -> np.ndarray:
    """Vectors as rows; all of one length."""
    length = len(cells.iloc[0]) if len(cells) else 0
    for row, cell in zip(cells.index, cells):
        if len(cell) != length:
            raise ValueError(f"column {name!r}: the vector of row {row} has {len(cell)} numbers, others have {length}")
    try:
        values = np.array([np.asarray(cell, dtype=float) for cell in cells])
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} holds vectors with something that is no number") from None
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise ValueError(f"column {name!r}: the vector of row {cells.index[bad[0]]} has missing or infinite numbers")
    return values


def _one_hot(name: str, values: pd.Series, notes: list[str]) -> tuple[np.ndarray, list[str]]:
    levels = sorted(values.dropna().astype(str).unique())
    if len(levels) > _MOST_LEVELS:
        raise ValueError(f"column {name!r} has {len(levels):,} different words, too many for one feature each")
    words = values.astype(str).where(values.notna(), None).to_numpy(dtype=object)
    notes.append(f"column {name!r} as {counted(len(levels), 'feature')}, one for each word (1 or 0)")
    return np.column_stack([(words == level).astype(float) for level in levels]), [f"{name}={v}" for v in levels]


def _words_of(name: str, values: pd.Series, notes: list[str]) -> tuple[np.ndarray, list[str]]:
    """Texts by the words in them: TF-IDF, then a truncated singular value decomposition."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = values.astype(str).where(values.notna(), "").tolist()
    rare = 2 if len(texts) >= 50 else 1
    vectorizer = TfidfVectorizer(max_features=_MOST_WORDS, min_df=rare, max_df=0.5, sublinear_tf=True)
    try:
        weights = vectorizer.fit_transform(texts)
    except ValueError:
        try:
            weights = TfidfVectorizer(max_features=_MOST_WORDS, token_pattern=r"(?u)\S+").fit_transform(texts)
        except ValueError:
            raise ValueError(f"column {name!r} has no words in it to cluster by") from None
    n_components = min(FEW_FEATURES, weights.shape[1] - 1, len(texts) - 1)
    said = f"column {name!r} by its words: TF-IDF of {weights.shape[1]:,} words"
    if n_components < 2:
        notes.append(said)
        return weights.toarray(), [f"{name} {j + 1}" for j in range(weights.shape[1])]
    reduced = normalize(TruncatedSVD(n_components, random_state=0).fit_transform(weights))
    notes.append(f"{said}, reduced to {n_components} features of length 1 together")
    return reduced, [f"{name} {j + 1}" for j in range(n_components)]


def _pixels_of(thumbnails: np.ndarray, notes: list[str]) -> tuple[np.ndarray, list[str]]:
    values = pixels(thumbnails)
    n_components = min(FEW_FEATURES, values.shape[1], len(values) - 1)
    if n_components >= values.shape[1] or n_components < 1:
        return values.astype(float), [f"pixel {j + 1}" for j in range(values.shape[1])]
    found = PCA(n_components, svd_solver="randomized", random_state=0).fit_transform(values)
    notes.append(f"pictures by PCA of their {values.shape[1]:,} pixels: {n_components} features")
    return found.astype(float), [f"picture {j + 1}" for j in range(n_components)]


def _joined(blocks: list[Any], file: str) -> Any:
    if len(blocks) == 1:
        return blocks[0]
    cells = sum(block.shape[0] * block.shape[1] for block in blocks)
    if any(map(sparse.issparse, blocks)) and cells > _MOST_CELLS:
        return sparse.hstack([sparse.csr_array(block) for block in blocks]).tocsr()
    return np.column_stack([block.toarray() if sparse.issparse(block) else block for block in blocks])


def _reduced(X: Any, names: list[str], n_components: Any, notes: list[str]) -> tuple[Any, list[str], bool]:
    n_features = X.shape[1]
    auto = n_components == "auto"
    wanted = (FEW_FEATURES if n_features >= HUNDREDS else 0) if auto else n_components
    wanted = min(wanted, n_features, X.shape[0] - 1)
    if wanted < 1 or wanted == n_features:
        return X, names, False
    if sparse.issparse(X):
        model, how = TruncatedSVD(wanted, random_state=0), "truncated SVD"
    else:
        large = min(X.shape) > 500 or X.size > _MOST_EXACT
        model, how = PCA(wanted, svd_solver="randomized" if large else "full", random_state=0), "PCA"
    reduced = model.fit_transform(X)
    kept = float(np.sum(model.explained_variance_ratio_))
    undo = "; n_components=0 (All features, in Columns) clusters by all of them" if auto else ""
    notes.append(
        f"{n_features:,} features reduced to {wanted} by {how}, which keeps {kept:.0%} of their variance{undo}"
    )
    return reduced, [f"{'PC' if how == 'PCA' else 'SV'} {j + 1}" for j in range(wanted)], True
