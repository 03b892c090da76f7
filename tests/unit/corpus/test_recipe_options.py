"""The options for reading files stand in a collection.toml too, and the command line takes precedence."""

from __future__ import annotations

from pathlib import Path

import pytest
import rivers
from shell import run

DOCUMENTS = rivers.DOCUMENTS.replace("cold rivers", "cold café rivers")
QUERIES = "query_id,text,detail\n1,the swimming river,otters\n2,heron rivers,frogs\n3,caf dams,beavers\n"
JUDGMENTS = "query_id,doc_id,relevance\n1,d1,2\n1,d3,1\n2,d2,1\n2,d4,2\n3,d3,1\n3,d1,3\n"
FILES = {"documents.csv": DOCUMENTS, "queries.csv": QUERIES, "qrels/test.csv": JUDGMENTS}

OPTIONS: dict[str, tuple[str, str, dict[str, str]]] = {
    "--fields": ("title", 'fields = ["title"]', {}),
    "--fields as text": ("title,text", 'fields = "title,text"', {}),
    "--query-fields": ("detail", 'query_fields = "detail"', {}),
    "--columns": (
        "id=nr,text=wording",
        'columns = { id = "nr", text = "wording" }',
        {"documents.csv": DOCUMENTS.replace("id,title,text", "nr,caption,wording")},
    ),
    "--query-columns": (
        "id=no,text=asked",
        'query_columns = "id=no,text=asked"',
        {"queries.csv": QUERIES.replace("query_id,text,detail", "no,asked,detail")},
    ),
    "--qrels-columns": (
        "query_id=need,doc_id=thing,relevance=mark",
        'qrels_columns = { query_id = "need", doc_id = "thing", relevance = "mark" }',
        {"qrels/test.csv": JUDGMENTS.replace("query_id,doc_id,relevance", "need,thing,mark")},
    ),
    "--ids": ("first", 'ids = "first"', {"documents.csv": f"{DOCUMENTS}d1,Eels,swimming eels\n"}),
    "--on-error": ("skip", 'on_error = "skip"', {"documents.csv": f"{DOCUMENTS}d5,Eels\n"}),
    "--encoding": ("cp1252", 'encoding = "cp1252"', {}),
    "--split": ("train", 'split = "train"', {"qrels/train.csv": "query_id,doc_id,relevance\n1,d2,1\n"}),
    "--input-format": ("csv", 'input_format = "csv"', {"more.txt": "Pikes swim in the river.\n"}),
    "--language": ("english", 'language = "english"', {}),
    "--stop": ("sklearn", 'stop = "sklearn"', {}),
}
"""Each option with its value, the line that says the same, and files for which it matters."""
SAME_WITHOUT = ("--fields as text", "--input-format")


def write(folder: Path, files: dict[str, str], toml: str | None = None) -> Path:
    for name, text in {**FILES, **files}.items():
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
        files["documents.csv"] = f"{DOCUMENTS}d1,Eels,swimming eels\n"
    plain, described = write(tmp_path / "a" / "rivers", files), write(tmp_path / "b" / "rivers", files, f"{line}\n")
    alone = [] if "columns" in line else typed  # these are the columns found without it
    assert figures(described, *typed) == figures(plain, *alone)
    assert figures(described) != figures(plain, *alone)


MAPPINGS = """
[grades.graded]
gains = { 1 = 1, 2 = 2, 3 = 3 }

[grades.graded.options.three]
default = "relevant"
values.relevant = { 3 = 3 }
values.ignored = { 3 = 0 }
"""


def test_the_default_grades_may_have_options(tmp_path):
    named = write(tmp_path / "a" / "rivers", {}, f'default_grades = "graded"\n{MAPPINGS}')
    chosen = write(tmp_path / "b" / "rivers", {}, f'default_grades = "graded:three=ignored"\n{MAPPINGS}')
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
        ('qrels_columns = "mark"', "qrels_columns: unknown part of a judgment 'mark'"),
        ("fields = 3", "expected a list of strings as fields, found 3"),
        ('fields = ""', "fields names no field; an example: fields='title,text'"),
        ('fields = "title"\ntext = ["text"]', "fields and text say the same: leave one of them out"),
        ('input_format = "pdf"', "unknown format 'pdf'"),
        (f'default_grades = "graded:two=x"\n{MAPPINGS}', "default_grades: "),
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
