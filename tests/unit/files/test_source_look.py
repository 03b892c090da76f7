"""A file is looked at once: how often each command opens it, and what a reader takes over from the source."""

import copy
import gc
import gzip
import os
import pickle
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from shell import run

import toysearch
from toysearch.base import DataError
from toysearch.collection.catalog import load
from toysearch.files import source as sources
from toysearch.files.reading import Reading
from toysearch.files.recognise import judgments_among, rows_in, what_is
from toysearch.files.runs_and_judgments import read_qrels, read_run
from toysearch.files.source import ENOUGH, ByteRange, Source, numbered_lines, open_bytes, source_of

QUERIES, DOCUMENTS = range(1, 301), range(1, 26)
"""So many that no file fits into its beginning."""

FILES = {
    "mine.run": "".join(f"q{q} Q0 d{d} {d} {30 - d}.5 mine\n" for q in QUERIES for d in DOCUMENTS),
    "yours.run": "".join(f"q{q} Q0 d{d} {d} {60 - d}.25 yours\n" for q in QUERIES for d in DOCUMENTS),
    "run.csv": "query_id,doc_id,score\n" + "".join(f"q{q},d{d},{30 - d}.5\n" for q in QUERIES for d in DOCUMENTS),
    "run.jsonl": "".join(
        f'{{"query_id": "q{q}", "doc_id": "d{d}", "score": {30 - d}.5}}\n' for q in QUERIES for d in DOCUMENTS
    ),
    "judged.txt": "".join(f"q{q} 0 d{d} {d % 3}\n" for q in QUERIES for d in DOCUMENTS),
    "judged.jsonl": "".join(
        f'{{"query_id": "q{q}", "doc_id": "d{d}", "relevance": {d % 3}}}\n' for q in QUERIES for d in DOCUMENTS
    ),
    "pets.jsonl": "".join(f'{{"_id": "d{d}", "text": "{d} cats{" and dogs" * 400}"}}\n' for d in DOCUMENTS),
    "pets.csv": "id,text\n" + "".join(f"d{d},{d} cats{' and dogs' * 400}\n" for d in DOCUMENTS),
    "queries.tsv": "qid\ttext\n" + "".join(f"q{q}\tcats {q}{' or parrots' * 40}\n" for q in QUERIES),
    "sheet.csv": "query_id,doc_id,relevance,judge\n"
    + "".join(f"q{q},d{d},{d % 3},{judge}\n" for q in QUERIES for d in DOCUMENTS for judge in ("ada", "ben")),
}

SMALL = {
    "few.run": "q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1.5 mine\n",
    "few.txt": "q1 0 d1 1\nq1 0 d2 0\n",
    "few.jsonl": '{"_id": "d1", "text": "cats and dogs"}\n{"_id": "d2", "text": "parrots"}\n',
    "few.csv": "id,text\nd1,cats and dogs\nd2,parrots\n",
    "few.trec": "<DOC><DOCNO>d1</DOCNO>cats and dogs</DOC>\n<DOC><DOCNO>d2</DOCNO>parrots</DOC>\n",
    "few.smart": ".I 1\n.T\ncats\n.W\ncats and dogs\n",
    "asked.tsv": "qid\ttext\nq1\tcats\n",
    "topics.xml": "<top>\n<num> Number: q1\n<title> cats\n</top>\n",
    "small/corpus.jsonl": '{"_id": "d1", "text": "cats and dogs"}\n{"_id": "d2", "text": "parrots"}\n',
    "small/queries.jsonl": '{"_id": "q1", "text": "cats"}\n',
    "small/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
}

