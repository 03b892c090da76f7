"""`toysearch unjudged`: the bounds of a run's measures over what the unjudged documents may be."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

RUN = "q Q0 x 1 9 m\nq Q0 a 2 8 m\nq Q0 y 3 7 m\nq Q0 b 4 6 m\np Q0 c 1 3 m\n"
QRELS = "q 0 a 2\nq 0 b 1\nq 0 z 0\np 0 c 1\nmissing 0 c 1\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return [str(tmp_path / "run"), str(tmp_path / "qrels")]


run = partial(shell.run, "unjudged")


def test_the_table(files):
    result = run(*files, "-m", "P@2 DCG@2")
    # P@2: q 1/2, or with x 2/2; p 1/2. DCG@2: q 2/log2(3), or with x of grade 2 that and 2; p 1.
    assert result.stdout == (
        "measure  lowest   value  highest\nP@2      0.3333  0.3333   0.5000\nDCG@2    0.7540  0.7540   1.4206\n"
    )
    assert result.stderr == (
        "3 queries · relevant from grade 1 · 50.0% of the retrieved documents are judged\n"
        "note: 1 of 3 judged queries is missing from the run and counts as 0: missing\n"
    )


def test_each_query_and_from_standard_input(files):
    options = ["-m", "P@2", "--per-query", "--json"]
    result = shell.run("unjudged", "-", str(files[1]), *options, stdin=RUN)
    rows = [tuple(row.values()) for row in json.loads(result.stdout)]
    assert rows == [
        ("P@2", "q", 0.5, 0.5, 1),
        ("P@2", "p", 0.5, 0.5, 0.5),
        ("P@2", "missing", 0, 0, 0),
        ("P@2", "all", pytest.approx(1 / 3), pytest.approx(1 / 3), 0.5),
    ]


def test_the_scale_can_be_given(files):
    tsv = run(*files, "-m", "CG@1", "--max-rel", "3", "--tsv").stdout
    assert tsv == f"measure\tlowest\tvalue\thighest\nCG@1\t{1 / 3}\t{1 / 3}\t{4 / 3}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "nDCG"], "nDCG has no bounds over the unjudged documents; AP, P, Success, RR, CG, DCG, ERR, RBP have"),
        (
            ["--max-rel", "1"],
            "bounds(max_rel=1): a judgment has the grade 2; max_rel is the top of the scale, 2 or more",
        ),
        (["-m", "P"], "P needs a cutoff, such as P@10"),
    ],
)
def test_what_is_refused(files, arguments, message):
    result = run(*files, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_standard_input_is_read_once():
    result = run("-", "-")
    assert result.exit_code == 2
    assert "standard input (-) can be read only once; give the others as files" in result.stderr


def test_doubtful_judgments_are_told(tmp_path):
    ids = [f"q{number}" for number in range(12)]
    (tmp_path / "run").write_text("".join(f"{each} Q0 {each}a 1 2 m\n{each} Q0 {each}b 2 1 m\n" for each in ids))
    (tmp_path / "qrels").write_text("".join(f"{each} 0 {each}a 1\n{each} 0 {each}b 3\n" for each in ids))
    result = run(str(tmp_path / "run"), str(tmp_path / "qrels"), "-m", "P@2")
    assert result.stderr.startswith("note: grades: the scale runs backwards")
