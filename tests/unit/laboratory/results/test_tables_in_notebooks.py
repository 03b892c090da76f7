"""How results show themselves: in a notebook, as a data frame, as text."""

from __future__ import annotations

import html
import json
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from raising import raising

import toysearch
from toysearch import Document, Index, Qrels, Ranking, Run, Searcher, load
from toysearch.base.errors import ArgumentError
from toysearch.base.result_tables import plain
from toysearch.evaluation.conventions import side_by_side
from toysearch.evaluation.evaluate import curve
from toysearch.evaluation.judge_agreement import alpha
from toysearch.evaluation.result import means
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.laboratory.experiments.query_groups import group_means
from toysearch.laboratory.experiments.retrieval_bias import retrievability
from toysearch.laboratory.experiments.stats.correlation import agreement
from toysearch.laboratory.experiments.stats.power import sensitivity
from toysearch.laboratory.experiments.verification import verify
from toysearch.laboratory.explain.compression import heaps, textbook_view, zipf
from toysearch.laboratory.learning.feature_table import features
from toysearch.laboratory.results.tables import FORMATS, as_text

COLLECTION = load("cat-dog-parrot")
INDEX = Index.build(COLLECTION)
SEARCHER, OTHER = Searcher(INDEX), Searcher(INDEX, "tfidf")
RUN = SEARCHER.run(COLLECTION.queries)
EVALUATION = toysearch.evaluate(RUN, COLLECTION)
COMPARISON = toysearch.compare({"a": RUN, "b": OTHER.run(COLLECTION.queries)}, COLLECTION, "AP")
GATE = Path(tempfile.mkdtemp(), "relevance.toml")
GATE.write_text(
    'collection = "cat-dog-parrot"\nmodel = "bm25"\n[[expect]]\ntext = "train a parrot"\ndocument = 3\nin_first = 1\n',
    encoding="utf-8",
)
RUNS = [RUN, OTHER.run(COLLECTION.queries)]
OTHERS = {"ben": {"1": {"1": 1, "2": 1}, "2": {"3": 0}}, "carla": {"1": {"1": 0}}}
TABLES: dict[str, Any] = {
    "Ranking": SEARCHER.search("train cat"),
    "Run": RUN,
    "Qrels": COLLECTION.qrels,
    "Index": INDEX,
    "Evaluation": EVALUATION,
    "Comparison": COMPARISON,
    "Tuning": toysearch.tune(COLLECTION, "bm25", {"k1": [0.5, 1.2]}, folds=2),
    "Ablation": toysearch.ablate(COLLECTION),
    "Diff": toysearch.diff(SEARCHER, OTHER, COLLECTION, queries=COLLECTION.queries),
    "Robustness": toysearch.robustness(COLLECTION, only="spelling"),
    "OrderExplanation": toysearch.explain_order(SEARCHER, "train cat", "1", "2"),
    "Collection": COLLECTION,
    "Kappa": toysearch.kappa(COLLECTION.qrels, OTHERS["ben"]),
    "Alpha": alpha({"ada": COLLECTION.qrels, **OTHERS}),
    "Pool": toysearch.pool(RUNS, depth=2),
    "UnjudgedBounds": unjudged_bounds(RUN, OTHERS["carla"], "AP"),
    "SideBySide": side_by_side(RUN, COLLECTION.qrels, "AP"),
    "Curve": curve(RUN, COLLECTION.qrels),
    "Means": means([2, 8]),
    "TestResult": toysearch.paired_test([0.1, 0.2, -0.1]),
    "Sensitivity": sensitivity(COMPARISON)[0],
    "Agreement": agreement(*RUNS),
    "Verification": verify(COLLECTION, ["bm25"]),
    "GateResult": toysearch.gate(GATE),
    "Diagnosis": toysearch.diagnose("cat-dog-parrot"),
    "Prediction": toysearch.predict(COLLECTION, predictors="wig nqc"),
    "Retrievability": retrievability(INDEX, "bm25", n=3),
    "Learning": toysearch.learn(COLLECTION, learner="lambdamart:rows=1"),
    "FeatureTable": features(COLLECTION),
    "WeightCurve": toysearch.weight_curve(toysearch.model("bm25")),
    "TextbookView": textbook_view(INDEX, "train"),
    "ZipfLaw": zipf(INDEX),
    "HeapsLaw": heaps(INDEX),
}
TEXTS: dict[str, Any] = {
    "ScoreExplanation": toysearch.explain(SEARCHER, "train cat", "1"),
    "MeasureExplanation": toysearch.explain_measure(RUN, COLLECTION.qrels, EVALUATION, "AP", "1"),
}


