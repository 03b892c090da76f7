"""A slip in the name of an option leads to this option; a command without its arguments shows an example."""

import re

import click
import pytest
from shell import every_command, refusal, run

COMMANDS = [*every_command()]


def said_of(command: str, option: str) -> str:
    return refusal(*command.split(), option)


def test_a_slip_leads_to_the_option() -> None:
    assert said_of("search", "--modle").endswith("No such option '--modle'; did you mean '--model'?")


def test_options_that_are_as_near_are_all_named() -> None:
    assert said_of("search", "--gset").endswith("did you mean '--set' or '--get'?")


def test_without_a_near_option_the_help_is_named() -> None:
    assert said_of("search", "--impact").endswith("No such option '--impact'; toysearch search -h lists the options")
    assert said_of("corpora show", "--impact").endswith("; toysearch corpora show -h lists the options")


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_a_command_without_its_arguments_shows_its_first_example(name: str, command: click.Command) -> None:
    result = run(*name.split())
    *_, last = result.stderr.splitlines() or [""]
    if "Missing" in last and command.epilog and ";" not in last:
        examples = re.findall(rf"^ +(toysearch {name} .*)$", command.epilog, re.MULTILINE)
        assert last.endswith(f", as in: {examples[0]}" if examples else "'.")
        assert len(result.stderr.splitlines()) < 24


@pytest.mark.parametrize(
    "line", ["search a\0 cat", "eval a\0 a\0", "show a\0", "run cat-dog-parrot -o a\0", "fuse a\0 b"]
)
def test_a_path_with_a_character_that_none_has_is_refused(line: str) -> None:
    assert refusal(*line.split()) == "toysearch: the name of a file cannot hold the character 0; leave it out"
