"""Raw collection on disk: its files, their content as toysearch reads it, and the direction of its grades."""

from __future__ import annotations

import hashlib
import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from string import punctuation
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import ArgumentError, DataError, Document, Qrels, Run, comparable, groups_of, nested
from toysearch.collection.catalog import described
from toysearch.collection.collection import Collection
from toysearch.collection.grades import Gains, apply_gains, choose_grades
from toysearch.collection.loader import load_recipe
from toysearch.collection.queries import recipe_of_queries
from toysearch.collection.recipe import Recipe
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.judgment_doubts import agreements, chance
from toysearch.files import FORMATS, Reading, Rejected, sha256, taken_alone
from toysearch.files.source import AnyPath
from toysearch.index.inverted_index import Index
from toysearch.retrieval import Searcher

FULL_LOOK = 10_000
"""Number of first documents checked word by word; after them, one document in `EVERY` is checked."""

EVERY = 20


@dataclass
class FieldCount:
    """Documents checked with a title elsewhere, and those of them in which a field begins with that title."""

    titled: int = 0
    repeats: int = 0


class Census:
    """Counts collected while documents pass by.

    >>> census = Census()
    >>> documents = [Document("1", "Cats  purr", fields={"text": "Cats  purr"}), Document("2", "cats purr")]
    >>> len(list(census.watch(documents))), census.equal_texts().tolist()
    (2, [0, 0])
    """

    def __init__(self) -> None:
        self.fields: dict[str, FieldCount] = {}
        self.title_field = ""
        self.refused = ""
        self._digests = array("Q")

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents in order and count them, up to a malformed file."""
        try:
            for number, document in enumerate(documents):
                self._count(document, number < FULL_LOOK or number % EVERY == 0)
                yield document
        except DataError as error:
            self.refused = str(error)

    def equal_texts(self) -> np.ndarray:
        """For each document, number of the first one with the same text except for case and white space."""
        digests = np.frombuffer(self._digests, np.uint64)
        _, first, which = np.unique(digests, return_index=True, return_inverse=True)
        return first[which]

    def _count(self, document: Document, closely: bool) -> None:
        digest = hashlib.blake2b(comparable(document.text).encode(errors="surrogatepass"), digest_size=8).digest()
        self._digests.append(int.from_bytes(digest, "little"))
        title = _words(document.title) if closely else []
        for name, value in document.fields.items() if title else ():
            if " ".join(value.split()) == document.title and self.title_field in ("", name):
                self.title_field = name
            elif value.strip():
                count = self.fields.setdefault(name, FieldCount())
                count.titled += 1
                count.repeats += _words(value[: 3 * len(document.title) + 40])[: len(title)] == title


def _words(text: str) -> list[str]:
    return [word for token in text.lower().split() if (word := token.strip(punctuation))]


ERROR, WARNING, INFO = LEVELS = ("error", "warning", "info")
"""``error``: figures will be wrong. ``warning``: check it. ``info``: known, already resolved, or harmless."""

MOST_ROWS = 10
"""Number of rows of evidence kept; the sentence states the full number."""


class Finding(NamedTuple):
    """Finding of a check."""

    level: str  # one of `LEVELS`
    what: str  # the finding with its numbers, in a sentence
    evidence: Sequence[Mapping[str, Any]] = ()  # a few rows that show it, all with the same keys
    cure: str = ""  # the remedy, in a sentence or two
    # the lines of a collection.toml that resolve it: key → text, or list of texts, and ``gains``: code → gain
    settings: Mapping[str, Any] = {}
    check: str = ""  # the name of the check that found it


Findings: TypeAlias = Iterator[Finding]


_ROLES = ("documents", "queries", "qrels")


@dataclass
class Material:
    """Collection: its raw files, and its content as toysearch reads it."""

    recipe: Recipe  # its description
    refused: list[str] = field(default_factory=list)  # the errors of readers
    collection: Collection | None = None  # its queries; None if they, or the documents, cannot be read
    codes: dict[str, Qrels] = field(default_factory=dict)  # the judgments of each split, with the codes of the file
    # if queries may be numbered by ``id`` or by ``place``: the queries and the judgments under each numbering
    numberings: dict[str, tuple[Collection, dict[str, Qrels]]] = field(default_factory=dict)
    gains: Gains | None = None  # code → gain in use; None if codes are used directly
    grades: str = ""  # the name of the mapping in use
    # census, index: the counts of the documents, and their plain index; None if there is none
    census: Census = field(default_factory=Census)
    index: Index | None = None
    changed: list[str] = field(default_factory=list)  # files whose checksum differs from the recipe
    left_out: list[str] = field(default_factory=list)  # what is told of files that are no part of the collection
    not_utf8: list[str] = field(default_factory=list)  # what is told of files in another encoding

    @property
    def vouched(self) -> bool:
        """True if the collection is in the catalog and its files are those described there."""
        are_known = all(file.sha256 for file in self.recipe.files if file.role in _ROLES)
        return self.recipe.in_catalog and not self.changed and are_known

    @cached_property
    def all_codes(self) -> Qrels:
        """Judgments of all splits; for a pair in several splits, the first one."""
        merged: dict[str, dict[str, float]] = {}
        for qrels in self.codes.values():
            for query_id, doc_id, code in qrels:
                merged.setdefault(query_id, {}).setdefault(doc_id, code)
        return Qrels.from_dict(merged)

    @cached_property
    def relevance(self) -> Qrels:
        """Judgments of all splits with the gains in use."""
        return self.all_codes if self.gains is None else apply_gains(self.all_codes, self.gains, self.grades)

    @cached_property
    def run(self) -> Run:
        """BM25 ranking for judged queries; its query_ids are their positions among the queries, from 1."""
        if self.index is None or self.collection is None:
            return Run.from_dict({})
        judged = {query_id for numbering in self.numberings.values() for query_id in _places(*numbering)}
        judged |= _places(self.collection, self.codes)
        texts, places = self.collection.queries.texts, sorted(judged)
        if len(places) > MOST_QUERIES:
            places = [places[number * len(places) // MOST_QUERIES] for number in range(MOST_QUERIES)]
        return Searcher(self.index, "bm25").run([(str(place), texts[place - 1]) for place in places], k=DEPTH)

    @cached_property
    def judged(self) -> Qrels:
        """Codes of the queries in `run`, by their positions."""
        return self.at_places(self.all_codes)

    @cached_property
    def scale(self) -> Scale:
        """Apparent meaning of the codes."""
        return scale_of(self.run, self.judged, self.all_codes)

    @cached_property
    def scale_of_gains(self) -> Scale:
        """Apparent meaning of the gains."""
        return scale_of(self.run, self.at_places(self.relevance), self.relevance)

    def mean_average_precision(self, gains: Qrels) -> float:
        """Mean average precision of `run`, over all queries with judgments."""
        return evaluate(self.run, gains, "AP", threshold=min(1.0, self.recipe.threshold))["AP"]

    def at_places(self, qrels: Qrels, query_ids: Sequence[str] | None = None) -> Qrels:
        """Return judgments by the positions of their queries, for the queries in `run`."""
        if query_ids is None:
            query_ids = self.collection.queries.query_ids if self.collection else ()
        return judged_by_place(qrels, query_ids, self.run)


def read_raw_collection(
    source: AnyPath | Recipe,
    how: Reading = Reading(),
    progress: Callable[[int], object] | None = None,
) -> Material:
    """Read a collection as material for its checks."""
    try:
        if not isinstance(source, Recipe) and not how.columns and not how.fields and os.path.isfile(source):
            # Whoever names columns or fields means documents.
            source = recipe_of_queries(Path(source), how) if taken_alone(source).role == "queries" else source
        recipe = source if isinstance(source, Recipe) else described(source, how)
    except DataError as error:
        if isinstance(source, Recipe) or not Path(source).exists():
            raise
        path = Path(source)
        return Material(Recipe(path.resolve().name, path, FORMATS[0], ()), [str(error)])
    # A bad record does not end the whole check.
    rejected = Rejected()
    report = recipe.reading.report._replace(left_out=rejected.take)  # of judgments
    as_stated = replace(recipe.reading, grades=None, report=report)
    recipe = replace(recipe, rejected=rejected, reading=as_stated)
    named: dict[str, Any] = {name: None for name in ("fields", "query_fields") if getattr(how, name) is not None}
    if named:
        with suppress(DataError):  # an unreadable file is a finding, reported by its next reader
            if found := load_recipe(_only(recipe)).reading:
                spelt_as = {"fields": found.searched, "query_fields": found.query_fields}
                named = {name: spelt_as[name] for name in named}
    material = Material(replace(recipe, reading=replace(as_stated, **named)))
    material.grades, material.gains = choose_grades(recipe.grades, recipe.default_grades, how.grades)
    for file in recipe.files:
        path = file.below(recipe.folder)
        if file.role in _ROLES and file.sha256 and sha256(file.source_at(path, recipe.reading)) != file.sha256:
            material.changed.append(str(path))
    _read_queries_and_codes(material)
    if any(file.role != "queries" for file in recipe.files):
        _read_documents(material, progress)
    return material


def _read_queries_and_codes(material: Material) -> None:
    numbering = _numbering(material, material.recipe.number, material.refused)
    if numbering is None:
        return
    material.collection, material.codes = numbering
    if material.gains is not None:
        try:
            apply_gains(material.all_codes, material.gains, material.grades)
        except DataError as error:  # a code that the mapping does not know
            material.refused.append(str(error))
            material.gains = None
    if material.codes:
        for number in ("id", "place"):
            if (other := _numbering(material, number, [])) is not None:
                material.numberings[number] = other


def _numbering(material: Material, number: str, refused: list[str]) -> tuple[Collection, dict[str, Qrels]] | None:
    bare = replace(material.recipe, grades={}, default_grades="", number=number)
    codes = {}
    collection = None
    for split in bare.splits:
        try:
            collection = load_recipe(_only(bare, split))
            codes[split] = collection.qrels
        except (DataError, ArgumentError) as error:
            refused.append(str(error))
    if collection is None:
        try:
            collection = load_recipe(_only(bare))
        except (DataError, ArgumentError) as error:
            refused.append(str(error))
            return None
    return collection, codes


def _only(recipe: Recipe, split: str | None = None) -> Recipe:
    """Return the recipe of the documents and queries, with the judgments of one split."""
    files = [file for file in recipe.files if file.role in _ROLES[:2] or (file.role, file.split) == ("qrels", split)]
    return replace(recipe, files=tuple(files), split="")


def _read_documents(material: Material, progress: Callable[[int], object] | None) -> None:
    documents = material.collection
    if documents is None:
        try:
            only = tuple(file for file in material.recipe.files if file.role == "documents")
            documents = load_recipe(replace(material.recipe, files=only, grades={}, default_grades=""))
        except (DataError, ArgumentError) as error:
            material.refused.append(str(error))
            return
    watched = material.census.watch(documents.stream())
    with suppress(DataError):  # no document could be read; the census has the reason
        material.index = Index.build(watched, Analyzer(), store_text=False, progress=progress)
    if material.census.refused:
        material.refused.append(material.census.refused)


def _places(collection: Collection, codes: Mapping[str, Qrels]) -> set[int]:
    """Positions, from 1, of the queries with judgments."""
    return {
        place
        for place, query_id in enumerate(collection.queries.query_ids, 1)
        if any(query_id in qrels for qrels in codes.values())
    }


DEPTH = 1000
"""Number of documents ranked per query."""

MOST_QUERIES = 1000
"""Maximum number of queries ranked, evenly spread."""

_FIRST = 10


class CodeRanks(NamedTuple):
    """Ranks of the documents judged with one code."""

    code: float  # the code
    # judgments, queries: the number of documents with the code, and of queries with such documents
    judgments: int
    queries: int
    in_first_10: float  # the share of them among the first 10
    mean_reciprocal_rank: float  # the mean over all of them; 0 for one that is not retrieved
    median_rank: float  # infinite if most are not among the first `DEPTH`


def judged_by_place(qrels: Qrels, query_ids: Sequence[str], run: Run) -> Qrels:
    """Return judgments by the positions of their queries, for the queries in a run.

    >>> judged_by_place(Qrels.from_dict({"b": {"x": 1}}), ["a", "b"], Run.from_dict({"2": {"x": 1.0}}))["2"]
    {'x': 1.0}
    """
    places = {query_id: str(place) for place, query_id in enumerate(query_ids, 1)}
    ranked = {query_id: place for query_id, place in places.items() if place in run}
    return Qrels.from_dict({ranked[query_id]: qrels[query_id] for query_id in qrels.query_ids if query_id in ranked})


def ranks_by_code(run: Run, codes: Qrels) -> list[CodeRanks]:
    """Summarise the ranks of the documents of each code, by ascending code.

    >>> run = Run.from_dict({"1": {"a": 3.0, "b": 2.0}})
    >>> run.ranked = True
    >>> ranks_by_code(run, Qrels.from_dict({"1": {"b": 2, "c": 1}}))[1]
    CodeRanks(code=2.0, judgments=1, queries=1, in_first_10=1.0, mean_reciprocal_rank=0.5, median_rank=2.0)
    """
    ranks = nested(
        (code, (query_id, doc_id), places.get(doc_id, math.inf) + 1)
        for query_id, places in ((query_id, run.places(query_id)) for query_id in codes.query_ids)
        for doc_id, code in codes[query_id].items()
    )
    rows = []
    for code in sorted(ranks):
        of_code = np.array([*ranks[code].values()])
        means = map(float, ((of_code <= _FIRST).mean(), (1 / of_code).mean(), np.median(of_code)))
        rows.append(CodeRanks(code, of_code.size, len({query_id for query_id, _ in ranks[code]}), *means))
    return rows


def code_agreement(run: Run, codes: Qrels, of: Sequence[float]) -> np.ndarray:
    """For each query, agreement of scores with codes: 1 if all pairs of documents agree, -1 if none does.

    >>> run = Run.from_dict({"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    >>> code_agreement(run, Qrels.from_dict({"1": {"a": 1, "b": 2, "c": 2}}), [1, 2]).tolist()
    [-1.0]
    """
    both = ((codes[query_id], run[query_id]) for query_id in codes.query_ids)
    return agreements(
        [(code, scores.get(doc_id, -math.inf)) for doc_id, code in coded.items() if code in of]
        for coded, scores in both
    )


SURE, LIKELY = 0.001, 0.05
"""Probabilities of chance below which a scale is reported, or suspected, to run backwards."""

_FEWEST_QUERIES = 5
_NEARLY_ALL = 0.9


class Scale(NamedTuple):
    """Apparent meaning of the codes."""

    codes: list[float]  # all codes, ascending
    ranks: list[CodeRanks]  # the ranks of the documents of each code, for the queries that were ranked
    odd: list[float]  # codes that each query has once and that are not on the scale
    grades: list[float]  # the codes of the scale: 0 and above, except the odd ones
    # the probability that rankings contradict the codes this much by chance; 1 if they do not
    chance: float
    # the codes tested: those above 0, and 0 if it is ranked best of all or only one other is left
    backwards: list[float]

    def gains(self, *, reverse: bool = False, shift: float = 0.0) -> dict[float, float]:
        """Return a gain for each code: 0 for odd or negative ones."""
        top = max(self.backwards, default=0.0) + min(self.backwards, default=0.0)
        gains = {}
        for code in sorted(self.codes, key=lambda code: code not in self.grades):
            gain = top - code if reverse and code in self.backwards else code
            gains[code] = gain - shift if code in self.grades else 0.0
        return gains


def scale_of(run: Run, judged: Qrels, codes: Qrels) -> Scale:
    """Infer the meaning of the codes of judgments."""
    ranks = ranks_by_code(run, judged)
    queries = groups_of((code, query_id) for query_id, _, code in codes)
    n_queries = len(codes.query_ids)
    all_codes = sorted(queries)
    rank_of = {row.code: row.mean_reciprocal_rank for row in ranks}
    odd = []  # each query has it once, and it is no step of the scale of the others
    for code, of_code in sorted(queries.items()):
        if len({*of_code}) < len(of_code) or len(of_code) < max(_FEWEST_QUERIES, _NEARLY_ALL * n_queries):
            continue
        above = [rank_of.get(other, 0.0) for other in all_codes if other > 0]
        # 0 only if the grades above 0 follow the ranks; otherwise it may be the best grade of a reversed scale.
        is_first = code == 0 and len(above) > 1 and above[0] < above[-1] and rank_of.get(0, 0.0) > max(above)
        if is_first or code < 0 <= all_codes[-1]:
            odd.append(code)
    grades = [code for code in all_codes if code >= 0 and code not in odd]
    positive = [code for code in grades if code > 0]
    best = max((row for row in ranks if row.code in grades), key=lambda row: row.mean_reciprocal_rank, default=None)
    scale = grades if len(positive) < 2 or (best and best.code == 0) else positive
    rows = [row for row in ranks if row.code in scale]
    by_chance = 1.0  # unless the lowest code is ranked above the highest
    if len(rows) > 1 and rows[0].mean_reciprocal_rank > rows[-1].mean_reciprocal_rank:
        by_chance = chance(code_agreement(run, judged, scale))
    return Scale(all_codes, ranks, odd, grades, by_chance, scale)
