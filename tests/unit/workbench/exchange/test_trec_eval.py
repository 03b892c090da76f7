"""`toysearch eval --format trec_eval`; tests/oracles/test_trec_eval_output.py compares the lines with its values."""

import math
from pathlib import Path

import pytest
import shell

from toysearch.workbench.exchange.trec_eval import NAMES

RUN = "10 Q0 b 1 3 mine\n10 Q0 a 2 2 mine\n2 Q0 a 1 9 mine\n"
QRELS = "10 0 a 2\n10 0 c 1\n2 0 a 1\n2 0 x 0\n3 0 a 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return str(tmp_path / "run"), str(tmp_path / "qrels")


def run(*arguments, stdin=None):
    return shell.run("eval", *arguments, "--format", "trec_eval", stdin=stdin)


def failure(*arguments):
    return shell.refused("eval", *arguments, "--format", "trec_eval")


def lines(*rows: tuple[str, str, str]) -> str:
    return "".join(f"{name:<22}\t{query_id}\t{value}\n" for name, query_id, value in rows)


def test_sets_of_measures(files):
    result = run("-m", "all_trec", *files)
    assert result.stderr == ""
    assert result.stdout.startswith(run(*files).stdout)
    named = [line.split()[0] for line in run("-m", "set", *files).stdout.splitlines()]
    assert named == [*NAMES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
    every = {line.split()[0] for line in run("-m", "all_trec", *files).stdout.splitlines()}
    assert {"ndcg", "utility", "num_nonrel_judged_ret"} <= every
    assert "yaap" not in every


def test_the_ranking_of_a_model_has_the_lines_of_its_run_file(tmp_path):
    written = shell.run("run", "companions", "--model", "bm25", "-k", "50", "-o", str(tmp_path / "bm25.run"))
    assert written.exit_code == 0, written.stderr
    expected = run(str(tmp_path / "bm25.run"), "companions", "-q").stdout
    assert run("companions", "--model", "bm25", "-k", "50", "-q").stdout == expected


GRADED = "1 0 a 1\n1 0 b 2\n1 0 c 0\n1 0 d 3\n1 0 e -1\n"
RANKED = "1 Q0 b 1 5 mine\n1 Q0 x 2 4 mine\n1 Q0 c 3 3 mine\n1 Q0 e 4 2 mine\n1 Q0 a 5 1 mine\n"


@pytest.fixture
def graded(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RANKED)
    (tmp_path / "qrels").write_text(GRADED)
    return str(tmp_path / "run"), str(tmp_path / "qrels")


LOG = math.log2
# The gains of the ranking are 2 0 0 0 1, of the ideal one 3 2 1; with 1=3,2=9 they are 9 0 0 0 3 and 9 3 3.
BY_HAND = [
    ("utility.2,-1,0,0", 2 * 2 - 3),
    ("utility.0,0,-4,0", -4 * 1),
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
    shown = "1" if measure == "num_nonrel_judged_ret" else f"{expected:.4f}"
    assert run("-q", "-m", measure, *graded).stdout == lines((name, "1", shown), (name, "all", shown))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--ties", "rank"], "--format trec_eval prints what trec_eval prints: leave out --ties"),
        (["--by", "length", "--worst", "3"], "leave out --by and --worst"),
        (["--convention", "textbook"], "leave out --convention"),
        (["-m", "utility.1,-1,0,1"], "whose number is not known here; write 0"),
        (["-m", "relstring"], "'relstring' is not a measure of trec_eval"),
        (["-m", "AP"], "'AP' is not a measure of trec_eval"),
        (["-m", ""], "no measure was named"),
    ],
)
def test_what_has_no_meaning_there_is_refused(files, arguments, problem):
    assert problem in failure(*files, *arguments)


def test_one_system_is_printed(files, tmp_path):
    (tmp_path / "other").write_text(RUN.replace("mine", "other"))
    assert "holds one system: give one model or run" in failure(files[0], str(tmp_path / "other"), files[1])
    assert "holds one system" in failure("cat-dog-parrot", "--model", "bm25", "--model", "dph")


def test_a_run_that_answers_nothing_has_no_mean_over_what_it_answers():
    none = ["cat-dog-parrot", "--model", "bm25", "--analyzer", "none:min_length=99"]
    assert "map                   \tall\t0.0000\n" in run(*none).stdout
    assert "the run has no document for any judged query" in failure(*none, "--only-retrieved")


def test_text_behind_the_tag_and_comments_are_read(files):
    plain = run(*files, "-q").stdout
    rows = RUN.splitlines()
    Path(files[0]).write_text(f"# made by hand, 5 runs\n{rows[0]} and more\n\n  #\n{rows[1]}\tx\n{rows[2]} # why\n")
    Path(files[1]).write_text("#\n# who judged\n" + QRELS)
    assert run(*files, "-q").stdout == plain != ""
