"""collection.toml: the recipes that ship, the documented example, and what is malformed."""

import os
import re
from pathlib import Path

import pytest
import river_collection
from error_messages import raising
from shell import done, run
from small_collections import write_files

import toysearch
from toysearch.analysis.languages import LISTS
from toysearch.base.errors import ArgumentError, DataError
from toysearch.collection import catalog
from toysearch.collection.recipe import ROLES, STOP_LISTS, Recipe, read_recipe
from toysearch.files.document_formats import FORMATS
from toysearch.files.source import sha256

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(path.parent.name for path in (ROOT / "corpora").glob("*/collection.toml"))


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes a collection.toml."""

    def write(text: str) -> Path:
        path = tmp_path / "collection.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_recipe_says_all_that_is_to_be_said(name: str) -> None:
    shipped = catalog.recipe(name)
    assert shipped.title
    assert shipped.description
    assert shipped.licence
    assert shipped.origin
    assert shipped.language == ("none" if name == "cat-dog-parrot" else "english")
    assert shipped.quirks
    assert all(re.fullmatch(r"\S.*[.]", quirk) for quirk in shipped.quirks)
    assert set(shipped.expected) == {"documents", "queries", "judgments", "judged_queries"}
    for file in shipped.files:
        if file.role != "run":
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.records
    assert len(SHIPPED) == 7


@pytest.mark.parametrize("name", ["cranfield", "cisi", "scifact"])
def test_checksums_of_recipes(corpora: Path, name: str) -> None:
    for file in catalog.recipe(name).files:
        path = corpora / name / file.path
        assert (sha256(path), path.stat().st_size) == (file.sha256, file.bytes)


@pytest.mark.parametrize("name", ["cranfield", "cisi", "scifact"])
def test_recipes_ship_without_text_and_say_where_it_can_be_had(name: str) -> None:
    described = catalog.recipe(name)
    counts = {file.path for file in described.counts}
    others = {path.name for path in (ROOT / "corpora" / name).iterdir()} - counts - {"collection.toml", "vocab.txt.gz"}
    assert others == set()
    assert bool(counts) == (name != "scifact")
    assert all(source.startswith(("http://", "https://")) for source in described.sources)
    assert all(len(file.sha256) == 64 and file.bytes for file in described.files)


def test_the_documented_example_is_a_recipe(written) -> None:
    blocks = re.findall(
        r"```toml\n(.*?)```", (ROOT / "docs" / "look-up" / "collections.md").read_text(encoding="utf-8"), re.S
    )
    full = read_recipe(written(blocks[1]), "pets")
    assert (full.title, full.number, full.default_grades) == ("Pets", "place", "graded")
    assert full.expected == {"documents": 40, "queries": 12, "judgments": 60, "judged_queries": 12}
    assert full.grades["graded"].options["nine"].values["removed"] == {9: None}
    (full.folder / "corpus.jsonl").write_text('{"_id": "1", "text": "a"}\n')
    short = read_recipe(written(blocks[0]))
    assert (short.format, short.language, short.threshold) == ("beir", "german", 2.0)
    assert [file.path for file in short.files] == ["corpus.jsonl"]


def test_the_lists_of_stop_words_are_those_of_the_analysis() -> None:
    assert STOP_LISTS == LISTS


def test_a_mapping_alone_is_the_default(written) -> None:
    path = written(
        'format = "beir"\n[[files]]\nrole = "documents"\npath = "d"\n'
        '[grades.only]\ngains = { "0.5" = 1, 2 = "removed" }'
    )
    read = read_recipe(path)
    assert (read.default_grades, read.grades["only"].gains) == ("only", {0.5: 1, 2: None})


SMART, DOCUMENTS = 'format = "smart"\n', '[[files]]\nrole = "documents"\npath = "d"\n'
QUERIES, QRELS = (f'[[files]]\nrole = "{role}"\npath = "q"\n' for role in ("queries", "qrels"))
FILES = SMART + DOCUMENTS
GAINS = FILES + "[grades.a]\ngains = { 1 = 1 }\n"
OF = "files[1].columns"
LISTED = ", ".join(FORMATS)
NO_FORMAT = f"expected the key format beside files; formats: {LISTED}"
STOP = "Lists of stop words: none, sklearn, lucene, snowball, iso"
KEYS = "role path format columns field split records judged sha256 bytes"
KEYS = ", ".join(f"files[1].{key}" for key in KEYS.split())
DIGITS = "expected TOML; Exceeds the limit (4300 digits) for integer string conversion: value has 5001 digits; use "
DIGITS += "sys.set_int_max_str_digits() to increase the limit"
MALFORMED = [
    ("title = ?", "1: expected TOML; Invalid value"),
    ('titel = "Pets"', "unknown key 'titel'; did you mean 'title'?"),
    (FILES + 'sha = "0"', f"unknown key 'files[1].sha'; did you mean 'files[1].sha256'? Keys: {KEYS}"),
    ("title = 7", "expected a string as title, found 7"),
    ('threshold = "high"', "expected a number as threshold, found 'high'"),
    ("threshold = nan", "expected a number as threshold, found nan"),
    ("threshold = 1" + "0" * 400, "expected a number as threshold, found 1" + "0" * 59),
    ("threshold = 1" + "0" * 5000, DIGITS),
    ("x = " + "[" * 100_000, "expected TOML; maximum recursion depth exceeded"),
    (FILES + "records = -1", "expected a number of 0 or more as files[1].records, found -1"),
    ("threshold = true", "expected a number as threshold, found True"),
    ('text = "W"', "expected a list of strings as text, found 'W'"),
    ("text = [1]", "expected a list of strings as text, found [1]"),
    ('files = "d"', "expected a list of tables as files, found 'd'"),
    ('files = ["d"]', "expected a table as files[1]"),
    (FILES + "records = 1.5", "expected a whole number as files[1].records, found 1.5"),
    ('format = "smrt"', f"unknown format 'smrt'; did you mean 'smart'? Formats: {LISTED}"),
    (DOCUMENTS, NO_FORMAT),
    ('number = "plaice"', "unknown number 'plaice'; did you mean 'place'? Ways to number queries: id, place"),
    ('stop = "snow"', f"unknown stop 'snow'; did you mean 'snowball'? {STOP}"),
    ('stop = "../words.txt"', f"unknown stop '../words.txt'. {STOP}"),
    (FILES + 'format = "smrt"', f"unknown files[1].format 'smrt'; did you mean 'smart'? Formats: {LISTED}"),
    (
        FILES + 'columns = { key = "a" }',
        f"unknown key '{OF}.key'. Keys: {OF}.id, {OF}.title, {OF}.text",
    ),
    (FILES + "columns = { id = 7 }", "expected a string as files[1].columns.id, found 7"),
    (
        FILES + 'columns = { id = "a", text = "a" }',
        "files[1].columns: column 'a' is named for id and for text; name one column per part",
    ),
    (
        FILES + '[[files]]\nrole = "documents"\npath = "e"\nformat = "csv"',
        "expected one format for all files with the role documents, found csv and smart",
    ),
    (DOCUMENTS + 'format = "csv"\n' + QUERIES, NO_FORMAT),
    ('format = "smart"\n[[files]]\npath = "d"', "expected a key files[1].role"),
    (
        SMART + '[[files]]\nrole = "docs"\npath = "d"',
        "unknown files[1].role 'docs'. Roles: documents, queries, qrels, run",
    ),
    (SMART + QUERIES, "expected one file with the role documents, found 0"),
    (FILES + QUERIES * 2, "expected at most one file with the role queries, found 2"),
    (FILES + QRELS * 2, "expected a different split for each file with the role qrels"),
    (GAINS + "[grades.b]\ngains = { 1 = 1 }", "unknown default_grades ''. Grade mappings: a, b"),
    ('default_grades = "a"', "default_grades 'a' names a grade mapping, but there is no [grades.a]"),
    (
        FILES + '[grades.a]\ndescription = ""',
        "expected a table grades.a.gains of codes and gains, such as { 1 = 4, 2 = 3 }",
    ),
    (FILES + "[grades.a]\ngains = { one = 1 }", "expected a number as a code of grades.a.gains, found 'one'"),
    (
        FILES + '[grades.a]\ngains = { 1 = "gone" }',
        "expected a number or \"removed\" as grades.a.gains.1, found 'gone'",
    ),
    (FILES + "[grades.a]\ngains = { 1 = inf }", 'expected a number or "removed" as grades.a.gains.1, found inf'),
    (GAINS + "[grades.a.options.x]\nvalues.on = { 1 = 2 }", "unknown grades.a.options.x.default ''. Values: on"),
    (
        GAINS + '[grades.a.options.x]\ndefault = "on"\nvalues.on = 2',
        "expected a table of codes and gains as grades.a.options.x.values.on, found 2",
    ),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=lambda text: text[-30:])
def test_malformed_recipes(written, text: str, message: str) -> None:
    path = written(text)
    with raising(DataError, f"{path}:{message}" if message[0].isdigit() else f"{path}: {message}"):
        read_recipe(path)


def test_which_judgments(written) -> None:
    def with_splits(*splits: str, **values: str) -> Recipe:
        head = "".join(f'{key} = "{value}"\n' for key, value in values.items())
        files = "".join(f'[[files]]\nrole = "qrels"\npath = "{split}.tsv"\nsplit = "{split}"\n' for split in splits)
        return read_recipe(written(head + FILES + files), "pets")

    several = with_splits("train", "test", "dev")
    assert several.qrels_file().path == "test.tsv"
    assert several.qrels_file("dev").path == "dev.tsv"
    assert with_splits("dev", "test", split="dev").qrels_file().path == "dev.tsv"
    assert with_splits("dev").qrels_file().path == "dev.tsv"
    assert with_splits().qrels_file() is None
    refused = {
        "unknown split 'trian'; did you mean 'train'? Splits: train, test, dev": (several, "trian"),
        "collection 'pets' has several sets of judgments and none is called test; choose a split: dev, train": (
            with_splits("dev", "train"),
            None,
        ),
        "split 'test' cannot be chosen: collection 'pets' has one set of judgments; leave split out": (
            with_splits(""),
            "test",
        ),
        "split 'test' cannot be chosen: collection 'pets' has no judgments; leave split out": (with_splits(), "test"),
    }
    for message, (read, split) in refused.items():
        with raising(ArgumentError, message):
            read.qrels_file(split)


# A collection.toml reads no file outside its folder: not by its paths, not by links, and not for long.


DOCUMENTS = '{"_id": "d1", "text": "a cat"}\n'
QUERIES = '{"_id": "q1", "text": "cat"}\n'
ROWS = {"documents": DOCUMENTS, "queries": QUERIES, "qrels": "q1 0 d1 1\n", "run": "q1 Q0 d1 1 1.0 bm25\n"}
SECRET = {
    "documents": '{"_id": "s1", "text": "secret"}\n',
    "queries": '{"_id": "s1", "text": "secret"}\n',
    "qrels": "q1 0 s1 1\n",
    "run": "q1 Q0 s1 1 1.0 secret\n",
}


def recipe(**paths):
    """A collection.toml with these paths, and the usual ones for the other roles."""
    text = 'format = "beir"\n'
    for role in ROLES:
        text += f'[[files]]\nrole = "{role}"\npath = "{paths.get(role, role)}"\n'
    return text


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """A folder with a file for each role, and secrets outside of it."""
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "none"))
    write_files(tmp_path / "secrets", **SECRET)
    return write_files(tmp_path / "pets", **ROWS, **{"collection.toml": recipe()})


OUTSIDE = ["", ".", "./", "..", "../secrets/{}", "/etc", "/proc/**/*", "{}/../../secrets/{}", "C:/secrets", "~\\0/x"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_lead_outside_are_refused(pets, role, path):
    path = path.replace("{}", role)
    if path.startswith("~"):
        path = "a\\u0000b"
    write_files(pets, **{"collection.toml": recipe(**{role: path})})
    with pytest.raises(DataError) as refused:
        catalog.load(pets)
    place = ROLES.index(role) + 1
    said = f"expected a path below the folder of the collection.toml as files[{place}].path, found "
    assert str(refused.value).startswith(f"{pets / 'collection.toml'}: {said}")


@pytest.mark.parametrize("role", ROLES)
def test_links_that_lead_outside_are_refused(pets, role):
    (pets / role).unlink()
    (pets / role).symlink_to(pets.parent / "secrets" / role)
    with pytest.raises(DataError) as refused:
        list(catalog.load(pets).stream())
    said = "a collection.toml reads no file outside its folder: put the file there, or give it by itself"
    assert str(refused.value) == f"{pets / role} leads out of {pets}; {said}"


@pytest.mark.parametrize("path", ["linked", "linked/documents", "*/documents", "texts", "texts/*"])
def test_links_below_folders_and_patterns_are_refused(pets, path):
    (pets / "linked").symlink_to(pets.parent / "secrets")
    (pets / "texts").mkdir()
    (pets / "texts" / "one").symlink_to(pets.parent / "secrets" / "documents")
    write_files(pets, **{"collection.toml": recipe(documents=path)})
    with pytest.raises(DataError, match=r"leads out of .*; a collection.toml reads no file outside its folder"):
        list(catalog.load(pets).stream())


def test_a_pattern_does_not_search_linked_folders(pets):
    (pets / "everything").symlink_to("/")  # would take for ever
    (pets / "round").symlink_to(pets)
    write_files(pets, **{"collection.toml": recipe(documents="**/doc*")})
    assert catalog.load(pets).documents.doc_ids == ["d1"]


def test_links_within_the_folder_and_what_the_user_names_are_read(pets):
    os.rename(pets / "documents", pets / "own.jsonl")
    (pets / "documents").symlink_to("own.jsonl")
    assert catalog.load(pets).documents.doc_ids == ["d1"]
    (pets.parent / "short").symlink_to(pets)  # the folder itself may be a link
    assert catalog.load(pets.parent / "short").documents.doc_ids == ["d1"]
    link = pets.parent / "named.jsonl"
    link.symlink_to(pets.parent / "secrets" / "documents")
    assert "s1" in done("search", link, "secret").stdout


# The options for reading files stand in a collection.toml too, and the command line takes precedence.


RIVERS = river_collection.DOCUMENTS.replace("cold rivers", "cold café rivers")
ASKED = "query_id,text,detail\n1,the swimming river,otters\n2,heron rivers,frogs\n3,caf dams,beavers\n"
JUDGED = "query_id,doc_id,relevance\n1,d1,2\n1,d3,1\n2,d2,1\n2,d4,2\n3,d3,1\n3,d1,3\n"
PLAIN = {"documents.csv": RIVERS, "queries.csv": ASKED, "qrels/test.csv": JUDGED}

OPTIONS: dict[str, tuple[str, str, dict[str, str]]] = {
    "--fields": ("title", 'fields = ["title"]', {}),
    "--fields as text": ("title,text", 'fields = "title,text"', {}),
    "--query-fields": ("detail", 'query_fields = "detail"', {}),
    "--columns": (
        "id=nr,text=wording",
        'columns = { id = "nr", text = "wording" }',
        {"documents.csv": RIVERS.replace("id,title,text", "nr,caption,wording")},
    ),
    "--query-columns": (
        "id=no,text=detail",
        'query_columns = "id=no,text=detail"',
        {"queries.csv": ASKED.replace("query_id,text,detail", "no,asked,detail")},
    ),
    "--qrels-columns": (
        "query_id=need,doc_id=thing,relevance=mark",
        'qrels_columns = { query_id = "need", doc_id = "thing", relevance = "mark" }',
        {"qrels/test.csv": JUDGED.replace("query_id,doc_id,relevance", "need,thing,mark")},
    ),
    "--ids": ("first", 'ids = "first"', {"documents.csv": f"{RIVERS}d1,Eels,swimming eels\n"}),
    "--on-error": ("skip", 'on_error = "skip"', {"documents.csv": f"{RIVERS}d5,Eels\n"}),
    "--encoding": ("cp1252", 'encoding = "cp1252"', {}),
    "--split": ("train", 'split = "train"', {"qrels/train.csv": "query_id,doc_id,relevance\n1,d2,1\n"}),
    "--input-format": ("csv", 'input_format = "csv"', {"more.txt": "Pikes swim in the river.\n"}),
    "--language": ("english", 'language = "english"', {}),
    "--stop": ("sklearn", 'stop = "sklearn"', {"queries.csv": ASKED.replace("heron rivers", "the frogs")}),
}
"""Each option with its value, the line that says the same, and files for which it matters."""
SAME_WITHOUT = ("--columns", "--fields as text", "--input-format", "--encoding")


def write(folder: Path, files: dict[str, str], toml: str | None = None) -> Path:
    for name, text in {**PLAIN, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("cp1252"))
    if toml is not None:
        (folder / "collection.toml").write_text(toml, encoding="utf-8")
    return folder


def figures(folder: Path, *options: str) -> tuple[int, str]:
    result = run("eval", folder, "-m", "AP nDCG@3", "--per-query", "--tsv", *options)
    assert isinstance(result.exception, SystemExit | None)
    return result.exit_code, result.stdout


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_in_the_file_is_that_of_the_command_line(tmp_path, option):
    value, line, files = OPTIONS[option]
    typed = [option.split()[0], value]
    plain, described = write(tmp_path / "a" / "rivers", files), write(tmp_path / "b" / "rivers", files, f"{line}\n")
    expected = figures(plain, *typed)
    assert expected[0] == 0
    assert figures(described) == expected
    assert figures(described, *typed) == expected
    assert option in SAME_WITHOUT or figures(plain) != expected


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ('fields = "title"', ["--fields", "text"]),
        ('query_fields = ["detail"]', ["--query-fields", "text"]),
        ('columns = "text=title"', ["--columns", "text=text"]),
        ('query_columns = "text=detail"', ["--query-columns", "text=text"]),
        ('encoding = "cp037"', ["--encoding", "cp1252"]),
        ('encoding = "cp1252"', ["--encoding", "utf-8"]),
        ('language = "english"', ["--language", "none"]),
        ('ids = "refuse"', ["--ids", "number"]),
        ('split = "test"', ["--split", "train"]),
    ],
)
def test_the_command_line_takes_precedence(tmp_path, line, typed):
    files = {"qrels/train.csv": "query_id,doc_id,relevance\n1,d2,1\n"}
    if "--ids" in typed:
        files["documents.csv"] = f"{RIVERS}d1,Eels,swimming eels\n"
    plain, described = write(tmp_path / "a" / "rivers", files), write(tmp_path / "b" / "rivers", files, f"{line}\n")
    alone = [] if "columns" in line else typed  # these are the columns found without it
    assert figures(described, *typed) == figures(plain, *alone)
    assert figures(described) != figures(plain, *alone)


MAPPED = """
[grades.graded]
gains = { 1 = 1, 2 = 2, 3 = 3 }

