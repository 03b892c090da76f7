"""How results show themselves: every result in every form, and as text what its command prints."""

import functools
import html
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from error_messages import raising
from grouped_means import group_means
from shell import done

import toysearch
from toysearch import Document, Index, Qrels, Ranking, Run, Searcher, load
from toysearch.base.errors import ArgumentError
from toysearch.base.rendering import FORMATS, as_text
from toysearch.base.result import Result
from toysearch.base.result_tables import plain
from toysearch.classroom.three_means import means
from toysearch.evaluation.convention_effects import side_by_side
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.retrieval.filters_and_facets import facets_of
from toysearch.study import consistency, find, scores
from toysearch.study.compare.correlation import agreement
from toysearch.study.compare.sensitivity import sensitivity
from toysearch.study.explain import rank_flip
from toysearch.study.explain.document_explanation import explain_documents
from toysearch.study.explain.typed_ranking_measures import score_ranking
from toysearch.study.vocabulary_laws import heaps, zipf
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_model import click_model
from toysearch.workbench.clicks.interleaving import interleave_runs
from toysearch.workbench.gate import GateResult
from toysearch.workbench.judging.judge_agreement import alpha
from toysearch.workbench.judging.second_judge import rejudge
from toysearch.workbench.learning.feature_table import features
from toysearch.workbench.report.measure_curve import curve
from toysearch.workbench.verification import verify

PETS, UPSIDE_DOWN = "cat-dog-parrot", "formula:-log(N/df)"
MODELS = ("bm25", UPSIDE_DOWN)
pets = functools.cache(lambda: load(PETS))
index = functools.cache(lambda: Index.build(pets()))
searcher = functools.cache(lambda model="bm25": Searcher(index(), model))
runs = functools.cache(lambda: [searcher(model).run(pets().queries) for model in MODELS])
CLICKS = [ShownList("1", "1", (ShownDocument("1", True, "x"), ShownDocument("2", False, "y")))]
BEN, CARLA = {"1": {"1": 1, "2": 1}, "2": {"3": 0}}, {"1": {"1": 0}}


def gate() -> GateResult:
    """Of two expectations, one that fails."""
    lines = [f'collection = "{PETS}"', "[[expect]]", 'measure = "P@1"', "at_least = 1"]
    lines += ["[[expect]]", "query = 1", "document = 3", "in_first = 1"]
    Path("relevance.toml").write_text("\n".join(lines), encoding="utf-8")
    return toysearch.gate("relevance.toml")


def facets() -> Any:
    """The values of a field that an index keeps."""
    kept = Index.build([Document("1", "cat", fields={"year": "2"})], values=("year",))
    return facets_of(kept, kept.postings("cat").docs, ["year"])


def of_texts() -> Any:
    """How consistent a model is over two texts of one need."""
    run = Run.from_dict({"1-1": {"a": 2, "b": 1}, "1-2": {"b": 2, "a": 1}})
    qrels = Qrels({"1": {"a": 1}}).for_texts({"1-1": "1", "1-2": "1"})
    return consistency(run, toysearch.evaluate(run, qrels, "nDCG AP"))


