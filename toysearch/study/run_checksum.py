"""Checksum of what a run is made of: an index, queries, a model and its code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from toysearch.base import NO_JUDGMENTS, Qrels
from toysearch.index.inverted_index import Index
from toysearch.models import Model, Ranker, is_shipped
from toysearch.models.rankers import functions_in, parts_of
from toysearch.retrieval import Searcher

_DIGITS = 16  # of a checksum: enough to distinguish files, short enough to read


def data_fingerprint(index: Index, queries: Mapping[str, str], qrels: Qrels) -> str:
    """Return a checksum of the counts of an index, of queries and of judgments."""
    digest = hashlib.sha256()
    for strings in (index.doc_ids, index.terms, *queries.items(), qrels.query_ids, qrels.doc_ids):
        for text in strings:
            digest.update(text.encode(errors="surrogatepass") + b"\0")
        digest.update(b"\n")
    of_fields = [index.fields.dl(name) for name in index.fields.names]
    counts = [*reversed(index.blocks.span()), index.offsets, index.dl, index.bytes, *of_fields]
    for array in (*counts, qrels.relevance, qrels.offsets):
        digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    return digest.hexdigest()[:_DIGITS]


def checksum(content: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def code_fingerprint(model: Model | Ranker) -> str:
    """Return a checksum of the files with a model's functions, vectors and rankers; "" if there are none."""
    # The checksums of the files of vectors, of the functions that make those of queries, and of learned rankers.
    files = {}
    for path in (path for part in parts_of(model) for path in getattr(part, "files", ())):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                with file.open("rb") as opened:
                    files[str(file)] = hashlib.file_digest(opened, "sha256").digest()
    for function in functions_in(model):
        code = getattr(function, "__code__", None)
        if code is not None and not is_shipped(function) and Path(code.co_filename).is_file():
            files[code.co_filename] = Path(code.co_filename).read_bytes()
    if not files:
        return ""
    return checksum(b"\0".join(files[name] for name in sorted(files)))


def run_fingerprint(searcher: Searcher, queries: Mapping[str, str], *how: object) -> str:
    """Return a checksum of the inputs of a run: counts of the index, queries, the model with its code, and settings."""
    data, model = data_fingerprint(searcher.index, queries, NO_JUDGMENTS), searcher.model
    parts = data, searcher.index.analyzer, model, code_fingerprint(model), *how
    return checksum("\0".join(map(str, parts)).encode())
