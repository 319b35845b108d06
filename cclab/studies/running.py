"""Where trials run: in processes of this machine, or on a cluster of Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Seconds until a scheduler must have answered.
PATIENCE = 10
PROTOCOLS = ("tcp", "tls", "ws", "wss", "ucx")
KEPT = "finished trials are kept, and the same command goes on from here"


class ClusterLost(ValueError):
    """No cluster is there, or it has gone while trials ran; the words say which."""


class WorkersLost(ClusterLost):
    """Workers have gone while trials ran, with what these need; others may be there."""


@contextmanager
def workers(scheduler: str | None, shared: Sequence[Any] = ()) -> Iterator[None]:
    """Inside, joblib's tasks run at the cluster whose scheduler has this address; None: here.

    Parameters
    ----------
    scheduler : str or None
        ``tcp://host:port``.
    shared : sequence
        What many tasks are given, by identity: it is sent once to every worker.

    Raises
    ------
    ClusterLost
        Nobody answers at the address, or Dask is not installed.
    WorkersLost
        Some are lost with data that only they had, or by what they were to do.
    """
    if scheduler is None:
        yield
        return
    try:
        from dask.distributed import Client, KilledWorker
    except ImportError:
        raise ClusterLost('a scheduler needs Dask: pip install "cclab[dask]"') from None
    from concurrent.futures import CancelledError

    from joblib import parallel_config
    from joblib._dask import DaskDistributedBackend

    class AtWorkers(DaskDistributedBackend):
        """Where a cluster can do one thing at a time, joblib would do it here."""

        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, super().effective_n_jobs(n_jobs))

    try:
        # A client that has no port, or can't speak a protocol, complains again when it is let go.
        if not scheduler.rpartition(":")[2].isdigit():
            raise ValueError("its port is missing")
        protocol, named, _ = scheduler.partition("://")
        if named and protocol not in PROTOCOLS:
            raise ValueError(f"{protocol} is none of its protocols, which are {', '.join(PROTOCOLS)}")
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterLost(
            f"there is no Dask scheduler at {scheduler} ({error}); `dask scheduler` starts one and prints its address"
        ) from None
    with client:
        try:
            with parallel_config(AtWorkers(client=client, scatter=list(shared), wait_for_workers_timeout=PATIENCE)):
                yield
        except TimeoutError:
            raise ClusterLost(
                f"no worker has come to {scheduler} within {PATIENCE} s (`dask worker {scheduler}` starts one); {KEPT}"
            ) from None
        except (KilledWorker, CancelledError, OSError) as error:
            raise WorkersLost(f"the workers at {scheduler} were lost ({type(error).__name__}); {KEPT}") from None
