"""Completions: the words of the documents with a beginning, by df; a plain loop over all documents says the same."""

from collections import Counter

import pytest
from error_messages import raising

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.retrieval.completion import completions

TEXTS = ["Training dogs", "a trained dog, training, train", "the tram of Trains", "Zürich tram", "trä trä"]
PLAIN = toysearch.Index.build(TEXTS, toysearch.Analyzer())
STEMMED = toysearch.Index.build(TEXTS, toysearch.Analyzer.for_language("english"))


@pytest.mark.parametrize("start", ["t", "tr", "tra", "trai", "training", "z", "Zü", "x", "D"])
def test_they_are_those_of_a_plain_loop(start, tmp_path):
    df = Counter(term for text in TEXTS for term in {*PLAIN.analyzer(text)})
    expected = sorted((term for term in df if term.startswith(start.lower())), key=lambda term: (-df[term], term))
    found = completions(PLAIN, f"old {start}")
    assert [(one.text, one.term, one.df) for one in found] == [(f"old {term}", term, df[term]) for term in expected]
    PLAIN.save(tmp_path / "it.idx")
    assert completions(toysearch.Index.open(tmp_path / "it.idx"), f"old {start}") == found
    assert completions(PLAIN, start, 1) == [one._replace(text=one.term) for one in found[:1]]


def test_a_stem_is_written_as_in_the_documents_and_fits_what_is_typed():
    assert [(one.text, one.term) for one in completions(STEMMED, "tra")][:1] == [("training", "train")]
    assert [(one.text, one.term) for one in completions(STEMMED, "trained")] == [("trained", "train")]
    assert completions(STEMMED, "trainx") == []


def test_a_stem_is_written_as_after_the_word_before():
    assert completions(STEMMED, "training tra")[0].text == "training train"
    assert completions(STEMMED, "of tra")[0].text == "of trains"
    assert completions(STEMMED, "zebra tra")[0].text == "zebra training"


def test_an_index_without_texts_completes_terms():
    index = toysearch.Index.build(TEXTS, toysearch.Analyzer.for_language("english"), store_text=False)
    assert [one.text for one in completions(index, "trai")] == ["train"]
    assert completions(index, "trained") == []


def test_a_stem_that_does_not_find_itself_is_no_completion():
    index = toysearch.Index.build(["agreed", "agrees"], toysearch.Analyzer.for_language("english"), store_text=False)
    assert (index.analyzer("agreed"), index.analyzer("agre")) == (["agre"], ["agr"])
    assert completions(index, "ag") == []


def test_what_is_refused():
    with raising(ArgumentError, "k must be at least 1, not 0"):
        completions(PLAIN, "a", 0)
    for text in ("", "a "):
        with raising(ArgumentError, "a completion needs the beginning of a word at the end of the text"):
            completions(PLAIN, text)
