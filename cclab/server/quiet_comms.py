"""A dashboard's kernel keeps quiet until its page is there.

Every widget announces itself by a message, and again whenever something about it changes: several hundred for one
dashboard. While the notebook runs no page listens yet, and the one that comes asks for the state of all widgets at
once. So nothing is sent until it asks, the server has nothing to pass on, and the page is there a second sooner.
"""

from typing import Any

from comm import get_comm_manager
from ipykernel.comm.comm import BaseComm
from ipykernel.kernelbase import Kernel
from ipywidgets import Widget

_CONTROL = "jupyter.widget.control"


def until_a_page_asks() -> None:
    """Send no news of widgets before a page asks for their state."""
    targets, publish = get_comm_manager(), BaseComm.publish_msg

    def asked(comm: BaseComm, message: dict[str, Any]) -> None:
        BaseComm.publish_msg = publish
        targets.register_target(_CONTROL, Widget.handle_control_comm_opened)
        Widget.handle_control_comm_opened(comm, message)

    BaseComm.kernel = Kernel.instance()  # else found by the first message that is sent; widgets ask for it before
    BaseComm.publish_msg = lambda *_, **__: None
    targets.register_target(_CONTROL, asked)
