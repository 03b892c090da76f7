"""Golden sets and answers of engines in nested JSON: which lists, ids and numbers count, and what the user names."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from shell import run as shell

from toysearch import evaluate, read_qrels, read_run
from toysearch.files import as_run, read_runs

TEXTS = {"1": "The kettle boils water for tea.", "2": "Two wheels and a saddle.", "7": "Owls hunt at night."}
JUDGED = {"kettle": "1", "saddle": "2"}
PLACES = {"start_paragraph_id": 1, "end_paragraph_id": 1, "start_character": 0, "end_character": 20, "bleu_score": 1.0}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs.jsonl").write_text(lines({"id": key, "text": text} for key, text in TEXTS.items()))


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def golden(form):
    return lines(form(f"k{place}", *pair) for place, pair in enumerate(JUDGED.items()))


def values(*words):
    result = shell("eval", *words, "-m", "RR", "--tsv")
    assert result.exit_code == 0, result.stderr
    return [float(row.split("\t")[1]) for row in result.stdout.splitlines()[1:]]


def of_bright(name, query, doc):
    others = {"excluded_ids": ["7"], "hard_negatives": ["7"], "gold_ids_long": [f"{doc}.txt"]}
    return {"query": query, "id": name, **others, "gold_ids": [doc], "gold_answer": "…"}


@pytest.mark.parametrize("options", [(), ("--qrels-columns", "query=query,doc=gold_ids")], ids=len)
def test_what_a_name_calls_negative_is_not_relevant(options):
    Path("golden").write_text(golden(of_bright))
    assert values("docs.jsonl", "--qrels", "golden", *options) == [1.0]
    assert values("docs.jsonl", "--qrels", "golden", "--qrels-columns", "query=query,doc=excluded_ids") == [0.0]


@pytest.mark.parametrize("label", ["not_relevant", "nonRelevant", "irrelevant"])
def test_a_column_of_what_is_not_relevant_holds_no_grades(label):
    Path("judged.csv").write_text(f"query_id,doc_id,{label}\nq1,a,0\nq1,b,1\n")
    with pytest.raises(ValueError, match="expected judgments, with a column relevance"):
        read_qrels("judged.csv")
    Path("judged.csv").write_text("query_id,doc_id,relevant or not\nq1,a,1\nq1,b,0\n")
    assert read_qrels("judged.csv")["q1"] == {"a": 1.0, "b": 0.0}


LISTS = {"qid": "q1", "docs": ["a", "b"], "numbers": [1, 2], "gold_ids": ["c"], "retrieved": ["d"]}


@pytest.mark.parametrize("label", ["docs", "gold_ids", "retrieved"])
@pytest.mark.parametrize(("read", "value"), [(read_qrels, "grade"), (read_run, "score")])
def test_lists_that_the_user_names_are_read_and_no_others(read, value, label):
    Path("lists").write_text(lines([LISTS]))
    assert [*read("lists", columns=f"doc={label}")["q1"]] == LISTS[label]
    assert read("lists", columns=f"doc=docs,{value}=numbers")["q1"] == {"a": 1.0, "b": 2.0}


def of_lotte(name, query, doc):
    return {"qid": int(name[1:]), "query": query, "answer_pids": [int(doc)]}


def test_whole_numbers_beside_an_id_and_a_text_of_a_query_are_documents_where_a_name_says_so():
    Path("golden").write_text(golden(of_lotte))
    Path("queries.tsv").write_text("0\tkettle\n1\tsaddle\n")
    assert values("docs.jsonl", "--queries", "queries.tsv", "--qrels", "golden") == [1.0]


def of_scifact(name, query, doc):
    return {"id": name, "claim": query, "evidence": {doc: [{"sentences": [0]}]}, "cited_doc_ids": [int(doc)]}


def of_fever(name, query, doc):
    return {
        "id": name,
        "verifiable": "YES",
        "label": "SUPPORTS",
        "claim": f"a {query} is a thing",
        "evidence": [[[9, 8, doc, 0]]],
    }


def test_the_id_of_a_row_is_that_of_its_query():
    Path("golden").write_text(golden(of_scifact))
    files = ("docs.jsonl", "--queries", "golden", "--qrels", "golden")
    assert "query id; document evidence.(key); grade 1 for each" in shell("eval", *files).stderr
    assert values(*files) == [1.0]
    Path("golden").write_text(golden(of_fever))
    said = shell("eval", *files).stderr
    options = re.search(r"or, if each is relevant: --qrels-columns '(\S+)'\n", said)[1]
    assert options == "query=id,doc=evidence.(3)"
    assert values(*files, "--qrels-columns", options) == [1.0]


def of_kilt(key, relevant):
    def form(name, query, doc):
        return {
            "id": name,
            "input": query,
            "output": [{key: [{"wikipedia_id": doc, **PLACES} for doc in relevant(doc)]}],
        }

    return form


def test_the_documents_of_two_nested_files_stand_on_the_path_that_both_have():
    found = [
        {"id": name, "input": query, "output": [{"sources": [{"wikipedia_id": one} for one in "721"]}]}
        for name, query in zip(("k0", "k1"), JUDGED, strict=True)
    ]
    Path("found").write_text(lines(found))
    Path("golden").write_text(golden(of_kilt("provenance", list)))
    assert values("found", "golden") == [(1 / 3 + 1 / 2) / 2]
    Path("golden").write_text(golden(of_kilt("sources", list)))
    said = shell("eval", "found", "golden").stderr
    assert "grade=output.sources.start_character" in said
    each = re.search(r"if each is relevant: (.*)", said)[1]
    told = "grade 1 for each, none is given"
    assert told in shell("eval", "found", "golden", *shlex.split(each)).stderr
    assert values("found", "golden", *shlex.split(each)) == [(1 / 3 + 1 / 2) / 2]


@pytest.mark.parametrize("took", [(1, 2, 3), (3, 3, 3)])
def test_a_number_of_an_answer_is_no_query(took):
    hits = {"hits": {"total": {"value": 2}, "hits": [{"_id": "a", "_score": 2.5}, {"_id": "b", "_score": 1.5}]}}
    answers = [{"took": number, "_shards": {"total": 1}, **hits, "status": 200} for number in took]
    Path("qrels").write_text("1 0 a 1\n2 0 b 1\n3 0 b 1\n")
    Path("answers").write_text(json.dumps({"took": 12, "responses": answers}))
    said = shell("eval", "answers", "qrels").stderr
    assert said == (
        "toysearch: answers holds the answers to several searches without the ids of the queries; write an object, "
        "query_id to answer\n"
    )
    Path("answers").write_text(lines(answers))
    assert shell("eval", "answers", "qrels").exit_code == 2
    Path("answers").write_text(lines({"nr": place, "found": hits} for place, hits in enumerate(answers, 1)))
    assert values("answers", "qrels") == [(1 + 1 / 2 + 1 / 2) / 3]


RESCORED = {"a": (0.25, 3.5), "b": (0.75, 2.5), "c": (0.5, 1.5)}
"""Document → its first score, and the one by which the lists are in order."""


@pytest.mark.parametrize("form", ["lines", "lists", "answers", "records"])
def test_of_two_scores_the_one_that_the_lists_are_ordered_by_is_asked_about(form):
    Path("qrels").write_text("q1 0 b 1\nq2 0 b 1\n")

    def written(label):
        hits = [{"id": doc_id, "score": first, label: second} for doc_id, (first, second) in RESCORED.items()]
        of = dict.fromkeys(("q1", "q2"), hits)
        return {
            "lines": lines({"query_id": query_id, "hits": hits} for query_id in of),
            "lists": json.dumps(of),
            "answers": json.dumps({query_id: {"count": 3, "value": hits} for query_id in of}),
            "records": lines({"query_id": query_id, "value": {"found": hits}} for query_id in of),
        }[form]

    Path("theirs").write_text(written("rerankerScore"))
    said = shell("eval", "theirs", "qrels").stderr
    first, second = map(shlex.split, said.partition("the scores are open; name them: ")[2].split(" or "))
    assert values("theirs", "qrels", *first) == [1.0]
    assert values("theirs", "qrels", *second) == [0.5]
    Path("theirs").write_text(written("height"))
    assert values("theirs", "qrels") == [1.0]


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("mark", [",", ""])
@pytest.mark.parametrize(
    "named", [("positives", "negatives"), ("relevant_docs", "not_relevant"), ("chosen", "rejected")]
)
def test_of_two_lists_the_one_that_a_name_calls_negative_is_never_judged_relevant(named, mark, beside):
    Path("run").write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 8 x\nq2 Q0 c 1 9 x\nq2 Q0 d 2 8 x\n")
    rows = [("q1", "b e", "a f"), ("q2", "d e", "c f")]
    for labels in (named, *([] if mark else [named[1:]])):  # two columns are pairs, whatever they are called
        items = [dict(zip(("query_id", *labels), (q, *lists[-len(labels) :]), strict=True)) for q, *lists in rows]
        cells = [",".join(item.values()) + "\n" for item in items]
        lists = [{key: cell.split() if key in labels else cell for key, cell in item.items()} for item in items]
        Path("judged").write_text("".join([f"query_id,{','.join(labels)}\n", *cells]) if mark else lines(lists))
        result = shell("eval", "run", *(["--qrels"] if beside else []), "judged", "-m", "RR", "--tsv")
        if len(labels) == 1:
            assert (result.exit_code, result.stdout) == (2, "")
        else:
            assert result.stdout.splitlines()[1].split("\t")[1] == "0.5", result.stderr


OF_COLLECTION = {
    "unknown columns": "Frage-Nr;Geprüft von;Text-Nr;Note\nk0;Al;1;1\nk0;Al;7;1\nk1;Al;2;2\n",
    "the texts of queries": "Suche;Text-Nr;Note\nkettle;1;2\nkettle;7;2\nsaddle;2;2\n",
    "lists with bars": "query;relevant\nkettle;1|7\nsaddle;2\n",
    "lists with blanks": "query;relevant\nkettle;1 7\nsaddle;2\n",
    "a list in a list": lines(
        {"qid": f"k{doc - 1}", "generation_gt": ["25 days"], "retrieval_gt": [[str(doc)]]} for doc in (1, 2)
    ),
    "snippets under a key": json.dumps(
        {"tests": [{"query": query, "snippets": [{"text_nr": doc, "span": [0, 7]}]} for query, doc in JUDGED.items()]}
    ),
    "two lists, one of ids": lines({"id": f"k{doc - 1}", "tags": ["x", "y"], "chunk_nrs": [doc]} for doc in (1, 2)),
}


@pytest.mark.parametrize("case", OF_COLLECTION)
def test_unknown_columns_of_judgments_are_found_by_all_ids_of_the_collection(case):
    Path("queries.csv").write_text("query_id,text\nk0,kettle\nk1,saddle\n")
    Path("judged").write_text(OF_COLLECTION[case])
    files = ("docs.jsonl", "--queries", "queries.csv", "--qrels", "judged")
    assert "(by the ids of docs.jsonl)" in shell("eval", *files).stderr
    assert values(*files) == [1.0]
    shell("index", "docs.jsonl", "-o", "docs.idx")
    assert values("docs.idx", *files[1:]) == [1.0]


def test_numbers_are_no_ids_where_the_documents_are_numbered():
    Path("docs.csv").write_text("text\n" + "".join(f"{text}\n" for text in TEXTS.values()))
    Path("queries.csv").write_text("query_id,text\nk0,kettle\nk1,saddle\n")
    Path("judged").write_text(lines({"query_id": f"k{at}", "relevant_idx": [at]} for at in (0, 1)))
    said = shell("eval", "docs.csv", "--queries", "queries.csv", "--qrels", "judged").stderr
    assert "if relevant_idx lists ids of documents, not their places: --qrels-columns" in said


def test_a_position_that_does_not_count_is_asked_about():
    Path("queries.csv").write_text("query_id,text\n1,kettle\n2,saddle\n")
    rows = [{"query_num": "1", "position": "2", "id": "1"}, {"query_num": "2", "position": "4", "id": "2"}]
    Path("judged").write_text(json.dumps(rows))
    files = ("docs.jsonl", "--queries", "queries.csv", "--qrels", "judged")
    said = shell("eval", *files).stderr
    assert said.endswith("the grades are open; name them: --qrels-columns query=query_num,doc=id,grade=position\n")
    assert values(*files, "--qrels-columns", "query=query_num,doc=id,grade=position") == [1.0]


ASKED = {"red lamp?": ("d2", ["d3", "d2", "d1"]), "two wheels?": ("d3", ["d3", "d1", "d2"])}
"""Query → its relevant document, and a ranking: the mean reciprocal rank is 0.75."""


def table_of(*names):
    """Write a table with columns for each query and its relevant document, and one for each place of its ranking."""
    rows = [[*names, "Result 1", "Result 2", "Result 3"]]
    for place, (query, (doc, ranking)) in enumerate(ASKED.items(), 1):
        cells = {"#": str(place), "Comment": "ok" if place == 1 else ""}
        rows.append([cells.get(name, query if name == "Question" else doc) for name in names] + ranking)
    return "".join(",".join(row) + "\n" for row in rows)


def hits(ranking):
    return [{"page_content": "Some words", "metadata": {"source": doc}} for doc in ranking]


IN_ONE_FILE = {
    "places.csv": table_of("Question", "Expected article"),
    "counted.csv": table_of("#", "Question", "Expected"),
    "comments.csv": table_of("Question", "Expected", "Comment"),
    "ids.csv": table_of("Question", "expected_doc"),
    "lists.csv": "query,relevant,retrieved\n" + "".join(f'{q},{d},"{",".join(r)}"\n' for q, (d, r) in ASKED.items()),
    "objects.json": json.dumps(
        [{"question": q, "relevant_sources": [d], "retrieved_documents": hits(r)} for q, (d, r) in ASKED.items()]
    ),
    "one.json": json.dumps([{"query": q, "expected": d, "retrieved": r} for q, (d, r) in ASKED.items()]),
}


@pytest.mark.parametrize("name", IN_ONE_FILE)
def test_a_file_of_relevant_documents_and_rankings_is_both_and_neither_is_read_as_the_other(name):
    Path(name).write_text(IN_ONE_FILE[name])
    assert values(name, name) == [0.75]


@pytest.mark.parametrize("label", ["hotel_id", "chunk_id", "hotel", "foo"])
@pytest.mark.parametrize("form", ["trec", "answers", "records"])
def test_a_column_beside_a_known_grade_holds_the_documents_whose_ids_it_has(form, label):
    Path("judged.csv").write_text(f"query,{label},rating\nq1,1,1\nq1,0,0\nq2,0,2\nq2,2,1\n")
    run = {"q1": ["0", "1", "2"], "q2": ["0", "1", "2"]}
    if form == "trec":
        rows = (f"{query} Q0 {doc} {at} {9 - at} a\n" for query, docs in run.items() for at, doc in enumerate(docs, 1))
        Path("run").write_text("".join(rows))
    elif form == "records":
        ranked = [{"query": q, label: doc, "score": 9.5 - at} for q in run for at, doc in enumerate(run[q])]
        Path("run").write_text(lines(ranked))
    else:
        scored = {q: [{"@search.score": 9 - at, "HotelId": doc} for at, doc in enumerate(run[q])] for q in run}
        Path("run").write_text(json.dumps({query: {"value": documents} for query, documents in scored.items()}))
    assert values("run", "judged.csv") == [0.75]


def test_pairs_without_values_are_a_ranking_if_the_user_names_them_and_nothing_else():
    Path("judged").write_text("q1 0 b 1\n")
    Path("run.csv").write_text("query,colour,url\nq1,red,a\nq1,blue,b\n")
    refused = shell("eval", "run.csv", "judged", "-m", "RR")
    way = "if its rows are ranked: --run-columns query=query,doc=url"
    assert refused.exit_code == 2
    assert way in refused.stderr
    assert values("run.csv", "judged", *shlex.split(way.partition(": ")[2])) == [0.5]
    for value in ("points", "grade"):  # of unknown kind, or of judgments
        Path("run.csv").write_text(f"query,url,{value}\nq1,a,2\nq1,b,1\n")
        with pytest.raises(ValueError, match="expected a run, with a column score or rank"):
            read_run("run.csv", columns="query=query,doc=url")


def test_records_with_hits_are_a_run_in_memory_as_they_are_in_a_file():
    records = [{"query_id": "q1", "hits": [{"id": "a", "score": np.float32(0.5)}, {"id": "b", "score": 0.25}]}]
    judged = [{"query_id": "q1", "relevant_ids": ["b"]}]
    assert evaluate(records, judged, "RR").per_query["q1"]["RR"] == 0.5
    Path("run").write_text(json.dumps(records, default=float))
    assert read_run("run")["q1"] == as_run(records)["q1"]
    with pytest.raises(ValueError, match="not a list"):
        evaluate([{"query_id": "q1", "score": 1}], judged, "RR")


@pytest.mark.parametrize("cells", ["4,5", "0.5,0.25", "The kettle boils water,Owls hunt at night"])
def test_counted_columns_of_numbers_or_texts_are_no_places_of_a_ranking(cells):
    Path("run.csv").write_text(f"Question,Item 1,Item 2\nq1,{cells}\n")
    with pytest.raises(ValueError, match="is not a run"):
        read_run("run.csv")


def test_numbers_behind_a_pair_are_asked_about_though_no_label_names_them():
    for header, cells in (("query,doc,", "q1,a,{}\n"), (",query,doc", "{},q1,a\n")):
        Path("judged.csv").write_text(f"{header}\n{cells.format(0)}{cells.format(1).replace('a', 'b')}")
        if header[0] == ",":  # numbers of the rows
            assert read_qrels("judged.csv")["q1"] == {"a": 1.0, "b": 1.0}
        else:
            with pytest.raises(ValueError, match="query, doc and one without a name; write relevance above it"):
                read_qrels("judged.csv")


def test_of_two_columns_with_the_name_of_a_grade_the_user_names_one():
    Path("judged.csv").write_text("query,doc,grade,grade\nq1,a,1,0\nq1,b,0,1\n")
    with pytest.raises(ValueError, match="the grades are open") as refused:
        read_qrels("judged.csv")
    [*_, named] = re.findall("columns='([^']*)'", str(refused.value))
    assert read_qrels("judged.csv", named)["q1"] == {"a": 0.0, "b": 1.0}


@pytest.mark.parametrize(("label", "yes"), [("relevant", "ja"), ("relevante", "sí"), ("pertinente", "sì")])
def test_words_are_grades_below_a_name_that_says_so(label, yes):
    Path("run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    Path("judged.csv").write_text(f"consulta,documento,{label}\nq1,a,no\nq1,b,{yes}\n")
    assert values("run", "judged.csv") == [0.5]


def by_query(form):
    return json.dumps({f"q{place}": form(*pair) for place, pair in enumerate(ASKED.values(), 1)})


WITH_RANKINGS = {
    "lists": by_query(lambda doc, ranking: {"ranking": ranking, "relevant": [doc]}),
    "numbers": by_query(lambda doc, ranking: {"relevant": {doc: 1}, "results": dict.fromkeys(ranking, 9)}),
    "tables": json.dumps(
        {"run": {"q1": {"d3": 9.5, "d2": 8}, "q2": {"d3": 9.5}}, "qrels": {"q1": {"d2": 1, "d3": 0}, "q2": {"d3": 1}}}
    ),
    "gold": json.dumps({"run": {"q1": ["d3", "d2"], "q2": ["d3"]}, "gold": {"q1": ["d2"], "q2": ["d3"]}}),
}


@pytest.mark.parametrize("name", WITH_RANKINGS)
def test_judgments_are_what_is_called_relevant_and_not_the_ranking_beside(name):
    rows = (
        f"q{place} Q0 {doc} 1 {-at} x\n" for place, (_, r) in enumerate(ASKED.values(), 1) for at, doc in enumerate(r)
    )
    Path("run").write_text("".join(rows))
    Path("judged.json").write_text(WITH_RANKINGS[name])
    assert values("run", "judged.json") == [0.75]


@pytest.mark.parametrize(("first", "second"), [("2", "1"), ("0", "1"), ("highly_relevant", "relevant")])
def test_of_lists_of_several_grades_none_is_read_alone(first, second):
    Path("run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    Path("judged.json").write_text(json.dumps({"q1": {first: ["a"], second: ["b", "a"]}}))
    refused = shell("eval", "run", "judged.json")
    told = f"documents of one grade each stand under (value).{first}, (value).{second}; write a row for each document"
    assert told in refused.stderr


@pytest.mark.parametrize("label", ["y_true", "human", "y"])
def test_a_score_with_fractions_beside_a_few_whole_numbers_is_asked_about(label):
    rows = "".join(f"q1,d{at},{9 - at}.5,{at % 2}\n" for at in range(6))
    Path("judged.csv").write_text(f"query,doc,score,{label}\n{rows}")
    with pytest.raises(ValueError, match=f"the grades are open.*grade=score.*grade={label}"):
        read_qrels("judged.csv")
    assert sum(read_qrels("judged.csv", f"query=query,doc=doc,grade={label}")["q1"].values()) == 3


@pytest.mark.parametrize("ids", [["1"], [1]])
def test_texts_that_are_the_keys_of_lists_are_searched(ids):
    Path("judged.json").write_text(
        json.dumps({"what boils water for tea": ids, "which owls hunt at night": [type(ids[0])(7)]})
    )
    assert values("docs.jsonl", "--qrels", "judged.json") == [1.0]


def test_lists_beside_each_other_are_systems_or_parts_of_one_file():
    def listed(*queries, key="results", docs=("a", "b")):
        return [{"query_id": query, key: [*docs]} for query in queries]

    Path("run.json").write_text(json.dumps({"bm25": listed("q1", "q2"), "dense": listed("q1", "q2", docs=("b", "a"))}))
    assert [(run.name, [*run["q2"]]) for run in read_runs("run.json")] == [("bm25", ["a", "b"]), ("dense", ["b", "a"])]
    Path("run.json").write_text(json.dumps({"train": listed("q1"), "test": listed("q2")}))
    with pytest.warns(match="each with queries of its own; they are read as one run"):
        assert [*read_run("run.json").query_ids] == ["q1", "q2"]
    Path("judged.json").write_text(
        json.dumps({"train": listed("q1", key="relevant"), "test": listed("q2", key="relevant")})
    )
    assert [*read_qrels("judged.json").query_ids] == ["q1", "q2"]


@pytest.mark.parametrize("beside", ["ranking", "contexts", "top_k"])
def test_a_list_of_an_unknown_name_is_judged_rather_than_a_ranking(beside):
    Path("run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    Path("judged.json").write_text(json.dumps({"q1": {"answers": ["b", "c"], beside: ["a", "b"]}}))
    assert values("run", "judged.json") == [0.5]
    Path("judged.json").write_text(json.dumps({"answers": {"q1": ["b"]}, "run": {"q1": ["a", "b"]}}))
    with pytest.raises(ValueError, match="expected judgments in JSON"):  # the name of the other says nothing
        read_qrels("judged.json")


def test_a_list_of_grades_beside_that_of_documents_is_read():
    Path("run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    Path("judged.json").write_text(json.dumps([{"query": "q1", "docs": ["a", "b"], "labels": [0, 1]}]))
    assert values("run", "--qrels", "judged.json") == [0.5]


@pytest.mark.parametrize("more", [{}, {"labels": [2, 1]}], ids=len)
def test_a_file_that_holds_one_list_is_not_its_own_judgments(more):
    Path("both.json").write_text(json.dumps([{"query": "q1", "docs" if more else "relevant": ["a", "b"]} | more]))
    refused = shell("eval", "both.json", "both.json")
    assert refused.exit_code == 2
    assert "the run 'both' is its own judgments; name the columns of each: --run-columns" in refused.stderr


@pytest.mark.parametrize("form", ["csv", "json", "numbers"])
def test_beside_a_list_that_is_the_judgments_the_longer_one_is_the_run(form: str) -> None:
    found, judged = {"k": [105, 101, 107], "s": [106, 109, 102]}, {"k": [101], "s": [102, 109]}
    Path("qrels.csv").write_text("query,doc_id,grade\nk,101,1\ns,102,1\ns,109,1\n")
    if form != "numbers":
        found, judged = ({key: [f"d{one}" for one in ids] for key, ids in lists.items()} for lists in (found, judged))
        Path("qrels.csv").write_text("query,doc_id,grade\nk,d101,1\ns,d102,1\ns,d109,1\n")
    if form == "csv":
        rows = [f"{key},{' '.join(judged[key])},{' '.join(found[key])}\n" for key in found]
        Path("golden.csv").write_text("".join(["Frage,Erwartet,Gefunden\n", *rows]))
    else:
        records = [{"query": key, "true": judged[key], "pred": found[key]} for key in found]
        Path("golden.csv").write_text(json.dumps(records))
    printed = shell("eval", "golden.csv", "qrels.csv", "-m", "AP")
    assert "0.5417" in printed.stdout  # the mean of 1/2 and 7/12
    assert ("Gefunden" if form == "csv" else "pred") in printed.stderr


def test_lists_of_whole_numbers_on_both_sides_are_lists_of_documents() -> None:
    Path("run.json").write_text(json.dumps({"0": [3, 17, 8], "1": [11, 2, 5]}))
    Path("qrels.json").write_text(json.dumps({"0": [17], "1": [11, 5]}))
    assert "0.6667" in shell("eval", "run.json", "qrels.json", "-m", "AP").stdout
    Path("qrels.json").write_text(json.dumps({"0": [117], "1": [111, 105]}))
    assert shell("eval", "run.json", "qrels.json", "-m", "AP").exit_code


def test_what_stands_once_beside_a_golden_list_is_no_query() -> None:
    examples = [{"input": query, "metadata": {"source": JUDGED[query]}} for query in JUDGED]
    Path("golden.json").write_text(json.dumps({"name": "golden v1", "examples": examples}))
    printed = shell("eval", "docs.jsonl", "--queries", "golden.json", "--qrels", "golden.json", "-m", "AP")
    assert "1.0000" in printed.stdout
    assert "query examples.input" in printed.stderr


@pytest.mark.parametrize(
    "header", ["Suchanfrage,Platz,URL,Relevanz,Kommentar", "Query,Place,Returned doc,Relevance,Note"]
)
def test_the_query_of_one_sheet_is_neither_its_grade_nor_an_empty_comment(header: str) -> None:
    rows = [f"{query},{place},page {query[0]}{place},{place % 3},\n" for query in JUDGED for place in range(1, 5)]
    Path("sheet.csv").write_text("".join([f"{header}\n", *rows]))
    query, _, doc, grade, _ = header.split(",")
    printed = shell("eval", "sheet.csv", "sheet.csv", "-m", "AP")
    assert f"query {query}; document {doc}; grade {grade}" in printed.stderr
    assert "0.9167" in printed.stdout  # grades 1 2 0 1 in the order of the ranks


KINDS = {"kettle": "kitchen", "saddle": "bicycle"}
CASES = {KINDS[query]: [{"question": query, "expected_doc_ids": [doc]}] for query, doc in JUDGED.items()}
OF_KINDS = {
    "beside each other": CASES,
    "one below the other": {kind: {"questions": cases} for kind, cases in CASES.items()},
    "in a list": {"dataset": [{"category": kind, "cases": cases} for kind, cases in CASES.items()]},
}


@pytest.mark.parametrize("form", OF_KINDS)
@pytest.mark.parametrize("queries", [(), ("--queries", "golden.json")], ids=len)
def test_golden_lists_of_several_kinds_are_one(form, queries):
    Path("golden.json").write_text(json.dumps(OF_KINDS[form]))
    more = json.dumps({"text": "A saddle in the kettle, and one more kettle.", "id": "9"})
    Path("docs.jsonl").write_text(Path("docs.jsonl").read_text() + more)
    assert values("docs.jsonl", *queries, "--qrels", "golden.json") == [0.75]


def test_grades_of_several_kinds_of_queries_are_one_set():
    qrels = {"easy": {"q1": {"a": 1, "b": 0}, "q2": {"x": 1}}, "hard": {"q3": {"a": 1, "y": 0}, "q4": {"b": 2, "a": 0}}}
    Path("qrels.json").write_text(json.dumps(qrels))
    Path("trec.run").write_text("".join(f"q{at} Q0 a 1 2 x\nq{at} Q0 b 2 1 x\n" for at in (1, 2, 3, 4)))
    assert values("trec.run", "qrels.json") == [2.5 / 4]  # nothing for q2, the second for q4


RANKINGS = [("retrieved", "reranked"), ("candidates", "results"), ("docs", "docs_v2"), ("hits", "reranked_hits")]
KEPT_APART = [("must_include", "must_not_include"), ("good", "bad"), ("grade_1", "grade_0"), ("alpha", "beta")]


@pytest.mark.parametrize("syntax", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("labels", [*RANKINGS, *KEPT_APART])
def test_of_two_lists_of_documents_none_is_taken_for_what_the_other_file_has_of_it(labels, syntax):
    of_run = labels in RANKINGS
    lists = {"kettle": (["d1", "d9"], ["d2", "d7"][: 1 + of_run]), "saddle": (["d3", "d8"], ["d4", "d6"])}
    Path("plain.csv").write_text(
        f"query,doc_id,{'relevance' if of_run else 'score'}\nkettle,d1,1\nkettle,d2,2\nsaddle,d3,1\nsaddle,d4,3\n"
    )
    if syntax == "csv":
        rows = [f"{query},{';'.join(one)},{';'.join(other)}\n" for query, (one, other) in lists.items()]
        Path("lists.csv").write_text("".join([f"query,{labels[0]},{labels[1]}\n", *rows]))
    elif syntax == "jsonl":
        objects = [{"query": query, **dict(zip(labels, both, strict=True))} for query, both in lists.items()]
        Path("lists.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects))
    else:
        Path("lists.json").write_text(
            json.dumps({q: dict(zip(labels, both, strict=True)) for q, both in lists.items()})
        )
    files = [f"lists.{syntax}", "plain.csv"] if of_run else ["plain.csv", f"lists.{syntax}"]
    asked = shell("eval", *files, "-m", "AP")
    assert asked.exit_code == 2
    assert all(re.search(rf"doc=(\(value\)\.)?{label}\b", asked.stderr.replace("'", "")) for label in labels)


@pytest.mark.parametrize("beside", [{}, {"section_id": 1}, {"page": 3}, {"answer": "Yes it does."}, {"relevance": 2}])
def test_an_object_that_names_a_document_is_the_judgment_of_its_query(beside):
    """Its keys are no documents, and the run beside is read by its own names."""
    Path("golden.json").write_text(json.dumps({query: {"doc_id": doc, **beside} for query, doc in JUDGED.items()}))
    hits = [(query, doc, 1.5 if JUDGED[query] == doc else 0.5) for query in JUDGED for doc in TEXTS]
    Path("run.jsonl").write_text(lines(dict(zip(["query", "doc_id", "score"], hit, strict=True)) for hit in hits))
    assert values("run.jsonl", "golden.json") == [1.0]
    assert values("docs.jsonl", "--qrels", "golden.json") == [1.0]
    grade = beside.get("relevance", 1)
    assert {query: dict(read_qrels("golden.json")[query]) for query in JUDGED} == {
        query: {doc: grade} for query, doc in JUDGED.items()
    }


PLACES_OF_RUN = "Requête;Rang 1;Rang 2\nR1;d1;d2\nR2;d3;d1\n"


@pytest.mark.parametrize("labels", ["Requête;Document;Pertinence", "requête;document;utile", "Requête;Fiche;Note"])
def test_places_and_judgments_of_unknown_names_share_the_queries_and_the_documents(labels):
    Path("places.csv").write_text(PLACES_OF_RUN)
    Path("judged.csv").write_text(f"{labels}\nR1;d2;1\nR1;d1;0\nR2;d3;1\nR2;d9;0\n")
    assert values("places.csv", "judged.csv") == [0.75]


@pytest.mark.parametrize("labels", ["srch_id,prop_id", "query_id,doc_id", "SearchId,PropertyId", ""])
def test_a_run_without_scores_is_refused_with_the_option_that_takes_the_order_of_its_rows(labels):
    Path("run.csv").write_text(f"{labels}\n".lstrip() + "1,a\n1,b\n2,a\n2,b\n")
    Path("judged.csv").write_text("srch_id,prop_id,relevance\n1,a,0\n1,b,1\n2,a,1\n2,b,0\n")
    said = shell("eval", "run.csv", "judged.csv")
    assert said.exit_code
    [option] = re.findall(r"if its rows are ranked: --run-columns (\S+?)(?=;|$)", said.stderr, re.MULTILINE)[:1]
    assert values("run.csv", "judged.csv", "--run-columns", option) == [0.75]


def test_scores_before_the_documents_of_pairs_are_read():
    pairs = {query: [[0.9, JUDGED[query]], [0.5, "7"]] for query in JUDGED}
    Path("golden").write_text(golden(lambda name, query, doc: {"query": query, "doc_id": doc}))
    Path("run.json").write_text(json.dumps(pairs))
    assert values("run.json", "golden") == [1.0]
    assert read_run("run.json")["kettle"] == {"1": 0.9, "7": 0.5}


def test_what_is_true_or_false_of_documents_with_scores_is_their_grade():
    """As DPR writes what it retrieved: `has_answer` beside the score."""
    hits = [{"id": doc, "score": str(9.5 - at), "has_answer": doc == "2"} for at, doc in enumerate(TEXTS)]
    Path("hits.json").write_text(json.dumps([{"question": query, "ctxs": hits} for query in JUDGED]))
    assert values("hits.json", "hits.json") == [0.5]
    said = shell("eval", "hits.json", "hits.json").stderr
    assert "query question; document ctxs.id; grade ctxs.has_answer" in said
    Path("hits.json").write_text(Path("hits.json").read_text().replace("has_answer", "was_read"))
    said = shell("eval", "hits.json", "hits.json").stderr
    option = "--qrels-columns query=question,doc=ctxs.id,grade=ctxs.was_read --grades false=0,true=1"
    assert f"the grades are open; name them: {option}" in said
    assert values("hits.json", "hits.json", *shlex.split(option)) == [0.5]


def test_pairs_beside_a_text_without_grades_are_refused_with_the_option_that_counts_each():
    Path("golden.csv").write_text("question,comment,doc_id\nkettle,It boils.,1\nsaddle,It is soft.,2\n")
    said = shell("eval", "docs.jsonl", "--qrels", "golden.csv").stderr
    assert "; to count each row as relevant: --qrels-columns query=question,doc=doc_id\n" in said
    assert values("docs.jsonl", "--qrels", "golden.csv", "--qrels-columns", "query=question,doc=doc_id") == [1.0]
    Path("golden.csv").write_text("question,answer,doc_id\nkettle,It boils.,1\nsaddle,It is soft.,2\n")
    assert values("docs.jsonl", "--qrels", "golden.csv") == [1.0]


@pytest.mark.parametrize("beside", [{"answer_contains": ["15"]}, {"tags": ["x", "y"], "grade": 1}])
def test_an_id_of_an_expected_document_goes_before_a_list_of_anything(beside):
    Path("golden").write_text(golden(lambda name, query, doc: {"question": query, "expected_doc_id": doc, **beside}))
    assert values("docs.jsonl", "--qrels", "golden") == [1.0]
