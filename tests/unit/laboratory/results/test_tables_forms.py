"""What print gives for a result of the laboratory: what its command prints."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from raising import raising

import toysearch
from toysearch.base import result_tables
from toysearch.base.errors import ArgumentError
from toysearch.cli.main import command as toysearch_command
from toysearch.laboratory.experiments.gate import GateResult
from toysearch.laboratory.experiments.verification import verify
from toysearch.laboratory.results.tables import FORMATS, as_text

COLLECTION = "cat-dog-parrot"
UPSIDE_DOWN = "formula:-log(N/df)"
MODELS = ("--model", "bm25", "--model", UPSIDE_DOWN)


def commanded(*arguments):
    return CliRunner().invoke(toysearch_command, list(arguments), catch_exceptions=False).stdout


def words(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def collection():
    return toysearch.load(COLLECTION)


@pytest.fixture(scope="module")
def searchers(collection):
    index = toysearch.Index.build(collection)
    return [toysearch.Searcher(index, name) for name in ("bm25", UPSIDE_DOWN)]


@pytest.fixture(scope="module")
def gate_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("gate") / "relevance.toml"
    path.write_text(
        f'collection = "{COLLECTION}"\n[[expect]]\nmeasure = "P@1"\nat_least = 1\n'
        "[[expect]]\nquery = 1\ndocument = 3\nin_first = 1\n"
    )
    return path


@pytest.fixture(scope="module")
def results(collection, searchers, gate_file):
    runs = [searcher.run(collection.judged_queries) for searcher in searchers]
    given = {"queries": collection.judged_queries, "threshold": collection.threshold}
    return {
        "compare": toysearch.compare(runs, collection.qrels, "nDCG AP", threshold=collection.threshold),
        "diff": toysearch.diff(*searchers, collection.qrels, "nDCG", **given),
        "diff --query-id": toysearch.diff(*searchers, collection.qrels, "nDCG", query_id="3", **given),
        "tune": toysearch.tune(collection, "bm25", {"b": [0, 1]}, "nDCG"),
        "ablate": toysearch.ablate(collection, "bm25", "nDCG"),
        "robustness": toysearch.robustness(collection, "bm25", "nDCG", only="rare"),
        "gate": toysearch.gate(gate_file),
        "verify": verify(collection),
        "explain": toysearch.explain_order(searchers[0], "train cat", "1", "2"),
    }


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("compare", ["compare", COLLECTION, *MODELS, "-m", "nDCG AP"]),
        ("diff", ["diff", COLLECTION, *MODELS, "-m", "nDCG"]),
        ("diff --query-id", ["diff", COLLECTION, *MODELS, "-m", "nDCG", "--query-id", "3"]),
        ("tune", ["tune", COLLECTION, "--grid", "b=0,1", "-m", "nDCG"]),
        ("ablate", ["ablate", COLLECTION, "-m", "nDCG"]),
        ("robustness", ["robustness", COLLECTION, "-m", "nDCG", "--only", "rare"]),
        ("verify", ["verify", COLLECTION]),
        ("explain", ["explain", COLLECTION, "--query", "train cat", "--doc", "1", "--doc", "2"]),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_print_gives_what_the_command_prints(name, command, results):
    """Line by line, in its order; running text may be broken elsewhere, and titles of documents be left out."""
    printed, expected = words(str(results[name])), commanded(*command)
    blocks = [words(line) for line in str(results[name]).splitlines() if "  " in line.strip()]
    assert blocks  # the rows of the tables
    assert all(block in words(expected) for block in blocks)
    if name not in ("diff --query-id", "explain"):
        for line in filter(None, expected.splitlines()):
            assert words(line) in printed


def test_print_of_a_diagnosis_is_what_check_prints():
    assert str(toysearch.diagnose(COLLECTION)) == commanded("check", COLLECTION).rstrip("\n")


def test_print_of_a_diff_shows_queries_and_documents_that_moved(results):
    lines = str(results["diff"]).splitlines()
    found = results["diff"]
    assert found.lost
    moved = [document.doc_id for query in (*found.gained, *found.lost) for document in query.moved]
    assert [line.split()[0] for line in lines if "→" in line and line.startswith("  ")] == moved


def test_print_of_a_gate_says_how_many_hold(results, gate_file):
    lines = str(results["gate"]).splitlines()
    assert lines[0] == f"FAIL {gate_file}:5"
    assert lines[-1] == "1 of 2 expectations fails"
    nothing = "empty.toml: no expectation found; expected one table [[expect]] per expectation"
    assert str(GateResult("empty.toml", ())) == nothing


@pytest.mark.parametrize("name", result_tables._NAMES_ELSEWHERE)
def test_what_other_libraries_call_a_form_leads_to_its_name_here(name, results):
    """Each advice is followed: what it writes as code gives what it says."""
    advice = result_tables._NAMES_ELSEWHERE[name]
    with raising(AttributeError, f"'Comparison' object has no attribute '{name}'; {advice}"):
        getattr(results["compare"], name)
    assert not hasattr(results["tune"], name)
    codes = re.findall(r'[\w.]+\((?:[\w.]+(?:\(\))?(?:, "\w+")?)?\)(?:\.\w+\(\w+\))?', advice)
    assert codes
    for code in codes:
        if "frame" in code:
            pytest.importorskip("pandas")
        code = code if "result" in code else f"result.{code}"
        value = eval(code, {"json": json, "str": str, "path": None, "result": results["compare"]})
        assert len(value)


def test_one_line_stands_for_a_result_in_a_list(results, gate_file):
    assert repr(results["compare"]) == "<Comparison of 2 systems; best by nDCG bm25, AP bm25>"
    diffed = results["diff"]
    assert repr(diffed) == (
        f"<Diff from bm25 to {UPSIDE_DOWN}: nDCG {diffed.means[0]:.4f} → {diffed.means[1]:.4f}; "
        f"{diffed.counts[0]} gain, {diffed.counts[1]} stay the same, {diffed.counts[2]} lose>"
    )
    assert repr(results["explain"]) == "<OrderExplanation of 1 above 2 under bm25>"
    assert repr(results["gate"]) == f"<GateResult of {gate_file}: 1 of 2 expectations hold>"


@pytest.mark.parametrize("form", FORMATS)
def test_every_result_has_every_form(form, results):
    for found in results.values():
        text = as_text(found, form)
        assert f"{found:{form}}" == text
        assert text == text.rstrip("\n")
        if form == "json":
            assert json.loads(text)
        else:
            assert text


def test_the_forms_of_programs_are_those_of_the_commands(results):
    assert as_text(results["ablate"], "csv") == commanded("ablate", COLLECTION, "-m", "nDCG", "--format", "csv").strip()
    command = ["tune", COLLECTION, "--grid", "b=0,1", "-m", "nDCG", "--format", "json"]
    assert as_text(results["tune"], "json") == commanded(*command).strip()
    command = ["compare", COLLECTION, *MODELS, "-m", "nDCG AP", "--format", "latex"]
    assert as_text(results["compare"], "latex") == commanded(*command).strip()


def test_what_cannot_be_shown_is_refused(results):
    with raising(ArgumentError, "list cannot be shown as text; expected a result of the laboratory"):
        as_text([1, 2])
    with pytest.raises(ArgumentError, match=r"'markdwn'.*markdown"):
        as_text(results["tune"], "markdwn")


def test_a_comparison_ends_with_its_legend_and_what_it_hangs_on(collection, searchers):
    runs = [searcher.run(collection.judged_queries) for searcher in searchers]
    text = str(toysearch.compare(runs, collection.qrels, "nDCG", threshold=collection.threshold))
    legend, hang = text.split("\n\n")[1:]
    assert legend == (
        "t test, p corrected (holm) for 1 comparison, alpha 0.05 · d_z: mean difference /\n"
        "standard deviation of the differences · +/=/−: queries won, tied, lost · *:\n"
        "best, ~: indistinguishable from it · relevant from grade 0.5 · ties rank"
    )
    assert hang.splitlines()[:3] == [
        "what the conclusions depend on",
        "  queries: 3 queries: with fewer than 25, a mean depends more on the queries",
        "    than on the systems",
    ]


def test_the_lines_below_a_tuning_an_ablation_and_a_scorecard_say_what_was_measured(results):
    assert str(results["tune"]).splitlines()[-1] == "cat-dog-parrot · plain · 3 queries · 2 settings"
    about = "cat-dog-parrot · plain · 3 queries · t test · 95 % intervals · p corrected: holm"
    assert words(str(results["ablate"])).endswith(about)
    assert str(results["robustness"]).splitlines()[-2:] == [
        "cat-dog-parrot · plain · 3 queries · relevant from grade 0.5 · k 1000 · seed 0 ·",
        "95 % intervals, each for its row alone",
    ]


def test_print_of_a_diff_in_which_one_side_or_none_moves():
    judged = {"1": {"b": 1}, "2": {"b": 1}}
    first = {"1": ["a", "b"], "2": ["a", "b"]}
    swapped = toysearch.diff(first, {"1": ["b", "a"], "2": ["b", "a"]}, judged, "RR", moves=1)
    assert str(swapped) == (
        "RR, run (1) → run (2): 0.5000 → 1.0000 (+0.5000)\n2 queries: 2 gain, 0 stay the same, 0 lose\n"
        "50 % of the first ten documents are unjudged\n\n"
        "The queries that gain most\n\n"
        "1: 0.5000 → 1.0000 (+0.5000)\n  document  grade   rank  move\n  b             1  2 → 1  rises past a\n\n"
        "2: 0.5000 → 1.0000 (+0.5000)\n  document  grade   rank  move\n  b             1  2 → 1  rises past a\n\n"
        "relevant from grade 1; no grade: not judged"
    )
    same = "RR, run (1) → run (2): 0.5000 → 0.5000 (+0.0000)\n2 queries: 0 gain, 2 stay the same, 0 lose\n"
    same += "50 % of the first ten documents are unjudged"
    grades = "relevant from grade 1; no grade: not judged"
    assert str(toysearch.diff(first, first, judged, "RR")) == f"{same}\n\nno query gains or loses\n\n{grades}"
    single = str(toysearch.diff(first, first, judged, "RR", query_id="1"))
    assert single == f"{same}\n\n1: 0.5000 → 0.5000 (+0.0000)\n  no document moved\n\n{grades}"


def test_print_of_two_documents_side_by_side(searchers):
    assert str(toysearch.explain_order(searchers[0], "cat", "2", "1")) == ("2 is not ranked: it contains no query term")
    assert str(toysearch.explain_order(searchers[0], "train cat", "2", "1")).split("\n\n")[:2] == [
        "1 ranks above 2 by 0.54726, under bm25",
        "document  1  2\nrank      1  2\ndl        4  4",
    ]
