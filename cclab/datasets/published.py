"""What is known beforehand about the published data sets, wherever their numbers are read from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from cclab.datasets.dataset import Dataset


def as_published(data: Dataset) -> Dataset:
    """The data as they are; there is nothing to choose."""
    return data


def weighted_terms(data: Dataset, *, weighting: str = "tfidf") -> Dataset:
    """Counts of words as tf-idf with rows of unit length, or ``weighting="counts"``: as they are."""
    if weighting == "counts":
        return replace(data, notes=(*data.notes, "raw term counts"))
    if weighting == "tfidf":
        weighted = TfidfTransformer().fit_transform(data.X)
        return replace(data, X=weighted, notes=(*data.notes, "tf-idf of the term counts, rows of unit length"))
    raise ValueError(f"{data.name}: weighting must be 'tfidf' (default) or 'counts', got {weighting!r}")


def expressed_genes(data: Dataset, *, genes: str = "all") -> Dataset:
    """All genes as measured, or ``genes="filtered"``: clipped, the ones that vary, in log10.

    The filter is that of Dudoit, Fridlyand and Speed (2002): clip to [100, 16000], keep the genes with
    max / min > 5 and max - min > 500 over the samples, then take log10.
    """
    if genes == "all":
        return data
    if genes == "filtered":
        clipped = np.clip(data.X, 100, 16_000)
        low, high = clipped.min(axis=0), clipped.max(axis=0)
        varies = (high / low > 5) & (high - low > 500)
        return replace(
            data,
            X=np.log10(clipped[:, varies]),
            feature_names=tuple(np.array(data.feature_names)[varies]),
            notes=(*data.notes, f"clipped to [100, 16000], {varies.sum()} genes that vary kept, log10 taken"),
        )
    raise ValueError(f"{data.name}: genes must be 'all' (default) or 'filtered', got {genes!r}")


@dataclass(frozen=True)
class Published:
    """Size, meaning and origin of a published data set."""

    n_samples: int
    n_features: int
    n_classes: int
    description: str
    citation: str
    notes: tuple[str, ...] = ()
    prepare: Callable[..., Dataset] = as_published


_UCI = "UCI Machine Learning Repository"
_LETTERS = f"Frey and Slate, Letter recognition using Holland-style adaptive classifiers, 1991 ({_UCI})"
_PATHS = "Chang and Yeung, Robust path-based spectral clustering, 2008"


def _trec(n_samples: int, n_features: int, n_classes: int) -> Published:
    return Published(
        n_samples,
        n_features,
        n_classes,
        "Newspaper texts from the TREC collections as counts of their words; the class is the topic.",
        "Zhao and Karypis, Empirical and theoretical comparisons of selected criterion functions for "
        "document clustering, 2004 (TREC)",
        prepare=weighted_terms,
    )


PUBLISHED = {
    "iris": Published(
        150,
        4,
        3,
        "Sepals and petals of three species of iris, measured in cm. One species stands apart, two overlap.",
        f"Fisher, The use of multiple measurements in taxonomic problems, 1936 ({_UCI})",
    ),
    "wine": Published(
        178,
        13,
        3,
        "Chemical analysis of wines from three cultivars. The units differ widely: standardise first.",
        f"Forina et al., PARVUS, 1988; Aeberhard and Forina, Wine, 1991 ({_UCI})",
    ),
    "wdbc": Published(
        569,
        30,
        2,
        "Breast tumours, malignant or benign, by the shape of their cell nuclei. Standardise first.",
        f"Street et al., Nuclear feature extraction for breast tumor diagnosis, 1993 ({_UCI})",
    ),
    "digits": Published(
        1797,
        64,
        10,
        "Handwritten digits as images of 8 x 8 grey levels.",
        f"Alpaydin and Kaynak, Optical recognition of handwritten digits, 1998 ({_UCI})",
    ),
    "glass": Published(
        214,
        9,
        6,
        "Splinters of glass by refraction and oxides; the class is what the glass was made for.",
        f"German, Glass identification, 1987 ({_UCI})",
        ("classes are the UCI type codes 1, 2, 3 (windows) and 5, 6, 7; there is no type 4",),
    ),
    "soybean_small": Published(
        47,
        35,
        4,
        "Soybean plants with one of four diseases, described by 35 coded observations.",
        f"Michalski and Chilausky, Learning by being told and learning from examples, 1980 ({_UCI})",
        ("14 of the 35 features are constant, so leaving one out, as some papers do, changes no distance",),
    ),
    "ionosphere": Published(
        351,
        34,
        2,
        "Radar returns from the ionosphere, good ones (some structure seen) and bad ones (passed through).",
        f"Sigillito et al., Classification of radar returns from the ionosphere, 1989 ({_UCI})",
        ("feature a02 is constantly 0",),
    ),
    "ecoli": Published(
        336,
        7,
        8,
        "Proteins of E. coli by properties of their sequence; the class is the place in the cell.",
        "Horton and Nakai, A probabilistic classification system for predicting the cellular localization "
        f"sites of proteins, 1996 ({_UCI})",
        ("the classes imL and imS have 2 samples each, omL has 5",),
    ),
    "sonar": Published(
        208,
        60,
        2,
        "Sonar echoes in 60 frequency bands, bounced off a metal cylinder (M) or off rocks (R).",
        f"Gorman and Sejnowski, Analysis of hidden units in a layered network, 1988 ({_UCI})",
    ),
    "heart_statlog": Published(
        270,
        13,
        2,
        "Patients with and without heart disease. Some features are codes, not measures; standardise first.",
        f"Statlog (heart) ({_UCI})",
    ),
    "balance_scale": Published(
        625,
        4,
        3,
        "All settings of a balance with two weights at two distances: tips left (L), right (R) or not (B).",
        f"Siegler, Three aspects of cognitive development, 1976 ({_UCI})",
    ),
    "letters_ab": Published(1555, 16, 2, "Printed letters A and B, by 16 measures of their shape.", _LETTERS),
    "letters_ijl": Published(
        2263,
        16,
        3,
        "Printed letters I, J and L, which look alike, by 16 measures of their shape.",
        _LETTERS,
    ),
    "libras": Published(
        360,
        90,
        15,
        "Hand movements of Brazilian sign language: the hand's place in 45 frames of a video.",
        f"Dias, Peres and Biscaro, Libras movement, 2009 ({_UCI})",
        ("30 samples repeat another one exactly",),
    ),
    "pima_diabetes": Published(
        768,
        8,
        2,
        "Women of Pima heritage, with (1) and without (0) diabetes. Standardise first.",
        f"Smith et al., Using the ADAP learning algorithm to forecast the onset of diabetes mellitus, 1988 ({_UCI})",
        ("zeros in glucose, blood pressure, skin thickness, insulin and bmi stand for missing values",),
    ),
    "flame": Published(
        240,
        2,
        2,
        "Points in the shape of a flame: a ball above a bowl.",
        "Fu and Medico, FLAME, a novel fuzzy clustering method for the analysis of DNA microarray data, 2007",
    ),
    "pathbased": Published(300, 2, 3, "Two round groups of points within an open ring.", _PATHS),
    "spiral": Published(312, 2, 3, "Three interleaved spirals.", _PATHS),
    "tr11": _trec(414, 6429, 9),
    "tr12": _trec(313, 5804, 8),
    "tr23": _trec(204, 5832, 6),
    "leukemia_golub": Published(
        72,
        7129,
        3,
        "Bone marrow and blood of patients with one of three acute leukemias, by their active genes.",
        "Golub et al., Molecular classification of cancer, 1999",
        ('load with genes="filtered" for the 3571 genes that vary, in log10, as in most papers',),
        prepare=expressed_genes,
    ),
}
