"""Every Python block of the documents runs, one document a namespace."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
DOCUMENTS = sorted(
    path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    if BLOCK.search(path.read_text())
)


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
