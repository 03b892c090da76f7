"""The compiled path of indexing against the plain one, on any text: the arrays are the same, byte for byte."""

import re
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import EVERYTHING, often, thinned

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Characters, Scanner
from toysearch.analysis.tokenizer import Tokenizer
from toysearch.base import Document
from toysearch.base.encoded_texts import Utf8
from toysearch.base.errors import ToysearchNote
from toysearch.base.wording import encodable
from toysearch.collection.document_batches import Batch, batches
from toysearch.compiled.tokens import OUTSIDE, UNKNOWN, UNUSUAL
from toysearch.index import threaded_builder
from toysearch.index.builder import build_arrays
from toysearch.index.document_columns import Columns
from toysearch.index.position_blocks import packed_positions
from toysearch.index.posting_blocks import packed
from toysearch.index.postings import read_only
from toysearch.index.strings import GrowingStrings, Strings
from toysearch.index.threaded_builder import BlockCounter, ScannedTerms

pytestmark = pytest.mark.system

LAST = sys.maxunicode if EVERYTHING else 0x1FFFF  # the characters in use, and every one
WORDS = [
    "cat",
    "CATS",
    "the",
    "a",
    "x\0y",
    "été",
    "ÉTÉ",
    "e\u0301te\u0301",
    "ΟΔΟΣ",
    "ὈΔΥΣΣΕΎΣ",
    "İSTANBUL",
    "I\u0307",
    "IŞIK ışık Isparta",
    "DİYARBAKIR",
    "I\u0323\u0307x",
    "\u212aelvin",  # a sign for degrees, which is a k in lower case
    "\u023a\u023a",  # grows by a byte in lower case
    "文文字",
    "\U00010400\U0001e900x",
    "👩\u200d👧",
    "co\ud800op",
    "_a_1",
    "\u0661\u0662",
    "ab\u00ad\u2019cd",
    "eightlet",
    "ninelette",
    "sixteen_letters_",
    "sixteen_lettersX",
    "éightlet",
    "हिन्दी",
    "मां\u200d",
    "க்\u200cஷ",
    "الكِتَابُ",
    "ﾃﾞｰﾀＡ",
    "\u0301x\u0304",
    "\u1112\u1161\u11ab",
    "cœur",
    "\u212bngstr\u00f6m",
    "co\u00adop\u200b",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=10).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.lists(st.text("abB", min_size=1, max_size=24), max_size=20).map(" ".join),
    st.integers(250, 600).map(lambda count: "cat " * count + "dog"),
)
COLLECTIONS = st.lists(st.tuples(TEXTS, st.text(max_size=5)), min_size=1, max_size=30)
ANALYZERS = st.sampled_from(
    [
        Analyzer(),
        Analyzer(),
        Analyzer.for_language("english"),
        Analyzer.for_language("french"),
        Analyzer.for_language("persian", stop="none"),
        Analyzer.for_language("hebrew", stop="none"),
        Analyzer.for_language("turkish"),
        Analyzer.for_language("turkish", stop="none", stem="none"),
        Analyzer(marks=True),
        Analyzer(stop=["cat"], synonyms={"cats": "dog"}, protected=["the"], min_length=3, max_length=8, numbers="mark"),
    ]
)


def scanned(documents, analyzer, threads=1, batch=3, **options) -> dict[str, np.ndarray]:
    """The arrays of the compiled path, with blocks and hashes that large collections would not have."""
    columns, terms = Columns((), lambda name: GrowingStrings()), ScannedTerms(analyzer, threads, **options)
    for start in range(0, len(documents), batch):
        some = Batch.of(documents[start : start + batch])
        terms.add(some, columns.add(some))
    arrays = terms.finish()
    if "docs" in arrays:
        docs, tf, places = arrays.pop("docs"), arrays.pop("tf"), arrays.pop("places", None)
        arrays |= packed(docs, tf, arrays["offsets"], arrays["dl"])
        if places is not None:
            arrays |= packed_positions(places, docs, tf, arrays["offsets"], arrays["dl"], arrays["holes"])
    return read_only(arrays | columns.finish())


