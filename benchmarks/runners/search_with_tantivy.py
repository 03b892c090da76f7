"""tantivy, a search library in Rust, through its Python binding."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tantivy
from measuring import records
from searching import main

WORDS = re.compile(r"[^\W_]+")  # where its tokenizer cuts; its query parser would make phrases of hyphened words
MEMORY = 1_000_000_000


class Tantivy:
    """One segment, as large a buffer as it takes for that, no positions, no stored text."""

    packages = ("tantivy",)
    settings = (
        "default tokenizer, frequencies without positions, text not stored, number of the document as a fast field; "
        "1 GB buffer, one writing thread and so one segment; its BM25 (k1 = 1.2, b = 0.75; lengths in a byte); "
        "queries as a boolean query of terms, count=False; hits are document addresses with scores"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder
        self.threads = threads

    def build(self, corpus: Path) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", index_option="freq")
        schema.add_unsigned_field("number", fast=True)
        writer = tantivy.Index(schema.build(), path=str(self.folder)).writer(MEMORY, 1)
        for number, (_, text) in enumerate(records(corpus)):
            document = tantivy.Document(text=text)
            document.add_unsigned("number", number)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        index = tantivy.Index.open(str(self.folder))
        self.schema = index.schema
        self.searcher = index.searcher()

    def search(self, text: str, k: int) -> tantivy.SearchResult:
        terms = [tantivy.Query.term_query(self.schema, "text", word, "freq") for word in WORDS.findall(text.lower())]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        return self.searcher.search(query, k, count=False)

    def batch(self, texts: list[str], k: int) -> list[tantivy.SearchResult]:
        if self.threads == 1:
            return [self.search(text, k) for text in texts]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(lambda text: self.search(text, k), texts))

    def documents(self, hits: tantivy.SearchResult) -> list[int]:
        addresses = [address for _, address in hits.hits]
        return [int(number) for number in self.searcher.fast_field_values("number", addresses)]


if __name__ == "__main__":
    main(Tantivy)
