"""How the documents become a site: ``make docs``. Nothing in it is fetched from elsewhere when it is read."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from docstrings import complete  # noqa: E402
from notebook_pages import write_notebooks  # noqa: E402

#: Files beside this folder, and the pages that show them.
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
    "notebooks)": "notebooks.md)",
}
#: Rooms with names that people import; a name is described under the first that has it.
ROOMS = {
    "cclab": "Solvers, constraints, sessions, data: what most people need",
    "cclab.core": "Constraints, problems, beliefs, states, and the protocol of solvers",
    "cclab.queries": "Strategies that choose questions",
    "cclab.reach": "What links say beyond the samples that they name",
    "cclab.oracles": "Who answers, how sure, and what if they are wrong",
    "cclab.datasets": "Data sets: known ones, files, frames",
    "cclab.images": "Pictures, strokes, regions",
    "cclab.session": "Sessions: steps, statements, undo, files",
    "cclab.studies": "Experiments in which the truth answers",
    "cclab.compat": "Names and calls of active-semi-supervised-clustering",
    "cclab.apps": "The dashboards, as functions",
}

project = "cclab"
author = "The cclab developers"
project_copyright = author
version = release = version_of("cclab")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"

autodoc_typehints = "none"  # the sections of the docstrings say what parameters are
autosummary_generate = True
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "cclab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "cclab"},
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}


def write_pages(app: Sphinx, config: Config) -> None:
    """What is made rather than written: the reference and the notebooks."""
    write_reference(HERE / "api")
    write_notebooks(HERE / "notebooks")


def write_reference(folder: Path) -> None:
    """A page for each room, from what it says is public, so that no name can be forgotten."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    seen: set[str] = set()
    for room, words in ROOMS.items():
        public = importlib.import_module(room).__all__
        listed = "\n".join(f"   {name}" for name in sorted(set(public) - seen))
        above = ", ".join(f"`{name}`" for name in sorted(set(public) & seen))
        also = f"Also here, described under `cclab`: {above}.\n\n" if above else ""
        (folder / f"{room}.md").write_text(
            f"# {room}\n\n{words}.\n\n{also}```{{eval-rst}}\n.. currentmodule:: {room}\n\n"
            f".. autosummary::\n   :toctree: names\n\n{listed}\n```\n",
            encoding="utf-8",
        )
        seen |= set(public)


def lead_inside(app: Sphinx, page: str, source: list[str]) -> None:
    """Links to files that are beside the documents in the project lead to their pages on the site."""
    up = "../" * page.count("/")
    if page in ("contributing", "changelog"):
        source[0] = (HERE.parent / f"{page.upper()}.md").read_text(encoding="utf-8").replace("](docs/", "](")
    for file, target in OUTSIDE.items():
        source[0] = re.sub(rf"\]\((?:\.\./)*{re.escape(file)}", f"]({up}{target}", source[0])


def mathml(tex: str, *, block: bool, where: nodes.Element) -> str:
    """A formula as MathML, which browsers draw by themselves: no script, no fonts of our own."""
    # Brackets grow with what they hold in MathML.
    plain = re.sub(r"\\[bB]igg?[lr]?(?![a-zA-Z])", "", tex).replace(r"\dots", r"\ldots")
    try:
        return tex2mathml(plain, as_block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in %s", error, tex, location=where)
        return ""


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext(), block=False, where=node))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{mathml(node.astext(), block=True, where=node)}</div>')
    raise nodes.SkipNode


def leave_out(app: Sphinx, what: str, name: str, found: object, skipped: bool, options: object) -> bool | None:
    """What scikit-learn writes into every estimator, with links into its own site, is described there."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def name_toggles(app: Sphinx, failed: Exception | None) -> None:
    """The theme's arrows that unfold a part of the list of pages have no words; a screen reader needs some."""
    bare, named = "<summary><span class=", '<summary aria-label="Show what is below"><span class='
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if bare in text:
            path.write_text(text.replace(bare, named), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", complete, priority=100)  # before numpydoc reads the sections
    app.connect("build-finished", name_toggles)
    app.connect("autodoc-skip-member", leave_out)
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("config-inited", write_pages)
    app.connect("source-read", lead_inside)
