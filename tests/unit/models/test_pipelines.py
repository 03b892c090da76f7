"""The texts of pipelines: each parses back, and wrong ones are refused in a sentence."""

import pytest
from raising import raising

from toysearch import model
from toysearch.base import ArgumentError, ToysearchError


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("bm25@1000 >> lsa:200@100 >> dph", "bm25@1000 >> lsa:200@100 >> dph"),
        ("bm25@5>>dph", "bm25@5 >> dph"),
        ("0.7*bm25+0.3*dph @ 5 >> bm25:k1=2,b=0.1", "0.7*bm25 + 0.3*dph@5 >> bm25:k1=2,b=0.1"),
        ("mmr(bm25:k1=0.9,b=0.4,lambda=0.3)", "mmr(bm25:k1=0.9,b=0.4, lambda=0.3)"),
        ("mmr(lm-jm:lambda=0.2)", "mmr(lm-jm:lambda=0.2)"),
        ("xquad(bm25 >> dph,depth=5)", "xquad(bm25 >> dph, depth=5)"),
        ("passages", "passages(bm25)"),
        ("MMR:lambda=0.7", "mmr(bm25, lambda=0.7)"),
        ("mmr(dph):lambda=0.7,depth=9", "mmr(dph, lambda=0.7, depth=9)"),
        ("rrf(passages(bm25, words=20), bm25)", "rrf(passages(bm25, words=20)) + rrf(bm25)"),
        ("formula:tf/(tf+1) >> bm25", "formula:tf/(tf+1) >> bm25"),
        ("mmr(rm3(bm25)@3 >> bm25)", "mmr(rm3(bm25)@3 >> bm25)"),
    ],
)
def test_texts_parse_back(text, full):
    assert str(model(text)) == full
    assert model(full) == model(text)
    assert hash(model(full)) == hash(model(text))


def test_a_name_of_its_own():
    assert str(model("two=bm25 >> dph")) == "two"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm25@10", "'bm25@10': @ says how many documents the next stage re-ranks, as in bm25@100 >> lsa:100"),
        ("bm25@0 >> dph", "'bm25@0': the number after @ must be a whole number of at least 1"),
        ("bm25@1e9999 >> dph", "'bm25@1e9999': the number after @ must be a whole number of at least 1"),
        ("bm25 >> ", "'bm25 >> ': a stage is missing beside >>; an example: bm25@100 >> lsa:100"),
        (
            "bm25 >> dph@3",
            "'bm25 >> dph@3': @ says how many documents the next stage re-ranks, and no stage follows dph@3",
        ),
        (
            "mmr(bm25, lamda=0.3)",
            "mmr has no parameter 'lamda'; did you mean 'lambda'? Parameters of mmr: lambda, depth",
        ),
        ("mmr()", "'mmr()': expected a model in the brackets, as in mmr(bm25)"),
        ("mmr(bm25, lambda=3)", "'mmr(bm25, lambda=3)': lambda must be a number from 0 to 1"),
        (
            "rm3(mmr(bm25))",
            "'rm3(mmr(bm25))': rm3 changes the terms of a query, and mmr(bm25) has no terms of its own; put it "
            "around a model inside",
        ),
    ],
)
def test_wrong_texts(text, message):
    with raising(ToysearchError, message):
        model(text)


def test_parameters_are_bound():
    assert str(model("bm25@9 >> dph@7 >> dice").bind(depth2=3)) == "bm25@9 >> dph@3 >> dice"
    assert str(model("passages(rm3(bm25))").bind(words=5, docs=2)) == "passages(rm3(bm25:docs=2), words=5)"
    with raising(ArgumentError, "depth1 of bm25@9 >> dph must be a whole number of at least 1"):
        model("bm25@9 >> dph").bind(depth1=0.5)
    with raising(ArgumentError, "the parameters of 'mmr(bm25)' need names: lambda, depth, k1, b, k3"):
        model("mmr(bm25)").bind(1)
