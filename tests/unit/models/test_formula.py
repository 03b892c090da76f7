"""Formulas typed by hand: the numbers they give, the names they may use, and all that they must refuse."""

import math
import pickle
import time

import numpy as np
import pytest
from error_messages import raising
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Index, Searcher, formula
from toysearch.base.errors import ArgumentError, ModelError
from toysearch.models.formula import FUNCTIONS, distance, from_text

HOSTILE = [
    "",
    " ",
    "__import__('os')",
    "tf.__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "tf[0]",
    "(tf, df)",
    "{tf: df}",
    "[tf for tf in df]",
    "lambda: tf",
    "(lambda tf: tf)(tf)",
    "tf if df else N",
    "tf and df",
    "not tf",
    "1 < tf < 3",
    "tf is df",
    "~tf",
    "tf % 2",
    "tf @ df",
    "tf | df",
    "f'{tf}'",
    "'tf'",
    "1j * tf",
    "...",
    "None",
    "(tf := 3)",
    "tf = 3",
    "tf; df",
    "import os",
    "await tf",
    "log(*[tf])",
    "*tf",
    "log(tf, out=df)",
    "log()",
    "log(tf, df)",
    "where(tf)",
    "eval('tf')",
    "open('x')",
    "log.__class__(tf)",
    "(log)(tf)(df)",
    "log",
    "np.log(tf)",
    "tf tf",
    "tf +",
    "(tf",
    "tf\0",
    "tf\ndf",
    "\ud800",
    "tf +\u00a0df",
    "t\u0192",
    "\u0442f",
    "tf\u00b2",
    "\u221a(tf)",
    "1e999",
    "1" + "0" * 301,
    "9" * 990,
    "inf",
    "tf" + " + tf" * 400,
    "-" * 100_000 + "tf",
    "(" * 100_000,
    "(" * 100_000 + "tf" + ")" * 100_000,
    "(" * 60 + "tf" + ")" * 60,
    "log(" * 60 + "tf" + ")" * 60,
    "tf**" * 200 + "tf",
    "$tf",
    "tf#" * 3 + "(",
    "tf?df:N",
    "qtf",
    "__builtins__",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:24]) + f" of {len(text)}")
def test_what_is_no_formula_is_refused_at_once_in_one_sentence(text):
    started = time.process_time()
    with pytest.raises(ArgumentError) as refusal:
        formula(text)
    assert time.process_time() - started < 10  # of the processor: it takes thousandths
    sentence = str(refusal.value)
    assert 10 < len(sentence) < 500
    assert "\n" not in sentence


@pytest.mark.system
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tf.real", "'tf.real' is not allowed in a formula, which may have numbers, statistics, + - * / **, < <= > >= "
         "== !=, and log, log2, log10, log1p, exp, sqrt, abs, min, max, where, distance"),
        ("log(N/dfs)", "the formula uses an unknown name, 'dfs'; did you mean 'df'? Names: tf, df, cf, dl, distinct, "
         "max_tf, bytes, N, avgdl, avg_distinct, T; give a name of your own its value: formula(…, dfs=1.2)"),
        ("lg(tf)", "unknown function 'lg'; did you mean 'log'? Functions: log, log2, log10, log1p, exp, sqrt, abs, "
         "min, max, where, distance"),
        ("tf * idf", "the formula uses an unknown name, 'idf'; write log(N / df), or an idf of your choice"),
        ("tf * ln(N/df)", "unknown function 'ln'; write log, which is natural here"),
        ("tf / doc_len", "the formula uses an unknown name, 'doc_len'; write dl"),
        ("log(N/df)^2", "'log(N/df)^2' is not allowed in a formula; a power is written **"),
        ("np.log(N/df)", "'np.log(N/df)' is not allowed in a formula; write log alone"),
        ("log(tf, 2)", "log takes 1 value in a formula, found 2"),
        ("min(tf)", "min takes 2 values in a formula, found 1"),
        ("tf * 1e301", "the formula 'tf * 1e301' has a number beyond 1e+300"),
        ("(" * 51 + "tf" + ")" * 51, "the formula is nested 51 brackets deep; at most 50 are read"),
        ("1" * 1001, "the formula has 1001 characters; at most 1000 are read"),
        ("ｔｆ", "'ｔｆ' is not a formula: it has letters or digits that only resemble ASCII ones"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_was_found_and_what_to_do(text, sentence):
    with raising(ArgumentError, sentence):
        formula(text)


def test_what_lies_within_the_limits_is_read():
    assert formula("(" * 50 + "tf" + ")" * 50).weight(tf=3) == 3
    assert formula("+" * 49 + "tf").weight(tf=3) == 3
    assert formula("tf" + " " * 996 + "+1").weight(tf=3) == 4
    assert formula("tf * 1e300").weight(tf=2) == 2e300


@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        ("log(1+tf)*log(N/df)", lambda tf, df, dl, N: np.log(1 + tf) * np.log(N / df)),
        ("-tf**2", lambda tf, df, dl, N: -(tf**2)),
        ("2**3**0.5*tf", lambda tf, df, dl, N: 2 ** (3**0.5) * tf),
        ("1 - tf - df", lambda tf, df, dl, N: (1 - tf) - df),
        ("N / df / dl", lambda tf, df, dl, N: (N / df) / dl),
        ("(tf > 1) + (df != 7) - (tf <= 1)", lambda tf, df, dl, N: 1.0 * (tf > 1) + (df != 7) - 1.0 * (tf <= 1)),
        ("-(tf < 2) * (N > 3)", lambda tf, df, dl, N: np.where(tf < 2, -1.0, 0.0)),
        ("pi * tf + e", lambda tf, df, dl, N: math.pi * tf + math.e),
        ("0x10 + 1_000 * tf", lambda tf, df, dl, N: 16 + 1000 * tf),
    ],
)
def test_numbers_are_those_of_the_same_function_written_by_hand(text, by_hand):
    everything = {"tf": np.array([1.0, 2, 3, 7]), "df": np.array([1.0, 7, 7, 20]), "dl": np.array([5.0, 9, 3, 70])}
    made = formula(text)
    named = {name: value for name, value in {**everything, "N": 20.0}.items() if name in made.statistics}
    np.testing.assert_array_equal(made.weight(**named), by_hand(**everything, N=20.0))


