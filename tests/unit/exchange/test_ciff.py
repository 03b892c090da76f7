"""CIFF: what is written is read by an encoder in plain loops, and files that it writes are read, sound or not."""

from __future__ import annotations

import gzip
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import longer
from noted import noted
from raising import raising
from shell import done, refusal

from toysearch import Analyzer, Index, Searcher, load
from toysearch.base.errors import DataError, ToysearchNote
from toysearch.exchange import ciff
from toysearch.exchange.ciff import read_ciff, write_ciff
from toysearch.index.content_checks import check_index

Lists = list[tuple[str, list[tuple[int, int]]]]


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    found = b""
    while number > 127:
        found += bytes([number % 128 + 128])
        number //= 128
    return found + bytes([number])


def field(number: int, value: object) -> bytes:
    """A field as the wire format of protobuf has it; zeros and empty texts are left out."""
    if isinstance(value, float):
        return varint(number * 8 + 1) + struct.pack("<d", value) if value else b""
    if isinstance(value, int):
        return varint(number * 8) + varint(value) if value else b""
    data = value.encode() if isinstance(value, str) else value
    return varint(number * 8 + 2) + varint(len(data)) + data if data or isinstance(value, bytes) else b""


def message(*fields: tuple[int, object]) -> bytes:
    data = b"".join(field(number, value) for number, value in fields)
    return varint(len(data)) + data


def header(n_terms: int, n_docs: int, **others: Any) -> bytes:
    known = {"version": 1, "terms": n_terms, "docs": n_docs, "all_terms": n_terms, "all_docs": n_docs, "tokens": 0}
    return message(*enumerate({**known, "average": 0.5, "description": "of a test", **others}.values(), 1))


def postings(term: str, gaps: list[tuple[int, int]], df: int | None = None, cf: int | None = None) -> bytes:
    own = [(4, field(1, gap) + field(2, tf)) for gap, tf in gaps]
    df, cf = len(gaps) if df is None else df, sum(tf for _, tf in gaps) if cf is None else cf
    return message((1, term), (2, df), (3, cf), *own)


def records(*lengths: int) -> bytes:
    return b"".join(message((1, number), (2, f"d{number}"), (3, dl)) for number, dl in enumerate(lengths))


def encoded(index: Index, description: str) -> bytes:
    """The whole file of an index, from its public parts."""
    stats, lists, docs = index.stats, b"", b""
    for term in index.terms:
        found, last = [], 0
        for doc, tf in zip(*(column.tolist() for column in index.postings(term)), strict=True):
            found.append((doc - last, tf))
            last = doc
        lists += postings(term, found)
    for number, doc_id in enumerate(index.doc_ids):
        docs += message((1, number), (2, doc_id), (3, int(index.dl[number])))
    rest = {"tokens": stats.T, "average": stats.avgdl, "description": description}
    return header(stats.n_terms, stats.N, **rest) + lists + docs


def parts(index: Index) -> dict[str, Any]:
    """All that the file carries, and the columns counted from it."""
    columns = {name: getattr(index, name).tolist() for name in ("df", "cf", "dl", "distinct", "max_tf")}
    docs, tf = index.blocks.span()
    order = index.doc_ids_order.tolist()
    return columns | {
        "terms": [*index.terms], "doc_ids": [*index.doc_ids], "docs": docs.tolist(), "tf": tf.tolist(), "order": order
    }  # fmt: skip


TEXTS = st.lists(st.text("ab é字😀", max_size=12), min_size=1, max_size=6)


