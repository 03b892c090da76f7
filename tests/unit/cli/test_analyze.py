"""`toysearch analyze`: the steps of a text, in each form."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from toysearch.cli.app import command


def run(*arguments: str):
    return CliRunner().invoke(command, ["analyze", *arguments])


def test_plain_is_lower_case_and_words_of_two_characters():
    result = run("How to train a cat")
    assert result.exit_code == 0
    assert result.stdout == (
        "analyzer: plain\n"
        "\n"
        "token  stop word  term\n"
        "how               how\n"
        "to                to\n"
        "train             train\n"
        "cat               cat\n"
    )


def test_a_language_leaves_out_stop_words_and_stems():
    result = run("Training the cats", "--language", "english")
    assert result.stdout == (
        "analyzer: english (stop words: sklearn, stemmer: english)\n"
        "\n"
        "token     stop word  term\n"
        "training             train\n"
        "the       left out\n"
        "cats                 cat\n"
    )


def test_stop_and_stem_stand_alone_or_override(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cats\n")
    assert run("the cats", "--stop", str(words), "--tsv").stdout == (
        "token\tstop_word\tterm\nthe\t\tthe\ncats\tleft out\t\n"
    )
    assert run("the cats", "--language", "english", "--stop", "none", "--tsv").stdout == (
        "token\tstop_word\tterm\nthe\t\tthe\ncats\t\tcat\n"
    )


def test_json_lists_tokens_and_terms():
    result = run("the cats", "--language", "english", "--json")
    assert json.loads(result.stdout) == {
        "analyzer": "english (stop words: sklearn, stemmer: english)",
        "tokens": [
            {"token": "the", "stop_word": True, "term": None},
            {"token": "cats", "stop_word": False, "term": "cat"},
        ],
        "terms": ["cat"],
    }


@pytest.mark.parametrize("text", ["", "a !", "\udce9"])
def test_a_text_without_tokens_has_no_rows(text):
    result = run(text, "--tsv")
    assert [result.exit_code, result.stdout] == [0, "token\tstop_word\tterm\n"]


def test_an_unknown_language_is_told_the_nearest():
    result = run("x", "--language", "englsh")
    assert result.exit_code == 2
    assert result.stderr.startswith("toysearch: unknown language 'englsh'; did you mean 'english'?")
