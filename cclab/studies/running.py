"""Where trials run: in processes of this machine, or on a cluster of Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Seconds until a scheduler must have answered.
PATIENCE = 10


class ClusterLost(ValueError):
    """No cluster is there, or it has gone while trials ran; the words say which."""


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
        Nobody answers at the address, Dask is not installed, or all workers that had a trial were lost.
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

    try:
        if not scheduler.rpartition(":")[2].isdigit():  # a client without a port complains again when it is let go
            raise ValueError("its port is missing")
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterLost(
            f"there is no Dask scheduler at {scheduler} ({error}); `dask scheduler` starts one and prints its address"
        ) from None
    with client:
        try:
            with parallel_config("dask", client=client, scatter=list(shared), wait_for_workers_timeout=PATIENCE):
                yield
        except (KilledWorker, CancelledError, TimeoutError) as error:
            raise ClusterLost(
                f"the workers at {scheduler} were lost ({error}); finished trials are kept, and the same command goes "
                "on from here"
            ) from None