@given(TEXTS, st.booleans())
@settings(max_examples=25)
def test_any_index_comes_back_with_equal_postings(texts: list[str], packed: bool) -> None:
    import tempfile

    index = Index.build({f"é{number}": text for number, text in enumerate(texts)}, Analyzer(tokens="word1"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "any.ciff.gz" if packed else "any.ciff")
        write_ciff(index, path)
        again = read_ciff(path, index.analyzer)
        assert parts(again) == parts(index)
        data = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
        description = re.search(rb"toysearch, version [^\n]*tokens=word1", data)[0].decode()
        assert data == encoded(index, description)
        again.save(Path(folder, "index"))
        assert check_index(Path(folder, "index")) == []


def test_large_numbers_and_several_blocks(tmp_path: Path) -> None:
    texts = ["often " * 300 + "rare", *(f"often {'word' * (number % 3)}" for number in range(400))]
    index = Index.build(texts, store_text=False)
    write_ciff(index, tmp_path / "a.ciff")
    again = read_ciff(tmp_path / "a.ciff", index.analyzer)
    assert parts(again) == parts(index)
    assert again.postings("often").tf[0] == 300
    for model in ("bm25", "cosine", "rm3(bm25)"):
        ours, theirs = (Searcher(each, model).search("often rare word", None) for each in (again, index))
        assert (ours.doc_ids, ours.scores.tolist()) == (theirs.doc_ids, theirs.scores.tolist())


def test_what_is_lost(tmp_path: Path) -> None:
    index = Index.build(load("cat-dog-parrot"), positions=True, fields=["title", "text"])
    write_ciff(index, tmp_path / "a.ciff")
    again = read_ciff(tmp_path / "a.ciff")
    assert parts(again) == parts(index)
    assert (again.texts, again.titles, again.position_blocks) == (None, None, None)
    assert (again.fields.names, again.values, set(again.bytes.tolist())) == ([], {}, {0})
    assert again.analyzer("The CAT, don't") == ["The", "CAT,", "don't"]


LISTS = [postings("b", [(1, 2)]), postings("a", [(0, 1), (1, 300)])]


def test_terms_in_any_order_and_lengths_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "theirs.ciff"
    path.write_bytes(header(2, 3) + b"".join(LISTS) + records(1, 280, 0))
    with noted() as notes:
        index = read_ciff(path)
    assert notes == [
        f"{path}: 1 document of 3 have another doclength than their postings give (the first: 'd1', 280 and 302); the "
        "postings count"
    ]
    assert [*index.terms] == ["a", "b"]
    assert (index["a"], index["b"], index.dl.tolist()) == ({"d0": 1, "d1": 300}, {"d1": 2}, [1, 302, 0])
    assert (index.cf.tolist(), index.df.tolist(), index.max_tf.tolist()) == ([301, 2], [2, 1], [1, 300, 0])


def test_totals_that_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "theirs.ciff"
    path.write_bytes(header(1, 2, all_terms=0, all_docs=0) + LISTS[1] + records(1, 300))
    assert read_ciff(path)["a"] == {"d0": 1, "d1": 300}


A_LIST, SOUND = postings("cat", [(0, 1), (1, 2)]), records(1, 2)
OTHER = "expected a CIFF file, which is damaged or another one here"
FIRST = "postings list 1 of 1"
CAT = f"{FIRST}, of the term 'cat'"
WRONG = {
    "empty": (b"", f"header: the file ends 1 bytes too early; {OTHER}"),
    "text": (b'{"_id": "1", "text": "a cat"}\n', f"header: the file ends 94 bytes too early; {OTHER}"),
    "an endless length": (b"\xff" * 9, f"header: its length is not a number below 2^31; {OTHER}"),
    "a huge length": (b"\xff\xff\xff\xff\x7f", f"header: its length is 34,359,738,367 bytes; {OTHER}"),
    "a length that lies": (
        varint((1 << 31) - 1) + b"abc", f"header: the file ends 2,147,483,644 bytes too early; {OTHER}"
    ),
    "no message": (b"\x03abc", f"header: it is not a Header; {OTHER}"),
    "another version": (header(1, 2, version=2), "header: the version is 2; expected a CIFF file of version 1"),
    "no document": (header(1, 0), "header: it announces 1 postings lists and 0 documents; expected a document"),
    "negative numbers": (
        header(-1, 2), "header: it announces -1 postings lists and 2 documents; expected a document"
    ),
    "some terms": (
        header(1, 2, all_terms=5000),
        "header: the file holds 1 of 5,000 postings lists, from which the lengths of the documents and the statistics "
        "cannot be counted; export the whole index",
    ),
    "some documents": (
        header(1, 2, all_docs=3),
        "header: the file holds 2 of 3 documents, from which the lengths of the documents and the statistics cannot be "
        "counted; export the whole index",
    ),
    "too many lists": (
        header((1 << 31) - 1, 2) + A_LIST, f"postings list 2 of 2,147,483,647: the file ends 1 bytes too early; {OTHER}"
    ),
    "too many records": (
        header(1, (1 << 31) - 1) + A_LIST + SOUND,
        f"document record 3 of 2,147,483,647: the file ends 1 bytes too early; {OTHER}",
    ),
    "a list cut short": (header(1, 2) + A_LIST[:-3], f"{FIRST}: the file ends 3 bytes too early; {OTHER}"),
    "a term that is no text": (header(1, 2) + message((1, b"\xff\xfe")), f"{FIRST}: it is not a PostingsList; {OTHER}"),
    "no term": (header(1, 2) + postings("", [(0, 1)]), f"{FIRST}, of the term '': the term is empty"),
    "no posting": (header(1, 2) + postings("cat", []), f"{CAT}: it has no posting"),
    "another df": (header(1, 2) + postings("cat", [(0, 1)], df=2), f"{CAT}: the df is 2, and it holds 1 posting"),
    "another cf": (
        header(1, 2) + postings("cat", [(0, 1)], cf=9), f"{CAT}: the cf is 9, and its frequencies add up to 1"
    ),
    "a negative document": (
        header(1, 2) + postings("cat", [(-1, 1)]), f"{CAT}: posting 1 has the gap -1; expected at least 0"
    ),
    "a document twice": (
        header(1, 2) + postings("cat", [(1, 1), (0, 1)]), f"{CAT}: posting 2 has the gap 0; expected at least 1"
    ),
    "a document too many": (
        header(1, 2) + postings("cat", [(0, 1), (2, 1)]), f"{CAT}: posting 2 is of document 2; the last one is 1"
    ),
    "gaps that overflow": (
        header(1, 2) + postings("cat", [((1 << 31) - 1, 1)] * 3),
        f"{CAT}: posting 1 is of document 2147483647; the last one is 1",
    ),
    "no frequency": (
        header(1, 2) + postings("cat", [(0, 0)]), f"{CAT}: posting 1 has the frequency 0; expected at least 1"
    ),
    "a negative frequency": (
        header(1, 2) + postings("cat", [(0, 1), (1, -3)]),
        f"{CAT}: posting 2 has the frequency -3; expected at least 1",
    ),
    "a term twice": (header(2, 2) + A_LIST * 2 + SOUND, "postings lists 1 and 2 are both of the term 'cat'"),
    "records out of order": (
        header(1, 2) + A_LIST + message((1, 1), (2, "d1")),
        "document record 1 of 2: the docid is 1; expected 0, in the order of the docids",
    ),
    "no id": (
        header(1, 1) + postings("cat", [(0, 1)]) + message((3, 1)),
        "document record 1 of 1: the collection_docid is empty",
    ),
    "an id twice": (
        header(1, 2) + A_LIST + message((2, "d7"), (3, 1)) + message((1, 1), (2, "d7"), (3, 2)),
        "documents 1 and 2 both have the id 'd7'",
    ),
    "a document too long": (
        header(2, 1) + postings("a", [(0, (1 << 31) - 1)]) + postings("b", [(0, 1)]) + records(0),
        "document 'd0' has more than 2,147,483,647 tokens",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_a_file_must_not_say(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.ciff"
    data, problem = WRONG[name]
    path.write_bytes(data)
    with raising(DataError, f"{path}: {problem}"):
        read_ciff(path)


REFUSED = """
import sys
from toysearch.base.errors import DataError
from toysearch.exchange.ciff import read_ciff
for path in sys.argv[1:]:
    try:
        read_ciff(path)
    except DataError as error:
        print(error)
"""


def test_protobuf_without_compiled_parts_reads_the_same(tmp_path: Path) -> None:
    """Some systems have no other; it decodes texts by itself."""
    for number, (data, _) in enumerate(WRONG.values()):
        (tmp_path / f"{number:02}.ciff").write_bytes(data)
    paths = sorted(tmp_path.iterdir())
    variables = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python", "PYTHONUTF8": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", REFUSED, *paths], capture_output=True, encoding="utf-8", env=variables
    )
    assert printed.stdout.splitlines() == [
        f"{path}: {problem}" for path, (_, problem) in zip(paths, WRONG.values(), strict=True)
    ]


def test_more_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "wrong.ciff"
    path.write_bytes(header(1, 2) + A_LIST + SOUND + b"\n")
    with pytest.raises(DataError, match=r"goes on after the last of its 2 document records$"):
        read_ciff(path)


@given(st.data())
@settings(max_examples=60)
@longer
def test_a_changed_file_is_an_index_or_a_sentence(data: Any) -> None:
    """Whatever is changed: what is read is a sound index, or the error is one of ours."""
    import tempfile
    import warnings

    sound = encoded(Index.build(["a cat", "the cat and the dog", ""]), "of a test")
    changed = (
        bytearray(sound[: data.draw(st.integers(0, len(sound)))]) if data.draw(st.booleans()) else bytearray(sound)
    )
    for _ in range(data.draw(st.integers(0, 3))):
        if changed:
            changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        path = Path(folder, "any.ciff")
        path.write_bytes(
            gzip.compress(changed)[: -data.draw(st.integers(1, 12))] if data.draw(st.booleans()) else changed
        )
        try:
            index = read_ciff(path)
        except DataError:
            return
        index.save(Path(folder, "index"))
        assert check_index(Path(folder, "index")) == []


def test_generated_code_reads_it(tmp_path: Path) -> None:
    """The classes that protoc makes of the published schema read the same, where protoc is installed."""
    pytest.importorskip("grpc_tools")
    (tmp_path / "published.proto").write_text(PUBLISHED)
    index = Index.build(load("cat-dog-parrot"))
    write_ciff(index, tmp_path / "a.ciff")
    made = ["-m", "grpc_tools.protoc", "-I.", "--python_out=.", "published.proto"]
    subprocess.run([sys.executable, *made], cwd=tmp_path, check=True)
    done = subprocess.run([sys.executable, "-c", READER], cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = [f"{term} {len(index[term])} {sum(index[term].values())}" for term in index.terms]
    expected += [f"{doc_id} {index.dl[number]}" for number, doc_id in enumerate(index.doc_ids)]
    assert done.stdout.splitlines() == expected


PUBLISHED = """
syntax = "proto3";
message Header {
  int32 version = 1; int32 num_postings_lists = 2; int32 num_doc_records = 3; int32 total_postings_lists = 4;
  int32 total_docs = 5; int64 total_terms_in_collection = 6; double average_doclength = 7; string description = 8;
}
message Posting { int32 docid = 1; int32 tf = 2; }
message PostingsList { string term = 1; int64 df = 2; int64 cf = 3; repeated Posting postings = 4; }
message DocRecord { int32 docid = 1; string collection_docid = 2; int32 doclength = 3; }
"""
READER = """
import published_pb2 as ciff
from google.protobuf.internal.decoder import _DecodeVarint32
data, place = open("a.ciff", "rb").read(), 0
def read(kind):
    global place
    length, place = _DecodeVarint32(data, place)
    place += length
    return kind.FromString(data[place - length : place])
header = read(ciff.Header)
for _ in range(header.num_postings_lists):
    found = read(ciff.PostingsList)
    assert len(found.postings) == found.df
    print(found.term, found.df, found.cf)
for _ in range(header.num_doc_records):
    found = read(ciff.DocRecord)
    print(found.collection_docid, found.doclength)
assert place == len(data)
"""


def test_the_commands(tmp_path: Path) -> None:
    here, file, there = (str(tmp_path / name) for name in ("here", "pets.ciff.gz", "there"))
    done("index", "cat-dog-parrot", "-o", here, "--analyzer", "plain")
    written = done("convert", here, "--to", "ciff", "-o", file).stderr
    assert re.fullmatch(rf"{re.escape(file)}: 4 documents, 7 terms, 16 postings, \d+ bytes\n", written)
    read = done("index", file, "-o", there, "--analyzer", "plain").stderr
    assert read.startswith(f"{there}: 4 documents, 7 terms, ")
    found = [done("search", folder, "train a cat", "--json").stdout for folder in (here, there)]
    scores = [re.findall(r'"(?:doc_id|score)": ([^,\n]+)', text) for text in found]
    assert scores[0] == scores[1] != []
    done("convert", here, "--to", "ciff", "-o", file)  # its own file is replaced
    assert done("index", file, "-o", there).exit_code == 0
    assert done("search", there, "TRAIN", "--tsv").stdout.count("\n") == 1
    Path(file).write_bytes(b"mine")
    assert refusal("convert", here, "--to", "ciff", "-o", file) == (
        f"toysearch: '{file}' already exists and is not an index in CIFF that toysearch made; choose another name, "
        "or give --force"
    )
    assert Path(file).read_bytes() == b"mine"
    done("convert", here, "--to", "ciff", "-o", file, "--force")


def test_what_the_commands_refuse(tmp_path: Path) -> None:
    here, file = str(tmp_path / "here"), str(tmp_path / "pets.ciff")
    done("index", "cat-dog-parrot", "-o", here)
    Path(file).write_bytes(b"mine")
    told = {
        ("convert", "cat-dog-parrot", "--to", "ciff", "-o", file): (
            "'cat-dog-parrot' is not an index, and CIFF holds one; make it first: toysearch index cat-dog-parrot -o DIR"
        ),
        ("convert", here, "--to", "ciff", "-o", file, "--fields", "a"): f"'{here}' is an index: leave out --fields",
        ("convert", here, "--to", "beir", "-o", file): (
            f"'{here}' is an index, which holds no queries; name the collection that it was built from, or write its "
            "postings: --to ciff"
        ),
        ("index", file, "-o", here, "--positions", "--fields", "a"): (
            f"'{file}' is an index without documents: leave out --positions and --fields"
        ),
        ("search", file, "cat"): (f"'{file}' is an index in CIFF; make an index of it: toysearch index {file} -o DIR"),
        ("index", file, "-o", here): f"{file}: header: the file ends 106 bytes too early; {OTHER}",
    }
    for arguments, sentence in told.items():
        assert refusal(*arguments) == f"toysearch: {sentence}"
    assert check_index(here) == []


def test_without_the_package_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ciff._messages.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    done("index", "cat-dog-parrot", "-o", tmp_path / "here")
    sentence = "toysearch: CIFF needs the package protobuf, an extra: pip install 'toysearch[ciff]'"
    assert refusal("convert", tmp_path / "here", "--to", "ciff", "-o", tmp_path / "a.ciff") == sentence
    assert not (tmp_path / "a.ciff").exists()
