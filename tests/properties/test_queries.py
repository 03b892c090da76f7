"""What must hold for any query: a tree is read again from its text, and any text ends in an answer or a sentence."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.base.rendering import display_width
from toysearch.query import syntax as q
from toysearch.query.lexer import QueryError
from toysearch.query.parser import parse

pytestmark = pytest.mark.system

SIGNS = list("""+-()[]{}"':^~*?/#\\<>&|!=.,; \t\n""")
WORDS = ["AND", "OR", "NOT", "TO", "cat", "a", "9", "0.5", "title:", "#1(", "#syn(", "#weight(", "~2", "^2", "é", "猫"]

words = st.one_of(
    st.sampled_from(["cat", "AND", "NOT", "C++", "-9", "#1", "/x/", "/x.y*/", "&&", ">5", "\\", " "]),
    st.text("ab*?:\\\"-(' ^~", min_size=1, max_size=4),
    st.text(min_size=1, max_size=4),
)
plain = st.lists(st.text("abc\"'\\*-", min_size=1, max_size=4), min_size=1, max_size=3)
patterns = st.lists(st.sampled_from(["a", "b", "-", ":", " ", "*", r"\*", r"\\", r"\a"]), max_size=3).map("".join)
numbers = st.floats(allow_nan=False, allow_infinity=False)
leaves = st.one_of(
    st.builds(q.Term, words),
    st.builds(lambda texts, slop: q.Phrase(*texts, slop=slop), plain, st.integers(0, 20)),
    st.builds(lambda texts, gap: q.Phrase(*texts, gap=gap), plain, st.integers(1, 20)),
    st.builds(lambda one, sign, two: q.Wildcard(one + sign + two), patterns, st.sampled_from("*?"), patterns),
    st.builds(q.Fuzzy, words, st.integers(1, 2)),
)


ranges = st.builds(
    q.Range, words, numbers | st.just(-math.inf), numbers | st.just(math.inf), st.booleans(), st.booleans()
)


def inner(nodes):
    several = st.lists(nodes, min_size=2, max_size=4)
    return st.one_of(
        several.map(lambda parts: q.And(*parts)),
        several.map(lambda parts: q.Or(*parts)),
        st.builds(
            lambda first, rest: q.And(first, *map(q.Optional, rest)), nodes, st.lists(nodes, min_size=1, max_size=2)
        ),
        st.builds(lambda first, last: q.And(q.Optional(first), last), nodes, nodes),
        st.builds(q.Not, nodes),
        several.filter(lambda parts: not any(isinstance(part, q.Not) for part in parts)).map(
            lambda parts: q.AtLeast(len(parts) - 1, *parts)
        ),
        st.builds(q.Field, words, nodes),
        st.builds(q.Boost, nodes, st.floats(min_value=0, exclude_min=True, allow_infinity=False)),
    )


groups = st.lists(leaves, min_size=1, max_size=3).map(lambda parts: q.Synonyms(*parts))
trees = st.recursive(leaves | ranges | groups, inner, max_leaves=8)


@settings(max_examples=often(700, 100))
@given(trees)
def test_the_text_of_a_tree_is_read_as_the_tree(tree):
    assert parse(str(tree), "strict").tree == tree


def fuzzed(seed: int, n: int) -> list[str]:
    """Texts of operators and words, and of any characters."""
    chosen = random.Random(seed)
    texts = ["".join(chosen.choices(SIGNS + WORDS * 2, k=chosen.randrange(1, 16))) for _ in range(n // 2)]
    points = [
        *range(0x20, 0x250),
        *range(0x300, 0x370),
        *range(0x2000, 0x2070),
        0x3042,
        0x1F600,
        0xD800,
        0xDFFF,
        0xE0001,
    ]
    signs = [*SIGNS, *map(chr, points)]
    return texts + ["".join(chosen.choices(signs, k=chosen.randrange(1, 12))) for _ in range(n - n // 2)]


@pytest.mark.parametrize("fields", [None, ["title"]], ids=["any field", "known fields"])
def test_a_lenient_or_plain_query_never_fails(fields):
    for text in fuzzed(1, often(4_000, 2500)):
        for mode in ("lenient", "plain"):
            tree, remarks = parse(text, mode, fields)
            assert all("\n" not in remark for remark in remarks)
            assert tree is None or parse(str(tree), "strict").tree == tree


@pytest.mark.parametrize("fields", [None, ["title"]], ids=["any field", "known fields"])
def test_a_strict_query_has_a_tree_or_is_refused_with_a_caret_inside_it(fields):
    read, refused = 0, []
    for text in fuzzed(2, often(4_000, 4000)):
        try:
            tree, remarks = parse(text, "strict", fields)
        except QueryError as error:
            refused.append((text, error))
        else:
            read += 1
            assert [remark for remark in remarks if not remark.startswith("the range")] == []
            assert tree is None or parse(str(tree), "strict").tree == tree
    for text, error in refused:
        sentence, shown, caret = str(error).split("\n")
        assert sentence.endswith(":")
        assert 0 <= error.place <= len(text)
        assert caret.strip() == "^"
        assert display_width(caret) <= display_width(shown) + 1
    assert min(read, len(refused)) > 1000
