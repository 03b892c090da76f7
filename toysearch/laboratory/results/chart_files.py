"""Single charts by name, and their files: SVG, PNG, or an HTML page that any browser can draw."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toysearch.base.argument_checks import checked
from toysearch.base.errors import ArgumentError, unknown
from toysearch.base.optional_packages import of_charts, require_charts
from toysearch.corpus.collection import Collection
from toysearch.evaluation.evaluate import ByRank, Curve, by_rank, curve
from toysearch.formats.writing import PNG_TEXT, SVG_MARK, refuse_place, replacing_bytes
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.grids import setting_text
from toysearch.laboratory.experiments.retrieval_bias import Retrievability
from toysearch.laboratory.results.charts import (
    Chart,
    judged_by_rank,
    lorenz,
    precision_recall,
    query_differences,
    read_surface,
    surface,
    titled,
    value_boxes,
)

__all__ = ["PLOTS", "Plot", "plot"]

_SCALE = 2  # pixels in a PNG per pixel of the chart


def drawing_script() -> str:
    """Vega, Vega-Lite and Vega-Embed as one JavaScript text, so that a page needs no network."""
    vl_convert = of_charts("vl_convert")

    script: str = vl_convert.javascript_bundle(vl_version=_version())
    return script


def svg(chart: Chart) -> str:
    """The chart as SVG."""
    vl_convert = of_charts("vl_convert")

    picture: str = vl_convert.vegalite_to_svg(chart, vl_version=_version())
    return picture


def png(chart: Chart) -> bytes:
    """The chart as PNG, at twice its size."""
    vl_convert = of_charts("vl_convert")

    return packed_png(vl_convert.vegalite_to_png(chart, vl_version=_version(), scale=_SCALE))


def packed_png(picture: bytes) -> bytes:
    """The same pixels in fewer bytes: the drawing library compresses little, and a notebook holds many pictures."""
    # W3C, Portable Network Graphics (PNG) Specification, section 5: a signature of 8 bytes, then chunks of a length, a
    # type, data and a checksum; the data of all IDAT chunks together are one zlib stream.
    place, data, others = 8, b"", []
    while place < len(picture):
        (length,) = struct.unpack_from(">I", picture, place)
        kind, content = picture[place + 4 : place + 8], picture[place + 8 : place + 8 + length]
        if kind == b"IDAT":
            data += content
        else:
            others.append((kind, content))
        place += length + 12
    chunks = [*others[:-1], (b"IDAT", zlib.compress(zlib.decompress(data), 9)), others[-1]]
    return picture[:8] + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


def signed_png(picture: bytes) -> bytes:
    """The same picture with a text chunk that names its maker, so that the file can be recognised later."""
    chunk = b"tEXt" + PNG_TEXT
    text = struct.pack(">I", len(PNG_TEXT)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = picture.rindex(b"IEND") - 4  # the position of the length of the last chunk
    return picture[:end] + text + picture[end:]


def write_whole(path: str | Path, makers: Mapping[str, Callable[[], str | bytes]]) -> None:
    """Write a file in the format of its extension, completely or not at all."""
    content = makers[checked_ending(path, makers)]()
    with replacing_bytes(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def checked_ending(path: str | Path, endings: Mapping[str, Any]) -> str:
    """The extension of a file name, such as ``.svg``; an unknown one or a missing folder is an error."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in endings:
        *others, last = endings
        choices = f"{', '.join(others)} or {last}" if others else last
        raise ArgumentError(f"'{path}': the extension of the file selects the format; expected {choices}")
    require_charts()
    refuse_place(file)
    return ending


def _version() -> str:
    """The Vega-Lite version that Altair targets, as vl-convert names it: 6.4 for v6.4.1."""
    altair = of_charts("altair")

    return ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


PLOTS = {
    "pr": "precision against recall at 11 levels, for all queries or for one",
    "queries": "the difference between two systems, query by query",
    "box": "the spread of the values over the queries",
    "unjudged": "relevant, other judged and unjudged documents, rank by rank",
    "surface": "the values in a results file of `tune`",
    "lorenz": "the share of all retrievals that goes to the least retrievable documents",
}
"""The charts that `plot` draws, by name."""

_VEGA_LITE = ("application/vnd.vegalite.v5+json", "application/vnd.vegalite.v6+json")  # the types that a notebook draws
ENDINGS = {".svg": "an SVG picture", ".png": "a PNG picture", ".html": "a self-contained page"}
"""File extensions and the formats that they select."""


class Plot(dict[str, Any]):
    """A chart: its Vega-Lite specification, which a notebook draws.

    Parameters
    ----------
    chart : dict
        The specification.
    title : str
        The title above the chart in a file.
    """

    @checked
    def __init__(self, chart: Chart, title: str) -> None:
        super().__init__(chart)
        self.title = title

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self)} | {kind: dict(self) for kind in _VEGA_LITE}

    def save(self, path: str | Path) -> None:
        """Write the chart to a file.

        Parameters
        ----------
        path : str or Path
            A file that ends in ``.svg``, ``.png`` or ``.html``; it is written completely or not at all.
        """
        from toysearch.laboratory.results.system_report import chart_page

        alone = titled(dict(self), self.title)
        makers = (
            lambda: f"{svg(alone)}\n{SVG_MARK}\n",
            lambda: signed_png(png(alone)),
            lambda: chart_page(dict(self), self.title),
        )
        write_whole(path, dict(zip(ENDINGS, makers, strict=True)))


