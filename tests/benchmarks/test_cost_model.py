"""The formulas of cost: bytes of messages and files of real shards; memory and time are left to the benchmark."""

import pickle

import cloudpickle
import pytest

from toysearch import Index, Searcher
from toysearch.workbench.shards.shard_folder import save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex

pytestmark = pytest.mark.system

N, S, K = 2_000, 4, 10


@pytest.fixture(scope="module")
def model(benchmark_module):
    return benchmark_module("cost_model")


@pytest.fixture(scope="module")
def shards(benchmark_module, tmp_path_factory):
    """An index of synthetic documents in shards, without texts, and its folder."""
    texts = [*benchmark_module("workloads").documents(N)]
    step = N // S
    parts = [Index.build(dict(texts[start : start + step]), store_text=False) for start in range(0, N, step)]
    folder = tmp_path_factory.mktemp("cost") / "shards.idx"
    folder.mkdir()
    save_shards(folder, ShardedIndex(parts))
    return folder, Index.open(folder)


def test_the_files_are_as_large_as_predicted(model, shards):
    folder, index = shards
    counts = {N: len(index.terms), N / S: sum(part.stats.n_terms for part in index.parts) / S}
    term_bytes = index.terms.blob.size / len(index.terms)
    texts = model.Texts(counts.__getitem__, index.stats.n_postings / N, term_bytes)
    work = model.Work(N, S)
    assert sum(path.stat().st_size for path in folder.glob("*.npy")) == round(model.statistics_bytes(work, texts))
    of_shards = [sum(path.stat().st_size for path in part.folder.iterdir()) for part in index.parts]
    assert model.shard_bytes(work, texts) == pytest.approx(sum(of_shards) / S, rel=0.2)  # small files have long headers


@pytest.mark.parametrize("k", [1, K, 200])
def test_the_messages_are_as_long_as_predicted(model, shards, k):
    index = shards[1]
    frequent = index.terms.take(index.df.argsort()[-5:])
    queries = {f"mix{number:05}": " ".join(frequent) for number in range(100)}
    passed = []

    def spread(task, arguments):
        answers = [task(shard, *own) for shard, own in zip(index.shards, arguments, strict=True)]
        passed.append(sum(len(cloudpickle.dumps((task, own))) for own in arguments))
        passed.append(sum(len(pickle.dumps(answer, 5)) for answer in answers))
        return answers

    index.spread = spread
    Searcher(index, "bm25").run(queries, k)
    work = model.Work(N, S, queries=len(queries), k=k)
    assert passed[0] == pytest.approx(model.sent(work), rel=0.1)
    assert passed[1] == pytest.approx(model.received(work), rel=0.05)
