"""`toysearch compare`: what it prints in each form, and what it refuses."""

import json
import re
from functools import partial

import pytest
import shell

JUDGMENTS = "".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(30))


def lines(name: str, first: int) -> str:
    """A run that has the relevant document first for so many queries, and second for the others."""
    order = [("a", "b") if n < first else ("b", "a") for n in range(30)]
    return "".join(f"q{n} Q0 {x} 1 {2 + n} {name}\nq{n} Q0 {y} 2 1 {name}\n" for n, (x, y) in enumerate(order))


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text(JUDGMENTS)
    for name, first in (("old", 0), ("new", 12), ("newer", 13), ("odd", 30)):
        (tmp_path / name).write_text(lines(name, first))
    (tmp_path / "none").write_text("z1 Q0 a 1 2 none\n")
    (tmp_path / "few").write_text("q0 Q0 a 1 2 few\n")
    (tmp_path / "rest").write_text("q1 Q0 a 1 2 rest\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(shell.done, "compare")
failure = partial(shell.refusal, "compare")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["diff", "cat-dog-parrot", "--model", "dph"], ["diff", "cat-dog-parrot", "--model", "bm25", "--model", "dph"]),
        (["ablate", "cat-dog-parrot"], None),
        (["report", "cat-dog-parrot", "--json"], None),
    ],
)
def test_bm25_is_the_model_where_none_is_named(words, named):
    shown, expected = (shell.done(*typed).stdout for typed in (words, named or [*words, "--model", "bm25"]))
    assert shown == expected.replace(" --json --model bm25", " --json") != ""  # the page of a report has its command


def test_the_table(files):
    result = run("--qrels", "qrels", "old", "new", "newer", "-m", "AP", "--test", "sign")
    assert result.stdout == (
        "new and newer are better than the baseline old in AP (p ≤ 0.0005 for 2 comparisons). "
        "newer leads in AP, but is "
        "not shown to be better than new (+0.0167, 95% CI by Student's t -0.0174 to +0.0508; corrected p = 1.0000).\n\n"
        "AP (30 queries), difference from old\n"
        "system  mean        diff.  95% CI by Student's t       p    d_z    +/=/−\n"
        "old     0.5000   baseline\n"
        "new     0.7000~   +0.2000          +0.107 +0.293  0.0005  +0.80  12/18/0\n"
        "newer   0.7167*   +0.2167          +0.108 +0.325  0.0005  +0.86  13/17/0\n"
        "\n"
        "sign test, p and CI by Student's t corrected (holm) for 2 comparisons, alpha 0.05 · d_z: mean "
        "difference / standard deviation of the differences · +/=/−: queries "
        "won, tied, lost · *: best, ~: indistinguishable from it\n"
    )
    assert result.stderr == "30 queries · relevant from grade 1 · ties trec_eval\n"


def test_each_query_in_every_form(files):
    targets = ("--qrels", "qrels", "old", "new", "-m", "RR", "--per-query")
    result = run(*targets)
    lines = result.stdout.splitlines()
    assert [lines[0], lines[1], lines[13], lines[-1]] == [
        "query     old     new  new minus old",
        "q0     0.5000  1.0000        +0.5000",
        "q12    0.5000  0.5000        +0.0000",
        "all    0.5000  0.7000        +0.2000",
    ]
    assert result.stderr == "30 queries · relevant from grade 1 · ties trec_eval\n"
    firsts = {form: run(*targets, "--format", form).stdout.splitlines() for form in ("csv", "tsv", "markdown", "latex")}
    assert firsts["csv"][:2] == ["measure,query_id,old,new,new minus old", "RR,q0,0.5,1.0,0.5"]
    assert firsts["tsv"][1] == "RR\tq0\t0.5\t1.0\t0.5"
    assert firsts["markdown"][2] == "| RR      | q0    | 0.5000 | 1.0000 |       +0.5000 |"
    assert "RR & q0 & 0.5000 & 1.0000 & +0.5000 \\\\" in firsts["latex"]
    first = {"measure": "RR", "query_id": "q0", "values": {"old": 0.5, "new": 1.0}}
    assert json.loads(run(*targets, "--json").stdout)[0] == {**first, "differences": {"new minus old": 0.5}}


@pytest.mark.parametrize("other", [("--by", "length"), ("--power",), ("--agreement",)])
def test_each_query_stands_alone(files, other):
    message = failure("--qrels", "qrels", "old", "new", "-q", *other)
    assert message == f"Error: --per-query shows the queries alone: leave out {other[0]}"


