"""What people import stays: every public name of a release is there in the next, or warns before it goes."""

from importlib import import_module

import pytest

from cclab.session import Session
from cclab.studies import find_studies

#: Names of 0.1.0. Lines are added to this list with each release, and none is taken away before it has warned.
NAMES = {
    "cclab": """
        BCKM CA CECM CFCM CKM CMKIPCM COPKMeans CompetitiveMixture ConstrainedKMeans ConstraintSet ECM FCM IPCM PCCA PCM
        PFCM Problem RCKM RPCM SFCM SPFCM SRPCM SeededKMeans Session iterate load_dataset
    """,
    "cclab.core": """
        Conflict ConflictError ConstraintSet Credal Fuzzy FuzzyPossibilistic Gauge Hard IgnoredKnowledge
        ImpossibleKnowledge LinkOperator Partition Possibilistic Problem Solver State WeightedSolver center_shift
        iterate matched_accuracy scores
    """,
    "cclab.queries": """
        ASCQueries FarthestFirst MinMax OverlapQueries PairMassQueries Random TypicalityQueries UncertaintyQueries
    """,
    "cclab.datasets": "Dataset list_datasets load_dataset read_table",
    "cclab.session": "Session Snapshot Summary",
    "cclab.studies": """
        Asked Cell Comparison Data Knowledge Method NoKnowledge Outcome Printed RandomLabels RandomPairs Study Truth ask
        find_studies get_study grid
    """,
    "cclab.images": """
        Dab FEATURES Objects Options Painting Palette Picture Posed Recipe Regions Stroke distinct_values features
        flattened image_names load_image rasterize single_pixels superpixels surviving_pixels
    """,
    "cclab.apps": "ask_me compare credal how_many painter workbench",
}
VERBS = """
    answer apose apropose arun asked astep can_redo can_undo changed close commands constrain constraints converged
    current from_json keep labels load new_run open partition pause pending pose position problem propose redo reject
    rejected restart rewind run running save saved_at scores snapshots solver state step switch to_code to_json undo
    watch
"""
STUDIES = """
    bckm cecm cmkipcm cmkipcm-exponents cmkipcm-free cmkipcm-polynomials foundation how-many painting pcca
    possibilistic-ecoli possibilistic-gauss possibilistic-iris possibilistic-wine strategies
"""


@pytest.mark.parametrize("room", NAMES)
def test_what_could_be_imported_can_be_imported(room):
    module = import_module(room)
    assert [name for name in NAMES[room].split() if not hasattr(module, name)] == []
    assert set(NAMES[room].split()) <= set(module.__all__)


def test_pages_are_functions():
    apps = import_module("cclab.apps")
    assert [name for name in NAMES["cclab.apps"].split() if not callable(getattr(apps, name))] == []


def test_sessions_keep_their_verbs():
    assert [name for name in VERBS.split() if not hasattr(Session, name)] == []


def test_studies_keep_their_names():
    known, _ = find_studies()
    assert set(STUDIES.split()) <= set(known)
