"""Pages without a browser: a fake front end sends what the page would."""

import pytest

from cclab.apps import workbench
from cclab.widgets.kit.bridge import Shell
from tests.apps.visitor import Visitor


@pytest.fixture(autouse=True)
def _own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CCLAB_STATE", str(tmp_path / "state"))


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
