"""Protected words from files and from lists."""

from __future__ import annotations

import pytest

from toysearch import Analyzer
from toysearch.errors import ArgumentError, DataError


def test_a_file_has_a_word_a_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# names\nBoeing\n\n  flying # a word\nc#\n")
    analyzer = Analyzer(protected=path, stem="english", pattern=r"\S+")
    assert analyzer.protected == {"boeing", "flying", "c#"}
    assert analyzer("flying planes Boeing") == ["flying", "plane", "boeing"]
    assert analyzer == Analyzer(protected=["C#", "Flying", "BOEING"], stem="english", pattern=r"\S+")


def test_a_line_that_is_no_single_token(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cat\ne-mail\n")
    with pytest.raises(DataError) as error:
        Analyzer(protected=str(path))
    assert str(error.value) == f"{path}:2: expected a single token, found 'e-mail': the analyzer makes 'mail' of it"
    path.write_text("cat\n\ntom cat\n")
    with pytest.raises(DataError) as error:
        Analyzer(protected=str(path))
    assert str(error.value) == f"{path}:3: expected one word a line, found 2: 'tom cat'"


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("tom cat", "'tom cat': the analyzer makes 'tom', 'cat' of it"),
        ("", "'': no token is in it"),
        ("a b", "'a b': no token is in it"),
        (" cat", "' cat': the analyzer makes 'cat' of it"),
    ],
)
def test_a_word_that_can_never_be_a_token(word, problem):
    with pytest.raises(ArgumentError) as error:
        Analyzer(protected=[word])
    assert str(error.value) == f"expected a single token, found {problem}"


def test_of_a_pattern_with_a_group_nothing_can_be_said():
    assert Analyzer(pattern=r"\w(\w*)", protected=["the"]).protected == {"the"}
    with pytest.raises(ArgumentError, match="expected a single token, found 'tom cat'"):
        Analyzer(pattern=r"\w(\w*)", protected=["tom cat"])


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError) as error:
        Analyzer(protected=tmp_path / "none.txt")
    assert str(error.value) == f"{tmp_path / 'none.txt'}: there is no such file"
