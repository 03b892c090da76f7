"""Workers search the shards: one task per shard for all queries, with the scores of one index."""

import os

import pytest
from error_messages import raising
from local_workers import KILL, WorkersHere
from small_shards import MODELS_MADE, QUERIES, SAVED, STRUCTURED, same, saved, sharded, whole
from tiers import exhaustive

from toysearch import MODELS, Index, Searcher
from toysearch.base.errors import ArgumentError, StorageError
from toysearch.base.platform import cores
from toysearch.base.worker_tasks import all_done
from toysearch.index.file_layout import MANIFEST, SHARDED, read_manifest, seal
from toysearch.index.opened_files import map_array
from toysearch.workbench.shards import distributed_search, shard_folder, sharded_index, sharded_scorer
from toysearch.workbench.shards.distributed_search import spread_over
from toysearch.workbench.shards.shard_folder import save_shards

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore")]
ANSWERS = sharded_scorer.answers


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("made"))


@pytest.fixture
def client():
    return WorkersHere()


def spread(folder, client):
    index = Index.open(folder)
    spread_over(client, index)
    return index


def test_workers_give_the_scores_of_one_index(folder, client):
    index = spread(folder, client)
    for model in ("cosine", "rm3(bm25)", "0.5*min-max(bm25) + tfidf"):
        assert same(Searcher(index, model).run(QUERIES, 5), Searcher(whole(), model).run(QUERIES, 5))
    for text in STRUCTURED[::3]:
        expected = Searcher(whole()).search(text, 5, query_mode="lenient")
        assert same(Searcher(index).search(text, 5, query_mode="lenient"), expected)


def test_tasks_share_the_cores_of_their_machine(client, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)  # on Linux
    monkeypatch.setattr(os, "cpu_count", lambda: 8)  # elsewhere
    assert all_done(client, cores, [()] * 5) == [4] * 5  # two workers, so two at the same time
    assert all_done(client, cores, [()]) == [8]
    assert cores() == 8


def test_a_worker_opens_the_numbers_of_its_shard_only(folder, monkeypatch):
    opened = []
    monkeypatch.setattr(
        shard_folder, "map_array", lambda path, *rest: opened.append(path.name) or map_array(path, *rest)
    )
    manifest = read_manifest(folder, SHARDED)
    name, numbers = manifest["shards"][1]["folder"], manifest["shards"][1]["numbers"]
    checksum = seal((folder / MANIFEST).read_bytes())
    shard = sharded_index.one_shard(folder, checksum, name)
    assert [each for each in opened if each.startswith("numbers")] == [numbers]
    assert shard.numbers.tolist() == Index.open(folder).shards[1].numbers.tolist()


def test_a_function_of_the_user_is_sent(folder, client):
    factor = 3.0

    def mine(tf, df):
        return factor * tf / df

    assert same(Searcher(spread(folder, client), mine).run(QUERIES), Searcher(whole(), mine).run(QUERIES))


def test_one_index_is_not_searched_by_workers(client):
    with raising(ArgumentError, "workers search an index in shards, opened from a folder that all of them can read"):
        spread_over(client, whole())


def test_a_folder_that_has_changed_is_refused(folder, client):
    index = spread(folder, client)
    distributed_search._opened_shard.cache_clear()
    save_shards(folder, sharded((0, 10, 48)))
    said = f"{folder} is not the index that the command opened: it is changed, or another computer's"
    try:
        with raising(StorageError, said):
            Searcher(index, "bm25").search("w0")
    finally:
        save_shards(folder, sharded(SAVED))


def killed_once(shard, *arguments, tell=None):
    """Answer queries; the first time of all, the worker is killed."""
    try:
        (shard.folder.parent.parent / "killed-once").touch(exist_ok=False)
    except FileExistsError:
        return ANSWERS(shard, *arguments, tell=tell)
    os.kill(os.getpid(), KILL)
    raise AssertionError


@exhaustive
@pytest.mark.waits
def test_processes_give_the_scores_of_one_index_for_every_model(processes, folder):
    index, told = Index.open(folder), []
    spread_over(processes, index, lambda *counts: told.append(counts))
    for model in [*MODELS, *MODELS_MADE]:
        assert same(Searcher(index, model).run(QUERIES, 5), Searcher(whole(), model).run(QUERIES, 5)), model

    assert max(told) == (len(QUERIES), len(QUERIES))


@exhaustive
@pytest.mark.waits
def test_a_killed_process_changes_no_score(mortal, folder, monkeypatch):
    index = spread(folder, mortal)
    monkeypatch.setattr(sharded_scorer, "answers", killed_once)
    (folder.parent / "killed-once").unlink(missing_ok=True)
    for model in ("bm25", "rm3(sdm(bm25))"):
        assert same(Searcher(index, model).run(QUERIES), Searcher(whole(), model).run(QUERIES)), model
    assert (folder.parent / "killed-once").exists()
