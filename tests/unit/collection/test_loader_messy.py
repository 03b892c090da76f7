"""JSON Lines, arrays, CSV and TSV as they are found: broken lines, ids missing and repeated, nested keys."""

import json
from itertools import product

import pytest
import shell
from shell import run
from tiers import thinned

import toysearch
from toysearch.base.errors import ArgumentError, DataError, StorageError

RECORDS = [("a", "a cat"), ("b", "a dog"), ("a", "a parrot"), ("", "a horse"), ("c", "a hamster"), ("a", "a mouse")]
KEPT = {
    "first": ["a: a cat", "b: a dog", "line: a horse", "c: a hamster"],
    "last": ["b: a dog", "line: a horse", "c: a hamster", "a: a mouse"],
    "number": ["a: a cat", "b: a dog", "a-2: a parrot", "line: a horse", "c: a hamster", "a-3: a mouse"],
}
FORMS = ("jsonl", "json", "csv", "tsv")


def written(folder, form, records=RECORDS, *, broken=False):
    """A file of documents, one line of it broken in the way that the form can be."""
    path = folder / f"pets.{form}"
    if form in ("csv", "tsv"):
        mark = "," if form == "csv" else "\t"
        rows = [mark.join(row) for row in [("sku", "text"), *records]]
        rows[2:2] = ["oops"] * broken
        path.write_text("".join(row + "\n" for row in rows))
        return path
    objects = [json.dumps({"sku": name or None, "text": text}) for name, text in records]
    objects[1:1] = ['{"sku": 1.5, "text": "x"}' if form == "json" else '{"sku": '] * broken
    path.write_text("[" + ",\n ".join(objects) + "]\n" if form == "json" else "\n".join(objects))
    return path


def read(path, **options):
    documents = toysearch.load(path, columns="id=sku", **options).documents
    return [f"{doc_id.partition('line-')[0] or 'line'}: {text}" for doc_id, text, *_ in documents]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ids", KEPT)
def test_ids_as_chosen(tmp_path, form, ids):
    path = written(tmp_path, form)
    assert read(path, ids=ids) == KEPT[ids]
    index = toysearch.Index.build(toysearch.load(path, columns="id=sku", ids=ids))
    assert len(KEPT[ids]) == index.stats.N
    with pytest.raises(DataError):
        read(path)


@pytest.mark.parametrize("form", FORMS)
def test_what_cannot_be_read_is_left_out(tmp_path, form):
    path, target = written(tmp_path, form, broken=True), tmp_path / "kept" / "rejected.jsonl"
    target.parent.mkdir()
    assert read(path, ids="number", on_error="skip") == KEPT["number"]
    collection = toysearch.load(path, columns="id=sku", on_error="skip", rejected=target)
    assert [text for _, text, *_ in collection.documents] == ["a cat", "a dog", "a hamster"]
    (told,) = collection.notes
    assert told.startswith(f"{path}: 4 records left out, the first on line {3 if form in ('csv', 'tsv') else 2}: ")
    assert told.endswith(f"; all are in {target}")
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(rows) == 4
    assert [row["file"] for row in rows] == [str(path)] * 4
    assert [row["line"] for row in rows] == sorted(row["line"] for row in rows)
    assert "was already given on line" in rows[1]["reason"]
    assert "oops" in rows[0]["text"] or "sku" in rows[0]["text"]
    assert toysearch.Index.build(collection).stats.N == 3


def test_nothing_is_overwritten(tmp_path):
    path, target = written(tmp_path, "csv", broken=True), tmp_path / "mine.jsonl"
    target.write_text("precious")
    with pytest.raises(StorageError, match=r"mine\.jsonl already exists; name another file"):
        _ = toysearch.load(path, columns="id=sku", on_error="skip", rejected=target).documents[0]
    assert target.read_text() == "precious"
    target.unlink()
    for _ in range(2):  # what it would write anew is there
        assert len(toysearch.load(path, columns="id=sku", on_error="skip", rejected=target).documents) == 3


