"""Word counts instead of texts: the files docword.NAME.txt of UCI, and SVMlight, each beside its vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter, lt
from pathlib import Path
from typing import NoReturn

from toysearch.base import CountedWords, DataError, malformed
from toysearch.files import (
    PARTS,
    Record,
    RecordFile,
    numbered_lines,
    plain_label,
    text_blocks,
)
from toysearch.files.claims import Clues, What
from toysearch.files.reading import Reading
from toysearch.files.source import AnyPath, Line, Source, source_of
from toysearch.files.unpacking import ALWAYS_UNPACKED, unpacked_name

_BYTES = "bytes"  # the key of a comment with the length of the text
_FACT = re.compile(r"(\S+?) *= *(\S+)")
_LABEL = re.compile(r"[-+]?\d+(?:\.\d+)?(?:,\d+)*")
_DOCWORD = r"(?:\d+[ \t\r]*\n){3}(?:\d+[ \t]+\d+[ \t]+\d+[ \t\r]*(?:\n|\Z)|\s*\Z)"
_SVMLIGHT = r"[-+]?\d+(?:\.\d+)?(?:,\d+)*(?P<counts>(?:[ \t]+\d+:\d+(?:\.0+)?)*)[ \t\r]*(?:#.*)?"
BEGINS: bytes = b"0123456789+-#"
_TOTALS = ("documents", "words", "lines that follow")
_LINES = 10
_MOST_DIGITS = 18
_SMALL = {str(count): count for count in range(1, 10)}
_MOST_MADE = 1000  # bytes of words per count, beyond what is always allowed
_FEW = 1000  # documents of which most may be empty
_SPARSE = 10  # documents per count


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that begins like word counts, not like judgments in three columns."""
    text = source.head.lstrip().decode(errors="replace")
    if re.match(_DOCWORD, text):
        return What(clues.role, "docword", "it begins with three totals, and lines of three numbers follow")
    lines = text.split("\n")
    lines = [line for line in lines[:-1] or lines if line.strip() and line[0] != "#"][:_LINES]
    matches = [re.fullmatch(_SVMLIGHT, line) for line in lines]
    if all(matches) and any(match and match["counts"] for match in matches):
        return What(clues.role, "svmlight", "its lines hold a label, and numbers of words with their counts")
    return None


def read_svmlight(file: RecordFile) -> Iterator[Record]:
    r"""Read the documents of a file of SVMlight: a label, then the number of each word and its count.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "vocab.txt").write_text("the\ncat\ndog\n")
    >>> _ = (folder / "pets.svm").write_text("0 1:2 2:1 # id=d7\n1 3:1\n")
    >>> for record in read_svmlight(RecordFile(folder / "pets.svm")):
    ...     print(record)
    (1, 'd7', {'text': 'the the cat'})
    (2, '2', {'text': 'dog', 'label': '1'})
    """
    # Comments may hold facts: the id of the document, the bytes of its text, fields. The label is a field unless it is
    # 0.
    source = source_of(file.source)
    first = 0 if _has_word_0(source) else 1
    expansion = _Expansion(file.source, first)

    def record(line: int, text: str) -> Record | None:
        content, _, comment = text.partition("#")
        label, *items = content.split() or [""]
        if not label:
            return None
        file.count += 1
        doc_id = file.numbered()
        if label != "0" and not _LABEL.fullmatch(label):
            raise malformed(file.source, line, f"expected a label such as 0 before the words, found '{label:.40}'")
        words, size = expansion.words(line, items), -1
        fields: dict[str, str] = {file.field: ""}
        if label != "0":
            fields["label"] = label
        for name, fact in _FACT.findall(comment) if comment else ():
            if name == _BYTES:
                if (size := _whole(fact)) < 0:
                    raise malformed(file.source, line, f"expected a whole number as {_BYTES}, found '{fact:.40}'")
            elif plain_label(name) in PARTS["id"]:
                doc_id = fact
            else:
                fields[name] = fact
        fields[file.field] = CountedWords(words, size if size >= 0 else len(words.encode()))
        return line, doc_id, fields

    yield from file.records(numbered_lines(source), record, str)


