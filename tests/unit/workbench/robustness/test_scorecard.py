"""The scorecard on collections small enough to work it out."""

import math
import warnings

import pytest

from toysearch import Analyzer, Collection, Document, Qrels, Query, robustness
from toysearch.base import JoinedText, bordered
from toysearch.base.errors import ArgumentError, ToysearchNote
from toysearch.study.study import Study
from toysearch.workbench.robustness.alterations import longer_documents, repeated
from toysearch.workbench.robustness.scorecard import (
    PROPERTIES,
    Robustness,
    chosen_properties,
)

PETS = "cat-dog-parrot"


def collection(
    texts: dict[str, str], queries: dict[str, str], qrels: dict[str, dict[str, float]], **more
) -> Collection:
    documents = [Document(doc_id, text) for doc_id, text in texts.items()]
    return Collection("small", documents, [Query(*pair) for pair in queries.items()], Qrels.from_dict(qrels), **more)


def numbered(count: int, **more) -> Collection:
    """Documents 1, 2 … that all hold 'all' and each a word of its own; a query for each of the first three."""
    texts = {str(number): f"all own{number}" for number in range(1, count + 1)}
    queries = {str(number): f"own{number}" for number in range(1, 4)}
    return collection(texts, queries, {query_id: {query_id: 1} for query_id in queries}, **more)


@pytest.fixture(scope="module")
def pets() -> Robustness:
    return robustness(["bm25", "cosine"], PETS, "AP nDCG@2")


@pytest.mark.system
def test_everything_is_measured(pets):
    assert pets.systems == ("bm25", "cosine")
    assert pets.measures == ("AP", "nDCG@2")
    about = (pets.collection, pets.analyzer, pets.queries, pets.threshold, pets.k, pets.seed)
    assert about == (PETS, "plain", 3, 0.5, 1000, 0)
    assert pets.means["cosine"] == {"AP": 1.0, "nDCG@2": 1.0}
    measured = dict.fromkeys(altered.property for altered in pets.inputs)
    assert [name for name in PROPERTIES if name not in measured] == ["semantic"]  # of four documents nothing is learnt
    assert {each.name for each in pets.skipped if each.property == "semantic"} >= {"related words only"}
    assert len({altered.name for altered in pets.inputs}) == len(pets.inputs)
    for altered in pets.inputs:
        assert [(row.system, row.measure) for row in altered.rows] == [
            (system, measure) for system in pets.systems for measure in pets.measures
        ]
        assert altered.example.before != altered.example.after
    assert repr(pets) == f"<Robustness of bm25, cosine on cat-dog-parrot: {len(pets.inputs)} altered inputs>"


def test_a_row_by_hand(pets):
    """Without train, query 1 finds document 1 alone and query 2 document 2, one of two relevant ones each: AP 1/2.

    Without parrot, query 3 finds all four, equal, in their order; its relevant one is the third: AP 1/3.
    """
    dropped = pets["a letter dropped"]
    assert dropped.example == ("query 1", "train cat", "tran cat")
    row = dropped.rows[0]
    assert (row.system, row.measure, row.queries, row.before) == ("bm25", "AP", 3, 1.0)
    assert row.after == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert row.test.mean == pytest.approx(row.after - 1)
    assert row.test.interval is None  # 3 queries are too few


def test_misspelt_words_are_corrected(pets):
    for name in ("a letter dropped", "every word misspelt"):
        assert {row.corrected for row in pets[name].rows} == {1.0}
    assert {row.corrected for row in pets["an unknown word"].rows} == {None}


def test_an_input_is_found_by_its_name(pets):
    with pytest.raises(
        ArgumentError, match="unknown altered input 'a leter dropped'; did you mean 'a letter dropped'\\?"
    ):
        pets["a leter dropped"]
    assert [altered.name for altered, _ in pets.rows][::4] == [altered.name for altered in pets.inputs]


def test_what_is_chosen_is_measured_as_with_the_others(pets):
    alone = robustness(["bm25", "cosine"], PETS, "AP nDCG@2", only="spelling")
    assert alone.inputs == tuple(altered for altered in pets.inputs if altered.property == "spelling")
    assert robustness(["bm25", "cosine"], PETS, "AP nDCG@2", only="spelling", seed=1).inputs != alone.inputs


def test_properties_are_chosen():
    assert chosen_properties("length,spelling") == chosen_properties(["spelling", "length"]) == ["length", "spelling"]
    for wrong in ("lenght", "", []):
        with pytest.raises(ArgumentError, match=r"unknown property '(lenght|)'"):
            chosen_properties(wrong)


