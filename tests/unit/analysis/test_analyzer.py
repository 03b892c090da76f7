"""The analyzer: its steps, its names, what it refuses, and that it never changes."""

import dataclasses
import inspect
import json
import re

import pytest
from error_messages import raising
from public_names import NAMES

import toysearch
from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.analyzer_text import CHOICES, choice_of, variant
from toysearch.base.errors import ArgumentError, ToysearchError, ToysearchNote

ENGLISH = Analyzer.for_language("english")
LACKING = object()
DESCRIBED = (
    "an analyzer is described by language, lowercase, tokens, stop_name, stop, stem, and tokens_sha256, stem_sha256, "
    "html, fold_accents, cjk, marks, letters, synonyms, protected, numbers, min_length, max_length, ngrams, "
    "char_ngrams if they are not the default"
)


def test_a_language_without_stop_words_stems_and_notes_it_unless_none_are_asked_for(recwarn):
    Analyzer.for_language("serbian", stop="none")
    assert not recwarn.list
    with pytest.warns(ToysearchNote, match="no list of stop words is known for serbian"):
        analyzer = Analyzer.for_language("serbian")
    assert (analyzer.stop, analyzer.stem) == (frozenset(), "serbian")


def test_stop_words_and_stemmer_can_be_chosen():
    assert Analyzer.for_language("english", stop="none")("the cats") == ["the", "cat"]
    assert Analyzer.for_language("english", stem="none")("the cats shell") == ["cats", "shell"]
    assert Analyzer.for_language("english", stop="iso", stem="none")("the shell of information") == []
    assert Analyzer.for_language("english", stem="porter")("flying skies") == ["fly", "ski"]
    assert Analyzer.for_language("english", stop=["cats"])("the cats") == ["the"]
    assert Analyzer.for_language("none", stop="sklearn", stem="english", marks=True) == ENGLISH
    # "being" is a stop word, "beings" none, although both have the stem "be"
    assert ENGLISH("The flying beings being there") == ["fli", "be"]


def test_own_stop_words_match_in_any_case_if_the_text_is_lower_cased():
    assert Analyzer(stop=["The", "IBM"])("The the IBM ibm cat") == ["cat"]
    assert Analyzer(lowercase=False, stop=["The"])("The the") == ["the"]


@pytest.mark.parametrize(
    ("analyzer", "shown"),
    [
        (Analyzer(), "plain"),
        (ENGLISH, "english:stop=sklearn,stem=english"),
        (Analyzer.for_language("de", stop="none"), "german:stop=none,stem=german"),
        (Analyzer.for_language("de", stem="none"), "german:stop=snowball,stem=none"),
        (Analyzer(stop=["a", "b"]), "plain:stop=<2>"),
        (Analyzer(lowercase=False, tokens=r"\S+", stem="porter"), "plain:lowercase=no,tokens=whitespace,stem=porter"),
        (
            Analyzer.for_language(
                "english",
                html=True,
                fold_accents=True,
                cjk=True,
                synonyms={"tom": "cat"},
                protected=["flying", "ids"],
                numbers="mark",
                min_length=3,
                ngrams=(1, 2),
            ),
            "english:html,fold_accents,cjk,synonyms=<1>,protected=<2>,numbers=mark,min_length=3,stop=sklearn,"
            "stem=english,ngrams=1-2",
        ),
        (Analyzer(numbers="drop", max_length=9, char_ngrams=(3, 3)), "plain:numbers=drop,max_length=9,char_ngrams=3"),
        (Analyzer(min_length=2, max_length=9), "plain:min_length=2,max_length=9"),
        (Analyzer.for_language("ja"), "japanese"),
    ],
)
def test_its_name(analyzer, shown):
    assert str(analyzer) == shown
    assert repr(analyzer) == f"<Analyzer {shown}>"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "english:stop=sklearn,stem=english",
        "german:html,fold_accents,stop=none,stem=none",
        "japanese:cjk=no",
        "english:marks=no,tokens=word1,max_length=9,stop=sklearn,stem=porter,char_ngrams=3-5",
    ],
)
def test_the_text_form_parses_back(text):
    assert str(Analyzer.parse(text)) == text
    assert Analyzer.parse(str(Analyzer.parse(text))) == Analyzer.parse(text)


@pytest.mark.parametrize(
    ("text", "analyzer"),
    [
        ("de", Analyzer.for_language("german")),
        ("english:html", Analyzer.for_language("english", html=True)),
        ("english:stem=porter,ngrams=1-2", Analyzer.for_language("english", stem="porter", ngrams=(1, 2))),
        ("none:char-ngrams=3", Analyzer(char_ngrams=(3, 3))),
        ("english:protected=cats+dogs", Analyzer.for_language("english", protected=["cats", "dogs"])),
    ],
)
def test_a_text_names_a_language_and_what_differs(text, analyzer):
    assert Analyzer.parse(text) == analyzer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("englsh", "unknown language 'englsh'; did you mean 'english'?"),
        ("english:html=maybe", "an analyzer's html is yes or no, not 'maybe'"),
        ("english:min_length=x", "an analyzer's min_length is a whole number, not 'x'"),
        ("english:ngrams=1..2", "an analyzer's ngrams is a length or a range of lengths such as 1-2, not '1..2'"),
        ("english:stop=<2>", "an analyzer's stop=<2> stands for words that have no name; give a file with them"),
        ("english:stme=porter", "unknown analyzer option 'stme'; did you mean 'stem'"),
    ],
)
def test_a_text_that_names_no_analyzer_is_refused(text, message):
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}"):
        Analyzer.parse(text)


