"""Which format a user's folder or file has, and which file plays which part."""

import bz2
import gzip
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from captured_notes import noted
from error_messages import raising
from shell import done, json_of, run

import toysearch
from toysearch.base.errors import ArgumentError, DataError, ToysearchNote
from toysearch.files import folder_layout
from toysearch.files.document_formats import FORMATS
from toysearch.files.part import Part, files_below
from toysearch.files.recognise import what_is
from toysearch.files.roles import BINARY
from toysearch.files.source import Source

SMART = b".I 1\n.W\ncat\n"
JSONL = b'{"_id": "1", "text": "cat"}\n'
REL = b"1 1 1\n"


def layout(
    form: str, documents: str, queries: str | None = None, qrels: dict[str, str] | None = None
) -> tuple[Part, ...]:
    """A layout in which all files have one format."""
    parts = [Part("documents", documents, form)] + [Part("queries", queries, form)] * bool(queries)
    return (*parts, *(Part("qrels", path, form, split) for split, path in (qrels or {}).items()))


def layout_of_file(*given) -> tuple[Part, ...]:
    """The layout of a file, without the looks."""
    return tuple(replace(part, source=None) for part in folder_layout.layout_of_file(*given))


def layout_of_folder(*given) -> tuple[Part, ...]:
    """The layout of a folder, without the looks."""
    return tuple(replace(part, source=None) for part in folder_layout.layout_of_folder(*given))


@pytest.fixture
def folder(tmp_path: Path):
    """A function that writes files and returns their folder."""

    def write(**files: bytes) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path

    return write


def test_smart_files_by_content_and_name(folder) -> None:
    made = folder(
        **{
            "MED.ALL": SMART,
            "MED.QRY": b"\xef\xbb\xbf\r\n.X\r\n" + SMART,
            "MED.REL": REL,
            "MED.BLN": b"#q1= #and (cat)\n",
            "cranqrel.readme": b"about relevance\n",
            ".I": SMART,
            "sub/other.all": SMART,
        }
    )
    assert layout_of_folder(made) == layout("smart", "MED.ALL", "MED.QRY", {"": "MED.REL"})


@pytest.mark.parametrize("name", ["a.qry", "A.QRY.gz", "x.que", "query.text", "topics"])
def test_names_of_queries(folder, name: str) -> None:
    made = folder(**{"docs": gzip.compress(SMART), name: SMART})
    assert layout_of_folder(made) == layout("smart", "docs", name)


def test_documents_alone(folder) -> None:
    assert layout_of_folder(folder(**{"cacm.all": SMART})) == layout("smart", "cacm.all")


def test_a_collection_toml_is_never_data(folder) -> None:
    made = folder(**{"cacm.all": SMART, "collection.toml": b"threshold = 0.5\n"})  # three words, like a line of qrels
    assert layout_of_folder(made) == layout("smart", "cacm.all")


def test_beir_folder(folder) -> None:
    made = folder(
        **{
            "corpus.jsonl.gz": gzip.compress(JSONL),
            "queries.jsonl": JSONL,
            "qrels/test.tsv": b"",
            "qrels/train.tsv.gz": b"",
            "qrels/notes.tsv.bak": b"",
        }
    )
    qrels = {"test": "qrels/test.tsv", "train": "qrels/train.tsv.gz"}
    assert layout_of_folder(made) == layout("beir", "corpus.jsonl.gz", "queries.jsonl", qrels)


@pytest.mark.parametrize("below", ["", "texts/"])
@pytest.mark.parametrize("table", [b"1\thund garten\n2\trosen\n", b"id;frage\n1;hund garten\n2;rosen\n"])
def test_a_table_beside_texts_that_are_judged_has_the_queries(folder, table: bytes, below: str) -> None:
    texts = {f"{below}hund.txt": b"Der Hund im Garten.\n", f"{below}rosen.txt": b"Rosen und Tulpen.\n"}
    made = folder(**texts, **{"tabelle.csv": table, "urteile.txt": b"1 0 hund.txt 2\n2 0 rosen.txt 1\n"})
    by_role = {part.role: part.path for part in layout_of_folder(made)}
    assert by_role == {"documents": below[:-1] or ".", "queries": "tabelle.csv", "qrels": "urteile.txt"}
    (made / "urteile.txt").write_bytes(b"1 0 d1 2\n2 0 d2 1\n")  # of the rows of the table, as far as one can see
    assert {part.role: part.path for part in layout_of_folder(made)}["documents"] == "tabelle.csv"


def test_texts_that_a_table_leaves_out_are_told(folder) -> None:
    texts = {f"{name}.txt": b"A text." for name in "abc"}
    made = folder(**texts, **{"asked.tsv": b"1\tred lentils\n2\troses\n"})
    with noted() as told:
        assert layout_of_folder(made) == layout("folder", ".")
    assert told == [
        f"{made}: the texts are the documents, asked.tsv left out; to search it instead: load(…, input_format='tsv'); "
        "if asked.tsv has the queries, call it queries.tsv"
    ]
    (made / "asked.tsv").rename(made / "queries.tsv")
    with noted() as told:
        assert {part.role: part.path for part in layout_of_folder(made)} == {"documents": ".", "queries": "queries.tsv"}
    assert told == []


ITEMS = [f'{{"id": "{name}", "text": "{name} cat"}}' for name in "abcd"]
BESIDE = {
    "settings": ({"package.json": '{"name": "pets", "description": "Of pets"}'}, "folder"),
    "two files of settings": ({"package.json": '{"name": "pets"}', "more.json": '{"options": {"a": 1}}'}, "folder"),
    "a table of names": ({"authors.csv": "id,name\n" + "".join(f"{each},Bee {each}\n" for each in "1234")}, "folder"),
    "a table of numbers": ({"heights.csv": "id,height,sex\n" + "".join(f"{n},17{n},m\n" for n in "1234")}, "folder"),
    "questions": ({"eval.jsonl": '{"question": "a cat?", "answer": "yes"}\n' * 4}, "folder"),
    "a canvas": ({"map.canvas": f'{{"nodes": [{",".join(ITEMS)}], "edges": []}}'}, "folder"),
    "fewer documents": ({"data.jsonl": "\n".join(ITEMS[:1])}, "folder"),
    "more documents": ({"data.jsonl": "\n".join(ITEMS)}, "jsonl"),
    "more documents in XML": ({"data.xml": "<r>" + "<item><id>1</id><text>cat</text></item>" * 4 + "</r>"}, "xml"),
    "judged documents": ({"data.csv": "id,title\nd1,cat\n", "qrels.txt": "q1 0 d1 1\n"}, "csv"),
}


