"""BM25F: by hand, against plain loops over the fields, and where it must equal BM25."""

import math
from collections import Counter

import numpy as np
import pytest
from captured_notes import noted
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import MODELS, Analyzer, Document, Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.models.bm25 import bm25f, widened

analyze = Analyzer(tokens=r"\w+")
TEXTS = st.lists(st.tuples(*[st.text("ab cd", max_size=12)] * 2), min_size=1, max_size=6)


def documents_of(texts):
    return [Document(str(n), f"{one} {two}", "", {"A": one, "B": two}) for n, (one, two) in enumerate(texts)]


def scores(index, model, query="a b cd"):
    return {hit.doc_id: hit.score for hit in Searcher(index, model).search(query, k=None)}


@given(TEXTS, st.floats(0, 3), st.floats(0, 3), st.floats(0, 1), st.floats(0, 1), st.floats(0, 2))
def test_against_plain_loops(texts, weight_a, weight_b, b_a, b_b, k1):
    index = Index.build(documents_of(texts), analyze, fields=("A", "B"))
    model = bm25f(A=weight_a, B=weight_b).bind(b_A=b_a, b_B=b_b, k1=k1)
    tokens = [[analyze(text) for text in pair] for pair in texts]
    average = [sum(len(pair[side]) for pair in tokens) / len(tokens) for side in (0, 1)]
    expected = {}
    for number, pair in enumerate(tokens):
        total, held = 0.0, False
        for term in ("a", "b", "cd"):
            df = sum(term in one + two for one, two in tokens)
            tf = 0.0
            for side, weight, b in ((0, weight_a, b_a), (1, weight_b, b_b)):
                count = Counter(pair[side])[term]
                if count:
                    held = True
                    tf += weight * count / (1 - b + b * len(pair[side]) / average[side])
            if tf:
                total += math.log(1 + (len(tokens) - df + 0.5) / (df + 0.5)) * tf / (k1 + tf)
        if held:
            expected[str(number)] = total
    assert scores(index, model) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["T", "N", "df", "dl", "tf", "avgdl", "class", "given", "name", "query", "check"])
@pytest.mark.parametrize("weight", [2, 0.5])
def test_a_field_may_be_called_like_a_statistic(name, weight):
    """T is the title of a SMART collection, and the number of tokens of any."""
    texts = [("cat food", "the cat"), ("dog", "dog food"), ("", "cat cat food")]
    index = Index.build(documents_of(texts), fields=("A", "B"))
    named = Index.build(
        [Document(str(n), "", "", {name: a, "B": b}) for n, (a, b) in enumerate(texts)], fields=(name, "B")
    )
    expected = scores(index, f"bm25f:A={weight},B=1,b_A=0.3", "cat food")
    assert scores(named, f"bm25f:{name}={weight},B=1,b_{name}=0.3", "cat food") == expected
    assert str(toysearch.model(f"bm25f:{name}={weight}")) == f"bm25f:{name}={weight}"


def test_the_index_must_count_fields_apart():
    with pytest.raises(ArgumentError) as caught:
        Searcher(Index.build(["a cat"]), "bm25f")
    assert str(caught.value) == (
        "this index counts all fields together and cannot separate 'title'; build it again with "
        "separate fields: Index.build(…, fields=…)"
    )
    with pytest.raises(ArgumentError) as caught:
        Searcher(Index.build(documents_of([("cat", "dog")]), fields=("A", "B")), "bm25f:A=1,C=2")
    assert str(caught.value) == (
        "unknown field 'C'. Fields: A, B; an example for this index: bm25f:A=1,B=1; other fields are searched if "
        "they are named: load(…, fields=…)"
    )


def test_a_function_of_ones_own_may_name_fields():
    @toysearch.model
    def titles_first(tf_title, tf, dl_title, avgdl_title):
        return 10 * tf_title / (dl_title / avgdl_title + 1) + tf

    documents = [Document("1", "", "", {"title": "cat", "text": "cat"}), Document("2", "", "", {"text": "cat cat"})]
    index = Index.build(documents, fields=("title", "text"))
    assert scores(index, titles_first, "cat") == {"1": pytest.approx(10 / 3 + 2), "2": 2.0}
    assert titles_first.weight(tf_title=1, tf=2, dl_title=1, avgdl_title=0.5) == pytest.approx(10 / 3 + 2)


