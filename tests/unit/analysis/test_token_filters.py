"""What becomes of single tokens, by hand, and in which order."""

import re
import threading

import pytest
from error_messages import raising

from toysearch import Analyzer, Index, Searcher
from toysearch.analysis import token_filters
from toysearch.analysis.languages import CODES, language_named, stemmer_named
from toysearch.analysis.scanner import scannable
from toysearch.analysis.token_filters import char_ngrams, is_number, lengths_of, stem, stemmers, word_ngrams
from toysearch.base.errors import ArgumentError, DataError


def test_numbers():
    for token in ("0", "42", "1,000,000", "3.14", "-5", "+5", "−5", "1.2.3", "٤٢", "४२", "１２"):
        assert is_number(token), token
    for token in ("", "2nd", "x2", "1e6", "½", "²", "1.", ".5", "1,,0", "--1", "1_000", "42\n", "Ⅻ"):
        assert not is_number(token), token


def test_other_names_of_languages_and_stemmers():
    assert (stemmer_named(None), stemmer_named("None"), stemmer_named("de")) == (None, None, "german")
    assert [CODES[name] for name in ("chinese", "japanese", "korean", "cjk")] == ["zh", "ja", "ko", ""]
    with raising(ArgumentError, "unknown language 'germann'; did you mean 'german'?"):
        language_named("germann")
    assert stemmer_named("Porter2") == "english"
    with raising(ArgumentError, "unknown stemmer 'porter3'; did you mean 'porter'?"):
        stemmer_named("porter3")
    with pytest.raises(ArgumentError, match="unknown stemmer 'chinese'"):  # which has pairs of characters
        stemmer_named("chinese")


def test_numbers_are_kept_dropped_or_marked():
    text = "boeing 747 and 2nd 1968"
    assert Analyzer()(text) == Analyzer(numbers="keep")(text) == ["boeing", "747", "and", "2nd", "1968"]
    assert Analyzer(numbers="drop")(text) == ["boeing", "and", "2nd"]
    assert Analyzer(numbers="mark")(text) == ["boeing", "<num>", "and", "2nd", "<num>"]
    followed = Analyzer(numbers="mark", max_length=3, stop=["<num>"], stem="english")
    assert followed("12345 cats dog") == ["<num>", "dog"]  # the rules that follow leave the mark alone


def test_lengths_are_those_of_the_token_and_inclusive():
    assert Analyzer(min_length=4)("one four fifth cats") == ["four", "fifth", "cats"]
    assert Analyzer(min_length=4, stem="english")("cats") == ["cat"]
    assert Analyzer(max_length=4)("one four fifth") == ["one", "four"]
    assert Analyzer(min_length=4, max_length=4)("one four fifth") == ["four"]
    assert Analyzer(tokens=r"\w+", min_length=1)("a bb") == ["a", "bb"]


def test_protected_words_are_neither_left_out_nor_stemmed():
    analyzer = Analyzer(
        stop=["the"],
        stem="english",
        min_length=4,
        max_length=6,
        numbers="drop",
        protected=["The", "IDs", "747", "flyings"],
    )
    assert analyzer("the ids 747 flyings flying planes 1968 cat flightless") == [
        "the", "ids", "747", "flyings", "fli", "plane",
    ]  # fmt: skip


def test_synonyms_come_first_and_touch_protected_words_too():
    analyzer = Analyzer(
        synonyms={"us": "america", "colours": "colors", "one": "the", "six": "6000"},
        protected=["us", "colors"],
        stop=["the", "us"],
        stem="english",
        numbers="drop",
    )
    assert analyzer("US colours one six") == ["america", "colors"]


