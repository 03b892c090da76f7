"""Terms looked up by both forms of the loops, compared with what the whole index tells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_forms import both_forms

from toysearch.index import posting_blocks
from toysearch.index.letter_sets import set_of
from toysearch.index.posting_blocks import packed, starts_of_groups
from toysearch.index.postings import Counts
from toysearch.index.strings import Strings
from toysearch.retrieval.fuzzy_and_wildcard_terms import strings_within

FORMS = both_forms("term_lookup")
GROUP = 4  # terms
N = 2_000  # documents

form = pytest.fixture(params=FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")(
    lambda request: request.param
)


@pytest.fixture(scope="module")
def arrays() -> dict[str, np.ndarray]:
    """Packed postings of 23 terms, some in very many documents, some very often in one."""
    rng = np.random.default_rng(3)
    df = np.append([1, 128, 129, 256, 300, 1_999], rng.integers(1, 500, 17))
    docs = np.concatenate([np.sort(rng.permutation(N)[:n]) for n in df])
    tf = np.where(rng.random(docs.size) < 0.01, rng.integers(250, 900, docs.size), rng.integers(1, 9, docs.size))
    offsets, dl = np.append(0, np.cumsum(df)), rng.integers(1, 400, N)
    return {"offsets": offsets, **packed(docs, Counts.of(tf), offsets, dl)}


def groups_of(arrays) -> np.ndarray:
    """What comes before each group of a few terms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posting_blocks, "GROUP", GROUP)
        return starts_of_groups(arrays["offsets"], arrays["gap_bits"], arrays["highest_tf"])


def term_blocks(form, arrays, **changed):
    """The terms of these arrays, of which some are other ones."""
    every = {"df": np.diff(arrays["offsets"]), **arrays, **changed}
    df, highest_tf = (Counts.of(every[name]) for name in ("df", "highest_tf"))
    columns = [every[name] for name in ("gap_bits", "last_docs", "least_dl", "postings")]
    return form.TermBlocks(
        changed["groups"] if "groups" in changed else groups_of(arrays),
        GROUP,
        form.NumberColumn(df.small, df.large),
        form.NumberColumn(highest_tf.small, highest_tf.large),
        columns,
        N,
    )


def blocks_of(form, lookup, terms) -> tuple[list[int], list[int], list[np.ndarray]] | None:
    """For terms, the ends of their blocks and their highest frequencies, and all these blocks; None if damaged."""
    blocks, ends, highest = form.Blocks(999), [0], []
    for term in terms.tolist():
        n = lookup.count(term, 1)
        most = lookup.add(blocks, term, 1) if n > 0 else -2
        if most < 0:
            return None
        ends.append(ends[-1] + n)
        highest.append(most)
    assert blocks.n == ends[-1]
    return ends, highest, [column[: blocks.n] for column in blocks.arrays]


