"""The parts of a declaration: data, methods, and the cells that they make with knowledge."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from cclab.datasets import Dataset, load_dataset
from cclab.studies.knowledge import Knowledge, NoKnowledge

NOTHING = NoKnowledge()


@dataclass(frozen=True, init=False)
class Data:
    """A data set of a study.

    Parameters
    ----------
    source : str or callable
        A name that `load_dataset` knows, or a function that makes a Dataset out of the options.
    label : str, optional
        What tables call it; default: the name.
    standardized : bool
        Whether each feature is brought to mean 0 and variance 1.
    anew : bool
        Whether each trial draws its own data: `source` is then given a ``seed``.
    **options
        For the loader or generator.

    Examples
    --------
    >>> Data("wine", standardized=True).load()
    <Dataset wine: 178 samples x 13 features; 3 classes: class_0 59, class_1 71, class_2 48; 1 note>
    """

    source: str | Callable[..., Dataset]
    label: str
    standardized: bool
    anew: bool
    options: Mapping[str, Any]

    def __init__(
        self,
        source: str | Callable[..., Dataset],
        *,
        label: str | None = None,
        standardized: bool = False,
        anew: bool = False,
        **options: Any,
    ) -> None:
        name = source if isinstance(source, str) else getattr(source, "__name__", "")
        if not (label or name):
            raise ValueError(f"{source!r} has no name of its own: give a label")
        vars(self).update(source=source, label=label or name, standardized=standardized, anew=anew, options=options)

    def __hash__(self) -> int:
        return hash(self.label)  # options need not be hashable

    def load(self, seed: int | None = None) -> Dataset:
        """The data; `seed` matters only where each trial draws its own."""
        options = {**self.options, "seed": seed} if self.anew else self.options
        data = load_dataset(self.source, **options) if isinstance(self.source, str) else self.source(**options)
        return data.standardized() if self.standardized else data


@dataclass(frozen=True, init=False)
class Method:
    """A way to cluster: one of our solvers, an estimator of scikit-learn, or a function.

    Parameters
    ----------
    label : str
        What tables call it.
    make : class or function
        A class is made with `parameters`; ``n_clusters`` is the number of true classes unless it is given, and
        ``random_state`` the trial's own. A function is called with the problem, the data and `parameters`, draws
        from ``problem.seed`` alone, and returns labels, a partition, a state or a fitted estimator.
    **parameters

    Examples
    --------
    >>> from cclab import FCM
    >>> Method("fuzzy", FCM, fuzzifier=1.5).estimator(Data("iris").load(), seed=0)
    FCM(fuzzifier=1.5, random_state=0)
    """

    label: str
    make: Callable[..., Any]
    parameters: Mapping[str, Any]

    def __init__(self, label: str, make: Callable[..., Any], /, **parameters: Any) -> None:
        vars(self).update(label=label, make=make, parameters=parameters)

    @property
    def is_function(self) -> bool:
        """Whether it is a function in place of a solver."""
        return not isinstance(self.make, type)

    def estimator(self, data: Dataset, seed: int) -> Any:
        """The estimator for these data."""
        takes = inspect.signature(self.make).parameters
        defaults = {"n_clusters": data.n_classes, "random_state": seed}
        return self.make(**{k: v for k, v in defaults.items() if k in takes} | dict(self.parameters))


@dataclass(frozen=True)
class Cell:
    """One method on one data set with one kind of knowledge: what is repeated in trials."""

    data: Data
    method: Method
    knowledge: Knowledge = NOTHING

    @property
    def key(self) -> tuple[str, str, str]:
        """What tables call it: the labels of data, method and knowledge."""
        return self.data.label, self.method.label, self.knowledge.label

    @property
    def keys(self) -> tuple[tuple[str, str, str], ...]:
        """The same for each point of its learning curve, where it has one."""
        return tuple((self.data.label, self.method.label, label) for label in self.knowledge.labels)


def grid(
    data: Data | Iterable[Data],
    methods: Method | Iterable[Method],
    knowledge: Knowledge | Iterable[Knowledge] = NOTHING,
) -> tuple[Cell, ...]:
    """All cells of some data sets, methods and kinds of knowledge; grids are added with ``+``.

    Examples
    --------
    >>> from cclab import FCM
    >>> [cell.key for cell in grid([Data("iris"), Data("wine")], Method("FCM", FCM))]
    [('iris', 'FCM', 'nothing'), ('wine', 'FCM', 'nothing')]
    """
    return tuple(Cell(*parts) for parts in product(_several(data), _several(methods), _several(knowledge)))


def _several(one_or_more: Any) -> tuple[Any, ...]:
    return (one_or_more,) if isinstance(one_or_more, Data | Method | Knowledge) else tuple(one_or_more)
