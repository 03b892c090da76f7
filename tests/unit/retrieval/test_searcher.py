"""What is returned, in which order, and what is said when there is nothing."""

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising
from stand_in_frames import Frame

import toysearch
from toysearch import Document, Index, Searcher, ToysearchNote
from toysearch.base.errors import ArgumentError
from toysearch.query.syntax import And, Not, Optional, Term
from toysearch.retrieval.scoring import in_turn

TEXTS = {"9": "cat", "10": "cat", "b": "dog cat", "a": "cat", "empty": ""}


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def ids(ranking):
    return [hit.doc_id for hit in ranking]


def test_a_searcher_is_called_like_its_search_and_counts_like_their_attribute(index):
    searcher = Searcher(index, "overlap")
    assert ids(searcher("cat", 2)) == ["9", "10"]
    with pytest.raises(ArgumentError, match="run takes several"):
        searcher(["cat", "dog"])
    assert index.stats() == index.stats


def test_ties_stand_in_the_order_of_the_collection_or_of_trec_eval(index):
    searcher = Searcher(index, "overlap")
    assert ids(searcher.search("cat")) == ["9", "10", "b", "a"]
    assert ids(searcher.search("cat", ties="trec_eval")) == ["b", "a", "9", "10"]
    assert ids(searcher.search("cat", 2)) == ["9", "10"]
    assert ids(searcher.search("cat", 2, ties="trec_eval")) == ["b", "a"]  # ordered before the cut


def test_scores_that_differ_below_32_bits_are_ties_for_trec_eval_only():
    near = toysearch.model(document=lambda dl: 1e-9 * dl)(lambda tf: 1.0)
    searcher = Searcher(Index.build({"a": "cat", "b": "cat cat", "c": "cat cat cat"}), near)
    assert ids(searcher.search("cat")) == ["c", "b", "a"]
    near_first = toysearch.model(document=lambda dl: -1e-9 * dl)(lambda tf: 1.0)
    searcher = Searcher(searcher.index, near_first)
    assert ids(searcher.search("cat")) == ["a", "b", "c"]
    assert ids(searcher.search("cat", ties="trec_eval")) == ["c", "b", "a"]


RECORDS = {"a": "the cat sat", "b": "a cat and another cat", "c": "the dog"}
DOCUMENTS = [Document(*record) for record in RECORDS.items()]


def a_file(folder):
    path = folder / "pets.csv"
    path.write_text("id,text\n" + "".join(f"{key},{text}\n" for key, text in RECORDS.items()))
    return path


def a_folder(folder):
    for key, text in RECORDS.items():
        (folder / f"{key}.txt").write_text(text)
    return str(folder)


def a_saved_index(folder):
    Index.build(RECORDS).save(folder / "pets.idx")
    return str(folder / "pets.idx")


KINDS = {
    "texts": lambda folder: [*RECORDS.values()],
    "a dict": lambda folder: RECORDS,
    "documents": lambda folder: DOCUMENTS,
    "records": lambda folder: [{"id": key, "text": text} for key, text in RECORDS.items()],
    "a data frame": lambda folder: Frame(id=[*RECORDS], text=[*RECORDS.values()]),
    "a collection": lambda folder: toysearch.Collection("pets", DOCUMENTS),
    "a name": lambda folder: "cat-dog-parrot",
    "a file": a_file,
    "a folder": a_folder,
    "an index": lambda folder: Index.build(RECORDS),
    "a saved index": a_saved_index,
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_search_is_that_of_a_searcher_over_documents_of_any_kind(kind, tmp_path):
    source = KINDS[kind](tmp_path)
    for model, k in (("bm25", 10), ("tfidf", None), ("jaccard", 1)):
        found = toysearch.search(source, "cat OR dog OR parrot", model, k)
        assert len(found) == (k if k == 1 else 3)
        assert list(found) == list(Searcher(source, model).search("cat OR dog OR parrot", k))
    assert list(toysearch.search(source, "cat")) == list(Searcher(source, "bm25").search("cat", k=10))


def test_one_search_takes_what_is_made_on_the_way_and_the_index_of_a_searcher(index):
    assert ids(toysearch.search((text for text in ["a cat", "a dog"]), Term("dog"))) == ["2"]
    searcher = Searcher(index, "overlap")
    assert list(toysearch.search(searcher, "cat")) == list(Searcher(index, "bm25").search("cat"))
    assert list(toysearch.search(searcher, "cat", "overlap")) == list(searcher.search("cat"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (TEXTS, None),
            "a query is one text, or terms such as Term('cat') & Phrase('red', 'lamp'), not None; "
            "Searcher.run takes several, as in {'1': 'a cat', '2': 'a dog'}",
        ),
        ((TEXTS, "cat", None), "model must be a text, a function, a Model or a Ranker, not None"),
        ((TEXTS, "cat", "bm25", 0), "k must be a whole number of at least 1 (or None for all), not 0"),
        ((TEXTS, "cat", "bm25", "3"), "k must be a whole number of at least 1 (or None for all), not '3'"),
        (
            ([None], "cat"),
            "document 1 is None, None; expected a text, a Document(doc_id, text), (doc_id, text) or a dict",
        ),
    ],
)
def test_one_search_refuses_in_a_sentence(arguments, message):
    with raising(ArgumentError, message):
        toysearch.search(*arguments)


