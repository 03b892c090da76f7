"""Parts of a query without a term neither require nor exclude documents, whatever the operators around them."""

import itertools
import json

import pytest
from shell import run

from toysearch import Index, Query, Searcher
from toysearch.query.syntax import And, Boost, Field, Not, Optional, Phrase, Synonyms, Term
from toysearch.retrieval.matching import Matcher

TEXTS = ["the pale comet", "the dark comet and a moon", "a moon of the planet", ""]
WRITTEN = {  # {0} stands for the dropped word; the query without it, and whether a note says so
    "+{0} comet": ("comet", True),
    "comet +{0}": ("comet", True),
    "+{0} comet -moon": ("comet -moon", True),
    "+{0}^3 comet -moon": ("comet -moon", True),
    "+({0} {0}) comet -moon": ("comet -moon", True),
    '+"{0} {0}" comet -moon': ("comet -moon", True),
    "+#syn({0} {0}) comet -moon": ("comet -moon", True),
    "+{0} +comet moon": ("+comet moon", True),
    "+comet +{0} -moon": ("+comet -moon", True),
    "comet -{0}": ("comet", True),
    "comet -moon -{0}": ("comet -moon", True),
    "comet AND {0}": ("+comet", True),
    "{0} AND comet AND NOT moon": ("comet AND NOT moon", True),
    "(+{0} comet) OR planet": ("comet OR planet", True),
    "(+{0} comet) AND moon": ("comet AND moon", True),
    "+(+{0} comet) +(+{0} moon)": ("comet AND moon", True),
    "(+{0} comet -moon) OR planet": ("(comet -moon) OR planet", True),
    "{0} OR (comet -moon)": ("comet -moon", False),
    "{0}^2 comet": ("comet", False),
    '"{0} {0}" comet': ("comet", False),
    "#syn({0} comet)": ("comet", False),
}
CASES = [
    (query.format(word), without, noted)
    for word, (query, (without, noted)) in itertools.product(("the", "7"), WRITTEN.items())
]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, analyzer="english")


def _hits(ranking):
    return [(hit.doc_id, hit.score) for hit in ranking]


def _said(notes):
    return [str(one.message) for one in notes if "without a term" in str(one.message)]


@pytest.mark.parametrize(("query", "without", "noted"), CASES)
@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet", "lsa:2"])
def test_documents_and_scores_are_those_without_the_part(index, query, without, noted, model, recwarn):
    searcher = Searcher(index, model)
    wanted = _hits(searcher.search(without))
    assert wanted
    recwarn.clear()
    assert _hits(searcher.search(query)) == wanted
    assert len(_said(recwarn)) == noted
    assert _hits(searcher.run([Query("1", query)], query_mode="lenient")) == wanted


@pytest.mark.parametrize(
    "tree",
    [
        And(Term("the"), Optional(Term("comet")), Not(Term("moon"))),
        And(Boost(Term("the"), 2), Optional(Term("comet")), Not(Term("moon"))),
        And(Phrase("the of"), Term("comet"), Not(Term("moon")), Not(Term("??"))),
        And(Synonyms(Term("the"), Phrase("of")), Term("comet"), Not(Term("moon"))),
        And(Term("comet"), Not(Term("moon")), Optional(Term("the"))),
        And(Not(Term("the")), Not(Term("moon")), Term("comet")),
    ],
)
def test_a_tree_of_python_is_read_alike(index, tree):
    assert _hits(Searcher(index).search(tree)) == _hits(Searcher(index).search("comet -moon"))
    assert Matcher(index).matches(tree).tolist() == [0]


def test_a_field_without_a_term_requires_nothing():
    index = Index.build(
        [{"title": "the sky", "text": "a comet"}, {"title": "moon", "text": "sky"}],
        fields=["title", "text"],
        analyzer="english",
    )
    tree = And(Field("title", Term("the")), Optional(Term("comet")))
    assert [hit.doc_id for hit in Searcher(index).search(tree)] == ["1"]


def test_nothing_but_such_parts_is_an_empty_query(index):
    with pytest.warns(match="the analyzer leaves no term of the query: 'the' is on the list of stop words"):
        assert not len(Searcher(index).search("+the -7"))


@pytest.mark.parametrize("command", ["search", "run"])
def test_commands_search_alike(tmp_path, command):
    docs = tmp_path / "sky.jsonl"
    docs.write_text("".join(f'{{"id": "{number}", "text": "{text}"}}\n' for number, text in enumerate(TEXTS)))
    if command == "search":
        done = run("search", docs, "+the comet -moon", "--analyzer", "english", "--explain", "--format", "json")
        assert [hit["doc_id"] for hit in json.loads(done.stdout)["hits"]] == ["0"]
    else:
        queries = tmp_path / "queries.tsv"
        queries.write_text("1\t+the comet -moon\n")
        done = run("run", docs, "--queries", queries, "--query-mode", "lenient", "--analyzer", "english", "-o", "-")
        assert [line.split()[2] for line in done.stdout.splitlines()] == ["0"]
    assert done.stderr.count("a part without a term neither requires nor excludes documents") == 1


def test_optional_parts_stay_optional_beside_excluded_ones(index):
    tree = And(Not(Term("moon")), Optional(Term("comet")), Optional(Term("the")))
    assert Matcher(index).matches(tree).tolist() == [0, 3]


def test_optional_parts_that_are_left_are_alternatives(index):
    tree = And(Not(Term("the")), Optional(Term("comet")), Optional(Term("planet")))
    assert Matcher(index).matches(tree).tolist() == [0, 1, 2]
