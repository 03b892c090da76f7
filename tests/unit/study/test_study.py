"""A study builds what is asked for, once; its doubts and refusals are those of every experiment."""

import math
import shutil
from dataclasses import replace

import pytest
import small_collections as small
from captured_notes import noted
from error_messages import raising
from grouped_means import group_means
from shell import run
from tiers import thinned

from toysearch import (
    Collection,
    Index,
    Qrels,
    Query,
    Run,
    Searcher,
    ablate,
    compare,
    diff,
    load,
    robustness,
    tune,
)
from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, DataError
from toysearch.collection import catalog
from toysearch.collection.collection import Queries
from toysearch.study.study import Scoring, Study, stored_collection
from toysearch.workbench.judging.second_judge import rejudge
from toysearch.workbench.learning.feature_table import features
from toysearch.workbench.robustness.scorecard import of_stored_documents
from toysearch.workbench.tune.study_evaluation import study_evaluator

TEXTS = {"a": "the cat sat", "b": "a cat and a cat", "c": "the dog"}
QUERIES, QRELS = {"1": "cat", "2": "dog"}, {"1": {"b": 1}, "2": {"c": 2}}


@pytest.fixture
def study() -> Study:
    return Study.of(Index.build(TEXTS), QUERIES, QRELS)


def test_a_study_takes_names_collections_indexes_searchers_and_itself():
    pets = load("cat-dog-parrot")
    for source in ("cat-dog-parrot", pets):
        assert Study.of(source).judged().name == "cat-dog-parrot"
    index = Index.build(pets)
    for source in (index, Searcher(index)):
        assert Study.of(source).index() is index
        assert len(Study.of(source).queries()) == 3  # of the collection that it was built from
    study = Study.of(pets)
    assert Study.of(study) is study
    assert study.with_scoring(k=5, threshold=None).scoring == Scoring(k=5)
    assert study.with_scoring(k=None).scoring.k is None
    with pytest.raises(ArgumentError, match="or an index, not a list"):
        Study.of(["a text"])


def test_nothing_is_read_or_built_before_it_is_asked_for(monkeypatch):
    def refuse(*_, **__):
        raise DataError("read")

    monkeypatch.setattr(catalog, "collection_of", refuse)
    monkeypatch.setattr(Index, "build", refuse)
    study = Study.of("cat-dog-parrot").with_models(["bm25"]).with_scoring(k=3, threshold=2)
    assert (study.threshold(), study.scoring) == (2, Scoring(k=3, threshold=2))
    for part in (study.collection, study.qrels, study.index, study.analyzer):
        with pytest.raises(DataError, match="read"):
            part()


def test_runs_are_scored_without_documents():
    run = Run.from_dict({"1": {"b": 1.0}})
    study = replace(Study.of_judgments({"1": {"b": 1}}), fixed_runs=[run])
    assert study.ready() is study
    assert study.collection() is None
    assert study.qrels()["1"] == {"b": 1}
    assert study.systems(()) == (study, [(run.name, run)])
    assert (study.stated_threshold(), study.threshold()) == (None, 1.0)
    with pytest.raises(ArgumentError, match="'bm25' is a model, which needs documents to rank"):
        study.systems(["bm25"])


def test_variants_share_what_their_settings_leave_alone(study):
    whole = Study.of(load("cat-dog-parrot")).with_models(["bm25"])
    fewer = whole.with_scoring(k=1)
    assert fewer.index() is whole.index()  # also if the variant is asked first
    assert fewer.judged() is whole.judged()
    assert whole.with_models(["tfidf"]).index() is whole.index()
    plain = whole.with_index(analyzer=Analyzer())
    assert plain.index() is not whole.index()
    assert plain.judged() is whole.judged()
    asked = study.with_topics({"1": "dog"}, {"1": {"c": 1}})
    assert asked.index() is study.index()
    assert study_evaluator(asked, ["RR"]).values("bm25").tolist() == [1.0]


