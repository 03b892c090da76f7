"""Tables with two living readings that give different numbers: asked or told, with options that work."""

import json
import re
import shlex
from pathlib import Path

import pytest
from shell import run as shell

from toysearch import evaluate, read_qrels
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


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_scores_that_rise_down_each_list_are_told_with_an_option_that_reads_distances(syntax):
    Path("mine").write_text(SYNTAXES[syntax])
    said = shell("eval", "mine", "qrels", "-m", "AP").stderr
    assert "the scores of each query rise down its list, such as from " in said
    (option,) = options_in(said, "--run-columns")
    assert ap_of("mine", "qrels", "--run-columns", option) == pytest.approx(AP, abs=1e-4)
    assert "rise" not in shell("eval", "mine", "qrels", "-m", "AP", "--run-columns", option).stderr
    assert option in shell("check", "mine", "--qrels", "qrels").output


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


@pytest.mark.parametrize(("role", "shape"), [(role, shape) for role in NUMBERED for shape in NUMBERED[role]])
def test_whole_numbers_in_lists_are_ids_where_the_other_file_has_them(role, shape):
    for path in ("qrels", "trec.run"):
        text = Path(path).read_text().replace("Q0", "0").translate(WITHOUT)
        Path(path).write_text(text)
    judged = {q: [d for d, g in grades.items() if g] for q, grades in GRADES.items()}
    lists = {q[1:]: [int(d[1:]) for d in docs] for q, docs in (ORDER if role == "run" else judged).items()}
    Path("lists").write_text(NUMBERED[role][shape](lists))
    assert ap_of(*(("lists", "qrels") if role == "run" else ("trec.run", "lists"))) == pytest.approx(AP, abs=1e-4)


