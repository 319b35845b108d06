"""The server of `cclab app`: Voilà in this process, with our pages, our kernels and careful settings."""

import ipaddress
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
from jupyter_server.base.handlers import Template404
from jupyter_server.utils import url_path_join
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from traitlets.config import Config
from voila.app import Voila

from cclab.server import gallery
from cclab.server import handlers as pages
from cclab.server.kernels import OwnPython, WarmKernels
from cclab.server.nodelay import PromptConnection

DEFAULT_PORT = 8866
#: Largest message a page may send, in bytes: an upload of 50 MB by a widget that sends
#: it in one piece, with room for what wraps it. Our own pages send pieces.
MAX_MESSAGE = 64 * 1024 * 1024

#: Voilà's own ways to notebooks and files, which our pages take the place of.
SHUT = ("/voila/tree", "/voila/render", "/voila/api/contents", "/voila/files")


class AddressError(Exception):
    """The server cannot listen as asked; the message says why and what to do."""


def is_loopback(ip: str) -> bool:
    """Whether an address is reached from this machine only."""
    if ip == "localhost":
        return True
    try:
        return ipaddress.ip_address(ip).is_loopback
    except ValueError:
        return False


def token_for(ip: str, token: str | None = None, *, base_url: str = "/", hosts: Sequence[str] = ()) -> str:
    """The token that visitors need.

    Parameters
    ----------
    ip : str
        Address to listen on.
    token : str, optional
        The token asked for; the empty string asks for none.
    base_url : str
        Path of the gallery; other than "/" there is a proxy in front.
    hosts : sequence of str
        Names of this server besides those of the machine itself.

    Returns
    -------
    str
        Empty if none is needed, where only this machine can reach the server; elsewhere a new random one if `token`
        is None.
    """
    if is_loopback(ip) and base_url == "/" and not hosts:
        return token or ""
    if token == "":
        how = f"as {hosts[0]}" if hosts else f"behind a proxy, at {base_url}" if is_loopback(ip) else f"at {ip}"
        raise AddressError(
            f"Other machines can reach this server {how}: a token is needed. Leave --token out for a random one."
        )
    return token or secrets.token_urlsafe(24)


def check_hosts(hosts: Iterable[str]) -> None:
    """Raise AddressError unless these are names of a server, such as "clusters.example.org"."""
    for host in hosts:
        if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", host) or re.fullmatch(r"[0-9.]+", host):
            raise AddressError(
                f"--allow-host takes a server's name as browsers show it, such as clusters.example.org, not {host!r}."
            )


def listen_on(ip: str, port: int | None = None, tries: int = 50) -> list[socket.socket]:
    """Bind the first free port.

    Parameters
    ----------
    ip : str
    port : int, optional
        This port and no other; else the first free one from `DEFAULT_PORT`.
    tries : int
        How many ports to try.

    Returns
    -------
    list of socket.socket
    """
    ports = [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + tries)
    for candidate in ports:
        try:
            return bind_sockets(candidate, ip)
        except socket.gaierror:
            raise AddressError(f"{ip} is not an address of this machine.") from None
        except PermissionError:
            raise AddressError(f"Port {candidate} needs rights that you do not have; try one above 1024.") from None
        except OSError as error:
            if port is not None:
                raise AddressError(f"Cannot listen on {ip}, port {port}: {error.strerror}.") from None
            print(f"Port {candidate} is in use; trying the next one.", file=sys.stderr)
    raise AddressError(f"No free port between {ports[0]} and {ports[-1]}; name one with --port.")


