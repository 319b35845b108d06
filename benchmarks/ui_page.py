"""The workbench with a stopwatch, for `benchmarks.ui`: function keys start measurements, a file gets the results."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import resident
from cclab import FCM, load_dataset
from cclab.apps.workbench import Workbench, workbench


class Stopwatch:
    """A workbench on `n` samples that never converge, and what was measured there."""

    def __init__(self, n: int, file: str) -> None:
        data = load_dataset("blobs", n_samples=n, seed=0)
        self.page: Workbench = workbench(data, FCM(n_clusters=5, tol=0.0, max_iter=100_000, random_state=0))
        self.file = Path(file)
        self.results: dict[str, Any] = {}
        self.page.scatter.points.on_select(self._selected)
        self._time_messages()
        keys = {"F2": self._steps, "F3": self._run, "F4": self._many_steps}
        for key, measure in keys.items():
            self.page.shell.bind(key, lambda measure=measure: asyncio.ensure_future(measure()))
        self._write()

    def _selected(self, indices: np.ndarray, _mode: str) -> None:
        self.results["selected"] = {"n": len(indices), "at": time.time()}
        self._write()

    def _time_messages(self) -> None:
        """How long Python takes over what the scatter tells it, all views included."""
        points = self.page.scatter.points
        receive = points._receive

        def timed(widget: Any, message: dict, buffers: list) -> None:
            began = time.perf_counter()
            receive(widget, message, buffers)
            self.results[f"took {message.get('type')}"] = time.perf_counter() - began
            self._write()

        points.widget.on_msg(receive, remove=True)
        points.widget.on_msg(timed)

    async def _steps(self, n: int = 30) -> None:
        """Each step apart: what it takes from the solver's answer until the browser has painted it."""
        session, times, solver_times = self.page.desk.session, [], []
        for _ in range(n):
            began = time.perf_counter()
            session.solver.step(session.solver.adapt(session.problem), session.state)
            solver_times.append(time.perf_counter() - began)
            began = time.perf_counter()
            session.step()
            await self.page.shell.painted(timeout=30)
            times.append(time.perf_counter() - began - solver_times[-1])
        self.results["steps"] = {"painted": float(np.median(times)), "solver": float(np.median(solver_times))}
        self._write()

    async def _run(self, n: int = 100) -> None:
        """Run as the Run button does at full speed: every frame is waited for."""
        self.page.stepper.speed.value = "max"
        began = time.perf_counter()
        await self.page.desk.session.arun(n, pace=self.page.stepper._pace)
        self.results["run"] = {"frames_per_second": n / (time.perf_counter() - began)}
        self._write()

    async def _many_steps(self, n: int = 1000) -> None:
        await self.page.desk.session.arun(n, pace=self.page.stepper._pace)
        gc.collect()
        self.results.setdefault("memory", []).append({"kernel": resident()})
        self._write()

    def _write(self) -> None:
        aside = self.file.with_suffix(".new")
        aside.write_text(json.dumps(self.results))
        aside.replace(self.file)
