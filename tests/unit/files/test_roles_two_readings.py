"""Tables with two living readings that give different numbers: asked or told, with options that work."""

import json
import re
import shlex
from pathlib import Path

import pytest
from shell import run as shell

from toysearch import evaluate
from toysearch.base.errors import ArgumentError, DataError

ORDER = {"q1": ["d3", "d1", "d7", "d2"], "q2": ["d5", "d4", "d1"], "q3": ["d9", "d8", "d2", "d6"]}
"""Best first."""
GRADES = {"q1": {"d1": 2, "d2": 1, "d3": 0}, "q2": {"d4": 1, "d5": 0}, "q3": {"d6": 1, "d9": 2}}
AP = 7 / 12  # 1/2 of q1, 1/2 of q2, (1 + 1/2) / 2 of q3
RISING = [(q, d, round(0.11 + 0.2 * at, 2)) for q, docs in ORDER.items() for at, d in enumerate(docs)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, grades in GRADES.items() for d, g in grades.items()))
    Path("trec.run").write_text(
        "".join(f"{q} Q0 {d} {at} {9 - at} x\n" for q, docs in ORDER.items() for at, d in enumerate(docs, 1))
    )


def ap_of(*words):
    said = shell("eval", *words, "-m", "AP", "--tsv")
    assert said.exit_code == 0, said.output
    return float(said.stdout.splitlines()[-1].split("\t")[1])


def options_in(said, option):
    return [shlex.split(found)[1] for found in re.findall(rf"{option} (?:'[^']*'|[^\s;]+)", said)]


def table(labels, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in [labels.split(","), *rows])


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def grouped(rows, value=lambda doc_id, number: {"id": doc_id, "score": number}):
    return {q: [value(d, number) for query, d, number in rows if query == q] for q in ORDER}


HITS = grouped(RISING)
SYNTAXES = {
    "comma": table("query_id,doc_id,score", RISING),
    "tab": table("qid,docno,score", RISING, "\t"),
    "whole numbers": table("query_id,doc_id,score", [(q, d, int(5 * n)) for q, d, n in RISING]),
    "lines": lines({"query_id": q, "doc_id": d, "score": n} for q, d, n in RISING),
    "array": json.dumps([{"query_id": q, "doc_id": d, "score": n} for q, d, n in RISING]),
    "hits": lines({"query_id": q, "results": hits} for q, hits in grouped(RISING).items()),
    "hits by query": json.dumps(grouped(RISING)),
    "numbers by query": json.dumps({q: dict(pairs) for q, pairs in grouped(RISING, lambda *pair: pair).items()}),
    "pairs by query": json.dumps(grouped(RISING, lambda *pair: pair)),
    "lists beside each other": json.dumps(
        {q: {"docs": [h["id"] for h in hits], "scores": [h["score"] for h in hits]} for q, hits in HITS.items()}
    ),
    "objects around": lines(
        {"qid": q, "document": {"id": h["id"]}, "value": {"score": h["score"]}}
        for q, hits in HITS.items()
        for h in hits
    ),
}


FRAME = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*RISING, strict=True)), strict=True))


@pytest.mark.parametrize("run", [json.loads(SYNTAXES["numbers by query"]), FRAME], ids=["dict", "frame"])
def test_scores_in_memory_that_rise_down_each_list_are_told(run):
    with pytest.warns(match="the scores of each query rise down its list, such as from 0.11 to 0.71 for query 'q1'"):
        assert evaluate(run, GRADES, "AP")["AP"] == pytest.approx(0.6944, abs=1e-4)


@pytest.mark.filterwarnings("error")
def test_distances_in_a_frame_are_read_nearest_first():
    assert evaluate({"distance" if label == "score" else label: cells for label, cells in FRAME.items()}, GRADES, "AP")[
        "AP"
    ] == pytest.approx(AP)