def test_it_is_frozen_and_equal_by_what_it_does():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENGLISH.stem = None  # type: ignore[misc]
    same = Analyzer(stop=sorted(ENGLISH.stop), stem="english", marks=True)
    assert same == ENGLISH
    assert hash(same) == hash(ENGLISH)
    options = {"stop": "sklearn", "stem": "english", "tokens": r"\w+", "lowercase": False, "html": True, "cjk": True}
    options |= {"fold_accents": True, "synonyms": {"tom": "cat"}, "protected": ["cat"], "numbers": "drop"}
    options |= {"min_length": 3, "max_length": 3, "ngrams": (1, 2), "char_ngrams": (1, 2)}
    assert len({Analyzer(), ENGLISH, *(Analyzer(**{name: value}) for name, value in options.items())}) == 16
    analyzer = Analyzer(synonyms={"a2": "a1", "b2": "b1"})
    assert Analyzer.from_dict(analyzer.to_dict() | {"synonyms": {"b2": "b1", "a2": "a1"}}) == analyzer


def test_options_reach_the_analyzer_of_a_language():
    options = {"fold_accents": True, "min_length": 3, "protected": ["cats"], "ngrams": (1, 2)}
    analyzer = Analyzer.for_language("english", **options)
    assert analyzer == Analyzer(stop="sklearn", stem="english", marks=True, **options)
    assert analyzer("The cats, dogs") == ["cats", "dog", "cats dog"]
    with pytest.raises(TypeError):
        Analyzer.for_language("english", folded=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Analyzer(True, r"\w+", None, None, True)  # type: ignore[misc]


@pytest.mark.parametrize("name", ["lowercase", "html", "fold_accents", "cjk", "marks"])
def test_what_is_yes_or_no_is_true_or_false(name):
    with raising(ArgumentError, f"{name} is True or False, not 'yes'"):
        Analyzer(**{name: "yes"})


@pytest.mark.parametrize(("text", "kind"), [(None, "None"), (["a cat"], "a list"), (b"a cat", "a bytes")])
def test_what_is_analyzed_is_a_text_and_a_name_is_parsed(text, kind):
    with raising(ArgumentError, f"an analyzer takes a text, not {kind}"):
        Analyzer()(text)
    lead = "Analyzer.parse('english') reads the name of an analyzer"
    with raising(ArgumentError, f"lowercase is True or False, not 'english'; {lead}"):
        Analyzer("english")


def test_its_description_holds_the_words_themselves():
    assert Analyzer(stop=["of", "The"], stem="de").to_dict() == {
        "language": "none",
        "lowercase": True,
        "tokens": "word2",
        "stop_name": "own",
        "stop": ["of", "the"],
        "stem": "german",
    }
    again = Analyzer.from_dict(json.loads(json.dumps(ENGLISH.to_dict())))
    assert again == ENGLISH
    assert str(again) == str(ENGLISH)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stem": 5}, "an analyzer's stem cannot be 5"),
        ({"lowercase": "yes"}, "an analyzer's lowercase cannot be 'yes'"),
        ({"stop": "the"}, "an analyzer's stop cannot be 'the'"),
        ({"stop": [1]}, "an analyzer's stop words must be strings"),
        ({"html": 1}, "an analyzer's html cannot be 1"),
        ({"min_length": True}, "an analyzer's min_length cannot be True"),
        ({"max_length": "9"}, "an analyzer's max_length cannot be '9'"),
        ({"ngrams": 2}, "an analyzer's ngrams cannot be 2"),
        ({"synonyms": ["a"]}, "an analyzer's synonyms cannot be ['a']"),
        ({"synonyms": {"a": 1}}, "an analyzer's synonyms must be strings"),
        ({"protected": [None]}, "an analyzer's protected words must be strings"),
        ({"more": 1}, f"{DESCRIBED}; found language, lowercase, tokens, stop_name, stop, stem, more"),
        (dict.fromkeys(Analyzer().to_dict(), LACKING), f"{DESCRIBED}; found nothing"),
        ({"tokens": LACKING, "html": True}, f"{DESCRIBED}; found language, lowercase, stop_name, stop, stem, html"),
        ({"numbers": "all"}, "unknown treatment of numbers 'all'. They can be: keep, drop, mark"),
        ({"min_length": 0}, "min_length is a whole number of characters, at least 1, not 0"),
    ],
)
def test_a_description_that_is_none(change, message):
    description = {**Analyzer().to_dict(), **change}
    with raising(ToysearchError, message):
        Analyzer.from_dict({name: value for name, value in description.items() if value is not LACKING})


