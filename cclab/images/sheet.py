"""One picture with all that follows from it alone: features, objects and ties, each worked out once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

import numpy as np
from scipy import sparse

from cclab.images.bank import Bank
from cclab.images.features import features as pixel_features
from cclab.images.features import flattened
from cclab.images.objects import Objects, distinct_values, single_pixels, superpixels
from cclab.images.picture import Picture
from cclab.images.recipe import Options

_MAKERS: dict[str, Callable[[Picture, np.ndarray], Objects]] = {
    "values": distinct_values,
    "superpixels": superpixels,
    "pixels": single_pixels,
}


@dataclass(eq=False)
class Sheet:
    """A picture that is looked at with various options."""

    picture: Picture
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)
    _making: Any = field(default_factory=RLock, repr=False)

    @property
    def n_pixels(self) -> int:
        """Of the picture."""
        return self.picture.shape[0] * self.picture.shape[1]

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._making:  # who needs what another thread is making waits for it
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _seen(self, options: Options) -> Picture:
        """The picture that features are taken from."""
        return self._once("flat", lambda: flattened(self.picture)) if options.flatten else self.picture

    def names(self, options: Options) -> tuple[str, ...] | None:
        """Of the features that are taken."""
        if options.features is None and options.objects == "values":
            return ("lab",) if self.picture.is_colour else ("intensity",)
        return options.features

    def features(self, options: Options) -> np.ndarray:
        """(n_pixels, n_features) of every pixel."""
        names = self.names(options)
        return self._once(("features", names, options.flatten), lambda: pixel_features(self._seen(options), names))

    def bank(self, options: Options) -> Bank:
        """Filters of many scales at every pixel."""
        return self._once(("bank", options.flatten), lambda: Bank.of(self._seen(options)))

    def described(self, options: Options) -> np.ndarray:
        """(n_objects, n_maps) what the filters say of each object."""
        bank, objects = self.bank(options), self.objects(options)
        if objects.kind == "pixels":
            return bank.values
        return self._once(("described", id(objects)), lambda: objects.means_of(bank.values).astype(np.float32))

    def objects(self, options: Options) -> Objects:
        """What is clustered."""
        key = ("objects", options.objects, self.names(options), options.flatten)
        return self._once(key, lambda: _MAKERS[options.objects](self._seen(options), self.features(options)))

    def ties(self, options: Options) -> sparse.csr_array | None:
        """How strongly neighbours are tied; frozen, so that what follows from it is worked out once for all strokes."""
        objects, smoothness = self.objects(options), options.smoothness
        affinity = objects.affinity
        if affinity is None or not smoothness:
            return None
        ties = self._once(("ties", id(objects), smoothness), lambda: affinity * smoothness)
        ties.data.setflags(write=False)
        return ties

    def without_value(self, options: Options) -> np.ndarray | None:
        """(n_objects,) of which objects most pixels have no value; None where all have one."""
        invalid = self.picture.invalid
        if invalid is None:
            return None
        objects = self.objects(options)
        counts = np.bincount(objects.labels_of_pixels[invalid], minlength=len(objects))
        return 2 * counts > objects.multiplicity

    def prepare(self, options: Options) -> None:
        """Work out now what the first stroke would have to wait for."""
        for kind in {options.objects, "superpixels"} if options.objects == "pixels" else {options.objects}:
            self.objects(replace(options, objects=kind))
            if options.learns:
                self.described(replace(options, objects=kind))