TWO_GRADES = {
    "a model and a judge": ("relevance", "label", {0: 1.2, 1: 0.8, 2: 0.4}),
    "a rating of customers": ("rating", "relevant", {0: 4.3, 1: 4.9, 2: 4.1}),
    "a flag": ("label", "is_relevant", {0: 3, 1: 2, 2: 1}),
}


@pytest.mark.parametrize("case", TWO_GRADES)
@pytest.mark.parametrize("form", ["comma", "lines"])
def test_two_columns_of_grades_are_asked_about_and_both_answers_work(case, form):
    first, second, others = TWO_GRADES[case]
    rows = [(q, d, others[g], min(g, 1)) for q, grades in GRADES.items() for d, g in grades.items()]
    labels = ["query_id", "doc_id", first, second]
    text = table(",".join(labels), rows) if form == "comma" else lines(dict(zip(labels, r, strict=True)) for r in rows)
    Path("judged").write_text(text)
    said = shell("eval", "trec.run", "judged", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    named = options_in(said.stderr, "--qrels-columns")
    assert [option.rpartition("=")[2] for option in named] == [first, second]
    wrong, right = (ap_of("trec.run", "judged", "--qrels-columns", option) for option in named)
    assert wrong != pytest.approx(AP, abs=1e-3)
    assert right == pytest.approx(AP, abs=1e-4)


def test_two_columns_of_grades_in_a_frame_are_refused():
    records = [
        {"query_id": q, "doc_id": d, "relevance": 2 - g, "label": g}
        for q, grades in GRADES.items()
        for d, g in grades.items()
    ]
    with pytest.raises(DataError, match="has grades in relevance and label; leave out all but one"):
        evaluate(ORDER, records, "AP")
    one = [{part: cell for part, cell in record.items() if part != "relevance"} for record in records]
    assert evaluate(ORDER, one, "AP")["AP"] == pytest.approx(AP)


def test_a_column_that_follows_the_grades_is_not_asked_about():
    rows = [(q, d, g, 2**g - 1) for q, grades in GRADES.items() for d, g in grades.items()]
    Path("judged").write_text(table("query_id,doc_id,relevance,gain", rows))
    assert ap_of("trec.run", "judged") == pytest.approx(AP, abs=1e-4)


WITHOUT = str.maketrans("", "", "qd")
NUMBERED = {
    "run": {
        "by query": lambda lists: json.dumps(lists),
        "lines": lambda lists: lines({"qid": int(q), "retrieved": ids} for q, ids in lists.items()),
    },
    "qrels": {
        "by query": lambda lists: json.dumps(lists),
        "lines": lambda lists: lines({"query_id": int(q), "relevant_docs": ids} for q, ids in lists.items()),
    },
}


@pytest.mark.parametrize("lists", [{"1": [2, 2, 1], "2": [2, 1]}, {"1": [1.5], "2": [2]}])
def test_numbers_that_may_be_ranks_or_grades_are_no_ids(lists):
    Path("qrels").write_text("1 0 1 1\n1 0 2 1\n2 0 3 1\n")
    Path("lists").write_text(json.dumps(lists))
    said = shell("eval", "lists", "qrels", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")


def test_queries_that_are_judged_from_0_are_told():
    Path("docs.jsonl").write_text(lines({"id": f"c{at}", "text": text} for at, text in enumerate(["kettle", "owl"])))
    Path("queries.txt").write_text("kettle\nowl\nship\n")
    Path("judged").write_text("0 0 c0 1\n1 0 c1 1\n")
    said = shell("eval", "docs.jsonl", "--queries", "queries.txt", "--qrels", "judged", "-m", "AP")
    assert "such as '0'; they count the queries from 0, whose file is numbered from 1" in said.stderr


@pytest.mark.parametrize("label", ["dense", "rerank_score"])
def test_a_column_of_other_scores_is_no_system_but_may_be_the_scores(label):
    rows = [(q, d, -n, n) for q, d, n in RISING]
    Path("mine.csv").write_text(table(f"query_id,doc_id,score,{label}", rows))
    said = shell("eval", "mine.csv", "qrels", "-m", "AP").stderr
    assert options_in(said, "--run-columns") == [f"score={label}"]
    assert ap_of("mine.csv", "qrels", "--run-columns", f"score={label}") == pytest.approx(0.6944, abs=1e-4)


@pytest.mark.parametrize("labels", ["query_id,doc_id,bm25,relevance", "query_id,doc_id,grade,score"])
def test_known_grades_beside_the_scores_of_a_system_are_judgments_in_the_last_file(labels):
    judged = [(q, d, g) for q, grades in GRADES.items() for d, g in grades.items()]
    rows = [(q, d, 0.7 * at + g, g) for at, (q, d, g) in enumerate(judged)]
    rows = rows if labels.endswith("relevance") else [(q, d, g, score) for q, d, score, g in rows]
    Path("sheet.csv").write_text(table(labels, rows))
    for run in ("trec.run", "mine.csv"):
        Path("mine.csv").write_text(table("query_id,doc_id,score", [(q, d, 9 - n) for q, d, n in RISING]))
        assert ap_of(run, "sheet.csv") == pytest.approx(AP)


def test_lines_of_letor_with_scores_come_before_judgments_of_any_form():
    Path("mine.txt").write_text("".join(f"{19.03 - n} qid:{q} 1:0.5 # {d}\n" for q, d, n in RISING))
    Path("lists.json").write_text(json.dumps({q: [d for d, g in grades.items() if g] for q, grades in GRADES.items()}))
    assert ap_of("mine.txt", "lists.json") == pytest.approx(AP)


@pytest.mark.parametrize("mark", [",", ";"])
def test_rows_below_a_query_that_stands_once_are_its_rows(mark):
    rows = [(q * (at == 0), d, g) for q, grades in GRADES.items() for at, (d, g) in enumerate(grades.items())]
    Path("sheet.csv").write_text(
        table("Query,Document,Rating", rows, mark)
        .replace("Query,", f"Query{mark}")
        .replace("Document,", f"Document{mark}")
    )
    assert "rows without a Query belong to the one above" in shell("eval", "trec.run", "sheet.csv").stderr
    assert ap_of("trec.run", "sheet.csv") == pytest.approx(AP)
    Path("sheet.csv").write_text(table("Query,Document,Rating", [*rows, ("q1", "d9", 1)], mark))
    assert "the Query is empty; give it an id or remove the line" in shell("eval", "trec.run", "sheet.csv").stderr


def test_runs_by_name_are_no_run():
    run = {q: {d: 9 - n for query, d, n in RISING if query == q} for q in ORDER}
    with pytest.raises(ArgumentError, match=r"found 2 runs by name \(old, new\); give one, or compare them"):
        evaluate({"old": run, "new": run}, GRADES, "AP")


EXAMPLES = "query,query_id,product_id,esci_label\nkettle,5,B1,E\nkettle,5,B2,I\nowl lamp,8,B3,E\n"


@pytest.mark.parametrize("examples", [EXAMPLES, EXAMPLES.replace("query_id", "note")], ids=["by id", "by text"])
def test_queries_of_judgments_need_no_grades(examples):
    Path("shop.csv").write_text("product_id,title\nB1,a kettle\nB2,a saddle\nB3,an owl lamp\n")
    Path("examples.csv").write_text(examples)
    words = ("eval", "shop.csv", "--queries", "examples.csv", "--qrels", "examples.csv", "-m", "AP")
    assert "--grades E=" in shell(*words).stderr
    assert ap_of(*words[1:-2], "--grades", "E=3,I=0") == 1


def test_an_id_with_two_texts_names_no_query():
    Path("shop.csv").write_text("product_id,title\nB1,a kettle\nB2,a saddle\nB3,an owl lamp\n")
    Path("examples.csv").write_text(EXAMPLES.replace("kettle,5,B2", "saddle,5,B2"))
    said = shell("eval", "shop.csv", "--queries", "examples.csv", "--qrels", "examples.csv", "--grades", "E=3,I=0")
    assert "examples.csv holds judgments; expected queries" in said.stderr


RANKED = [(q, d, at, 9.5 / at) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
OTHERWISE = {
    "another order": [(q, d, at, at * 2 % 5 if q == "q3" else score) for q, d, at, score in RANKED],
    "a tie": [(q, d, at, max(score, 5) if q == "q3" else score) for q, d, at, score in RANKED],
    "a tie in 32 bits": [(q, d, at, 7 + score * 1e-9 if q == "q3" else score) for q, d, at, score in RANKED],
    "no score": [(q, d, at, "" if (q, d) == ("q3", "d9") else score) for q, d, at, score in RANKED],
    "two systems": [*RANKED, *[(q, f"x{d}", at, score) for q, d, at, score in RANKED]],
    "a third column": [(*row, at % 5) for at, row in enumerate(RANKED)],
    "distances": [(q, d, at, 9.5 - score) for q, d, at, score in RANKED],
}


PLACED = [(q, at, d[1:]) for q, docs in zip("123", ORDER.values(), strict=True) for at, d in enumerate(docs, 1)]


def test_a_rank_that_a_query_has_twice_is_told():
    Path("pages.csv").write_text("query_id,rank,doc_id\nq1,1,a\nq1,2,b\nq1,1,c\n")
    said = shell("eval", "pages.csv", "qrels", "-m", "AP")
    assert "pages.csv: query 'q1' has a rank twice; equal ranks are in the order of the lines" in said.stderr


def test_ids_that_are_those_of_other_texts_in_the_judgments_are_refused():
    texts = dict(zip("123", ["red lamp", "oak desk", "tea"], strict=True))
    hits = [(q, texts[q], d, 1 / at) for q, at, d in PLACED]
    Path("run.csv").write_text(table("query_id,query,doc_id,score", hits))
    Path("judged.csv").write_text(
        table("query_id,query,doc_id,relevance", [("3", "red lamp", "1", 1), ("1", "tea", "9", 1)])
    )
    said = shell("eval", "run.csv", "judged.csv")
    assert "run.csv: query '1' is 'red lamp' here, and 'tea' in judged.csv; write the ids alike" in said.stderr
    assert ap_of("run.csv", "judged.csv", "--run-columns", "query=query", "--qrels-columns", "query=query") == 0.75
    Path("judged.csv").write_text(table("query_id,query,doc_id,relevance", [("1", "a red lamp", "1", 1)]))
    assert ap_of("run.csv", "judged.csv") == 0.5  # the same query in other words


FOUND = [(q, at, d) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
JUDGED = [(*row, GRADES[row[0]].get(row[2], 0)) for row in FOUND]


def test_a_page_is_no_grade():
    rows = [("q1", "yes", "d1", 4), ("q2", "no", "d4", 0)]
    Path("golden.csv").write_text(table("question,answer,document,page", rows))
    said = shell("eval", "trec.run", "golden.csv")
    assert "page" not in "".join(options_in(said.stderr, "--qrels-columns"))


def test_the_title_of_a_document_is_no_name_of_a_query():
    golden = [(f"the text of {q}", f"Title {docs[1]}", docs[1], 1) for q, docs in ORDER.items()]
    Path("golden.csv").write_text(table("query,title,doc_id,relevance", golden))
    Path("run.csv").write_text(table("query_id,rank,title,doc_id", [(q, at, f"Title {d}", d) for q, at, d in FOUND]))
    assert "no query in common" in shell("eval", "run.csv", "golden.csv").stderr


def test_other_names_of_documents_in_both_files_are_not_asked_about():
    Path("run.csv").write_text("query_id,doc_id,hit_id,score\n1,a,h1,9\n1,b,h2,8\n2,a,h3,9\n")
    Path("judged.csv").write_text("query_id,doc_id,hit_id,relevance\n1,b,h1,1\n2,a,h2,1\n")  # of each row
    assert ap_of("run.csv", "judged.csv") == 0.75


LISTS = {("u1", "lamp"): ["d3", "d1"], ("u2", "lamp"): ["d2", "d9"], ("u1", "shoe"): ["d5", "d4"]}
WANTED = {("u1", "lamp"): "d1", ("u2", "lamp"): "d2", ("u1", "shoe"): "d9"}
OF_USERS = [(user, query, d, at) for (user, query), docs in LISTS.items() for at, d in enumerate(docs, 1)]
AP_OF_LISTS = (1 / 2 + 1 + 0) / 3


@pytest.mark.parametrize("label", ["brand_id", "lang", "author_id", "title"])
def test_a_column_of_what_documents_are_tells_no_lists_apart(label):
    name_of = {"d1": "a", "d2": "b", "d3": "a", "d4": "b"}
    rows = [(q, d, name_of.get(d, "c"), at) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
    Path("mine").write_text(table(f"query_id,doc_id,{label},rank", rows))
    judged = [(q, d, name_of.get(d, "c"), grade) for q, grades in GRADES.items() for d, grade in grades.items()]
    Path("judged").write_text(table(f"query_id,doc_id,{label},relevance", judged))
    assert ap_of("mine", "judged") == pytest.approx(AP, abs=1e-4)


NAMED = {f"d{n}": f"7f{n}-ab" for n in range(10)}
"""Document → the id of its hit."""


@pytest.mark.parametrize("label", ["page", "Seite"])
def test_a_column_of_pages_names_no_systems(label):
    rows = [(q, d, 1 + at // 2, 1 + at % 2) for q, found in ORDER.items() for at, d in enumerate(found)]
    Path("mine").write_text(table(f"query_id,doc_id,{label},rank", rows))
    said = shell("eval", "mine", "qrels", "-m", "AP")
    assert said.exit_code == 2
    assert f"has a rank twice, but not within one {label}; count its ranks throughout" in said.stderr


OF_NUMBERS = {"0": ["12", "13", "15", "8"], "1": ["4", "9", "12", "31"], "2": ["7", "22", "20", "13"]}


SEVERAL = {"d1": [0, 2, 3], "d2": [1, 1]}
OF_SEVERAL = {
    "a key": lines({"qid": q, "ratings": SEVERAL} for q in ORDER),
    "an object": json.dumps(dict.fromkeys(ORDER, SEVERAL)),
    "lists": lines({"qid": q, "docs": [{"id": d, "grades": given} for d, given in SEVERAL.items()]} for q in ORDER),
}


def test_a_list_of_one_word_is_that_word_of_a_grade():
    words = ["irrelevant", "partly relevant", "highly relevant"]
    rows = [{"query": q, "doc_id": d, "label": [words[g]]} for q, grades in GRADES.items() for d, g in grades.items()]
    Path("labels.jsonl").write_text(lines(rows))
    Path("lines.run").write_text(lines({"query": q, "doc_id": d, "score": -n} for q, d, n in RISING))
    said = shell("eval", "lines.run", "labels.jsonl").stderr
    [asked] = options_in(said, "--grades")
    assert sorted(asked.split(",")) == ["highly relevant=…", "irrelevant=0", "partly relevant=…"]
    grades = "highly relevant=2,partly relevant=1,irrelevant=0"
    assert ap_of("lines.run", "labels.jsonl", "--grades", grades) == pytest.approx(AP)
    Path("labels.jsonl").write_text(lines([*rows, {**rows[0], "doc_id": "d7", "label": words[:2]}]))
    assert (
        'found ["irrelevant", "partly relevant"]'
        in shell("eval", "lines.run", "labels.jsonl", "--grades", grades).stderr
    )


TITLES = {d: f"On {name}, and more" for d, name in zip(("d1", "d3", "d4", "d5", "d6", "d9"), "ABCDEF", strict=True)}
KEPT = {"red lamp": ("d3", "d1"), "blue hat": ("d4", "d5"), "green tea": ("d9", "d6")}
"""Query → its first document, and the relevant one behind it."""
