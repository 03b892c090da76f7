"""What was read of a file, in one line: in each syntax and role; what it names works; what is known says nothing."""

import json
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
from shell import run as shell

import toysearch

LONG = "a tale of the lamp and of all who have read by its light since"
CASES = {  # columns, the first row, and by hand: the line for documents; "" for none
    "known": (["id", "title", "text"], ["k1", "red lamp", "it glows"], ""),
    "known, more": (
        ["_id", "text", "brand", "price"],
        ["k1", "red lamp", "Ikon", "7"],
        "id _id; searched: text, brand; not searched: price",
    ),
    "an id of another name": (
        ["asin", "name", "text", "brand", "size"],
        ["k1", "red lamp", "it glows", "Ikon", "7"],
        "id asin; searched: name, text, brand; not searched: size (values)",
    ),
    "no id": (["title", "text"], ["red lamp", "it glows"], "ids numbered from 1; searched: title, text"),
    "no known name": (["id", "Q", "A"], ["k1", "what is red?", "a red lamp"], "id id; searched: Q, A"),
    "a title alone": (["id", "title", "brand"], ["k1", "red lamp", "Ikon"], "id id; searched: title, brand"),
    "no text by its name": (
        ["id", "text", "url", "user_id", "made"],
        ["k1", "a red lamp", "a red one", "u7 lamp", "2020-05-01"],
        "",
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


@pytest.mark.parametrize(("case", "syntax"), [*product(CASES, SYNTAXES)])
def test_what_is_guessed_of_documents_is_one_line_and_can_be_followed(case: str, syntax: str) -> None:
    labels, row, line = CASES[case]
    path = written("shop", syntax, labels, row, [row[0].replace("k1", "k2"), *row[1:]])
    told = notes_in(shell("search", str(path), "lamp").stderr)
    assert told[:1] == [f"{path}: 2 documents; {line}"] * bool(line)
    assert not [one for one in told[1:] if str(path) in one]
    assert len(CASES) * len(SYNTAXES) == 35


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_queries_of_an_unknown_name_are_asked_with_an_option_that_works(syntax: str) -> None:
    Path("docs.jsonl").write_text('{"id": "a", "text": "red lamp"}\n')
    path = written("asked", syntax, ["query_id", "need"], ["q1", "red lamp"], ["q2", "a lamp"])
    asked = shell("run", "docs.jsonl", "--queries", str(path), "-o", "-")
    option = re.search(r"--query-columns \S+", asked.stderr)[0]
    named = shell("run", "docs.jsonl", "--queries", str(path), *option.split(), "-o", "-")
    assert (asked.exit_code, option, notes_in(named.stderr)) == (2, "--query-columns text=need", [])
    assert len(named.stdout.splitlines()) == 2


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


def test_collections_that_an_object_holds_beside_the_documents_are_named() -> None:
    trees = {"k1": {"title": "Oak", "text": "red lamp"}, "k2": {"title": "Elm", "text": "green"}}
    others = {"users": {"u1": {"name": "Ann"}}, "settings": {"theme": "dark"}, "tags": ["a"]}
    Path("export.json").write_text(json.dumps({"trees": trees, **others}))
    line = "export.json: 2 documents; not read: users; id id; searched: title, text"
    assert notes_in(shell("search", "export.json", "lamp").stderr) == [line]
    Path("export.json").write_text(json.dumps({"trees": trees, "settings": {"theme": "dark"}}))
    assert notes_in(shell("search", "export.json", "lamp").stderr) == []


def test_rows_without_a_text_are_counted_where_a_line_is_told() -> None:
    rows = [["red lamp", "", "9"], ["", "", "8"], ["", "green", "7"]]
    path = written("shop", "csv", ["Title", "Body", "Price"], *rows)
    assert "shop.csv: 3 documents; 1 row without a text; ids numbered" in shell("search", str(path), "lamp").stderr
    path = written("known", "csv", ["id", "text"], ["1", "lamp"], ["2", ""])
    assert notes_in(shell("search", str(path), "lamp").stderr) == []


def test_an_amount_is_no_text() -> None:
    path = written("hotels", "csv", ["Haus", "Quote"], ["Zur Eiche", "85 %"], ["Zur alten Ulme", "70 %"])
    assert notes_in(shell("search", str(path), "eiche").stderr)[0].endswith(
        "searched: Haus; not searched: Quote (values)"
    )


def test_a_first_column_that_repeats_is_a_class() -> None:
    Path("news.csv").write_text('"3","Wall St. Bears","Sellers are back"\n"3","Oil","Prices rise again"\n')
    result = shell("search", "news.csv", "prices")
    assert result.stdout.split("\n")[1].split()[:2] == ["1", "2"]
    assert notes_in(result.stderr) == [
        "news.csv: 2 documents; no header; ids numbered from 1; searched: column 3, column 2; "
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
    assert "; searched: text, " in told


def test_what_is_stated_says_nothing() -> None:
    labels, row, _ = CASES["no known name"]
    written("shop", "csv", labels, row)
    assert notes_in(shell("check", "shop.csv", "--columns", "text=A", "--write").stderr) == []
    assert Path("collection.toml").exists()
    assert notes_in(shell("search", ".", "lamp").stderr) == []
    assert notes_in(shell("search", "shop.csv", "lamp", "--fields", "A").stderr) == []
    for name in ("cat-dog-parrot", "companions", "languages"):
        assert notes_in(shell("search", name, "cat").stderr) == []


def test_a_recipe_that_states_a_role_says_nothing() -> None:
    labels, row, line = CASES["an id of another name"]
    written("shop", "csv", labels, row)
    assert notes_in(shell("search", ".", "lamp").stderr) == [f"shop.csv: 1 document; {line}"]
    Path("collection.toml").write_text('[[files]]\nrole = "documents"\npath = "shop.csv"\nformat = "csv"\n')
    assert notes_in(shell("search", ".", "lamp").stderr) == []


def test_check_gives_the_whole_account() -> None:
    rows = [["k1", "red lamp", "Ikon", "7"], ["k2", "kettle", "Dyso", "8"], ["k2", "kettle", "Dyso", "8"]]
    path = written("shop", "csv", ["id", "text", "brand", "price"], *rows)
    [account] = json.loads(shell("check", str(path), "--json").stdout)["files"]
    assert (account["path"], account["role"], account["read"], account["left_out"]) == ("shop.csv", "documents", 2, 1)
    assert account["columns"] == {"id": "id", "text": "text"}
    assert account["evidence"] == {"id": "by its name", "text": "by its name"}
    assert (account["searched"], account["others"], account["values"]) == (["text", "brand"], ["price"], [])
    told = "id id (by its name); text brand (named: --columns text=brand); searched: brand; not searched: text, price"
    said = shell("check", str(path), "--columns", "text=brand").stdout
    assert f"shop.csv: 2 documents read, 1 record left out; {told}" in " ".join(said.split())
    [account] = json.loads(shell("check", str(path), "--fields", "brand", "--json").stdout)["files"]
    assert (account["searched"], account["others"], account["values"]) == (["brand"], ["price"], ["text"])


def test_callers_in_python_get_the_keyword(recwarn) -> None:
    row = ["k1", "ash", "what falls on cold days", "a tree with hard wood"]
    collection = toysearch.load(written("shop", "csv", ["id", "word", "note", "use"], row))
    assert [document.text for document in collection.documents] == [" ".join(row[1:])]
    assert [str(one.message) for one in recwarn] == ["shop.csv: 1 document; id id; searched: word, note, use"]


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
    assert document.text == "Lamps Which lamp glows? The red one."
    row[2:] = ["Which lamp glows?", "Lamps of oak glow and others of tin do so at night"]
    [document] = toysearch.load(written("asked", syntax, ["id", "title", "question", "context"], row)).documents
    assert document.text == f"Lamps {row[2]} {row[3]}"


BODIES = ["<p>A <b>red</b> lamp of oak</p>", "<div>It glows<br>at night", "<p>Of tin</p>"]


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_html_in_most_cells_is_read_as_text(syntax: str) -> None:
    rows = [[f"k{place}", "1 < 2", body] for place, body in enumerate(BODIES)]
    found = shell("search", str(written("shop", syntax, ["id", "title", "body"], *rows)), "red night b p br")
    assert re.findall(r"k\d", found.stdout) == ["k0", "k1"]
    assert "A *red* lamp of oak" in found.stdout
    assert notes_in(found.stderr)[0].endswith("; HTML read as text: body; id id; searched: title, body")


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_html_is_seen_in_each_cell_by_itself(syntax: str) -> None:
    texts = [BODIES[0], "a < b", "List<a> > 0", "the tag <p>"]
    path = written("shop", syntax, ["id", "body"], *([f"k{place}", text] for place, text in enumerate(texts)))
    assert [*toysearch.load(path).documents.texts] == ["A red lamp of oak", *texts[1:]]


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
