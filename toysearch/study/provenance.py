"""Provenance: everything that a run or a number depends on, as texts that another machine can compare."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import toysearch
from toysearch.base import Document, Qrels, Query, Run, version_of
from toysearch.collection.collection import Collection
from toysearch.files import record_in, record_of, sha256, write_texts
from toysearch.files.source import AnyPath
from toysearch.index.inverted_index import Index
from toysearch.models import public_name, value_text
from toysearch.models.registry import model as find_model
from toysearch.study.system import BETWEEN

if TYPE_CHECKING:
    from toysearch.study.study import Study

Facts: TypeAlias = dict[str, dict[str, str]]
"""Heading → name → text."""

_LIBRARIES = ("numpy", "scipy", "PyStemmer", "altair", "vl-convert-python")


def versions() -> dict[str, str]:
    """Return the versions of toysearch, Python and the libraries that numbers and pictures depend on."""
    numbers = {"toysearch": toysearch.__version__, "Python": platform.python_version()}
    # There may be no wheel of a library for this Python.
    return numbers | {name: version_of(name) or "not installed" for name in _LIBRARIES}


def documents_checksum(documents: Iterable[Document]) -> str:
    """SHA-256 of documents in their order: ids, searched texts and titles, whatever their format."""
    return _checksum(part for document in documents for part in document[:3])


def queries_checksum(queries: Iterable[Query]) -> str:
    """SHA-256 of queries in their order: ids and texts."""
    return _checksum(part for query in queries for part in query)


def ids_checksum(found: Qrels | Run) -> str:
    """SHA-256 of judgments or of a run in their order: query_ids, doc_ids, grades or scores."""
    columns = [_texts(found.query_ids), _texts(found.doc_ids)]
    return _checksum([*columns, found.offsets.astype("<i8").tobytes(), found.values.astype("<f8").tobytes()])


def provenance(
    collection: Collection | None,
    qrels: Qrels | None,
    indexes: Mapping[str, Index],
    models: Iterable[str],
    runs: Mapping[str, Run],
    choices: Mapping[str, Any],
    command: str = "",
) -> Facts:
    """Return everything that numbers depend on, by heading, without what is empty or None.

    indexes : name of each system → its index
    models : names of the systems that rank
    """
    facts = {"command": {"command": command} if command else {}}
    if collection is not None:  # with checksums of what was read of it for an experiment; a search alone reads it once
        is_asked = len(collection.queries) > 0
        has_texts = collection.word_counts or all(index.texts is not None for index in indexes.values())
        documents = documents_checksum(collection.stream()) if is_asked and has_texts else ""
        of_collection = {
            "name": collection.name,
            "title": collection.title if collection.title != collection.name else "",
            "documents (SHA-256)": documents,
            "queries (SHA-256)": queries_checksum(collection.queries) if is_asked else "",
            "grades": collection.grades,
            "split": collection.split,
        }
        facts["collection"] = {name: text for name, text in of_collection.items() if text}
    if qrels is not None:
        facts["judgments"] = {"judgments": f"{len(qrels):,}", "SHA-256": ids_checksum(qrels)}
    alone = len({*map(id, indexes.values())}) == 1
    for name, index in indexes.items():
        facts["index" if alone else f"index of {name}"] = {
            "analyzer": str(index.analyzer),
            "documents": f"{index.stats.N:,}",
            "terms": f"{index.stats.n_terms:,}",
            "SHA-256": index.checksum,
        }
    facts["models"] = {name: model_specification(name) for name in models}
    facts["runs (SHA-256)"] = {name: ids_checksum(run) for name, run in runs.items()}
    facts["choices"] = {name: str(value) for name, value in choices.items() if value is not None}
    return {heading: texts for heading, texts in (facts | {"versions": versions()}).items() if texts}


def provenance_of(study: Study, command: str = "", **choices: Any) -> Facts:
    """Return what the numbers of a study depend on; its choices of ranking and scoring come before those given."""
    how, collection, qrels = study.scoring, study.collection(), None
    if study.given.source is None:
        qrels = study.qrels()
    elif collection is not None and len(collection.qrels):
        qrels = collection.qrels
    of_study = {
        "relevant from grade": None if qrels is None else f"{study.threshold():g}",
        "order of ties": how.ties,
        "query mode": how.query_mode,
        "k": how.k if study.models else None,
    }
    runs = {run.name: run for run in study.fixed_runs}
    indexes = study.indexes()
    return provenance(collection, qrels, indexes, [*indexes], runs, of_study | choices, command)


def write_record(file: AnyPath, facts: Facts) -> None:
    """Write what a run was made with beside its file, of which it keeps the checksum."""
    content = {"file": {"name": Path(file).name, "SHA-256": sha256(file)}, **facts}
    write_texts([json.dumps(content, ensure_ascii=False, indent=1), "\n"], record_of(file))


def record_lines(file: AnyPath) -> list[str]:
    """Say what a run was made with, and whether its file has changed since; nothing without a record."""
    path = record_of(file)
    if (content := record_in(path)) is None:
        return []
    of_file, command = content.pop("file"), content.pop("command", {})
    lines = [f"{heading}: {', '.join(map(' '.join, texts.items()))}" for heading, texts in content.items()]
    changed = "" if sha256(file) == of_file["SHA-256"] else f"; {file} has changed since"
    return [f"made by {command.get('command', 'toysearch')} (as {path} says){changed}", *lines]


def model_specification(name: str) -> str:
    """Describe a model with all its parameters, including defaults; a text that is not a single model stays."""
    model_name, between, others = name.partition(BETWEEN)
    if between:
        return f"{model_specification(model_name)}{between}{others}"
    try:
        model = find_model(name)
    except toysearch.ToysearchError:
        return name  # a user's function, defined only by its file
    if model.single is None or not model.parameters:
        return name
    values = [f"{public_name(parameter)}={value_text(value)}" for parameter, value in model.parameters.items()]
    return f"{model.name}:{','.join(values)}"


def _texts(texts: Iterable[str]) -> bytes:
    """Encode a column of texts as bytes: first their lengths, then the texts."""
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    return np.array([*map(len, encoded)], "<i8").tobytes() + b"".join(encoded)


def _checksum(parts: Iterable[str | bytes]) -> str:
    """SHA-256 of parts, each preceded by its length so that none runs into the next."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
