"""The last line of a measure's explanation: its formula with the numbers put in.

Only a line that gives the value, computed from the quantities that the measure's own code has named, is shown:
where none of the forms below does, the quantities themselves are listed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from toysearch.explanations.measure import IdealRow, MeasureExplanation, RankRow
from toysearch.explanations.quantities import IDEAL_SUM, SUM, TERM

_MOST = 6  # terms of a sum that are written out
# What a measure is a share of, and of what, by the names of its code: needed where the value, 0 or 1, leaves it open.
_SHARES = {
    "P": ("found", "cutoff"),
    "R": ("found", "relevant"),
    "Rprec": ("found", "relevant"),
    "Hole": ("unjudged", "cutoff"),
    "SetP": ("TP", "retrieved"),
    "SetR": ("TP", "relevant"),
    "SetRelP": ("TP", "best"),
    "AP": (SUM, "relevant"),
    "GMAP": (SUM, "relevant"),
    "Bpref": (SUM, "relevant"),
    "Q": (SUM, "relevant"),
    "GAP": (SUM, "all_gains"),
    "nDCG": (SUM, "ideal_dcg"),
}


def arithmetic(why: MeasureExplanation) -> str:
    """The value as a sum with its numbers put in: ``AP = (1/1 + 2/3) / 3 = 0.555556``.

    Parameters
    ----------
    why : MeasureExplanation
        The value taken apart.

    Examples
    --------
    >>> from toysearch.evaluation.evaluate import evaluate
    >>> from toysearch.explanations.measure import explain_measure
    >>> from toysearch.records import Qrels, Run
    >>> run, qrels = Run.from_dict({"1": {"a": 3, "b": 2, "c": 1}}), Qrels.from_dict({"1": {"a": 1, "c": 1, "d": 1}})
    >>> arithmetic(explain_measure(run, qrels, evaluate(run, qrels, "AP"), "AP", "1"))
    'AP = (1/1 + 2/3) / 3 = 0.555556'
    """
    if math.isnan(why.value):
        counted = "" if math.isnan(why.counted) else f"; counted as {why.counted:g}"
        return f"{why.measure} is undefined: {why.undefined or 'it has no value here'}{counted}"
    for form in (_share, _first_relevant, _search_length, _success, _f_measure, _of_set, _of_list, _of_sum):
        text = form(why)
        if text:
            return f"{why.measure} = {text} = {_number(why.value)}" if text != _number(why.value) else _plain(why)
    return _plain(why)


def _plain(why: MeasureExplanation) -> str:
    """The value and the named quantities, where no form puts them together."""
    named = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in why.numbers.items())
    return f"{why.measure} = {_number(why.value)}" + (f", from {named}" if named else "")


def _share(why: MeasureExplanation) -> str | None:
    """Part / whole, where it is 0 or the whole."""
    part, whole = _SHARES.get(_name(why), ("", ""))
    sizes = {"retrieved": float(why.retrieved), "relevant": float(why.relevant)} | why.numbers
    if not sizes.get(whole) or why.value not in (0, 1) or (part == SUM and why.value):
        return None
    return f"{_number(why.value * sizes[whole])} / {_number(sizes[whole])}"


def _first_relevant(why: MeasureExplanation) -> str | None:
    """1 / rank, for RR."""
    first = _first_rank(why)
    if _name(why) != "RR" or first is None or not _same(why.value, 1 / first):
        return None
    return f"1/{first}"


def _search_length(why: MeasureExplanation) -> str | None:
    """Rank of the n-th relevant document − n, for ESL."""
    relevant = [row.rank for row in why.ranking if row.relevant]
    n = int(why.numbers.get("n", 0))
    if _name(why) != "ESL" or not 1 <= n <= len(relevant) or not _same(why.value, relevant[n - 1] - n):
        return None
    return f"{relevant[n - 1]} − {n}"


def _success(why: MeasureExplanation) -> str | None:
    """The rank of the first relevant document, for Success."""
    first = _first_rank(why)
    if _name(why) != "Success":
        return None
    return "none of the first ranks is relevant" if first is None else f"(first relevant at rank {first})"


def _f_measure(why: MeasureExplanation) -> str | None:
    """(1 + β²) found / (β² relevant + retrieved), for F."""
    numbers = why.numbers
    if not {"found", "relevant", "beta"} <= set(numbers):
        return None
    found, relevant, beta = numbers["found"], numbers["relevant"], numbers["beta"]
    for size in (numbers.get("cutoff"), numbers.get("retrieved"), float(why.retrieved)):
        if size is not None and _same(why.value, (1 + beta**2) * found / max(beta**2 * relevant + size, 1e-300)):
            weight = f"{beta**2:g}"
            times = "" if beta == 1 else f"{weight} · "
            return f"(1 + {weight}) · {found:g} / ({times}{relevant:g} + {size:g})"
    return None


def _of_set(why: MeasureExplanation) -> str | None:
    """The cells of the 2×2 table, and what is made of two of a set's measures."""
    numbers = {"retrieved": float(why.retrieved), "relevant": float(why.relevant)} | why.numbers
    found = numbers.get("found")
    differences = {"FP": "retrieved", "FN": "relevant"}
    if found is not None and _name(why) in differences:
        whole = numbers[differences[_name(why)]]
        return f"{whole:g} − {found:g}" if _same(why.value, whole - found) else None
    if _name(why) == "SetAP" and {"TP", "retrieved", "relevant"} <= numbers.keys():
        true, retrieved, relevant = numbers["TP"], numbers["retrieved"], numbers["relevant"]
        if retrieved and relevant and _same(why.value, true**2 / (retrieved * relevant)):
            return f"({true:g} / {retrieved:g}) · ({true:g} / {relevant:g})"
    if _name(why) == "SetE":
        for one in numbers.values():
            if _same(why.value, 1 - one):
                return f"1 − {_number(one)}"
    return None


