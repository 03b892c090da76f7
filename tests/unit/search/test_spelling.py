"""The words of a query that no document holds, and a better spelling of it."""

from __future__ import annotations

import math

import pytest

import toysearch
from toysearch import Analyzer, Index
from toysearch.search import spelling
from toysearch.search.spelling import Suggestion, error_score, suggest, unknown_words

ENGLISH = Index.build(["boundary layers", "the boundary", "aerodynamics", "flow"], Analyzer.for_language("english"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("boundery layer", ["boundery"]),
        ("boundary layer", []),
        ("aerodinamics flows", ["aerodinamics"]),
        ("xyzzy the xyzzy", ["xyzzy"]),
        ("flo", ["flo"]),
        ("", []),
    ],
)
def test_unknown_words(query, found):
    assert unknown_words(ENGLISH, query) == found


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("boundery layer", "boundary layer"),
        ("boundary layer", None),
        ("aerodinamics flows", "aerodynamics flows"),
        ("bondary", "boundary"),
        ("bounddary", "boundary"),
        ("obundary", "boundary"),
        ("xyzzy the xyzzy", None),
        ("flo", None),  # of so short words too many are near
        ("", None),
        ("the a", None),
        ("thier boundary", "their boundary"),  # a stop word
        ("Laeyr of the BOUNDERY", "layers of the BOUNDARY"),
        ('"boundery layer" OR', '"boundary layer" OR'),
        ("boundarylayers", "boundary layers"),
        ("boundary-layers", None),
        ("bound ary layer", "boundary layer"),
        ("bou. ndary layer", None),
    ],
)
def test_a_better_spelling(query, text):
    found = suggest(ENGLISH, query)
    assert (found and found.text) == text


def test_the_number_of_documents_with_all_terms():
    assert suggest(ENGLISH, "boundery") == Suggestion("boundary", 2)
    assert suggest(ENGLISH, "boundery layers") == Suggestion("boundary layers", 1)
    assert suggest(ENGLISH, "boundery aerodynamics") == Suggestion("boundary aerodynamics", 0)
    assert suggest(ENGLISH, "boundery xyzzyx") == Suggestion("boundary xyzzyx", 0)


def test_the_more_frequent_of_two_near_words_unless_the_neighbour_decides():
    index = Index.build(["a table", "a table", "table tennis", "a cable", "cable television", "tennis television"])
    assert suggest(index, "xable").text == "table"
    assert suggest(index, "tennis xable").text == "tennis table"
    assert suggest(index, "xable television").text == "cable television"


def test_one_edit_is_better_than_two_and_a_letter_dropped_is_likelier_than_one_replaced():
    index = Index.build(["stairs", *["stars"] * 4])
    assert suggest(index, "staixs").text == "stairs"
    assert suggest(index, "stiars").text == "stairs"  # exchanged; stars, with a letter added, is more frequent
    index = Index.build(["bread", *["beard bear"] * 4])
    assert suggest(index, "bred").text == "bread"


@pytest.mark.parametrize(
    ("typed", "meant", "errors", "letters"),
    [
        ("same", "same", 0, 0),
        ("smae", "same", 1, 0),
        ("sme", "same", 1, 0),
        ("samme", "same", 1, 1),
        ("sume", "same", 1, 1),
        ("copmuetr", "computer", 2, 0),
        ("prbolesm", "problems", 2, 0),
        ("prbolesm", "problem", 2, 1),
        ("pkats", "plates", 2, 1),
        ("lner", "linear", 2, 0),
        ("dstectt", "detect", 2, 2),
    ],
)
def test_the_probability_of_errors_is_the_product_of_each(typed, meant, errors, letters):
    """1/1000 for each error, and 1/26 for each letter that was added or replaced."""
    assert error_score(typed, meant) == pytest.approx(math.log(0.001**errors / 26**letters))


def test_two_exchanges_are_likelier_than_an_exchange_and_a_letter_added():
    index = Index.build(["problems", *["a problem"] * 4])
    assert suggest(index, "prbolesm").text == "problems"


@pytest.mark.parametrize("typed", ["sueprsoinc", "supesroinc"])
def test_a_word_with_two_errors_whose_stem_is_far_from_its_own(typed):
    assert suggest(Index.build(["supersonic flow"], Analyzer.for_language("english")), typed).text == "supersonic"