MADE: dict[str, Callable[[], Any]] = {
    "Ranking": lambda: searcher().search("train cat"),
    "Comparison": lambda: toysearch.compare([*MODELS], pets(), "nDCG AP"),
    "ComparedQueries": lambda: made("Comparison").per_query,
    "Consistency": lambda: of_texts(),
    "Tuning": lambda: toysearch.tune("bm25", pets(), {"b": [0, 1]}, "nDCG"),
    "Ablation": lambda: toysearch.ablate("bm25", pets(), "nDCG"),
    "Diff": lambda: toysearch.diff(*MODELS, pets(), "nDCG"),
    "Robustness": lambda: toysearch.robustness("bm25", pets(), "nDCG", only="rare"),
    "Kappa": lambda: toysearch.kappa(pets().qrels, BEN),
    "Alpha": lambda: alpha({"ada": pets().qrels, "ben": BEN, "carla": CARLA}),
    "UnjudgedBounds": lambda: unjudged_bounds(runs()[0], CARLA, "AP"),
    "SideBySide": lambda: side_by_side(runs()[0], pets().qrels, "AP"),
    "Curve": lambda: curve(runs()[0], pets().qrels),
    "InterleavedRuns": lambda: interleave_runs(*runs(), k=2),
    "ClickModel": lambda: click_model(CLICKS),
    "Scores": lambda: scores(["bm25", "tfidf"], pets(), "AP", worst=1),
    "ScoredStudy": lambda: scores(["bm25", "tfidf"], pets(), "AP", by="length"),
    "SearchResult": lambda: find(pets(), "train cat", k=2),
    "Rejudged": lambda: rejudge({run.name: run for run in runs()}, pets(), "RR", by=BEN, test="t"),
    "GroupMeans": lambda: group_means([*MODELS], pets(), "AP", by="length"),
    "Facets": facets,
    "Verification": lambda: verify(pets()),
    "GateResult": gate,
    "Diagnosis": lambda: toysearch.diagnose(PETS),
    "Learning": lambda: toysearch.learn(features(pets()), "logistic"),
    "FeatureTable": lambda: features(pets()),
    "WeightCurve": lambda: toysearch.weight_curve(toysearch.model("bm25")),
    "ZipfLaw": lambda: zipf(index()),
    "HeapsLaw": lambda: heaps(index()),
    "ExplainedDocuments": lambda: explain_documents(searcher(), "train cat", ["1", "2"]),
    "Page": lambda: score_ranking("R I"),
    "OrderExplanation": lambda: toysearch.explain_order(searcher(), "train cat", "1", "2"),
    "ScoreExplanation": lambda: toysearch.explain(searcher(), "train cat", "1"),
    "MeasureExplanation": lambda: toysearch.explain_measure(runs()[0], pets().qrels, made("Evaluation"), "AP", "1"),
}
"""Every class of results, and one of its kind."""
TEXTS = {"ScoreExplanation", "MeasureExplanation"}
"""Those without a table."""
RECORDS: dict[str, Callable[[], Any]] = {
    "Run": lambda: runs()[0],
    "Qrels": lambda: pets().qrels,
    "Index": index,
    "Collection": pets,
    "Evaluation": lambda: toysearch.evaluate(runs()[0], pets()),
    "Pool": lambda: toysearch.pool(runs(), depth=2),
    "Means": lambda: means([2, 8]),
    "TestResult": lambda: toysearch.paired_test([0.1, 0.2, -0.1]),
    "Sensitivity": lambda: sensitivity(made("Comparison"))[0],
    "Agreement": lambda: agreement(*runs()),
}
"""Records and collections of them, which have rows alone."""
COMMANDS = {
    "Diff of a query": ["diff", PETS, "--model", "bm25", "--model", UPSIDE_DOWN, "-m", "nDCG", "--query-id", "3"],
    "ComparedQueries": ["compare", PETS, "--model", "bm25", "--model", UPSIDE_DOWN, "-m", "nDCG AP", "--per-query"],
    "Comparison": ["compare", PETS, "--model", "bm25", "--model", UPSIDE_DOWN, "-m", "nDCG AP"],
    "Diff": ["diff", PETS, "--model", "bm25", "--model", UPSIDE_DOWN, "-m", "nDCG"],
    "Tuning": ["tune", PETS, "--grid", "b=0,1", "-m", "nDCG"],
    "Ablation": ["ablate", PETS, "-m", "nDCG"],
    "Robustness": ["robustness", PETS, "-m", "nDCG", "--only", "rare"],
    "Verification": ["verify", PETS],
    "Diagnosis": ["check", PETS],
    "OrderExplanation": ["explain", PETS, "--query", "train cat", "--doc", "1", "--doc", "2"],
}


@functools.cache
def made(name: str) -> Any:
    """One result for all tests."""
    if name == "Diff of a query":
        return toysearch.diff(*MODELS, pets(), "nDCG", query_id="3")
    return (MADE | RECORDS)[name]()


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Where files can be written; a swap is looked for in 20 steps instead of 200."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rank_flip, "_STEPS", 20)


def words(text: str) -> str:
    return " ".join(text.split())


def result_classes(of: type = Result) -> set[str]:
    """The classes of results, without those of commands and courses, which print pages of their own."""
    own = {of.__name__} if not re.match(r"toysearch\.(cli|classroom)\b", of.__module__) else set()
    return own.union(*map(result_classes, of.__subclasses__()))


@pytest.mark.system
def test_every_class_of_results_is_here():
    packages = (toysearch.base, toysearch.evaluation, toysearch.models, toysearch.study, toysearch.workbench)
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    named = {name for name in result_classes() if not name.startswith("_")} - {
        "Result",
        "ExperimentResult",
        "HeldOutResult",
    }
    assert named == {*MADE}
    assert len(MADE) * (len(FORMATS) + 4) + len(RECORDS) * 3 == 404  # the cells of the two tests below


