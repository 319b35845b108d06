"""Kernels for the dashboards: warm before a visitor comes, gone soon after a visitor leaves, never too many."""

import asyncio
import os
from collections import deque
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpecManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.web import HTTPError
from traitlets import Float, Integer, default

PRELOAD = "import cclab.apps; cclab.apps.preload()"
HUSH = "from cclab.server import quiet_comms; quiet_comms.until_a_page_asks()"
QUIET = ["--log-level=ERROR"]
#: Of a kernel with small data; measured by `make bench-visitors`, with some to spare.
KERNEL_BYTES = 200e6
#: The part of the memory that kernels may take, and how many of them one processor can bear.
MEMORY_SHARE = 0.75
KERNELS_PER_CORE = 32
#: Whoever asks for kernels finds here the ids of those that were handed out.
handed_out: ContextVar[list[str]] = ContextVar("handed_out")
#: The id of a kernel that was started, and a client of it.
Warm = tuple[str, Any]


def room_for_kernels(memory: float | None = None, cores: int | None = None) -> int:
    """How many visitors' kernels a machine has room for.

    Parameters
    ----------
    memory : float, optional
        Bytes; None: this machine's.
    cores : int, optional
        None: this machine's.

    Returns
    -------
    int
        At least 4.

    Examples
    --------
    >>> room_for_kernels(8e9, 4), room_for_kernels(64e9, 2), room_for_kernels(1e9, 1)
    (30, 64, 4)
    """
    cores = cores or os.cpu_count() or 1
    if memory is None:
        try:
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):  # some systems don't say
            memory = cores * 4e9
    return max(4, min(int(MEMORY_SHARE * memory / KERNEL_BYTES), KERNELS_PER_CORE * cores))


class OwnPython(KernelSpecManager):
    """Knows one kernel: the Python that runs the server, whatever "python3" means elsewhere."""

    @default("kernel_dirs")
    def _no_other_kernels(self) -> list[str]:
        return []


