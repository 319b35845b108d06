"""What a person does with a file of each kind, and whether what comes of it is well.

A reader gives a valid object, or raises ValueError or OSError in words that name the file.
"""

import json
import logging
import os
import warnings
from pathlib import Path

import numpy as np

from cclab import ConstraintSet, Session, load_dataset
from cclab.apps.page import loading as opening
from cclab.apps.painter.painter import open_journal, session_on
from cclab.apps.painter.painter import read_file as read_painting
from cclab.datasets import Dataset
from cclab.images import Recipe, load_image

LONGEST_SENTENCE = 1000
logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # what it says is in the words, too


def read(kind: str, name: str, content: bytes, folder: Path) -> tuple[str, str | None]:
    """How reading a file ended ("read" or "refused"), and what is wrong with that, if anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[kind](name, content, folder)
        except (ValueError, OSError) as error:
            return "refused", _wrong_words(error, name if kind not in NAMELESS else "")
        except AssertionError as error:
            return "read", f"not valid: {error}"
        except BaseException as error:
            return "raised", f"{type(error).__name__}: {error!s:.200}"
    return "read", None


def _wrong_words(error, name):
    words, cause = str(error), error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return f"the memory was full before it was refused: {words:.200}"
        cause = cause.__cause__ or cause.__context__
    if Path(name).stem not in words:
        return f"the words don't name {name}: {words:.200}"
    if len(words) > LONGEST_SENTENCE or "object at 0x" in words or len(words) < 10:
        return f"no words for a person: {words:.200}"
    return None


def _read_table(name, content, folder):
    _check(opening.read_file(name, content))


def _read_constraints(name, content, folder):
    if name.endswith(".json"):
        _check(ConstraintSet.from_json(_document(content)))
        return
    found = opening.read_file(name, content)
    _check(found if isinstance(found, Dataset | Session) else ConstraintSet.from_frame(found, 60))


def _read_painting(name, content, folder):
    _check(read_painting(name, content))


def _read_picture(name, content, folder):
    picture = load_image(content, filename=name)
    assert np.isfinite(picture.pixels).all(), "pixels"
    _check(read_painting(name, content))


def _read_recipe(name, content, folder):
    painting = _phantom()
    painting.left_of(Recipe.from_json(_document(content)))


def _read_journal(name, content, folder, read=Session.open):
    place = folder / name
    place.mkdir(exist_ok=True)
    for file in place.iterdir():
        file.unlink()
    data, _, lines = content.partition(b"\n")
    (place / "data.json").write_bytes(data)
    (place / "journal.jsonl").write_bytes(lines)
    session = read(place)
    try:
        _check(session)
    finally:
        session.close()


def _read_painting_journal(name, content, folder):
    _read_journal(name, content, folder, open_journal)


def _read_from_folder(name, content, folder):
    os.environ["CCLAB_DATA"] = str(folder)
    (folder / name).write_bytes(content)
    entry = {"name": Path(name).stem, "file": name}
    (folder / "datasets.json").write_text(json.dumps({"datasets": [entry]}))
    try:
        _check(load_dataset(entry["name"]))
    finally:
        del os.environ["CCLAB_DATA"]


def _check(found):
    """Use what was read: a broken object that looks whole is found out here."""
    if isinstance(found, Dataset):
        X = found.X if isinstance(found.X, np.ndarray) else found.X.toarray()
        assert np.isfinite(X).all(), "features"
    elif isinstance(found, Session):
        labels = found.labels
        assert labels.shape == (found.problem.n_samples,), "labels"
        json.dumps(found.to_json())
        repr(found)
    elif isinstance(found, ConstraintSet):
        found.to_frame()
        found.conflicts()
    else:
        raise AssertionError(f"a {type(found).__name__}")


def _document(content):
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply to be JSON") from None


def _phantom():
    global _picture
    if _picture is None:
        _picture = session_on(load_image("phantom")).data
    return _picture


_picture = None

READERS = {
    "table": _read_table,
    "constraints": _read_constraints,
    "session": _read_table,
    "painting": _read_painting,
    "journal": _read_journal,
    "painting journal": _read_painting_journal,
    "picture": _read_picture,
    "recipe": _read_recipe,
    "folder": _read_from_folder,
}
#: Kinds that are read out of what is in memory, without a name.
NAMELESS = {"constraints", "recipe"}