class Balanced(HTMLParser):
    """Counts what is open, and what there is of each kind."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("form", [*FORMATS, "data"])
@pytest.mark.parametrize("name", MADE)
def test_every_result_has_every_form_and_its_data_are_its_json(name: str, form: str) -> None:
    found = made(name)
    assert type(found).__name__ == name
    if form == "data":
        told = json.loads(as_text(found, "json"))
        assert told == json.loads(json.dumps(found.data(), allow_nan=False)) == plain(found.data())
    elif name in TEXTS and form not in ("table", "json", "html"):
        with pytest.raises(ArgumentError, match=f"cannot be shown as {form}; use table or json"):
            as_text(found, form)
    else:
        assert f"{found:{form}}" == as_text(found, form) == as_text(found, form).rstrip("\n") != ""


class Frame:
    """What pandas and polars make of columns."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns


@pytest.mark.parametrize("name", [*MADE, *RECORDS])
def test_every_result_has_a_page_a_line_and_a_data_frame_of_whichever_library_is_there(name, monkeypatch):
    found = made(name)
    assert type(found).__name__ == name
    page = Balanced(found._repr_html_())
    assert page.open == []
    assert ("pre" if name == "MeasureExplanation" else "table") in page.seen
    assert not {"script", "style"} & set(page.seen)
    assert "object at" not in repr(found) + found._repr_html_()
    for library, other in () if name in TEXTS else (("pandas", "polars"), ("polars", "pandas")):
        module = ModuleType(library)
        monkeypatch.setattr(module, "DataFrame", Frame, raising=False)
        monkeypatch.setitem(sys.modules, library, module)
        monkeypatch.setitem(sys.modules, other, None)
        frame = found.frame()
        assert isinstance(frame, Frame)
        assert found.frame(library).columns == frame.columns or name == "TestResult"
        with pytest.raises(ArgumentError, match=f"^a data frame needs {other}, which is not .*: pip install {other}$"):
            found.frame(other)
        assert len({len(column) for column in frame.columns.values()}) == 1
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ArgumentError, match="needs pandas or polars, and neither is installed"):
            found.frame()


@pytest.mark.parametrize("name", COMMANDS)
def test_print_gives_what_the_command_prints(name):
    """Line by line, in its order; running text may be broken elsewhere, and titles of documents be left out."""
    printed, expected = words(str(made(name))), done(*COMMANDS[name]).stdout
    blocks = [words(line) for line in str(made(name)).splitlines() if "  " in line.strip()]
    assert blocks or name == "Diagnosis"  # the rows of the tables; nothing is found wrong
    assert all(block in words(expected) for block in blocks)
    if name not in ("OrderExplanation", "Diff of a query"):
        for line in filter(None, expected.splitlines()):
            assert words(line) in printed


def test_print_of_a_diff_shows_queries_and_documents_that_moved():
    found = made("Diff")
    assert found.lost
    moved = [document.doc_id for query in (*found.gained, *found.lost) for document in query.moved]
    lines = [line for line in str(found).splitlines() if "→" in line and line.startswith("  ")]
    assert [line.split()[0] for line in lines] == moved


def test_print_of_a_gate_says_how_many_hold():
    lines = str(made("GateResult")).splitlines()
    assert (lines[0], lines[-1]) == ("FAIL relevance.toml:5", "1 of 2 expectations fails · ties rank")
    nothing = "empty.toml: no expectation found; expected one table [[expect]] per expectation"
    assert str(GateResult("empty.toml", False, "rank", ())) == nothing


def test_one_line_stands_for_a_result_in_a_list():
    assert repr(made("Comparison")) == f"<Comparison of 2 systems: {made('Comparison').data()['verdict']}>"
    assert repr(made("GateResult")) == "<GateResult of relevance.toml: 1 of 2 expectations met>"
    assert repr(runs()[0]) == "<Run 'bm25' of 3 queries: 12 ranked documents>"
    assert repr(Qrels.from_dict({"1": {"a": 1}})) == "<Qrels of 1 query: 1 judgment>"
    evaluator = toysearch.Evaluator(index(), pets().queries, pets(), "AP RR")
    assert repr(evaluator) == "<Evaluator of AP, RR on 3 queries and 4 documents>"
    groups = made("GroupMeans")  # without a line of its own it is the first that it prints
    assert repr(groups) == f"<GroupMeans: {str(groups).partition(chr(10))[0]}>"
    document = Document("1", "word " * 100, "a title", {"title": "a title", "text": "word " * 100})
    assert len(repr(document)) < 150


def test_what_cannot_be_shown_is_refused():
    with raising(ArgumentError, "list cannot be shown as text; expected a result of the laboratory"):
        as_text([1, 2])
    with pytest.raises(ArgumentError, match=r"'markdwn'.*markdown"):
        as_text(made("Tuning"), "markdwn")
    with raising(ArgumentError, "unknown library 'panda'; did you mean 'pandas'? Libraries: pandas, polars"):
        runs()[0].frame("panda")


