r"""Make the word counts of collections whose texts may not be passed on: corpora/NAME/*.gz.

    python docs/make_word_counts.py [NAME...]     default: all of them

The texts must be here (`toysearch corpora get NAME`). For each field, a file of SVMlight has one line per document:
the numbers of its words in vocab.txt.gz, their frequencies, and the length of the field in bytes. Words are the matches
of \w+ in the text in lower case. The judgments keep their codes. The unpacked files are always the same, byte for byte,
and so are the packed ones, unless Python has another zlib (zlib-ng packs otherwise).
"""

from __future__ import annotations

import argparse
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import toysearch
from toysearch.collection.catalog import described
from toysearch.files import read_smart_qrels

CORPORA = Path(__file__).parents[1] / "corpora"
FIELDS: Mapping[str, tuple[str, ...]] = {"cranfield": ("T", "W"), "cisi": ("T", "A", "W")}
"""Collection → the fields whose words are counted; the queries are those of the collection."""

WORD = re.compile(r"(?u)\w+")
HEAD = "# Words of vocab.txt, one-based\n"
FREQUENT = 16  # documents of a word that has a small number


def counts_of(text: str) -> Counter[str]:
    """The words of a text with their frequencies."""
    return Counter(WORD.findall(text.lower()))


def vocabulary_of(counts: Iterable[Counter[str]]) -> list[str]:
    """The words: frequent ones first, most frequent first, then the others in alphabetical order, which packs well."""
    df = Counter(word for each in counts for word in each)
    return sorted(df, key=lambda word: (-df[word] if df[word] > FREQUENT else 0, word))


def line_of(counts: Counter[str], numbers: Mapping[str, int], comment: str = "") -> str:
    """The line of a document."""
    pairs = sorted((numbers[word], count) for word, count in counts.items())
    return " ".join(["0", *(f"{number}:{count}" for number, count in pairs), *([comment] if comment else [])]) + "\n"


def files_of(name: str) -> dict[str, str]:
    """The files of word counts of a collection, unpacked, by name."""
    collection = toysearch.load(name)
    if collection.word_counts:
        raise SystemExit(f"{name}: its texts are not here; toysearch corpora get {name} fetches them")
    texts = {field: [document.fields.get(field, "") for document in collection.documents] for field in FIELDS[name]}
    counts = {field: [*map(counts_of, of_field)] for field, of_field in texts.items()}
    asked = [counts_of(query.text) for query in collection.queries]
    words = vocabulary_of([*(each for of_field in counts.values() for each in of_field), *asked])
    numbers = {word: number for number, word in enumerate(words, 1)}
    files = {
        f"{field}.svm": "".join(
            [
                HEAD,
                *(
                    line_of(each, numbers, f"# bytes={len(text.encode())}")
                    for each, text in zip(of_field, texts[field], strict=True)
                ),
            ]
        )
        for field, of_field in counts.items()
    }
    recipe = described(name)
    judgments = read_smart_qrels(recipe.qrels_file().below(recipe.folder))
    return files | {
        "queries.svm": "".join([HEAD, *(line_of(each, numbers) for each in asked)]),
        "vocab.txt": "".join(f"{word}\n" for word in words),
        "qrels.txt": "".join(f"{query_id} {doc_id} {code:g}\n" for query_id, doc_id, code in judgments),
    }


def packed(text: str) -> bytes:
    """A text in gzip, without a date or a name."""
    data, deflate = text.encode(), zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    header = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    return header + deflate.compress(data) + deflate.flush() + struct.pack("<II", zlib.crc32(data), len(data))


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description="Make the word counts of collections.")
    parser.add_argument("names", nargs="*", metavar="NAME", default=[*FIELDS])
    for name in parser.parse_args().names:
        total = 0
        for file, text in files_of(name).items():
            data = packed(text)
            (CORPORA / name / f"{file}.gz").write_bytes(data)
            total += len(data)
            print(f"{name}/{file}.gz: {len(data):,} bytes")
        print(f"{name}: {total:,} bytes")


if __name__ == "__main__":
    main()
