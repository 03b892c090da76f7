"""JSON Lines read by compiled loops and line by line: the same documents, notes and errors, whatever the bytes."""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import warnings
from itertools import product
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lengths import often, thinned

from tests.ways import way
from toysearch import Analyzer, Index, load
from toysearch.base.encoded_texts import Encoded
from toysearch.base.errors import DataError
from toysearch.compiled import json_lines
from toysearch.formats import json_blocks, jsonl

BLANKS = ["\t", "\n", "\x0b", "\x1c", "\x1f", " ", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000"]
PIECES = ["", "a", "cat", "eight_by", "eight_by_nine", '"', "\\", "/", "\b\f\n\r\t", "\0", "\x7f", "é", "ß", "文"]
PIECES += ["\uffff", "\U0001d11e", "\U0010ffff", "\u07ff", "\u0800", "\ud7ff", "\ue000", *BLANKS]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=12)
KEYS = st.sampled_from(
    [
        ("_id", "text"),
        ("_id", "title", "text"),
        ("text", "title", "_id"),
        ("_id", "text", "author"),
        ("_id", "title", "text", "metadata"),
        ("_id", "text", 'an "odd" kéy\\'),
        ("_id", "body"),
        ("text",),
    ]
)
ODD = [
    b"",
    b" ",
    b'{"_id": "", "text": "x"}',
    b'{"_id": {}, "text": "x"}',
    b'{"_id": "o", "text": {}}',
    b'{"_id": "o", "text": null}',
    b'{"_id": 7, "text": "x"}',
    b'{"_id": "o", "text": "x", "text": "y"}',
    b'{"_id": "o", "text": "x"} x',
    b'{"_id": "o", "text": "x",}',
    b'{"_id": "o" "text": "x"}',
    b'{"_id": "o"; "text": "x"}',
    b'{"_id": "o", "text": "x"',
    b'{"_id": "o", "text": "x',
    b'{"_id": "o", "text": "x\\',
    b'{"_id": "o", "text": "x\\u12',
    b'{"_id": "o", "text": "x\\ud83d\\u',
    b'{"_id": "o", "text": "x\xf0\x9f',
    b'{"_id": "o", "text": "a\tb"}',
    b'{"_id": "o", "text": "a\t}',
    b'{"_id": "o\x01, "text": "a"}',
    b'{"_id": "o", "text": "a\\xb"}',
    b'{"_id": "o", "text": "a\\u00g0"}',
    b'{"_id": "o", "text": "\\ud800"}',
    b'{"_id": "o", "text": "\\ud800\\u0041"}',
    b'{"_id": "o", "text": "\\udc00\\ud800"}',
    b'{"_id": "o", "text": "\\udc00"}',
    b'{"_id": "o", "text": "\\uD83D\\uDE00 \\u00e9\\/\\""}',
    b'{"_id": "o", "text": "\xff"}',
    b'{"_id": "o", "text": "\xc3"}',
    b'{"_id": "o", "text": "\xc0\xaf"}',
    b'{"_id": "o", "text": "\xc1\xbf"}',
    b'{"_id": "o", "text": "\xe0\x9f\xbf"}',
    b'{"_id": "o", "text": "\xed\xa0\x80"}',
    b'{"_id": "o", "text": "\xf0\x8f\xbf\xbf"}',
    b'{"_id": "o", "text": "\xf4\x90\x80\x80"}',
    b'{"_id": "o", "text": "\xf5\x80\x80\x80"}',
    b'{"_id": "o", "text": "\xe2\x82x"}',
    b'{"_id": "o", "text": "\xe2\x82\xc3"}',
    b'{"_id": "o", "text": "some\x1fthing long"}',
    b'{"_id": "o", "text": "some\xffthing long"}',
    b'{"_id": "o", "text": "some\\xthing long"}',
    b'{"_id": "o", "text": "some"thing long"}',
    b'\t {"_id" :\t"o" , "text": "x" } \r',
    b'\xef\xbb\xbf{"_id": "o", "text": "x"}',
    b'{"_id": "o", "t\\u0065xt": "x"}',
    b'{"_id": "o", "text": "x"}\x0c',
]


