"""The gallery inside a Jupyter server that runs already (Binder, JupyterHub), at `cclab/`.

Switched on by `jupyter server extension enable cclab.apps.extension`. The kernels are that server's own, so
none is warm.
"""

from jupyter_server.utils import url_path_join
from voila.configuration import VoilaConfiguration

from cclab.apps import pages


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    home = url_path_join(server.base_url, "cclab/")
    options = VoilaConfiguration(parent=server, **pages.VOILA_OPTIONS)
    server.web_app.add_handlers(".*$", pages.routes(home, options, server.config))
