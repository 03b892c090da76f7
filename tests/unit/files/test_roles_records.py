"""Syntax × documents and queries: each cell reads, or is refused with a remedy that works."""

import csv
import io
import json
import re
import shlex
from itertools import product
from pathlib import Path

import pytest
from binary_files import parquet, workbook
from captured_notes import noted
from shell import run as shell

import toysearch
from toysearch.base.errors import DataError
from toysearch.collection.queries import read_queries
from toysearch.files import what_is

TEXTS = {"1": "red oak leaves", "2": "tall elm trees", "3": "grey ash wood"}
"""Of documents as well as of queries: each query has one relevant document, which has all of its words."""
HEADERS = {"known": ("id", "text"), "unknown": ("Nr", "Woodland words"), "none": ()}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
MORE = {"nothing": (), "a number": ("7",), "a quoted line end": ("north\nsouth",), "a word": ("north",)}


def delimited(header, separator, more):
    """A table, to be read by its cells whatever its file is called."""
    names, extra = HEADERS[header], MORE[more]
    rows = [(record_id, text, *extra) for record_id, text in TEXTS.items()]
    if names:
        rows.insert(0, (*names, *(["Remark"] * len(extra))))
    written = io.StringIO()
    csv.writer(written, delimiter=SEPARATORS[separator], lineterminator="\n").writerows(rows)
    return {"theirs.csv" if separator != "tab" else "theirs.tsv": written.getvalue()}


def objects(key="id", text="text"):
    return [{key: record_id, text: words} for record_id, words in TEXTS.items()]


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def one(name, text):
    return lambda role: {name: text(role) if callable(text) else text}


def rooted(text, name):
    return f"<{name}>{text}</{name}>" if name else text


