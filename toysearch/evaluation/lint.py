"""Suspicious properties of a run and of judgments: one line per finding, with evidence and likely cause."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from os import PathLike
from os.path import isdir
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import ArgumentError, DataError, Qrels, Run, counted, cut, expect, groups_of
from toysearch.evaluation.given_judgments import judgments_of, with_name_loaded
from toysearch.evaluation.judgment_doubts import Suspicion, Suspicions, of_direction, of_grades, of_numbers
from toysearch.files import QrelsLike, RunLike, finite_number, numbered_lines, rows_in, source_of
from toysearch.files.columns import parsed_run_columns, places_of
from toysearch.files.file_role import Settled
from toysearch.files.problems import Problems
from toysearch.files.roles import settle
from toysearch.files.run_arguments import HasJudgments, runs_in
from toysearch.files.source import AnyPath
from toysearch.files.syntaxes.trec import columns_of_line, is_comment, is_rank, run_columns, score_of
from toysearch.files.triples import number_in, text_of_part, triples_in

__all__ = ["lint", "suspicions"]

_ALIKE = 5  # the fewest judgments of a query for which equal ones of another query are a finding
_NONE_IN_COMMON = "no query in common"
_BY_CHANCE = 0.02  # a larger share of queries with the ranking of another query is a finding
_LONGEST_TAG = 20  # characters
_FIRST_QUERIES, _FIRST_DOCUMENTS = 30, 10  # looked at in each evaluation
_DEEPEST = 1000  # documents per query that TREC takes
_TIED = 0.1  # a larger share of tied scores is a finding


def lint(run: RunLike | None = None, qrels: QrelsLike | None = None) -> list[Suspicion]:
    """List everything suspicious about a run, and about its fit to the judgments.

    Parameters
    ----------
    run : Run, dict, data frame or path, optional
        The run. Every line of a TREC file is checked, malformed ones included. Without a run the judgments are
        checked alone.
    qrels : Qrels, dict, data frame, path, name or Collection, optional
        The judgments, as for `evaluate`.

    Returns
    -------
    list of Suspicion
        About lines, about how the two fit, about the judgments alone and about the run alone.

    Examples
    --------
    >>> for finding in lint({"Q1": {"a": 1, "b": 1}}, qrels={"q1": {"a": 1}}):
    ...     print(finding)
    no query in common: 1 query in the run, such as 'Q1', 1 in the judgments, such as 'q1'
    query ids: 1 of the run and of the judgments differ in case, such as 'Q1' and 'q1'; write them alike
    constant scores: all scores of 1 query of 1 are equal, such as those of 'Q1' (2 documents with 1); doc_ids \
