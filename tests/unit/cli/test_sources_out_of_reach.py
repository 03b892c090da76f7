"""A grade that no judgment reaches is refused by every command that would show a table of zeros."""

import pytest
from shell import refused

COMMANDS = {
    "eval": (),
    "compare": ("--model", "bm25", "--model", "tfidf"),
    "diff": ("--model", "bm25", "--model", "tfidf"),
    "tune": ("--grid", "k1=1,2"),
    "ablate": (),
    "robustness": (),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "name"),
    [(("--threshold", "9"), "threshold"), (("-m", "AP(rel=9)"), "AP(rel=9)")],
    ids=["option", "rel"],
)
def test_a_grade_that_no_judgment_reaches(command, options, name):
    said = refused(command, "cat-dog-parrot", *COMMANDS[command], *options).splitlines()[-1]
    assert said.startswith(
        f"toysearch: {name}: no judgment has a grade of 9 or above, the highest is 1; nothing could be relevant"
    )