PRODUCTS = [
    Document("1", "", "", {"title": "red shoe", "text": "for running", "brand": "acme"}),
    Document("2", "", "", {"title": "acme hat", "text": "a hat", "brand": "zeta"}),
]
NAMELESS = (
    "bm25f over {} leaves out the {}, and documents that match only there score 0; add {} "
    "(a weight of 0 leaves a field out without this note)"
)


def notes(model, fields=("title", "text", "brand")):
    index = Index.build(PRODUCTS, fields=fields)
    with noted() as sentences:
        Searcher(index, model)
    return sentences


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("bm25f:brand=1", ("brand", "fields title and text", "title=2,text=1")),
        ("bm25f:brand=1,title=3", ("brand and title", "field text", "text=1")),
        ("bm25f", ("title and text", "field brand", "title=2,text=1,brand=1")),
        ("bm25f:title=3", ("title and text", "field brand", "text=1,brand=1")),
        ("bm25f:brand=1 + 0.1*bm25f:title=1,brand=2", ("brand and title", "field text", "text=1")),
    ],
)
def test_a_note_names_the_fields_that_are_left_out(model, words):
    assert notes(model) == [NAMELESS.format(*words)]


@pytest.mark.parametrize(
    "model", ["bm25", "bm25f:title=2,text=1,brand=1", "bm25f:brand=1,title=0,text=0", "0.5*bm25 + 0.5*bm25f:brand=1"]
)
def test_there_is_no_note_where_every_field_is_named_or_searched(model):
    assert notes(model) == []


def test_a_name_that_python_cannot_write_is_noted_as_it_is_typed():
    index = Index.build([Document("1", "", "", {"head-line": "cat", "brand": "dog"})], fields=("head-line", "brand"))
    with pytest.warns(toysearch.ToysearchNote, match="leaves out the field head_line, .* add head_line=1 "):
        Searcher(index, "bm25f:brand=1")


@given(TEXTS, st.floats(0, 3), st.floats(0, 1))
def test_a_widened_model_scores_alike(texts, weight, b):
    index = Index.build(documents_of(texts), analyze, fields=("A", "B"))
    model = bm25f(A=weight).bind(b_A=b, k1=2)
    wide = widened(model, ["A", "B"])
    assert wide.parameters["B"] == 0
    assert scores(index, wide) == scores(index, model)


# Lengths as Lucene keeps them, in a byte


MOST = 2**31 - 1


def coded(number: int) -> int:
    """SmallFloat.longToInt4: three bits after the leading one, and an exponent."""
    shift = number.bit_length() - 4
    return number if shift < 0 else (number >> shift) & 7 | (shift + 1) << 3


def decoded(code: int) -> int:
    """SmallFloat.int4ToLong."""
    bits, shift = code & 7, (code >> 3) - 1
    return bits if shift < 0 else (bits | 8) << shift


def of_lucene(length: int) -> int:
    """SmallFloat.byte4ToInt(SmallFloat.intToByte4(length))."""
    free = 255 - coded(MOST)
    return length if length < free else free + decoded(coded(length - free))


def weights(name: str, lengths: list[int]) -> np.ndarray:
    """The weights of a term in documents of these lengths."""
    return MODELS[name].weight(tf=3, dl=lengths, df=5, N=1000, avgdl=7654.321)


def test_weights_are_those_of_the_lengths_of_lucene_to_the_last_bit():
    kept = sorted({of_lucene(2**power + step * 2**power // 64) for power in range(31) for step in range(64)})
    edges = {length + change for length in kept for change in (-1, 0, 1)}
    drawn = np.random.default_rng(0).integers(0, MOST, 20_000).tolist()
    lengths = [*range(20_000), *edges, *drawn, MOST]
    lengths = [length for length in lengths if 0 <= length <= MOST]
    assert len({*map(of_lucene, lengths)}) == 256
    expected = weights("bm25", list(map(of_lucene, lengths)))
    assert weights("bm25-lucene", lengths).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("length", "kept"), [(39, 39), (40, 40), (41, 40), (42, 42), (100, 96), (150, 144)])
def test_lengths_that_are_known(length, kept):
    assert of_lucene(length) == kept
    assert weights("bm25-lucene", [length]) == weights("bm25", [kept])