def assert_same(found, expected) -> None:
    assert list(found) == list(expected)
    for name, values in expected.items():
        assert found[name].dtype == values.dtype, name
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def quiet(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        return function(*arguments, **options)


@given(
    COLLECTIONS,
    ANALYZERS,
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 400),
    st.integers(1, 4),
    st.sampled_from([3, 8, 64]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=often(100))
def test_scanned_arrays_are_those_of_the_plain_path(
    texts, analyzer, positions, threads, block, batch, bits, in_ranges, large
):
    documents = [Document(f"{number * 7 % 11}-{number}", *text) for number, text in enumerate(texts)]
    expected = quiet(build_arrays, batches(documents), analyzer, positions=positions)
    options = {"positions": positions, "block": block, "hash_mask": (1 << bits) - 1}
    with pytest.MonkeyPatch.context() as patch:
        if in_ranges:
            patch.setattr(threaded_builder, "_MANY", 0)
        if large:
            patch.setattr(threaded_builder, "MOST", 0)
        found = quiet(scanned, documents, analyzer, threads, batch, **options)
    assert_same(found, expected)


@given(st.lists(TEXTS, max_size=8), ANALYZERS, st.sampled_from([1, 3, 64]))
@settings(max_examples=often(100))
def test_the_scanner_finds_the_tokens_of_the_analyzer(texts, analyzer, bits):
    texts = [encodable(text)[0] for text in texts]
    scanner = Scanner(analyzer.tokenizer, hash_mask=(1 << bits) - 1)
    for _ in range(2):  # the second time it knows them all
        found, ends = scanner.scan(Utf8.of([text.encode() for text in texts]))
        tokens = [scanner.token(number) for number in found.tolist()]
        assert [tokens[start:stop] for start, stop in zip([0, *ends], ends, strict=False)] == list(
            map(analyzer.tokenizer, texts)
        )
    blob, offsets = scanner.tokens()
    assert len(set(Strings(blob, offsets))) == scanner.n_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("\u212aelvin Kelvin kelvin", ["kelvin"]),  # a character of three bytes whose lower case has one
        ("\u023a\u023a \u2c65\u2c65", ["\u2c65\u2c65"]),  # of two bytes, whose lower case has three
        ("eightlet eightlett eightlet", ["eightlet", "eightlett"]),  # on both sides of what is its own key
        ("éightle éightlet éightle", ["éightle", "éightlet"]),
        ("a ab x é", ["ab"]),  # characters are counted, not bytes
        ("a\u2019ab\u2014é\u2026cd", ["ab", "cd"]),
        ("\u65e5\u672c \U0001d11e \U00020000\U00020001", ["\u65e5\u672c", "\U00020000\U00020001"]),
        ("x\0yy\0\0zz", ["yy", "zz"]),
        ("ΟΔΟΣ ΟΔΟΣΟΔΟΣ Σ", ["οδος", "οδοσοδος"]),
        ("İZ İZZ", ["zz"]),  # the dot above becomes a character of its own, which is no word's
    ],
)
def test_distinct_tokens_of_a_text(text, tokens):
    scanner = Scanner()
    scanner.scan(Utf8.of([text.encode()]))
    assert [scanner.token(number) for number in range(scanner.n_tokens)] == tokens
    assert list(dict.fromkeys(Analyzer()(text))) == tokens


@pytest.mark.parametrize(
    ("language", "text"), [("french", "ŒUF"), ("french", "Ægir Æ"), ("danish", "Ö"), ("german", "ẞ ẞa")]
)
def test_capital_letters_with_another_spelling(language, text):
    analyzer = Analyzer.for_language(language, stop="none", stem="none")
    scanner = Scanner(analyzer.tokenizer)
    found, _ = scanner.scan(Utf8.of([text.encode()]))
    assert [scanner.token(number) for number in found.tolist()] == analyzer(text)


def test_a_short_token_whose_bytes_are_the_hash_of_a_long_one():
    letters = "abcdefghijklmnopqrstuvwxyz"
    tokens = [a + b for a in letters for b in letters] + [f"long_token_{number}" for number in range(20_000)]
    scanner = Scanner(hash_mask=0xFFFF)
    for texts in (tokens, tokens[::-1]):
        found, _ = scanner.scan(Utf8.of([" ".join(texts).encode()]))
        assert [scanner.token(number) for number in found.tolist()] == texts