def read_docword(file: RecordFile) -> Iterator[Record]:
    r"""Read the documents of a file of UCI's bags of words: three lines with totals, then lines 'document word count'.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "vocab.pets.txt").write_text("the\ncat\ndog\n")
    >>> _ = (folder / "docword.pets.txt").write_text("3\n3\n3\n1 1 2\n1 2 1\n3 3 1\n")
    >>> for record in read_docword(RecordFile(folder / "docword.pets.txt")):
    ...     print(record)
    (4, '1', {'text': 'the the cat'})
    (6, '2', {'text': ''})
    (6, '3', {'text': 'dog'})
    """
    path, expansion = file.source, _Expansion(file.source, 1)
    lines = ((line, text) for line, text in numbered_lines(path) if text.strip())
    n_documents, n_words, n_rows = (_total(path, lines, place, what) for place, what in enumerate(_TOTALS, 1))
    if n_words != len(expansion.vocabulary):
        has = f"{expansion.place} has {len(expansion.vocabulary):,}"
        raise malformed(path, 2, f"expected the number of words, found {n_words:,}; {has}")
    before = 0
    for number, rows in groupby(_rows(path, lines, n_documents, n_rows), itemgetter(0)):
        first, items = 0, list[str]()
        present: set[int] = set()
        for _, line, item in rows:
            first = first or line
            items.append(item)
            present.add(expansion.number(line, item))
            if len(present) < len(items):
                expansion.refuse_repeated(line, items)
        yield from ((first, str(empty), _counted(file, "")) for empty in range(before + 1, number))
        yield first, str(number), _counted(file, expansion.words(first, items))
        before = number
    yield from ((3, str(empty), _counted(file, "")) for empty in range(before + 1, n_documents + 1))


def _counted(file: RecordFile, words: str) -> dict[str, str]:
    return {file.field: CountedWords(words, len(words.encode()))}


def _has_word_0(path: Source) -> bool:
    """True if the first word has the number 0: a comment at the head says so, or else some document has it."""
    # scikit-learn writes such a comment, and otherwise decides in the same way.
    head = path.head.partition(b"\n")[0]
    if head.startswith(b"#") and (base := re.search(rb"(zero|one)-based", head)):
        return base[1] == b"zero"
    return any(" 0:" in block or "\t0:" in block for _, block in text_blocks(path))


def _total(path: AnyPath, lines: Iterator[Line], place: int, what: str) -> int:
    """Read one of the first three lines of a file of UCI."""
    line, text = next(lines, (place, ""))
    if (total := _whole(text.strip())) < 0:
        raise malformed(path, line, f"expected the number of {what}, found '{text:.40}'")
    return total


def _rows(path: AnyPath, lines: Iterator[Line], n_documents: int, n_rows: int) -> Iterator[tuple[int, int, str]]:
    """Yield the lines behind the totals, by rising document, as many as there should be: document, line, word."""
    before = count = 0
    for line, text in lines:
        columns = text.split()
        if len(columns) != 3:
            raise malformed(path, line, f"expected 3 columns (document word count), found {len(columns)}: '{text:.60}'")
        number, count = _whole(columns[0]), count + 1
        if not 0 < number <= n_documents:
            raise malformed(path, line, f"expected a document from 1 to {n_documents:,}, found '{columns[0]:.40}'")
        if number < before:
            raise malformed(path, line, f"document {number} comes after document {before}; sort the lines by document")
        _refuse_empty(path, line, number, count)
        yield number, line, f"{columns[1]}:{columns[2]}"
        before = number
    if count != n_rows:
        raise malformed(path, 3, f"expected the number of lines that follow, {count:,}, found {n_rows:,}")
    _refuse_empty(path, 1, n_documents, count)


def _refuse_empty(path: AnyPath, line: int, documents: int, counts: int) -> None:
    """Refuse so many documents for so few counts: almost all of them would be empty."""
    if documents > max(_FEW, _SPARSE * counts):
        raise malformed(path, line, f"{documents:,} documents are too many for {counts:,} counts: most would be empty")