def test_progress_counts_what_is_measured():
    told: list[int] = []
    robustness("bm25", PETS, only="rare", progress=told.append)
    assert told == [1, 2, 3]  # the original and two inputs


def test_what_is_said_of_altered_queries_is_kept_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ToysearchNote)
        robustness("bm25", numbered(5), only="spelling")  # misspelt, these queries find nothing


# semantic


def test_other_forms_cost_nothing_where_words_are_stemmed():
    texts = {"1": "wing", "2": "wings", "3": "jet"}
    given = texts, {"1": "wing"}, {"1": {"1": 1, "2": 1}}
    stemmed = robustness("bm25", collection(*given, language="english"), only="semantic")["other forms of all words"]
    assert (stemmed.example.after, stemmed.rows[0].after) == ("wings", 1.0)
    plain = robustness("bm25", collection(*given, language="english"), only="semantic", analyzer=Analyzer())
    row = plain["other forms of all words"].rows[0]
    assert (row.before, row.after) == (0.5, 0.5)
    assert [each.name for each in robustness("bm25", collection(*given), only="semantic").skipped] == [
        "related words only",
        "other forms of all words",
    ]


# corpus


def test_documents_go_and_come_back():
    found = robustness("bm25", numbered(20), only="corpus", seed=4)
    for share, fewest in ((10, 18), (30, 14), (50, 10)):
        row = found[f"{share}% removed"].rows[0]
        assert f"{20 - fewest} of 20 documents are removed" in found[f"{share}% removed"].what
        lost = round(3 * (1 - row.after))  # a query whose only document is gone finds nothing
        assert row.after == pytest.approx(1 - lost / 3)
        assert found[f"{share}% added again"].rows[0].test.mean == 0.0


def test_one_document_cannot_go():
    found = robustness("bm25", collection({"1": "wing"}, {"1": "wing"}, {"1": {"1": 1}}), only="corpus")
    assert found.inputs == ()
    assert found.skipped == (("corpus", "documents removed", "there is only one document"),)


# length


def test_half_of_the_documents_contain_their_text_twice():
    study = Study.of(numbered(9)).with_models(["bm25"])
    [longer] = longer_documents(study, 0)
    documents = longer.apply(study, study.models[0])[0].documents()
    lengths = [len(document.text.split()) for document in documents]
    assert sorted(lengths) == [2] * 4 + [4] * 5
    first = documents[lengths.index(4)]
    assert longer.example == (f"document {first.doc_id}", f"all own{first.doc_id}", first.text)


def test_word_counts_are_changed_as_texts_are(tmp_path, monkeypatch):
    monkeypatch.delenv("TOYSEARCH_CORPORA", raising=False)
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path))
    found = robustness("bm25", "cranfield", "AP", only="corpus,length")
    assert found.skipped == ()
    assert round(found["own text added"].rows[0].before, 4) == 0.3065


def test_a_model_that_needs_fields():
    documents = [Document(str(i), "wing jet", "wing", {"title": "wing", "text": "jet"}) for i in range(4)]
    given = Collection("fields", documents, [Query("1", "wing")], Qrels.from_dict({"1": {"1": 1}}))
    found = robustness("bm25f", given, only="length")
    assert found.inputs[0].rows
    assert found.skipped == ()


# rare


def test_queries_without_a_value_are_left_out():
    """ESL, how far one has to read for the first relevant document, is undefined where there is none."""
    given = numbered(6)
    given.qrels = Qrels.from_dict({"1": {"1": 1}, "2": {"2": 1}, "3": {"3": 0}})
    values = robustness("bm25", given, measures="ESL", only="rare")
    assert all(row.queries == 2 for _, row in values.rows)


def test_no_interval_goes_beyond_what_the_measure_can_be(pets):
    for _, row in pets.rows:
        if math.isfinite(row.test.low):
            assert -1 <= row.test.low <= row.test.high <= 1


def test_repeated_documents_keep_the_ends_of_their_parts():
    text = JoinedText.joined(["red lamp", "pier"])
    twice = repeated(Document("d1", text, fields={"text": text}), "text")
    assert (bordered(twice.text), bordered(twice.fields["text"])) == ("red lamp\x1fpier red lamp\x1fpier",) * 2


def test_repeated_documents():
    document = Document("1", "wing jet", "wing", {"title": "wing", "text": "jet"})
    assert repeated(document._replace(text="")) == document._replace(text="")
    assert repeated(document) == document._replace(text="wing jet wing jet")
    assert repeated(document, "text").fields == {"title": "wing", "text": "jet wing jet"}
