"""A file that a command writes is whole, whatever becomes of what it prints: `learn -o ranker | head -1`."""

import contextlib
import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
import shell
from random_collections import collection, write
from student_notebooks import notebook_file

from toysearch.cli.main import command as main
from toysearch.workbench.judging.judgment_log import VoteLog

WRITERS = {  # an option that names a file or folder to write, as its command and its parameter → a line with it
    "run output": "run made -o out.run",
    "fuse output": "fuse a.run b.run -o out.run",
    "report output": "report made --model bm25 --model dph -o out.html",
    "learn folder": "learn made --learner logistic --pool bm25@9 --features 'bm25 length' -o out",
    "learn run_file": "learn made --learner logistic --pool bm25@9 --features 'bm25 length' --run out.run",
    "pool output": "judge pool a.run b.run -o out.csv",
    "merge output": "judge merge made/qrels/test.tsv -o out.qrels",
    "votes file": "judge votes votes.jsonl -o out.csv",
    "model output": "clicks model clicks.csv -o out.qrels",
    "index folder": "index made -o out.idx",
    "search rejected": "search half.jsonl w1 --on-error skip --rejected out.jsonl",
    "eval rejected": "eval bad.run made/qrels/test.tsv --on-error skip --rejected out.jsonl",
    "convert folder": "convert made --to beir -o out",
    "start output": "labs start 1 --student ada -o out",
    "grade feedback": "labs grade handed-in --trust-code --feedback out",
}
MORE = {  # other ways to write
    "both of learn": "learn made --learner logistic --pool bm25@9 --features bm25 -o out --run out.run --json",
    "chart": "report --chart pr --qrels made/qrels/test.tsv a.run b.run -o out.svg",
    "page and JSON": "report made --model bm25 --model dph -o out.html --json",
    "sheets of judges": "judge pool a.run b.run -o out.csv --judges ada,ben",
    "grades": "labs grade handed-in --trust-code --to csv out.csv --to json - --feedback out",
    "description": "check table/goods.csv table/ratings.csv --qrels-columns 'grade=Rating (0-3)' --write",
}
QUICK = {"run output", "learn folder", "pool output"}
WITHOUT_OUTPUT = {
    "serve judgments",
    "serve votes",
    "get output",
}  # written while it serves; the folder comes at the end


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "table").mkdir()
    (folder / "table" / "goods.csv").write_text("id,text\nK1,heavy kettle forged from iron\nL2,red lamp burning oil\n")
    (folder / "table" / "ratings.csv").write_text("query,doc,Rating (0-3)\nlamp,L2,2\nlamp,K1,0\n")
    made = write(collection(1, by_words=True), folder / "made")
    for name, model in (("a", "bm25"), ("b", "dph")):
        shell.done("run", made, "--model", model, "-o", folder / f"{name}.run")
    lines = (made / "corpus.jsonl").read_text().splitlines(keepends=True)
    (folder / "half.jsonl").write_text("".join([*lines[:9], "{oops\n"]))
    (folder / "bad.run").write_text((folder / "a.run").read_text() + "oops\n")
    with VoteLog(folder / "votes.jsonl") as log:
        log.thumb("ada", "1", "d1", up=True)
    (folder / "clicks.csv").write_text("session,query,rank,doc_id,clicked\ns1,1,1,d1,1\ns1,1,2,d2,0\n")
    notebook_file(folder / "handed-in" / "ada.ipynb", "from toysearch import labs\nlabs.start(1, student='Ada')")
    return folder


def outcome(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch, stdout: int) -> tuple[int, dict[str, bytes]]:
    """The exit code of a command whose standard output is a descriptor, and every file that it has written."""
    folder.mkdir()
    for path in (folder.parent / "inputs").iterdir():
        shutil.copytree(path, folder / path.name) if path.name == "table" else (folder / path.name).symlink_to(path)
    inputs = {*folder.rglob("*")}
    monkeypatch.chdir(folder)
    with contextlib.suppress(OSError), os.fdopen(stdout, "w", buffering=1) as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line), prog_name="toysearch")
    made = (path for path in sorted({*folder.rglob("*")} - inputs) if path.is_file() and not path.is_symlink())
    return int(end.value.code or 0), {path.relative_to(folder).as_posix(): path.read_bytes() for path in made}


def nobody() -> int:
    """A pipe whose reader is gone."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    "writer",
    [pytest.param(writer, marks=[] if writer in QUICK else [pytest.mark.system]) for writer in (*WRITERS, *MORE)],
)
def test_the_file_is_whole(writer, inputs, tmp_path, monkeypatch):
    (tmp_path / "inputs").symlink_to(inputs)
    line = {**WRITERS, **MORE}[writer]
    out = tmp_path / "printed"
    code, whole = outcome(tmp_path / "1", line, monkeypatch, os.open(out, os.O_WRONLY | os.O_CREAT))
    assert (code, bool(whole)) == (0, True)
    prints = out.stat().st_size > 0
    assert outcome(tmp_path / "2", line, monkeypatch, nobody()) == (141 * prints, whole)
    if os.path.exists("/dev/full"):
        full = outcome(tmp_path / "3", line, monkeypatch, os.open("/dev/full", os.O_WRONLY))
        assert full == (2 * prints, whole)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
@pytest.mark.parametrize("line", ["--version", "--help", "--commands", "search --help", "docs", "models"])
def test_what_is_only_printed_needs_room_and_a_reader(line, inputs, tmp_path, monkeypatch, capfd):
    (tmp_path / "inputs").symlink_to(inputs)
    assert outcome(tmp_path / "1", line, monkeypatch, os.open("/dev/full", os.O_WRONLY)) == (2, {})
    assert capfd.readouterr().err == "toysearch: no room left on the disk; free some or choose another place\n"
    assert outcome(tmp_path / "2", line, monkeypatch, nobody()) == (141, {})


def test_every_option_that_names_a_file_is_tried():
    named = {
        f"{name.split()[-1]} {option.name}"
        for name, each in shell.every_command()
        for option in each.params
        if getattr(option, "writes", "") and option.name != "rejected"  # one function writes those of all commands
    }
    assert named == {*WRITERS, *WITHOUT_OUTPUT} - {"search rejected", "eval rejected"}
