"""The output of `watch` for each save: one line, the values on a terminal, and data for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toysearch.base.wording import counted, one_line
from toysearch.laboratory.experiments.model_watch import BestSave, Change, Saved
from toysearch.laboratory.results.tables import opening

_MOST_CHANGED = 3  # queries that are listed as won or lost
_BLOCKS = 24  # blocks in a row of values
_LEVELS = "▁▂▃▄▅▆▇█"


def saved_line(saved: Saved) -> str:
    """A save in one line: the values, the changes since the last save and since the start, or the error."""
    head = f"save {saved.number}" if saved.number else "start"
    if saved.error:
        good = "" if saved.evaluation is None else f" (last good: {_values(saved)})"
        return f"{head}: error: {one_line(saved.error)}{good}"
    assert saved.evaluation is not None
    line = "  ".join([f"{head}: {_values(saved)}", *_changes(saved)])
    behind = saved.best is not None and saved.best.value != next(iter(saved.evaluation.means.values()))
    return f"{line}  best so far: {best_text(saved.best)}" if saved.best and behind else line


def best_text(best: BestSave) -> str:
    """The best save so far, in words."""
    return f"{f'save {best.number}' if best.number else 'the start'}, {best.value:.4f}"


def saved_text(saved: Saved, texts: Mapping[str, str], width: int) -> str:
    """The last good save for a terminal: one line per measure, the queries won and lost since the previous one."""
    lines = []
    if saved.evaluation is not None:
        for place, measure in enumerate(map(str, saved.evaluation.measures)):
            changes = [
                f"{round(change.means[measure], 4) + 0.0:+.4f}{_mark(change, place)} {name}"
                for name, change in (("since the last save", saved.since_last), ("since the start", saved.since_start))
                if change is not None and not math.isnan(change.means[measure])
            ]
            lines.append("   ".join([f"{measure:<10} {saved.evaluation[measure]:.4f}", *changes]))
    for change in [saved.since_last] if saved.since_last else []:
        for word, some in (("won", change.won), ("lost", change.lost)):
            lines.append(f"{word:<10} {counted(len(some), 'query', 'queries')}")
            lines += [_query(query_id, rise, texts, width) for query_id, rise in list(some.items())[:_MOST_CHANGED]]
    return "\n".join(lines)


def saved_data(saved: Saved) -> dict[str, Any]:
    """A save as data for JSON."""
    data: dict[str, Any] = {"save": saved.number, "error": saved.error or None}
    data["measures"] = (
        None
        if saved.evaluation is None
        else {str(measure): saved.evaluation[str(measure)] for measure in saved.evaluation.measures}
    )
    for name, change in (("since_last", saved.since_last), ("since_start", saved.since_start)):
        p = None if change is None or math.isnan(change.p) else change.p
        data[name] = None if change is None else change._asdict() | {"p": p}
    data["best"] = None if saved.best is None else saved.best._asdict()
    return data


def values_line(saved: Saved, values: list[float]) -> str:
    """The values so far as a row of blocks between the lowest and the highest of them, and the best save."""
    name = f"save {saved.number}" if saved.number else "start"
    finite = [value for value in values[-_BLOCKS:] if math.isfinite(value)]
    if len(finite) < 2:
        return name
    best = f"   best so far: {best_text(saved.best)}" if saved.best else ""
    return f"{name}   {min(finite):.4f} {sparkline(values, _BLOCKS)} {max(finite):.4f}{best}"


def sparkline(values: list[float], most: int) -> str:
    """The last values as a row of blocks, scaled from the lowest to the highest."""
    finite = [value for value in values[-most:] if math.isfinite(value)]
    low, high = min(finite, default=0), max(finite, default=0)
    steps = len(_LEVELS) - 1
    return "".join(_LEVELS[round((value - low) / (high - low) * steps) if high > low else 0] for value in finite)


def _values(saved: Saved) -> str:
    evaluation = saved.evaluation
    assert evaluation is not None
    return "  ".join(f"{measure} {evaluation[str(measure)]:.4f}" for measure in evaluation.measures)


def _changes(saved: Saved) -> list[str]:
    """The change of the first measure, and the numbers of queries won and lost."""
    return [
        f"{_rise(change):+.4f}{_mark(change)} {name} (won {len(change.won)}, lost {len(change.lost)})"
        for name, change in (("since last", saved.since_last), ("since start", saved.since_start))
        if change is not None
    ]


def _mark(change: Change, place: int = 0) -> str:
    """A ~ after a change of the first measure that may be chance."""
    return "~" if place == 0 and change.may_be_chance else ""


def _rise(change: Change) -> float:
    return round(next(iter(change.means.values())), 4) + 0.0


def _query(query_id: str, rise: float, texts: Mapping[str, str], width: int) -> str:
    start = f"  {rise:+.4f}  {query_id}  "
    return start + opening(texts.get(query_id, ""), max(width - len(start), 10))
