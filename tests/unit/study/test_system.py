"""A system is a model with its own analysis, fields or index; its numbers are those of an index made for it alone."""

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch import Analyzer, Index, Searcher, System, compare, diff, load, tune
from toysearch.base.errors import ArgumentError, DataError
from toysearch.study.study import Study
from toysearch.study.system import crossed, distinct
from toysearch.workbench.tune.study_evaluation import study_evaluation

pytestmark = pytest.mark.usefixtures("bundled_read_once")
NAME = "companions"
MEASURES = "AP nDCG@10"


@pytest.fixture(scope="module")
def collection():
    return load(NAME)


def run_alone(model, analyzer, fields=None):
    """The run of a model on an index built for it alone, as run files were compared before there were systems."""
    collection = load(NAME, fields=fields)
    index = Index.build(collection, Analyzer.parse(analyzer))
    return Searcher(index, model).run(collection.judged_queries)


SYSTEMS = [
    ("bm25", "plain", None),
    ("bm25", "english", None),
    ("bm25:b=0.3", "english:stem=porter", None),
    ("rm3(bm25)", "english", None),
    ("bm25", "english", "title"),
    ("lm-dirichlet", "plain", "text,title"),
    ("rm3(bm25)@20 >> lsa:5", "plain", None),
]


def test_systems_compare_as_the_runs_of_indexes_made_for_each(collection):
    runs = {f"system {n}": run_alone(*parts) for n, parts in enumerate(SYSTEMS)}
    systems = {name: System(*parts) for name, parts in zip(runs, SYSTEMS, strict=True)}
    expected = compare(runs, collection, MEASURES, ties="rank")
    found = compare(systems, NAME, MEASURES)
    for name, run in runs.items():
        assert found.runs[name].to_dict() == run.to_dict()
    assert found.pairs == expected.pairs
    for measure, values in expected.values.items():
        np.testing.assert_array_equal(found.values[measure], values)


def test_every_way_to_values_has_the_analysis_of_the_system(collection):
    study = Study.of(NAME).with_models(["bm25", "bm25 | plain", "bm25 | title"])
    for ranked, parts in zip(study.models, [("english", None), ("plain", None), ("english", "title")], strict=True):
        run = run_alone("bm25", *parts)
        values = [row["AP"] for row in toysearch.evaluate(run, collection.qrels, "AP").per_query.values()]
        assert study.run(ranked).to_dict() == run.to_dict()
        [measure] = toysearch.evaluate(run, collection.qrels, "AP").measures
        evaluation = study_evaluation(study, ranked, [measure])
        np.testing.assert_allclose([row["AP"] for row in evaluation.per_query.values()], values, rtol=0, atol=1e-12)
        assert evaluation.name == str(ranked)


def test_systems_of_one_analysis_share_itsindex_of_pets():
    study = Study.of("cat-dog-parrot").with_models(["bm25 | english", "dice | english", "bm25 | plain"])
    indexes = study.indexes()
    assert indexes["bm25 · english"] is indexes["dice · english"]
    assert indexes["bm25 · english"] is not indexes["bm25 · plain"]
    with_scoring = study.with_scoring(k=1)
    assert with_scoring.indexes()["dice · english"] is indexes["dice · english"]
    assert [analyzer.language for analyzer in study.analyses()] == ["english", "none"]


def test_documents_made_in_python_are_searched_in_other_fields():
    documents = [
        toysearch.Document("a", "cat", "dog", {"title": "dog", "text": "cat"}),
        toysearch.Document("b", "a dog", "bird", {"title": "bird", "text": "a dog"}),
    ]
    pets = toysearch.Collection("pets", documents, {"1": "dog"}, {"1": {"a": 1}})
    found = compare(["bm25", "bm25 | title"], pets, "RR")
    assert [evaluation["RR"] for evaluation in found.evaluations.values()] == [0.0, 1.0]
    with raising(ArgumentError, "unknown field 'body'. Fields: title, text"):
        compare(["bm25 | body"], pets, "RR")


