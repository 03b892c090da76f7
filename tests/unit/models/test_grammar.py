"""The texts of models: each reads back in its full form, and a wrong one is answered with the right one."""

import pytest
from error_messages import raising

from toysearch import model
from toysearch.base.errors import ArgumentError, ToysearchError
from toysearch.models.calls import CALLS, DEPTH, WEIGHT, chosen
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.rankers import ADDED, STAGES

UNSMOOTHED = "a document that lacks a query word would have probability 0, which has no logarithm"
TF = (
    "n tf, l 1 + log tf, a 0.5 + 0.5 tf / max_tf, b 1, L (1 + log tf) / (1 + log of the mean tf), d 1 + log(1 + log tf)"
)
DF = "n 1, t log(N/df), p max(0, log((N−df)/df))"
NORM = "n 1, c cosine, √Σ w², u pivoted unique, b bytes^alpha"
DEEP = "xquad(mmr(xquad(passages(bm25))))"
REFUSED = [
    ("bm52", "unknown model 'bm52'; did you mean 'bm25'?"),
    ("bm25:k=1", "bm25 has no parameter 'k'; did you mean 'k1'? Parameters of bm25: k1, b, k3"),
    ("bm25:b=2", "b of bm25 must be from 0 to 1, not 2"),
    ("bm25:k1=-0.1", "k1 of bm25 must be at least 0, not -0.1"),
    ("bm25:k1=inf", "k1 of bm25 must be at least 0, not inf"),
    ("bm25:b=x", "b of bm25 must be a number, not 'x'"),
    ("bm25:b=none", "b of bm25 must be a number, not 'none'"),
    (
        "tfidf:tf=lgo",
        "unknown value for tf of tfidf 'lgo'; did you mean 'log'? Values: raw, log, sqrt, binary, augmented",
    ),
    ("overlap:k=1", "overlap has no parameters; leave out k"),
    ("bm25:", "'bm25:' is not of the form name or name:key=value,key=value"),
    ("bm25:b", "bm25: b has no value; an example: bm25:b=…"),
    ("bm25:b=1,2", "'bm25:b=1,2': '2' is not of the form key=value; an example: bm25:k1=0.9,b=0.4"),
    ("bm25:0.9,k1=1", "bm25 got k1 twice: 0.9 and 1"),
    ("bm25:1,0.5,8,1", "bm25 takes k1, b, k3, found 1, 0.5, 8, 1"),
    ("overlap:1", "overlap takes no parameters, found 1"),
    ("bm25:b=1,b=0", "'bm25:b=1,b=0' gives b twice"),
    ("dice:tf=log", "dice: weights=binary has neither tf nor idf; give weights=tf or weights=tfidf to use them"),
    ("cosine:weights=tf,idf=ln", "cosine: weights=tf has no idf; give weights=tfidf to use one"),
    ("", "'' names no model; an example: bm25:b=0.4"),
    (":b=1", "':b=1' names no model; an example: bm25:b=0.4"),
    ("rm3()", "'rm3()': expected a model in the brackets, as in rm3(bm25)"),
    ("rm3(bm25:b=0.4", "'rm3(bm25:b=0.4': a bracket is not closed; an example: rm3(bm25)"),
    ("bm25 + dph)", "'bm25 + dph)': a bracket closes nothing; an example: rm3(bm25)"),
    ("bm25)(", "'bm25)(': a bracket closes nothing; an example: rm3(bm25)"),
    ("good.py", "good.py: there is no such file; a model of your own is given as FILE.py:NAME"),
    ("bm25:k1=1.2:b=0.5", "'bm25:k1=1.2:b=0.5': parameters are separated by commas: bm25:k1=1.2,b=0.5"),
    # language models, those of divergence, smart
    ("lm-dirichlet:0", f"lm-dirichlet: mu=0 smooths nothing: {UNSMOOTHED}; give mu of at least 1e-09"),
    ("lm-jm:0", f"lm-jm: lambda=0 smooths nothing: {UNSMOOTHED}; give lambda of at least 1e-09"),
    ("lm-jm:1.5", "lambda of lm-jm must be above 0, at most 1, not 1.5"),
    ("lm-dirichlet:-1", "mu of lm-dirichlet must be above 0, not -1"),
    *(
        (f"{name}:{c}", f"c of {name} must be from 0.001 to 1000000, not {c}")
        for name in ("pl2", "inl2", "ll", "spl")
        for c in ("0", "1e+07", "-1", "nan")
    ),
    ("f2exp:k=2", "k of f2exp must be from 0 to 1, not 2"),
    ("f2exp:-1", "s of f2exp must be at least 0, not -1"),
    (
        "smart:lnc",
        "smart: weights=lnc is not of the form ddd.qqq (lnc.ltc); the letters: "
        f"tf: {TF}; df: {DF}; normalization: {NORM}",
    ),
    ("smart:Xnc.ltc", f"smart: weights=Xnc.ltc: 'X' is not a letter for tf; those are {TF}"),
    ("smart:lnc.lxc", f"smart: weights=lnc.lxc: 'x' is not a letter for df; those are {DF}"),
    ("smart:lnt.ltc", f"smart: weights=lnt.ltc: 't' is not a letter for normalization; those are {NORM}"),
    (
        "smart:lnb.ltb",
        "smart: weights=lnb.ltb: the length of a query in bytes is not a statistic and would change no ranking; use n",
    ),
    (
        "smart:slope=0.3",
        "smart: pivot and slope belong to u as the third letter of three, and weights=lnc.ltc has none",
    ),
    ("smart:lnu.ltc,alpha=0.3", "smart: alpha belongs to b as the third letter, and weights=lnu.ltc has none"),
    ("smart:nnc.bnc,base=10", "smart: weights=nnc.bnc uses no logarithm, so base has no effect"),
    ("smart:lnc.ltc,base=1", "base of smart must be at least 2, not 1"),
    ("smart:lnu.ltu,pivot=0", "pivot of smart must be at least 1, not 0"),
    # fields
    ("bm25f:title=-1", "title of bm25f must be at least 0, not -1"),
    ("bm25f:W=1,b_W=2", "b_W of bm25f must be from 0 to 1, not 2"),
    ("bm25f:W=1,b_T=1", "bm25f has no parameter 'b_T'; did you mean 'b_W'? Parameters of bm25f: k1, W, b_W"),
    ("bm25f:W_=1", "bm25f cannot use a field named 'W_', because no parameter can have that name"),
    # mixtures, priors and pipelines
    ("bm25 +", "'bm25 +': a part is missing beside +, - or *; an example: 0.7*bm25 + 0.3*tfidf"),
    ("bm25 + 0.3", "'bm25 + 0.3': 0.3 is a number without a model, which would change no ranking"),
    (
        "prior:year",
        "'prior:year' has no model, only a prior; an example: bm25 + 0.1*prior:year, or every(prior:year) to rank "
        "all documents by it",
    ),
    ("minmax(bm25)", "unknown function or wrapper 'minmax'; did you mean 'min-max'?"),
    (
        "0.5*(bm25 + tfidf)",
        "'(bm25 + tfidf)': brackets stand around what a call takes, as in min-max(bm25), and nowhere else; "
        "give each model its own weight",
    ),
    (
        "min-max(rrf(bm25))",
        "'min-max(rrf(bm25))': min-max takes a model that is not normalised, as in min-max(bm25)",
    ),
    ("rm3(rrf(bm25))", "'rm3(rrf(bm25))': rm3 takes one model, as in rm3(bm25)"),
    ("rm3(" * 3000 + "bm25" + ")" * 3000, "a model has at most 20 brackets inside each other, not 3000"),
    ("rm3(kl(bm25))", "'rm3(kl(bm25))': a query is expanded once; take rm3 or kl"),
    ("rm3(bm25, docs=1.5)", "'rm3(bm25, docs=1.5)': docs must be a whole number of at least 0"),
    ("rm3(bm25, docs=1, docs=2)", "'rm3(bm25, docs=1, docs=2)' gives docs twice"),
    (DEEP, f"'{DEEP}': at most 3 of passages, mmr, xquad stand inside each other"),
    ("mmr(" * 400 + "bm25" + ")" * 400, "a model has at most 20 brackets inside each other, not 400"),
    ("bm25 + " * 5000 + "bm25", "a model has at most 20,000 characters, not 35,004"),
    ("bm25 + prior:", "'prior:' names no field and no file; an example: prior:year"),
    ("1e308*1e308*bm25 + bm25", "'1e308*1e308*bm25 + bm25': the weight inf is not finite"),
    ("bm25 + log(tf)", "'log(tf)' has one value for each document; tf belongs to a term"),
    ("bm25 + log(2)", "'log(2)': log takes a prior, as in log(prior:year)"),
    ("bm25 + every(bm25)", "'every(bm25)': every takes a prior, as in every(prior:year)"),
    ("bm25 - - dph", "'bm25 - - dph': a part is missing beside +, - or *; an example: 0.7*bm25 + 0.3*tfidf"),
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
    # vectors
    ("lsa:0", "'lsa:0': dimensions must be a whole number from 1 to 5,000, as in lsa:200"),
    ("lsa:10,seed=1", "lsa has no parameter 'seed', only dimensions, as in lsa:200"),
    ("lsa:10,20", "'lsa:10,20' has too many values; an example: lsa:200"),
    ("sdm(lsa:10)", "'sdm(lsa:10)': sdm changes the terms of a query, and lsa:10 ranks by vectors"),
    ("impact:", "'impact:' names no file of vectors; an example: impact:vectors.jsonl,queries=queries.jsonl"),
    ("impact:w.jsonl,ids=a", "impact has no option 'ids'. Options of impact: queries"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_a_wrong_text_is_answered_with_the_right_one(text, message):
    with raising(ToysearchError, message):
        model(text)


SAME = [
    "bm25 - prior:price",
    "0*bm25 - 0.5*log(prior:x - 1)",
    "bm25 + every(log(prior:a*prior:b.csv))",
    "bm25f",
    "bm25f:title=3",
    "bm25f:k1=2,b_text=0.5",
    "bm25f:W=1,T=2,b_T=0.5",
    "smart",
    "smart:weights=Lnu.ltu,pivot=30,slope=0.1",
    "smart:weights=nnb.ntn,base=10,alpha=0.3",
    "lsa",
    "lsa:200",
    "0.7*min-max(bm25) + 0.3*min-max(lsa:50)",
    "rrf(bm25) + rrf(lsa:5)",
]
FULL = [
    *zip(SAME, SAME, strict=True),
    ("bm25@1000 >> lsa:200@100 >> dph", "bm25@1000 >> lsa:200@100 >> dph"),
    ("bm25@5>>dph", "bm25@5 >> dph"),
    ("0.7*bm25+0.3*dph @ 5 >> bm25:k1=2,b=0.1", "0.7*bm25 + 0.3*dph@5 >> bm25:k1=2,b=0.1"),
    ("mmr(bm25:k1=0.9,b=0.4,lambda=0.3)", "mmr(bm25:k1=0.9,b=0.4, lambda=0.3)"),
    ("mmr(lm-jm:lambda=0.2)", "mmr(lm-jm:lambda=0.2)"),
    ("xquad(bm25 >> dph,depth=5)", "xquad(bm25 >> dph, depth=5)"),
    ("passages", "passages(bm25)"),
    ("MMR(BM25, lambda=0.7)", "mmr(bm25, lambda=0.7)"),
    ("rrf(passages(bm25, words=20), bm25)", "rrf(passages(bm25, words=20)) + rrf(bm25)"),
    ("formula:tf/(tf+1) >> bm25", "formula:tf/(tf+1) >> bm25"),
    ("mmr(rm3(bm25)@3 >> bm25)", "mmr(rm3(bm25)@3 >> bm25)"),
    ("xquad(bm25@20 >> impact:w.jsonl,queries=q.jsonl)", "xquad(bm25@20 >> impact:w.jsonl,queries=q.jsonl)"),
    ("mmr(bm25:b=0.4@20>>dph, depth=5)", "mmr(bm25:b=0.4@20 >> dph, depth=5)"),
    ("0.7*bm25+0.3*tfidf", "0.7*bm25 + 0.3*tfidf"),
    ("bm25:k1=1e+0 + 2*bm25:b=0", "bm25:k1=1 + 2*bm25:b=0"),
    ("2*min-max(bm25:b=0.4)*0.5", "min-max(bm25:b=0.4)"),
    ("rm3(sdm(bm25:k1=2,window=4),lambda=.4, docs=5)", "rm3(sdm(bm25:k1=2, window=4), docs=5, lambda=0.4)"),
    ("rm3(lm-jm:lambda=0.5)", "rm3(lm-jm:lambda=0.5)"),
    ("rm3(lm-jm, lambda=0.4)", "rm3(lm-jm, lambda=0.4)"),
    ("rm3((lm-jm:lambda=0.3),lambda=0.6)", "rm3(lm-jm:lambda=0.3, lambda=0.6)"),
    ("mmr((bm25f:title=3,depth=2), depth=7)", "mmr((bm25f:title=3,depth=2), depth=7)"),
    ("min-max(0.5*bm25 + 0.5*mmr(dph))", "min-max(0.5*bm25 + 0.5*mmr(dph))"),
    ("min-max(rm3( bm25 )) + bm25", "min-max(rm3(bm25)) + bm25"),
    ("-1*bm25 + prior:year*0.1*cosine", "-1*bm25 + 0.1*prior:year*cosine"),
    ("two=bm25 >> dph", "two"),
    ("BM25:b=0.4", "bm25:b=0.4"),
    ("bm25f:text=1,title=2", "bm25f"),
    ("smart:Lnu.ltu,10", "smart:weights=Lnu.ltu,base=10"),
]


@pytest.mark.parametrize(("text", "full"), FULL)
def test_a_text_reads_back_in_its_full_form(text, full):
    assert str(model(text)) == full
    if "=" not in text.partition("bm25")[0]:  # not a name of its own
        assert model(full) == model(text)
        assert hash(model(full)) == hash(model(text))


MISPLACED = {
    "MMR:lambda=0.7": "mmr(bm25, lambda=0.7)",
    "mmr(dph):lambda=0.7,depth=9": "mmr(dph, lambda=0.7, depth=9)",
    "0.5*bm25 + rm3:docs=5": "0.5*bm25 + rm3(bm25, docs=5)",
    "rm3(bm25:docs=5)": "rm3(bm25, docs=5)",
    "rm3(bm25:docs=3,b=0.1,lambda=0.2)": "rm3(bm25:b=0.1, docs=3, lambda=0.2)",
    "rm3(bm25, b=0.4)": "rm3(bm25:b=0.4)",
    "rm3(sdm(bm25:k1=2):docs=5)": "rm3(sdm(bm25:k1=2), docs=5)",
    "sdm((lm-dirichlet:mu=1000):window=4)": "sdm(lm-dirichlet:mu=1000, window=4)",
    "rrf(bm25, kl(bm25:docs=2))": "rrf(bm25) + rrf(kl(bm25, docs=2))",
    "passages(mmr(bm25:depth=3), words=9)": "passages(mmr(bm25, depth=3), words=9)",
}


@pytest.mark.parametrize(("text", "right"), MISPLACED.items())
def test_a_setting_in_the_wrong_place_is_refused_with_the_text_to_copy(text, right):
    told = f"'{text}': settings of a model follow a colon, those of a call a comma; write {right}"
    with raising(ToysearchError, told):
        model(text)
    assert str(model(right)) == right


@pytest.mark.parametrize("name", [*FACTOR_NORMALISATIONS, *ADDED, *STAGES])
def test_the_parameters_inside_a_call_are_those_of_the_whole(name):
    whole = model(f"{name}(bm25)")
    assert str(whole.bind(b=0.4)) == f"{name}(bm25:b=0.4)"
    assert [*whole.parameters] == [*(CALLS[name].settings if name in CALLS else {}), "k1", "b", "k3"]


def test_the_parameters_of_a_deep_ranker_are_found_once():
    text = "bm25"
    for _ in range(18):
        text = f"min-max(2*{text} + dph)"
    deep = model(text)
    assert {*deep.parameters} == {*deep.ranges} == {"weight1", "weight2", "k1", "b", "k3"}
    assert str(deep.bind(b=0.4)) == text.replace("bm25", "bm25:b=0.4")


def test_parameters_of_pipelines_are_bound():
    assert str(model("bm25@9 >> dph@7 >> dice").bind(depth2=3)) == "bm25@9 >> dph@3 >> dice"
    assert str(model("passages(rm3(bm25))").bind(words=5, docs=2)) == "passages(rm3(bm25, docs=2), words=5)"
    with raising(ToysearchError, "depth1 of bm25@9 >> dph must be a whole number of at least 1"):
        model("bm25@9 >> dph").bind(depth1=0.5)
    with raising(ToysearchError, "the parameters of 'mmr(bm25)' need names: lambda, depth, k1, b, k3"):
        model("mmr(bm25)").bind(1)


def test_the_base_of_smart_belongs_to_any_logarithm():
    assert model("smart:dnn.nnn,base=none").parameters["base"] is None
    for weights in ("nnn.dnn", "nnn.npn", "npn.nnn", "nnn.ntn", "nnn.Lnn", "Lnn.nnn", "lnn.nnn", "nnn.lnn"):
        assert model(f"smart:{weights},base=2").parameters["base"] == 2


METHODS = {"walk": {}, "jump": {"height": WEIGHT, "times": DEPTH}}


def test_settings_by_place_and_by_name():
    assert chosen("method", "walk", METHODS) == ("walk", {})
    assert chosen("method", "jump", METHODS) == ("jump", {})
    assert chosen("method", "jump:0.5,times=3", METHODS) == ("jump", {"height": 0.5, "times": 3})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fly", "unknown method 'fly'. Methods: walk, jump"),
        ("walk:3", "walk has no settings; leave out 3"),
        ("jump:1,2,3", "jump has no setting '3'. Settings of jump: height, times"),
        ("jump:hight=1", "jump has no setting 'hight'; did you mean 'height'? Settings of jump: height, times"),
        ("jump:far=x", "jump has no setting 'far'. Settings of jump: height, times"),
        ("jump:times=1.5", "times of jump must be a whole number of at least 1, not '1.5'"),
        ("jump:high", "height of jump must be a finite number, not 'high'"),
    ],
)
def test_what_is_no_method(text, sentence):
    with raising(ArgumentError, sentence):
        chosen("method", text, METHODS)
