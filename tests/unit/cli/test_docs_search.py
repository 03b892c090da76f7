"""The search of the documentation on pages of a line: how a question is read, and what its words weigh."""

from captured_notes import noted

from toysearch.cli import docs_search


def searched(*pages: dict[str, str]) -> docs_search.Sections:
    """Pages of one section each; what a page does not say is empty."""
    fields = dict.fromkeys(("title", "purpose", "text", "name"), "")
    documents = [{"doc_id": str(n), "page": str(n), **fields, **page} for n, page in enumerate(pages)]
    return docs_search.sections_of(documents)


def first(sections: docs_search.Sections, question: str) -> str:
    return docs_search.best_sections(sections.searcher, docs_search.read_words(sections, question).text)[0].doc_id


def test_joined_and_foreign_words_are_read_as_those_of_the_pages():
    texts = ["a box of plots", "plot a box", "retrieved documents", "a retrieved document"]
    sections = searched(*({"text": text} for text in [*texts, "normalisation", "of normalisation"]))
    meant = {
        "boxplot": "box plot",
        "RetrievedDocuments": "retrieved documents",
        "get_retrieved_documents()": "get retrieved documents()",
        "Normalisierung": "normalisation",
        "Plot": "Plot",
        "--boxplot": "--boxplot",
    }
    assert {typed: docs_search.read_words(sections, typed).text for typed in meant} == meant
    strange = docs_search.read_words(sections, "retrieving boxers normally --boxplots")
    assert strange == ("retrieving boxers normally --boxplots", ["boxers", "normally"])


def test_one_rare_word_does_not_outweigh_two_others():
    others = [{"text": "chunks"}] * 9 + [{"text": "sizes"}] * 9 + [{"text": "nothing"}] * 10
    sections = searched({"text": "banana fruit"}, *others, {"text": "sizes of chunks"})
    assert first(sections, "banana sizes of chunks") == "29"
    assert first(sections, "banana") == "0"


def test_a_number_says_less_than_a_word():
    sections = searched({"text": "42"}, {"text": "systems"}, *[{"text": "nothing"}] * 5)
    assert first(sections, "42 systems") == "1"


def test_a_name_within_a_question_counts():
    words = {"text": "chunk of a size"}
    sections = searched(words, words | {"name": "_chunk_size_"}, *[{"text": "nothing"}] * 5)
    assert first(sections, "chunk size or nothing") == "1"
    assert first(sections, "size of a chunk or nothing") == "0"


def test_own_is_a_word_of_questions_and_custom_means_it():
    sections = searched({"text": "files"}, {"text": "own files"}, {"text": "use"}, *[{"text": "nothing"}] * 5)
    assert [first(sections, f"{word} files") for word in ("my own", "custom", "do I use")] == ["1", "1", "0"]


def test_the_sections_are_indexed_without_a_note():
    texts = {
        "text": "chunks of words",
        "purpose": "what a reader of this page looks for",
        "name": "chunks and words too",
    }
    with noted() as notes:
        searched(texts, texts)
    assert notes == []
