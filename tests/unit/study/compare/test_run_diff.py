"""Two systems query by query: values worked by hand, the documents that are told about, what is refused."""

import pytest

import toysearch
from toysearch import Index, Run, Searcher, diff
from toysearch.base.errors import ArgumentError, DataError

pytestmark = pytest.mark.system

FIRST = {"1": ["a", "b", "c", "d"], "2": ["x"], "3": ["r", "s"], "4": ["n"]}
SECOND = {"1": ["d", "b", "a"], "2": ["x"], "3": ["s", "r"], "4": ["n"]}
QRELS = {"1": {"d": 2, "a": 0, "z": 1}, "2": {"x": 1}, "3": {"r": 1}, "4": {"q": 1}}


def test_values_gains_and_counts():
    found = diff(FIRST, SECOND, QRELS, "AP")
    # 1: d at rank 4, then 1, of two relevant; 3: r at rank 1, then 2.
    assert found.measure == "AP"
    assert found.gains == {"1": 0.5 - 0.125, "2": 0.0, "3": -0.5, "4": 0.0}
    assert found.counts == (1, 2, 1)
    assert found.means == (pytest.approx((0.125 + 1 + 1 + 0) / 4), pytest.approx((0.5 + 1 + 0.5 + 0) / 4))
    assert [(query.query_id, query.values, query.gain, query.text) for query in found.gained] == [
        ("1", (0.125, 0.5), 0.375, None)
    ]
    assert [(query.query_id, query.values, query.gain) for query in found.lost] == [("3", (1.0, 0.5), -0.5)]


def test_the_documents_that_moved_relevant_ones_first_then_by_reciprocal_rank():
    [query] = diff(FIRST, SECOND, QRELS, "AP").gained
    assert [(one.doc_id, one.grade, one.ranks, one.scores, one.movers) for one in query.moved] == [
        ("d", 2.0, (4, 1), (1.0, 3.0), []),  # a list of ids has its places as scores
        ("a", 0.0, (1, 3), (4.0, 1.0), []),
        ("c", None, (3, None), (2.0, None), []),
    ]  # b stands where it was
    [query] = diff(FIRST, SECOND, QRELS, "AP", moves=1).gained
    assert [one.doc_id for one in query.moved] == ["d"]


def test_infinite_values_have_no_difference():
    """Neither run finds a relevant document of query 2, so both means are infinite."""
    found = diff({"1": ["n", "r"], "2": ["n"]}, {"1": ["r", "n"], "2": ["n"]}, {"1": {"r": 1}, "2": {"r": 1}}, "ESL")
    assert found.gains == {"1": 1.0}
    assert str(found).startswith("ESL, run (1) → run (2): inf → inf\n1 queries: 1 gain")


def test_values_of_a_measure_without_a_better_side_rise_and_fall():
    first, second = {"1": ["a"], "2": ["a", "b"], "3": ["a"]}, {"1": ["a", "b"], "2": ["a"], "3": ["a"]}
    judged = {query: {"a": 1} for query in first}
    found = diff(first, second, judged, "NumRet")
    assert repr(found).endswith("; 1 rise, 1 stay the same, 1 fall>")
    parts = [part for part in found.text_parts() if isinstance(part, str)]
    assert parts[0].endswith(
        "\n3 queries: 1 rise, 1 stay the same, 1 fall\n25% of the first ten documents are unjudged"
    )
    assert [part for part in parts if part.startswith("The ")] == [
        "The queries that fall most",
        "The queries that rise most",
    ]
    assert "no query rises or falls" in diff(first, first, judged, "NumRet").text_parts()


def test_a_query_that_a_run_lacks_counts_as_the_evaluation_has_it():
    found = diff({"1": ["a"]}, {"2": ["a"]}, {"1": {"a": 1}, "2": {"a": 1}}, "RR")
    assert found.gains == {"1": -1.0, "2": 1.0}
    [query] = found.gained
    assert [(one.doc_id, one.ranks) for one in query.moved] == [("a", (None, 1))]
    only = diff({"1": ["a"], "2": ["b"]}, {"2": ["a"]}, {"1": {"a": 1}, "2": {"a": 1}}, "RR", only_retrieved=True)
    assert only.gains == {"2": 1.0}


