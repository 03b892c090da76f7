"""Every message has a code, and messages.toml says what causes and what cures each kind."""

from __future__ import annotations

import re
import tomllib
from functools import cache

import pytest
import shell
import terminals
from conftest import ROOT
from source_messages import error_classes, source_messages

import toysearch
from toysearch.base.errors import DataError, StorageError, ToysearchError, code_of
from toysearch.cli.main import command

CODES = tomllib.loads((ROOT / "toysearch" / "base" / "messages.toml").read_text(encoding="utf-8"))
SECTIONS = CODES["pages"]


@cache
def messages() -> list:
    return list(source_messages())


def code(message) -> str:
    return code_of(message.text, error_classes()[message.kind])


def test_every_code_is_explained_and_no_other():
    assert set(SECTIONS) == {*CODES["kinds"], *CODES["classes"].values()}
    assert [code for code, kind in SECTIONS.items() if [*kind] != ["title", "cause", "cure"]] == []
    assert list(SECTIONS) == sorted(SECTIONS)


def test_every_message_of_the_sources_has_a_code_that_is_explained():
    assert len(messages()) > 1000
    assert {code(message) for message in messages()} <= set(SECTIONS)
    every_class = set(error_classes())
    used = set(re.findall(r"^class (\w+)\((?:\w*Error|UnknownName|ToysearchError|MissingFiles)[,)]", sources(), re.M))
    assert used - every_class - {"ToysearchError"} == set(), "name its module in tests/source_messages.py"


def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "toysearch").rglob("*.py"))


def test_no_code_is_idle():
    """A kind of which there is no message any more keeps its section, without a pattern."""
    of_the_system = {"TS802", "TS803", "TS806"}  # the sentences of the command line about the system
    assert set(CODES["kinds"]) - {code(message) for message in messages()} - of_the_system == set()


def test_most_messages_are_of_a_kind():
    plain = [message for message in messages() if message.text.strip("…: ") and code(message).endswith("99")]
    assert len(plain) < len(messages()) / 20, plain


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("unknown model 'bm52'; did you mean 'bm25'?", "TS101"),
        ("b of bm25 must be from 0 to 1, not 2.0", "TS105"),
        ("mine.csv:17: expected 4 columns, found 3", "TS201"),
        ("unknown measure 'a formula'", "TS101"),
        ("the index is damaged: its dl do not fit its postings; build it again", "TS302"),
        ("P needs a cutoff, such as P@10", "TS501"),
        ("'there is no file' must be an int, not a str", "TS105"),
        ("no room left on the disk; free some or choose another place", "TS802"),
    ],
)
def test_codes_are_stable_whatever_is_quoted(message, expected):
    assert code_of(message) == expected


@pytest.mark.parametrize(("kind", "expected"), [(DataError, "TS299"), (StorageError, "TS399"), (OSError, "TS199")])
def test_a_message_of_no_kind_has_the_code_of_its_class(kind, expected):
    assert code_of("nobody knows", kind) == expected


def test_a_terminal_shows_the_code_and_a_pipe_does_not(monkeypatch):
    line = ("search", "cat-dog-parrot", "cat", "--model", "bm52")
    assert shell.refused(*line) == "toysearch: unknown model 'bm52'; did you mean 'bm25'?\n"
    stream = terminals.on_terminal(monkeypatch)
    with pytest.raises(SystemExit):
        command.main([*line])
    assert stream.getvalue().endswith("unknown model 'bm52'; did you mean 'bm25'? [TS101]\n")


def test_a_code_is_a_page():
    shown = shell.done("docs", "TS101").stdout
    assert shown.startswith("## TS101: An unknown name\n\nCause: ")
    assert "TS102" not in shown
    assert shell.refusal("docs", "TS999").startswith("toysearch: unknown code 'TS999'")


def test_an_error_in_python_has_its_code():
    with pytest.raises(ToysearchError) as caught:
        toysearch.model("bm25:b=2")
    assert caught.value.code == "TS105"
