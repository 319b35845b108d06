"""The pages of the front door, as tornado handlers: gallery, dashboards, notebooks, documents.

The pages live under a prefix, so that they serve as a site of their own (`cclab.apps.server`) as well as
inside a Jupyter server (`cclab.apps.extension`).
"""

import asyncio
import os
from pathlib import Path

import jinja2
import tornado.web
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from nbconvert.filters import markdown2html
from voila.handler import BaseVoilaHandler
from voila.paths import collect_template_paths
from voila.tornado.handler import TornadoVoilaHandler

from cclab.apps import gallery

TEMPLATE = Path(__file__).parent / "template"
#: Voilà's template that ours builds on.
BASE_TEMPLATE = "lab"


def with_bundled_mathjax(page_config, **kwargs):
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
#: What a page may load: what this server sends, and nothing from elsewhere.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
        "frame-ancestors 'self'",
    ]
)


def template_paths():
    """Folders of templates: ours before those of Voilà and nbconvert."""
    return [str(TEMPLATE), *collect_template_paths(["voila", "nbconvert"], BASE_TEMPLATE, prune=True)]


def template_environment():
    """Jinja's environment for the pages that need no kernel."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_paths()), extensions=["jinja2.ext.i18n"], autoescape=True
    )
    environment.install_null_translations()
    return environment


class OurTemplate:
    """What all pages share: the folder of templates, the way home, nothing loaded from elsewhere."""

    def initialize(self, environment, home, **kwargs):
        super().initialize(**kwargs)
        self.environment = environment
        self.home = home

    @property
    def content_security_policy(self):
        return CONTENT_SECURITY_POLICY

    def get_template(self, name):
        return self.environment.get_template(name)

    def render_template(self, name, **names):
        return super().render_template(
            name,
            home=self.home,
            has_notebooks=bool(gallery.teaching_notebooks()),
            has_documents=bool(gallery.documents()),
            **names,
        )


class Page(OurTemplate, BaseVoilaHandler):
    """A page made on the server, with no kernel."""


class Gallery(Page):
    """The front door: a card for each dashboard."""

    def initialize(self, notebooks, **kwargs):
        super().initialize(**kwargs)
        self.notebooks = notebooks

    @tornado.web.authenticated
    def get(self):
        is_local = self.request.host_name in ("127.0.0.1", "localhost", "::1")
        self.finish(self.render_template("gallery.html", cards=gallery.cards(self.notebooks), is_local=is_local))


class TeachingNotebooks(Page):
    """The notebooks beside the package, and how to open them."""

    @tornado.web.authenticated
    def get(self):
        self.finish(self.render_template("notebooks.html", notebooks=gallery.teaching_notebooks()))


class Documents(Page):
    """The list of documents, or one of them."""

    @tornado.web.authenticated
    def get(self, name=""):
        listed = gallery.documents()
        if not name:
            self.finish(self.render_template("documents.html", documents=listed))
            return
        title = dict(listed).get(name)
        if title is None:
            raise tornado.web.HTTPError(404)
        text = (gallery.CHECKOUT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        self.finish(self.render_template("document.html", title=title, body=markdown2html(text)))


class Dashboard(OurTemplate, TornadoVoilaHandler):
    """One dashboard, run by Voilà in a kernel of its own."""

    def initialize(self, notebooks, openings, **kwargs):
        super().initialize(**kwargs)
        self.notebooks = notebooks
        self.openings = openings

    @property
    def contents_manager(self):
        """The folder of dashboards, whatever folder the server itself shows."""
        return LargeFileManager(root_dir=str(self.notebooks))

    async def get(self, name):
        # Reading the token sets its cookie. Voilà's page sends it back when it closes, to have its kernel
        # ended, but Voilà's own handler never sets it: the kernel would stay (voila issue 1458).
        _ = self.xsrf_token
        async with self.openings:
            await super().get(f"{name}.ipynb")


def routes(home, voila_configuration, config, notebooks=gallery.NOTEBOOKS):
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
    # When a whole class comes at once: pages that are all made at the same time would all be late, and a page whose
    # kernel does not answer within seconds stays empty.
    openings = asyncio.Semaphore(os.cpu_count() or 1)
    dashboard = {
        **common,
        "notebooks": notebooks,
        "openings": openings,
        "template_paths": template_paths(),
        "config": config,
    }
    pictures = {"path": str(gallery.CHECKOUT / "docs")}
    return [
        (home, Gallery, {**common, "notebooks": notebooks}),
        (f"{home}open/([^/]+)", Dashboard, dashboard),
        (f"{home}notebooks", TeachingNotebooks, common),
        (f"{home}docs/?", Documents, common),
        (rf"{home}docs/(.+\.(?:png|svg|jpg))", tornado.web.StaticFileHandler, pictures),
        (rf"{home}docs/(.+?)(?:\.md)?", Documents, common),
    ]
