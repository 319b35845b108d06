"""What goes wrong, by the other library's names."""


class InconsistentConstraintsException(ValueError):
    """Links contradict each other; the message shows the chain."""


class ClusteringNotFoundException(ValueError):
    """No clusters keep all links; the message names them."""


class EmptyClustersException(ValueError):
    """There for code that catches it: clusters may be empty here, and nothing raises it."""
