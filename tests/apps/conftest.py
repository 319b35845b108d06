"""Pages without a browser: a fake front end sends what the page would."""

import asyncio

import pytest

from cclab.apps import workbench
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.timeline import bar
from tests.apps.visitor import Visitor


@pytest.fixture(autouse=True)
def _own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def _nobody_watches(monkeypatch):
    """A frame is painted when it is sent, and a step lasts no longer than its work."""

    async def painted(shell, timeout=1.0):
        await asyncio.sleep(0)
        return True

    monkeypatch.setattr(Shell, "painted", painted)
    monkeypatch.setattr(Shell, "ready", painted)
    monkeypatch.setattr(bar, "SPEEDS", dict.fromkeys(bar.SPEEDS, 0.0))


@pytest.fixture
def sent(monkeypatch):
    messages = []
    monkeypatch.setattr(Shell, "send", lambda self, content, buffers=None: messages.append((content, buffers)))
    return messages


@pytest.fixture
def open_page(sent):
    pages = []

    def make(*args, **options):
        page = workbench(*args, **options)
        pages.append(page)
        return Visitor(page, sent)

    yield make
    for page in pages:
        page.close()
