"""Several texts of one need: each need counts once in a mean; spread, worst text, overlap; every way to say it."""

import copy
import gzip
import itertools
import json
import math
import pickle
import random
import statistics
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import done, refusal
from small_collections import TREES as DOCUMENTS

import toysearch
from toysearch import Qrels, Run, compare, evaluate
from toysearch.collection.collection import Queries
from toysearch.collection.queries import read_queries
from toysearch.study import consistency, scores
from toysearch.study.compare.comparison import caveats
from toysearch.study.compare.correlation import mean_overlap, rank_biased_overlap

TEXTS = {
    "w1": ("1", "hard wood"),
    "w2": ("1", "oak and axe"),
    "w3": ("1", "snow"),
    "h1": ("2", "warm room"),
    "h2": ("2", "stove"),
    "c1": ("3", "cutting a tree saw"),
}
JUDGED = {
    "1": {"oak": 2, "axe": 1, "pine": 0},
    "2": {"fire": 2, "axe": 1, "snow": 0},
    "3": {"saw": 1, "axe": 1},
}
MEASURES = ["AP", "nDCG@10", "P@2"]


def collection_of(texts=TEXTS, qrels=JUDGED):
    queries = [{"query_id": text, "text": words, "need": need} for text, (need, words) in texts.items()]
    return toysearch.Collection("trees", DOCUMENTS, queries, qrels)


def by_text(model):
    """The values of each text, judged by itself: no need is known."""
    plain = {text: JUDGED[need] for text, (need, _) in TEXTS.items()}
    run = toysearch.Searcher(toysearch.Index.build(DOCUMENTS), model).run({text: row[1] for text, row in TEXTS.items()})
    return run, evaluate(run, plain, MEASURES).per_query


def texts_of(need):
    return [text for text, (of, _) in TEXTS.items() if of == need]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet"])
def test_mean_spread_worst_text_and_overlap_are_those_of_plain_loops(model, measure):
    run, values = by_text(model)
    found = scores([model], collection_of(), MEASURES)
    [evaluation], [consistent] = found.evaluations, found.consistencies
    means = {need: math.fsum(values[t][measure] for t in texts_of(need)) / len(texts_of(need)) for need in JUDGED}
    assert evaluation[measure] == math.fsum(means.values()) / 3
    assert {need: row[measure] for need, row in evaluation.by_need.items()} == means
    rows = {row.need: row for row in consistent.rows if row.measure == measure}
    for need in JUDGED:
        texts, row = texts_of(need), rows[need]
        column = [values[text][measure] for text in texts]
        assert (row.texts, row.mean, row.worst) == (len(texts), means[need], min(column))
        assert row.worst_text == texts[column.index(min(column))]
        if len(texts) == 1:
            assert math.isnan(row.spread)
            assert math.isnan(row.overlap)
            continue
        assert row.spread == pytest.approx(statistics.stdev(column), abs=1e-12)
        rankings = [[hit.doc_id for hit in run.ranking(text)] for text in texts]
        assert row.overlap == pytest.approx(
            statistics.fmean(extrapolated(one, other) for one, other in itertools.combinations(rankings, 2)), abs=1e-12
        )
    several = [rows[need] for need in ("1", "2")]
    assert consistent.of(measure) == pytest.approx(
        {
            "spread": statistics.fmean(row.spread for row in several),
            "worst": statistics.fmean(row.worst for row in rows.values()),
            "overlap": statistics.fmean(row.overlap for row in several),
        }
    )