def test_words_of_a_description_are_taken_as_they_stand():
    # folding makes ™ into TM, in upper case; doing so once more would make it tm
    analyzer = Analyzer(fold_accents=True, stop=["Boeing™"])
    assert analyzer.stop == {"boeingTM"}
    assert Analyzer.from_dict(analyzer.to_dict()) == analyzer
    assert analyzer("a Boeing™ flies") == ["flies"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"tokens": r"(\w+"}, r"the token pattern '(\\w+' is not a regular expression: missing ), unterminated subp"),
        ({"tokens": r"(\w)(\d)"}, r"the token pattern '(\\w)(\\d)' has 2 capturing groups, so that the token is ambig"),
        ({"stem": 3}, "unknown stemmer '3'. Stemmers: none, arabic"),
        ({"stop": 5}, "stop words are the name of a list, a file, or the words, not 5"),
        ({"protected": 5}, "protected words are a file, or the words, not 5"),
        ({"synonyms": 5}, "synonyms are a mapping of words to words, or a file, not 5"),
    ],
)
def test_a_value_of_another_kind_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(ArgumentError) as error:
        Analyzer(**values)
    assert str(error.value).startswith(sentence)


# An analyzer with some choices made otherwise

CHANGED = Analyzer.for_language("english", numbers="drop", protected=["cats"])
TEXT = "The Cats of 1984 and the naïve dogs"


@pytest.mark.parametrize(
    ("choices", "terms"),
    [
        ({}, ["cats", "naïv", "dog"]),
        ({"stem": "none"}, ["cats", "naïve", "dogs"]),
        ({"stop": "none"}, ["the", "cats", "of", "and", "the", "naïv", "dog"]),
        ({"numbers": "keep"}, ["cats", "1984", "naïv", "dog"]),
        ({"fold_accents": "yes"}, ["cats", "naiv", "dog"]),
        ({"min_length": "5"}, ["cats", "naïv"]),  # cats is protected
        ({"max_length": "4"}, ["cats", "dog"]),
        ({"ngrams": "2"}, ["cats naïv", "naïv dog"]),
        ({"ngrams": "1-2", "stem": "none"}, ["cats", "naïve", "dogs", "cats naïve", "naïve dogs"]),
        ({"char_ngrams": "4-4"}, [" cat", "cats", "ats ", " naï", "naïv", "aïv ", " dog", "dog "]),
        ({"language": "none"}, ["the", "cats", "of", "and", "the", "naïve", "dogs"]),
        ({"stem": "none", "language": "german"}, ["the", "cats", "of", "and", "the", "naïve", "dogs"]),
    ],
)
def test_a_variant_differs_in_what_is_chosen_and_in_nothing_else(choices, terms):
    assert variant(CHANGED, choices)(TEXT) == terms


def test_a_language_written_without_blanks_is_split_into_pairs():
    assert variant(Analyzer(), {"language": "ja"})("東京都") == ["東京", "京都"]
    assert variant(Analyzer.for_language("ja"), {"language": "none"})("東京都") == ["東京都"]


def test_an_own_pattern_and_own_stop_words_stay():
    own = Analyzer(tokens=r"\w+", lowercase=False, stop=["A"])
    assert variant(own, {"stem": "english"})("A B aB") == ["B", "aB"]


def test_every_choice_can_be_read_off_and_chosen_again():
    values = {name: choice_of(CHANGED, name) for name in CHOICES if name != "stop"}
    assert variant(CHANGED, values) == CHANGED
    assert {values[name] for name in ("html", "fold_accents", "cjk")} == {"no"}
    assert {values[name] for name in ("max_length", "ngrams", "char_ngrams")} == {"none"}
    assert choice_of(CHANGED, "stop") == "sklearn"
    assert choice_of(variant(CHANGED, {"ngrams": "1-3"}), "ngrams") == "1-3"


ANALYZERS = {
    "an analyzer": Analyzer(tokens="whitespace"),
    "a text": "plain:tokens=whitespace",
    "a function": str.split,
}
TAKING = {
    name: parameter
    for name, value in NAMES.items()
    if inspect.isfunction(value) and (parameter := inspect.signature(value).parameters.get("analyzer"))
    if parameter.default is None
}


def test_each_public_function_takes_an_analyzer_in_each_form():
    assert len(TAKING) == 5
    assert {str(parameter.annotation) for parameter in TAKING.values()} == {"AnalyzerLike | None"}


@pytest.mark.parametrize("form", ANALYZERS)
def test_an_analyzer_its_text_and_a_function_make_the_same_index(form):
    built = toysearch.Index.build({"d1": "cat dog, cat", "d2": "a dog"}, ANALYZERS[form])
    assert [len(toysearch.Searcher(built).search(word)) for word in ("cat", "dog", "dog,", "a")] == [1, 1, 1, 1]
    one, other = (
        toysearch.tune("bm25", "cat-dog-parrot", {"k1": [1, 2]}, "AP", analyzer=analyzer)
        for analyzer in (ANALYZERS["an analyzer"], ANALYZERS[form])
    )
    assert [trial.value for trial in one.trials] == [trial.value for trial in other.trials]