def test_ranks_are_those_of_the_evaluation():
    """Equal scores of a dict stand as trec_eval has them, by falling doc_id."""
    tied = Run.from_dict({"1": {"a": 1.0, "b": 1.0}})
    found = diff(tied, {"1": ["a", "b"]}, {"1": {"a": 1}}, "RR")
    assert [one.ranks for one in found.gained[0].moved] == [(2, 1), (1, 2)]
    assert diff(tied, {"1": ["a", "b"]}, {"1": {"a": 1}}, "RR", ties="rank").counts == (0, 1, 0)


def test_the_largest_come_first_equal_ones_in_the_order_of_the_judgments():
    ids = [str(number) for number in range(12)]
    qrels = {query_id: {"r": 1} for query_id in ids}
    first = {query_id: ["n", "r"] if int(query_id) % 2 else ["n", "m", "r"] for query_id in ids}
    second = {query_id: ["r"] for query_id in ids}
    found = diff(first, second, qrels, "RR", n=8)
    assert [query.query_id for query in found.gained] == ["0", "2", "4", "6", "8", "10", "1", "3"]
    assert [query.query_id for query in diff(second, first, qrels, "RR", n=2).lost] == ["0", "2"]


def test_one_query_alone():
    found = diff(FIRST, SECOND, QRELS, query_id="3")
    assert ([query.query_id for query in found.lost], found.gained) == (["3"], [])
    found = diff(FIRST, SECOND, QRELS, query_id="2")
    assert ([query.query_id for query in found.gained], found.gained[0].moved) == (["2"], [])


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ArgumentError, match="a diff needs exactly one measure, found 2: AP RR"):
        diff(FIRST, SECOND, QRELS, "AP RR")
    with pytest.raises(ArgumentError, match="query '9' has no judgments; expected a query such as '1'"):
        diff(FIRST, SECOND, QRELS, query_id="9")
    with pytest.raises(ArgumentError, match="query '4' has no value of the measure in both"):
        diff(FIRST, SECOND, {**QRELS, "4": {"q": 0}}, query_id="4", undefined="nan")
    for name, none in (("n", r" \(or None for all\)"), ("moves", "")):
        with pytest.raises(ArgumentError, match=f"^{name} must be a whole number of at least 1{none}, not 0"):
            diff(FIRST, SECOND, QRELS, **{name: 0})
    with pytest.raises(DataError, match="no query in common"):
        diff({"z": ["a"]}, SECOND, QRELS)
    index = Index.build(["cat"])
    with pytest.raises(ArgumentError, match="searchers need the texts of the queries; give queries="):
        diff(Searcher(index), Searcher(index), QRELS)
    with pytest.raises(ArgumentError, match="a diff needs two runs or two searchers, found one of each"):
        diff(Searcher(index), SECOND, QRELS, queries={"1": "cat"})
    with pytest.raises(DataError, match="none of the queries is judged"):
        diff(Searcher(index), Searcher(index), QRELS, queries={"z": "cat"})


TEXTS = {"a": "cat sat", "b": "cat cat cat dog", "c": "dog sat sat", "d": "parrot"}


