"""Notebooks and dashboards as static pages that run in the browser alone: ``make lite`` writes them to dist/lite.

JupyterLite with the Pyodide kernel. What is pure Python (cclab itself, the widgets) lies beside the pages, from the
package registry; numpy, scipy, scikit-learn and pandas, which are compiled, come with Pyodide when a page is opened.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "dist" / "lite"
WORK = ROOT / "build" / "lite"
#: What builds the pages, in an environment of its own: it carries the front ends of the widgets.
TOOLS = [
    *("build", "jupyter-server>=2.14"),
    *("jupyterlite-core>=0.6", "jupyterlite-pyodide-kernel>=0.6"),
    *("ipywidgets>=8.1", "bqplot>=0.12.45", "anywidget>=0.9.18"),
]
#: Compiled for the browser by Pyodide.
COMPILED = {
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "matplotlib",
    "pillow",
    "pyarrow",
    "scikit-image",
    "markupsafe",
    "regex",
}
#: The first cell of every notebook there.
INSTALL = "%pip install -q cclab[browser]"


def main() -> None:
    """Build the pages."""
    python = _tools()
    wheels = _wheels(python)
    contents = _contents()
    shutil.rmtree(OUT, ignore_errors=True)
    config = WORK / "jupyter_lite_config.json"
    config.write_text(json.dumps({"PipliteAddon": {"piplite_urls": [str(wheel) for wheel in wheels]}}))
    folders = ["--lite-dir", WORK, "--contents", contents, "--output-dir", OUT]
    _run(python, "-m", "jupyter", "lite", "build", "--config", config, *folders, within=WORK)
    missing = [name for name in expected() if not (OUT / name).exists()]
    if missing:
        raise SystemExit(f"the pages lack {', '.join(missing)}")
    print(f"{OUT.relative_to(ROOT)}: {sum(1 for path in OUT.rglob('*') if path.is_file())} files. Serve them with")
    print(f"  python -m http.server --bind 127.0.0.1 --directory {OUT.relative_to(ROOT)}")


def expected() -> list[str]:
    """Files without which nothing would run."""
    notebooks = [f"files/{path.name}" for path in _notebooks()]
    return ["index.html", "lab/index.html", "jupyter-lite.json", "pypi/all.json", *notebooks]


def _notebooks() -> list[Path]:
    return [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "cclab/apps/notebooks").glob("*.ipynb"))]


def _contents() -> Path:
    """Copies of the notebooks, which install cclab first."""
    folder = WORK / "contents"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in _notebooks():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        first = {"cell_type": "code", "execution_count": None, "id": "install", "metadata": {}, "outputs": []}
        notebook["cells"].insert(0, {**first, "source": [INSTALL]})
        notebook["metadata"]["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
        (folder / path.name).write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    return folder


def _tools() -> Path:
    """The Python of an environment that can build the pages."""
    folder = WORK / "venv"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / ".ready"
    if not ready.exists() or ready.read_text() != "\n".join(TOOLS):
        venv.create(folder, with_pip=True, clear=True)
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
        ready.write_text("\n".join(TOOLS))
    return python


def _wheels(python: Path) -> list[Path]:
    """The wheel of cclab and those of all pure packages that it needs in a browser."""
    folder = WORK / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    _run(python, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    pure = ["--only-binary=:all:", "--platform", "any", "--implementation", "py", "--abi", "none"]
    _run(python, "-m", "pip", "download", "--quiet", "--no-deps", *pure, "--dest", folder, *pure_requirements())
    return sorted(folder.glob("*.whl"))


def pure_requirements() -> list[str]:
    """What the extra `browser` asks for and Pyodide does not bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["browser"]]
    # What these need in turn, and is pure too.
    beyond = ["bqscales", "traittypes", "widgetsnbextension", "jupyterlab_widgets", "et_xmlfile"]
    return [one for one in asked if _name(one) not in COMPILED] + beyond


def _name(requirement: str) -> str:
    for mark in "<>=[! ":
        requirement = requirement.partition(mark)[0]
    return requirement.lower()


def _run(*command: object, within: Path = ROOT) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=within)


if __name__ == "__main__":
    main()
