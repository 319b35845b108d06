"""The connection between a browser and its kernel: messages leave at once, and frames are checked first."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from cclab.server.websocket_frames import BadFrame, check_frame

#: Of the websocket protocol: the other side has broken it.
_PROTOCOL_ERROR = 1002


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Between kernel and browser, without waiting for more to send, and without believing what a frame claims.

    A socket holds small messages back until the one before is acknowledged, and a browser may take 40 ms for that: at
    every frame. Any Jupyter server takes this class by its option ``kernel_websocket_connection_class``.
    """

    def connect(self) -> Any:
        """Open the connection."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()

    def handle_incoming_message(self, incoming_msg: Any) -> None:
        """Pass a message on to the kernel; a frame that is none ends this connection, and no other."""
        try:
            check_frame(incoming_msg, self.subprotocol)
        except BadFrame as error:
            sender = self.websocket_handler.request.remote_ip
            self.log.error("A frame from %s for kernel %s is no message: %s.", sender, self.kernel_id, error)
            self.websocket_handler.close(_PROTOCOL_ERROR, f"This is no message: {error}.")
            return
        super().handle_incoming_message(incoming_msg)


def use(settings: dict[str, Any]) -> None:
    """Let a server that takes the usual connection take this one."""
    if settings.get("kernel_websocket_connection_class") is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
