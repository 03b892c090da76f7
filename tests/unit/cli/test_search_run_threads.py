"""--threads of `run` and `eval`: the same results, and no use with run files."""

import pytest
from made import write_beir
from shell import done, run


@pytest.fixture(params=["plain", "compiled"])
def folder(tmp_path, monkeypatch, request):
    monkeypatch.setenv("TOYSEARCH_PATH", request.param)
    return write_beir(tmp_path / "made")


def test_the_results_do_not_depend_on_threads(folder):
    assert done("run", folder, "-o", "-", "--threads", 3).stdout == done("run", folder, "-o", "-").stdout
    assert done("eval", folder, "--per-query", "--threads", 3).stdout == done("eval", folder, "--per-query").stdout


def test_run_files_are_scored_as_they_are(folder, tmp_path):
    done("run", folder, "-o", tmp_path / "a.run")
    result = run("eval", str(tmp_path / "a.run"), str(folder), "--threads", "2")
    assert result.exit_code == 2
    assert "--threads: only with one COLLECTION; run files are scored as they are" in result.stderr
