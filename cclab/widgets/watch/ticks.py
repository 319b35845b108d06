"""Round tick values, for the axes that bqplot draws; the canvas has the same rule in JavaScript."""

import math

import bqplot
import numpy as np


def ticks(low: float, high: float, pixels: float, spacing: float) -> tuple[np.ndarray, str]:
    """Round values in [low, high], about one every `spacing` pixels, and the d3 format to write them in.

    >>> values, form = ticks(-1.2, 2.3, pixels=400, spacing=60)
    >>> values.tolist(), form
    ([-1.0, 0.0, 1.0, 2.0], '.0f')
    """
    rough = (high - low) * spacing / pixels
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(multiple for multiple in (1, 2, 5, 10) if multiple * power >= rough * 0.999)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    values = step * np.arange(math.ceil(low / step), math.floor(high / step) + 1)
    large = max(abs(low), abs(high)) >= 1e6 or decimals > 5
    return values, ".1e" if large else f".{decimals}f"


def put_ticks(axis: bqplot.Axis, values: np.ndarray, form: str) -> None:
    """Give an axis other ticks, written in this d3 format.

    The format goes first: bqplot writes new ticks a frame later, in the format that held when they came.
    """
    if axis.tick_format != form:
        axis.tick_format = form
    axis.tick_values = values
