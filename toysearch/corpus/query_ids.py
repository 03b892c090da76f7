"""Queries and judgments brought together: by their ids, by position, by text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from toysearch.corpus.recipe import Recipe
from toysearch.errors import DataError
from toysearch.formats.text_files import Record, counted
from toysearch.records import Qrels


def are_texts(ids: Sequence[str]) -> bool:
    """Whether what stands in the place of query ids are texts: one has several words, or all are words.

    >>> are_texts(["usb c cable", "mouse"]), are_texts(["cat", "dog"]), are_texts(["q1", "q2"])
    (True, True, False)
    """
    several_words = any(len(each.split()) > 1 for each in ids)
    return bool(ids) and (several_words or all(each.isalpha() and len(each) > 2 for each in ids))


def numbered_texts(ids: Iterable[str]) -> list[Record]:
    """The texts as records of queries, numbered from 1.

    >>> numbered_texts(["usb cable", "mouse", "USB  cable"])
    [(1, '1', {'text': 'usb cable'}), (2, '2', {'text': 'mouse'})]
    """
    texts: dict[str, str] = {}
    for text in ids:
        texts.setdefault(_plain(text), text)
    return [(place, str(place), {"text": text}) for place, text in enumerate(texts.values(), 1)]


def by_text(codes: Qrels, query_ids: Sequence[str], texts: Sequence[str], name: str = "") -> tuple[Qrels, str]:
    """The judgments, those that name a query by its text under its id, and what to tell the user ("" for nothing).

    >>> codes, told = by_text(Qrels.from_dict({"USB cable": {"a": 1}, "7": {"b": 1}}), ["q1"], ["usb  cable"], "shop")
    >>> codes["q1"], codes["7"]
    ({'a': 1.0}, {'b': 1.0})
    >>> told
    "the judgments of collection 'shop' name 1 query by its text, such as 'USB cable', which is query 'q1'"
    """
    known = set(query_ids)
    ids = {_plain(text): query_id for query_id, text in reversed(list(zip(query_ids, texts, strict=True)))}
    found = {each: ids[_plain(each)] for each in codes.query_ids if each not in known and _plain(each) in ids}
    if not found:
        return codes, ""
    renamed = Qrels.from_records(_once(codes, found))
    first, query_id = next(iter(found.items()))
    queries = counted(len(set(found.values())), "query by its text", "queries by their texts")
    whose = f" of collection '{name}'" if name else ""
    named = f"the judgments{whose} name {queries}"
    return renamed, f"{named}, such as '{first}', which is query '{query_id}'"


def _once(codes: Qrels, found: dict[str, str]) -> Iterator[tuple[str, str, float]]:
    """The judgments under the ids of their queries; one that several spellings of a query repeat, once."""
    seen: dict[tuple[str, str], tuple[str, float]] = {}
    for named, doc_id, code in codes:
        query_id = found.get(named, named)
        earlier, known = seen.setdefault((query_id, doc_id), (named, code))
        if known != code:
            raise DataError(
                f"'{earlier}' and '{named}' name the same query '{query_id}', and give document '{doc_id}' the grades "
                f"{known:g} and {code:g}; keep one of them"
            )
        if earlier == named:
            yield query_id, doc_id, code


def _plain(text: str) -> str:
    """A text as it is compared."""
    return " ".join(text.casefold().split())


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
    if all(doc_id == _without_zeros(doc_id) for doc_id in doc_ids):
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
    numbers = {_without_zeros(known_id): known_id for known_id in reversed(known)}
    return {each: each if each in exact else numbers.get(_without_zeros(each), "") for each in ids}


def _without_zeros(number: str) -> str:
    """A number without its leading zeros; any other text as it is."""
    return number.lstrip("0") or "0" if number.isdecimal() else number