def test_a_quotation_mark_that_is_never_closed_costs_its_row_only(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text('id,text\n1,a cat\n2,"a dog\n3,a parrot\n4,"a ""horse"""\n')
    collection = toysearch.load(path, on_error="skip")
    assert [(doc_id, text) for doc_id, text, *_ in collection.documents] == [
        ("1", "a cat"),
        ("3", "a parrot"),
        ("4", 'a "horse"'),
    ]


@pytest.mark.parametrize("array", [False, True], ids=["lines", "array"])
def test_keys_with_dots(tmp_path, array):
    path = tmp_path / "pets.jsonl"
    objects = [{"meta": {"sku": number, "more": {"long": f"a cat {number}"}}, "name": "Cats"} for number in range(600)]
    path.write_text(json.dumps(objects, indent=1) if array else "\n".join(map(json.dumps, objects)))
    columns = "id=meta.sku,text=meta.more.long"
    documents = toysearch.load(path, columns=columns).documents
    assert (len(documents), documents[7].doc_id, documents[7].text) == (600, "7", "Cats a cat 7")
    with pytest.raises(DataError, match=r"unknown key 'meta\.sk'; did you mean 'meta\.sku'\?"):
        _ = toysearch.load(path, columns="id=meta.sk,text=meta.more.long").documents[0]


@pytest.mark.parametrize("name", ["index", "search", "eval", "convert"])
def test_commands(tmp_path, name):
    folder = tmp_path / "pets"
    folder.mkdir()
    written(folder, "jsonl", broken=True)
    (folder / "judged.csv").write_text("query,doc,rating\na dog,b,1\n")
    rest = {
        "index": ["-o", str(tmp_path / "i")],
        "search": ["dog"],
        "convert": ["--to", "beir", "-o", str(tmp_path / "c")],
    }
    arguments = [name, str(folder), *rest.get(name, []), "--columns", "id=sku"]
    assert shell.run(*arguments).exit_code == 2
    forgiving = run(*arguments, "--on-error", "skip", "--rejected", str(tmp_path / "r.jsonl"))
    assert (forgiving.exit_code, "4 records left out" in forgiving.stderr) == (0, True), forgiving.stderr
    numbered = run(*arguments, "--on-error", "skip", "--ids", "number")
    assert "1 record left out" in numbered.stderr
    assert "named after its line, such as line-5" in numbered.stderr


def test_the_check_goes_on_behind_a_bad_line(tmp_path):
    path = written(tmp_path, "jsonl", broken=True)
    diagnosis = toysearch.diagnose(path, columns="id=sku")
    assert diagnosis.counts["documents"] == 3
    (error,) = diagnosis.of_level("error")
    assert error.what == f"{path}: 4 records cannot be read or repeat an id"
    assert [row["line"] for row in error.evidence] == [2, 4, 5, 7]
    unnumbered = tmp_path / "rows.csv"
    unnumbered.write_text("text,year\n" + "a cat or a dog,2001\n" * 20)
    assert "ids" not in {finding.check for finding in toysearch.diagnose(unnumbered).findings}


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"ids": "any"}, "unknown value of ids 'any'"), ({"rejected": "r"}, "set on_error to skip as well")],
)
def test_options_that_make_no_sense(tmp_path, options, problem):
    with pytest.raises(ArgumentError, match=problem):
        toysearch.load(written(tmp_path, "csv"), **options)


# Folders of people who have products, searches and ratings: how a sheet of ratings is known, and what it names.


PRODUCTS = (
    "sku,title,description,stock\np1,USB cable,a cable to charge a phone,5\np2,Mouse,a wireless mouse,2\n"
    "p3,Keys,a wireless keyboard,3\n"
)
RATED = [("usb cable", "p1", "3"), ("Wireless  Mouse", "p2", "2"), ("wireless mouse", "p3", "0")]
QUERIES = "id,text\nq7,wireless mouse\nq9,USB cable\n"
COLUMNS = ("--columns", "id=sku,text=description")


def shop(tmp_path, labels=("query", "doc", "rating"), rows=RATED, **files):
    sheet = "".join(",".join(row) + "\n" for row in [labels, *rows])
    for name, text in {"products.csv": PRODUCTS, "sheet.csv": sheet, **files}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def evaluated(folder, *options):
    return run("eval", str(folder), "-m", "P@1 RR", "--tsv", *options)


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("query", "doc", "rating"), COLUMNS),
        (("query", "product_id", "stars"), ()),
        (("search_term", "sku", "grade"), ()),
    ],
)
def test_a_sheet_beside_products(tmp_path, labels, columns):
    """Which of the two tables holds the documents is seen: the one with texts."""
    products = PRODUCTS.replace("sku", "id", 1)
    folder = shop(tmp_path, labels, **{"products.csv": PRODUCTS if columns else products})
    result = evaluated(folder, *columns)
    assert result.stdout.splitlines()[1:] == ["bm25\t1.0\t1.0"]
    assert "it has the 2 queries that the judgments name by their texts, numbered from 1" in result.stderr


def test_queries_by_their_texts(tmp_path):
    collection = toysearch.load(shop(tmp_path, **{"queries.csv": QUERIES}), columns="id=sku")
    assert {query_id: collection.qrels[query_id] for query_id in collection.qrels.query_ids} == {
        "q9": {"p1": 3.0},
        "q7": {"p2": 2.0, "p3": 0.0},
    }
    assert [note for note in collection.notes if "by their texts" in note]


