"""Pooling: which documents to judge, so that several systems can be compared."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import NamedTuple, TextIO

from toysearch.base import (
    ArgumentError,
    DataError,
    Qrels,
    ResultTable,
    Rows,
    Run,
    counted,
    expect,
    expect_list,
    expect_name,
    expect_seed,
    note,
    number_columns,
    ordered,
    spreadsheet_text,
    table_columns,
)
from toysearch.evaluation.given_judgments import as_qrels
from toysearch.files import QrelsLike, write_texts
from toysearch.files.run_arguments import RunsLike, named_runs
from toysearch.files.writing import format_of_name

__all__ = ["Contribution", "Pool", "divide_pool", "pool", "write_pool"]


DEPTH = 20
"""Number of documents of each ranking that are judged by default."""

_DELIMITERS = {"csv": ",", "tsv": "\t"}


Ranks = dict[str, dict[str, dict[str, int]]]
"""Query → document → run → the rank there."""


class Contribution(NamedTuple):
    """Contribution of a run to a pool.

    Attributes
    ----------
    run : str
        Its name.
    documents : int
        The number of pairs of query and document that it has in the pool.
    alone : int
        How many of these no other run has; they would be unjudged without it.
    """

    run: str
    documents: int
    alone: int


class Pool(Rows, Mapping[str, list[str]]):
    """Documents to judge: ``pool[query_id]`` lists their ids in the order of the ids, which reveals no rank.

    Attributes
    ----------
    ranks : dict of str to dict
        query_id → doc_id → the name of each run that found it → its rank there, counted from 1.
    runs : tuple of str
        The runs' names.
    depth : int
        How many documents of each ranking are in the pool.
    """

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the documents to judge, and their rank in each run."""
        columns = table_columns("query_id", "doc_id", number_columns("", *self.runs))
        rows = [
            [query_id, doc_id, *map(ranks[doc_id].get, self.runs)]
            for query_id, ranks in self.ranks.items()
            for doc_id in self[query_id]
        ]
        return [ResultTable(columns, rows)]

    def __init__(self, ranks: Ranks, runs: Sequence[str], depth: int) -> None:
        expect(Mapping, ranks=ranks)
        expect_list(str, runs=runs)
        expect(int, depth=depth)
        self.ranks = ranks
        self.runs = tuple(runs)
        self.depth = depth

    def __getitem__(self, query_id: str) -> list[str]:
        return list(self.ranks[query_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self.ranks)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return all (query_id, doc_id)."""
        return [(query_id, doc_id) for query_id, of_query in self.ranks.items() for doc_id in of_query]

    @property
    def contributions(self) -> list[Contribution]:
        """Return the contribution of each run, in the order of the runs."""
        finders = [tuple(by) for of_query in self.ranks.values() for by in of_query.values()]
        return [
            Contribution(run, sum(run in by for by in finders), sum(by == (run,) for by in finders))
            for run in self.runs
        ]

    def __repr__(self) -> str:
        size = f"{counted(len(self.pairs), 'document')} for {counted(len(self), 'query', 'queries')}"
        return f"<Pool of {size}: {counted(len(self.runs), 'run')}, depth {self.depth}>"


def pool(
    runs: RunsLike,
    depth: int = DEPTH,
    *,
    qrels: QrelsLike | None = None,
    ties: str | None = None,
) -> Pool:
    """Pool runs: the documents to judge, and the share of each run.

    For each query, the pool joins the first documents of every run. Documents outside the pool stay unjudged and
    usually count as not relevant: a system that did not contribute is at a disadvantage if it finds other documents.

    Parameters
    ----------
    runs : dict of name to run, or iterable of run
        What `evaluate` takes as a run. A run without a name (a dict) is called "run"; equal names are
        numbered.
    depth : int, default 20
        The number of documents of each ranking.
    qrels : Qrels, dict, data frame or path, optional
        Existing judgments: their pairs are left out.
    ties : str, optional
        The order of equal scores, as in `evaluate`.

    Raises
    ------
    ArgumentError
        If the depth is below 1, or there is no run.
    DataError
        If a run or the judgments are malformed, or no run has a pair of the judgments.

    References
    ----------
    Spärck Jones & van Rijsbergen, "Report on the need for and provision of an 'ideal' information retrieval test
    collection", British Library Research and Development Report 5266, 1975. Zobel, "How reliable are the results of
    large-scale information retrieval experiments?", SIGIR 1998, on the effect of unjudged documents.

    Examples
    --------
    >>> found = pool({"mine": {"1": ["b", "a", "c"]}, "yours": {"1": ["a", "d", "b"]}}, depth=2)
    >>> found["1"], found.ranks["1"]["a"]
    (['a', 'b', 'd'], {'mine': 2, 'yours': 1})
    >>> found.contributions
    [Contribution(run='mine', documents=2, alone=1), Contribution(run='yours', documents=2, alone=1)]
    """
    expect(int, depth=depth)
    if depth < 1:
        raise ArgumentError(f"the depth of a pool must be at least 1, not {depth}")
    by_name = named_pool_runs(runs)
    if not by_name:
        raise ArgumentError("a pool needs at least one run")
    judgments = as_qrels(qrels) if qrels is not None else None
    judged = {} if judgments is None else {query_id: judgments[query_id] for query_id in judgments.query_ids}
    ranks: Ranks = {}
    any_judged = False
    for name, run in by_name.items():
        in_order = ordered(run, ties)[0]
        for query_id in in_order.query_ids:
            finders, doc_ids = ranks.setdefault(query_id, {}), in_order.doc_ids_of(query_id)
            any_judged |= not judged.get(query_id, {}).keys().isdisjoint(doc_ids)
            for rank, doc_id in enumerate(doc_ids[:depth], start=1):
                finders.setdefault(doc_id, {})[name] = rank
    if judgments is not None and not any_judged:
        _refuse_others(judgments, ranks)
    n_judged = 0
    for query_id, finders in ranks.items():
        grades = judged.get(query_id, {})
        ranks[query_id] = {doc_id: finders[doc_id] for doc_id in sorted(finders) if doc_id not in grades}
        n_judged += len(finders) - len(ranks[query_id])
    if judgments is not None and n_judged < len(judgments):
        note(f"left out of the pool: {n_judged:,} of {counted(len(judgments), 'judged pair')}")
    return Pool(ranks, list(by_name), depth)


def _refuse_others(judgments: Qrels, query_ids: Collection[str]) -> None:
    """Refuse judgments of which no run has a pair: they name queries or documents in another way."""
    query_id, doc_id = judgments.query_ids[0], judgments.doc_ids[0]
    if not any(judged in query_ids for judged in judgments.query_ids):
        queries = counted(len(judgments.query_ids), "judged query", "judged queries")
        raise DataError(
            f"none of {queries}, such as '{query_id}', is a query of the runs, such as '{next(iter(query_ids), '')}'; "
            "name queries by the same ids"
        )
    raise DataError(
        f"no run has a judged pair, such as query '{query_id}', document '{doc_id}'; "
        "name documents by the same ids, or leave the judgments out"
    )


def named_pool_runs(runs: RunsLike) -> dict[str, Run]:
    """Return the runs by their names, equal ones numbered."""
    by_name = {}
    for run_name, run in named_runs(runs):
        name, number = run_name, 1
        while name in by_name:
            number += 1
            name = f"{run_name} {number}"
        by_name[name] = run
    return by_name


def divide_pool(pool: Pool, judges: Sequence[str], twice: float = 0.0, seed: int = 0) -> dict[str, Pool]:
    """Divide a pool among judges: whole queries each, and a share of the pairs of the others.

    Every query has one judge, who reads its information need once; judges get about equally many pairs. The share
    `twice` of the pairs of each query goes to a second judge too, who varies from query to query. Each judge has their
    own order of the queries, and of the documents of each.

    Parameters
    ----------
    pool : Pool
        What to judge.
    judges : sequence of str
        Their names.
    twice : float, default 0.0
        The share of the pairs that is judged twice, from 0 to 1; unless it is 0, at least one pair of each query.
    seed : int, default 0
        Decides how pairs are assigned, and their order.

    Raises
    ------
    ArgumentError
        If no judge is named, a judge is named twice, one judge is to judge pairs twice, or the share is not one.

    Examples
    --------
    >>> found = pool([{"1": ["a", "b", "c"], "2": ["a", "d", "e"]}])
    >>> shares = divide_pool(found, ["ada", "ben"], twice=0.3)
    >>> {judge: len(share.pairs) for judge, share in shares.items()}
    {'ada': 4, 'ben': 4}
    """
    expect(Pool, pool=pool)
    expect_list(str, judges=judges)
    expect_seed(seed)
    if not judges or len(set(judges)) < len(judges):
        raise ArgumentError("name the judges, each once")
    if not 0 <= twice <= 1:
        raise ArgumentError(f"the share that is judged twice must be between 0 and 1, not {twice:g}")
    if twice and len(judges) == 1:
        raise ArgumentError(f"pairs are judged twice by two judges, and there is one: {judges[0]}")
    chosen: dict[str, dict[str, list[str]]] = {judge: {} for judge in judges}
    order = {judge: place for place, judge in enumerate(_shuffled(judges, seed))}
    load = dict.fromkeys(judges, 0)
    queries = sorted(_shuffled(list(pool), seed, "queries"), key=lambda query_id: -len(pool[query_id]))
    for query_id in queries:
        first, *others = sorted(judges, key=lambda judge: (load[judge], order[judge]))
        chosen[first][query_id] = pool[query_id]
        again = math.ceil(twice * len(pool[query_id]) - 1e-9)
        if again:
            chosen[others[0]][query_id] = _shuffled(pool[query_id], seed, query_id)[:again]
            load[others[0]] += again
        load[first] += len(pool[query_id])
    shares = {}
    for judge, pairs in chosen.items():  # each judge has an own order
        ranks = {
            query_id: {
                doc_id: pool.ranks[query_id][doc_id] for doc_id in _shuffled(pairs[query_id], seed, judge, query_id)
            }
            for query_id in _shuffled(sorted(pairs), seed, judge)
        }
        shares[judge] = Pool(ranks, pool.runs, pool.depth)
    return shares


def _shuffled(items: Sequence[str], *seed: int | str) -> list[str]:
    """Shuffle by the seed, alike on every machine."""
    return sorted(items, key=lambda item: hashlib.sha256("\n".join([*map(str, seed), item]).encode()).digest())


def write_pool(
    pool: Pool,
    file: TextIO | str | PathLike[str],
    queries: Mapping[str, str | Mapping[str, str]] | None = None,
    texts: Mapping[str, tuple[str, str]] | None = None,
    form: str | None = None,
    judge: str = "",
) -> None:
    r"""Write a pool as a sheet to be judged: one row per pair, the columns ``relevance`` and ``reason`` empty.

    Filled in, it is a file of judgments that `read_qrels` and `read_judges` read. Which run found a document, and at
    which rank, is left out: judges should not know.

    Parameters
    ----------
    pool : Pool
        What to judge.
    file : file open for text, or path
        A path is replaced as a whole.
    queries : mapping of str to str or to mapping of str to str, optional
        query_id → its text, for a column ``query_text``; or the columns of the sheet and their contents, such as
        ``query_text``, ``description`` and ``narrative``: documents are judged against the information need.
    texts : mapping of str to (str, str), optional
        doc_id → title and text, for the columns ``title`` and ``text``. White space in them becomes a blank.
    form : {"csv", "tsv"}, optional
        By default the ending of the file name decides, else csv.
    judge : str, default ""
        The name of the judge, for a column ``judge``: a sheet keeps it under any file name.

    Raises
    ------
    ArgumentError
        If the form is unknown.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_pool(pool([{"1": ["b", "a"]}]), sys.stdout, {"1": "train cat"})
    query_id,doc_id,relevance,reason,query_text
    1,a,,,train cat
    1,b,,,train cat
    """
    expect(Pool, pool=pool)
    of_name = format_of_name(file)
    form = form or ("csv" if of_name == "trec" else of_name)
    expect_name("format of a sheet", form, _DELIMITERS, "formats")
    header = ["query_id", "doc_id", "relevance", "reason"] + ["judge"] * bool(judge)
    texts_of = {query_id: queries.get(query_id, "") for query_id in pool} if queries is not None else {}
    needs = {key: {"query_text": text} if isinstance(text, str) else text for key, text in texts_of.items()}
    columns = list(dict.fromkeys(column for need in needs.values() for column in need))
    header += columns + ["title", "text"] * (texts is not None)

    def line(cells: Iterable[str]) -> str:
        written = io.StringIO()
        safe = map(spreadsheet_text, cells) if form == "csv" else cells
        csv.writer(written, delimiter=_DELIMITERS[form], lineterminator="\n").writerow(safe)
        return written.getvalue()

    rows = [header]
    for query_id, doc_id in pool.pairs:
        need = [_one_line(needs[query_id].get(column, "")) for column in columns]
        document = [] if texts is None else map(_one_line, texts.get(doc_id, ("", "")))
        rows.append([query_id, doc_id, "", "", *[judge] * bool(judge), *need, *document])
    write_texts(map(line, rows), file)


def _one_line(text: str) -> str:
    return " ".join(text.split())
