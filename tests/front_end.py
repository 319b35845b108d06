"""What a browser does to widgets and sees of them, without one: all that tests know of ipywidgets from inside."""

from ipywidgets.widgets import widget as registry


def send(widget, message, *buffers):
    """A message of the browser to a widget."""
    widget._handle_custom_msg(message, list(buffers))


def classes(widget):
    """The CSS classes of a widget."""
    return widget._dom_classes


def is_shown(widget):
    """Whether a widget is to be seen."""
    return "cc-hidden" not in classes(widget)


def living():
    """All widgets that are not closed, by their ids."""
    return dict(registry._instances)
