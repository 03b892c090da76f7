"""The formulas that docs/site typesets by hand, computed as they stand there: what the models and measures give."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import numpy as np
import pytest
import tex
from conftest import ROOT

import toysearch
from toysearch.models.registry import MODELS

FORMULAS = tomllib.loads((ROOT / "docs" / "site" / "formulas.toml").read_text(encoding="utf-8"))
OF_MODELS = {name: entry["tex"] for name, entry in FORMULAS["models"].items() if "tex" in entry}
WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
CASES = 40

BY_TERM = {"dph"}
"""Weights of one term in one document, to be added up; all others are scores."""
NOT_COMPUTED = {
    "smart": "w is what the letters say",
    "bm25-lucene": "the length that Lucene stores, by cases; tests/unit/models compares it with the bytes of Lucene",
    "bm25f": "it is over fields",
    "sdm": "w is the model inside",
    "rm3": "the weights of an expanded query",
    "rocchio": "likewise",
    "bo1": "likewise",
    "kl": "likewise",
    "axiomatic": "likewise",
    ">>": "s is that of the rankers in it; tests/oracles compare it with a plain loop",
    "passages": "likewise",
    "mmr": "likewise",
    "xquad": "likewise",
    "lsa": "it needs a decomposition",
    "dense": "vectors of the user",
    "impact": "weights of the user",
    "learned": "features of the user",
}


def collection(seed: int) -> tuple[toysearch.Index, list[str]]:
    """Some documents of few words, and a query, at times with a word twice."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(rng.randint(2, 8))] + [" ".join(WORDS)]
    return toysearch.Index.build(texts), rng.choices(WORDS, k=rng.randint(1, 4))


def statistics(index: toysearch.Index, query: list[str], number: int, model: Any) -> dict[str, Any]:
    """What the formulas name, of one document and one query; arrays have an entry for each word of both."""
    text = index.text(number).split()
    words = sorted({*text, *query} & {*index.terms})
    numbers = [index.term_number(word) for word in words]
    tf, qtf = (np.array([float(side.count(word)) for word in words]) for side in (text, query))
    df, cf = (np.array([float(counts[n]) for n in numbers]) for counts in (index.df, index.cf))
    stats, dl = index.stats, float(len(text))
    idf = np.log(stats.N / df)
    kind = model.parameters.get("weights", "tfidf")
    weights = {"tfidf": idf, "tf": np.ones_like(idf), "binary": np.ones_like(idf)}[kind]
    here, there = ((tf > 0) * 1.0, (qtf > 0) * 1.0) if kind == "binary" else (tf, qtf)
    both = float(((tf > 0) & (qtf > 0)).sum())
    sizes = {r"|X \cap Y|": both, "|X|": float((tf > 0).sum()), "|Y|": float((qtf > 0).sum())}
    sizes |= {r"|X \cup Y|": sizes["|X|"] + sizes["|Y|"] - both}
    sizes |= {r"|X \setminus Y|": sizes["|X|"] - both, r"|Y \setminus X|": sizes["|Y|"] - both}
    return {
        **sizes,
        **{r"\mathit{tf}": tf, r"\mathit{tf}_d": tf, r"\mathit{tf}_q": qtf, r"\mathit{idf}_t": idf},
        **{"d_t": here * weights, "q_t": there * weights, "qtf": qtf, "F": cf, r"\mathit{cf}": cf},
        **{"p(t|C)": cf / stats.T, "N": stats.N, "T": stats.T, r"\mathit{avgdl}": stats.avgdl, r"\mathit{dl}": dl},
        **{r"\mathit{distinct}": float(len({*text})), r"\pi": np.pi, "size": len(words)},
        **{"\\" + name: model.parameters.get(name, 0.0) for name in ("mu", "delta", "alpha", "beta")},
        r"\lambda": model.parameters.get("lambda_", 0.0),
    }


def computed(formula: str, name: str, names: dict[str, Any]) -> float:
    """A score by the formula: over the words of the query, each as often as it stands there."""
    if name in BY_TERM:
        weights = [
            tex.value(formula, {**names, "t": t}) if names[r"\mathit{tf}"][t] else 0 for t in range(names["size"])
        ]
        return float(names["qtf"] @ np.array(weights))
    if name.startswith("lm-"):
        repeated = np.repeat(np.arange(names["size"]), names["qtf"].astype(int))
        names = {key: one[repeated] if isinstance(one, np.ndarray) else one for key, one in names.items()}
        names["size"] = len(repeated)
    return tex.value(formula, names)


