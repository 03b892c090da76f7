"""A student's numbers: the same everywhere, and spread over what there is."""

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base.errors import ArgumentError
from toysearch.classroom.answers import function, whole
from toysearch.classroom.exercise import ANYONE, Draw, Exercise, Given, checked_name, seed


def test_what_is_drawn_is_fixed_for_good():
    """If these change, so do the numbers of every student."""
    source = random.Random(int.from_bytes(hashlib.sha256(b"grace\n2.3").digest()))
    draw = Draw("grace", "2.3")
    assert draw.number(0, 1, 12) == round(source.random(), 12)
    whole = [draw.whole(1, 100) for _ in range(5)]
    assert whole == [1 + int(100 * source.random()) for _ in range(5)] == [67, 57, 79, 47, 69]
    letters = list("abcdef")
    assert draw.shuffled("abcdef") == [letters.pop(int(source.random() * size)) for size in range(6, 0, -1)]


@given(st.text(), st.integers(-5, 5), st.integers(0, 10))
def test_what_is_drawn_lies_where_it_should(name, low, more):
    draw = Draw(name)
    assert low <= draw.whole(low, low + more) <= low + more
    assert low <= draw.number(low, low + more, 3) <= low + more
    among = list(range(more + 1))
    assert draw.one(among) in among
    assert sorted(draw.shuffled(among)) == among
    assert len(set(draw.some(among, more))) == more


def test_neither_capitals_nor_blanks_decide_the_numbers():
    assert seed(" Ada  LOVELACE\n") == seed("ada lovelace") == "ada lovelace"
    assert seed("ﬁona") == seed("FIONA") == seed("Ｆiona")
    assert checked_name("  Ada  L. ") == "Ada L."
    assert checked_name(None) == checked_name("  ") == ANYONE
    with pytest.raises(ArgumentError, match='a student\'s name is a text such as student="ada", not int'):
        checked_name(3)


def test_what_coincides_is_drawn_again():
    exercise = Exercise(
        number="1.1",
        title="t",
        given=lambda draw: {"n": draw.whole(1, 4)},
        answer=whole(),
        expected=lambda given: given.n * 2,
        mistakes={"a.": lambda given: given.n + 2, "b.": lambda given: given.n**2 + 1},
    )
    drawn = {exercise.case(f"student {n}").given.n for n in range(60)}
    assert drawn == {3, 4}  # at 2 the first mistake is right; at 1 the second is


def test_arguments_of_the_right_answer_make_a_wrong_one():
    exercise = Exercise(
        number="1.1",
        title="t",
        answer=whole(),
        expected=lambda given, by=2: given.n * by,
        mistakes={"you doubled it twice.": {"by": 4}, "off.": [{"by": 1}, lambda given: 7]},
    )
    wrong = [(mistake.answer(Given(n=3)), mistake.sentence) for mistake in exercise.wrong_answers()]
    assert wrong == [(12, "you doubled it twice."), (3, "off."), (7, "off.")]


@pytest.mark.parametrize("salt", ["", "winter"])
def test_inputs_under_which_a_mistake_would_pass_are_drawn_again(salt):
    exercise = Exercise(
        number="1.1",
        title="t",
        inputs=lambda draw, given: [(draw.whole(1, 3),)],
        answer=function(whole(), "f(x)"),
        expected=lambda given: lambda x: 2 * x,
        mistakes={"a.": lambda given: lambda x: x * x},
    )
    assert {exercise.case(f"student {n}", salt).inputs[0][0] for n in range(40)} == {1, 3}  # 2 · 2 is 2²


def test_a_graders_inputs_are_others_and_what_is_given_is_the_same():
    exercise = Exercise(
        number="1.1",
        title="t",
        given=lambda draw: {"n": draw.whole(1, 10**6)},
        inputs=lambda draw, given: [(draw.whole(1, 10**6), given.n)],
        answer=whole(),
        expected=lambda given: given.n,
    )
    home, graded = exercise.case("ada"), exercise.case("ada", "winter")
    assert repr(home.given) == repr(graded.given)
    assert home.inputs != graded.inputs
    assert graded.inputs == exercise.case("ADA", "winter").inputs != exercise.case("ada", "summer").inputs


def test_what_is_not_given_is_told():
    assert repr(Given()) == "this exercise gives no values"
    with pytest.raises(AttributeError, match="this exercise gives no 'm'; it gives n, k"):
        _ = Given(n=1, k=2).m


def test_given_values_are_read_by_attribute_and_as_a_dict():
    given = Given(N=785, df=498)
    assert (given.N, given["N"], dict(given), {**given}) == (785, 785, {"N": 785, "df": 498}, {"N": 785, "df": 498})
    assert repr(given) == "N = 785\ndf = 498"
    with pytest.raises(AttributeError, match="this exercise gives no 'n'; it gives N, df"):
        _ = given["n"]
