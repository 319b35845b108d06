"""What the front door shows: dashboards, teaching notebooks and documents, read from their files."""

import json
from dataclasses import dataclass
from pathlib import Path

from cclab import apps

NOTEBOOKS = Path(__file__).parent / "notebooks"
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


def read_card(path):
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


def cards(folder=NOTEBOOKS):
    """The dashboards of a folder in the order of `cclab.apps`, without those whose app is not built.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of Card
    """
    order = {name: rank for rank, name in enumerate(apps.__all__)}
    shown = [p for p in Path(folder).glob("*.ipynb") if p.stem not in order or apps.is_built(p.stem)]
    return [read_card(p) for p in sorted(shown, key=lambda p: (order.get(p.stem, len(order)), p.stem))]


def teaching_notebooks(folder=CHECKOUT / "notebooks"):
    """File names and titles of the teaching notebooks: `(name, title)` pairs, in order of their names."""
    return [(path.name, _notebook_title(path)) for path in sorted(Path(folder).glob("*.ipynb"))]


def documents(folder=CHECKOUT / "docs"):
    """Names (paths without `.md`) and titles of the documents, as pairs; the index first."""
    folder = Path(folder)
    pairs = [(p.relative_to(folder).with_suffix("").as_posix(), p) for p in sorted(folder.rglob("*.md"))]
    pairs.sort(key=lambda pair: (pair[0] != "index", "/" in pair[0], pair[0]))
    return [(name, _heading(path.read_text(encoding="utf-8")) or name) for name, path in pairs]


def _notebook_title(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and (heading := _heading("".join(cell["source"]))):
            return heading
    return path.stem


def _heading(markdown):
    """First heading of a text in Markdown, or None."""
    return next((line.lstrip("#").strip() for line in markdown.splitlines() if line.startswith("#")), None)
