"""Files made to cost time and memory, numbers that no float holds, and cells that a spreadsheet would execute."""

import bz2
import csv
import gzip
import json
import lzma
import shutil
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path

import pytest
from chosen_way import way
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st
from tiers import thinned

import toysearch
from toysearch import Document, Index, Qrels, Run, ToysearchError, load, read_qrels, read_run
from toysearch.analysis.languages import word_lines
from toysearch.analysis.token_filters import synonyms_of
from toysearch.base import Column
from toysearch.base.errors import DataError
from toysearch.base.rendering import render
from toysearch.base.wording import from_spreadsheet, spreadsheet_text
from toysearch.collection import download
from toysearch.collection.queries import read_queries
from toysearch.collection.recipe import read_recipe
from toysearch.files import source, unpacking
from toysearch.files.source import numbered_lines
from toysearch.files.syntaxes.texts import html_parts, markdown_parts
from toysearch.retrieval.snippets import snippet
from toysearch.workbench.clicks.click_log import read_clicks
from toysearch.workbench.gate_file import read_gate
from toysearch.workbench.judging.pooling import pool, write_pool

LARGE = {"400 digits": "9" * 400, "5,001 digits": "9" * 5001, "1e400": "1e400", "-1e400": "-1e400"}
OTHERS = {"NaN": "NaN", "deep": "[" * 3000 + "]" * 3000, "deep object": '{"a":' * 3000 + "1" + "}" * 3000}
SURROGATE = '"\\ud800"'
READERS = {
    "run.json": (read_run, '{{"1": {{"d1": {}, "d2": 0.1}}}}'),
    "qrels.json": (read_qrels, '{{"1": {{"d1": {}, "d2": 1}}}}'),
    "qrels.jsonl": (read_qrels, '{{"query_id": "1", "doc_id": "d1", "relevance": {}}}\n'),
    "run.csv": (read_run, "query_id,doc_id,score\n1,d1,{}\n"),
    "qrels.csv": (read_qrels, "query_id,doc_id,relevance\n1,d1,{}\n"),
    "run.tsv": (read_run, "query_id\tdoc_id\tscore\n1\td1\t{}\n"),
    "qrels.tsv": (read_qrels, "query-id\tcorpus-id\tscore\n1\td1\t{}\n"),
    "run.txt": (read_run, "1 Q0 d1 1 {} t\n"),
    "qrels.txt": (read_qrels, "1 0 d1 {}\n"),
    "collection.toml": (read_recipe, 'format = "jsonl"\nthreshold = {}\n'),
    "relevance.toml": (read_gate, 'collection = "cat-dog-parrot"\n[[expect]]\nmeasure = "AP"\nat_least = {}\n'),
}


@pytest.mark.parametrize(("name", "number"), thinned(product(READERS, {**LARGE, **OTHERS}), 3))
def test_what_no_float_holds_is_refused_everywhere(tmp_path, name, number):
    read, text = READERS[name]
    path = tmp_path / name
    path.write_text(text.format({**LARGE, **OTHERS}[number]))
    for chosen in ("plain", "compiled"):
        with way(chosen), pytest.raises(DataError) as error:
            read(path)
        assert str(path) in str(error.value)


@pytest.mark.parametrize("name", ["run.json", "qrels.json", "qrels.jsonl"])
def test_what_is_no_number_may_be_anything(tmp_path, name):
    read, text = READERS[name]
    (tmp_path / name).write_text(text.format(SURROGATE))
    with pytest.raises(DataError):
        read(tmp_path / name)


@pytest.mark.parametrize("value", [*LARGE.values(), SURROGATE, "true", "[1]"])
def test_fields_of_documents(tmp_path, value):
    """A number of a document is a text, however long; only nesting and numbers of 4,300 digits are refused."""
    (tmp_path / "d.jsonl").write_text(f'{{"id": "1", "text": "a cat", "year": {value}}}\n')
    try:
        collection = load(tmp_path / "d.jsonl")
        assert [document.doc_id for document in collection.documents] == ["1"]
        Index.build(collection, values=[name for name in collection.documents.field_names if name == "year"])
    except DataError as error:
        assert "5001" in str(error) or "4300" in str(error)  # noqa: PT017


