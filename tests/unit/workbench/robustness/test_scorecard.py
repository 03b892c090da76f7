"""The scorecard on collections small enough to work it out."""

import math
import warnings

import pytest

from toysearch import Analyzer, Collection, Document, Index, Qrels, Query, robustness
from toysearch.base import JoinedText, TextNeeds, bordered
from toysearch.base.errors import ArgumentError, ToysearchNote
from toysearch.retrieval.query_terms import query_terms
from toysearch.study.compare.significance import paired_test
from toysearch.workbench.effects import Effect, Example
from toysearch.workbench.robustness.alterations import padded, padded_collections
from toysearch.workbench.robustness.scorecard import (
    PROPERTIES,
    AlteredInput,
    Robustness,
    chosen_properties,
    conclusions,
    exact_matches,
    studied_systems,
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
    assert {each.name for each in pets.skipped if each.property == "semantic"} >= {"one related word"}
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
    assert row.difference == pytest.approx(row.after - 1)
    # Student's: 3 differences of −1/2, −1/2, −2/3, whose deviation is 1/√108; t of 2 degrees at 97.5 % is 4.302653
    half = 4.302653 * math.sqrt(1 / 108) / math.sqrt(3)
    assert (row.low, row.high) == pytest.approx((row.difference - half, row.difference + half), abs=1e-6)


def test_misspelt_words_are_corrected(pets):
    for name in ("a letter dropped", "every word misspelt"):
        assert {row.corrected for row in pets[name].rows} == {1.0}
    assert {row.corrected for row in pets["upper case"].rows} == {None}


def test_an_input_is_found_by_its_name(pets):
    with pytest.raises(ArgumentError, match="unknown altered input 'uper case'; did you mean 'upper case'\\?"):
        pets["uper case"]
    assert [altered.name for altered, _ in pets.rows][::4] == [altered.name for altered in pets.inputs]


def test_what_is_chosen_is_measured_as_with_the_others(pets):
    alone = robustness(["bm25", "cosine"], PETS, "AP nDCG@2", only="spelling")
    assert alone.inputs == tuple(altered for altered in pets.inputs if altered.property == "spelling")
    assert robustness(["bm25", "cosine"], PETS, "AP nDCG@2", only="spelling", seed=1).inputs != alone.inputs
    assert alone.exact is None


def test_properties_are_chosen():
    assert chosen_properties("length,spelling") == chosen_properties(["spelling", "length"]) == ["length", "spelling"]
    for wrong in ("lenght", "", []):
        with pytest.raises(ArgumentError, match=r"unknown property '(lenght|)'"):
            chosen_properties(wrong)


def test_progress_counts_what_is_measured():
    told: list[int] = []
    robustness("bm25", PETS, only="rare", progress=told.append)
    assert told == [1, 2, 3, 4, 5, 6]  # the original and five inputs


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
        "one related word",
        "related words only",
        "other forms of all words",
    ]


def test_how_many_relevant_documents_hold_the_very_words():
    index = Index.build(["flow past a wing", "the flow past wings", "boundary layer", "the layer"])
    texts = {"1": "flow wing", "2": "layer unheard", "3": "unheard", "4": "layer layer"}
    terms = {query_id: query_terms(index, text.split()) for query_id, text in texts.items()}
    found = exact_matches(index, terms, {"1": [0, 1, 2], "2": [3], "3": [0], "4": [2]}, TextNeeds())
    # 1: both in 0, one in 1, none in 2; 2: layer but not unheard; 3: none; 4: all
    assert found == (6, pytest.approx(2 / 6), pytest.approx(2 / 6), pytest.approx(2 / 6))


# corpus


def test_documents_go_and_come_back():
    found = robustness("bm25", numbered(20), only="corpus", seed=4)
    for share, fewest in ((10, 18), (30, 14), (50, 10)):
        row = found[f"{share}% removed"].rows[0]
        assert f"{20 - fewest} of 20 documents are removed" in found[f"{share}% removed"].what
        lost = round(3 * (1 - row.after))  # a query whose only document is gone finds nothing
        assert row.after == pytest.approx(1 - lost / 3)
        assert found[f"{share}% added again"].rows[0].difference == 0.0
        if lost < 3:
            assert found[f"{share}% removed, drift"].rows[0][3:6] == (3 - lost, 1.0, 1.0)


