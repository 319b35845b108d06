"""The pages of the front door, as tornado handlers: gallery, dashboards, notebooks, documents.

The pages live under a prefix, so that they serve as a site of their own (`cclab.server.server`) as well as
inside a Jupyter server (`cclab.server.extension`).
"""

import asyncio
import json
import mimetypes
import os
import re
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import tornado.web
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from nbconvert.filters import markdown2html
from traitlets.config import Config
from voila.configuration import VoilaConfiguration
from voila.handler import BaseVoilaHandler
from voila.paths import collect_template_paths
from voila.tornado.handler import TornadoVoilaHandler

from cclab.server import gallery, kernels
from cclab.server.guard import is_foreign

#: The path of a page, its handler, and what that is made with.
Route = tuple[str, type[tornado.web.RequestHandler], dict[str, Any]]

TEMPLATE = Path(__file__).parent / "template"
#: Where the script is that keeps the theme, for pages and widgets alike.
SHARED = [str(files("cclab.looks")), str(files("cclab.widgets.kit.theme"))]
#: Voilà's template that ours builds on.
BASE_TEMPLATE = "lab"


def with_bundled_mathjax(page_config: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Use the MathJax that Voilà brings along; a Jupyter server would have another fetched from elsewhere."""
    return {**page_config, "fullMathjaxUrl": None, "mathjaxConfig": None}


#: Voilà's options for every dashboard.
VOILA_OPTIONS = {
    "template": BASE_TEMPLATE,
    "show_tracebacks": False,
    "page_config_hook": with_bundled_mathjax,
    "allow_template_override": "NO",
    "allow_theme_override": "NO",
    # Other extensions that are installed would slow the page down, and may break it.
    "extension_allowlist": [
        "@jupyter-widgets/jupyterlab-manager",
        "@voila-dashboards/widgets-manager8",
        "anywidget",
        "bqplot",
        "bqscales",
    ],
}
#: What a page may load, where its forms lead and its addresses begin: at this server, and nowhere else.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    ]
)
#: A page that takes longer than this is given up, unless `VoilaExecutor.timeout` says otherwise: others wait.
OPENING_SECONDS = 120
#: Seconds until a page that found no room asks again.
RETRY_SECONDS = 5


def template_paths() -> list[str]:
    """Folders of templates: ours before those of Voilà and nbconvert."""
    theirs = collect_template_paths(["voila", "nbconvert"], BASE_TEMPLATE, prune=True)
    return [str(TEMPLATE), *theirs, *SHARED]


def template_environment() -> jinja2.Environment:
    """Jinja's environment for the pages that need no kernel."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_paths()), extensions=["jinja2.ext.i18n"], autoescape=True
    )
    environment.install_null_translations()
    return environment


class OurTemplate:
    """What all pages share: the folder of templates, the way home, nothing loaded from elsewhere or for elsewhere."""

    def initialize(self, environment: jinja2.Environment, home: str, **kwargs: Any) -> None:
        super().initialize(**kwargs)
        self.environment = environment
        self.home = home

    async def prepare(self) -> None:
        await super().prepare()
        if not self._finished and is_foreign(self.request.headers):
            raise tornado.web.HTTPError(403)

    @property
    def content_security_policy(self) -> str:
        return CONTENT_SECURITY_POLICY

    def get_template(self, name: str) -> jinja2.Template:
        return self.environment.get_template(name)

    def render_template(self, name: str, **names: Any) -> str:
        return super().render_template(
            name,
            home=self.home,
            has_notebooks=bool(gallery.teaching_notebooks()),
            has_documents=gallery.site() is not None or bool(gallery.documents()),
            retry_seconds=RETRY_SECONDS,
            **names,
        )


class PageHandler(OurTemplate, BaseVoilaHandler):
    """A page made on the server, with no kernel."""


class Gallery(PageHandler):
    """The front door: a card for each dashboard."""

    def initialize(self, notebooks: Path, **kwargs: Any) -> None:
        super().initialize(**kwargs)
        self.notebooks = notebooks

    @tornado.web.authenticated
    def get(self) -> None:
        _ = self.xsrf_token  # sets its cookie, which the list of recent sessions is asked for with
        is_local = self.request.host_name in ("127.0.0.1", "localhost", "::1")
        self.finish(self.render_template("gallery.html", cards=gallery.cards(self.notebooks), is_local=is_local))


class RecentSessions(PageHandler):
    """What a visitor's browser has kept here, by the ids that it alone knows: it sends them in the body."""

    @tornado.web.authenticated
    async def post(self) -> None:
        try:
            visitors = json.loads(self.request.body)
            listed = await asyncio.to_thread(gallery.recent_sessions, dict(visitors))
        except (TypeError, ValueError):
            raise tornado.web.HTTPError(400) from None
        self.finish({"sessions": listed})


class TeachingNotebooks(PageHandler):
    """The notebooks beside the package, and how to open them."""

    @tornado.web.authenticated
    def get(self) -> None:
        self.finish(self.render_template("notebooks.html", notebooks=gallery.teaching_notebooks()))


class Site(PageHandler):
    """The documents as a site that was built before."""

    def initialize(self, folder: Path, **kwargs: Any) -> None:
        super().initialize(**kwargs)
        self.folder = folder

    @tornado.web.authenticated
    def get(self, name: str | None) -> None:
        if name is None:  # links of its pages count from the folder
            self.redirect(f"{self.home}docs/")
            return
        path = gallery.file_of_site(self.folder, name)
        if path is None:
            raise tornado.web.HTTPError(404)
        self.set_header("Content-Type", mimetypes.guess_type(path.name)[0] or "application/octet-stream")
        self.set_header("Cache-Control", "private, max-age=3600")
        self.finish(path.read_bytes())