def test_steps_in_their_order():
    analyzer = Analyzer(
        html=True,
        fold_accents=True,
        synonyms={"plane": "aircraft"},
        protected=["flying"],
        numbers="mark",
        min_length=3,
        stop=["the"],
        stem="english",
        ngrams=(2, 2),
    )
    assert analyzer.steps("<b>The</b> fl&yacute;ing planes, a plane, no 747") == [
        ("HTML taken out", ["The flýing planes, a plane, no 747"]),
        ("accents folded", ["the flying planes, a plane, no 747"]),
        ("words", ["the", "flying", "planes", "a", "plane", "no", "747"]),
        ("tokens", ["the", "flying", "planes", None, "plane", "no", "747"]),
        ("synonyms", ["the", "flying", "planes", None, "aircraft", "no", "747"]),
        ("numbers", ["the", "flying", "planes", None, "aircraft", "no", "<num>"]),
        ("lengths", ["the", "flying", "planes", None, "aircraft", None, "<num>"]),
        ("stop words", [None, "flying", "planes", None, "aircraft", None, "<num>"]),
        ("stems", [None, "flying", "plane", None, "aircraft", None, "<num>"]),
        ("n-grams", ["flying plane", "plane aircraft", "aircraft <num>"]),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": "no"}, "unknown treatment of numbers 'no'. They can be: keep, drop, mark"),
        ({"min_length": 0}, "min_length is a whole number of characters, at least 1, not 0"),
        ({"min_length": True}, "min_length is a whole number of characters, at least 1, not True"),
        ({"min_length": 2.0}, "min_length is a whole number of characters, at least 1, not 2.0"),
        ({"max_length": 0}, "max_length is a whole number of characters, at least min_length (1), not 0"),
        (
            {"min_length": 5, "max_length": 4},
            "max_length is a whole number of characters, at least min_length (5), not 4",
        ),
        ({"max_length": "9"}, "max_length is a whole number of characters, at least min_length (1), not '9'"),
        (
            {"ngrams": (1, 2), "char_ngrams": (3, 5)},
            "n-grams are made of words (ngrams) or of characters (char_ngrams), not of both",
        ),
        ({"synonyms": ["cat"]}, "synonyms are a mapping of words to words, or a file, not ['cat']"),
        ({"synonyms": {"cat": 1}}, "expected a word, found 1"),
        (
            {"synonyms": {"cat": "tom-cat"}},
            "expected a single token, found 'tom-cat': the analyzer makes 'tom', 'cat' of it; several words are "
            "replaced by one, as in 'tom_cat, tom-cat'",
        ),
        (
            {"synonyms": {"hepatitis b virus": "hbv"}},
            "'b' in 'hepatitis b virus' is not a token, so the rest would stand for other words too; tokens=word1 "
            "keeps it",
        ),
        (
            {"synonyms": {"water boiler": "kettle", "water boilers": "urn"}, "stem": "english"},
            "'water boiler' and 'water boilers' have the same terms, but become 'kettle' and 'urn'; leave one out",
        ),
        (
            {"synonyms": {"tom": "cat", "cat": "pet"}},
            "'cat' would become 'pet', but replaces another word by the mapping; a word that replaces others cannot be "
            "replaced",
        ),
    ],
)
def test_what_rules_cannot_follow(options, message):
    with raising(ArgumentError, message):
        Analyzer(**options)


def test_runs_of_terms_by_length_then_place():
    assert word_ngrams(["a", "b", "c"], (1, 3)) == ["a", "b", "c", "a b", "b c", "a b c"]
    assert word_ngrams(["a", "b", "c"], (2, 2)) == ["a b", "b c"]
    assert word_ngrams(["a"], (2, 3)) == []
    assert word_ngrams(["a", "b"], (1, 10**12)) == ["a", "b", "a b"]


def test_runs_of_characters_with_the_edges():
    assert char_ngrams("ab", (2, 3)) == [" a", "ab", "b ", " ab", "ab "]
    assert char_ngrams("ab", (3, 10**12)) == [" ab", "ab ", " ab "]
    assert char_ngrams("ab", (4, 5)) == [" ab "]
    assert char_ngrams("ab", (5, 9)) == [" ab "]


@pytest.mark.parametrize("value", [(0, 2), (2, 1), (1,), (1, 2, 3), (1.0, 2), (True, 2), 2, "12", {1, 2}])
@pytest.mark.parametrize("name", ["ngrams", "char_ngrams"])
def test_lengths_that_are_none(name, value):
    with pytest.raises(ArgumentError) as error:
        Analyzer(**{name: value})
    assert str(error.value) == (
        f"{name} takes the shortest and the longest length, whole numbers such as (1, 2), not {value!r}"
    )


def test_words_one_by_one_are_no_ngrams():
    assert lengths_of("ngrams", (1, 1)) is None
    assert lengths_of("char_ngrams", [1, 1]) == (1, 1)
    assert Analyzer(ngrams=(1, 1)) == Analyzer()
    assert not Analyzer().makes_grams
    assert Analyzer(ngrams=(2, 2)).makes_grams
    assert Analyzer(char_ngrams=(3, 3)).makes_grams
    assert Analyzer().grams(["a", "b"]) == ["a", "b"]


# Stemmers by name, and that each thread has its own.


def test_every_stemmer_of_pystemmer_is_a_language_with_a_code():
    Stemmer = pytest.importorskip("Stemmer")
    assert list(stemmers()) == sorted(Stemmer.algorithms())
    assert all(len(CODES[name]) == 2 for name in stemmers())


@pytest.mark.parametrize(
    ("name", "language"),
    [("EN", "english"), ("nl", "dutch"), ("porter", "porter"), ("chinese", "chinese"), ("Plain", "none")],
)
def test_languages_are_named_as_pystemmer_does_or_by_code(name, language):
    assert language_named(name) == language