def test_print_of_a_diff_in_which_one_side_or_none_moves():
    judged = {"1": {"b": 1}, "2": {"b": 1}}
    first = {"1": ["a", "b"], "2": ["a", "b"]}
    swapped = str(toysearch.diff(first, {"1": ["b", "a"], "2": ["a", "b"]}, judged, "RR", moves=1))
    assert swapped.startswith(
        "RR, run (1) → run (2): 0.5000 → 0.7500 (+0.2500)\n2 queries: 1 gain, 1 stay the same, 0 lose\n"
        "50% of the first ten documents are unjudged\n\n"
        "1: 0.5000 → 1.0000 (+0.5000)\n  document  grade   rank  move\n  b             1  2 → 1  rises past a\n\n"
    )
    assert "\n\nno query gains or loses\n\n" in str(toysearch.diff(first, first, judged, "RR"))
    assert "\n  no document moved\n\n" in str(toysearch.diff(first, first, judged, "RR", query_id="1"))


def test_print_of_two_documents_side_by_side():
    assert str(toysearch.explain_order(searcher(), "cat", "2", "1")) == "2 is not ranked: it contains no query term"


def test_a_caption_is_short_and_no_list_of_fields():
    assert "&lt;Comparison of 2 systems: " in made("Comparison")._repr_html_()
    for name in ("Curve", "SideBySide", "UnjudgedBounds", "WeightCurve", "ZipfLaw", "TestResult", "Means"):
        assert repr(made(name)).startswith(f"{name}(")
        assert f"{name}(" not in made(name)._repr_html_()


def test_what_a_frame_holds(monkeypatch):
    module = ModuleType("pandas")
    monkeypatch.setattr(module, "DataFrame", Frame, raising=False)
    monkeypatch.setitem(sys.modules, "pandas", module)
    evaluation, run = made("Evaluation"), runs()[0]
    columns = evaluation.frame().columns
    assert list(columns) == ["query_id", "AP", "nDCG@10", "P@10"]
    assert columns["AP"] == [row["AP"] for row in evaluation.per_query.values()]
    rows = zip(*(run.frame().columns[name] for name in ("query_id", "doc_id", "score")), strict=True)
    assert list(Run.from_records(rows, ranked=True)) == list(run)


def test_hostile_texts_are_escaped_and_long_tables_are_cut():
    shown = Ranking("1", ["<script>alert(1)</script>", "x" * 5000], [2.0, 1.0])._repr_html_()
    assert "<script>" not in shown
    assert len(shown) < 3000
    page = Run.from_rankings([Ranking("q", [str(n) for n in range(1000)], range(1000, 0, -1))])._repr_html_()
    assert page.count("<tr>") == 21
    assert "… and 980 more" in page


def test_an_index_is_a_table_of_its_terms():
    assert (index()["cat"], index()["unicorn"]) == ({"1": 1}, {})
    with pytest.raises(ArgumentError, match="takes a term, not 0"):
        list(index())
    assert (len(index()), "cat" in index(), "unicorn" in index(), 3 in index()) == (4, True, False, False)


@pytest.mark.system
def test_a_chart_is_drawn_by_a_notebook_and_saved(tmp_path):
    drawn = toysearch.plot("pr", made("Comparison"))
    bundle = drawn._repr_mimebundle_()
    drawable = {kind: content for kind, content in bundle.items() if kind.startswith("application/vnd.vegalite.")}
    assert list(drawable) == ["application/vnd.vegalite.v5+json", "application/vnd.vegalite.v6+json"]
    assert all(content == dict(drawn) for content in drawable.values())
    assert (repr(drawn), bundle["text/plain"]) == ("<Plot: Precision and recall>", repr(drawn))
    drawn.save(tmp_path / "pr.html")
    assert "Precision and recall" in (tmp_path / "pr.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Comparison", "queries: 3 queries: with fewer than 25"),
        ("Tuning", "b hardly matters: all values tried"),
        ("Ablation", "cat-dog-parrot · plain · 3 queries"),
    ],
)
def test_below_a_table_stand_the_conclusions_that_the_command_prints(name, sentence):
    assert sentence in html.unescape(made(name)._repr_html_().split("</table>")[1])
    assert sentence in words(str(made(name)))


def test_the_line_for_a_list_makes_no_more_of_the_text():
    class Parts(Result):
        def text_parts(self, width=None, wrap=None):
            yield ""
            yield "first\nsecond"
            raise AssertionError("nobody reads on")

    assert repr(Parts()) == "<Parts: first>"
