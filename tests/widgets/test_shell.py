"""The shell without a browser: a fake front end sends its messages."""

import asyncio

import pytest

from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.bridge.upload import MOST_UPLOADS
from tests.front_end import send


@pytest.fixture
def shell(monkeypatch):
    made = Shell(app="test")
    made.sent = []
    monkeypatch.setattr(made, "send", lambda message, buffers=None: made.sent.append(message), raising=False)
    yield made
    made.close()


def press(shell, name, down=True):
    send(shell, {"type": "key", "name": name, "down": down})


def send_file(shell, data, *, name="a.csv", size=None, pieces=2):
    step = -(-len(data) // pieces)
    for index in range(pieces):
        piece = data[index * step : (index + 1) * step]
        message = {"type": "file", "id": "1", "name": name, "size": size or len(data), "index": index, "count": pieces}
        send(shell, message, piece)


def test_bound_keys_call_back_and_others_do_not(shell):
    calls = []
    shell.bind("m", lambda: calls.append("link"))
    shell.bind("o", lambda: calls.append("original"), lambda: calls.append("back"))
    assert shell.bindings == {"m": False, "o": True}
    press(shell, "m")
    press(shell, "o")
    press(shell, "o", down=False)
    press(shell, "q")
    press(shell, "m", down=False)
    assert calls == ["link", "original", "back"]


def test_a_file_arrives_whole(shell):
    files = []
    shell.on_file(lambda name, data: files.append((name, data)))
    send_file(shell, b"x,y\n1,2\n", pieces=3)
    assert files == [("a.csv", b"x,y\n1,2\n")]
    assert [message["index"] for message in shell.sent] == [0, 1, 2]
    assert len(shell._uploads) == 0


def test_a_file_beyond_the_limit_is_refused_in_words(shell):
    shell.max_bytes = 2**20
    files = []
    shell.on_file(lambda *file: files.append(file))
    send_file(shell, b"0" * 100, size=2**21)
    assert files == []
    assert shell.sent[0] == {"type": "say", "text": "a.csv is larger than the limit of 1 MB.", "alert": True}


def test_a_file_that_says_it_is_smaller_than_it_is_is_refused(shell):
    send_file(shell, b"0" * 100, size=60)
    assert "did not arrive whole" in shell.sent[-1]["text"]


def test_a_piece_out_of_order_is_refused(shell):
    message = {"type": "file", "id": "1", "name": "a.csv", "size": 9, "index": 1, "count": 3}
    send(shell, message, b"abc")
    assert "did not arrive whole" in shell.sent[-1]["text"]


def test_a_browser_cannot_raise_the_limit(shell):
    shell.max_bytes = 100
    shell.set_state({"max_bytes": 2**40, "accept": ".exe", "bindings": {}, "visitor": "someone", "theme": "dark"})
    assert (shell.max_bytes, shell.accept, shell.visitor, shell.theme) == (100, None, "someone", "dark")
    send_file(shell, b"0" * 200)
    assert "is larger than the limit" in shell.sent[0]["text"]


def begin_file(shell, key):
    message = {"type": "file", "id": key, "name": f"{key}.csv", "size": 9, "index": 0, "count": 3}
    send(shell, message, b"abc")


def test_files_that_never_end_are_forgotten_the_oldest_first(shell):
    for key in "abcdefgh":
        begin_file(shell, key)
    assert len(shell._uploads) == MOST_UPLOADS
    message = {"type": "file", "id": "h", "name": "h.csv", "size": 9, "index": 1, "count": 3}
    send(shell, message, b"abc")
    assert shell.sent[-1] == {"type": "arrived", "id": "h", "index": 1}
    send(shell, message | {"id": "a"}, b"abc")
    assert "did not arrive whole" in shell.sent[-1]["text"]


async def test_a_file_that_rests_too_long_is_forgotten(shell, monkeypatch):
    monkeypatch.setattr("cclab.widgets.kit.bridge.shell.PATIENCE_SECONDS", -0.95)
    monkeypatch.setattr("cclab.widgets.kit.bridge.upload.PATIENCE_SECONDS", 0.01)
    begin_file(shell, "a")
    assert len(shell._uploads) == 1
    await asyncio.sleep(0.2)
    assert len(shell._uploads) == 0


async def test_painted_waits_for_the_browser(shell):
    waiting = asyncio.create_task(shell.painted(timeout=5))
    await asyncio.sleep(0)
    assert not waiting.done()
    send(shell, {"type": "painted", "frame": shell.frame})
    assert await waiting is True


async def test_ready_says_that_an_early_answer_is_enough(shell):
    waiting = asyncio.create_task(shell.ready(timeout=5))
    await asyncio.sleep(0)
    assert (shell.frame, shell.early) == (1, True)
    send(shell, {"type": "painted", "frame": 1})
    assert await waiting is True
    again = asyncio.create_task(shell.painted(timeout=0.01))
    await asyncio.sleep(0)
    assert (shell.frame, shell.early) == (2, False)
    assert await again is False


async def test_painted_gives_up_where_no_browser_answers(shell):
    assert await shell.painted(timeout=0.01) is False
    assert shell._waiting == {}


async def test_a_later_frame_settles_the_earlier_ones(shell):
    first = asyncio.create_task(shell.painted(timeout=5))
    second = asyncio.create_task(shell.painted(timeout=5))
    await asyncio.sleep(0)
    send(shell, {"type": "painted", "frame": 2})
    assert await asyncio.gather(first, second) == [True, True]


def test_download_takes_text_and_bytes(shell):
    shell.download("a.csv", "x,y", "text/csv")
    shell.download("a.png", b"\x89PNG")
    assert [message["name"] for message in shell.sent] == ["a.csv", "a.png"]


def test_the_front_end_is_one_module():
    lines = str(Shell._esm).splitlines()
    assert [line for line in lines if line.startswith(("import", "export"))] == [
        "export default { initialize, render };"
    ]