def test_splits_share_the_queries_made_of_texts(tmp_path):
    (tmp_path / "qrels").mkdir()
    for name, rows in (("test", RATED[:1]), ("train", RATED[1:])):
        (tmp_path / "qrels" / f"{name}.csv").write_text(
            "query,doc,rating\n" + "".join(",".join(row) + "\n" for row in rows)
        )
    (tmp_path / "products.csv").write_text(PRODUCTS)
    texts = {
        split: [
            (collection.query(query_id).text, [*collection.qrels[query_id]]) for query_id in collection.qrels.query_ids
        ]
        for split in ("test", "train")
        for collection in [toysearch.load(tmp_path, split=split, columns="id=sku")]
    }
    assert texts == {"test": [("usb cable", ["p1"])], "train": [("Wireless  Mouse", ["p2", "p3"])]}


def test_columns_that_nobody_knows_are_named(tmp_path):
    folder = shop(
        tmp_path, ("suche", "artikel", "punkte"), **{"judgments.csv": "suche,artikel,punkte\nusb cable,p1,1\n"}
    )
    (folder / "sheet.csv").unlink()
    result = evaluated(folder, *COLUMNS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert ("name them: --qrels-columns query=suche") in result.stderr
    named = evaluated(folder, *COLUMNS, "--qrels-columns", "query_id=suche,doc_id=artikel,relevance=punkte")
    assert named.stdout.splitlines()[1:] == ["bm25\t1.0\t1.0"]
    (folder / "collection.toml").write_text(
        '[[files]]\nrole = "documents"\npath = "products.csv"\nformat = "csv"\ncolumns = { id = "sku" }\n\n[[files]]\n'
        'role = "qrels"\npath = "judgments.csv"\ncolumns = { query_id = "suche", doc_id = "artikel", '
        'relevance = "punkte" }\n'
    )
    assert evaluated(folder).stdout == named.stdout


MEASURING = {
    "eval": ("-m", "RR", "--tsv"),
    "compare": ("--model", "bm25", "--model", "tfidf", "-m", "RR", "--tsv"),
    "diff": ("--model", "bm25", "--model", "tfidf", "--json"),
    "tune": ("--model", "bm25", "--grid", "k1=1", "--folds", "2", "--tsv"),
}
RATED_TWICE = [*RATED, ("USB  Cable", "p1", "3")]


@pytest.mark.parametrize(("form", "name"), thinned(product(["csv", "csv with BOM and CRLF", "tsv"], MEASURING), 6))
def test_a_sheet_with_documents_or_an_index_gives_what_the_folder_gives(tmp_path, monkeypatch, name, form):
    """Also where the documents are a file or an index by itself, the texts in the sheet are the queries."""
    monkeypatch.chdir(shop(tmp_path, rows=RATED_TWICE, **{"products.csv": PRODUCTS.replace("sku", "id", 1)}))
    expected = run(name, ".", *MEASURING[name])
    assert expected.exit_code == 0, expected.stderr
    other = tmp_path / "elsewhere"
    other.mkdir()
    sheet, text = other / f"sheet.{form[:3]}", (tmp_path / "sheet.csv").read_text()
    text = text.replace(",", "\t") if form == "tsv" else text
    sheet.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() if "BOM" in form else text.encode())
    toysearch.Index.build(toysearch.load("products.csv")).save("products.idx")
    for source in ("products.csv", "products.idx"):
        found = run(name, source, "--qrels", str(sheet), *MEASURING[name])
        assert (found.exit_code, without_collection(found.stdout)) == (0, without_collection(expected.stdout))
        assert "the 2 texts by which the judgments name queries are searched, numbered from 1" in found.stderr


def without_collection(text):
    """What a command prints, without the line that names the source, and without what made it."""
    kept = text.partition('  "repeat": {')[0]
    return [line for line in kept.splitlines() if '"collection"' not in line]


@pytest.mark.parametrize("alone", [True, False], ids=["sheet by itself", "folder"])
def test_spellings_of_a_query_with_different_grades_are_refused(tmp_path, alone):
    rows = [*RATED, ("USB  Cable", "p1", "1")]
    folder = shop(tmp_path, rows=rows, **{"products.csv": PRODUCTS.replace("sku", "id", 1)})
    result = evaluated(folder / "products.csv", "--qrels", str(folder / "sheet.csv")) if alone else evaluated(folder)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "toysearch: 'usb cable' and 'USB  Cable' name the same query '1', and give document 'p1' the grades 3 and 1; "
        "keep one of them"
    )
