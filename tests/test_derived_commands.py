"""Commands that are derived from a function: options, defaults and help come from its signature and docstring.

A derived command has no body of its own: `performed` reads what its words name, calls the function, and shows what it
returns. Python has the same function and gets the same result.
"""

from shell import every_command

from toysearch.cli.sources import performed

DERIVED = {
    *("search", "eval", "fuse", "compare", "diff", "convert", "score", "explain"),
    *("query", "analyze", "measures", "similar"),
    *("ablate", "robustness", "predict", "retrievability", "gate", "learn", "verify", "tune", "report"),
    *("clicks interleave", "clicks preference", "clicks model"),
    *("judge pool", "judge agree", "judge merge", "judge rejudge", "judge votes"),
}


def test_the_commands_that_are_derived_are_these():
    derived = {name for name, command in every_command() if getattr(command.callback, "func", None) is performed}
    assert derived == DERIVED
    assert len(derived) == 29
