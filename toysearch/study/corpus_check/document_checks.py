"""Checks of the documents: characters, empty texts, duplicates and fields."""

from __future__ import annotations

import numpy as np

from toysearch.base import Remedy, counted, groups_of, some
from toysearch.study.corpus_check.raw_collection import (
    MOST_ROWS,
    WARNING,
    Finding,
    Findings,
    Garbled,
    Material,
    note_garbled,
)

_MOSTLY = 0.9  # share of numbers above which a field is not text
_OFTEN = 0.5  # share of documents that makes a property typical of the collection


def empty_documents(material: Material) -> Findings:
    """Findings on documents without a term, judged or not."""
    if material.index is None:
        return
    index = material.index
    doc_ids = index.doc_ids.take(np.flatnonzero(index.dl == 0))
    if not doc_ids:
        return
    empty = set(doc_ids)
    judged = groups_of(
        (doc_id, f"query {query_id}: {code:g}") for query_id, doc_id, code in material.all_codes if doc_id in empty
    )
    some_judged = f", {len(judged)} of them judged" if judged else ""
    first = sorted(doc_ids, key=lambda doc_id: doc_id not in judged)
    yield Finding(
        WARNING,
        f"{counted(len(doc_ids), 'document')} of {len(index.dl)} without any term in the searched fields{some_judged}",
        [{"document": doc_id, "judged": some(judged.get(doc_id, []), 3)} for doc_id in first[:MOST_ROWS]],
        "They keep their ids but can never be found; a relevant one lowers recall for every system. Is their text in "
        f"another field ({Remedy('load', fields=...)}), or was it lost?",
    )


def equal_documents(material: Material) -> Findings:
    """Findings on documents with the same text under several ids."""
    if material.index is None:
        return
    first = material.census.equal_texts()[: material.index.dl.size]
    later = np.flatnonzero((first != np.arange(first.size)) & (material.index.dl > 0))
    if not later.size:
        return
    groups = groups_of((int(first[number]), number) for number in later.tolist())
    rows = [{"documents": " = ".join(material.index.doc_ids.take([one, *same[:4]]))} for one, same in groups.items()]
    yield Finding(
        WARNING,
        f"{counted(len(groups), 'text stands', 'texts stand')} under several ids, {later.size + len(groups)} documents "
        "in all (ignoring case and white space)",
        rows[:MOST_ROWS],
        "They tie under every model. Are the copies judged alike? If not, one counts against a system that finds it.",
    )


def repeated_titles(material: Material) -> Findings:
    """Findings on a searched field that repeats the title, which is searched too."""
    searched = {name.casefold() for name in material.recipe.text_fields}
    title = material.census.title_field
    for name, count in material.census.fields.items():
        both = {name.casefold(), title.casefold()} <= searched
        if both and count.titled and count.repeats >= _OFTEN * count.titled:
            yield Finding(
                WARNING,
                f"field {name} begins with the title (field {title}) in {count.repeats} of {count.titled} documents; "
                "both are searched, so that each title counts twice",
                cure=f"Search {name} alone, here with {Remedy('load', fields=name)}.",
                settings={"text": [name]},
            )


def numeric_fields(material: Material) -> Findings:
    """Findings on searched fields that hold numbers, not text."""
    fields, n_documents = material.census.fields, material.index.dl.size if material.index else 0
    searched = {name.casefold() for name in material.recipe.text_fields}
    for name, count in fields.items():
        is_numeric = count.tokens > 0 and count.numbers >= _MOSTLY * count.tokens
        if name.casefold() not in searched or not is_numeric or count.documents < _OFTEN * n_documents:
            continue
        rest = [field for field in fields if field.casefold() != name.casefold()]
        others = [field for field in rest if field.casefold() in searched] or rest[:1]
        yield Finding(
            WARNING,
            f"field {name} is not text: {count.numbers / count.tokens:.0%} of its tokens are numbers; "
            f"{count.documents} of {n_documents} documents have it, {count.lines} lines in all; it is searched",
            cure=f"Do not search it: {Remedy('load', fields=','.join(others))}.",
            settings={"text": others},
        )


_GARBLED = {
    "mojibake": (
        "looks like UTF-8 that was read as Windows-1252 (Ã© for é)",
        "Such words match no query. Get the original texts, or repair them with a tool such as ftfy.",
    ),
    "lost characters": (
        "holds U+FFFD, the sign of a character that was lost",
        "A program decoded it wrongly. Get the original files, or convert them to UTF-8 from their encoding.",
    ),
    "control characters": (
        "holds control characters",
        "U+0080 to U+009F usually come from Windows-1252 read as Latin-1: quotes, dashes.",
    ),
}


def garbled_texts(material: Material) -> Findings:
    """Findings on files that are not UTF-8, and on characters that result from a wrong encoding, such as Ã©."""
    for sentence in material.not_utf8:
        yield Finding(WARNING, sentence)
    of_queries: dict[str, Garbled] = {}
    for query in material.collection.queries if material.collection else ():
        note_garbled(of_queries, query.query_id, query.text)
    for kind, texts in (("document", material.census.garbled), ("query", of_queries)):
        for what, garbled in texts.items():
            many = counted(garbled.texts, kind, "queries" if kind == "query" else None)
            rows = [{kind: name, "text": f"… {excerpt} …"} for name, excerpt in garbled.examples]
            look, cure = _GARBLED[what]
            yield Finding(WARNING, f"the text of {many} {look}", rows, cure)
