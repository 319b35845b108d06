"""The server of `cclab app`: Voilà in this process, with our pages, our kernels and careful settings."""

import ipaddress
import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import threading
import webbrowser
from urllib.parse import quote

import nbformat
from jupyter_server.base.handlers import Template404
from jupyter_server.utils import url_path_join
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from traitlets.config import Config
from voila.app import Voila

from cclab.apps import gallery, pages
from cclab.apps.kernels import OwnPython, WarmKernels
from cclab.apps.prompt import PromptConnection

DEFAULT_PORT = 8866
#: Largest message a page may send, in bytes: an upload of 50 MB with room for what wraps it.
MAX_MESSAGE = 64 * 1024 * 1024


class AddressError(Exception):
    """The server cannot listen as asked; the message says why and what to do."""


def is_loopback(ip):
    """Whether an address is reached from this machine only."""
    if ip == "localhost":
        return True
    try:
        return ipaddress.ip_address(ip).is_loopback
    except ValueError:
        return False


def token_for(ip, token=None):
    """The token that visitors need.

    Parameters
    ----------
    ip : str
        Address to listen on.
    token : str, optional
        The token asked for; the empty string asks for none.

    Returns
    -------
    str
        Empty if none is needed, on loopback only; elsewhere a new random one if `token` is None.
    """
    if is_loopback(ip):
        return token or ""
    if token == "":
        raise AddressError(
            f"{ip} can be reached from other machines: a token is needed. Leave --token out for a random one."
        )
    return token or secrets.token_urlsafe(24)


def listen_on(ip, port=None, tries=50):
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

    def __init__(self, sockets, notebooks, **kwargs):
        super().__init__(**kwargs)
        self.sockets = sockets
        self.notebooks = notebooks

    def setup_template_dirs(self):
        super().setup_template_dirs()
        self.template_paths = pages.template_paths()

    def init_settings(self):
        settings = super().init_settings()
        return {**settings, "jinja2_env": pages.template_environment(), "default_handler_class": Template404}

    def init_handlers(self):
        shut = ("/voila/tree", "/voila/render", "/voila/api/contents", "/voila/files")
        rules = pages.routes(self.server_url, self.voila_configuration, self.config, self.notebooks)
        for path, *rest in super().init_handlers():
            if path != self.server_url and not any(door in path for door in shut):
                # Voilà forgets the base of its login page.
                path = path if path.startswith(self.server_url) else url_path_join(self.server_url, path)
                rules.append((path, *rest))
        return rules

    @property
    def visitor_url(self):
        """The address to open, the token included."""
        host = socket.gethostname() if self.ip in ("0.0.0.0", "::") else self.ip
        host = f"[{host}]" if ":" in host else host
        query = f"?token={quote(self.token)}" if self.token else ""
        return f"http://{host}:{self.port}{self.base_url}{query}"

    def listen(self):
        HTTPServer(self.app).add_sockets(self.sockets)
        self.ioloop = IOLoop.current()
        self.ioloop.add_callback(self.kernel_manager.refill)
        self.ioloop.add_callback(self._rehearse)
        print(f"cclab is open at {self.visitor_url}\nPress Ctrl+C to stop it.", flush=True)
        if self.open_browser:
            threading.Thread(target=webbrowser.open, args=[self.visitor_url], daemon=True).start()
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            print("\nStopping.", flush=True)
        finally:
            self.stop()

    def _rehearse(self):
        """Read a notebook once, so that nbformat compiles its schema before the first visitor comes."""
        for path in self.notebooks.glob("*.ipynb"):
            nbformat.read(path, as_version=4)
            return

    def stop(self):
        """End every kernel, then the server; in the loop that started them, which Voilà's own way leaves."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.ioloop.run_sync(self.kernel_manager.shutdown_all)
        shutil.rmtree(self.connection_dir, ignore_errors=True)


def settings(ip, port, token, base_url, workers, open_browser):
    """Everything that differs from Voilà's own defaults."""
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
                # With neither a token nor a proxy in front, a request for another host name comes from a page
                # that tries to reach this machine through its visitor's browser.
                "allow_remote_access": bool(token) or base_url != "/",
            },
        },
        VoilaConfiguration={
            **pages.VOILA_OPTIONS,
            "multi_kernel_manager_class": WarmKernels,
            "kernel_spec_manager_class": OwnPython,
        },
        # A closed tab ends its kernel at once. This is for tabs that vanished without a word; an open one,
        # however quiet, keeps its kernel.
        WarmKernels={
            "pool_size": workers,
            "cull_idle_timeout": 300,
            "cull_interval": 30,
            "cull_connected": False,
        },
    )


def has_display():
    """Whether a browser opened here would be seen."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve(
    *,
    ip="127.0.0.1",
    port=None,
    token=None,
    base_url="/",
    workers=2,
    open_browser=True,
    notebooks=gallery.NOTEBOOKS,
):
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
        Path of the gallery, for a proxy that serves it below a path of its own.
    workers : int
        How many kernels wait, warm, for a visitor.
    open_browser : bool
        Whether to open the gallery in the browser, where there is a display.
    notebooks : Path
        Folder of the dashboards' notebooks.
    """
    token = token_for(ip, token)
    sockets = listen_on(ip, port)
    base_url = f"/{base_url.strip('/')}/".replace("//", "/")
    bound = sockets[0].getsockname()[1]
    logging.getLogger("tornado").setLevel(logging.ERROR)
    server = Server.instance(
        sockets,
        notebooks,
        config=settings(ip, bound, token, base_url, workers, open_browser and has_display()),
    )
    server.initialize(argv=[])
    server.start()
