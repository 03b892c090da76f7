"""The kinds of answers: what they take, what they tell apart, what they say of a wrong one."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.base import note
from toysearch.classroom.answers import (
    at_least,
    choice,
    computed,
    function,
    judge,
    number,
    observe,
    ordered,
    table,
    text,
    unordered,
    whole,
)
from toysearch.classroom.exercise import Case, Exercise, Given, Unusable, wrong_functions

NOTHING_GIVEN = Case(Given(), [])


def verdict(kind, right, answer, inputs=(), mistakes=MappingProxyType({})):
    exercise = Exercise(
        number="1.1",
        title="A test",
        answer=kind,
        expected=lambda given: right,
        inputs=lambda draw, given: inputs,
        mistakes=mistakes,
        hints=("Think.",),
    )
    case = Case(Given(), list(inputs))
    return judge(exercise, observe(exercise, answer, case), case)


RIGHT = [
    (number(3), 0.1234, 0.1234),
    (number(3), 0.1234, 0.123),
    (number(3), 0.1234, 0.1239),
    (number(3), 2.0, 2),
    (number(3), 2.0, np.float32(2)),
    (number(3), 2.0, np.int64(2)),
    (number(3), 0.5, np.array(0.5)),
    (number(3), 0.5, Fraction(1, 2)),
    (number(3), 0.5, Decimal("0.5")),
    (number(0), 1234.4, 1234),
    (whole(), 3, 3.0),
    (whole(), 3, np.int32(3)),
    (text(), "Cat", " cat "),
    (text(), "a cat", "A  Cat"),
    (text(exact=True), "Cat", np.str_("Cat")),
    (choice("Yes", "no"), "yes", "YES"),
    (ordered(whole()), [1, 2, 3], (1, 2, 3)),
    (ordered(number(2)), [1.0, 2.0], np.array([1.001, 2.0])),
    (ordered(text(), "tokens"), [], []),
    (unordered(text()), ["a", "b"], {"b", "a"}),
    (unordered(text()), {"a": 1, "b": 2}.keys(), ["b", "a"]),
    (unordered(number(2)), [1.0, 1.002], [1.001, 1.0]),
    (table(number(3)), {"1": 0.5}, {1: 0.5}),
    (table(whole()), {"a": 1, "b": 2}, {"b": 2, "a": np.int64(1)}),
    (table(whole()), {("a", 1): 2, 3: 4}, {np.int64(3): 4, ("a", 1): 2}),
    (computed(lambda answer, given: answer.upper(), text(exact=True), "a text"), "cat", "CAT"),
    (at_least(lambda answer, given: answer, "a number", "value"), 0.5, 0.6),
    (at_least(lambda answer, given: answer, "a number", "value"), 0.5, 0.5),
]


@pytest.mark.parametrize(("kind", "right", "answer"), RIGHT)
def test_a_right_answer_in_any_clothes(kind, right, answer):
    assert verdict(kind, right, answer).passed


TOKENS, RANKS, IDS = ordered(text(), "tokens"), ordered(whole(), "ranks"), unordered(text(), "ids")
TERMS, SHARES, LISTS = table(whole(), "terms"), table(number(3)), table(ordered(text(), "ids"), "terms")
SIZE = computed(lambda answer, given: answer.size, whole(), "an array")
BAR = at_least(lambda answer, given: answer, "a number", "mean AP")
PER_CENT = ": this is a hundred times too large: give a share between 0 and 1, not per cent."
TOO_FAR, OFF = ": this is rounded too far: give 3 decimals.", ": you are off by one."
A_LIST, A_DICT = "a list of ranks in order, each a whole number", "a dict from keys to values, each a whole number"
WRONG = [
    (number(3), 0.1234, 0.124, "."),
    (number(3), 0.1234, 0.1228, "."),
    (number(3), 0.1236, 12.36, PER_CENT),
    (number(3), 0, 0.03, "."),
    (number(2), 12.44, 1244, "."),
    (number(3), 0.1236, -0.1236, ": the sign is wrong."),
    (number(3), 0.1236, 0.12, TOO_FAR),
    (number(3), 0.1236, 0.121, "."),
    (whole(), 7, 8, OFF),
    (whole(), 7, 6, OFF),
    (whole(), 7, 9, "."),
    (text(), "cat", "dog", "."),
    (text(exact=True), "Cat", "cat", ": mind the capitals."),
    (choice("a", "b"), "a", "b", "."),
    (TOKENS, ["a", "b"], ["b", "a"], ": these are the right tokens, in the wrong order."),
    (TOKENS, ["a", "b"], ["a"], ": there should be more tokens; yours are right up to place 1."),
    (TOKENS, ["a", "b"], ["b"], ": there should be more tokens."),
    (TOKENS, ["a", "b"], ["a", "c", "b"], ": there should be fewer tokens; yours are right up to place 1."),
    (TOKENS, ["a", "b"], ["a", "c"], ": the tokens are right up to place 1, not at place 2."),
    (TOKENS, ["a", "b"], ["c", "b"], ": the first of the tokens is not right; 1 of the 2 is."),
    (TOKENS, ["a", "b"], ["c", "d"], "."),
    (IDS, ["a", "b"], ["a", "c"], ": 1 of your 2 ids should not be there; 1 is missing."),
    (IDS, ["a", "b", "c"], {"a"}, ": 2 are missing."),
    (IDS, ["a"], ["b"], ": none of your ids should be there; 1 is missing."),
    (IDS, ["a"], ["b", "c"], ": none of your ids should be there; 1 is missing."),
    (IDS, ["a", "b"], ["a", "a", "b"], ": 'a' occurs too often."),
    (IDS, ["a", "a", "b"], ["a", "c", "a"], ": 1 of your 3 ids should not be there; 1 is missing."),
    (TERMS, {"a": 1, "b": 2}, {"a": 1}, ": 1 of the terms is missing."),
    (TERMS, {"a": 1}, {"a": 1, "z": 1}, ": 'z' should not be among the terms."),
    (TERMS, {"a": 1, "b": 2}, {"a": 3, "b": 2}, ": the value of 'a' is not right."),
    (TERMS, {"a": 1, "b": 2}, {"a": 1, "b": 3}, f": the value of 'b' is not right{OFF}"),
    (SHARES, {"P": 0.1236, "R": 0.5}, {"P": 12.36, "R": 0.5}, f": the value of 'P' is not right{PER_CENT}"),
    (SHARES, {"P": 0.1236, "R": 0.5}, {"P": 0.12, "R": 0.5}, f": the value of 'P' is not right{TOO_FAR}"),
    (SHARES, {"P": 0.1236, "R": 0.5}, {"P": 0.12, "R": -0.5}, ": the value of 'P' is not right (2 are not)."),
    (TERMS, {"a": 1, "b": 2}, {"a": 2}, ": 1 of the terms is missing; the value of 'a' is not right."),
    (TERMS, {"a": 1}, {"a": 2, "z": 1}, ": 'z' should not be among the terms; the value of 'a' is not right."),
    (
        LISTS,
        {"a": ["x", "y"]},
        {"a": ["y", "x"]},
        ": the value of 'a' is not right: these are the right ids, in the wrong order.",
    ),
    (TERMS, {"a": 1, "b": 2}, {"a": 3, "b": 5}, ": the value of 'a' is not right (2 are not)."),
    (computed(lambda answer, given: len(answer), whole(), "a text"), "cat", "ca", OFF),
    (BAR, 0.5, 0.25, ": its mean AP is 0.2500, and 0.5000 is the bar."),
]


@pytest.mark.parametrize(("kind", "right", "answer", "remark"), WRONG)
def test_what_is_said_of_a_wrong_answer(kind, right, answer, remark):
    found = verdict(kind, right, answer)
    assert (found.state, found.score) == ("wrong", 0)
    assert found.sentences == (f"Not right{remark}", 'labs.hint("1.1") helps.')


REFUSED = [
    (number(1), 1.0, "1", "a number, to 1 decimal", "the text '1'"),
    (number(), 1.0, True, "a number, to 3 decimals", "True"),
    (number(), 1.0, float("nan"), "a number, to 3 decimals", "the number nan"),
    (number(), 1.0, [1.0], "a number, to 3 decimals", "a list"),
    (number(), 1.0, np.array([1.0]), "a number, to 3 decimals", "an object of type ndarray"),
    (whole(), 1, 1.5, "a whole number", "the number 1.5"),
    (whole(), 1, float("inf"), "a whole number", "the number inf"),
    (table(whole()), {"a": 1}, {"a": "0.5"}, A_DICT, "a dict with the text '0.5'"),
    (text(), "a", 3, "a text in quotation marks", "3"),
    (choice("a", "b", "c"), "a", "d", '"a", "b" or "c"', "the text 'd'"),
    (RANKS, [1], {1}, A_LIST, "a set, which has no order"),
    (ordered(text(), "ids"), ["a"], "a", "a list of ids in order, each a text in quotation marks", "the text 'a'"),
    (RANKS, [1], ["a"], A_LIST, "a list with the text 'a'"),
    (unordered(whole(), "n"), [1], {"a": 1}, "a set or a list of n in any order, each a whole number", "a dict"),
    (table(whole()), {"a": 1}, [1], A_DICT, "a list"),
    (table(whole()), {"a": 1}, {"a": "b"}, A_DICT, "a dict with the text 'b'"),
    (function(whole(), "f(x)"), len, 3, "a function f(x) that returns a whole number", "3"),
    (SIZE, np.zeros(3), 3.5, "an array", "3.5 (AttributeError: 'float' object has no attribute 'size')"),
]


@pytest.mark.parametrize(("kind", "right", "answer", "expected", "found"), REFUSED)
def test_an_answer_of_the_wrong_kind_is_told_what_was_expected(kind, right, answer, expected, found):
    told = verdict(kind, right, answer)
    assert told.state == "refused"
    assert told.sentences == (f"Expected: {expected}. Found: {found}.",)


INPUTS = [(4,), (9,), (0,)]
CALLS = [
    (lambda x: 2 * x + 3, "Not right: f(4) returns 11; right is 8."),
    (lambda x: 1 // x and 2 * x, "Not right: f(4) returns 0; right is 8."),
    (lambda x: 2 * x if x else 1 / x, "Not right: f(0) raises ZeroDivisionError: division by zero."),
    (lambda: 1, "Not right: f(4) raises TypeError: <lambda>() takes 0 positional arguments but 1 was given."),
    (lambda x: 2 * x if x else "none", "Not right: f(0) returns the text 'none'; a whole number was expected."),
    (lambda x: 2 * x or None, "Not right: f(0) returns nothing; a whole number was expected."),
    (lambda x: 2 * x + (x == 9), "Not right: f(9) returns 19: you are off by one; right is 18."),
]


@pytest.mark.parametrize(("answer", "sentence"), CALLS)
def test_a_function_is_told_the_smallest_call_that_goes_wrong(answer, sentence):
    found = verdict(function(whole(), "f(x)"), lambda x: 2 * x, answer, INPUTS)
    assert found.sentences[0] == sentence


def test_a_function_that_returns_nothing_is_not_answered_yet():
    found = verdict(function(whole(), "f(x)"), lambda x: x, print, INPUTS)
    assert found.state == "unanswered"
    assert found.sentences[1].startswith("Found: your function returns nothing;")


def test_a_function_that_changes_what_it_is_called_with_is_wrong():
    def emptying(values):
        result = sum(values)
        values.clear()
        return result

    told = verdict(function(whole(), "f(x)"), sum, emptying, [([1, 2],), ([3],)]).sentences[0]
    assert told == "Not right: f([3]) changes what it is called with, which the caller still needs; work on a copy."


def test_a_mistake_is_told_in_place_of_a_remark_and_the_first_one_counts():
    mistakes = {
        "never told.": lambda given: "of the wrong kind",
        "three.": lambda given: 3,
        "four.": lambda given: 4,
        "four again.": lambda given: 4,
    }
    assert verdict(whole(), 5, 4, mistakes=mistakes).sentences == ("Not right: four.",)
    assert verdict(whole(), 5, 6, mistakes=mistakes).sentences[0] == "Not right: you are off by one."


def test_what_is_seen_is_what_a_grader_reads_from_a_file():
    pairs = replace(whole(), look=lambda answer, case: (answer, {answer: 2}))
    exercise = Exercise(number="1.1", title="t", answer=pairs, expected=lambda given: 1)
    assert observe(exercise, 1, NOTHING_GIVEN) == {"state": "seen", "seen": [1, {"1": 2}]}


def test_a_wrong_function_is_recognised_even_where_it_fails():
    mistakes = wrong_functions({"you divided by zero.": lambda x: 10 // x})
    found = verdict(function(whole(), "f(x)"), lambda x: 2 * x, lambda y: 10 // y, INPUTS, mistakes)
    assert found.sentences == ("Not right: you divided by zero.",)


@given(st.floats(-1e3, 1e3), st.integers(0, 6))
def test_a_number_rounded_as_asked_is_right_and_one_off_by_a_unit_is_not(value, decimals):
    kind = number(decimals)
    assert kind.same(round(value, decimals), value)
    assert not kind.same(round(value, decimals) + 1.6 * 10.0**-decimals, value)


@given(st.lists(st.integers(0, 4)), st.lists(st.integers(0, 4)))
def test_an_unordered_answer_is_right_exactly_where_the_sorted_lists_are_equal(seen, right):
    kind = unordered(whole())
    assert kind.same(kind.look(seen, NOTHING_GIVEN), kind.look(right, NOTHING_GIVEN)) == (sorted(seen) == sorted(right))
    if sorted(seen) != sorted(right):
        assert kind.remark(sorted(seen), sorted(right), NOTHING_GIVEN)


def test_a_value_between_a_mistake_and_the_bar_is_not_the_mistake():
    mistakes = {"the default.": lambda given: 0.3}
    assert verdict(BAR, 0.5, 0.3, mistakes=mistakes).sentences == ("Not right: the default.",)
    said = verdict(BAR, 0.5, 0.4, mistakes=mistakes).sentences[0]
    assert said == "Not right: its mean AP is 0.4000, and 0.5000 is the bar."


@pytest.mark.parametrize(("typed", "number_typed"), [("0,95", "0.95"), (" 0.95", "0.95"), ("-1,5", "-1.5")])
def test_a_number_in_quotation_marks_is_told_how_to_write_it(typed, number_typed):
    with pytest.raises(Unusable, match=f"; write {number_typed}, without quotation marks$"):
        number(3).look(typed, Case(Given(), []))


def test_what_the_search_of_a_right_answer_notes_reaches_nobody(recwarn):
    def expected(given):
        note("did you mean ferries?")
        return 1.0

    asked = Exercise(number="1.1", title="Noisy", answer=number(1), expected=expected)
    case = asked.case("ada")
    assert judge(asked, observe(asked, 1.0, case), case).state == "right"
    assert not [one for one in recwarn if "ferries" in str(one.message)]