def _whole(text: str) -> int:
    """Read the whole number in a text; -1 if it is another text or has too many digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else -1


class _Expansion:
    """Words of documents whose words and counts are written as in SVMlight; each such pair is read once."""

    def __init__(self, source: Source, first: int) -> None:
        self.place, self.vocabulary = _vocabulary(Path(source), source.reading.codec)
        self._path, self._first = source, first  # first: the number of the first word
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._read = self._made = 0

    def words(self, line: int, items: Sequence[str]) -> str:
        for item in items:
            if item not in self._numbers:
                self._learn(line, item)
        numbers = [*map(self._numbers.__getitem__, items)]
        if not all(map(lt, numbers, numbers[1:])) and len({*numbers}) < len(numbers):  # they usually rise
            self.refuse_repeated(line, items)
        text = " ".join(map(self._texts.__getitem__, items))
        self._read += len(items)
        self._spend(line, len(text))
        return text

    def refuse_repeated(self, line: int, items: Sequence[str]) -> NoReturn:
        numbers = [self._numbers[item] for item in items]
        word = next(self.vocabulary[number] for place, number in enumerate(numbers) if number in numbers[:place])
        raise malformed(self._path, line, f"the word '{word}' is counted twice in this document")

    def number(self, line: int, item: str) -> int:
        """Return the place in the vocabulary of a word with its count, which are read if they are new."""
        if item not in self._numbers:
            self._learn(line, item)
        return self._numbers[item]

    def _learn(self, line: int, item: str) -> None:
        label, _, digits = item.partition(":")
        number, count = _whole(label), _SMALL.get(digits) or _whole(digits.removesuffix(".0"))
        if not digits or number < 0:
            raise malformed(self._path, line, f"expected NUMBER:COUNT, such as 17:2, found '{item:.40}'")
        if count < 1:
            expected = f"expected a whole number of at least 1 as the count of word {label:.20}"
            raise malformed(self._path, line, f"{expected}, found '{digits:.40}'")
        if not 0 <= number - self._first < len(self.vocabulary):
            last = len(self.vocabulary) + self._first - 1
            expected = f"expected the number of a word from {self._first} to {last:,}"
            raise malformed(self._path, line, f"{expected}, found {label:.40}; the words are in {self.place}")
        number -= self._first
        word = self.vocabulary[number]
        if count > len(_SMALL):
            self._spend(line, (len(word) + 1) * count)
        self._numbers[item] = number
        self._texts[item] = word if count == 1 else " ".join([word] * count)

    def _spend(self, line: int, size: int) -> None:
        """Refuse counts that stand for far more words than the file has room for."""
        self._made += size
        if self._made > max(ALWAYS_UNPACKED, _MOST_MADE * self._read):
            raise malformed(
                self._path,
                line,
                f"the counts up to here stand for more than {ALWAYS_UNPACKED >> 20} MB of words, and are far higher "
                "than term frequencies are",
            )


def _vocabulary(path: Path, encoding: str | None) -> tuple[Path, list[str]]:
    stem = unpacked_name(path.name)
    usual = f"vocab.{stem.removeprefix('docword.')}" if stem.startswith("docword.") else f"{Path(stem).stem}.vocab"
    names = [usual, "vocab.txt"]
    candidates = (path.with_name(name + packed) for name in names for packed in ("", ".gz", ".bz2", ".xz"))
    place = next((candidate for candidate in candidates if candidate.is_file()), None)
    if place is None:
        raise DataError(
            f"{path}: the words of its numbers are missing; put them into {path.with_name(usual)}, or into vocab.txt "
            "beside it, one word on each line"
        )
    inside = path.parent.resolve()
    if path.resolve().is_relative_to(inside) and not place.resolve().is_relative_to(inside):
        raise DataError(f"{place} leads out of {path.parent}; put the words beside their counts")
    return place, _words_in(str(place), place.stat().st_mtime_ns, encoding)


@lru_cache(maxsize=2)
def _words_in(name: str, _: int, encoding: str | None) -> list[str]:
    place = Source(name, Reading(encoding=encoding))
    text = "\n".join(block for _, block in text_blocks(place))
    lines = text.split("\n")
    if text.split() == lines and len({*lines}) == len(lines):  # as usual, and quicker
        return lines
    words: dict[str, int] = {}
    for line, text in numbered_lines(place):
        word = text.strip()
        if len(word.split()) != 1:
            raise malformed(place, line, f"expected one word, found '{word:.40}'")
        if words.setdefault(word, line) != line:
            raise malformed(place, line, f"the word '{word}' was already given on line {words[word]}")
    return [*words]
