"""Wrong functions that students write in lab 13: cascade models."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from toysearch.classroom.exercise import Numbers
from toysearch.classroom.exercises.lab13 import Shown, _attraction


def _rates_of(count: Callable[[Shown], Iterable[tuple[str, float, float]]]) -> Callable[..., Numbers]:
    """Divide clicks by looks that are counted otherwise: per list, documents with their clicks and looks."""

    def attraction(lists: Sequence[Shown]) -> Numbers:
        clicks: dict[str, float] = {}
        looks: dict[str, float] = {}
        for ranking in lists:
            for doc_id, clicked, looked in count(ranking):
                clicks[doc_id] = clicks.get(doc_id, 0) + clicked
                looks[doc_id] = looks.get(doc_id, 0) + looked
        return {doc_id: clicks[doc_id] / looks[doc_id] for doc_id in looks if looks[doc_id]}

    return attraction


def _seen_part(ranking: Shown) -> Shown:
    """Return a list down to its first click."""
    first = next((place for place, (_, clicked) in enumerate(ranking) if clicked), len(ranking))
    return ranking[: first + 1]


def _looked(ranking: Shown) -> list[tuple[str, float, float]]:
    return [(doc_id, float(clicked), 1.0) for doc_id, clicked in _seen_part(ranking)]


def _above_click(ranking: Shown) -> list[tuple[str, float, float]]:
    return [(doc_id, float(clicked), float(not clicked)) for doc_id, clicked in _seen_part(ranking)]


def _all_clicks(ranking: Shown) -> list[tuple[str, float, float]]:
    """Count every click, and looks down to the first."""
    end = len(_seen_part(ranking))
    return [(doc_id, float(clicked), float(place < end)) for place, (doc_id, clicked) in enumerate(ranking)]


def _all_looks(ranking: Shown) -> list[tuple[str, float, float]]:
    """Count every document as looked at, and only the first click."""
    end = len(_seen_part(ranking))
    return [(doc_id, float(clicked and place < end), 1.0) for place, (doc_id, clicked) in enumerate(ranking)]


def _next_too(ranking: Shown) -> list[tuple[str, float, float]]:
    """Look at the document after the first click as well."""
    return [(doc_id, float(clicked), 1.0) for doc_id, clicked in ranking[: len(_seen_part(ranking)) + 1]]


def _of_lists(change: Callable[[Sequence[Shown]], Sequence[Shown]]) -> Callable[..., Numbers]:
    return lambda lists: _attraction(change(lists))


def _of_attractions(change: Callable[[str, float], float | None]) -> Callable[..., Numbers]:
    def attraction(lists: Sequence[Shown]) -> Numbers:
        changed = {doc_id: change(doc_id, value) for doc_id, value in _attraction(lists).items()}
        return {doc_id: value for doc_id, value in changed.items() if value is not None}

    return attraction


def _counts_of(lists: Sequence[Shown]) -> tuple[Counter[str], Counter[str]]:
    """Return how often each document is clicked first, and how often it is looked at."""
    seen = [part for ranking in lists for part in _seen_part(ranking)]
    return Counter(doc_id for doc_id, clicked in seen if clicked), Counter(doc_id for doc_id, _ in seen)


def _from_counts(value: Callable[[int, int, int, int], float]) -> Callable[..., Numbers]:
    """Combine clicks and looks of a document, all clicks, and the number of lists."""

    def attraction(lists: Sequence[Shown]) -> Numbers:
        clicks, looks = _counts_of(lists)
        return {doc_id: value(clicks[doc_id], looks[doc_id], clicks.total(), len(lists)) for doc_id in looks}

    return attraction


def _once_a_list(lists: Sequence[Shown]) -> Sequence[Shown]:
    return [ranking for place, ranking in enumerate(lists) if ranking not in lists[:place]]


_WRONG_CASCADES = (
    (_rates_of(_above_click), "the clicked document was looked at as well."),
    (_rates_of(_all_clicks), "only the first click of a list counts; the user stops there."),
    (_rates_of(_all_looks), "documents below the first click count as not looked at in this model."),
    (_rates_of(_next_too), "the user stops at the first click; the next document was not looked at."),
    (
        _rates_of(lambda ranking: _looked(ranking)[:1]),
        "the user looked at all documents down to the first click, not only at the first one.",
    ),
    (
        _rates_of(lambda ranking: [each for each in _looked(ranking) if each[1]]),
        "a document above the first click was looked at, too.",
    ),
    (
        _rates_of(lambda ranking: _looked(ranking[::-1])),
        "users look from the top; you begin at the end.",
    ),
    (
        _of_attractions(lambda doc_id, value: value or None),
        "a document that was looked at and never clicked has the attraction 0.",
    ),
    (
        _from_counts(lambda clicks, looks, total, lists: clicks / (total or 1)),
        "divide by the looks, not by all clicks.",
    ),
    (
        _from_counts(lambda clicks, looks, total, lists: clicks / lists),
        "divide by the looks, not by the number of lists.",
    ),
    (_from_counts(lambda clicks, looks, total, lists: float(clicks)), "divide the clicks by the looks."),
    (_from_counts(lambda clicks, looks, total, lists: float(looks)), "divide the clicks by the looks."),
    (_from_counts(lambda clicks, looks, total, lists: looks / (clicks or 1)), "divide the clicks by the looks."),
    (
        _from_counts(lambda clicks, looks, total, lists: (clicks + 1) / (looks + 2)),
        "you smoothed the shares; take the counts as they are.",
    ),
    (
        _from_counts(lambda clicks, looks, total, lists: 1 - clicks / looks),
        "this is the share of looks without a click.",
    ),
    (_from_counts(lambda clicks, looks, total, lists: float(clicks > 0)), "divide the clicks by the looks."),
    (
        _of_attractions(lambda doc_id, value: round(value, 1)),
        "you round; return the shares as they are.",
    ),
    (_of_lists(lambda lists: [ranking[:10] for ranking in lists]), "you leave out ranks below the tenth."),
    (_of_lists(lambda lists: lists[:100]), "you leave out lists after the first 100."),
    (_of_lists(lambda lists: lists[:1]), "you return inside the loop; go through all lists."),
    (_of_lists(lambda lists: lists[:-1]), "you leave out the last list."),
    (_of_lists(lambda lists: lists[1:]), "you leave out the first list."),
    (_of_lists(_once_a_list), "equal lists count as often as they occur."),
    (
        _of_lists(lambda lists: [*itertools.takewhile(lambda ranking: any(c for _, c in ranking), lists)]),
        "in a list without a click, the user looked at every document, and other lists follow.",
    ),
)


WRONG = {"13.3": _WRONG_CASCADES}
