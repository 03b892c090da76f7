"""The drawings of a comparison as numbers for SVG: lines between two rankings, bars of a histogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ROW = 10
"""The height of a row of a ranking in the drawing."""

WIDTH = 100
"""The width of a drawing; the page stretches it."""

_STUB = 16  # the length of the line of a document that is only in one list


class JoiningLine(NamedTuple):
    """A line: its SVG path, whether it joins two lists, its class, what it says."""

    path: str
    kind: str  # "joined", "new" or "lost"
    grade: float | None
    title: str


def joined(left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]]) -> list[JoiningLine]:
    """The lines between two lists of documents: one per document of both, a short one per document of only one.

    >>> [line.path for line in joined([{"doc_id": "x", "rank": 1, "grade": 1}], [])]
    ['M0 5h16']
    """
    places = {hit["doc_id"]: hit["rank"] for hit in right}
    old = {hit["doc_id"] for hit in left}
    lines = []
    for hit in left:
        start, place = _height(hit["rank"]), places.get(hit["doc_id"])
        if place is None:
            lines.append(
                JoiningLine(f"M0 {start}h{_STUB}", "lost", hit["grade"], f"{hit['doc_id']}: rank {hit['rank']}, lost")
            )
        else:
            path = f"M0 {start}C50 {start} 50 {_height(place)} {WIDTH} {_height(place)}"
            lines.append(JoiningLine(path, "joined", hit["grade"], f"{hit['doc_id']}: rank {hit['rank']} to {place}"))
    new = [hit for hit in right if hit["doc_id"] not in old]
    path = f"h-{_STUB}"
    lines += [
        JoiningLine(
            f"M{WIDTH} {_height(hit['rank'])}{path}", "new", hit["grade"], f"{hit['doc_id']}: new, rank {hit['rank']}"
        )
        for hit in new
    ]
    return lines


def bars_of_histogram(histogram: Sequence[Mapping[str, Any]], better: str | None) -> dict[str, Any]:
    """The bars of a histogram of differences in per cent of the drawing, and whether their queries are won or lost."""
    most = max((bar["queries"] for bar in histogram), default=0) or 1
    width = WIDTH / len(histogram)
    bars = []
    for place, bar in enumerate(histogram):
        if not bar["queries"]:
            continue
        height = 100 * bar["queries"] / most
        side = (bar["high"] > 0) - (bar["low"] < 0)
        side = -side if better == "lower" else side
        kind = ("lost", "tied", "won")[side + 1]
        drawn = {"x": place * width, "width": 0.9 * width, "y": 100 - height, "height": height}
        between = f"{bar['low']:g} to {bar['high']:g}" if side else "no difference"
        queries = f"{bar['queries']} {'query' if bar['queries'] == 1 else 'queries'}"
        bars.append(drawn | {"kind": kind, "title": f"{between}: {queries}".replace("-", "−")})
    return {"bars": bars, "low": histogram[0]["low"], "high": histogram[-1]["high"], "most": most}


def _height(rank: int) -> int:
    """Where a rank is, in the middle of its row."""
    return ROW * rank - ROW // 2
