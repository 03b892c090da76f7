"""`toysearch query`: the outline of a query, in each form."""

import json
from functools import partial

import pytest
import shell

import toysearch

pytestmark = pytest.mark.system

run = partial(shell.run, "query")


def test_a_collection_is_indexed_with_the_fields_of_the_query():
    result = run("title:dogs AND date:>=2010 subject:cats", "companions", "--json")
    data = json.loads(result.stdout)
    assert data["query"] == r"(title:dogs AND date:[2010 TO *]) OR subject\:cats"
    assert data["remarks"] == ["'subject:cats' is text: unknown field 'subject'. Fields: title, text, date, topic"]
    counts = {}

    def walk(part):
        counts[part["text"]] = part["n_documents"]
        for inner in part["parts"]:
            walk(inner)

    walk(data["tree"])
    collection = toysearch.load("companions")
    dogs = {
        document.doc_id
        for document in collection.stream()
        if "dog" in toysearch.Analyzer.for_language("english")(document.title)
    }
    recent = {document.doc_id for document in collection.stream() if document.fields["date"] >= "2010"}
    assert counts["title:dogs"] == len(dogs) > 0
    assert counts["date:[2010 TO *]"] == len(recent) > 0
    assert counts["title:dogs AND date:[2010 TO *]"] == len(dogs & recent)
