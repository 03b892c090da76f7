"""tantivy, a search library in Rust, through its Python binding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tantivy
from searching import main

WORDS = re.compile(r"[^\W_]+")  # where its tokenizer cuts; its query parser would make phrases of hyphened words
MEMORY = 1_000_000_000


class Tantivy:
    """One segment, as large a buffer as it takes for that, no positions, no stored text."""

    packages = ("tantivy",)
    settings = (
        "default tokenizer, frequencies without positions, text not stored, number of the document as a fast field; "
        "1 GB buffer, a writing thread a core, index on disk (tmp); its BM25 (k1 = 1.2, b = 0.75; lengths in a byte); "
        "queries as a boolean query of terms, count=False; hits are document addresses with scores"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder
        self.threads = threads

    def take(self, documents: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return list(documents)

    def build(self, documents: list[tuple[str, str]]) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", index_option="freq")
        schema.add_unsigned_field("number", fast=True)
        self.schema = schema.build()
        self.index = tantivy.Index(self.schema, path=str(self.folder))
        writer = self.index.writer(MEMORY, self.threads)
        for number, (_, text) in enumerate(documents):
            document = tantivy.Document(text=text)
            document.add_unsigned("number", number)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()
        self.names = [doc_id for doc_id, _ in documents]

    def save(self) -> Path:
        return self.folder

    def analyse(self, text: str) -> tantivy.Query:
        terms = [tantivy.Query.term_query(self.schema, "text", word, "freq") for word in WORDS.findall(text.lower())]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])

    def search(self, text: str, k: int) -> tantivy.SearchResult:
        return self.searcher.search(self.analyse(text), k, count=False)

    def batch(self, texts: list[str], k: int) -> list[tantivy.SearchResult]:
        if self.threads == 1:
            return [self.search(text, k) for text in texts]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(lambda text: self.search(text, k), texts))

    def doc_ids(self, hits: tantivy.SearchResult) -> list[str]:
        addresses = [address for _, address in hits.hits]
        return [self.names[int(number)] for number in self.searcher.fast_field_values("number", addresses)]


if __name__ == "__main__":
    main(Tantivy)
