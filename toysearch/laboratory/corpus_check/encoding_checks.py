"""Checks of bytes and characters: which encoding, which line ends, what is garbled."""

from __future__ import annotations

from collections.abc import Iterator

from toysearch.formats.text_files import counted
from toysearch.laboratory.corpus_check.field_counts import Garbled, note_garbled
from toysearch.laboratory.corpus_check.finding import ERROR, INFO, MOST_ROWS, WARNING, Finding, some
from toysearch.laboratory.corpus_check.raw_collection import Material


def wide_files(material: Material) -> Iterator[Finding]:
    """Findings on files that are UTF-16 or UTF-32."""
    for scan in material.scans:
        if scan.wide:
            yield Finding(
                ERROR,
                f"{scan.path} is UTF-16 or UTF-32, not UTF-8: it cannot be read",
                cure=f"Convert it: iconv -f UTF-16 -t UTF-8 {scan.path.name}",
            )


def byte_order_marks(material: Material) -> Iterator[Finding]:
    """Findings on files that begin with a byte order mark."""
    marked = [scan.path.name for scan in material.scans if scan.mark]
    if marked:
        yield Finding(
            INFO,
            f"{some(marked)} {'begins' if len(marked) == 1 else 'begin'} with a byte order mark; it is dropped here",
            cure="Other readers may take it for a part of the first id.",
        )


def line_ends(material: Material) -> Iterator[Finding]:
    """Findings on files whose line ends are not LF throughout."""
    scans = [scan for scan in material.scans if scan.crlf or scan.cr]
    rows = [{"file": scan.path.name, "CRLF": scan.crlf, "LF": scan.lf, "CR": scan.cr} for scan in scans[:MOST_ROWS]]
    if any(scan.cr and not scan.crlf + scan.lf for scan in scans):
        yield Finding(
            ERROR,
            "a file has carriage returns and no line feed, so that all of it is one line",
            rows,
            "Convert it: tr '\\r' '\\n' < FILE > NEW",
        )
    elif any(scan.cr for scan in scans):
        cure = "They are read as a part of their line; look at them, or remove them: tr -d '\\r' < FILE > NEW"
        yield Finding(WARNING, "carriage returns stand inside lines", rows, cure)
    elif scans:
        names = some([scan.path.name for scan in scans])
        mixed = any(scan.lf for scan in scans)
        yield Finding(
            INFO,
            f"lines end with CRLF{' or LF' if mixed else ''} in {counted(len(scans), 'file')}: {names}",
            rows,
            "Read here without the carriage return; a reader that does not strip takes '1' for '1\\r'.",
        )


_BYTES = {
    "NUL bytes": "binary data, or UTF-16 in parts? Look at the line.",
    "control bytes": "They cut words in two; remove them, or look where the file comes from.",
    "bytes that are no UTF-8": "The file is in another encoding, often Latin-1 or Windows-1252: iconv -f WINDOWS-1252 "
    "-t UTF-8 FILE > NEW. As it is, each sequence is read as U+FFFD.",
    "U+FFFD": "Something read the texts in a wrong encoding before they came here; what stood there is lost. Get the "
    "files anew if it matters.",
    "lone surrogates": "Half a character, written by a program that cut a text in the middle of one; read as U+FFFD.",
}


def bad_bytes(material: Material) -> Iterator[Finding]:
    """Findings on bytes that no reader can take for text."""
    for what, cure in _BYTES.items():
        scans = [scan for scan in material.scans if scan.counts.get(what)]
        if scans:
            rows = [
                {"file": scan.path.name, "count": scan.counts[what], "first line": scan.first_lines[what]}
                for scan in scans
            ]
            number = sum(scan.counts[what] for scan in scans)
            yield Finding(WARNING, f"{what}: {number} in {counted(len(scans), 'file')}", rows[:MOST_ROWS], cure)


def garbled_texts(material: Material) -> Iterator[Finding]:
    """Findings on characters that come of a wrong encoding, such as Ã©."""
    of_queries: dict[str, Garbled] = {}
    for query in material.collection.queries if material.collection else ():
        note_garbled(of_queries, query.query_id, query.text)
    for kind, found in (("document", material.census.garbled), ("query", of_queries)):
        for what, garbled in found.items():
            many = counted(garbled.texts, kind, "queries" if kind == "query" else None)
            rows = [{kind: name, "text": f"… {excerpt} …"} for name, excerpt in garbled.examples]
            if what == "mojibake":
                yield Finding(
                    WARNING,
                    f"the text of {many} looks like UTF-8 that was read as Windows-1252 (Ã© for é)",
                    rows,
                    "Such words match no query. Get the texts anew, or mend them with a tool such as ftfy.",
                )
            else:
                yield Finding(
                    WARNING,
                    f"the text of {many} holds control characters",
                    rows,
                    "Those from U+0080 to U+009F mostly were Windows-1252 read as Latin-1: quotes, dashes.",
                )
