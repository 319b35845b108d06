"""What the project ships: one list of dependencies in three files, and a wheel with everything in it."""

import ast
import os
import re
import runpy
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
# Python 3.11 before 3.11.4 has no filters.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ("lab", "images", "study", "dask")
CONFIG = "cclab/server/jupyter_server_config.json"
SITE = ("cclab/server/site/index.html", "cclab/server/site/_static/site.css")
OF_DEVELOPERS = {"test", "docs", "dev"}


def conda_packages(path):
    """What a conda environment asks for, without Python, pip and what pip installs."""
    listed = yaml.safe_load((ROOT / path).read_text())["dependencies"]
    return [item for item in listed if isinstance(item, str) and not item.startswith(("python=", "pip"))]


@pytest.mark.parametrize("path", ["environment.yml", "binder/environment.yml"])
def test_conda_environments_ask_for_what_pyproject_asks_for(path):
    extras = (PROJECT["optional-dependencies"][extra] for extra in EXTRAS)
    wanted = {*PROJECT["dependencies"]}.union(*extras)
    # Conda's packages have no extras of their own: they bring all.
    assert sorted(conda_packages(path)) == sorted(re.sub(r"\[.*\]", "", package) for package in wanted)


def test_whoever_starts_finds_every_extra():
    listed = re.findall(r"^\| `cclab\[(\w+)\]`", (ROOT / "docs/start.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"].keys() - OF_DEVELOPERS)


# Names of packages that are imported by another name.
IMPORTED_AS = {"scikit-learn": "sklearn", "scikit-image": "skimage", "pillow": "PIL", "opencv-python-headless": "cv2"}
# What nobody imports here: JupyterLab is where notebooks are opened, and UMAP runs in a process of its own.
NOT_IMPORTED = {"jupyterlab", "umap-learn"}


def imported_by(files):
    """The packages that files import, Python's own and ours left out."""
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    parts = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | parts} - {*sys.stdlib_module_names, "cclab"}


def declared(requirements):
    names = {re.split(r"[<>=[]", requirement)[0] for requirement in requirements}
    return {IMPORTED_AS.get(name, name) for name in names - NOT_IMPORTED}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    extras = (asked for extra, asked in PROJECT["optional-dependencies"].items() if extra not in OF_DEVELOPERS)
    wanted = {*PROJECT["dependencies"]}.union(*extras)
    assert imported_by((ROOT / "cclab").rglob("*.py")) == declared(wanted)


def test_what_is_always_installed_is_enough_for_the_core_and_its_algorithms():
    rooms = ("core", "maths", "algorithms", "queries")
    files = [path for room in rooms for path in (ROOT / "cclab" / room).rglob("*.py")]
    by_choice = {"dask"}  # whoever gives Dask's arrays has Dask
    assert imported_by(files) - by_choice <= declared(PROJECT["dependencies"])


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
        for suffix in (".css", ".js", ".svg", ".html", ".j2", ".ipynb", ".csv", ".json", ".pyi", "py.typed")
        for path in (ROOT / "cclab").rglob(f"*{suffix}")
        if ".ipynb_checkpoints" not in path.parts
    }
    assert {"cclab/server/template/index.html.j2", "cclab/apps/notebooks/workbench.ipynb"} <= beside
    assert beside - shipped == set()
    assert any(name.endswith("licenses/LICENSE") for name in shipped)
    assert any(name.endswith("data/etc/jupyter/jupyter_server_config.d/cclab.json") for name in shipped)


def test_the_built_documents_go_into_the_sdist_and_so_into_the_wheel(tmp_path):
    sdists, wheels = (pytest.importorskip(f"hatchling.builders.{kind}") for kind in ("sdist", "wheel"))
    source = tmp_path / "source"
    for name in (".gitignore", "pyproject.toml", "README.md", "LICENSE", "cclab/__init__.py", CONFIG, *SITE):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        there = ROOT / name
        (source / name).write_text(there.read_text(encoding="utf-8") if there.is_file() else "built", encoding="utf-8")
    (packed,) = sdists.SdistBuilder(str(source)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, **SAFELY)
    unpacked = packed.removesuffix(".tar.gz")
    (wheel,) = wheels.WheelBuilder(unpacked).build(directory=str(tmp_path), versions=["standard"])
    assert set(SITE) <= set(zipfile.ZipFile(wheel).namelist())


def test_binder_opens_the_gallery_and_the_notebooks():
    links = set(re.findall(r"mybinder\.org/\S+\?urlpath=([^\s)]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert links == {"cclab/", "lab/tree/notebooks"}


def test_the_conda_recipe_asks_for_what_pyproject_asks_for():
    recipe = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text())
    wanted = {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lab"]}
    listed = {item.replace(" ", "") for item in recipe["requirements"]["run"]}
    assert listed == wanted | {f"python{PROJECT['requires-python']}"}
    assert recipe["context"]["version"] == PROJECT["version"]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/w*.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_what_the_forge_reads_is_of_its_form(schema, files):
    check = pytest.importorskip("check_jsonschema", reason="in the extra dev").main
    checked = (
        pytest.importorskip("click.testing")
        .CliRunner()
        .invoke(check, ["--builtin-schema", f"vendor.{schema}", *map(str, ROOT.glob(files))])
    )
    assert checked.exit_code == 0, checked.output


def test_another_owner_reaches_every_address(monkeypatch):
    owner = runpy.run_path(str(ROOT / "docs/owner.py"))
    monkeypatch.setitem(owner["carried"].__globals__, "repository", lambda: "someone/cclab")
    left = [name for name in owner["FILES"] if "OWNER" in owner["carried"]((ROOT / name).read_text(encoding="utf-8"))]
    assert left == []


def test_every_address_of_the_repository_follows_from_pyproject():
    owner = runpy.run_path(str(ROOT / "docs/owner.py"))
    assert owner["repository"]().endswith("/cclab")
    for name in owner["FILES"]:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert owner["carried"](text) == text, f"{name}: run python docs/owner.py"


def test_workflows_can_be_read_and_run_what_there_is():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert [path.stem for path in workflows] == ["docs", "lite", "release", "test"]
    for path in workflows:
        jobs = yaml.safe_load(path.read_text())["jobs"]
        commands = [step.get("run", "") for job in jobs.values() for step in job.get("steps", [])]
        assert {word for line in commands for word in re.findall(r"make ([a-z-]+)", line)} <= set(targets)
        assert all(needed in jobs for job in jobs.values() for needed in [job.get("needs")] if needed)


def test_journeys_are_where_make_looks_for_them():
    folders = re.search(r"-m browser (.+)", (ROOT / "Makefile").read_text())[1].split()
    files = (ROOT / "tests").rglob("test_*.py")
    marked = [path for path in files if re.search(r"pytest\.mark\.browser", path.read_text())]
    assert {path.parent.relative_to(ROOT).as_posix() for path in marked} == set(folders)
