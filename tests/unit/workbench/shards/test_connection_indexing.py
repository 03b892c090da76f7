"""An index made in shards is the one made alone; wrong input is refused with the same words, and nothing is left."""

import contextlib
import json
import math
import os

import pytest
from error_messages import raising
from local_workers import KILL, WorkersHere, scheduler_with_workers
from small_collections import contents
from small_shards import build_shards
from tiers import exhaustive, thinned

import toysearch
from toysearch import Index
from toysearch.base.errors import ArgumentError, DataError, ToysearchError
from toysearch.index import change_index
from toysearch.index.content_checks import check_index
from toysearch.workbench.shards import shard_builder
from toysearch.workbench.shards.connection import connected
from toysearch.workbench.shards.shard_builder import index_share, index_to_add
from toysearch.workbench.shards.shard_folder import BUILDING


def records(n=300):
    """Documents of many lengths, with blank lines between them."""
    lines = []
    for number in range(n):
        text = " ".join(f"w{(number * step) % 23}" for step in range(number % 17))
        lines.append(json.dumps({"id": f"d{number}", "title": f"t{number % 5}", "text": text, "year": 1900 + number}))
    return lines


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n\n".join(records()) + "\n")
    return path


@pytest.mark.system
@pytest.mark.parametrize(
    "kept",
    thinned([{"fields": ["title", "text"], "positions": True}, {}, {"values": ["year"], "store_text": False}], 3),
    ids=["fields", "usual", "values"],
)
def test_one_index_has_the_same_bytes(kept, source, tmp_path):
    Index.build(toysearch.load(source), folder=tmp_path / "one", **kept)
    build_shards(source, tmp_path / "joined", shards=3, joined=True, **kept)
    assert contents(tmp_path / "joined") == contents(tmp_path / "one")
    index = build_shards(source, tmp_path / "shards", shards=3, **kept)
    assert [len(part) for part in index.parts] == [101, 100, 99]
    assert index.checksum == Index.open(tmp_path / "one").checksum
    assert check_index(tmp_path / "shards") == []
    assert sorted(os.listdir(tmp_path)) == ["docs.jsonl", "joined", "one", "shards"]


@pytest.mark.system
@pytest.mark.parametrize(("place", "tasks"), thinned([(299, 6), (0, 3), (None, 6)], 3))
def test_workers_look_for_titles_after_a_first_line_without_one(place, tasks, source, tmp_path):
    lines = [json.loads(line) for line in records()]
    for number, line in enumerate(lines):
        title = line.pop("title")
        line |= {"headline": title} if number == place else {"year": number}
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    client = WorkersHere()
    index = build_shards(source, tmp_path / "shards", shards=3, client=client)
    assert index.checksum == Index.build(toysearch.load(source)).checksum
    assert (len(index.parts), len(client.sent)) == (3, tasks)


def test_a_relative_path_is_the_same_file_for_every_worker_and_shards_may_outnumber_documents(
    source, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    source.write_text("\n".join(records(3)))
    index = build_shards(source.name, "shards", shards=9)
    assert index.checksum == Index.build(toysearch.load(source)).checksum
    assert (index.folder, [len(part) for part in index.parts]) == (tmp_path / "shards", [1, 1, 1])


WRONG = ['{"id": "d5", "title": "x", "text": "again"}', '{"id": {"a": 1}, "text": "x"}', "nonsense"]


@pytest.mark.parametrize("line", WRONG)
def test_wrong_documents_are_refused_with_the_line_of_the_whole_file(line, tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join([*records(), line]))
    with pytest.raises(DataError) as expected:
        Index.build(toysearch.load(path))
    with pytest.raises(DataError) as found:
        build_shards(path, tmp_path / "x", shards=3)
    assert str(found.value) == str(expected.value)
    assert ":301: " in str(found.value)
    assert os.listdir(tmp_path) == ["docs.jsonl"]


@pytest.mark.system
def test_a_field_that_one_share_has_is_known(tmp_path):
    lines = [*records(), '{"id": "last", "title": "t", "text": "w1", "price": 3}']
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    index = build_shards(tmp_path / "docs.jsonl", tmp_path / "x", shards=3, values=["price"])
    assert index.values["price"].texts[index.values["price"].codes[-1]] == "3"
    known = "Fields of the documents: title, text, year, price"
    with raising(ArgumentError, f"unknown field of the documents 'prise'; did you mean 'price'? {known}"):
        build_shards(tmp_path / "docs.jsonl", tmp_path / "y", shards=3, values=["prise"])


@exhaustive
@pytest.mark.system
def test_blocks_are_as_small_as_the_memory_of_workers_demands(source, tmp_path):
    Index.build(toysearch.load(source), folder=tmp_path / "one", positions=True)
    alone = build_shards(source, tmp_path / "alone", shards=2, positions=True)
    tasks = []
    for limit in (10_000_000, 300_000):
        client = WorkersHere(limit=limit)
        build_shards(source, tmp_path / "joined", shards=2, joined=True, positions=True, client=client)
        assert contents(tmp_path / "joined") == contents(tmp_path / "one")
        tasks.append(len(client.sent))
    index = build_shards(source, tmp_path / "shards", shards=2, positions=True, client=client)
    assert [part.folder.name for part in index.parts] == [part.folder.name for part in alone.parts]
    size = source.stat().st_size
    assert tasks == [2, 2 * math.ceil(size * 3 / (30_000 * 2))]
    assert tasks[1] > 2


def killed_once(task, tell=None):
    """Make the index of a share; the first time of all, the worker is killed when it is half done."""
    mark = task.folder.parent.parent / "killed-once"

    def dying(count):
        if count >= 50:
            try:
                mark.touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), KILL)

    return index_share(task, dying)