def test_an_analyzer_is_refused_with_the_call_that_takes_it(index):
    with raising(ArgumentError, "an analyzer belongs to an index: Searcher(Index.build(documents, analyzer=…), model)"):
        Searcher(TEXTS, "bm25", analyzer="english")
    assert ids(Searcher(toysearch.Index.build(TEXTS, analyzer="english"), "bm25").search("cats"))


def test_k_beyond_the_collection_returns_what_there_is(index):
    searcher = Searcher(index)
    assert len(searcher.search("cat", 10**9)) == len(searcher.search("cat", None)) == 4


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "3", True])
def test_k_and_threads_are_whole_numbers_of_at_least_one(index, wrong):
    with raising(ArgumentError, f"k must be a whole number of at least 1 (or None for all), not {wrong!r}"):
        Searcher(index).search("cat", wrong)
    with raising(ArgumentError, f"threads must be a whole number of at least 1 (or None for all cores), not {wrong!r}"):
        Searcher(index).run({"1": "cat"}, threads=wrong)


def test_an_unknown_rule_for_ties_is_refused(index):
    with pytest.raises(ArgumentError, match="ties must be one of rank, trec_eval, not 'random'"):
        Searcher(index).run({"1": "cat"}, ties="random")


NOTHING = [
    ("horse", "no document contains a term of the query (horse)"),
    ("a ?", "the analyzer leaves no term of the query: 'a' is too short (tokens=word1 keeps single characters)"),
    ("?", "the analyzer leaves no term of the query: there is no word in it"),
    ("  ", "the query is empty"),
]


@pytest.mark.parametrize(("text", "message"), NOTHING)
def test_a_query_that_can_match_nothing_gets_an_empty_ranking_and_a_note(index, text, message):
    with noted() as caught:
        ranking = Searcher(index).search(text)
    assert [len(ranking), caught[0]] == [0, message]


@pytest.mark.parametrize("text", ['"cat"', "cat/dog", "cat's {} %s \\ \0", "cat " * 10_000, "Cat AND NOT (dog"])
def test_any_text_is_a_query(index, text):
    assert len(Searcher(index).search(text, query_mode="plain")) == 4
    assert len(Searcher(index).search(text)) == (3 if "NOT" in text else 4)


def test_a_run_keeps_every_query_and_counts_those_without_an_answer(index):
    with noted() as caught:
        run = Searcher(index, "bm25:b=0").run({"q1": "horse", "q2": "dog"}, k=1)
    assert (run.name, run.query_ids, run.doc_ids, run.ranked) == ("bm25:b=0", ["q1", "q2"], ["b"], True)
    assert caught[0] == ("1 of 2 queries has no term in the index and gets no documents (the first: 'q1')")


@pytest.mark.parametrize("name", toysearch.MODELS)
def test_one_query_alone_or_among_others_scores_the_same_to_the_last_bit(name):
    rng = np.random.default_rng(7)
    words = [f"w{i}" for i in range(40)]
    texts = [" ".join(rng.choice(words, rng.integers(0, 30))) for _ in range(50)]
    queries = {str(i): " ".join(rng.choice(words, 5)) for i in range(10)}
    index = Index.build(texts, fields=("title", "text"))
    together = Searcher(index, name).run(queries, k=None)
    for query_id, text in queries.items():
        alone = Searcher(index, name).search(text, k=None)
        assert ids(alone) == together.ranking(query_id).doc_ids
        assert np.array_equal(alone.scores, together.ranking(query_id).scores)
        best = Searcher(index, name).search(text, k=3)
        assert ids(best) == ids(alone)[:3]
        assert ids(alone) == [
            doc_id for _, _, doc_id in sorted((-hit.score, int(hit.doc_id), hit.doc_id) for hit in alone)
        ]


def test_the_rarest_terms_are_added_first_then_in_term_order():
    """0.1 + 0.2 + 0.3 depends on the order."""
    index = Index.build(["a1 b1 c1", "a1 b1", "a1"])

    @toysearch.model(query=lambda qtf, df: (4 - df) / 10)
    def given(tf):
        return 1.0

    # the query names its terms in the order a, b, c; the rarest is c
    assert Searcher(index, given).search("a1 b1 c1")[0].score == (0.3 + 0.2) + 0.1 != (0.1 + 0.2) + 0.3


def test_sums_are_added_one_by_one_on_every_python():
    values = np.array([1e16, 1.0, 1.0, 1.0, -1e16])  # a corrected sum gives 3
    assert in_turn(values) == (((1e16 + 1.0) + 1.0) + 1.0) - 1e16
    assert in_turn(np.array([])) == 0.0


def test_analysed_terms_are_searched_as_they_are():
    searcher = Searcher(Index.build(["the cat sat", "a cat and another cat", "the dog"]))
    assert list(searcher.search_terms(["cat", "sat", "cat"])) == list(searcher.search("cat sat cat"))
    assert len(searcher.search_terms(["Cat", "unknown"])) == 0
    with pytest.raises(ArgumentError, match="k must be a whole number of at least 1"):
        searcher.search_terms(["cat"], k=0)


