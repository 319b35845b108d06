"""One file per algorithm, one folder per family."""

import importlib
import pkgutil
from typing import Any

from cclab.core.registry import solvers

# Every module of this room, so that a new algorithm is one new file and nothing else.
for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = [
    "BCKM",
    "BoostCluster",
    "CA",
    "CECM",
    "CFCM",
    "CKM",
    "CMKIPCM",
    "COBRAS",
    "COPKMeans",
    "CSP",
    "CompetitiveMixture",
    "ConstrainedKMeans",
    "ECM",
    "FCM",
    "FOSC",
    "GK",
    "IPCM",
    "ITML",
    "LCVQE",
    "KernelBoost",
    "LinkedMixture",
    "MMC",
    "MPCKMeans",
    "NoiseClustering",
    "PCCA",
    "PCCC",
    "PCKMeans",
    "PCM",
    "PCP",
    "PFCM",
    "PlainAgglomerative",
    "PlainGaussianMixture",
    "PlainKMeans",
    "PlainSpectral",
    "RCA",
    "RCKM",
    "RPCM",
    "SFCM",
    "SPCL",
    "SPFCM",
    "SRPCM",
    "SeededKMeans",
    "XiangMetric",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return solvers.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
