"""Data sets by name: which there are, where each comes from now, and how to load it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from http.client import HTTPException
from typing import Any

import pandas as pd

from cclab.core.words import did_you_mean
from cclab.datasets.bundled import BUNDLED, load_bundled
from cclab.datasets.dataset import Dataset
from cclab.datasets.derived import DERIVED
from cclab.datasets.folder import data_folder, folder_index, load_from_folder
from cclab.datasets.generators import GENERATORS
from cclab.datasets.made_from import MadeFrom
from cclab.datasets.openml import OPENML, load_from_openml
from cclab.datasets.published import PUBLISHED, as_published

# Names are shorter than this; what is longer is not compared with them letter by letter.
_LONGEST = 80
_ALIASES = {"breast_cancer": "wdbc"}


def known_name(text: str) -> str:
    """The name of the data set that a person means by `text`: case, blanks and hyphens do not matter."""
    name = text.strip().lower().replace(" ", "_").replace("-", "_")
    name = _ALIASES.get(name, name)
    if name in GENERATORS or name in PUBLISHED or name in DERIVED:
        return name
    if text in folder_index():
        return text
    hint = did_you_mean(repr(name), map(repr, [*_names(), *_ALIASES]))
    raise ValueError(
        f"there is no data set called {text[:_LONGEST]!r}{f'; {hint}' if hint else '.'} cclab.datasets.list_datasets() "
        f"lists all names; for a file of that name write './{text[:_LONGEST]}'"
    )


def load_named(name: str, **options: Any) -> Dataset:
    """The data set of a known name; options are those of its generator or of its kind of data."""
    if name in GENERATORS:
        make = GENERATORS[name]
    elif name in DERIVED:
        make = partial(DERIVED[name].make, load_named(DERIVED[name].base))
    else:
        prepare = PUBLISHED[name].prepare if name in PUBLISHED else as_published
        make = partial(prepare, _load_published(name))
    signature = inspect.signature(make)
    accepted = list(signature.parameters)
    for option in options:
        if option not in accepted:
            takes = f"it takes {', '.join(accepted)}" if accepted else "it takes none"
            raise ValueError(f"{name!r} has no option {option!r}; {takes}")
    given = signature.bind(**options)
    given.apply_defaults()
    return replace(make(**options), made_from=MadeFrom(name, given.arguments))


def list_datasets() -> pd.DataFrame:
    """Every data set that has a name: one row each.

    Returns
    -------
    DataFrame with the columns ``name``; ``n``, ``p``, ``classes``: number of samples, features and classes
    (for the generators as they come, without options); ``source``: where it would be loaded from now;
    ``available``: whether it can be loaded without the network.
    """
    available = at_hand()
    rows = [(name, *_size(name), _source(name), name in available) for name in _names()]
    frame = pd.DataFrame(rows, columns=["name", "n", "p", "classes", "source", "available"])
    return frame.astype({"n": "Int64", "p": "Int64", "classes": "Int64"})


def at_hand() -> dict[str, str]:
    """The names of all data sets that can be loaded without the network, each with its source."""
    sources = {name: _source(name) for name in _names()}
    return {name: source for name, source in sources.items() if source in _AT_HAND}


_GENERATED, _SCIKIT_LEARN, FOLDER, _NOWHERE = "generated", "scikit-learn", "folder", "only in a folder"
_AT_HAND = {_GENERATED, _SCIKIT_LEARN, FOLDER}


def _names() -> list[str]:
    return list(dict.fromkeys([*GENERATORS, *PUBLISHED, *DERIVED, *folder_index()]))


def _source(name: str) -> str:
    if name in GENERATORS:
        return _GENERATED
    if name in DERIVED:
        return _source(DERIVED[name].base)
    # A name means the same data everywhere: a folder adds to what is bundled and never takes its place.
    if name in BUNDLED:
        return _SCIKIT_LEARN
    if name in folder_index():
        return FOLDER
    return f"OpenML {OPENML[name].data_id}" if name in OPENML else _NOWHERE


def _size(name: str) -> tuple[int | None, int | None, int | None]:
    if name in GENERATORS:
        stated: Any = GENERATORS[name]()
    elif name in DERIVED or name in PUBLISHED:
        stated = DERIVED.get(name) or PUBLISHED[name]
    else:
        entry = folder_index()[name]
        return entry.get("n"), entry.get("d"), entry.get("classes")
    return stated.n_samples, stated.n_features, stated.n_classes


def _load_published(name: str) -> Dataset:
    data = _fetch(name)
    if name not in PUBLISHED:
        return data
    facts = PUBLISHED[name]
    found = (data.n_samples, data.n_features, data.n_classes)
    stated = (facts.n_samples, facts.n_features, facts.n_classes)
    if found != stated:
        raise ValueError(
            f"{name!r} ({data.source}) is another version: it has {found} samples, features and classes, "
            f"where {stated} is known. Put the known one into a folder and set CCLAB_DATA to it"
        )
    return replace(
        data,
        description=facts.description,
        source=f"{facts.citation}; {data.source}",
        notes=(*facts.notes, *data.notes),
    )


def _fetch(name: str) -> Dataset:
    source = _source(name)
    if source == _SCIKIT_LEARN:
        return load_bundled(name)
    if source == FOLDER:
        return load_from_folder(name)
    folder = data_folder()
    tried = "CCLAB_DATA names no folder" if folder is None else f"the index of {folder} does not list it"
    advice = "Set CCLAB_DATA to a folder that has it"
    if source == _NOWHERE:
        raise FileNotFoundError(
            f"{name!r} is not on this machine: {tried}, and neither scikit-learn nor OpenML has it. {advice}"
        )
    try:
        return load_from_openml(name)
    except (OSError, HTTPException) as error:
        raise ConnectionError(
            f"{name!r} is not on this machine: {tried}, and {source} could not be reached ({error}). "
            f"{advice}, or get online and try again"
        ) from None
