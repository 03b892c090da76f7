"""`toysearch eval` says which systems cannot differ, because they rank alike."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from toysearch.cli.main import command


def run(*arguments):
    result = CliRunner().invoke(command, ["eval", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stderr


@pytest.mark.usefixtures("corpora")
def test_dice_and_jaccard_rank_alike_on_cranfield():
    told = run("cranfield", "--model", "dice", "--model", "jaccard", "--model", "bm25")
    assert "note: dice and jaccard rank all queries alike\n" in told
    assert "bm25 rank" not in told


def test_nothing_is_said_of_a_handful_of_queries():
    assert "alike" not in run("cat-dog-parrot", "--model", "dice", "--model", "jaccard")
