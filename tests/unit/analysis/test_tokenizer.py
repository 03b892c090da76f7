"""HTML and accents, by hand."""

import pytest

import toysearch
from toysearch import Analyzer, Index, Searcher
from toysearch.analysis.scanner import scannable
from toysearch.analysis.tokenizer import Tokenizer, word_places
from toysearch.base import folded, without_html
from toysearch.models.similarity import similarity

pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("caf&eacute; &amp; bar &#233; &#xe9;", "café & bar é é"),
        ("<p>one</p><p>two</p>", " one  two "),
        ("one<br/>two<BR>three", "one two three"),
        ("H<sub>2</sub>O and E=mc<SUP class='x'>2</SUP>", "H2O and E=mc2"),
        ("<strong>b</strong>old <bold>b</bold>old", "bold  b old"),
        ("a<!-- hidden <b>words</b> > -->z", "a z"),
        ("a<!-- one -->b<!-- two -->c", "a b c"),
        ("seen <!-- never closed", "seen  "),
        ("<script type='x'>var a = '<p>';</script>seen<style>p {}</style >", " seen "),
        ("<SCRIPT>a</SCRIPT><style>b</style>c", "  c"),
        ("<scripture>seen</scripture>", " seen "),
        ("seen<script>to the end", "seen "),
        ("<!DOCTYPE html><?xml version='1.0'?>x", "  x"),
        ("1 < 2 and 3 > 2, a<b", "1 < 2 and 3 > 2, a<b"),
        ("&lt;b&gt; stays", "<b> stays"),
        ("no entity: &xyz; and AT&T", "no entity: &xyz; and AT&T"),
        ("&notthis; as browsers read it", "¬this; as browsers read it"),
        ("&#xD800; &#0;", "\ufffd \ufffd"),
    ],
)
def test_what_is_left_of_html(html, text):
    assert without_html(html) == text


def test_many_things_left_open_take_no_quadratic_time():
    for piece in ("<!-- ", "<script ", "<a ", "<a \"'", "</script"):
        without_html(piece * 50_000)


def test_html_is_taken_out_before_everything_else():
    assert Analyzer(html=True)("<P>&Eacute;T&eacute;</P> na<i>ï</i>ve") == ["été", "naïve"]
    assert Analyzer()("<p>&eacute;") == ["eacute"]


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("crème brûlée", "creme brulee"),
        ("e\u0301te\u0301", "ete"),
        ("straße øre Łódź", "straße øre Łodz"),
        ("ﬁ ² Å ½", "fi 2 A 1⁄2"),
        ("мой ёж", "мои еж"),
        ("が", "か"),
        ("plain", "plain"),
        ("\ud800é", "\ud800e"),
    ],
)
def test_accents(text, without):
    assert folded(text) == without


def test_accents_are_folded_in_text_and_lists_alike():
    analyzer = Analyzer(
        fold_accents=True, stop=["Été"], protected=["Forêts"], synonyms={"Crémerie": "Café"}, stem="french"
    )
    assert analyzer("L'ÉTÉ, e\u0301te\u0301, FORÊTS, cremerie") == ["forets", "caf"]
    assert Analyzer(stem="french")("forêts") == ["forêt"]


def test_accents_are_kept_unless_asked():
    assert Analyzer()("Café") == ["café"]
    assert Analyzer(fold_accents=True, lowercase=False)("Café ÉTÉ") == ["Cafe", "ETE"]


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


def test_the_pattern_splits_the_rest_and_may_have_a_group():
    assert Analyzer()("東京タワーに行く") == ["東京タワーに行く"]  # without pairs
    assert Analyzer(cjk=True, tokens=r"#(\w+)")("#cat dog 東京都 #x") == ["cat", "東京", "京都", "x"]
    assert Analyzer(cjk=True, tokens=r"(a)?b")("ab b 東") == ["a", "", "東"]


def test_places_are_those_of_the_tokens():
    text = "İİ 東京都 cats"
    assert list(Tokenizer(cjk=True).places(text)) == [(0, 2), (3, 5), (4, 6), (7, 11)]
    assert list(Tokenizer(r"#(\w+)", cjk=True).places("東京 #cat")) == [(0, 2), (3, 7)]
    assert Tokenizer(r"#(\w+)", cjk=True).split("東京 #cat") == ["東京", "cat"]


def test_word1_counts_every_word_of_the_founding_example():
    """Five words per document; Dice of the first query and the first document is 2 · 2 / (2 + 5)."""
    pets = toysearch.load("cat-dog-parrot")
    analyzer = Analyzer(tokens="word1")
    index = Index.build(pets, analyzer)
    assert index.stats.avgdl == 5
    assert set(index.dl) == {5}
    query, document = (set(analyzer(text)) for text in (pets.queries[0].text, pets.documents[0].text))
    assert similarity(query, document).dice == 4 / 7
    assert Searcher(index, "dice").search(pets.queries[0].text)[0].score == 4 / 7
    assert Index.build(pets).stats.avgdl == 4


@pytest.mark.parametrize("tokens", ["word1", "unicode", "whitespace", r"\w\w+"])
def test_the_compiled_scanner_knows_words_of_two_characters_alone(tokens):
    assert scannable(Analyzer(tokens="word2"))
    assert scannable(Analyzer(tokens=r"(?u)\b\w\w+\b"))
    assert not scannable(Analyzer(tokens=tokens))


def test_the_compiled_scanner_replaces_no_letters_of_ascii(monkeypatch):
    analyzer = Analyzer(marks=True, letters={"k": "c"})
    assert scannable(Analyzer(marks=True, letters={"ø": "o"}))
    assert not scannable(analyzer)
    for path in ("plain", "compiled"):
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        assert [*map(str, Index.build(["kat cat"], analyzer=analyzer).terms)] == ["cat", "kat"]


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


# Words as Unicode bounds them; tests/oracles/test_analysis.py compares them with uniseg's


def test_it_is_a_tokenizer_like_the_others():
    analyzer = Analyzer(tokens="unicode", stop=["isn't"], stem="english")
    assert analyzer("Isn't U.S.A. training 3.14?") == ["u.s.a", "train", "3.14"]
    assert Analyzer.for_language("ja", tokens="unicode")("東京都 don't") == ["東京", "京都", "don't"]
    assert Analyzer(tokens="unicode", numbers="mark")("3.14 is 1,000") == ["<num>", "is", "<num>"]
    steps = {step.name: step.tokens for step in Analyzer(tokens="unicode").steps("R 👍 don't")}
    assert steps == {"words": ["r", "👍", "don't"], "tokens": ["r", None, "don't"]}
    assert list(Analyzer(tokens="unicode").tokenizer.places("İ don't")) == [(0, 1), (2, 7)]


@pytest.mark.parametrize(
    "part", ["a", "a.", "1,", "_", "a_", "a\u0301", "\u05d0'", '\u05d0"', "東", "🇩", "'", "a\u200d"]
)
def test_a_long_run_is_split_in_one_pass(part):
    """Each part of a text without blanks is visited a bounded number of times: 1 MB would otherwise take hours."""
    text = part * (1_000_000 // len(part))
    places = word_places(text)
    assert sum(end - start for start, end in places) <= len(text)
    assert len(places) in {0, 1, len(text)}