def extrapolated(one, other, p=0.9):
    """RBO_ext by equation 32 of Webber, Moffat and Zobel 2010, for rankings S and L of any lengths s <= l."""
    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    shared = [len({*short[:d]} & {*long[:d]}) for d in range(n + 1)]
    if not s:
        return 0.0 if n else math.nan
    total = math.fsum(shared[d] / d * p**d for d in range(1, n + 1))
    total += math.fsum(shared[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((shared[n] - shared[s]) / n + shared[s] / s) * p**n


def test_the_oracle_of_the_overlap_agrees_with_lists_worked_by_hand():
    # Of equal depth, p = 0.5: the agreements at depths 1 to 3 are 0, 1 and 2/3, so the sum is 0.5 · (0 + 0.5 + 1/6)
    # and the last agreement goes on with 2/3 · 0.125.
    one, other = ["a", "b", "c"], ["b", "a", "d"]
    by_hand = 0.5 * (1 * 0.5 + 2 / 3 * 0.25) + 2 / 3 * 0.125
    assert extrapolated(one, other, 0.5) == pytest.approx(by_hand)
    assert rank_biased_overlap(one, other, 0.5).extrapolated == pytest.approx(by_hand)
    assert extrapolated(one, one) == pytest.approx(1)
    assert extrapolated(["a", "b"], ["c", "d"]) == 0


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), min_size=2, max_size=2))
def test_overlap_is_that_of_the_definition_for_any_rankings(rankings):
    expected = extrapolated(*rankings)
    assert rank_biased_overlap(*rankings).extrapolated == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=6), st.sampled_from([0.2, 0.9])
)
def test_the_mean_overlap_is_that_of_all_pairs(rankings, p):
    each = [extrapolated(one, other, p) for one, other in itertools.combinations(rankings, 2)]
    defined = [value for value in each if not math.isnan(value)]
    expected = statistics.fmean(defined) if defined else math.nan
    assert mean_overlap(rankings, p) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def calls(function, *arguments):
    """The number of calls of Python functions while a function works."""
    made = 0

    def count(frame, event, argument):
        nonlocal made
        made += event == "call"

    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return made


def test_the_mean_overlap_looks_at_rankings_not_at_their_pairs():
    few, many = ([random.Random(n).sample(range(1000), 100) for n in range(texts)] for texts in (20, 200))
    calls(mean_overlap, few)
    assert calls(mean_overlap, many) < 2 * calls(mean_overlap, few)


def test_a_comparison_tests_needs_and_the_differences_of_their_spread():
    comparison = compare(["bm25", "lm-dirichlet"], collection_of(), MEASURES)
    values = [by_text(model)[1] for model in ("bm25", "lm-dirichlet")]
    for measure in MEASURES:
        rows = [[statistics.fmean(of[t][measure] for t in texts_of(need)) for of in values] for need in JUDGED]
        assert comparison.query_ids[measure] == ("1", "2", "3")
        assert comparison.texts[measure] == tuple(TEXTS)
        np.testing.assert_allclose(comparison.values[measure], rows, atol=1e-15)
        pair = comparison.pair(measure, "lm-dirichlet")
        assert pair.result.n == 3
        assert pair.result.mean == pytest.approx(statistics.fmean(b - a for a, b in rows), abs=1e-12)
        spreads = [[statistics.stdev(of[t][measure] for t in texts_of(need)) for of in values] for need in ("1", "2")]
        [of_spread] = [pair for pair in comparison.spread_pairs if pair.measure == measure]
        assert of_spread.result.n == 2
        assert of_spread.result.mean == pytest.approx(statistics.fmean(b - a for a, b in spreads), abs=1e-12)
    assert "3 needs: with fewer than 25" in caveats(comparison)[0].sentence
    text = str(comparison)
    assert "AP (3 needs), difference from bm25" in text
    assert "over the texts of a need (3 needs in 6 texts)" in text


def test_a_system_wins_a_need_by_a_smaller_spread():
    judged = Qrels({need: {"a": 1} for need in "12"}).for_texts(
        {f"{need}-{text}": need for need in "12" for text in "ab"}
    )
    uneven = {query: ["a", "b"] if query.endswith("a") else ["b", "a"] for query in judged.query_ids}
    even = {query: ["a", "b"] for query in judged.query_ids}
    for measure in ("RR", "ESL"):
        [pair] = compare({"uneven": uneven, "even": even}, judged, measure).spread_pairs
        assert (pair.system, pair.wins, pair.ties, pair.losses) == ("even", 2, 0, 0)


