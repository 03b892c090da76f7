"""Judging on a page: who may judge, which documents wait for a grade and in which order, and the log of the grades."""

from __future__ import annotations

import functools
import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import toysearch
from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.evaluation.judge_agreement import Alpha, alpha
from toysearch.evaluation.pooling import pool
from toysearch.formats.judgment_log import Judgment, JudgmentLog
from toysearch.formats.writing import write_texts
from toysearch.index.inverted_index import Index
from toysearch.page.guard import new_token

DEPTH = 10
"""How many documents of each ranking are judged by default."""

SCALE = {0: "not relevant", 1: "touches on the need", 2: "answers a part of it", 3: "answers it"}
"""The grades that a page offers, and what they mean by default."""

_LONGEST_NAME = 60  # characters
_POOLS = 10_000  # queries whose pools are kept
_RECENT = 20  # grades from which the pace is taken


class Progress(NamedTuple):
    """How far a judge is with a query."""

    waiting: list[str]  # doc_ids without a grade in the order of the judge, skipped ones last
    graded: int
    pool: int


class Judging:
    """The judging of one collection.

    The documents of a query are the first ones of some systems. Each judge gets them in an order of their own, which
    tells nothing about systems and ranks.
    """

    # queries: query_id → text. systems: models. keys: the judges who may judge and the secret of each; none: anybody.
    # needs: query_id → what the topic says beyond its query, such as {"narrative": …}.

    def __init__(
        self,
        index: Index,
        queries: Mapping[str, str],
        log: JudgmentLog,
        systems: Sequence[Any],
        *,
        depth: int = DEPTH,
        keys: Mapping[str, str] | None = None,
        scale: Mapping[int, str] | None = None,
        needs: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.index, self.queries, self.log, self.depth = index, queries, log, depth
        self.keys, self.needs, self.scale = dict(keys or {}), needs or {}, dict(scale or SCALE)
        self._searchers = {str(model): toysearch.Searcher(index, model) for model in systems}
        self._skipped: dict[tuple[str, str], list[str]] = {}  # judge, query_id → doc_ids; not kept in the log
        self.pool = functools.lru_cache(_POOLS)(self._pool)

    @property
    def systems(self) -> list[str]:
        """The models whose first documents are judged."""
        return [*self._searchers]

    def checked_judge(self, name: str, key: str) -> str:
        """The name of a judge who may judge; another one is refused in a sentence."""
        if not name or len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise ArgumentError(f"a judge needs a name of 1 to {_LONGEST_NAME} characters, not {name[:80]!r}")
        own = self.keys.get(name)
        if self.keys and (own is None or not secrets.compare_digest(own.encode(), key.encode())):
            raise ArgumentError(
                f"this address does not let '{name}' judge; open the link that `toysearch serve` printed"
            )
        return name

    def text_of(self, query_id: str) -> str:
        """The text of a query; an unknown one is refused."""
        if query_id not in self.queries:
            raise unknown("query", query_id, self.queries, "queries")
        return self.queries[query_id]

    def _pool(self, query_id: str) -> frozenset[str]:
        """The documents to judge for a query."""
        runs = {
            name: searcher.run({query_id: self.queries[query_id]}, self.depth)
            for name, searcher in self._searchers.items()
        }
        return frozenset(pool(runs, self.depth).get(query_id, ()))

    def progress(self, judge: str, query_id: str) -> Progress:
        """What a judge has graded of a query, and what is left."""
        graded = {doc_id for doc_id, by in self.log.of_query(query_id).items() if judge in by}
        skipped = self._skipped.get((judge, query_id), [])
        left = sorted(self.pool(query_id) - graded, key=lambda doc_id: _place(judge, query_id, doc_id))
        waiting = [doc_id for doc_id in left if doc_id not in skipped]
        waiting += [doc_id for doc_id in skipped if doc_id in left]
        return Progress(waiting, len(self.pool(query_id) & graded), len(self.pool(query_id)))

    def grade(self, judge: str, query_id: str, doc_id: str, grade: str, reason: str) -> Judgment:
        """Save a grade, which must be one of the scale, for a document of the index."""
        self.text_of(query_id)
        self.index.doc_number(doc_id)  # refused if there is none
        known = {str(each): float(each) for each in self.scale}
        if grade not in known:
            raise unknown("grade", grade, known, "grades")
        return self.log.add(judge, query_id, doc_id, known[grade], reason.strip())

    def skip(self, judge: str, query_id: str, doc_id: str) -> None:
        """Put a document off: it comes after the others."""
        self.text_of(query_id)
        put_off = self._skipped.setdefault((judge, query_id), [])
        if doc_id in put_off:
            put_off.remove(doc_id)
        if doc_id in self.pool(query_id):
            put_off.append(doc_id)

    def next_query(self, judge: str, after: str) -> str | None:
        """The next query with documents that a judge has not graded, in the order of the collection and around."""
        ids = [*self.queries]
        start = ids.index(after) + 1
        return next((each for each in (*ids[start:], *ids[: start - 1]) if self.progress(judge, each).waiting), None)

    def pace(self, judge: str) -> float | None:
        """The median of the seconds between the last grades of a judge; None before the second grade."""
        try:
            times = [datetime.fromisoformat(given.time) for given in self.log.of_judge(judge)[-_RECENT:]]
            return median((later - earlier).total_seconds() for earlier, later in pairwise(times))
        except (ValueError, TypeError):  # a log of another program may have other times, or none
            return None

    def agreement_on(self, query_id: str) -> dict[str, Any] | None:
        """How far the judges agree on one query; None where no document has two grades."""
        shared = [by.values() for by in self.log.of_query(query_id).values() if len(by) > 1]
        by_judge: dict[str, dict[str, dict[str, float]]] = {}
        for given in chain.from_iterable(shared):
            by_judge.setdefault(given.judge, {query_id: {}})[query_id][given.doc_id] = given.grade
        if not shared:
            return None
        found = alpha(by_judge)
        return {"judges": len(by_judge), "documents": found.n, "same": found.agreement, "alpha": found.ordinal}

    def agreement(self) -> Alpha | None:
        """How far the judges agree on all queries; None where no document has two grades."""
        pairs = Counter((given.query_id, given.doc_id) for given in self.log)
        return alpha(self.log.qrels()) if max(pairs.values(), default=0) > 1 else None


def _place(judge: str, query_id: str, doc_id: str) -> bytes:
    """What shuffles the documents of a query, for each judge in another way and always in the same."""
    return hashlib.sha256("\0".join((judge, query_id, doc_id)).encode()).digest()


def judge_keys(file: Path, names: Sequence[str]) -> dict[str, str]:
    """The secret of each judge, kept in a file, so that links stay good when the page is opened again."""
    try:
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if not isinstance(known, dict) or not all(isinstance(key, str) and key for key in known.values()):
            raise ValueError
    except (OSError, ValueError) as error:
        raise DataError(f"{file} does not have the keys of links; remove it, and each gets a new link") from error
    keys = {name: known.get(name) or new_token() for name in names}
    if not keys.items() <= known.items():
        write_texts([json.dumps(known | keys, ensure_ascii=False, indent=1), "\n"], file)
        file.chmod(0o600)
    return keys
