"""Hits of queries in JSON, as search engines and libraries write them: records, pairs, objects, answers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, NamedTuple

from toysearch.base import DataError, encodable, note
from toysearch.files.claims import What
from toysearch.files.columns import Header, holds_text, places_of
from toysearch.files.problems import Problems

_HITS = ("hits", "topk", "top_k", "candidates", "results", "documents", "docs", "ranking", "retrieved", "response")
"""Keys of the hits of a query, in order of precedence."""
_QUERY = ("qid", "query_id", "queryid", "id")
_CUT = rf'\s*\[?\s*\{{(?:[^{{}}\[\]]|"query"\s*:\s*\{{[^{{}}\[\]]*\}})*"(?:{"|".join(_HITS)})"\s*:\s*\[\s*[\[{{"]'
"""Beginning of an object with hits, whose end is cut off."""
_CUT_GROUPS = rf'\s*\{{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{{(?:[^{{}}\[\]])*"(?:{"|".join(_HITS)})"\s*:\s*[\[{{]'
_CUT_ANSWER = r'\s*\{\s*(?:"took"|"metric_score"|"responseHeader")\s*:'
_DEEPEST = 4  # objects around the hits


class RankedHit(NamedTuple):
    """Document that a query has found."""

    doc_id: str
    score: float | None  # None if the order decides


def claims_hits(text: str, item: Mapping[str, Any] | None) -> What | None:
    """Claim the beginning of JSON as a run by its first object, None if that is cut off."""
    if item is None:
        if re.match(_CUT_ANSWER, text) and re.search('"(?:hits|docs)"', text):
            return What("run", "json", "it is an answer with hits")
        if re.match(_CUT_GROUPS, text):
            return What("run", "json", "it is an object of hits by query")
        return What("run", "lines", "its first object has hits") if re.match(_CUT, text) else None
    places = places_of(item)
    is_record = {"query_id", "doc_id"} <= places.keys() and not {"_id", "id"} & item.keys()
    if is_record and Header([*item], places, None).kind == "run":
        return What("run", "lines", [*item])
    if _is_answer(item):
        return What("run", "json", "it is an answer with hits")
    if query_of(item) is not None and _are_hits(item):
        return What("run", "lines", [*item])
    if item and all(_are_hits(group) and not _are_texts(group) for group in item.values()):
        return What("run", "json", "it is an object of hits by query")
    return None


def _is_answer(item: Mapping[str, Any]) -> bool:
    """True for an answer of Elasticsearch (to a search, to several, or of its ranking evaluation), or of Solr."""
    details, several = item.get("details"), item.get("responses")
    inner = any(
        isinstance(outer := item.get(key), dict) and isinstance(outer.get(hits), list)
        for key, hits in (("hits", "hits"), ("response", "docs"))
    )
    return (
        inner or (isinstance(details, dict) and "metric_score" in item) or (isinstance(several, list) and bool(several))
    )


def _are_hits(group: object) -> bool:
    hits = hits_in(group)
    return isinstance(hits, list) and bool(hits) and (isinstance(hits[0], str) or hit_of(hits[0]) is not None)


def _are_texts(group: object) -> bool:
    """True for a list of documents or queries: objects with a text and no score."""
    first = group[0] if isinstance(group, list) else None
    hit = hit_of(first)
    return isinstance(first, dict) and holds_text(first) and hit is not None and hit.score is None


def query_of(item: Mapping[str, Any]) -> str | None:
    """Return the id of the query of an object, which may be in an object of its own; else None."""
    places = places_of(item)
    value = [*item.values()][places["query_id"]] if "query_id" in places else None
    if isinstance(value, dict):
        value = next((value[key] for key in _QUERY if key in value), None)
    return _id(value)


def _id(value: object) -> str | None:
    is_id = (isinstance(value, str) and value) or type(value) is int
    return encodable(str(value))[0] if is_id else None


def hits_in(value: object) -> object:
    """Return the hits inside objects, a list or an object of scores; None if there are none."""
    for _ in range(_DEEPEST):
        if not isinstance(value, dict):
            break
        inner = next((value[key] for key in _HITS if isinstance(value.get(key), list | dict)), None)
        if inner is None:
            break
        value = inner
    return value if isinstance(value, list | dict) else None


def hit_of(value: object) -> RankedHit | None:
    """Return a hit: a pair of document and score, or an object with both, or with a rank; None for anything else."""
    if isinstance(value, list) and len(value) == 2:
        doc_id, score = _id(value[0]), value[1]
        return RankedHit(doc_id, float(score)) if doc_id is not None and _is_number(score) else None
    if not isinstance(value, dict):
        return None
    item = value["hit"] if isinstance(value.get("hit"), dict) else value
    places, cells = places_of(item), [*item.values()]
    doc_id = _id(item.get("_id", cells[places["doc_id"]] if "doc_id" in places else item.get("id")))
    part = next((part for part in ("score", "rank") if part in places), None)
    score = item.get("_score", cells[places[part]] if part else None)
    if doc_id is None or not (score is None or _is_number(score)):
        return None
    by_rank = part == "rank" and "_score" not in item
    return RankedHit(doc_id, None if score is None else -float(score) if by_rank else float(score))


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and value == value  # not NaN


def scores_of(hits: Iterable[object], what: str, problems: Problems, line: int) -> dict[str, float]:
    """Return document → score of some hits; without scores, by their order. Others are problems on the line."""
    scores: dict[str, float | None] = {}
    for value in hits:
        hit = RankedHit(value, None) if isinstance(value, str) and value else hit_of(value)
        if hit is None:
            excerpt = json.dumps(value, ensure_ascii=False)[:60]
            problems.add(line, f"{what}: expected hits with a document and a score, found {excerpt}")
        elif hit.doc_id in scores:
            problems.add(line, f"{what} has document '{hit.doc_id}' twice; keep one of the two")
        else:
            scores[hit.doc_id] = hit.score
    if None not in scores.values():
        return {doc_id: score for doc_id, score in scores.items() if score is not None and not math.isnan(score)}
    if any(score is not None for score in scores.values()):
        problems.add(line, f"{what}: some hits have scores and some have none; give all of them scores")
    return {doc_id: float(len(scores) - place) for place, doc_id in enumerate(scores)}


def by_query(path: str | PathLike[str], groups: dict[str, Any], name: str) -> dict[str, Any]:
    """Return query_id → hits of a JSON object; of the answer to one query, by the name of the file."""
    if not _is_answer(groups):
        return groups
    if isinstance(groups.get("details"), dict):
        return dict(groups["details"])
    if "responses" in groups:
        raise DataError(
            f"{path} holds the answers to several searches without the ids of the queries; write an object, query_id "
            "to answer"
        )
    note(f"{path} is an answer without the id of its query, which is named after the file: '{name}'")
    return {name: groups}