class Server(Voila):
    """Voilà with our pages in front and its own doors to files and notebooks shut."""

    def __init__(self, sockets: list[socket.socket], notebooks: Path, first: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sockets = sockets
        self.first = first
        self.notebooks = notebooks

    def setup_template_dirs(self) -> None:
        """Our templates, in place of those of Voilà."""
        super().setup_template_dirs()
        self.template_paths = pages.template_paths()

    def init_settings(self) -> dict[str, Any]:
        """The settings of Voilà, and ours."""
        settings = super().init_settings()
        return {**settings, "jinja2_env": pages.template_environment(), "default_handler_class": Template404}

    def init_handlers(self) -> list[tuple[Any, ...]]:
        """Our routes, then those of Voilà that stay open."""
        rules = pages.routes(self.server_url, self.voila_configuration, self.config, self.notebooks)
        for path, *rest in super().init_handlers():
            if path != self.server_url and not any(door in path for door in SHUT):
                # Voilà forgets the base of its login page.
                path = path if path.startswith(self.server_url) else url_path_join(self.server_url, path)
                rules.append((path, *rest))
        return rules

    @property
    def visitor_url(self) -> str:
        """The address to open, the token included."""
        host = socket.gethostname() if self.ip in ("0.0.0.0", "::") else self.ip
        host = f"[{host}]" if ":" in host else host
        query = f"{'&' if '?' in self.first else '?'}token={quote(self.token)}" if self.token else ""
        return f"http://{host}:{self.port}{self.base_url}{self.first}{query}"

    def listen(self) -> None:
        """Answer on the sockets that were bound before."""
        HTTPServer(self.app).add_sockets(self.sockets)
        self.ioloop = IOLoop.current()
        self.ioloop.add_callback(self.kernel_manager.refill)
        self.ioloop.add_callback(self._rehearse)
        print(f"cclab is open at {self.visitor_url}\nPress Ctrl+C to stop it.", flush=True)
        if self.open_browser:
            threading.Thread(target=show, args=[self.visitor_url], daemon=True).start()
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            print("\nStopping.", flush=True)
        finally:
            self.stop()

    def _rehearse(self) -> None:
        """Read a notebook once, so that nbformat compiles its schema before the first visitor comes."""
        for path in self.notebooks.glob("*.ipynb"):
            nbformat.read(path, as_version=4)
            return

    def stop(self) -> None:
        """End every kernel, then the server; in the loop that started them, which Voilà's own way leaves."""
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        try:
            self.ioloop.run_sync(self.kernel_manager.shutdown_all)
        except RuntimeError:  # a second signal had come with the first, and stopped the loop once more
            self.ioloop.run_sync(self.kernel_manager.shutdown_all)
        shutil.rmtree(self.connection_dir, ignore_errors=True)


def show(address: str) -> None:
    """Open an address in the person's browser; where there is none, say so."""
    try:
        shown = webbrowser.open(address)
    except webbrowser.Error:
        shown = False
    if not shown:
        print(f"No browser could be opened here. Go to {address} in one of your own.", file=sys.stderr, flush=True)


def settings(
    ip: str,
    port: int,
    token: str,
    base_url: str,
    hosts: Sequence[str],
    workers: int,
    visitors: int | None,
    open_browser: bool,
    opening_seconds: float = pages.OPENING_SECONDS,
) -> Config:
    """Everything that differs from Voilà's own defaults."""
    limit = {} if visitors is None else {"most_visitors": visitors}
    return Config(
        Voila={
            "ip": ip,
            "port": port,
            "token": token,
            "base_url": base_url,
            "open_browser": open_browser,
            "log_level": logging.ERROR,
            "config_file_paths": [],
            "kernel_websocket_connection_class": PromptConnection,
            "tornado_settings": {
                "websocket_max_message_size": MAX_MESSAGE,
                # A request for another host name comes from a page that tries to reach this server through its
                # visitor's browser. On a network nobody knows all names of a machine; there the token keeps it out.
                "allow_remote_access": not is_loopback(ip) and not hosts,
                "local_hostnames": ["localhost", *hosts],
                # Those of the pages hold for what Jupyter answers too.
                "headers": {"Content-Security-Policy": pages.CONTENT_SECURITY_POLICY},
            },
        },
        VoilaConfiguration={
            **pages.VOILA_OPTIONS,
            "multi_kernel_manager_class": WarmKernels,
            "kernel_spec_manager_class": OwnPython,
        },
        VoilaExecutor={"timeout": opening_seconds},
        # Pages of other sites don't get to use what a visitor has shown here.
        IdentityProvider={"cookie_options": {"samesite": "Lax"}},
        # A closed tab ends its kernel at once. This is for tabs that vanished without a word; an open one,
        # however quiet, keeps its kernel.
        WarmKernels={
            "pool_size": workers,
            "cull_idle_timeout": 300,
            "cull_interval": 30,
            "cull_connected": False,
            **limit,
        },
    )


def has_display() -> bool:
    """Whether a browser opened here would be seen."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve(
    *,
    ip: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    base_url: str = "/",
    hosts: Sequence[str] = (),
    workers: int = 2,
    visitors: int | None = None,
    open_browser: bool = True,
    first: str = "",
    notebooks: Path = gallery.NOTEBOOKS,
    opening_seconds: float = pages.OPENING_SECONDS,
) -> None:
    """Serve the gallery until Ctrl+C or SIGTERM.

    Parameters
    ----------
    ip : str
        Address to listen on. Anything but loopback needs a token.
    port : int, optional
        None: the first free one from `DEFAULT_PORT`.
    token : str, optional
        What visitors must know; None: a random one where one is needed.
    base_url : str
        Path of the gallery, for a proxy that serves it below a path of its own; with one a token is needed.
    hosts : sequence of str
        Names by which visitors reach this server, besides those of the machine itself; with any a token is needed.
    workers : int
        How many kernels wait, warm, for a visitor.
    visitors : int, optional
        How many pages may be open at the same time, others wait; None: as many as there is room for.
    open_browser : bool
        Whether to open the gallery in the browser, where there is a display.
    first : str
        What to open in the browser, below the address of the gallery; by default the gallery itself.
    notebooks : Path
        Folder of the dashboards' notebooks.
    opening_seconds : float
        A page that takes longer is given up, and its kernel is ended.
    """
    base_url = f"/{base_url.strip('/')}/".replace("//", "/")
    check_hosts(hosts)
    token = token_for(ip, token, base_url=base_url, hosts=hosts)
    sockets = listen_on(ip, port)
    bound = sockets[0].getsockname()[1]
    logging.getLogger("tornado").setLevel(logging.ERROR)
    server = Server.instance(
        sockets,
        notebooks,
        first,
        config=settings(
            ip, bound, token, base_url, hosts, workers, visitors, open_browser and has_display(), opening_seconds
        ),
    )
    server.initialize(argv=[])
    server.start()
