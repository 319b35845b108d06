"""What we lean on inside Voilà, jupyter_server and ipykernel, one test each: a new version that changes it fails here.

None of it is needed to serve the pages: plain Voilà does, with more messages, colder kernels and its own doors open
(`tests/browser/test_workbench.py` runs on it).
"""

import inspect

import nbformat
import pytest
from comm import get_comm_manager
from ipykernel.comm.comm import BaseComm
from ipykernel.kernelbase import Kernel
from ipywidgets import Widget
from jupyter_client.session import Session
from jupyter_server.auth.identity import IdentityProvider
from jupyter_server.base.handlers import AuthenticatedHandler, JupyterHandler
from jupyter_server.services.kernels.connection import base, channels
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.config import Config
from voila.app import Voila
from voila.execute import VoilaExecutor
from voila.handler import VoilaHandler
from voila.tornado.handler import TornadoVoilaHandler

from cclab.server import handlers as pages
from cclab.server import quiet_comms as hush
from cclab.server.kernels import OwnPython, WarmKernels
from cclab.server.nodelay import PromptConnection
from cclab.server.server import SHUT, Server
from cclab.server.websocket_frames import V1, BadFrame, check_frame


def overrides(ours, theirs, *names):
    """Whether methods are where we replace them, and take what ours take."""

    def named(method):
        parameters = inspect.signature(method).parameters.values()
        return {each.name for each in parameters if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)}

    for name in names:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine is not other, f"{ours.__name__}.{name} replaces nothing"
        any_ = any(each.kind is each.VAR_KEYWORD for each in inspect.signature(other).parameters.values())
        assert any_ or named(mine) <= named(other), f"{theirs.__name__}.{name} takes {named(other)}"


# prompt.py


def test_frames_pass_through_the_method_that_checks_them():
    overrides(PromptConnection, channels.ZMQChannelsWebsocketConnection, "connect", "handle_incoming_message")
    assert "self.connection.handle_incoming_message(" in inspect.getsource(KernelWebsocketHandler.on_message)
    assert isinstance(channels.ZMQChannelsWebsocketConnection.subprotocol, property)
    assert callable(KernelWebsocketHandler.set_nodelay)


@pytest.mark.parametrize("n_buffers", [0, 3])
def test_what_jupyter_writes_is_taken(n_buffers):
    session = Session()
    message = session.msg("comm_msg", {"data": {}})
    buffers = [b"abc" * i for i in range(n_buffers)]
    parts = [session.pack(message[name]) for name in ("header", "parent_header", "metadata", "content")]
    frame = base.serialize_msg_to_ws_v1(parts + buffers, "shell")
    check_frame(frame, V1)
    older = base.serialize_binary_message(message | {"channel": "shell", "buffers": buffers})
    check_frame(older, None)
    check_frame("{}", None)
    for cut in range(len(frame) - sum(map(len, parts + buffers)) - 6):
        with pytest.raises(BadFrame):
            check_frame(frame[:cut], V1)


# kernels.py


def test_kernels_are_handed_out_counted_and_culled_by_the_methods_that_we_replace():
    names = ["start_kernel", "cull_kernel_if_idle", "notify_connect", "notify_disconnect", "cwd_for_path"]
    overrides(WarmKernels, AsyncMappingKernelManager, *names, "shutdown_all")
    assert "self.cull_kernel_if_idle(" in inspect.getsource(AsyncMappingKernelManager.cull_kernels)
    connection = channels.ZMQChannelsWebsocketConnection
    assert "notify_connect(self.kernel_id)" in inspect.getsource(connection.connect)
    assert "notify_disconnect(self.kernel_id)" in inspect.getsource(connection.disconnect)
    assert "self.kernel_manager.start_kernel(" in inspect.getsource(VoilaHandler.get_generator)


def test_one_kernel_is_known():
    assert list(OwnPython().find_kernel_specs()) == ["python3"]


# hush.py


def test_a_kernel_keeps_quiet_until_a_page_asks(monkeypatch):
    sent, opened = [], []
    monkeypatch.setattr(BaseComm, "publish_msg", lambda *_, **__: sent.append("message"))
    monkeypatch.setattr(BaseComm, "kernel", None, raising=False)
    monkeypatch.setattr(Kernel, "instance", classmethod(lambda cls: "the kernel"))
    monkeypatch.setattr(Widget, "handle_control_comm_opened", lambda comm, message: opened.append(message))
    manager = get_comm_manager()
    monkeypatch.setattr(manager, "targets", dict(manager.targets))
    hush.until_a_page_asks()
    BaseComm.publish_msg(None, "comm_msg")
    assert sent == []
    manager.targets["jupyter.widget.control"](None, "asked")
    BaseComm.publish_msg(None, "comm_msg")
    assert (sent, opened) == (["message"], ["asked"])


def test_comms_of_widgets_speak_by_the_method_that_is_hushed():
    assert "self.publish_msg(" in inspect.getsource(BaseComm.send)


# pages.py


def test_a_dashboard_is_voilas_handler_with_our_template():
    names = ["initialize", "prepare", "on_connection_close", "write_error", "get_template", "render_template"]
    overrides(pages.Dashboard, TornadoVoilaHandler, *names)
    assert [*inspect.signature(TornadoVoilaHandler.get).parameters] == ["self", "path"]
    assert '"%s.html" % status_code' in inspect.getsource(JupyterHandler.write_error)  # 503.html is found by its name


def test_a_busy_kernel_is_given_time_to_hand_over_what_it_shows():
    config = pages.patient(Config(VoilaExecutor={"timeout": 7}))
    executor = VoilaExecutor(nbformat.v4.new_notebook(), config=config)
    assert (executor.iopub_timeout, executor.timeout) == (pages.OPENING_SECONDS, 7)


def test_the_blocks_that_our_template_fills_are_in_voilas():
    environment = pages.template_environment()
    theirs = environment.loader.get_source(environment, "voila/templates/lab/index.html.j2")[0]
    above = environment.loader.get_source(environment, "nbconvert/templates/lab/index.html.j2")[0]
    for block in ("html_head_js", "notebook_css", "body_header", "body_loop", "body_footer"):
        assert f"block {block}" in theirs + above, block


# server.py


def test_voilas_doors_are_where_we_shut_them():
    overrides(Server, Voila, "setup_template_dirs", "init_settings", "init_handlers", "listen", "stop")
    source = inspect.getsource(Voila.init_handlers)
    for door in SHUT:
        assert door in source, door
    assert "self.app.settings.update(self.tornado_settings)" in inspect.getsource(Voila.start)


def test_jupyter_heeds_the_settings_that_guard_the_server():
    check = inspect.getsource(JupyterHandler.check_host)
    assert '"allow_remote_access"' in check
    assert '"local_hostnames"' in check
    assert 'settings["headers"]["Content-Security-Policy"]' in inspect.getsource(AuthenticatedHandler)
    assert "cookie_options.update(self.cookie_options)" in inspect.getsource(IdentityProvider.set_login_cookie)
