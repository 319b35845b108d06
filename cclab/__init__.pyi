# What `from cclab import ...` gives, for type checkers and for `cclab/__init__.py`, which imports each name when used.
from .algorithms import (
    BCKM as BCKM,
)
from .algorithms import (
    CA as CA,
)
from .algorithms import (
    CECM as CECM,
)
from .algorithms import (
    CFCM as CFCM,
)
from .algorithms import (
    CKM as CKM,
)
from .algorithms import (
    CMKIPCM as CMKIPCM,
)
from .algorithms import (
    COBRAS as COBRAS,
)
from .algorithms import (
    CSP as CSP,
)
from .algorithms import (
    ECM as ECM,
)
from .algorithms import (
    FCM as FCM,
)
from .algorithms import (
    FOSC as FOSC,
)
from .algorithms import (
    GK as GK,
)
from .algorithms import (
    IPCM as IPCM,
)
from .algorithms import (
    ITML as ITML,
)
from .algorithms import (
    LCVQE as LCVQE,
)
from .algorithms import (
    MMC as MMC,
)
from .algorithms import (
    PCCA as PCCA,
)
from .algorithms import (
    PCCC as PCCC,
)
from .algorithms import (
    PCM as PCM,
)
from .algorithms import (
    PCP as PCP,
)
from .algorithms import (
    PFCM as PFCM,
)
from .algorithms import (
    RCA as RCA,
)
from .algorithms import (
    RCKM as RCKM,
)
from .algorithms import (
    RPCM as RPCM,
)
from .algorithms import (
    SFCM as SFCM,
)
from .algorithms import (
    SPCL as SPCL,
)
from .algorithms import (
    SPFCM as SPFCM,
)
from .algorithms import (
    SRPCM as SRPCM,
)
from .algorithms import (
    BoostCluster as BoostCluster,
)
from .algorithms import (
    CompetitiveMixture as CompetitiveMixture,
)
from .algorithms import (
    ConstrainedKMeans as ConstrainedKMeans,
)
from .algorithms import (
    COPKMeans as COPKMeans,
)
from .algorithms import (
    KernelBoost as KernelBoost,
)
from .algorithms import (
    LinkedMixture as LinkedMixture,
)
from .algorithms import (
    MPCKMeans as MPCKMeans,
)
from .algorithms import (
    NoiseClustering as NoiseClustering,
)
from .algorithms import (
    PCKMeans as PCKMeans,
)
from .algorithms import (
    PlainAgglomerative as PlainAgglomerative,
)
from .algorithms import (
    PlainGaussianMixture as PlainGaussianMixture,
)
from .algorithms import (
    PlainKMeans as PlainKMeans,
)
from .algorithms import (
    PlainSpectral as PlainSpectral,
)
from .algorithms import (
    SeededKMeans as SeededKMeans,
)
from .algorithms import (
    XiangMetric as XiangMetric,
)
from .core import ConstraintSet as ConstraintSet
from .core import Problem as Problem
from .core import held_out as held_out
from .core import iterate as iterate
from .datasets import load_dataset as load_dataset
from .session import Session as Session

HOMES: dict[str, str]
__version__: str