TEXTS = {
    "texts/oak.txt": "The oak is an old tree.\n",
    "texts/elm.md": "# Elm\n\nThe elm is a small tree.\n",
    "texts/ash.html": "<title>Ash</title><p>The ash is a tree.</p>\n",
    "texts/long.txt": "The forest is old and dark.\n" * 4000,
    "inner/sub/oak.txt": "The oak is an old tree.\n",
    "bare/oak": "The oak is an old tree.\n",
    "bare/elm": "The elm is a small tree.\n",
    "logs/oak.log": "The oak is an old tree.\n",
    "mails/oak.eml": "Subject: oak\n\nThe oak is an old tree.\n",
    "mails/elm.mbox": "From a\nSubject: elm\n\nThe elm is a small tree.\n\nFrom b\nSubject: ash\n\nThe ash.\n",
    "many/aa.trec": "<DOC><DOCNO>a1</DOCNO>oak</DOC>\n",
    "many/ab.trec": "".join(f"<DOC><DOCNO>b{d}</DOCNO>{'oak elm ' * 1000}</DOC>\n" for d in DOCUMENTS),
}

# The check of a collection also reads the bytes of each file, for damage and encodings, and its records without their
# ids.
OPEN = 2 if os.name == "nt" else 1
"""How often a large file of documents is opened: where an open one is locked, it is not kept for its reader."""

