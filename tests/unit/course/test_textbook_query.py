"""Phrases, ranges, synonyms and regular expressions step by step: by hand, and against the search."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from toysearch import Analyzer, Document, Index
from toysearch.base.errors import ArgumentError
from toysearch.course.textbook_query import (
    merge_positions,
    phrase_merge,
    range_lookup,
    synonym_counts,
    term_scan,
    textbook_query,
)
from toysearch.course.textbook_text import textbook_step_text
from toysearch.query.parser import parse
from toysearch.query.syntax import Phrase, Range, Regex, Synonyms, Term
from toysearch.search.derived_terms import Words, positions
from toysearch.search.matching import Matcher


def test_positions_by_hand():
    first, second = [2, 10, 30], [3, 12, 20, 27]
    assert [(step.first, step.second, step.kept) for step in merge_positions(first, second)] == [
        (2, 3, True), (10, 3, False), (10, 12, False), (30, 12, False), (30, 20, False), (30, 27, False),
    ]  # fmt: skip
    assert [step[:2] for step in merge_positions(first, second, "up to", 2) if step.kept] == [(2, 3), (10, 12)]
    assert [step[:2] for step in merge_positions(first, second, "within", 4) if step.kept] == [
        (2, 3), (10, 12), (30, 27),
    ]  # fmt: skip
    with pytest.raises(ArgumentError, match="positions must be rising"):
        merge_positions([2, 2], [3])


@pytest.mark.parametrize(
    "phrase",
    [Phrase("a", "b"), Phrase("b", "a"), Phrase("a", "b", gap=3), Phrase("a", "b", slop=2), Phrase("a", "b", slop=4)],
    ids=str,
)
def test_occurrences_are_those_of_the_search(phrase):
    random = Random(1)
    for _ in range(50):
        text = " ".join(random.choices("abc", k=random.randrange(2, 20)))
        index = Index.build([text], Analyzer(tokens="word1"))
        merge = phrase_merge(index, phrase)
        if merge is None:
            assert not {"a", "b"} <= {*text.split()}
            continue
        numbers = tuple(index.term_number(word) for word in phrase.words)
        assert merge.starts == positions(index, Words(numbers, (0, 1), phrase.slop, phrase.gap), 0)
        assert len(merge.comparisons) < sum(merge.lengths)


def test_the_document_of_a_phrase():
    english = Analyzer.for_language("english")
    index = Index.build(["cats, dogs", "state of the art", "art of the state"], english)
    merge = phrase_merge(index, Phrase("states", "of", "the", "art", "cat"))
    assert (merge.doc_id, merge.near, merge.distance, merge.words, merge.starts) == (
        "2",
        "at",
        3,
        ("state", "art"),
        [0],
    )
    assert phrase_merge(index, Phrase("cat", "art")) is None
    assert phrase_merge(index, Phrase("cat", "xyzzy")) is None
    assert phrase_merge(index, Phrase("cat", "cats")) is None
    assert phrase_merge(index, Phrase("the", "cat")) is None


def test_a_range_is_found_as_by_counting():
    years = ["1990", "1995", "", "1995", "2001", "2010"]
    documents = [Document(str(n), "a cat", "", {"text": "a cat", "year": year}) for n, year in enumerate(years)]
    index = Index.build(documents, values=["year"])
    ends = [-np.inf, 1980, 1990, 1995, 1996, 2010, 2020, np.inf]
    for low, high, above, below in product(ends[:-1], ends[1:], [False, True], [False, True]):
        node = Range("year", low, high, above, below)
        lookup = range_lookup(index, node)
        assert max(lookup.last - lookup.first + 1, 0) == len(Matcher(index).matches(node)), node
        assert len(lookup.comparisons) <= 6  # of 5 numbers, at most 3 for each end
    assert [step[:3] for step in range_lookup(index, Range("year", 1995)).comparisons] == [
        ("low", 3, 1995.0), ("low", 2, 1995.0), ("low", 1, 1990.0),
    ]  # fmt: skip


def test_synonyms_have_the_counts_of_one_term():
    index = Index.build(["dog puppy dog", "cat", "a puppy", "guide dog"])
    group = Synonyms(Term("dog"), Term("puppy"), Phrase("guide", "dog"), Term("xyzzy"))
    counts = synonym_counts(index, group)
    assert counts.rows == [(1, 2, 1, 0, 0, 3), (3, 0, 1, 0, 0, 1), (4, 1, 0, 1, 0, 2)]
    assert counts.df == [2, 2, 1, 0, 3]
    (term,) = Matcher(index).query_terms(group).derived
    assert [(doc + 1, tf) for doc, tf in zip(term.docs, term.tf, strict=True)] == [
        (row[0], row[-1]) for row in counts.rows
    ]


def test_a_regular_expression_is_compared_with_whole_terms():
    scan = term_scan(Index.build(["color colour", "discoloured colt"]), Regex("colou?r"))
    assert (scan.n_terms, scan.terms, scan.in_part) == (4, ["color", "colour"], ["discoloured"])


def test_every_step_is_narrow():
    fields = [{"text": text, "year": "2010"} for text in ("the guide dog", "a puppy", "guide of a dog")]
    index = Index.build([Document(str(n), own["text"], "", own) for n, own in enumerate(fields)], values=["year"])
    tree = parse('"guide dog" #uw4(dog guide) #od3(guide dog) #syn(dog puppy) year:[2000 TO 2011} /d.g/ dgo~ d*g').tree
    steps = textbook_query(tree, index)
    assert [type(step).__name__ for step in steps][:6] == [
        *["PositionalMerge"] * 3,
        "SynonymCounts",
        "RangeLookup",
        "TermScan",
    ]
    for step in steps[:6]:
        assert max(map(len, textbook_step_text(step).splitlines())) <= 80
    assert textbook_step_text(steps[1]) == (
        '"dog guide"~4 in document 0; its first word has the position 0\n'
        "an occurrence: both within 4 words\n\n"
        "step  dog  guide  outcome\n"
        "   1    2      1  1 − 2 = -1: an occurrence at 1, on in guide\n\n"
        "1 comparison of at most 1 + 1; occurrences at: 1"
    )
