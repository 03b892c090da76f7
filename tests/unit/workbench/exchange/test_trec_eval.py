"""`toysearch eval --format trec_eval`; tests/oracles/test_trec_eval_output.py compares the lines with its values."""

from pathlib import Path

import pytest
import shell

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


def test_the_ranking_of_a_model_has_the_lines_of_its_run_file(tmp_path):
    written = shell.run("run", "companions", "--model", "bm25", "-k", "50", "-o", str(tmp_path / "bm25.run"))
    assert written.exit_code == 0, written.stderr
    expected = run(str(tmp_path / "bm25.run"), "companions", "-q").stdout
    assert run("companions", "--model", "bm25", "-k", "50", "-q").stdout == expected


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--ties", "rank"], "leave out --ties, or print another form, such as --tsv"),
        (["--by", "length", "--worst", "3"], "leave out --by and --worst"),
        (["--convention", "textbook"], "leave out --convention"),
        (["-m", "utility"], "prints the official measures of trec_eval: leave out --measures"),
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


def test_grades_that_are_fractions_are_read_as_by_trec_eval_and_told(files):
    Path(files[1]).write_text("10 0 a 0.7\n2 0 a 1.9\n")
    result = run(*files)
    assert result.stdout.splitlines()[3] == "num_rel               \tall\t1"
    assert "note: 2 of 2 grades are fractions, such as 0.7, which trec_eval truncates to 0, as is done" in result.stderr


def test_text_behind_the_tag_and_comments_are_read(files):
    plain = run(*files, "-q").stdout
    rows = RUN.splitlines()
    Path(files[0]).write_text(f"# made by hand, 5 runs\n{rows[0]} and more\n\n  #\n{rows[1]}\tx\n{rows[2]} # why\n")
    Path(files[1]).write_text("#\n# who judged\n" + QRELS)
    assert run(*files, "-q").stdout == plain != ""
