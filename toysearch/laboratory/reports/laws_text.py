"""The laws of a vocabulary for people: the fitted formula, and a plot of what was seen and what the law says."""

from __future__ import annotations

import math

import numpy as np

from toysearch.formats.text_files import counted
from toysearch.laboratory.explain.laws import ENOUGH_TERMS, HeapsLaw, ZipfLaw
from toysearch.laboratory.reports.text_plot import text_plot

_MOST_POINTS = 500  # of a curve: more fall on the same characters
_HEIGHT = 12


def law_data(law: ZipfLaw | HeapsLaw) -> dict[str, float]:
    """The numbers of a fit, without what it was fitted to.

    >>> law_data(ZipfLaw(np.array([6, 3, 2]), 6.0, -1.0, 1.0, 1, 3))
    {'c': 6.0, 'slope': -1.0, 'r_squared': 1.0, 'first': 1, 'last': 3}
    """
    return {name: value for name, value in law._asdict().items() if not isinstance(value, np.ndarray)}


def laws_text(zipf: ZipfLaw, heaps: HeapsLaw) -> str:
    """Both laws with their plots; of a vocabulary too small for them, a sentence that says so."""
    if zipf.cf.size < ENOUGH_TERMS:
        terms = counted(zipf.cf.size, "distinct term")
        return f"Zipf's and Heaps' laws: {terms}; of fewer than {ENOUGH_TERMS}, a fit means nothing"
    return f"{_zipf_text(zipf)}\n\n{_heaps_text(heaps)}"


def _zipf_text(law: ZipfLaw) -> str:
    """The frequencies by rank, both logarithmic."""
    ranks = _spread(law.cf.size)
    fitted = np.unique(np.clip(ranks, law.first, law.last))
    plot = text_plot(
        {
            f"law, ranks {law.first:,} to {law.last:,}": (fitted.tolist(), (law.c * fitted**law.slope).tolist()),
            "terms": (ranks.tolist(), law.cf[ranks - 1].tolist()),
        },
        height=_HEIGHT,
        x_label="rank",
        y_label="cf",
        log_x=True,
        log_y=True,
    )
    return f"Zipf's law: cf ≈ {_number(law.c)} · rank^{law.slope:.3f}  (R² = {_r_squared(law.r_squared)})\n\n{plot}"


def _heaps_text(law: HeapsLaw) -> str:
    """The vocabulary by tokens."""
    if math.isnan(law.b):
        return "Heaps' law: the vocabulary of a single document does not grow"
    chosen = np.unique(np.linspace(0, law.tokens.size - 1, _MOST_POINTS).astype(np.int64))
    tokens, terms = law.tokens[chosen], law.terms[chosen]
    plot = text_plot(
        {"law": (tokens.tolist(), (law.k * tokens**law.b).tolist()), "documents": (tokens.tolist(), terms.tolist())},
        height=_HEIGHT,
        x_label="tokens",
        y_label="terms",
    )
    return f"Heaps' law: terms ≈ {_number(law.k)} · tokens^{law.b:.3f}  (R² = {_r_squared(law.r_squared)})\n\n{plot}"


def _spread(ranks: int) -> np.ndarray:
    """Ranks from the first to the last, as many on each stretch of a logarithmic axis as there are."""
    chosen: np.ndarray = np.unique(np.geomspace(1, ranks, _MOST_POINTS).round().astype(np.int64))
    return chosen


def _number(value: float) -> str:
    """A factor with the digits that a fit is worth."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _r_squared(value: float) -> str:
    """R², or a word where all values are equal."""
    return "undefined" if math.isnan(value) else f"{value:.4f}"