def test_doubled_documents_push_others_down_unless_they_are_judged():
    """One of two relevant documents is doubled; its copy scores as it does and stands behind it."""
    texts = {"1": "wing", "2": "wing wing"}
    two = collection(texts, {"1": "wing"}, {"1": {"1": 1, "2": 1}})
    found = robustness("tfidf:idf=none", two, only="corpus", seed=0)
    example = found["30% doubled"].example
    assert example.before == ""
    doc_id = example.where.removeprefix("document ")
    assert example.after == f"{doc_id}-copy: {texts[doc_id]}"
    # 2 ranks above 1. Copy of 2: ranks R x R, (1 + 2/3)/2; copy of 1: R R x
    expected = {"1": 1.0, "2": (1 + 2 / 3) / 2}[doc_id]
    assert found["30% doubled"].rows[0].after == pytest.approx(expected)
    assert found["30% doubled, judged"].rows[0].after == 1.0


def test_altered_judgments_keep_their_subtopics():
    texts = {str(number): "wing" for number in range(10)}
    judged = Qrels.from_subtopics({"1": {number: {"x": 1} for number in texts} | {"9": {"y": 1}}})
    given = Collection("small", [Document(*pair) for pair in texts.items()], [Query("1", "wing")], judged)
    found = robustness("bm25", given, "StRecall@1", only="corpus")
    after = {altered.name: altered.rows[0].after for altered in found.inputs}
    assert (after["30% doubled"], after["30% doubled, judged"]) == (0.5, 0.5)  # 1 if the need had one topic


@pytest.mark.system
def test_ids_of_copies_are_new():
    texts = {"1": "wing", "1-copy": "jet", "2": "air"}
    given = collection(texts, {"1": "wing"}, {"1": {"1": 1}})
    after = [robustness("bm25", given, only="corpus", seed=seed)["30% doubled"].example.after for seed in (0, 3)]
    assert after == ["1-copy-copy: jet", "1-copy-copy: wing"]  # the copy of either, as 1-copy is taken


def test_one_document_cannot_go():
    found = robustness("bm25", collection({"1": "wing"}, {"1": "wing"}, {"1": {"1": 1}}), only="corpus")
    assert found.inputs == ()
    assert found.skipped == (("corpus", "documents removed", "there is only one document"),)


@pytest.mark.system
def test_no_relevant_document_is_left():
    given = collection({"1": "wing", "2": "wing jet"}, {"1": "wing"}, {"1": {"1": 1}})
    left, gone = (robustness("bm25", given, only="corpus", seed=seed).skipped for seed in (0, 3))
    assert not left
    assert gone[0] == ("corpus", "10% removed, drift", "no relevant document remains")


@pytest.mark.system
def test_what_is_gone_leaves_its_place_in_the_old_ranking():
    """Document 2 is relevant. With one document a query it is retrieved where document 1 is gone, and else not."""
    texts = {"1": "wing wing", "2": "wing", "3": "jet", "4": "air"}
    given = collection(texts, {"1": "wing"}, {"1": {"2": 1}})
    values = set()
    for seed in (0, 9):  # which remove document 1, and others
        found = robustness("bm25", given, only="corpus", k=1, seed=seed)
        retrieved = found["50% removed"].rows[0].after
        values.add(retrieved)
        drifted = found["50% removed, drift"].rows[0]
        assert (drifted.before, drifted.after) == (retrieved, retrieved)
    assert values == {0.0, 1.0}


# length


def test_half_of_the_documents_are_padded():
    studied = studied_systems(numbered(9), ["bm25"], "AP")
    inputs = list(padded_collections(studied))
    names = ["own text added", "the collection's words added", "unknown words added"]
    assert [altered.name for altered in inputs] == names
    for altered in inputs:
        before, after = altered.example.before.split(), altered.example.after.split()
        assert after[:2] == before
        assert len(after) == 4
    assert inputs[0].example.after == " ".join([inputs[0].example.before] * 2)
    assert all(studied.vocabulary.knows(word) for word in inputs[1].example.after.split())
    assert not any(studied.vocabulary.knows(word) for word in inputs[2].example.after.split()[2:])
    assert inputs[0].example.where == inputs[1].example.where