@pytest.mark.parametrize("below", ["", "docs/"])
@pytest.mark.parametrize("case", BESIDE)
def test_texts_beside_records(folder, case, below) -> None:
    files, form = BESIDE[case]
    texts = {f"{below}{name}.md": b"How to train a cat\n" for name in ("one", "two")}
    made = folder(**texts, **{name: text.encode() for name, text in files.items()})
    with noted() as told:
        documents = layout_of_folder(made)[0]
    assert documents.format == form
    left = [name for name in files if name not in (documents.path, "more.json", "qrels.txt")] or [f"{below}one.md"]
    assert all(name in told[0] and " left out" in told[0] for name in left)


SETTINGS = {
    "JSON": b'{"debug": true, "database": {"host": "localhost", "name": "prod"}}',
    "JSON of names": b'{\n "name": "prod",\n "port": 8080}',
    "JSON of a package": b'{"name": "app", "scripts": {"test": "run all of the tests"}, "files": ["a", "b"]}',
    "INI": b"[server]\nhost = localhost\n",
    "TOML": b'[tool.app]\nname = "prod"\nport = 8080\n',
    "TOML of tables": b'[[server]]\nname = "prod"\n',
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_are_no_documents(folder, kind) -> None:
    name = "settings.json" if kind.startswith("JSON") else "settings.toml"
    made = folder(**{name: SETTINGS[kind]})
    with pytest.raises(DataError, match=f"{name}: expected documents, found (?:a single object|no known)") as refused:
        layout_of_file(made / name)
    if named := re.search(r"columns='(text=[\w.]+)'", str(refused.value)):
        assert len(toysearch.load(made / name, columns=named[1]).documents) == 1
    assert bool(named) == kind.startswith("JSON")
    made = folder(**{"docs.csv": b"id,text\n1,a cat\n"})
    assert layout_of_folder(made) == layout("csv", "docs.csv")


ONE_OBJECT = [
    b'{"id": "1", "title": "Cat"}',
    b'{"title": "Cats and how to train them"}',
    b'{"title": "x", "body": "Cat"}',
]


@pytest.mark.parametrize("content", ONE_OBJECT)
def test_an_object_with_an_id_or_a_text_is_a_document(folder, content) -> None:
    assert len(toysearch.load(folder(**{"one.json": content}) / "one.json").documents) == 1


def test_objects_of_names_are_documents_where_nothing_else_is(folder) -> None:
    made = folder(**{f"{n}.json": b'{"name": "lamp", "price": 7}' for n in "12"})
    assert len(toysearch.load(made).documents) == 2


RECORD_FILES = {
    # kind: (the only object of each file, the title of the first one)
    "known names": ('{{"name": "{0}", "description": "A {0} for the desk"}}', "lamp"),
    "objects with the same keys": ('{{"title": {{"en": "{0}"}}, "text": {{"en": "A {0} for the desk"}}}}', "lamp"),
    "an object in an object": ('{{"data": {{"attributes": {{"title": "{0}", "body": "A {0} now"}}}}}}', "lamp"),
}


@pytest.mark.parametrize("pattern", ["", "*.json"])
@pytest.mark.parametrize("kind", RECORD_FILES)
def test_files_of_one_object_with_the_same_keys_are_documents_named_after_them(folder, kind, pattern) -> None:
    written, title = RECORD_FILES[kind]
    made = folder(**{f"{name}.json": written.format(name).encode() for name in ("lamp", "table", "pot")})
    read = {document.doc_id: document for document in toysearch.load(str(made / pattern)).documents}
    assert [*read] == ["lamp", "pot", "table"]
    assert (read["lamp"].title, read["pot"].text.count("pot")) == (title, 2)


def test_keys_that_differ_from_file_to_file_are_ids(folder) -> None:
    text = '{{"{0}1": {{"title": "{0}", "text": "a {0}"}}, "{0}2": {{"title": "{0}s", "text": "two"}}}}'
    made = folder(**{f"{name}.json": text.format(name).encode() for name in ("lamp", "pot")})
    assert [document.doc_id for document in toysearch.load(made).documents] == ["lamp1", "lamp2", "pot1", "pot2"]


CODE = {"app/cache.py": b"# removes expired cats\n", "README.md": b"Of cats.\n"}
PACKAGE = b'{"name": "app", "version": "1.0.0", "dependencies": {"pad": "1.0"}}'
RECORDS = {
    "a table": {"data.csv": b"id,text\n1,red fox\n"},
    "JSON": {"data.json": b'[{"id": "1", "text": "red fox"}]'},
    "a BEIR folder": {"corpus.jsonl": JSONL},
    "a package that says what it is": {"package.json": b'{"name": "app", "description": "Of cats"}'},
}


@pytest.mark.parametrize("files", RECORDS.values(), ids=RECORDS)
@pytest.mark.parametrize("command", ["search {} expired --notes", "index {} -o {}/../idx"])
def test_files_of_another_kind_beside_records_are_told_once_with_a_way_to_read_them(folder, command, files) -> None:
    made = folder(**{"docs/LICENSE": b"MIT", **{f"docs/{name}": files[name] for name in files}}) / "docs"
    with noted() as told:
        layout_of_folder(made)
    assert told == []
    folder(**{f"docs/{name}": content for name, content in CODE.items()})
    found = run(*shlex.split(command.format(made, made)))
    assert found.stderr.count("1 file of another kind left out (1 .py); to read *.py instead: ") == 1, found.stderr
    named = shlex.split(re.search(r"--input-format '.+?'", found.stderr)[0])
    assert "cache.py" in done("search", made, "expired", *named).stdout


def test_files_beside_records_that_are_no_texts_are_told_unless_it_is_described(folder) -> None:
    made = folder(**{"data.csv": b"id,text\n1,red fox\n", "more.docx": b"PK\3\4\0", "settings.json": PACKAGE})
    with noted() as told:
        layout_of_folder(made)
    assert told == [f"{made}: data.csv has the documents, 1 file of another kind left out (1 .docx)"]
    with noted() as told:
        layout_of_folder(made, "csv")
        layout_of_folder(folder(**{"collection.toml": b'title = "Foxes"'}))
    assert told == []


def test_a_table_without_words_is_no_document_beside_one_text(folder) -> None:
    made = folder(**{"data/h.csv": b"id,height,sex\n1,170,m\n2,180,f\n", "notes.md": b"a cat"})
    with noted():
        assert layout_of_folder(made)[0].format == "folder"


@pytest.mark.parametrize("names", [["package.json"], ["package.json", "tsconfig.json"]])
def test_settings_beside_programs_are_no_documents(folder, names) -> None:
    made = folder(**CODE, **dict.fromkeys(names, PACKAGE))
    refused = run("search", made, "expired")
    assert refused.exit_code == 2
    named = shlex.split(re.search(r"to read .+ too: (--input-format '.+?')", refused.stderr)[1])
    assert "cache.py" in done("search", made, "expired", *named).stdout


def test_numbered_objects_beside_a_program_are_documents(folder) -> None:
    made = folder(**{f"{n}.json": b'{"name": "lamp", "price": 7}' for n in "12"}, **CODE)
    with pytest.warns(ToysearchNote, match=r"1 file of another kind left out \(1 \.py\)"):
        assert len(toysearch.load(made).documents) == 2


def test_documents_in_yaml_are_refused_with_a_way_to_make_json_of_it(folder) -> None:
    made = folder(**{"pets.yml": b"- id: 1\n  text: a cat\n"}) / "pets.yml"
    with pytest.raises(DataError, match=rf"^{made} is YAML, which is not read; make JSON of it: python -c "):
        layout_of_file(made)


@pytest.mark.skipif(sys.platform == "win32", reason="its shell has other quotation marks")
def test_the_way_to_make_json_of_yaml_works_for_all_files_of_a_folder(folder) -> None:
    pytest.importorskip("yaml")
    made = folder(**{"a.yaml": b"2026-01-02: a day\nno: 3\n", "b c.yaml": b"id: 1\n---\nid: 2\n", "d.yml": b"id: 3\n"})
    with pytest.raises(DataError) as error:
        layout_of_folder(made)
    way = str(error.value).partition("make JSON of it: ")[2]
    subprocess.run([sys.executable, *shlex.split(way)[1:]], check=True)
    read = {path.name: json.loads(path.read_text()) for path in made.glob("*.json")}
    assert read == {"a.json": {"2026-01-02": "a day", "no": "3"}, "b c.json": [{"id": "1"}, {"id": "2"}]}


LAMPS = {
    f"{name}-{kind}.json": {
        "title": f"{name} {kind}",
        "description": f"A {kind} of {name} for two",
        "status": "new",
        "links": [{"title": "More of it", "url": f"/{name}"}],
        "shop_id": "17" if kind == "lamp" else "",
    }
    for name in ("brass", "oak", "queries")
    for kind in ("lamp", "table")
}
del LAMPS["oak-lamp.json"]["status"]


@pytest.mark.parametrize("pattern", ["", "*.json"])
def test_files_of_one_object_are_alike_though_some_lack_a_key_or_are_named_like_queries(folder, pattern) -> None:
    made = folder(**{name: json.dumps(item).encode() for name, item in LAMPS.items()})
    with noted() as notes:
        read = {document.doc_id: document.title for document in toysearch.load(str(made / pattern)).documents}
    assert read == {name.removesuffix(".json"): item["title"] for name, item in LAMPS.items()}
    assert not any("left out" in note for note in notes)


def test_tables_of_the_same_size_are_not_alike_though_they_share_keys(folder) -> None:
    rows = {"a.json": [{"id": 1, "name": "Ann", "city": "Rome"}], "b.json": [{"id": 1, "name": "Lamp", "price": 3}]}
    with pytest.raises(DataError, match="could each hold the documents"):
        layout_of_folder(folder(**{name: json.dumps(items).encode() for name, items in rows.items()}))


JUDGED = {
    "ratings.csv": b"query,docid,name,description,rating\nlamp,d1,Brass,A lamp of brass now,3\nlamp,d2,Oak,Of oak,0\n",
    "ratings.json": json.dumps(
        [
            {"query": "lamp", "docid": f"d{n}", "title": "Brass", "description": "A lamp of brass", "rating": n}
            for n in (1, 2)
        ]
    ).encode(),
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_run_or_judgments_with_a_column_of_texts_are_searched(folder, name: str) -> None:
    found = toysearch.search(folder(**{name: JUDGED[name]}) / name, "brass")
    assert found[0].doc_id in ("d1", "1", "[1]")


@pytest.mark.parametrize("label", ["comment", "query_text"])
def test_judgments_with_words_of_their_own_are_not_searched(folder, label: str) -> None:
    made = folder(**{"ratings.csv": f"qid,docid,rating,{label}\n1,d1,3,a lamp of brass now\n1,d2,0,an oak\n".encode()})
    with pytest.raises(DataError, match="expected documents, found judgments"):
        toysearch.search(made / "ratings.csv", "brass")


def test_no_text_is_named_for_an_object_of_settings_by_their_ids(folder) -> None:
    keys = {f"set/{n}": {"of" if n else "docs": {"ref": f"s{n}"}} for n in range(60)}
    made = folder(**{"data.json": json.dumps(keys).encode()})
    with pytest.raises(DataError, match=r"give the file or folder that has the texts$"):
        toysearch.load(made / "data.json")


def test_records_in_subfolders_that_are_left_out_are_told(folder) -> None:
    made = folder(**{"rooms.json": b'[{"id": "r", "name": "attic"}]', "attic/1.json": b'[{"text": "a cat"}]'})
    said = "rooms.json has the documents, 1 file of records left out, such as attic/1.json; to search these instead, "
    with pytest.warns(ToysearchNote, match=f"^{made}: {said}give their folder$"):
        assert layout_of_folder(made) == layout("jsonl", "rooms.json")


def test_files_of_texts_in_subfolders_are_the_documents_beside_lists_of_people(folder) -> None:
    files = {"users.json": b'[{"id": "u", "name": "Ann"}]', "channels.json": b'[{"id": "c", "name": "all"}]'}
    texts = {f"{channel}/2026-01-01.json": b'[{"user": "u", "text": "a cat"}]' for channel in ("all", "few")}
    with pytest.warns(ToysearchNote, match="all/2026-01-01.json has the documents, 2 files of records left out"):
        parts = layout_of_folder(folder(**files, **texts))
    assert [part.path for part in parts] == ["all/2026-01-01.json", "few/2026-01-01.json"]


def test_a_log_alone_is_read_by_lines(folder) -> None:
    made = folder(**{"server.log": b"2026-01-01 10:00:00 0.5 up 7 ok\n2026-01-01 10:00:09 0.25 down 8 no\n"})
    with pytest.warns(ToysearchNote, match="server.log: a document on each line"):
        assert layout_of_file(made / "server.log") == layout("lines", "server.log")


CHATS = {
    "[12.03.24, 18:21:01] Ana: {}\n[12.03.24, 18:22:01] Bo: {}\n": 1,
    "12/03/2024, 18:21 - Ana: {}\n12/03/2024, 18:22 - Bo: {}\n": 1,
    "2024-03-12T18:21:00Z INFO started\n2024-03-12T18:21:01Z WARN {}\n2024-03-12T18:22:00Z INFO {}\n": 2,
}


@pytest.mark.parametrize("chat", CHATS)
def test_a_text_alone_whose_lines_begin_with_dates_is_read_by_these(folder, chat) -> None:
    path = folder(**{"chat.txt": chat.format("See the lamp?\nIt is red", "yes").encode()}) / "chat.txt"
    with pytest.warns(ToysearchNote, match="chat.txt: a document on each line that begins with a date"):
        texts = [(one.doc_id, one.text) for one in toysearch.load(path).documents]
    found = [(doc_id, re.split(": |WARN ", text)[-1]) for doc_id, text in texts]
    line = CHATS[chat]
    assert found[line - 1] == (str(line), "See the lamp?\nIt is red")
    assert len(found) == line + 1
    assert len(toysearch.load(path, input_format="lines").documents) == line + 2


def test_a_single_text_beside_records_leaves_them_the_documents(folder) -> None:
    made = folder(**{"notes.md": b"Of cats\n", "films.csv": b"id,title\n1,Cat\n2,Dog\n"})
    assert layout_of_folder(made) == layout("csv", "films.csv")


def test_the_format_can_be_forced(folder) -> None:
    made = folder(**{"corpus.jsonl": JSONL, "pets.all": SMART, "odd": b"\n"})
    assert layout_of_folder(made, "smart") == layout("smart", "pets.all")
    assert layout_of_file(made / "odd", "beir") == layout("beir", "odd")


NO_DOCUMENTS = "{folder}: expected documents, found "
SEE = " (formats: `toysearch docs formats`)"
REFUSED = {
    "two files of documents": (
        {"a.all": SMART, "b.all": SMART},
        "{folder}: a.all and b.all could each hold the documents; describe it in a collection.toml "
        "(`toysearch docs collections` has an example)",
    ),
    "two files of queries": (
        {"a.all": SMART, "a.qry": SMART, "b.qry": SMART},
        "{folder}: a.qry and b.qry could each hold the queries; describe it in a collection.toml "
        "(`toysearch docs collections` has an example)",
    ),
    "two files of judgments": (
        {"MED.ALL": SMART, "MED.REL": REL, "MED.REL.OLD": REL},
        "{folder}: MED.REL and MED.REL.OLD could each hold the judgments; describe it in a collection.toml "
        "(`toysearch docs collections` has an example)",
    ),
    "empty": ({}, f"{NO_DOCUMENTS}nothing{SEE}"),
    "queries alone": ({"a.qry": SMART}, f"{NO_DOCUMENTS}a.qry (queries, smart){SEE}"),
    "something else": (
        dict.fromkeys("jihgfedcba", b""),
        f"{NO_DOCUMENTS}a (unknown), b (unknown), c (unknown), …{SEE}",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_folders_that_are_refused(folder, case: str) -> None:
    files, message = REFUSED[case]
    made = folder(**files)
    with raising(DataError, message.format(folder=made)):
        layout_of_folder(made)


def test_forced_formats_that_are_refused(folder) -> None:
    made = folder(**{"pets.all": SMART})
    with raising(DataError, f"{made}: expected a file corpus.jsonl, as each BEIR folder has; found pets.all"):
        layout_of_folder(made, "beir")
    with pytest.raises(ArgumentError) as unknown:
        layout_of_folder(made, "bier")
    listed = ", ".join(FORMATS)
    assert str(unknown.value) == f"unknown input format 'bier'; did you mean 'beir'? Input formats: {listed}"


def test_files_that_are_refused(folder) -> None:
    made = folder(**{"empty": b"", "prose": b"Once upon a time\n", "tale.txt": b"Once\nupon\n", "topics": TOPICS})
    lines = "load(…, input_format='lines')"
    found = {
        "empty": "nothing",
        "prose": f"no known format; {lines} reads a document from each line",
        "tale.txt": f"a single text; give its folder, or {lines} for a document on each line",
        "topics": "TREC topics; give the documents, and these as their queries",
    }
    for name, what in found.items():
        sentence = f": expected documents, found {what}{SEE}"
        assert len(sentence) <= 170
        with raising(DataError, f"{made / name}{sentence}"):
            layout_of_file(made / name)


def test_a_text_of_ids_beside_queries_and_judgments_is_a_table(folder) -> None:
    files = {"corpus.txt": b"D1\tThe owl hunts.\nD2\tLarks sing.\n", "queries.txt": b"Q1\towl night\nQ2\tlarks\n"}
    made = folder(**files, **{"qrels.txt": b"Q1\tD1\t1\nQ2\tD2\t1\n"})
    assert layout_of_folder(made)[0] == Part("documents", "corpus.txt", "tsv")
    (made / "corpus.txt").write_bytes(b"The owl hunts.\nLarks sing.\n")
    assert layout_of_folder(made)[0] == Part("documents", ".", "folder")


TREC = b"<DOC>\n<DOCNO> 1 </DOCNO>\n<TEXT>cat</TEXT>\n</DOC>\n"
TOPICS = b"<top>\n<num> Number: 1\n<title> cat\n</top>\n"
QRELS = b"1 0 1 1\n"
RUN = b"1 Q0 1 1 0.5 mine\n"
CSV = b"id,text\n1,cat\n"
TABLE = b"qid,docid,rel\n1,1,1\n"

FOLDERS = {
    "TREC under any names": (
        {
            "b": TREC,
            "a.gz": gzip.compress(TREC),
            "sub/c": bz2.compress(TREC),
            "51-100": TOPICS,
            "judged": QRELS,
            "notes.txt": b"Cats\n",
        },
        "documents a.gz trec, documents b trec, documents sub/c trec, queries 51-100 trec, qrels judged trec",
    ),
    "a folder for each part": (
        {"docs/ap": TREC, "docs/wsj": TREC, "topics/51": TOPICS, "qrels/a.txt": QRELS, "qrels/b.txt.gz": QRELS},
        "documents docs/ap trec, documents docs/wsj trec, queries topics/51 trec, qrels qrels/a.txt trec a, "
        "qrels qrels/b.txt.gz trec b",
    ),
    "a mixture": (
        {"documents.csv": CSV, "topics.xml": b'<topic number="1"><title>cat</title></topic>', "qrels.txt": QRELS},
        "documents documents.csv csv, queries topics.xml trec, qrels qrels.txt trec",
    ),
    "a run beside it": (
        {"pets.jsonl": b'{"id": "1", "text": "cat"}\n', "mine.run": RUN},
        "documents pets.jsonl jsonl, run mine.run trec",
    ),
    "several runs": ({"pets.csv": CSV, "a.run": RUN, "b.run": RUN}, "documents pets.csv csv"),
    "tables": (
        {"pets.csv": CSV, "queries.tsv": b"id\ttext\n1\tcat\n", "q.csv": TABLE},
        "documents pets.csv csv, queries queries.tsv tsv, qrels q.csv -",
    ),
    "the top before what is below": (
        {"pets.csv": CSV, "old/pets.csv": CSV, "topics": TOPICS, "old/topics": TOPICS},
        "documents pets.csv csv, queries topics trec",
    ),
    "texts": ({"cat.txt": b"Cats\n", "sub/dog.md": b"Dogs\n", "README.md": b"All\n"}, "documents . folder"),
    "texts in a folder": (
        {"texts/cat.txt": b"Cats\n", "texts/sub/dog.md": b"Dogs\n", "topics": TOPICS, "qrels": QRELS},
        "documents texts folder, queries topics trec, qrels qrels trec",
    ),
    "texts and a table of judgments among them": (
        {"texts/cat.txt": b"Cats\n", "texts/qrels.txt": QRELS},
        "documents . folder, qrels texts/qrels.txt trec",
    ),
    "BEIR's documents with other queries": (
        {"corpus.jsonl": JSONL, "topics.txt": TOPICS, "qrels.txt": QRELS},
        "documents corpus.jsonl beir, queries topics.txt trec, qrels qrels.txt trec",
    ),
    "lists of judgments that have the texts of their queries": (
        {"pets.jsonl": JSONL, "judged.json": b'[{"query_id": "1", "query": "cats", "relevant_doc_ids": ["1"]}]'},
        "documents pets.jsonl jsonl, queries judged.json jsonl, qrels judged.json jsonl",
    ),
    "a text whose first line has a comma": (
        {"a.txt": b"What cats eat, and documents that say so.\n\nMice.\n", "b.txt": b"Dogs.\n"},
        "documents . folder",
    ),
    "SMART's documents with a table of judgments": (
        {"pets.all": SMART, "judged.csv": TABLE},
        "documents pets.all smart, qrels judged.csv -",
    ),
}
"""Files, and the parts found in them: what each is, its path, its format (none: -) and its split."""


@pytest.mark.parametrize("case", FOLDERS)
def test_folders_of_many_kinds(folder, case: str) -> None:
    files, parts = FOLDERS[case]
    expected = [Part(*("" if word == "-" else word for word in part.split())) for part in parts.split(", ")]
    assert list(layout_of_folder(folder(**files))) == expected


def test_a_format_that_the_user_names(folder) -> None:
    made = folder(**{"odd.dat": b"cat\n", "pets.csv": CSV, "cat.txt": b"Cats\n", "topics": TOPICS, "sub/x": TREC})
    assert layout_of_folder(made)[0] == Part("documents", "pets.csv", "csv")
    assert layout_of_folder(made, "trec")[0] == Part("documents", "sub/x", "trec")
    assert layout_of_folder(made, "folder") == (Part("documents", ".", "folder"), Part("queries", "topics", "trec"))
    with pytest.raises(DataError) as error:
        layout_of_folder(made, "tsv")
    assert str(error.value) == (
        f"{made}: cat.txt and odd.dat and pets.csv could each hold the documents; describe it in a collection.toml "
        "(`toysearch docs collections` has an example)"
    )


def test_tables_beside_texts_lead_to_the_texts(folder) -> None:
    made = folder(**{"a.csv": CSV, "b.csv": CSV, "note.txt": b"the ferry is late\n"})
    with pytest.raises(DataError, match="to read the texts beside them: load") as error:
        layout_of_folder(made)
    assert "a.csv and b.csv could each hold the documents; " in str(error.value)
    assert layout_of_folder(made, "folder")[0] == Part("documents", ".", "folder")


def test_two_kinds_of_documents(folder) -> None:
    made = folder(a=TREC, b=CSV)
    with pytest.raises(DataError, match="a and b could each hold the documents"):
        layout_of_folder(made)


def test_single_files_that_hold_another_part(folder) -> None:
    made = folder(**{"t": TOPICS, "q": QRELS, "r": RUN, "c.txt": b"Cats\n"})
    for name, found in {"t": "TREC topics.*", "q": "judgments", "r": "a run"}.items():
        with pytest.raises(DataError, match=rf", found {found} \(formats"):
            layout_of_file(made / name)
    with pytest.raises(DataError, match=", found a single text; give its folder, or load"):
        layout_of_file(made / "c.txt")
    assert [*map(str, layout_of_file(made / "c.txt", "folder"))] == [str(Part("documents", "c.txt", "folder"))]


def test_files_below_a_folder(folder) -> None:
    made = folder(**{"z": b"", "b/y": b"", "a/c/x": b"", ".hidden": b"", ".git/config": b""})
    os.mkfifo(made / "pipe")
    (made / "gone").symlink_to(made / "absent")
    assert files_below(made) == ["z", "a/c/x", "b/y"]
    with pytest.raises(DataError, match="absent cannot be read: No such file or directory"):
        files_below(made / "absent")


@pytest.mark.parametrize(
    ("name", "form"), [("claims.csv", "csv"), ("CLAIMS.TSV", "tsv"), ("claims.csv.gz", "csv"), ("claims.csv.xz", "csv")]
)
def test_a_table_of_unknown_columns_is_told_by_its_name(folder, name: str, form: str) -> None:
    """Its reader then says which column is missing, and how to name one."""
    made = folder(**{name: b"key\tclaim\n7\ta cat\n", "judged": REL})
    assert layout_of_folder(made)[0] == Part("documents", name, form)
    assert layout_of_file(made / name) == (Part("documents", name, form),)


NOTES = 'heading,note\nOak tables,"of red oak, oiled"\nElm,the doors are of elm\n'


@pytest.mark.parametrize("name", ["notes", "notes.txt", "notes.dat", "-"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_rows_below_names_are_a_table_whatever_its_name(tmp_path, monkeypatch, name: str, mark: str) -> None:
    monkeypatch.chdir(tmp_path)
    table = NOTES.replace(",", mark) if mark != "," else NOTES
    Path("notes.csv").write_text(table)
    Path("notes.csv" if name == "-" else name).write_text(table)
    expected, found = (run("search", one, "oak", "--json", stdin=table) for one in ("notes.csv", name))
    assert json_of(found.stdout)["hits"] == json_of(expected.stdout)["hits"] != []
    assert found.stderr == expected.stderr.replace("notes.csv", name)


@pytest.mark.parametrize("text", ["red, blue\nan owl, a cat\n", "a,b\n1,2,3\n", "a\nb\n", "a,b\n"])
def test_other_lines_with_commas_are_no_table(tmp_path, text: str) -> None:
    (tmp_path / "notes").write_text(text)
    with pytest.raises(DataError, match="expected documents"):
        layout_of_file(tmp_path / "notes")


@pytest.mark.parametrize("names", [["2023", "2024"], ["north", "south"], ["north"]])
@pytest.mark.parametrize("beside", ["", "requirements.txt", "notes.md"])
def test_tables_of_the_same_unknown_columns_are_the_documents(folder, names, beside) -> None:
    texts = {beside: b"some words\n"} if beside else {}
    made = folder(**{f"{name}.csv": NOTES.encode() for name in names}, **texts)
    with noted() as told:
        found = toysearch.load(made).documents
    assert [one.title for one in found] == ["Oak tables", "Elm"] * len(names)
    assert told[-1].endswith("ids numbered from 1; searched: heading, note")


def test_tables_of_other_unknown_columns_are_not_searched_as_one(folder) -> None:
    with pytest.raises(DataError, match="are not known"):
        layout_of_folder(folder(**{"a.csv": NOTES.encode(), "b.csv": NOTES.replace("note", "remark").encode()}))


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\x00\x01,\x02\n", b"caf\x81,b\n"])
def test_no_table_is_told_by_its_name_alone(folder, content: bytes) -> None:
    made = folder(**{"claims.csv": content})
    with pytest.raises(DataError, match="expected documents"):
        layout_of_folder(made)
    with pytest.raises(DataError, match="expected documents"):
        layout_of_file(made / "claims.csv")


def test_a_table_of_unknown_columns_beside_documents_is_none_of_them(folder) -> None:
    assert layout_of_folder(folder(**{"a.jsonl": JSONL, "prices.csv": b"key,price\n7,3\n"})) == layout(
        "jsonl", "a.jsonl"
    )
    with pytest.raises(DataError, match="are not known; describe it"):
        layout_of_folder(folder(**{"a.jsonl": b"", "other.csv": b"key,price\n7,3\n"}))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            gzip.compress(SMART * 99)[:15],
            "cannot be read to its end because it is damaged or truncated: Compressed file ended",
        ),
        (b"PK\x03\x04 word/", "is a Word document; save it as plain text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture; expected text"),
        (
            b"SQLite format 3\0",
            "is a database of SQLite; name its dump: sqlite3 FILE .dump > FILE.sql, or a table as CSV",
        ),
        (b"GIF89a\4\0\4\0", "is a picture; expected text"),
        (b"MZ\x90\0\3\0", "is a program; expected text"),
        (b"\x80\x05\x95\x20\0\0", "is a pickle of Python; save its records as JSON Lines"),
        (b"ARROW1\0\0", "is a Feather file; save it as CSV or JSON Lines"),
    ],
    ids=["cut gzip", "Word", "picture", "database", "GIF", "program", "pickle", "Feather"],
)
def test_what_cannot_be_read_is_not_called_empty_or_unknown(folder, content: bytes, problem: str) -> None:
    made = folder(**{"pets.csv": content})
    for look in (layout_of_file, layout_of_folder):
        with pytest.raises(DataError) as error:
            look(made / "pets.csv" if look is layout_of_file else made)
        assert str(error.value).startswith(f"{made / 'pets.csv'} {problem}")


@pytest.mark.parametrize("name", [".DS_Store", "model.bin", "data"])
def test_a_file_with_zero_bytes_is_not_offered_as_lines(folder, name) -> None:
    made = folder(**{name: b"\0\0\0\1Bud1\0\0\x10\0"})
    with pytest.raises(DataError, match="found no known format: it has zero bytes, as no text has"):
        layout_of_file(made / name)


def test_zero_bytes_tell_what_no_text_is_from_the_texts_beside_it(folder) -> None:
    program = b"\x7fELF\0\n" + b"two words, and a third\n" * 30  # which looks like lines of text
    made = folder(**{"data.csv": b"id,text\n1,cat\n", "program": program, "notes.txt": b"a\0b, and more\n"})
    sources = {path.name: Source(str(path)) for path in made.iterdir()}
    assert what_is(sources["program"]) == BINARY
    assert what_is(sources["notes.txt"]).form == "folder"
    with noted() as notes:
        assert [part.path for part in layout_of_folder(made)] == ["data.csv"]
    assert any("1 file of another kind left out (1 no suffix)" in told for told in notes), notes


def test_a_table_with_lone_carriage_returns_is_told_by_its_name(folder) -> None:
    assert layout_of_file(folder(**{"pets.csv": b"id,text\r1,cat\r"}) / "pets.csv")[0].format == "csv"


SHEETS = {
    "products.csv": b"SKU;Product Name;Long Description\nK1;Kettle one;a heavy kettle for tea\nL2;Lamp two;red glass\n",
    "queries.csv": b"No;Search term\n1;tea kettle\n2;red lamp\n",
    "ratings.csv": b"Query,SKU,Title,Rating (0-3)\ntea kettle,K1,Kettle one,3\ntea kettle,L2,Lamp two,0\n",
}


@pytest.mark.parametrize("without", ["", "queries.csv", "ratings.csv"])
@pytest.mark.parametrize(
    "command", ["search {} kettle", "index {} -o ix", "check {}", "check {}/*.csv --write", "eval {}"]
)
def test_tables_of_unknown_columns_are_named_and_no_ratings_are_searched(folder, monkeypatch, command, without):
    path = folder(**{name: data for name, data in SHEETS.items() if name != without})
    monkeypatch.chdir(path.parent)
    name = path.name
    words = [*command.format(name).split()]
    words = [part for word in words for part in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
    result = run(*words)
    said = result.output
    assert result.exit_code == (1 if words[0] == "check" and "--write" not in words else 2), said
    assert "products.csv (SKU, Product Name, Long Description)" in said
    assert ("ratings.csv has those of judgments" in said) == (without != "ratings.csv")
    assert "--columns 'text=Long Description'" in said
    assert "folder:*" not in said
    named = ["--columns", "text=Long Description"]
    assert done("search", name, "kettle", *named, "--tsv").stdout.splitlines()[1].split("\t")[:2] == ["1", "K1"]
    if not without:
        more = ["--query-columns", "text=Search term", "--qrels-columns", "grade=Rating (0-3)", "-m", "RR", "--tsv"]
        assert done("eval", name, *named, *more).stdout == "system\tRR\nbm25\t1.0\n"


def test_the_only_table_with_a_title_is_named_as_that_of_the_texts(folder) -> None:
    made = folder(
        **{
            "links.csv": b"movieId,imdbId\n1,0114709\n2,0113497\n",
            "movies.csv": b"movieId,title,genres\n1,Toy Story,Adventure|Children|Comedy\n2,Jumanji,Adventure|Fantasy\n",
            "tags.csv": b"userId,movieId,tag\n2,1,funny\n",
        }
    )
    with pytest.raises(DataError, match=r"name those of the texts: load.*columns='title=title'"):
        layout_of_folder(made)
    found = toysearch.load(made, columns="title=title").documents
    assert [(one.doc_id, one.title) for one in found] == [("1", "Toy Story"), ("2", "Jumanji")]


UNKNOWN = {
    "Artikel.csv": (b"Nr;Bild;Text dazu\nk1;;ein roter Kessel, kettle\nl2;;eine Lampe\n", "text=Text dazu"),
}
LABELS = {
    "labels.csv": b"search,item,title,label\nkettle for a long camping trip of a week,k1,red kettle,3\nlamp,l2,,1\n",
    "sheet.tsv": b"Suche\tArtikel\tGrade\nkettle, der lange auf dem Feuer stehen kann und pfeift\tk1\t3\nlamp\tl2\t1\n",
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("items", UNKNOWN)
def test_the_advice_names_the_columns_of_documents_never_of_ratings(folder, items, labels):
    data, expected = UNKNOWN[items]
    path = folder(**{items: data, labels: LABELS[labels]})
    said = run("eval", str(path)).stderr.splitlines()[0]
    assert said.endswith(f"; name those of the texts: --columns {shlex.join([expected])}")
    found = done("search", str(path), "kettle", "--columns", expected, "--tsv").stdout
    assert found.splitlines()[1].split("\t")[:2] == ["1", "k1"]


def test_no_column_is_named_where_several_tables_may_hold_the_documents(folder):
    path = folder(**{"a.csv": b"item,blurb\nk1,a kettle\n", "b.csv": b"search,item,note\nred kettle,k1,very good\n"})
    with pytest.raises(
        DataError, match=r"b\.csv \(search, item, note\) are not known; describe it in a collection\.toml"
    ):
        layout_of_folder(path)


@pytest.mark.parametrize("labels", ["query_id,doc_id,is_relevant", "Query;Document;Relevant?"])
def test_a_table_with_words_for_grades_has_the_judgments_beside_documents(folder, labels):
    rows = [("q1", "d1", "true"), ("q1", "d2", "false"), ("q2", "d2", "true")]
    mark = ";" if ";" in labels else ","
    judged = "".join(f"{line}\n" for line in (labels, *map(mark.join, rows)))
    files = {
        "docs.csv": "id,text\nd1,tall oaks grow\nd2,elms are green\n",
        "asked.csv": "query_id,text\nq1,oaks\nq2,elms\n",
    }
    path = folder(**{name: text.encode() for name, text in {**files, "labels.csv": judged}.items()})
    parts = {"documents": "docs.csv", "queries": "asked.csv", "qrels": "labels.csv"}
    assert {part.role: part.path for part in layout_of_folder(path)} == parts
    assert done("eval", str(path), "-m", "AP", "--tsv").stdout == "system\tAP\nbm25\t1.0\n"


def test_a_table_that_is_left_out_beside_documents_is_named(folder):
    path = folder(**{"docs.csv": b"id,title,text\na,b,a kettle\n", "prices.csv": b"key,price\n7,3\n"})
    with noted() as told:
        assert [part.path for part in layout_of_folder(path)] == ["docs.csv"]
    assert told == [
        f"{path}: docs.csv has the documents; the columns of prices.csv (key, price) are not known: left out"
    ]


@pytest.mark.parametrize(
    ("name", "line"), [("{}.jsonl", '{{"id": "{}", "text": "cat"}}\n'), ("{}.csv", "id,text\n{},cat\n")]
)
def test_files_that_differ_in_numbers_are_parts_of_the_documents(tmp_path, name: str, line: str) -> None:
    for part in ("part-1", "part-02", "part-10"):
        (tmp_path / name.format(part)).write_text(line.format(part))
    assert [(part.role, part.guessed) for part in layout_of_folder(tmp_path)] == [("documents", True)] * 3
    with noted() as notes:
        assert len(toysearch.load(tmp_path).documents) == 3
    assert notes == [f"{tmp_path / name.format('part-02')} and 2 more files: 3 documents; id id; searched: text"]


@pytest.mark.parametrize("other", ["needs.jsonl", "part-2.jsonl"])
def test_files_of_other_names_or_keys_are_no_parts(tmp_path, other: str) -> None:
    (tmp_path / "part-1.jsonl").write_text('{"id": "1", "text": "cat"}\n')
    (tmp_path / other).write_text('{"id": "1", "body": "cat"}\n' if "part" in other else '{"id": "1", "text": "cat"}\n')
    with pytest.raises(DataError, match="could each hold the documents"):
        layout_of_folder(tmp_path)


def test_files_of_the_same_columns_are_parts_of_the_documents(folder) -> None:
    made = folder(**{f"{name}.csv": f"title,text,subject\n{name},a cat,\n".encode() for name in ("True", "Fake")})
    with noted() as notes:
        assert [one.title for one in toysearch.load(made).documents] == ["Fake", "True"]
    line = "2 documents; ids numbered from 1; searched: title, text; not searched: subject (values)"
    assert notes == [f"{made / 'Fake.csv'} and 1 more file: {line}"]


@pytest.mark.parametrize(("labels", "are_parts"), [("text,label", True), ("id,text", False), ("title,body", True)])
def test_files_of_two_columns_are_parts_of_the_documents_unless_one_has_ids(folder, labels, are_parts) -> None:
    made = folder(**{f"{name}.csv": f"{labels}\na cat,1\na dog,0\n".encode() for name in ("train", "test")})
    if are_parts:
        assert len(layout_of_folder(made)) == 2
    else:  # one may hold queries
        with pytest.raises(DataError, match="could each hold the documents"):
            layout_of_folder(made)


def test_empty_files_are_no_parts(folder) -> None:
    with pytest.raises(DataError, match="could each hold the documents"):
        layout_of_folder(folder(**{"True.csv": b"", "Fake.csv": b""}), "smart")


def test_word_counts_beside_their_texts_are_left_out(folder) -> None:
    reviews = {f"train/{grade}/{n}.txt": b"a cartoon comedy\n" for grade in ("pos", "neg") for n in "12"}
    made = folder(
        **reviews, **{"train/labeledBow.feat": b"9 0:9 1:1 2:4\n1 0:7 3:1\n", "imdb.vocab": b"the\nand\na\nof\n"}
    )
    with noted() as told:
        assert layout_of_folder(made)[0].format == "folder"
    left = "train/labeledBow.feat left out; to search it instead: load(…, input_format='svmlight')"
    assert told == [f"{made}: the texts are the documents, {left}"]


def test_word_counts_beside_their_vocabulary_and_one_text_are_the_documents(folder) -> None:
    files = {"docword.pets.txt": b"1\n1\n1\n1 1 2\n", "vocab.pets.txt": b"cat\n", "about.txt": b"of pets\n"}
    assert layout_of_folder(folder(**files))[0].format == "docword"


FILMS = b"movie_id,title,overview\nm7,Oaks,An oak is a tall tree\nm8,Elms,An elm is a tree as well\n"
TEXTS = b"id,query\nq1,tall oak\nq2,elm\n"
JUDGED_FILMS = b"qid,movie_id,rel\nq1,m7,1\nq1,m8,0\nq2,m8,1\n"


def test_a_table_of_numbers_is_of_queries_where_no_other_is(folder) -> None:
    made = folder(**{"docs.csv": FILMS, "qrels.csv": JUDGED_FILMS})
    assert [part.role for part in layout_of_folder(made)] == ["documents", "queries"]


def numbered_films(column: bytes, judged: bytes = JUDGED_FILMS) -> dict[str, bytes]:
    """Films without ids, but with numbers in a column of theirs."""
    numbers = ((b"movie_id", column), (b"m7", b"1007"), (b"m8", b"1014"))
    named = {"docs.csv": FILMS, "queries.csv": TEXTS, "qrels.csv": judged}
    for name, (old, new) in itertools.product(named, numbers):
        named[name] = named[name].replace(old, new)
    return named


@pytest.mark.parametrize("column", [b"doc", b"url"])
def test_judgments_name_documents_without_ids_by_a_column_that_differs_in_each(folder, column) -> None:
    made = folder(**numbered_films(column))
    files = ["--queries", str(made / "queries.csv"), "--qrels", str(made / "qrels.csv")]
    for given in ([str(made)], [str(made), *files], [str(made / "docs.csv"), *files]):
        read = done("eval", *given, "-m", "RR", "--tsv")
        assert read.stdout == "system\tRR\nbm25\t1.0\n"
        assert f"the judgments name 2 documents by their {column.decode()}s" in read.stderr


def test_a_column_that_is_named_for_documents_leaves_judgments_what_they_are(folder) -> None:
    made = folder(**numbered_films(b"url"))
    for given in ([str(made), "--columns", "id=url"], [str(made), "--columns", "id=url,text=overview"]):
        assert done("eval", *given, "-m", "RR", "--tsv").stdout == "system\tRR\nbm25\t1.0\n"


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("relevance.json", b'{"q1": ["m7"], "q2": ["m8"]}'),
        ("qrels.json", b'{"q1": ["m7"], "q2": ["m8"]}'),
        ("qrels.csv", b"qid,docid,score\nq1,m7,1\nq1,m8,0\nq2,m8,1\n"),
    ],
)
def test_lists_and_scores_like_grades_are_judgments_by_their_name(folder, name: str, rows: bytes) -> None:
    made = folder(**{"docs.csv": FILMS.replace(b"movie_id", b"doc_id"), "queries.csv": TEXTS, name: rows})
    assert done("eval", str(made), "-m", "RR", "--tsv").stdout == "system\tRR\nbm25\t1.0\n"


@pytest.mark.parametrize("rows", [b"qid,docid,score\nq1,m7,7.25\nq2,m8,3.5\n", b"q1 Q0 m7 1 2 a\nq2 Q0 m8 1 2 a\n"])
def test_a_run_is_no_judgments_whatever_its_name(folder, rows: bytes) -> None:
    made = folder(**{"docs.csv": FILMS, "queries.csv": TEXTS, "relevance.txt": rows})
    assert "has no judgments to score against" in run("eval", str(made)).stderr


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("{}.run", b"q1 Q0 d1 1 2.5 a\n"),
        ("{}.csv", b"query,doc_id,score\nq one,d1,2.5\n"),
        ("{}.json", b'{"q one": ["d1", "d2"]}'),
        ("{}.jsonl", b'{"query": "q one", "results": ["d1", "d2"]}\n'),
    ],
)
def test_runs_in_a_folder_are_not_searched(folder, name: str, rows: bytes) -> None:
    with pytest.raises(DataError, match="expected documents, found"):
        layout_of_folder(folder(**{name.format(one): rows for one in ("first", "second")}))


HIT = {"_index": "a", "_id": "1", "_score": 1.5, "_source": {"title": "Elm", "body": "An elm is a tree."}}
INSIDE = {
    "lists beside a name": lambda one: {"category": one, "items": [{"id": one, "title": one, "text": f"An {one}."}]},
    "answers of an engine": lambda one: {"hits": {"hits": [{**HIT, "_id": one, "_source": {"title": f"The {one}"}}]}},
}


@pytest.mark.parametrize("kind", INSIDE)
def test_files_of_json_are_searched_in_their_folder_as_by_their_pattern(folder, kind: str) -> None:
    made = folder(**{f"{one}.json": json.dumps(INSIDE[kind](one)).encode() for one in ("elm", "oak")})
    for source in (made, made / "*.json"):
        assert [hit.doc_id for hit in toysearch.search(str(source), "elm")] == ["elm"]


ARTICLES = b"id,title,text\na1,Oaks,An oak is a tall tree\na2,Elms,An elm is a tree as well\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("authors.csv", "id,name\n1,Ann\n2,Ben\n"),
        ("sample_submission.csv", "id,label\na1,1\na2,0\n"),
        ("manifest.json", '[{"file": "articles.csv", "title": "Trees"}]'),
    ],
)
def test_a_list_without_a_sentence_is_left_out_beside_texts(folder, name: str, content: str) -> None:
    made = folder(**{"articles.csv": ARTICLES, name: content.encode()})
    with noted() as notes:
        assert [document.doc_id for document in toysearch.load(made).documents] == ["a1", "a2"]
    assert not notes or name in notes[0]
    with noted():
        assert [hit.doc_id for hit in toysearch.search(made, "elm")] == ["a2"]


