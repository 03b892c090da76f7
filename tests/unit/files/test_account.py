"""What was read of a file, in one line: in each syntax and role; what it names works; what is known says nothing."""

import csv
import json
import re
import shlex
import shutil
from itertools import product
from pathlib import Path

import pytest
from shell import run as shell

import toysearch

LONG = "a tale of the lamp and of all who have read by its light since"
CASES = {  # columns, the first row, and by hand: the line for documents; "" for none
    "known": (["id", "title", "text"], ["k1", "red lamp", "it glows"], ""),
    "known, more": (["_id", "text", "brand", "price"], ["k1", "red lamp", "Ikon", "7"], ""),
    "id by its cells": (
        ["asin", "name", "text", "brand", "price"],
        ["k1", "red lamp", "it glows", "Ikon", "7"],
        "id asin; searched: name, text; not searched: brand, price (values)",
    ),
    "no id": (["title", "text"], ["red lamp", "it glows"], "ids numbered from 1; searched: title, text"),
    "text by its cells": (
        ["id", "Q", "A"],
        ["k1", "what is red?", "a red lamp"],
        "id id; searched: Q, A",
    ),
    "one of several texts": (
        ["id", "word", "use", "note"],
        ["k1", "red", "what is red and glows?", "a red lamp"],
        "id id; searched: word, use; not searched: note (or: --columns text=note)",
    ),
    "a title by its cells": (
        ["id", "Item", "Description"],
        ["k1", "red lamp", "it glows"],
        "id id; searched: Item, Description",
    ),
    "no title: a kind": (["id", "category", "text"], ["k1", "red ones", "a lamp glows"], ""),
    "no title: a query": (["id", "search term", "text"], ["k1", "red ones", "a lamp glows"], ""),
    "no title: an address": (["id", "page", "text"], ["k1", "a.org/red-ones", "a lamp glows"], ""),
    "no title: behind the text": (["id", "text", "item"], ["k1", "a lamp glows", "a red one"], ""),
    "a question and its reply": (
        ["id", "Question", "Réponse"],
        ["k1", "which lamp of all is the red one?", "this red lamp"],
        "id id; searched: Question, Réponse",
    ),
    "people beside a text": (
        ["id", "user_name", "use"],
        ["k1", "ann", "what is red and glows?"],
        "id id; searched: use; not searched: user_name",
    ),
    "title alone": (
        ["id", "title", "brand"],
        ["k1", "red lamp", "Ikon"],
        "id id; searched: title; not searched: brand",
    ),
    "a text as long": (
        ["id", "text", "tale"],
        ["k1", "a red lamp that glows", "a tale of the red lamp"],
        "id id; searched: text; not searched: tale",
    ),
    "a longer text": (
        ["id", "text", "tale"],
        ["k1", "red lamp", LONG],
        "id id; searched: text, tale",
    ),
}
SYNTAXES = ["csv", "tsv", "semicolons", "jsonl", "json"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, syntax: str, labels: list[str], *rows: list[str]) -> Path:
    """Write rows in a syntax; numbers are numbers in JSON."""
    marks = {"csv": ",", "tsv": "\t", "semicolons": ";"}
    path = Path(f"{name}.{'csv' if syntax == 'semicolons' else syntax}")
    if mark := marks.get(syntax):
        path.write_text("".join(mark.join(row) + "\n" for row in [labels, *rows]))
        return path
    cells = [[int(cell) if cell.isdigit() else cell for cell in row] for row in rows]
    objects = [dict(zip(labels, row, strict=True)) for row in cells]
    path.write_text(json.dumps(objects) if syntax == "json" else "".join(json.dumps(item) + "\n" for item in objects))
    return path


def notes_in(text: str) -> list[str]:
    return [line.removeprefix("note: ") for line in text.splitlines() if line.startswith("note: ")]


