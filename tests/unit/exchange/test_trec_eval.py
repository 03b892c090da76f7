"""`toysearch trec_eval`: its flags; tests/oracles/test_trec_eval_output.py compares the lines with its values."""

from __future__ import annotations

import gzip
import math
from functools import partial
from pathlib import Path

import pytest
import shell

from toysearch.exchange.trec_eval import NAMES

RUN = "10 Q0 b 1 3 mine\n10 Q0 a 2 2 mine\n2 Q0 a 1 9 mine\n"
QRELS = "10 0 a 2\n10 0 c 1\n2 0 a 1\n2 0 x 0\n3 0 a 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return str(tmp_path / "qrels"), str(tmp_path / "run")


run = partial(shell.run, "trec_eval")
failure = partial(shell.refused, "trec_eval")


def lines(*rows: tuple[str, str, str]) -> str:
    return "".join(f"{name:<22}\t{query_id}\t{value}\n" for name, query_id, value in rows)


def test_sets_of_measures(files):
    result = run("-m", "all_trec", *files)
    assert result.stderr == ""
    assert result.stdout.startswith(run(*files).stdout)
    assert [line.split()[0] for line in run("-m", "set", *files).stdout.splitlines()] == [
        *NAMES[:5],
        "utility",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
    ]


def test_other_formats_gzip_and_standard_input(files, tmp_path):
    expected = run(*files).stdout
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
    rows = [line.split() for line in RUN.splitlines()]
    table = "query_id,doc_id,score,tag\n" + "".join(f"{row[0]},{row[2]},{row[4]},{row[5]}\n" for row in rows)
    (tmp_path / "run.csv").write_text(table)
    assert run(str(tmp_path / "qrels.gz"), str(tmp_path / "run.csv")).stdout == expected
    assert run(files[0], "-", stdin=RUN).stdout == expected
    assert failure("-", "-").endswith("Error: standard input (-) can be read only once; give the others as files\n")


GRADED = "1 0 a 1\n1 0 b 2\n1 0 c 0\n1 0 d 3\n1 0 e -1\n"
RANKED = "1 Q0 b 1 5 mine\n1 Q0 x 2 4 mine\n1 Q0 c 3 3 mine\n1 Q0 e 4 2 mine\n1 Q0 a 5 1 mine\n"


@pytest.fixture
def graded(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RANKED)
    (tmp_path / "qrels").write_text(GRADED)
    return str(tmp_path / "qrels"), str(tmp_path / "run")


LOG = math.log2
# The gains of the ranking are 2 0 0 0 1, of the ideal one 3 2 1; with 1=3,2=9 they are 9 0 0 0 3 and 9 3 3.
BY_HAND = [
    ("relstring", "'2-0.1'"),
    ("relstring.2", "'2-'"),
    ("utility.2,-1,0,0", 2 * 2 - 3),
    ("utility.0,0,-4,0.5", -4 * 1 + 0.5 * (10 + 2 - 5 - 3)),
    ("Rprec_mult.0.35", 1.0),  # 0.35 · 3 + 0.9 is 1
    ("Rprec_mult.2", 2 / 6),
    ("11pt_avg.0.3,1", (1.0 + 0.0) / 2),  # 0.3 · 3 + 0.9 is 1 document, and of the third there is none
    ("ndcg.1=3,2=9", (9 + 3 / LOG(6)) / (9 + 3 / LOG(3) + 3 / LOG(4))),
    ("G", (2 / LOG(2 + 3 - 2) + 1 / LOG(2 + (3 + 2 + 1 + 1 + 1) - 3)) / 6),
    ("binG", (1 / LOG(2) + 1 / LOG(2 + 3)) / 3),
    ("set_F.0.5", 1.5 * (2 / 5) * (2 / 3) / (0.5 * 2 / 5 + 2 / 3)),
    ("num_nonrel_judged_ret", 1),
    ("yaap", math.log((1 + 1 + 2 / 5) / (1 + 3 - 1 - 2 / 5))),
]


@pytest.mark.parametrize(("measure", "expected"), BY_HAND, ids=[measure for measure, _ in BY_HAND])
def test_measures_with_parameters_by_hand(graded, measure, expected):
    name = measure if "." not in measure or measure.startswith("Rprec") else measure.replace(".", "_", 1)
    if measure.startswith("Rprec"):
        name = f"Rprec_mult_{float(measure.partition('.')[2]):.2f}"
    shown = expected if isinstance(expected, str) else f"{expected:.4f}"
    shown = "1" if measure == "num_nonrel_judged_ret" else shown
    assert run("-qn", "-N", "10", "-m", measure, *graded).stdout == lines((name, "1", shown))


P = 0.9


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("rbp", (1 - P) * (2 / 3 + P**4 * 1 / 3)),  # grades over the highest of the query's own
        ("rbp.p=0.5", 0.5 * (2 / 3 + 0.5**4 / 3)),
        ("rbp.1=0.2,2=0.9,3=0.5", (1 - P) * (0.9 + P**4 * 0.2)),  # no gain is above 1
        ("rbp.p=0.5,2=4", 0.5 * (4 / 4 + 0.5**4 * 1 / 4)),
        ("rbp.2=1,3=1", (1 - P) * (1 + P**4)),  # grades 0 and 1 are their own gains
        ("dcg", 2 + 1 / LOG(6)),
        ("dcg.1=3,2=9", 9 + 3 / LOG(6)),
        ("ideal_dcg", 3 + 2 / LOG(3) + 1 / LOG(4)),
        ("ideal_dcg.1=3,2=9", 9 + 3 / LOG(3) + 3 / LOG(4)),
        ("rbp_resid", P**5 + (1 - P) * (P + P**3)),  # x is unjudged, and e is in the pool and not judged
        ("unj.5", 2 / 5),
        ("unj.20", 2 / 20),
    ],
)
def test_measures_of_version_10_by_hand(graded, measure, expected):
    name = measure.replace(".", "_", 1)
    assert run("--like", "10", "-qn", "-m", measure, *graded).stdout == lines((name, "1", f"{expected:.4f}"))
    assert f"'{measure}' is not a measure of trec_eval 9" in failure("-m", measure, *graded)


def test_measures_by_name_only(graded):
    assert run("--like", "10", "-qn", "-m", "num_nonjudged_ret", *graded).stdout == lines(
        ("num_nonjudged_ret", "1", "2")
    )
    names = {line.split()[0] for line in run("--like", "10", "-m", "all_trec", *graded).stdout.splitlines()}
    assert {"rbp", "unj_5", "ndcg"} <= names
    assert not {"yaap", "dcg", "ideal_dcg", "num_nonjudged_ret"} & names


@pytest.mark.parametrize("program", ["trec_eval", "eval", "compare"])
def test_text_behind_the_tag_and_comments_are_read(files, tmp_path, program):
    def printed() -> str:
        arguments = {
            "trec_eval": ["-q", *files],
            "eval": [files[1], files[0], "--tsv"],
            "compare": ["--qrels", files[0], files[1], str(tmp_path / "other"), "-m", "AP", "--tsv"],
        }[program]
        result = shell.run(program, *arguments)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    (tmp_path / "other").write_text(RUN.replace("mine", "other"))
    plain = printed()
    rows = RUN.splitlines()
    Path(files[1]).write_text(f"# made by hand, 5 runs\n{rows[0]} and more\n\n  #\n{rows[1]}\tx\n{rows[2]} # why\n")
    Path(files[0]).write_text("#\n# who judged\n" + QRELS)
    assert printed() == plain