@checked
def plot(
    name: str,
    source: Comparison | Retrievability | str | Path,
    path: str | Path | None = None,
    *,
    collection: Collection | None = None,
    query_id: str | None = None,
    system: str | None = None,
) -> Plot:
    """One chart, optionally saved in the format of a file extension.

    Parameters
    ----------
    name : {"pr", "queries", "box", "unjudged", "surface", "lorenz"}
        One of `PLOTS`.
    source : Comparison, Retrievability, str or Path
        The comparison; for "surface", the results file that `tune` kept; for "lorenz", the result of `retrievability`.
    path : str or Path, optional
        A file that ends in ``.svg``, ``.png`` or ``.html``; it is written completely or not at all.
    collection : Collection, optional
        The collection with the query texts that a page shows.
    query_id : str, optional
        For "pr": this query instead of the mean of all queries.
    system : str, optional
        For "queries": the system that is compared with the baseline, by default the first one.

    Returns
    -------
    Plot
        The chart: a notebook draws it, `Plot.save` writes it, and as a dict it is its Vega-Lite specification.

    Raises
    ------
    ArgumentError
        If there is no such chart, query or system, or the file extension is unknown.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> from toysearch import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> found = compare({"old": {n: ["b", "a"] for n in judged}, "new": {n: ["a"] for n in judged}}, judged, "RR")
    >>> plot("queries", found)["description"]
    'One bar for each of 8 queries, sorted: RR of new minus RR of old; 8 queries gain, 0 stay, 0 lose.'
    """
    if name not in PLOTS:
        raise unknown("plot", name, PLOTS)
    if query_id is not None and name != "pr":
        raise ArgumentError(f"a single query ({query_id}) can only be drawn by pr, not by {name}")
    if system is not None and name != "queries":
        raise ArgumentError(f"a single system ({system}) can only be drawn by queries, not by {name}")
    in_page = path is not None and Path(path).suffix.lower() == ".html"
    title, chart = _drawn(name, source, collection, query_id, system, in_page)
    drawn = Plot(chart, title)
    if path is not None:
        drawn.save(path)
    return drawn


def _drawn(
    name: str,
    source: Comparison | Retrievability | str | Path,
    collection: Collection | None,
    query_id: str | None,
    system: str | None,
    in_page: bool,
) -> tuple[str, Chart]:
    """A title, and the chart."""
    if name == "surface":
        if not isinstance(source, str | Path):
            raise ArgumentError(f"a surface is drawn from a results file of `tune`, not from a {_kind(source)}")
        points = read_surface(source)
        setting, value = points.best
        return f"{points.title}: best {value:.4f} at {setting_text(setting)}", surface(points)
    if name == "lorenz":
        if not isinstance(source, Retrievability):
            raise ArgumentError(f"lorenz is drawn from the result of `retrievability`, not from a {_kind(source)}")
        on = f" on {source.collection}" if source.collection else ""
        return f"Lorenz curves of retrievability{on}: {source.n:,} {source.kind}, k {source.k}", lorenz(source)
    if isinstance(source, str | Path):
        raise ArgumentError(f"{name} is drawn from a comparison, not from '{source}'")
    if isinstance(source, Retrievability):
        raise ArgumentError(f"{name} is drawn from a comparison, not from a {_kind(source)}")
    where = f" on {collection.name}" if collection is not None else ""
    texts = texts_of(source, collection)
    if name == "pr":
        of_query = f", query {query_id}" if query_id is not None else ""
        chart = precision_recall(curves_of(source), texts, query_id=query_id, choose=in_page)
        return f"Precision and recall{where}{of_query}", chart
    if name == "queries":
        measure = str(source.measures[0])
        pairs = [pair for pair in source.pairs if pair.measure == measure]
        if not pairs:
            raise ArgumentError("queries draws the difference between two systems; give two systems, or draw box")
        pair = next((pair for pair in pairs if system in (None, pair.system)), None)
        if pair is None:
            raise unknown("system", str(system), [pair.system for pair in pairs])
        return f"{measure} of {pair.system} minus {measure} of {pair.other}{where}", query_differences(
            source, pair, texts
        )
    if name == "box":
        return f"Values of the queries{where}", value_boxes(source)
    return f"Judged and unjudged documents{where}", judged_by_rank(ranks_of(source))


def _kind(source: Comparison | Retrievability | str | Path) -> str:
    return "file" if isinstance(source, str | Path) else type(source).__name__.lower()


RANKS = 20
"""The number of ranks that are shown individually."""

_RULES = ("threshold", "ties", "only_retrieved", "undefined", "convention")  # the options that curves accept


def curves_of(comparison: Comparison) -> dict[str, Curve]:
    """System → interpolated precision at 11 levels of recall."""
    # A curve cannot average over all orders of tied documents: with that option, the order of the rankings counts.
    rules = {name: value for name, value in comparison.options.items() if name in _RULES and value != "average"}
    return {name: curve(run, comparison.qrels, **rules) for name, run in comparison.runs.items()}


def ranks_of(comparison: Comparison) -> dict[str, ByRank]:
    """System → relevant, judged and unjudged documents at the first ranks, over all judged queries."""
    threshold = next(iter(comparison.evaluations.values())).threshold
    ties = comparison.options.get("ties")
    return {name: by_rank(run, comparison.qrels, threshold, RANKS, ties) for name, run in comparison.runs.items()}


def texts_of(comparison: Comparison, collection: Collection | None) -> dict[str, str]:
    """Query_id → text of the queries that were evaluated; empty without a collection."""
    if collection is None:
        return {}
    texts = {query.query_id: query.text for query in collection.judged_queries}
    evaluated = next(iter(comparison.evaluations.values())).per_query
    return {query_id: texts[query_id] for query_id in evaluated if query_id in texts}
