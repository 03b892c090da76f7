"""Positions against a list made in plain Python: whatever the analyzer, the fields and the path that builds."""

import re
import warnings
from collections import defaultdict

import numpy as np
import pytest
from chosen_way import way
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often
from user_tokenizers import PLACES, STRINGS

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import BORDER, Document, JoinedText
from toysearch.base.errors import ArgumentError, StorageError, ToysearchNote
from toysearch.base.wording import encodable
from toysearch.index.content_checks import check_index, content_problem
from toysearch.index.inverted_index import Index
from toysearch.index.listed_files import index_files
from toysearch.index.position_blocks import GROUP, PositionBlocks

WAYS = ("plain", "compiled")
WORDS = [*["cat", "Cats", "the", "a", "été", "co\xadop", "文文字", "Œuf", "und", "2nd", "x", "<b>bold</b>", "co�op"]]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.text(st.characters(exclude_categories=(), exclude_characters=BORDER), max_size=40),
    st.integers(250, 600).map(lambda count: "cat " * count + "the dog"),
)
ANALYZERS = [
    Analyzer(),
    Analyzer(tokens=r"\w*", lowercase=False, stop=["cat"]),
    Analyzer(stop=["cat"], synonyms={"cats": "dog"}, protected=["the"], min_length=3, max_length=8, numbers="drop"),
    Analyzer(tokens="word1", html=True, fold_accents=True),
    Analyzer(tokens="unicode", stop=["cat"]),
    Analyzer(tokens="whitespace", stem="english"),
    Analyzer(tokens=PLACES, stop=["the"]),
    Analyzer(tokens=STRINGS),
    *map(Analyzer.for_language, ["english", "french", "german", "ja", "arabic"]),
]


def blocks_of(index: Index) -> PositionBlocks:
    """The positions of an index in packed blocks."""
    return PositionBlocks(index.arrays, index.blocks.packed)


