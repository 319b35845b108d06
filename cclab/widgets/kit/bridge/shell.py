"""One small widget an app, for what lies between page and browser and is no view's own business."""

import asyncio
from collections.abc import Callable

import anywidget
from traitlets import Bool, Dict, Int, Unicode

from cclab.widgets.esm import bundle
from cclab.widgets.shell.upload import Upload
from cclab.widgets.theme import stylesheet


class Shell(anywidget.AnyWidget):
    """Put one among the children of a ``.cc-app`` container (`cclab.widgets.layout.app` does).

    Parameters
    ----------
    app : str
        Name under which the browser keeps its visitor id: apps of the same name share it.
    label : str
        What a screen reader calls the app.
    accept : str or None
        File name endings that may be dropped or chosen (``".csv,.parquet"``); None takes no files. A click on any
        element with the class ``cc-choose-file`` opens the browser's dialog.
    max_bytes : int
        Larger files are refused, in words, before anything is sent.

    Attributes
    ----------
    visitor : str
        32 random hex digits that this browser keeps for `app`; empty until the page has connected.
    theme : {"light", "dark"}
        What the page shows.
    frame : int
        Number of frames begun by `painted` and `ready`.
    early : bool
        Whether the browser answers when the frame has come and the one before is painted.
    """

    _esm = bundle("tell.js", *(f"shell/{name}.js" for name in ("keys", "names", "files", "kernel", "shell")))
    _css = stylesheet()

    app = Unicode("cclab").tag(sync=True)
    label = Unicode("cclab").tag(sync=True)
    visitor = Unicode().tag(sync=True)
    theme = Unicode("light").tag(sync=True)
    accept = Unicode(None, allow_none=True).tag(sync=True)
    max_bytes = Int(64 * 2**20).tag(sync=True)
    frame = Int().tag(sync=True)
    early = Bool().tag(sync=True)
    # Key name -> whether its release is reported too. (A trait called `keys` would break the widget.)
    bindings = Dict().tag(sync=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._pressed: dict[str, Callable] = {}
        self._released: dict[str, Callable] = {}
        self._file_callbacks: list[Callable] = []
        self._uploads: dict[str, Upload] = {}
        self._waiting: dict[int, asyncio.Future] = {}
        self.on_msg(self._receive)

    def bind(self, name: str, pressed: Callable[[], object], released: Callable[[], object] | None = None) -> None:
        """Call `pressed` when a key goes down in the app, and `released` when it comes up.

        Names are those of the browser, letters in lower case: ``"m"``, ``"?"``, ``"ArrowLeft"``, ``"Space"``,
        ``"ctrl+shift+z"``. Keys that are not bound stay with the notebook and the browser.
        """
        self._pressed[name] = pressed
        if released is not None:
            self._released[name] = released
        self.bindings = {key: key in self._released for key in self._pressed}

    def on_file(self, callback: Callable[[str, bytes], object]) -> None:
        """Call ``callback(name, data)`` for each file that was dropped or chosen."""
        self._file_callbacks.append(callback)

    def choose_file(self) -> None:
        """Open the browser's file dialog."""
        self.send({"type": "choose"})

    def download(self, name: str, data: bytes | str, media_type: str = "application/octet-stream") -> None:
        """Let the browser save `data` as a file."""
        data = data.encode() if isinstance(data, str) else data
        self.send({"type": "download", "name": name, "media_type": media_type}, buffers=[data])

    def say(self, text: str, *, alert: bool = False) -> None:
        """Show a sentence for a moment; an alert is read out at once."""
        self.send({"type": "say", "text": text, "alert": alert})

    def visit(self, address: str) -> None:
        """Let the browser go to another page; `address` is relative to this one."""
        self.send({"type": "visit", "address": address})

    def toggle_theme(self) -> None:
        """Change between light and dark; the browser remembers it."""
        self.send({"type": "theme"})

    async def painted(self, timeout: float = 1.0) -> bool:
        """Wait until the browser has painted all that was sent before; False after `timeout` seconds without word."""
        return await self._answered(timeout, early=False)

    async def ready(self, timeout: float = 1.0) -> bool:
        """Wait until the browser can take another frame: this one has come, and the one before it is painted.

        Awaiting it after each update keeps one frame in flight while another is painted: a slow browser gets fewer
        frames, never a queue, and a quick one does not wait for the screen. False after `timeout` seconds without word.
        """
        return await self._answered(timeout, early=True)

    async def _answered(self, timeout: float, *, early: bool) -> bool:
        with self.hold_sync():
            self.early = early
            self.frame += 1
        arrival = self._waiting[self.frame] = asyncio.get_running_loop().create_future()
        done, _ = await asyncio.wait([arrival], timeout=timeout)
        self._waiting = {frame: future for frame, future in self._waiting.items() if future is not arrival}
        return bool(done)

    def _receive(self, _widget, message: dict, buffers: list) -> None:
        match message.get("type"):
            case "key":
                callbacks = self._pressed if message["down"] else self._released
                if message["name"] in callbacks:
                    callbacks[message["name"]]()
            case "painted":
                for frame, future in self._waiting.items():
                    if frame <= message["frame"] and not future.done():
                        future.set_result(None)
            case "file":
                self._take_piece(message, buffers[0])

    def _take_piece(self, message: dict, piece: bytes) -> None:
        """A piece of a file has come; anything that does not fit ends its upload."""
        key = message["id"]
        upload = self._uploads.pop(key, None) or Upload(message["name"], message["size"], self.max_bytes)
        try:
            upload.add(message["index"], piece)
        except ValueError as error:
            self.say(str(error), alert=True)
            return
        self.send({"type": "arrived", "id": key, "index": message["index"]})
        if not upload.complete:
            self._uploads[key] = upload
            return
        for callback in self._file_callbacks:
            callback(upload.name, upload.data)
