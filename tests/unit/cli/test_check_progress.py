"""`toysearch check` on a terminal: one line, taken away before each result is printed."""

import re

import pytest
from shell import done
from terminals import on_terminal

from toysearch.cli import output
from toysearch.cli.main import command

pytestmark = [pytest.mark.system, pytest.mark.waits]

LINE = re.compile(r"checking: ?(?:(\d/\d \w+)(?:  ([\d,]+) documents? read)?)?")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One index, and the same in shards."""
    made = tmp_path_factory.mktemp("indexes")
    done("index", "cat-dog-parrot", "-o", made / "one")
    done("index", "cat-dog-parrot", "-o", made / "shards", "--shards", 2)
    return made


def shown(monkeypatch, arguments, patience):
    """What a command writes on a terminal that is both stdout and stderr."""
    with monkeypatch.context() as changed:
        terminal = on_terminal(changed)
        changed.setattr(output, "_PATIENCE", patience)
        with pytest.raises(SystemExit):
            command(arguments)
        return terminal.getvalue()


@pytest.mark.parametrize(
    ("targets", "told"),
    [
        ("cat-dog-parrot ONE", {("0/2 sources", "4"), ("1/2 sources", "4")}),
    ],
)
def test_one_line_is_gone_before_a_result_is_printed(targets, told, folders, monkeypatch):
    places = {"ONE": str(folders / "one"), "SHARDS": str(folders / "shards")}
    arguments = ["check", *(places.get(each, each) for each in targets.split())]
    quiet, text = shown(monkeypatch, arguments, 1e9), shown(monkeypatch, arguments, 0)
    assert "checking" not in quiet
    assert told <= set(LINE.findall(text))
    # Without what opens, draws and takes away a line, the results are left.
    rest = "".join(part for part in re.split(r"\x1b\[\?25l.*?\x1b\[\?25h\r?\n?\x1b\[1A\x1b\[2K", text, flags=re.DOTALL))
    assert rest == quiet


def test_nothing_is_told_to_a_pipe(folders, monkeypatch):
    monkeypatch.setattr(output, "_PATIENCE", 0)
    found = done("check", folders / "one", "cat-dog-parrot")
    assert found.stderr == ""
    assert "checking" not in found.stdout
