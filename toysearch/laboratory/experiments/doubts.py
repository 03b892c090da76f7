"""What makes the judgments of a collection doubtful, told once before any figure that is measured on it."""

from __future__ import annotations

import math

from toysearch.corpus.collection import Collection
from toysearch.errors import note, without_notes
from toysearch.evaluation.lint import doubts
from toysearch.formats.text_files import counted
from toysearch.index.index import Index
from toysearch.search.searcher import Searcher

_MOST = 1000  # queries that are ranked, and judgments that are looked up
_DEPTH = 100  # ranks that are looked at
_FEW = 0.05  # share of judgments of missing documents that changes figures but little


def tell_doubts(collection: Collection, index: Index) -> None:
    """Tell as notes what `toysearch check` would call an error of the judgments.

    Grades that run backwards and numbers shifted by one show in a ranking: plain BM25 makes one of the judged
    queries, whatever model is measured, so that every command tells the same.
    """
    qrels = collection.qrels
    with without_notes():  # what a search tells is told when the systems search
        run = Searcher(index).run(list(collection.judged_queries)[:_MOST], _DEPTH)
    for sentence in [*doubts(run, qrels, collection.queries.query_ids), *_missing_documents(collection, index)]:
        note(sentence)


def _missing_documents(collection: Collection, index: Index) -> list[str]:
    """That many judgments are of documents that the index does not hold; of many judgments a part is looked up."""
    doc_ids = collection.qrels.doc_ids[:: math.ceil(len(collection.qrels) / _MOST) or 1]
    order = index.doc_ids_order
    absent = [doc_id for doc_id in doc_ids if index.doc_ids.find(doc_id, order) < 0]
    if len(absent) < _FEW * len(doc_ids) or not absent:
        return []
    return [
        f"missing documents: {len(absent)} of {counted(len(doc_ids), 'judgment')} looked up are of documents that are "
        f"not there, such as '{absent[0]}'; a relevant one counts as not found, for every system: another edition?"
    ]