class WarmKernels(AsyncMappingKernelManager):
    """Keeps a few kernels ready that have done their imports, whichever dashboard they will serve.

    Voilà's own preheating keeps kernels for each notebook apart: memory and start-up time for dashboards that
    nobody may open. What is slow, the imports, is the same in all of them; so one pool serves all.
    """

    pool_size = Integer(2, config=True, help="How many kernels wait for a visitor.")
    refill_delay = Float(6.0, config=True, help="Seconds without a new visitor before the next kernel starts.")
    most_visitors = Integer(config=True, help="How many kernels visitors may have at the same time.")

    @default("most_visitors")
    def _room(self) -> int:
        return room_for_kernels()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._pool: deque[asyncio.Task[Warm]] = deque()  # first in, first out
        self._refilling: asyncio.Task[None] | None = None
        self._coming = 0  # visitors whose kernels are being made ready
        self._visited: dict[str, bool] = {}  # a visitor's kernel -> whether a page has met it

    @property
    def n_visitors(self) -> int:
        """How many kernels visitors have, or are about to have."""
        self._visited = {kernel_id: is_met for kernel_id, is_met in self._visited.items() if kernel_id in self}
        return len(self._visited) + self._coming

    @property
    def _wanted(self) -> int:
        """How many kernels should wait: none beyond those that visitors may have."""
        return min(self.pool_size, self.most_visitors - self.n_visitors)

    def cwd_for_path(self, path: str, **kwargs: Any) -> str:
        """Work where the person has started the server, not in the package's folder."""
        return os.getcwd()

    def refill(self) -> None:
        """Start kernels until the pool is full."""
        while len(self._pool) < self._wanted:
            self._add()

    async def _refill_in_peace(self) -> None:
        """The same, one after the other, and not while visitors come: their pages need the processor more."""
        while len(self._pool) < self._wanted:
            await asyncio.sleep(self.refill_delay)
            self._add()

    def _add(self) -> None:
        self._pool.append(asyncio.create_task(self._start_with(f"{PRELOAD}\n{HUSH}")))

    async def _start_with(self, code: str) -> Warm:
        """A kernel that has been told to run some code, and a client of it."""
        kernel_id = await super().start_kernel(kernel_name=NATIVE_KERNEL_NAME, path="", extra_arguments=QUIET)
        client = self.get_kernel(kernel_id).client()
        client.start_channels()
        await client.wait_for_ready()
        # Not awaited: whoever takes a kernel that is still importing queues behind this request. Should it fail,
        # the dashboard's own import says so, on its page.
        client.execute(code, silent=True, stop_on_error=False)
        return kernel_id, client

    async def start_kernel(
        self, *, kernel_id: str | None = None, env: dict[str, str] | None = None, **kwargs: Any
    ) -> str:
        """Hand out a kernel of the pool, also one that is still being started; else start one.

        Parameters
        ----------
        kernel_id : str, optional
            Ask for this very kernel, as a restart does.
        env : dict, optional
            Environment of the kernel, the visitor's request among it.

        Returns
        -------
        str
            Id of the kernel.

        Raises
        ------
        HTTPError
            With the status 503, while there are as many visitors as there is room for.
        """
        if kernel_id is not None:
            return await super().start_kernel(kernel_id=kernel_id, env=env, extra_arguments=QUIET, **kwargs)
        if self.n_visitors >= self.most_visitors:
            raise HTTPError(503, "all %s kernels are in use", self.most_visitors)
        self._coming += 1
        try:
            kernel_id, client = await self._take_waiting() or await self._start_with(HUSH)
            await self._introduce(client, env or {})
            self._visited[kernel_id] = False
        finally:
            self._coming -= 1
        self.get_kernel(kernel_id).last_activity = datetime.now(UTC)
        handed_out.get([]).append(kernel_id)
        if self._refilling is not None:
            self._refilling.cancel()
        self._refilling = asyncio.create_task(self._refill_in_peace())
        return kernel_id

    async def _take_waiting(self) -> Warm | None:
        """The first kernel of the pool that is alive, with its client; None if there is none."""
        while self._pool:
            kernel_id, client = await self._pool.popleft()
            if kernel_id in self:
                return kernel_id, client
            client.stop_channels()
        return None

    async def _introduce(self, client: Any, env: dict[str, str]) -> None:
        """Tell a waiting kernel what its visitor's request says; the dashboard's own code comes after."""
        # Voilà's keys are members of an enumeration, which the kernel does not know.
        news = {str(key): value for key, value in env.items() if os.environ.get(key) != value}
        await client.execute(f"import os; os.environ.update({news!r})", silent=True, reply=True)
        client.stop_channels()

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel that is idle, or that no page has met in time; leave those that wait for a visitor alone."""
        kernel = self.get_kernel(kernel_id)
        is_starting = not kernel.trait_has_value("last_activity")
        if is_starting or any(kernel_id == warm_id for warm_id, _ in self._ready()):
            return
        quiet = datetime.now(UTC) - kernel.last_activity
        if self._visited.get(kernel_id) is False and quiet.total_seconds() > self.cull_idle_timeout:
            await self.shutdown_kernel(kernel_id)  # busy or not: no one will see what it does
            return
        await super().cull_kernel_if_idle(kernel_id)

    def _ready(self) -> list[Warm]:
        """Those of the pool that have been started, with their clients."""
        return [task.result() for task in self._pool if task.done() and not task.cancelled() and not task.exception()]

    def notify_connect(self, kernel_id: str) -> None:
        """A page has met its kernel."""
        super().notify_connect(kernel_id)
        if kernel_id in self._visited:
            self._visited[kernel_id] = True

    def notify_disconnect(self, kernel_id: str) -> None:
        """Count idle time from the moment a tab has left, so that a broken connection can come back."""
        super().notify_disconnect(kernel_id)
        if kernel_id in self:
            self.get_kernel(kernel_id).last_activity = datetime.now(UTC)

    async def shutdown_all(self, now: bool = False) -> None:
        """End all kernels, those that are just being started too."""
        tasks = [*self._pool, *filter(None, [self._refilling])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, client in self._ready():
            client.stop_channels()
        self._pool.clear()
        for kernel_id in self._pending_kernels.keys() - self._kernels.keys():
            del self._pending_kernels[kernel_id]  # its start was cancelled: there is no kernel to end
        await super().shutdown_all(now=now)
