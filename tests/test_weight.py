"""The package stays light, and so does its command line: limits that only fall."""

from __future__ import annotations

import click
import weight
from shell import every_command

from toysearch.cli.main import COMMANDS

LIMITS = {
    "files": 306,
    "statements": 53_900,
    "imports": 3620,
    "single_use": 450,
    "many_parameters": 14,
    "bare": 54,
}
"""What the package may weigh at most; whoever makes it lighter lowers the number."""

SHELL = {"commands": 38, "leaves": 54, "options": 150}
"""How many commands, commands and subcommands that do something, and names of options there may be."""
SHOWN = 30
"""The options that the help of a command describes, before it names those that another one describes."""


def test_the_package_weighs_no_more_than_it_may():
    whole = weight.total(list(weight.weights().values()))
    heavy = {what: count for what, limit in LIMITS.items() if (count := getattr(whole, what)) > limit}
    assert heavy == {}, "`python tests/weight.py` shows where they are"


def options(command):
    """The options of a command by their long names."""
    return {max(each.opts, key=len): each for each in command.params if isinstance(each, click.Option)}


def test_the_command_line_has_no_more_than_it_may():
    leaves = dict(every_command())
    names = {name for command in leaves.values() for name in options(command)}
    counts = {"commands": len(COMMANDS), "leaves": len(leaves), "options": len(names)}
    assert counts["leaves"] > counts["commands"] > 30, "some commands were not loaded"
    assert {what: count for what, count in counts.items() if count > SHELL[what]} == {}, sorted(names)


def test_the_help_of_a_command_describes_no_more_options_than_a_reader_takes_in():
    long = {}
    for name, command in every_command():
        shown = [option for option, each in options(command).items() if not each.hidden]
        if len(shown) > SHOWN:
            long[name] = shown
    assert long == {}