THINGS = [
    ["Lamps", "red lamp", "It glows at night."],
    ["Lamps", "blue lamp", "It shines by day."],
    ["Oil", "jug", "Fill it up again."],
]
THINGS += [["Oil", "red lamp", "Another one that glows."], ["Lamps", "wick", "Cut it once a day."]]
TITLED = [
    ["Kategorie", "Ding", "Antwort"],
    ["Thema", "Ding", "text"],
    ["Artist", "Song", "Lyrics"],
    ["Kind", "Part name", "text"],
]


@pytest.mark.parametrize("label", ["City", "Category", "Band"])
def test_kinds_are_titles_if_each_of_several_rows_has_another(label: str) -> None:
    rows = [[name, f"It is known for its {thing}."] for name, thing in (row[1:] for row in THINGS)]
    rows[3][0] = "pan"
    for n_rows, searched in ((5, f"{label}, text"), (4, f"text; not searched: {label}")):
        path = written("kinds", "csv", [label, "text"], *rows[:n_rows])
        line = f"kinds.csv: {n_rows} documents; ids numbered from 1; searched: {searched}"
        assert notes_in(shell("search", str(path), "known").stderr)[0] == line


@pytest.mark.parametrize(("labels", "syntax"), [*product(TITLED, SYNTAXES)], ids=str)
def test_the_title_is_the_column_before_the_text_that_repeats_least_in_any_order(
    labels: list[str], syntax: str
) -> None:
    for rows in (THINGS, THINGS[::-1], THINGS[2:] + THINGS[:2], [*THINGS, ["Oil", "pan", "It is made of brass."]]):
        path = written("things", syntax, labels, *rows)
        line = (
            f"things.{path.suffix[1:]}: {len(rows)} documents; ids numbered from 1; searched: {labels[1]}, {labels[2]}"
        )
        assert notes_in(shell("search", str(path), "lamp").stderr)[:1] == [f"{line}; not searched: {labels[0]}"]


@pytest.mark.parametrize(("case", "syntax"), [*product(CASES, SYNTAXES)])
def test_what_is_guessed_of_documents_is_one_line_and_can_be_followed(case: str, syntax: str) -> None:
    labels, row, line = CASES[case]
    path = written("shop", syntax, labels, row, [row[0].replace("k1", "k2"), *row[1:]])
    told = notes_in(shell("search", str(path), "lamp").stderr)
    assert told[:1] == [f"{path}: 2 documents; {line}"] * bool(line)
    assert not [one for one in told[1:] if str(path) in one]
    for option in re.findall(r"--columns [^\s)]+", line):
        label = option.partition("text=")[2]
        followed = shell("search", str(path), row[labels.index(label)], *shlex.split(option), "--format", "json")
        assert notes_in(followed.stderr) == []
        assert len(json.loads(followed.stdout)["hits"]) == 2
    assert len(CASES) * len(SYNTAXES) == 80


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_what_is_guessed_of_queries_is_one_line(syntax: str) -> None:
    Path("docs.jsonl").write_text('{"id": "a", "text": "red lamp"}\n')
    path = written("asked", syntax, ["query_id", "need"], ["q1", "red lamp"], ["q2", "a lamp"])
    result = shell("run", "docs.jsonl", "--queries", str(path), "-o", "-")
    assert notes_in(result.stderr) == [f"{path}: 2 queries; id query_id; searched: need"]
    named = shell("run", "docs.jsonl", "--queries", str(path), "--query-columns", "id=query_id,text=need", "-o", "-")
    assert (notes_in(named.stderr), named.stdout) == ([], result.stdout)


def test_a_table_without_a_header_names_columns_by_their_places() -> None:
    Path("shop.csv").write_text("1,Ash,a red oak\n2,Elms,an elm tree\n")
    told = notes_in(shell("search", "shop.csv", "oak").stderr)
    assert told == ["shop.csv: 2 documents; no header; id column 1; searched: column 2, column 3"]


