"""`toysearch trec_eval`: its flags; tests/oracles/test_trec_eval_output.py compares the lines with its values."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toysearch.cli.app import command
from toysearch.reports.trec_eval import NAMES

RUN = "10 Q0 b 1 3 mine\n10 Q0 a 2 2 mine\n2 Q0 a 1 9 mine\n"
QRELS = "10 0 a 2\n10 0 c 1\n2 0 a 1\n2 0 x 0\n3 0 a 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, ["trec_eval", *arguments], input=stdin)


def failure(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def lines(*rows: tuple[str, str, str]) -> str:
    return "".join(f"{name:<22}\t{query_id}\t{value}\n" for name, query_id, value in rows)


def test_the_queries_of_both_count_unless_all_judged_ones_are_to(files):
    assert run("-m", "map", "-m", "num_q", *files).stdout == lines(("num_q", "all", "2"), ("map", "all", "0.6250"))
    assert run("-c", "-m", "map", "-m", "num_q", *files).stdout == lines(
        ("num_q", "all", "3"), ("map", "all", "0.4167")
    )


def test_queries_come_in_the_order_of_their_ids_as_texts_before_the_summary(files):
    single = [
        ("num_ret", "10", "2"),
        ("recip_rank", "10", "0.5000"),
        ("num_ret", "2", "1"),
        ("recip_rank", "2", "1.0000"),
    ]
    both = [("num_ret", "all", "3"), ("recip_rank", "all", "0.7500")]
    asked = ["-m", "recip_rank", "-m", "num_ret", "-m", "runid"]
    assert run("-q", *asked, *files).stdout == lines(*single, ("runid", "all", "mine"), *both)
    assert run("-qn", *asked, *files).stdout == lines(*single)
    assert run(*files, "--query_eval_wanted", "--nosummary", *asked).stdout == lines(*single)
    assert run("-n", *asked, *files).stdout == ""


@pytest.mark.parametrize("level", [["-l2"], ["-l", "2"], ["--level_for_rel", "2"]])
def test_the_level_in_any_spelling(files, level):
    assert run(*level, "-m", "num_rel", *files).stdout == lines(("num_rel", "all", "1"))
    # With -c, trec_eval counts what is above 0 in all judgments, whatever the level is.
    assert run(*level, "-c", "-m", "num_rel", *files).stdout == lines(("num_rel", "all", "4"))


def test_unjudged_documents_are_left_out(files):
    assert run("-J", "-mP.1", "-mnum_ret", *files).stdout == lines(("num_ret", "all", "2"), ("P_1", "all", "1.0000"))


def test_cutoffs_are_given_behind_a_dot_or_as_they_are_printed(files):
    expected = lines(("P_1", "all", "0.5000"), ("P_2", "all", "0.5000"))
    assert run("-m", "P.2,1", *files).stdout == expected
    assert run("-m", "P_2", "-m", "P.1", *files).stdout == expected
    assert run("-m", "iprec_at_recall.0.5,0", *files).stdout == lines(
        ("iprec_at_recall_0.00", "all", "0.7500"), ("iprec_at_recall_0.50", "all", "0.7500")
    )
    assert [line.split()[0] for line in run("-m", "success", *files).stdout.splitlines()] == [
        "success_1",
        "success_5",
        "success_10",
    ]


def test_sets_of_measures_leave_out_what_is_not_here_and_say_so(files):
    result = run("-m", "all_trec", *files)
    assert result.stderr == (
        "note: without relstring, Rprec_mult, utility, binG, G, ndcg_rel, Rndcg, num_nonrel_judged_ret, which only "
        "trec_eval has\n"
    )
    assert result.stdout.startswith(run(*files).stdout)
    assert [line.split()[0] for line in run("-m", "set", *files).stdout.splitlines()] == [
        *NAMES[:5],
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
    ]


def test_grades_that_are_fractions_are_read_as_there_and_told(files):
    Path(files[0]).write_text("10 0 a 0.7\n2 0 a 1.9\n")
    result = run("-m", "num_rel", *files)
    assert result.stdout == lines(("num_rel", "all", "1"))
    assert result.stderr == (
        "note: 2 of 2 grades are fractions, such as 0.7, which trec_eval reads as 0, and so it is here; "
        "`toysearch eval` takes them as they are\n"
    )


def test_other_formats_gzip_and_standard_input(files, tmp_path):
    expected = run(*files).stdout
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
    rows = [line.split() for line in RUN.splitlines()]
    table = "query_id,doc_id,score,tag\n" + "".join(f"{row[0]},{row[2]},{row[4]},{row[5]}\n" for row in rows)
    (tmp_path / "run.csv").write_text(table)
    assert run(str(tmp_path / "qrels.gz"), str(tmp_path / "run.csv")).stdout == expected
    assert run(files[0], "-", stdin=RUN).stdout == expected
    assert failure("-", "-").endswith("Error: standard input (-) can be read once; give the other as a file\n")


def test_the_runid_is_the_last_lines(files):
    Path(files[1]).write_text(RUN + "2 Q0 b 2 1 other\n")
    assert run("-m", "runid", *files).stdout == lines(("runid", "all", "other"))


def test_the_formats_and_the_size_that_it_would_take_anyway(files):
    plain = run(*files).stdout
    assert run("-R", "qrels", "-Ttrec_results", "-N", "1400", *files).stdout == plain


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-R", "prefs"], "Error: 'prefs': of trec_eval's formats of judgments only qrels is read here\n"),
        (["-T", "x"], "Error: 'x': of trec_eval's formats of runs only trec_results is read here\n"),
        (
            ["-Z", "file"],
            "Error: -Z of trec_eval is not there; the deviation from a mean is not one of the forms here\n",
        ),
        (["-D1"], "Error: -D of trec_eval is not there; `toysearch eval --explain` shows how a value comes about\n"),
        (["-l", "0"], "Error: Invalid value for '-l' / '--level_for_rel': 0 is not in the range x>=1.\n"),
        (["-m", "utility"], "toysearch: 'utility' of trec_eval is not one of the measures here; leave it out\n"),
        (["-m", "map.5"], "toysearch: 'map.5': map takes no parameters here; write -m map\n"),
        (
            ["-m", "P.0"],
            "toysearch: 'P.0': expected whole numbers from 1 on with commas between as cut-offs, found '0'\n",
        ),
        (
            ["-m", "iprec_at_recall.x"],
            "toysearch: 'iprec_at_recall.x': expected levels of recall from 0 on with commas between as cut-offs, "
            "found 'x'\n",
        ),
        (
            ["-m", "mpa"],
            f"toysearch: 'mpa' is no measure of trec_eval; its sets: official, all_trec, set; its measures: "
            f"{', '.join(NAMES)}\n",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(files, arguments, problem):
    assert failure(*arguments, *files).endswith(problem)


def test_no_query_in_common_and_nothing_to_read(files, tmp_path):
    (tmp_path / "other").write_text("7 0 a 1\n")
    assert failure(str(tmp_path / "other"), files[1]) == (
        "toysearch: run and judgments have no query in common: the run has queries such as '10', the judgments such as "
        "'7'; the ids must be equal as texts\n"
    )
    (tmp_path / "other").write_text("")
    assert failure(str(tmp_path / "other"), files[1]) == (
        f"toysearch: {tmp_path / 'other'} is empty; expected judgments: lines of 4 columns (query_id iteration doc_id "
        "relevance)\n"
    )


def test_zeros_are_not_printed_without_a_word(files):
    Path(files[0]).write_text("10 0 A 1\n")
    result = run("-m", "map", *files)
    assert result.stdout == lines(("map", "all", "0.0000"))
    assert result.stderr == (
        "note: nothing judged: 0 of 2 retrieved documents are judged; the run has ids such as 'b', the judgments such "
        "as 'A': another collection, or other ids?\n"
        "note: document ids: 1 of the run and of the judgments differ in case, such as 'a' and 'A'; write them alike\n"
    )
