"""Files that nobody foresaw: whatever a reader raises, the user reads a sentence with the file, and exit code 2."""

import gzip
import json
import random

import pytest
import shell
from tiers import often

import toysearch
from toysearch.base import ToysearchError
from toysearch.base.errors import DataError
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
}
"""What raised something else than a sentence once: a column without a name, a cell without a digit, an empty row."""


@pytest.mark.parametrize("name", ODD)
def test_odd_files_are_read_or_refused_in_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(ODD[name])
    for line in (["search", name, "cat"], ["check", name], ["eval", name, name]):
        result = shell.run(*line)
        assert result.exit_code in (0, 1, 2), (line, result.exception)
        assert name in result.output + result.stderr or not result.exit_code


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
    "error", [KeyError("score"), EOFError(), TypeError("unhashable"), RecursionError(), ValueError()]
)
def test_what_a_reader_raises_is_a_sentence_with_the_file_and_the_kind(error):
    with pytest.raises(DataError, match=r"^notes\.csv cannot be read"), problems.refusing("notes.csv"):
        raise error
    with pytest.raises(KeyboardInterrupt), problems.refusing("notes.csv"):
        raise KeyboardInterrupt


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


def file_of(random):
    """The name and the content of a file: a table, JSON, or lines of TREC; sometimes changed or cut."""
    between, kind = random.choice(",\t; |"), random.choice(["table", "table", "json", "lines", "trec"])
    if kind == "json":
        name, text = "a.json", json.dumps(value(random), ensure_ascii=random.random() < 0.5)
    elif kind == "lines":
        name, text = "a.jsonl", "\n".join(json.dumps(value(random)) for _ in range(random.randrange(1, 5)))
    elif kind == "trec":
        name = random.choice(["a.run", "a.qrels", "a.txt"])
        text = "\n".join(" ".join(random.choices(CELLS + NAMES, k=random.randrange(2, 7))) for _ in range(4))
    else:
        name, width = random.choice(["a.csv", "a.tsv", "a.txt"]), random.randrange(1, 5)
        rows = [random.choices(NAMES, k=width)]
        rows += [random.choices(CELLS, k=width + random.choice([0, 0, 0, 1, -1])) for _ in range(random.randrange(5))]
        text = "\n".join(between.join(row) for row in rows)
    data = text.encode()
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


@pytest.mark.parametrize("seed", range(often(8)))
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
                    assert str(error)  # noqa: PT017  (either is right, as the file is)