def test_all_pairs(files):
    out = run("--qrels", "qrels", "old", "new", "newer", "-m", "P@1", "--all-pairs", "--seed", "3").stdout.splitlines()
    assert out[0] == (
        "old is worse than new and newer in P@1 (p < 0.0001 for 3 comparisons). newer leads in "
        "P@1, but is not shown to be "
        "better than new (+0.0333, 95% CI -0.2000 to +0.2667; p = 1.0000 for 3 comparisons)."
    )
    assert out[2:7] == [
        "P@1 (30 queries)",
        "system  mean     letters",
        "old     0.0000   b",
        "new     0.4000~  a",
        "newer   0.4333*  a",
    ]
    assert out[8] == "system  minus    diff.         95% CI        p    d_z    +/=/−"
    assert [line.split()[:3] for line in out[9:12]] == [
        ["old", "new", "-0.4000"],
        ["old", "newer", "-0.4333"],
        ["new", "newer", "-0.0333"],
    ]
    assert out[13].startswith("randomised Tukey HSD, p and CI corrected for all pairs, alpha 0.05 · ")


def test_power_and_agreement(files):
    out = run("--qrels", "qrels", "old", "new", "odd", "-m", "AP", "--power", "--agreement").stdout
    assert (
        "power: the difference that is detected with a probability of 0.8\n"
        "measure  system  minus   n    diff.  detectable  needed\n"
        "AP       new     old    30  +0.2000      0.1467      18\n"
        "AP       odd     old    30  +0.5000      0.0000       2\n"
    ) in out
    assert (
        "agreement of the first 100 documents; RBO with p = 0.9\n"
        "system  and  Kendall's τ    τ_AP    RBO  queries\n"
        "old     new        0.200   0.200  0.960       30\n"
        "old     odd       -1.000  -1.000  0.900       30\n"
        "new     odd       -0.200  -0.200  0.940       30\n"
    ) in out


def test_what_the_conclusions_hang_on(files):
    (files / "short").write_text("".join(f"q{n} 0 a 1\n" for n in range(5)))
    out = run("--qrels", "short", "old", "new", "-m", "RR").stdout
    assert out.partition("what the conclusions depend on\n")[2].splitlines() == [
        "  queries: 5 queries: with fewer than 25, a mean depends more on the queries than on the systems",
        "  scale: RR: its values are not on an interval scale, so their means and differences are disputed (Fuhr, "
        "SIGIR Forum 51(3), 2017)",
        "  unjudged: 50% of the first ten documents are unjudged; their judgments could change the conclusion: RR "
        "(1 pair)",
    ]


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv", "csv"])
def test_in_other_forms_it_goes_to_stderr(files, form):
    (files / "short").write_text("".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(5)))
    result = run("--qrels", "short", "old", "new", "-m", "AP", "--format", form)
    assert "conclusions" not in result.stdout
    assert "note: queries: 5 queries: with fewer than 25, a mean depends" in result.stderr


def test_tsv_and_csv_have_one_table_with_all(files):
    arguments = ("--qrels", "qrels", "old", "new", "newer", "-m", "AP P@1", "--test", "sign", "--power")
    rows = [line.split("\t") for line in run(*arguments, "--tsv").stdout.splitlines()]
    assert " ".join(rows[0]) == (
        "measure system other queries mean difference low high p effect wins ties losses best detectable needed"
    )
    assert rows[1] == ["AP", "old", "", "30", "0.5", *[""] * 11]
    assert " ".join(rows[3][:4] + rows[3][10:14]) == "AP newer old 30 13 17 0 best"
    assert [float(cell) for cell in rows[3][4:6]] == pytest.approx([43 / 60, 13 / 60], abs=1e-15)
    assert [round(float(cell), 4) for cell in rows[3][6:8]] == [0.0941, 0.3392]  # at level 1 − 0.05 / 4
    assert float(rows[3][8]) == 0.5**10  # 2 / 2^13, twice for the first test of Holm's four and its three larger ones
    assert round(float(rows[3][14]), 4) == 0.1625
    assert rows[3][15] == "19"
    assert rows[2][13] == "indistinguishable"
    assert len(rows) == 7
    csv = run(*arguments, "--format", "csv").stdout.splitlines()
    assert csv[1] == "AP,old,,30,0.5,,,,,,,,,,,"


def test_markdown_and_latex_have_the_best_in_bold(files):
    arguments = ("--qrels", "qrels", "old", "new", "-m", "AP")
    markdown = run(*arguments, "--format", "markdown").stdout.splitlines()
    assert markdown[2].startswith("| measure | system | other | queries |")
    assert "| AP      | new    | old   |      30 | **0.7000** |" in markdown[5]
    assert markdown[-1].startswith("t test, p and CI corrected (holm) for 1 comparison, alpha 0.05")
    assert not re.search("[*~]|\\+/=", markdown[-1])  # signs that this table lacks


