"""Checks of the documents: bytes and characters, lengths, duplicates, ids and fields."""

from __future__ import annotations

import os
import re

import numpy as np

from toysearch.base import Remedy, counted, groups_of, some
from toysearch.files import format_named, numbered_lines, parts_of, tables_if_any
from toysearch.files.syntaxes.smart import TEXT
from toysearch.study.corpus_check.raw_collection import (
    ERROR,
    INFO,
    MOST_ROWS,
    WARNING,
    Finding,
    Findings,
    Garbled,
    Material,
    files_of,
    note_garbled,
)

_FEW_TERMS = 3  # below this, a text is near-empty
_MANY_TERMS, _MANY_TIMES = 1000, 20  # a text is an outlier with more than both: terms, and times the median
_MOSTLY = 0.9  # share of numbers above which a field is not text
_OFTEN = 0.5  # share of documents that makes a property typical of the collection
_BEGINS = re.compile(r"\.I(?:[ \t]+(.*))?\Z")
_MARKER = re.compile(r"\.([A-Z])[ \t]*\Z")


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


def short_documents(material: Material) -> Findings:
    """Findings on documents with very few terms."""
    if material.index is None:
        return
    dl = material.index.dl
    numbers = np.flatnonzero((dl > 0) & (dl < _FEW_TERMS))
    if numbers.size:
        rows = [{"document": material.index.doc_ids[int(n)], "terms": int(dl[n])} for n in numbers[:MOST_ROWS]]
        yield Finding(
            WARNING,
            f"{counted(numbers.size, 'document')} of {dl.size} with fewer than {_FEW_TERMS} terms",
            rows,
            "Models that divide by the length rank them very high. Are they truncated, or only headings?",
        )