order equal scores, or their lines where ties go by rank, not the system
    """
    if run is None:
        if qrels is None:
            raise ArgumentError("give a run, judgments, or both")
        try:
            return list(_of_qrels(judgments_of(qrels).qrels))
        except DataError as error:
            return [Suspicion("malformed", str(error))]
    findings: list[Suspicion] = []
    run = source_of(run) if isinstance(run, str | PathLike) else run
    if isinstance(run, str | PathLike) and not isdir(run) and rows_in(run).form == "trec":
        scan = scan_run(run)
        findings += _of_lines(scan)
        scanned = Run.from_dict(scan.scores, name=next(reversed(scan.tags), "run"))
        if not len(scanned):
            return [*findings, Suspicion("empty", f"{run} has no line that can be read as a run")]
    else:
        try:
            scanned, *others = runs_in(run)
        except DataError as error:
            return [Suspicion("malformed", str(error))]
        if others:
            path: Any = run  # in memory there is one run
            runs = [scanned, *others]
            of_each = ((finding, one.name) for one in runs for finding in (*_of_head(one, path), *lint(one, qrels)))
            return [
                finding
                if len(names) == len(runs)
                else finding._replace(message=f"{', '.join(names)}: {finding.message}")
                for finding, names in groups_of(of_each).items()
            ]
        findings += _of_head(scanned, run) if isinstance(run, str | PathLike) else []
    try:
        judgments = None if qrels is None else with_name_loaded(qrels)
        collection: Any = judgments if isinstance(judgments, HasJudgments) else None
        judged = None if judgments is None else judgments_of(judgments).qrels
    except DataError as error:
        return [*findings, Suspicion("malformed", str(error))]
    if collection is not None:
        doc_ids = {document.doc_id for document in collection.stream()}
        rows = [row for row, doc_id in enumerate(scanned.doc_ids) if doc_id not in doc_ids]
        if rows:
            many = f"{len(rows)} of {counted(len(scanned), 'ranked document')}"
            what = f"'{scanned.doc_ids[rows[0]]}' of query '{scanned.query_of(rows[0])}'"
            message = (
                f"{many} are not in collection '{collection.name}', such as {what}; another edition, or other ids?"
            )
            findings.append(Suspicion("unknown documents", message))
    if judged is not None:
        findings += [*_of_both(scanned, judged, quick=False), *_of_qrels(judged)]
        findings += of_direction(scanned, judged)
    return [*findings, *_of_run(scanned, quick=False)]


def suspicions(run: Run, qrels: Qrels, path: AnyPath | None = None) -> list[str]:
    """List the serious findings, found quickly: a check before scoring.

    Parameters
    ----------
    run : Run
        The run.
    qrels : Qrels
        The judgments.
    path : str or Path, optional
        The file of the run, in whose first 1,000 lines ranks are compared with scores.

    Returns
    -------
    list of str
        One sentence per finding. Having no query in common is not among them: an evaluation refuses that.
    """
    expect(Run, run=run)
    expect(Qrels, qrels=qrels)
    findings = [] if path is None else [*_of_head(run, path)]
    findings += [*_of_both(run, qrels, quick=True), *of_grades(qrels), *_of_run(run, quick=True)]
    findings += of_direction(run, qrels)
    return [str(finding) for finding in findings if finding.serious and finding.name != _NONE_IN_COMMON]


def _of_lines(scan: Scan) -> Suspicions:
    for kind, (one, several, where) in _FAULTS.items():
        if found := scan.faults.get(kind):
            yield Suspicion(kind, counted(len(found), one, several) + where.format(*found[0]))
    if len(scan.tags) > 1:
        (first, _), (second, line) = list(scan.tags.items())[:2]
        message = f"{len(scan.tags)} tags in one file, '{first}' and, from line {line}, '{second}'; two runs joined?"
        yield Suspicion("tags", message)
    if scan.second:
        text, line = next(iter(scan.second.items()))
        many = f"'{text}'" if len(scan.second) == 1 else f"{len(scan.second)} other texts, such as '{text}'"
        yield Suspicion("second column", f"{many} instead of Q0, first on line {line}; some readers need Q0", False)
    if scan.spaced:
        many = counted(len(scan.spaced), "line has", "lines have")
        message = f"{many} text after the tag, first line {scan.spaced[0]}; a tag holds no blank"
        yield Suspicion("tags", message, False)
    long = [tag for tag in scan.tags if len(tag) > _LONGEST_TAG]
    if long:
        yield Suspicion("tags", f"'{long[0]}' has {len(long[0])} characters; TREC takes {_LONGEST_TAG}", False)
    yield from _of_ranks(contradictions(scan.placed), len(scan.scores))


def _of_ranks(found: Mapping[str, tuple[RunLine, RunLine]], n_queries: int | None) -> Suspicions:
    """Yield findings about the ranks; `n_queries` is None if only the beginning of a file was read."""
    if not found:
        return
    query_id, (above, below) = next(iter(found.items()))
    many = counted(len(found), "query", "queries")
    many = f"at least {many}" if n_queries is None else f"{many} of {n_queries}"
    message = (
        f"the ranks of {many} contradict the scores, such as '{query_id}': "
        f"rank {above.rank:g} (line {above.line}) scores {above.score:g}, rank {below.rank:g} (line {below.line}) "
        f"{below.score:g}; the scores decide and the ranks are ignored; are the scores distances?"
    )
    yield Suspicion("ranks", message)


def _of_head(run: Run, path: AnyPath) -> Suspicions:
    """Yield findings about the ranks and scores in the first rows of a file; none of standard input or a folder."""
    source = source_of(path)
    if source.path == "-" or isdir(source):
        return
    settled = settle(source, "run", parsed_run_columns(source.reading.run_columns))
    placed = _placed(settled, run.name)
    if settled.table is None and settled.what.form == "trec":
        placed = scan_run(replace(settled.source, data=settled.source.text.encode()), _HEAD).placed
    yield from _of_ranks(contradictions(placed), None)


def _of_run(run: Run, quick: bool) -> Suspicions:
    yield from _repeated(run)
    lengths = np.diff(run.offsets).tolist()
    deep = [query_id for query_id, n in zip(run.query_ids, lengths, strict=True) if n > _DEEPEST]
    if deep and not quick:
        rows = run.rows(deep[0])
        many = counted(len(deep), "query has", "queries have")
        message = f"{many} more than {_DEEPEST:,} documents, such as '{deep[0]}' with {rows.stop - rows.start:,}"
        yield Suspicion("long rankings", f"{message}; TREC takes {_DEEPEST:,}", False)
    if not run.ranked:
        constant = []  # queries with several scores, all the same; the first and the last usually decide
        for query_id in run.query_ids:
            scores = run.scores[run.rows(query_id)]
            if scores.size > 1 and scores[0] == scores[-1] and (scores == scores[0]).all():
                constant.append(query_id)
        if constant:
            rows = run.rows(constant[0])
            message = (
                f"all scores of {counted(len(constant), 'query', 'queries')} of {len(run.query_ids)} are equal, such "
                f"as those of '{constant[0]}' ({rows.stop - rows.start} documents with {run.scores[rows][0]:g}); "
                "doc_ids order equal scores, or their lines where ties go by rank, not the system"
            )
            yield Suspicion("constant scores", message)
        if not quick:
            yield from _ties(run, set(constant))
    infinite = np.flatnonzero(np.isinf(run.scores))
    if infinite.size:
        row = int(infinite[0])
        where = f"query '{run.query_of(row)}', document '{run.doc_ids[row]}'"
        many = counted(infinite.size, "score is", "scores are")
        yield Suspicion("infinite scores", f"{many} infinite, first of {where}; the logarithm of 0?", False)


def _repeated(run: Run) -> Suspicions:
    """Report many queries with the ranking of another query, scores included."""
    by_scores = groups_of(
        (hash(run.scores[rows].tobytes()), query_id)
        for query_id in run.query_ids
        if (rows := run.rows(query_id)).stop - rows.start > 1
    )
    groups = []
    for query_ids in by_scores.values():
        alike = groups_of(
            ((run.scores[run.rows(query_id)].tobytes(), tuple(run.doc_ids_of(query_id))), query_id)
            for query_id in (query_ids if len(query_ids) > 1 else ())
        )
        groups += [group for group in alike.values() if len(group) > 1]
    many = sum(map(len, groups))
    if many > _BY_CHANCE * len(run.query_ids):  # a few may differ only in words that no document contains
        message = (
            f"{many} queries of {len(run.query_ids)} have the documents and scores of another, such as "
            f"{_some(groups[0])}; was one query's ranking written for all of them, or is it the same text?"
        )
        yield Suspicion("repeated rankings", message)


def _ties(run: Run, constant: set[str]) -> Suspicions:
    tied = merged = 0
    first = ""
    for query_id in run.query_ids:
        scores = np.sort(run.scores[run.rows(query_id)])
        with np.errstate(over="ignore"):
            same = np.diff(scores.astype(np.float32)) == 0
        if query_id not in constant:
            tied += int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
        only_there = same & (np.diff(scores) != 0)
        if only_there.any():
            merged += int(only_there.sum())
            first = first or query_id
    if tied > _TIED * max(len(run), 1):
        ties = f"{tied} of {len(run)} scores are equal to another of their query"
        message = f"{ties}; the order of equal scores is a convention"
        yield Suspicion("ties", message, False)
    if merged:
        many = counted(merged, "score differs", "scores differ")
        message = f"{many} from the next only beyond 32 bits, first of query '{first}'; trec_eval treats them as equal"
        yield Suspicion("precision", message, False)


def _of_qrels(qrels: Qrels) -> Suspicions:
    yield from of_grades(qrels)
    alike = groups_of(
        ((frozenset(qrels.doc_ids[rows]), qrels.relevance[rows].tobytes()), query_id)
        for query_id in qrels.query_ids
        if (rows := qrels.rows(query_id)).stop - rows.start >= _ALIKE
    )
    groups = [group for group in alike.values() if len(group) > 1]
    if groups:
        message = f"queries {_some(groups[0])} have the same judgments; was one query's block copied?"
        yield Suspicion("repeated judgments", message, False)


def _of_both(run: Run, qrels: Qrels, quick: bool) -> Suspicions:
    """Yield findings about a run and judgments together; if `quick`, only serious ones that are fast to find."""
    common = [query_id for query_id in run.query_ids if query_id in qrels]
    absent = [query_id for query_id in qrels.query_ids if query_id not in run]
    unjudged = [query_id for query_id in run.query_ids if query_id not in qrels]
    if not common:
        n_run, n_judged = counted(len(run.query_ids), "query", "queries"), len(qrels.query_ids)
        message = f"{n_run} in the run, such as '{run.query_ids[0]}', {n_judged} in the judgments, such as "
        yield Suspicion(_NONE_IN_COMMON, f"{message}'{qrels.query_ids[0]}'")
    yield from _alike_ids("query ids", unjudged, absent, EVERY_SPELLING)
    yield from of_numbers(run, qrels, run.query_ids, "run")
    if common:
        yield from _documents(run, qrels, common, quick)
    yield from _of_themselves(run, qrels, common)
    if absent and common and not quick:
        many = f"{counted(len(absent), 'judged query is', 'judged queries are')} not in the run: {_some(absent)}"
        message = f"{many}, of {len(qrels.query_ids)}; nothing found for them, or not searched?"
        yield Suspicion("missing queries", message, False)
    if unjudged and common and not quick:
        many = f"{counted(len(unjudged), 'query of the run has', 'queries of the run have')} no judgments"
        message = f"{many}: {_some(unjudged)}, of {len(run.query_ids)}; another set of queries?"
        yield Suspicion("unjudged queries", message, False)


def _of_themselves(run: Run, qrels: Qrels, common: Sequence[str]) -> Suspicions:
    """Report queries that are documents: most find that of their own id first, which nobody has judged for them."""
    first = []
    for query_id in common:
        rows = run.rows(query_id)
        best = rows.start + int(np.argmax(run.scores[rows])) if rows.stop > rows.start else -1
        if best >= 0 and run.doc_ids[best] == query_id and query_id not in qrels[query_id]:
            first.append(query_id)
    if 2 * len(first) > len(common):
        message = (
            f"{counted(len(first), 'query', 'queries')} of {len(common)} find the document of their own id first, "
            f"such as '{first[0]}'; if they are documents, leave it out; of TREC lines: awk '$1 != $3' RUN > FILE"
        )
        yield Suspicion("own documents", message)


def _documents(run: Run, qrels: Qrels, common: Sequence[str], quick: bool) -> Suspicions:
    any_judged = any(not set(qrels.doc_ids_of(query_id)).isdisjoint(run.doc_ids_of(query_id)) for query_id in common)
    if not any_judged:
        n_retrieved = sum(rows.stop - rows.start for rows in map(run.rows, common))
        if not n_retrieved:
            yield Suspicion("nothing retrieved", "no document for any query that is judged; was anything searched?")
            return
        retrieved = run.doc_ids_of(common[0]) or run.doc_ids
        message = (
            f"0 of {n_retrieved} retrieved documents are judged; the run has ids such as '{retrieved[0]}', the "
            f"judgments such as '{qrels.doc_ids[0]}': {_of_passages(run, qrels) or 'another collection, or other ids?'}"
        )
        yield Suspicion("nothing judged", message)
    graded = ((qrels[query_id], run[query_id]) for query_id in common)
    if (
        any_judged
        and not quick
        and all(grades.get(doc_id) == score for grades, scores in graded for doc_id, score in scores.items())
    ):
        message = "every score is the document's grade; was the run made of the judgments?"
        yield Suspicion("judgments as run", message)
    if quick and any_judged:  # unjudged first documents that are judged ones, missing from the run, but for spelling
        ranked = [run.doc_ids_of(query_id) for query_id in common[:_FIRST_QUERIES]]
        judged = [doc_id for query_id in common[:_FIRST_QUERIES] for doc_id in qrels.doc_ids_of(query_id)]
        theirs = _without(judged, [doc_id for doc_ids in ranked for doc_id in doc_ids])
        ours = _without([doc_id for doc_ids in ranked for doc_id in doc_ids[:_FIRST_DOCUMENTS]], judged)
        yield from _alike_ids("document ids", ours, theirs, _SPELLINGS, "first documents of the run")
    else:
        spellings = _SPELLINGS if any_judged else EVERY_SPELLING
        ours, theirs = _without(run.doc_ids, qrels.doc_ids), _without(qrels.doc_ids, run.doc_ids)
        yield from _alike_ids("document ids", ours, theirs, spellings)


def _without(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    known = {*others}
    return [one for one in dict.fromkeys(ids) if one not in known]


_PASSAGE = re.compile(r"(.+)([#_:-])\d+")


def _of_passages(run: Run, qrels: Qrels) -> str:
    """Say how to keep the best passage of each document, if most ids of a run are judged ones with a number behind."""
    judged, ids = {*qrels.doc_ids}, {*run.doc_ids}
    found = [match.groups() for match in map(_PASSAGE.fullmatch, ids) if match]
    if len(found) < len(ids) or 2 * sum(stem in judged for stem, _ in found) < len(ids):
        return ""
    marks = "".join(sorted({mark for _, mark in found}, key="-#:_".index))  # in brackets, a hyphen comes first
    way = f"awk '{{sub(/[{marks}][0-9]+$/, \"\", $3)}} !seen[$1, $3]++' RUN > FILE"
    are_passages = "passages, since most ids without their last number are judged"
    return f"{are_passages}; to keep the best of each document, of TREC lines from best to worst: {way}"


Spelling: TypeAlias = tuple[str, Callable[[str], str]]
"""Name of a difference in spelling, and the function that undoes it."""

_ENDS_OF_ADDRESS = re.compile(r"\Ahttps?://(?:www\.)?|/\Z")
_TYPED = str.maketrans("–—‑‘’", "---''")
_SPELLINGS: tuple[Spelling, ...] = (
    ("case", str.casefold),
    ("leading zeros", lambda text: re.sub(r"(?<![0-9])0+(?=[0-9])", "", text)),
    ("a final .0", lambda text: text.removesuffix(".0")),
    ("the ends of addresses", lambda text: _ENDS_OF_ADDRESS.sub("", text)),
    ("blanks, dashes or apostrophes", lambda text: " ".join(text.translate(_TYPED).split())),
)
_BETWEEN = re.compile(r"[0-9](?:.*[0-9])?")
_NUMBER: Spelling = (
    "the text around the number",
    lambda text: found[0] if (found := _BETWEEN.search(text)) else "",
)
EVERY_SPELLING = (*_SPELLINGS, _NUMBER)
"""Differences in spelling, the likeliest first."""


def _around(text: str) -> str:
    """Return the text around the number of an id, which is the same in all ids of a form."""
    return _BETWEEN.sub("0", text, count=1)


def spelled_alike(
    ours: Iterable[str], theirs: Iterable[str], spellings: Iterable[Spelling] = EVERY_SPELLING
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the differences in spelling that keep ids of two sides apart, each with the pairs that it would join."""
    for how, spelled in spellings:
        by_spelling = {spelled(text): text for text in theirs}
        pairs = [(text, by_spelling[spelled(text)]) for text in ours if spelled(text) and spelled(text) in by_spelling]
        if pairs:
            yield how, pairs