def test_an_index_that_lacks_what_a_model_needs_is_built_again():
    study = Study.of("cat-dog-parrot").with_models(["bm25"])
    assert study.index().fields.names == []
    assert study.with_models(["bm25f"]).index().fields.names == ["title", "text"]
    with pytest.raises(ArgumentError, match="weights its fields separately"):
        _ = Study.of(study.index()).with_models(["bm25f"]).index()


def test_an_index_keeps_its_analysis_and_its_documents(study):
    with pytest.raises(ArgumentError, match="an index stores its own analysis: stem and stop cannot be varied on it"):
        tune("bm25", study, {"stem": ["none"], "stop": ["none"]})
    stored = of_stored_documents(study)
    assert stored.opened() is None
    assert str(stored.analyzer()) == str(study.analyzer())
    assert [document.text for document in stored.judged().documents] == [*TEXTS.values()]


def test_the_values_that_an_index_keeps_are_those_of_its_stored_documents():
    documents = [
        {"id": "a", "text": "a cat", "genre": ["drama", "crime"], "year": 1999},
        {"id": "b", "text": "a dog", "year": 2004},
        {"id": "c", "text": "a cat and a dog"},
    ]
    index = Index.build(documents, values=["genre", "year"])
    judged = Collection("pets", stored_collection(index, "pets").documents, {"1": "cat"}, {"1": {"a": 1}})
    again = Index.build(judged, index.analyzer, values=["genre", "year"])
    assert {name: values.counts() for name, values in again.values.items()} == {
        name: values.counts() for name, values in index.values.items()
    }
    study = Study.of(index, judged.queries, judged.qrels).with_models(["bm25 + 0.01*prior:year"])
    stored = of_stored_documents(study)
    assert study_evaluator(stored, ["AP"]).values("bm25 + 0.01*prior:year") == study_evaluator(study, ["AP"]).values(
        "bm25 + 0.01*prior:year"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "the index has no judgments to score against; give some: qrels=…, or make them: known_items"),
        ({"qrels": QRELS}, "the index has no queries; give some: queries=…, or a collection that has some"),
        ({"queries": {"9": "cat"}, "qrels": QRELS}, "none of the 1 query of 'index' is judged"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_anything_is_built(settings, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        Study.of(Index.build(TEXTS), **settings).ready()


BACKWARDS = "note: grades: the scale runs backwards: documents with 1 are ranked higher than those with 4"
BY_PLACE = (
    "note: numbered by place: 225 queries in the collection and 225 in the judgments, but 152 in common: the "
    "collection's numbers go to 365, the judgments' to 225"
)
TWO = ["--model", "jaccard", "--model", "bm25"]
MEASURING = {
    "eval": ["--model", "jaccard", "-k", "10"],
    "compare": TWO,
    "diff": TWO,
    "tune": ["--grid", "k1=1,2", "--folds", "2"],
    "ablate": [],
    "robustness": ["--only", "rare"],
    "report": ["--model", "jaccard", "--json"],
}


def told(collection, index):
    with noted() as notes:
        Study.of(collection).with_index(index).ready()
    return notes


@pytest.fixture
def raw(corpora, tmp_path):
    """Cranfield in a folder of one's own: the codes of its file run backwards, and its queries have other numbers."""
    for name in ("cran.all.1400", "cran.qry", "cranqrel"):
        shutil.copy(corpora / "cranfield" / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", MEASURING)
def test_grades_that_run_backwards(tmp_path, name):
    turned = {
        query_id: {doc_id: 3 - grade for doc_id, grade in row.items()} for query_id, row in small.grades().items()
    }
    result = run(name, str(small.write_beir(tmp_path, judged=turned)), *MEASURING[name])
    assert result.exit_code == 0
    assert result.stderr.count(BACKWARDS.replace("with 4", "with 3")) == 1


def test_a_gate_tells_the_doubts_of_a_collection_and_of_a_run_once(tmp_path):
    turned = {
        query_id: {doc_id: 3 - grade for doc_id, grade in row.items()} for query_id, row in small.grades().items()
    }
    small.write_beir(tmp_path / "turned", judged=turned)
    rows = [f"{query_id} Q0 {name} 1 1 r\n" for query_id, group in turned.items() for name in sorted(group)[:1]]
    (tmp_path / "mine.run").write_text("".join(rows))
    systems = ('model = "bm25"', 'model = "jaccard"', 'run = "mine.run"')
    text = "".join(f'[systems.s{place}]\ncollection = "turned"\n{each}\n' for place, each in enumerate(systems))
    for place in range(3):
        for measure in ("AP", "P@1"):
            text += f'[[expect]]\nsystem = "s{place}"\nmeasure = "{measure}"\nat_least = 0\n'
    (tmp_path / "gate.toml").write_text(text)
    result = run("gate", str(tmp_path / "gate.toml"))
    assert result.exit_code == 0
    assert result.stderr.count("note: grades: the scale runs backwards") == 1
    assert result.stderr.count("note: mine.run: grades: the scale runs backwards") == 1


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(MEASURING, len(MEASURING)))
def test_queries_joined_by_the_wrong_number(raw, name):
    (raw / "collection.toml").write_text('number = "id"\n')
    result = run(name, str(raw), *MEASURING[name])
    assert result.exit_code == 0
    assert result.stderr.count(BY_PLACE) == 1


CATALOG = ["cranfield", "cisi", "companions", "cat-dog-parrot", "companions-2", "scifact"]


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(CATALOG, 3))
def test_the_collections_of_the_catalog(corpora, name):
    """Nothing is said of them as they are, looked at or vouched for; of queries counted from another number it is."""
    collection = load(name)
    index = Index.build(collection)
    assert collection.vouched
    assert told(collection, index) == told(collection.with_topics(collection.queries), index) == []
    if name == "cat-dog-parrot":
        return
    for shift, sign in ((1, "high"), (-1, "low")):
        moved = Queries(Query(str(int(query.query_id) + shift), query.text) for query in collection.queries)
        found = [each for each in told(collection.with_topics(moved), index) if each.startswith("shifted query ids")]
        assert len(found) == 1
        assert f"are the query numbers of the run too {sign} by one" in found[0]


FORMS_OF_IDS = {
    "leading zeros": (lambda number: f"{number:03}", "3 of the index and of the judgments differ in leading zeros"),
    "case": (lambda number: f"DOC{number}x", "3 of the index and of the judgments differ in case"),
    "an ending": (
        lambda number: f"{number}.txt",
        "3 of the index and of the judgments differ in the text around the num",
    ),
    "a prefix": (
        lambda number: f"doc-{number}",
        "3 of the index and of the judgments differ in the text around the num",
    ),
    "others": (lambda number: ["kite", "rain", "ferry"][number - 1], ""),
    "others with digits": (lambda number: ["k2t", "1r9", "f-33"][number - 1], ""),
}
JOINING = {
    "eval": ("eval", "d.csv"),
    "tune": ("tune", "d.csv", "--grid", "k1=1,2"),
    "compare": ("compare", "d.csv", "--model", "bm25", "--model", "cosine"),
}


@pytest.mark.parametrize("form", FORMS_OF_IDS)
@pytest.mark.parametrize("joined", ["none", "some"])
@pytest.mark.parametrize("command", JOINING)
def test_judgments_of_documents_that_are_not_there(tmp_path, monkeypatch, form: str, joined: str, command: str) -> None:
    """Where no judged document is in the index it is refused, where some are it is told, and how the ids differ."""
    written, sentence = FORMS_OF_IDS[form]
    judged = [str(number) if form != "case" else f"doc{number}X" for number in (1, 2, 3)]
    rows = [(written(number), "kite rain") for number in (1, 2, 3)] + [("same", "a kite")] * (joined == "some")
    (tmp_path / "d.csv").write_text("doc_id,text\n" + "".join(f"{doc_id},{text}\n" for doc_id, text in rows))
    (tmp_path / "q.tsv").write_text("qid\ttext\nq1\tkite\nq2\train\n")
    judged += ["same"] * (joined == "some")
    (tmp_path / "j.qrels").write_text("".join(f"q{n} 0 {doc_id} 1\n" for n in (1, 2) for doc_id in judged))
    monkeypatch.chdir(tmp_path)
    answer = run(*JOINING[command], "--queries", "q.tsv", "--qrels", "j.qrels")
    partly = joined == "some" and "around" in sentence  # where some ids fit, a number in common proves nothing
    assert ("differ in" in answer.stderr) == (bool(sentence) and not partly)
    assert partly or sentence in answer.stderr
    if joined == "none":
        assert answer.exit_code == 2
        assert "none of the 3 judged documents is in the index" in answer.stderr
    else:
        assert answer.exit_code == 0, answer.stderr
        assert "missing documents: 6 of 8 judgments looked up" in answer.stderr


def test_ids_whose_accents_are_written_otherwise():
    index = Index.build({"e\u0301te\u0301": "a cat", "b": "a dog"})
    collection = load("cat-dog-parrot").with_topics(
        Queries([Query("1", "cat")]), Qrels.from_dict({"1": {"\u00e9t\u00e9": 1, "b": 0}})
    )
    (found,) = told(collection, index)
    assert found.endswith("accents encoded differently (NFC or NFD): encode both in the same way.")


FOUR_TEXTS = {"a": "a cat and a bird", "b": "the cat", "c": "the bird sings and sings", "d": "a dog"}
FOUR_QUERIES = {"1": "cat", "2": "bird", "3": "cat dog", "4": "sings"}
# Query 4 finds c alone, and b is relevant.
FOUR_QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "a": 0}, "3": {"d": 1, "b": 0}, "4": {"b": 1}}
SENTENCE = (
    "ESL is infinite for 1 of 4 queries, and so is its mean: there is nothing to improve; name a measure that is "
    "finite for every query, such as RR"
)


