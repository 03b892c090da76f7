"""The search of the documentation on pages of a line: what its words weigh."""

from captured_notes import noted

import toysearch
from toysearch.cli import docs_search


def searched(*pages: dict[str, str]) -> toysearch.Searcher:
    """Pages of one section each; what a page does not say is empty."""
    fields = dict.fromkeys(("title", "purpose", "text", "name"), "")
    documents = [{"doc_id": str(n), "page": str(n), "label": "", **fields, **page} for n, page in enumerate(pages)]
    return docs_search.searcher_of(documents)


def first(searcher: toysearch.Searcher, question: str) -> str:
    with noted():
        return searcher.search(docs_search.words_of(question), 1)[0].doc_id


def test_a_title_counts_more_than_a_purpose_and_that_more_than_a_text():
    searcher = searched(
        {"text": "kappa"}, {"purpose": "kappa"}, {"title": "kappa"}, *[dict.fromkeys(docs_search.FIELDS, "nothing")] * 9
    )
    with noted():
        assert [hit.doc_id for hit in searcher.search("kappa")] == ["2", "1", "0"]


def test_signs_of_the_query_language_are_none():
    searcher = searched({"text": "facets of a search"}, *[{"text": "nothing"}] * 5)
    for question in ("search --facets", '"facets', "+facets -search", "facets?", "NOT facets"):
        assert first(searcher, question) == "0"


def test_the_sections_are_indexed_without_a_note():
    texts = {"text": "chunks of words", "purpose": "what a reader of this page looks for"}
    with noted() as notes:
        searched(texts, texts)
    assert notes == []
