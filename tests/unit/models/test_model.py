"""The contract of a model: what may be named, what may be bound, and what is said when it is broken."""

import math
import re

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.base.errors import ArgumentError, ModelError

TEXTS = ["the cat sat on the mat", "a cat and a dog", "the dog", ""]


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS)


def test_a_bare_decorator_and_one_with_ranges_make_models():
    @toysearch.model
    def presence(tf):
        return tf / tf

    @toysearch.model(k=(0, 5))
    def saturated(tf, *, k=1.0):
        return tf / (tf + k)

    assert str(presence) == "presence"
    assert str(saturated.bind(k=2)) == "saturated:k=2"
    assert saturated.weight(tf=3) == 0.75
    assert saturated(np.array([1.0])) == [0.5]


@pytest.mark.parametrize("name", toysearch.MODELS)
def test_every_built_in_reads_back_and_documents_itself(name):
    model = toysearch.MODELS[name]
    assert str(model) == name
    assert toysearch.model(name) is model
    for parameter in model.parameters:
        if parameter in model.function.__kwdefaults__ if model.function.__kwdefaults__ else ():
            assert re.search(rf"^\s*{parameter} :", model.__doc__, re.MULTILINE), (
                f"describe it in the docstring of {name}, under Parameters: {parameter} : float, default …"
            )
    assert "References" in model.__doc__
    assert "Examples" in model.__doc__


def test_values_without_a_name_bind_in_the_order_of_declaration():
    assert str(toysearch.model("bm25:0.9,0.4")) == "bm25:k1=0.9,b=0.4"
    assert str(toysearch.model("bm25:0.9,b=0.4")) == "bm25:k1=0.9,b=0.4"
    assert toysearch.model("bm25").bind(0.9) == toysearch.model("bm25:k1=0.9")
    assert toysearch.model("bm25:b=0.4,k1=0.9,k3=none").parameters == {"k1": 0.9, "b": 0.4, "k3": None}


def starred(*statistics):
    return 1.0


STATISTIC = "is a statistic and takes no default; write a parameter of that name as"


@pytest.mark.parametrize(
    ("declare", "sentence"),
    [
        # Its value would be the statistic's, whatever it is set to.
        (lambda: toysearch.model(lambda tf, *, T=2.0: tf * T), f"model 'lambda': T {STATISTIC} T_"),
        (lambda: toysearch.model(lambda tf, N=5: tf * N), f"model 'lambda': N {STATISTIC} N_"),
        (lambda: toysearch.model(query=lambda qtf=1.0: qtf)(lambda tf: tf), "qtf is a statistic"),
        (
            lambda: toysearch.model(lambda tf, avgl: tf),
            "model 'lambda' uses an unknown statistic, 'avgl'; did you mean 'avgdl'? Statistics: tf, df, cf, dl, "
            "distinct, max_tf, bytes, N, avgdl, avg_distinct, T",
        ),
        (
            lambda: toysearch.model(lambda tf, price: tf / price),
            "; prior_price is the number in the field 'price' of a document",
        ),
        (lambda: toysearch.model(starred), "name each statistic and parameter instead of *statistics"),
        (
            lambda: toysearch.model(k=(0, 1), name="plain")(lambda tf: tf),
            "model 'plain' declares a range for k, which is not one of its keyword parameters",
        ),
        (lambda: toysearch.model(7), "what must be a text, a function, a Model or a Ranker, not an int"),
        (
            lambda: toysearch.model(similarity="cosin")(lambda tf: tf),
            "unknown similarity 'cosin'; did you mean 'cosine'",
        ),
    ],
)
def test_a_declaration_that_nobody_can_fill_is_refused(declare, sentence):
    with pytest.raises((ModelError, ArgumentError), match=re.escape(sentence)):
        declare()


def refusal(index, function, **hooks):
    with pytest.raises(ModelError) as caught:
        Searcher(index, toysearch.model(name="mine", **hooks)(function)).search("cat dog")
    return str(caught.value)


REDUCES = (
    "model 'mine' is not elementwise: a posting's weight depends on the postings it is weighed with; use the "
    "named statistics (avgdl, max_tf, …) or a collection_constants hook instead of reducing arrays"
)
EACH = "expected one number for each posting it was given"


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda tf: tf / tf.max(), REDUCES),
        (lambda tf, dl: tf / dl.mean(), REDUCES),
        (lambda tf: np.cumsum(tf), REDUCES),
        (
            lambda tf, dl: np.log(dl - dl),
            "model 'mine' gives -inf for the term 'cat' in document '1' (tf=1, dl=6); every weight must be a finite "
            "number",
        ),
        (lambda tf: tf * math.nan, "model 'mine' gives nan for the term 'cat'"),
        (
            lambda tf: tf[:-1],
            "model 'mine' returned an array of shape (6,) for 7 made-up postings; a model works elementwise and "
            "returns one weight for each posting",
        ),
        (lambda tf: np.array([["x"]]), f"model 'mine' returned texts; {EACH}"),
        (lambda tf: None, f"model 'mine' returned None (is a return missing?); {EACH}"),
        (lambda tf: "x", "model 'mine' returned a text; "),
        (lambda tf: tf * 1j, "model 'mine' returned values that are not real numbers"),
    ],
)
def test_a_function_that_gives_no_weight_for_each_posting_is_refused(index, function, sentence):
    assert refusal(index, function).startswith(sentence)


