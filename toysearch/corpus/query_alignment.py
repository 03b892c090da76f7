"""Which queries and documents the ids in judgments mean: by place, or with leading zeros more or fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from toysearch.corpus.recipes import Recipe
from toysearch.formats.text_files import counted
from toysearch.records import Qrels


def aligned(
    recipe: Recipe, found_ids: Sequence[str], codes: Qrels | None, doc_ids: Callable[[], Sequence[str]]
) -> tuple[list[str], Qrels | None, str]:
    """The ids of the queries, the judgments with ids that fit them, and what to tell the user ("" for nothing).

    In SMART collections the judgments may count queries by their place in the file, whatever ``.I`` says
    (Cranfield), and write numbers with leading zeros (CACM). TREC's topics may have zeros that the judgments
    lack: these queries are then called as in the judgments, which everybody's runs are scored by.
    """
    places = [str(place) for place in range(1, len(found_ids) + 1)]
    query_ids = places if recipe.number == "place" else list(found_ids)
    formats = {file.role: file.format for file in recipe.files if file.role != "qrels"}
    if codes is None:
        return query_ids, codes, ""
    if "smart" in formats.values():
        return _fitted(recipe, query_ids, places, codes, doc_ids)
    if formats.get("queries") == "trec":
        return _as_judged(recipe, query_ids, codes)
    return query_ids, codes, ""


def _as_judged(recipe: Recipe, query_ids: list[str], codes: Qrels) -> tuple[list[str], Qrels, str]:
    """Queries called as the judgments call them, where the two differ in leading zeros only."""
    exact = set(codes.query_ids)
    judged = {
        found: known for known, found in _matched(codes.query_ids, query_ids).items() if found and found not in exact
    }
    renamed = [judged.get(query_id, query_id) for query_id in query_ids]
    changed = sum(old != new for old, new in zip(query_ids, renamed, strict=True))
    if not changed:
        return query_ids, codes, ""
    first = next(old for old, new in zip(query_ids, renamed, strict=True) if old != new)
    message = (
        f"{counted(changed, 'query', 'queries')} of collection '{recipe.name}' called as in the judgments, which have "
        f"fewer or more leading zeros, such as '{judged[first]}' for '{first}'"
    )
    return renamed, codes, message


def _fitted(
    recipe: Recipe, query_ids: list[str], places: list[str], codes: Qrels, doc_ids: Callable[[], Sequence[str]]
) -> tuple[list[str], Qrels, str]:
    """SMART queries under their ids or their places, and the judgments with ids that fit."""
    message = ""
    new_query_ids = _matched(codes.query_ids, query_ids)
    if recipe.number == "" and query_ids and not all(new_query_ids.values()):
        by_place = _matched(codes.query_ids, places)
        if all(by_place.values()):
            unmatched = sum(not new_id for new_id in new_query_ids.values())
            message = (
                f"the queries of collection '{recipe.name}' are numbered by their place in the file: the judgments "
                f"fit 1 to {len(places)}, and {unmatched} of their {len(codes.query_ids)} query numbers are no .I "
                'number; if that is wrong, say number = "id" in a collection.toml'
            )
            query_ids, new_query_ids = places, by_place
    return query_ids, _renamed(codes, new_query_ids, _matched_documents(codes, doc_ids)), message


def _matched_documents(codes: Qrels, known: Callable[[], Sequence[str]]) -> dict[str, str]:
    """The documents' ids for those in the judgments, where some of these have leading zeros."""
    doc_ids = dict.fromkeys(codes.doc_ids)
    if all(doc_id == _plain(doc_id) for doc_id in doc_ids):
        return {}
    return _matched(doc_ids, known())


def _renamed(codes: Qrels, query_ids: Mapping[str, str], doc_ids: Mapping[str, str]) -> Qrels:
    """The judgments with other ids; an id that stands for none of the collection's is kept."""
    if all(old == new for old, new in [*query_ids.items(), *doc_ids.items()]):
        return codes
    return Qrels.from_records(
        (query_ids[query_id] or query_id, doc_ids.get(doc_id) or doc_id, code) for query_id, doc_id, code in codes
    )


def _matched(ids: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Each id and the known one that it stands for: itself, or the same number without leading zeros, or ""."""
    exact = set(known)
    numbers = {_plain(known_id): known_id for known_id in reversed(known)}
    return {each: each if each in exact else numbers.get(_plain(each), "") for each in ids}


def _plain(number: str) -> str:
    """A number without its leading zeros; any other text as it is."""
    return number.lstrip("0") or "0" if number.isdecimal() else number
