"""`toysearch eval` on single queries: --explain, --worst with causes, --best, --hardest, --histogram; `score`."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
import shell

RUN = "q1 Q0 a 1 3 first\nq1 Q0 b 2 2 first\nq2 Q0 c 1 1 first\n"
QRELS = "q1 0 b 1\nq1 0 x 1\nq2 0 c 0\nq3 0 c 2\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "other").write_text("q1 Q0 b 1 3 second\nq3 Q0 d 1 3 second\nq3 Q0 c 2 2 second\n")
    (tmp_path / "qrels").write_text(QRELS)
    return tmp_path


run = partial(shell.run, "eval")
score = partial(shell.run, "score")
failure = partial(shell.refusal, "eval")


def test_a_value_is_explained_rank_by_rank(files):
    out = run(files / "run", files / "qrels", "-m", "RR", "--explain", "AP", "--query-id", "q1").stdout
    assert out == (
        "AP of query q1, first: average precision: the mean, over all relevant documents, of the precision at their "
        "ranks\n"
        "Σ r(i) · P@i / R\n"
        "\n"
        "rank  document     grade  relevant  precision  running sum\n"
        "   1  a         unjudged\n"
        "   2  b                1  yes          0.5000       0.5000\n"
        "2 retrieved · 2 relevant in all (from grade 1)\n"
        "\n"
        "relevant 2\n"
        "\n"
        "AP = 1/2 / 2 = 0.25\n"
    )


def test_the_explanation_is_in_json_too(files):
    out = run(files / "run", files / "qrels", "--explain", "AP", "--query-id", "q1", "--json").stdout
    why = json.loads(out)["systems"][0]["explanation"]
    assert (why["measure"], why["value"], why["arithmetic"]) == ("AP", 0.25, "AP = 1/2 / 2 = 0.25")
    assert why["ranking"][0] == {"rank": 1, "doc_id": "a", "grade": None, "relevant": False, "quantities": {}}


def test_an_explanation_has_the_relevant_ranks_and_nothing_of_other_queries():
    result = run("companions", "--explain", "AP", "--query-id", "12")
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith("AP of query 12, bm25: ")
    rows = result.stdout.splitlines()[3:-5]
    assert rows[1].split() == ["1–10", "…", "10", "not", "relevant"]
    assert sum(" yes " in row for row in rows) == 16
    assert len(rows) < 45
    both = run("companions", "--explain", "AP", "--query-id", "12", "--best", "1")
    assert both.stdout.startswith("system ")
    assert "note:" in both.stderr


def test_explain_and_query_id_need_each_other(files):
    assert failure(files / "run", files / "qrels", "--explain", "AP") == (
        "Error: --explain needs --query-id: the query whose value to explain"
    )
    assert failure(files / "run", files / "qrels", "--query-id", "q1") == (
        "Error: --query-id needs --explain: the measure whose value to explain"
    )


def test_an_unknown_query_or_measure_is_told(files):
    assert failure(files / "run", files / "qrels", "--explain", "AP", "--query-id", "q9") == (
        "toysearch: unknown query 'q9'. Queries evaluated: q1, q2, q3"
    )
    assert failure(files / "run", files / "qrels", "--explain", "APP", "--query-id", "q1").startswith(
        "toysearch: unknown measure 'APP'; did you mean 'AP'?"
    )


def test_a_ranking_typed_by_hand_is_scored_by_all_measures():
    result = score("R R I I R", "--relevant", "4", "--tsv")
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in result.stdout.splitlines()}
    assert rows["AP"] == ["0.65", "(1/1 + 2/2 + 3/5) / 4"]
    assert rows["R@5"] == ["0.75", "3 / 4"]
    assert rows["RR"] == ["1", "1/1"]
    graded = json.loads(score("3 2 3 0 1 2", "--judged", "3 3 3 2 2 2 1 0", "--json").stdout)
    values = {row["measure"]: row["value"] for row in graded["measures"]}
    assert values["DCG"] == pytest.approx(6.861127, abs=5e-7)
    assert all(row["known"] for row in graded["measures"])


def test_without_the_number_of_relevant_documents_it_says_what_cannot_be_computed():
    result = score("R U I I R", "-m", "P@5 AP RR")
    assert result.stdout == (
        "measure  value  whatever the unjudged are  how\n"
        "P@5        0.4                  0.4 … 0.6  2 / 5\n"
        "AP                                         needs all relevant documents; 0.7 if these are all\n"
        "RR           1                      1 … 1  1/1\n"
    )
    assert result.stderr == (
        "5 retrieved · 1 of them unjudged · 2 relevant found · the number of relevant documents is not known "
        "· relevant "
        "from grade 1\n"
        "note: not computed without --relevant or --judged: AP\n"
    )


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
        "AP": [pytest.approx(1 / 3), 0.5],  # (1/1 + 2/2) / 4: it would be a fourth, as for `unjudged`
        "DCG": [1, pytest.approx(1.630930, abs=5e-7)],
        "nDCG": None,
    }


def test_a_typed_ranking_is_explained_rank_by_rank_too():
    result = score("R R I I", "--relevant", "4", "--explain", "AP")
    assert result.stdout.startswith("AP of this ranking: average precision")
    assert result.stdout.splitlines()[-1] == "AP = (1/1 + 2/2) / 4 = 0.5"
    assert result.stderr == ""
    result = score("R R I I", "--explain", "AP")
    assert result.stderr == (
        "note: AP needs all relevant documents (--relevant, --judged); the value shown holds if "
        "all relevant documents are in the ranking\n"
    )


def test_what_is_no_ranking_is_refused():
    assert failure() == "Error: Missing argument 'COLLECTION | RUN... QRELS'."
    assert score("R X I").stderr == (
        "toysearch: place 2 of the ranking is 'X'; expected R (relevant), I (not relevant), U (unjudged) or a grade "
        "such as 2\n"
    )


def test_the_worst_queries_say_why(files):
    result = run(files / "run", files / "qrels", "--worst", "3", "-m", "RR")
    assert result.stdout.partition("\nWhy\n\n")[2] == (
        "  q2: none of 1 judged document reaches grade 1\n"
        "  q3: nothing was retrieved\n"
        "  q1: 1 of the first 2 documents is unjudged; 1 of 2 relevant documents was not retrieved\n"
    )
    data = json.loads(run(files / "run", files / "qrels", "--worst", "1", "-m", "RR", "--json").stdout)
    assert data["systems"][0]["worst"][0]["causes"] == [
        {
            "name": "nothing relevant",
            "sentence": "none of 1 judged document reaches grade 1",
            "numbers": {"judged": 1, "relevant": 0},
        }
    ]


def test_the_predicted_place_is_beside_the_worst_queries():
    found = run("companions", "--worst", "58", "-m", "AP", "--json").stdout
    listed = {query["query_id"]: query for query in json.loads(found)["systems"][0]["worst"]}
    places = sorted(query["difficulty"]["place"] for query in listed.values() if "difficulty" in query)
    assert (places[0], places[-1], len(places)) == (1, 57, 57)
    assert "difficulty" not in listed["6"]  # which finds no document
    values = json.loads(shell.done("predict", "companions", "--predictors", "wig", "--json").stdout)["per_query"]
    expected = {query["query_id"]: query["predicted"]["wig"] for query in values if query["query_id"] != "6"}
    assert {name: query["difficulty"]["wig"] for name, query in listed.items() if name != "6"} == expected
    table = run("companions", "--worst", "5", "-m", "AP").stdout
    assert "predicted difficulty" in table
    assert re.search(r"^5 +0\.0000 +11 of 57 +scurvy symptoms", table, re.MULTILINE)


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


def test_with_a_collection_the_index_gives_causes(corpora):
    out = run("cranfield", "--worst", "1", "-m", "AP").stdout
    assert "4 of 4 relevant documents share no term with the query" in out


def test_the_best_queries(files):
    out = run(files / "run", files / "qrels", "--best", "1", "-m", "RR").stdout
    assert out.partition("The best queries of first\n\n")[2] == (
        "query      RR  text  came first (grade)   relevant (rank)\n"
        "q1     0.5000        a (unjudged), b (1)  b (2), x (not found)\n"
    )


def test_the_hardest_queries_are_those_that_no_run_answers_well(files):
    out = run(files / "run", files / "other", files / "qrels", "--hardest", "2", "-m", "RR").stdout
    assert out.partition("\nThe queries that no system answers well\n\n")[2] == (
        "query  best RR  by      text\nq2      0.0000  first\nq3      0.5000  second\n"
    )
    targets = files / "run", files / "other", files / "qrels"
    data = json.loads(run(*targets, "--hardest", "1", "-m", "RR", "--json").stdout)
    assert data["hardest"] == [{"query_id": "q2", "value": 0.0, "run": "first", "text": None}]


def test_the_histogram_of_the_first_measure(files):
    out = run(files / "run", files / "qrels", "--histogram", "-m", "RR").stdout
    lines = out.partition("RR of first, 3 queries\n\n")[2].splitlines()
    assert len(lines) == 10
    assert lines[0] == "0.0–0.1  2  " + "█" * 50
    assert lines[5] == "0.5–0.6  1  " + "█" * 25
    data = json.loads(run(files / "run", files / "qrels", "--histogram", "-m", "RR", "--json").stdout)
    assert [one["number"] for one in data["systems"][0]["histogram"]] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0]