@pytest.mark.parametrize("name", [name for name in OF_MODELS if name not in NOT_COMPUTED])
def test_the_formula_of_a_model_gives_its_scores(name: str) -> None:
    """On the first form of a formula; a second one, "on sets", is computed where the weights are binary."""
    rng = random.Random(name)
    compared = undefined = 0
    for seed in range(CASES):
        index, query = collection(seed)
        text = name if seed % 2 else f"{name}{parameters(name, rng)}"
        searcher = toysearch.Searcher(index, text)
        first, _, second = OF_MODELS[name].partition(r", \quad \text{on sets } ")
        for hit in searcher.search(" ".join(query), k=None, query_mode="plain"):
            names = statistics(index, query, index.doc_number(hit.doc_id), searcher.model)
            try:
                score = computed(first, name, names)
            except (
                ZeroDivisionError,
                ValueError,
            ):  # 0 / 0 of an empty vector, log 0 of a document of one repeated word
                undefined += 1
                continue
            assert score == pytest.approx(hit.score, rel=1e-12, abs=1e-12), (text, query)
            if second:
                assert tex.value(second, names) == pytest.approx(hit.score, rel=1e-12)
            compared += 1
    assert compared > CASES > undefined


def parameters(name: str, rng: random.Random) -> str:
    """Other values than the defaults, for the parameters that a formula names."""
    ranges = {"mu": (1, 3000), "lambda": (0.05, 0.95), "delta": (0.05, 0.95), "alpha": (0, 2), "beta": (0, 2)}
    keys = [key for key in ranges if f"\\{key}" in OF_MODELS[name]]
    given = [f"{key}={rng.uniform(*ranges[key]):.3f}" for key in keys]
    return f":{','.join(given)}" if given else ""


def test_each_formula_of_a_model_is_computed_or_says_why_not() -> None:
    assert set(NOT_COMPUTED) <= set(OF_MODELS)
    assert set(OF_MODELS) - set(NOT_COMPUTED) <= set(MODELS)


@pytest.mark.parametrize(
    ("right", "wrong"), [(r"\mu", r"\lambda"), ("cf", "tf"), (r"\mathit{dl} + \mu", r"\mathit{dl}")]
)
def test_a_wrong_formula_is_found(right: str, wrong: str) -> None:
    index, query = toysearch.Index.build(["ant bee bee", "ant cat"]), ["ant", "bee"]
    searcher = toysearch.Searcher(index, "lm-dirichlet:mu=5")
    [hit, *_] = searcher.search("ant bee")
    names = statistics(index, query, index.doc_number(hit.doc_id), searcher.model)
    formula = OF_MODELS["lm-dirichlet"]
    assert computed(formula, "lm-dirichlet", names) == pytest.approx(hit.score, rel=1e-12)
    names[r"\lambda"] = 0.5
    assert computed(formula.replace(right, wrong), "lm-dirichlet", names) != pytest.approx(hit.score, rel=1e-3)


OF_MEASURES = {name: entry["tex"] for name, entry in FORMULAS["measures"].items()}
IN_WORDS = {"NumQ": "1 in words", "NumRet": "a count in words"}
IN_WORDS |= dict.fromkeys(
    [name for name in OF_MEASURES if toysearch.MEASURES[name].family == "diversity"],
    "sub-topics, which tests/oracles/test_diversity.py computes in loops",
)
IN_WORDS |= dict.fromkeys(
    ["INSQ", "INST", "BPM", "RBU", "ETU", "ED", "EUres"], "users, whom tests/oracles/test_effort.py follows in loops"
)
IN_WORDS["Compat"] = "the ideal ranking most like this one is not in the formula"


def judged_ranking(rng: random.Random) -> tuple[dict[str, float], dict[str, int]]:
    """A ranking without ties, with documents of each grade, without one, and missed ones."""
    doc_ids = [f"d{number}" for number in range(16)]
    found = rng.sample(doc_ids, rng.randint(1, 14))
    judged = {doc_id: rng.choice([0, 0, 1, 2, 3]) for doc_id in rng.sample(doc_ids, rng.randint(3, 14))}
    judged[rng.choice([*judged])] = 1
    return {doc_id: float(-rank) for rank, doc_id in enumerate(found)}, judged