def _alike_ids(
    what: str,
    ours: Sequence[str],
    theirs: Sequence[str],
    spellings: Iterable[Spelling],
    source: str = "run",
) -> Suspicions:
    for how, pairs in spelled_alike(ours, theirs, spellings) if ours else ():
        if how == _NUMBER[0]:  # random ids have a number in common by accident
            alike = groups_of(((_around(our), _around(their)), (our, their)) for our, their in pairs)
            most = max(alike.values(), key=len)
            pairs = most if 2 * len(most) > len(pairs) else []
        if pairs:
            message = f"{len(pairs)} of the {source} and of the judgments differ in {how}, such as '{pairs[0][0]}' and "
            yield Suspicion(what, f"{message}'{pairs[0][1]}'; write them alike")
            return


def _some(ids: Sequence[str]) -> str:
    listed = ", ".join(f"'{text}'" for text in ids[:3])
    return f"{listed} and {len(ids) - 3} more" if len(ids) > 3 else listed


_FAULTS = {
    "columns": ("line does", "lines do", " not have six columns, first line {}: '{}'; cut short?"),
    "scores": (
        "score is not a number",
        "scores are not numbers",
        ", first on line {}: '{}'; a division by 0, or another column?",
    ),
    "ranks": ("rank is not a whole number", "ranks are not whole numbers", ", first on line {}: '{}'; another column?"),
    "duplicates": (
        "line repeats",
        "lines repeat",
        " a document of the query, first line {}: query '{}', document '{}'; passages of one document, or two runs in "
        "one file?",
    ),
}
"""Kind of a finding → what one line has, what several have, and where, with the number and the texts of the first."""