def test_latex_is_a_table_for_a_paper(files):
    arguments = ("--qrels", "qrels", "old", "new", "newer", "-m", "AP P@1", "--test", "sign", "--format", "latex")
    latex = run(*arguments).stdout
    assert latex.startswith("% needs \\usepackage{booktabs}\n\\begin{table}\n")
    rows = [line.strip() for line in latex.splitlines() if line.endswith(r"\\")]
    assert rows[0] == r"& System & AP & P@1 \\"
    assert rows[1].startswith("a & old & 0.5000 & ")
    assert rows[3].startswith(r"c & newer & \textbf{0.7167}$^{a}$ & ")
    caption = " ".join(latex.split())
    assert "sign test, $p \\leq 0.05$, Holm's correction for 4 comparisons, all measures together" in caption
    single = " ".join(run(*arguments, "--family", "measure").stdout.split())
    assert "Holm's correction for 2 comparisons, each measure by itself" in single
    assert "power: " not in latex


def test_json_has_everything(files):
    arguments = ("--qrels", "qrels", "old", "new", "few", "-m", "AP", "--power", "--agreement", "--baseline", "new")
    data = json.loads(run(*arguments, "--json").stdout)
    assert {name: data[name] for name in ("systems", "baseline", "test", "correction", "alpha", "seed")} == {
        "systems": ["old", "new", "few"], "baseline": "new", "test": "t", "correction": "holm", "alpha": 0.05, "seed": 0
    }  # fmt: skip
    assert data["comparisons"] == 2
    assert data["queries"] == 30
    measure = data["measures"][0]
    assert measure["means"]["new"] == 0.7
    assert measure["best"] == "new"
    assert [pair["system"] for pair in measure["pairs"]] == ["old", "few"]
    assert measure["pairs"][0]["difference"] == pytest.approx(-0.2)
    assert measure["pairs"][0]["p"] >= measure["pairs"][0]["p_uncorrected"]
    assert data["power"][0]["queries"] > 2
    assert len(data["agreement"]) == 3
    assert data["caveats"] == [] or {"kind", "measure", "system", "other", "sentence"} == set(data["caveats"][0])


def test_one_query_whose_infinite_numbers_are_null_in_json(files):
    (files / "one").write_text("q0 0 a 1\nq0 0 b 0\n")
    pair = json.loads(run("--qrels", "one", "old", "new", "-m", "AP", "--json").stdout)["measures"][0]["pairs"][0]
    assert (pair["low"], pair["high"], pair["effect"], pair["p"]) == (None, None, None, 1)
    out = run("--qrels", "one", "old", "new", "-m", "AP").stdout.splitlines()
    assert out[2] == "AP (1 query), difference from old"
    assert out[5] == "new     1.0000*   +0.5000  too few queries  1.0000       1/0/0"
    assert out[-1] == (
        "  queries: 1 query: with fewer than 25, a mean depends more on the queries than on the systems, and no "
        "test is possible with one; fewer than 5 are too few for confidence intervals"
    )


def test_runs_that_lack_queries(files):
    stderr = run("--qrels", "qrels", "old", "few", "-m", "AP").stderr
    assert (
        "note: few: 29 of 30 judged queries are missing from the run and count as 0: q1, q2, q3, q4, q5, …\n" in stderr
    )
    assert failure("--qrels", "qrels", "rest", "few") == (
        "toysearch: 'few' and 'rest' have no judged query in common; compare runs of the same queries"
    )
    assert failure("--qrels", "qrels", "old", "none").startswith("toysearch: run and judgments have no query in common")


def test_identical_systems(files):
    (files / "same").write_text(lines("same", 12))
    result = run("--qrels", "qrels", "new", "same", "-m", "AP")
    assert "same    0.7000~   +0.0000  +0.000 +0.000  1.0000  +0.00  0/30/0\n" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "  identical: same minus new: both have the same value for every query, so there is nothing to test"
    )
    assert "note: new and same rank all queries alike\n" in result.stderr


def test_models_that_find_nothing_in_common_with_the_defaults_of_eval():
    compared = json.loads(run("cat-dog-parrot", "--model", "tfidf", "--model", "cosine", "--json").stdout)
    for name in ("tfidf", "cosine"):
        scored = shell.run("eval", "cat-dog-parrot", "--model", name, "--json").stdout
        means = {measure["measure"]: measure["means"][name] for measure in compared["measures"]}
        assert means == json.loads(scored)["systems"][0]["measures"]
