"""Features as people know them: in the units of their table, without what was filled in."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from cclab.datasets.columns.kinds import typed
from cclab.datasets.columns.plan import Plan


def in_own_units(plan: Plan | None, table: pd.DataFrame | None, features: Collection[str]) -> pd.DataFrame:
    """The columns of a table that are features in another scale, or with values filled in, as the numbers there.

    Parameters
    ----------
    plan : Plan or None
    table : DataFrame or None
        All rows of it are in what is returned.
    features : collection of str
        Their names; a column that became several features is none of them.
    """
    if plan is None or table is None:
        return pd.DataFrame()
    changed = [
        name
        for name in plan.columns("feature")
        if name in features and (plan.scale.get(name, "none") != "none" or plan.missing.get(name, "drop") != "drop")
    ]
    return typed(table)[0][changed].select_dtypes("number") if changed else pd.DataFrame()