OBJECTS = objects()
JSON = {
    "lines": lines(objects()),
    "an array": json.dumps(objects()),
    "an array, indented": json.dumps(objects(), indent=2),
    "objects, indented": "\n".join(json.dumps(item, indent=1) for item in objects()),
    "an object of texts": json.dumps(TEXTS, indent=1),
    "an object of objects": json.dumps({key: {"text": text} for key, text in TEXTS.items()}),
    "an object of columns": json.dumps({"id": [*TEXTS], "text": [*TEXTS.values()]}),
    "a list inside": json.dumps({"version": 2, "data": objects()}),
    "a list inside, by its role": lambda role: json.dumps({"name": "mine", role: objects()}),
    "texts inside, by their role": lambda role: json.dumps({"name": "mine", role: TEXTS}),
    "contents": lines(objects(text="contents")),
    "raw": lines(objects(text="raw")),
    "an unknown key": lines(objects(text="Woodland words")),
    "beside lists of ids": lines({**item, "alike": [item["id"]]} for item in objects()),
    "queries beside answers": lines({"query_id": i, "query": t, "answers": ["An oak", "7"]} for i, t in TEXTS.items()),
    "titles beside tags": lines({"qid": i, "title": t, "tags": ["oak"]} for i, t in TEXTS.items()),
    "nested": lines({"id": key, "text": text, "tree": {"height": 3}} for key, text in TEXTS.items()),
    "JSON:API": json.dumps(
        {
            "jsonapi": {"version": "1.0"},
            "data": [{"type": "a", "id": i, "attributes": {"title": t}} for i, t in TEXTS.items()],
        }
    ),
    "GeoJSON": json.dumps(
        {
            "type": "FeatureCollection",
            "name": "oaks",
            "features": [{"type": "Feature", "properties": o} for o in OBJECTS],
        }
    ),
    "rows of a viewer": json.dumps(
        {"features": [{"name": "text", "type": {"dtype": "a"}}], "rows": [{"row_idx": 0, "row": o} for o in OBJECTS]}
    ),
    "GraphQL": json.dumps(
        {"data": {"trees": {"edges": [{"cursor": "c7", "node": o} for o in OBJECTS], "pageInfo": {"n": 3}}}}
    ),
    "a titled list": json.dumps({"title": "Oaks", "description": "of oaks", "faqs": OBJECTS}),
    "phpMyAdmin": json.dumps(
        [{"type": "header", "version": "5"}, {"type": "table", "name": "trees", "data": OBJECTS}], indent=1
    ),
    "messages": lines({"id": key, "messages": [{"role": "user", "content": text}]} for key, text in TEXTS.items()),
    "a table of pandas": json.dumps(
        {"schema": {"pandas_version": "1.4.0", "fields": [{"name": "a text"}]}, "data": OBJECTS}
    ),
    "rows of a viewer, with long names": json.dumps(
        {"features": [{"name": "text"}, {"name": "label"}, {"name": "n"}], "rows": [{"row": o} for o in OBJECTS]}
    ),
    "lists of sentences": json.dumps({key: [f"{text}.", "A b."] for key, text in TEXTS.items()}),
    "languages": lines({"id": i, "text": {"en": t, "de": "Eiche"}} for i, t in TEXTS.items()),
    "an empty score": lines({"id": i, "content": t, "score": None, "embedding": None} for i, t in TEXTS.items()),
    "an embedding": lines({"id": i, "content": t, "embedding": [0.5, 0.25]} for i, t in TEXTS.items()),
    "an empty embedding": lines({"id": i, "embedding": None, "content": text} for i, text in TEXTS.items()),
    "a list of texts": json.dumps([*TEXTS.values()]),
    "lines of texts": lines(TEXTS.values()),
    "objects inside, by their role": lambda role: json.dumps({role: {i: {"text": t} for i, t in TEXTS.items()}}),
    "texts inside, described": lambda role: json.dumps({"description": "of oaks", role: TEXTS}),
    "languages, nested": lines({"fields": {"title": {"en-US": t}}, "id": i} for i, t in TEXTS.items()),
    "cards of a board": json.dumps(
        {"id": "b", "name": "House", "lists": [{"id": "l", "name": "To do"}, {"id": "m", "name": "Done"}]}
        | {"cards": [{"id": i, "name": "A card", "desc": t, "labels": []} for i, t in TEXTS.items()]}
    ),
    "objects a level deeper": json.dumps({"woods": {i: {"text": t} for i, t in TEXTS.items()}}),
    "objects a level deeper, of unknown keys": json.dumps(
        {"a": {i: {"b": f"of {t}", "c": 7} for i, t in TEXTS.items()}}
    ),
    "nodes beside their hashes": json.dumps(
        {
            "docstore/metadata": {i: {"hash": "7f"} for i in TEXTS},
            "docstore/data": {i: {"__data__": {"id_": i, "text": t}, "__type__": "1"} for i, t in TEXTS.items()},
        }
    ),
    "objects with a null for the id": json.dumps({i: {"id": None, "kwargs": {"text": t}} for i, t in TEXTS.items()}),
    "values of JSON-LD": json.dumps({"@graph": [{"@id": i, "text": {"@value": t}} for i, t in TEXTS.items()]}),
    "null as each id": lines({"id": None, "text": text} for text in TEXTS.values()),
}
LINES = {
    "a colon": "{}:{}",
    "a tab": "{}\t{}",
    "two bars": "{}||{}",
    "a blank": "{} {}",
    "a point": "{}. {}",
    "a bracket": "{}) {}",
    "blanks": "{}    {}",
    "no id": "{1}",
}
TAGS = {
    "DOC": "<DOC><DOCNO>{}</DOCNO>{}</DOC>\n",
    "SMART": ".I {}\n.W\n{}\n",
    "XML": "<entry><id>{}</id><title/><summary>{}</summary></entry>\n",
    "XML with attributes": '<item id="{}"><body>{}</body></item>\n',
    "Solr": '<doc><field name="id">{}</field><field name="text">{}</field></doc>\n',
    "topics": "<top>\n<num> Number: {}\n<title> {}\n</top>\n",
    "topics in XML": '<topic number="{}"><title>{}</title></topic>\n',
    "topics with an unknown tag": "<top>\n<num>{}</num><wish>{}</wish>\n</top>\n",
}
ROOTS = {"XML": "feed", "XML with attributes": "items", "Solr": "add", "topics in XML": "topics"}


def elements(form):
    return "".join(form.format(*item) for item in TEXTS.items())