# Sizes


def _words(path):
    return list(word_lines(path))


def _synonyms(path):
    return synonyms_of(path, str)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 1 << 20)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("first", [b"", b"1 0 d1 1\n"])
@pytest.mark.parametrize("read", [read_run, read_qrels, load, _words, read_recipe, read_gate, _synonyms])
def test_the_longest_line(tmp_path, short, read, first, packed):
    data = first + b"a" * (3 << 20)
    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(ToysearchError) as error:
        read(path)
    assert len(str(error.value)) <= 1200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such device")
@pytest.mark.parametrize("read", [read_run, read_qrels, load, _words, read_recipe])
def test_a_device_without_an_end(short, read):
    with pytest.raises(ToysearchError, match="/dev/zero"):
        read("/dev/zero" if read is not read_recipe else Path("/dev/zero"))


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


TOOLS = {"gzip": "gzip", "bzip2": "bzip2", "xz": "xz"}
"""Form → the program whose -t says whether a file is sound."""
FIRST, SECOND = ("".join(f"{number}\n" for number in numbers).encode() for numbers in (range(500), range(500, 1000)))
SOUND = {
    "two streams": lambda one, two, empty: one + two,
    "an empty stream between": lambda one, two, empty: one + empty + two,
    "an empty stream first": lambda one, two, empty: empty + one + two,
    "an empty stream last": lambda one, two, empty: one + two + empty,
    "zeros behind": lambda one, two, empty: one + two + bytes(8),
    "many zeros behind": lambda one, two, empty: one + two + bytes(1 << 17),
    "zeros between": lambda one, two, empty: one + bytes(4) + two,  # for gzip and bzip2, the end of the data
}
DAMAGED = {
    **{f"garbage {text!r}": lambda one, two, text=text: one + two + text for text in (b"x", b"a text", b"\0x")},
    **{f"cut after {n}": lambda one, two, n=n: one + two[:n] for n in (1, 2, 3, 5, 9, 12, 20)},
    "cut at the end": lambda one, two: one + two[:-1],
    "the beginning of another": lambda one, two: one + two + two[:3],
}


def lines_of(path):
    """The numbers in a file, or the sentence by which it is refused."""
    try:
        return [line for _, line in numbered_lines(path)]
    except DataError as error:
        return str(error)


def flipped(data, place):
    """Flip one of the bits of some bytes."""
    changed = bytearray(data)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


@pytest.mark.parametrize("form", PACKERS)
def test_several_streams_are_read_to_the_end_or_refused(tmp_path, form):
    path, pack = tmp_path / "file", PACKERS[form]
    one, two = pack(FIRST), pack(SECOND)
    every = [f"{number}" for number in range(1000)]
    for name, joined in SOUND.items():
        path.write_bytes(joined(one, two, pack(b"")))
        assert lines_of(path) == every, name
    path.write_bytes(b"".join(map(pack, (FIRST + SECOND).splitlines(keepends=True))))
    assert lines_of(path) == every
    for name, joined in DAMAGED.items():
        path.write_bytes(joined(one, two))
        assert "cannot be read to its end because it is damaged or truncated" in lines_of(path), name


@pytest.mark.system
@pytest.mark.parametrize("form", PACKERS)
def test_each_bit_of_a_second_stream_is_as_its_program_finds_it(tmp_path, form):
    """Of what gzip and bzip2 call trailing garbage, lines may be lost: it is refused."""
    if shutil.which(TOOLS[form]) is None:
        pytest.skip(f"{TOOLS[form]} is not installed")
    path, (one, two) = tmp_path / "file", map(PACKERS[form], (FIRST, SECOND))
    n_read = 0
    for place in range(8 * 12):
        path.write_bytes(one + flipped(two, place))
        said = subprocess.run([TOOLS[form], "-t", "-k", str(path)], capture_output=True, check=False, text=True)
        is_sound, found = said.returncode == 0 and not said.stderr, lines_of(path)
        assert (len(found) == 1000) == is_sound, (place, said, found)
        assert is_sound or "damaged" in found
        n_read += is_sound
    assert n_read == {"gzip": 49, "bzip2": 2, "xz": 0}[form]  # the time, the system; a smaller block