@pytest.mark.parametrize("name", stemmers())
def test_stems_are_pystemmers(name):
    words = ["flying", "möglichkeiten", "continuellement", "книгами", "", "x" * 5000]
    Stemmer = pytest.importorskip("Stemmer")
    assert [stem(word, name) for word in words] == Stemmer.Stemmer(name).stemWords(words)


def test_a_word_that_cannot_be_encoded_is_its_own_stem():
    assert stem("run\ud800ning", "english") == "run\ud800ning"


@pytest.mark.waits
def test_threads_do_not_share_a_stemmer():
    def used():
        stem("flying", "english")
        return token_filters._STEMMERS.by_name["english"]

    others = []
    thread = threading.Thread(target=lambda: others.append(used()))
    thread.start()
    thread.join()
    assert used() is used()
    assert others[0] is not used()


# Synonyms from files and mappings: what they mean, and every fault with its sentence.

EQUAL = "expected words separated by commas, which are replaced by the first ('budgie, parakeet'), or 'colour => color'"


@pytest.fixture
def file(tmp_path):
    """A function that writes a file of synonyms."""

    def written(text: str):
        path = tmp_path / "synonyms.txt"
        path.write_text(text)
        return path

    return written


def test_words_that_mean_the_same_become_the_first(file):
    path = file("# birds\nBudgie , budgerigar,parakeet  # all the same\n\ncolour, Kolor => color\nbird => budgie\n")
    analyzer = Analyzer(synonyms=path)
    assert analyzer("A parakeet, BUDGERIGAR, budgie; colour kolor color bird") == ["budgie"] * 3 + ["color"] * 3 + [
        "budgie"
    ]
    assert analyzer.synonyms == (
        ("bird", "budgie"),
        ("budgerigar", "budgie"),
        ("colour", "color"),
        ("kolor", "color"),
        ("parakeet", "budgie"),
    )
    assert analyzer == Analyzer(synonyms=str(path)) == Analyzer(synonyms=dict(analyzer.synonyms))


def test_a_replacement_may_be_what_the_pattern_would_not_find():
    assert Analyzer(synonyms={"vitamin": "c"})("vitamin c") == ["c"]
    assert Analyzer(synonyms={"cat": "dog"}, tokens=r"#(\w+)")("#cat cat") == ["dog"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("budgie\n", 1, f"{EQUAL}; found 'budgie'"),
        ("cat, dog\nbudgie,\n", 2, f"{EQUAL}; found 'budgie,'"),
        (", budgie\n", 1, f"{EQUAL}; found ', budgie'"),
        ("a1 =>\n", 1, f"{EQUAL}; found 'a1 =>'"),
        ("=> a1\n", 1, f"{EQUAL}; found '=> a1'"),
        ("=>\n", 1, f"{EQUAL}; found '=>'"),
        ("a1 => b1, c1\n", 1, f"{EQUAL}; found 'a1 => b1, c1'"),
        ("a1 => b1 => c1\n", 1, f"{EQUAL}; found 'a1 => b1 => c1'"),
        (
            "small parrot, budgie\n",
            1,
            "expected a single token, found 'small parrot': the analyzer makes 'small', 'parrot' of it; several words "
            "are replaced by one, as in 'small_parrot, small parrot'",
        ),
        ("mail, e-mail\n", 1, "expected a single token, found 'e-mail': the analyzer makes 'mail' of it"),
        ("us => u s\n", 1, "expected a single token, found 'u s': it contains no token"),
        (
            "budgie, small parrot\nparrot, Small  Parrot\n",
            2,
            "'small parrot' is already replaced on line 1; a word has one replacement",
        ),
        ("cat, Cat\n", 1, "'cat' would replace itself; leave one out"),
        ("cat, tom, tom\n", 1, "'tom' is already replaced on line 1; a word has one replacement"),
        ("cat, tom\n\ndog, tom\n", 3, "'tom' is already replaced on line 1; a word has one replacement"),
        (
            "tom => cat\ncat => pet\n",
            2,
            "'cat' would become 'pet', but replaces another word on line 1; a word that "
            "replaces others cannot be replaced",
        ),
        (
            "tom => cat\ncat => tom\n",
            2,
            "'cat' would become 'tom', but replaces another word on line 1; a word that "
            "replaces others cannot be replaced",
        ),
        (
            "# chain\ncat => pet\ntom => cat\n",
            3,
            "'tom' would become 'cat', which is already replaced on line 2; write 'tom => pet'",
        ),
    ],
)
def test_a_line_that_cannot_be(file, text, line, problem):
    path = file(text)
    with raising(DataError, f"{path}:{line}: {problem}"):
        Analyzer(synonyms=path)


