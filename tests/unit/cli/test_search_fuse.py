"""`toysearch fuse`: what is written, where, and what is refused."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
import shell

FIRST = "1 Q0 a 1 3 first\n1 Q0 b 2 2 first\n1 Q0 c 3 1 first\n"
SECOND = "1 Q0 c 1 0.9 second\n1 Q0 a 2 0.5 second\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.run").write_text(FIRST)
    (tmp_path / "second.run").write_text(SECOND)
    return tmp_path


run = partial(shell.run, "fuse")


def test_a_run_on_standard_output_and_what_it_is_on_stderr():
    result = run("first.run", "second.run")
    assert result.exit_code == 0
    assert result.stdout == "1 Q0 a 1 0.0325224735 rrf\n1 Q0 c 2 0.0322664566 rrf\n1 Q0 b 3 0.0161290318 rrf\n"
    assert result.stderr == "2 runs, 1 query, 3 ranked documents, rrf\n"


def test_a_file_in_the_format_of_its_name(folder):
    assert run("first.run", "second.run", "-o", "fused.run", "-k", "1", "--tag", "both", "--rrf-k", "0").stdout == ""
    assert (folder / "fused.run").read_text() == "1 Q0 a 1 1.5 both\n"
    run("first.run", "second.run", "--method", "borda", "-o", "fused.json")
    assert json.loads((folder / "fused.json").read_text()) == {"1": {"a": 5, "c": 4, "b": 3}}


def test_one_run_from_standard_input():
    assert run("first.run", "-", stdin=SECOND).stdout == run("first.run", "second.run").stdout


def test_weights_and_normalisation():
    result = run("first.run", "second.run", "--method", "combsum", "--normalise", "none", "--weights", "2,10")
    assert result.stdout == "1 Q0 a 1 11 combsum\n1 Q0 c 2 10.999999 combsum\n1 Q0 b 3 4 combsum\n"


def test_the_list_of_methods():
    line = run("--list").stdout.splitlines()[1]
    assert re.split(r"  +", line) == [
        "rrf",
        "Σ w / (k + rank), k = 60",
        "ranks",
        "Cormack, Clarke & Büttcher, SIGIR 2009",
    ]
    assert json.loads(run("--list", "--json").stdout)[5] == {
        "method": "combmnz",
        "formula": "n · Σ w · s",
        "of": "scores",
        "source": "Fox & Shaw, TREC-2, 1994",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["first.run"], "toysearch: fusing takes at least two runs, found 1"),
        (["first.run", "nix.run"], "toysearch: nix.run: there is no such file"),
        (["first.run", "second.run", "--normalise", "sum"], "method 'rrf' uses only ranks; leave normalise out"),
        (["-", "-"], "standard input (-) can be read only once; give the others as files"),
        (["first.run", "second.run", "--json"], "--format json is for --list; for -o, the ending"),
        (["first.run", "second.run", "--weights", "1;2"], "such as 0.7,0.3; found '1;2'"),
    ],
)
def test_what_is_refused(folder, arguments, message):
    result = run(*arguments, "-o", "fused.run")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (folder / "fused.run").exists()
