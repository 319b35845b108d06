"""Every Python block of the documents runs, one document a namespace; every link leads somewhere."""

import re
from pathlib import Path

import pytest

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.core.registry import solvers

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#\s]+)")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
DOCUMENTS = [path for path in PAGES if BLOCK.search(path.read_text())]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    text = path.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1))
        # Blank lines in front make a traceback name the line of the document.
        exec(compile("\n" * line + match[1], str(path), "exec"), namespace)


def test_there_are_documents():
    assert ROOT / "README.md" in DOCUMENTS


def links_of(path):
    """Files that a document points at."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    return [(path.parent / link).resolve() for link in LINK.findall(text) if "://" not in link]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    assert [link for link in links_of(path) if not link.exists()] == []


def test_the_index_leads_to_every_page():
    pages = {path for path in (ROOT / "docs").rglob("*.md") if path.name != "index.md"}
    assert pages - set(links_of(ROOT / "docs/index.md")) == set()


def test_readme_leads_to_every_notebook_and_solver():
    readme = (ROOT / "README.md").read_text()
    assert set((ROOT / "notebooks").glob("*.ipynb")) <= set(links_of(ROOT / "README.md"))
    assert [name for name in solvers.names() if f"`{name}`" not in readme] == []
