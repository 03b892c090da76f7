"""An output that cannot be written is refused before the work, by every command and every option that writes."""

import os
import re
from pathlib import Path

import pytest
from shell import every_command, refusal

from toysearch.cli.commands import Option

NEEDED = {  # what click asks for first; none of it is there, and none is looked for
    "add": "none none",
    "convert": "none --to beir",
    "corpora get": "none",
    "corpora show": "none",
    "explain": "none none none",
    "gate": "",
    "index": "none",
    "labs start": "99",
    "query": "none",
    "report": "none",
    "run": "none",
}
REQUIRED = {"convert": "-o x", "index": "-o x", "run": "-o x"}
WRITING = re.compile(
    r"\bto write\b|^Write |\bFile for\b|^Log of|\bthis log\b|^New file|^Folder for|^Folder of coll|Print .* FILE"
)


OUTPUTS = [
    (name, each)
    for name, command in every_command()
    for each in command.params
    if isinstance(each, Option)
    and (each.writes or (each.metavar in ("FILE", "DIR", "FOLDER") and WRITING.search(each.help or "")))
]
SEVERAL = [(name, each) for name, each in OUTPUTS if each.opts != ["--rejected"] or name in ("add", "eval", "index")]


def test_every_option_that_writes_is_known():
    assert [(name, each.opts) for name, each in OUTPUTS if not each.writes] == []
    assert {"-o", "--run", "--votes", "--rejected"} <= {each.opts[0] for _, each in OUTPUTS}


def line(name, option, path):
    """A command with this output and without anything to work on."""
    others = REQUIRED.get(name, "") if option.opts[0] != "-o" else ""
    needed = NEEDED.get(name, "none")
    return [*name.split(), *needed.split(), *others.split(), option.opts[-1], path]


IDS = [f"{name} {each.opts[-1]}" for name, each in SEVERAL]


@pytest.mark.parametrize(("name", "option"), SEVERAL, ids=IDS)
def test_it_is_refused_before_the_work(name, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("of the user")
    (tmp_path / "closed").mkdir()
    can = os.access
    monkeypatch.setattr(os, "access", lambda path, *mode: not str(path).endswith("closed") and can(path, *mode))
    if option.writes == "file":
        assert refusal(*line(name, option, "missing/new.svg")) == (
            "toysearch: 'missing/new.svg': there is no folder 'missing'; create it, or choose another"
        )
        assert refusal(*line(name, option, ".")) == "toysearch: '.' is a folder; name a file"
    below, closed = str(Path("file/new.svg")), str(Path("closed/new.svg"))
    assert refusal(*line(name, option, below)) == f"toysearch: '{below}': 'file' is not a folder; choose another"
    assert refusal(*line(name, option, closed)) == (
        f"toysearch: '{closed}' may not be written by you; choose another place"
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["closed", "file"]
    assert (tmp_path / "file").read_text() == "of the user"
