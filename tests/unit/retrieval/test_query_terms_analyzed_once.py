"""The text of a query is tokenised once: for the search, its notes, and the marks in titles and passages."""

import re
from collections import Counter

import pytest

from toysearch import Analyzer, Document, Index, Searcher, study
from toysearch.retrieval.query_terms import analyzed

DOCUMENTS = [
    Document("1", "the pale comet near a moon", "one"),
    Document("2", "dark moons and no comet", "two"),
    Document("3", "a planet with rings", "three"),
]
QUERIES = [
    "comet",
    "pale comet",
    "moon near",
    "comet -moons",
    '"pale comet" planet',
    "+comet rings^2",
    "comet AND moon",
]


class Counting:
    """Tokenizer that counts the texts that it is given."""

    def __init__(self):
        self.texts = Counter()

    def __call__(self, text):
        self.texts[text] += 1
        return re.findall(r"\w+", text)


def _index():
    counting = Counting()
    index = Index.build(DOCUMENTS, Analyzer(tokens=counting))
    counting.texts.clear()
    return index, counting


@pytest.mark.parametrize("query", QUERIES)
def test_the_shell_and_python_tokenise_each_text_of_a_query_once(query):
    index, counting = _index()
    found = study.find(index, query)
    assert found.data()["hits"]
    assert format(found)
    of_query = {text: n for text, n in counting.texts.items() if text in query or text == query.replace('"', "")}
    assert of_query
    assert max(of_query.values()) == 1


@pytest.mark.parametrize("query", QUERIES)
def test_a_searcher_tokenises_each_text_of_a_query_once(query):
    index, counting = _index()
    ranking = Searcher(index).search(query)
    assert [(hit.title, hit.passage) for hit in ranking]
    of_query = {text: n for text, n in counting.texts.items() if text in query}
    assert of_query
    assert max(of_query.values()) == 1


def test_many_queries_keep_few_texts():
    index, _ = _index()
    searcher = Searcher(index)
    for number in range(200):
        searcher.search(f"comet {number}")
    assert 0 < len(index.memo[analyzed]) <= 64
    assert {hit.doc_id for hit in searcher.search("comet 0")} == {"1", "2"}
