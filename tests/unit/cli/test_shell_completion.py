"""What a shell completes, asked as a shell asks."""

import pytest
from click.shell_completion import ShellComplete, get_completion_class
from conftest import ROOT

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
        ("eval companions --model rm3", ["rm3(", "rm3"]),
        ("eval companions --model bm25p", ["bm25plus", "bm25plus-rank", "bm25p"]),
        ("search companions tick --model learn", ["learned:", "learn"]),
        ("models ax", ["axiomatic", "ax"]),
        ("models learn", ["learned", "learn"]),
        ("docs expl", ["explain", "expl"]),
        ("eval companions -m Bp", ["Bpref", "Bp"]),
    ],
)
def test_names_are_completed(typed, offered):
    """The last one stands for the shell's own paths."""
    assert completions(typed) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_page_says_how_it_is_switched_on(shell):
    page = (ROOT / "docs" / "do" / "install.md").read_text(encoding="utf-8")
    assert f"_TOYSEARCH_COMPLETE={shell}_source toysearch" in page
    script = get_completion_class(shell)(command, {}, "toysearch", "_TOYSEARCH_COMPLETE").source_vars()
    assert [script["prog_name"], script["complete_var"]] == ["toysearch", "_TOYSEARCH_COMPLETE"]
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `toysearch ")]
    for typed, completed in rows:
        offered = completions(typed.strip("`").removeprefix("toysearch "))
        assert {each.strip("` ") for each in completed.split(",")} <= {*offered}