def test_several_words_become_one_token_the_longest_from_the_left(file):
    path = file("kettle, water boiler, guinea-pig\nhot water boiler => urn  # longer\nold_kettle, old kettle\n")
    analyzer = Analyzer(synonyms=path, stop=["the"], stem="english")
    assert analyzer.synonyms == (
        ("guinea pig", "kettle"),
        ("hot water boiler", "urn"),
        ("old kettle", "old_kettle"),
        ("water boiler", "kettle"),
    )
    text = "Water boilers, hot water-boilers; water; the boiler: water the boiler. GUINEA PIG"
    assert analyzer(text) == ["kettl", "urn", "water", "boiler", "water", "boiler", "kettl"]
    assert analyzer("old water boiler") == ["old", "kettl"]  # what was joined is not joined again
    assert analyzer("old kettles") == ["old_kettl"]


def test_words_that_are_left_out_are_compared_by_themselves():
    analyzer = Analyzer(synonyms={"bill of sale": "receipt"}, stop=["of", "for"], stem="english")
    assert analyzer("bills of sales, bill for sale, bill sale") == ["receipt", "bill", "sale", "bill", "sale"]


def test_several_words_step_by_step():
    analyzer = Analyzer(synonyms={"water boiler": "kettle"}, stem="english", ngrams=(1, 2))
    assert analyzer.steps("A new Water a Boiler") == [
        ("words", ["a", "new", "water a boiler"]),
        ("tokens", [None, "new", "water boiler"]),
        ("synonyms", [None, "new", "kettle"]),
        ("stems", [None, "new", "kettl"]),
        ("n-grams", ["new", "kettl", "new kettl"]),
    ]


def test_several_words_of_a_function_and_without_order():
    for tokens in (str.split, lambda text: [match.span() for match in re.finditer(r"\w+", text)]):
        analyzer = Analyzer(tokens=tokens, synonyms={"water boiler": "kettle"})
        assert analyzer("water boiler") == ["kettle"]
        assert [analyzer.tokenizer.part(text) for text in ("water boiler", "water")] == [["kettle"], ["water"]]
    assert Analyzer(synonyms={"a1": "b1"}).needs_texts == ""
    assert Analyzer(synonyms={"water boiler": "kettle"}).needs_texts == "synonyms of several words need their order"


def test_without_synonyms_of_several_words_the_scanner_reads_texts():
    assert scannable(Analyzer(synonyms={"boiler": "kettle"}))
    assert not scannable(Analyzer(synonyms={"water boiler": "kettle"}))


def test_the_line_that_is_advised_for_several_words(file):
    with pytest.raises(DataError, match="as in 'small_parrot, small parrot'"):
        Analyzer(synonyms=file("small parrot, budgie\n"))
    assert Analyzer(synonyms=file("small_parrot, small parrot, budgie\n"))("a budgie") == ["small_parrot"]


def test_a_group_in_a_query_takes_its_words_one_by_one():
    texts = ["a small parrot", "a budgie", "a parrot, small", "a budgie and a small parrot"]
    found = Searcher(Index.build(texts)).search('#syn("small parrot" budgie)')
    assert sorted(hit.doc_id for hit in found) == ["1", "2", "4"]
    joined = Searcher(Index.build(texts, Analyzer(synonyms={"small parrot": "budgie"})))
    assert sorted(hit.doc_id for hit in joined.search("#syn(small parrot)")) == ["3"]
    assert sorted(hit.doc_id for hit in joined.search('#syn("small parrot" zebra)')) == ["1", "2", "4"]


def test_a_fault_that_only_folding_shows_and_a_file_that_is_not_there(file):
    path = file("café => bar\ncafe => inn\n")
    assert len(Analyzer(synonyms=path).synonyms) == 2
    with raising(DataError, f"{path}:2: 'cafe' is already replaced on line 1; a word has one replacement"):
        Analyzer(synonyms=path, fold_accents=True)
    with raising(DataError, f"{path.parent / 'none.txt'}: there is no such file"):
        Analyzer(synonyms=str(path.parent / "none.txt"))


def test_with_pairs_of_characters_a_longer_word_is_no_token():
    assert Analyzer(cjk=True, synonyms={"電脳": "電算"})("電脳") == ["電算"]
    with raising(ArgumentError, "expected a single token, found '計算機': the analyzer makes '計算', '算機' of it"):
        Analyzer(cjk=True, synonyms={"計算機": "電脳"})
    text = "water boiler 東京都の天気 water 東 boiler"
    joined = Analyzer(cjk=True, synonyms={"water boiler": "kettle"})
    assert joined(text) == ["kettle", *Analyzer(cjk=True)(text)[2:]]