ONCE = {
    "eval mine.run judged.txt": {"mine.run": 1, "judged.txt": 1},
    "eval judged.txt mine.run": {"mine.run": 1, "judged.txt": 1},
    "eval run.csv judged.jsonl": {"run.csv": 1, "judged.jsonl": 1},
    "eval run.jsonl judged.jsonl": {"run.jsonl": 1, "judged.jsonl": 1},
    "compare mine.run yours.run judged.txt": {"mine.run": 1, "yours.run": 1, "judged.txt": 1},
    "diff mine.run yours.run judged.txt": {"mine.run": 1, "yours.run": 1, "judged.txt": 1},
    "check mine.run judged.txt": {"mine.run": 1, "judged.txt": 1},
    "check judged.txt": {"judged.txt": 1},
    "fuse mine.run yours.run": {"mine.run": 1, "yours.run": 1},
    "judge agree sheet.csv": {"sheet.csv": 1},
    "search pets.jsonl cats": {"pets.jsonl": OPEN},
    "search pets.csv cats": {"pets.csv": OPEN},
    "convert pets.jsonl --to beir -o converted": {"pets.jsonl": OPEN},
    "eval pets.jsonl judged.txt --queries queries.tsv": {"pets.jsonl": OPEN, "judged.txt": 1, "queries.tsv": 1},
    "search packed.jsonl.gz cats": {"packed.jsonl.gz": OPEN},
    "search texts oak": {"oak.txt": 1, "elm.md": 1, "ash.html": 1, "long.txt": OPEN},
    "search inner oak": {"oak.txt": 1},
    "search bare oak": {"oak": 1, "elm": 1},
    "search logs oak --input-format folder:*.log": {"oak.log": 1},
    "search mails oak": {"oak.eml": 1, "elm.mbox": 1},
    "search many oak": {"aa.trec": 1, "ab.trec": OPEN},
    "index texts -o texts.idx": {"oak.txt": 1, "elm.md": 1, "ash.html": 1, "long.txt": OPEN},
    "search few.jsonl cats": {"few.jsonl": 1},
    "search few.csv cats": {"few.csv": 1},
    "search few.trec cats": {"few.trec": 1},
    "search few.smart cats": {"few.smart": 1},
    "search small cats": {"corpus.jsonl": 1},
    "eval few.run few.txt": {"few.run": 1, "few.txt": 1},
    "eval few.jsonl few.txt --queries asked.tsv": {"few.jsonl": 1, "few.txt": 1, "asked.tsv": 1},
    "eval few.csv few.txt --queries topics.xml": {"few.csv": 1, "few.txt": 1, "topics.xml": 1},
    "eval small": {"corpus.jsonl": 1, "queries.jsonl": 1, "test.tsv": 1},
    "convert few.jsonl --to beir -o few-converted": {"few.jsonl": 1},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each kind."""
    place = tmp_path_factory.mktemp("looked")
    for name, text in FILES.items():
        assert len(text) > ENOUGH, name
        (place / name).write_text(text)
    (place / "packed.jsonl.gz").write_bytes(gzip.compress(FILES["pets.jsonl"].encode()))
    for name, text in (SMALL | TEXTS).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place


@pytest.fixture(autouse=True)
def _nothing_is_left() -> None:
    """Close what the errors of other tests still hold open."""
    gc.collect()


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each file is opened meanwhile by what opens the files of users."""
    opens, opened = Counter(), Source._opened

    def opening(source):
        opens[Path(source).name] += 1
        return opened(source)

    with monkeypatch.context() as patched:
        patched.setattr(Source, "_opened", opening)
        yield opens


def waiting(folder: Path = Path()) -> list[object]:
    """The files of a folder that are open because nobody has read them yet."""
    files = [file for file in [*sources._kept, *sources._open] if not file.closed]
    return [file for file in files if folder in (Path(), Path(file.name).parent)]


@pytest.mark.parametrize("line", ONCE)
def test_each_file_is_opened_once(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with counted(monkeypatch) as opens:
        result = run(*line.split())
    assert result.exit_code in (0, 1), result.stderr
    assert {name: opens[name] for name in ONCE[line]} == ONCE[line]
    assert not waiting()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("size", [1, 50_000])
def test_the_reader_takes_over_what_is_open(tmp_path: Path, size: int, pack, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"\xef\xbb\xbf" + b"a cat\n" * size
    (tmp_path / "file").write_bytes(pack(content))
    with counted(monkeypatch) as opens:
        source = source_of(tmp_path / "file")
        assert source.head == content[3:ENOUGH]
        assert source_of(source) is source
        assert source.whole is (size == 1)
        assert [line for _, line in numbered_lines(source)] == ["a cat"] * size
        assert opens == {"file": 1}
        with open_bytes(source) as file:  # again, from the start
            assert file.read() == content
    assert not waiting()


def test_what_a_file_is_goes_to_its_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with counted(monkeypatch) as opens:
        looks = [source_of(folder / name) for name in ("mine.run", "judged.txt")]
        assert judgments_among(looks) == 1
        run_of_file, qrels = read_run(looks[0]), read_qrels(looks[1])
    assert (len(run_of_file), len(qrels), opens) == (7500, 7500, {"mine.run": 1, "judged.txt": 1})
    source = source_of(folder / "pets.csv")
    what = what_is(source)
    assert (what.role, what.form, what.why) == ("documents", "csv", "its columns are id, text")
    assert (source.delimiter, source.labels) == (",", ["id", "text"])
    guess = folder / "guess.json"
    guess.write_text('{"q1": {"a": 1}}')
    assert (rows_in(guess).sure, rows_in(folder / "judged.txt").sure) == (False, True)


def test_a_look_that_nobody_reads_closes_its_file(folder: Path) -> None:
    source = source_of(folder / "mine.run")
    assert source.head.startswith(b"q1 Q0")
    assert len(waiting()) == 1
    assert not copy.copy(source).begun.left  # no open file is copied, or sent to another process
    del source
    assert not waiting()


def test_not_too_many_files_are_kept_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_MOST_KEPT", 2)
    looks = [source_of(path) for path in [folder / "mine.run"] * 5]
    assert {source.head for source in looks} == {(folder / "mine.run").read_bytes()[:ENOUGH]}
    assert len(waiting()) == 2
    assert {len(read_run(source)) for source in looks} == {7500}


def test_a_file_that_is_gone_meanwhile_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text(FILES["mine.run"])
    source = source_of(path)
    what = rows_in(source)
    assert what.form == "trec"
    if os.name != "nt":  # where an open file cannot be removed
        path.unlink()
    assert len(read_run(source)) == 7500


@pytest.mark.parametrize("name", ["pets.jsonl", "corpus.jsonl"])
@pytest.mark.parametrize("form", ["{}\n", "[{}]\n"])
def test_documents_are_read_as_they_are_then(tmp_path: Path, name: str, form: str) -> None:
    path = tmp_path / name
    path.write_text('{"_id": "d1", "text": "a cat"}\n')
    source = path if name == "pets.jsonl" else tmp_path
    collection = load(source)
    path.write_text(form.replace("{}", '{"_id": "d1", "text": "a parrot"}'))
    assert [document.text for document in collection.documents] == ["a parrot"]
    collection = load(source)
    path.unlink()
    with pytest.raises(DataError):
        list(collection.documents)


def test_a_look_is_for_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "un café"}\n', encoding="cp1252")
    (tmp_path / "queries.tsv").write_text("id\ttext\n1\tcafé\n", encoding="cp1252")
    (tmp_path / "collection.toml").write_text(
        'encoding = "cp1252"\n[[files]]\nrole = "documents"\npath = "corpus.jsonl"\nformat = "jsonl"\n'
    )
    collection = load(tmp_path)
    assert list(collection.queries.texts) == ["café"]
    assert [document.text for document in collection.documents] == ["un café"]


LARGE = '{"_id": "d1", "text": "a cat"}\n' + "".join(
    f'{{"_id": "e{n}", "text": "{"dog " * 9}"}}\n' for n in range(1500)
)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_large_file_of_documents_is_read_as_it_is_then(tmp_path: Path, pack) -> None:
    path = tmp_path / "pets.jsonl"
    for change in ("none", "rewritten", "replaced"):
        path.write_bytes(pack(LARGE.encode()))
        collection = load(path)
        if change == "rewritten":
            path.write_bytes(pack(LARGE.replace("a cat", "a parrot").encode()))
        elif change == "replaced":
            (tmp_path / "other").write_bytes(pack(LARGE.replace("a cat", "a parrot").encode()))
            os.replace(tmp_path / "other", path)
        for _ in range(2):  # a second reading opens it again
            first, *_ = collection.stream()
            assert first.text == ("a cat" if change == "none" else "a parrot")
        assert not waiting(tmp_path)


def test_of_many_files_none_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(65):
        (tmp_path / f"{number}.txt").write_text("The oak is an old tree.\n")
    with counted(monkeypatch) as opens:
        collection = load(tmp_path)
        assert not waiting(tmp_path)
        assert len(list(collection.documents)) == 65
    assert {*opens.values()} == {2}


def test_documents_that_nobody_reads_are_closed_with_their_collection(tmp_path: Path) -> None:
    (tmp_path / "pets.jsonl").write_text(LARGE)
    collection = load(tmp_path / "pets.jsonl")
    assert len(waiting(tmp_path)) == 2 - OPEN
    del collection
    gc.collect()
    assert not waiting(tmp_path)


@pytest.mark.parametrize("settings", [{}, {"encoding": "cp1252"}, {"on_error": "skip"}])
def test_a_source_is_a_value_that_another_process_opens_again(tmp_path: Path, settings: dict[str, str]) -> None:
    path = tmp_path / "pets.jsonl"
    path.write_text(LARGE)
    source = source_of(path, **settings)
    part = source.only(ByteRange(0, 0, LARGE.index("\n") + 1))
    for each, expected in ((source, LARGE), (part, LARGE[: LARGE.index("\n") + 1])):
        assert each.head == expected.encode()[:ENOUGH]
        sent = pickle.loads(pickle.dumps(each))
        assert (sent.path, sent.reading, sent.part) == (str(path), Reading(**settings), each.part)
        assert "".join(f"{line}\n" for _, line in numbered_lines(sent)) == expected
        each.close()
    assert not waiting(tmp_path)


def test_other_settings_share_what_is_open_and_another_encoding_does_not(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "pets.jsonl"
    path.write_text(LARGE)
    with counted(monkeypatch) as opens:
        source = source_of(path)
        assert source.head
        assert len([*numbered_lines(source.read_as(on_error="skip"))]) == 1501
        assert opens == {"pets.jsonl": 1}
        assert source.read_as(encoding="utf-16-le").head != source.head
        assert opens == {"pets.jsonl": 2}
    source.close()


@pytest.mark.parametrize("folder", ["files", "collection"])
def test_no_setting_of_reading_travels_unseen(folder: str) -> None:
    """Each reader gets its settings with its source: no variable of a context is one of its parameters."""
    files = [*(Path(toysearch.__file__).parent / folder).rglob("*.py")]
    assert len(files) > 10
    for file in files:
        assert "contextvars" not in file.read_text(), file
