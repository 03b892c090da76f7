"""Syntax × role × what is missing or in excess: each cell reads, or is refused with a remedy that works."""

import csv
import io
import json
import re
import shlex
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from binary_files import parquet, workbook
from shell import run as shell

from toysearch import read_qrels, read_run

ORDER = {"t1": ["oak", "elm", "ash"], "t2": ["fir", "yew"]}
"""Best first."""
GRADES = {"t1": {"elm": 2, "ash": 1}, "t2": {"yew": 1}}
RELEVANT = "RR"  # 1/2 and 1/2
VALUE = "0.5"
ROWS = {
    "run": [(q, d, 9.5 - place) for q, docs in ORDER.items() for place, d in enumerate(docs)],
    "qrels": [(q, d, grade) for q, docs in GRADES.items() for d, grade in docs.items()],
}
NAMES = {
    "known": {"run": ["query_id", "doc_id", "score"], "qrels": ["query", "docid", "rating"]},
    "unknown": {"run": ["Anfrage", "Baum", "Punkte"], "qrels": ["Anfrage", "Baum", "Punkte"]},
    "none": {"run": [], "qrels": []},
}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blanks": " "}
MORE = {
    "nothing": [],
    "a text": ["a tall tree"],
    "a quoted line end": ["a tall\ntree"],
    "a number": [7],
    "no value": None,
}


def delimited(role, header, separator, more):
    mark, extra = SEPARATORS[separator], MORE[more]
    rows = [list(row[:2] if extra is None else (*row, *extra)) for row in ROWS[role]]
    labels = NAMES[header][role]
    if labels:
        rows.insert(0, [*labels[: 2 if extra is None else 3], *(["Notiz"] * bool(extra))])
    return "".join(mark.join(map(_cell, row)) + "\n" for row in rows)


def _cell(value):
    return f'"{value}"' if "\n" in str(value) else str(value)


def sheet(role, header, more):
    """The rows of the delimited table, as a sheet."""
    rows = csv.reader(io.StringIO(delimited(role, header, "comma", more)))
    return [[float(cell) if re.fullmatch(r"[\d.]+", cell) else cell for cell in row] for row in rows]


def objects(role, labels):
    return [dict(zip(labels, row, strict=True)) for row in ROWS[role]]


def lists(role, key):
    docs = ORDER if role == "run" else {q: [*grades] for q, grades in GRADES.items()}
    return [{"query_id": query_id, key: ids} for query_id, ids in docs.items()]


def hits(role, key):
    value = "score" if role == "run" else "rating"
    found = {}
    for query_id, doc_id, number in ROWS[role]:
        found.setdefault(query_id, []).append({"docId": doc_id, value: number})
    return [{"query": query_id, key: items} for query_id, items in found.items()]


def grouped(role):
    groups = {}
    for query_id, doc_id, number in ROWS[role]:
        groups.setdefault(query_id, {})[doc_id] = number
    return groups


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def frame(rows, orient):
    """The rows as the `to_json` of pandas writes them."""
    labels, places = [*rows[0]], range(len(rows))
    if orient == "columns":
        return {label: {str(place): rows[place][label] for place in places} for label in labels}
    if orient == "split":
        return {"columns": labels, "index": [*places], "data": [[*row.values()] for row in rows]}
    schema = {"fields": [{"name": label} for label in ["index", *labels]], "pandas_version": "1.4.0"}
    return {"schema": schema, "data": [{"index": place, **rows[place]} for place in places]}


