"""Checks of the documents: empty texts, duplicates and repeated titles."""

from __future__ import annotations

import numpy as np

from toysearch.base import Remedy, counted, groups_of, some
from toysearch.study.corpus_check.raw_collection import (
    MOST_ROWS,
    WARNING,
    Finding,
    Findings,
    Material,
)

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
