"""What stands among the words of a query and is not one: files that the shell names, numbers of unknown options."""

from itertools import product
from pathlib import Path

import pytest
from shell import done, every_command, refusal, run

from toysearch.cli import habits

TEXTS = {"a.jsonl": "red lamp json", "b.jsonl": "blue lamp", "c.jsonl": "green lamp"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(f'{{"id": "{name[0]}", "text": "{text}"}}\n')
    for name in ("mails", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("a lamp\n")
    for name in ("1", "2", "lamp", "Makefile"):
        (tmp_path / name).write_text("id,text\nx,lamp\n")
    (tmp_path / "x.csv").write_text("id,text\nx,a lamp and a Makefile\n")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("a.jsonl lamp b.jsonl", "b.jsonl"),
        ("mails/ notes/ lamp", "notes/"),
        ("companions a.jsonl lamp", "a.jsonl"),
        ("1 2 lamp", "2"),
        ("mails notes lamp", "notes"),
        ("./mails ./notes lamp", "./notes"),
        ("a.jsonl b.jsonl", "b.jsonl"),
        ("companions notes/ lamp", "notes/"),
    ],
)
def test_a_word_that_is_a_file_is_refused(typed, word):
    said = refusal("search", *typed.split())
    kind = "folder" if word.strip("./") == "notes" else "file"
    assert f"Error: {word} is a {kind}, not a word of the query; " in said
    assert said.endswith(f"or quote it: '\"{word}\"'")


@pytest.mark.parametrize(
    "typed",
    [
        "a.jsonl b.jsonl c.jsonl",
        "./a.jsonl ./b.jsonl ./c.jsonl",
        "*.jsonl",
        "[a-c].jsonl",
        "{a,[bc]}.jsonl",
        "{a,b,c}*",
    ],
)
def test_files_of_a_pattern_are_one_source_whoever_resolves_it(typed):
    rows = done("search", *typed.split(), "lamp", "--tsv").stdout.splitlines()[1:]
    assert sorted(row.split("\t")[1] for row in rows) == ["a", "b", "c"]


OF_ONE_SOURCE = {
    "index {} -o new.idx": "documents                    3",
    "add old.idx {}": "documents                    4",
    "convert {} --to jsonl -o new.idx": "documents                    3",
}


@pytest.mark.parametrize("line", OF_ONE_SOURCE)
def test_a_command_of_one_source_takes_the_files_of_a_pattern(line):
    done("index", "x.csv", "-o", "old.idx")
    done(*line.format("a.jsonl b.jsonl c.jsonl").split())
    assert OF_ONE_SOURCE[line] in done("show", "old.idx" if "old" in line else "new.idx").stdout
    Path("e,f.jsonl").write_bytes(Path("a.jsonl").read_bytes())
    said = refusal(*line.format("a.jsonl e,f.jsonl").split())
    assert said == "Error: e,f.jsonl is one more file; give one file, the folder of the files or a pattern"


@pytest.mark.parametrize(
    "typed",
    ["a.jsonl c.jsonl", "c.jsonl a.jsonl", "./c.jsonl ./a.jsonl", "{a,c}.jsonl", "[ac].jsonl", "x.txt mails/x.txt"],
)
def test_files_before_the_words_are_one_source(folder, typed):
    (folder / "x.txt").write_text("a lamp\n")
    rows = done("search", *typed.split(), "lamp", "--tsv", "--ids", "number").stdout.splitlines()[1:]
    assert sorted(row.split("\t")[1] for row in rows) == (["x.txt", "x.txt-2"] if "txt" in typed else ["a", "c"])


def test_a_readme_is_a_document_where_it_is_named(folder):
    for name in ("README.md", "guide.md"):
        (folder / name).write_text("a lamp\n")
    for typed in ("*.md", "README.md guide.md"):
        rows = done("search", *typed.split(), "lamp", "--tsv").stdout.splitlines()[1:]
        assert sorted(row.split("\t")[1] for row in rows) == ["README.md", "guide.md"]


def test_files_of_a_pattern_have_one_format():
    said = refusal("search", "*[.j]*", "lamp")
    assert "x.csv has another format than a.jsonl: csv, not jsonl; give files of one format" in said


