"""Messages that leave at once."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Between kernel and browser, without waiting for more to send.

    A socket holds small messages back until the one before is acknowledged, and a browser may take 40 ms for that: at
    every frame. Any Jupyter server takes this class by its option ``kernel_websocket_connection_class``.
    """

    def connect(self) -> Any:
        """Open the connection."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def use(settings: dict[str, Any]) -> None:
    """Let a server that takes the usual connection take this one."""
    if settings.get("kernel_websocket_connection_class") is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
