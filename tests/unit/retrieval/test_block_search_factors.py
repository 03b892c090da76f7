"""The factors of weights, whose products are compared with the weights of the models."""

import numpy as np
import pytest

import toysearch
from toysearch import MODELS, Index
from toysearch.models.model import COLLECTION, Model, call
from toysearch.retrieval.block_search import factors
from toysearch.retrieval.scoring import Weights

LENGTHS = np.array([1.0, 2.0, 3.0, 7.0, 20.0, 21.0, 400.0])
DF = np.array([1.0, 2.0, 3.0, 4.0])
N_TF = 5


def factors_and_weights(model: Model):
    index = Index.build(["a1 b1 b1", "a1 c1", "a1 a1 a1 d1 e1 f1 g1", "d1 d1 a1"])
    constants = Weights(index, model).constants
    of_terms = {"df": DF, "cf": DF * 2}
    tf, dl = np.arange(1.0, N_TF + 1)[:, None], LENGTHS[None, :]
    with np.errstate(all="ignore"):
        weights = [
            np.broadcast_to(
                call(model.function, {**constants, "tf": tf, "dl": dl, "df": df, "cf": df * 2}, model.parameters),
                (N_TF, len(LENGTHS)),
            )
            for df in DF.reshape(-1, 1, 1)
        ]
    return factors(model, {**constants, **of_terms}, LENGTHS, N_TF), weights


def by_length(name: str) -> bool:
    model = toysearch.model(name)
    return isinstance(model, Model) and {*model.statistics} <= {"tf", "dl", "df", "cf", *COLLECTION}


NAMES = [name for name in MODELS if by_length(name)]


@pytest.mark.parametrize("name", NAMES)
def test_products_of_factors_are_the_weights_of_the_model_to_the_last_bit(name):
    parts, weights = factors_and_weights(toysearch.model(name))
    if parts is not None:
        for scale, expected in zip(np.broadcast_to(parts.scales, DF.shape), weights, strict=True):
            assert np.isnan(scale) or (scale * parts.over / parts.under).tobytes() == expected.tobytes()


def test_the_family_of_bm25_has_factors():
    assert {"bm25", "bm25-lucene", "bm25-robertson", "bm25-atire", "bm25l"} <= {
        name for name in NAMES if factors_and_weights(toysearch.model(name))[0] is not None
    }


def quotient(tf, dl, df):
    return df / (tf + dl)


def of_no_term(tf, dl):
    return np.sqrt(tf) / dl


@pytest.mark.parametrize("function", [quotient, of_no_term])
def test_other_forms_with_factors(function):
    parts, weights = factors_and_weights(toysearch.model(function))
    for scale, expected in zip(np.broadcast_to(parts.scales, DF.shape), weights, strict=True):
        assert (scale * parts.over / parts.under).tobytes() == expected.tobytes()


def mixed_in_a_logarithm(tf, df):
    return np.log1p(tf * df)


def sum_of_both(tf, df):
    return tf + df


def product_of_three(tf, dl, df):
    return tf * df * dl


def divided_twice(tf, dl, df):
    return df / tf / dl / 3


def chosen(tf, df):
    return np.where(tf > 1, tf, 1.0) * df


def branching(tf, df):
    return df * tf if tf.all() else df


def turned_round(tf, df):
    return tf / df


def in_place(tf, df):
    return np.multiply(tf, df, out=np.empty(np.broadcast(tf, df).shape))


def negative(tf, df):
    return df * -tf


def far_too_large(tf, df):
    return df * (tf * 1e200)


def of_terms_only(df):
    return df


OTHERS = [mixed_in_a_logarithm, sum_of_both, product_of_three, divided_twice, chosen, branching, turned_round, in_place]


@pytest.mark.parametrize("function", [*OTHERS, negative, far_too_large, of_terms_only])
def test_functions_without_factors(function):
    assert factors_and_weights(toysearch.model(function))[0] is None


def test_the_scale_of_a_term_may_be_unusable():
    parts, _ = factors_and_weights(toysearch.model(toysearch_scaled))
    assert np.isnan(parts.scales).tolist() == [True, False, True, False]


def toysearch_scaled(tf, df):
    return np.where(df == 1, np.nan, np.where(df == 3, 1e101, df - 2)) * tf
