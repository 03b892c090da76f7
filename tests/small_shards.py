"""Documents in one index and in shards, with everything that could differ: what several test files compare."""

import functools
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from toysearch import Index, load
from toysearch.base import Document
from toysearch.workbench.shards.shard_builder import index_in_shards
from toysearch.workbench.shards.shard_folder import save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex

WORDS = [f"w{number}" for number in range(30)]
N = 48
CUTS = (0, 1, 3, 20, 20, 44, 48)  # shards of one, of two and of many documents; one without any term; one of none
SAVED = (0, 3, 20, 48)
MODELS_MADE = [
    *("rm3(bm25)", "sdm(bm25)", "rm3(sdm(bm25))", "bo1(pl2)", "axiomatic(bm25)"),
    *("0.7*min-max(bm25) + 0.3*z-score(tfidf)", "rrf(bm25, lm-dirichlet)", "bm25 + 0.1*prior:year"),
    *("bm25 - 0.1*every(log(prior:year))", "formula:tf * log(N / df) * log(prior:year)", "bm25f:title=2,text=1"),
    *("formula:tf * log(N / df) / (tf + dl / avgdl)", "lsa:3"),
]
QUERIES = {
    "ties": "w0",
    "common": "w0 w1 w2",
    "one shard": "rare w5",
    "unknown": "w29 nothing w28",
    "twice": "w3 w3 w7",
    "none": "nothing",
}
STRUCTURED = [
    *('"w0 w1"', "w0 AND w5", "+w1 -w3", "w2*", '"w1 w2"~5 OR w9', "NOT w0", "title:w1", "year:>1920", "rare~1 w4"),
]


def build_shards(
    source, folder, *, shards, joined=False, analyzer=None, client=None, progress=None, reading=None, **settings
) -> Index:
    """The index of a source in shards, or joined from them, as the command makes it."""
    how = {"shards": shards, "joined": joined, "client": client, "progress": progress}
    return index_in_shards(load(source, topics=False, **(reading or {})), folder, analyzer, settings, **how)


@functools.cache
def documents() -> tuple[Document, ...]:
    """Documents of any length with many repeated ones, a term in one of them only, and one that occurs 300 times."""
    chance = random.Random(7)
    common = [1 / (number + 1) for number in range(len(WORDS))]
    made = []
    for number in range(N):
        text = " ".join(chance.choices(WORDS, common, k=chance.choice([0, 1, 3, 3, 12, 60])))
        if number in (5, 25, 46):  # ties in several shards
            text = "w0 w1 w0"
        if number == 47:
            text = "rare " + "w0 " * 300
        if 44 <= number < 47:
            text = ""
        title = " ".join(chance.choices(WORDS, common, k=2)) if number % 3 == 0 and number < 44 else ""
        made.append(Document(f"d{number}", text, title, {"title": title, "text": text, "year": str(1900 + number)}))
    return tuple(made)


def kept() -> dict[str, object]:
    """What the indexes keep: all that there is."""
    return {"fields": ["title", "text"], "values": ["year"], "positions": True}


def parts(cuts: Sequence[int] = CUTS) -> list[Index]:
    """The index of each stretch of documents."""
    return [Index.build(documents()[a:b], **kept()) for a, b in pairwise(cuts) if a < b]


@functools.cache
def whole() -> Index:
    """The index of all documents."""
    return Index.build(documents(), **kept())


def sharded(cuts: Sequence[int] = CUTS) -> ShardedIndex:
    """The index in shards."""
    return ShardedIndex(parts(cuts))


def saved(folder: Path) -> Path:
    """An index in three shards, saved to a folder in another one."""
    path = folder / "pets.idx"
    path.mkdir()
    save_shards(path, sharded(SAVED))
    return path


def same(first, second) -> bool:
    """Whether two runs or rankings have the same documents, and the same scores to the last bit."""
    return list(first.doc_ids) == list(second.doc_ids) and first.scores.tobytes() == second.scores.tobytes()
