"""The `cclab` command. Each subcommand imports what it needs when it runs; none needs another's extras."""

import argparse
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version


def main(argv: Sequence[str] | None = None) -> int:
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
    return int(arguments.run(arguments))


def build_parser() -> argparse.ArgumentParser:
    """The parser, one subparser for each subcommand."""
    parser = argparse.ArgumentParser(prog="cclab", description="Interactive constrained clustering.")
    parser.add_argument("--version", action="version", version=f"cclab {version('cclab')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="{app,study,results,apply,datasets}")

    app = commands.add_parser("app", help="open the gallery of dashboards, or one's own file, in the browser")
    app.add_argument("file", nargs="?", help="a table for the workbench, or a picture for the painter")
    app.add_argument("--port", type=int, help="port to listen on (default: the first free one from 8866)")
    app.add_argument("--ip", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    app.add_argument("--token", help="what visitors must know (default: none on this machine, else a random one)")
    app.add_argument("--base-url", default="/", help="path of the gallery behind a proxy (default: %(default)s)")
    app.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name by which visitors reach this server"
    )
    app.add_argument("--workers", type=_count, default=2, help="kernels kept ready for visitors (default: %(default)s)")
    app.add_argument(
        "--visitors", type=_positive, help="pages open at the same time; more wait (default: by memory and processors)"
    )
    app.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    app.set_defaults(run=run_app)

    study = commands.add_parser("study", help="run an experiment: a paper's table, a learning curve")
    study.add_argument("name", nargs="?", metavar="NAME", help="which one; --list shows them")
    study.add_argument("--list", action="store_true", help="list the studies")
    study.add_argument("--trials", type=int, help="trials of each cell (default: the study's own)")
    _add_bounds(study)
    study.add_argument("--jobs", type=int, help="processes (default: one a core)")
    study.add_argument("--seed", type=int, help="where all randomness comes from (default: the study's own)")
    study.add_argument("--out", metavar="DIR", help="folder of results (default: results)")
    study.add_argument(
        "--only", nargs="+", metavar="LABEL", help="only these data sets, methods or links (* is any text)"
    )
    study.add_argument("--fresh", action="store_true", help="run again what is in the results already")
    study.add_argument("--scheduler", metavar="ADDRESS", help="run on a cluster of Dask, such as tcp://10.0.0.5:8786")
    study.set_defaults(run=run_study)

    results = commands.add_parser("results", help="run all studies of the papers and write the page of their results")
    results.add_argument("--page", default="results/results.md", help="where to write it (default: %(default)s)")
    results.add_argument("--trials", type=int, help="trials of each cell (default: as many as each study has)")
    _add_bounds(results)
    results.add_argument("--jobs", type=int, help="processes (default: one a core)")
    results.add_argument("--out", metavar="DIR", help="folder of results (default: results)")
    results.add_argument("--only", nargs="+", metavar="STUDY", help="only these studies")
    results.add_argument("--scheduler", metavar="ADDRESS", help="run on a cluster of Dask")
    results.set_defaults(run=run_results)

    apply = commands.add_parser("apply", help="tell every row of a large table by a session")
    apply.add_argument("session", help="a session that was saved (.json), or the folder of its journal")
    apply.add_argument("table", help="a Parquet file with the columns that the session clusters by")
    apply.add_argument("--out", metavar="FILE", required=True, help="Parquet file for clusters and degrees")
    apply.set_defaults(run=run_apply)

    datasets = commands.add_parser("datasets", help="list the data sets that load_dataset knows")
    datasets.set_defaults(run=run_datasets)
    return parser


def run_app(arguments: argparse.Namespace) -> int:
    """Serve the gallery until it is stopped."""
    if _missing("voila", "ipywidgets", "bqplot", "anywidget"):
        return _fail('The dashboards need more packages: pip install "cclab[lab]"')
    from cclab.server.given import NotToOpen, give
    from cclab.server.server import AddressError, serve

    try:
        serve(
            first=give(arguments.file) if arguments.file else "",
            ip=arguments.ip,
            port=arguments.port,
            token=arguments.token,
            base_url=arguments.base_url,
            hosts=arguments.allow_host,
            workers=arguments.workers,
            visitors=arguments.visitors,
            open_browser=not arguments.no_browser,
        )
    except (AddressError, NotToOpen) as error:
        return _fail(error)
    return 0


def _add_bounds(command: argparse.ArgumentParser) -> None:
    command.add_argument("--minutes", type=float, help="begin no trial after so many; the same command goes on")
    command.add_argument("--limit", type=float, metavar="SECONDS", help="a trial that takes longer has failed")


def run_study(arguments: argparse.Namespace) -> int:
    """Run a study, or list them."""
    if _missing("joblib", "tqdm"):
        return _fail('Studies need more packages: pip install "cclab[study]"')
    from cclab.studies import terminal

    return terminal.main(arguments) or 0


def run_results(arguments: argparse.Namespace) -> int:
    """Run all studies of the papers, and write the page of their results."""
    if _missing("joblib", "tqdm", "matplotlib"):
        return _fail('Studies need more packages: pip install "cclab[study]"')
    from cclab.studies import terminal

    return terminal.results(arguments)


def run_apply(arguments: argparse.Namespace) -> int:
    """Write what a session believes of every row of a table."""
    if _missing("pyarrow"):
        return _fail("Parquet files need one more package: pip install pyarrow")
    from cclab.export.applying import apply_file

    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: print(f"Note: {message}", file=sys.stderr)
            n_rows = apply_file(arguments.session, arguments.table, arguments.out)
    except (ValueError, OSError) as error:
        return _fail(error)
    except KeyboardInterrupt:
        print("Stopped; nothing was written.", file=sys.stderr)
        return 130
    print(f"{arguments.out}: {n_rows:,} rows")
    return 0


def run_datasets(arguments: argparse.Namespace) -> int:
    """Print a table of the data sets, one a line."""
    from cclab.datasets import list_datasets

    print(list_datasets().to_string(index=False))
    return 0


def _count(text: str) -> int:
    """A number of things, for argparse."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of kernels; 0 keeps none ready")
    return number


def _positive(text: str) -> int:
    """A number of visitors, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of visitors; at least 1 must be let in")
    return number


def _missing(*packages: str) -> bool:
    return any(importlib.util.find_spec(package) is None for package in packages)


def _fail(message: object) -> int:
    print(message, file=sys.stderr)
    return 1