_HEAD = 1000  # lines
_COLUMNS = 6


class RunLine(NamedTuple):
    """Line of a run file: a document with its rank and score."""

    line: int
    rank: float
    score: float


_Placed: TypeAlias = dict[tuple[str, str], dict[str, RunLine]]
"""Query and system → doc_id → its first line."""


@dataclass
class Scan:
    """Content and problems of the lines of a TREC run file."""

    # query_id → doc_id → score, from the valid lines; for a document given twice, the first score
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    placed: _Placed = field(default_factory=dict)  # the same lines by query and tag
    # a key of `_FAULTS` → the number of each line with this fault, and its texts
    faults: dict[str, list[tuple[object, ...]]] = field(default_factory=lambda: defaultdict(list))
    tags: dict[str, int] = field(default_factory=dict)  # each tag, and the line of its first occurrence
    second: dict[str, int] = field(default_factory=dict)  # the same of each text in the second column other than Q0
    spaced: list[int] = field(default_factory=list)  # lines with text after the tag


def scan_run(path: AnyPath, most: int | None = None) -> Scan:
    """Scan the lines of a TREC run file, or the first ones."""
    scan = Scan()
    for number, line in islice(numbered_lines(path), most):
        columns = line.split() if line.isascii() else columns_of_line(line)
        if len(columns) > _COLUMNS:
            columns = run_columns(line)
            scan.spaced += [number] * (len(columns) == _COLUMNS)
        of_comment = is_comment(line) and (len(columns) < _COLUMNS or score_of(columns[4]) is None)
        if of_comment or not columns:
            continue
        if len(columns) != _COLUMNS:
            scan.faults["columns"].append((number, cut(line.strip(), 60)))
            continue
        query_id, second, doc_id, rank, score, tag = columns
        scan.tags.setdefault(tag, number)
        if second.upper() not in ("Q0", "0"):
            scan.second.setdefault(second, number)
        value = score_of(score)
        if value is None:
            scan.faults["scores"].append((number, score))
            continue
        if not is_rank(rank):
            scan.faults["ranks"].append((number, rank))
            continue
        scan.placed.setdefault((query_id, tag), {}).setdefault(doc_id, RunLine(number, float(rank), value))
        group = scan.scores.setdefault(query_id, {})
        if doc_id in group:
            scan.faults["duplicates"].append((number, query_id, doc_id))
        else:
            group[doc_id] = value
    return scan


