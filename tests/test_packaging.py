"""What the project ships: one list of dependencies in three files, and a wheel with everything in it."""

import os
import re
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ("lab", "images", "study")


def conda_packages(path):
    """What a conda environment asks for, without Python, pip and what pip installs."""
    listed = yaml.safe_load((ROOT / path).read_text())["dependencies"]
    return [item for item in listed if isinstance(item, str) and not item.startswith(("python=", "pip"))]


@pytest.mark.parametrize("path", ["environment.yml", "binder/environment.yml"])
def test_conda_environments_ask_for_what_pyproject_asks_for(path):
    wanted = PROJECT["dependencies"] + [
        requirement for extra in EXTRAS for requirement in PROJECT["optional-dependencies"][extra]
    ]
    assert sorted(conda_packages(path)) == sorted(wanted)


def test_conda_environments_name_an_exact_python_that_the_package_takes():
    versions = set()
    for path in ("environment.yml", "binder/environment.yml"):
        (python,) = (
            item
            for item in yaml.safe_load((ROOT / path).read_text())["dependencies"]
            if isinstance(item, str) and item.startswith("python=")
        )
        versions.add(python.removeprefix("python="))
    (version,) = versions
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert tuple(map(int, version.split("."))) >= tuple(map(int, lowest.split(".")))
    assert version.count(".") == 1


def test_binder_installs_the_package():
    script = ROOT / "binder/postBuild"
    assert os.access(script, os.X_OK)
    assert "pip install --no-deps" in script.read_text()


def test_wheel_holds_all_that_is_not_python_too(tmp_path):
    hatchling = pytest.importorskip("hatchling.builders.wheel")
    (wheel,) = hatchling.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    shipped = set(zipfile.ZipFile(wheel).namelist())
    beside = {
        path.relative_to(ROOT).as_posix()
        for suffix in (".css", ".js", ".svg", ".html", ".j2", ".ipynb", ".csv", ".json")
        for path in (ROOT / "cclab").rglob(f"*{suffix}")
        if ".ipynb_checkpoints" not in path.parts
    }
    assert {"cclab/apps/template/index.html.j2", "cclab/apps/notebooks/workbench.ipynb"} <= beside
    assert beside - shipped == set()
    assert any(name.endswith("licenses/LICENSE") for name in shipped)
    assert any(name.endswith("data/etc/jupyter/jupyter_server_config.d/cclab.json") for name in shipped)


def test_binder_opens_the_gallery_and_every_notebook():
    links = set(re.findall(r"mybinder\.org/\S+\?urlpath=(\S+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    notebooks = {f"lab/tree/notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert links == {"cclab/"} | notebooks
