"""Pairs of characters, by hand."""

from __future__ import annotations

import re

import pytest

from toysearch import Analyzer
from toysearch.analysis.analyzer import TOKEN_PATTERN
from toysearch.analysis.tokenizer import token_places

CJK = Analyzer(cjk=True)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("中华人民共和国", ["中华", "华人", "人民", "民共", "共和", "和国"]),
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("猫 犬、鳥", ["猫", "犬", "鳥"]),
        ("東京タワーに行く", ["東京", "京タ", "タワ", "ワー", "ーに", "に行", "行く"]),
        ("한국abc", ["한국", "abc"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("iPhone手機ABC 3月 x", ["iphone", "手機", "abc", "月"]),
        ("人々", ["人々"]),
        ("ﾃｽﾄ", ["ﾃｽ", "ｽﾄ"]),
        ("ﾊﾞｽ", ["ﾊﾞｽ"]),
        ("か\u3099く", ["か\u3099く"]),
        ("葛\U000e0100城市", ["葛\U000e0100城", "城市"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("コーヒー・ショップ", ["コー", "ーヒ", "ヒー", "ショ", "ョッ", "ップ"]),
        ("The Straße cats", ["the", "straße", "cats"]),
        ("ไทย мир", ["ไทย", "мир"]),
        ("", []),
    ],
)
def test_pairs_of_neighbours(text, tokens):
    assert CJK(text) == tokens


def test_without_it_a_run_is_one_token():
    assert Analyzer()("東京タワーに行く") == ["東京タワーに行く"]


def test_the_pattern_splits_the_rest_and_may_have_a_group():
    assert Analyzer(cjk=True, pattern=r"#(\w+)")("#cat dog 東京都 #x") == ["cat", "東京", "京都", "x"]
    assert Analyzer(cjk=True, pattern=r"(a)?b")("ab b 東") == ["a", "", "東"]


def test_places_are_those_of_the_tokens():
    text = "İİ 東京都 cats"
    places = list(token_places(text, re.compile(TOKEN_PATTERN)))
    assert places == [(0, 2), (3, 5), (4, 6), (7, 11)]
    assert list(token_places("#cat", re.compile(r"#(\w+)"))) == [(0, 4)]
    assert list(token_places("#cat", re.compile(r"#(\w+)"), 1)) == [(1, 4)]


@pytest.mark.parametrize("name", ["cjk", "zh", "Chinese", "ja", "japanese", "ko", "korean"])
def test_its_languages_have_pairs_and_nothing_else(name):
    analyzer = Analyzer.for_language(name)
    assert analyzer == Analyzer(cjk=True, marks=True)
    assert analyzer.language == {"zh": "chinese", "ja": "japanese", "ko": "korean"}.get(name, name.lower())


def test_its_languages_take_a_list_where_one_is_asked_for():
    assert Analyzer.for_language("zh", stop="iso")("我们的中国")[-1] == "中国"
    assert "我们" not in Analyzer.for_language("zh", stop="iso")("我们的中国")
    assert Analyzer.for_language("english", cjk=True)("the cats 東京都") == ["cat", "東京", "京都"]
    assert Analyzer.for_language("ja", cjk=False)("東京都") == ["東京都"]
