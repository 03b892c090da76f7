"""Commands on an index in shards, and with workers: the same output as on one index."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
from local_workers import WorkersHere, connect, settled
from shell import done, refusal, refused
from small_collections import contents
from tiers import exhaustive, thinned

from toysearch import Index
from toysearch.workbench.shards import connection
from toysearch.workbench.shards.connection import connected

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One index, and the same in shards."""
    folder = tmp_path_factory.mktemp("indexes")
    done("index", "companions", "-o", folder / "one")
    done("index", "companions", "-o", folder / "shards", "--shards", 3)
    return folder


def both(made, *arguments):
    """What a command prints for one index and for the shards, without the name of the folder."""
    place = arguments.index("INDEX")
    found = []
    for name in ("one", "shards"):
        path = str(made / name)
        result = done(*arguments[:place], path, *arguments[place + 1 :])
        found.append([text.replace(path, "INDEX") for text in (result.stdout, result.stderr)])
    return found


@pytest.mark.parametrize(
    "arguments",
    thinned(
        map(
            pytest.param,
            [
                ("run", "INDEX", "--model", "rm3(bm25)", "-o", "-"),
                ("eval", "INDEX", "--model", "bm25", "--model", "cosine"),
                ("compare", "INDEX", "--model", "bm25", "--model", "tfidf"),
                ("search", "INDEX", "puppy training", "--explain"),
                ("search", "INDEX", "pupy -cat"),
                ("similar", "INDEX", "p003"),
                ("show", "INDEX", "--term", "dog"),
                ("show", "INDEX", "--doc", "p003"),
            ],
        ),
        4,
    ),
    ids=lambda arguments: arguments[0],
)
def test_shards_print_what_one_index_prints(arguments, made):
    expected, found = both(made, *arguments)
    assert found == expected


def test_show_and_check_know_shards(made):
    assert json.loads(done("show", made / "shards", "--json").stdout)["shards"] == 3
    assert "shards" not in json.loads(done("show", made / "one", "--json").stdout)
    assert "is sound: " in done("check", made / "shards").stdout


def test_add_and_delete_change_the_shards(made, tmp_path):
    for name in ("one", "shards"):
        shutil.copytree(made / name, tmp_path / name)
        done("add", tmp_path / name, "cat-dog-parrot")
        done("delete", tmp_path / name, "p001", "p399", "1")
    assert Index.open(tmp_path / "shards").checksum == Index.open(tmp_path / "one").checksum


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--shards", "2", "--lsa", "3"),
            "--lsa: an index in shards stores no topics; leave it out, and --model lsa:3 computes them for a search",
        ),
        (("--shards", "2", "--on-error", "skip"), "--on-error: only without --shards and workers"),
    ],
)
def test_options_that_exclude_each_other(arguments, said, tmp_path):
    assert refusal("index", "companions", "-o", tmp_path / "x", *arguments) == f"Error: {said}"
    assert not (tmp_path / "x").exists()


@pytest.mark.waits
def test_a_cluster_that_does_not_answer(tmp_path, monkeypatch):
    from toysearch.workbench.shards import connection

    monkeypatch.setattr(connection, "_SECONDS", 1)
    said = refused("index", "companions", "-o", tmp_path / "x", "--workers", "tcp://127.0.0.1:9")
    assert said.startswith("toysearch: the cluster tcp://127.0.0.1:9 does not answer: ")
    assert not (tmp_path / "x").exists()


@pytest.mark.waits
def test_without_the_options_nothing_of_dask_is_loaded(made, tmp_path):
    shutil.copytree(made / "one", tmp_path / "one")
    code = """if True:
        import sys
        from toysearch.cli.main import command
        shards, one = sys.argv[1:]
        for line in (
            f"run {shards} -o -", f"add {one} cat-dog-parrot", "tune cat-dog-parrot --grid b=0.3,0.6",
            "robustness cat-dog-parrot --only rare", f"check {one} cat-dog-parrot", f"check {shards}",
        ):
            command(line.split(), standalone_mode=False)
        assert not {'dask', 'distributed', 'toysearch.workbench.shards.connection'} & {*sys.modules}
    """
    run = [sys.executable, "-c", code, str(made / "shards"), str(tmp_path / "one")]
    subprocess.run(run, check=True, capture_output=True, timeout=60)


