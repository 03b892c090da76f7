"""What one file looks like: the part that it plays, and its format."""

import gzip
from itertools import product
from pathlib import Path

import pytest

from toysearch.collection.catalog import load
from toysearch.files.recognise import judgments_among, rows_in, what_is
from toysearch.files.roles import BINARY
from toysearch.files.runs_and_judgments import read_qrels, read_run
from toysearch.files.source import Source
from toysearch.files.syntaxes import trec


def look_at(path: Path, name: str) -> tuple[str, str]:
    """The role and the format of a file with this name; what its rows are depends on no name."""
    what, rows = what_is(path, name=name), rows_in(path)
    assert rows[:-1] == rows_in(path.rename(path.with_name(name.replace("/", "-"))))[:-1]
    assert what.role not in ("qrels", "run") or (rows.role, rows.sure) == (what.role, what.sure)
    assert bool(what.why) == bool(what.role or what is BINARY)
    return what.role, what.form


def look(role: str, form: str = "") -> tuple[str, str]:
    return role, form


DOCUMENTS = {
    "beir": (b'{"_id": "1", "text": "cat"}\n{"_id": "2"', "corpus.txt", "beir"),
    "JSON Lines": (b'\n{"docno": "1", "body": "cat"}\n', "pets", "jsonl"),
    "JSON Lines without a key text": (b'{"_id": "1", "body": "cat"}\n', "pets", "jsonl"),
    "JSON Lines of text alone": (b'{"body": "cat"}\n', "pets.jsonl", "jsonl"),
    "a long first line": (b'{"id": "1", "text": "' + b"cat " * 50_000 + b'"}\n', "pets", "jsonl"),
    "SMART": (b".I 1\n.W\ncat\n", "pets.all", "smart"),
    "SMART behind a stray marker": (b"\xef\xbb\xbf\n.X\n.I 1\n.W\ncat\n", "pets", "smart"),
    "TREC": (b"<DOC>\n<DOCNO> 1 </DOCNO>\n<TEXT>cat</TEXT></DOC>\n", "pets.html", "trec"),
    "TREC in XML": (b'<?xml version="1.0"?>\n<docs>\n<doc><docno>1</docno></doc></docs>', "topics", "trec"),
    "CSV": (b'doc_id,text\n1,"cat, dog"\n', "topics.csv", "csv"),
    "CSV with semicolons": (b"id;title;body\n1;cat;dog\n", "pets.csv", "csv"),
    "TSV": (b"id\ttitle\ttext\n1\tcat\tdog, parrot\n", "pets", "tsv"),
    "a text": (b"How to train a cat\n", "cat.txt", "folder"),
    "a packed text": (gzip.compress(b"How to train a cat\n"), "cat.txt.gz", "folder"),
    "Markdown": (b"# Cats\n", "cat.MD", "folder"),
    "a table of texts, which is no run": (
        b"doc_id,topic,text,score\n1,pets,how to train a cat,0.5\n",
        "news.csv",
        "csv",
    ),
    "a text that begins with a link": (b"[![Build](cats.svg)](cats) How to train a cat\n", "cats.md", "folder"),
    "a text that begins with a brace": (b"{sic} a cat\nand a dog\n", "cats.txt", "folder"),
    "an id of BEIR, whatever its name": (b'{"_id": "1", "text": "cat"}\n', "cats.txt", "jsonl"),
    "BEIR": (b'{"_id": "1", "text": "cat"}\n', "corpus.jsonl", "beir"),
    "an array of JSON": (b'[{"text": "cat"}]\n', "cats.json", "jsonl"),
    "HTML": (b"<!doctype html><title>Cats</title>", "cat.html", "folder"),
}
QUERIES = {
    "SMART by its name": (b".I 1\n.W\ncat\n", "pets.qry", "smart"),
    "JSON Lines by its name": (b'{"id": "1", "text": "cat"}\n', "queries.jsonl", "jsonl"),
    "JSON Lines by its folder": (b'{"id": "1", "text": "cat"}\n', "topics/dev.jsonl", "jsonl"),
    "JSON Lines by its id": (b'{"query_id": "1", "text": "cat"}\n', "dev.jsonl", "jsonl"),
    "CSV by its id": (b"qid,text\n1,cat\n", "dev.csv", "csv"),
    "TSV by its name": (b"id\ttext\n1\tcat\n", "Questions.tsv", "tsv"),
    "topics": (b"<top>\n<num> Number: 51\n<title> Airbus\n", "51-100", "trec"),
    "XML topics": (b'<topics><topic number="1"><query>cat</query></topic></topics>', "web.xml", "trec"),
    "lines by their name": (b"1:train cat\n2:train dog\n", "topics.mq", "trec"),
    "lines with tabs": (b"1\ttrain cat\n2\ttrain dog\n", "queries.tsv", "trec"),
}
OTHERS = {
    "TREC judgments": (b"1 0 d1 2\n1 0 d2 0\n", "whatever.txt", look("qrels", "trec")),
    "three columns": (b"1 184 2\n1 29 -1\n", "cran", look("qrels", "trec")),
    "judgments with a damaged line": (b"1 0 d1 2\n1 0\n", "MED.REL", look("qrels", "trec")),
    "BEIR's judgments": (b"query-id\tcorpus-id\tscore\n1\td1\t1\n", "test.tsv", look("qrels")),
    "a table of judgments": (b"qid,docno,label\n1,d1,1\n", "labels.csv", look("qrels")),
    "JSON Lines of judgments": (b'{"query_id": "1", "doc_id": "d", "relevance": 1}\n', "j", look("qrels", "jsonl")),
    "JSON judgments": (b'{"1": {"d1": 1, "d2": 0}}', "j.json", look("qrels")),
    "JSON judgments on many lines": (b'{\n  "1": {\n    "d1": 1\n  }\n}\n', "j.json", look("qrels")),
    "a run": (b"1 Q0 d1 1 0.5 mine\n1 Q0 d2 2 0.25 mine\n", "bm25", look("run", "trec")),
    "nothing": (b"", "pets.all", look("")),
    "damaged": (gzip.compress(b".I 1\n" * 99)[:15], "pets.all", look("")),
    "about the others": (b"about cats\n", "README.md", look("")),
    "about the others, with a link": (b"[Cats](cats.md)\n", "README.md", look("")),
    "a run in JSON": (b'{\n"1": {\n"a": 0.5}}\n', "run.txt", look("run")),
    "anything": (b"\x00\x01\x02", "pets.bin", look("")),
    "numbers in rows of several lengths": (b"1 2 3\n1 2\n", "pets", look("")),
    "separators alone": (b"\x1c\x1d", "pets", look("")),
    "prose": (b"Once upon a time\n", "pets", look("")),
}