XML = {
    "a channel of items": "<rss><channel><title>Blog</title><description>of oak and ash</description>"
    f"{elements('<item><g:id>{}</g:id><title>{}</title></item>')}</channel></rss>",
    "a header beside records with one each": "<c><h><title>Letters</title></h>"
    + elements('<TEI xml:id="{}"><h><title>To Bo</title></h><body><p>{}</p></body></TEI>')
    + "</c>",
    "no known name": "<tmx><body>" + elements('<tu id="{}"><seg>{}</seg></tu>') + "</body></tmx>",
    "marks in the text": "<r>" + elements("<item><id>{}</id><abstract><style>{}</style></abstract></item>") + "</r>",
    "OAI-PMH": '<OAI-PMH><request verb="ListRecords">http://a</request><ListRecords>'
    + elements("<record><header><identifier>{}</identifier></header><dc:title>{}</dc:title></record>")
    + "<resumptionToken>7</resumptionToken></ListRecords></OAI-PMH>",
}


def each(form, between=""):
    return between.join(form.format(*item) for item in TEXTS.items())


EXPORTS = {
    "a bulk request": each('{{"index": {{"_index": "a", "_id": "{}"}}}}\n{{"text": "{}"}}\n'),
    "BibTeX": "% by hand\n" + each('@article{{{},\n  title = {{The {{{}}}}},\n  year = 2020,\n  note = "a, b"\n}}\n'),
    "RIS": each("TY  - JOUR\nKW  - {}\nTI  - {}\nKW  - b\nER  - \n\n"),
    "PubMed": each("PMID- {}\nTI  - {}\n      and so on\nAU  - A\nAU  - B\n\n"),
    "tabs below comments": "#separator:tab\n#html:true\n" + each("{}\t{}\n"),
}


def sheet(header, more):
    """The rows of the delimited table, as a sheet."""
    pytest.importorskip("python_calamine")
    written = delimited(header, "comma", more)["theirs.csv"]
    return [[int(cell) if cell.isdecimal() else cell for cell in row] for row in csv.reader(io.StringIO(written))]


def book(role, header, more):
    return {"theirs.xlsx": workbook({role: sheet(header, more), "Remarks": [["Of 2026"]]})}


def columnar(items):
    def files(_):
        pytest.importorskip("pyarrow")
        return {"theirs.parquet": parquet(items)}

    return files


PARQUET = {
    "usual": objects(),
    "an unknown column": objects(text="Woodland words"),
    "beside lists of ids": [{**item, "alike": [item["id"]]} for item in objects()],
    "nested": [{**item, "tree": {"height": 3}} for item in objects()],
}
FOLDERS = {
    "texts": lambda: {f"theirs/{key}.txt": text for key, text in TEXTS.items()},
    "texts without suffix": lambda: {f"theirs/{key}": text for key, text in TEXTS.items()},
    "an object per file": lambda: {f"theirs/{item['id']}.json": json.dumps(item) for item in objects()},
    "parts without ids": lambda: {f"theirs/part-{key}.jsonl": lines([{"text": TEXTS[key]}]) for key in TEXTS},
    "tables without ids": lambda: {f"theirs/part-{key}.csv": f"text,year\n{TEXTS[key]},7\n" for key in TEXTS},
    "XML without ids": lambda: {f"theirs/{key}.xml": f"<r><item><text>{TEXTS[key]}</text></item></r>" for key in TEXTS},
    "texts that JSON describes": lambda: (
        {f"theirs/{key}.txt": text for key, text in TEXTS.items()}
        | {f"theirs/{key}.json": json.dumps({"by": "Ann", "day": "2026-01-01"}) for key in TEXTS}
    ),
    "names that end with a point": lambda: {f"theirs/{key}.": text for key, text in TEXTS.items()},
    "notebooks": lambda: {
        f"theirs/{key}.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": [text]}]})
        for key, text in TEXTS.items()
    },
    "parts": lambda: {f"theirs/part-{item['id']}.jsonl": json.dumps(item) for item in objects()},
}
SUFFIXES = {
    "texts": ".txt",
    "notebooks": ".ipynb",
    "texts that JSON describes": ".txt",
    "names that end with a point": ".",
}
"""Folder → the end of the ids of its documents."""