@st.composite
def lines(draw):
    """Lines that mostly have the same keys; characters as they are, or escaped."""
    keys = draw(KEYS)
    found = [json.dumps(dict.fromkeys(keys, "first")).encode()]
    for number in range(draw(st.integers(0, 12))):
        if draw(st.integers(0, 5)) == 0:
            found.append(draw(st.sampled_from(ODD) | st.binary(max_size=9).map(lambda raw: raw.replace(b"\n", b""))))
            continue
        own = draw(KEYS) if draw(st.integers(0, 5)) == 0 else keys
        item = {key: draw(TEXTS) for key in own} | ({"_id": f"{number}"} if "_id" in own else {})
        if "metadata" in own and draw(st.booleans()):
            item["metadata"] = {}
        spaces = draw(st.sampled_from([(", ", ": "), (",", ":")]))
        found.append(json.dumps(item, ensure_ascii=draw(st.booleans()), separators=spaces).encode())
    return found


def flat(path, read, searched, title="title"):
    """Id, text and title of what a reader gives, and what is said; an error last."""
    found: list[object] = []
    with mock.patch.object(jsonl, "_FEW", 1), warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            for item in read(path):
                if isinstance(item, Encoded):
                    assert 0 < item.doc_ids.n == item.texts.n == item.titles.n
                    found += zip(*(column.texts() for column in item), strict=True)
                else:
                    _, doc_id, fields = item
                    text = " ".join(fields[name] for name in searched if fields.get(name))
                    found.append((doc_id, text, " ".join(fields.get(title, "").split())))
        except DataError as error:
            found.append(str(error))
    return found, [str(note.message) for note in notes]


@given(
    lines(),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
    st.sampled_from([("title", "text"), ("text",), ("author", "text", "title"), ("author",)]),
    st.sampled_from([1, 2, 100]),
    st.sampled_from([1, 40, 1 << 17]),
    st.sampled_from([1, 60, 1 << 23]),
)
@settings(max_examples=often(200, 25))
def test_blocks_are_what_single_lines_are(found, end, ended, searched, odd, block, full):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "any.jsonl")
        path.write_bytes(end.join([*found, b""] if ended else found))
        with (
            mock.patch.object(json_blocks, "_ODD", odd),
            mock.patch.object(json_blocks, "_BLOCK", block),
            mock.patch.object(json_blocks, "_FULL", full),
        ):
            blocks = flat(path, lambda path: json_blocks.read_json_blocks(path, None, searched, "title"), searched)
        assert blocks == flat(path, jsonl.read_jsonl, searched)


@pytest.mark.parametrize(("searched", "line"), thinned(product([("title", "text"), ("author",)], ODD), 3))
def test_each_odd_line_between_usual_ones(tmp_path, line, searched):
    path = tmp_path / "odd.jsonl"
    usual = b'{"_id": "%d", "text": "t"}'
    path.write_bytes(b"\n".join([usual % 1, usual % 2, line, usual % 3, b""]))
    with mock.patch.object(json_blocks, "_ODD", 1):
        found = flat(path, lambda path: json_blocks.read_json_blocks(path, None, searched, "title"), searched)
    assert found == flat(path, jsonl.read_jsonl, searched)


@pytest.mark.parametrize("title", ["title", "author"])
@pytest.mark.parametrize("searched", [("title",), ("author",), ("text",)])
def test_what_may_be_an_object_depends_on_the_key_alone(tmp_path, searched, title):
    path, usual = tmp_path / "objects.jsonl", {"_id": "1", "title": "a", "text": "b", "author": "c", "metadata": {}}
    for key in usual:
        path.write_text("".join(json.dumps(item) + "\n" for item in (usual, usual, usual | {key: {}}, usual)))
        found = flat(path, lambda path: json_blocks.read_json_blocks(path, None, searched, title), searched, title)
        assert found == flat(path, jsonl.read_jsonl, searched, title), key


@pytest.mark.parametrize("size", range(1, 6))
def test_nothing_is_looked_at_behind_the_line_end(size):
    data = np.frombuffer(b"\\u1234"[:size] + b"\n", np.uint8)
    assert json_lines.code_unit.py_func(data, 0) == -1


def test_every_character_as_it_is_and_escaped(tmp_path):
    path, searched = tmp_path / "all.jsonl", ("title", "text")
    everything = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    starts = range(0, len(everything), 2048)
    texts = ["".join(f" {character}a" for character in everything[start : start + 2048]) for start in starts]
    items = [{"_id": f"d{number}", "title": text, "text": text} for number, text in enumerate(texts)]
    path.write_text("".join(json.dumps(item, ensure_ascii=plain) + "\n" for plain in (True, False) for item in items))
    blocks = list(json_blocks.read_json_blocks(path, None, searched, "title"))
    assert sum(isinstance(item, Encoded) for item in blocks) > 0
    found = flat(path, lambda path: blocks, searched)
    assert found == flat(path, jsonl.read_jsonl, searched)
    assert [text for _, text, _ in found[0]] == [f"{text} {text}" for text in texts] * 2


