"""The teaching notebooks as pages of the site: run once, with pictures where a dashboard would be.

A dashboard needs a kernel, which a site has not; its picture stands in its place. What was run is kept, and run again
when the notebook or cclab has changed.
"""

from __future__ import annotations

import base64
import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
PROJECT = HERE.parent
WIDGET = "application/vnd.jupyter.widget-view+json"
#: Which picture stands for which dashboard, by the function that a cell calls.
PICTURES = {
    "workbench": "workbench-light.png",
    "painter": "painter.png",
    "ask_me": "ask-me.png",
    "how_many": "how-many.png",
    "credal_explained": "credal.png",
    "compare": "compare.png",
}


def write_notebooks(folder: Path) -> None:
    """Run each teaching notebook of the project and write it to a folder, unless it is there as it would be."""
    folder.mkdir(exist_ok=True)
    sources = sorted((PROJECT / "notebooks").glob("*.ipynb"))
    for stale in set(folder.glob("*.ipynb")) - {folder / source.name for source in sources}:
        stale.unlink()
    code = _digest(sorted((PROJECT / "cclab").rglob("*.py")))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda source: _write(source, folder / source.name, code), sources))


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _write(source: Path, target: Path, code: str) -> None:
    made_from = _digest([source]) + code
    if target.exists() and nbformat.read(target, 4).metadata.get("made_from") == made_from:
        return
    notebook = nbformat.read(source, 4)
    for cell in notebook.cells:  # the documents are one folder up, once they are a site
        cell.source = cell.source.replace("](../docs/", "](../") if cell.cell_type == "markdown" else cell.source
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(source.parent)}}).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if WIDGET in output.get("data", {}):
                output.data = _instead_of_a_widget(cell.source)
    notebook.metadata.pop("widgets", None)
    notebook.metadata.made_from = made_from
    nbformat.write(notebook, target)


def _instead_of_a_widget(source: str) -> dict[str, str]:
    """What stands where a cell would show a widget: the picture of the dashboard that it opens, or a word."""
    for name in re.findall(r"(\w+)\(", source):
        if name in PICTURES:
            return {"image/png": base64.b64encode((HERE / "images" / PICTURES[name]).read_bytes()).decode()}
    return {"text/plain": "(A widget: open the notebook to touch it.)"}
