"""What must hold for any text given as a formula: it is a model that computes as Python does, or it is refused."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.models.formula import FUNCTIONS

STATISTICS = {"tf": np.array([1.0, 2.0, 9.0]), "df": np.array([3.0, 1.0, 7.0]), "N": np.float64(20)}
TOKENS = [
    "tf",
    "df",
    "N",
    "k",
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    "**",
    ",",
    "<",
    "==",
    "2.0",
    "0.5",
    "9",
    ".",
    ":",
    "[",
    "]",
]
TOKENS += [
    "log",
    "min",
    "where",
    "lambda",
    "if",
    "=",
    ":=",
    "'",
    "\\",
    "{",
    "for",
    "in",
    "#",
    "\n",
    "1e300",
    "é",
    "%",
    "_",
]


def expressions(inner):
    """Formulas that are sound, around others that are."""
    two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map("({0[0]} {0[1]} {0[2]})".format)
    one = st.tuples(st.sampled_from(["-", "+", "log", "sqrt", "exp", "log1p", "abs"]), inner).map(
        "{0[0]}({0[1]})".format
    )
    pair = st.tuples(st.sampled_from(["min", "max"]), inner, inner).map("{0[0]}({0[1]}, {0[2]})".format)
    choice = st.tuples(inner, st.sampled_from(["<", ">=", "==", "!="]), inner, inner, inner)
    return two | one | pair | choice.map("where({0[0]} {0[1]} {0[2]}, {0[3]}, {0[4]})".format)


SOUND = st.recursive(st.sampled_from(["tf", "df", "N", "2.0", "0.5", "pi"]), expressions, max_leaves=12)


@given(text=SOUND)
def test_a_formula_computes_what_python_computes(text):
    assume(len(text) <= 1000)
    functions = {name: function for name, (_, function) in FUNCTIONS.items()}
    try:
        with np.errstate(all="ignore"):
            # The text is one of those made above.
            expected = eval(text, {"__builtins__": {}}, {**STATISTICS, **functions, "pi": np.pi})
    except (ZeroDivisionError, OverflowError, TypeError):  # of Python's own numbers, where no statistic is named
        return
    made = toysearch.formula(text)
    weights = made.weight(**{name: STATISTICS[name] for name in made.statistics})
    assume(np.isrealobj(expected))  # a negative number to a broken power is complex in Python, NaN in numpy
    np.testing.assert_array_equal(np.broadcast_to(weights, 3), np.broadcast_to(np.float64(expected), 3))
    assert toysearch.model(str(made)) == made


@given(text=st.lists(st.sampled_from(TOKENS), max_size=14).map("".join) | st.text(max_size=30))
def test_any_other_text_is_refused_in_one_sentence(text):
    values = {"k": 1.5} if "k" in text else {}
    try:
        made = toysearch.formula(text, **values)
    except ArgumentError as refusal:
        sentence = str(refusal)
        assert sentence
        assert "\n" not in sentence
        return
    assert toysearch.model(str(made)) == made


@pytest.mark.parametrize("signs", ["(", "-", "tf**", "log(", "[", "not ", "lambda:", "tf if tf else "])
def test_depth_is_refused_and_never_exhausts(signs):
    for times in (10, 49, 51, 99, 300, 10**5):
        with pytest.raises(ArgumentError):
            toysearch.formula(signs * times)
