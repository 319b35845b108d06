"""What a person does on a page, without a browser."""

import re
from html import unescape

import numpy as np

from tests.front_end import send

VISITOR = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2


def lasso(scatter, indices, mode="replace"):
    """Draw around samples."""
    data = np.asarray(indices, np.uint32).tobytes()
    send(scatter.points.widget, {"type": "select", "mode": mode}, data)


def press(page, *names):
    """Press keys."""
    for name in names:
        send(page.shell, {"type": "key", "name": name, "down": True})


class Visitor:
    """What a person does on a page, as the messages that their browser sends."""

    def __init__(self, page, sent):
        self.page, self._sent = page, sent

    def press(self, *names):
        press(self.page, *names)

    def lasso(self, indices, mode="replace"):
        lasso(self.page.scatter, indices, mode)

    def act(self, rows, action, **more):
        send(rows, {"type": "act", "action": action, "id": None, **more})

    def hover(self, rows, id_):
        send(rows, {"type": "hover", "id": id_})

    def drop(self, name, content):
        piece = {"type": "file", "id": name, "name": name, "size": len(content), "index": 0, "count": 1}
        send(self.page.shell, piece, content)

    def import_file(self, name, content):
        """Choose a file by the button of the constraint table."""
        piece = {"type": "file", "id": name, "name": name, "size": len(content), "index": 0, "purpose": "constraints"}
        send(self.page.shell, piece, content)

    def arrive(self, visitor=VISITOR, **more):
        self.page.shell.set_state({"visitor": visitor, **more})

    def accept(self):
        """Press the button beside what was said last."""
        send(self.page.shell, {"type": "action"})

    def choose(self, name):
        """Press a button of what covers the page."""
        next(each for each in self.page.cover.choices.children if each.description == name).click()

    @property
    def cover(self):
        """The words of what covers the page, and of its buttons; None where nothing does."""
        cover = self.page.cover
        if not cover.is_open:
            return None
        return [plain(cover.words.value), *(each.description for each in cover.choices.children)]

    @property
    def recent(self):
        """The rows of the list, as words."""
        self.page.recent.refresh()
        return [plain(html.replace("</td>", " ")).strip() for _, html in self.page.recent.table.rows]

    @property
    def session(self):
        return self.page.desk.session

    @property
    def offered(self):
        """The words of the button beside the last sentence."""
        return next((message.get("action") for message, _ in reversed(self._sent) if message["type"] == "say"), None)

    @property
    def said(self):
        """The last sentence that floated over the page."""
        return next((message["text"] for message, _ in reversed(self._sent) if message["type"] == "say"), None)

    @property
    def outcome(self):
        return plain(self.page.selecting.outcome.value)

    @property
    def banner(self):
        return plain(self.page.banner.words.value) if self.page.banner.is_open else None

    @property
    def downloaded(self):
        message, buffers = next((m, b) for m, b in reversed(self._sent) if m["type"] == "download")
        return message["name"], bytes(buffers[0])


def plain(html):
    """The words of some HTML."""
    return unescape(re.sub(r"<[^>]*>", "", html))
