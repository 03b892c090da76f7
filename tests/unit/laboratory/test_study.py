"""A study reads and builds what is asked for, once, and its variants share what their settings leave alone."""

from __future__ import annotations

import pytest

import toysearch
from toysearch import Index, Run, Searcher, load
from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, DataError
from toysearch.laboratory.study import Study, holds_documents, is_model

TEXTS = {"a": "the cat sat", "b": "a cat and a cat", "c": "the dog"}
QUERIES, QRELS = {"1": "cat", "2": "dog"}, {"1": {"b": 1}, "2": {"c": 2}}


@pytest.fixture
def study() -> Study:
    return Study.of(Index.build(TEXTS), queries=QUERIES, qrels=QRELS)


def test_a_study_takes_names_collections_indexes_searchers_and_itself():
    pets = load("cat-dog-parrot")
    for source in ("cat-dog-parrot", pets):
        assert Study.of(source).judged.name == "cat-dog-parrot"
    index = Index.build(pets)
    for source in (index, Searcher(index)):
        assert Study.of(source).index is index
        assert len(Study.of(source).queries) == 3  # of the collection that it was built from
    study = Study.of(pets)
    assert Study.of(study) is study
    assert Study.of(study, k=5, threshold=None).k == 5
    with pytest.raises(ArgumentError, match="or an index, not a list"):
        Study.of(["a text"])


def test_nothing_is_read_or_built_before_it_is_asked_for(monkeypatch):
    def refuse(*_, **__):
        raise DataError("read")

    monkeypatch.setattr(toysearch, "load", refuse, raising=False)
    monkeypatch.setattr(Index, "build", refuse)
    study = Study.of("cat-dog-parrot", models=["bm25"]).with_(k=3, threshold=2)
    assert (study.k, study.threshold, study.ties) == (3, 2, None)
    for part in ("collection", "qrels", "index", "analyzer"):
        with pytest.raises(DataError, match="read"):
            getattr(study, part)


def test_runs_are_scored_without_documents():
    run = Run.from_dict({"1": {"b": 1.0}})
    study = Study.of_judgments({"1": {"b": 1}}, runs=[run])
    assert study.collection is None
    assert study.qrels["1"] == {"b": 1}
    assert [*study.runs()] == [run]
    assert (study.stated_threshold, study.threshold) == (None, 1.0)
    with pytest.raises(ArgumentError, match="'bm25' is a model, which needs documents to rank"):
        study.systems(["bm25"])


def test_variants_share_what_their_settings_leave_alone(study):
    whole = Study.of(load("cat-dog-parrot"), models=["bm25"])
    fewer = whole.with_(k=1)
    assert fewer.index is whole.index  # also if the variant is asked first
    assert fewer.judged is whole.judged
    assert whole.with_(models=["tfidf"]).index is whole.index
    plain = whole.with_(analyzer=Analyzer())
    assert plain.index is not whole.index
    assert plain.judged is whole.judged
    asked = study.with_(queries={"1": "dog"}, qrels={"1": {"c": 1}})
    assert asked.index is study.index
    assert asked.values("bm25", "RR").tolist() == [1.0]


def test_an_index_that_lacks_what_a_model_needs_is_built_again():
    study = Study.of("cat-dog-parrot", models=["bm25"])
    assert [study.index.fields.names, study.fields] == [[], ()]
    assert study.with_(models=["bm25f"]).index.fields.names == ["title", "text"]
    with pytest.raises(ArgumentError, match="weights its fields separately"):
        _ = Study.of(study.index, models=["bm25f"]).index


def test_values_are_those_of_a_run(study):
    run = study.run("bm25")
    evaluation = toysearch.evaluate(run, QRELS, "AP")
    assert study.values("bm25", "AP").tolist() == [row["AP"] for row in evaluation.per_query.values()]
    assert study.evaluator(["AP"]) is study.evaluator(["AP"])


def test_other_documents_with_the_same_ids(study):
    silent = [document._replace(text="cat") for document in load("cat-dog-parrot").documents]
    variant = Study.of("cat-dog-parrot").with_(documents=silent)
    assert variant.index.stats.N == 4
    assert variant.index.stats.n_terms < Study.of("cat-dog-parrot").index.stats.n_terms


def test_an_index_keeps_its_analysis_and_its_documents(study):
    with pytest.raises(ArgumentError, match="an index stores its own analysis: stem and stop cannot be varied on it"):
        study.refuse_choices(["stem", "stop"])
    stored = study.of_stored_documents()
    assert stored.opened is None
    assert str(stored.analyzer) == str(study.analyzer)
    assert [document.text for document in stored.judged.documents] == [*TEXTS.values()]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "the index has no judgments to score against; give some: qrels=…, or a collection that has some"),
        ({"qrels": QRELS}, "the index has no queries; give some: queries=…, or a collection that has some"),
        ({"queries": {"9": "cat"}, "qrels": QRELS}, "none of the 1 query of 'index' is judged"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_anything_is_built(settings, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        Study.of(Index.build(TEXTS), **settings).ready()


def test_names_of_models_and_of_documents():
    assert [is_model(text) for text in ("bm25", "rm3(bm25)", "bm52")] == [True, True, False]
    sources = ("companions", Study.of("companions"), Index.build(TEXTS), "qrels.txt", {"1": {"a": 1}})
    assert [holds_documents(source) for source in sources] == [True, True, True, False, False]
