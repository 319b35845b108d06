import subprocess
import sys

import pytest

from cclab.server.postponed import postpone


@pytest.fixture
def slow_package(tmp_path, monkeypatch):
    """A package that says when it is imported."""
    (tmp_path / "slow_grammar.py").write_text("print('imported')\ndef twice(x, times=2):\n    return times * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "slow_grammar"
    sys.modules.pop("slow_grammar", None)


def test_a_package_is_imported_when_it_is_called(slow_package, capsys):
    postpone(slow_package, "twice")
    from slow_grammar import twice

    assert capsys.readouterr().out == ""
    assert [twice(2), twice("x", times=3)] == [4, "xxx"]
    assert capsys.readouterr().out == "imported\n"


def test_what_is_imported_already_or_not_installed_is_left_alone(slow_package):
    import slow_grammar

    postpone(slow_package, "twice")
    assert sys.modules[slow_package] is slow_grammar
    postpone("no_such_package", "twice")
    assert "no_such_package" not in sys.modules


def test_the_server_compiles_no_grammar_and_addresses_are_checked_all_the_same():
    code = """
import cclab.server, sys, nbformat, jsonschema
print("lark" in sys.modules)
checker = jsonschema.FormatChecker()
print([checker.conforms(address, "iri") for address in ("http://example.org/ä", "no address")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "[True, False]"]
