"""--threads of `run` and `eval`: the same results, and no use with run files."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from made import write_beir

from toysearch.cli.main import command


@pytest.fixture(params=["plain", "compiled"])
def folder(tmp_path, monkeypatch, request):
    monkeypatch.setenv("TOYSEARCH_PATH", request.param)
    return write_beir(tmp_path / "made")


def output(*arguments: object) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_results_do_not_depend_on_threads(folder):
    assert output("run", folder, "-o", "-", "--threads", 3) == output("run", folder, "-o", "-")
    assert output("eval", folder, "--per-query", "--threads", 3) == output("eval", folder, "--per-query")


def test_run_files_are_scored_as_they_are(folder, tmp_path):
    output("run", folder, "-o", tmp_path / "a.run")
    result = CliRunner().invoke(command, ["eval", str(tmp_path / "a.run"), str(folder), "--threads", "2"])
    assert result.exit_code == 2
    assert "--threads: only with one COLLECTION; run files are scored as they are" in result.stderr
