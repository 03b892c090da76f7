"""How to repeat an experiment: versions, checksums of all that it read, and everything that was chosen."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

import toysearch
from toysearch.corpus.collection import Collection
from toysearch.index.index import Index
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.models.model import Model, public_name
from toysearch.models.parameter_ranges import value_text
from toysearch.models.registry import model as find_model
from toysearch.records import Document, Qrels, Query, Run

_LIBRARIES = ("numpy", "scipy", "numba", "PyStemmer", "altair", "vl-convert-python")


def versions() -> dict[str, str]:
    """What computed: toysearch, Python and the libraries that numbers and pictures depend on."""
    found = {"toysearch": toysearch.__version__, "Python": platform.python_version()}
    return found | {name: importlib.metadata.version(name) for name in _LIBRARIES}


def documents_checksum(documents: Iterable[Document]) -> str:
    """The SHA-256 of documents in their order: ids, texts that are searched, titles; whatever format they came in."""
    return _checksum(part for document in documents for part in document[:3])


def queries_checksum(queries: Iterable[Query]) -> str:
    """The SHA-256 of queries in their order: ids and texts."""
    return _checksum(part for query in queries for part in query)


def ids_checksum(found: Qrels | Run) -> str:
    """The SHA-256 of judgments or of a run in their order: query_ids, doc_ids, grades or scores."""
    numbers = found.relevance if isinstance(found, Qrels) else found.scores
    columns = [_texts(found.query_ids), _texts(found.doc_ids)]
    return _checksum([*columns, found.offsets.astype("<i8").tobytes(), numbers.astype("<f8").tobytes()])


def provenance(
    comparison: Comparison,
    *,
    collection: Collection | None = None,
    index: Index | None = None,
    k: int | None = None,
    command: str = "",
    more: Mapping[str, Any] | None = None,
) -> dict[str, dict[str, str]]:
    """Everything that the numbers of a comparison depend on, by heading, as texts."""
    found: dict[str, dict[str, str]] = {}
    if command:
        found["command"] = {"command": command}
    if collection is not None:
        found["collection"] = dict(_of_collection(collection))
    found["judgments"] = {"judgments": f"{len(comparison.qrels):,}", "SHA-256": ids_checksum(comparison.qrels)}
    if index is not None:
        stats = index.stats
        found["index"] = {
            "analyzer": str(index.analyzer),
            "documents": f"{stats.N:,}",
            "terms": f"{stats.n_terms:,}",
            "SHA-256": index.checksum,
        }
        found["models"] = {name: model_specification(name) for name in comparison.systems}
    found["runs (SHA-256)"] = {name: ids_checksum(run) for name, run in comparison.runs.items()}
    found["choices"] = {name: str(value) for name, value in _choices(comparison, k) if value is not None}
    found["choices"] |= {name: str(value) for name, value in (more or {}).items()}
    found["versions"] = versions()
    return found


def model_specification(name: str) -> str:
    """A model with all its parameters, the defaults too; what is no single model as its name says."""
    try:
        found = find_model(name)
    except toysearch.ToysearchError:
        return name  # a function of the user's, which only its file can name
    if not isinstance(found, Model) or not found.parameters:
        return name
    values = [f"{public_name(each)}={value_text(value)}" for each, value in found.parameters.items()]
    return f"{found.name}:{','.join(values)}"


def _of_collection(collection: Collection) -> Iterator[tuple[str, str]]:
    yield "name", collection.name
    if collection.title != collection.name:
        yield "title", collection.title
    yield "documents (SHA-256)", documents_checksum(collection.stream())
    yield "queries (SHA-256)", queries_checksum(collection.queries)
    yield "grades", collection.grades
    if collection.split:
        yield "split", collection.split


def _choices(comparison: Comparison, k: int | None) -> Iterator[tuple[str, Any]]:
    first = next(iter(comparison.evaluations.values()))
    yield "measures", ", ".join(map(str, comparison.measures))
    yield "baseline", comparison.baseline
    yield "test", comparison.how.test
    yield "correction", comparison.how.correction
    yield "corrected together", "all tests" if comparison.how.family == "all" else "the tests by one measure"
    yield "alpha", comparison.how.alpha
    yield "seed", comparison.how.seed
    yield "relevant from grade", f"{first.threshold:g}"
    yield "order of ties", first.ties
    yield "queries without relevant documents", first.undefined
    yield "only retrieved", "yes" if first.only_retrieved else "no"
    yield "convention", first.convention.name
    yield "k", k


def _texts(texts: Iterable[str]) -> bytes:
    """A column of texts as bytes: first how long each is, then all of them."""
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    return np.array([*map(len, encoded)], dtype="<i8").tobytes() + b"".join(encoded)


def _checksum(parts: Iterable[str | bytes]) -> str:
    """Of parts of any content: each with its length before it, so that none runs into the next."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
