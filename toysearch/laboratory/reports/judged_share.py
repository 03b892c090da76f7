"""How much of what stands at the top was judged, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.evaluation.result import Evaluation, percent

_TOLD = 0.01  # the least share that is told


def unjudged_sentence(evaluations: Sequence[Evaluation]) -> str:
    """How many of the first ten documents nobody judged; empty where they are fewer than 1 %.

    >>> from toysearch import evaluate
    >>> run, judged = {"1": ["a", "x"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1, "b": 0}}
    >>> unjudged_sentence([evaluate(run, judged)])
    '25 % of the first ten documents are unjudged and count as not relevant'
    """
    shares = [
        (each.name, percent(each.first_ten[1], each.first_ten[0]))
        for each in evaluations
        if each.first_ten[1] and each.unjudged_share >= _TOLD
    ]
    if not shares:
        return ""
    named = shares[0][1] if len(evaluations) == 1 else ", ".join(f"{share} ({name})" for name, share in shares)
    return f"{named} of the first ten documents are unjudged and count as not relevant"
