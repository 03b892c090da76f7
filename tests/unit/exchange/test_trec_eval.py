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


def test_the_formats_and_the_size_that_it_would_take_anyway(files):
    plain = run(*files).stdout
    assert run("-R", "qrels", "-Ttrec_results", "-N", "1400", *files).stdout == plain


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


def test_a_text_has_no_line_for_all(graded):
    assert run("-m", "relstring", *graded).stdout == ""


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


def test_levels_of_recall_are_rounded_in_version_10(graded):
    """Of 3 relevant documents, 1 and 2 are at ranks 1 and 5: levels 0.3, 0.4 are 0.9 and 1.2 of them, 0.5 is 1.5."""
    asked = ["-qn", "-m", "iprec_at_recall.0.3,0.4,0.5", "-m", "11pt_avg.0.4,0.5", *graded]
    assert run(*asked).stdout == lines(
        ("iprec_at_recall_0.30", "1", "1.0000"),
        ("iprec_at_recall_0.40", "1", "0.4000"),
        ("iprec_at_recall_0.50", "1", "0.4000"),
        ("11pt_avg_0.4,0.5", "1", "0.4000"),
    )
    assert run("--like", "10", *asked).stdout == lines(
        ("iprec_at_recall_0.30", "1", "1.0000"),
        ("iprec_at_recall_0.40", "1", "1.0000"),
        ("iprec_at_recall_0.50", "1", "0.4000"),
        ("11pt_avg_0.4,0.5", "1", "0.7000"),
    )


def test_measures_by_name_only(graded):
    assert run("--like", "10", "-qn", "-m", "num_nonjudged_ret", *graded).stdout == lines(
        ("num_nonjudged_ret", "1", "2")
    )
    names = {line.split()[0] for line in run("--like", "10", "-m", "all_trec", *graded).stdout.splitlines()}
    assert {"rbp", "unj_5", "ndcg"} <= names
    assert not {"yaap", "dcg", "ideal_dcg", "num_nonjudged_ret"} & names


def test_nothing_unjudged_leaves_no_residual(graded):
    Path(graded[1]).write_text("1 Q0 b 1 5 mine\n")
    assert run("--like", "10", "-qn", "-m", "rbp_resid", *graded).stdout == lines(("rbp_resid", "1", "0.0000"))


def test_version_10_has_lines_for_the_queries_that_a_run_lacks(files):
    asked = ["-mnum_ret", "-mnum_rel", "-mmap", "-mrelstring", "-mutility", "-mrbp_resid", "-munj.5"]
    printed = run("--like", "10", "-q", "-c", *asked, *files).stdout.splitlines()
    missing = [line.split("\t")[2] for line in printed if line.split("\t")[1] == "3"]
    assert missing == ["0", "1", "0.0000", "''", "0.0000", "0.0000", "0.0000"]
    assert not any(line.split("\t")[1] == "3" for line in run("-q", "-c", "-mmap", *files).stdout.splitlines())
    assert not any("\t3\t" in line for line in run("--like", "10", "-q", "-mmap", *files).stdout.splitlines())
    # The means over all judged queries are the same in both versions, but for levels of recall.
    both = [run(*version, "-c", "-m", "official", *files).stdout.splitlines() for version in ([], ["--like", "10"])]
    kept = [[line for line in printed if not line.startswith("iprec")] for printed in both]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 19
    given = ["--like", "10", "-q", "-c", "-m", "utility.2,-1,0,0", *files]
    assert "utility_2,-1,0,0      \t3\t-1.0000" in run(*given).stdout  # with parameters it is not set to 0, as there


def test_one_query_alone_and_the_old_format(files):
    alone = run("-q", "-D", "0.10", "-m", "map", *files).stdout
    assert alone == lines(("map", "10", "0.2500"), ("map", "all", "0.2500"))
    assert run("-o", "-D", "1", "-m", "map", *files).stdout == run("-m", "map", *files).stdout


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


PREFERRED = "10 ada 0 a 2\n10 ada 0 b 1\n10 ben 0 b 1\n10 ben 0 z 0\n3 ada 0 a 1\n3 ada 0 b 0\n"
TIED = "10 Q0 b 1 1.00000001 mine\n10 Q0 a 2 1 mine\n"


def test_preferences_have_measures_of_their_own(tmp_path):
    (tmp_path / "prefs").write_text(PREFERRED)
    (tmp_path / "run").write_text(TIED)
    files = str(tmp_path / "prefs"), str(tmp_path / "run")
    # Equal as 32-bit floats, a comes before b; as 64-bit floats b comes first. z was not retrieved.
    asked = ["-R", "prefs", "-q", "-m", "prefs_simp", "-m", "prefs_num_prefs_ful"]
    assert run(*asked, *files).stdout == lines(
        ("prefs_num_prefs_ful", "10", "2"),
        ("prefs_simp", "10", "1.0000"),
        ("prefs_num_prefs_ful", "all", "2"),
        ("prefs_simp", "all", "1.0000"),
    )
    assert run("--like", "10", "-n", *asked, *files).stdout == lines(
        ("prefs_num_prefs_ful", "10", "1"), ("prefs_simp", "10", "0.5000")
    )
    assert run("-c", "-R", "prefs", "-m", "prefs_simp", *files).stdout == lines(("prefs_simp", "all", "0.5000"))
    names = [line.split()[0] for line in run("-R", "prefs", *files).stdout.splitlines()]
    assert names[:3] == ["runid", "num_q", "prefs_num_prefs_poss"]
    assert names[3:] == ["prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg"]
    assert failure("-R", "prefs", "-m", "map", *files).startswith(
        "toysearch: 'map' is not a measure of trec_eval 9 for judgments in the format prefs; its sets: prefs, all_prefs"
    )


def test_judgments_of_several_people_make_means_over_them(tmp_path):
    (tmp_path / "jg").write_text("10 ada a 1\n10 ada b 0\n10 ben b 2\n10 ben c 2\n2 ada a 1\n")
    (tmp_path / "run").write_text(RUN)
    # Ada: the relevant one is second, AP 1/2; Ben: the first of two, AP 1/2. With -l2 Ada has none.
    asked = ["-R", "qrels_jg", "-q", "-n", "-m", "map_avgjg", "-m", "P_avgjg.1,2", "-m", "Rprec_mult_avgjg.1"]
    files = str(tmp_path / "jg"), str(tmp_path / "run")
    rest = [("P_avgjg_2", "10", "0.5000"), ("Rprec_mult_avgjg_1.00", "10", "0.2500")]
    two = [("P_avgjg_1", "2", "1.0000"), ("P_avgjg_2", "2", "0.5000"), ("Rprec_mult_avgjg_1.00", "2", "1.0000")]
    assert run(*asked, *files).stdout == lines(
        ("map_avgjg", "10", "0.5000"), ("P_avgjg_1", "10", "0.5000"), *rest, ("map_avgjg", "2", "1.0000"), *two
    )
    assert run("-l2", "-R", "qrels_jg", "-m", "map_avgjg", *files).stdout == lines(("map_avgjg", "all", "0.1250"))