def test_articles_beside_a_list_of_their_names_are_the_documents(folder) -> None:
    found = {one: {"id": one, "title": one, "content": f"An {one} is a tree."} for one in ("elm", "oak")}
    articles = {f"{one}.json": json.dumps(article).encode() for one, article in found.items()}
    made = folder(**articles, **{"index.json": b'["elm", "oak"]'})
    assert [document.doc_id for document in toysearch.load(made).documents] == ["elm", "oak"]


@pytest.mark.parametrize("names", [("articles.csv", "searches.csv"), ("docs.csv", "q.csv"), ("z.csv", "a.csv")])
def test_judgments_tell_documents_from_queries_by_their_ids(folder, names) -> None:
    documents, queries = names
    asked = b"id,text\nq1,tall oak\nq2,elm\n"
    made = folder(
        **{documents: ARTICLES, queries: asked, "ratings.csv": b"query_id,doc_id,relevance\nq1,a1,1\nq2,a2,1\n"}
    )
    assert [*toysearch.load(made).queries.texts] == ["tall oak", "elm"]


def test_of_several_tables_of_texts_one_may_be_given_alone(folder) -> None:
    comments = b"id,post_id,comment\n1,a1,Nice one I think\n2,a2,Not so nice as that of oaks\n"
    made = folder(**{"posts.csv": ARTICLES, "comments.csv": comments})
    with pytest.raises(DataError, match=re.escape(f"give one alone, such as {made / 'posts.csv'}, or describe it")):
        toysearch.load(made)


