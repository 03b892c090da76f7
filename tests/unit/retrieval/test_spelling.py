"""The words of a query that no document holds, and a better spelling of it."""

import math
import tracemalloc
import warnings

import pytest

import toysearch
from toysearch import Analyzer, Index, Searcher
from toysearch.query.parser import parse
from toysearch.query.syntax import Phrase, Term
from toysearch.retrieval import spelling
from toysearch.retrieval.spelling import Suggestion, error_score, suggest, suggest_tree, unknown_words

ENGLISH = Index.build(["boundary layers", "the boundary", "aerodynamics", "flow"], Analyzer.for_language("english"))


def test_unknown_words():
    for query in ("boundary layer", "aerodynamics flows", "the", ""):
        assert unknown_words(ENGLISH, query) == []
    assert unknown_words(ENGLISH, "xyzzy the xyzzy flo boundery layer") == ["xyzzy", "flo", "boundery"]


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
        ("thier boundary", None),  # a stop word, which no search finds
        ("thier boundery", "thier boundary"),
        ("Laeyr of the BOUNDERY", "layers of the BOUNDARY"),
        ('"boundery layer" OR', '"boundary layer" OR'),
        ("boundarylayers", None),
        ("boundary-layers", None),
        ("bound ary layer", None),
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
    assert suggest(ENGLISH, "thier boundery") == Suggestion("thier boundary", 0)


def test_the_more_frequent_of_two_near_words_whatever_its_neighbours():
    index = Index.build(["a table", "a table", "a cable", "cable television"])
    assert suggest(index, "xable").text == "cable"  # the first of the alphabet
    index = Index.build(["a table", "a table", "a table", "a cable", "cable television"])
    assert suggest(index, "xable television").text == "table television"


def test_one_edit_is_better_than_two_and_a_letter_dropped_is_likelier_than_one_replaced():
    index = Index.build(["stairs", *["stars"] * 4])
    assert suggest(index, "staixs").text == "stairs"
    assert suggest(index, "stiars").text == "stairs"  # exchanged; stars, with a letter added, is more frequent
    index = Index.build(["bread", *["beard bear"] * 4])
    assert suggest(index, "bred").text == "bread"
    index = Index.build(["problems", *["a problem"] * 4])  # two exchanges are likelier than one and a letter added
    assert suggest(index, "prbolesm").text == "problems"


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


def test_a_word_with_two_errors_whose_stem_is_far_from_its_own_and_one_with_a_capital():
    for typed in ("sueprsoinc", "supesroinc"):
        assert suggest(Index.build(["supersonic flow"], Analyzer.for_language("english")), typed).text == "supersonic"
    capitals = Index.build(["Boundary layer", "NASA"], Analyzer(lowercase=False))
    assert suggest(capitals, "Boundray") == Suggestion("Boundary", 1)


def test_a_rare_word_beside_a_much_more_frequent_one():
    texts = ["the boundary layer"] * 400
    assert suggest(Index.build([*texts, "a boundry"]), "boundry layer") == Suggestion("boundary layer", 400)
    assert suggest(Index.build([*texts, *["a boundry"] * 10]), "boundry layer") is None


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
    kept = spelling._lexicon(ENGLISH)
    assert suggest(ENGLISH, "boundery layer") == found
    assert spelling._lexicon(ENGLISH) is kept
    ENGLISH.memo.clear()
    assert suggest(ENGLISH, "boundery layer") == found
    assert spelling._lexicon(ENGLISH) is not kept


def test_stop_words_change_neither_the_ranking_nor_the_spelling():
    index = Index.build(toysearch.load("companions"), Analyzer.for_language("english"))
    searcher = toysearch.Searcher(index)
    assert list(searcher.search("the tick of a dog")) == list(searcher.search("tick dog")) != []
    assert suggest(index, "the tick of a dog") is None
    assert unknown_words(index, "the tick of a dog") == []


# Queries with operators: words are corrected where they stand


TICKS = Index.build(["tick removal for dogs", "a password"])


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("tick AND remvoal", "tick AND removal"),
        ("dgos^2 tick*", "dogs^2 OR tick*"),
        ("title:(dgos tick)", "title:(dogs OR tick)"),
        ("title:dgos^2", "title:dogs^2"),
        ("+remvoal dgos", "+removal dogs"),
        ("dogs OR NOT (remvoal AND pasword)", "dogs OR NOT (removal AND password)"),
        ('"tick remvoal"', '"tick removal"'),
        ("#od4(remvoal dgos)", "#od4(removal dogs)"),
        ("#syn(remvoal dgos)", "#syn(removal dogs)"),
        ("(tick OR dgos OR pasword)@2", "(tick OR dogs OR password)@2"),
        ("tickremoval AND dogs", None),
        ('"pass word" -dogs', None),
        ("tick AND removal", None),
        ("tikc~1 OR remo?al OR year:[1 TO 2]", None),
    ],
)
def test_a_better_spelling_of_a_tree(text, better):
    found = suggest_tree(TICKS, parse(text).tree)
    assert (found and str(found)) == better
    assert found is None or parse(str(found)).tree == found


def test_the_rest_of_a_query_stays():
    text = '+dgos (tick* OR "for dogs"~3)^2 -year:[1990 TO 2000] removal~1'
    assert str(suggest_tree(TICKS, parse(text).tree)) == str(parse(text.replace("dgos", "dogs")).tree)


def test_a_tree_made_in_python():
    assert str(suggest_tree(TICKS, Phrase("tick", "remvoal") & ~Term("dogs"))) == '"tick removal" AND NOT dogs'
    assert suggest_tree(TICKS, Term("tick\n\nremoval") | Term("dogs")) is None


# Long queries


@pytest.fixture(scope="module")
def companions():
    return Index.build(toysearch.load("companions"))


def words(n):
    """Different words of letters that no document contains."""
    return " ".join("zq" + "".join(chr(97 + place // 26**power % 26) for power in range(4)) for place in range(n))


def highest(companions, text):
    """The highest number of bytes that a correction holds at once."""
    companions.memo.clear()
    tracemalloc.start()
    suggest(companions, text)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.system
def test_the_memory_of_a_correction_grows_with_the_words_and_not_with_their_square(companions):
    few, many = (highest(companions, words(n)) for n in (600, 2400))
    assert many < 6 * few


@pytest.mark.system
def test_a_long_query_is_corrected_to_its_end(companions):
    text = "removnig a tikc " + "dog " * 3000
    assert suggest(companions, text).text == "removing a tick " + "dog " * 3000


@pytest.mark.system
def test_many_words_are_searched_whether_or_not_documents_contain_them(companions):
    some = "dog " + words(10_500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        assert Searcher(companions).search(some).doc_ids == Searcher(companions).search("dog").doc_ids
