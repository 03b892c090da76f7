"""Runs and judgments in JSON: lines, arrays, and objects of query, document and value.

Start with `read_judgment_lines` and `read_run_object`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from toysearch.base import DataError, Qrels, Ranking, Run, encodable, malformed
from toysearch.files.columns import columns_of_systems, places_of, unread_columns
from toysearch.files.numbers import finite_value
from toysearch.files.problems import Problems
from toysearch.files.source import numbered_lines
from toysearch.files.syntaxes.json_hits import by_query, hit_of, hits_in, query_of, scores_of
from toysearch.files.syntaxes.json_lines import judgment_keys, kind_of_value, object_lines
from toysearch.files.triples import (
    STATUS,
    OutsideScale,
    Systems,
    Triples,
    Unjudged,
    UnreadColumns,
    add_subtopic,
    advice_on_word,
    among_codes,
    code_of,
    run_name,
)

_EXPECTED = "expected a JSON object with query_id, doc_id and relevance"


def read_judgment_lines(
    path: str | PathLike[str], columns: Mapping[str, str] | None = None, grades: Mapping[str, float] | None = None
) -> Qrels:
    """Read the judgments of a JSON Lines file or of an array of objects, in its order."""
    # An id is a string or a whole number, a grade any finite number. Blank lines are skipped. The keys may have the
    # same names as the columns of a table; the first object decides.
    triples = Triples(path, "qrels")
    for row in graded_objects(path, triples.problems, triples.unjudged, columns, grades=grades):
        subtopic, weight = row.cell("subtopic"), row.cell("weight")
        add_subtopic(triples, row.line, (row.query_id, row.doc_id, row.grade), encodable(subtopic)[0], weight)
    return triples.qrels(f"{path} holds no judgments; {_EXPECTED} on each line")


class GradedObject(NamedTuple):
    """JSON object that holds a judgment."""

    line: int
    query_id: str
    doc_id: str
    grade: float
    by: str  # the key that holds the grade
    item: Mapping[str, object]
    labels: Mapping[str, str]  # part (a key of `NAMES`) → the key in the object

    def cell(self, holds: str) -> str:
        """Return the text of another part; "" if the object lacks it."""
        return str(self.item.get(self.labels.get(holds, ""), ""))


def graded_objects(
    path: str | PathLike[str],
    problems: Problems,
    unjudged: Unjudged,
    columns: Mapping[str, str] | None = None,
    judges: Sequence[str] = (),
    grades: Mapping[str, float] | None = None,
) -> Iterator[GradedObject]:
    """Yield the judgments in objects of JSON, in the file's order.

    judges : keys that hold a grade each, or null
    grades : the grades that codes stand for
    """
    keys: tuple[str, str, str] | None = None
    labels: dict[tuple[str, ...], dict[str, str]] = {}  # by the keys of an object: a reason may be absent
    outside = OutsideScale(path)
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.add(number, f"{_EXPECTED}; {error}")
            continue
        if isinstance(item, dict):
            graded = [judge for judge in judges if item.get(judge) is not None]
            keys = keys or judgment_keys(item, {**(columns or {}), **({"relevance": graded[0]} if graded else {})})
        if not isinstance(item, dict) or not keys or not {*keys[: 2 if judges else 3]} <= {*item}:
            problems.add(number, f"{_EXPECTED}, found {line.strip()[:60]}")
            continue
        names = tuple(item)
        if names not in labels:
            labels[names] = {part: names[place] for part, place in places_of(names, columns).items()}
        ids = [(key, item[key]) for key in keys[:2]]
        odd = next(
            ((key, value) for key, value in ids if type(value) is not int and not (isinstance(value, str) and value)),
            None,
        )
        if odd is not None:  # a bool is an int, but not an id
            problems.add(number, f"{odd[0]} must be a text or a whole number, found {json.dumps(odd[1])[:60]}")
        elif item.get(STATUS) == 0 or (not judges and item[keys[2]] in (None, "")):
            unjudged.add(number, failed=item.get(STATUS) == 0)
        else:
            query_id, doc_id = (encodable(str(value))[0] for _, value in ids)
            graded = graded if judges else [keys[2]]
            values = {
                key: finite_value(item[key]) if grades is None else grades.get(code_of(item[key])) for key in graded
            }
            bad = [key for key, value in values.items() if value is None]
            if bad:
                expected, value = among_codes(grades) or "a finite number", item[bad[0]]
                code = (
                    value
                    if isinstance(value, str) and grades is None and not (problems.count or problems.skips)
                    else ""
                )
                problem = f"expected {expected} as {bad[0]}, found {json.dumps(value)[:60]}"
                problems.add(number, f"{problem}{advice_on_word(code)}")
            for key in graded:
                if (grade := values[key]) is not None:
                    outside.add(number, key, grade)
                    yield GradedObject(number, query_id, doc_id, grade, key, item, labels[names])
    outside.tell()


def read_qrels_object(path: str | PathLike[str]) -> Qrels:
    """Read the judgments in a JSON object."""
    qrels = Qrels.from_dict(read_nested(path, "qrels"))  # type: ignore[arg-type]  # a list is refused
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; expected query_id to doc_id to relevance")
    return qrels


def read_run_lines(path: str | PathLike[str]) -> Run:
    """Read the run in JSON Lines or an array: objects with query_id, doc_id and score, or with the hits of a query."""
    triples, systems, by = Triples(path, "run"), Systems(path, "key"), "score"
    unread = UnreadColumns(path, "key")
    for number, line in object_lines(path):
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            triples.problems.add(number, f"expected a JSON object with query_id, doc_id and score; {error}")
            continue
        query_id = query_of(item) if isinstance(item, dict) else None
        hits = hits_in(item)
        alone = hit_of(item) if not isinstance(hits, list) else None
        hits = hits if isinstance(hits, list) else [item]
        if query_id is None or (hits == [item] and (alone is None or alone.score is None)):
            triples.problems.add(number, f"expected an object with query_id, doc_id and score, found {line[:60]}")
            continue
        places = places_of(item)
        by = "rank" if hits == [item] and "score" not in places else by
        triples.groups.setdefault(query_id, {})
        texts = {key: str(value) for key, value in item.items() if isinstance(value, str | int)}
        names = {key: texts[key] for key in columns_of_systems(item) if key in texts}
        others = {key: texts[key] for key in unread_columns(item) if key in texts}
        rank = str(item[[*item][places["rank"]]]) if "rank" in places else ""
        for doc_id, score in scores_of(hits, f"query '{query_id}'", triples.problems, number).items():
            triples.add(number, query_id, doc_id, -score if by == "rank" else score)
            for key, name in names.items():
                systems.add(key, name, query_id, doc_id)
            unread.add(query_id, doc_id, rank, math.nan if by == "rank" else score, others)
    unread.tell()
    return triples.run(systems.name() or run_name(path), f"{path} holds no run", by_rank=by == "rank")


def read_run_object(path: str | PathLike[str]) -> Run:
    """Read the run in a JSON object, by its scores or its lists."""
    groups, name = read_nested(path, "run"), run_name(path)
    if not any(isinstance(group, list) for group in groups.values()):
        return Run.from_dict(groups, name=name)  # type: ignore[arg-type]  # no list is left
    for query_id, group in groups.items():
        if not isinstance(group, list):
            raise DataError(
                f"{path}: query '{query_id}' has scores, others have lists of doc_ids; give all queries the same"
            )
    rankings = [Ranking(query_id, list(group), np.arange(len(group), 0, -1)) for query_id, group in groups.items()]
    return Run.from_rankings(rankings, name=name)


def read_nested(path: str | PathLike[str], kind: Literal["run", "qrels"]) -> dict[str, dict[str, float] | list[str]]:
    """Read and check a JSON object: for each query an object of numbers, or in a run a list of doc_ids."""
    what = "score" if kind == "run" else "relevance"
    expected = f"expected a JSON object of objects, query_id to doc_id to {what}"
    text = "\n".join(line for _, line in numbered_lines(path))
    repeated: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.append(next(key for place, key in enumerate(keys) if key in keys[:place]))
        return values

    try:
        groups = json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" starting at")
        raise malformed(path, error.lineno, f"{expected}; {why} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or as many nested brackets
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise malformed(path, 1, f"{expected}; {why}") from None
    problems = Problems(path)
    for key in repeated:
        line = _line_of(text, key, key)
        problems.add(line, f"'{key}' is a key of one object twice, and JSON keeps only one; remove the other")
    if kind == "qrels" and isinstance(groups, dict):
        groups = _rated_groups(path, groups, text, problems)
    problems.refuse()
    if not isinstance(groups, dict) or not groups:
        raise DataError(
            f"{path}: {expected}, found {'an empty one' if isinstance(groups, dict) else kind_of_value(groups)}"
        )
    problems = Problems(path)
    if kind == "run":
        groups = by_query(path, groups, run_name(path))
    good_groups: dict[str, dict[str, float] | list[str]] = {}
    for query_id, group in groups.items():
        hits = hits_in(group) if kind == "run" else group
        if isinstance(hits, list) and kind == "run":
            line = _line_of(text, query_id)
            if not any(isinstance(hit, list | dict) for hit in hits):
                good_groups[query_id] = _checked_list(problems, text, query_id, hits)
            else:
                good_groups[query_id] = scores_of(hits, f"query '{query_id}'", problems, line)
        elif not isinstance(hits, dict):
            problem = f"query '{query_id}': expected an object of doc_id to {what}, found {kind_of_value(group)}"
            problems.add(_line_of(text, query_id), problem)
        elif all(finite_value(value) is not None for value in hits.values()):  # quick for most
            good_groups[query_id] = hits
        else:
            good_groups[query_id] = good = {}
            for doc_id, value in hits.items():
                infinite = type(value) is float and math.isinf(value) and "Infinity" in text  # not merely too large
                if finite_value(value) is not None or (infinite and kind == "run"):
                    good[doc_id] = value
                    continue
                number = (
                    f"a finite number as {what}, found {value}"
                    if infinite
                    else f"a number as {what}, found {_shown(value)}"
                )
                problem = f"query '{query_id}', document '{doc_id}': expected {number}"
                problems.add(_line_of(text, query_id, doc_id), problem)
    problems.refuse(among=any(good_groups.values()))
    return good_groups


def _rated_groups(path: str | PathLike[str], groups: dict[str, Any], text: str, problems: Problems) -> dict[str, Any]:
    """Return query_id → doc_id → grade of ratings in an object of another program, or the groups unchanged."""
    if isinstance(groups.get("requests"), list):
        return _rated(groups["requests"], text, problems)
    if isinstance(groups.get("topics"), list) and '"query_groups"' in text:
        return _rated_topics(groups["topics"], problems)
    return groups


def _rated_topics(topics: list[Any], problems: Problems) -> dict[str, dict[str, Any]]:
    """Return the ratings of RRE, in which a group of queries has the same relevant documents, by grade or by id."""
    rated: dict[str, dict[str, Any]] = {}
    for topic in topics:
        for group in topic.get("query_groups", ()) if isinstance(topic, dict) else ():
            try:
                documents = {
                    str(doc_id): float(grade)
                    for key, value in group["relevant_documents"].items()
                    for doc_id, grade in (
                        ((one, key) for one in value) if isinstance(value, list) else [(key, value["gain"])]
                    )
                }
                texts = [query["placeholders"] for query in group["queries"]]
                query_ids = [str(values.get("$query", next(iter(values.values())))) for values in texts]
            except (AttributeError, KeyError, TypeError, ValueError, StopIteration):
                excerpt = json.dumps(group, ensure_ascii=False)[:60]
                expected = "expected a group with queries, their placeholders, and relevant_documents by grade"
                problems.add(1, f"{expected}, found {excerpt}")
                continue
            for query_id in query_ids:
                rated.setdefault(query_id, {}).update(documents)
    return rated


def _rated(requests: list[Any], text: str, problems: Problems) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for request in requests:
        try:
            query_id, rated = str(request["id"]), request["ratings"]
            ratings = {str(rating["_id"]): rating["rating"] for rating in rated}
        except (TypeError, KeyError):
            excerpt = json.dumps(request, ensure_ascii=False)[:60]
            problems.add(1, f"expected a request with id, and ratings with _id and rating each, found {excerpt}")
            continue
        if query_id in groups or len(ratings) < len(rated):
            what = "two requests" if query_id in groups else "two ratings of one document"
            problems.add(_line_of(text, query_id), f"query '{query_id}' has {what}; keep one of the two")
        groups[query_id] = ratings
    return groups


def _checked_list(problems: Problems, text: str, query_id: str, doc_ids: list[Any]) -> list[str]:
    ranked: dict[str, None] = {}
    for doc_id in doc_ids:
        if not isinstance(doc_id, str):
            problem = f"query '{query_id}': expected a list of doc_ids, found {kind_of_value(doc_id)} in it"
            problems.add(_line_of(text, query_id), problem)
        elif doc_id in ranked:
            problem = f"query '{query_id}' has document '{doc_id}' twice; keep one of the two"
            problems.add(_line_of(text, query_id, doc_id), problem)
        else:
            ranked[doc_id] = None
    return [*ranked]


def _line_of(text: str, *keys: str) -> int:
    """Find the line of the last key, each key searched for after the previous one."""
    place = -1
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=False), place + 1))
    return text.count("\n", 0, max(place, 0)) + 1


def _shown(value: object) -> str:
    if (isinstance(value, float) and math.isinf(value)) or type(value) is int:
        return "a number that is too large"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | float | bool) else kind_of_value(value)
