"""`toysearch corpora get`: what is printed where, and the exit codes."""

import hashlib
import zipfile
from functools import partial
from pathlib import Path

import pytest
import shell

from toysearch.cli import corpora
from toysearch.collection.download import Fetched

TEXT = '{"_id": "a", "text": "cats"}\n'


@pytest.fixture
def pets(tmp_path, monkeypatch) -> Path:
    """A recipe without an address, and an archive with its file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "recipes"))
    monkeypatch.setenv("TOYSEARCH_CACHE", str(tmp_path / "cache" / "toysearch"))
    (tmp_path / "recipes" / "pets").mkdir(parents=True)
    checksum = hashlib.sha256(TEXT.encode()).hexdigest()
    (tmp_path / "recipes" / "pets" / "collection.toml").write_text(
        f'format = "beir"\n[[files]]\nrole = "documents"\npath = "corpus.jsonl"\nsha256 = "{checksum}"\n'
    )
    with zipfile.ZipFile("pets.zip", "w") as archive:
        archive.writestr("pets/corpus.jsonl", TEXT)
    return tmp_path


run = partial(shell.run, "corpora", "get")


def test_the_folder_on_standard_output_and_what_was_done_on_stderr(pets):
    folder = pets / "cache" / "toysearch" / "pets"
    result = run("pets", "--from", "pets.zip")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{folder}\n", "pets: 1 file fetched\n")
    assert (folder / "corpus.jsonl").read_text() == TEXT
    again = run("pets")
    assert (again.exit_code, again.stdout) == (0, f"{folder}\n")
    assert again.stderr == "pets already exists, nothing was fetched (--force fetches it again)\n"
    assert run("pets", "--force", "--from", "pets.zip").stderr == "pets: 1 file fetched\n"


def test_another_folder_and_how_to_use_it(pets):
    result = run("pets", "--from", "pets.zip", "-o", "mine")
    assert (result.exit_code, result.stdout) == (0, f"{Path('mine/pets')}\n")
    assert result.stderr == (
        f"pets: 1 file fetched\nTo use them, name {pets / 'mine'} in the environment variable TOYSEARCH_CORPORA.\n"
    )


def test_what_ships_is_there():
    result = run("cat-dog-parrot")
    assert (result.exit_code, Path(result.stdout.strip()).name) == (0, "cat-dog-parrot")


def test_what_is_asked_for_is_handed_on(pets, monkeypatch):
    asked = {}

    def fetch(name, folder, **options):
        asked.update(options, name=name, folder=folder)
        return Fetched(pets, ["corpus.jsonl"])

    monkeypatch.setattr("toysearch.collection.download.fetch", fetch)
    run("pets", "--seconds", "2.5", "-o", "mine", "--force", "--from", "x.zip")
    places = {"name": "pets", "folder": "mine", "address": "x.zip"}
    assert asked == places | {"force": True, "timeout": 2.5, "progress": None}


def test_a_bar_on_a_terminal_and_none_in_a_pipe(monkeypatch, capsys):
    with corpora._progress("pets") as tell:
        assert tell is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with corpora._progress("pets") as tell:
        tell("http://127.0.0.1/pets.zip", 500, 1000)
        tell("http://127.0.0.1/pets.zip", 1000, 1000)
    assert "pets: pets.zip" in capsys.readouterr().err


@pytest.fixture
def wanted(pets) -> Path:
    """A collection whose files are not here, and two places that are said to have them."""
    described = pets / "recipes" / "pets" / "collection.toml"
    (pets / "copy").mkdir()
    (pets / "copy" / "corpus.jsonl").write_text(TEXT)
    sources = f"title = 'Pets'\nsources = ['{pets / 'gone.tar.gz'}', '{pets / 'copy'}']\n"
    described.write_text(sources + described.read_text() + f"bytes = {len(TEXT)}\n")
    return pets


SEARCH = ["search", "pets", "cats", "--tsv"]


@pytest.mark.parametrize("arguments", [SEARCH, ["index", "pets", "-o", "idx"], ["check", "pets"]])
def test_get_fetches_the_missing_files_and_runs_the_command(wanted, arguments):
    result = shell.run(*arguments, "--get")
    assert result.exit_code == 0, result.stderr
    assert "gone.tar.gz: there is no such file; expected an archive, or a folder that holds the files; trying" in (
        " ".join(result.stderr.split())
    )
    assert (wanted / "cache" / "toysearch" / "pets" / "corpus.jsonl").read_text() == TEXT


def test_a_user_at_a_terminal_is_asked_once(wanted, monkeypatch):
    asked = []

    def confirm(question, **_):
        asked.append(" ".join(question.split()))
        return answer

    monkeypatch.setattr(corpora, "at_terminal", lambda: True)
    monkeypatch.setattr(corpora.click, "confirm", confirm)
    answer = False
    refused = shell.run(*SEARCH)
    assert (refused.exit_code, refused.stdout, len(asked)) == (2, "", 1)
    assert "`toysearch corpora get pets` fetches them" in refused.stderr
    answer = True
    assert shell.run(*SEARCH).stdout.splitlines()[1].split("\t")[1] == "a"
    assert asked[1].startswith("The files of Pets (29 bytes) are not here. Fetch them from ")


def test_nobody_is_asked_in_a_pipe(wanted):
    result = shell.run(*SEARCH)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "`toysearch corpora get pets` fetches them" in result.stderr