def test_every_function_takes_what_it_says():
    for name, (wanted, function) in FUNCTIONS.items():
        given = [3.0, 2.0, 5.0, 7.0][:wanted]
        text = f"{name}({', '.join(map(str, given))}) + 0*tf"
        assert formula(text).weight(tf=1) == pytest.approx(float(function(*given)), rel=1e-15)


def test_powers_of_powers_end_as_infinity_and_are_refused_when_they_rank():
    started = time.process_time()
    made = formula("tf * 9**9**9**9")
    assert made.weight(tf=1) == math.inf
    with pytest.raises(ModelError, match=r"gives inf for the term 'cat'.*must be a finite number"):
        Searcher(Index.build(["cat"]), made).search("cat")
    assert time.process_time() - started < 10  # of the processor; a power that is worked out takes for ever


@pytest.mark.parametrize(
    "text", ["tf / (N - N)", "N ** T ** T", "k / (k - k) * tf", "(0 - 8) ** (1 / 3) * tf", "log(0*tf)"]
)
def test_numbers_of_the_collection_overflow_as_arrays_do(text):
    model = formula(text, **({"k": 3} if "k" in text else {}))
    with pytest.raises(ModelError, match="every weight must be a finite number"):
        Searcher(Index.build(["cat dog"] * 500), model).search("cat")


def test_names_of_ones_own_are_parameters():
    made = formula("tf / (tf + k * (1 - b + b * dl / avgdl))", k=1.2, b=0.75)
    assert made.parameters == {"b": 0.75, "k": 1.2}
    assert str(made) == "formula:tf / (tf + k * (1 - b + b * dl / avgdl)):b=0.75,k=1.2"
    assert made.weight(tf=2, dl=10, avgdl=20) == pytest.approx(2 / (2 + 1.2 * (0.25 + 0.75 / 2)), rel=1e-15)
    assert made.bind(k=2).weight(tf=2, dl=10, avgdl=20) == pytest.approx(2 / (2 + 2 * 0.625), rel=1e-15)
    assert [span for *_, span in made.describe_parameters()] == ["a finite number"] * 2