COMMANDS = ["run SHARDS -o - --model rm3(bm25)", pytest.param("run SHARDS -o -", marks=exhaustive)]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_with_workers_print_the_same(command, made, monkeypatch):
    places = {"SHARDS": str(made / "shards"), "ONE": str(made / "one")}
    arguments = [places.get(each, each) for each in command.split()]
    expected = done(*arguments)
    client = WorkersHere()
    connect(monkeypatch, client)
    found = done(*arguments, "--workers", 2)
    printed = [each.stdout.partition('  "repeat": {')[0] for each in (found, expected)]  # with the command
    assert (printed[0], found.stderr) == (printed[1], expected.stderr)
    assert client.sent
    connect(monkeypatch, WorkersHere(lost=True))
    said = refusal(*arguments, "--workers", 2)
    assert said == "toysearch: the scheduler of the cluster is gone (FutureCancelledError); nothing is changed"


@pytest.fixture(scope="module")
def mortal():
    """A client of two processes of this machine, which tests kill."""
    with connected(2) as client:
        yield client


def killed_once(mark, *task):
    """Do a task; the first time of all, the worker is killed before it can return the result."""
    result = connection._done_here(*task)
    with contextlib.suppress(FileExistsError):
        mark.touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return result


@pytest.mark.waits
@exhaustive
@pytest.mark.parametrize(
    "command",
    [
        "run SHARDS -o -",
        "index cat-dog-parrot --shards 2 -o NEW",
        "add NEW companions",
    ],
)
def test_a_killed_process_changes_nothing_that_a_command_prints(command, made, mortal, tmp_path, monkeypatch):
    found = []
    for name in ("alone", "killed"):
        new = tmp_path / name
        done("index", "cat-dog-parrot", "--shards", 2, "-o", new)
        places = {"SHARDS": str(made / "shards"), "NEW": str(new)}
        arguments = [places.get(each, each) for each in command.split()]
        if name == "killed":
            connect(monkeypatch, settled(mortal))
            monkeypatch.setattr(connection, "_done_here", partial(killed_once, tmp_path / "mark"))
            arguments += ["--workers", 2]
        printed = done(*arguments)
        seconds = re.compile(r"[\d.]+ s$", re.MULTILINE)
        found.append((printed.stdout, seconds.sub("", printed.stderr.replace(str(new), "NEW")), contents(new)))
    assert (tmp_path / "mark").exists()
    assert found[0] == found[1]


def test_added_documents_are_indexed_by_workers(made, tmp_path, monkeypatch):
    for name in ("one", "shards"):
        for folder in ("alone", "together"):
            shutil.copytree(made / name, tmp_path / folder / name)
        connect(monkeypatch, WorkersHere())
        done("add", tmp_path / "alone" / name, "cat-dog-parrot")
        found = done("add", tmp_path / "together" / name, "cat-dog-parrot", "--workers", 2)
        assert "400 documents before, now 404 documents" in found.stderr
        assert contents(tmp_path / "together" / name) == contents(tmp_path / "alone" / name)
        connect(monkeypatch, WorkersHere(lost=True))
        said = refusal("add", tmp_path / "together" / name, "cat-dog-parrot", "--replace", "--workers", 2)
        assert said == "toysearch: the scheduler of the cluster is gone (FutureCancelledError); nothing is changed"
        assert contents(tmp_path / "together" / name) == contents(tmp_path / "alone" / name)
        connect(monkeypatch, WorkersHere())
        arguments = ("add", tmp_path / "together" / name, "cat-dog-parrot")
        assert refusal(*arguments, "--workers", 2) == refusal(*arguments)
    assert sorted(path.name for path in (tmp_path / "together").iterdir()) == ["one", "shards"]


def test_only_an_index_in_shards_is_searched_by_workers(made, monkeypatch):
    connect(monkeypatch, WorkersHere())
    said = refusal("run", made / "one", "-o", "-", "--workers", 2)
    assert said == (
        f"toysearch: '{made / 'one'}' is not an index in shards, which workers could search at once; make one with "
        "toysearch index SOURCE -o DIR --shards N, or leave out --workers"
    )
    said = refusal("eval", made / "shards", "--workers", 2)
    assert said.startswith("Error: No such option '--workers': leave it out; toysearch run INDEX --workers N ranks")


def test_several_indexes_and_collections_are_checked(made, tmp_path):
    assert refusal("check", made / "one", "companions", "--json") == "Error: --format json: only for one TARGET"
    (tmp_path / "qrels.txt").write_text("1 0 p001 1\n")
    said = refusal("check", made / "one", "companions", tmp_path / "qrels.txt")
    assert said == (
        "Error: several TARGETs must be collections, files of documents or indexes; add --write to check the files of "
        "one collection together"
    )
