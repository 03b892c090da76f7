"""The caret stands under the place, whatever the query holds."""

from __future__ import annotations

import pytest

from toysearch.query.lexer import QueryError, around


@pytest.mark.parametrize(
    ("text", "place", "shown", "column"),
    [
        ("cat) dog", 3, "cat) dog", 3),
        ("cat", 3, "cat", 3),
        ("", 0, "", 0),
        ("日本)", 2, "日本)", 4),
        ("한국 ｃat)", 6, "한국 ｃat)", 9),
        ("cafe\u0301)", 5, "cafe\u0301)", 4),
        ("हिन्दी)", 6, "हिन्दी)", 5),
        ("a\tb)", 3, "a b)", 3),
        ("a\r\nb\x1b[0m)", 8, "a  b [0m)", 8),
        ("a\u202eb)", 3, "a b)", 3),
        ("a\ud800)", 2, "a\ufffd)", 2),
        ("x" * 100 + ")" + "y" * 100, 100, f"… {'x' * 35}){'y' * 34} …", 37),
        (")" + "y" * 100, 0, f"){'y' * 69} …", 0),
        ("x" * 100 + ")", 100, f"… {'x' * 69})", 71),
        ("日" * 100 + ")" + "本" * 100, 100, f"… {'日' * 17}){'本' * 17} …", 36),
    ],
)
def test_the_caret_stands_under_the_place(text, place, shown, column):
    assert around(text, place) == (shown, " " * column + "^")


def test_the_error_shows_the_query():
    error = QueryError("')' has no partner", "猫) dog", 1)
    assert str(error) == "')' has no partner:\n  猫) dog\n    ^"
    assert (error.problem, error.query, error.place) == ("')' has no partner", "猫) dog", 1)