def test_what_a_refusal_of_files_advises_works():
    way = "give one file, several before the words, or the folder of the files"
    assert way in refusal("search", "a.jsonl", "lamp", "b.jsonl")
    assert len(done("search", "a.jsonl", "b.jsonl", "lamp", "--tsv").stdout.splitlines()) == 3
    assert done("search", "a.jsonl", "lamp", '"b.jsonl"').exit_code == 0
    assert done("search", "mails", "lamp").exit_code == 0


WORDS_OF_QUERIES = ["x.csv lamp", "x.csv Makefile lamp", "a.jsonl red lamp json", "a.jsonl notes lamp", "mails notes"]
WORDS_OF_QUERIES += ["a.jsonl red / lamp", "mails . lamp", "notes.idx mails lamp", "a.jsonl /home/ lamp"]


@pytest.mark.parametrize("typed", WORDS_OF_QUERIES)
def test_a_word_that_only_has_the_name_of_a_file_is_searched(typed):
    source, *words = typed.split()
    done("index", "notes", "-o", "notes.idx")
    assert done("search", source, *words, "--tsv").stdout == done("search", source, " ".join(words), "--tsv").stdout


def test_names_of_files_with_signs_of_patterns(folder):
    (folder / "my [d].jsonl").write_text('{"id": "d", "text": "a lamp"}\n')
    rows = done("search", "a.jsonl", "my [d].jsonl", "lamp", "--tsv").stdout.splitlines()[1:]
    assert sorted(row.split("\t")[1] for row in rows) == ["a", "d"]
    (folder / "e,f.jsonl").write_text('{"id": "e", "text": "a lamp"}\n')
    assert "e,f.jsonl is a file, not a word of the query" in refusal("search", "a.jsonl", "e,f.jsonl", "lamp")


@pytest.mark.parametrize("words", [["-lamp"], ["red", "-lamp"], ["-icy"], ["-worn"]])
def test_a_word_behind_a_dash_is_no_flag(words):
    found = run("search", "a.jsonl", *words)
    told = f"No such option '{words[-1]}'; if it is of the query, put -- before the query"
    assert found.stderr.splitlines()[-1].endswith(told)
    assert "note:" not in found.stderr
    assert done("search", "a.jsonl", "--", "red", *words).exit_code == 0


def test_a_source_behind_the_query_is_still_turned_round():
    assert refusal("search", "kettle", "a.jsonl").endswith("but 'a.jsonl' is: toysearch search a.jsonl kettle")


FLAGS = [*"iwlnSvc", "verbose", "highlight", "pretty"]
NUMBERED = [*product(sorted(FLAGS), ("-{} 2", "-{}=2"))]


@pytest.mark.parametrize(("name", "form"), NUMBERED)
def test_a_number_behind_an_unknown_flag_is_no_word_of_the_query(name, form):
    option = form.format(name if len(name) == 1 else f"-{name}").split()
    found = run("search", "companions", "dog", *option)
    if name == "n":
        assert found.stdout == done("search", "companions", "dog", "-k", "2").stdout
        assert "-n is -k here" in found.stderr
    else:
        assert (found.exit_code, found.stdout) == (2, "")


def test_each_flag_is_tried():
    assert len(NUMBERED) == 10 * 2


SHOWING = ["search", "run", "similar", "fuse", "show"]
"""Commands in which -k is the number of rows; in the others it is how many documents are ranked."""
RANKING = ["eval", "compare", "tune", "report", "ablate", "robustness", "explain"]
RANKED = ["topk", "top-k", "hits", "num-hits", "num-results", "max-results"]
SHOWN = ["limit", "top", "size", "n", "pagelen"]
WORDS = [(name, word) for name in SHOWING + RANKING for word in RANKED + SHOWN]


@pytest.mark.parametrize(("name", "word"), WORDS)
def test_a_word_for_a_number_is_k_only_where_it_means_that(name, word):
    command = dict(every_command())[name]
    if any(f"--{word}" in each.opts for each in command.params):
        return
    meant = word in RANKED or name in SHOWING
    parameters = {option: each for each in command.params for option in each.opts}
    assert ("-k" in habits._there(parameters, name, word)) == meant


def test_each_word_for_a_number_meets_each_command():
    assert len(WORDS) == 12 * 11
