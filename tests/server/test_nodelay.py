"""Messages leave at once, where nobody has chosen another way."""

from types import SimpleNamespace

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from cclab.server import nodelay as prompt
from cclab.server.nodelay import PromptConnection


def test_the_socket_waits_for_nothing(monkeypatch):
    told = []
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", lambda self: "connected")
    connection = PromptConnection.__new__(PromptConnection)
    monkeypatch.setattr(PromptConnection, "websocket_handler", SimpleNamespace(set_nodelay=told.append), raising=False)
    assert connection.connect() == "connected"
    assert told == [True]


def test_a_connection_that_someone_chose_stays():
    usual = {"kernel_websocket_connection_class": ZMQChannelsWebsocketConnection}
    prompt.use(usual)
    assert usual["kernel_websocket_connection_class"] is PromptConnection
    chosen = {"kernel_websocket_connection_class": object}
    prompt.use(chosen)
    assert chosen["kernel_websocket_connection_class"] is object