def _of_list(why: MeasureExplanation) -> str | None:
    """The mean of values at several levels."""
    for row in why.lists.values():
        if row and all(map(math.isfinite, row)) and _same(why.value, math.fsum(row) / len(row)):
            return f"({' + '.join(map(_number, row))}) / {len(row)}"
    return None


def _of_sum(why: MeasureExplanation) -> str | None:
    """The sum over the ranks; or that sum over, or times, another quantity."""
    terms = [row for row in why.ranking if row.quantities.get(TERM)]
    total = next((row.quantities[SUM] for row in reversed(why.ranking) if SUM in row.quantities), None)
    if total is None:
        return None
    text = _sum(terms, total)
    if _same(why.value, total):
        return text
    if _name(why) == "RBPres" and _same(why.value, 1 - total):
        return f"1 − {_bracketed(text)}"
    ideal = why.ideal[-1].quantities.get(SUM) if why.ideal else None
    if ideal and _same(why.value, total / ideal):
        return f"{_bracketed(text)} / {_bracketed(_sum(why.ideal, ideal))}"
    own_ideal = [row.quantities[IDEAL_SUM] for row in why.ranking if IDEAL_SUM in row.quantities][-1:]
    for value in (*own_ideal, *why.numbers.values(), why.relevant):
        if value and _same(why.value, total / value):
            return f"{_bracketed(text)} / {_number(value)}"
    for value in why.numbers.values():
        if _same(why.value, total * value):
            return f"{_number(value)} · {_bracketed(text)}"
        if _same(why.value, total * (1 - value)):
            return f"(1 − {_number(value)}) · {_bracketed(text)}"
    return None


def _sum(rows: Sequence[RankRow] | Sequence[IdealRow], total: float) -> str:
    """The terms of a sum where they are few and not all 1, else the sum."""
    terms = [row for row in rows if row.quantities.get(TERM)]
    counts = all(row.quantities[TERM] == 1 and "precisions" not in row.quantities for row in terms)
    if len(terms) > _MOST or counts:
        return _number(total)
    return " + ".join(_term(row.rank, row.grade, row.quantities) for row in terms)


def _term(rank: int, grade: float | None, at: Mapping[str, float]) -> str:
    """A term as the fraction that it comes from: a precision, a gain over a discount; else the number."""
    term = at[TERM]
    if "precisions" in at and _same(at["precisions"], term) and _same(term * rank, round(term * rank)):
        return f"{round(term * rank)}/{rank}"
    gain = next((value for name, value in at.items() if name in ("gain", "ideal_gain")), grade)
    discount = next((value for name, value in at.items() if name.startswith("discount")), None)
    if gain is not None and discount and _same(term, gain / discount):
        return _number(gain) if discount == 1 else f"{_number(gain)}/{_logarithm(discount)}"
    return _number(term)


def _logarithm(value: float) -> str:
    """A discount as the logarithm that it is, so that the line can be worked out exactly."""
    inverse = round(2**value)
    return _number(value) if _same(value, round(value)) or not _same(value, math.log2(inverse)) else f"log2({inverse})"


def _bracketed(text: str) -> str:
    return f"({text})" if " + " in text else text


def _first_rank(why: MeasureExplanation) -> int | None:
    return next((row.rank for row in why.ranking if row.relevant), None)


def _name(why: MeasureExplanation) -> str:
    return why.measure.partition("(")[0].partition("@")[0]


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.6g}"