RESULTS = {name: found for name, found in {**TABLES, **TEXTS}.items() if hasattr(found, "text_parts")}


def test_most_results_say_how_they_are_shown() -> None:
    """The others are records, which have rows alone, and collections of them."""
    assert {**TABLES, **TEXTS}.keys() - RESULTS.keys() == {
        *("Run", "Qrels", "Index", "Collection", "Evaluation", "Pool", "Means"),
        *("TestResult", "Sensitivity", "Agreement"),
    }


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_form_and_its_data_are_its_json(name: str, form: str) -> None:
    found = RESULTS[name]
    if not found.tables() and form not in ("table", "json"):
        with pytest.raises(ArgumentError, match=f"cannot be shown as {form}; use table or json"):
            as_text(found, form)
        return
    text = as_text(found, form)
    assert text == text.rstrip("\n") != ""
    if form == "json":
        assert json.loads(text) == json.loads(json.dumps(found.data(), allow_nan=False))
        assert plain(found.data()) == json.loads(text)


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


class Frame:
    """What pandas and polars make of columns."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns


@pytest.mark.parametrize("name", [*TABLES, *TEXTS])
def test_a_notebook_shows_it(name: str) -> None:
    found = {**TABLES, **TEXTS}[name]
    assert type(found).__name__ == name
    page = Balanced(found._repr_html_())
    assert page.open == []
    assert ("pre" if name in TEXTS else "table") in page.seen
    assert name in TABLES or found._repr_html_().startswith('<pre style="font-family:monospace">')
    assert not {"script", "style"} & set(page.seen)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_its_rows_are_a_data_frame_of_whichever_is_there(
    name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "polars" if library == "pandas" else "pandas"
    module = ModuleType(library)
    monkeypatch.setattr(module, "DataFrame", Frame, raising=False)
    monkeypatch.setitem(sys.modules, library, module)
    monkeypatch.setitem(sys.modules, other, None)
    frame = TABLES[name].frame()
    assert isinstance(frame, Frame)
    assert TABLES[name].frame(library).columns == frame.columns or name == "TestResult"
    with pytest.raises(
        ArgumentError, match=f"^a data frame needs {other}, which is not installed: pip install {other}$"
    ):
        TABLES[name].frame(other)
    assert len({len(column) for column in frame.columns.values()}) == 1
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ArgumentError, match="needs pandas or polars, and neither is installed"):
        TABLES[name].frame()


def test_a_result_without_a_repr_of_its_own_says_its_first_line() -> None:
    groups = group_means([RUN], COLLECTION, "AP")
    first = str(groups).partition("\n")[0]
    assert repr(groups) == f"<GroupMeans: {first}>"
    assert "object at" not in groups._repr_html_()


def test_a_caption_is_short_and_no_list_of_fields() -> None:
    assert "&lt;Comparison of 2 systems; best by AP" in COMPARISON._repr_html_()
    for name in ("Curve", "SideBySide", "UnjudgedBounds", "WeightCurve", "ZipfLaw", "TestResult", "Means"):
        found = TABLES[name]
        assert repr(found).startswith(f"{name}(")
        assert f"{name}(" not in found._repr_html_()


def test_what_a_frame_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pandas")
    monkeypatch.setattr(module, "DataFrame", Frame, raising=False)
    monkeypatch.setitem(sys.modules, "pandas", module)
    columns = EVALUATION.frame().columns
    assert list(columns) == ["query_id", "AP", "nDCG@10", "P@10"]
    assert columns["AP"] == [row["AP"] for row in EVALUATION.per_query.values()]
    back = Run.from_records(
        zip(*(RUN.frame().columns[name] for name in ("query_id", "doc_id", "score")), strict=True), ranked=True
    )
    assert list(back) == list(RUN)


def test_hostile_texts_are_escaped_and_long_tables_are_cut() -> None:
    ranking = Ranking("1", ["<script>alert(1)</script>", "x" * 5000], [2.0, 1.0])
    shown = ranking._repr_html_()
    assert "<script>" not in shown
    assert len(shown) < 3000
    many = Run.from_rankings([Ranking("q", [str(n) for n in range(1000)], range(1000, 0, -1))])
    page = many._repr_html_()
    assert page.count("<tr>") == 21
    assert "… and 980 more" in page


def test_an_explanation_prints_what_the_command_prints() -> None:
    printed = str(TEXTS["ScoreExplanation"]).splitlines()
    assert printed[0] == "document 1: score 0.595152 under bm25"
    assert printed[1].split()[:4] == ["term", "qtf", "tf", "dl"]
    mixture = toysearch.explain(Searcher(INDEX, "0.5*bm25 + 0.5*tfidf"), "cat", "1")
    assert str(mixture).startswith("document 1: score ")
    assert str(TEXTS["MeasureExplanation"]).startswith("AP of query 1: ")
    assert as_text(TEXTS["ScoreExplanation"], "json").startswith("{")
    with pytest.raises(ArgumentError, match="an explanation cannot be shown as csv; use table or json"):
        as_text(TEXTS["ScoreExplanation"], "csv")


def test_short_reprs() -> None:
    assert repr(RUN) == "<Run 'bm25' of 3 queries: 12 ranked documents>"
    assert repr(Qrels.from_dict({"1": {"a": 1}})) == "<Qrels of 1 query: 1 judgment>"
    evaluator = toysearch.Evaluator(INDEX, COLLECTION.queries, COLLECTION, "AP RR")
    assert repr(evaluator) == "<Evaluator of AP, RR on 3 queries and 4 documents>"
    document = Document("1", "word " * 100, "a title", {"title": "a title", "text": "word " * 100})
    assert len(repr(document)) < 150
    assert (INDEX["cat"], INDEX["unicorn"]) == ({"1": 1}, {})
    with pytest.raises(ArgumentError, match="takes a term, not 0"):
        list(INDEX)
    assert (len(INDEX), "cat" in INDEX, "unicorn" in INDEX, 3 in INDEX) == (4, True, False, False)


@pytest.mark.system
def test_a_chart_is_drawn_by_a_notebook_and_saved(tmp_path: Any) -> None:
    drawn = toysearch.plot("box", COMPARISON)
    bundle = drawn._repr_mimebundle_()
    drawable = {kind: content for kind, content in bundle.items() if kind.startswith("application/vnd.vegalite.")}
    assert list(drawable) == ["application/vnd.vegalite.v5+json", "application/vnd.vegalite.v6+json"]
    assert all(content == dict(drawn) for content in drawable.values())
    assert (repr(drawn), bundle["text/plain"]) == ("<Plot: Values of the queries>", repr(drawn))
    drawn.save(tmp_path / "box.html")
    assert "Values of the queries" in (tmp_path / "box.html").read_text(encoding="utf-8")


def test_below_a_table_stand_the_conclusions_that_the_command_prints() -> None:
    for name, sentence in (
        ("Comparison", "queries: 3 queries: with fewer than 25"),
        ("Tuning", "k1 hardly matters: all values tried"),
        ("Ablation", "cat-dog-parrot · plain · 3 queries"),
    ):
        found = TABLES[name]
        assert sentence in html.unescape(found._repr_html_().split("</table>")[1]), name
        assert sentence in " ".join(str(found).split()), name


def test_a_frame_of_an_unknown_library() -> None:
    with raising(ArgumentError, "unknown library 'panda'; did you mean 'pandas'? Libraries: pandas, polars"):
        RUN.frame("panda")
