"""The `cclab` command. Each subcommand imports what it needs when it runs; none needs another's extras."""

import argparse
import importlib.util
import sys


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : list of str, optional
        Arguments; None: those of the process.

    Returns
    -------
    int
        Exit status.
    """
    arguments = build_parser().parse_args(argv)
    return arguments.run(arguments)


def build_parser():
    """The parser, one subparser for each subcommand."""
    parser = argparse.ArgumentParser(prog="cclab", description="Interactive constrained clustering.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="{app,study,datasets}")

    app = commands.add_parser("app", help="open the gallery of dashboards in the browser")
    app.add_argument("--port", type=int, help="port to listen on (default: the first free one from 8866)")
    app.add_argument("--ip", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    app.add_argument("--token", help="what visitors must know (default: none on this machine, else a random one)")
    app.add_argument("--base-url", default="/", help="path of the gallery behind a proxy (default: %(default)s)")
    app.add_argument("--workers", type=_count, default=2, help="kernels kept ready for visitors (default: %(default)s)")
    app.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    app.set_defaults(run=run_app)

    study = commands.add_parser("study", help="run an experiment: a paper's table, a learning curve")
    study.add_argument("name", nargs="?", metavar="NAME", help="which one; --list shows them")
    study.add_argument("--list", action="store_true", help="list the studies")
    study.add_argument("--trials", type=int, help="trials of each cell (default: the study's own)")
    study.add_argument("--jobs", type=int, help="processes (default: one a core)")
    study.add_argument("--seed", type=int, help="where all randomness comes from (default: the study's own)")
    study.add_argument("--out", metavar="DIR", help="folder of results (default: results)")
    study.add_argument("--only", nargs="+", metavar="LABEL", help="only these data sets or methods")
    study.add_argument("--fresh", action="store_true", help="run again what is in the results already")
    study.set_defaults(run=run_study)

    datasets = commands.add_parser("datasets", help="list the data sets that load_dataset knows")
    datasets.set_defaults(run=run_datasets)
    return parser


def run_app(arguments):
    """Serve the gallery until it is stopped."""
    if _missing("voila", "ipywidgets", "bqplot", "anywidget"):
        return _fail('The dashboards need more packages: pip install "cclab[lab]"')
    from cclab.apps.server import AddressError, serve

    try:
        serve(
            ip=arguments.ip,
            port=arguments.port,
            token=arguments.token,
            base_url=arguments.base_url,
            workers=arguments.workers,
            open_browser=not arguments.no_browser,
        )
    except AddressError as error:
        return _fail(error)
    return 0


def run_study(arguments):
    """Run a study, or list them."""
    if _missing("joblib"):
        return _fail('Studies need more packages: pip install "cclab[study]"')
    from cclab.studies import cli

    return cli.main(arguments) or 0


def run_datasets(arguments):
    """Print a table of the data sets, one a line."""
    from cclab.datasets import list_datasets

    print(list_datasets().to_string(index=False))
    return 0


def _count(text):
    """A number of things, for argparse."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of kernels; 0 keeps none ready")
    return number


def _missing(*packages):
    return any(importlib.util.find_spec(package) is None for package in packages)


def _fail(message):
    print(message, file=sys.stderr)
    return 1