CELLS = {
    **{("table", *cell): (lambda role, cell=cell: delimited(*cell)) for cell in product(HEADERS, SEPARATORS, MORE)},
    **{("sheet", *cell): (lambda role, cell=cell: book(role, *cell)) for cell in product(HEADERS, MORE)},
    **{("parquet", name): columnar(items) for name, items in PARQUET.items()},
    **{("json", name): one("theirs.json", text) for name, text in JSON.items()},
    **{
        ("lines", name): one("theirs.txt", "".join(form.format(*item) + "\n" for item in TEXTS.items()))
        for name, form in LINES.items()
    },
    **{
        ("tags", name): one(
            "theirs.dat", rooted("".join(form.format(*item) for item in TEXTS.items()), ROOTS.get(name))
        )
        for name, form in TAGS.items()
    },
    **{("xml", name): one("theirs.dat", text) for name, text in XML.items()},
    **{("export", name): one("theirs.dat", text) for name, text in EXPORTS.items()},
    **{("folder", name): (lambda role, files=files: files()) for name, files in FOLDERS.items()},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("usual.jsonl").write_text(lines(objects()))
    Path("qrels").write_text("".join(f"{key} 0 {key} 1\n" for key in TEXTS))
    for suffix in {*SUFFIXES.values()}:
        Path(f"qrels{suffix}").write_text("".join(f"{key} 0 {key}{suffix} 1\n" for key in TEXTS))


def outcome(cell, role):
    """How files are read: "read", "advised" if an option of a message reads them, or the message."""
    files = CELLS[cell](role)
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    theirs = "theirs" if cell[0] == "folder" else next(iter(files))
    places = (theirs, "usual.jsonl") if role == "documents" else ("usual.jsonl", theirs)
    qrels = f"qrels{SUFFIXES.get(cell[1], '')}" if role == "documents" else "qrels"
    targets = ("eval", places[0], "--queries", places[1], "--qrels", qrels, "-m", "AP", "--tsv")
    result = shell(*targets)
    if result.exit_code == 0:
        return "read" if result.stdout.splitlines()[-1].split("\t")[1] == "1.0" else f"wrong: {result.stdout}"
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    remedy = re.search(r"--[a-z-]+ (?:'[^']*'|\"[^\"]*\"|\S+)", result.stderr)
    if remedy is None:
        return result.stderr
    again = shell(*targets, *shlex.split(remedy[0].rstrip(";,")))
    read = again.exit_code == 0 and again.stdout.splitlines()[-1].split("\t")[1] == "1.0"
    return "advised" if read else f"bad advice: {remedy[0]} {again.output}"


def expected_of(cell, role):
    """A single text may be one document, or one on each line: of documents, that is asked if no tabs part its lines."""
    return "advised" if (cell[0], role) == ("lines", "documents") and cell[1] not in ("a tab", "two bars") else "read"


NONE_EXISTS = [(("tags", name), "documents") for name in TAGS if name.startswith("topics")]
"""Topics are queries."""


OF_NO_NAME = {"unknown", "an unknown column", "an unknown key", "languages, nested"}
OF_NO_NAME |= {"objects a level deeper, of unknown keys", "marks in the text"}
"""Cells of queries whose text has no known name; with tabs, they are lines of an id and a text."""


@pytest.mark.parametrize("role", ["documents", "queries"])
@pytest.mark.parametrize("cell", CELLS, ids=" ".join)
def test_each_cell_reads_or_asks(cell, role):
    if (cell, role) in NONE_EXISTS:
        assert re.match(r"toysearch: theirs\.dat(:1)?: expected ", outcome(cell, role))
    elif (role, cell[-1]) != ("queries", "cards of a board"):  # whose text is a description, which is never searched
        is_line = "tab" in cell and cell[-1] != "a quoted line end"
        is_asked = role == "queries" and not (is_line or OF_NO_NAME.isdisjoint(cell))
        assert outcome(cell, role) == ("advised" if is_asked else expected_of(cell, role))


@pytest.mark.parametrize("key", ["caption", "text"])
def test_the_list_with_most_text_has_the_records_though_a_short_one_has_names(tmp_path, key):
    annotations = [{"id": int(i), "image_id": 7, key: f"{text}, as one sees here"} for i, text in TEXTS.items()]
    item = {"info": {"version": "1"}, "licenses": [{"id": 7, "name": "Attribution"}], "annotations": annotations}
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(item))
    assert [one.text.split(",")[0] for one in toysearch.load(path).documents] == [*TEXTS.values()]


