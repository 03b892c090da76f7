"""Judgments that name queries by their texts, as sheets of ratings do: matched, or made queries of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
