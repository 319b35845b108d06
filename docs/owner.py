"""Carry the repository's address from pyproject.toml to every file that names it: ``python docs/owner.py``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: What names the repository. In pyproject.toml the line `Repository` is read, and all others are written.
FILES = ("pyproject.toml", "README.md", "CITATION.cff", "recipe/recipe.yaml")


def repository() -> str:
    """OWNER/NAME, as pyproject.toml has it."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    return urls["Repository"].removeprefix("https://github.com/")


def carried(text: str) -> str:
    """A text in which every address of the repository is the one of pyproject.toml."""
    owner = repository().partition("/")[0]
    text = re.sub(r"(github\.com/|mybinder\.org/v2/gh/)[\w.-]+/cclab\b", rf"\g<1>{repository()}", text)
    return re.sub(r"https://[\w-]+\.github\.io/cclab\b", f"https://{owner}.github.io/cclab", text)


if __name__ == "__main__":
    for name in FILES:
        path = ROOT / name
        path.write_text(carried(path.read_text(encoding="utf-8")), encoding="utf-8")
