"""What one file looks like: the part that it plays, and its format."""

import gzip
from pathlib import Path

import pytest

from toysearch.formats.detection import rows_in, what_is


def look_at(path: Path, name: str) -> tuple[str, str]:
    """The role and the format of a file with this name; what its rows are depends on no name."""
    what, rows = what_is(path, name=name), rows_in(path)
    assert rows[:-1] == rows_in(path.rename(path.with_name(name.replace("/", "-"))))[:-1]
    assert what.role not in ("qrels", "run") or (rows.role, rows.sure) == (what.role, what.sure)
    assert bool(what.why) == bool(what.role)
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
    "beir, whatever its name": (b'{"_id": "1", "text": "cat"}\n', "cats.txt", "beir"),
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