def names_of_ranking(run: dict[str, float], judged: dict[str, int], k: int) -> dict[str, Any]:
    """What the formulas of measures name, of one ranking."""
    found, n = [*run], 16
    grades = [judged.get(doc_id, 0) for doc_id in found] + [0] * (n + k - len(found))
    ideal = sorted(judged.values(), reverse=True) + [0] * (n + k - len(judged))
    relevant = [float(grade > 0) for grade in grades]
    unrelevant = [doc_id in judged and not judged[doc_id] for doc_id in found]
    total = sum(grade > 0 for grade in judged.values())

    def at(values: list[Any]) -> Any:
        return lambda i: float(values[int(i) - 1])

    def up_to(values: list[Any]) -> Any:
        return lambda i: float(sum(values[: int(i)]))

    def precision(i: float) -> float:
        return sum(relevant[: int(i)]) / i

    def iprec(x: float) -> float:
        return max([precision(i) for i in range(1, n + 1) if sum(relevant[:i]) >= int(x * total + 0.9)] or [0.0])

    positives, retrieved = sum(relevant), len(found)
    hits = [i for i in range(1, retrieved + 1) if relevant[i - 1]]
    judged_ranks = [{"i": i} for i, doc_id in enumerate(found, 1) if doc_id in judged]
    pooled = [doc_id in judged for doc_id in found]
    return {
        **dict.fromkeys(
            ["i", "j", "l", "n_d", r"\mathrm{AP}_q", r"\mathit{pooled}", r"\mathit{rel}", r"\mathit{nonrel}"]
        ),
        **{"ranks": range(1, n + 1), "r": at(relevant), "R": total, "k": k, r"\mathrm{P@}": precision},
        **{r"\mathit{gain}": at(grades), r"\mathit{gain}^{*}": at(ideal)},
        **{"C": up_to(relevant), r"\mathit{cg}": up_to(grades), r"\mathit{cg}^{*}": up_to(ideal), r"\beta": 1.0},
        **{r"\mathit{grade}": at(grades), r"\mathit{grade}_{\max}": max(ideal), "p": 0.8, r"\alpha": 0.5},
        **{r"\mathrm{IPrec@}": iprec, "x": 0.4, r"\varepsilon": 0.00001},
        **{r"\mathit{rank}_n": hits[0] if hits else np.inf, "n": 1, "N": 100, r"\mathit{retrieved}": retrieved},
        **{r"\mathrm{TP}": positives, r"\mathrm{FP}": retrieved - positives, r"\mathrm{FN}": total - positives},
        **{r"\mathrm{TN}": 100 - retrieved - total + positives, r"\text{retrieved}": retrieved},
        "P": positives / retrieved,
        r"\left| \{ i \le k : d_i \text{ judged} \} \right|": sum(pooled[:k]),
        r"\left| \{ i \le k : d_i \text{ unjudged} \} \right|": sum(not one for one in pooled[:k]),
        r"i \text{ judged}": judged_ranks,
        r"\text{relevant } d": [{"n_d": sum(unrelevant[: i - 1])} for i in hits],
    }


def own_names(name: str, names: dict[str, Any], run: dict[str, float], judged: dict[str, int]) -> dict[str, Any]:
    """The letters that stand for something else in the formula of one measure."""
    found, k, total = [*run], names["k"], names["R"]
    precision, recall = names[r"\mathrm{P@}"](k), sum(map(names["r"], range(1, k + 1))) / total
    of_set = {"R": names[r"\mathrm{TP}"] / total}
    gain = names[r"\mathit{gain}"]
    share = {r"\mathit{gain}": lambda i: gain(i) / max(judged.values())}
    unrelevant = sum(not grade for grade in judged.values())
    cases = []
    for i, doc_id in enumerate(found, 1):
        above = [judged[one] for one in found[: i - 1] if one in judged]
        if judged.get(doc_id):
            relevant = sum(grade > 0 for grade in above)
            cases.append({"k": i, r"\mathit{rel}": relevant, r"\mathit{nonrel}": len(above) - relevant})
            cases[-1][r"\mathit{pooled}"] = len(above)
    value = toysearch.evaluate({"q": run}, qrels={"q": judged}, measures="AP")["AP"]
    return {
        "F": {"P": precision, "R": recall},
        "RBP": share,
        "Bpref": {"N": unrelevant},
        "infAP": {r"\text{relevant at } k": cases},
        "GMAP": {"q": [{r"\mathrm{AP}_q": value}]},
        "SetF": of_set,
        "SetE": of_set,
        "SetAP": of_set,
    }.get(name, {})


@pytest.mark.parametrize("name", [name for name in OF_MEASURES if name not in IN_WORDS])
def test_the_formula_of_a_measure_gives_its_value(name: str) -> None:
    rng = random.Random(name)
    definition = toysearch.MEASURES[name]
    compared = undefined = 0
    for _ in range(CASES):
        run, judged = judged_ranking(rng)
        k = rng.randint(1, 14)
        at = {"needed": f"@{k}", "recall": "@0.4"}.get(definition.cutoff, "")
        if definition.cutoff == "optional" and "@}k" in OF_MEASURES[name]:
            at = f"@{k}"
        size = "(N=100)" if "N" in definition.needs else ""
        evaluation = toysearch.evaluate({"q": run}, qrels={"q": judged}, measures=f"{name}{size}{at}")
        [value] = evaluation.means.values()
        names = names_of_ranking(run, judged, k)
        names |= own_names(name, names, run, judged)
        try:
            computed_value = tex.value(OF_MEASURES[name], names)
        except (ZeroDivisionError, ValueError):  # 0 / 0, or the first of no ranks
            undefined += 1
            continue
        assert computed_value == pytest.approx(value, rel=1e-12, abs=1e-12), (run, judged, at)
        compared += 1
    assert compared > undefined


def test_each_formula_of_a_measure_is_computed_or_in_words() -> None:
    assert set(IN_WORDS) <= set(OF_MEASURES)
    assert set(OF_MEASURES) == set(toysearch.MEASURES)