def test_means_over_needs_hold_for_every_aggregate_bounds_of_ties_and_of_unjudged_documents():
    needs = collection_of()
    [evaluation] = scores(["bm25"], needs, "AP").evaluations
    means = [row["AP"] for row in evaluation.by_need.values()]
    assert evaluation.aggregate("AP", "median") == statistics.median(means)
    assert evaluation.aggregate("AP", "min") == min(means)
    low, high = evaluation.tie_bounds["AP"]
    assert low <= evaluation["AP"] <= high
    run = toysearch.Searcher(toysearch.Index.build(DOCUMENTS)).run(needs.queries)
    bounds = toysearch.unjudged_bounds(run, needs, "AP")
    each = [[statistics.fmean(bounds.per_query[t]["AP"][side] for t in texts_of(n)) for n in JUDGED] for side in (0, 1)]
    assert bounds.means["AP"] == pytest.approx([statistics.fmean(side) for side in each])


def test_an_effect_and_a_tuning_are_over_needs():
    needs = collection_of()
    ablation = toysearch.ablate("bm25", needs, "AP")
    evaluation = evaluate(toysearch.Searcher(toysearch.Index.build(DOCUMENTS)).run(needs.queries), needs, "AP")
    assert ablation.query_ids["AP"] == ("1", "2", "3")
    assert ablation.value == pytest.approx(evaluation["AP"])
    found = toysearch.tune("bm25", needs, {"b": [0.75]}, "AP", folds=3)
    assert found.query_ids == ("1", "2", "3")
    assert found.best.value == pytest.approx(evaluation["AP"])


