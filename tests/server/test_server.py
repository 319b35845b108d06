"""The front door without a browser: addresses, tokens, cards, kernels, the command."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import textwrap
import webbrowser
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tornado.web import HTTPError

import cclab
from cclab import apps, cli
from cclab.server import gallery
from cclab.server.kernels import OwnPython, WarmKernels
from cclab.server.server import AddressError, is_loopback, listen_on, settings, show, token_for

PACKAGE = Path(cclab.__file__).parent


@pytest.fixture
def taken_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


@pytest.fixture
def fake_app(tmp_path, monkeypatch):
    """An app called credal, in place of the real one."""
    (tmp_path / "credal.py").write_text("def credal():\n    return 'a page'\n")
    monkeypatch.setattr(apps, "__path__", [str(tmp_path)])
    known = [name for name in sys.modules if name.startswith("cclab.apps.")]
    real, shown = {name: sys.modules.pop(name) for name in known}, dict(vars(apps))
    vars(apps).pop("credal", None)  # asking whether it is there would import it
    yield
    for name in [name for name in sys.modules if name.startswith("cclab.apps.")]:
        del sys.modules[name]
    sys.modules.update(real)
    vars(apps).pop("credal", None)
    vars(apps).update(shown)


# Addresses and tokens


@pytest.mark.parametrize(
    ("ip", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("example.org", False)],
)
def test_loopback(ip, expected):
    assert is_loopback(ip) is expected


def test_loopback_needs_no_token_but_takes_one():
    assert token_for("127.0.0.1") == ""
    assert token_for("127.0.0.1", "word") == "word"


def test_elsewhere_a_token_is_made_and_cannot_be_refused():
    assert len(token_for("0.0.0.0")) >= 32
    assert token_for("0.0.0.0") != token_for("0.0.0.0")
    assert token_for("0.0.0.0", "word") == "word"
    with pytest.raises(AddressError, match="token is needed"):
        token_for("0.0.0.0", "")


def test_a_port_asked_for_and_taken_is_an_error(taken_port):
    with pytest.raises(AddressError, match=f"port {taken_port}"):
        listen_on("127.0.0.1", taken_port)


def test_else_the_next_free_port_is_used(taken_port, monkeypatch, capsys):
    monkeypatch.setattr("cclab.server.server.DEFAULT_PORT", taken_port)
    sockets = listen_on("127.0.0.1")
    assert sockets[0].getsockname()[1] > taken_port
    assert f"Port {taken_port} is in use" in capsys.readouterr().err
    for bound in sockets:
        bound.close()


def test_an_address_of_another_machine_is_an_error():
    with pytest.raises(AddressError, match=r"192\.0\.2\.1"):
        listen_on("192.0.2.1", 8866)


def test_a_proxy_or_another_name_needs_a_token_too():
    assert token_for("127.0.0.1", base_url="/") == ""
    assert len(token_for("127.0.0.1", base_url="/cclab/")) >= 32
    assert len(token_for("127.0.0.1", hosts=["clusters.example.org"])) >= 32
    with pytest.raises(AddressError, match="behind a proxy, at /cclab/: a token is needed"):
        token_for("127.0.0.1", "", base_url="/cclab/")
    with pytest.raises(AddressError, match=r"as clusters\.example\.org: a token is needed"):
        token_for("127.0.0.1", "", hosts=["clusters.example.org"])


@pytest.mark.parametrize("host", ["10.0.0.1", "https://clusters.example.org", "clusters.example.org:80", "*", ""])
def test_a_host_that_is_no_name_is_said_in_words(host, capsys):
    assert cli.main(["app", "--allow-host", host, "--no-browser"]) == 1
    assert f"not {host!r}" in capsys.readouterr().err


def test_other_host_names_are_answered_only_on_a_network_and_behind_a_token():
    def allowed(**changes):
        asked = {"ip": "127.0.0.1", "port": 1, "token": "", "base_url": "/", "hosts": [], "workers": 1}
        return settings(**asked | {"visitors": None, "open_browser": False} | changes).Voila.tornado_settings

    for changes in ({}, {"token": "word"}, {"base_url": "/hub/"}, {"ip": "0.0.0.0", "hosts": ["a.example"]}):
        assert not allowed(**changes)["allow_remote_access"]
    assert allowed(ip="0.0.0.0")["allow_remote_access"]
    assert allowed(hosts=["a.example"])["local_hostnames"] == ["localhost", "a.example"]


# The gallery


def test_every_app_has_a_notebook_with_its_texts_and_a_picture():
    for name in apps.__all__:
        card = gallery.read_card(gallery.NOTEBOOKS / f"{name}.ipynb")
        assert card.title != name, name
        assert card.description.endswith("."), name
        assert card.hint, name
        assert (PACKAGE / "server/template/pictures" / f"{name}.svg").exists(), name


def test_notebooks_are_thin():
    for name in apps.__all__:
        (cell,) = json.loads((gallery.NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
        assert "".join(cell["source"]) == f"from cclab.apps import {name}\n\n{name}()"


@pytest.mark.usefixtures("fake_app")
def test_only_cards_that_can_be_opened_are_shown():
    assert [card.name for card in gallery.cards()] == ["credal"]


@pytest.mark.usefixtures("fake_app")
def test_other_notebooks_come_after_the_apps(tmp_path):
    for name in ("another", "credal", "painter"):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": [], "metadata": {}}))
    assert [card.name for card in gallery.cards(tmp_path)] == ["credal", "another"]


def test_titles_of_notebooks_and_documents_are_their_first_headings(tmp_path):
    cells = [{"cell_type": "code", "source": []}, {"cell_type": "markdown", "source": ["# One\n", "text"]}]
    (tmp_path / "1.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "2.ipynb").write_text(json.dumps({"cells": []}))
    (tmp_path / "b.md").write_text("text")
    (tmp_path / "index.md").write_text("# Start here\n")
    assert gallery.teaching_notebooks(tmp_path) == [("1.ipynb", "One"), ("2.ipynb", "2")]
    assert gallery.documents(tmp_path) == [("index", "Start here"), ("b", "b")]


def test_templates_name_no_other_host():
    for path in (PACKAGE / "server/template").rglob("*.*"):
        hosts = set(re.findall(r"https?://([\w.-]+)", path.read_text()))
        assert hosts <= {"www.w3.org"}, path.name  # the name of SVG, which nobody fetches


# The apps


@pytest.mark.usefixtures("fake_app")
def test_an_app_is_the_function_also_after_its_module_was_imported():
    assert apps.credal() == "a page"
    import cclab.apps.credal

    assert cclab.apps.credal() == "a page"
    from cclab.apps import credal

    assert credal() == "a page"


def test_an_unknown_app_is_an_error_that_names_the_known_ones():
    with pytest.raises(AttributeError, match="workbench"):
        apps.workbnch  # noqa: B018


# Kernels


async def ask(manager, kernel_id, expression):
    """Value of an expression in a kernel, as its repr."""
    client = manager.get_kernel(kernel_id).client()
    client.start_channels()
    await client.wait_for_ready()
    reply = await client.execute("", reply=True, user_expressions={"value": expression})
    client.stop_channels()
    return reply["content"]["user_expressions"]["value"]["data"]["text/plain"]


async def test_warm_kernels(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=1, refill_delay=60)
    manager.cull_idle_timeout = 5
    manager.refill()
    manager.refill()
    async with asyncio.timeout(60):
        while not manager._ready():
            await asyncio.sleep(0.05)
    (warm,) = manager.list_kernel_ids()

    # One that waits is not idle, however long it has waited.
    manager.get_kernel(warm).last_activity = datetime.now(UTC) - timedelta(hours=1)
    await manager.cull_kernel_if_idle(warm)
    assert warm in manager

    kernel = await manager.start_kernel(kernel_name="python3", path="", env=os.environ | {"QUERY_STRING": "a=1"})
    assert kernel == warm
    assert await ask(manager, kernel, "__import__('os').environ['QUERY_STRING']") == "'a=1'"
    assert await ask(manager, kernel, "'cclab.apps' in __import__('sys').modules") == "True"
    assert await ask(manager, kernel, "__import__('os').getcwd()") == repr(os.getcwd())
    assert await ask(manager, kernel, "__import__('sys').executable") == repr(sys.executable)

    # The visitor has just come: not idle. Long after the visitor has left: idle.
    await manager.cull_kernel_if_idle(kernel)
    assert kernel in manager
    async with asyncio.timeout(20):
        while manager.get_kernel(kernel).execution_state != "idle":
            await asyncio.sleep(0.05)
    manager.get_kernel(kernel).last_activity = datetime.now(UTC) - timedelta(hours=1)
    await manager.cull_kernel_if_idle(kernel)
    assert kernel not in manager
    await manager.shutdown_all()


async def test_kernels_that_are_just_starting_are_ended_too(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=2)
    manager.refill()
    await asyncio.sleep(0.3)
    await manager.shutdown_all()
    assert manager.list_kernel_ids() == []
    assert not manager._pool


async def test_a_visitor_gets_the_kernel_that_is_just_starting(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=1, refill_delay=60)
    manager.refill()
    kernel = await manager.start_kernel(kernel_name="python3", path="", env=os.environ | {"QUERY_STRING": "a=1"})
    assert manager.list_kernel_ids() == [kernel]
    await manager.shutdown_all()


async def test_no_more_kernels_than_there_is_room_for(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=3, most_visitors=1)
    manager.refill()
    assert len(manager._pool) == 1
    asked = [manager.start_kernel(kernel_name="python3", path="") for _ in range(4)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(answer) for answer in answers] == [str, HTTPError, HTTPError, HTTPError]
    assert answers[1].status_code == 503
    assert manager.list_kernel_ids() == answers[:1]
    await manager.shutdown_kernel(answers[0])
    assert await manager.start_kernel(kernel_name="python3", path="") in manager
    await manager.shutdown_all()


async def test_a_kernel_that_no_page_has_met_is_ended(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=0)
    manager.cull_idle_timeout = 300
    met, unmet = [await manager.start_kernel(kernel_name="python3", path="") for _ in range(2)]
    manager.notify_connect(met)
    await manager.cull_kernels()
    assert {met, unmet} == set(manager.list_kernel_ids())
    for kernel in (met, unmet):
        manager.get_kernel(kernel).last_activity = datetime.now(UTC) - timedelta(seconds=400)
        manager.get_kernel(kernel).execution_state = "busy"
    await manager.cull_kernels()
    assert manager.list_kernel_ids() == [met]
    assert manager.n_visitors == 1
    await manager.shutdown_all()


@pytest.mark.slow
async def test_a_page_that_is_left_alone_keeps_quiet_and_its_kernel_is_ended(tmp_path):
    manager = WarmKernels(kernel_spec_manager=OwnPython(), connection_dir=str(tmp_path), pool_size=0)
    kernel = await manager.start_kernel(kernel_name="python3", path="")
    # As a page does: it asks for the state of all widgets, something is done, and it vanishes.
    code = f"""
        from comm import get_comm_manager
        from ipywidgets._version import __control_protocol_version__ as version
        from cclab.apps import workbench

        page = type("Page", (), {{"on_msg": lambda *_: None}})()
        get_comm_manager().targets["jupyter.widget.control"](page, {{"metadata": {{"version": version}}}})
        bench = workbench(journal={str(tmp_path / "kept")!r})
        bench.desk.session.step()
    """
    client = manager.get_kernel(kernel).client()
    client.start_channels()
    reply = await client.execute(textwrap.dedent(code), reply=True)
    client.stop_channels()
    assert reply["content"]["status"] == "ok", reply["content"]
    assert await ask(manager, kernel, "'saved' in bench.status.saved.value") == "True"
    await asyncio.sleep(1)  # a question is looked for
    left = manager.get_kernel(kernel).last_activity
    await asyncio.sleep(7)
    assert manager.get_kernel(kernel).last_activity == left
    manager.cull_idle_timeout = 5
    await manager.cull_kernels()
    assert kernel not in manager
    await manager.shutdown_all()


# The command


def test_the_command_needs_no_jupyter_until_the_app_is_asked_for():
    code = "import sys, cclab.cli; cclab.cli.build_parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"voila", "tornado", "ipywidgets", "IPython", "traitlets", "bqplot", "anywidget"} & set(loaded)


def test_a_taken_port_is_said_in_words(taken_port, capsys):
    assert cli.main(["app", "--port", str(taken_port), "--no-browser"]) == 1
    assert f"port {taken_port}" in capsys.readouterr().err


def test_no_browser_is_said_in_words(monkeypatch, capsys):
    def refuse(address):
        raise webbrowser.Error("could not locate runnable browser")

    for answer in (lambda address: False, refuse):
        monkeypatch.setattr(webbrowser, "open", answer)
        show("http://127.0.0.1:8866/")
        assert "No browser could be opened here. Go to http://127.0.0.1:8866/" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "package", "extra"), [(["app"], "voila", "lab"), (["study", "any"], "joblib", "study")]
)
def test_a_missing_extra_is_said_in_words(command, package, extra, monkeypatch, capsys):
    monkeypatch.setattr(cli.importlib.util, "find_spec", lambda name: None if name == package else name)
    assert cli.main(command) == 1
    assert f'pip install "cclab[{extra}]"' in capsys.readouterr().err


def test_a_negative_number_of_kernels_is_refused(capsys):
    with pytest.raises(SystemExit):
        cli.main(["app", "--workers", "-1"])
    assert "not a number of kernels" in capsys.readouterr().err


def test_at_least_one_visitor_is_let_in(capsys):
    with pytest.raises(SystemExit):
        cli.main(["app", "--visitors", "0"])
    assert "at least 1 must be let in" in capsys.readouterr().err


def test_datasets_are_listed(capsys):
    assert cli.main(["datasets"]) == 0
    assert "iris" in capsys.readouterr().out