def test_a_column_of_long_texts_is_never_hidden() -> None:
    short = [f"an_attribute_{number}" for number in range(9)]
    labels = ["asin", "title", *short, "notes", "how_to_care"]
    path = written(
        "shop",
        "csv",
        labels,
        ["k1", "red lamp of glass", *["a"] * 9, "keep it dry and far from all fire", "wipe it with a dry cloth"],
    )
    line = notes_in(shell("search", str(path), "lamp").stderr)[0]
    assert "not searched: notes, how_to_care, " in line
    assert line.endswith("…")


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_the_texts_that_may_be_meant_are_named_in_a_line_of_any_length(syntax: str) -> None:
    long = "a_note_of_all_that_is_said_of_the_lamp"
    labels = ["id", "title", "description", *(f"an_attribute_{number}" for number in range(9)), "shorter_note", long]
    row = ["k1", "red lamp", "it glows", *["a"] * 9, "keep it dry and far from all fire", f"{LONG} {LONG}"]
    path = written("shop", syntax, labels, row, ["k2", *row[1:]])
    line = notes_in(shell("search", str(path), "lamp").stderr)[0]
    assert f"searched: title, description, {long[:23]}…; not searched: shorter_note, " in line


def test_what_a_list_holds_beside_its_texts_is_named() -> None:
    rows = [
        {
            "title": "seeds",
            "children": [{"string": "dry them on white paper", "uid": "a", "children": [{"string": "for two days"}]}],
        }
    ]
    Path("garden.json").write_text(json.dumps(rows))
    line = notes_in(shell("search", "garden.json", "seeds").stderr)[0]
    assert line.endswith("searched: title, children.string; not searched: children.children.string, children.uid")