@pytest.mark.parametrize("least", [np.int32, np.uint8])
def test_the_blocks_of_terms_are_those_of_the_whole(form, arrays, least):
    least_dl = np.minimum(arrays["least_dl"], 255).astype(least)
    lookup = term_blocks(form, arrays, least_dl=least_dl)
    df = np.diff(arrays["offsets"])
    first = np.append(0, np.cumsum((df + 127) // 128))
    for terms in (np.array([22, 0, 5, 5, 3]), np.arange(23), np.empty(0, np.int64)):
        ends, highest, columns = blocks_of(form, lookup, terms)
        assert lookup.df_of(terms).tolist() == df[terms].tolist()
        own = [range(first[term], first[term + 1]) for term in terms]
        assert np.diff(ends).tolist() == [*map(len, own)]
        assert highest == [int(arrays["highest_tf"][each].max()) for each in own]
        blocks = np.concatenate([np.empty(0, np.int64), *own]).astype(np.int64)
        counts = np.array([128 if block + 1 not in first else 0 for block in blocks.tolist()])
        last = np.flatnonzero(counts == 0)
        counts[last] = (df[terms] - 1) % 128 + 1
        expected = [counts, arrays["gap_bits"][blocks], arrays["highest_tf"][blocks], arrays["last_docs"][blocks]]
        assert [columns[place].tolist() for place in (0, 4, 5, 6)] == [column.tolist() for column in expected]
        assert columns[7].tolist() == least_dl[blocks].tolist()
        assert columns[3].tolist() == [int(tf - 1).bit_length() for tf in arrays["highest_tf"][blocks]]


@pytest.mark.parametrize("group", [1, 3, 8])
def test_the_blocks_before_a_term_in_its_group_are_added_too(form, arrays, group):
    lookup, every = term_blocks(form, arrays), form.Blocks(99)
    for term in range(23):
        lookup.add(every, term, 1)
    first = np.append(0, np.cumsum((np.diff(arrays["offsets"]) + 127) // 128))
    for term in range(23):
        start, blocks = first[term] // group * group, form.Blocks(99)
        assert lookup.count(term, group) == first[term + 1] - start
        assert lookup.add(blocks, term, group) == arrays["highest_tf"][first[term] : first[term + 1]].max()
        assert blocks.n == first[term + 1] - start
        for column, whole in zip(blocks.arrays, every.arrays, strict=True):
            assert column[: blocks.n].tolist() == whole[start : first[term + 1]].tolist()


def test_blocks_for_which_there_is_no_room_are_refused(form, arrays):
    lookup = term_blocks(form, arrays)
    blocks = form.Blocks(lookup.count(5, 1) - 1)
    with pytest.raises(ValueError, match="no room for these blocks"):
        lookup.add(blocks, 5, 1)
    assert blocks.n == 0


@pytest.mark.parametrize(
    ("column", "place", "value"),
    [
        ("df", 1, 0),
        ("df", 1, N + 1),
        ("df", 2, 128),
        ("gap_bits", 2, 33),
        ("gap_bits", 2, 1),
        ("highest_tf", 2, 0),
        ("highest_tf", 2, 4_000),
        ("last_docs", 1, N),
        ("last_docs", 1, -1),
    ],
)
def test_columns_that_contradict_each_other_are_refused(form, arrays, column, place, value):
    changed = {"df": np.diff(arrays["offsets"]), **arrays}[column].copy()
    changed[place] = value
    assert blocks_of(form, term_blocks(form, arrays, **{column: changed}), np.array([0, 1, 2])) is None


@given(column=st.integers(0, 4), row=st.integers(0, 6), value=st.integers(-(1 << 40), 1 << 40))
@pytest.mark.parametrize("which", FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")
def test_forged_groups_are_refused_or_lie_inside_the_columns(which, arrays, column, row, value):
    groups = groups_of(arrays)
    differs = value != groups[row, column]
    groups[row, column] = value
    found = blocks_of(which, term_blocks(which, arrays, groups=groups), np.arange(23))
    assert (found is None) == differs


def test_large_numbers_that_do_not_fit_are_refused(form, arrays):
    lookup = term_blocks(form, arrays, df=np.where(np.arange(23) == 4, 254, np.diff(arrays["offsets"])))
    assert blocks_of(form, lookup, np.array([5])) is None  # it reads the large number of another term
    with pytest.raises(IndexError, match="no such term"):
        lookup.df_of(np.array([23]))


@given(words=st.sets(st.text(max_size=9)), others=st.lists(st.text(max_size=9)))
@pytest.mark.parametrize("which", FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")
def test_strings_are_found_and_taken(which, words, others):
    words = {word for word in words if word.isprintable()}
    ordered = sorted(words, key=lambda word: word.encode(errors="surrogatepass"))
    strings = Strings.of(ordered)
    table = which.StringTable(strings.blob, np.asarray(strings.offsets, np.int64))
    for word in [*ordered, *others]:
        raw = word.encode(errors="surrogatepass")
        assert table.find(raw) == (ordered.index(word) if word in words else -1)
    expected = [ordered.index(word) if word in words else -1 for word in [*ordered, *others]]
    known = {}
    assert table.positions([*ordered, *others], known) == expected
    assert known == dict(zip(ordered, range(len(ordered)), strict=True))
    assert table.positions(["other"], {"other": 7}) == [7]
    places = np.array([*range(len(ordered)), *reversed(range(len(ordered)))], np.int64)
    assert table.take(places) == [ordered[place] for place in places]


def test_strings_outside_the_array_are_refused(form):
    table = form.StringTable(np.frombuffer(b"catdog", np.uint8), np.array([0, 3, 9]))
    assert table.take(np.array([0])) == ["cat"]
    for place in (-1, 1, 2):
        with pytest.raises(IndexError, match=r"no such string|outside its array"):
            table.take(np.array([place]))
    with pytest.raises(IndexError, match="outside its array"):
        table.find(b"dog")
    with pytest.raises(UnicodeDecodeError):
        form.StringTable(np.array([0xC3], np.uint8), np.array([0, 1])).take(np.array([0]))


@pytest.mark.parametrize("stop", [-1, 4, -(1 << 63), (1 << 63) - 1])
@pytest.mark.parametrize("start", [1, -1, (1 << 63) - 1])
def test_offsets_that_lead_outside_are_refused_without_arithmetic(form, start, stop):
    table = form.StringTable(np.frombuffer(b"cat", np.uint8), np.array([start, stop]))
    with pytest.raises(IndexError, match="a string is outside its array"):
        table.take(np.array([0]))
    with pytest.raises(IndexError, match="a string is outside its array"):
        table.find(b"cat")


def test_places_may_be_any_array_of_whole_numbers(form):
    table = form.StringTable(np.frombuffer(b"catdog", np.uint8), np.array([0, 3, 6]))
    assert table.take(np.arange(2)[::-1]) == table.take(np.array([1, 0], np.int32)) == ["dog", "cat"]


LETTERS = st.text("abcé日\U0001f415", max_size=7)


@given(words=st.sets(LETTERS), word=LETTERS, edits=st.integers(0, 2), ending=st.integers(0, 3))
@pytest.mark.parametrize("which", FORMS, ids=lambda module: "python" if module.__file__.endswith(".py") else "compiled")
def test_the_strings_near_a_word_are_those_of_numpy(which, words, word, edits, ending):
    strings = Strings.of([*words])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOYSEARCH_PATH", "plain")
        expected = strings_within(strings, word, edits, ending)
    sets = int(set_of(word)), int(set_of(word[: max(len(word) - ending, 0)]))
    near = which.NearStrings(strings.text, strings.offsets, *strings.letters).near(word, edits, ending, sets)
    assert sorted(zip(*near, strict=True)) == [*zip(*map(np.ndarray.tolist, expected), strict=True)]


def test_words_that_are_too_long_and_columns_that_do_not_fit_are_refused(form):
    strings = Strings.of(["cat"])
    near = form.NearStrings(strings.text, strings.offsets, *strings.letters)
    for word, edits in (("a" * 63, 1), ("cat", 3), ("cat", -1)):
        with pytest.raises(ValueError, match="too long"):
            near.near(word, edits, 0, (0, 0))
    assert near.near("cat" + 59 * "x", 2, 59, ((1 << 64) - 1, 0)) == ([0], [0])
    with pytest.raises(ValueError, match="not of one length"):
        form.NearStrings(strings.text, np.array([0, 3, 3]), *strings.letters)


@pytest.mark.parametrize("offset", [-9, 2, 7, (1 << 63) - 1, -(1 << 63)])
def test_strings_are_compared_inside_their_bytes(form, offset):
    sets, lengths = np.full(1, (1 << 64) - 1, np.uint64), np.full(1, 3, np.int32)
    for text in (b"\xf0", b"", b"catcat"):
        near = form.NearStrings(np.frombuffer(text, np.uint8), np.array([offset, 0]), sets, lengths)
        assert near.near("ca", 2, 0, ((1 << 64) - 1, 0)) in (([], []), ([0], [1]), ([0], [2]))
