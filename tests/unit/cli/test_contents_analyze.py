"""`toysearch analyze`: the steps of a text, in each form."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

run = partial(shell.run, "analyze")


def test_plain_is_lower_case_and_words_of_two_characters():
    result = run("How to train a cat")
    assert result.exit_code == 0
    assert result.stdout == (
        "analyzer: plain\n"
        "\n"
        "token  size       stop word  term\n"
        "how                          how\n"
        "to                           to\n"
        "train                        train\n"
        "a      too short\n"
        "cat                          cat\n"
        "\n"
        "left out: 'a' is too short (tokens=word1 keeps single characters)\n"
    )


def test_a_language_leaves_out_stop_words_and_stems():
    result = run("Training the cats", "--analyzer", "english")
    assert result.stdout == (
        "analyzer: english:stop=sklearn,stem=english\n"
        "\n"
        "token     stop word  term\n"
        "training             train\n"
        "the       left out\n"
        "cats                 cat\n"
        "\n"
        "left out: 'the' is on the list of stop words (sklearn)\n"
    )


def test_stop_and_stem_stand_alone_or_override(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cats\n")
    assert run("the cats", "--analyzer", f"plain:stop={words}", "--tsv").stdout == (
        "token\tstop_word\tterm\nthe\t\tthe\ncats\tleft out\t\n"
    )
    assert run("the cats", "--analyzer", "english:stop=none", "--tsv").stdout == (
        "token\tstop_word\tterm\nthe\t\tthe\ncats\t\tcat\n"
    )


def test_json_lists_tokens_and_terms():
    result = run("the cats", "--analyzer", "english", "--json")
    assert json.loads(result.stdout) == {
        "analyzer": "english:stop=sklearn,stem=english",
        "tokens": [
            {"token": "the", "stop_word": True, "term": None},
            {"token": "cats", "stop_word": False, "term": "cat"},
        ],
        "terms": ["cat"],
    }


@pytest.mark.parametrize("text", ["", "!", "\udce9"])
def test_a_text_without_tokens_has_no_rows(text):
    result = run(text, "--tsv")
    assert [result.exit_code, result.stdout] == [0, "token\tstop_word\tterm\n"]


def test_each_step_that_leaves_a_word_out_is_shown():
    assert run("R and C are languages", "--analyzer", "english", "--tsv").stdout == (
        "token\tsize\tstop_word\tterm\n"
        "r\ttoo short\t\t\nand\t\tleft out\t\nc\ttoo short\t\t\nare\t\tleft out\t\nlanguages\t\t\tlanguag\n"
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("U.S.A.", ["u\ttoo short\t\t", "s\ttoo short\t\t", "a\ttoo short\t\t"]),
        ("3.14", ["3\ttoo short\t\t", "14\t\t\t14"]),
        ("O'Neil don't", ["o\ttoo short\t\t", "neil\t\t\tneil", "don\t\t\tdon", "t\ttoo short\t\t"]),
        ("🔥", ["🔥\ttoo short\t\t"]),
    ],
)
def test_what_punctuation_takes_apart_is_shown(text, rows):
    assert run(text, "--tsv").stdout.splitlines()[1:] == rows


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("R and C", ["r", "and", "c"]),
        ("usb-c vitamin C", ["usb", "c", "vitamin", "c"]),
        ("🔥🇩🇪 👍🏽", ["🔥", "🇩🇪", "👍"]),
    ],
)
def test_word1_keeps_single_characters_and_emoji(text, terms):
    assert json.loads(run(text, "--analyzer", "plain:tokens=word1", "--json").stdout)["terms"] == terms
    assert json.loads(run(text, "--analyzer", "plain:cjk,tokens=word1", "--json").stdout)["terms"] == terms


def test_one_spelling_is_shown_where_it_changes_the_text():
    found = json.loads(run("Cafe\u0301 ｘ２", "--analyzer", "fr", "--json").stdout)
    assert found["text"] == {"one spelling": "café x2"}
    assert "text" not in json.loads(run("Café x2", "--analyzer", "fr", "--json").stdout)


def test_an_unknown_language_is_told_the_nearest():
    result = run("x", "--analyzer", "englsh")
    assert result.exit_code == 2
    assert result.stderr.startswith("toysearch: unknown language 'englsh'; did you mean 'english'?")