def test_a_formula_is_its_text_and_its_values():
    made = formula(" tf*k + b ", k=1.5, b=-2)
    again = toysearch.model(str(made))
    assert again == made == formula("tf*k + b", b="-2", k="1.5")
    assert hash(again) == hash(made)
    assert pickle.loads(pickle.dumps(made)).weight(tf=2) == 1
    assert str(again) == str(made) == "formula:tf*k + b:b=-2,k=1.5"
    assert made != formula("tf*k + b", k=1.5, b=2)
    assert made != formula("tf*k+b", k=1.5, b=-2)
    assert from_text("formula:tf") == formula("tf") == toysearch.model("  formula:tf")
    assert str(formula("1e-5 * k * tf", k=1e-300)) == "formula:1e-5 * k * tf:k=1e-300"
    assert toysearch.model("formula:k * tf:k=1e-300").parameters == {"k": 1e-300}


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        ("tf", {"k": 1}, "the formula 'tf' does not use k"),
        ("tf * k", {"k": math.inf}, "k of formula:tf * k must be a finite number, not inf"),
        ("tf * k", {"k": "x"}, "k of formula:tf * k must be a number, not 'x'"),
        ("tf * df", {"df": 3}, "df already has a meaning in formulas; choose another name for 3"),
        ("tf * log", {"log": 3}, "log already has a meaning in formulas; choose another name for 3"),
        ("tf * pi", {"pi": 3}, "pi already has a meaning in formulas; choose another name for 3"),
        ("tf * tf_title", {"tf_title": 3}, "tf_title already has a meaning in formulas; choose another name for 3"),
        ("tf * k_", {"k_": 3}, "'k_' cannot be a custom name in a formula; use letters and digits, such as k1"),
        ("tf * a", {"a.b": 3}, "'a.b' cannot be a custom name in a formula; use letters and digits, such as k1"),
    ],
)
def test_what_cannot_be_a_value_or_a_name(text, values, sentence):
    with raising(ArgumentError, sentence):
        formula(text, **values)


@pytest.mark.parametrize("name", ["text", "self", "given", "name", "function", "similarity", "parts"])
def test_any_other_name_can_be_ones_own(name):
    made = formula(f"tf + {name}", **{name: 2})
    assert made.weight(tf=1) == 3
    assert toysearch.model(str(made)) == made


@pytest.mark.parametrize(
    "text", ["formula:", "formula:tf:", "formula:tf:3", "formula:tf:k", "formula:tf*k:k=", "formula:tf*k:k=1,k=2"]
)
def test_a_text_that_does_not_follow_the_grammar_is_refused(text):
    with pytest.raises(ArgumentError):
        toysearch.model(text)


def test_statistics_of_fields_can_be_named():
    made = formula("tf_title * 2 + tf_body / avgdl_body")
    assert made.statistics == ("tf_title", "tf_body", "avgdl_body")
    assert made.weight(tf_title=1, tf_body=3, avgdl_body=6) == 2.5


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("log(1+tf) * log(N/df)", {"log(1 + tf)": math.log(3), "log(N / df)": math.log(4)}),
        ("tf / (tf + 2) * 3", {"tf + 2": 4}),
        ("log(tf) + tf - sqrt(df)", {"log(tf)": math.log(2), "sqrt(df)": 1}),
        ("tf * df + log(N)", {"tf * df": 2, "log(N)": math.log(4)}),
        ("log(tf * df)", {}),
        ("tf", {}),
    ],
)
def test_the_factors_or_terms_of_a_formula_are_the_parts_of_an_explanation(text, parts):
    index = Index.build(["cat cat dog", "dog", "dog", "dog"])
    [share] = toysearch.explain(Searcher(index, formula(text)), "cat", "1").terms
    assert share.parts == pytest.approx(parts, rel=1e-15)
    assert share.share == share.weight


def test_a_formula_can_be_mixed_within_brackets():
    mixture = toysearch.model("0.5*bm25 + 2*formula:(log(1+tf) * k):k=3")
    assert str(mixture) == "0.5*bm25 + 2*formula:(log(1+tf) * k):k=3"
    index = Index.build(["cat cat dog", "the dog"])
    alone = Searcher(index, "formula:log(1+tf)").search("cat", k=None).scores
    bm25 = Searcher(index, "bm25").search("cat", k=None).scores
    np.testing.assert_allclose(
        Searcher(index, mixture).search("cat", k=None).scores, 0.5 * bm25 + 6 * alone, rtol=1e-15
    )


PLACES = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@given(PLACES, PLACES)
def test_a_distance_is_the_angle_of_two_directions_times_the_radius(one, other):
    def direction(lat, lon):
        lat, lon = math.radians(lat), math.radians(lon)
        return np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])

    first, second = direction(*one), direction(*other)
    angle = math.atan2(float(np.linalg.norm(np.cross(first, second))), float(first @ second))
    assert distance(*one, *other) == pytest.approx(6371.0088 * angle, rel=1e-6, abs=1e-6)
    assert distance(*one, *other) == pytest.approx(distance(*other, *one), abs=1e-9)


def test_distances_that_are_known():
    quarter = math.pi * 6371.0088 / 2
    assert distance(0, 0, 90, 0) == pytest.approx(quarter)
    assert distance(0, 179, 0, -179) == pytest.approx(quarter / 45)  # over the line of dates
    assert distance(10, 20, -10, -160) == pytest.approx(2 * quarter)  # the other side of the Earth
    assert np.isnan(distance(np.array([91.0]), 0, 0, 0)).all()
