"""What the front door shows: dashboards, teaching notebooks and documents, read from their files."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cclab import apps

NOTEBOOKS = Path(apps.__file__).parent / "notebooks"
#: The folder that holds `notebooks/` and `docs/` in a checkout; an installed wheel has neither.
CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Card:
    """One dashboard on the gallery page; its texts live in the notebook's own metadata.

    Attributes
    ----------
    name : str
        Stem of the notebook, of its picture and of the app.
    title, description, hint : str
    """

    name: str
    title: str
    description: str = ""
    hint: str = ""


def read_card(path: Path) -> Card:
    """The card of one notebook.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Card
    """
    metadata = json.loads(path.read_text(encoding="utf-8")).get("metadata", {})
    texts = metadata.get("cclab", {})
    return Card(path.stem, metadata.get("title", path.stem), texts.get("description", ""), texts.get("hint", ""))


def cards(folder: Path = NOTEBOOKS) -> list[Card]:
    """The dashboards of a folder in the order of `cclab.apps`, without those whose app is not built.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of Card
    """
    return [read_card(Path(folder) / f"{name}.ipynb") for name in names(folder)]


def names(folder: Path = NOTEBOOKS) -> list[str]:
    """Names of the dashboards that can be opened, in the order of `cards`: no other is taken from a visitor."""
    order = {name: rank for rank, name in enumerate(apps.__all__)}
    found = [path.stem for path in Path(folder).glob("*.ipynb")]
    shown = [name for name in found if name not in order or apps.is_built(name)]
    return sorted(shown, key=lambda name: (order.get(name, len(order)), name))


def recent_sessions(visitors: Mapping[str, str], most: int = 8) -> list[dict[str, Any]]:
    """What a visitor has worked on last, in all dashboards.

    Parameters
    ----------
    visitors : dict
        The visitor's id in each app, as their browser keeps them.
    most : int

    Returns
    -------
    list of dict
        Title and words of each session, and the address that opens it.
    """
    from cclab.apps.page.recent import named, when
    from cclab.apps.page.visitor_store import VisitorStore

    found = []
    for app, visitor in visitors.items():
        for slot in ("page", "ask_me") if app == "workbench" else ("page",):
            where = "ask_me" if slot == "ask_me" else app
            if where in apps.__all__:
                found += [(entry, where) for entry in VisitorStore(app, visitor, slot).entries() if not entry.trouble]
    found.sort(key=lambda pair: pair[0].seen, reverse=True)
    return [
        {
            "title": named(entry.name),
            "address": f"open/{where}?session={entry.id}",
            "app": where.replace("_", " ").capitalize(),
            "solver": "" if entry.about is None else entry.about.solver,
            "statements": 0 if entry.about is None else entry.about.n_statements,
            "when": when(entry.seen, time.time()),
            "in_use": entry.in_use,
        }
        for entry, where in found[:most]
    ]


def teaching_notebooks(folder: Path = CHECKOUT / "notebooks") -> list[tuple[str, str]]:
    """File names and titles of the teaching notebooks: `(name, title)` pairs, in order of their names."""
    return [(path.name, _notebook_title(path)) for path in sorted(Path(folder).glob("*.ipynb"))]


def documents(folder: Path = CHECKOUT / "docs") -> list[tuple[str, str]]:
    """Names (paths without `.md`) and titles of the documents, as pairs; the index first."""
    folder = Path(folder)
    pairs = [(p.relative_to(folder).with_suffix("").as_posix(), p) for p in sorted(folder.rglob("*.md"))]
    pairs.sort(key=lambda pair: (pair[0] != "index", "/" in pair[0], pair[0]))
    return [(name, _heading(path.read_text(encoding="utf-8")) or name) for name, path in pairs]


def site() -> Path | None:
    """The folder of the documents that ``make docs`` built: in the package, or in a checkout; None where none is."""
    built = (Path(__file__).parent / "site", CHECKOUT / "docs" / "_build" / "html")
    return next((folder for folder in built if (folder / "index.html").exists()), None)


def file_of_site(folder: Path, name: str) -> Path | None:
    """A file of the built documents by its address below them; None for anything outside, or that is not there."""
    if "\0" in name:
        return None
    folder = folder.resolve()
    path = (folder / (name or "index.html")).resolve()
    return path if path.is_relative_to(folder) and path.is_file() else None


def pictures(folder: Path = CHECKOUT / "docs") -> dict[str, Path]:
    """The pictures of the documents: files by their names below the folder."""
    endings = {".png", ".svg", ".jpg", ".webp"}
    return {p.relative_to(folder).as_posix(): p for p in Path(folder).rglob("*") if p.suffix in endings}


def _notebook_title(path: Path) -> str:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and (heading := _heading("".join(cell["source"]))):
            return heading
    return path.stem


def _heading(markdown: str) -> str | None:
    """First heading of a text in Markdown, or None."""
    return next((line.lstrip("#").strip() for line in markdown.splitlines() if line.startswith("#")), None)