def long_documents(material: Material) -> Findings:
    """Findings on documents that are far longer than the others."""
    if material.index is None:
        return
    dl = material.index.dl
    median = float(np.median(dl))
    numbers = np.flatnonzero((dl > _MANY_TERMS) & (dl > _MANY_TIMES * median))
    if numbers.size:
        longest = numbers[np.argsort(-dl[numbers], kind="stable")][:MOST_ROWS]
        yield Finding(
            INFO,
            f"{counted(numbers.size, 'document')} of {dl.size} longer than {_MANY_TIMES} times the median "
            f"of {median:g} terms",
            [{"document": material.index.doc_ids[int(n)], "terms": int(dl[n])} for n in longest],
            "They match nearly every query. Are two documents in one, or is a file not split?",
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
    """Findings on a searched field that repeats the title."""
    searched = {name.casefold() for name in material.recipe.text_fields}
    title = material.census.title_field
    for name, count in material.census.fields.items():
        if name.casefold() not in searched or not count.titled or count.repeats < _OFTEN * count.titled:
            continue
        both = {name.casefold(), title.casefold()} <= searched
        fields = ", ".join(material.recipe.text_fields)
        reading = "both are searched, so that each title counts twice" if both else f"searched: {fields}"
        yield Finding(
            WARNING if both else INFO,
            f"field {name} begins with the title (field {title}) in {count.repeats} of {count.titled} documents; "
            f"{reading}",
            cure=f"Search {name} alone, here with {Remedy('load', fields=name)}." if both else "",
            settings={"text": [name]} if both else {},
        )


def numeric_fields(material: Material) -> Findings:
    """Findings on fields that hold numbers, not text."""
    searched = {name.casefold() for name in material.recipe.text_fields}
    n_documents = material.index.dl.size if material.index else 0
    for name, count in material.census.fields.items():
        is_numeric = count.tokens > 0 and count.numbers >= _MOSTLY * count.tokens
        if not is_numeric or count.documents < _OFTEN * n_documents:
            continue
        found = (
            f"field {name} is not text: {count.numbers / count.tokens:.0%} of its tokens are numbers; "
            f"{count.documents} of {n_documents} documents have it, {count.lines} lines in all"
        )
        if name.casefold() in searched:
            fields = [field for field in material.census.fields if field.casefold() != name.casefold()]
            others = [field for field in fields if field.casefold() in searched] or fields[:1]
            cure = f"Do not search it: {Remedy('load', fields=','.join(others))}."
            yield Finding(WARNING, f"{found}; it is searched", cure=cure, settings={"text": others})
        else:
            cure = "Keep it so: indexed as text, it would drown the words."
            yield Finding(INFO, f"{found}; it is not searched", cure=cure)


def stray_markers(material: Material) -> Findings:
    """Findings on SMART marker lines in the middle of a text."""
    strays = list[dict[str, object]]()
    for file, source in files_of(material, "documents"):
        doc_id, sources = "", set[str]()
        for number, line in numbered_lines(source) if file.format == "smart" else ():
            if not line.startswith("."):
                continue
            if begins := _BEGINS.match(line):
                doc_id, sources = (begins[1] or "").strip(), set()
            elif marker := _MARKER.match(line):
                if TEXT in sources and marker[1] in sources:
                    strays.append({"document": doc_id, "line": number, "marker": f".{marker[1]}"})
                sources.add(marker[1])
    if strays:
        doc_ids = list(dict.fromkeys(str(stray["document"]) for stray in strays))
        yield Finding(
            INFO,
            f"{counted(len(strays), 'stray marker line')} inside the text of {counted(len(doc_ids), 'document')}: "
            f"{some(doc_ids)}",
            strays[:MOST_ROWS],
            "They are dropped here, and the text continues. A parser that begins a new field there loses the rest.",
        )


def _numbered_here(material: Material) -> bool:
    """True if the ids are row numbers, because the files have none."""
    for file, source in files_of(material, "documents"):
        if not format_named(file.format).columns or not os.path.isfile(source):
            return False
        found = tables_if_any(source)
        labels = found[0].labels if found else source.labels if source.first_lines else ()
        if "id" in parts_of([*labels], file.columns):
            return False
    return True


def numbers_as_ids(material: Material) -> Findings:
    """Findings on numeric ids, whose order as strings differs."""
    if material.index is None:
        return
    doc_ids = list(material.index.doc_ids)
    if not all(doc_id.isdecimal() for doc_id in doc_ids) or _numbered_here(material):
        return
    as_texts = sorted(doc_ids)
    as_numbers = sorted(doc_ids, key=int)
    places = [place for place, pair in enumerate(zip(as_texts, as_numbers, strict=True)) if pair[0] != pair[1]]
    if places:
        place = max(0, places[0] - 1)
        yield Finding(
            INFO,
            f"document ids are numbers that sort as text: {', '.join(as_texts[place : place + 3])}, …",
            [
                {"sorted as": "texts", "ids": ", ".join(as_texts[place : place + 4])},
                {"sorted as": "numbers", "ids": ", ".join(as_numbers[place : place + 4])},
            ],
            "Ids are strings here; trec_eval too breaks ties by their descending order as strings.",
        )


def wide_files(material: Material) -> Findings:
    """Findings on files that are UTF-16 or UTF-32."""
    for scan in material.scans:
        if scan.wide:
            yield Finding(
                ERROR,
                f"{scan.path} is UTF-16 or UTF-32 without a byte order mark: it cannot be read",
                cure=f"Name its encoding, as in {Remedy('load', encoding='utf-16-le')}; or convert it to UTF-8.",
            )


def byte_order_marks(material: Material) -> Findings:
    """Findings on files that begin with a byte order mark."""
    marked = [scan.path.name for scan in material.scans if scan.mark]
    if marked:
        yield Finding(
            INFO,
            f"{some(marked)} {'begins' if len(marked) == 1 else 'begin'} with a byte order mark; it is dropped here",
            cure="Other readers may take it as part of the first id.",
        )


def line_ends(material: Material) -> Findings:
    """Findings on files whose line ends are not LF throughout."""
    scans = [scan for scan in material.scans if scan.crlf or scan.cr]
    rows = [{"file": scan.path.name, "CRLF": scan.crlf, "LF": scan.lf, "CR": scan.cr} for scan in scans[:MOST_ROWS]]
    if any(scan.cr and not scan.crlf + scan.lf for scan in scans):
        yield Finding(
            ERROR,
            "a file has carriage returns but no line feed, so all of it is one line",
            rows,
            "Convert it: tr '\\r' '\\n' < FILE > NEW",
        )
    elif any(scan.cr for scan in scans):
        cure = "They are read as part of their line; check them, or remove them: tr -d '\\r' < FILE > NEW"
        yield Finding(WARNING, "carriage returns occur inside lines", rows, cure)
    elif scans:
        names = some([scan.path.name for scan in scans])
        mixed = any(scan.lf for scan in scans)
        yield Finding(
            INFO,
            f"lines end with CRLF{' or LF' if mixed else ''} in {counted(len(scans), 'file')}: {names}",
            rows,
            "The carriage return is dropped here; a reader that does not strip reads '1\\r' instead of '1'.",
        )


_BYTES = {
    "NUL bytes": "binary data, or UTF-16 in parts? Look at the line.",
    "control bytes": "They split words; remove them, or check the origin of the file.",
    "bytes that are not UTF-8": "The file is in another encoding, often Latin-1 or Windows-1252: iconv -f WINDOWS-1252 "
    "-t UTF-8 FILE > NEW. Until then, it is read in the one that a note names, or each sequence as U+FFFD.",
    "U+FFFD": "An earlier program decoded the text wrongly, and these characters are lost. Get the original "
    "files if it matters.",
    "lone surrogates": "Half a character, from a program that truncated a text inside one; read as U+FFFD.",
}


def bad_bytes(material: Material) -> Findings:
    """Findings on bytes that cannot be text."""
    for what, cure in _BYTES.items():
        scans = [scan for scan in material.scans if scan.counts.get(what)]
        if scans:
            rows = [
                {"file": scan.path.name, "count": scan.counts[what], "first line": scan.first_lines[what]}
                for scan in scans
            ]
            number = sum(scan.counts[what] for scan in scans)
            yield Finding(WARNING, f"{what}: {number} in {counted(len(scans), 'file')}", rows[:MOST_ROWS], cure)


_GARBLED = {
    "mojibake": (
        "looks like UTF-8 that was read as Windows-1252 (Ã© for é)",
        "Such words match no query. Get the original texts, or repair them with a tool such as ftfy.",
    ),
    "control characters": (
        "holds control characters",
        "U+0080 to U+009F usually come from Windows-1252 read as Latin-1: quotes, dashes.",
    ),
}


def garbled_texts(material: Material) -> Findings:
    """Findings on characters that result from a wrong encoding, such as Ã©."""
    of_queries: dict[str, Garbled] = {}
    for query in material.collection.queries if material.collection else ():
        note_garbled(of_queries, query.query_id, query.text)
    for kind, texts in (("document", material.census.garbled), ("query", of_queries)):
        for what, garbled in texts.items():
            many = counted(garbled.texts, kind, "queries" if kind == "query" else None)
            rows = [{kind: name, "text": f"… {excerpt} …"} for name, excerpt in garbled.examples]
            look, cure = _GARBLED[what]
            yield Finding(WARNING, f"the text of {many} {look}", rows, cure)
