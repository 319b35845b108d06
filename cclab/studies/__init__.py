"""Experiments with the truth answering in the person's place: a study is a declaration.

A new study is one new file of this room that defines ``STUDY`` (or ``STUDIES``, several)::

    from sklearn.cluster import KMeans

    from cclab.algorithms import COPKMeans  # from the room, not from `cclab`: imports go downward
    from cclab.queries import UncertaintyQueries
    from cclab.studies import Asked, Comparison, Data, Method, Printed, RandomPairs, Study, grid

    IRIS, WINE = Data("iris"), Data("wine", standardized=True)
    KMEANS = Method("K-means", KMeans, n_init=10)  # n_clusters: the true number, unless it is given
    COP = Method("COP-KMeans", COPKMeans, n_init=5)
    PAIRS = [RandomPairs(20), RandomPairs(50), RandomPairs(share=0.01)]  # "20 pairs", "50 pairs", "1 % pairs"
    ACTIVE = Asked(UncertaintyQueries(), budget=50, per_round=5)  # a learning curve, ends at "50 by UncertaintyQueries"


    def clusters(outcome):  # outcome: data, problem, labels, partition, state, solver, count
        return {"clusters": len(set(outcome.labels.tolist()))}


    STUDY = Study(
        name="example",
        title="Pairs for COP-KMeans",
        paper="Author, Title, year",
        cells=grid([IRIS, WINE], KMEANS) + grid([IRIS, WINE], COP, [*PAIRS, ACTIVE]),
        trials=25,
        measures=[clusters],
        show=["ari", "ari_free", "clusters"],
        printed=[
            Printed(
                "rand",
                {
                    ("iris", "COP-KMeans", "{} pairs"): {20: 0.90, 50: 0.93},  # what the paper has
                    ("wine", "COP-KMeans", "50 by UncertaintyQueries"): 0.97,
                },
                margin=0.02,  # reached from published - 0.02 on; factor=0.97: from 0.97 x published on
                source="Table 5",
            )
        ],
        comparisons=[Comparison("ari", ("COP-KMeans", "50 pairs"), ("K-means", "nothing"))],
    )

Run it by ``cclab study example --trials 3`` or ``STUDY.table(STUDY.run(trials=3, n_jobs=2))``. A function serves as a
method too: ``Method("watershed", function, **parameters)``, called as ``function(problem, data, **parameters)``. A
`Knowledge` of one's own is a frozen dataclass with ``label`` and ``draw(data, rng)``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

from cclab.core.words import did_you_mean
from cclab.oracles import Truth, ask
from cclab.studies.claims import Comparison, Printed
from cclab.studies.declaration import Cell, Data, Method, grid
from cclab.studies.knowledge import Asked, Knowledge, NoKnowledge, RandomLabels, RandomPairs
from cclab.studies.study import Study
from cclab.studies.trial import Outcome

__all__ = [
    "Asked",
    "Cell",
    "Comparison",
    "Data",
    "Knowledge",
    "Method",
    "NoKnowledge",
    "Outcome",
    "Printed",
    "RandomLabels",
    "RandomPairs",
    "Study",
    "Truth",
    "ask",
    "find_studies",
    "get_study",
    "grid",
    "paper_studies",
]


def find_studies() -> tuple[dict[str, Study], dict[str, str]]:
    """All studies of this room by name, and why any of its modules can't be used."""
    return _found(pkgutil.walk_packages(__path__, f"{__name__}."))


def paper_studies() -> dict[str, Study]:
    """The studies of the papers, by name."""
    papers = importlib.import_module(f"{__name__}.papers")
    return _found(pkgutil.iter_modules(papers.__path__, f"{papers.__name__}."))[0]


def _found(modules: Iterable[pkgutil.ModuleInfo]) -> tuple[dict[str, Study], dict[str, str]]:
    studies: dict[str, Study] = {}
    broken: dict[str, str] = {}
    for module in modules:
        try:
            found = importlib.import_module(module.name)
        except Exception as error:  # a broken study must not hide the others
            broken[module.name.removeprefix(f"{__name__}.")] = f"{type(error).__name__}: {error}"
            continue
        declared = [*getattr(found, "STUDIES", ()), *([found.STUDY] if hasattr(found, "STUDY") else [])]
        studies |= {study.name: study for study in declared}
    return studies, broken


def get_study(name: str) -> Study:
    """The study of this name, or an error that lists the close names."""
    studies, broken = find_studies()
    if name not in studies:
        why = "".join(f"; {module} can't be used: {reason}" for module, reason in broken.items())
        hint = did_you_mean(name, studies, f"known are {', '.join(sorted(studies))}")
        raise ValueError(f"there is no study called {name!r}; {hint}{why}")
    return studies[name]
