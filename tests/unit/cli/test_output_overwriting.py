"""Whatever a command writes, no file that a user made is lost."""

import gzip
from itertools import product
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from shell import every_command
from tiers import thinned

from toysearch.cli.main import command as main

USERS = {
    "documents": '{"_id": "d1", "text": "a cat"}\n{"_id": "d2", "text": "a dog"}\n',
    "table of documents": "id,text\nd1,a cat\n",
    "judgments": "1 0 d1 1\n1 0 d2 0\n",
    "table of judgments": "query_id,doc_id,relevance\n1,d1,1\n",
    "judgments as JSON": '{"1": {"d1": 1, "d2": 0}}',
    "fractional judgments as JSON": '{"1": {"d1": 0.5}}',
    "lists": '{"tags": ["a", "b"]}',
    "sentence": "I paid her about 5 dollars\n",
    "topics": "1 how to train a cat\n",
    "run with a broken line": "1 Q0 d1 1 0.5 mine\nand notes of mine\n",
    "white space": " \n",
    "bytes": b"\x89PNG\r\n\x1a\n\x00\x00IDAT",
    "gzip cut short": b"\x1f\x8b\x08\x00abc",
    "picture": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "page": "<!DOCTYPE html>\n<title>mine</title>\n",
}
RUN = "1 Q0 cat 1 2.0 a\n1 Q0 dog 2 1.0 a\n2 Q0 dog 1 1.0 a\n"
QRELS = "1 0 cat 1\n2 0 dog 1\n"
WRITERS = {  # command and the name of what it writes; {out} is that file
    "run": ("run cat-dog-parrot -o {out}", "out.run"),
    "fuse": ("fuse a.run b.run -o {out}", "out.run"),
    "pool": ("judge pool a.run b.run -o {out}", "out.csv"),
    "merge": ("judge merge a.qrels b.qrels -o {out}", "out.qrels"),
    "chart svg": ("report --chart pr --qrels a.qrels a.run b.run -o {out}", "out.svg"),
    "chart png": ("report --chart pr --qrels a.qrels a.run b.run -o {out}", "out.png"),
    "chart html": ("report --chart pr --qrels a.qrels a.run b.run -o {out}", "out.html"),
    "report": ("report --qrels a.qrels a.run b.run -o {out}", "out.html"),
    "labs json": ("labs grade handed-in --to json {out}", "out.json"),
    "labs csv": ("labs grade handed-in --to csv {out}", "out.csv"),
    "labs gradescope": ("labs grade handed-in --to gradescope {out}", "out.json"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(f"{name}.run").write_text(RUN.replace(" a\n", f" {name}\n"))
        Path(f"{name}.qrels").write_text(QRELS)
    Path("handed-in").mkdir()
    return tmp_path


def _call(line: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, line.split())
    return result.exit_code, result.output


@pytest.mark.parametrize(("writer", "held"), thinned(product(WRITERS, USERS), 7))
def test_what_a_user_made_stays(writer: str, held: str) -> None:
    line, out = WRITERS[writer]
    content = USERS[held] if isinstance(USERS[held], bytes) else USERS[held].encode()
    Path(out).write_bytes(content)
    code, told = _call(line.format(out=out))
    assert code == 2, told
    assert Path(out).read_bytes() == content
    assert f"'{out}' already exists and is not " in told
    assert "choose another name, or give --force" in told


@pytest.mark.system
@pytest.mark.parametrize("writer", ["run", "fuse", "pool", "merge", "chart svg", "chart png", "chart html", "report"])
def test_empty_files_its_own_and_force(writer: str) -> None:
    line, out = WRITERS[writer]
    line = line.format(out=out)
    Path(out).touch()
    assert _call(line)[0] == 0
    made = Path(out).read_bytes()
    assert made
    code, told = _call(line)  # again, over its own
    assert (code == 0) is (writer != "merge"), told  # judgments are people's work
    Path(out).write_text(USERS["documents"])
    assert _call(f"{line} --force")[0] == 0
    assert Path(out).read_bytes().replace(b" --force", b"") == made  # a page tells its command


@pytest.mark.parametrize("writer", ["run", "fuse", "pool", "merge"])
def test_gzipped_files_are_looked_into(writer: str) -> None:
    line, out = WRITERS[writer]
    for held in ("documents", "judgments", "sentence", "table of documents"):
        content = gzip.compress(str(USERS[held]).encode())
        Path(f"{out}.gz").write_bytes(content)
        assert _call(line.format(out=f"{out}.gz"))[0] == 2
        assert Path(f"{out}.gz").read_bytes() == content
    Path(f"{out}.gz").unlink()
    assert _call(line.format(out=f"{out}.gz"))[0] == 0
    assert (_call(line.format(out=f"{out}.gz"))[0] == 0) is (writer != "merge")


def test_a_sheet_in_which_somebody_has_judged_stays() -> None:
    assert _call("judge pool a.run b.run -o sheet.csv")[0] == 0
    judged = Path("sheet.csv").read_text().replace("1,cat,", "1,cat,2")
    Path("sheet.csv").write_text(judged)
    code, told = _call("judge pool a.run b.run -o sheet.csv")
    assert code != 0
    assert "'sheet.csv' already exists and is not a sheet without judgments" in told
    assert Path("sheet.csv").read_text() == judged


def test_the_sheets_of_judges_are_looked_at_before_any_is_written() -> None:
    Path("sheet-ben.csv").write_text("notes of mine")
    assert _call("judge pool a.run b.run -o sheet.csv --judges ada,ben")[0] != 0
    assert not Path("sheet-ada.csv").exists()


def test_a_run_is_not_fused_into_itself() -> None:
    code, told = _call("fuse a.run b.run -o ./b.run")
    assert code == 2
    assert "is one of the runs that are fused" in told
    assert Path("b.run").read_text() == RUN.replace(" a\n", " b\n")


def test_pages_of_feedback_do_not_replace_others() -> None:
    Path("pages").mkdir()
    Path("pages/index.html").write_text(USERS["page"])
    code, told = _call("labs grade handed-in --feedback pages")
    assert code != 0
    assert "is not a page that toysearch made" in told


def test_each_option_that_names_a_file_to_write_is_looked_at() -> None:
    """A new option for a file either has --force beside it, or is known to keep what is there."""
    keeps = {"tune results"}  # goes on from its own header alone
    keeps |= {"index folder", "convert folder", "get output", "start output", "learn folder"}  # refuse other files
    for name, each in every_command():
        options = {option.name for option in each.params}
        for option in each.params:
            if isinstance(option.type, click.IntRange | click.types.IntParamType):
                continue  # a number, such as that of feedback documents
            writes = {"-o", "--feedback"} & set(option.opts)
            if writes and f"{name.split()[-1]} {option.name}" not in keeps:
                assert "force" in options, f"{name} {option.opts}"