@pytest.mark.parametrize("queries", ["cat", ["cat"], ["ab", "cd"], [("1",)], 5, None])
def test_a_run_needs_queries_with_ids(queries):
    with pytest.raises(ArgumentError, match=r"quer(ies have ids|y is a query_id and a text|ies are a dict).*, not "):
        Searcher(Index.build(["the cat"])).run(queries)


def test_queries_are_read_in_three_ways():
    index = Index.build({"1": "see the cat", "2": "a cat, a dog", "3": "one dog", "4": "not"})
    searcher = Searcher(index)
    plain = searcher.search("cat NOT dog", k=None, query_mode="plain")
    assert [hit.doc_id for hit in plain] == ["4", "2", "3", "1"]
    for mode in ("lenient", "strict", None):
        found = searcher.search("cat NOT dog", k=None, query_mode=mode)
        assert [hit.doc_id for hit in found] == ["1"]
        words = searcher.search("cat dog", k=None, query_mode=mode)
        assert [*words] == [*searcher.search("cat dog", k=None)]
    run = searcher.run({"a": "cat NOT dog", "b": "cat dog"}, query_mode="strict")
    assert [(hit.query_id, hit.doc_id) for hit in run] == [("a", "1"), *(("b", hit.doc_id) for hit in words)]
    with pytest.warns(ToysearchNote, match="query 'a': the quotation mark has no partner"):
        searcher.run({"a": '"cat'}, query_mode="lenient")
    with pytest.raises(ArgumentError, match="query 'a': the quotation mark has no partner"):
        searcher.run({"a": '"cat'}, query_mode="strict")
    with pytest.raises(ArgumentError, match="unknown way to read a query 'strickt'; did you mean 'strict'"):
        searcher.search("cat", query_mode="strickt")
    with pytest.raises(ArgumentError, match=r"a query is one text, or terms such as .*, not an int"):
        searcher.search(7)


def test_what_a_structure_matches_is_ranked_without_a_word_to_score():
    index = Index.build(["cat", "dog", ""])
    for model in ("bm25", "cosine", "lm-dirichlet", "0.5*bm25 + 0.5*dice"):
        assert [(hit.doc_id, hit.score) for hit in Searcher(index, model).search(~Term("cat"))] == [
            ("2", 0.0),
            ("3", 0.0),
        ]
        optional = Searcher(index, model).search(And(Not(Term("dog")), Optional(Term("cat"))))
        assert model == "lm-dirichlet" or optional[0].doc_id == "1"
        assert {hit.doc_id for hit in optional} == {"1", "3"}


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            "cat year:old",
            "the field 'year' holds numbers, and 'old' is none; a range is written "
            r"year:\[1990 TO 1990\], a bound year:>=1990",
        ),
        ("cat title:[1 TO 2]", r"the field 'title' holds words, and 'title:\[1 TO 2\]' compares numbers"),
    ],
)
def test_a_comparison_without_sense_is_left_out_or_refused(query, problem):
    documents = [Document("1", "cat", "cat", {"title": "cat", "text": "", "year": "1990"}), Document("2", "dog")]
    searcher = Searcher(Index.build(documents, fields=["title", "text"], values=["year"]))
    with pytest.warns(ToysearchNote, match=f"{problem}; that part of the query is left out"):
        assert ids(searcher.search(query, query_mode="lenient")) == ["1"]
    with pytest.raises(ArgumentError, match=problem):
        searcher.search(query, query_mode="strict")


def test_a_node_that_stands_twice_in_a_query_is_scored_in_every_document():
    searcher = Searcher(Index.build(["cat dog bird", "cat fish", "cat dog", "fish"]))
    cat = Term("cat")
    alone = {hit.doc_id: hit.score for hit in searcher.search("cat cat dog fish", k=None)}
    for tree in (cat & ((Term("dog") & cat) | Term("fish")), ((Term("dog") & cat) | Term("fish")) & cat):
        assert {hit.doc_id: hit.score for hit in searcher.search(tree, k=None)} == {
            doc_id: score for doc_id, score in alone.items() if doc_id != "4"
        }


@pytest.mark.parametrize(
    "part", ['year:"2001-2002"', "year:2001..2002", "year:(>2001 AND <=2003)", "year:(2001 TO 2003)", "title:[1 TO 2]"]
)
@pytest.mark.parametrize("query", ["+lamp +{}", "+lamp -{}", "lamp AND {}", "lamp AND NOT {}", "+(kettle {}) lamp"])
def test_what_is_required_or_forbidden_and_cannot_be_read_is_refused(query, part):
    """Without it, other documents would match."""
    documents = [
        Document(str(year), "lamp", fields={"title": "a", "text": "lamp", "year": str(year)}) for year in (2001, 2004)
    ]
    searcher = Searcher(Index.build(documents, fields=["title", "text"], values=["year"]))
    with pytest.raises(ArgumentError, match=r"^the field '(year|title)' holds (numbers|words), and "):
        searcher.search(query.format(part))
