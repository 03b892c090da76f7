"""A slip of the keys in the name of an option leads to this option; a word of another tool never to another one."""

import re

import click
import pytest
from shell import every_command, refusal, run
from tiers import thinned

from toysearch.base import nearest
from toysearch.base.errors import _KEYS
from toysearch.cli import habits

COMMANDS = [*every_command()]
_WORDS = """
    account address alias all api append archive async attach auth auto author base bind body branch bucket buffer
    build bulk bytes certificate charset chunk class clean client cluster color compress config confirm connect context
    cost cpu credentials cuda daemon database date dense description detach device dict dir docid domain driver
    dry-run dump edge edit email embed engine env epochs err escape event exact export ext extra fast file fix flag
    flush follow font fork frame gpu graph gzip head header hidden host hybrid icon id image include info init insert
    interval jobs key label layers learning-rate length level line link list local locale lock log loss lowercase
    main map margin max-length memory merge message meta min mode module namespace network new no-color node null
    object offline open optimizer owner package parallel parent password path patch patience pattern pipeline pipe
    plain plugin policy pool port prefix preset print priority private process profile project prompt protocol
    proxy public push quality queue raw rate read recurse region release remote remove repeat replica reset retry
    root rule sample save scale schema scope script section secret send server session shard shell shuffle
    signal site skip-header slice slot snapshot socket spread stage state stats status step store strategy stream
    strip style suffix sync table tail target task temp template theme tie time timeout title token topology trace
    track tree trim type unit update url user value vector verify view wait warm watch width window wrap yes zip
"""
WORDS = _WORDS.split()


def options_of(command: click.Command) -> list[str]:
    """The long options of a command, without their dashes."""
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    return [name[2:] for option in options for name in option.opts if name.startswith("--")]


def near(key: str) -> list[str]:
    """The letters on the keys around one."""
    row, place = _KEYS[key]
    return [
        other
        for other, (at, along) in _KEYS.items()
        if other.isalpha() and other != key and abs(at - row) <= 1 and abs(along - place) <= 1
    ]


def slips(name: str) -> set[str]:
    """Each way to mistype a name by one slip: two letters swapped, one left out, one twice, one on the next key."""
    typed = set()
    for at, key in enumerate(name):
        before, after = name[:at], name[at + 1 :]
        typed |= {before + after, before + key + key + after, before + after[:1] + key + after[1:]}
        typed |= {before + other + after for other in (near(key) if key.isalpha() else ())}
    return {each for each in typed if len(each) > 1} - {name}


def said_of(command: str, option: str) -> str:
    return refusal(*command.split(), option)


@pytest.mark.parametrize(("name", "command"), thinned(COMMANDS, 3), ids=[name for name, _ in COMMANDS])
def test_a_slip_of_the_keys_leads_to_the_option(name: str, command: click.Command) -> None:
    options = options_of(command)
    for option in options:
        if len(option) > 2:
            for typed in slips(option) - {*options}:
                assert option in nearest(typed, options, keys=True), typed


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_a_word_of_another_tool_leads_to_no_other_option(name: str, command: click.Command) -> None:
    for word in WORDS:
        if word not in options_of(command):
            for option in re.findall(r"--([\w-]+)", habits._near(word, command)):
                described = next(each.help or "" for each in command.params if f"--{option}" in each.opts)
                assert word in option or option in word or re.search(rf"(?i)\b{word}", described), (word, option)


def test_options_that_are_as_near_are_all_named() -> None:
    assert said_of("search", "--gset").endswith("did you mean '--set' or '--get'?")


def test_a_word_of_the_help_leads_to_its_option() -> None:
    assert said_of("search", "--spelling").endswith("did you mean '--correct'?")


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