def test_a_table_with_a_title_and_a_text_is_no_judgments_though_a_number_comes_last(tmp_path):
    path = tmp_path / "pd.csv"
    path.write_text(",title,text,price\n0,Owl,hunts at night,3.5\n1,Lark,sings at dawn,2.0\n")
    assert what_is(path).role == "documents"


def test_accents_of_tex_are_those_of_the_text(tmp_path):
    path = tmp_path / "a.bib"
    title = r"""K{\"o}ln na{\"\i}ve Stra{\ss}e \'{e}t\'e {\c c}a \v{S}"""
    path.write_text(f"@book{{a,\n title = {{{title}}},\n year = 2003\n}}\n")
    assert [document.title for document in toysearch.load(path).documents] == ["Köln naïve Straße été ça Š"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_the_title_of_a_topic_is_searched_rather_than_its_description(tmp_path, suffix):
    path = tmp_path / f"topics.{suffix}"
    rows = [("1", "owls", "Documents about ships"), ("2", "mice", "Documents about ports")]
    labels = ("id", "title", "description")
    table = "".join(",".join(row) + "\n" for row in (labels, *rows))
    path.write_text(table if suffix == "csv" else lines(dict(zip(labels, row, strict=True)) for row in rows))
    with noted() as notes:
        assert [*read_queries(path).texts] == ["owls", "mice"]
    assert notes == []
    assert read_queries(path, columns="text=description").texts[0] == "Documents about ships"


@pytest.mark.parametrize("labels", [("train", "test"), ("2023-01", "2023-02", "2023-03"), ("Genesis", "Exodus")])
def test_lists_of_the_same_keys_beside_each_other_are_one_table(tmp_path, labels):
    path = tmp_path / "by.json"
    lists = {
        label: [{"title": f"Part {label}", "text": f"The {label} kettle boils tea, row {n}."} for n in range(3)]
        for label in labels
    }
    queries = [{"title": "Kettle", "text": "Which kettle boils the tea?"}]
    path.write_text(json.dumps({**lists, "queries": queries}))
    texts = [document.text for document in toysearch.load(path).documents]
    assert texts == [" ".join(row.values()) for rows in lists.values() for row in rows]


ROWS = {
    f"v{place}": {"refrain": f"The {text} fall in {place}.", "verse": f"And {text} turn to mud again."}
    for place, text in enumerate(TEXTS.values())
}
"""Objects of texts under names that are not known."""
COLUMNS = {label: [row[label] for row in ROWS.values()] for label in ROWS["v0"]}
OBJECTS = {
    "by ids": ROWS,
    "wrapped": {"songs": ROWS, "version": "1"},
    "columns of a frame": {label: {str(at): cell for at, cell in enumerate(COLUMNS[label])} for label in COLUMNS},
    "rows of a frame": {str(at): row for at, row in enumerate(ROWS.values())},
    "a frame in parts": {"columns": [*COLUMNS], "index": [0, 1, 2], "data": [[*row.values()] for row in ROWS.values()]},
    "lists": COLUMNS,
    "lists of known names": {"question": COLUMNS["refrain"], "answer": COLUMNS["verse"]},
}


FEATURES = [
    {"type": "Feature", "properties": {"nr": n, "opis": f"Stary zamek {name} nad rzeką"}}
    for n, name in enumerate(["Arka", "Bory", "Cisy", "Dwór", "Ełk", "Fara", "Gaj"])
]
LOANS = [{"no": n, "who": name} for n, name in enumerate(["Ann", "Ben", "Cy", "Di", "Eve", "Flo", "Gus"])]


@pytest.mark.parametrize(
    "whole",
    [
        {"type": "FeatureCollection", "name": "zabytki", "features": FEATURES},
        {"name": "zabytki", "crs": {"type": "name", "properties": {"name": "CRS84"}}, "features": FEATURES},
        {"loans": LOANS, "castles": [one["properties"] for one in FEATURES]},
    ],
    ids=["named", "with another object", "beside a list without texts"],
)
def test_the_list_of_an_unknown_key_is_asked_for_and_named(tmp_path, whole):
    path = tmp_path / "castles.json"
    path.write_text(json.dumps(whole))
    key = [*whole][-1]
    with pytest.raises(DataError, match=f"name the one that holds the documents: .*records='{key}'"):
        toysearch.load(path)
    documents = toysearch.load(path, records=key).documents
    assert len(documents) == 7
    assert ["Cisy" in document.text for document in documents].index(True) == 2


def test_an_object_with_a_text_of_its_own_is_the_record_beside_a_list_of_unknown_keys(tmp_path):
    path = tmp_path / "castles.json"
    path.write_text(json.dumps({"title": "Zamki", "text": "Stare zamki w Polsce", "features": FEATURES}))
    assert len(toysearch.load(path).documents) == 1


def test_a_list_of_rows_with_ids_has_the_records_of_a_board_that_is_described(tmp_path):
    cards = [{"id": f"c{n}", "name": f"Oak number {n}", "desc": "It grows near the old river"} for n in range(7)]
    lists = [{"id": f"l{n}", "name": name} for n, name in enumerate(["Doing", "Done"])]
    path = tmp_path / "board.json"
    path.write_text(json.dumps({"name": "Trees", "desc": "Trees of the town", "cards": cards, "lists": lists}))
    assert [document.doc_id for document in toysearch.load(path).documents] == [card["id"] for card in cards]


ABOUT = [f"An oak of kind {n} that grows near the old river" for n in range(6)]


def _ids(path, text):
    path.write_text(text)
    return [document.doc_id for document in toysearch.load(path).documents]


@pytest.mark.parametrize(
    ("label", "cells"),
    [("Jahr", range(1990, 1996)), ("Preis", range(1000, 7000, 1000)), ("Sterne", [5, 4, 3, 2, 1, 0, 5])],
)
def test_a_first_column_of_values_is_no_id(tmp_path, label, cells):
    rows = "".join(f"{cell},red,{text}\n" for cell, text in zip(cells, [*ABOUT, ABOUT[0]], strict=False))
    assert _ids(tmp_path / "oaks.csv", f"{label},Farbe,Langtext\n{rows}")[:2] == ["1", "2"]


@pytest.mark.parametrize(
    "inside",
    [
        lambda n: {"author": {"id": n + 7}},
        lambda n: {"meta": {"id": n % 3}},
        lambda n: {"a": {"id": n}, "b": {"id": n}},
    ],
)
def test_an_id_of_another_thing_is_no_id_of_the_record(tmp_path, inside):
    items = [{**inside(n), "heading": f"Oak {n}", "chunk": text} for n, text in _numbered()]
    assert _ids(tmp_path / "oaks.json", json.dumps(items)) == ["1", "2", "3", "4", "5", "6"]


def _numbered():
    return list(enumerate(ABOUT))


def _transcript(n_segments):
    segments = [{"id": n, "start": 2.0 * n, "text": f" {text}"} for n, text in _numbered()]
    return json.dumps({"text": " ".join(ABOUT), "segments": segments[:n_segments], "language": "en"})


def test_the_pieces_of_a_text_beside_it_are_the_records_if_they_are_named(tmp_path):
    assert _ids(tmp_path / "oaks.json", _transcript(6)) == ["1"]
    assert [one.doc_id for one in toysearch.load(tmp_path / "oaks.json", records="segments").documents] == [*"012345"]


def test_a_text_of_each_file_of_a_folder_is_the_record_beside_its_pieces(tmp_path):
    folder = tmp_path / "talks"
    folder.mkdir()
    for name in ("first.json", "second.json"):
        (folder / name).write_text(_transcript(6))
    assert [document.doc_id for document in toysearch.load(folder).documents] == ["first", "second"]
