"""Files that nobody foresaw: whatever a reader raises, the user reads a sentence with the file, and exit code 2."""

import csv
import gzip
import json
import lzma
import random
import re
import struct
from xml.etree.ElementTree import ParseError

import pytest
import shell
from tiers import longer, often

import toysearch
from toysearch.base import ToysearchError
from toysearch.base.errors import DataError, ToysearchNote
from toysearch.files import problems
from toysearch.files.recognise import kind_of

pytestmark = pytest.mark.filterwarnings("ignore::toysearch.base.errors.ToysearchNote")

ODD = {
    "unnamed.csv": "id,text,\nd1,a cat,[draft]\nd2,a dog,\n",
    "index.csv": ",id,text\n[1],d1,a cat\n[2],d2,a dog\n",
    "blank.tsv": "\t\t0\n3\t\t\n",
    "quotes.txt": '""',
    "empty.json": '{"":{"":null},"n":{"":NaN,"":{}}}',
    "ragged.csv": "a\r\nb,c\n\rd,e,f\n",
    "silent.json": '[{"id": 1, "turns": []}]',
}
"""What raised something else than a sentence once: a column without a name, a cell without a digit, an empty row."""

UNFORESEEN = re.compile(r" cannot be read: \w*(?:[eE]rror|Iteration|Exception):")
"""What is said of a fault of a reader."""


@pytest.mark.parametrize("name", ODD)
def test_odd_files_are_read_or_refused_in_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(ODD[name])
    for line in (["search", name, "cat"], ["check", name], ["eval", name, name]):
        result = shell.run(*line)
        assert result.exit_code in (0, 1, 2), (line, result.exception)
        assert not UNFORESEEN.search(result.stderr), (line, result.stderr)
        assert name in result.output + result.stderr or not result.exit_code


def test_a_folder_of_tables_one_of_which_has_no_label_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "a.tsv").write_text("\n{}\n")
    (tmp_path / "b.csv").write_text("grade;grade\na cat;1e400")
    with pytest.raises(DataError, match=r"the columns of a.tsv \(\{\}\) and b.csv"):
        toysearch.load(tmp_path)


@pytest.mark.parametrize("end", [12, 25])
@pytest.mark.parametrize("name", ["mail.eml", "mail.mbox", "mail.eml.gz"])
def test_a_truncated_mail_in_a_folder_is_named_and_can_be_left_out(name, end, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / name).write_bytes(gzip.compress(b"From: a\n\ncat")[:end])
    (tmp_path / "d" / "b.txt").write_text("a cat\n")
    assert "damaged or truncated" in shell.refusal("search", "d", "cat")
    assert "b.txt" in shell.done("search", "d", "cat", "--on-error", "skip").stdout


