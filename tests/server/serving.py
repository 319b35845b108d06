"""A real `cclab app` as a process, over a folder of its own."""

import http.client
import signal
import subprocess
import sys
import time
import uuid
from urllib.parse import urlencode, urlsplit

import nbformat
import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

SERVE = """
import pathlib, sys
from cclab.server import gallery
from cclab.server.server import serve

site = sys.argv[3] and pathlib.Path(sys.argv[3])
gallery.site = lambda: site or None
serve(notebooks=pathlib.Path(sys.argv[1]), **eval(sys.argv[2]))
"""


class Server:
    """`cclab app` over a folder of notebooks.

    Parameters
    ----------
    folder : Path
    site : Path or None
        The documents as they were built, whatever this checkout has; as they are written if None.
    **options
        Of `cclab.server.server.serve`.
    """

    def __init__(self, folder, site=None, **options):
        self.folder = folder
        options = {"open_browser": False, "workers": 1} | options
        self._log = folder / f"errors-{uuid.uuid4().hex}.log"  # others may serve the same folder
        with self._log.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(folder), repr(options), str(site or "")],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                # Tests that run in the background are deaf to Ctrl+C, and so would be what they start.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        said = self.process.stdout.readline()
        if "cclab is open at " not in said:
            self.process.wait()
            pytest.fail(self.log)
        self.url = said.rpartition(" ")[2].strip()
        # Those that wait for visitors are there before anything is counted.
        wait_until(lambda: len(self.kernels()) >= options["workers"], seconds=60)

    @property
    def log(self):
        """What it has written to the terminal, but for the ports that others use."""
        lines = self._log.read_text().splitlines(keepends=True)
        return "".join(line for line in lines if "is in use; trying the next one" not in line)

    @property
    def host(self):
        return urlsplit(self.url).netloc

    def address(self, path):
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}{path}"

    def ask(self, path, method="GET", timeout=60, **headers):
        """The answer to a request, which no library has tidied up: status, headers, body. `_` in headers is `-`."""
        connection = http.client.HTTPConnection(self.host, timeout=timeout)
        try:
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, urlsplit(self.url).path + path, headers=names)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")
        finally:
            connection.close()

    def status(self, path, **headers):
        """Status of a page, asked for without a browser's cookies."""
        return self.ask(path, **headers)[0]

    def kernels(self):
        """Process ids of the kernels."""
        found = subprocess.run(["ps", "--ppid", str(self.process.pid), "-o", "pid="], capture_output=True, text=True)
        return found.stdout.split()

    async def connect(self, kernel_id, protocol="v1.kernel.websocket.jupyter.org"):
        """A websocket to a kernel, as a page has one."""
        query = urlencode({"session_id": uuid.uuid4().hex})
        address = self.address(f"api/kernels/{kernel_id}/channels?{query}").replace("http", "ws", 1)
        return await websocket_connect(HTTPRequest(address), subprotocols=[protocol] if protocol else None)

    def stop(self):
        """Ctrl+C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.process.stdout.close()


def write_notebook(folder, name, source):
    """A notebook of one cell, as a dashboard."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    notebook.metadata |= {"title": name.title(), "cclab": {"description": f"The {name}.", "hint": "For tests"}}
    nbformat.write(notebook, folder / f"{name}.ipynb")


def wait_until(condition, seconds=15):
    """Wait for something to become true; fail if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
