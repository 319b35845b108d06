"""What people import stays: every public name of a release is there in the next, or warns before it goes."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from cclab import FCM, Problem
from cclab.queries import Random
from cclab.session import Session
from cclab.studies import Truth, ask, find_studies

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

#: What is behind the names: a line for each, as ``name(parameters) member(parameters) ...``.
BEHIND = Path(__file__).with_name("public_names_0_1_0.txt").read_text(encoding="utf-8").splitlines()
#: What takes other parameters than it did, and why nobody is left alone with that.
OTHERWISE = {
    "cclab.core.LinkOperator.apply": "its one argument is given by place, and means what it did",
    "cclab.images.Palette.of": "paintings make palettes; what is left of strokes is worked out once and handed over",
    "cclab.session.Snapshot": "sessions make snapshots",
    "cclab.studies.Truth.answer": "the old call still works, and warns",
    "cclab.studies.ask": "the old name of a parameter still works, and warns",
}


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


def call(text):
    """A name and the parameters in brackets behind it."""
    name, _, inside = text.partition("(")
    return name, [parameter for parameter in inside.rstrip(")").split(",") if parameter]


def missing(function, parameters):
    """The parameters that a call by name can't give any more."""
    if not parameters:
        return []
    known = inspect.signature(function).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    return [] if takes_any else [name for name in parameters if name not in known]


def is_there(cls, member):
    """Whether a class has a member, or says in its docstring that its instances do."""
    declared = hasattr(cls, member) or member in getattr(cls, "__dataclass_fields__", ())
    return declared or re.search(rf"^{member}\b.* : |\b{member}\b.* :", inspect.getdoc(cls) or "", re.M) is not None


@pytest.mark.parametrize("line", BEHIND, ids=lambda line: line.partition("(")[0])
def test_parameters_methods_and_attributes_stay_too(line):
    whole, *members = line.split()
    name, parameters = call(whole)
    room, _, short = name.rpartition(".")
    given = getattr(import_module(room), short)
    found = {name} if missing(given, parameters) else set()
    for member, of_member in map(call, members):
        assert is_there(given, member), member
        if of_member and missing(getattr(given, member), of_member):
            found.add(f"{name}.{member}")
    assert found == {key for key in OTHERWISE if key == name or key.rpartition(".")[0] == name}


def test_what_a_parameter_was_called_before_is_taken_and_warned_of():
    known = {"truth": Truth(np.array([0, 0, 1])), "budget": 1}
    with pytest.warns(FutureWarning, match=r"ask\(truth=...\) is now oracle=..."):
        rounds = ask(FCM(n_clusters=2), Problem([[0.0], [0.1], [1.0]]), Random(), **known)
    assert [each.count for each in rounds] == [0, 1]
