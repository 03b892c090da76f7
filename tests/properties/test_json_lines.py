"""JSON Lines read by the quick parser and by Python's own: the same records, notes and errors, whatever the bytes."""

import json
import sys
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from captured_notes import noted
from chosen_way import way
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiers import often, thinned

from toysearch import Analyzer, Index, load
from toysearch.base.errors import DataError
from toysearch.files.document_formats import read_records
from toysearch.files.syntaxes import json_lines

pytestmark = pytest.mark.system

read_jsonl = partial(read_records, "jsonl", "documents")

NEVER = 1 << 60  # objects before the quick parser is used
VALUES = st.recursive(
    st.one_of(
        st.text(st.characters(exclude_categories=()), max_size=8),
        st.sampled_from(["", " a ", "\u2028", "\0", "\x7f", "\ud800", "\ud83d\ude00", "é"]),
        st.integers(),
        st.integers(2**53 - 2, 2**53 + 2),
        st.integers(2**63 - 2, 2**64 + 2),
        st.integers(-(2**63) - 2, -(2**63) + 2),
        st.just(10**400),
        st.floats(),
        st.booleans(),
        st.none(),
    ),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.sampled_from(["a", "_id"]), children),
    max_leaves=6,
)
KEYS = st.sampled_from(["_id", "id", "text", "title", "year", "body", "é", "", "text_"])
PAIRS = st.lists(st.tuples(KEYS, VALUES), max_size=5)
USUAL = st.fixed_dictionaries(
    {"_id": st.text(min_size=1, max_size=3), "title": st.text(max_size=5), "text": st.text(max_size=9)}
).map(lambda item: list(item.items()))
LINES = st.one_of(
    st.builds(lambda pairs, plain: written(pairs, plain), PAIRS | USUAL, st.booleans()),
    VALUES.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([b"", b"  ", b"\x0b", b"{", b'{"_id": "1"} x', b'{"_id": 1E400, "text": ""}', b"\xff\xfe"]),
    st.sampled_from([b'{"_id": "1", "text": "\xff"}', b'{"_id": "1", "text": "a\tb"}', b'{"_id": -0, "text": "-0"}']),
    st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")),
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


def written(pairs, plain):
    """An object whose keys may come twice; its characters as they are, or escaped."""
    inner = ", ".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=plain)}" for key, value in pairs)
    return f"{{{inner}}}".encode(errors="surrogatepass")


def read(path, few):
    """What is read and what is said, an error last."""
    records = []
    with mock.patch.object(json_lines, "_FEW", few), noted() as notes:
        try:
            records += [(*record, list(record[2])) for record in read_jsonl(path)]
        except DataError as error:
            records.append(str(error))
    return records, notes


@given(USUAL, st.lists(LINES, max_size=6), st.sampled_from([b"\n", b"\r\n"]))
@settings(max_examples=often(170))
@example([("_id", "1"), ("text", "")], [b'{"_id": 18446744073709551616, "text": ""}'], b"\n")
@example([("_id", "1"), ("text", "")], [b'{"_id": "2", "text": "", "a": [1.5, {"b": 36893488147419103232}]}'], b"\n")
@example([("_id", "1"), ("text", "")], [b'{"_id": "2", "text": "x", "text": "y"}'], b"\n")
@example([("_id", "1"), ("text", "")], [b'{"_id": "", "text": "x"}'], b"\n")
@example([("_id", "1"), ("text", "")], [b'{"_id": "2", "text": "\\ud800"}'], b"\n")
@example(
    [("_id", "1"), ("text", "")], [b'{"_id": "2", "text": "x", "deep": ' + b"[" * 2000 + b"]" * 2000 + b"}"], b"\n"
)
@example([("_id", "1"), ("text", "")], [b'{"_id": "2", "headline": "h", "text": "x"}', b'{"_id": "3"}'], b"\n")
def test_both_parsers_read_alike(first, rest, end):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "any.jsonl")
        path.write_bytes(end.join([written(first, True), *rest, b""]))
        assert read(path, 1) == read(path, NEVER)


@pytest.mark.parametrize("count", [0, 499, 500, 501, 1200])
def test_where_the_quick_parser_takes_over(tmp_path, count):
    path = tmp_path / "many.jsonl"
    path.write_text("".join(f'{{"_id": "{number}", "text": "t{number}"}}\n' for number in range(count + 1)))
    records = list(read_jsonl(path))
    assert records == [(number + 1, str(number), {"text": f"t{number}"}) for number in range(count + 1)]


def test_an_id_that_comes_twice_is_named_with_its_lines_by_the_index(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(f'{{"_id": "{number % 900}", "text": "cat"}}\n' for number in range(1000)))
    for folder in (None, tmp_path / "index"):
        with pytest.raises(DataError) as error:
            Index.build(load(path), folder=folder)
        advice = "each id may occur once: load(…, ids='number') keeps both"
        assert str(error.value) == f"{path}:901: doc_id '0' was already given on line 1; {advice}"
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("line", thinned(ODD, 3))
def test_each_odd_line_between_usual_ones(tmp_path, line):
    path = tmp_path / "odd.jsonl"
    usual = b'{"_id": "%d", "text": "t"}'
    path.write_bytes(b"\n".join([usual % 1, usual % 2, line, usual % 3, b""]))
    assert read(path, 1) == read(path, NEVER)


def test_every_character_as_it_is_and_escaped(tmp_path):
    path = tmp_path / "all.jsonl"
    everything = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    starts = range(0, len(everything), 2048)
    texts = ["".join(f" {character}a" for character in everything[start : start + 2048]) for start in starts]
    items = [{"_id": f"d{number}", "title": text, "text": text} for number, text in enumerate(texts)]
    path.write_text("".join(json.dumps(item, ensure_ascii=plain) + "\n" for plain in (True, False) for item in items))
    assert read(path, 1) == read(path, NEVER)
    assert [fields for _, _, fields in read_jsonl(path)] == [{"title": text, "text": text} for text in texts] * 2


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
