"""Two documents side by side as a table: what goes where there is no room."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch import Document, Index, Searcher, explain_order, model
from toysearch.reports.order import order_table


@model
def fields_apart(tf_title, tf_text, df, N, *, boost=1.0):
    idf = np.log(1 + N / df)
    count = tf_text + boost * tf_title
    return idf * count / (count + 1)


@pytest.mark.parametrize(
    ("ids", "header"),
    [
        ("ab", "part df idf tf title a tf text a count a a tf title b tf text b count b b ahead by"),
        (("docs-1", "docs-2"), "part df idf docs-1 docs-2 ahead by"),
    ],
    ids=["short", "long"],
)
def test_an_idf_stays_where_the_statistics_of_postings_have_to_go(ids, header):
    fields = [{"title": "fox", "text": "cat cat fox"}, {"title": "cat", "text": "cat dog"}]
    documents = [Document(doc_id, each["text"], "", each) for doc_id, each in zip(ids, fields, strict=True)]
    index = Index.build(documents, fields=["title", "text"])
    table = order_table(explain_order(Searcher(index, fields_apart), "cat fox", *ids))
    assert table.splitlines()[0].split() == header.split()
    assert max(map(len, table.splitlines())) <= 80