def contradictions(placed: _Placed) -> dict[str, tuple[RunLine, RunLine]]:
    """Find two documents of a system in each query whose ranks contradict its scores: the higher one scores lower."""
    problems: dict[str, tuple[RunLine, RunLine]] = {}
    for (query_id, _), rows in placed.items():
        for above, below in pairwise(sorted(rows.values(), key=lambda row: (row.rank, -row.score))):
            if above.rank < below.rank and above.score < below.score:
                problems.setdefault(query_id, (above, below))
                break
    return problems


def _placed(settled: Settled, name: str) -> _Placed:
    """Return the first rows of a table with ranks and scores; name: of a system, which its column holds."""
    placed: _Placed = {}
    table = settled.table
    if settled.what.role != "run" or settled.ask or "doc_id" not in settled.parts or table is None:
        return placed
    if "rank" in places_of([settled.parts.get("score", "")]):
        return placed  # whose ranks are the scores
    unread = (label for label in table.labels if label not in settled.parts.values())
    columns = [settled.parts.get("tag", ""), *unread]
    system = next((label for label in columns if name in map(str, table.cells(label))), "")
    beginning = settled._replace(table=replace(table, rows=lambda: iter(table.head)))
    for row in triples_in(beginning, "run", Problems(table.source)):
        rank = finite_number(text_of_part(row, "rank", settled.parts))
        score = number_in(row.value, "run", table) if row.by == "score" else None
        if rank is not None and score is not None:
            of_system = placed.setdefault((row.query_id, str(row.cells.get(system))), {})
            of_system.setdefault(row.doc_id, RunLine(row.line, rank, score))
    return placed


def spelled_otherwise(doc_ids: Sequence[str], judged: Sequence[str]) -> str:
    """Return the sentence on documents of an index and of judgments whose ids differ in form; "" if there are none.

    >>> spelled_otherwise(["007", "012"], ["7", "12"])
    "2 of the index and of the judgments differ in leading zeros, such as '007' and '7'; write them alike"
    """
    ours, theirs = _without(doc_ids, judged), _without(judged, doc_ids)
    suspicion = next(_alike_ids("document ids", ours, theirs, _SPELLINGS, "index"), None)
    if suspicion is None and len(theirs) == len({*judged}):  # a few other ids have a number in common by accident
        numbers = {_NUMBER[1](doc_id) for doc_id in theirs} & {_NUMBER[1](doc_id) for doc_id in ours} - {""}
        spellings = [_NUMBER] if 2 * len(numbers) > len(theirs) else []
        suspicion = next(_alike_ids("document ids", ours, theirs, spellings, "index"), None)
    return suspicion.message if suspicion else ""
