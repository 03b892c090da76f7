"""Tree of a ranker as rows for people: the depth of each part, its text, its settings, its effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toysearch.models.calls import CALLS, PRODUCT, SUM, Call
from toysearch.models.model import Model, public_name, value_text
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.rankers import Part, Ranker, parts_of

_WHAT = {
    SUM: "Sum of weighted scores.",
    PRODUCT: "Product of scores.",
    "prior": "Number of a document, not of the query.",
    **{name: (function.__doc__ or "").partition(";")[0] for name, function in FACTOR_NORMALISATIONS.items()},
    **{name: call.summary for name, call in CALLS.items()},
}

COMBINED: dict[str, str] = {
    "W*MODEL + W*MODEL": _WHAT[SUM],
    "MODEL * MODEL": _WHAT[PRODUCT],
    **{f"{name}(MODEL)": _WHAT[name] for name in FACTOR_NORMALISATIONS},
    "rrf(MODEL, MODEL)": "Reciprocal rank fusion, a hybrid: rrf(MODEL) + rrf(MODEL).",
    "prior:FIELD": _WHAT["prior"],
}
"""How models are combined: what is typed → its effect, beside the calls."""


def tree_rows(part: Part, weight: float = 1.0, depth: int = 0) -> Iterator[tuple[int, str, str, str]]:
    """Yield a row for a ranker and each part inside it.

    >>> from toysearch.models.registry import model
    >>> [row[:3] for row in tree_rows(model("2*rm3(dph) + pl2"))][1:3]
    [(1, '  2*rm3(dph)', 'docs=10, terms=30, lambda=0.5, df=0.1'), (2, '    dph', '')]
    """
    own = getattr(part, "settings", part.parameters)
    shown = ", ".join(f"{public_name(name)}={value_text(value)}" for name, value in own.items())
    text = str(part) if weight == 1 else f"{weight:g}*{part}"
    what = part.summary if isinstance(part, Model) else _WHAT[part.call]
    yield depth, "  " * depth + text, shown, what
    weights = part.values if isinstance(part, Ranker) and part.call == SUM else [1.0] * len(part.inside)
    for inside, weight_inside in zip(part.inside, weights, strict=True):
        yield from tree_rows(inside, weight_inside, depth + 1)


def calls_in(ranker: Part) -> list[tuple[Call, dict[str, Any]]]:
    """List the calls in a ranker that have a page, each once, with their settings."""
    called = {part.call: part.settings for part in parts_of(ranker) if isinstance(part, Ranker)}
    return [(CALLS[name], settings) for name, settings in called.items() if name in CALLS]
