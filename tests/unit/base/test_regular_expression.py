"""Which patterns of tokens a collection or an index may have: none that may never end."""

import re

import pytest
from shell import done, refusal

from toysearch import Analyzer, Index
from toysearch.base import typed_line
from toysearch.base.errors import ArgumentError, StorageError, ToysearchError
from toysearch.base.regular_expression import may_not_end
from toysearch.collection.recipe import read_recipe

# Patterns of tokens of collections and indexes that somebody else made.


HARMLESS = [
    *(r"\w++", r"[a-z]++(?:-[a-z]++)*+", r"[a-z]{2,}+\d", r"\++", r"[*+]+", r"(?>\w+)", r"\w+", r"\S+", r"\b\w\w+\b"),
    *(r"(?u)\b\w\w+\b", r"(?i)[a-z]+", r"cat", r"\b", r"word2", r"mine.py:tokens", r"\.?\w[\w+#]*"),
    *(
        r"[a-z]+(?:-[a-z]+)*",
        r"\w+(?:[-'’]\w+)*",
        r"\.?\w+(?:[.'’]\w+)*(?:\+\+|#)?",
        r"\w[\w-]*\w|\w",
        r"[\w+#]+",
        r"#(\w+)",
        r"\w(\w*)",
        r"(a)?b",
    ),
    *(r"\d+(?:[.,]\d+)*%?|\w+", r"\d{1,3}(?:,\d{3})+|\w+", r"(?:[A-Z]\.)+|\w+", r"[A-Za-z]+(?:'[a-z]+)?"),
    *(r"\w+|[^\w\s]", r"<[^>]+>|[^<>]+", r'"[^"]*"|\w+', r"(?<!\w)@\w+", r"\w+(?=\s|$)", r"(?:Mr|Mrs|Dr)\.?|\w+"),
    *(r"(?P<word>\w+)", r"https?://\S+|\w+", r"[\u4e00-\u9fff]|\w+", r"[a-z]{2,}", r"(?:[^(a+)]\))*", r"(?:ab)*c"),
]
FEW_REPEATS = [r"a*a*b", r".*,.*,.*x", r"(a)\1+"]  # at most as slow as a power of the length of a text
EXPONENTIAL = [
    *(r"(a+)+$", r"(a*)*", r"(a|a)*b", r"(\w+\s?)+$", r"(?:\w+-?)*x", r"(.*a){10}", r"(?:a?){50}a{50}"),
    *(r"(?:a|a){50}b", r"(\w+|\d)+!", r"([a-z]|\w)+!", r"((ab)*)*c", r"(x+x+)+y", r"(?:\d+|[^x])+!"),
    *(r"(?i)([a-z]|[A-Z])+!", r"(?i:[a-z]|[A-Z])+!", r"(?=(a+)+$)a", r"(?P<x>a+)+$", r"(?>(a+)+)b", r"(?:é|\w)+!"),
    *(r"(?:\u4e01|[\u4e00-\u9fff])+!", r"(?:[^\W\d]|[a-z])+!", r"(?:a|b|ab)*c", r"(?:\++\+*)+x", r"(?:^|a+)+b"),
    *(r"(\++)+x", r"(?:[{}]|{}+)+x"),
]
EXPONENTIAL += ["a?" * 30 + "a" * 30, "(?:a|a)" * 30 + "b"]
UNCLEAR = [
    *(r"(?x)(a+ )+", r"(?x)(a+) +$", r"(a+)(?#c)+", r"(a)?(?(1)b|c)+", "a*" * 9, r"\w" * 51),
    *(r"(?:[!-~]\w+)+x", r"(?:_\w+)+x", r"(?:\.[Z-a]+)+x", r"(?:\b\w+)+x", r"(?:.\w+)+x", r"((?:-\w+)*)*x"),
]


@pytest.mark.parametrize("pattern", [*HARMLESS, *FEW_REPEATS])
def test_ordinary_patterns_are_taken(pattern, tmp_path):
    assert not may_not_end(pattern)
    recipe = tmp_path / "collection.toml"
    if ".py:" not in pattern:
        (tmp_path / "docs.jsonl").write_text('{"_id": "1", "text": "a cat"}\n')
        recipe.write_text(f"tokens = '''{pattern}'''\n", encoding="utf-8")
        assert read_recipe(recipe).tokens == pattern


@pytest.mark.parametrize("pattern", [r"(?<!\w)@\w+", *FEW_REPEATS])
def test_an_index_keeps_the_patterns_of_its_user(pattern, tmp_path):
    index = Index.build(["a @cat"], Analyzer(tokens=pattern))
    index.save(tmp_path / "saved")
    assert Index.open(tmp_path / "saved").analyzer == index.analyzer


@pytest.mark.parametrize("pattern", [*EXPONENTIAL, *UNCLEAR])
def test_a_collection_that_may_never_end_is_refused(pattern, tmp_path):
    assert may_not_end(pattern)
    recipe = tmp_path / "collection.toml"
    recipe.write_text(f"tokens = '''{pattern}'''\n", encoding="utf-8")
    with pytest.raises(ToysearchError, match=r"never ends; leave it out of collection\.toml, and if it is needed"):
        read_recipe(recipe)


@pytest.mark.parametrize("pattern", ["(a", "(a+)+\\", "[z-a]", "a**", "a{3,1}"])
def test_what_is_no_pattern_is_left_to_who_compiles_it(pattern):
    with pytest.raises(re.error):
        re.compile(pattern)
    assert not may_not_end(pattern)


def test_what_is_typed_is_taken_and_advice_works(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"_id": "1", "text": "a cat"}\n')
    recipe = tmp_path / "collection.toml"
    recipe.write_text('tokens = "(a+)+"\n')
    assert typed_line("--analyzer", "plain:tokens=(a+)+") in refusal("search", tmp_path, "cat")
    recipe.write_text("")
    assert done("search", tmp_path, "a", "--analyzer", "plain:tokens=(a+)+")


def test_an_index_with_such_a_pattern_is_neither_saved_nor_opened(tmp_path, monkeypatch):
    bad = Analyzer(tokens="(a+)+$")
    index = Index.build(["a cat"], bad)
    with pytest.raises(ArgumentError, match="no index is kept with the pattern"):
        index.save(tmp_path / "saved")
    with pytest.raises(ArgumentError, match="no index is kept with the pattern"):
        Index.build(iter([1 / 0 for _ in ()]), bad, folder=tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
    monkeypatch.setattr("toysearch.index.saving.refuse_endless", lambda _: None)
    index.save(tmp_path / "saved")
    monkeypatch.undo()
    with pytest.raises(StorageError, match=r"its analyzer cannot be restored \(no index is kept with the pattern"):
        Index.open(tmp_path / "saved")
