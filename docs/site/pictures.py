"""The pictures of the front page and of README.md, drawn from what toysearch computes on its companions.

    python docs/site/pictures.py        writes docs/site/static/explained.svg, the picture of README.md

They are text and rectangles: their letters stay letters, and their colours follow the light or dark of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from pathlib import Path

import toysearch
from toysearch.base import ArgumentError
from toysearch.models.model import field_statistic
from toysearch.models.weight_curve import TYPICAL, weight_curve
from toysearch.workbench.report.charts import COLOURS

README_PICTURE = Path(__file__).with_name("static") / "explained.svg"
QUERY, SHOWN = "removing a tick", 5
WIDTH = 440
"""Width in pixels: a phone shows all of it, in letters that can be read."""
STYLE = """
.picture { --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; font: 13px system-ui, sans-serif; fill: var(--ink); }
.picture .quiet { fill: var(--quiet); font-size: 12px; }
.picture .code { font: 12px ui-monospace, monospace; }
.picture .number { font-weight: 600; }
.picture .line { fill: none; stroke: var(--line); }
.picture .mark { fill: none; stroke: var(--ink); stroke-width: 2; }
@media (prefers-color-scheme: dark) { .picture { --ink: #e6edf3; --quiet: #9198a1; --line: #3d444d; } }
"""


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "") -> str:
    """Some words at a place."""
    attributes = "".join(f' {name}="{value}"' for name, value in (("class", kind), ("text-anchor", anchor)) if value)
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(words, quote=False)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """A filled rectangle."""
    return f'<rect x="{x:.5g}" y="{y:.5g}" width="{width:.4g}" height="{height:.4g}" fill="{colour}"{more}/>'


def line(x: float, y: float, to_x: float, to_y: float) -> str:
    """A thin line."""
    return f'<path class="line" d="M{x:g} {y:g}L{to_x:g} {to_y:g}"/>'


def drawn(parts: Iterable[str], height: float, description: str, style: str = "") -> str:
    """The picture of these parts; style: what it needs where no style sheet of a page has it."""
    sheet = f"<style>{style}</style>\n" if style else ""
    return (
        f'<svg class="picture" xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" aria-label="{escape(description)}">\n{sheet}'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


@cache
def _index() -> toysearch.Index:
    return toysearch.Index.build(toysearch.load("companions"))


def explained(style: str = "") -> str:
    """A ranking in which each score is the sum of its terms, and the first one opened to its statistics."""
    searcher = toysearch.Searcher(_index(), "bm25")
    hits = searcher.search(QUERY, k=SHOWN)
    shares = [toysearch.explain(searcher, QUERY, hit.doc_id).terms for hit in hits]
    colours = {share.term: colour for share, colour in zip(shares[0], COLOURS, strict=False)}
    k1, scale = searcher.model.single.parameters["k1"], (WIDTH - 80) / hits[0].score
    parts = [text(0, 14, f'toysearch search companions "{QUERY}" --explain', "code")]
    y = 22.0
    for share in shares[0]:
        df, idf = share.statistics["df"], share.parts["idf"]
        statistics = f"{share.term}: in {df:g} of {_index().stats.N} documents, so idf {idf:.4f}"
        parts += [box(0, y + 9, 11, 11, colours[share.term]), text(18, y + 19, statistics, "quiet")]
        y += 19
    for hit, terms in zip(hits, shares, strict=True):
        y += 30
        parts.append(text(0, y, f"{hit.rank}  {hit.title}"))
        x = 0.0
        for share in terms:
            parts.append(box(x, y + 7, share.share * scale, 13, colours[share.term]))
            x += share.share * scale
        parts.append(text(x + 8, y + 18, f"{hit.score:.4f}", "number"))
        y += 16
        for share in terms if hit.rank == 1 else ():
            tf, length = share.statistics["tf"], share.parts["length"]
            y += 18
            sum_of = f"{share.share:.4f} = {share.parts['idf']:.4f} × {tf:g} / ({tf:g} + {k1:g} × {length:.4f})"
            parts += [box(0, y - 6, 11, 11, colours[share.term]), text(18, y + 4, sum_of, "code")]
    listed = "; ".join(f"{hit.rank}. {hit.title}, {hit.score:.4f}" for hit in hits)
    return drawn(parts, y + 12, f"Scores of BM25 for “{QUERY}”, as sums over its terms: {listed}", style)


def compared() -> str:
    """The difference of two models on each query, sorted, and what a test makes of them."""
    comparison = toysearch.compare(["cosine", "bm25"], "companions", "AP", index=_index())
    pair = comparison.pair("AP", "bm25")
    differences = sorted(comparison.differences(pair).tolist(), reverse=True)
    left, step, scale = 36, (WIDTH - 36) / len(differences), 150 / (differences[0] - differences[-1])
    zero = 30 + differences[0] * scale
    parts = [text(0, 14, "toysearch compare companions --model cosine --model bm25", "code")]
    for tenths in range(math.ceil(differences[-1] * 10), math.floor(differences[0] * 10) + 1):
        y = zero - tenths / 10 * scale
        if not tenths % 2:
            parts.append(text(left - 6, y + 4, f"{tenths / 10:+g}" if tenths else "0", "quiet", "end"))
        parts.append(line(left, round(y, 1), WIDTH, round(y, 1)))
    for place, value in enumerate(differences):
        colour = COLOURS[0] if value > 0 else COLOURS[1]
        parts.append(box(left + place * step, zero - max(value * scale, 0), step - 1.5, abs(value) * scale, colour))
    bottom = 204
    result = pair.result
    parts += [
        text(left, bottom, f"{pair.wins} queries won", "quiet"),
        text((left + WIDTH) / 2, bottom, f"{pair.ties} tied", "quiet", "middle"),
        text(WIDTH, bottom, f"{pair.losses} lost", "quiet", "end"),
        text(
            0,
            bottom + 26,
            f"AP {result.mean:+.4f}, 95% CI {result.low:+.3f} to {result.high:+.3f}, p {pair.p:.4f}",
            "number",
        ),
    ]
    return drawn(
        parts,
        bottom + 34,
        f"The difference in AP on each of {result.n} queries: bm25 wins {pair.wins}, loses {pair.losses}",
    )


def tuned() -> str:
    """The value of each setting of a grid, and what remains of the best one on queries that did not choose it."""
    tuning = toysearch.tune("bm25", "companions", {"k1": "0.2:3:0.4", "b": None}, "AP", index=_index())
    rows, columns = (list(axis.values) for axis in reversed(tuning.axes))
    values = [trial.value for trial in tuning.trials]
    lowest, highest = min(values), max(values)
    left, top, wide, high = 36, 30, (WIDTH - 36) / len(columns), 14
    parts = [text(0, 14, "toysearch tune companions --grid k1=0.2:3:0.4 --grid b", "code")]
    for trial in tuning.trials:
        x, y = left + columns.index(trial.setting["k1"]) * wide, top + rows.index(trial.setting["b"]) * high
        strength = 0.08 + 0.92 * (trial.value - lowest) / (highest - lowest)
        parts.append(box(x, y, wide - 2, high - 2, COLOURS[0], f' fill-opacity="{strength:.2f}"'))
        if trial.setting == tuning.best.setting:
            best = box(x - 1, y - 1, wide, high, "none", ' class="mark"')
    y = top + len(rows) * high
    parts.append(best)
    parts += [
        text(left - 6, top + place * high + 11, f"{value:g}", "quiet", "end")
        for place, value in enumerate(rows)
        if not place % 2
    ]
    parts += [
        text(left + (place + 0.5) * wide, y + 14, f"{value:g}", "quiet", "middle")
        for place, value in enumerate(columns)
    ]
    parts += [text(0, top + 11, "b", "quiet"), text(0, y + 14, "k1", "quiet")]
    systems = {"as given": tuning.default.value, "at best": tuning.best.value, "held out": tuning.held_out.value}
    for place, (name, value) in enumerate(systems.items()):
        x = left + place * (WIDTH - left) / len(systems)
        parts += [text(x, y + 44, f"{value:.4f}", "number"), text(x + 56, y + 44, name, "quiet")]
    setting = ", ".join(f"{name} {value:g}" for name, value in tuning.best.setting.items())
    described = f"AP of {len(values)} settings from {lowest:.4f} to {highest:.4f}, the best at {setting}"
    return drawn(parts, y + 52, described)


CURVES = (
    "The score of a document for a query of one term, as tf and as dl grow; otherwise "
    + ", ".join(f"{name} {value:,g}" for name, value in TYPICAL.items())
    + ", and the default parameters."
)
"""What the curves of a model show."""


def curves(name: str) -> str | None:
    """The score of a query of one term as tf grows and as the document grows; None if the model adds up no weights."""
    model = toysearch.MODELS.get(name)
    if model is None or model.similarity.name != "dot" or any(map(field_statistic, model.statistics)):
        return None
    try:
        by_tf, by_dl = weight_curve(model, "tf"), weight_curve(model, "dl")
    except ArgumentError:  # a statistic of a whole collection has no typical value
        return None
    scores = [*by_tf.scores.tolist(), *by_dl.scores.tolist()]
    lowest, highest = min(scores), max(scores)
    top, bottom, left, gap = 30, 150, 44, 36
    scale = (bottom - top) / ((highest - lowest) or 1)
    panel = (WIDTH - left - gap) / 2
    parts = [text(0, 14, "score", "quiet")]
    for value in dict.fromkeys((lowest, highest)):
        y = round(bottom - (value - lowest) * scale, 1)
        parts += [text(left - 6, y + 4, f"{value:.2f}".replace("-", "−"), "quiet", "end"), line(left, y, WIDTH, y)]
    ends = []
    for place, (curve, axis) in enumerate(((by_tf, "tf"), (by_dl, "dl (log scale)"))):
        start = left + place * (panel + gap)
        values, heights = curve.values.tolist(), curve.scores.tolist()
        along = [math.log(value) if curve is by_dl else value for value in values]
        points = " ".join(
            f"{start + (x - along[0]) / (along[-1] - along[0]) * panel:.1f},{bottom - (score - lowest) * scale:.1f}"
            for x, score in zip(along, heights, strict=True)
        )
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>',
            text(start, bottom + 18, f"{values[0]:g}", "quiet"),
            text(start + panel / 2, bottom + 18, axis, "quiet", "middle"),
            text(start + panel, bottom + 18, f"{values[-1]:,g}", "quiet", "end"),
        ]
        ends += [f"{curve.along} {values[end]:g}: {heights[end]:.2f}" for end in (0, -1)]
    return drawn(parts, bottom + 26, f"Score of {name} for a query of one term; {'; '.join(ends)}")


PICTURES: dict[str, Callable[[], str]] = {"explained": explained, "compared": compared, "tuned": tuned}


if __name__ == "__main__":
    README_PICTURE.write_text(explained(STYLE), encoding="utf-8", newline="\n")
    print(README_PICTURE)
