"""Words of a query that are no terms, though they carry meaning or stand in a phrase: a note names them."""

import json
import warnings

import pytest
from shell import done

from toysearch import Analyzer, Index, Query, Searcher

TEXTS = ["A fire alarm rings", "An alarm clock rings", "The fire brigade on top"]
FIRE = "left out of the query: 'fire' is on the list of stop words (sklearn)"
SNOWBALL = "english:stop=snowball,stem=english"


def _notes(search, *arguments, **options):
    with warnings.catch_warnings(record=True, action="always") as caught:
        search(*arguments, **options)
    return [str(one.message) for one in caught]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, "english")


@pytest.mark.parametrize("mode", ["lenient", "strict", None])
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ('"fire alarm"', ["fire"]),
        ("fire alarm", ["fire"]),
        ('"alarm of the fire"', ["of", "the", "fire"]),
        ('alarm -"fire clock"', ["fire"]),
        ("alarm AND (clock OR top)", ["top"]),
        ('"the alarm"', ["the"]),
        ('"alarm 7"', ["7"]),
        ("the alarm of a clock", []),
        ("alarm (the clock) 7", []),
        ("fire-alarm", ["fire"]),
        ("+fire-alarm", ["fire"]),
        ("#syn(fire's alarm) clock", ["fire"]),
        ('"fire-alarm"', ["fire"]),
        ('"alarm-clock" don\'t', []),
    ],
)
def test_one_note_names_each_word(index, query, words, mode):
    notes = _notes(Searcher(index).search, query, query_mode=mode)
    said = [note for note in notes if "left out of the query" in note]
    assert len(said) == bool(words)
    assert all(f"'{word}'" in said[0] for word in words)
    assert _notes(Searcher(index).run, [Query("1", query)]) == []


@pytest.mark.parametrize("query", ["+fire alarm", "fire", '"of the"', "alarm NOT fire"])
def test_a_word_of_which_another_note_tells_is_not_named_twice(index, query):
    assert sum("stop words" in note for note in _notes(Searcher(index).search, query)) == 1


@pytest.mark.parametrize(
    ("spec", "query", "remedy"),
    [
        ("english", '"fire alarm"', SNOWBALL),
        ("english:stem=porter", '"the alarm"', "english:stop=none,stem=porter"),
        ("german", '"auch rings"', "german:stop=none"),
        ("plain:stop=sklearn", "fire alarm", "plain"),
    ],
)
def test_the_analyzer_that_is_told_keeps_the_words(spec, query, remedy):
    [note] = _notes(Searcher(Index.build(TEXTS, spec)).search, query)
    assert f"Analyzer.parse('{Analyzer.parse(remedy)}')" in note
    assert "left out" not in str(_notes(Searcher(Index.build(TEXTS, remedy)).search, query))


def test_commands_tell_alike_and_their_remedy_works(tmp_path):
    docs, said = tmp_path / "d.jsonl", f"note: {FIRE}; --analyzer {SNOWBALL} keeps fire\n"
    docs.write_text("".join(json.dumps({"id": str(at), "text": text}) + "\n" for at, text in enumerate(TEXTS)))
    for form in ("table", "json"):
        assert done("search", docs, '"fire alarm"', "--analyzer", "english", "--format", form).stderr == said
    found = done("search", docs, '"fire alarm"', "--analyzer", SNOWBALL, "--format", "json")
    assert ([hit["doc_id"] for hit in json.loads(found.stdout)["hits"]], found.stderr) == (["0"], "")
    done("index", docs, "-o", tmp_path / "it", "--analyzer", "english")
    told = done("search", tmp_path / "it", '"fire alarm"').stderr
    assert told == f"note: {FIRE}; toysearch index SOURCE -o DIR --analyzer {SNOWBALL} keeps fire\n"