@pytest.mark.parametrize("language", thinned(["persian", "french", "none"], 3))
def test_every_character_by_itself_and_within_a_word(language):
    analyzer = Analyzer.for_language(language, stop="none", stem="none")
    everything = [chr(code) for code in range(LAST + 1) if not 0xD800 <= code <= 0xDFFF]
    for start in range(0, len(everything), 4096):
        text = " ".join(f"a{character}b {character}{character}" for character in everything[start : start + 4096])
        scanner = Scanner(analyzer.tokenizer)
        found, _ = scanner.scan(Utf8.of([text.encode()]))
        assert [scanner.token(number) for number in found.tolist()] == analyzer(text)


def test_lower_case_is_lower_case_for_good_and_not_much_longer():
    table = Characters(Tokenizer(), prepared=False)
    for code in range(LAST + 1):
        if table.words[code] == UNKNOWN:
            table.add(code)
    unusual = {*map(chr, np.flatnonzero(table.words == UNUSUAL).tolist())}
    assert {"İ", "Σ"} <= unusual
    for code, small_code in enumerate(table.words[: LAST + 1].tolist()):
        small = chr(code).lower()
        assert not unusual & set(small)
        assert small.lower() == small
        if small_code not in (UNUSUAL, OUTSIDE):
            assert len(chr(small_code).encode()) <= 2 * len(chr(code).encode())
            assert chr(small_code) == small
            assert re.fullmatch(r"\w", small)


@pytest.mark.parametrize("language", thinned(["english", "none"], 2))
def test_a_large_collection(language):
    rng = np.random.default_rng(7)
    analyzer = Analyzer.for_language(language)
    words = np.array([f"w{number}{'ing' * (number % 3)}" for number in range(20_000)])
    lengths = rng.integers(0, 90, 20_000)
    numbers = np.minimum(rng.zipf(1.2, int(lengths.sum())), len(words)) - 1
    texts = np.split(words[numbers], np.cumsum(lengths)[:-1])
    documents = [Document(f"{number:x}", " ".join(text.tolist())) for number, text in enumerate(texts)]
    documents[77] = Document("large", "w1 " * 70_000 + "w2 " * 255 + "w3 " * 254 + "x" * 100_000)
    documents[-1] = Document("last", "w1 " * 300 + "zz " * 301 + "w2 " * 302)  # large ones in different threads' parts
    expected = build_arrays(batches(documents), analyzer, positions=True)
    for threads in (1, 2, 3):
        assert_same(scanned(documents, analyzer, threads, 100, block=200_000, positions=True), expected)


@pytest.mark.parametrize("batch", thinned([100, 7000], 2))
def test_more_documents_than_a_block_may_have(batch):
    documents = [Document(f"{number:x}", "cat dog"[number % 3 :]) for number in range(140_000)]
    expected = build_arrays(batches(documents), Analyzer(), positions=True)
    assert_same(scanned(documents, Analyzer(), 2, batch, positions=True), expected)


def test_many_texts_are_a_block_as_they_are(monkeypatch):
    count, counted = BlockCounter.count, []

    def watched(counter, first_doc, texts, ranges):
        counted.append((first_doc, texts))
        return count(counter, first_doc, texts, ranges)

    monkeypatch.setattr(BlockCounter, "count", watched)
    few, many = Utf8.of([b"a cat"] * 3), Utf8.of([b"the dog"] * 9)
    terms = ScannedTerms(Analyzer(), 1, block=2 * len(many.blob))
    for texts in (few, many, few):
        terms.add(Batch([""] * len(texts.raws()), [], [], []), texts)
    terms.finish()
    assert [first_doc for first_doc, _ in counted] == [0, 3, 12]
    assert counted[1][1] is many  # not copied


def test_large_counts_of_one_document_in_the_parts_of_several_threads():
    documents = [Document(str(number), f"a{number} b{number}") for number in range(50)]
    documents.append(Document("last", "a1 " * 300 + "zz " * 301 + "a2 " * 302))
    expected = build_arrays(batches(documents), Analyzer())
    assert np.sort(expected["highest_tf"])[-3:].tolist() == [300, 301, 302]
    for threads in (1, 2, 3):
        assert_same(scanned(documents, Analyzer(), threads, 10), expected)