def places(text: str, analyzer: Analyzer) -> dict[str, list[int]]:
    """The positions of each term of a text."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, token in enumerate(analyzer.tokenizer(text)):
        if (term := analyzer.term(token)) is not None:
            found[term].append(place)
    return found


def built(chosen: str, documents, analyzer: Analyzer | None = None, **options) -> Index:
    with way(chosen), warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        return Index.build(documents, analyzer, positions=True, **options)


def assert_positions(index: Index, texts: list[str]) -> None:
    """The positions of every term in every document are those of its text."""
    for text, doc_id in zip(texts, index.doc_ids, strict=True):
        expected = places(encodable(text)[0], index.analyzer)
        for term in index.terms:
            assert index.positions(term, doc_id).tolist() == expected.get(term, []), (doc_id, term)


@pytest.mark.system
@given(st.lists(TEXTS, min_size=1, max_size=12), st.sampled_from(ANALYZERS), st.sampled_from(WAYS))
@settings(max_examples=often(130, 15))
def test_positions_are_those_of_the_tokens(texts, analyzer, chosen):
    index = built(chosen, texts, analyzer)
    for reading in WAYS:
        with way(reading):
            assert_positions(index, texts)


@pytest.mark.system
@given(st.integers(0, 1 << 30), st.sampled_from([1, 2, 30, 300, 3000]), st.sampled_from([1, 3, 40, 2000]))
@settings(max_examples=often(40), deadline=None)
def test_both_paths_write_the_same_and_read_it_back(seed, n_documents, n_words):
    rng = np.random.default_rng(seed)
    lengths = np.minimum(rng.geometric(0.02, n_documents) - 1, 500)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, n_words, length)) for length in lengths]
    analyzer = Analyzer(stop=["w0"])
    arrays = [built(chosen, texts, analyzer).arrays for chosen in WAYS]
    assert list(arrays[0]) == list(arrays[1])
    for name, values in arrays[0].items():
        assert np.asarray(values).dtype == np.asarray(arrays[1][name]).dtype, name
        np.testing.assert_array_equal(values, arrays[1][name], err_msg=name)
    index = Index(analyzer, arrays[0])
    expected = [places(text, analyzer) for text in texts]
    listed = [
        place
        for number, term in enumerate(index.terms)
        for doc in index.postings(term).docs
        for place in expected[doc][term]
    ]
    for chosen in WAYS:
        with way(chosen):
            assert blocks_of(index).decoded()[1].tolist() == listed
    sample = sorted({0, n_documents // 2, n_documents - 1})
    for doc in sample:
        for term in list(index.terms)[:50]:
            assert index.positions(term, str(doc + 1)).tolist() == expected[doc].get(term, [])


@pytest.mark.parametrize("apart", [(), ("title", "text")])
def test_fields_follow_each_other_with_a_gap(apart):
    fields = {"title": "the cat", "text": "a dog and a cat"}
    index = built("plain", [Document("d", JoinedText.joined(fields.values()), "the cat", fields)], fields=apart)
    positions = [index.positions(term, "d").tolist() for term in ("the", "cat", "dog", "and")]
    assert positions == [[0], [1, 104], [102], [103]]
    if apart:  # the first positions are those in the first field
        assert index.fields.tf("title", 0, 4).tolist() == [0, 1, 0, 1]


def test_the_bits_are_those_of_the_description():
    index = built("plain", ["dog cat dog", "", "cat a1 a2 a3 a4 cat"])
    blocks = blocks_of(index)
    # Document 1 has places up to 2, in two bits, document 3 up to 5, in three. First a1 to a4, at 1 to 4 of document 3.
    # Then cat: 1 in document 1, and 0 and 5 (a gap of 4) in document 3. Then dog: 0 and 2, as 0 and 1 in one bit each.
    bits = "100" + "010" + "110" + "001" + "10" + "000" + "001" + "0" + "1"
    assert int(blocks.words[0]) == int(bits[::-1], 2)
    assert index.arrays["position_bits"].tolist() == [3, 1]


def test_holes_are_stored_only_if_there_are_some(tmp_path):
    built("plain", ["the cat", "cat the"]).save(tmp_path / "all")
    built("plain", ["the cat", "cat the"], Analyzer(stop=["the"])).save(tmp_path / "some")
    sizes = {name: np.load(next((tmp_path / name).glob("holes-*"))).tolist() for name in ("all", "some")}
    assert sizes == {"all": [], "some": [1, 0]}
    assert check_index(tmp_path / "all") == check_index(tmp_path / "some") == []


def test_without_positions_nothing_is_stored(tmp_path):
    index = Index.build(["the cat"])
    index.save(tmp_path)
    assert not [name for name in index_files(tmp_path) if name.startswith(("position", "hole"))]
    assert index.position_blocks is None
    message = "this index has no positions; build it again with them: Index.build(…, positions=True)"
    with pytest.raises(ArgumentError, match=re.escape(message)):
        index.positions("cat", "1")


def test_n_grams_have_no_positions():
    for analyzer in (Analyzer(ngrams=(1, 2)), Analyzer(char_ngrams=(3, 3))):
        with pytest.raises(ArgumentError) as error:
            Index.build(["the cat"], analyzer, positions=True)
        assert str(error.value) == (
            f"positions are places of words, and the analyzer {analyzer} makes n-grams; build the index without "
            "positions, or with an analyzer without n-grams"
        )


def test_an_unknown_term_has_no_positions_and_an_unknown_document_is_refused():
    index = Index.build(["the cat", "dog"], positions=True)
    assert [index.positions(term, "1").tolist() for term in ("zebra", "dog")] == [[], []]
    with pytest.raises(ArgumentError, match="the index has no document '7'"):
        index.positions("cat", "7")


@pytest.mark.system
@pytest.mark.parametrize("chosen", WAYS)
@given(st.data())
@settings(max_examples=often(100), deadline=None)
def test_forged_arrays_end_in_a_sentence_or_in_positions_within_bounds(chosen, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    texts = [" ".join(f"w{word}" for word in rng.geometric(0.1, 30)) for _ in range(2 * GROUP)]
    index = Index.build(texts, Analyzer(stop=["w1"]), positions=True)
    arrays = {name: np.array(index.arrays[name]) for name in index.arrays}
    forged = data.draw(st.sampled_from(["positions", "positions_offsets", "position_bits", "holes", "dl"]))
    values = arrays[forged]
    how = data.draw(st.sampled_from(["one", "all", "zero", "highest", "cut", "grown"]))
    if how in ("cut", "grown"):
        arrays[forged] = values[:-1] if how == "cut" else np.append(values, values[-1:])
    else:
        chosen_places = slice(None) if how != "one" else data.draw(st.integers(0, values.size - 1))
        high = int(np.iinfo(values.dtype).max)
        values[chosen_places] = {"zero": 0, "highest": high}.get(how, rng.integers(0, high, dtype=values.dtype))
    if arrays["holes"].size != arrays["dl"].size:
        return  # which opening refuses
    with way(chosen):
        other = Index(index.analyzer, arrays)
        try:
            found = blocks_of(other).decoded()[1]
        except StorageError:
            return
        ends = np.cumsum(other.tf())
        for doc, each in zip(other.docs(), np.split(found, ends[:-1]), strict=True):
            assert (np.diff(each) > 0).all()
            assert 0 <= each[0] <= each[-1] < other.dl[doc] + arrays["holes"][doc]


CONTRADICTION = "the index is damaged: its positions contradict its postings; build it again"


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("positions", lambda values: values ^ np.uint64([0b11 << 5, 0]), "its positions put two terms in one place"),
        ("positions", lambda values: np.append(values, values[-1:]), "its positions do not end with the last block"),
        ("positions", lambda values: values ^ np.uint64([0b100 << 1, 0]), CONTRADICTION),
        ("positions_offsets", lambda values: np.add(values, [0, 1]), CONTRADICTION),
        ("positions_offsets", lambda values: values * -1, CONTRADICTION),
        ("positions_offsets", lambda values: values * (1 << 40), CONTRADICTION),
        ("position_bits", lambda values: values - 1, CONTRADICTION),
        ("position_bits", lambda values: values + 40, CONTRADICTION),
        ("position_bits", lambda values: values[1:], CONTRADICTION),
        ("holes", lambda values: np.add(values, [0, 4, 0]), "its holes do not fit its positions"),
        ("holes", lambda values: np.add(values, [0, 40, 0]), CONTRADICTION),
        ("holes", lambda values: np.subtract(values, [0, 4, 0]), CONTRADICTION),
        ("holes", lambda values: np.subtract(values, [0, 400, 0]), CONTRADICTION),
    ],
)
def test_what_contradicts_itself_is_refused_in_a_sentence(name, change, problem):
    arrays = dict(Index.build(["cat", "the " * 9 + "dog dog cat", ""], Analyzer(stop=["the"]), positions=True).arrays)
    assert content_problem(arrays) == ""
    arrays[name] = change(arrays[name]).astype(arrays[name].dtype)
    for chosen in WAYS:
        with way(chosen):
            try:
                assert content_problem(arrays) == problem
            except StorageError as error:
                assert str(error) == problem  # noqa: PT017


def test_sparse_positions_are_checked_without_a_byte_for_each_place():
    arrays = dict(Index.build(["the " * 99 + "cat dog dog"], Analyzer(stop=["the"]), positions=True).arrays)
    assert content_problem(arrays) == ""
    arrays["positions"] = arrays["positions"] ^ np.uint64([99 ^ 100, 0])  # the first gap, that of cat
    assert content_problem(arrays) == "its positions put two terms in one place"


@pytest.mark.system
@pytest.mark.parametrize("path", ["plain", "compiled"])
def test_some_documents_of_a_term(monkeypatch, path):
    """The positions of a term in any of its documents are those of each posting alone."""
    monkeypatch.setenv("TOYSEARCH_PATH", path)
    texts = [
        " ".join(f"w{number % step}" for step in (2, 3, 700) for number in range(start % 40)) for start in range(3000)
    ]
    index = Index.build(texts, positions=True)
    random = np.random.default_rng(7)
    for term in range(0, len(index.terms), 37):
        every = index.blocks.of_terms(np.array([term])).docs
        docs = np.sort(random.choice(every, random.integers(1, min(len(every), 300) + 1), replace=False))
        expected = [index.positions(index.term(term), index.doc_ids[doc]) for doc in docs.tolist()]
        for lists in (index.position_blocks, blocks_of(index)):
            tf, positions = lists.of_term(term, docs)
            assert tf.tolist() == [len(each) for each in expected]
            assert positions.tolist() == np.concatenate(expected).tolist()
    for lists in (index.position_blocks, blocks_of(index)):
        tf, positions = lists.of_term(0, np.empty(0, np.int64))
        assert (len(tf), len(positions)) == (0, 0)
