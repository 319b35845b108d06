"""One small widget an app, for what lies between page and browser and is no view's own business."""

import asyncio
from collections.abc import Callable
from typing import Any

import anywidget
from traitlets import Bool, Dict, Int, Unicode

from cclab.widgets.kit.background import is_looping
from cclab.widgets.kit.bridge.upload import PATIENCE_SECONDS, Upload, Uploads
from cclab.widgets.kit.bundle import bundle
from cclab.widgets.kit.theme.stylesheet import stylesheet

_PARTS = ("keys", "aria", "clock", "files", "kernel_watch", "menus", "tab", "shell")


class Shell(anywidget.AnyWidget):
    """Put one among the children of a ``.cc-app`` container (`cclab.widgets.kit.layout.app` does).

    Parameters
    ----------
    app : str
        Name under which the browser keeps its visitor id: apps of the same name share it.
    label : str
        What a screen reader calls the app.
    accept : str or None
        File name endings that may be dropped or chosen (``".csv,.parquet"``); None takes no files. A click on any
        element with the class ``cc-choose-file`` opens the browser's dialog.
    together : bool
        Whether several files that are chosen or dropped at once are opened as one thing; else the first alone is.
    max_bytes : int
        Larger files are refused, in words, before anything is sent.

    Attributes
    ----------
    visitor : str
        32 random hex digits that this browser keeps for `app`; empty until the page has connected.
    theme : {"light", "dark"}
        What the page shows.
    slot : str
        Which of several apps of this name on one page this is: each has a session of its own.
    place : str
        Id of the session that is open here; the browser's tab remembers it through reloads.
    wanted : str
        Id of the session that the tab had before a reload, or that the address asks for.
    returning : bool
        Whether it is the former: then no one else has that session open but this tab's own past.
    still : bool
        Whether the page is covered: no key and no click reaches it.
    frame : int
        Number of frames begun by `painted` and `ready`.
    early : bool
        Whether the browser answers when the frame has come and the one before is painted.
    """

    _esm = bundle("kit/send.js", "kit/theme/theme.js", *(f"kit/bridge/{name}.js" for name in _PARTS))
    _css = stylesheet()

    app = Unicode("cclab").tag(sync=True)
    label = Unicode("cclab").tag(sync=True)
    visitor = Unicode().tag(sync=True)
    slot = Unicode("page").tag(sync=True)
    place = Unicode().tag(sync=True)
    wanted = Unicode().tag(sync=True)
    returning = Bool().tag(sync=True)
    still = Bool().tag(sync=True)
    theme = Unicode("light").tag(sync=True)
    accept = Unicode(None, allow_none=True).tag(sync=True)
    together = Bool().tag(sync=True)
    max_bytes = Int(64 * 2**20).tag(sync=True)
    frame = Int().tag(sync=True)
    early = Bool().tag(sync=True)
    # Key name -> whether its release is reported too. (A trait called `keys` would break the widget.)
    bindings = Dict().tag(sync=True)
    #: What a browser may change; the rest, the limit of uploads among it, is Python's alone.
    _from_browser = frozenset({"visitor", "theme", "wanted", "returning"})

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._pressed: dict[str, Callable] = {}
        self._released: dict[str, Callable] = {}
        self._file_callbacks: dict[str, list[Callable]] = {}
        self._parcel: list[tuple[str, bytes]] = []  # files of one choice, until all have come
        self._parcel_callbacks: list[Callable] = []
        self._action: Callable[[], object] = lambda: None
        self._uploads = Uploads()
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

    def on_file(self, callback: Callable[[str, bytes], object], purpose: str = "open") -> None:
        """Call ``callback(name, data)`` for each file that was chosen for a purpose; dropped ones are to be opened."""
        self._file_callbacks.setdefault(purpose, []).append(callback)

    def on_files(self, callback: Callable[[list[tuple[str, bytes]]], object]) -> None:
        """Call ``callback([(name, data), ...])`` for several files that are to be opened together."""
        self._parcel_callbacks.append(callback)

    def choose_file(self, purpose: str = "open", *, several: bool = False, folder: bool = False) -> None:
        """Open the browser's file dialog, for one file, several, or a whole folder."""
        self.send({"type": "choose", "purpose": purpose, "several": several, "folder": folder})

    def download(self, name: str, data: bytes | str, media_type: str = "application/octet-stream") -> None:
        """Let the browser save `data` as a file."""
        data = data.encode() if isinstance(data, str) else data
        self.send({"type": "download", "name": name, "media_type": media_type}, buffers=[data])

    def copy(self, text: str) -> None:
        """Put a text on the clipboard; where the browser does not let us, it is saved as a file."""
        self.send({"type": "copy"}, buffers=[text.encode()])

    def say(
        self, text: str, *, alert: bool = False, action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Show a sentence for a moment; an alert is read out at once.

        Parameters
        ----------
        text : str
        alert : bool
        action : str
            The words of a button beside it, which stays longer.
        on_action : callable
            What that button does.
        """
        if on_action is not None:
            self._action = on_action
        self.send({"type": "say", "text": text, "alert": alert, **({"action": action} if action else {})})

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

    def _receive(self, _widget: object, message: dict, buffers: list) -> None:
        match message.get("type"):
            case "key":
                callbacks = self._pressed if message["down"] else self._released
                if message["name"] in callbacks and not self.still:
                    callbacks[message["name"]]()
            case "painted":
                for frame, future in self._waiting.items():
                    if frame <= message["frame"] and not future.done():
                        future.set_result(None)
            case "action":
                self._action()
            case "file":
                self._take_piece(message, buffers[0])

    def set_state(self, sync_data: dict) -> None:
        """Take over what a browser says, of what it has a say in."""
        super().set_state({name: value for name, value in sync_data.items() if name in self._from_browser})

    def _take_piece(self, message: dict, piece: bytes) -> None:
        """A piece of a file has come; anything that does not fit ends its upload."""
        key, index = message["id"], message["index"]
        try:
            upload = self._uploads.add(key, message["name"], message["size"], index, piece, self.max_bytes)
        except ValueError as error:
            self._parcel.clear()
            self.say(str(error), alert=True)
            return
        self.send({"type": "arrived", "id": key, "index": index})
        if upload.complete and not self.still:
            self._hand_on(upload, message.get("purpose", "open"), int(message.get("left", 0)))
        elif not upload.complete and is_looping():
            asyncio.get_running_loop().call_later(PATIENCE_SECONDS + 1, self._uploads.forget_stale)

    def _hand_on(self, upload: Upload, purpose: str, left: int) -> None:
        """A file is whole: it is taken alone, or waits for those that come with it."""
        if self._parcel or left > 0:
            self._parcel.append((upload.name, upload.data))
            if left > 0:
                return
            parcel, self._parcel = self._parcel, []
            for take in self._parcel_callbacks:
                take(parcel)
            return
        for callback in self._file_callbacks.get(purpose, ()):
            callback(upload.name, upload.data)
