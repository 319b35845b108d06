"""The original table with what a belief says of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from cclab.core import Partition
from cclab.datasets import Dataset
from cclab.session.subject import Data

NO_NAMES: Mapping[int, str] = MappingProxyType({})


def belief_by_row(
    data: Dataset, belief: Partition, names: Mapping[int, str] = NO_NAMES, *, first: int = 0
) -> pd.DataFrame:
    """One row for each row of the original table, in its order and with its index; dropped rows have empty cells.

    Columns: ``cluster``, ``cluster_name`` where there are `names` (by the number from 0), ``ambiguity``, ``outlier``,
    and the belief itself; of a coreset ``stands_for`` first, the number of rows that each stands for. `first` is what
    clusters are counted from.
    """
    if belief.n_samples != data.n_samples:
        raise ValueError(
            f"this session clusters {belief.n_samples:,} objects that are not the {data.n_samples:,} rows of its data, "
            "so there is no table of rows with their clusters"
        )
    said = belief.to_frame(first=first).rename(columns={"label": "cluster"})
    if names:
        said.insert(1, "cluster_name", said["cluster"].map({first + number: name for number, name in names.items()}))
    if data.sample_weight is not None:
        said.insert(0, "stands_for", data.sample_weight)
    return data.rows.spread(said.astype({"cluster": "Int64", "outlier": "boolean"}))


def table_with_belief(
    data: Data, belief: Partition, names: Mapping[int, str] = NO_NAMES, *, first: int = 0
) -> pd.DataFrame:
    """The original table with the columns of `belief_by_row`, called cclab_... where a name is taken."""
    if not isinstance(data, Dataset):
        raise ValueError(
            f"{data.name} is no table but a {data.kind}: `cclab.images.Regions` reads the belief as regions"
        )
    said, table = belief_by_row(data, belief, names, first=first), data.table
    if table is None:
        table = pd.DataFrame({} if data.rows.ids is None else {"id": data.rows.ids}, index=said.index)
    taken = set(table.columns)
    return pd.concat([table, said.rename(columns=lambda name: f"cclab_{name}" if name in taken else name)], axis=1)
