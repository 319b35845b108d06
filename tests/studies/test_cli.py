from cclab import cli, studies
from cclab.studies import find_studies


def test_list(capsys):
    assert cli.main(["study", "--list"]) == 0
    assert "foundation" in capsys.readouterr().out


def test_run_writes_and_prints(tmp_path, capsys):
    out = tmp_path / "out"
    status = cli.main(["study", "foundation", "--trials", "1", "--jobs", "1", "--only", "K-means", "--out", str(out)])
    assert status == 0
    printed = capsys.readouterr().out
    assert "| iris    | K-means | nothing   | 1      |" in printed
    assert sorted(path.name for path in (out / "foundation").iterdir()) == ["report.md", "trials.csv", "trials.jsonl"]


def test_unknown_name_or_label(capsys, tmp_path):
    assert cli.main(["study", "fundation"]) == 1
    assert "did you mean foundation" in capsys.readouterr().err
    assert cli.main(["study", "foundation", "--only", "irsi", "--out", str(tmp_path)]) == 1
    assert "did you mean iris" in capsys.readouterr().err


def test_a_broken_module_hides_no_other(monkeypatch):
    real = studies.importlib.import_module

    def failing(name):
        if name.endswith(".drawing"):
            raise ImportError("nothing there")
        return real(name)

    monkeypatch.setattr(studies.importlib, "import_module", failing)
    found, broken = find_studies()
    assert "foundation" in found
    assert broken == {"drawing": "ImportError: nothing there"}


def test_results_that_can_not_be_written_are_said_before_a_trial_is_run(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr("cclab.studies.study._keyed_trial", None)
    assert cli.main(["study", "foundation", "--jobs", "1", "--out", str(tmp_path / "file")]) == 1
    assert "results can't be written to" in capsys.readouterr().err