@pytest.mark.parametrize("form", PACKERS)
@pytest.mark.parametrize("reader", ["documents", "queries", "run", "judgments", "clicks", "words"])
def test_each_reader_refuses_a_damaged_second_stream(tmp_path, form, reader):
    lines, read = {
        "documents": ('{{"id": "{0}", "text": "a cat {0}"}}', lambda path: list(load(path).documents)),
        "queries": ("{0}\tcat{0} fur", lambda path: read_queries(path)),
        "run": ("1 Q0 d{0} 1 -{0} t", read_run),
        "judgments": ("1 0 d{0} 1", read_qrels),
        "clicks": ("{0},cats,1,a,1", read_clicks),
        "words": ("cat{0}", _words),
    }[reader]
    text = [lines.format(number) for number in range(1000)]
    header = ["session,query,rank,doc,clicked"] if reader == "clicks" else []
    one, two = (
        PACKERS[form]("".join(f"{line}\n" for line in half).encode()) for half in (header + text[:500], text[500:])
    )
    path = tmp_path / "file.tsv"
    path.write_bytes(one + two)
    read(path)
    path.write_bytes(one + flipped(two, 0))
    with pytest.raises(DataError, match="damaged"):
        read(path)


@pytest.mark.system
@pytest.mark.parametrize("form", PACKERS)
def test_a_packed_file_that_grows(tmp_path, monkeypatch, form):
    monkeypatch.setattr(unpacking, "ALWAYS_UNPACKED", 1 << 20)
    path = tmp_path / "a.run"
    path.write_bytes(PACKERS[form](b"1 Q0 d1 1 0.5 t\n" * 200_000))
    with pytest.raises(DataError) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path} is {form} that grows more than 200-fold, to over ")
    rows = "".join(f"1 Q0 d{number} 1 {number} t\n" for number in range(100_000)).encode()
    path.write_bytes(PACKERS[form](rows))
    assert len(read_run(path)["1"]) == 100_000
    for place, byte in ((-1, None), (len(path.read_bytes()) // 2, 1)):
        damaged = bytearray(PACKERS[form](rows))
        if byte is None:
            del damaged[len(damaged) // 2 :]
        else:
            damaged[place : place + 8] = bytes([byte]) * 8
        path.write_bytes(damaged)
        with pytest.raises(DataError, match="cannot be read to its end because it is damaged or truncated"):
            read_run(path)


@pytest.mark.system
def test_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",".join(["id", "text", *map(str, range(100_000))]) + "\n" + ",".join(["1"] * 100_002) + "\n")
    with raising(DataError, f"{path}:1: the table has 100,002 columns; at most 10,000 are read"):
        list(load(path).documents)


DEEP_KEYS = ["a." * 50_000 + "a = 1", "['a'" + ".'a'" * 50_000 + "]", 'x = {"a"' + ' . "b"' * 99 + "=1}"]


@pytest.mark.parametrize("text", DEEP_KEYS)
def test_keys_of_toml(tmp_path, text):
    path = tmp_path / "collection.toml"
    path.write_text(text + "\n")
    with raising(DataError, f"{path}:1: expected TOML; a key has more than 64 parts"):
        read_recipe(path)
    (tmp_path / "documents.jsonl").write_text('{"id": "1", "text": "a cat"}\n')
    path.write_text('format = "jsonl"\ndescription = """\n' + "." * 500 + "\n" + "a. b. " * 20 + '"""\n')
    assert read_recipe(path).description.startswith("." * 500)


def test_tags_and_lines_of_pages():
    assert html_parts("a.html", "<p>a cat" + "<br>" * 1000)[1] == "a cat"
    with pytest.raises(DataError, match=r"a\.html has more than 200,000 tags"):
        html_parts("a.html", "<b>" * 1_000_000)
    with pytest.raises(DataError, match=r"a\.md has more than 200,000 lines of Markdown"):
        markdown_parts("a.md", "---\n" + "a\n" * 1_000_000)


def test_entries_of_archives(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "_MOST_ENTRIES", 50)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(60):
            archive.writestr(str(number), "")
    with raising(DataError, "a.zip is refused: it has more than 50 entries; nothing was unpacked"):
        download.unpack(tmp_path / "a.zip", {"1": tmp_path / "out"}, "a.zip")


@pytest.mark.system
def test_fields_apart():
    words = {f"f{number}": f"word{number} other" for number in range(40_000)}
    documents = [Document("1", "", "", words)]
    with pytest.raises(DataError, match="40,000 separate fields are too many for 40,001 postings and 1 doc"):
        Index.build(documents, fields=list(words))


@pytest.mark.system
def test_a_passage_of_a_very_long_text():
    text = "word " * 1_000_000 + "the needle here " + "other " * 1_000_000
    found = snippet(text, {"needl"}, toysearch.Analyzer.for_language("english"))
    assert "needle" in found.text
    assert [found.text[start:end] for start, end in found.spans] == ["needle"]
    assert found.text.startswith("… ")
    assert found.text.endswith(" …")
    assert snippet(text, {"absent"}, toysearch.Analyzer()).text.startswith("word word")


# Spreadsheets

FORMULAS = ['=HYPERLINK("http://x")', "+1+1", "-cat", "@sum", "'=1", "''=1", "=", "-"]
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp")), min_size=1) | st.builds(
    str.__add__, st.sampled_from("=+-@'"), st.text("=+-@'1a", max_size=4)
)


@pytest.mark.system
@given(TEXTS)
def test_a_text_comes_back_and_is_no_formula(text):
    cell = spreadsheet_text(text)
    assert from_spreadsheet(cell) == text
    assert cell[0] not in "=@\t\r"
    if cell[0] in "+-":
        float(cell)


@pytest.mark.parametrize("doc_id", FORMULAS)
def test_runs_judgments_and_sheets_are_safe_and_read_back(tmp_path, doc_id):
    run = Run.from_dict({"1": {doc_id: 0.5}, doc_id: {"a": -0.5}})
    qrels = Qrels.from_dict({"1": {doc_id: 1}, doc_id: {"a": -1}})
    toysearch.write_run(run, tmp_path / "run.csv")
    toysearch.write_qrels(qrels, tmp_path / "qrels.csv")
    write_pool(pool([run]), tmp_path / "sheet.csv", {"1": doc_id, doc_id: doc_id})
    for name in ("run.csv", "qrels.csv", "sheet.csv"):
        with open(tmp_path / name, newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row if cell]
        assert not [cell for cell in cells if cell[0] in "=+-@" and not cell[1:].replace(".", "").isdigit()]
    assert read_run(tmp_path / "run.csv")["1"] == {doc_id: 0.5}
    assert read_qrels(tmp_path / "qrels.csv")[doc_id] == {"a": -1}
    sheet = (tmp_path / "sheet.csv").read_text().splitlines()
    judged = [sheet[0], *(line.replace(",,", ",1,") for line in sheet[1:])]
    (tmp_path / "sheet.csv").write_text("\n".join(judged) + "\n")
    assert {row.doc_id for row in read_qrels(tmp_path / "sheet.csv")} == {doc_id, "a"}


def test_tables_as_csv():
    columns = [Column("team"), Column("value", format=".4f")]
    assert render(columns, [("=cmd()", -0.5), ("-0.5", 1.0)], "csv") == "team,value\n'=cmd(),-0.5\n-0.5,1.0"
    assert render(columns, [("=cmd()", -0.5)], "tsv").endswith("=cmd()\t-0.5")
    assert json.loads(render(columns, [("=cmd()", -0.5)], "json")) == [{"team": "=cmd()", "value": -0.5}]
