"""Means and tests by groups of queries, against plain loops."""

import json
import math
from itertools import product

import numpy as np
import pytest
from error_messages import raising
from grouped_means import group_means
from scipy import stats
from shell import done, json_of, run
from small_collections import write_beir

import toysearch
from toysearch.base import ArgumentError

TYPES = {"1": "care", "2": "care, health", "3": "health", "4": ""}


@pytest.fixture(scope="module")
def pets(tmp_path_factory):
    """Forty documents, and four queries of which three have a type."""
    folder, rng = tmp_path_factory.mktemp("groups"), np.random.default_rng(0)
    words = ["cat", "dog", "fish", "bird", "tick", "food"]
    texts = {str(n): {"text": " ".join(rng.choice(words, rng.integers(2, 9)))} for n in range(40)}
    queries = {"1": "cat", "2": "cat dog", "3": "bird fish", "4": "a dog or a tick food"}
    qrels = {query_id: {str(n): int(rng.integers(0, 2)) for n in range(40)} for query_id in queries}
    write_beir(folder, texts, queries, qrels)
    lines = [json.dumps({"_id": query_id, "text": queries[query_id], "type": TYPES[query_id]}) for query_id in queries]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    return folder


def per_query(pets, model):
    collection = toysearch.load(pets)
    values = toysearch.evaluate(
        toysearch.Searcher(collection, model).run(collection.judged_queries), collection.qrels, "AP"
    )
    return {query_id: row["AP"] for query_id, row in values.per_query.items()}


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("type", {"care": ["1", "2"], "health": ["2", "3"]}),
        ("length", {"1": ["1"], "2": ["2", "3"], "5 or more": ["4"]}),
    ],
)
def test_each_group_is_the_mean_over_its_queries(pets, by, groups):
    found = group_means(["bm25", "dph", "dice"], pets, by=by, correction="none")
    assert [*dict.fromkeys(row.group for row in found.rows)] == [*groups]
    values = {model: per_query(pets, model) for model in ("bm25", "dph", "dice")}
    for row in found.rows:
        own, base = ([values[model][query_id] for query_id in groups[row.group]] for model in (row.system, "bm25"))
        assert (row.n, row.mean) == (len(own), pytest.approx(np.mean(own), abs=1e-12))
        if row.system != "bm25":
            assert row.difference == pytest.approx(np.mean(own) - np.mean(base), abs=1e-12)
            p = stats.ttest_rel(own, base).pvalue if len(own) > 1 else None
            assert row.p == (p if p is None else pytest.approx(p, abs=1e-9))


def test_each_item_of_a_list_is_a_group(tmp_path):
    write_beir(tmp_path, {"a": {"text": "cat"}}, {"1": "cat", "2": "cat"}, {"1": {"a": 1}, "2": {"a": 1}})
    lines = ['{"_id": "1", "text": "cat", "tags": ["old law", "x"]}', '{"_id": "2", "text": "cat", "tags": ["x"]}']
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    assert [(row.group, row.n) for row in group_means(["bm25"], tmp_path, by="tags").rows] == [("old law", 1), ("x", 2)]


def test_all_tests_are_one_family(pets):
    plain, holm = (
        group_means(["bm25", "dph", "dice"], pets, by="type", correction=how) for how in ("none", "bonferroni")
    )
    tests = [row.p for row in plain.rows if row.p is not None]
    assert [row.p for row in holm.rows if row.p is not None] == pytest.approx([min(1.0, 4 * p) for p in tests])
    assert (len(tests), holm.ungrouped) == (4, 1)
    assert {(row.n, row.low, row.high) for row in holm.rows if row.p is not None} == {(2, None, None)}
    assert holm.data()["note"] == "fewer than 5 are too few for confidence intervals"


def test_the_intervals_of_all_tests_are_as_much_wider():
    plain, holm = (group_means(["bm25", "dph"], "companions", correction=how) for how in ("none", "bonferroni"))
    ends = [[(row.low, row.high) for row in each.rows if row.p is not None] for each in (plain, holm)]
    groups = [row.n for row in plain.rows if row.p is not None]
    assert (groups, "note" in holm.data()) == ([11, 5, 13, 29], False)
    for n, (low, high), (lower, higher) in zip(groups, *ends, strict=True):
        wider = stats.t.ppf(1 - 0.05 / 4 / 2, n - 1) / stats.t.ppf(1 - 0.05 / 2, n - 1)
        assert (higher - lower, higher + lower) == pytest.approx(((high - low) * wider, high + low), abs=1e-9)


