"""Checksums of what an experiment depends on: equal ones mean that its values are those of another run of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.variants import variant
from toysearch.index.index import Index
from toysearch.laboratory.experiments.grids import Axis
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model
from toysearch.records import Qrels

_DIGITS = 16  # of a checksum: enough to tell files apart, short enough to read


def data_fingerprint(index: Index, queries: Mapping[str, str], qrels: Qrels) -> str:
    """A checksum of what an index counts, of queries and of judgments."""
    digest = hashlib.sha256()
    for strings in (index.doc_ids, index.terms, *queries.items(), qrels.query_ids, qrels.doc_ids):
        for text in strings:
            digest.update(text.encode(errors="surrogatepass") + b"\0")
        digest.update(b"\n")
    of_fields = [index.fields.dl(name) for name in index.fields.names]
    counts = [index.tf(0, len(index.docs)), index.docs, index.offsets, index.dl, index.bytes, *of_fields]
    for array in (*counts, qrels.relevance, qrels.offsets):
        digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    return digest.hexdigest()[:_DIGITS]


def choices_fingerprint(analyzer: Analyzer, axes: Iterable[Axis]) -> str:
    """A checksum of what the choices of the analysis stand for: the words of a file, not its name."""
    named = [(axis.name, str(value)) for axis in axes if axis.of_analysis for value in axis.values]
    made = [variant(analyzer, {name: value}).to_dict() for name, value in named]
    return hashlib.sha256(json.dumps(made).encode()).hexdigest()[:_DIGITS] if made else ""


def code_fingerprint(model: Model | Mixture) -> str:
    """A checksum of the files with a model's functions; an empty text where all are toysearch's own or formulas."""
    files = {}
    for each in model.models:
        for function in (each.function, *each.hooks.values(), each.similarity.function):
            code = getattr(function, "__code__", None)
            own = str(getattr(function, "__module__", "")).startswith("toysearch.")
            if code is not None and not own and Path(code.co_filename).is_file():
                files[code.co_filename] = Path(code.co_filename).read_bytes()
    if not files:
        return ""
    return hashlib.sha256(b"\0".join(files[name] for name in sorted(files))).hexdigest()[:_DIGITS]
