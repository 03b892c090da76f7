"""Cut a collection into shards and do what a command and its workers do, each step in a process of its own.

python simulate_shards.py COLLECTION SCRATCH --shards S [--k 1000]

The seconds of a core, the peak memory in MB and the MB of files and messages are printed as JSON. Each process has one
thread, so seconds of a core are those of a clock if nothing else runs, and stay about the same if something does.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pickle
import resource
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WARM = 100  # queries that load the compiled loops first


def peak() -> float:
    """The peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def index_shares(source: str, room: str, shards: int, numbers: list[int]) -> tuple[float, list[float], float]:
    """The seconds to cut the files and for each share, the first of which loads the loops, and the peak memory."""
    from toysearch import Analyzer
    from toysearch.collection.catalog import load
    from toysearch.workbench.shards.document_shares import cut_in_shares, shared_path
    from toysearch.workbench.shards.shard_builder import _Task, index_share

    began = time.process_time()
    shares, seconds = cut_in_shares(load(source, topics=False), shards), list[float]()
    cut = time.process_time() - began
    settings = {"store_text": False, "fields": (), "values": (), "positions": False, "threads": 1}
    place = shared_path(source)
    for number in numbers:
        began = time.process_time()
        index_share(_Task(number, place, {}, shares[number], Analyzer(), settings, Path(room)), lambda _: None)
        seconds.append(time.process_time() - began)
    return cut, seconds, peak()


def join(room: str, folder: str) -> tuple[float, float]:
    """The seconds to join the statistics and to save them, and the peak memory."""
    from toysearch.index.inverted_index import Index
    from toysearch.workbench.shards.shard_folder import save_shards
    from toysearch.workbench.shards.sharded_index import ShardedIndex

    began = time.process_time()
    made = sorted(Path(room).iterdir(), key=lambda path: int(path.name.partition("-")[0]))
    save_shards(Path(folder), ShardedIndex([Index.open(path) for path in made]))
    return time.process_time() - began, peak()


def search(folder: str, queries: list[tuple[str, str]], k: int) -> dict[str, float]:
    """Open the index and ask the queries, as a command with workers that are in its own process."""
    from cloudpickle import dumps

    from toysearch import Index, Searcher

    began = time.process_time()
    index: Any = Index.open(folder)
    opened = time.process_time() - began
    found: dict[str, Any] = {}

    def spread(task: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        answers, seconds = [], []
        for shard, own in zip(index.shards, arguments, strict=True):
            began = time.process_time()
            answers.append(task(shard, *own))
            seconds.append(time.process_time() - began)
        found["work"] = seconds
        found["sent"] = sum(len(dumps((task, own))) for own in arguments) / 1e6
        found["received"] = sum(len(pickle.dumps(answer, 5)) for answer in answers) / 1e6
        found["counting"] = time.process_time() - began - sum(seconds)
        return answers

    searcher = Searcher(index, "bm25")
    searcher.run(queries[:WARM], k, threads=1)
    index.spread = spread
    before = peak()
    began = time.process_time()
    searcher.run(queries[WARM:], k, threads=1)
    whole = time.process_time() - began
    work = found.pop("work")
    return {
        "open all shards": opened,
        "search a shard": statistics.median(work),
        "merge the answers": max(whole - sum(work) - found.pop("counting"), 0.0),
        "memory of the command that merges": peak() - before,
        **found,
    }


def main() -> None:
    """Make the shards, join and search them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--shards", type=int, required=True)
    parser.add_argument("--k", type=int, default=1_000)
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    room = options.scratch / "toysearch-building"
    room.mkdir(parents=True)
    source, shards, folder = str(options.collection / "corpus.jsonl"), options.shards, str(options.scratch)
    lines = (options.collection / "mix.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [(item["_id"], item["text"]) for item in map(json.loads, lines)]

    def alone(task: Callable[..., Any], *arguments: Any) -> Any:
        """What a task returns in a process of its own."""
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(task, arguments)

    first = [0, 1]  # the second is as quick as all others, and one process does the work of one worker
    cut, seconds, memory = alone(index_shares, source, str(room), shards, first)
    alone(index_shares, source, str(room), shards, [number for number in range(shards) if number not in first])
    sizes = [sum(path.stat().st_size for path in shard.iterdir()) / 1e6 for shard in room.iterdir()]
    joined, memory_of_joining = alone(join, str(room), folder)
    of_statistics = sum(path.stat().st_size for path in options.scratch.glob("*.npy")) / 1e6
    found = {
        "cut the files": cut,
        "index a shard": seconds[-1],
        "memory of a worker that indexes": memory,
        "join the statistics": joined,
        "memory of the command that joins": memory_of_joining,
        **alone(search, folder, queries, options.k),
        "files of a shard": statistics.median(sizes),
        "files of the statistics": of_statistics,
        "queries": len(queries) - WARM,
        "settings": "simulated shards: one process and one thread at a time; bm25; without texts",
        "version": "",
    }
    shutil.rmtree(options.scratch, ignore_errors=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
