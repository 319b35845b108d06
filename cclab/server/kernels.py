"""Kernels for the dashboards: warm before a visitor comes, gone soon after a visitor leaves."""

import asyncio
import os
from collections import deque
from datetime import UTC, datetime

from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpecManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import Float, Integer, default

PRELOAD = "import cclab.apps; cclab.apps.preload()"
HUSH = "from cclab.apps import hush; hush.until_a_page_asks()"
QUIET = ["--log-level=ERROR"]


class OwnPython(KernelSpecManager):
    """Knows one kernel: the Python that runs the server, whatever "python3" means elsewhere."""

    @default("kernel_dirs")
    def _no_other_kernels(self):
        return []


class WarmKernels(AsyncMappingKernelManager):
    """Keeps a few kernels ready that have done their imports, whichever dashboard they will serve.

    Voilà's own preheating keeps kernels for each notebook apart: memory and start-up time for dashboards that
    nobody may open. What is slow, the imports, is the same in all of them; so one pool serves all.
    """

    pool_size = Integer(2, config=True, help="How many kernels wait for a visitor.")
    refill_delay = Float(6.0, config=True, help="Seconds without a new visitor before the next kernel starts.")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._pool = deque()  # tasks, each of which gives a kernel's id and a client; first in, first out
        self._refilling = None

    def cwd_for_path(self, path, **kwargs):
        """Work where the person has started the server, not in the package's folder."""
        return os.getcwd()

    def refill(self):
        """Start kernels until the pool is full."""
        while len(self._pool) < self.pool_size:
            self._add()

    async def _refill_in_peace(self):
        """The same, one after the other, and not while visitors come: their pages need the processor more."""
        while len(self._pool) < self.pool_size:
            await asyncio.sleep(self.refill_delay)
            self._add()

    def _add(self):
        self._pool.append(asyncio.create_task(self._start_with(f"{PRELOAD}\n{HUSH}")))

    async def _start_with(self, code):
        """A kernel that has been told to run some code, and a client of it."""
        kernel_id = await super().start_kernel(kernel_name=NATIVE_KERNEL_NAME, path="", extra_arguments=QUIET)
        client = self.get_kernel(kernel_id).client()
        client.start_channels()
        await client.wait_for_ready()
        # Not awaited: whoever takes a kernel that is still importing queues behind this request. Should it fail,
        # the dashboard's own import says so, on its page.
        client.execute(code, silent=True, stop_on_error=False)
        return kernel_id, client

    async def start_kernel(self, *, kernel_id=None, env=None, **kwargs):
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
        """
        if kernel_id is not None:
            return await super().start_kernel(kernel_id=kernel_id, env=env, extra_arguments=QUIET, **kwargs)
        kernel_id, client = await self._take_waiting() or await self._start_with(HUSH)
        await self._introduce(client, env or {})
        self.get_kernel(kernel_id).last_activity = datetime.now(UTC)
        if self._refilling is not None:
            self._refilling.cancel()
        self._refilling = asyncio.create_task(self._refill_in_peace())
        return kernel_id

    async def _take_waiting(self):
        """The first kernel of the pool that is alive, with its client; None if there is none."""
        while self._pool:
            kernel_id, client = await self._pool.popleft()
            if kernel_id in self:
                return kernel_id, client
            client.stop_channels()
        return None

    async def _introduce(self, client, env):
        """Tell a waiting kernel what its visitor's request says; the dashboard's own code comes after."""
        # Voilà's keys are members of an enumeration, which the kernel does not know.
        news = {str(key): value for key, value in env.items() if os.environ.get(key) != value}
        await client.execute(f"import os; os.environ.update({news!r})", silent=True, reply=True)
        client.stop_channels()

    async def cull_kernel_if_idle(self, kernel_id):
        """Leave those that wait for a visitor alone."""
        if all(kernel_id != warm_id for warm_id, _ in self._ready()):
            await super().cull_kernel_if_idle(kernel_id)

    def _ready(self):
        """Those of the pool that have been started, with their clients."""
        return [task.result() for task in self._pool if task.done() and not task.cancelled() and not task.exception()]

    def notify_disconnect(self, kernel_id):
        """Count idle time from the moment a tab has left, so that a broken connection can come back."""
        super().notify_disconnect(kernel_id)
        if kernel_id in self:
            self.get_kernel(kernel_id).last_activity = datetime.now(UTC)

    async def shutdown_all(self, now=False):
        """End all kernels, those that are just being started too."""
        tasks = [*self._pool, *filter(None, [self._refilling])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, client in self._ready():
            client.stop_channels()
        self._pool.clear()
        await super().shutdown_all(now=now)
