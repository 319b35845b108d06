"""What data were made from: `MadeFrom`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

Value = bool | int | float | str | None


@dataclass(frozen=True)
class MadeFrom:
    """What data were made from in the first place; what was done to them since is in `Dataset.notes`.

    Attributes
    ----------
    name : str
        Of the generator or the named set; "" for one's own data.
    parameters : mapping from str to bool, int, float, str or None
        All options of that name, those that were left at their defaults included.
    file : str
        The name of the file of one's own table; "" where there is none.
    columns : tuple of str
        The columns of that table that are clustered by.

    Examples
    --------
    >>> from cclab import load_dataset
    >>> load_dataset("moons", n_samples=50).made_from.parameters
    {'n_samples': 50, 'noise': 0.08, 'seed': 0}
    """

    name: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    file: str = ""
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        plain = {name: _plain(value) for name, value in self.parameters.items()}
        object.__setattr__(self, "parameters", plain)

    def to_json(self) -> dict[str, Any]:
        """Ready for JSON; what is empty is left out."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> MadeFrom:
        """The inverse of `to_json`, each part checked to be what it claims to be."""
        made = cls(**(written | {"columns": tuple(written.get("columns", ()))}))
        if not all(isinstance(text, str) for text in (made.name, made.file, *made.columns, *made.parameters)):
            raise ValueError("what the data were made from is not said in words")
        for name, value in made.parameters.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"the data were made with {name!r:.40} = {value}, which is no number")
        return made


def _plain(value: Any) -> Value:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, Value) else str(value)