def test_a_function_that_fails_is_shown_with_its_line(index):
    def mine(tf):
        return math.log(tf)

    line = mine.__code__.co_firstlineno + 1
    message = refusal(index, mine)
    assert message.startswith(f"model 'mine' ({__file__}:{line}) failed: TypeError: ")
    assert message.endswith(
        "its arguments (tf) are read-only numpy arrays: use numpy functions (np.log, "
        "np.where) instead of math functions and if"
    )


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (lambda tf: lgo(tf), "failed: NameError: name 'lgo' is not defined; did you mean 'log'?"),  # noqa: F821
        (lambda tf: {}["k1"], "failed: KeyError: 'k1'"),
        (lambda tf: int("7 cats"), "failed: ValueError: invalid literal for int() with base 10: '7 cats'"),
    ],
)
def test_the_way_out_fits_the_error(index, body, end):
    assert refusal(index, body).endswith(end)


def branching(tf):
    return 1.0 if tf > 1 else 0.5


def changing(tf):
    tf[tf > 1] = 1
    return tf


def shouting(tf):
    raise ValueError("a scalar array of another shape")


@pytest.mark.parametrize(
    ("function", "advised"),
    [
        (branching, True),
        (changing, True),
        (lambda tf, k=2.0: max(tf, k), True),
        (lambda tf: int("x") * tf, False),
        (lambda tf: tf + "x", False),
        (shouting, False),
    ],
)
def test_arrays_are_named_where_a_single_posting_would_work(index, function, advised):
    assert ("read-only numpy arrays: use numpy functions" in refusal(index, function)) is advised


def test_a_model_cannot_change_what_it_is_given(index):
    def mine(tf):
        tf += 1
        return tf

    assert "ValueError: output array is read-only" in refusal(index, mine)


def test_a_constant_counts_for_every_posting(index):
    ranking = Searcher(index, lambda tf: 2).search("cat dog")
    assert [(hit.doc_id, hit.score) for hit in ranking] == [("2", 4.0), ("1", 2.0), ("3", 2.0)]


def test_hooks_weigh_the_query_every_document_and_each_document(index):
    @toysearch.model(
        query=lambda qtf, *, q=2.0: q * qtf,
        per_matched_document=lambda qtf, df: 10 * qtf,
        document=lambda dl, ql: 100 * dl + ql,
        collection_constants=lambda df_all: {"most": df_all.max()},
        q=(0, None),
    )
    def hooked(tf, most):
        return tf * most

    ranking = Searcher(index, hooked).search("cat cat dog unheard")
    # df: cat 2, dog 2, the 2, so most = 2; weights 2 each; query 2·qtf; every 10·(2 + 1); ql = 3 (known tokens)
    assert {hit.doc_id: hit.score for hit in ranking} == {
        "1": 2 * 2 * 2 + 30 + 600 + 3,
        "2": 2 * 2 * 2 + 2 * 2 + 30 + 300 + 3,
        "3": 2 * 2 + 30 + 200 + 3,
    }


def test_a_model_in_a_file_is_used_by_its_name(tmp_path, index):
    path = tmp_path / "mine.py"
    path.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    assert Searcher(index, f"{path}:rank").search("mat")[0].score == 0.5
    assert Searcher(index, f"{path}:rank:k=3").search("mat")[0].score == 0.25
    with pytest.raises(ArgumentError) as caught:
        toysearch.model(f"{path}:rnak")
    assert str(caught.value) == (f"{path} has no function 'rnak'; did you mean 'rank'? Functions of {path}: rank")


def test_a_function_in_a_file_bears_the_name_that_it_is_asked_by(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import toysearch\n\none = lambda tf: tf\ntwo_of = lambda tf: 2 * tf\nagain = one\n")
    assert [str(toysearch.model(f"{path}:{name}")) for name in ("one", "two_of", "again")] == ["one", "two-of", "again"]
    path.write_text("import toysearch\n\nmine = toysearch.model(name='declared')(lambda tf: tf)\n")
    assert str(toysearch.model(f"{path}:mine")) == "declared"


def test_a_file_that_does_not_load_is_shown_with_its_line(tmp_path, monkeypatch):
    path = tmp_path / "broken.py"
    path.write_text("import math\ndef rank(tf:\n    return tf\n")
    with pytest.raises(ModelError, match=re.escape(f"{path}:2: ")):
        toysearch.model(f"{path}:rank")
    path.write_text("import math\n\n1 / 0\n")
    with pytest.raises(ModelError, match=re.escape(f"{path}:3: ZeroDivisionError: division by zero")):
        toysearch.model(f"{path}:rank")
    monkeypatch.chdir(tmp_path)
    for name in ("broken.py", "./broken.py"):
        with pytest.raises(ModelError, match=r"^broken\.py:3: ZeroDivisionError: division by zero$"):
            toysearch.model(f"{name}:rank")


def test_weight_says_what_is_missing_or_unknown():
    bm25 = toysearch.model("bm25")
    with pytest.raises(ArgumentError, match="bm25 needs avgdl as well"):
        bm25.weight(tf=1, dl=2, df=1, N=2)
    with pytest.raises(ArgumentError, match="bm25 has no statistic 'cf'"):
        bm25.weight(tf=1, dl=2, df=1, N=2, avgdl=2, cf=3)
    np.testing.assert_array_equal(
        bm25.weight(tf=[1, 2], dl=4, df=2, N=4, avgdl=4),
        [bm25.weight(tf=tf, dl=4, df=2, N=4, avgdl=4) for tf in (1, 2)],
    )