@pytest.fixture
def collection() -> Collection:
    return Study.of(Index.build(FOUR_TEXTS), FOUR_QUERIES, FOUR_QRELS).judged()


def test_a_mean_that_is_infinite_cannot_be_improved(collection):
    with raising(DataError, SENTENCE):
        tune("bm25", collection, {"b": [0.2, 0.7]}, "ESL")
    with raising(DataError, SENTENCE):
        ablate("bm25", collection, "ESL")


def test_robustness_compares_the_queries_with_a_finite_value(collection):
    found = robustness("bm25", collection, "ESL", only="rare")
    assert found["an unknown word"].rows[0].queries == 3
    assert all(math.isfinite(row.difference) for _, row in found.rows)


def test_a_comparison_leaves_the_others_out(collection):
    assert compare(["bm25", "overlap"], collection, "ESL").query_ids["ESL"] == ("1", "2", "3")


@pytest.mark.parametrize("experiment", [ablate, robustness])
def test_a_geometric_mean_has_no_mean_difference(collection, experiment):
    with pytest.raises(ArgumentError, match="GMAP is not a mean over queries; compare AP"):
        experiment("bm25", collection, "GMAP")


SIGNED = {"1": "cat -bird", "2": "bird -sings", "3": "cat -dog", "4": '"bird sings"'}
READ_WITH_SIGNS = {
    "ablate": lambda study: ablate("bm25", study).values["AP"][:, 0],
    "compare": lambda study: compare(["bm25"], study, "AP").values["AP"][:, 0],
    "diff": lambda study: [diff("dice", "bm25", study).means[1]],
    "group_means": lambda study: [row.mean for row in group_means(["bm25"], study).rows],
    "learn": lambda study: [len(documents.docs) for documents in features(study, ["bm25"]).pooled],
    "rejudge": lambda study: [rejudge(["bm25", "dice"], study, "AP", by=FOUR_QRELS).systems[0].by_first],
    "robustness": lambda study: robustness("bm25", study, only="length").rows,
    "tune": lambda study: tune("bm25", study, {"b": [0.2]}, folds=2).default.per_query,
}


@pytest.mark.parametrize("experiment", READ_WITH_SIGNS)
def test_every_experiment_reads_the_queries_in_the_mode_of_the_study(experiment):
    study, measured = Study.of(Index.build(FOUR_TEXTS), SIGNED, FOUR_QRELS), READ_WITH_SIGNS[experiment]
    plain, strict = (list(measured(study.with_scoring(query_mode=mode))) for mode in ("plain", "strict"))
    assert strict != plain
    assert list(measured(study)) == plain