def test_the_parts_are_those_of_the_records_below_one_that_describes_them() -> None:
    records = [{"code": "BGB", "called": "Civil Law of the land"}]
    records += [{"code": "BGB", "title": f"On {name}", "text": f"All of {name}."} for name in ("owls", "elms")]
    Path("law.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    line = notes_in(shell("search", "law.jsonl", "owls").stderr)[-1]
    assert line == "law.jsonl: 3 documents; ids numbered from 1; searched: title, text; not searched: called, code"
    assert [one.title for one in toysearch.load("law.jsonl").documents] == ["", "On owls", "On elms"]
    Path("law.jsonl").write_text("".join(json.dumps(record) + "\n" for record in [*records[:1] * 3, records[1]]))
    assert "searched: code, called" in notes_in(shell("search", "law.jsonl", "owls").stderr)[-1]  # as most records do


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_a_title_and_a_text_are_known_by_a_word_of_their_names(syntax: str) -> None:
    labels = ["patent_id", "patent_type", "patent_date", "patent_title", "patent_abstract"]
    path = written("shop", syntax, labels, ["1", "utility", "2018-06-19", "red lamp", "it glows by night and day"])
    line = notes_in(shell("search", str(path), "lamp").stderr)[0]
    assert "searched: patent_title, patent_abstract; not searched: patent_type" in line


@pytest.mark.parametrize("key", ["story_text", "selftext", "said"])
@pytest.mark.parametrize("empty", [None, ""])
def test_a_text_that_the_first_object_lacks_is_searched(key: str, empty: str | None) -> None:
    rows = [{"id": "k1", "title": "red lamp", key: empty}, {"id": "k2", "title": "kettle", key: "boils water " * 9}]
    Path("shop.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert shell("search", "shop.jsonl", "water").stdout.splitlines()[1].split()[:2] == ["1", "k2"]


@pytest.mark.parametrize("title", ["product_title", "product_name", "name"])
def test_a_title_beside_a_description_is_searched_too(title) -> None:
    path = written(
        "shop", "csv", ["product_id", title, "product_description", "kind"], ["k1", "oak bed", "of wood", "b"]
    )
    assert "k1" in shell("search", str(path), "oak").stdout
    assert "k1" in shell("search", str(path), "wood").stdout


@pytest.mark.parametrize("title", ["Tides", "Tides of all the seas, and why they come"])
@pytest.mark.parametrize("text", [{"content": {"body": "the moon"}}, {"page": {"text": "the moon"}, "n": 7}])
def test_a_title_in_an_object_is_searched_where_the_text_is_in_another(text, title) -> None:
    Path("seas.jsonl").write_text(json.dumps({"id": "k1", "metadata": {"title": title, "by": "Kim"}, **text}) + "\n")
    for query in ("tides", "moon"):
        found = shell("search", "seas.jsonl", query)
        assert "k1" in found.stdout
        assert "searched: metadata.title, " in found.stderr


def test_a_title_in_objects_that_is_all_the_text_there_is_is_searched_once() -> None:
    hits = [{"rank": rank, "doc_id": f"d{rank}", "title": "red lamp"} for rank in range(3)]
    Path("hits.json").write_text(json.dumps([{"query": query, "results": hits} for query in ("q1", "q2")]))
    assert "; searched: results.title; not searched: query" in shell("search", "hits.json", "lamp").stderr


@pytest.mark.parametrize("title", ["Tides", "Tides of all the seas, and why they come"])
def test_a_title_in_an_object_beside_the_text_is_told_with_a_way_to_search_it(title) -> None:
    text = {"page_content": "the moon"}
    Path("seas.jsonl").write_text(json.dumps({"id": "k1", "series": {"title": title, "by": "Kim"}, **text}) + "\n")
    told = shell("search", "seas.jsonl", "moon").stderr
    assert re.search("; not searched: series.title [(]or: --columns title=series.title,text=[a-z_]+[)]$", told, re.M)
    assert "; not searched: series.title (or: " in " ".join(shell("check", "seas.jsonl").output.split())
    assert "not searched" not in shell("check", "seas.jsonl", "--fields", "text,series.title").output
    named = re.search("--columns [^ )]+", told)[0].split()
    for query in ("tides", "moon"):
        found = shell("search", "seas.jsonl", query, *named)
        assert ("k1" in found.stdout, found.stderr) == (True, "")


def test_collections_that_an_object_holds_beside_the_documents_are_named() -> None:
    trees = {"k1": {"title": "Oak", "text": "red lamp"}, "k2": {"title": "Elm", "text": "green"}}
    others = {"users": {"u1": {"name": "Ann"}}, "settings": {"theme": "dark"}, "tags": ["a"]}
    Path("export.json").write_text(json.dumps({"trees": trees, **others}))
    line = "export.json: 2 documents; not read: users; id id; searched: title, text"
    assert notes_in(shell("search", "export.json", "lamp").stderr) == [line]
    Path("export.json").write_text(json.dumps({"trees": trees, "settings": {"theme": "dark"}}))
    assert notes_in(shell("search", "export.json", "lamp").stderr) == []


def test_rows_without_a_text_are_counted_where_a_line_is_told() -> None:
    rows = [["oak-bed", "red lamp", "", "9"], ["ash-bed", "", "", "8"], ["elm", "", "green", "7"]]
    path = written("shop", "csv", ["Handle", "Title", "Body", "Price"], *rows)
    assert "shop.csv: 3 documents; 1 row without a text; ids numbered" in shell("search", str(path), "lamp").stderr
    path = written("known", "csv", ["id", "text"], ["1", "lamp"], ["2", ""])
    assert notes_in(shell("search", str(path), "lamp").stderr) == []


def test_an_amount_is_no_text() -> None:
    path = written("hotels", "csv", ["Haus", "Quote"], ["Zur Eiche", "85 %"], ["Zur alten Ulme", "70 %"])
    assert notes_in(shell("search", str(path), "eiche").stderr)[0].endswith("searched: Haus; not searched: Quote")


def test_a_first_column_that_repeats_is_a_class() -> None:
    Path("news.csv").write_text('"3","Wall St. Bears","Sellers are back"\n"3","Oil","Prices rise again"\n')
    result = shell("search", "news.csv", "prices")
    assert result.stdout.split("\n")[1].split()[:2] == ["1", "2"]
    assert notes_in(result.stderr) == [
        "news.csv: 2 documents; no header; ids numbered from 1; searched: column 2, column 3; "
        "not searched: column 1 (values)"
    ]


def test_parts_of_documents_have_one_line() -> None:
    for number in range(1, 4):
        written(f"part-{number}", "csv", ["asin", "text"], [f"k{number}", "red lamp"])
    told = notes_in(shell("search", ".", "lamp").stderr)
    assert told == ["part-1.csv and 2 more files: 3 documents; id asin; searched: text"]


@pytest.mark.parametrize("stem", ["a rather long name of a column that has number ", "c", "col"])
@pytest.mark.parametrize(("syntax", "n_columns"), [*product(SYNTAXES, (3, 60))])
def test_a_line_is_short_whatever_the_columns(syntax: str, n_columns: int, stem: str) -> None:
    others = [f"{stem}{number}" for number in range(n_columns)]
    row = ["k1", "red lamp", *["x y"] * n_columns, LONG]
    path = written(
        "n" * (40 - len("." + syntax.replace("semicolons", "csv"))), syntax, ["asin", "text", *others, "tale"], row
    )
    assert len(path.name) == 40
    [told] = notes_in(shell("search", str(path), "lamp").stderr)
    assert len(told) <= 160
    assert "searched: text, tale; not searched: " in told


def test_what_is_stated_says_nothing() -> None:
    labels, row, _ = CASES["text by its cells"]
    written("shop", "csv", labels, row)
    assert notes_in(shell("check", "shop.csv", "--columns", "text=A", "--write").stderr) == []
    assert Path("collection.toml").exists()
    assert notes_in(shell("search", ".", "lamp").stderr) == []
    assert notes_in(shell("search", "shop.csv", "lamp", "--fields", "A").stderr) == []
    for name in ("cat-dog-parrot", "companions", "languages"):
        assert notes_in(shell("search", name, "cat").stderr) == []


def test_a_recipe_that_states_a_role_says_nothing() -> None:
    labels, row, line = CASES["id by its cells"]
    written("shop", "csv", labels, row)
    assert notes_in(shell("search", ".", "lamp").stderr) == [f"shop.csv: 1 document; {line}"]
    Path("collection.toml").write_text('[[files]]\nrole = "documents"\npath = "shop.csv"\nformat = "csv"\n')
    assert notes_in(shell("search", ".", "lamp").stderr) == []


@pytest.mark.parametrize("role", ["qrels", "run"])
def test_judgments_and_runs_have_the_same_line(role: str) -> None:
    Path("mine.run").write_text("q1 Q0 d1 1 0.5 mine\nq2 Q0 d2 1 0.5 mine\n")
    Path("judged.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    value = "final" if role == "qrels" else "points"
    Path("sheet.csv").write_text(f"need,spot,{value}\nq1,d1,2\nq2,d2,{1 if role == 'qrels' else 0.75}\n")
    files = ("mine.run", "sheet.csv") if role == "qrels" else ("sheet.csv", "judged.txt")
    told = notes_in(shell("eval", *files, "-m", "AP", "--threshold", "1").stderr)
    if role == "qrels":
        assert told == ["sheet.csv: 2 judgments; query need; document spot; grade final (by the ids of mine.run)"]
    else:
        assert told == ["sheet.csv: 2 results; query need; document spot; score points (by the ids of judged.txt)"]


def test_check_gives_the_whole_account() -> None:
    rows = [["k1", "red lamp", "Ikon", "7"], ["k2", "kettle", "Dyso", "8"], ["k2", "kettle", "Dyso", "8"]]
    path = written("shop", "csv", ["id", "text", "brand", "price"], *rows)
    [account] = json.loads(shell("check", str(path), "--json").stdout)["files"]
    assert (account["path"], account["role"], account["read"], account["left_out"]) == ("shop.csv", "documents", 2, 1)
    assert account["columns"] == {"id": "id", "text": "text"}
    assert account["evidence"] == {"id": "by its name", "text": "by its name"}
    assert (account["searched"], account["others"], account["values"]) == (["text"], ["brand"], ["price"])
    told = "id id (by its name); text brand (named: --columns text=brand); searched: brand; not searched: text, price"
    said = shell("check", str(path), "--columns", "text=brand").stdout
    assert f"shop.csv: 2 documents read, 1 record left out; {told}" in " ".join(said.split())
    [account] = json.loads(shell("check", str(path), "--fields", "brand", "--json").stdout)["files"]
    assert (account["searched"], account["others"], account["values"]) == (["brand"], ["text"], ["price"])


def test_callers_in_python_get_the_keyword(recwarn) -> None:
    row = ["k1", "ash", "what falls on cold days", "a tree with hard wood"]
    collection = toysearch.load(written("shop", "csv", ["id", "word", "note", "use"], row))
    assert [document.text for document in collection.documents] == [" ".join(row[1:3])]
    other = "use (or: load(…, columns='text=use'))"
    assert [str(one.message) for one in recwarn] == [
        f"shop.csv: 1 document; id id; searched: word, note; not searched: {other}"
    ]


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_a_longer_text_beside_a_known_one_is_searched_too(syntax: str) -> None:
    path = written(
        "shop", syntax, ["id", "name", "text", "tale"], ["k1", "lamp", "red", LONG], ["k2", "kettle", "", LONG]
    )
    collection = toysearch.load(path)
    assert [document.text for document in collection.documents] == [f"lamp red {LONG}", f"kettle {LONG}"]
    assert [document.fields["tale"] for document in collection.documents] == [LONG, LONG]
    named = toysearch.load(path, fields="name,text")
    assert [document.text for document in named.documents] == ["lamp red", "kettle"]


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_a_question_below_a_subject_is_searched_with_its_answer(syntax: str) -> None:
    row = ["k1", "Lamps", "Which lamp glows?", "The red one."]
    [document] = toysearch.load(written("shop", syntax, ["id", "subject", "question", "answer"], row)).documents
    assert document.text == "Lamps The red one. Which lamp glows?"
    row[2:] = ["Which lamp glows?", "Lamps of oak glow and others of tin do so at night"]
    [document] = toysearch.load(written("asked", syntax, ["id", "title", "question", "context"], row)).documents
    assert document.text == f"Lamps {row[3]}"


BODIES = ["<p>A <b>red</b> lamp of oak</p>", "<div>It glows<br>at night", "<p>Of tin</p>"]


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_html_in_most_cells_is_read_as_text(syntax: str) -> None:
    rows = [[f"k{place}", "1 < 2", body] for place, body in enumerate(BODIES)]
    found = shell("search", str(written("shop", syntax, ["id", "title", "body"], *rows)), "red night b p br")
    assert re.findall(r"k\d", found.stdout) == ["k0", "k1"]
    assert "A *red* lamp of oak" in found.stdout
    assert notes_in(found.stderr)[0].endswith("; HTML read as text: body; id id; searched: title, body")


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_html_in_few_cells_is_told_with_what_leaves_it_out(syntax: str) -> None:
    texts = [BODIES[0], "a < b", "List<a> > 0", "the tag <p>"]
    path = written("shop", syntax, ["id", "body"], *([f"k{place}", text] for place, text in enumerate(texts)))
    found = shell("search", str(path), "red")
    assert "<b>*red*</b>" in found.stdout
    way = re.search(r"tags in body, which (--analyzer \S+) leaves out", found.stderr)[1]
    assert "k0" in shell("search", str(path), "red", *way.split()).stdout
    assert "k0" not in shell("search", str(path), "b", *way.split()).stdout


@pytest.mark.parametrize("texts", [["a < b", "<p> is a tag"], ["List<a>", "x<y and z>w"], ["<3", "if (a<b) c"]])
@pytest.mark.parametrize("syntax", SYNTAXES)
def test_signs_alone_are_no_html(syntax: str, texts: list[str]) -> None:
    path = written("shop", syntax, ["id", "body"], *([f"k{place}", text] for place, text in enumerate(texts)))
    assert "HTML" not in shell("search", str(path), "a").stderr
    assert [*toysearch.load(path).documents.texts] == texts


def test_html_of_a_file_is_seen_in_each_part_of_it() -> None:
    texts = ["A lamp of oak", *(BODIES[n % 3] for n in range(1, 9))]  # the first says nothing
    Path("shop.jsonl").write_text(
        "".join(json.dumps({"id": f"k{n}", "text": text}) + "\n" for n, text in enumerate(texts))
    )
    source = toysearch.files.Source("shop.jsonl")
    lines = Path("shop.jsonl").read_bytes().splitlines(keepends=True)
    first, start, stop = (len(b"".join(lines[:n])) for n in (1, 4, 5))
    of_part = source.only(toysearch.files.source.ByteRange(first, start, stop))
    texts = [fields["text"] for _, _, fields in toysearch.read_records("jsonl", "documents", of_part)]
    assert texts == ["A lamp of oak", "It glows at night"]


PROSE = [
    "It barks at the moon.",
    "It sleeps all day long, and at night.",
    "It eats what is left of the meal.",
    "It runs.",
]
SEARCHED = {
    "a name that some rows share": (
        ["product", "description"],
        [["Oil", "Oil", "Jam", "Oil"], PROSE],
        "product, descr",
    ),
    "names nearly all different": (
        ["Breed", "Temper", "Description"],
        [
            [*"abcdefghijklmnopqrst", "t"],
            [f"It is calm, {n}." for n in "abcdefghijklmnopqrstu"],
            5 * PROSE + ["It is my dog."],
        ],
        "Breed, Description",
    ),
    "a question and its answer": (
        ["input", "output"],
        [["How do I get in there?"] * 3 + ["Why is it so?"], PROSE],
        "input, output",
    ),
    "a definition beside an example": (
        ["word", "definition", "example"],
        [[*"abcd"], PROSE, ["See this one."] * 4],
        "word, def",
    ),
    "what was rejected": (
        ["prompt", "chosen", "rejected"],
        [["Say it."] * 4, PROSE, [2 * text for text in PROSE]],
        "chosen;",
    ),
}


@pytest.mark.parametrize(("labels", "columns", "searched"), SEARCHED.values(), ids=SEARCHED)
def test_the_title_and_the_text_of_a_table_by_their_cells(labels, columns, searched) -> None:
    records = [dict(zip(labels, row, strict=True)) for row in zip(*columns, strict=True)]
    Path("pets.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with open("pets.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, labels)
        writer.writeheader()
        writer.writerows(records)
    for name in ("pets.jsonl", "pets.csv"):
        assert f"searched: {searched}" in shell("search", name, "barks").stderr


@pytest.mark.parametrize("labels", ["prompt,response", "question,response", "question,results", "topic,documents"])
def test_sentences_in_a_table_are_no_lists_of_ids(labels) -> None:
    Path("chat.csv").write_text(
        f"{labels}\nHow do I get in?,Open the door and walk in.\nWhere is it?,It is behind you.\n"
    )
    Path("chat").mkdir()
    shutil.copy("chat.csv", "chat")
    for name in ("chat.csv", "chat"):
        found = shell("search", name, "door")
        assert "Open the" in found.stdout
        assert f"searched: {labels.replace(',', ', ')}\n" in found.stderr


LISTED = {
    "lists of texts": ({"name": "Bread", "steps": ["Mix it with water.", "Let it rest for an hour."]}, "name, steps"),
    "answers where contexts are empty": (
        {"instruction": "Say what it is.", "context": "", "response": "It is a cat."},
        "instruction, response",
    ),
    "lists of answers": (
        {"tag": "a", "patterns": ["Where is it now?"], "responses": ["There."], "context": [""]},
        "patterns, responses",
    ),
    "the title of what the text is from": (
        {"text": "It barks.", "metadata": {"title": "Dogs"}},
        "metadata.title, text",
    ),
    "no text that all have": (
        {
            "object": "page",
            "of": {"Name": {"title": [{"plain": "Dogs of"}]}, "Notes": {"rich": [{"plain": "It barks."}]}},
        },
        "of.N",
    ),
}


@pytest.mark.parametrize(("record", "searched"), LISTED.values(), ids=LISTED)
def test_the_title_and_the_text_of_objects_by_their_values(record, searched) -> None:
    lines = [json.dumps(record).replace("Dogs", f"Dogs {n}").replace("barks", f"barks {n * 'b'}") for n in range(4)]
    Path("pets.jsonl").write_text("\n".join(lines))
    assert f"searched: {searched}" in shell("search", "pets.jsonl", "barks").stderr
