"""What the user has made is not written over; what a command has written is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from toysearch.cli.app import command

MADE = {
    "documents.csv": "id,text\nd1,a cat\n",
    "documents.jsonl": '{"_id": "d1", "text": "a cat"}\n',
    "notes.txt": "Do not lose this.\n",
    "mine.py": "def rank(tf):\n    return tf\n",
}
JUDGED = {
    "qrels.txt": "1 0 1 1\n",
    "judged.csv": "query_id,doc_id,relevance\n1,1,\n1,2,2\n",
    "ratings.csv": "query,doc,rating\ntrain cat,1,2\n",
}
RUNS = {
    "old.run": "1 Q0 1 1 0.5 old\n",
    "old.csv": "query_id,doc_id,rank,score\n1,1,1,0.5\n",
    "old.json": '{"1": {"1": 3}}',
}
SHEETS = {
    "sheet.csv": "query_id,doc_id,relevance\n1,1,\n1,2,\n",
    "sheet.tsv": "\ufeffquery_id\tdoc_id\trelevance\r\n1\t1\t\r\n",
    "nothing.csv": "",
}
WRITING = {
    "run": (["run", "cat-dog-parrot", "-o"], RUNS),
    "fuse": (["fuse", "a.run", "b.run", "-o"], RUNS),
    "pool": (["pool", "a.run", "-o"], SHEETS),
    "agree": (["agree", "a.qrels", "b.qrels", "--merge"], {"qrels.txt": JUDGED["qrels.txt"]}),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.run", "b.run"):
        Path(name).write_text("1 Q0 1 1 0.5 t\n")
    for name in ("a.qrels", "b.qrels"):
        Path(name).write_text("1 0 1 1\n1 0 2 0\n")


def written_over(arguments: list[str], name: str, text: str) -> tuple[int, str, bool]:
    content = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    Path(name).write_bytes(content)
    result = CliRunner().invoke(command, [*arguments, name])
    return result.exit_code, result.stderr, Path(name).read_bytes() != content


@pytest.mark.parametrize("writing", WRITING)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
def test_what_a_command_does_not_write_is_kept(writing: str, packed: bool) -> None:
    arguments, own = WRITING[writing]
    for name, text in {**MADE, **JUDGED, **RUNS, **SHEETS}.items():
        judgments = writing == "agree" and name in (*JUDGED, *SHEETS, "old.json")
        if text and name not in own and not judgments:
            name = f"{name}.gz" if packed else name
            code, said, changed = written_over(arguments, name, text)
            assert (code, changed) == (2, False), name
            assert said.count("\n") == 1, said
            assert said.startswith(f"toysearch: {name} holds ")
            assert said.endswith(", and is not replaced; choose another name\n")


@pytest.mark.parametrize("writing", WRITING)
def test_what_a_command_writes_is_replaced(writing: str) -> None:
    arguments, own = WRITING[writing]
    for name, text in {**own, "nothing.txt" if writing != "pool" else "none.csv": ""}.items():
        code, said, changed = written_over(arguments, name, text)
        assert (code, changed) == (0, True), said
        code, said, _ = written_over(arguments, name, Path(name).read_text())  # once more over its own
        assert code == 0, said


def test_judgments_are_not_merged_into_one_of_themselves() -> None:
    code, said, changed = written_over(WRITING["agree"][0], "a.qrels", "1 0 1 1\n")
    assert (code, changed) == (2, False)
    assert said == "toysearch: a.qrels is one of the files that are merged, and is not replaced; choose another name\n"
