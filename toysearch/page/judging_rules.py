"""Judging on a page: who may judge, which documents wait for a grade and in which order, and the logs of the grades."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import toysearch
from toysearch import Index, pool
from toysearch.base import ArgumentError, DataError, comparable, expect_name, without_notes
from toysearch.files import write_texts
from toysearch.page.access import cookie_of, equal_secrets, new_token
from toysearch.workbench.judging.judge_agreement import Alpha, QueryTally, alpha_of_tallies, tally
from toysearch.workbench.judging.judgment_log import Judgment, JudgmentLog
from toysearch.workbench.judging.pooling import Pool, divide_pool

DEPTH = 10
"""Number of documents of each ranking that are judged by default."""

SCALE = {0: "not relevant", 1: "touches on the need", 2: "answers a part of it", 3: "answers it"}
"""Grades that a page offers, and what they mean by default."""

_LONGEST_NAME = 60  # characters
ADJUDICATOR = "adjudicator"
"""Name under which disagreements are settled."""

_BATCH = 250  # queries whose rankings are held together
_AT_ONCE = 1 << 27  # queries times documents: in smaller collections all pools are found before the page opens
_RECENT = 20  # grades from which the pace is taken


class Progress(NamedTuple):
    """Progress of a judge with a query."""

    waiting: list[str]  # doc_ids without a grade in the order of the judge, skipped ones last
    skipped: list[str]  # those of them that the judge put off
    graded: int
    pool: int


class JudgingRules(NamedTuple):
    """Rules of judging: the documents a judge gets, in which order, and the grades."""

    depth: int = DEPTH
    scale: Mapping[int, str] | None = None
    twice: float | None = None  # judges with keys divide the documents; a second one judges this share of each query


class Judging:
    """Judging of one collection.

    The documents of a query are the first ones of some systems. Each judge gets them in an order of their own, which
    tells nothing about systems and ranks. Without queries, somebody judges a search of their own: its words become a
    query.
    """

    # queries: query_id → text. decisions: the log of what the adjudicator settles, who needs `settling_key`. systems:
    # models. keys: the judges who may judge and the secret of each; none: anybody. own_judge: whoever judges their own
    # searches, if there are no queries but these.

    def __init__(
        self,
        index: Index,
        queries: Mapping[str, str],
        log: JudgmentLog,
        decisions: JudgmentLog,
        systems: Sequence[Any],
        rules: JudgingRules = JudgingRules(),  # noqa: B008 - a frozen value
        *,
        settling_key: str = "",
        keys: Mapping[str, str] | None = None,
        own_judge: str = "",
    ) -> None:
        self.own_judge, self.version = own_judge, 0  # which grows with each change of a grade
        self.index, self.queries, self.log, self.decisions = index, dict(queries), log, decisions
        self.settling_key, self.keys = settling_key, dict(keys or {})
        self.depth, scale, twice = rules
        self.scale = dict(scale or SCALE)
        self._searchers = {str(model): toysearch.Searcher(index, model) for model in systems}
        self._pools: dict[str, frozenset[str]] = {}
        self._finished: dict[str, set[str]] = {}  # judge → queries in which nothing waits
        self._tallies: dict[str, QueryTally] = {}
        self._agreement: Alpha | None = None
        self._changed = {judgment.query_id for judgment in log}  # queries whose tally is old
        self.agreement()
        at_once = twice is not None or len(queries) * len(index) <= _AT_ONCE
        self._find_pools([*queries][: None if at_once else 1])
        self._parts: dict[str, dict[str, frozenset[str]]] = {} if twice is None else self._divided(twice)

    @property
    def systems(self) -> list[str]:
        """Return the models whose first documents are judged."""
        return [*self._searchers]

    def checked_judge(self, name: str, key: str) -> str:
        """Return the name of a judge who may judge; refuse another one in a sentence."""
        if not name or len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise ArgumentError(f"a judge needs a name of 1 to {_LONGEST_NAME} characters, not {name[:80]!r}")
        if self.own_judge and name != self.own_judge:
            raise ArgumentError(
                f"here only '{self.own_judge}' judges, as the file of the grades is named, not '{name}'"
            )
        secret = self.keys.get(name)
        if self.keys and (secret is None or not equal_secrets(secret, key)):
            raise ArgumentError(
                f"this address does not let '{name}' judge; open the link that `toysearch serve` printed"
            )
        return name

    @property
    def cookie(self) -> str:
        """Return the name of the cookie that keeps the key of the adjudicator."""
        return cookie_of(self.settling_key)

    def settles(self, key: str) -> bool:
        """True if a key is that of the adjudicator."""
        return bool(self.settling_key) and equal_secrets(self.settling_key, key)

    def check_adjudicator(self, key: str) -> None:
        """Refuse in a sentence what only the adjudicator may do."""
        if not self.settles(key):
            raise ArgumentError("only the adjudicator may do this; open the link that `toysearch serve` printed")

    def text_of(self, query_id: str) -> str:
        """Return the text of a query; refuse an unknown one."""
        expect_name("query", query_id, self.queries, "queries")
        return self.queries[query_id]

    def id_of(self, text: str) -> str:
        """Return the id of the query with a text, whatever its case and white space; "" if there is none.

        Somebody who judges their own searches makes a query of each text.
        """
        known = (query_id for query_id, other in self.queries.items() if comparable(other) == comparable(text))
        return next(known, "")

    def has(self, query_id: str, doc_id: str) -> bool:
        """True if a query and a document belong to the collection."""
        try:
            self.index.doc_number(doc_id)
        except ArgumentError:
            return False
        return query_id in self.queries

    def pool(self, query_id: str) -> frozenset[str]:
        """Return the documents to judge for a query."""
        if query_id not in self._pools:
            self._find_pools([query_id])
        return self._pools[query_id]

    def _find_pools(self, query_ids: Sequence[str]) -> None:
        for start in range(0, len(query_ids), _BATCH):
            batch = {query_id: self.queries[query_id] for query_id in query_ids[start : start + _BATCH]}
            with without_notes():  # a query without documents has an empty pool, which is passed over
                runs = {name: searcher.run(batch, self.depth) for name, searcher in self._searchers.items()}
            pools = pool(runs, self.depth)
            self._pools |= {query_id: frozenset(pools.get(query_id, ())) for query_id in batch}

    def _divided(self, twice: float) -> dict[str, dict[str, frozenset[str]]]:
        """Divide the documents of each judge by query, as `toysearch judge pool --judges` does."""
        ranks: dict[str, dict[str, dict[str, int]]] = {
            query_id: {doc_id: {} for doc_id in sorted(documents)} for query_id, documents in self._pools.items()
        }
        parts = divide_pool(Pool(ranks, self.systems, self.depth), [*self.keys], twice)
        return {
            judge: {query_id: frozenset(part[query_id]) for query_id in part if part[query_id]}
            for judge, part in parts.items()
        }

    @property
    def is_divided(self) -> bool:
        """True if each judge has a part of the documents."""
        return bool(self._parts)

    def part(self, judge: str, query_id: str) -> frozenset[str]:
        """Return the documents of a query that a judge is to grade."""
        return self._parts[judge].get(query_id, frozenset()) if self._parts else self.pool(query_id)

    def queries_of(self, judge: str) -> dict[str, str]:
        """Return the queries with documents that a judge is to grade, in the order of the collection."""
        if not self._parts:
            return dict(self.queries)
        return {query_id: text for query_id, text in self.queries.items() if query_id in self._parts[judge]}

    def _grades(self, query_id: str) -> dict[str, float]:
        """Return the grade of each graded document of a query: the decision, else the mean of the judges."""
        means = {
            doc_id: fmean(judgment.grade for judgment in by.values())
            for doc_id, by in self.log.of_query(query_id).items()
        }
        return means | {doc_id: judgment.grade for doc_id, judgment in self.settled(query_id).items()}

    def grades_by(self, name: str, query_id: str) -> dict[str, float]:
        """Return the grades that somebody gave the documents of a query; the adjudicator's are those that count."""
        if name == ADJUDICATOR:
            return self._grades(query_id)
        by_doc = self.log.of_query(query_id)
        return {doc_id: by[name].grade for doc_id, by in by_doc.items() if name in by}

    def progress(self, judge: str, query_id: str) -> Progress:
        """Return what a judge has graded of a query, and what is left."""
        documents = self.part(judge, query_id)
        graded = {doc_id for doc_id, by in self.log.of_query(query_id).items() if judge in by}
        skipped = [doc_id for doc_id in self.log.skipped(judge, query_id) if doc_id in documents]

        def place(doc_id: str) -> bytes:
            # Shuffled differently for each judge, and always in the same way for one.
            return hashlib.sha256("\0".join((judge, query_id, doc_id)).encode()).digest()

        waiting = sorted(documents.difference(graded, skipped), key=place)
        return Progress(waiting + skipped, skipped, len(documents & graded), len(documents))

    def grade(
        self, judge: str, query_id: str, doc_id: str, grade: str, reason: str = "", searched: str = ""
    ) -> Judgment:
        """Save a grade, which must be one of the scale, for a document of the index.

        searched: the words of a search that shows the document; they are kept if no system has found it. Without a
        query, a search of one's own becomes one.
        """
        number, is_new = self._checked_grade(doc_id, grade), False
        if self.own_judge and not query_id and searched:
            query_id = self.id_of(searched) or str(max(map(_number, self.queries), default=0) + 1)
            is_new = query_id not in self.queries
            self.queries.setdefault(query_id, searched)
        text = self.text_of(query_id)
        found_by = "" if doc_id in self.pool(query_id) else searched
        texts = {"query_text": text if self.own_judge else "", "found_by": found_by}
        try:
            saved = self.log.add(judge, query_id, doc_id, number, reason.strip(), **texts)
        except BaseException:
            if is_new:
                del self.queries[query_id]
            raise
        self._change(query_id)
        return saved

    def undo(self, judge: str) -> Judgment | None:
        """Take the last grade of a judge back."""
        judgment = self.log.undo(judge)
        if judgment is not None:
            self._change(judgment.query_id)
            self._finished.get(judge, set()).discard(judgment.query_id)
        return judgment

    def settle(self, key: str, query_id: str, doc_id: str, grade: str, reason: str) -> Judgment:
        """Save the grade that the adjudicator decides on."""
        self.check_adjudicator(key)
        number = self._checked_grade(doc_id, grade)
        self.text_of(query_id)
        return self.decisions.add(ADJUDICATOR, query_id, doc_id, number, reason.strip())

    def unsettle(self, key: str) -> Judgment | None:
        """Take the last decision back."""
        self.check_adjudicator(key)
        return self.decisions.undo(ADJUDICATOR)

    def settled(self, query_id: str) -> dict[str, Judgment]:
        """Return the decisions on a query by doc_id; of several on one document the latest."""
        by_doc = self.decisions.of_query(query_id)
        return {doc_id: max(by.values(), key=lambda decision: decision.time) for doc_id, by in by_doc.items()}

    def _checked_grade(self, doc_id: str, grade: str) -> float:
        """Return the grade as a number; refuse one outside the scale, and an unknown document."""
        self.index.doc_number(doc_id)  # refused if there is none
        numbers = {str(number): float(number) for number in self.scale}
        expect_name("grade", grade, numbers, "grades")
        return numbers[grade]

    def _change(self, query_id: str) -> None:
        self.version += 1
        self._changed.add(query_id)

    def skip(self, judge: str, query_id: str, doc_id: str) -> None:
        """Put a document off: it comes after the others."""
        self.text_of(query_id)
        if doc_id in self.part(judge, query_id):
            self.log.skip(judge, query_id, doc_id)

    def next_query(self, judge: str, after: str) -> str | None:
        """Return the next query with documents that a judge has not graded, in the order of the collection."""
        ids = [*self.queries]
        start = ids.index(after) + 1
        finished, counts = self._finished.setdefault(judge, set()), self.log.counts(judge)
        for query_id in (*ids[start:], *ids[: start - 1]):
            if query_id in finished:
                continue
            if counts.get(query_id, 0) < len(self.part(judge, query_id)) or self.progress(judge, query_id).waiting:
                return query_id
            finished.add(query_id)
        return None

    def pace(self, judge: str) -> float | None:
        """Return the median of the seconds between the last grades of a judge; None before the second grade."""
        try:
            times = [datetime.fromisoformat(judgment.time) for judgment in self.log.of_judge(judge)[-_RECENT:]]
            return median((later - earlier).total_seconds() for earlier, later in pairwise(times))
        except (ValueError, TypeError):  # a log of another program may have other times, or none
            return None

    def agreement_on(self, query_id: str) -> dict[str, Any] | None:
        """Compute the judges' agreement on a query; None without two grades of a document, or if judges have keys."""
        if self.keys:  # it tells of the grades of others
            return None
        by_doc = self.log.of_query(query_id)
        judges = tuple(dict.fromkeys(chain.from_iterable(by for by in by_doc.values() if len(by) > 1)))
        if not judges:
            return None
        alpha = alpha_of_tallies([self._tally(query_id)], judges)
        return {"judges": len(judges), "documents": alpha.n, "same": alpha.agreement, "alpha": alpha.ordinal}

    def agreement(self) -> Alpha | None:
        """Compute the agreement of the judges on all queries; None where no document has two grades."""
        if self._changed:
            self._tallies |= {query_id: self._tally(query_id) for query_id in self._changed}
            self._changed.clear()
            shared = any(query_tally.agreement.pairs for query_tally in self._tallies.values())
            self._agreement = alpha_of_tallies(self._tallies.values(), self.log.judges) if shared else None
        return self._agreement

    def _tally(self, query_id: str) -> QueryTally:
        by_doc = self.log.of_query(query_id)
        grades = {doc_id: {name: judgment.grade for name, judgment in by.items()} for doc_id, by in by_doc.items()}
        return tally(query_id, grades)


