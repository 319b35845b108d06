"""t-SNE and UMAP in a process of their own: the page goes on, progress is told, and either can be stopped."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import TSNE

from cclab.session.threads import in_thread

#: What there is, with its name for a person.
METHODS = {"tsne": "t-SNE", "umap": "UMAP"}
#: Both look at so many leading components at most.
MOST_COMPONENTS = 50
#: More samples than this would take hours.
MOST_SAMPLES = 200_000
_STEPS = 1000
# What they print on their way: "Iteration 350: error = ..." and " 35%|███".
_STEP, _PERCENT = re.compile(rb"Iteration (\d+):"), re.compile(rb"(\d+)%\|")


def has_umap() -> bool:
    """Whether the package that has UMAP is installed."""
    return find_spec("umap") is not None


def why_not(method: str, n_samples: int) -> str | None:
    """Why a method can't be had for so many samples, in words, or None."""
    title = METHODS[method]
    if method == "umap" and not has_umap():
        return "UMAP comes with another package: pip install 'cclab[umap]', then start again."
    if n_samples < 5:
        return f"{title} needs at least 5 samples, and there are {n_samples}."
    if n_samples > MOST_SAMPLES:
        return f"{title} would take hours for {n_samples:,} samples; it is offered up to {MOST_SAMPLES:,}."
    return None


def reduced(X: Any) -> NDArray[np.float32]:
    """The leading components of samples with many features."""
    if sparse.issparse(X):
        n = min(MOST_COMPONENTS, X.shape[1] - 1, X.shape[0] - 1)
        return TruncatedSVD(max(1, n), random_state=0).fit_transform(X).astype(np.float32)
    if X.shape[1] > MOST_COMPONENTS:
        n = min(MOST_COMPONENTS, *X.shape)
        return PCA(n, svd_solver="randomized", random_state=0).fit_transform(X).astype(np.float32)
    return np.asarray(X, dtype=np.float32)


def embed(X: Any, method: str, *, verbose: bool = False) -> NDArray[np.float32]:
    """Places of samples in the plane, (n, 2).

    Parameters
    ----------
    X : (n, p) array or sparse array
    method : {"tsne", "umap"}
    verbose : bool
        Print how far it is.
    """
    X = reduced(X)
    n = len(X)
    if method == "umap":
        umap = import_module("umap")
        return umap.UMAP(n_neighbors=min(15, n - 1), random_state=0, n_jobs=1, verbose=verbose).fit_transform(X)
    perplexity = min(30.0, (n - 1) / 3)
    init = "pca" if X.shape[1] > 1 else "random"
    return TSNE(perplexity=perplexity, init=init, random_state=0, verbose=2 * verbose, max_iter=_STEPS).fit_transform(X)


async def embed_in_background(X: Any, method: str, progress: Callable[[float], object]) -> NDArray[np.float32]:
    """As `embed`, in another process; cancelling it ends that process.

    Parameters
    ----------
    X : (n, p) array or sparse array
    method : {"tsne", "umap"}
    progress : callable
        Called with the share that is done.
    """
    with tempfile.TemporaryDirectory(prefix="cclab-") as folder:
        given, made = Path(folder, "X.npy"), Path(folder, "xy.npy")
        np.save(given, await in_thread(reduced, X))
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-u", "-m", __name__, method, str(given), str(made)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            last = await _follow(child, progress)
            if await child.wait() != 0:
                raise RuntimeError(last.decode(errors="replace").strip()[-200:] or "the process ended")
            return np.load(made, allow_pickle=False)
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()


async def _follow(child: asyncio.subprocess.Process, progress: Callable[[float], object]) -> bytes:
    """Tell how far a process is by what it prints; the end of that."""
    assert child.stdout is not None
    last = b""
    while part := await child.stdout.read(4096):
        last = (last + part)[-4096:]
        if steps := _STEP.findall(last):
            progress(int(steps[-1]) / _STEPS)
        elif percents := _PERCENT.findall(last):
            progress(int(percents[-1]) / 100)
    return last


def main(words: list[str]) -> None:
    """Read samples from a file, embed them, and write their places to another."""
    method, given, made = words
    if hasattr(os, "nice"):
        os.nice(5)  # whoever works on the page goes first
    np.save(made, embed(np.load(given, allow_pickle=False), method, verbose=True))


if __name__ == "__main__":
    main(sys.argv[1:])