[grades.graded.options.three]
default = "relevant"
values.relevant = { 3 = 3 }
values.ignored = { 3 = 0 }
"""


def test_the_default_grades_may_have_options(tmp_path):
    named = write(tmp_path / "a" / "rivers", {}, f'default_grades = "graded"\n{MAPPED}')
    chosen = write(tmp_path / "b" / "rivers", {}, f'default_grades = "graded:three=ignored"\n{MAPPED}')
    assert figures(chosen) == figures(named, "--grades", "graded:three=ignored") != figures(named)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('encoding = "utf-7000"', "encoding: unknown encoding 'utf-7000'; usual ones are "),
        ("encoding = 8", "expected a string as encoding, found 8"),
        ('columns = "text"', "columns: expected columns such as id=docno,text=body, found 'text'"),
        ('columns = { txt = "body" }', "unknown key 'columns.txt'; did you mean 'columns.text'?"),
        ("columns = { text = 3 }", "expected a string as columns.text, found 3"),
        ('query_columns = { id = "a", text = "a" }', "query_columns: column 'a' is named for id and for text"),
        ('qrels_columns = "mark"', "qrels_columns: expected columns such as doc_id=artikel,"),
        ("fields = 3", "expected a list of strings as fields, found 3"),
        ('fields = ""', "fields names no field; an example: fields='title,text'"),
        ('fields = "title"\ntext = ["text"]', "fields and text say the same: leave one of them out"),
        ('input_format = "pdf"', "unknown format 'pdf'"),
        (f'default_grades = "graded:two=x"\n{MAPPED}', "default_grades: "),
        ('rejected = "bad.txt"', "unknown key 'rejected'"),
    ],
)
def test_a_wrong_value_gets_a_sentence_with_the_file(tmp_path, line, sentence):
    folder = write(tmp_path / "rivers", {}, f"{line}\n")
    result = run("eval", folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"toysearch: {folder / 'collection.toml'}: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_check_reads_files_in_the_encoding_of_the_file(tmp_path):
    folder = write(tmp_path / "rivers", {}, 'encoding = "cp1252"\n')
    assert "UTF-8" in run("check", write(tmp_path / "bare", {})).output
    assert "UTF-8" not in run("check", folder).output


# A collection.toml with less than all files, and one whose judgments are complete.


TOML = '[[files]]\nrole = "documents"\npath = "documents.csv"\nformat = "csv"\n'


def folder_with(tmp_path: Path, toml: str) -> Path:
    (tmp_path / "collection.toml").write_text(toml)
    (tmp_path / "documents.csv").write_text(
        "id,title,text\n1,Robot,red robot\n2,Cat,blue cat\n3,Both,green cat and robot\n"
    )
    (tmp_path / "queries.csv").write_text("query_id,text\nq1,robot\nq2,cat\n")
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq1,1,2\nq2,2,1\n")
    return tmp_path


@pytest.mark.system
@pytest.mark.parametrize(
    "command", ["eval", "eval --worst 1", "eval --queries one.csv", "compare", "diff", "report -o page.html"]
)
def test_nothing_is_told_of_unjudged_documents_where_judgments_are_complete(tmp_path, monkeypatch, command):
    name, *options = command.split()

    def told(folder: Path) -> bool:
        result = run(name, folder, "--model", "bm25", "--model", "bm25:b=0", "-m", "P@2", *options)
        assert result.exit_code == 0, result.stderr
        page = Path("page.html").read_text(encoding="utf-8") if "page.html" in options else ""
        return re.search("first (2|10|ten) documents are unjudged", result.stdout + result.stderr + page) is not None

    monkeypatch.chdir(tmp_path)
    pets = tmp_path / "pets"
    pets.mkdir()
    Path("one.csv").write_text("query_id,text\nq1,robot\n")
    assert told(folder_with(pets, TOML))
    complete = folder_with(pets, f'judgments = "complete"\n{TOML}')
    assert toysearch.load(complete).complete
    assert not told(complete)
    assert not toysearch.load(complete).with_topics(qrels=toysearch.Qrels.from_dict({"q1": {"1": 1}})).complete