CASES = {case: (content, name, look("documents", form)) for case, (content, name, form) in DOCUMENTS.items()}
CASES |= {f"queries: {case}": (content, name, look("queries", form)) for case, (content, name, form) in QUERIES.items()}
CASES |= OTHERS


@pytest.mark.parametrize("case", CASES)
def test_what_a_file_is(tmp_path: Path, case: str) -> None:
    content, name, look = CASES[case]
    (tmp_path / "file").write_bytes(content)
    assert look_at(tmp_path / "file", name) == look


SENTENCES = {
    "four words": "cat dog number 3\n",
    "four words, a page": "page 2 of 7\n",
    "three words": "the cat 3\n",
    "an assignment": "paper = 3\n",
    "a chapter": "chapter 2 3\n",
    "contents": "chapter one page 3\nchapter two page 7\n",
    "several pages": "page 2 of 7\npage 3 of 7\n",
    "six words": "a cat of age 7 sleeps\n",
    "one of several lines": "The cat sleeps all day.\ncat dog number 3\nThe dog eats.\nThe parrot talks to both.\n",
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_sentence_with_a_number_is_a_text(tmp_path: Path, case: str) -> None:
    (tmp_path / "file").write_text(SENTENCES[case])
    assert (what_is(tmp_path / "file", name="cat.txt").role, what_is(tmp_path / "file", name="cat").role) == (
        "documents",
        "",
    )
    assert not rows_in(tmp_path / "file").sure
    for name in ("a.txt", "b"):  # in a folder with others, each is a document
        folder = tmp_path / f"folder-{name}"
        folder.mkdir()
        (folder / name).write_text(SENTENCES[case])
        (folder / f"other-{name}").write_text("How to train a cat\n")
        assert {document.doc_id for document in load(folder).documents} == {name, f"other-{name}"}


REAL = {
    "TREC": "1 0 d1 2\n",
    "TREC of words": "cats 0 leads 1\n",
    "TREC of Q0": "cats Q0 leads 1\n",
    "topics and files": "301 0 FBIS3-10082 1\n301 0 FBIS3-10169 0\n",
    "judges": "q1 ada d1 2\nq1 ben d1 1\n",
    "sub-topics": "5 2 clueweb09-en01 1\n5 3 clueweb09-en01 0\n",
    "pages": "cats a pets.org/cats 1\ndogs a pets.org/dogs 0\n",
    "Cranfield": "1 184 2\n",
    "three columns of names": "q1 d7 1\nq2 d9 0\n",
    "three columns with pages": "cats pets.org/cats 1\ndogs pets.org/dogs 0\n",
    "with comments": "# judged by ada\n1 0 d1 2\n",
    "damaged": "1 0 d1 2\n1 0 d2\n1 0 d3 0\n",
    "run": "1 Q0 d1 1 0.5 mine\n",
    "run without ranks": "cats Q0 leads 0 0.5 mine\n",
    "run of words": "cats x leads 1 0.5 mine\n",
}


@pytest.mark.parametrize("case", REAL)
def test_judgments_and_runs_are_sure_whatever_their_name(tmp_path: Path, case: str) -> None:
    (tmp_path / "judged.txt").write_text(REAL[case])
    rows, role = rows_in(tmp_path / "judged.txt"), "run" if case.startswith("run") else "qrels"
    assert (rows.role, rows.sure) == (role, True)
    for name in () if case in ("damaged", "with comments") else ("judged.txt", "judged", "judged.qrels"):
        assert what_is(tmp_path / "judged.txt", name=name).role == role
    path = tmp_path / "judged.txt"
    assert len(read_run(path) if role == "run" else read_qrels(path, on_error="skip")) > 0


@pytest.mark.parametrize(
    "lines", ["1: 12, 6, 10\n2: 20, 7, 2, 6, 14\n", "1: 12, 6\n2: 20, 7\n", "1: 12 6 10\n2: 20 7 2\n"]
)
def test_a_list_of_documents_is_not_a_judgment_though_it_ends_with_a_number(tmp_path: Path, lines: str) -> None:
    (tmp_path / "one.txt").write_text(lines)
    (tmp_path / "judged.json").write_text('{"1": {"17": 1, "12": 0}, "2": {"14": 1, "6": 1}}')
    assert judgments_among([tmp_path / "one.txt", tmp_path / "judged.json"]) == 1
    assert what_is(tmp_path / "one.txt").role != "qrels"


def test_what_may_be_a_sentence_is_read_as_judgments_where_they_are_named(tmp_path: Path) -> None:
    for number, (text, doc_id) in enumerate([("cat dog leads 3\n", "leads"), ("cat leads 3\n", "leads")]):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        assert read_qrels(path)["cat"] == {doc_id: 3.0}
        assert what_is(path, name="relevant.txt").role == what_is(path, name="0.dat").role == "qrels"


TABLES = {
    "texts that end in a number": "doc_id,text\nd1,red lamp 3\nd2,old pot 4\n",
    "titles that end in a number": "id;title\nd1;red old lamp 3\nd2;big old pot 4\n",
    "texts of six words": "id,text\nd1,a pot for coffee 7 days\n",
    "unknown columns": "Nr;Ware;Note;Grad\n7;K1;for the pot;1\n7;K2;for a red;0\n",
    "tabs": "Nr\tWare\tNote\tGrad\n7\tK1\tgood\t1\n8\tK2\tbad\t0\n",
}


def test_a_table_without_a_header_stays_judgments(tmp_path: Path) -> None:
    for text in ("q1\tQ0\td1\tx\nq1\tQ0\td2\t1\nq1\tQ0\td3\t0\n", "q1 0 a,b,c 1\nq1 0 b,c,d 0\n"):
        (tmp_path / "judged.tsv").write_text(text)
        assert (rows_in(tmp_path / "judged.tsv").role, rows_in(tmp_path / "judged.tsv").form) == ("qrels", "trec")
        assert len(read_qrels(tmp_path / "judged.tsv", on_error="skip")) == 2


CELLS = ("1", "0", "Q0", "d7", "result", "-1", "1.5", "a/b", "#", "{x", "qid:1", "1,2")
"""Ids, grades, scores and tags."""


@pytest.mark.parametrize(
    "more", ["", "1 2:3\n", "2 qid:1 1:2 # d7\n" * 3], ids=["no other line", "word counts", "LETOR"]
)
@pytest.mark.parametrize("n", [1, 6])
@pytest.mark.parametrize("by", [*product((" ", "  ", "\t"), (" ", "\t"))], ids=repr)
def test_what_is_certain_is_claimed_by_no_other_layout(by, n, more, monkeypatch):
    texts = [
        "".join(f"{query}{by[0]}{middle}{by[1]}{doc_id}{line or ''}{by[0]}{last}\n" for line in range(n)) + more
        for query, doc_id, number in product(CELLS, repeat=3)
        for middle, last in (("0", number), ("Q0", by[0].join(["1", number, "tag"])))
    ]
    sources = [Source("rows", data=text.encode()) for text in texts]
    certain = [(source, what) for source in sources if (what := trec.certain_rows(source))]
    assert bool(certain) == (by[0] == by[1] and not more)
    monkeypatch.setattr(trec, "certain_rows", lambda *_: None)
    assert [source.text for source, what in certain if rows_in(source) != what] == []