class Documents(PageHandler):
    """The list of documents, or one of them, where no site was built."""

    @tornado.web.authenticated
    def get(self, name: str = "") -> None:
        listed = gallery.documents()
        if not name:
            self.finish(self.render_template("documents.html", documents=listed))
            return
        title = dict(listed).get(name)
        if title is None:
            raise tornado.web.HTTPError(404)
        text = (gallery.CHECKOUT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        body = with_formulas(markdown2html(text))
        self.finish(self.render_template("document.html", title=title, body=body))


def with_formulas(html: str) -> str:
    """A page whose formulas are MathML, which browsers draw by themselves; one that can't be read stays as it is."""

    def drawn(found: re.Match[str]) -> str:
        tex = unescape(found["block"] or found["inline"])
        try:
            return tex2mathml(tex, as_block=bool(found["block"]))
        except MathError:
            return found[0]

    # Code is passed over.
    whole = r"<(?P<code>code|pre)\b.*?</(?P=code)>|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$"
    return re.sub(whole, lambda found: found[0] if found["code"] else drawn(found), html, flags=re.DOTALL)


class Pictures(PageHandler):
    """The pictures in documents."""

    @tornado.web.authenticated
    def get(self, name: str) -> None:
        path = gallery.pictures().get(name)
        if path is None:
            raise tornado.web.HTTPError(404)
        self.set_header("Content-Type", mimetypes.guess_type(path.name)[0])
        self.set_header("Cache-Control", "private, max-age=3600")
        self.finish(path.read_bytes())


class Dashboard(OurTemplate, TornadoVoilaHandler):
    """One dashboard, run by Voilà in a kernel of its own."""

    traitlet_config: Config

    def initialize(self, notebooks: Path, openings: asyncio.Semaphore, **kwargs: Any) -> None:
        super().initialize(**kwargs)
        self.notebooks = notebooks
        self.openings = openings
        self.is_gone = False

    @property
    def contents_manager(self) -> LargeFileManager:
        """The folder of dashboards, whatever folder the server itself shows."""
        return LargeFileManager(root_dir=str(self.notebooks))

    @tornado.web.authenticated
    async def get(self, name: str) -> None:
        if name not in gallery.names(self.notebooks):
            raise tornado.web.HTTPError(404)
        # Reading the token sets its cookie. Voilà's page sends it back when it closes, to have its kernel
        # ended, but Voilà's own handler never sets it: the kernel would stay (voila issue 1458).
        _ = self.xsrf_token
        started: list[str] = []
        kernels.handed_out.set(started)
        in_time = True
        async with self.openings:
            if not self.is_gone:
                in_time = await self._open(f"{name}.ipynb")
        if self.is_gone or not in_time:
            for kernel_id in started:
                await self.kernel_manager.shutdown_kernel(kernel_id, now=not in_time)

    async def _open(self, notebook: str) -> bool:
        """Have Voilà make the page; whether it was there in time. Where it was not, the page says so."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self.traitlet_config.VoilaExecutor.timeout
        # Whoever runs the cells has to look at the clock: it does not end when the page is cancelled.
        limited = Config(VoilaExecutor={"timeout_func": lambda cell: max(deadline - clock(), 1)})
        limited.merge(self.traitlet_config)
        self.traitlet_config = limited
        await super().get(notebook)
        return clock() < deadline

    def on_connection_close(self) -> None:
        """The visitor has left before the page was there."""
        super().on_connection_close()
        self.is_gone = True

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        if status_code == 503:
            self.set_header("Retry-After", RETRY_SECONDS)
        super().write_error(status_code, **kwargs)


def patient(config: Config) -> Config:
    """With a limit to what a page takes, and time for a busy kernel to show it: nbclient itself waits four seconds."""
    merged = Config(VoilaExecutor={"iopub_timeout": OPENING_SECONDS, "timeout": OPENING_SECONDS})
    merged.merge(config)
    return merged


def routes(
    home: str, voila_configuration: VoilaConfiguration, config: Config, notebooks: Path = gallery.NOTEBOOKS
) -> list[Route]:
    """All pages as rules for tornado.

    Parameters
    ----------
    home : str
        Path of the gallery, with a slash at its end; the other pages lie below it.
    voila_configuration : VoilaConfiguration
    config : traitlets.config.Config
    notebooks : Path
        Folder of the dashboards' notebooks.

    Returns
    -------
    list of tuple
    """
    common = {
        "environment": template_environment(),
        "home": home,
        "voila_configuration": voila_configuration,
    }
    # When a whole class comes at once: pages that are all made at the same time would all be late.
    openings = asyncio.Semaphore(os.cpu_count() or 1)
    dashboard = {
        **common,
        "notebooks": notebooks,
        "openings": openings,
        "template_paths": template_paths(),
        "config": patient(config),
    }
    return [
        (home, Gallery, {**common, "notebooks": notebooks}),
        (f"{home}open/([^/]+)", Dashboard, dashboard),
        (f"{home}recent", RecentSessions, common),
        (f"{home}notebooks", TeachingNotebooks, common),
        *_documents(home, common),
    ]


def _documents(home: str, common: dict[str, Any]) -> list[Route]:
    """The built site, or else the documents as they are written."""
    if (built := gallery.site()) is not None:
        return [(rf"{home}docs(?:/(.*))?", Site, {**common, "folder": built})]
    return [
        (f"{home}docs/?", Documents, common),
        (rf"{home}docs/(.+\.(?:png|svg|jpg|webp))", Pictures, common),
        (rf"{home}docs/(.+?)(?:\.md)?", Documents, common),
    ]