def test_eval_and_compare_show_the_same_groups(pets):
    systems = ["--model", "bm25", "--model", "dph", "--by", "type", "-m", "AP P@5", "--json"]
    groups, compared = (json_of(done(name, pets, *systems).stdout) for name in ("eval", "compare"))
    assert groups == compared
    rows = [(row["measure"], row["group"], row["system"]) for row in groups["rows"]]
    assert rows == [*product(("AP", "P@5"), ("care", "health"), ("bm25", "dph"))]
    alone, two = (done("eval", pets, *some, "--by", "type", "-m", "AP").stdout for some in (systems[:2], systems[:4]))
    assert [text.split("\n")[0].split()[3:] for text in (alone, two)] == [["AP"], ["AP", "diff.", "low", "high", "p"]]
    options = ["--by", "type", "-m", "AP", "--test", "sign", "--correction", "bonferroni", "--baseline", "dph"]
    other = json.loads(done("compare", pets, *systems[:4], *options, "--json").stdout)
    assert (other["baseline"], other["test"], other["correction"]) == ("dph", "sign", "bonferroni")
    assert [row["system"] for row in other["rows"]] == ["dph", "bm25"] * 2
    assert "leave out" in run("eval", pets, *systems, "--worst", "2").stderr


def test_the_queries_of_run_files_are_those_asked_for(pets, tmp_path):
    values = {model: per_query(pets, model) for model in ("bm25", "dph")}
    runs = [tmp_path / f"{model}.run" for model in values]
    for run_file in runs:
        done("run", pets, "--model", run_file.stem, "-o", run_file)
    done("judge", "merge", pets, "-o", tmp_path / "qrels.txt")
    (tmp_path / "two.csv").write_text("query_id,text,kind\n1,cat,a\n3,bird fish,b\n")
    for judged in (pets, tmp_path / "qrels.txt"):
        asked = ["--qrels", judged, "--queries", tmp_path / "two.csv", "-m", "AP", "--ties", "trec_eval", "--json"]
        result = done("eval", *runs, *asked)
        assert "2 of 4 judged queries are given; every mean is over these 2" in result.stderr
        assert "left out" not in result.stderr
        means = {row["system"]: row["measures"]["AP"] for row in json.loads(result.stdout)["systems"]}
        rows = json.loads(done("compare", *runs, *asked, "--by", "kind").stdout)["rows"]
        single = {(row["system"], row["group"]): row["mean"] for row in rows}
        for model, of in values.items():
            assert means[model] == pytest.approx((of["1"] + of["3"]) / 2, abs=0.02)  # ties may be ordered otherwise
            assert single[model, "a"] + single[model, "b"] == pytest.approx(2 * means[model])
    result = run("eval", runs[0], tmp_path / "qrels.txt", "--by", "length")
    sentence = "toysearch: grouping needs the queries; give them: --queries FILE, or name a collection\n"
    assert (result.exit_code, result.stderr) == (2, sentence)


def test_wrong_fields_are_refused(pets):
    problem = "unknown field of the queries 'typ'; did you mean 'type'? Fields of the queries: length, text, type"
    with raising(ArgumentError, problem):
        group_means(["bm25"], pets, by="typ")


def test_a_file_of_ids_chooses_queries_of_the_collection(pets, tmp_path):
    (tmp_path / "ids.txt").write_text("3\n\n1\n")
    found = json.loads(
        done("eval", pets, "--queries", tmp_path / "ids.txt", "--by", "type", "-m", "AP", "--json").stdout
    )
    values = per_query(pets, "bm25")
    assert [(row["group"], row["mean"]) for row in found["rows"]] == [("care", values["1"]), ("health", values["3"])]
    (tmp_path / "ids.txt").write_text("3\nx\n")
    result = run("eval", pets, "--queries", tmp_path / "ids.txt")
    assert (result.exit_code, result.stderr) == (
        2,
        f"toysearch: {tmp_path / 'ids.txt'}:2: expected the id of a query of the collection, found 'x'\n",
    )


def test_a_mean_of_a_group_is_that_of_all_its_values(pets):
    """An infinite one counts, as for all queries; GMAP has no mean."""
    documents = [("a", "cat"), ("b", "dog")]
    collection = toysearch.Collection(
        "two",
        [toysearch.Document(*document) for document in documents],
        [toysearch.Query("1", "cat"), toysearch.Query("2", "cat")],
        toysearch.Qrels({"1": {"a": 1}, "2": {"b": 1}}),
    )
    [row] = group_means(["bm25"], collection, "ESL").rows
    assert (row.n, row.mean) == (2, math.inf)
    with raising(ArgumentError, "GMAP is not a mean over queries; compare AP, from whose values it is computed"):
        group_means(["bm25"], pets, "GMAP")