@pytest.mark.parametrize(
    "lists", [{"1": [3, 1, 2], "2": [2, 1]}, {"1": [2, 2, 1], "2": [2, 1]}, {"1": [1.5], "2": [2]}]
)
def test_numbers_that_may_be_ranks_or_grades_are_no_ids(lists):
    Path("qrels").write_text("1 0 1 1\n1 0 2 1\n2 0 3 1\n")
    Path("lists").write_text(json.dumps(lists))
    said = shell("eval", "lists", "qrels", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")


def test_places_in_lists_are_not_taken_for_ids_without_a_word():
    Path("docs.csv").write_text("text\na kettle\na saddle\nan owl\na ship\n")
    Path("queries.csv").write_text("query_id,query\nk1,kettle\nk2,saddle\nk3,ship\n")
    Path("gold.jsonl").write_text(
        lines({"query_id": f"k{at}", "relevant_idx": [p]} for at, p in ((1, 0), (2, 1), (3, 3)))
    )
    words = ("eval", "docs.csv", "--queries", "queries.csv", "--qrels", "gold.jsonl", "-m", "AP")
    said = shell(*words)
    assert (said.exit_code, said.stdout) == (2, "")
    (option,) = options_in(said.stderr, "--qrels-columns")
    assert "They count the documents from 0, whose file is numbered" in shell(*words, "--qrels-columns", option).stderr


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


@pytest.mark.parametrize("label", ["final_score", "vector,final_score"])
def test_other_scores_that_alone_fall_down_each_list_are_asked_about(label):
    rows = [(q, d, int(d[1:]), *[9 - n] * len(label.split(","))) for q, d, n in RISING]
    Path("mine.csv").write_text(table(f"query_id,doc_id,bm25,{label}", rows))
    said = shell("eval", "mine.csv", "qrels", "-m", "AP").stderr
    options = options_in(said, "--run-columns")
    assert [option.rpartition(",")[2] for option in options] == ["score=bm25", "score=final_score"]
    assert ap_of("mine.csv", "qrels", "--run-columns", options[1]) == pytest.approx(AP)
    Path("mine.csv").write_text(
        table(
            f"query_id,doc_id,bm25,{label}",
            [(*row[:2], 9 - n, *row[3:]) for row, (_, _, n) in zip(rows, RISING, strict=True)],
        )
    )
    assert ap_of("mine.csv", "qrels") == pytest.approx(AP)


@pytest.mark.parametrize("labels", ["query_id,doc_id,bm25,relevance", "query_id,doc_id,grade,score"])
def test_known_grades_beside_the_scores_of_a_system_are_judgments_in_the_last_file(labels):
    judged = [(q, d, g) for q, grades in GRADES.items() for d, g in grades.items()]
    rows = [(q, d, 0.7 * at + g, g) for at, (q, d, g) in enumerate(judged)]
    rows = rows if labels.endswith("relevance") else [(q, d, g, score) for q, d, score, g in rows]
    Path("sheet.csv").write_text(table(labels, rows))
    for run in ("trec.run", "mine.csv"):
        Path("mine.csv").write_text(table("query_id,doc_id,score", [(q, d, 9 - n) for q, d, n in RISING]))
        assert ap_of(run, "sheet.csv") == pytest.approx(AP)


def test_queries_of_a_run_may_be_the_texts_beside_the_ids_of_judgments():
    texts = {"q1": "tall trees", "q2": "old trees", "q3": "trees"}
    Path("mine.csv").write_text(table("query,doc_id,score", [(texts[q], d, 9 - n) for q, d, n in RISING]))
    rows = [(q, texts[q], d, g) for q, grades in GRADES.items() for d, g in grades.items()]
    Path("sheet.csv").write_text(table("qid,query,doc_id,relevance", rows))
    assert ap_of("mine.csv", "sheet.csv") == pytest.approx(AP)
    assert ap_of("trec.run", "sheet.csv") == pytest.approx(AP)


def test_pos_counts_the_places_of_a_run():
    rows = [(q, d, at) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
    for label in ("Pos.", "pos"):
        Path("mine.csv").write_text(table(f"Search term,SKU,{label}", rows))
        assert ap_of("mine.csv", "qrels") == pytest.approx(AP)


def test_lines_of_letor_with_scores_come_before_judgments_of_any_form():
    Path("mine.txt").write_text("".join(f"{19.03 - n} qid:{q} 1:0.5 # {d}\n" for q, d, n in RISING))
    Path("lists.json").write_text(json.dumps({q: [d for d, g in grades.items() if g] for q, grades in GRADES.items()}))
    assert ap_of("mine.txt", "lists.json") == pytest.approx(AP)


def test_the_name_of_a_column_says_what_the_rows_of_a_matrix_are_where_all_ids_are_numbers():
    scores = {"1": {"1": 3.5, "2": 2.25}, "2": {"4": 1.5, "1": 0.5}, "3": {"3": 0.25}, "4": {"2": 1.25}}
    rows = [(d, *(scores[q].get(d, "") for q in "1234")) for d in "12345"]
    Path("mine.csv").write_text(table("doc,1,2,3,4", rows))
    Path("judged").write_text("1 0 2 1\n1 0 1 0\n2 0 4 1\n3 0 3 1\n4 0 2 1\n")
    assert ap_of("mine.csv", "judged") == pytest.approx((1 / 2 + 1 + 1 + 1) / 4)


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


def test_a_flag_beside_two_grades_is_one_of_the_choices():
    rows = [(q, d, g, 2 - g, g == 1) for q, grades in GRADES.items() for d, g in grades.items()]
    Path("sheet.csv").write_text(table("query_id,doc_id,of_model,of_judge,agree", rows))
    said = shell("eval", "trec.run", "sheet.csv").stderr
    for label in ("of_model", "of_judge", "agree --grades"):
        assert f"--qrels-columns query=query_id,doc=doc_id,grade={label}" in said


def test_lists_of_hits_without_queries_need_their_ids():
    Path("hits.json").write_text(json.dumps([[{"corpus_id": 3, "score": 0.9}], [{"corpus_id": 4, "score": 0.8}]]))
    said = shell("eval", "hits.json", "qrels").stderr
    assert "the answers to several searches without the ids of the queries; write an object, query_id to answer" in said


def test_runs_by_name_are_no_run():
    run = {q: {d: 9 - n for query, d, n in RISING if query == q} for q in ORDER}
    with pytest.raises(ArgumentError, match=r"found 2 runs by name \(old, new\); give one, or compare them"):
        evaluate({"old": run, "new": run}, GRADES, "AP")


def test_a_number_of_each_row_of_a_query_is_no_system():
    rows = [{"qid": q, "index": at, "document": {"id": d}, "relevance_score": 9 - at}
            for q, docs in ORDER.items() for at, d in enumerate(docs)]  # fmt: skip
    Path("mine").write_text(lines(rows[::-1]))
    assert ap_of("mine", "qrels") == pytest.approx(AP, abs=1e-4)


def test_answers_to_several_searches_need_the_ids_of_the_queries():
    answers = {
        "ids": [*ORDER.values()],
        "distances": [[*range(len(docs))] for docs in ORDER.values()],
        "documents": None,
    }
    Path("mine").write_text(json.dumps(answers))
    said = shell("eval", "mine", "qrels", "-m", "AP")
    assert "mine holds the answers to several searches without the ids of the queries; write an object" in said.stderr
    each = {q: {"ids": [docs], "distances": [[*range(len(docs))]], "documents": None} for q, docs in ORDER.items()}
    Path("mine").write_text(json.dumps(each))
    assert ap_of("mine", "qrels") == pytest.approx(AP, abs=1e-4)


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


def test_two_systems_of_chunks_are_compared_by_qrels_of_chunks():
    rows = [("one", q, d, at) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
    rows += [("two", q, d, at) for q, docs in ORDER.items() for at, d in enumerate(docs[::-1], 1)]
    judged = [(q, *pair) for q, grades in GRADES.items() for pair in grades.items()]
    Path("runs.csv").write_text(table("retriever,question_id,chunk_id,rank", rows))
    Path("qrels.tsv").write_text(table("question_id,chunk_id,relevance", judged, "\t"))
    said = shell("compare", "runs.csv", "--qrels", "qrels.tsv", "-m", "AP", "--tsv")
    assert said.exit_code == 0, said.output
    assert "holds 2 systems (column retriever: one, two)" in said.stderr


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


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("labels", ["Rang,Punktzahl", "posición,puntuación"])
def test_ranks_and_scores_without_known_names_that_agree_are_not_asked_about(labels, mark):
    rows = [(q, d, at, str(score).replace(".", "," if mark == ";" else ".")) for q, d, at, score in RANKED]
    Path("theirs.csv").write_text(table(f"Anfrage,Dokument,{labels}", rows, mark))
    said = shell("eval", "theirs.csv", "qrels", "-m", "AP", "--tsv")
    assert said.stdout.splitlines()[-1].startswith(f"theirs\t{AP}\t")
    assert f"score {labels.split(',')[1]} (by the ids of qrels)" in said.stderr
    assert "not read" not in said.stderr


@pytest.mark.parametrize("case", OTHERWISE)
def test_ranks_and_scores_without_known_names_that_differ_in_a_row_are_asked_about(case):
    first = [("q4", f"d{at}", at, 9.5 / at) for at in range(1, 1201)]  # in the head of the file both agree
    Path("qrels").write_text(Path("qrels").read_text() + "q4 0 d1 1\n")
    for rows in (OTHERWISE[case], first + OTHERWISE[case]):
        labels = "Anfrage,Dokument,Rang,Punktzahl" + ",Jahr" * (len(OTHERWISE[case][0]) > 4)
        Path("theirs.csv").write_text(table(labels, [(*row, 3)[: labels.count(",") + 1] for row in rows]))
        said = shell("eval", "theirs.csv", "qrels", "-m", "AP", "--tsv")
        assert "the scores are open; name them: --run-columns query=Anfrage,doc=Dokument," in said.stderr, len(rows)


PLACED = [(q, at, d[1:]) for q, docs in zip("123", ORDER.values(), strict=True) for at, d in enumerate(docs, 1)]


def test_numbers_that_count_below_each_query_are_its_ranks_and_not_documents():
    """The documents have numbers as small as the ranks."""
    grades = [(at, d[1:], g) for at, of in enumerate(GRADES.values(), 1) for d, g in of.items()]
    Path("judged").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in grades))
    Path("bare.txt").write_text("".join(f"{q} {at} {d}\n" for q, at, d in PLACED))
    assert ap_of("bare.txt", "judged") == pytest.approx(AP, abs=1e-4)
    falling = "".join(f"{q} {at} {9 - at}\n" for q in "123" for at in (1, 2, 3))  # scores of documents 1 2 3
    Path("bare.txt").write_text(falling)
    assert ap_of("bare.txt", "judged") == ap_of("bare.txt", "judged", "--run-columns", "query=1,doc=2,score=3")


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_of_ranks_has_the_first_one_first(turned):
    documents = [f"d{number}" for number in range(1, 8)]
    order = {q: [documents[(5 * at + 3 * place) % 7] for at in range(7)] for place, q in enumerate(ORDER)}
    cells = [
        ["doc" if turned else "query", *documents],
        *([q, *(order[q].index(d) + 1 for d in documents)] for q in order),
    ]
    rows = zip(*cells, strict=True) if turned else cells
    Path("matrix.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    Path("ranked.csv").write_text(
        table("query_id,doc_id,rank", [(q, d, at) for q in order for at, d in enumerate(order[q], 1)])
    )
    assert ap_of("matrix.csv", "qrels") == ap_of("ranked.csv", "qrels") != ap_of("trec.run", "qrels")


@pytest.mark.parametrize("name", ["{}", "rank_{}"])
def test_places_in_the_order_of_their_texts_are_read_in_that_of_their_numbers(name):
    order = [f"d{number}" for number in range(20, 32)]
    places = sorted(range(len(order)), key=str)
    rows = [["q1", *(order[at] for at in places)], ["q2", *(order[at] for at in places)]]
    Path("wide.csv").write_text(table(",".join(["query", *map(name.format, places)]), rows))
    Path("judged").write_text("q1 0 d22 1\nq1 0 d30 1\nq2 0 d21 1\n")
    assert ap_of("wide.csv", "judged") == pytest.approx(((1 / 3 + 2 / 11) / 2 + 1 / 2) / 2, abs=1e-4)


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


@pytest.mark.parametrize("of_run", ["user_id,item_id,score", "userId,movieId,prediction", "user,item,rating"])
@pytest.mark.parametrize("of_ratings", ["userId,movieId,rating,timestamp", "user_id,item_id,rating,timestamp"])
def test_users_and_items_by_other_spellings_are_queries_and_documents(of_run, of_ratings):
    """The numbers of users are those of items too."""
    rows = [(q, d, 9.5 - at) for q, at, d in PLACED]
    rated = [(at, d[1:], g, 874724710) for at, of in enumerate(GRADES.values(), 1) for d, g in of.items()]
    Path("recommended.csv").write_text(table(of_run, rows))
    Path("ratings.csv").write_text(table(of_ratings, rated))
    assert ap_of("recommended.csv", "ratings.csv") == pytest.approx(AP, abs=1e-4)


FOUND = [(q, at, d) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
JUDGED = [(*row, GRADES[row[0]].get(row[2], 0)) for row in FOUND]


@pytest.mark.parametrize(
    "header", ["Anfrage,Platz,Dokument,Note", "Consulta,Rango,Documento,Nota", "クエリ,順位,文,評価"]
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_beside_the_rank_of_one_sheet_what_is_left_is_the_grade(header, shuffled):
    rows = [(*row[:3], row[3]) for row in JUDGED]
    Path("sheet.csv").write_text(table(header, rows[::-1] if shuffled else rows))
    said = shell("eval", "sheet.csv", "sheet.csv", "-m", "AP", "--tsv")
    query, rank, doc, grade = header.split(",")
    assert f"query {query}; document {doc}; grade {grade}" in said.stderr
    if shuffled and rank == "Rango":  # no known name: then 1 may be the first place or the lowest score
        assert f"rank={rank}" in said.stderr
        return
    assert float(said.stdout.splitlines()[-1].split("\t")[1]) == pytest.approx(AP, abs=1e-4)
    assert f"query {query}; document {doc}; rank {rank}" in said.stderr
    assert "not read" not in said.stderr
    Path("found.csv").write_text(table(f"{query},{rank},{doc}", FOUND))
    assert ap_of("found.csv", "sheet.csv") == pytest.approx(AP, abs=1e-4)


def test_a_page_is_no_grade():
    rows = [("q1", "yes", "d1", 4), ("q2", "no", "d4", 0)]
    Path("golden.csv").write_text(table("question,answer,document,page", rows))
    said = shell("eval", "trec.run", "golden.csv")
    assert "page" not in "".join(options_in(said.stderr, "--qrels-columns"))


@pytest.mark.parametrize("name", ["id", "No.", "query_num", "Test"])
@pytest.mark.parametrize("with_text", ["run", "judged"])
def test_a_number_that_one_file_has_alone_names_the_query_whatever_stands_beside_it(name, with_text):
    numbers = {q: at for at, q in enumerate(ORDER, 1)}
    for role, labels, rows in (("run", "rank,doc_id", FOUND), ("judged", "rank,doc_id,grade", JUDGED)):
        text = ["query"] * (role == with_text)
        cells = [(numbers[q], *[f"the text of {q}"] * len(text), *others) for q, *others in rows]
        Path(f"{role}.csv").write_text(table(",".join([name, *text, labels]), cells))
    assert ap_of("run.csv", "judged.csv") == pytest.approx(AP, abs=1e-4)
    other, labels, rows = ("judged", "doc_id,grade", JUDGED) if with_text == "run" else ("run", "doc_id,rank", FOUND)
    of_rows = [(number, row[2], row[-1 if other == "judged" else 1]) for number, row in enumerate(rows, 1)]
    Path(f"{other}.csv").write_text(table(f"{name},{labels}", of_rows))
    assert shell("eval", "run.csv", "judged.csv").exit_code


@pytest.mark.parametrize("names", ["bm25,dense", "System A,System B"])
def test_columns_of_documents_beside_a_rank_are_systems(names):
    other = {q: docs[1::-1] for q, docs in ORDER.items()}
    rows = [(q, at, d, *(other[q][at - 1 : at] or [""])) for q, at, d in FOUND]
    Path("both.csv").write_text(table(f"query,rank,{names}", rows))
    said = shell("eval", "both.csv", "qrels", "-m", "AP", "--tsv")
    values = {line.split("\t")[0]: float(line.split("\t")[1]) for line in said.stdout.splitlines()[1:]}
    assert values == pytest.approx(dict(zip(names.split(","), [AP, (1 / 2 + 1 + 1 / 4) / 3], strict=True)))
    unlike = [(q, at, d, f"d{at}0") for q, at, d in FOUND]  # as variants or parts of the documents
    Path("both.csv").write_text(table(f"query,rank,{names}", unlike))
    assert "2 systems" not in shell("eval", "both.csv", "qrels").stderr


def test_a_blank_rank_of_one_of_two_systems_is_a_document_that_it_did_not_find():
    names = ("rank_old", "rank_new")
    Path("both.csv").write_text(
        table(",".join(["query,doc_id", *names]), [(q, d, at, at - 1 or "") for q, at, d in FOUND])
    )
    said = shell("eval", "both.csv", "qrels", "-m", "AP", "--tsv").stdout.splitlines()[1:]
    both = {line.split("\t")[0]: float(line.split("\t")[1]) for line in said}
    assert both == pytest.approx({"rank_old": AP, "rank_new": (5 / 6 + 1 + 1 / 6) / 3}, abs=1e-4)
    assert ap_of("both.csv", "qrels", "--run-columns", "rank=rank_old") == pytest.approx(AP, abs=1e-4)
    said = shell("eval", "both.csv", "qrels", "-m", "AP", "--run-columns", "rank=rank_new")
    assert "3 rows without a rank left out as not retrieved" in said.stderr
    Path("half.csv").write_text(table("query,doc_id,rank", [(q, d, at - 1 or "") for q, at, d in FOUND]))
    assert "expected a number as rank, found ''" in shell("eval", "half.csv", "qrels").stderr


@pytest.mark.parametrize(
    "names", ["1st,2nd,3rd,4th", "First,Second,Third,Fourth", "1er,2e,3e,4e", "1.,2.,3.,4.", "0,1,2,3"]
)
@pytest.mark.parametrize("more", [[], ["latency_ms"]])
def test_ordinals_are_the_places_of_a_ranking(names, more):
    rows = [(q, *docs, *[""] * (4 - len(docs)), *[31] * len(more)) for q, docs in ORDER.items()]
    Path("wide.csv").write_text(table(",".join(["query", names, *more]), rows))
    assert ap_of("wide.csv", "qrels") == pytest.approx(AP, abs=1e-4)


@pytest.mark.parametrize("names", ["Result {0},Rating {0}", "url{0},grade_{0}"])
def test_counted_documents_have_the_grades_of_the_same_number(names):
    found = {q: [(d, GRADES[q].get(d, 0)) for d in docs] for q, docs in ORDER.items()}
    rows = [(q, *(cell for pair in [*pairs, ("", "")][:4] for cell in pair)) for q, pairs in found.items()]
    Path("sheet.csv").write_text(table(",".join(["Query", *(names.format(at) for at in range(1, 5))]), rows))
    assert ap_of("trec.run", "sheet.csv") == pytest.approx(AP, abs=1e-4)
    said = shell("eval", "trec.run", "sheet.csv").stderr
    first, second = (name.format(1) for name in names.split(","))
    assert f"11 judgments; query Query; document {first} …" in said
    assert f"grade {second} …" in said


@pytest.mark.parametrize(
    ("label", "words"),
    [("是否相关", ("是", "否")), ("Pertinent (oui/non)", ("oui", "non")), ("Ja/Nein", ("ja", "nein"))],
)
@pytest.mark.parametrize("judge", [[], ["Ann"]])
def test_known_words_that_the_name_of_their_column_has_are_grades(label, words, judge):
    Path("run.csv").write_text(table("问题,排名,文档编号", FOUND))
    labels = ",".join(["问题,文档编号", label, *["标注人"] * len(judge)])
    Path("judged.csv").write_text(table(labels, [(q, d, words[not g], *judge) for q, _, d, g in JUDGED]))
    assert ap_of("run.csv", "judged.csv") == pytest.approx(AP, abs=1e-4)


@pytest.mark.parametrize("words", ["non oui", "nein ja", "no sí", "false true", "N Y", "não sim"])
@pytest.mark.parametrize("label", ["bon", "passt", "has_answer"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_yes_and_no_as_all_that_is_said_of_pairs_are_their_grades(form, label, words):
    names = ["requete", "produit", label]
    rows = [dict(zip(names, (q, d, words.split()[g > 0]), strict=True)) for q, _, d, g in JUDGED]
    Path("judged").write_text(lines(rows) if form == "jsonl" else table(",".join(names), map(dict.values, rows)))
    assert ap_of("trec.run", "judged") == pytest.approx(AP, abs=1e-4)
    of_queries = [{**row, "bon": words.split()[row["requete"] == "q1"]} for row in rows]
    Path("judged").write_text(
        table("requete,produit,bon", ([row[name] for name in ("requete", "produit", "bon")] for row in of_queries))
    )
    assert "the grades are open; name them: " in shell("eval", "trec.run", "judged").stderr


def test_a_golden_set_of_nested_sources_counts_by_its_documents():
    golden = [
        {"question": q, "answer": "It is so, as far as we know.", "metadata": {"source": docs[1], "page": 3}}
        for q, docs in ORDER.items()
    ]
    Path("golden.json").write_text(json.dumps(golden))
    for options in ([], ["--qrels-columns", "query=question,doc=metadata.source"]):
        assert ap_of("trec.run", "golden.json", *options) == 0.5


@pytest.mark.parametrize("names", ["highly relevant,relevant,not relevant", "relevant,partially_relevant,irrelevant"])
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_of_lists_by_grade_none_is_offered_alone(names, suffix):
    lists = {q: [[docs[0], docs[2]], [docs[1]], [docs[-1], "d10"]] for q, docs in ORDER.items()}
    if suffix == "csv":
        rows = [(q, *map(";".join, some)) for q, some in lists.items()]
        Path("judged.csv").write_text(table(f"query,{names}", rows))
    else:
        items = [{"query": q, **dict(zip(names.split(","), some, strict=True))} for q, some in lists.items()]
        Path("judged.json").write_text(json.dumps(items))
    said = shell("eval", "trec.run", f"judged.{suffix}").stderr
    assert not options_in(said, "--qrels-columns")
    assert "write a row for each document: query_id, doc_id, grade" in said


def test_the_title_of_a_document_is_no_name_of_a_query():
    golden = [(f"the text of {q}", f"Title {docs[1]}", docs[1], 1) for q, docs in ORDER.items()]
    Path("golden.csv").write_text(table("query,title,doc_id,relevance", golden))
    Path("run.csv").write_text(table("query_id,rank,title,doc_id", [(q, at, f"Title {d}", d) for q, at, d in FOUND]))
    assert "no query in common" in shell("eval", "run.csv", "golden.csv").stderr


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("labels", [("doc_id", "chunk_id"), ("document", "passage_id"), ("product_id", "variant_id")])
def test_parts_of_documents_in_both_files_are_asked_about(labels, suffix):
    """By documents AP is 1, by parts 1/4: three of four relevant parts are others of the same documents."""
    rows = {"run": [("1", "D1", "D1-3", 9), ("1", "D2", "D2-1", 8), ("2", "D3", "D3-4", 9)]}
    rows["judged"] = [("1", "D1", "D1-2", 1), ("1", "D2", "D2-1", 1), ("2", "D3", "D3-1", 1)]
    for name, value in (("run", "score"), ("judged", "relevance")):
        header = ("query_id", *labels, value)
        items = [dict(zip(header, row, strict=True)) for row in rows[name]]
        table = "".join(",".join(map(str, row)) + "\n" for row in (header, *rows[name]))
        Path(f"{name}.{suffix}").write_text(
            table if suffix == "csv" else "".join(json.dumps(item) + "\n" for item in items)
        )
    files = (f"run.{suffix}", f"judged.{suffix}")
    asked = shell("eval", *files)
    assert asked.exit_code == 2
    for label, expected in zip(labels, (1.0, 0.125), strict=True):
        named = f"query=query_id,doc={label}"
        assert f"--run-columns {named}" in asked.stderr
        assert ap_of(*files, "--run-columns", named, "--qrels-columns", named) == expected


@pytest.mark.parametrize("place", ["docs/{}.txt", "docs/{0[0]}{0[1]}/{0}.txt"])
@pytest.mark.parametrize("name", ["{}", "{}.txt"])
@pytest.mark.parametrize("labels", ["doc_id,chunk_id", "document,passage_id"])
def test_parts_of_documents_are_found_in_a_folder_with_a_file_for_each(labels, name, place):
    for part, text in {"D1-2": "a red lamp", "D1-3": "blue", "D2-1": "green", "D3-1": "an oak chair"}.items():
        path = Path(place.format(part))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("asked.csv").write_text("query_id,text\n1,lamp\n2,chair\n")
    judged = [(q, part[:2], name.format(part), 1) for q, part in (("1", "D1-2"), ("2", "D3-1"), ("2", "D1-3"))]
    Path("judged.csv").write_text(table(f"query_id,{labels},relevance", judged))
    assert ap_of("docs", "--queries", "asked.csv", "--qrels", "judged.csv") == 0.75


def test_other_names_of_documents_in_both_files_are_not_asked_about():
    Path("run.csv").write_text("query_id,doc_id,hit_id,score\n1,a,h1,9\n1,b,h2,8\n2,a,h3,9\n")
    Path("judged.csv").write_text("query_id,doc_id,hit_id,relevance\n1,b,h1,1\n2,a,h2,1\n")  # of each row
    assert ap_of("run.csv", "judged.csv") == 0.75


LISTS = {("u1", "lamp"): ["d3", "d1"], ("u2", "lamp"): ["d2", "d9"], ("u1", "shoe"): ["d5", "d4"]}
WANTED = {("u1", "lamp"): "d1", ("u2", "lamp"): "d2", ("u1", "shoe"): "d9"}
OF_USERS = [(user, query, d, at) for (user, query), docs in LISTS.items() for at, d in enumerate(docs, 1)]
AP_OF_LISTS = (1 / 2 + 1 + 0) / 3


@pytest.mark.parametrize("label", ["user_id", "customer", "tenant", "session_id"])
@pytest.mark.parametrize("form", ["ranks", "scores", "lines", "lists"])
def test_lists_of_several_users_of_a_query_are_asked_about_and_the_answers_work(label, form):
    rows = [(*row[:3], 9 - row[3]) for row in OF_USERS]
    if form == "scores":  # no name tells of tenants, but a document that has two of them
        rows.append(("u2", "shoe", "d5", 4))
    Path("mine").write_text(
        {
            "ranks": table(f"{label},query,doc_id,rank", reversed(OF_USERS)),
            "scores": table(f"query,doc_id,score,{label}", [(q, d, n, u) for u, q, d, n in rows]),
            "lines": lines({label: u, "query": q, "doc_id": d, "rank": n} for u, q, d, n in OF_USERS),
            "lists": lines({label: u, "query": q, "hits": [{"id": d} for d in LISTS[u, q]]} for u, q in LISTS),
        }[form]
    )
    Path("judged").write_text(table(f"{label},query,doc_id,relevance", [(*pair, d, 1) for pair, d in WANTED.items()]))
    said = shell("eval", "mine", "judged", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    (of_run,), (of_qrels,) = ({*options_in(said.stderr, option)} for option in ("--run-columns", "--qrels-columns"))
    assert f"query={label}+query" in of_run
    assert f"query={label}+query" in of_qrels
    words = ("--run-columns", of_run, "--qrels-columns", of_qrels)
    assert ap_of("mine", "judged", *words) == pytest.approx(AP_OF_LISTS, abs=1e-4)


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


@pytest.mark.parametrize("key", ["source", "file_name", "external_id", "Quelle"])
@pytest.mark.parametrize("form", ["flat", "lines", "payload", "by query"])
@pytest.mark.parametrize("names", [NAMED, {f"d{n}": n + 2 for n in range(10)}], ids=["own ids", "ids like others"])
def test_a_key_with_the_same_ids_in_both_files_is_the_document_and_no_other_id_is(key, form, names):
    docs = {d: d if names is NAMED else str(int(d[1:])) for d in NAMED}
    rows = [(q, names[d], docs[d], 9 - at) for q, found in ORDER.items() for at, d in enumerate(found)]
    hits = {q: [{"id": n, "score": s, "payload": {key: d}} for p, n, d, s in rows if p == q] for q in ORDER}
    Path("mine").write_text(
        {
            "flat": table(f"query_id,id,{key},score", rows),
            "lines": lines({"query_id": q, "doc_id": n, key: d, "score": s} for q, n, d, s in rows),
            "payload": lines({"query_id": q, "hits": found} for q, found in hits.items()),
            "by query": json.dumps(hits),
        }[form]
    )
    judged = [(q, docs[d], g) for q, grades in GRADES.items() for d, g in grades.items()]
    Path("judged").write_text(table(f"query_id,{key},relevance", judged))
    assert ap_of("mine", "judged") == pytest.approx(AP, abs=1e-4)


@pytest.mark.parametrize("labels", ["query_id,product_id,sku,score", "query_id,doc_id,url,score"])
def test_of_two_known_ids_that_of_the_judgments_is_the_document(labels):
    rows = [(q, NAMED[d], d, 9 - at) for q, found in ORDER.items() for at, d in enumerate(found)]
    Path("mine").write_text(table(labels, rows))
    judged = [(q, d, g) for q, grades in GRADES.items() for d, g in grades.items()]
    Path("judged").write_text(table(f"query_id,{labels.split(',')[2]},relevance", judged))
    assert ap_of("mine", "judged") == pytest.approx(AP, abs=1e-4)


@pytest.mark.parametrize("label", ["l2", "distancia", "loss", "dist_cos", "Entfernung", "距离"])
def test_numbers_named_like_distances_are_read_so_in_any_order_of_the_rows(label):
    rows = [(q, f"{d}{n}", (0.5 + n) / 9) for q in ORDER for n, d in enumerate("abcdefgh")]
    rows = [rows[place * 7 % 24] for place in range(24)]
    Path("mine").write_text(table(f"query_id,doc_id,{label}", rows))
    Path("judged").write_text("".join(f"{q} 0 b1 1\n" for q in ORDER))
    assert ap_of("mine", "judged") == 0.5


@pytest.mark.parametrize("label", ["page", "Seite"])
def test_a_column_of_pages_names_no_systems(label):
    rows = [(q, d, 1 + at // 2, 1 + at % 2) for q, found in ORDER.items() for at, d in enumerate(found)]
    Path("mine").write_text(table(f"query_id,doc_id,{label},rank", rows))
    said = shell("eval", "mine", "qrels", "-m", "AP")
    assert said.exit_code == 2
    assert f"has a rank twice, but not within one {label}; count its ranks throughout" in said.stderr


@pytest.mark.parametrize("labels", ["query_id,doc_id,chunk_id,relevance", "query_id,chunk_id,doc_id,relevance"])
def test_judgments_of_documents_and_chunks_are_of_what_a_collection_holds(labels):
    chunks = [("D0", "D0#0", "red lamp"), ("D0", "D0#1", "oak"), ("D1", "D1#0", "tall tree")]
    Path("docs.jsonl").write_text(lines(dict(zip(("doc_id", "chunk_id", "text"), row, strict=True)) for row in chunks))
    Path("queries.csv").write_text("query_id,text\nq1,lamp\nq2,tree\n")
    of_both = [
        {"query_id": "q1", "doc_id": "D0", "chunk_id": "D0#0", "relevance": 1},
        {"query_id": "q2", "doc_id": "D1", "chunk_id": "D1#0", "relevance": 1},
    ]
    Path("judged").write_text(table(labels, [[one[label] for label in labels.split(",")] for one in of_both]))
    assert ap_of("docs.jsonl", "--queries", "queries.csv", "--qrels", "judged") == 1.0
    Path("judged").write_text("query_id,doc_id,relevance\nq1,D0,1\nq2,D1,1\n")
    said = shell("eval", "docs.jsonl", "--queries", "queries.csv", "--qrels", "judged", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "doc_id has these ids, some of several documents: judge these" in said.stderr
    assert "--columns" not in said.stderr


OF_NUMBERS = {"0": ["12", "13", "15", "8"], "1": ["4", "9", "12", "31"], "2": ["7", "22", "20", "13"]}


@pytest.mark.parametrize("mark", [" ", "\t", ","])
@pytest.mark.parametrize("judged", ["0 0 13 1\n1 0 4 1\n2 0 20 1\n", "query_id,doc_id\n0,13\n1,4\n2,20\n"])
def test_lines_of_a_query_and_its_documents_may_have_numbers_alone(mark, judged):
    Path("judged").write_text(judged)
    for width in (5, 4, 3):
        Path("mine").write_text("".join(mark.join([q, *docs][:width]) + "\n" for q, docs in OF_NUMBERS.items()))
        if width > 3:
            assert ap_of("mine", "judged") == pytest.approx((1 / 2 + 1 + 1 / 3) / 3, abs=1e-4)
    said = shell("eval", "mine", "judged", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "each query has one line of three numbers" in said.stderr


@pytest.mark.parametrize("by", ["rank", "score"])
def test_a_column_named_after_a_system_beside_another_one_is_asked_about(by):
    places = {(q, d): at for q, docs in ORDER.items() for at, d in enumerate(docs, 1)}
    rows = [
        (*pair, *((at, len(ORDER[pair[0]]) + 1 - at) if by == "rank" else (9.5 - at, at + 0.25)), 7.5)
        for pair, at in sorted(places.items())
    ]
    Path("run.csv").write_text(table("query,doc,bm25,dense,price", rows))
    said = shell("eval", "run.csv", "qrels", "-m", "AP")
    assert said.exit_code == 2
    assert "the scores are open" in said.stderr
    first, second = options_in(said.stderr, "--run-columns")
    assert (f"{by}=bm25" in first, f"{by}=dense" in second) == (True, True)
    assert ap_of("run.csv", "qrels", "--run-columns", first) == pytest.approx(AP)
    rows = [(*pair, 9.5 - at, at + 0.25, 7.5) for pair, at in places.items()]
    Path("run.csv").write_text(table("query,doc,bm25,dense,price", rows))
    assert ap_of("run.csv", "qrels") == pytest.approx(AP)
    said = shell("eval", "run.csv", "qrels", "-m", "AP").stderr
    assert "the scores are those of bm25; if they are in dense: --run-columns score=dense" in said
    Path("run.csv").write_text(table("query,doc,bm25,price", [(*row[:3], 7.5) for row in rows]))
    assert "the scores are those of" not in shell("eval", "run.csv", "qrels", "-m", "AP").stderr


SEVERAL = {"d1": [0, 2, 3], "d2": [1, 1]}
OF_SEVERAL = {
    "a key": lines({"qid": q, "ratings": SEVERAL} for q in ORDER),
    "an object": json.dumps(dict.fromkeys(ORDER, SEVERAL)),
    "lists": lines({"qid": q, "docs": [{"id": d, "grades": given} for d, given in SEVERAL.items()]} for q in ORDER),
}


@pytest.mark.parametrize("form", OF_SEVERAL)
def test_several_grades_of_a_document_are_refused_with_the_option_that_counts_each(form):
    Path("judged").write_text(OF_SEVERAL[form])
    said = shell("eval", "trec.run", "--qrels", "judged")
    assert said.exit_code == 2
    assert "a document has several numbers under " in said.stderr
    [option] = options_in(said.stderr, "--qrels-columns")
    pair = "".join(f"{q} 0 {d} 1\n" for q in ORDER for d in SEVERAL)
    Path("each").write_text(pair)
    each = ap_of("trec.run", "--qrels", "judged", "--qrels-columns", option)
    assert each == ap_of("trec.run", "--qrels", "each")
    Path("judged").write_text(lines({"qid": q, "relevant": {d: [f"It is {d}.", "…"] for d in SEVERAL}} for q in ORDER))
    assert ap_of("trec.run", "--qrels", "judged") == each


def test_grades_of_several_judges_below_the_documents_are_asked_about():
    judged = {q: {d: {"Ann": grade, "Bob": 0} for d, grade in GRADES[q].items()} for q in ORDER}
    Path("judged").write_text(lines({"qid": q, "ratings": ratings} for q, ratings in judged.items()))
    said = shell("eval", "trec.run", "--qrels", "judged").stderr
    first, *_ = options_in(said, "--qrels-columns")
    assert ap_of("trec.run", "--qrels", "judged", "--qrels-columns", first) == AP


def test_types_behind_the_names_of_columns_are_no_part_of_them():
    """As RecBole writes what people rated."""
    judged = [(q, d, g, 880000000 + at) for q in ORDER for at, (d, g) in enumerate(GRADES[q].items())]
    Path("judged.inter").write_text(table("user_id:token,item_id:token,rating:float,timestamp:float", judged, "\t"))
    Path("run.tsv").write_text(table("user_id,item_id,score", [(q, d, 9 - at) for q, at, d in FOUND], "\t"))
    assert ap_of("run.tsv", "judged.inter") == AP
    for names in ("query=user_id:token,doc=item_id:token", "query=user_id,doc=item_id"):
        assert ap_of("run.tsv", "judged.inter", "--qrels-columns", names) == AP


def test_an_option_never_takes_times_for_documents():
    Path("judged.csv").write_text("viewer,thing,points,timestamp\nq1,d1,2,881\nq1,d2,1,882\nq2,d1,1,883\n")
    with pytest.raises(DataError, match="doc=thing,grade=points"):
        read_qrels("judged.csv")


def test_grades_under_keys_are_read_though_some_keys_are_in_no_other_file():
    """The object of q2 has no document of the run; the option for a single key names that of all."""
    grades = {"q1": {"d1": 1}, "q2": {"d77": 1}, "q3": {"d6": 1}}
    items = [{"query_id": q, "query_text": f"text of {q}", "labels": grades[q]} for q in ORDER]
    Path("judged.json").write_text(json.dumps(items, indent=1))
    assert ap_of("trec.run", "judged.json") == 0.25
    said = shell("eval", "trec.run", "judged.json", "--qrels-columns", "query=query_id,doc=labels.d77").stderr
    assert "did you mean" not in said


def test_documents_under_a_name_of_queries_are_those_of_the_judgments():
    """As TREC CAsT ranks questions for each turn."""
    ranked = {q: [{"question": d, "score": 9.5 - at} for at, d in enumerate(ORDER[q])] for q in ORDER}
    turns = [{"turn_id": q, "questions": ranked[q]} for q in ORDER]
    Path("run.json").write_text(json.dumps({"run_name": "x", "turns": turns}))
    assert ap_of("run.json", "qrels") == AP


def test_a_query_without_relevant_documents_does_not_hide_the_ids_of_the_others():
    gold = {"q1": [{"code": "d1", "kind": "x"}], "q2": [], "q3": []}
    items = [{"id": q, "question": f"the text of {q}", "answerable": q == "q1", "gold": gold[q]} for q in ORDER]
    Path("golden.json").write_text(json.dumps(items))
    assert ap_of("trec.run", "golden.json") == 0.5 / 3


def test_the_last_file_is_the_judgments_if_it_alone_names_relevant_documents():
    Path("run.json").write_text(json.dumps(ORDER))
    judged = [{"q": q, "metric_at": 30, "relevant": [d for d, g in GRADES[q].items() if g]} for q in ORDER]
    Path("targets.json").write_text(json.dumps(judged))
    assert ap_of("run.json", "targets.json") == AP


@pytest.mark.parametrize("system_first", [True, False])
def test_of_two_columns_of_numbers_without_names_it_is_asked_which_holds_the_queries(system_first):
    """The first two are systems and queries, in either order; all systems have ids of queries."""
    places = [(s, q, at) for s in (1, 2) for q in (1, 2, 3) for at in (1, 2, 3)]
    rows = [(s, q, f"d{q}{at if s == 1 else 4 - at}", at, 9.5 - at) for s, q, at in places]
    rows = rows if system_first else [(q, s, *others) for s, q, *others in rows]
    Path("run.csv").write_text(table("", rows).lstrip("\n"))
    Path("judged.csv").write_text("1,d11,1\n2,d21,1\n3,d31,1\n")
    said = shell("eval", "run.csv", "judged.csv")
    assert said.exit_code == 2
    options = options_in(said.stderr, "--run-columns")
    assert options == ["system=1,query=2,doc=3,score=5", "system=2,query=1,doc=3,score=5"]
    found = shell("eval", "run.csv", "judged.csv", "--run-columns", options[not system_first], "-m", "RR", "--tsv")
    assert [row.split("\t")[1] for row in found.stdout.splitlines()[1:]] == ["1.0", "0.3333333333333333"]


@pytest.mark.parametrize("labels", ["query,doc_a,doc_b,choice", "Input.query,Input.docA,Input.docB,Answer.radio"])
@pytest.mark.parametrize("ids", ["d1,d2", "x1,x2"])
def test_preferences_between_two_documents_are_refused_as_what_they_are(labels, ids):
    Path("judged.csv").write_text(f"{labels}\nq1,{ids},a\nq2,{ids},b\n")
    said = shell("eval", "trec.run", "judged.csv")
    assert said.exit_code == 2
    assert "it seems to hold which of " in said.stderr
    assert not options_in(said.stderr, "--qrels-columns")


def test_documents_of_a_trace_are_a_ranking_of_its_question_and_not_of_its_own_id():
    judged = [{"id": f"e{q}", "inputs": {"question": q}, "outputs": {"relevant_doc_ids": [*GRADES[q]]}} for q in ORDER]
    traces = [
        {
            "id": f"t{q}",
            "inputs": {"question": q},
            "outputs": {"documents": [{"id": d, "page_content": "…"} for d in docs]},
        }
        for q, docs in ORDER.items()
    ]
    Path("judged.jsonl").write_text(lines(judged))
    Path("traces.json").write_text(json.dumps(traces))
    assert ap_of("traces.json", "judged.jsonl") == pytest.approx((11 / 12 + 1 + 3 / 4) / 3)
    Path("own.jsonl").write_text(lines({"query_id": f"t{q}", "relevant": [*GRADES[q]]} for q in ORDER))
    assert ap_of("traces.json", "own.jsonl") == ap_of("traces.json", "judged.jsonl")


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


@pytest.mark.parametrize("mark", [" ", "|"])
def test_lists_of_two_columns_that_meet_only_piece_by_piece_are_lists_in_both_files(mark):
    def pairs(name, lists):
        Path(name).write_text("session,labels\n" + "".join(f"{q},{mark.join(docs)}\n" for q, docs in lists.items()))

    pairs("ours.csv", ORDER)
    pairs("theirs.csv", GRADES)
    assert ap_of("ours.csv", "theirs.csv") == pytest.approx((11 / 12 + 1 + 3 / 4) / 3)
    names = {q: [f"red {'lamp' if d == 'd1' else 'tree'}" for d in docs] for q, docs in ORDER.items()}
    pairs("ours.csv", {q: docs[:1] for q, docs in names.items()})
    pairs("theirs.csv", {q: ["lamp red"] for q in ORDER})
    assert shell("eval", "ours.csv", "theirs.csv").exit_code == 2


@pytest.mark.parametrize("label", ["Platz", "plaats", "posición", "posição", "posizione", "puesto"])
def test_a_place_in_another_language_is_a_rank(label):
    rows = [(q, at, d) for q, docs in ORDER.items() for at, d in enumerate(docs, 1)]
    Path("ours.csv").write_text(table(f"Anfrage,{label},Dokument", sorted(rows, key=lambda row: row[2])))
    assert ap_of("ours.csv", "qrels") == pytest.approx(AP)


@pytest.mark.parametrize("label", ["chunk_id", "page_no", "passageId", "Segment-Nr"])
def test_numbers_of_parts_in_both_files_are_asked_about_and_both_answers_work(label):
    Path("ours.csv").write_text(f"query_id,doc_id,{label},score\nq1,D1,3,9\nq1,D2,1,8\nq2,D3,1,9\n")
    Path("theirs.csv").write_text(f"query_id,doc_id,{label},relevance\nq1,D1,2,1\nq1,D2,1,1\nq2,D3,1,1\nq2,D4,9,0\n")
    said = shell("eval", "ours.csv", "theirs.csv").stderr
    judged, ranked = options_in(said, "--qrels-columns")[:2], options_in(said, "--run-columns")[:2]
    assert judged == ["query=query_id,doc=doc_id", f"query=query_id,doc=doc_id+{label}"] == ranked
    found = [
        ap_of("ours.csv", "theirs.csv", "--run-columns", one, "--qrels-columns", two)
        for one, two in zip(ranked, judged, strict=True)
    ]
    assert found == [1, 0.625]
    for name in ("ours.csv", "theirs.csv"):
        Path(name).write_text(Path(name).read_text().replace(label, "price"))
    assert ap_of("ours.csv", "theirs.csv") == 1


TITLES = {d: f"On {name}, and more" for d, name in zip(("d1", "d3", "d4", "d5", "d6", "d9"), "ABCDEF", strict=True)}
KEPT = {"red lamp": ("d3", "d1"), "blue hat": ("d4", "d5"), "green tea": ("d9", "d6")}
"""Query → its first document, and the relevant one behind it."""


def test_ids_of_a_run_tell_the_columns_of_judgments_among_empty_and_worded_ones():
    ranked = [(f'"{q}"', at, f'"{TITLES[d]}"') for q, docs in KEPT.items() for at, d in enumerate(docs, 1)]
    Path("ours.csv").write_text(table("query,rank,title", ranked))
    labels = "Titel på dokument,Case,Titel utan stor bokstav,2 nyckelord,Antal sidor,Unnamed: 10"
    rows = [(f'"{TITLES[d]}"', "Var hittar du det?", f'"{TITLES[d].lower()}"', q, 3, "") for q, (_, d) in KEPT.items()]
    Path("theirs.csv").write_text(table(labels, rows))
    [option] = options_in(shell("eval", "ours.csv", "theirs.csv").stderr, "--qrels-columns")
    assert option == "query=2 nyckelord,doc=Titel på dokument"
    said = shell("eval", "ours.csv", "theirs.csv", "--qrels-columns", option).stderr
    assert "query query; document title; rank rank (by the ids of theirs.csv)" in said
    assert ap_of("ours.csv", "theirs.csv", "--qrels-columns", option) == 0.5
    for first, second in ((0, 3), (3, 0)):
        Path("two.csv").write_text(
            table(",".join(labels.split(",")[at] for at in (first, second)), [(r[first], r[second]) for r in rows])
        )
        assert ap_of("ours.csv", "two.csv") == 0.5
    for label, cells in {"Titel på dokument": ["x1", "x2", "x3"], "grade": TITLES.values()}.items():
        others = [(f'"{cell}"', q) for cell, q in zip(cells, KEPT, strict=False)]
        Path("others.csv").write_text(table(f"{label},2 nyckelord", others))
        assert shell("eval", "ours.csv", "others.csv").exit_code == 2


def test_keys_with_ids_of_both_files_name_the_documents_and_no_kind_is_a_grade():
    kinds = ["paraphrase", "direct", "paraphrase"]
    golden = [
        {"id": f"q{at}", "question": f"What of {q}?", "evidence": "It is so.", "source": TITLES[docs[1]], "type": kind}
        for at, ((q, docs), kind) in enumerate(zip(KEPT.items(), kinds, strict=True))
    ]
    hits = [
        {"id": f"q{at}", "hits": [{"source": TITLES[d], "score": 0.9 - n / 10} for n, d in enumerate(docs)]}
        for at, docs in enumerate(KEPT.values())
    ]
    Path("golden.jsonl").write_text(lines(golden))
    Path("hits.jsonl").write_text(lines(hits))
    [option] = options_in(shell("eval", "hits.jsonl", "golden.jsonl").stderr, "--qrels-columns")
    assert option == "query=id,doc=source"
    assert ap_of("hits.jsonl", "golden.jsonl", "--qrels-columns", option) == 0.5
    Path("golden.jsonl").write_text(lines({**one, "source": "elsewhere"} for one in golden))
    assert shell("eval", "hits.jsonl", "golden.jsonl").exit_code == 2


def test_a_column_of_which_a_cell_stands_beside_several_documents_is_none_of_theirs():
    Path("ours.csv").write_text("query,score,lang\nq1,0.9,en\nq1,0.5,de\nq2,0.8,en\nq2,0.4,fr\n")
    judged = "query,doc,grade,lang\nq1,d1,1,en\nq1,d2,0,de\nq2,d3,1,en\n"
    Path("judged.csv").write_text(judged)
    assert "ours.csv is not a run: its columns are query, score, lang" in shell("eval", "ours.csv", "judged.csv").stderr
    Path("judged.csv").write_text(judged.replace("d3", "d1"))  # now each has its own, as an address
    assert ap_of("ours.csv", "judged.csv") == 1