def test_what_python_takes_for_white_space():
    everything = map(chr, range(sys.maxunicode + 1))
    assert json_lines.BLANKS.tolist() == [ord(character) for character in everything if character.isspace()]


def test_usual_lines_are_read_by_the_loops(tmp_path):
    path = tmp_path / "usual.jsonl"
    usual = [f'{{"_id": "{number}", "text": "a \\u00e9 \\"cat\\"", "metadata": {{}}}}\n' for number in range(1200)]
    usual[700] = '{"_id": "700", "text": "a cat", "metadata": 7}\n'
    path.write_text("".join(usual))
    sizes = [
        item.texts.n if isinstance(item, Encoded) else 1
        for item in json_blocks.read_json_blocks(path, None, ["text"], "title")
    ]
    assert sizes == [1] * 500 + [200] + [1] * 100 + [400]


@pytest.mark.parametrize("packed", [False, True])
def test_more_documents_than_go_together(tmp_path, packed):
    path = tmp_path / "many.jsonl"
    data = b"".join(b'{"_id": "%d", "text": "t%d"}\n' % (number, number % 7) for number in range(70_000))
    path.write_bytes(gzip.compress(data) if packed else data)
    found = list(json_blocks.read_json_blocks(path, None, ["text"], "title"))
    assert [item.texts.n for item in found if isinstance(item, Encoded)] == [json_lines.MOST, 3964]
    assert [doc_id for doc_id, _, _ in flat(path, lambda path: found, ["text"])[0]] == [*map(str, range(70_000))]


def test_documents_that_are_kept_are_not_written_over(tmp_path):
    path = tmp_path / "kept.jsonl"
    path.write_text("".join(f'{{"_id": "{number}", "text": "t{number}"}}\n' for number in range(3000)))
    with mock.patch.object(json_blocks, "_FULL", 1000), mock.patch.object(json_blocks, "_BLOCK", 500):
        found = list(json_blocks.read_json_blocks(path, None, ["text"], "title"))
    texts = [text for item in found if isinstance(item, Encoded) for text in item.texts.texts()]
    assert texts == [f"t{number}" for number in range(500, 3000)]


@pytest.mark.parametrize("block", [1, 300, 5000])
def test_there_is_room_for_all_lines_that_are_read(tmp_path, monkeypatch, block):
    """The loops write without looking where an array ends."""
    path, read, taken = tmp_path / "long.jsonl", json_blocks._Room.read, {}
    path.write_text("".join(f'{{"_id": "{number}", "text": "{"x" * (number % 97)}"}}\n' for number in range(2000)))

    def watched(room, data, place, usual):
        before = taken[id(room)] if room.count else 0
        assert before + len(data) - place <= room.size == room._columns[0].size
        following, count = read(room, data, place, usual)
        taken[id(room)] = before + following - place
        return following, count

    monkeypatch.setattr(json_blocks._Room, "read", watched)
    monkeypatch.setattr(json_blocks, "_FULL", 1000)
    monkeypatch.setattr(json_blocks, "_BLOCK", block)
    found = [*json_blocks.read_json_blocks(path, None, ["text"], "title")]
    assert sum(item.texts.n for item in found if isinstance(item, Encoded)) == 1500


WAYS = product(["none", "english"], [{}, {"threads": 3}, {"store_text": False}, {"values": ["year"]}])


@pytest.mark.parametrize(("language", "options"), thinned(WAYS, 3))
def test_indexes_of_a_file_are_the_same_on_both_ways(tmp_path, options, language):
    rng, path = np.random.default_rng(3), tmp_path / "corpus.jsonl"
    words = ["cats", "the", "Été", "x\0y", "dogs'", "ΟΔΟΣ", "\u212aelvin", "日本語"]
    with open(path, "w", encoding="utf-8") as file:
        for number in range(1500):
            text = " ".join(rng.choice(words, rng.integers(0, 9)))
            item: dict[str, object] = {"_id": f"d{number}", "title": f" a  {words[number % 8]}\t", "text": text}
            item["year"] = str(number) if number % 300 else number
            file.write(json.dumps(item, ensure_ascii=bool(number % 2)) + "\n")
    analyzer = Analyzer.for_language(language)
    for chosen in ("plain", "compiled"):
        with way(chosen):
            Index.build(load(path), analyzer, folder=tmp_path / chosen, **options)
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / chosen).iterdir()} for chosen in ("plain", "compiled")
    ]
    assert files[0] == files[1]