KNOWN = NAMES["known"]
OF_RUN = {"run": "retrieved_ids", "qrels": "expected_chunk_ids"}
JSON = {
    "lines": lambda role: lines(objects(role, KNOWN[role])),
    "array": lambda role: json.dumps(objects(role, KNOWN[role])),
    "array, indented": lambda role: json.dumps(objects(role, KNOWN[role]), indent=2),
    "objects, indented": lambda role: "\n".join(json.dumps(item, indent=1) for item in objects(role, KNOWN[role])),
    "an object of numbers": lambda role: json.dumps(grouped(role)),
    "an object of numbers, indented": lambda role: json.dumps(grouped(role), indent=2),
    "an object of lists": lambda role: json.dumps(
        {q: [*docs] for q, docs in ({"run": ORDER}.get(role, GRADES)).items()}
    ),
    "an object of pairs": lambda role: json.dumps({q: [*map(list, docs.items())] for q, docs in grouped(role).items()}),
    "an object of columns": lambda role: json.dumps(
        dict(zip(KNOWN[role], map(list, zip(*ROWS[role], strict=True)), strict=True))
    ),
    "pandas, by column": lambda role: json.dumps(frame(objects(role, KNOWN[role]), "columns")),
    "pandas, split": lambda role: json.dumps(frame(objects(role, KNOWN[role]), "split")),
    "pandas, table": lambda role: json.dumps(frame(objects(role, KNOWN[role]), "table")),
    "a list inside": lambda role: json.dumps({"version": 2, "data": objects(role, KNOWN[role])}),
    "groups inside": lambda role: json.dumps({"name": "mine", ("run" if role == "run" else "qrels"): grouped(role)}),
    "lists per query": lambda role: lines(lists(role, OF_RUN[role])),
    "lists per query, in an array": lambda role: json.dumps(lists(role, OF_RUN[role]), indent=1),
    "lists per query, any key": lambda role: lines(lists(role, "trees")),
    "objects per query": lambda role: lines(hits(role, "hits" if role == "run" else "ratings")),
    "objects per query, inside": lambda role: json.dumps(
        {"judged": hits(role, "hits" if role == "run" else "ratings")}
    ),
    "objects per query, any key": lambda role: lines(hits(role, "trees")),
    "lines of texts too": lambda role: lines({**item, "text": "a tall tree"} for item in objects(role, KNOWN[role])),
    "lines of unknown keys": lambda role: lines(objects(role, NAMES["unknown"][role])),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("trec.run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in ROWS["run"]))
    Path("trec.qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in ROWS["qrels"]))


READ = ("read", "advised")
"""The right number is printed, at once or after the option that a question has."""


def outcome(role, text):
    """How a file is read beside the other: "read", "advised" if an option of a message reads it, or the message."""
    Path("theirs").write_bytes(text if isinstance(text, bytes) else text.encode())
    files = ["theirs", "trec.qrels"] if role == "run" else ["trec.run", "--qrels", "theirs"]
    result = shell("eval", *files, "-m", RELEVANT, "--tsv")
    if result.exit_code == 0:
        return "read" if result.stdout.splitlines()[-1].split("\t")[1] == VALUE else f"wrong: {result.stdout}"
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    remedies = re.findall(r"--(?:run|qrels)-columns (?:'[^']*'|\"[^\"]*\"|[^\s;]+)", result.stderr)
    again = [shell("eval", *files, "-m", RELEVANT, "--tsv", *shlex.split(remedy)) for remedy in remedies]
    if failed := [each.output for each in again if each.exit_code]:
        return f"bad advice: {remedies} {failed}"
    return "advised" if VALUE in [each.stdout.splitlines()[-1].split("\t")[1] for each in again] else result.stderr


NONE_EXISTS = {
    "a quoted line end without a header": [
        *product(["run", "qrels"], ["none"], SEPARATORS, ["a quoted line end"]),
        ("qrels", "none", "tab", "a text"),
    ],
    "a text has blanks": [*product(["run", "qrels"], NAMES, ["blanks"], ["a text", "a quoted line end"])],
}
IS_REFUSED = {cell for cells in NONE_EXISTS.values() for cell in cells}


CELLS = [*product(["run", "qrels"], NAMES, SEPARATORS, MORE)]


@pytest.mark.parametrize("cell", CELLS, ids=" · ".join)
def test_each_delimited_table_is_read_beside_the_other_file_or_the_advice_works(cell):
    found = outcome(cell[0], delimited(*cell))
    assert found in READ or (cell in IS_REFUSED and found.startswith("toysearch: theirs"))
    assert len(CELLS) == 2 * 3 * 5 * 5


@pytest.mark.parametrize("cell", [*product(["run", "qrels"], NAMES, MORE)], ids=" · ".join)
@pytest.mark.parametrize("others", [(), ("About",), ("About", "Trees")])
def test_each_sheet_is_read_as_the_delimited_table_is(cell, others):
    pytest.importorskip("python_calamine")
    role, header, more = cell
    name = {"run": "Results", "qrels": "Ratings"}[role]
    notes = {other: [["Notes of our trees"], ["They are tall"]] for other in others}
    found = outcome(role, workbook({**notes, name: sheet(role, header, more)}))
    is_refused = (header, more) == ("none", "a quoted line end") and found.startswith("toysearch: theirs")
    assert found in READ or is_refused


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("shape", ["lines", "lists per query", "objects per query", "lines of unknown keys"])
def test_parquet_is_read_as_its_json(role, shape):
    pytest.importorskip("pyarrow")
    rows = [json.loads(line) for line in JSON[shape](role).splitlines()]
    assert outcome(role, parquet(rows)) in READ


@pytest.mark.parametrize(("role", "shape"), [*product(["run", "qrels"], JSON)])
def test_each_shape_of_json_is_read(role, shape):
    assert outcome(role, JSON[shape](role)) in READ
    assert len(JSON) == 22


def table_of(role, labels=None):
    return [labels or KNOWN[role], *ROWS[role]]


def drawn(rows, mark, rule, around):
    lines = [mark.join(f" {cell} " for cell in row) for row in rows]
    lines.insert(1, rule.join("-" * len(cell) for cell in lines[0].split(mark)))
    return "".join(f"{around}{line}{around}\n" for line in lines)


def crossed(role, turned):
    """The values in a table of queries down and documents across, or turned."""
    cells = {(d, q) if turned else (q, d): value for q, d, value in ROWS[role]}
    down, across = (dict.fromkeys(pair[place] for pair in cells) for place in (0, 1))
    rows = [[one, *(cells.get((one, other), "") for other in across)] for one in down]
    return "".join(",".join(map(str, row)) + "\n" for row in [["", *across], *rows])


def decimal_commas(role, mark, labels=()):
    rows = [(q, d, f"{value + 0.25:.2f}".replace(".", ",")) for q, d, value in ROWS[role]]
    return "".join(mark.join(row) + "\n" for row in [*([labels] if labels else []), *rows])


def below_comments(labels, mark, role):
    return "# of 2024, by hand\n#\n" + "".join(mark.join(map(str, row)) + "\n" for row in [labels[role], *ROWS[role]])


def by_query(role):
    return {q: [*docs] for q, docs in (ORDER if role == "run" else GRADES).items()}


def listed(role, form, mark):
    return "".join(form.format(q, mark.join(docs)) for q, docs in by_query(role).items())


VALUES = {"run": "score", "qrels": "rel"}


def rooted(role, written):
    return f"<trees>{''.join(written(q, docs.items()) for q, docs in grouped(role).items())}</trees>"


NOTATIONS = {
    "Markdown": lambda role: drawn(table_of(role), "|", "|", "|"),
    "Markdown without marks around": lambda role: drawn(table_of(role), "|", "|", ""),
    **{
        f"comments above {kind}, {name}": partial(below_comments, labels, mark)
        for kind, labels in (("a header", KNOWN), ("unknown names", NAMES["unknown"]))
        for name, mark in (("commas", ","), ("semicolons", ";"))
    },
    "a header in a comment": lambda role: f"#{','.join(KNOWN[role])}\n" + rows_alone(ROWS[role]),
    "a header in a comment above TREC": lambda role: (
        f"# query_id Q0 doc_id rank score tag\n{Path(f'trec.{role}').read_text()}"
    ),
    "below a title": lambda role: f"Of May;;\n;;\n{delimited(role, 'known', 'semicolon', 'nothing')}",
    "decimal commas, semicolons": lambda role: decimal_commas(role, ";", KNOWN[role]),
    "decimal commas, semicolons, unknown": lambda role: decimal_commas(role, ";", ("Anfrage", "Baum", "Wert")),
    "decimal commas, semicolons, no header": lambda role: decimal_commas(role, ";"),
    "decimal commas, tabs": lambda role: decimal_commas(role, "\t", KNOWN[role]),
    "a bulk request": lambda role: lines(
        item for one in objects(role, KNOWN[role]) for item in ({"index": {"_index": "mine"}}, one)
    ),
    "records by their ids": lambda role: json.dumps(
        {role: {f"-Nx{place}": item for place, item in enumerate(objects(role, KNOWN[role]))}}
    ),
    "unknown records by their ids": lambda role: json.dumps(
        {"all": {f"-Nx{at}": item for at, item in enumerate(objects(role, ("Anfrage", "Baum", "Wert")))}}
    ),
}
RANKED = {q: [{"id": d, "points": place} for place, d in enumerate(docs)] for q, docs in ORDER.items()}
OF_RUNS = {
    "scores in lines of LETOR": "".join(f"{score} qid:{q} 1:0.5 2:3 # {d}\n" for q, d, score in ROWS["run"]),
    "hits with equal scores": json.dumps(
        {"a": [{"q": q, "hits": [{**hit, "s": {"score": 5}} for hit in hits]} for q, hits in RANKED.items()]}
    ),
}


WORDS = [
    (q, d, word) for q, d, word in [*((q, d, "Relevant") for q, d, _ in ROWS["qrels"]), ("t1", "oak", "Not relevant")]
]
OF_QRELS = {
    "words": "query_id,doc_id,label\n" + "".join(",".join(row) + "\n" for row in WORDS),
    "words in a column of unknown name": "query_id,doc_id,verdict\n" + "".join(",".join(row) + "\n" for row in WORDS),
    "nothing in SQL": "query_id\tdoc_id\tgrade\nt1\toak\tNULL\nt1\telm\t1\nt2\tyew\t1\n",
    "true and false": lines({"query_id": q, "doc_id": d, "relevance": True} for q, d, _ in ROWS["qrels"]),
}


FOLDERS = {
    "arrays of ids": lambda q, docs, key: (f"{q}.json", json.dumps([*docs])),
    "arrays of objects": lambda q, docs, key: (f"{q}.json", json.dumps([{"id": d, key: v} for d, v in docs.items()])),
    "objects of numbers": lambda q, docs, key: (f"{q}.json", json.dumps(docs, indent=1)),
    "answers with hits": lambda q, docs, key: (
        f"{q}.json",
        json.dumps({"took": 3, "hits": {"hits": [{"_id": d, key: v} for d, v in docs.items()]}}),
    ),
    "tables": lambda q, docs, key: (f"{q}.csv", f"doc_id,{key}\n" + "".join(f"{d},{v}\n" for d, v in docs.items())),
    "tables with titles": lambda q, docs, key: (
        f"{q}.tsv",
        f"doc_id\ttitle\t{key}\n" + "".join(f"{d}\ta tree\t{v}\n" for d, v in docs.items()),
    ),
    "lines of ids": lambda q, docs, key: (f"{q}.txt", "".join(f"{d}\n" for d in docs)),
    "lines of ids and numbers": lambda q, docs, key: (q, "".join(f"{d} {v}\n" for d, v in docs.items())),
}


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("kind", FOLDERS)
def test_a_folder_with_a_file_for_each_query_is_one_run_or_judgments(role, kind):
    Path("folder").mkdir()
    for query_id, docs in grouped(role).items():
        name, text = FOLDERS[kind](query_id, docs, "score" if role == "run" else "grade")
        Path("folder", name).write_text(text)
    files = ("folder", "trec.qrels") if role == "run" else ("trec.run", "folder")
    assert shell("eval", *files, "-m", RELEVANT, "--tsv").stdout.splitlines()[-1].split("\t")[1] == VALUE
    assert len(FOLDERS) == 8


@pytest.mark.parametrize(
    "text",
    [
        "x1: oak elm\nx2: yew fir\n",  # other queries
        ",oak,elm,ash\nt1,oak,elm,ash\nt2,fir,yew,oak\n",  # cells that are ids
        "t1: oak 0.5 elm 0.4\nt2: yew 0.3 fir 0.2\n",  # scores between the documents
        "t1\n   oak elm\n",  # a block without an end
        "t1\noak yew\n/\n",  # lists that are no rows
        "query_id\tdoc_id\tscore\nt1\toak\t1,234\n",  # a comma that may group thousands
        "x1 oak:2 elm:1\nx2 yew:2\n",  # other queries
        "t1 1:2 2:1\nt2 1:2\n",  # other documents
        "t1 oak:2 elm:high\n",  # no number
        "INSERT INTO a (q, doc_id, score) VALUES ('t1', 'elm', 2), ('t1', 'oak', f(g(h(3))));\n",  # no value
        "INSERT INTO a (q, doc_id, score) VALUES ('t1', 'elm', 2), ('t1', 'oak');\n",  # a row too short
        "<a><b q='t1' d='oak'></a>\n",  # not well-formed
        "<!DOCTYPE a [<!ENTITY e 'oak'>]>\n<a><b q='t1' score='2'>&e;</b></a>\n",  # entities
        "2 qid:t1 1:0.5 # oak\n1 qid:t1 1:0.5 # elm\n",  # grades
    ],
)
def test_what_only_resembles_a_notation_stays_refused(text):
    assert outcome("run", text).startswith("toysearch: theirs")


@pytest.mark.parametrize("words", [("0 - Not", "2 - Good"), ("0: none", "1 (so so)"), ("👎", "👍"), ("✗", "✓")])
def test_grades_with_words_and_signs_are_asked_about_with_each_of_them(words):
    rows = [("t1", "oak", words[0]), ("t1", "elm", words[1]), ("t2", "yew", words[1])]
    Path("judged.csv").write_text("".join(f'{q},{d},"{word}"\n' for q, d, word in [("query", "doc", "label"), *rows]))
    said = shell("eval", "trec.run", "judged.csv", "-m", RELEVANT).stderr
    grades = re.search(r"--grades ('[^']*'|\S+)", said)[1].strip("'")
    assert all(f"{word}=" in grades for word in words)


def test_yaml_is_refused_with_a_way_to_make_json_of_it():
    Path("theirs.yml").write_text("t1:\n  oak: 2\n")
    said = shell("eval", "theirs.yml", "trec.qrels").stderr
    assert said.startswith(
        "toysearch: theirs.yml is YAML, which is not read; make JSON of it: python -c 'import glob, json, "
    )
    assert said.endswith("' theirs.yml\n")


@pytest.mark.parametrize("orient", ["columns", "split", "table"])
def test_documents_and_queries_of_pandas_are_tables(orient):
    Path("trees.json").write_text(
        json.dumps(frame([{"id": "oak", "text": "broad crown"}, {"id": "fir", "text": "cone"}], orient))
    )
    Path("asked.json").write_text(
        json.dumps(frame([{"query_id": "t1", "text": "crown"}, {"query_id": "t2", "text": "cone"}], orient))
    )
    found = shell("run", "trees.json", "--queries", "asked.json", "-o", "-")
    assert [line.split()[:3] for line in found.stdout.splitlines()] == [["t1", "Q0", "oak"], ["t2", "Q0", "fir"]]


VALUED = {
    "pairs": lambda hits: str([*hits.items()]),
    "lists of two": lambda hits: json.dumps([*map(list, hits.items())]),
    "objects": lambda hits: str([{"doc_id": d, "score": number} for d, number in hits.items()]),
    "objects of JSON": lambda hits: json.dumps([{"docid": d, "score": number} for d, number in hits.items()]),
    "an object": lambda hits: str(hits),
}


RUN_ROWS = [("q1", "a", 0.9), ("q1", "b", 0.8), ("q1", "c", 0.7), ("q2", "d", 0.9), ("q2", "e", 0.8)]
JUDGED_ROWS = [("q1", "a", 1), ("q1", "c", 1), ("q2", "e", 1)]
AP = 2 / 3  # (1 + 2/3) / 2 of q1, 1/2 of q2


def table(labels, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in [labels.split(mark), *rows])


def rows_alone(rows, mark=","):
    return table(mark.join(map(str, rows[0])), rows[1:], mark)


def listing(labels, rows):
    found = {}
    for query_id, doc_id, _ in rows:
        found.setdefault(query_id, []).append(doc_id)
    return table(labels, [(query_id, " ".join(docs)) for query_id, docs in found.items()])


LISTED = '{"q1": ["a", "b", "c"], "q2": ["d", "e"]}'
PLACES = {
    "a score of relevance": (
        table("Query ID,Document ID,Relevance Score", RUN_ROWS),
        table("Query ID,Document ID,Relevance (0-3)", JUDGED_ROWS),
    ),
    "a rating of unknown name": (
        table("query,doc_id,relevance_score", RUN_ROWS),
        table("query,doc_id,human_rating", JUDGED_ROWS),
    ),
    "lists of JSON": (LISTED, table("query,doc_id,human_rating", JUDGED_ROWS)),
    "lists of JSON, lists": (LISTED, listing("query_id,prediction", JUDGED_ROWS)),
    "lists of ids": (listing("topic_id,content_ids", RUN_ROWS), listing("topic_id,content_ids", JUDGED_ROWS)),
    "two rankings": (listing("query_id,ranking", RUN_ROWS), listing("query_id,ranking", JUDGED_ROWS)),
    "two predictions": (listing("query_id,prediction", RUN_ROWS), listing("query_id,prediction", JUDGED_ROWS)),
    "whole scores": (table("q_id,doc_id,score", RUN_ROWS), table("q_id,doc_id,score", JUDGED_ROWS)),
    "scores of a model that judges": (
        table("query,passage_id,similarity,text", [(*row, "a tree") for row in RUN_ROWS]),
        table("query,passage_id,score,reasoning", [(*row, "it is said") for row in (*JUDGED_ROWS, ("q1", "b", 0))]),
    ),
    "rows beside lists": (
        listing("customer_id,prediction", RUN_ROWS),
        table("customer_id,article_id", [row[:2] for row in JUDGED_ROWS]),
    ),
    "rows without names": (rows_alone(RUN_ROWS), table("Frage,Baum,Note", JUDGED_ROWS)),
    "rows without names, an object": (rows_alone(RUN_ROWS), '{"q1": {"a": 1, "c": 1}, "q2": {"e": 1}}'),
    "rows without names, blanks": (rows_alone(RUN_ROWS, " "), '{"q1": {"a": 1, "c": 1}, "q2": {"e": 1}}'),
    "rows without names, scores of halves": (
        rows_alone(RUN_ROWS),
        table(
            "query,doc,score", [*JUDGED_ROWS, ("q1", "x", 0.5), ("q1", "y", 0.5), ("q2", "x", 0.5), ("q2", "y", 0.5)]
        ),
    ),
    "documents beside a column of addresses": (
        table("query,url,id,score", [(q, f"https://trees.org/{d}", d, score) for q, d, score in RUN_ROWS]),
        table("query,doc,grade", JUDGED_ROWS),
    ),
}


SWAPPED = {
    "ranks": [("oak", "t1", 1), ("elm", "t1", 2), ("fir", "t2", 1), ("elm", "t2", 2)],
    "scores": [("oak", "t1", 9.5), ("elm", "t1", 8.5), ("fir", "t2", 7.5), ("elm", "t2", 6.5)],
    "ranks and scores": [("oak", "t1", 1, 9), ("elm", "t1", 2, 8), ("fir", "t2", 1, 9), ("elm", "t2", 2, 7)],
}
"""Rows with the document first, without a header."""
OF_SWAPPED = [("oak", "t1", 0), ("elm", "t1", 1), ("elm", "t2", 2), ("fir", "t2", 1)]  # RR 1/2 and 1


RISING = {doc_id: place for place, doc_id in enumerate("dabce", 1)}
FAR_FIRST = ",".join(f'"{doc_id}": {9 - place}' for doc_id, place in RISING.items())
NUMBERS = {
    "ranks in an object": (json.dumps({"q1": RISING}), ""),
    "ranks in an object, in no order": (json.dumps({"q1": dict(sorted(RISING.items()))}), "rank=(value).(value)"),
    "scores in an object": (f'{{"q1": {{{FAR_FIRST}}}}}', ""),
    "distances without a name": (rows_alone([("q1", d, place / 10) for d, place in RISING.items()]), "distance=3"),
    "scores beside ids, by query": (
        json.dumps({"q1": {"docs": [*"abcde"], "scores": [9 - RISING[doc_id] for doc_id in "abcde"]}}),
        "",
    ),
    "distances in another language": (
        table("Frage,Dok,Abstand", sorted(("q1", d, place / 10) for d, place in RISING.items())),
        "document Dok; distance Abstand",
    ),
}


@pytest.mark.parametrize("first", ["lists", "rows"])
@pytest.mark.parametrize("header", ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", "UserID\tq\ttime\tRang\tu"])
def test_ids_and_ranks_are_no_grades(first, header):
    Path("first").write_text(LISTED if first == "lists" else table("query,doc_id,relevance_score", RUN_ROWS))
    rows = [(1, "q1", "2006-03-01", 1, "a"), (1, "q1", "2006-03-01", 3, "c"), (2, "q2", "2006-03-02", 2, "e")]
    Path("log").write_text(table(header, rows, "\t"))
    said = shell("eval", "first", "log", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "log:1: " in said.stderr
    assert "grade=" not in said.stderr


@pytest.mark.parametrize("other", ["book.xlsx", "judged.csv"])
def test_a_workbook_of_results_and_ratings_is_run_and_judgments(other):
    pytest.importorskip("python_calamine")
    sheets = {"Results": [["query_id", "doc_id", "score"], *map(list, RUN_ROWS)]}
    sheets["Ratings"] = [["query_id", "doc_id", "rating"], *map(list, JUDGED_ROWS)]
    Path("book.xlsx").write_bytes(workbook(sheets))
    Path("judged.csv").write_text(table("query_id,doc_id,rating", JUDGED_ROWS))
    for words in (["book.xlsx", other], ["book.xlsx", "--qrels", other]):
        assert float(
            shell("eval", *words, "-m", "AP", "--tsv").stdout.splitlines()[-1].split("\t")[1]
        ) == pytest.approx(AP)


RANKED = [(q, d, [row[1] for row in RUN_ROWS if row[0] == q].index(d) + 1) for q, d, _ in RUN_ROWS]
FAR = [(q, d, round(1 - score, 1)) for q, d, score in RUN_ROWS]
WORDS = [(*row[:2], "yes") for row in JUDGED_ROWS] + [("q1", "b", "no")]
WORKERS = "HITId,AssignmentId,WorkerId,Input.query_id,Input.doc_id,Input.text,Answer.relevance"


def sheet_of_workers(rows):
    return [(f"H{at}", f"A{at}", f"W{at % 2}", q, d, "a long text to read", g) for at, (q, d, g) in enumerate(rows)]


def of_tasks(rows):
    return [(f"-{at}5", at, q, d, "a long text to read", g) for at, (q, d, g) in enumerate(rows)]


ADVISED_PARTS = {
    **{
        f"run: {label} beside numbers": (table(f"Frage,Dok,{label},n", [(*row, 7) for row in RANKED]), f"rank={label}")
        for label in ("Rang", "neighbor_rank", "bm25_rank", "ItemRank")
    },
    **{
        f"run: {labels},{label} that falls": (table(f"{labels},{label}", RUN_ROWS), f"score={label}")
        for labels in ("query_id,doc_id", "Frage,Dok")
        for label in ("l2_distance", "D", "Abstand")
    },
    "run: two scores": (
        table("Frage,id,Dok,s2,s1", [(q, at, d, s, s) for at, (q, d, s) in enumerate(RUN_ROWS)]),
        "query=Frage,doc=Dok,score=s2",
    ),
    **{
        f"qrels: {labels}": (
            table(labels, [(*row, f"w{at}") for at, row in enumerate(WORDS)]),
            f"query={labels.split(',')[0]},doc={labels.split(',')[1]},grade=",
        )
        for labels in ("question,doc_id,ok,sheet", "Frage,Dok,ok,Blatt")
    },
    "qrels: True and False": (
        table("question,doc_id,ok,sheet", [(q, d, word == "yes", f"w{at}") for at, (q, d, word) in enumerate(WORDS)]),
        "grade=ok --grades True=1,False=0",
    ),
    "qrels: words of workers": (
        table(WORKERS, sheet_of_workers(WORDS)),
        "query=Input.query_id,doc=Input.doc_id,grade=Answer.relevance --grades yes=1,no=0",
    ),
    "qrels: words of tasks": (
        table("_task_hash,id,query,docno,note,answer", of_tasks(WORDS)),
        "query=query,doc=docno,grade=answer --grades yes=1,no=0",
    ),
    "qrels: two grades of tasks": (
        table("_task_hash,id,label,ref,note,g1,g2", [(*row, 3) for row in of_tasks(JUDGED_ROWS)]),
        "query=label,doc=ref,grade=g1",
    ),
}


@pytest.mark.parametrize("label", ["score", "bm25"])
@pytest.mark.parametrize("lowest", [-9, -7])
def test_negative_scores_that_rise_down_each_list_are_asked_about(label, lowest):
    rows = [(q, d, lowest + place) for q in ("q1", "q2") for place, d in enumerate("dabc")]
    Path("mine").write_text(table(f"query_id,doc_id,{label}", rows))
    Path("qrels").write_text("q1 0 a 1\nq2 0 d 1\n")
    said = shell("eval", "mine", "qrels").stderr
    for part, value in (("score", (1 / 3 + 1 / 4) / 2), ("distance", (1 / 2 + 1) / 2)):
        assert f"--run-columns query=query_id,doc=doc_id,{part}={label}" in said
        options = "--run-columns", f"query=query_id,doc=doc_id,{part}={label}"
        assert ap_of("mine", "qrels", *options) == [pytest.approx(value)]
    Path("mine").write_text(table(f"query_id,doc_id,{label}", rows[::-1]))
    assert shell("eval", "mine", "qrels").exit_code == 0


NESTED = {
    "Solr": lambda q, hits: {"responseHeader": {"params": {"q": q, "rows": 10}}, "response": {"docs": hits}},
    "a list of vectors": lambda q, hits: {"requete": q, "resultats": hits},
    "a query in a list": lambda q, hits: {"object": "page", "search_query": [q], "data": hits, "has_more": False},
}


def test_advice_on_two_tables_of_unknown_columns_works():
    names = {"q1": "tall", "q2": "old"}
    Path("run").write_text(table("Frage,Baum,Punkte", [(q, ord(d) - 40, score) for q, d, score in RUN_ROWS]))
    rows = [(q, ord(d) - 40, grade) for q, d, grade in JUDGED_ROWS]
    labels = "query,title,id,relevance"
    Path("judged").write_text(table(labels, [(q, f"{names[q]} tree {d}", d, grade) for q, d, grade in rows]))
    options = list[str]()
    for _ in range(2):
        said = shell("eval", "run", "judged", *options).stderr
        options += shlex.split(re.search(r"--(?:run|qrels)-columns \S*[^\s;]", said)[0])
    assert ap_of("run", "judged", *options) == [pytest.approx(AP)]


def test_a_later_word_that_is_not_known_is_refused_with_its_line():
    Path("theirs").write_text(table("question,doc_id,relevant", [*WORDS * 400, ("q1", "z", "perhaps")]))
    Path("run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in RUN_ROWS))
    said = shell("eval", "run", "theirs", "-m", "AP", "--tsv")
    assert (said.exit_code, said.stdout) == (2, "")
    assert f"theirs:{400 * len(WORDS) + 2}: " in said.stderr


@pytest.mark.parametrize("labels", ["_task_hash,id,query,docno,note", ",id,query,docno,note"])
def test_ids_and_hashes_are_never_grades(labels):
    Path("theirs").write_text(table(labels, [row[:5] for row in of_tasks(JUDGED_ROWS)]))
    Path("run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in RUN_ROWS))
    said = shell("eval", "run", "theirs", "-m", "AP")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "grade=" not in said.stderr


@pytest.mark.parametrize("labels", ["query_id,doc_id,_distance", "query_id,doc_id,distance"])
def test_a_known_distance_is_read_nearest_first(labels):
    Path("theirs").write_text(table(labels, FAR))
    Path("qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED_ROWS))
    assert float(
        shell("eval", "theirs", "qrels", "-m", "AP", "--tsv").stdout.splitlines()[-1].split("\t")[1]
    ) == pytest.approx(AP)


HITS_OF = {
    "falling": [("q1", [0.95, 0.8, 0.7]), ("q2", [0.9, 0.8])],
    "rising": [("q1", [0.5, 0.8, 0.9]), ("q2", [1, 2])],
}


@pytest.mark.parametrize("part", ["distance", "rank"])
@pytest.mark.parametrize(("order", "form"), [*product(HITS_OF, ["lists", "lines", "table"])])
def test_distances_and_ranks_that_fall_down_each_list_are_asked_about_and_both_answers_work(order, form, part):
    docs, hits_of = {"q1": "abc", "q2": "de"}, {}
    for q, column in HITS_OF[order]:
        hits_of[q] = [{"id": d, part: far} for d, far in zip(docs[q], column, strict=True)]
    rows = [(q, hit["id"], hit[part]) for q, items in hits_of.items() for hit in items]
    by_line = lines({"query_id": q, "hits": items} for q, items in hits_of.items())
    forms = {"lists": json.dumps(hits_of), "lines": by_line, "table": table(f"query_id,doc_id,{part}", rows)}
    Path("theirs").write_text(forms[form])
    Path("qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED_ROWS))
    if order == "rising":
        assert ap_of("theirs", "qrels") == [pytest.approx(AP)]
        return
    said = shell("eval", "theirs", "qrels").stderr.strip()
    assert f"contradicts their {part}s, such as those of 'q1', which fall from 0.95 to 0.7; they may be" in said
    scores, distances = map(shlex.split, said.partition("say which: ")[2].split(" or "))
    assert ap_of("theirs", "qrels", *scores) == [pytest.approx(AP)]
    assert "contradict the scores" not in shell("eval", "theirs", "qrels", *scores).stderr
    nearest_first = ((1 + 2 / 3) / 2 + 1) / 2  # c b a and e d
    assert ap_of("theirs", "qrels", *distances) == [pytest.approx(nearest_first)]


def test_ranks_from_the_last_document_to_the_first_are_ranks():
    rows = [("q1", doc_id, rank) for doc_id, rank in zip("cba", (3, 2, 1), strict=True)]
    rows += [("q2", doc_id, rank) for doc_id, rank in zip("ed", (1, 0), strict=True)]
    Path("theirs").write_text(table("query_id,doc_id,rank", rows))
    Path("qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED_ROWS))
    assert ap_of("theirs", "qrels") == [pytest.approx(AP)]


@pytest.mark.parametrize(("place", "said"), [(0, "they differ by a final .0, as pandas"), (1, "97.0' and '97'; write")])
def test_ids_with_a_final_zero_are_named(place, said):
    rows = [[query_id[1], str(ord(doc_id)), score] for query_id, doc_id, score in RUN_ROWS]
    judged = [[query_id[1], str(ord(doc_id)), grade] for query_id, doc_id, grade in JUDGED_ROWS]
    Path("judged.csv").write_text(table("query_id,doc_id,relevance", judged))
    for row in rows:
        row[place] += ".0"
    Path("theirs.csv").write_text(table("query_id,doc_id,score", rows))
    assert said in shell("eval", "theirs.csv", "judged.csv", "-m", "AP").stderr


def trec_files():
    """Write the run and the judgments as lines of TREC."""
    Path("mine.run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in RUN_ROWS))
    Path("judged").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED_ROWS))


def ap_of(*words):
    said = shell("eval", *words, "-m", "AP", "--tsv")
    assert said.exit_code == 0, said.output
    return [float(line.split("\t")[1]) for line in said.stdout.splitlines()[1:]]


WIDE = {
    "rank, score and tag": [
        (q, d, rank, score, "x") for (q, d, score), (*_, rank) in zip(RUN_ROWS, RANKED, strict=True)
    ],
    "Q0, rank and score": [
        (q, "Q0", d, rank, score) for (q, d, score), (*_, rank) in zip(RUN_ROWS, RANKED, strict=True)
    ],
}


@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_three_columns_with_codes_are_judgments(separator):
    trec_files()
    codes = {0: "L0", 1: "L1", 2: "L2"}
    Path("coded").write_text("".join(separator.join((q, d, codes[grade])) + "\n" for q, d, grade in JUDGED_ROWS))
    asked = shell("eval", "mine.run", "coded", "-m", "AP")
    assert (asked.exit_code, asked.stdout) == (2, "")
    assert "coded:1: expected a number as relevance, found 'L" in asked.stderr
    assert "--grades L" in asked.stderr
    assert ap_of("mine.run", "coded", "--grades", "L0=0,L1=1,L2=2") == [pytest.approx(AP)]


def test_a_folder_of_runs_is_its_runs():
    trec_files()
    Path("runs").mkdir()
    Path("runs/README.md").write_text("two runs\n")
    for name in ("a.run", "b.run"):
        Path("runs", name).write_text(Path("mine.run").read_text().replace(" x\n", f" {name}\n"))
    for words in (["runs", "judged"], ["runs", "--qrels", "judged"]):
        assert ap_of(*words) == [pytest.approx(AP)] * 2


@pytest.mark.parametrize("labels", ["query-id\tcorpus-id\tscore", ""])
def test_a_folder_of_judgments_is_read_together_but_not_splits(labels):
    trec_files()
    Path("parts").mkdir()
    first, second = ([row for row in JUDGED_ROWS if row[0] == query_id] for query_id in ("q1", "q2"))
    for name, rows in (("one.tsv", first), ("two.tsv", second)):
        rows = rows if labels else [(q, 0, d, grade) for q, d, grade in rows]
        Path("parts", name).write_text(table(labels, rows, "\t").lstrip("\n"))
    for words in (["mine.run", "parts"], ["mine.run", "--qrels", "parts"]):
        assert ap_of(*words) == [pytest.approx(AP)]
    Path("parts/two.tsv").rename("parts/test.tsv")
    assert shell("eval", "mine.run", "parts").exit_code == 2  # no sum of what was apart on purpose
    Path("parts/one.tsv").unlink()
    assert len(ap_of("mine.run", "parts")) == 1


def test_a_file_with_both_is_given_twice():
    both = [(q, d, score, {row[:2]: row[2] for row in JUDGED_ROWS}.get((q, d), 0)) for q, d, score in RUN_ROWS]
    Path("both").write_text(table("query_id,doc_id,score,label", both))
    assert ap_of("both", "both") == [pytest.approx(AP)]
    Path("both").write_text(table("query_id,doc_id,p,g", both))
    options = ("--run-columns", "score=p", "--qrels-columns", "grade=g")
    assert ap_of("both", "both", *options) == [pytest.approx(AP)]


def test_grades_with_fractions_in_lines_of_letor_are_judgments():
    assert outcome("qrels", "0.5 qid:t1 1:2 # oak\n2.5 qid:t1 # elm\n1 qid:t1 # ash\n1.5 qid:t2 # yew\n") in READ


def test_an_unknown_word_among_grades_is_asked_about_with_an_example_that_fits():
    said = outcome("qrels", "query_id,doc_id,label\nt1,oak,Not Relevant\nt1,elm,Partly\n")
    assert "give each such word its number: --grades 'Not Relevant=0,Partly=…'" in said


def test_yes_and_no_of_nested_objects_are_asked_about():
    items = [{"about": {"query_id": q, "doc_id": d, "open": "yes" if grade else "no"}} for q, d, grade in ROWS["qrels"]]
    assert outcome("qrels", json.dumps(items)) == "advised"


PRINTED = {
    "one measure": "map     \tt1\t0.5\nmap     \tt2\t1.0\nmap     \tall\t0.75\n",
    "means": "runid   \tall\tx\nnum_q   \tall\t2\nmap     \tall\t0.75\nP_10    \tall\t0.2\nrecip_rank\tall\t0.5\n",
    "by query": "num_ret \tt1\t3\nndcg_cut_10\tt1\t0.5\nnum_ret \tt2\t2\nndcg_cut_10\tt2\t0.5\n",
}


@pytest.mark.parametrize("kind", PRINTED)
def test_the_values_that_trec_eval_prints_are_neither_a_run_nor_judgments(kind):
    for name in ("theirs", "others"):
        Path(name).write_text(PRINTED[kind])
    advice = (
        "its lines begin with names of measures; give the run itself, and the judgments: toysearch eval RUN QRELS\n"
    )
    for words, noun in {
        "eval trec.run theirs": "judgments",
        "eval trec.run --qrels theirs": "judgments",
        "compare others theirs": "judgments",
        "eval theirs trec.qrels": "a run",
        "compare trec.run theirs trec.qrels": "a run",
        "search theirs oak": "documents",
    }.items():
        result = shell(*words.split())
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert result.stderr == f"toysearch: theirs is a table of measures, not {noun}: {advice}", words


def test_the_description_above_a_run_of_ntcir_is_a_comment():
    described = f"<SYSDESC>[BM25 of title and url]</SYSDESC>\n{Path('trec.run').read_text()}"
    assert outcome("run", described) in READ


SEVERAL_JUDGES = {
    "workers": (WORKERS, lambda at, q, d, g: (f"H{d}", f"A{at}", f"W{at % 3}", q, d, "a long text to read", g)),
    "known names": ("judge,query_id,doc_id,grade", lambda at, q, d, g: (f"ann{at % 3}", q, d, g)),
    "unknown names": ("Frage,Baum,Note,Wer", lambda at, q, d, g: (q, d, g, ("ada", "ben", "eva")[at % 3])),
}


def test_a_workbook_of_runs_is_compared_once_its_sheets_are_files():
    pytest.importorskip("python_calamine")
    rows = {name: sheet("run", "known", "nothing") for name in ("Old", "New")}
    Path("book.xlsx").write_bytes(workbook({**rows, "Ratings": sheet("qrels", "known", "nothing")}))
    said = shell("compare", "book.xlsx").stderr
    assert "found 0; write the sheet of each as a file, and name the judgments with --qrels" in said
    for name in rows:
        Path(f"{name}.csv").write_text(delimited("run", "known", "comma", "nothing"))
    assert shell("compare", "Old.csv", "New.csv", "--qrels", "book.xlsx").exit_code == 0


@pytest.mark.parametrize("notation", OF_RUNS)
def test_each_notation_that_only_runs_have_is_read(notation):
    assert outcome("run", OF_RUNS[notation]) in READ


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_each_notation_of_a_table_is_read_beside_the_other_file(role, notation):
    assert outcome(role, NOTATIONS[notation](role)) in READ
    assert len(NOTATIONS) == 16


@pytest.mark.parametrize("notation", OF_QRELS)
def test_each_notation_that_only_judgments_have_is_read(notation):
    assert outcome("qrels", OF_QRELS[notation]) in READ


@pytest.mark.parametrize("role", ["run", "qrels"])
@pytest.mark.parametrize("mark", [" ", "|", ", "])
@pytest.mark.parametrize("labels", [("query_id", "doc_ids")])
def test_lists_in_a_cell_are_read_beside_the_other_file(role, mark, labels):
    listed = [(query_id, mark.join(docs)) for query_id, docs in (ORDER if role == "run" else GRADES).items()]
    rows = "".join(f'{query_id},"{docs}"\n' for query_id, docs in listed)
    assert outcome(role, f"{','.join(labels)}\n{rows}" if labels else rows) in READ


@pytest.mark.parametrize("shape", VALUED)
@pytest.mark.parametrize(("role", "label"), [("run", "results")])
def test_values_in_the_lists_of_a_cell_count_and_their_order_does_not(role, label, shape):
    hits = {q: {d: number for q_, d, number in reversed(ROWS[role]) if q_ == q} for q in ORDER}
    with open("cells.csv", "w", newline="") as file:
        csv.writer(file).writerows([("query_id", label), *((q, VALUED[shape](found)) for q, found in hits.items())])
    read = read_run("cells.csv") if role == "run" else read_qrels("cells.csv")
    assert read.to_dict() == hits