ROWS = [{"query_id": text, "text": words, "need": need} for text, (need, words) in TEXTS.items()]
TOPICS = "".join(
    f"<top>\n<num> Number: {row['query_id']}\n<title> {row['text']}\n<need> {row['need']}\n</top>\n" for row in ROWS
)
SUFFIXED = [(f"{need}-{place}", words) for place, (need, words) in enumerate(TEXTS.values())]
FILES = {
    "queries.csv": "query_id,text,need\n" + "".join(f"{text},{w},{need}\n" for text, (need, w) in TEXTS.items()),
    "headed.csv": "query_id,text,Need ID\n" + "".join(f"{text},{w},{need}\n" for text, (need, w) in TEXTS.items()),
    "queries.tsv": "query_id\ttext\tneed_id\n" + "".join(f"{t}\t{w}\t{need}\n" for t, (need, w) in TEXTS.items()),
    "queries.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "numbered.jsonl": "".join(json.dumps(row | {"need": int(row["need"])}) + "\n" for row in ROWS),
    "list.json": json.dumps(ROWS),
    "topics.trec": TOPICS,
    "lines.txt": "".join(f"{text}\t{words}\n" for text, words in SUFFIXED),
    "underscored.tsv": "query_id\ttext\n" + "".join(f"{t.replace('-', '_')}\t{words}\n" for t, words in SUFFIXED),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The documents, the judgments of needs, and queries in every format, plain and gzipped."""
    path = tmp_path_factory.mktemp("needs")
    (path / "docs.jsonl").write_text("".join(json.dumps({"_id": k, "text": v}) + "\n" for k, v in DOCUMENTS.items()))
    lines = [f"{need} 0 {doc} {grade}\n" for need, grades in JUDGED.items() for doc, grade in grades.items()]
    (path / "qrels.txt").write_text("".join(lines))
    for name, text in FILES.items():
        (path / name).write_text(text)
        with gzip.open(path / f"{name}.gz", "wt") as file:
            file.write(text)
    return path


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("name", FILES)
def test_every_format_of_queries_says_it_to_every_command(name, suffix, folder):
    """The values of models, of runs from files, and of a comparison are those over the needs of the collection."""
    expected = scores(["bm25", "cosine"], collection_of(), "AP")
    queries, qrels = ["--queries", folder / f"{name}{suffix}"], folder / "qrels.txt"
    ranked = [folder / "docs.jsonl", *queries, "--qrels", qrels, "--model", "bm25", "--model", "cosine", "-m", "AP"]
    evaluated = json.loads(done("eval", *ranked, "--json").stdout)
    for system, values, consistent in zip(
        evaluated["systems"], expected.evaluations, expected.consistencies, strict=True
    ):
        assert system["measures"]["AP"] == pytest.approx(values["AP"], abs=1e-12)
        assert system["consistency"]["means"]["AP"] == pytest.approx(consistent.of("AP"), abs=1e-12)
    compared = json.loads(done("compare", *ranked, "--json").stdout)["measures"][0]
    assert compared["queries"] == 3
    assert compared["means"]["bm25"] == pytest.approx(expected.evaluations[0]["AP"], abs=1e-12)
    assert compared["consistency"]["means"]["cosine"] == pytest.approx(expected.consistencies[1].of("AP"), abs=1e-12)
    run = folder / f"{name}{suffix}.run"
    done("run", folder / "docs.jsonl", *queries, "-o", run)
    scored = json.loads(done("eval", run, qrels, *queries, "-m", "AP", "--json").stdout)
    assert scored["systems"][0]["measures"]["AP"] == pytest.approx(expected.evaluations[0]["AP"], abs=1e-12)
    assert scored["systems"][0]["consistency"]["means"]["AP"] == pytest.approx(expected.consistencies[0].of("AP"))


def test_fields_between_bars_are_texts_of_one_need(tmp_path):
    rows = [{"_id": "1", "title": "hard wood", "note": "oak and axe"}, {"_id": "2", "title": "stove", "note": ""}]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    queries = read_queries(tmp_path / "q.jsonl", fields="title|note")
    assert [*queries] == [("1:title", "hard wood"), ("1:note", "oak and axe"), ("2:title", "stove")]
    assert queries.needs == {"1:title": "1", "1:note": "1", "2:title": "2"}
    assert [*read_queries(tmp_path / "q.jsonl", fields=["title | note"])] == [*queries]
    both = read_queries(tmp_path / "q.jsonl", fields="title,note|title")
    assert [*both][:2] == [("1:title+note", "hard wood oak and axe"), ("1:title", "hard wood")]
    with pytest.raises(toysearch.ToysearchError, match="unknown query field 'nte'; did you mean 'note'"):
        read_queries(tmp_path / "q.jsonl", fields="title|nte")


def test_the_collection_languages_has_three_wordings_of_each_need(tmp_path):
    wordings = ("text", "wording_2", "wording_3")
    alone = [toysearch.load("languages", query_fields=field) for field in wordings]
    values = [evaluate(toysearch.Searcher(toysearch.Index.build(c)).run(c.queries), c, "AP").per_query for c in alone]
    together = ["languages", "--query-fields", "|".join(wordings)]
    printed = json.loads(done("eval", *together, "-m", "AP", "--json").stdout)["systems"][0]
    means = [statistics.fmean(of[need]["AP"] for of in values) for need in values[0]]
    assert printed["measures"]["AP"] == pytest.approx(statistics.fmean(means))
    done("run", *together, "-o", tmp_path / "l.run")
    ran = done("eval", tmp_path / "l.run", *together, "-m", "AP", "--json")
    assert json.loads(ran.stdout)["systems"][0]["consistency"]["means"]["AP"]["worst"] == pytest.approx(
        statistics.fmean(min(of[need]["AP"] for of in values) for need in values[0])
    )


def test_a_text_has_its_own_judgments_if_there_are_some():
    judged = Qrels.from_dict({"1": {"a": 1}, "x": {"b": 1}, "9": {"c": 1}})
    joined = judged.for_texts({"x": "1", "y": "1", "z": "7"})
    assert joined.to_dict() == {"y": {"a": 1.0}, "x": {"b": 1.0}, "9": {"c": 1.0}}
    assert joined.needs == {"y": "1", "x": "1"}
    assert joined.need_ids == ["1", "9"]
    assert joined.for_texts({"x": "1", "y": "1"}).to_dict() == joined.to_dict()
    assert joined.for_texts({"new": "1"})["new"] == joined["x"]
    assert judged.for_texts({"9": "9", "8": "9"}).to_dict()["8"] == {"c": 1.0}


def test_texts_numbered_like_other_needs_are_judged_by_their_own_need():
    judged = Qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}, "4": {"d": 1}})
    needs = {"1": "2", "2": "1", "3": "1"}
    joined = judged.for_texts(needs)
    assert joined.to_dict() == {"2": {"a": 1.0}, "3": {"a": 1.0}, "1": {"b": 1.0}, "4": {"d": 1.0}}
    assert joined.for_texts(needs).to_dict() == joined.to_dict()
    assert joined.for_texts({**needs, "5": "2"})["5"] == {"b": 1.0}


def test_a_text_that_keeps_judgments_of_its_own_is_told_of(tmp_path):
    rows = "need,text\n1,hard wood\n1,oak and axe\n"
    (tmp_path / "q.csv").write_text(rows)
    queries = read_queries(tmp_path / "q.csv")
    told = "1 text of a judged need has judgments of its own, such as '2' of need '1', and keeps them"
    with pytest.warns(toysearch.ToysearchNote, match=told):
        collection = toysearch.Collection("trees", DOCUMENTS, queries, JUDGED)
    assert collection.qrels["2"] == JUDGED["2"]


def test_a_field_with_the_ids_of_needs_under_another_name_is_found(folder):
    (folder / "topics.csv").write_text("query_id,text,topic\n1a,hard wood,1\n1b,oak and axe,2\n")
    asked = ("eval", folder / "docs.jsonl", "--queries", folder / "topics.csv", "--qrels", folder / "qrels.txt")
    assert refusal(*asked).endswith("their field 'topic' has judged ids: --query-columns id=topic")
    assert done(*asked, "--query-columns", "id=topic").exit_code == 0
    (folder / "topics.csv").write_text("query_id,text,topic\n1a,hard wood,1\n1b,oak and axe,1\n")
    said = refusal("eval", folder / "docs.jsonl", "--queries", folder / "topics.csv", "--qrels", folder / "qrels.txt")
    assert said.endswith(
        "their field 'topic' has judged ids: rename it 'need', and each query is a text of the need that it names"
    )
    (folder / "topics.csv").write_text("query_id,text,need\n1a,hard wood,1\n1b,oak and axe,1\n")
    found = done("eval", folder / "docs.jsonl", "--queries", folder / "topics.csv", "--qrels", folder / "qrels.txt")
    assert "note: 1 of 3 judged needs is given; every mean is over this one" in found.stderr


def test_needs_that_are_left_out_are_counted_not_their_texts(folder):
    (folder / "topics.csv").write_text("query_id,text,need\n1a,wood,1\n1b,oak,1\n2a,axe,2\n2b,hard,2\n")
    asked = ("eval", folder / "docs.jsonl", "--queries", folder / "topics.csv", "--qrels", folder / "qrels.txt")
    assert "note: 2 of 3 judged needs are given; every mean is over these 2" in done(*asked).stderr
    texts = folder / "topics"
    texts.mkdir()
    for name, file in {"corpus.jsonl": "docs.jsonl", "queries.csv": "topics.csv", "qrels.txt": "qrels.txt"}.items():
        (texts / name).write_bytes((folder / file).read_bytes())
    assert (
        "note: 1 of 3 judged needs is given; every mean is over this one"
        in done(*asked[:1], texts, "--queries", "1a,1b").stderr
    )


def test_leading_zeros_of_needs_are_matched_like_those_of_queries():
    judged = Qrels({"1": {"a": 1}, "02": {"b": 1}, "0": {"c": 1}})
    joined = judged.for_texts({"x": "01", "y": "001", "z": "2", "o": "00"})
    assert joined.to_dict() == {"x": {"a": 1.0}, "y": {"a": 1.0}, "z": {"b": 1.0}, "o": {"c": 1.0}}
    assert Qrels({"1": {"a": 1}}).for_texts({"x": "1", "y": "01"}).to_dict() == {"x": {"a": 1.0}}
    with pytest.warns(toysearch.ToysearchNote, match="2 queries judged as texts of 1 need, such as '01-1' as '01'"):
        texts = toysearch.Collection("trees", DOCUMENTS, {"01-1": "wood", "01-2": "oak"}, JUDGED)
    assert texts.qrels["01-2"] == JUDGED["1"]


def test_subtopics_and_declarations_go_with_the_judgments():
    judged = Qrels.from_subtopics({"1": {"a": {"food": 1, "care": 2}, "b": {"care": 1}}, "2": {"c": {"food": 1}}})
    judged.complete = True
    joined = judged.for_texts({"1a": "1", "1b": "1"})
    assert joined.complete
    assert pickle.loads(pickle.dumps(joined)).needs == copy.deepcopy(joined).needs == {"1a": "1", "1b": "1"}
    assert pickle.loads(pickle.dumps(judged.of_queries(["1"]))).needs == {}
    assert joined.subtopics.names == (("food", "care"), ("food", "care"), ("food",))
    run = {"1a": ["b", "a"], "1b": ["a", "b"], "2": ["c"]}
    single = evaluate({"1": ["b", "a"]}, judged, "alpha_nDCG@5").per_query["1"]["alpha_nDCG@5"]
    assert evaluate(run, joined, "alpha_nDCG@5").per_query["1a"]["alpha_nDCG@5"] == single


@pytest.mark.parametrize("field", ["need", "need_id"])
def test_needs_of_one_text_change_nothing(field):
    """To the bit: the evaluation, the comparison, what is printed."""
    texts = {need: TEXTS[text] for need, text in (("1", "w1"), ("2", "h1"), ("3", "c1"))}
    queries = [{"query_id": text, "text": words, field: need} for text, (need, words) in texts.items()]
    with_needs = toysearch.Collection("trees", DOCUMENTS, queries, JUDGED)
    plain = toysearch.Collection("trees", DOCUMENTS, {text: words for text, (_, words) in texts.items()}, JUDGED)
    assert with_needs.qrels.needs == {}
    one, other = (compare(["bm25", "cosine"], each, MEASURES) for each in (with_needs, plain))
    assert one.data() == other.data()
    assert str(one) == str(other)
    assert str(scores(["bm25"], with_needs, MEASURES)) == str(scores(["bm25"], plain, MEASURES))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.booleans())
def test_an_evaluation_without_needs_averages_its_queries(values, own):
    judged = {str(place): {"a": 1} for place in range(len(values))}
    ranked = {str(place): ["a"] if value > 0.5 else ["b", "a"] for place, value in enumerate(values)}
    qrels = Qrels.from_dict(judged)
    qrels = qrels.for_texts({query_id: query_id for query_id in judged}) if own else qrels
    found = evaluate(ranked, qrels, "RR")
    assert found.by_need is found.per_query
    assert found["RR"] == math.fsum(row["RR"] for row in found.per_query.values()) / len(values)


def test_a_need_of_which_a_run_lacks_a_text_counts_it_as_zero_unless_only_the_retrieved_count():
    qrels = Qrels.from_dict({"1": {"a": 1}}).for_texts({"x": "1", "y": "1"})
    run = Run.from_dict({"x": {"a": 1.0}})
    assert evaluate(run, qrels, "RR")["RR"] == 0.5
    assert evaluate(run, qrels, "RR", only_retrieved=True)["RR"] == 1.0
    [row] = consistency(run, evaluate(run, qrels, "RR")).rows
    assert (row.worst, row.worst_text, row.overlap) == (0.0, "y", 0.0)


def test_the_worst_of_a_measure_that_is_better_low_is_the_highest():
    qrels = Qrels.from_dict({"1": {"a": 1, "b": 0}}).for_texts({"x": "1", "y": "1"})
    [row] = consistency(None, evaluate({"x": ["a", "b"], "y": ["b"]}, qrels, "Fallout(N=9)@1")).rows
    assert row.worst_text == "y"
    assert math.isnan(row.overlap)


def test_a_query_without_a_need_whose_id_is_that_of_a_need_is_its_text():
    queries = Queries([("1", "wood"), ("1b", "timber"), ("5", "snow")], [{}, {"need": "1"}, {"need": ""}])
    assert queries.needs == {"1": "1", "1b": "1"}


def test_numbered_ids_are_texts_only_if_no_query_is_judged_by_its_own_id():
    with_own = toysearch.Collection("trees", DOCUMENTS, {"1": "wood", "1-2": "oak"}, JUDGED)
    assert with_own.qrels.needs == {}
    assert "1-2" not in with_own.qrels
    with pytest.warns(toysearch.ToysearchNote, match="2 queries judged as texts of 1 need, such as '1-1' as '1'"):
        texts = toysearch.Collection("trees", DOCUMENTS, {"1-1": "wood", "1-2": "oak"}, JUDGED)
    assert texts.qrels.needs == {"1-1": "1", "1-2": "1"}


def test_the_mean_of_a_gate_is_over_needs(folder):
    source = 'collection = "docs.jsonl"\nqueries = "queries.csv"\nqrels = "qrels.txt"\n'
    (folder / "relevance.toml").write_text(f'model = "bm25"\n{source}[[expect]]\nmeasure = "AP"\nat_least = 0\n')
    [outcome] = toysearch.gate(folder / "relevance.toml").outcomes
    values = by_text("bm25")[1]
    mean = statistics.fmean(statistics.fmean(values[text]["AP"] for text in texts_of(need)) for need in JUDGED)
    assert outcome.found == f"{mean:.4f}"


def test_means_of_groups_are_over_the_needs_in_each():
    found = toysearch.study.means_by_group(
        {values.name: values for values in scores(["bm25"], collection_of(), "P@2").evaluations},
        toysearch.study.Study.of(collection_of()),
        "need",
    )
    assert [(row.group, row.n) for row in found.rows] == [("1", 1), ("2", 1), ("3", 1)]
    values = by_text("bm25")[1]
    assert [row.mean for row in found.rows] == [statistics.fmean(values[t]["P@2"] for t in texts_of(n)) for n in JUDGED]


def test_the_mean_of_a_group_is_over_the_texts_with_a_value():
    needs = collection_of()
    evaluation = evaluate({"w1": ["snow", "oak"], "w2": ["oak"]}, needs, "P@1", only_retrieved=True)
    groups = toysearch.study.means_by_group({"mine": evaluation}, toysearch.study.Study.of(needs), "need")
    first = groups.rows[0]
    assert (first.group, first.n, first.mean) == ("1", 1, evaluation["P@1"]) == ("1", 1, 0.5)


def test_sentences_count_needs_where_numbers_are_over_needs():
    needs, size = collection_of(), "3 needs in 6 texts"
    compared = compare(scores(["bm25", "dph"], needs, "AP").runs, needs.qrels, "AP")
    assert "needs won, tied, lost" in " ".join(str(compared).split())
    for result in (
        toysearch.ablate("bm25", needs, "AP"),
        toysearch.tune("bm25", needs, {"b": [0.75]}, "AP", folds=3),
        toysearch.robustness("bm25", needs, "AP"),
    ):
        assert f" · {size} · " in result.about()[0]


def test_spreads_are_compared_only_if_two_systems_have_one():
    judged = Qrels({"1": {"oak": 1}}).for_texts({"w1": "1", "w2": "1"})
    runs = {"mine": {"w1": ["oak"]}, "theirs": {"w1": ["axe", "oak"], "w2": ["oak"]}}
    assert "difference in spread" not in str(compare(runs, judged, "AP", only_retrieved=True))
    assert "difference in spread" in str(compare(runs, judged, "AP"))