def test_a_rare_word_beside_a_much_more_frequent_one():
    texts = ["the boundary layer"] * 400
    assert suggest(Index.build([*texts, "a boundry"]), "boundry layer") == Suggestion("boundary layer", 400)
    assert suggest(Index.build([*texts, *["a boundry"] * 10]), "boundry layer") is None


def test_two_words_are_one_where_they_are_not_beside_each_other():
    index = Index.build(["a password", "your password", "pass the salt", "a word", *["other text"] * 40])
    assert suggest(index, "pass word") == Suggestion("password", 2)
    together = Index.build(["a password", *["pass a word"] * 20])
    assert suggest(together, "pass word") is None


def test_words_that_are_not_corrected():
    index = Index.build(["boeing 742 747b flow1", "a jet", "x" * 41])
    for query in ("boeing 746", "747c", "b0eing", "flowx", "jet jat", "flows" * 2_000, "x" * 40 + "y"):
        assert suggest(index, query) is None, query[:20]
    assert suggest(Index.build(["a cat"], Analyzer(char_ngrams=(3, 3))), "cats") is None
    assert suggest(Index.build(["train station"], Analyzer(ngrams=(1, 2))), "trian station") is None


def test_many_words():
    query = " ".join(["boundery"] * 300)
    found = suggest(ENGLISH, query)
    assert found is not None
    assert 1 <= found.text.split().count("boundary") < 300


@pytest.mark.parametrize(
    ("language", "documents", "query", "text"),
    [
        ("none", ["книга"], "кнага", "книга"),
        ("hindi", ["कंप्यूटर की किताब", "किताब"], "कितब", "किताब"),
        ("japanese", ["東京都の天気"], "大阪の天気", None),
        ("korean", ["한국어 search engine"], "serach", "search"),
        ("german", ["die Universität", "Universitäten"], "Unversität", "universität"),
    ],
)
def test_other_languages(language, documents, query, text):
    found = suggest(Index.build(documents, Analyzer.for_language(language)), query)
    assert (found and found.text) == text


def test_words_with_other_endings_and_an_index_without_texts():
    texts = ["training a dog", "she trained", "we train", "trains", "a tame parrot", "taming"]
    index = Index.build(texts, Analyzer.for_language("english"))
    assert [suggest(index, query).text for query in ("traning", "trianed", "tamihg")] == [
        "training",
        "trained",
        "taming",
    ]
    assert suggest(index, "traiminf").text == "training"  # an error in the stem, another one in the ending
    bare = Index.build(texts, Analyzer.for_language("english"), store_text=False)
    assert suggest(bare, "parrto").text == "parrot"
    assert suggest(bare, "traning").text == "training"


def test_of_words_with_one_stem_the_most_frequent_in_the_documents_read():
    texts = ["trains, trains and a train", "a dog", "a train with trains"]
    assert suggest(Index.build(texts, Analyzer.for_language("english")), "trainz").text == "trains"
    assert suggest(Index.build([*texts, "train train"], Analyzer.for_language("english")), "trainz").text == "train"


def test_what_is_forgotten_is_found_again():
    found = suggest(ENGLISH, "boundery layer")
    kept = ENGLISH.memo[spelling._Lexicon]
    assert suggest(ENGLISH, "boundery layer") == found
    assert ENGLISH.memo[spelling._Lexicon] is kept
    ENGLISH.memo.clear()
    assert suggest(ENGLISH, "boundery layer") == found
    assert ENGLISH.memo[spelling._Lexicon] is not kept


def test_an_index_that_keeps_capitals():
    index = Index.build(["Boundary layer", "NASA"], Analyzer(lowercase=False))
    assert suggest(index, "Boundray") == Suggestion("Boundary", 1)


def test_stop_words_change_neither_the_ranking_nor_the_spelling():
    index = Index.build(toysearch.load("companions"), Analyzer.for_language("english"))
    searcher = toysearch.Searcher(index)
    assert list(searcher.search("the tick of a dog")) == list(searcher.search("tick dog")) != []
    assert suggest(index, "the tick of a dog") is None
    assert unknown_words(index, "the tick of a dog") == []
