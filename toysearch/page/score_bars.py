"""Parts of a score for bars."""

from __future__ import annotations

from typing import Any

from toysearch.study import part_label
from toysearch.study.explain.score_explanation import ScoreExplanation


def score_parts(why: ScoreExplanation) -> list[dict[str, Any]]:
    """List the parts of a score with their labels, for bars; they add up to it."""
    parts = [part for part in why.tree.summands if not part.is_idle]
    return [{"part": part_label(part.kind, part.label), "share": float(part.value)} for part in parts]
