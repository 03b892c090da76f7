"""What a shell completes, asked as a shell asks."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from toysearch.cli.main import command


def completions(words: str) -> list[str]:
    *before, last = words.split(" ")
    return [item.value for item in ShellComplete(command, {}, "toysearch", "").get_completions(before, last)]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sea", ["search"]),
        ("search cat-dog", ["cat-dog-parrot", "cat-dog"]),
        ("corpora show compan", ["companions", "companions-2", "compan"]),
        ("eval companions --model lm-j", ["lm-jm", "lm-j"]),
        ("eval companions -m Bp", ["Bpref", "Bp"]),
    ],
)
def test_names_are_completed(typed, offered):
    """The last one stands for the shell's own paths."""
    assert completions(typed) == offered
