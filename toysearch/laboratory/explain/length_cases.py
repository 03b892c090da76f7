"""A long document and a short one that hold a word: which of them a model puts first, and by which scores."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.index.index import Index
from toysearch.models.mixture import ModelLike
from toysearch.records import Document, Ranking
from toysearch.search.searcher import Searcher

_WORD = "match"
_OTHERS = 8  # documents without the word: under ln(N/df) a word of every document would weigh nothing
_LENGTH = 100  # words of each of them


def ranking_of_lengths(model: ModelLike, documents: Sequence[tuple[int, int]]) -> Ranking:
    """How a model ranks documents of given lengths that hold a word given numbers of times.

    All their other words occur once and in one document only. Eight documents of 100 words lack the word.

    >>> ranking_of_lengths("tfidf", [(5000, 10), (100, 5)])
    <Ranking of 2 documents: 1 25.9029, 2 12.9515>
    >>> ranking_of_lengths("bm25", [(5000, 10), (100, 5)])[0].doc_id
    '2'
    """
    texts = [
        " ".join([_WORD] * matches + [f"word{i}of{number}" for i in range(words - matches)])
        for number, (words, matches) in enumerate(documents, 1)
    ]
    texts += [" ".join(f"other{i}of{number}" for i in range(_LENGTH)) for number in range(_OTHERS)]
    index = Index.build([Document(str(number), text) for number, text in enumerate(texts, 1)])
    return Searcher(index, model).search(_WORD, len(documents))