def test_of_searchers_it_is_known_what_moved_a_document():
    index = Index.build(TEXTS)
    searchers = [Searcher(index, "tfidf"), Searcher(index, "overlap")]
    found = diff(*searchers, {"q": {"a": 1}}, "RR", queries={"q": "cat sat", "unjudged": "dog"})
    [query] = found.gained
    assert (query.text, query.values, found.names) == ("cat sat", (0.5, 1.0), ("tfidf", "overlap"))
    moved = {one.doc_id: one for one in query.moved}
    # Each word is in two of four documents: ln² 2 for one occurrence, so a has two of these (cat, sat) and b three.
    assert moved["a"].scores == (pytest.approx(2 * 0.6931472**2), 2.0)
    assert sum(mover.difference for mover in moved["a"].movers) == pytest.approx(2 - 2 * 0.6931472**2)
    kinds = {(mover.kind, mover.name) for mover in moved["b"].movers}
    assert kinds == {("term", "cat"), ("absent", "sat")}


def test_below_the_depth_of_a_run_scores_are_known_all_the_same():
    index = Index.build(TEXTS)
    found = diff(Searcher(index, "tfidf"), Searcher(index, "dice"), {"q": {"a": 1}}, "RR", queries={"q": "cat"}, k=1)
    moved = {one.doc_id: one for one in found.gained[0].moved}
    assert moved["b"].ranks == (1, None)
    assert moved["b"].scores[1] == pytest.approx(2 / 3)  # one word shared, of one and of two


def test_searchers_may_have_indexes_of_their_own():
    """Stemmed and not: a part of the one may be no part of the other, and a document be ranked by one only."""
    plain = Index.build({"a": "cats sat", "b": "cat dog"})
    stemmed = Index.build({"a": "cats sat", "b": "cat dog", "new": "cat"}, toysearch.Analyzer.for_language("english"))
    found = diff(Searcher(plain), Searcher(stemmed), {"q": {"a": 1}}, "RR", queries={"q": "cat"})
    moved = {one.doc_id: one for one in found.gained[0].moved}
    assert (moved["a"].scores[0], moved["a"].movers) == (None, [])
    assert (moved["new"].scores[0], moved["new"].ranks[0]) == (None, None)
    assert (moved["b"].passed, moved["b"].movers) == (["new", "a"], [])  # the first index ranks neither


def test_a_moved_document_is_compared_with_those_it_passes():
    # overlap: a 2, b 1, c 1; tfidf: x = ln² 2 for one occurrence: a 2x, b 3x, c 2x, so b comes first.
    index = Index.build(TEXTS)
    searchers = [Searcher(index, "overlap"), Searcher(index, "tfidf")]
    found = diff(*searchers, {"q": {"a": 1}}, "RR", queries={"q": "cat sat"})
    moved = {one.doc_id: one for one in found.lost[0].moved}
    assert {doc_id: (one.ranks, one.passed, one.rises) for doc_id, one in moved.items()} == {
        "a": ((1, 2), ["b"], False),
        "b": ((2, 1), ["a"], True),
    }
    # The distance from the first score to the last is 1, then x: a leads by 1, then falls behind by x.
    assert moved["a"].leads == (pytest.approx(1), pytest.approx(-1))
    assert [(mover.name, round(mover.own, 4), round(mover.others, 4)) for mover in moved["a"].movers] == [
        ("cat", 0.0, 2.0),  # b has it three times
        ("sat", 0.0, 0.0),
    ]
    assert [mover.lift for mover in moved["b"].movers] == [pytest.approx(2), pytest.approx(0)]


def test_models_rank_the_queries_of_a_collection():
    collection = toysearch.load("companions")
    index = Index.build(collection, fields=collection.searched_fields)
    of_searchers = diff(
        Searcher(index, "bm25"), Searcher(index, "dice"), collection.qrels, queries=collection.judged_queries
    )
    assert repr(diff("bm25", "dice", collection)) == repr(of_searchers)
    assert diff("bm25", toysearch.model("dice"), "companions").lost == of_searchers.lost
    assert len(of_searchers.lost) == 3
    every = diff("bm25", "dice", collection, n=None)
    assert (len(every.gained), len(every.lost)) == (every.counts[0], every.counts[2])
    with pytest.raises(ArgumentError, match="'bm25' is a model, which needs documents to rank"):
        diff("bm25", "dice", {"1": {"a": 1}})
