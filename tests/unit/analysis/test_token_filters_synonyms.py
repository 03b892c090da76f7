"""Synonyms from files and mappings: what they mean, and every fault with its sentence."""

from __future__ import annotations

import pytest
from raising import raising

from toysearch import Analyzer
from toysearch.base.errors import ArgumentError, DataError

EQUAL = "expected words separated by commas, which are replaced by the first ('budgie, parakeet'), or 'colour => color'"


@pytest.fixture
def file(tmp_path):
    """A function that writes a file of synonyms."""

    def written(text: str):
        path = tmp_path / "synonyms.txt"
        path.write_text(text)
        return path

    return written


def test_words_that_mean_the_same_become_the_first(file):
    path = file("# birds\nBudgie , budgerigar,parakeet  # all the same\n\ncolour, Kolor => color\nbird => budgie\n")
    analyzer = Analyzer(synonyms=path)
    assert analyzer("A parakeet, BUDGERIGAR, budgie; colour kolor color bird") == ["budgie"] * 3 + ["color"] * 3 + [
        "budgie"
    ]
    assert analyzer.synonyms == (
        ("bird", "budgie"),
        ("budgerigar", "budgie"),
        ("colour", "color"),
        ("kolor", "color"),
        ("parakeet", "budgie"),
    )
    assert analyzer == Analyzer(synonyms=str(path)) == Analyzer(synonyms=dict(analyzer.synonyms))


def test_a_replacement_may_be_what_the_pattern_would_not_find():
    assert Analyzer(synonyms={"vitamin": "c"})("vitamin c") == ["c"]
    assert Analyzer(synonyms={"cat": "dog"}, tokens=r"#(\w+)")("#cat cat") == ["dog"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("budgie\n", 1, f"{EQUAL}; found 'budgie'"),
        ("cat, dog\nbudgie,\n", 2, f"{EQUAL}; found 'budgie,'"),
        (", budgie\n", 1, f"{EQUAL}; found ', budgie'"),
        ("a1 =>\n", 1, f"{EQUAL}; found 'a1 =>'"),
        ("=> a1\n", 1, f"{EQUAL}; found '=> a1'"),
        ("=>\n", 1, f"{EQUAL}; found '=>'"),
        ("a1 => b1, c1\n", 1, f"{EQUAL}; found 'a1 => b1, c1'"),
        ("a1 => b1 => c1\n", 1, f"{EQUAL}; found 'a1 => b1 => c1'"),
        (
            "budgie, small parrot\n",
            1,
            "expected a single token, found 'small parrot': the analyzer makes 'small', 'parrot' of it",
        ),
        ("mail, e-mail\n", 1, "expected a single token, found 'e-mail': the analyzer makes 'mail' of it"),
        ("us => u s\n", 1, "expected a single token, found 'u s': it contains no token"),
        ("cat, Cat\n", 1, "'cat' would replace itself; leave one out"),
        ("cat, tom, tom\n", 1, "'tom' is already replaced on line 1; a word has one replacement"),
        ("cat, tom\n\ndog, tom\n", 3, "'tom' is already replaced on line 1; a word has one replacement"),
        (
            "tom => cat\ncat => pet\n",
            2,
            (
                "'cat' would become 'pet', but replaces another word on line 1; a word that "
                "replaces others cannot be replaced"
            ),
        ),
        (
            "tom => cat\ncat => tom\n",
            2,
            (
                "'cat' would become 'tom', but replaces another word on line 1; a word that "
                "replaces others cannot be replaced"
            ),
        ),
        (
            "# chain\ncat => pet\ntom => cat\n",
            3,
            "'tom' would become 'cat', which is already replaced on line 2; write 'tom => pet'",
        ),
    ],
)
def test_a_line_that_cannot_be(file, text, line, problem):
    path = file(text)
    with raising(DataError, f"{path}:{line}: {problem}"):
        Analyzer(synonyms=path)


def test_a_fault_that_only_folding_shows(file):
    path = file("café => bar\ncafe => inn\n")
    assert len(Analyzer(synonyms=path).synonyms) == 2
    with raising(DataError, f"{path}:2: 'cafe' is already replaced on line 1; a word has one replacement"):
        Analyzer(synonyms=path, fold_accents=True)


def test_faults_of_a_mapping():
    with pytest.raises(ArgumentError) as error:
        Analyzer(synonyms={"tom": "cat", "cat": "pet"})
    assert str(error.value) == (
        "'cat' would become 'pet', but replaces another word by the mapping; a word that "
        "replaces others cannot be replaced"
    )
    with raising(ArgumentError, "expected a single token, found 'tom cat': the analyzer makes 'tom', 'cat' of it"):
        Analyzer(synonyms={"tom cat": "cat"})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["cat", "tom"], "synonyms are a mapping of words to words, or a file, not ['cat', 'tom']"),
        ({"cat": 1}, "expected a word, found 1"),
    ],
)
def test_what_is_no_mapping_of_words(source, message):
    with raising(ArgumentError, message):
        Analyzer(synonyms=source)


def test_a_file_that_is_not_there(tmp_path):
    with raising(DataError, f"{tmp_path / 'none.txt'}: there is no such file"):
        Analyzer(synonyms=str(tmp_path / "none.txt"))


def test_with_pairs_of_characters_a_longer_word_is_no_token():
    assert Analyzer(cjk=True, synonyms={"電脳": "電算"})("電脳") == ["電算"]
    with raising(ArgumentError, "expected a single token, found '計算機': the analyzer makes '計算', '算機' of it"):
        Analyzer(cjk=True, synonyms={"計算機": "電脳"})