@exhaustive
@pytest.mark.waits
def test_processes_make_the_same_bytes_and_a_killed_one_changes_nothing(mortal, source, tmp_path, monkeypatch):
    Index.build(toysearch.load(source), folder=tmp_path / "one", positions=True)
    how = {"shards": 5, "client": mortal, "positions": True}
    told = []
    build_shards(source, tmp_path / "joined", joined=True, progress=told.append, **how)
    assert contents(tmp_path / "joined") == contents(tmp_path / "one")
    assert told[-1] == 300
    monkeypatch.setattr(shard_builder, "index_share", killed_once)
    index = build_shards(source, tmp_path / "shards", **how)
    assert (tmp_path / "killed-once").exists()
    assert index.checksum == Index.open(tmp_path / "one").checksum
    assert check_index(tmp_path / "shards") == []


@exhaustive
@pytest.mark.waits
def test_a_scheduler_that_is_killed_ends_the_command_and_leaves_nothing(source, tmp_path, monkeypatch):
    place = tmp_path / "scheduler.json"
    with scheduler_with_workers(place, 1) as scheduler, monkeypatch.context() as changed:
        changed.setattr(shard_builder, "index_share", _killing(scheduler))
        with connected(str(place)) as client, pytest.raises(ToysearchError) as refused:
            build_shards(source, tmp_path / "x", shards=2, client=client)
    assert str(refused.value).startswith("the scheduler of the cluster is gone (")
    assert str(refused.value).endswith("); nothing is changed")
    assert not (tmp_path / "x" / "manifest.json").exists()
    build_shards(source, tmp_path / "x", shards=2)  # removes what a worker may have written after that
    assert check_index(tmp_path / "x") == []
    assert not (tmp_path / "x" / BUILDING).exists()


def _killing(scheduler):
    """A task that kills the scheduler when it has done its work."""

    def kill(task, tell=None):
        made = index_share(task, lambda count: None)
        with contextlib.suppress(ProcessLookupError):
            os.kill(scheduler, KILL)
        return made

    return kill


@pytest.mark.usefixtures("windows")
def test_documents_that_workers_add_leave_nothing_beside_the_index(source, tmp_path):
    """Windows removes no file that is mapped, and the added texts are read from the shards until they are saved."""
    Index.build({"first": "w1 w2"}, folder=tmp_path / "index")
    with contextlib.ExitStack() as stack:

        def added(index):
            adding = index_to_add(toysearch.load(source), tmp_path / "index", index, shards=2, client=WorkersHere())
            return index.with_arrays(stack.enter_context(adding).arrays, False)

        index = change_index(tmp_path / "index", added)
    assert (index.stats.N, index.texts[1]) == (301, Index.open(tmp_path / "index").texts[1])
    assert sorted(os.listdir(tmp_path)) == ["docs.jsonl", "index"]
