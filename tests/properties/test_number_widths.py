"""Numbers at the ends of one byte and of two: however an index is made, it is byte for byte the one built alone."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from chosen_way import way
from local_workers import WorkersHere
from small_shards import build_shards, same
from tiers import exhaustive, thinned

from toysearch import Index, Searcher, load
from toysearch.analysis.analyzer import Analyzer
from toysearch.base import Document
from toysearch.collection import document_batches
from toysearch.index import threaded_builder
from toysearch.index.content_checks import check_index
from toysearch.workbench.shards.shard_builder import index_to_add
from toysearch.workbench.shards.shard_folder import save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex

pytestmark = pytest.mark.system

ENGLISH = Analyzer.for_language("english")
LONG: dict[str, Callable[[int], str]] = {
    "lengths": lambda n: " ".join(f"w{number}" for number in range(n)),
    "frequencies": lambda n: "cat " * n,
    "holes": lambda n: "the " * n + "cat",
    "places": lambda n: "".join(f"w{number % 40} the " for number in range(n // 2)) + "the " * (n % 2) + "cat",
    "letters": lambda n: "c" * n,
}
"""A text with n of something: tokens kept, the same token, tokens left out, half of both, letters of a token."""


def documents(kind: str, n: int) -> list[Document]:
    """A long document between short ones, or n documents."""
    if kind == "documents":
        return [Document(f"d{number}", "cat dog"[: 3 + 4 * (number % 3 == 0)]) for number in range(n)]
    texts = {"a": "a cat, a dog", "b": "bird", "long": LONG[kind](n), "z": "the cat"}
    return [Document(doc_id, text) for doc_id, text in texts.items()]


def built(given: list[Document], **options: Any) -> Index:
    return Index.build(given, ENGLISH, positions=True, **options)


def saved(index: Index, folder: Path) -> Index:
    """The index, saved to a folder and opened."""
    index.save(folder)
    return Index.open(folder)


def file_of(given: list[Document], path: Path) -> str:
    path.write_text("".join(json.dumps({"_id": each.doc_id, "text": each.text}) + "\n" for each in given))
    return str(path)


def made_in_memory(given: list[Document]) -> Iterator[tuple[str, Index]]:
    """The index of documents, made in several ways."""
    first, more = len(given) // 2, [Document("more", "more " * 300)]
    yield "by plain loops", by_plain_loops(given)
    yield "by threads", in_blocks(given, threads=2)
    yield "in shards", ShardedIndex([built(given[:1]), built(given[1:])])
    yield "added", built(given[:first]).add(given[first:])
    yield "deleted", built([*more, *given]).delete(["more"])


def by_plain_loops(given: list[Document]) -> Index:
    with way("plain"):
        return built(given)


def in_blocks(given: list[Document], threads: int) -> Index:
    """An index that threads build, each with a few documents at a time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(document_batches, "BATCH", max(1, len(given) // 4))
        patched.setattr(threaded_builder, "ScannedTerms", partial(threaded_builder.ScannedTerms, block=1))
        return built(given, threads=threads)


def made_in_files(given: list[Document], folder: Path) -> Iterator[tuple[str, Index]]:
    """The index of documents, made of others that are opened from files, which store each number in few bytes."""
    cuts = [0, 1, len(given) // 2 + 1, len(given)]
    parts = [saved(built(given[a:b]), folder / f"{a}-{b}") for a, b in pairwise(cuts)]
    first, others = parts[0], ShardedIndex(parts[1:])
    yield "opened", saved(built(given), folder / "opened")
    yield "in shards", ShardedIndex(parts)
    yield "joined", saved(ShardedIndex(parts), folder / "joined")
    with way("plain"):
        yield "joined by plain loops", ShardedIndex(parts)
    yield "added", first.add(given[1:])
    yield "joined and added", first.with_arrays(others.arrays, replace=False)
    (folder / "shards").mkdir()
    save_shards(folder / "shards", ShardedIndex(parts))
    more = Index.open(folder / "shards").add([Document("more", "more " * 300)])
    yield "added and deleted in shards", more.delete(["more"])
    yield "deleted", saved(more, folder / "more").delete(["more"])


def made_by_workers(given: list[Document], folder: Path) -> Iterator[tuple[str, Index]]:
    """The index of documents, made by workers, or added by them."""
    how: dict[str, Any] = {"shards": 2, "client": WorkersHere()}
    path = file_of(given, folder / "all.jsonl")
    yield "built", build_shards(path, folder / "built", joined=True, analyzer=ENGLISH, positions=True, **how)
    first = saved(built(given[:1]), folder / "first")
    others = load(file_of(given[1:], folder / "others.jsonl"))
    with index_to_add(others, folder / "first", first, **how) as new:
        yield "added", first.with_arrays(new.arrays, replace=False)


QUICK = [
    *(("lengths", n) for n in (255, 256)),
    ("frequencies", 256),
    ("holes", 255),
    ("places", 257),
    ("documents", 256),
]
QUICK += [("lengths", 65_537)]
SIZES = [*range(254, 259), *range(65_535, 65_538)]
CASES = [
    pytest.param(kind, n, marks=[] if (kind, n) in QUICK else exhaustive)
    for n in SIZES
    for kind in (*LONG, "documents")
]
assert len(CASES) == 48
of_any_size = pytest.mark.parametrize(("kind", "n"), CASES)


@of_any_size
def test_in_memory(kind, n):
    given = documents(kind, n)
    checksums = {name: index.checksum for name, index in made_in_memory(given)}
    assert checksums == dict.fromkeys(checksums, built(given).checksum)


@pytest.mark.parametrize(
    ("kind", "n"),
    [case if case.values in QUICK[-3:-1] else pytest.param(*case.values, marks=exhaustive) for case in CASES],
)
def test_in_files(kind, n, tmp_path):
    given = documents(kind, n)
    checksums = {name: index.checksum for name, index in made_in_files(given, tmp_path)}
    assert checksums == dict.fromkeys(checksums, built(given).checksum)
    assert check_index(tmp_path / "joined") == check_index(tmp_path / "shards") == []


@pytest.mark.parametrize(
    ("kind", "n"),
    [
        ("places", 257),
        *(pytest.param(kind, n, marks=exhaustive) for kind in ("places", "documents") for n in range(254, 259)),
        pytest.param("places", 65_537, marks=exhaustive),
    ],
)
def test_by_workers(kind, n, tmp_path):
    given = documents(kind, n)
    checksums = {name: index.checksum for name, index in made_by_workers(given, tmp_path)}
    assert checksums == dict.fromkeys(checksums, built(given).checksum)


@pytest.mark.parametrize("n", thinned(range(254, 259), 2))
def test_separate_fields(n, tmp_path):
    given = [
        Document(name, "", "", {"title": "cat " * length, "text": "big dog", "year": "1999"})
        for name, length in (("a", 1), ("b", n), ("c", 2))
    ]
    kept: dict[str, Any] = {"fields": ["title", "text"], "values": ["year"]}
    parts = [saved(built([document], **kept), tmp_path / document.doc_id) for document in given]
    made = [
        saved(ShardedIndex(parts), tmp_path / "joined"),
        parts[0].add(given[1:]),
        parts[0].with_arrays(ShardedIndex(parts[1:]).arrays, replace=False),
        saved(built([*given, given[1]._replace(doc_id="d")], **kept), tmp_path / "more").delete(["d"]),
    ]
    assert {index.checksum for index in made} == {built(given, **kept).checksum}
    for index in (*made, ShardedIndex(parts)):
        assert [index.fields.dl(name).tolist() for name in ("title", "text")] == [[1, n, 2], [2, 2, 2]]


@of_any_size
def test_what_is_built_alone_is_what_is_counted_in_the_texts(kind, n, tmp_path):
    given = documents(kind, n)
    index = built(given)
    opened = saved(index, tmp_path / "saved")
    for document in given[-3:]:
        places = defaultdict(list)
        for place, token in enumerate(ENGLISH.tokenizer(document.text)):
            if (term := ENGLISH.term(token)) is not None:
                places[term].append(place)
        for each in (index, opened):
            assert each.dl[each.doc_number(document.doc_id)] == sum(map(len, places.values()))
            assert each.vector(document.doc_id) == {term: len(places[term]) for term in sorted(places)}
            for term in sorted(places)[:: max(1, len(places) // 20)]:
                assert each.positions(term, document.doc_id).tolist() == places[term]
    for query in ("cat dog", '"cat dog"~5', "cat AND dog", "c*"):
        found, expected = (Searcher(each, "bm25").search(query, k=n) for each in (opened, index))
        assert same(found, expected)
