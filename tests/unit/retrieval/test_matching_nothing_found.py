"""What is said where a query finds nothing: phrases, stems, n-grams, ids."""

import re

import pytest
from shell import run

from toysearch import Index, Searcher
from toysearch.base import ArgumentError
from toysearch.query.syntax import Phrase
from toysearch.retrieval.matching import Matcher

TEXTS = ["a comet and the moon", "the moon and a planet", "training comets", "an orbiting moon"]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, analyzer="english")


def _said(index, query, recwarn):
    assert not len(Searcher(index).search(query))
    return [str(one.message) for one in recwarn]


APART = "no document has the phrase {}; its words occur apart"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('"moon comet"', APART.format('"moon comet"')),
        ('"comet planet"~3', APART.format('"comet planet"~3')),
        ("#od3(planet comet)", APART.format("#od3(planet comet)")),
        ('+"moon comet" planet', APART.format('"moon comet"')),
        ('planet AND "moon comet"', APART.format('"moon comet"')),
        (
            '"moon comet" "planet comet"',
            'no document has the phrases "moon comet", "planet comet"; their words occur apart',
        ),
        ('"moon unicorn"', 'no document contains a phrase of the query ("moon unicorn")'),
        ('"moon comet" unicorn', 'no document contains a term or phrase of the query ("moon comet", unicorn)'),
        ("unicorn dragon", "no document contains a term of the query (unicorn, dragon)"),
    ],
)
def test_a_phrase_whose_words_occur_apart_is_told_as_such(index, query, said, recwarn):
    assert said in _said(index, query, recwarn)


def test_an_id_as_a_query_is_told_how_to_see_the_document(tmp_path, recwarn):
    documents = [{"id": "SKU-7", "text": "a comet"}, {"id": "SKU-8", "text": "a moon"}]
    index = Index.build(documents)
    assert _said(index, "SKU-7", recwarn)[-1].endswith("it is the id of a document: Index.vector('SKU-7') shows it")
    index.save(tmp_path / "sky.idx")
    said = " ".join(run("search", tmp_path / "sky.idx", "SKU-7").stderr.split())
    assert re.search(r"toysearch show \S+sky\.idx --doc SKU-7 shows it", said)
    assert run("show", tmp_path / "sky.idx", "--doc", "SKU-7").exit_code == 0
    assert "id of a document" not in run("search", tmp_path / "sky.idx", "SKU-9").stderr


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        ("training*", "train*"),
        ("train?ng", "train*"),
        ("*raining", "*rain"),
        ("orb*ing", "orb*"),
        ("traini*", "train*"),
        ("tr*ning", "tr*n*"),
        ("training~1", "train~1"),
    ],
)
def test_a_pattern_that_fits_no_stem_is_told_one_that_does(index, pattern, instead, recwarn):
    assert f"terms are stems: no term fits {pattern}, and {instead} would fit" in _said(index, pattern, recwarn)
    assert len(Searcher(index).search(instead))


@pytest.mark.parametrize(("pattern", "instead"), [("*phone*", "*phon*"), ("*phone", "*phon*")])
def test_a_wildcard_that_does_not_fit_all_stems_is_told_one_that_does(pattern, instead, recwarn):
    searcher = Searcher(Index.build(["an iphone", "the phones", "phone00001"], analyzer="english"))
    found = searcher.search(pattern)
    assert f"terms are stems: {pattern} does not fit all of its words, and {instead} would" in str(recwarn[0].message)
    assert len(found) < len(searcher.search(instead))


PATTERNS = [("xq?z", "english"), ("trai?g", "plain")]


@pytest.mark.parametrize(("pattern", "analyzer"), PATTERNS)
def test_no_stem_is_told_where_none_would_help(pattern, analyzer, recwarn):
    Searcher(Index.build(TEXTS, analyzer=analyzer)).search(pattern)
    assert not [one for one in recwarn if "stems" in str(one.message)]


@pytest.mark.parametrize("ngrams", ["1-2", "2", "2-3"])
def test_a_phrase_of_as_many_words_is_an_n_gram(ngrams):
    index = Index.build(TEXTS, analyzer=f"plain:ngrams={ngrams}")
    assert Searcher(index).search('"the moon"').doc_ids == Searcher(Index.build(TEXTS)).search('"the moon"').doc_ids


@pytest.mark.parametrize("analyzer", ["plain:ngrams=1-2", "plain:ngrams=2", "plain:char_ngrams=3"])
def test_a_longer_phrase_of_n_grams_is_refused(analyzer):
    index = Index.build(TEXTS, analyzer=analyzer)
    with pytest.raises(ArgumentError, match=r"and the analyzer plain:.*grams=.* makes n-grams"):
        Searcher(index).search('"comet and the"')
    with pytest.raises(ArgumentError, match="makes n-grams"):
        Matcher(index).matches(Phrase("the", "moon", slop=4))


def test_a_phrase_of_one_word_is_the_word_in_n_grams():
    index = Index.build(TEXTS, analyzer="plain:char_ngrams=3")
    assert {*Searcher(index).search('"comet"').doc_ids} == {*Searcher(index).search("comet").doc_ids}