def test_a_model_that_needs_fields():
    documents = [Document(str(i), "wing jet", "wing", {"title": "wing", "text": "jet"}) for i in range(4)]
    given = Collection("fields", documents, [Query("1", "wing")], Qrels.from_dict({"1": {"1": 1}}))
    found = robustness("bm25f", given, only="length")
    assert found.inputs[0].rows
    assert found.skipped == ()


@pytest.mark.system
def test_padding_goes_to_the_last_of_the_fields_that_are_counted_apart():
    """Equal documents stand in their order, until the first has more words."""
    texts = {"1": "wing jet", "2": "wing air"}
    documents = [Document(doc_id, text, "", {"title": "", "text": text}) for doc_id, text in texts.items()]
    given = Collection("fields", documents, [Query("1", "wing")], Qrels.from_dict({"1": {"1": 1}}))
    found = [robustness("bm25f", given, only="length", seed=seed)["unknown words added"] for seed in (0, 4)]
    longer = {altered.example.where: altered.rows[0].after for altered in found}
    assert longer == {"document 1": 0.5, "document 2": 1.0}


@pytest.mark.system
def test_words_of_the_collection_are_drawn_as_often_as_they_occur():
    texts = {"1": "air " * 990 + " ".join(f"rare{number}" for number in range(10)), "2": "air"}
    given = collection(texts, {"1": "air"}, {"1": {"1": 1}})
    padding = []
    for seed in (4, 5):
        example = robustness("bm25", given, only="length", seed=seed)["the collection's words added"].example
        padding += example.after.removeprefix(example.before).split()
    assert len(padding) == 2000
    assert 0.97 < padding.count("air") / len(padding) < 1


# rare


def test_queries_without_a_value_are_left_out():
    """ESL, how far one has to read for the first relevant document, is undefined where there is none."""
    given = numbered(6)
    given.qrels = Qrels.from_dict({"1": {"1": 1}, "2": {"2": 1}, "3": {"3": 0}})
    values = robustness("bm25", given, measures="ESL", only="rare")
    assert all(row.queries == 2 for _, row in values.rows)


def test_a_grade_of_0_is_never_relevant():
    given = collection({"1": "wing", "2": "jet"}, {"1": "wing"}, {"1": {"1": 0, "2": 1}}, threshold=0.0)
    assert studied_systems(given, ["bm25"], "AP").relevant == {"1": [1]}


def test_no_interval_goes_beyond_what_the_measure_can_be(pets):
    for _, row in pets.rows:
        if math.isfinite(row.low):
            assert -1 <= row.low <= row.high <= 1


def test_changes_that_cancel_out_are_changes():
    values = {"1": (0.5, 1.0), "2": (1.0, 0.5)}
    swapped = Effect("bm25", "swapped", "RR", 2, 0.75, 0.75, paired_test([0.5, -0.5]), 1.0, values=values)
    same = swapped._replace(variation="same", test=paired_test([0.0, 0.0]), values={"1": (0.5, 0.5), "2": (1.0, 1.0)})
    inputs = tuple(AlteredInput("length", row.variation, "", Example("", "", ""), [row]) for row in (swapped, same))
    found = Robustness("small", "plain", ("bm25",), ("RR",), 2, TextNeeds(), 1.0, 10, 0, {}, inputs)
    assert conclusions(found) == ["bm25 loses no RR beyond chance; same changes nothing."]


def test_padded_documents_keep_the_ends_of_their_parts():
    text = JoinedText.joined(["red lamp", "pier"])
    twice = padded(Document("d1", text, fields={"text": text}), text, "text")
    assert (bordered(twice.text), bordered(twice.fields["text"])) == ("red lamp\x1fpier red lamp\x1fpier",) * 2


def test_padded_documents():
    document = Document("1", "wing jet", "wing", {"title": "wing", "text": "jet"})
    assert padded(document, "") == document
    assert padded(document, "air").fields == document.fields
    assert padded(document, "air", "text") == Document(
        "1", "wing jet air", "wing", {"title": "wing", "text": "jet air"}
    )
