"""The gallery inside a Jupyter server that runs already (Binder, JupyterHub), at `cclab/`.

The package brings a file that tells Jupyter servers to load this. The kernels are that server's own, so none is warm.
"""

import importlib.util

from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    if importlib.util.find_spec("voila") is None:
        server.log.info('cclab is installed without its dashboards; with them: pip install "cclab[lab]"')
        return
    from voila.configuration import VoilaConfiguration

    from cclab.server import handlers as pages
    from cclab.server import nodelay as prompt

    prompt.use(server.web_app.settings)
    home = url_path_join(server.base_url, "cclab/")
    options = VoilaConfiguration(parent=server, **pages.VOILA_OPTIONS)
    server.web_app.add_handlers(".*$", pages.routes(home, options, server.config))