TWEETS = b"date,tweet\n" + b"".join(b"2024-05-%02d,The heron number %d flew off\n" % (day, day) for day in range(1, 20))


@pytest.mark.parametrize(
    "small", [b"Column,Description\ndate,The day of it all\n", b"id,name,description\n1,Jo,A friend\n"]
)
def test_the_table_with_most_text_has_the_documents_whatever_its_columns_are_called(folder, small) -> None:
    made = folder(**{"tweets.csv": TWEETS, "about.csv": small})
    with noted() as notes:
        assert len(toysearch.load(made).documents) == 19
    assert "tweets.csv has the documents, 1 file of records left out, such as about.csv" in str(notes[0])


def test_a_folder_of_pairs_of_ids_in_json_holds_judgments(tmp_path):
    """As the datasets of Hugging Face have them in Parquet."""
    for folder, records in {
        "corpus": [{"_id": "d1", "text": "a round table"}, {"_id": "d2", "text": "a lamp"}],
        "queries": [{"_id": "q1", "text": "table"}],
        "qrels": [{"query-id": "q1", "corpus-id": "d1"}],
    }.items():
        (tmp_path / folder).mkdir()
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / folder / "train-00000.jsonl").write_text(lines)
    pets = toysearch.load(tmp_path)
    assert (len(pets.documents), pets.queries["q1"].text, pets.qrels["q1"]) == (2, "table", {"d1": 1.0})
