"""`toysearch eval` on single queries: --explain, --worst with causes, --hardest; `score`."""

import json
import re
from functools import partial

import pytest
import shell

from toysearch.base.rendering import written
from toysearch.study.compare.system_scores import scores

run = partial(shell.run, "eval")
score = partial(shell.run, "score")


@pytest.mark.system
def test_an_explanation_has_the_relevant_ranks_and_nothing_of_other_queries():
    result = run("companions", "--explain", "AP", "--query-id", "12")
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith("AP of query 12, bm25: ")
    rows = result.stdout.splitlines()[3:-5]
    assert rows[1].split() == ["1–10", "…", "10", "not", "relevant"]
    assert sum(" yes " in row for row in rows) == 16
    assert len(rows) < 45
    both = run("companions", "--explain", "AP", "--query-id", "12", "--worst", "1")
    assert both.stdout.startswith("measure ")
    assert "note:" in both.stderr


@pytest.mark.parametrize("ranking", ["I I", "R R", "I R", "R I I", "I"])
def test_how_is_a_fraction_where_the_value_is_0_or_1_and_never_a_name_of_the_code(ranking):
    rows = [line.split("\t") for line in score(ranking, "--relevant", "2", "--tsv").stdout.splitlines()]
    how = {measure: text for measure, _, text in rows}
    places = ranking.split()
    depth, found = len(places), places.count("R")
    expected = {f"P@{depth}": f"{found} / {depth}", f"R@{depth}": f"{found} / 2", "SetP": f"{found} / {depth}"}
    assert {measure: how[measure] for measure in expected} == expected
    assert how[f"Hole@{depth}"] == f"0 / {depth}"
    names = r"\b(found|cutoff|TP|FP|FN|wanted|retrieved|top|own|whole|most|levels)\b"
    assert {measure: text for measure, text in how.items() if re.search(names, text)} == {}


def test_bounds_over_the_unjudged_are_those_of_the_command_unjudged():
    data = json.loads(score("R U I", "--relevant", "3", "-m", "P@3 AP DCG nDCG", "--json").stdout)
    bounds = {row["measure"]: row["bounds"] for row in data["measures"]}
    assert bounds == {
        "P@3": [pytest.approx(1 / 3), pytest.approx(2 / 3)],
        "AP": [pytest.approx(1 / 3), 0.5],  # (1/1 + 2/2) / 4: it would be a fourth, as for `--bounds`
        "DCG": [1, pytest.approx(1.630930, abs=5e-7)],
        "nDCG": None,
    }


@pytest.mark.system
def test_the_worst_queries_are_scored_once(tmp_path, monkeypatch):
    """The model notes how many postings it weighs: as many with --worst as without."""
    monkeypatch.setenv("TOYSEARCH_PATH", "plain")  # prepared for compiled loops, other postings are weighed
    (tmp_path / "mine.py").write_text(
        f"def rank(tf, df, N):\n    print(len(tf), file=open({str(tmp_path / 'weighed')!r}, 'a'))\n    return tf / df\n"
    )
    weighed = []
    for worst in ((), ("--worst", "3")):
        (tmp_path / "weighed").write_text("")
        run("companions", "--model", f"{tmp_path / 'mine.py'}:rank", "-m", "AP", *worst)
        weighed.append(sum(map(int, (tmp_path / "weighed").read_text().split())))
    assert weighed[0] == weighed[1] > 0


def test_five_queries_are_the_worst_where_no_number_is_given():
    out = run("companions", "--worst").stdout
    assert out == run("companions", "--worst", "5").stdout
    told = run("--worst", "companions")
    assert told.exit_code == 2
    assert "'companions' is not a whole number; without a value, --worst comes last" in told.stderr


@pytest.mark.system
def test_with_a_collection_the_index_gives_causes(corpora):
    out = run("cranfield", "--worst", "1", "-m", "AP").stdout
    assert "4 of 4 relevant documents share no term with the query" in out


def test_the_signs_of_a_ranking_need_no_quotes():
    assert score("1", "0", "1", "1", "0", "--relevant", "3").stdout == score("1 0 1 1 0", "--relevant", "3").stdout
    assert score().exit_code == 2


@pytest.mark.parametrize("ties", [(), ("--ties", "bounds")])
@pytest.mark.parametrize("models", [("bm25",), ("bm25", "tfidf"), ("bm25", "tfidf", "dph")])
def test_many_measures_of_a_few_systems_are_below_each_other(models, ties):
    named = [part for model in models for part in ("--model", model)]
    lines = shell.run("eval", "cat-dog-parrot", *named, "-m", "official", *ties).stdout.splitlines()
    of_few = ["low", "high"] if ties else ["any", "order", "of", "ties"]
    more = of_few if len(models) < 3 else []  # the bounds of three are further rows
    assert lines[0].split() == ["measure", *(word for model in models for word in (model, *more))]
    assert max(map(len, lines)) <= 80


@pytest.mark.system
def test_the_worst_queries_fit_in_80_columns():
    found = scores(["bm25"], "companions", worst=3)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", written(found.text_parts(80, 80), 80, 80)).splitlines()
    assert len(lines) > 10
    assert max(map(len, lines)) <= 80
