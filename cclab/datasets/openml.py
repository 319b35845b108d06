"""Data sets fetched from OpenML; scikit-learn keeps what was fetched once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import fetch_openml

from cclab.datasets.classes import encode
from cclab.datasets.dataset import Dataset


@dataclass(frozen=True)
class OpenML:
    """Where a data set is on OpenML, and how its classes there translate into ours."""

    data_id: int
    target_column: str = "default-target"
    classes: tuple[str, ...] = ()  # only samples of these classes; empty: all
    rename: dict[str, str] = field(default_factory=dict)


OPENML = {
    "glass": OpenML(
        41,
        rename={
            "build wind float": "1",
            "build wind non-float": "2",
            "vehic wind float": "3",
            "containers": "5",
            "tableware": "6",
            "headlamps": "7",
        },
    ),
    "ionosphere": OpenML(59),
    "ecoli": OpenML(39),
    "sonar": OpenML(40, rename={"Rock": "R", "Mine": "M"}),
    "heart_statlog": OpenML(53),
    "balance_scale": OpenML(11),
    "letters_ab": OpenML(6, classes=("A", "B")),
    "letters_ijl": OpenML(6, classes=("I", "J", "L")),
    "libras": OpenML(299, target_column="class"),
    "pima_diabetes": OpenML(37, rename={"tested_negative": "0", "tested_positive": "1"}),
    "tr11": OpenML(387),
    "tr12": OpenML(397),
    "tr23": OpenML(388),
}


def load_from_openml(name: str) -> Dataset:
    """A data set of the table above, over the network or out of scikit-learn's cache."""
    entry = OPENML[name]
    bunch = fetch_openml(data_id=entry.data_id, target_column=entry.target_column, n_retries=1)
    X = bunch.data if sparse.issparse(bunch.data) else bunch.data.apply(pd.to_numeric).to_numpy(float)
    codes, names = encode(bunch.target)
    labels = np.array([entry.rename.get(label.strip("'\""), label) for label in names])[codes]
    if entry.classes:
        chosen = np.isin(labels, entry.classes)
        X, labels = X[chosen], labels[chosen]
    target, target_names = encode(labels)
    return Dataset(
        name=name,
        X=X,
        feature_names=tuple(bunch.feature_names),
        target=target,
        target_names=target_names,
        source=f"OpenML data set {entry.data_id}",
    )