NAMES = [
    (["bm25 | plain", "bm25 | english"], ["bm25 · plain", "bm25 · english"]),
    (["bm25", "bm25 | english"], ["bm25", "bm25 · english"]),
    (["bm25 | english | title", "dice | english | title"], ["bm25", "dice"]),
    (["bm25 | english | title", "dice | english"], ["bm25 · title", "dice"]),
    (["bm25:b=0.4 · english:stem=porter · title,text"], ["bm25:b=0.4 · english:stem=porter · title,text"]),
    (["mine=bm25 | plain", "bm25 | english"], ["mine · plain", "bm25 · english"]),
    (["bm25 | :stem=none", "bm25 | plain"], ["bm25 · :stem=none", "bm25 · plain"]),
]


@pytest.mark.parametrize(("texts", "names"), NAMES)
def test_names_say_what_differs(texts, names):
    assert [str(system) for system in distinct([System.of(text) for text in texts])] == names


def test_an_analyzer_with_synonyms_has_a_short_name_if_no_other_has_it(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("couch, sofa\n")
    one, other = (f"english:synonyms={tmp_path / name}" for name in ("a.txt", "b.txt"))
    assert [*map(str, distinct(crossed([toysearch.MODELS["bm25"]], ["english", one])))] == [
        "bm25 · english",
        "bm25 · english+synonyms",
    ]
    assert [*map(str, distinct(crossed([toysearch.MODELS["bm25"]], [one, other])))] == [
        f"bm25 · {one}",
        f"bm25 · {other}",
    ]


def test_a_name_is_read_again():
    for text in ("bm25 · english:stem=porter · title", "0.5*bm25 + 0.5*dph · german", "bm25@10 >> lsa:5 · title,text"):
        assert str(System.of(text)) == str(System.of(text.replace(" · ", " | "))) == text


def test_an_analyzer_is_named_by_its_language_if_it_is_the_usual_one():
    analyzers = Analyzer.for_language("english"), Analyzer(), Analyzer(stem="english")
    assert [str(System("bm25", analyzer)) for analyzer in analyzers] == [
        "bm25 · english",
        "bm25 · plain",
        "bm25 · plain:stem=english",
    ]


def test_an_index_is_a_system(tmp_path, collection):
    folder = tmp_path / "english.idx"
    Index.build(collection, Analyzer.parse("english:stem=porter")).save(folder)
    found = compare(["bm25 | plain", System("bm25", index=folder)], NAME, "AP")
    assert [*found.systems] == ["bm25 · plain", "bm25 · english.idx"]
    run = run_alone("bm25", "english:stem=porter")
    assert found.runs["bm25 · english.idx"].to_dict() == run.to_dict()


WRONG = [
    (lambda: System("bm52", "english"), "unknown model 'bm52'; did you mean 'bm25'?"),
    (lambda: System("bm25", "engish"), "unknown language 'engish'; did you mean 'english'?"),
    (lambda: System.of("bm25 | engish"), "unknown language 'engish'; did you mean 'english'?"),
    (lambda: System.of("bm25 | plain | german"), "'bm25 | plain | german' gives its analyzer twice: plain and german"),
    (
        lambda: System("bm25", "plain", index="x.idx"),
        "an index has its own analysis and fields: leave out the analyzer, or the index",
    ),
    (
        lambda: toysearch.model("bm25 · english"),
        "'bm25 · english' is a system, a model with an analysis, fields or an index of its own; compare, eval, diff "
        "and report take it (System in Python), and only a model is expected here",
    ),
    (
        lambda: Searcher(["a cat"], System("bm25", "english")),
        "what must be a text, a function, a Model or a Ranker, not a System; compare, diff and tune take it whole, and "
        "Study.of(collection).searcher(system) searches with it",
    ),
    (
        lambda: compare(["bm25 | english"], index_of_pets(), "AP"),
        "an index stores its own analysis, here plain: systems with another one need the collection; name it instead "
        "of the index",
    ),
    (
        lambda: compare(["bm25 | title"], index_of_pets(), "AP"),
        "an index stores the fields that are searched: title cannot be chosen on it; name the collection instead of "
        "the index",
    ),
    (
        lambda: compare([System("bm25", index="nowhere")], NAME),
        "'nowhere' is not a saved index; make one with toysearch index SOURCE -o DIR",
    ),
    (
        lambda: compare(["bm25 | plain", "bm25 | plain"], NAME),
        "two systems have the name 'bm25'; name each, in Python {'a': …, 'b': …}",
    ),
    (
        lambda: toysearch.robustness(["bm25 | plain"], "cat-dog-parrot"),
        "'bm25 · plain' is a system with an index of its own, and robustness takes models alone",
    ),
    (
        lambda: crossed([toysearch.MODELS["bm25"]] * 5, ["plain", "english", "german", "french", "dutch"]),
        "5 models × 5 analyses are 25 systems, and at most 24 are compared at once: each one weakens the tests of all",
    ),
]


def index_of_pets():
    return Index.build(load("cat-dog-parrot"))


@pytest.mark.parametrize(("call", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_use_is_refused_with_a_sentence(call, message):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_an_index_of_its_own_analysis_takes_a_system_that_says_so():
    found = compare(["bm25 | plain", "dice"], index_of_pets(), "RR")
    assert [*found.evaluations] == ["bm25 · plain", "dice"]


def test_indexes_in_folders_of_one_name_are_named_by_their_paths(tmp_path):
    for place, analyzer in (("a", "plain"), ("b", "english")):
        Index.build(load("cat-dog-parrot"), Analyzer.parse(analyzer)).save(tmp_path / place / "pets.idx")
    folders = [tmp_path / place / "pets.idx" for place in "ab"]
    found = compare([System("bm25", index=folder) for folder in folders], "cat-dog-parrot", "RR")
    assert [*found.evaluations] == [f"bm25 · {folder}" for folder in folders]


def test_a_baseline_is_named_as_a_system_is_typed():
    found = compare(["bm25 | plain", "bm25 | english"], NAME, "AP", baseline="bm25 | english")
    assert found.baseline == "bm25 · english"


def test_indexes_of_other_documents_are_refused(tmp_path, collection):
    whole = Index.build(collection)
    whole.save(tmp_path / "a.idx")
    with noted():
        whole.delete(["p307", "p001"]).save(tmp_path / "b.idx")
    systems = [System("bm25", index=tmp_path / name) for name in ("a.idx", "b.idx")]
    message = "b.idx lacks 2 of the documents of a.idx, such as 'p001'; systems are compared on the same documents"
    for order in (systems, systems[::-1]):
        with raising(DataError, message):
            compare(order, NAME, "AP")


def test_tune_takes_the_analysis_of_a_system():
    grid = {"b": [0.3, 0.75]}
    found, expected = tune("bm25 | plain", NAME, grid), tune("bm25", NAME, grid, analyzer="plain")
    assert found.analyzer == expected.analyzer == "plain"
    assert found.best.value == expected.best.value != tune("bm25", NAME, grid).best.value


def test_diff_explains_two_analyses_by_the_words_that_they_join(collection):
    found = diff("bm25 | plain", "bm25 | english", NAME, query_id="41")
    searchers = [Searcher(Index.build(collection, Analyzer.parse(name))) for name in ("plain", "english")]
    same = diff(*searchers, collection, queries=collection.judged_queries, query_id="41")
    assert found.names == ("bm25 · plain", "bm25 · english")
    assert found.gained == same.gained
    [query] = found.gained
    joined = {group.label: group for group in query.terms if group.kind == "joined"}
    assert joined["cat and cats → cat"].second == ("cat",)
    for document in query.moved:
        if document.movers:
            assert sum(mover.first for mover in document.movers) == pytest.approx(document.scores[0], abs=1e-9)
            assert sum(mover.second for mover in document.movers) == pytest.approx(document.scores[1], abs=1e-9)
            change = document.leads[1] - document.leads[0]
            assert sum(mover.lift for mover in document.movers) == pytest.approx(change, abs=1e-9)
    lifts = {
        doc.doc_id: mover.lift for doc in query.moved for mover in doc.movers if mover.name == "cat and cats → cat"
    }
    assert joined["cat and cats → cat"].lifts == lifts != {}


def test_the_other_way_round_they_are_split():
    [query] = diff("bm25 | english", "bm25 | plain", NAME, query_id="41").lost
    assert "cat → cat and cats" in {group.label for group in query.terms if group.kind == "split"}
