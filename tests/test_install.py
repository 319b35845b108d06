"""What is published: the wheel in an environment that has no checkout, and that the sdist makes the same wheel.

The other packages are those of this environment; that they are declared is tested in test_packaging.py, and
``make dist-check`` installs all of them anew.
"""

import os
import re
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Python 3.11 before 3.11.4 has no filters.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}

pytestmark = pytest.mark.xdist_group("install")  # one environment for all


def environment_with(wheel, folder):
    """The Python of a new environment with this wheel, and every other package of the present one."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages") if os.name != "nt" else [folder / "Lib/site-packages"]
    target = ["--target", str(site), "--no-deps", "--quiet", "--disable-pip-version-check", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", "install", *target, str(wheel)], check=True)
    # A path in a .pth file is looked through, but the .pth files there are not read: the checkout stays out of it.
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def build_wheel(source, folder):
    wheels = pytest.importorskip("hatchling.builders.wheel")
    (wheel,) = wheels.WheelBuilder(str(source)).build(directory=str(folder), versions=["standard"])
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    return environment_with(wheel, tmp_path_factory.mktemp("installed") / "venv")


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    sdists = pytest.importorskip("hatchling.builders.sdist")
    (packed,) = sdists.SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, **SAFELY)
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert contents(build_wheel(source, tmp_path / "dist")) == contents(wheel)


def contents(wheel):
    """Every file of a wheel with the checksum of what is in it."""
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


def outside():
    """The variables of a process that knows of no checkout; the packages beside bring files that Jupyter looks for."""
    shared = {"JUPYTER_PATH": str(Path(sys.prefix) / "share/jupyter")}
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "CCLAB_DATA")} | shared


def run(python, *arguments, cwd):
    return subprocess.run(
        [python, *arguments], capture_output=True, text=True, cwd=cwd, env=outside(), check=False, timeout=120
    )


def test_it_is_the_installed_package_that_runs(python, tmp_path):
    done = run(python, "-c", "import cclab; print(cclab.__file__)", cwd=tmp_path)
    assert str(python.parents[1]) in done.stdout, done.stderr


def test_solvers_data_and_the_command_work(python, tmp_path):
    code = "from cclab import FCM, load_dataset; print(FCM(3, random_state=0).fit(load_dataset('iris').X).labels_.size)"
    assert run(python, "-c", code, cwd=tmp_path).stdout.strip() == "150"
    assert re.fullmatch(r"cclab \d+\.\d+\.\d+\n", run(python, "-m", "cclab", "--version", cwd=tmp_path).stdout)
    broken = run(python, "-m", "cclab", "app", "letter.docx", cwd=tmp_path)
    assert broken.returncode == 1
    assert "There is no file letter.docx" in broken.stderr


def test_the_gallery_and_its_pictures_are_served(python, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "cclab", "app", "--no-browser", "--port", str(port), "--workers", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=outside(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert "cclab is open" in server.stdout.readline()
            page = _get(f"http://127.0.0.1:{port}/")
            assert "Workbench" in page
            for picture in re.findall(r'src="([^"]+\.svg)"', page):
                assert "<svg" in _get(f"http://127.0.0.1:{port}/{picture.lstrip('/')}")
        finally:
            server.terminate()


def _get(address, tries=50):
    for _ in range(tries):
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.read().decode()
        except ConnectionError:
            time.sleep(0.1)
    raise AssertionError(f"no answer from {address}")
