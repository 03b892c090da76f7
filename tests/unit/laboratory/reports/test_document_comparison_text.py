"""Two documents side by side as a table: what goes where there is no room."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch import Document, Index, Searcher, explain_order, model
from toysearch.laboratory.reports.explanation_text import order_table


@model
def fields_apart(tf_title, tf_text, df, N, *, boost=1.0):
    idf = np.log(1 + N / df)
    count = tf_text + boost * tf_title
    return idf * count / (count + 1)


@pytest.mark.parametrize(
    ("ranking", "header"),
    [
        ("bm25", "part df idf tf a a tf b b ahead by"),  # the length is the document's, and stands above the table
        (fields_apart, "part df idf a b ahead by"),
    ],
    ids=["bm25", "fields apart"],
)
def test_an_idf_stays_where_the_statistics_of_postings_have_to_go(ranking, header):
    fields = {"a": {"title": "fox", "text": "cat cat fox"}, "b": {"title": "cat", "text": "cat cat dog hen"}}
    documents = [Document(doc_id, each["text"], "", each) for doc_id, each in fields.items()]
    index = Index.build(documents, fields=["title", "text"])
    table = order_table(explain_order(Searcher(index, ranking), "cat fox", "a", "b"))
    assert table.splitlines()[0].split() == header.split()
    assert max(map(len, table.splitlines())) <= 80