@pytest.mark.parametrize(
    "error",
    [
        *(KeyError("score"), EOFError(), TypeError("unhashable"), RecursionError(), ValueError(), RuntimeError()),
        *(csv.Error("field larger"), struct.error("short"), lzma.LZMAError("corrupt"), ParseError("no element")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_a_reader_raises_is_a_sentence_with_the_file_and_the_kind(error):
    with pytest.raises(DataError, match=r"^notes\.csv cannot be read"), problems.refusing("notes.csv"):
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, PermissionError, DataError, ToysearchNote])
def test_what_no_reader_is_to_blame_for_is_raised_as_it_is(error):
    with pytest.raises(error, match=r"^as it is$"), problems.refusing("notes.csv"):
        raise error("as it is")


@pytest.mark.parametrize(
    "first", ["docno\nd1\nd2\n", "doc grade\nd1 1\nd2 0\n", "d1\nd2\n", "# judged\ndocno\nd1\nd2\n"]
)
def test_a_list_named_after_its_query_may_name_its_column(first, tmp_path):
    (tmp_path / "q1.txt").write_text(first)
    (tmp_path / "q2.txt").write_text("docno\nd1\n")
    qrels = toysearch.read_qrels(tmp_path).to_dict()
    assert {query: [*docs] for query, docs in qrels.items()} == {"q1": ["d1", "d2"], "q2": ["d1"]}


def test_what_is_advised_for_a_click_log_takes_ids_with_blanks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["session,query,position,doc,clicked", "s1,red shoes,1,d 1,1", "s2,red shoes,1,d2,0", "s2,red shoes,2,d 1,1"]
    (tmp_path / "clicks.csv").write_text("\n".join(rows) + "\n")
    line = shell.refusal("eval", "cat-dog-parrot", "--qrels", "clicks.csv").rpartition("toysearch ")[2]
    shell.done(*line.split())
    assert toysearch.read_qrels(line.split()[-1]).to_dict()["red shoes"].keys() == {"d 1", "d2"}


NAMES = ["id", "text", "", "query", "doc", "score", "rank", "grade", "title", "q1", "d1", "relevant", "hits", "é"]
CELLS = [
    "",
    "1",
    "0",
    "d1",
    "q1",
    "a cat",
    "[draft]",
    "{}",
    "[1, 2]",
    "NaN",
    "-1.5",
    "yes",
    '"',
    "x;y",
    "\u00e9",
    "1e400",
]


def value(random, depth=0):
    """A value of JSON of few levels."""
    kind = random.randrange(6 if depth < 3 else 4)
    if kind == 4:
        return [value(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 5:
        return {random.choice(NAMES): value(random, depth + 1) for _ in range(random.randrange(4))}
    return random.choice([None, True, 1, 0.5, random.choice(CELLS), random.choice(NAMES)])


def delimited(random):
    """A table, separated by a mark or blanks."""
    between, width = random.choice(",\t; |"), random.randrange(1, 5)
    rows = [random.choices(NAMES, k=width)]
    rows += [random.choices(CELLS, k=width + random.choice([0, 0, 0, 1, -1])) for _ in range(random.randrange(5))]
    return "\n".join(between.join(row) for row in rows)


def element(random, depth=0):
    """An element of XML, with attributes, text and others inside, one of which may lack its end."""
    name = random.choice(["doc", "DOCNO", "title", "top", "num", "row", "id", "text", "a:b", "é"])
    attributes = "".join(f' {random.choice(NAMES) or "n"}="{random.choice(CELLS)}"' for _ in range(random.randrange(2)))
    inside = [element(random, depth + 1) if depth < 3 and random.random() < 0.6 else random.choice(CELLS) for _ in "12"]
    return f"<{name}{attributes}>{''.join(inside)}" + random.choice([f"</{name}>\n"] * 9 + [""])


def mail(random):
    """A mail or several, whose header names any type, encoding and date."""
    types = ["text/plain", "text/html; charset=utf-7", "multipart/mixed; boundary=b", "text/plain; charset=none", "a/b"]
    header = {
        "From": random.choice(CELLS),
        "Subject": random.choice(["=?utf-8?B?4pyT?=", "=?x?q?=ff?=", *CELLS]),
        "Date": random.choice(["Mon, 30 Nov 2026 21:28:00 +0000", "31 Feb 99999", *CELLS]),
        "Content-Type": random.choice(types),
        "Content-Transfer-Encoding": random.choice(["base64", "quoted-printable", "x", "8bit"]),
    }
    lines = [f"{name}: {text}" for name, text in header.items() if random.random() < 0.8]
    return "\n".join([*lines, "", random.choice(["--b", "", "=E9=", "YQ="]), *random.choices(CELLS, k=3), ""])


SYNTAXES = {
    ("a.csv", "a.tsv", "a.txt"): delimited,
    ("a.json",): lambda random: json.dumps(value(random), ensure_ascii=random.random() < 0.5),
    ("a.jsonl",): lambda random: "\n".join(json.dumps(value(random)) for _ in range(random.randrange(1, 5))),
    ("a.run", "a.qrels", "a.txt"): lambda random: "\n".join(
        " ".join(random.choices(CELLS + NAMES, k=random.randrange(2, 7))) for _ in range(4)
    ),
    ("a.xml", "a.trec", "a.html"): lambda random: "".join(element(random) for _ in range(random.randrange(1, 4))),
    ("a.eml", "a.mbox", "a.txt"): lambda random: "From a\n".join(mail(random) for _ in range(random.randrange(1, 3))),
}
"""Names of files → what writes their text."""


def file_of(random):
    """The name and the content of a file of any syntax and encoding; sometimes changed or cut."""
    names = random.choice([*SYNTAXES])
    name, text = random.choice(names), SYNTAXES[names](random)
    data = text.encode(random.choice(["utf-8"] * 6 + ["cp1252", "utf-16", "utf-16-le", "utf-8-sig"]), "replace")
    if random.random() < 0.3:
        data = data[: random.randrange(len(data) + 1)]
    if random.random() < 0.1:
        name, data = f"{name}.gz", gzip.compress(data)[: random.choice([None, -5])]
    return name, data


READERS = {
    "documents": lambda path: list(toysearch.load(path).documents),
    "run": toysearch.read_run,
    "judgments": toysearch.read_qrels,
    "kind": kind_of,
}


@longer
@pytest.mark.parametrize("seed", range(often(60, 8)))
def test_any_structure_is_read_or_refused_in_a_sentence(seed, tmp_path):
    drawn = random.Random(seed)
    for number in range(40):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(drawn.choice([1, 1, 1, 2, 3])):
            name, data = file_of(drawn)
            (folder / name).write_bytes(data)
        paths = [folder / name, folder] if len([*folder.iterdir()]) > 1 else [folder / name]
        for path in paths:
            for reader in READERS.values():
                try:
                    reader(path)
                except ToysearchError as error:
                    assert not UNFORESEEN.search(str(error))  # noqa: PT017  (either is right, as the file is)
