"""The frame of every command: an option of one value given twice, and an output that is standard output."""

import click
import pytest
from shell import done, every_command, refusal, run

from toysearch.cli.commands import Option

pytestmark = pytest.mark.system

QRELS, OTHER = "1 0 d1 1\n1 0 d2 0\n", "1 0 d1 1\n1 0 d2 1\n"
RUN = "1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n"


ALL = dict(every_command())
SINGLE = [
    (name, max(option.opts, key=len))
    for name, command in ALL.items()
    for option in command.params
    if isinstance(option, Option) and not (option.multiple or option.is_flag or option.nargs != 1)
]
OUTPUTS = {
    name: option
    for name, command in ALL.items()
    for option in command.params
    if isinstance(option, Option) and "-o" in option.opts and not option.is_flag
}


def test_an_option_of_one_value_is_refused_if_it_is_given_twice():
    assert len(SINGLE) > 300
    for name, option in SINGLE:
        message = refusal(*name.split(), option, "a", option, "b")
        assert f"{option} is given 2 times, and takes one value here" in message, (name, option)


def test_several_values_of_one_option_that_takes_them_are_kept():
    assert run("eval", "cat-dog-parrot", "--model", "bm25", "--model", "dph", "--tsv").stdout.count("\n") == 3


def test_names_may_come_in_one_value_or_in_several():
    one, several = (
        run("eval", "cat-dog-parrot", *measures).stdout for measures in (("-m", "AP P@1"), ("-m", "AP", "-m", "P@1"))
    )
    assert "P@1" in one
    assert one == several


def test_an_output_is_standard_output_or_says_that_it_cannot_be(tmp_path):
    streams = {name for name, option in OUTPUTS.items() if option.stream}
    assert len(streams) > 5
    for name in OUTPUTS.keys() - streams:
        needed = [value for each in ALL[name].params for value in _needed(each) if each.required]
        message = refusal(*name.split(), *needed, "-o", "-")
        assert "-o -: this output cannot be standard output; name a f" in message, name


def _needed(parameter: click.Parameter) -> list[str]:
    """Words that a required parameter accepts."""
    if "-o" in parameter.opts:
        return []
    value = parameter.type.choices[0] if isinstance(parameter.type, click.Choice) else "1"
    return [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.run", RUN), ("b.run", RUN.replace(" a", " b")), ("ada.txt", QRELS), ("ben.txt", OTHER)):
        (tmp_path / name).write_text(text)
    vote = '{"time": "", "voter": "v", "query_id": "1", "doc_id": "d1", "vote": "up"}'
    (tmp_path / "votes.jsonl").write_text(vote + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["run", "cat-dog-parrot", "-o", "-"], "1 Q0 "),
        (["fuse", "a.run", "b.run", "-o", "-"], "1 Q0 "),
        (["judge", "merge", "ada.txt", "ben.txt", "-o", "-"], "1 0 d1 1"),
        (["judge", "merge", "ada.txt", "ben.txt", "--to", "sheet", "-o", "-"], "query_id,"),
        (["judge", "pool", "a.run", "b.run", "-o", "-"], "query_id,doc_id,relevance"),
    ],
    ids=" ".join,
)
def test_standard_output_holds_what_a_file_would(inputs, arguments, first):
    stdout = done(*arguments).stdout
    assert stdout.startswith(first)
    done(*arguments[:-1], "file.txt")
    assert (inputs / "file.txt").read_text() == stdout
    assert not (inputs / "-").exists()