def _number(query_id: str) -> int:
    return int(query_id) if query_id.isdecimal() else 0


def judge_keys(file: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the secret of each judge, kept in a file, so that links stay good when the page is opened again."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if not isinstance(stored, dict) or not all(isinstance(key, str) and key for key in stored.values()):
            raise ValueError
    except (OSError, ValueError) as error:
        raise DataError(f"{file} does not have the keys of links; remove it, and each gets a new link") from error
    keys = {name: stored.get(name) or new_token() for name in names}
    if not keys.items() <= stored.items():
        write_texts([json.dumps(stored | keys, ensure_ascii=False, indent=1), "\n"], file)
        file.chmod(0o600)
    return keys


def is_without_queries(source: Any) -> bool:
    """True if a source has no queries, so that somebody judges their own searches."""
    return not len(source.queries)


def opened_judging(
    source: Any,
    path: str,
    systems: Sequence[Any],
    ending: ExitStack,
    keys: dict[str, str],
    rules: JudgingRules,
) -> Judging:
    """Open the judging of a source, with its logs open until the end."""
    log = ending.enter_context(JudgmentLog(path))
    if is_without_queries(source):
        [name] = log.judges if len(log.judges) == 1 else [Path(path).stem.strip()[:_LONGEST_NAME] or "judge"]
        return Judging(source.index, log.queries, log, log, systems, rules, own_judge=name)
    decisions = Path(path).with_suffix(".decisions.jsonl")
    return Judging(
        source.index,
        dict(source.queries),
        log,
        ending.enter_context(JudgmentLog(decisions)),
        systems,
        rules,
        settling_key=keys.pop(ADJUDICATOR),
        keys=keys,
    )
