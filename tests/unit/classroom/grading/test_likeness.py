"""Like code: what winnowing promises holds, names and numbers do not matter, what everybody has is not reported."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.classroom.exercise import lesson
from toysearch.classroom.grading.likeness import GRAM, WINDOW, fingerprints, like_pairs, tokens_of
from toysearch.classroom.notebook import blank_notebook, code_cells

BLANK = code_cells(blank_notebook(lesson(5)))
OWN = """def measures(returned, relevant):
    hits = 0
    for name in returned:
        if name in relevant:
            hits += 1
    P = hits / max(1, len(returned))
    R = hits / max(1, len(relevant))
    return {"P": P, "R": R, "F": 0 if hits == 0 else 2 / (1 / P + 1 / R)}
"""
COPIED = (
    OWN.replace("hits", "n")
    .replace("returned", "liste")
    .replace("name", "x  # mine")
    .replace(" in liste:", " in liste:")
)
OTHER = """def measures(returned, relevant):
    both = set(returned) & set(relevant)
    values = [len(both) / len(part) if part else 0.0 for part in (returned, relevant)]
    top, bottom = 2 * values[0] * values[1], sum(values)
    return dict(P=values[0], R=values[1], F=top / bottom if bottom else 0.0)
"""
tokens = st.lists(st.sampled_from("abc"), max_size=60)


@given(tokens, tokens, tokens, tokens, st.lists(st.sampled_from("abcdefgh"), min_size=19, max_size=30))
def test_a_common_passage_of_the_promised_length_is_found(a, b, c, d, passage):
    assert len(passage) >= GRAM + WINDOW - 1
    assert fingerprints([*a, *passage, *b]) & fingerprints([*c, *passage, *d])


@given(st.lists(st.sampled_from("abcdefgh"), max_size=40), st.lists(st.sampled_from("abcdefgh"), max_size=40))
def test_without_a_common_gram_nothing_is_found(first, second):
    grams = [{tuple(of[place : place + GRAM]) for place in range(len(of) - GRAM + 1)} for of in (first, second)]
    if not grams[0] & grams[1]:
        assert not fingerprints(first) & fingerprints(second)


def test_names_numbers_comments_and_layout_do_not_matter():
    first, second = (
        [token.kind for token in tokens_of([code])]
        for code in ("total = f(3.5, 'a')  # sum\n", 'x   =  len(\n  12,\n  "text",\n)'.replace(",\n)", ")"))
    )
    assert first == second == ["name", "=", "name", "(", "number", ",", "text", ")"]
    assert [token.kind for token in tokens_of(["if x: (", "y"])][-1] == "name"  # an open bracket ends with its cell


def test_a_copy_with_other_names_is_shown_beside_its_source():
    assert COPIED != OWN
    notebooks = [[*BLANK, OWN], [*BLANK, OTHER], [*BLANK, COPIED.replace("  # mine", "")], BLANK]
    (pair,) = like_pairs(notebooks, BLANK)
    assert (pair.first, pair.second, pair.share) == (0, 2, 1.0)
    assert pair.passages[0].first == OWN.rstrip("\n")
    assert pair.passages[0].second == COPIED.replace("  # mine", "").rstrip("\n")


def test_what_is_provided_or_what_many_have_is_not_reported():
    assert like_pairs([BLANK] * 3, BLANK) == []
    assert like_pairs([[OWN]] * 5, BLANK) == []
    assert len(like_pairs([[OWN]] * 4, BLANK)) == 6
    crowd = [[OWN]] * 5 + [[OTHER]] * 95
    assert [(pair.first, pair.second) for pair in like_pairs(crowd, BLANK)][:2] == [(0, 1), (0, 2)]


def test_one_short_cell_in_common_is_no_likeness_of_long_notebooks():
    draw = Random(1)
    mine, theirs = (
        [*("a" + "".join(f" {draw.choice('+-*/%&|^<>')} a" for _ in range(80)) for _ in range(40)), whose]
        for whose in (OWN, COPIED)
    )
    [pair] = like_pairs([[OWN], [COPIED]])
    assert pair.shared >= 3
    assert like_pairs([mine, theirs]) == []


@pytest.mark.parametrize("code", ["", "(" * 5_000, "\x00\ud800", "x" * 10**5, "'''", "\t  x\n y", "é = 1\nß = é"])
def test_any_text_is_code(code):
    assert like_pairs([[code], [code]]) == []
