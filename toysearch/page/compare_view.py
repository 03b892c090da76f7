"""View of a comparison: what it is asked, rankings side by side, measures and gains over all judged queries."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode

import numpy as np

import toysearch
from toysearch import Searcher, evaluate, paired_test
from toysearch.base import ArgumentError, Qrels, Ranking, Run, aligned, collected_notes, expect_name
from toysearch.base.plain_or_compiled import compiled
from toysearch.base.run_order import rule_of
from toysearch.evaluation import SIZE, Evaluation, Measure, mean_measures, with_size
from toysearch.evaluation.intervals import interval_name
from toysearch.page.foreign_run import ForeignRun, told_by_text
from toysearch.page.model_picker import (
    PARAMETER,
    Asked,
    Data,
    Models,
    chosen_model,
    families,
    name_in_list,
    round_up,
    sliders,
)
from toysearch.page.reply import Reply
from toysearch.page.score_bars import score_parts
from toysearch.page.search_request import (
    NOT_COMPUTED,
    AnySystem,
    SearchRequest,
    comparison_command,
    comparison_python,
    query_text,
    read_request,
    searched,
    tried,
)
from toysearch.page.served_source import ServedSource
from toysearch.retrieval.typed_query import TypedQuery
from toysearch.study import (
    DECIMALS,
    DEPTH,
    POWER,
    System,
    caveat_lines,
    caveats,
    consistency,
    note_own_queries,
    p_text,
    sensitivity,
)
from toysearch.study.compare.comparison import Caveat, compared
from toysearch.study.compare.comparison_tables import pair_data
from toysearch.study.compare.comparison_verdict import condition_of, verdict_of
from toysearch.study.compare.margin import check_margin
from toysearch.study.compare.sensitivity import Sensitivity
from toysearch.study.compare.significance import Procedure
from toysearch.study.compare.tested_differences import queries_text
from toysearch.study.study import model_in, refuse_joined_fields
from toysearch.workbench.tune.prepared_postings import PreparedPostings
from toysearch.workbench.tune.study_evaluation import study_evaluator

LETTERS = "abcdef"
"""Names of systems in an address; the first of those given is the baseline."""

OF_DOCUMENT = "of.doc"
"""Name of the query for which a document was chosen; for another query it is forgotten."""

_USUAL = ("bm25", "lm-dirichlet")  # the system of an address with too few: the first that is not compared yet
_ANY_TOPIC = "\0"  # stands for a topic in an address that is then completed
_SHOWN_QUERIES = {"all": (-1, 0, 1), "lost": (-1,), "same": (0,), "gained": (1,)}  # by the sign of the gain
_LONGEST = 300  # characters of a list of measures


class ComparisonRequest(NamedTuple):
    """Comparison: models by their letters, the search that they share, measures, a document, an order."""

    models: dict[str, AnySystem]
    search: SearchRequest  # its model is the baseline
    measures: list[Measure]
    doc_id: str
    sort: str  # the letter of the system by whose gain queries are sorted
    depends: bool = False  # whether caveats and power are asked for
    show: str = "all"  # one of _SHOWN_QUERIES
    margin: float | None = None  # by which a system is to be shown not worse than the baseline
    tried: int = 0  # settings that the sender of the address had tried

    @property
    def baseline(self) -> str:
        """Return the letter of the system with which the others are compared."""
        return next(iter(self.models))

    @property
    def others(self) -> list[str]:
        """Return the letters of the other systems."""
        return [*self.models][1:]

    @property
    def settings(self) -> dict[str, str]:
        """Return letter → the model with its parameters, as text."""
        return {letter: str(model) for letter, model in self.models.items()}

    @property
    def names(self) -> dict[str, str]:
        """Return letter → name of the system in sentences and tables: its letter too, if another one is the same."""
        times = Counter(self.settings.values())
        return {letter: f"{name} ({letter})" if times[name] > 1 else name for letter, name in self.settings.items()}

    @property
    def ties(self) -> str:
        """Return the order of equal scores in all systems: that of trec_eval as soon as one is a file of scores."""
        return rule_of(
            None, all(system.run.ranked for system in self.models.values() if isinstance(system, ForeignRun))
        )

    @property
    def words(self) -> str:
        """Return what distinguishes the query from others."""
        return f"{self.search.topic} {self.search.typed}"

    @property
    def measure_text(self) -> str:
        """Return the measures, as an address has them."""
        return ",".join(map(str, self.measures))

    def tried_on(self, source: ServedSource) -> int:
        """Return the number of settings tried, if there are more than those compared; else 0."""
        tried = max(source.tried, self.tried)
        return tried if tried > len({*self.settings.values()}) else 0

    def address(self, source: ServedSource, view: str = "compare", **more: str) -> str:
        """Return the permanent address of this comparison; defaults are left out."""
        pairs = self.settings | self.search.pairs()
        del pairs["model"]
        pairs |= {"measure": self.measure_text} if self.measure_text != str(source.measures[0]) else {}
        pairs |= {"show": self.show} if self.show != "all" else {}
        pairs |= {"margin": f"{self.margin:g}" if self.margin else "", "tried": str(self.tried_on(source) or "")}
        pairs |= {"sort": self.sort} if self.sort != self.others[0] else {}
        pairs |= {"doc": self.doc_id, "depends": "1" if self.depends else ""} | more
        return f"/{source.name}/{view}?{urlencode({name: value for name, value in pairs.items() if value})}"

    def of_queries(self, source: ServedSource, query_ids: Iterable[str]) -> list[str]:
        """Return the addresses that compare the same systems for queries of the collection."""
        # They differ in one value: making hundreds of them one by one takes longer than the comparison.
        before, after = self.over_all(source, _ANY_TOPIC).split(urlencode({"topic": _ANY_TOPIC}))
        return [f"{before}{urlencode({'topic': query_id})}{after}" for query_id in query_ids]

    def over_all(self, source: ServedSource, topic: str = "", **more: str) -> str:
        """Return the address that compares the same systems over all judged queries, or for a topic."""
        search = self.search._replace(typed="", topic=topic, mode="plain")
        return self._replace(search=search, doc_id="").address(source, **more)


def read_comparison(source: ServedSource, models: Models, asked: Asked) -> ComparisonRequest:
    """Read the comparison that an address describes; refuse a value that is not accepted, in a sentence."""
    shared = {name: asked[name] for name in ("q", "topic", "query_mode", "k") if asked.get(name)}
    systems: dict[str, AnySystem] = {}
    others: dict[str, ForeignRun | System] = {**source.runs, **source.systems}
    for letter in LETTERS:
        if asked.get(letter, "") in others:
            systems[letter] = others[asked[letter]]
        elif asked.get(letter, "").strip():
            fields = {"model": asked[letter], "of": asked.get(f"of.{letter}", asked[letter])}
            prefix = f"{PARAMETER}{letter}."
            moved = {
                f"{PARAMETER}{name.removeprefix(prefix)}": value
                for name, value in asked.items()
                if name.startswith(prefix)
            }
            systems[letter] = chosen_model(models, fields | moved)
    for letter in LETTERS[:2]:
        if len(systems) < 2 and letter not in systems:
            chosen = {getattr(model, "name", "") or str(model) for model in systems.values()}
            usual = [*chain([next(iter(models))], others, filter(models.__contains__, _USUAL), models)]
            name = next((name for name in usual if name not in chosen), usual[0])
            systems[letter] = others[name] if name in others else models[name]
    systems = dict(sorted(systems.items()))
    baseline: Any = next(iter(systems.values()))  # only its name is used
    search = read_request(source, models, shared)._replace(model=baseline)
    letters = [*systems][1:]
    sort = asked.get("sort") or letters[0]
    expect_name("system to sort by", sort, letters, "systems")
    depends = bool(asked.get("depends") or asked.get("save"))  # a saved page cannot ask for it later
    names = asked.get("measure", "").strip() or str(source.measures[0])
    if len(names) > _LONGEST:
        raise ArgumentError(f"a list of measures may have at most {_LONGEST} characters here, not {len(names):,}")
    texts = re.split(r"[\s,]+(?![^(]*\))", names)
    own = {measure.name for measure in source.measures}
    for text in texts:  # an address loads no file
        if ".py:" in text and re.split("[(@]", text)[0] not in own:
            raise ArgumentError(f"{text} is not a measure of this page; start `toysearch serve` with -m {text}")
    measures = with_size(mean_measures(texts, SIZE), len(source.index))
    different = [*{str(measure): measure for measure in measures}.values()]
    margin = _margin(asked.get("margin", "").strip())
    show = asked.get("show", "") or "all"
    expect_name("choice of queries", show, _SHOWN_QUERIES, "choices")
    request = ComparisonRequest(systems, search, different, asked.get("doc", ""), sort, depends, show, margin)
    is_of_query = asked.get(OF_DOCUMENT, request.words) == request.words
    tried = asked.get("tried") or "0"
    if not re.fullmatch("[0-9]{1,6}", tried):
        raise ArgumentError(f"tried must be a whole number of settings, not '{tried:.40}'")
    request = request._replace(tried=int(tried))
    return request if is_of_query else request._replace(doc_id="")


def _margin(text: str) -> float | None:
    if not text:
        return None
    try:
        margin = float(text)
    except ValueError:
        raise ArgumentError(f"margin must be a number above 0, such as 0.01, not '{text:.40}'") from None
    check_margin(margin)
    return margin


_Made = TypeVar("_Made")

HOW = Procedure("t", "holm", 0.05, 0)
"""Procedure by which `toysearch compare` tests unless told otherwise."""

_EVALUATORS = 16  # pairs of a source and a list of measures whose judged queries are kept prepared
_EVALUATIONS = 64  # settings whose values are kept
_BARS = 10  # of a histogram, on either side of zero


def missing(source: ServedSource) -> str | None:
    """Say what a source lacks for a comparison over all queries, in a sentence; None if nothing."""
    if source.collection is None:
        return f"{source.typed} has no queries and no judgments, so only rankings can be compared"
    if not source.collection.judged_queries:
        what = "judgments" if len(source.collection.queries) else "queries"
        return (
            f"{source.typed} has no {what} to measure systems by, so only rankings can be compared; start `toysearch "
            f"serve` with --{'qrels' if what == 'judgments' else 'queries'} FILE"
        )
    return None


def prepare() -> None:
    """Load the compiled loops and the tests, which take the first comparison of a process more than a second."""
    paired_test([0.1, 0.2], "t")
    if compiled():
        index, qrels = toysearch.Index.build({"1": "word"}), Qrels.from_dict({"1": {"1": 1}})
        prepared = PreparedPostings(index, {"1": toysearch.Searcher(index).terms("word")}, qrels, 1, DEPTH)
        list(prepared.judged(toysearch.MODELS["bm25"]))


def overall(source: ServedSource, request: ComparisonRequest) -> Data:
    """Compare over all judged queries, with the numbers of `toysearch.compare`."""
    measures = tuple(map(str, request.measures))
    evaluated = {}
    for letter, model in request.models.items():
        source.count(model)
        evaluated[letter] = _values_of(source, measures, model, request.ties)
    evaluations = {letter: evaluation for letter, (evaluation, _) in evaluated.items()}
    how = HOW._replace(margin=request.margin or 0.0)
    if tried := request.tried_on(source):
        how = how._replace(tried=tried, correction="bonferroni")
    by_name = {request.names[letter]: evaluation for letter, evaluation in evaluations.items()}
    comparison = compared(by_name, request.names[request.baseline], how, source.study.qrels(), {}, {})
    letters = {name: letter for letter, name in request.names.items()}
    tables = []
    for measure in request.measures:
        name = str(measure)
        tested = [
            pair_data(pair) | {"system": letters[pair.system], "other": request.baseline}
            for pair in comparison.pairs
            if pair.measure == name
        ]
        about = {"measure": name, "queries": len(comparison.query_ids[name]), "better": measure.definition.better}
        about["kind"] = comparison.kind[1]
        means = {letters[system]: mean for system, mean in comparison.means[name].items()}
        halves = {
            letters[system]: interval.half if 0 < interval.half < math.inf else None
            for system, interval in comparison.intervals[name].items()
        }
        tables.append(about | {"means": means, "halves": halves, "pairs": tested})
    first = measures[0]
    texts = comparison.first.texts
    rows = _by_gain(source, request, comparison.query_ids[first], comparison.values[first], texts)
    drawn = {name: _histogram([row["gains"][name] for row in rows]) for name in request.others}
    sentences = chain(doubts(source), *(notes for _, notes in evaluated.values()))
    data = {
        "verdict": verdict_of(comparison),
        "condition": "",
        "margins": [one.sentence for one in comparison.margins],
        "alpha": HOW.alpha,
        "interval": interval_name(HOW.alpha),
        "comparisons": comparison.together,
        "correction": how.correction,
        "k": DEPTH,
        "measures": tables,
        "sorted_by": {"measure": first, "system": request.sort},
        "histograms": drawn,
        "rows": rows,
        "walk": _walk(source, request, rows),
        "texts": _texts(source, request, evaluations, first),
        "notes": [*dict.fromkeys(sentences)],
    }
    if request.depends:
        named = tuple((request.names[letter], model) for letter, model in request.models.items())
        warnings, power = _dependences(source, measures, named, how.tried)
        lettered = letters | {"": ""}

        def record(one: Any) -> Data:
            return {**one._asdict(), "system": lettered[one.system], "other": lettered[one.other]}

        data |= {
            "condition": condition_of(comparison, warnings),
            "caveats": [record(one) for one in warnings],
            "depends_on": caveat_lines(warnings),
            "power": [record(one) | {"wanted": POWER} for one in power],
        }
    return data


def _walk(source: ServedSource, request: ComparisonRequest, rows: Sequence[Data]) -> Data | None:
    """Sort the queries from the largest loss to the largest gain; find this one and its neighbours."""
    order = {row["query_id"]: row["address"] for row in reversed(rows)}
    query_ids, addresses = [*order], [*order.values()]
    if not request.search.topic:
        return {"place": None, "queries": len(rows), "previous": None, "next": addresses[0]} if rows else None
    topic = source.study.qrels().needs[request.search.topic]
    if topic not in order:
        return None
    place = query_ids.index(topic)
    following = addresses[place + 1] if place + 1 < len(addresses) else None
    before = addresses[place - 1] if place else None
    return {"place": place + 1, "queries": len(rows), "previous": before, "next": following}


@functools.lru_cache(_EVALUATORS)
def _dependences(
    source: ServedSource, measures: tuple[str, ...], models: tuple[tuple[str, AnySystem], ...], tried: int
) -> tuple[list[Caveat], list[Sensitivity]]:
    """Return the caveats and the power that `toysearch compare --power` prints below its tables."""
    systems = {name: model.run if isinstance(model, ForeignRun) else model for name, model in models}
    comparison, _ = _noted(lambda: toysearch.compare(systems, source.study, measures, tried=tried))
    return caveats(comparison), sensitivity(comparison, POWER)


@functools.lru_cache(_EVALUATORS)
def doubts(source: ServedSource) -> list[str]:
    """Return what `toysearch compare` notes about the judgments of a source."""
    sentences, notes = _noted(source.study.doubts)
    return [*notes, *sentences]


def _noted(compute: Callable[[], _Made]) -> tuple[_Made, list[str]]:
    with collected_notes() as notes:
        result = compute()
    return result, [*map(str, notes)]


@functools.lru_cache(_EVALUATIONS)
def _values_of(
    source: ServedSource, measures: tuple[str, ...], model: AnySystem, ties: str
) -> tuple[Evaluation, list[str]]:
    """Evaluate a system and keep its values and notes: only one of the compared systems changes at a time."""
    study = source.study
    how: Any = {"qrels": study.qrels(), "measures": measures, "threshold": study.threshold(), "ties": ties}
    if isinstance(model, ForeignRun):
        run = model.run
        return _noted(lambda: evaluate(run, **how))
    own, ranker = study.of_system(model), model_in(model)
    refuse_joined_fields(own.index(), [ranker])

    def evaluated() -> Evaluation:
        note_own_queries(study.judged(), [ranker])
        if ties == "rank":
            return study_evaluator(own, measures)(ranker)
        return evaluate(own.with_scoring(ties=ties).run(ranker), **how)

    return _noted(evaluated)


def _texts(
    source: ServedSource, request: ComparisonRequest, evaluations: Mapping[str, Evaluation], measure: str
) -> list[Data]:
    """Return the texts of the need of this query with their values, and for which systems each is the worst."""
    need = source.study.qrels().needs.get(request.search.topic)
    if need is None or source.collection is None:
        return []
    worst_texts = {
        letter: consistency(None, evaluation).worst_texts(measure)[need] for letter, evaluation in evaluations.items()
    }
    texts = next(iter(evaluations.values())).texts[need]
    return [
        {
            "query_id": text,
            "query": source.collection.query(text).text,
            "values": {letter: evaluation.per_query[text][measure] for letter, evaluation in evaluations.items()},
            "worst": [letter for letter, worst in worst_texts.items() if worst == text],
            "address": address,
        }
        for text, address in zip(texts, request.of_queries(source, texts), strict=True)
        if len(texts) > 1
    ]


def _by_gain(
    source: ServedSource,
    request: ComparisonRequest,
    query_ids: tuple[str, ...],
    values: np.ndarray,
    texts: Mapping[str, Sequence[str]],
) -> list[Data]:
    """Sort the queries with their values by gain in the first measure, the largest first; ties keep their order."""
    names, collection = [*request.models], source.collection
    assert collection is not None
    gains = np.round(values - values[:, :1], DECIMALS) + 0.0
    by = gains[:, names.index(request.sort)] * -request.measures[0].sign
    first_texts = [texts[query_id][0] for query_id in query_ids]
    addresses = request.of_queries(source, first_texts)
    return [
        {
            "query_id": query_ids[row],
            "query": collection.query(first_texts[row]).text,
            "values": dict(zip(names, values[row].tolist(), strict=True)),
            "gains": dict(zip(names[1:], gains[row, 1:].tolist(), strict=True)),
            "address": addresses[row],
        }
        for row in np.argsort(by, kind="stable").tolist()
    ]


def _histogram(gains: list[float]) -> list[Data]:
    """Count the queries by their difference: bars of a round width, and one for no difference at all.

    A bar contains its end that is farther from zero.

    >>> [tuple(bar.values()) for bar in _histogram([0.1, -0.05, 0.0, 0.0]) if bar["queries"]]
    [(-0.05, -0.04, 1), (0.0, 0.0, 2), (0.09, 0.1, 1)]
    """
    largest = max(map(abs, gains), default=0.0)
    width = round_up(largest / _BARS, (1, 2, 2.5, 5, 10)) if largest else 0.1
    counts = dict.fromkeys(range(-_BARS, _BARS + 1), 0)
    for gain in gains:
        counts[int(math.copysign(min(_BARS, math.ceil(round(abs(gain) / width, 9))), gain))] += 1
    bars = []
    for place, queries in counts.items():
        ends = sorted((place * width, (place - np.sign(place)) * width))
        bars.append(
            {"low": round(float(ends[0]), DECIMALS), "high": round(float(ends[1]), DECIMALS), "queries": queries}
        )
    return bars


ROW = 10
"""Height of a row of a ranking in the drawing."""

WIDTH = 100
"""Width of a drawing; the page stretches it."""

_STUB = 16  # the length of the line of a document that is only in one list


class JoiningLine(NamedTuple):
    """Line: its SVG path, whether it joins two lists, its class, what it says."""

    path: str
    kind: str  # "joined", "new" or "lost"
    grade: float | None
    title: str


def joined(left: Sequence[Data], right: Sequence[Data]) -> list[JoiningLine]:
    """Draw the lines between two lists of documents: one per document of both, a short one per document of only one.

    >>> [line.path for line in joined([{"doc_id": "x", "rank": 1, "grade": 1}], [])]
    ['M0 5h16']
    """
    places = {hit["doc_id"]: hit["rank"] for hit in right}  # and soon only of those that are new
    lines = []
    for hit in left:
        start, place = _height(hit["rank"]), places.pop(hit["doc_id"], None)
        path, kind, to = f"M0 {start}h{_STUB}", "lost", ", lost"
        if place is not None:
            path = f"M0 {start}C50 {start} 50 {_height(place)} {WIDTH} {_height(place)}"
            kind, to = "joined", f" to {place}"
        lines.append(JoiningLine(path, kind, hit["grade"], f"{hit['doc_id']}: rank {hit['rank']}{to}"))
    for hit in right:
        if hit["doc_id"] in places:
            path = f"M{WIDTH} {_height(hit['rank'])}h-{_STUB}"
            lines.append(JoiningLine(path, "new", hit["grade"], f"{hit['doc_id']}: new, rank {hit['rank']}"))
    return lines


def bars_of_histogram(histogram: Sequence[Data], better: str | None) -> Data:
    """Draw the bars of a histogram of differences, in per cent of the drawing, each for queries won or lost."""
    most = max((bar["queries"] for bar in histogram), default=0) or 1
    width = WIDTH / len(histogram)
    bars = []
    for place, bar in enumerate(histogram):
        if not bar["queries"]:
            continue
        height = 100 * bar["queries"] / most
        side = ((bar["high"] > 0) - (bar["low"] < 0)) * (-1 if better == "lower" else 1)
        kind = ("lost", "tied", "won")[side + 1]
        drawn = {"x": place * width, "width": 0.9 * width, "y": 100 - height, "height": height}
        between = f"{bar['low']:g} to {bar['high']:g}" if side else "no difference"
        queries = f"{bar['queries']} {'query' if bar['queries'] == 1 else 'queries'}"
        bars.append(drawn | {"kind": kind, "title": f"{between}: {queries}".replace("-", "−")})
    return {"bars": bars, "low": histogram[0]["low"], "high": histogram[-1]["high"], "most": most}


def _height(rank: int) -> int:
    return ROW * rank - ROW // 2


_RUNS = "runs of other engines"
_SYSTEMS = "with an analysis or fields of their own"
_ROWS = 20  # queries shown at each end of the table
_SHOWN = 50  # documents of a ranking on a page


class _Ranked(NamedTuple):
    searcher: Searcher | None  # None for a run of another engine
    ranking: Ranking
    ranks: dict[str, int]  # by doc_id, to the depth at which systems are measured


def compare(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Show systems side by side for a query, and over all judged queries."""
    request = read_comparison(source, models, asked)
    text, lacks = query_text(source, request.search), missing(source)
    systems = []
    for letter, model in request.models.items():
        system: Data = {"letter": letter, "model": str(model), "parameters": [], "search": None}
        if not isinstance(model, ForeignRun | System):
            address = request.search._replace(model=model).address(source)
            system |= {"parameters": sliders(model, models), "search": address}
        systems.append(system)
    data: Data = {
        "source": source.typed,
        "query": text,
        "query_id": request.search.topic or None,
        "mode": request.search.mode,
        "k": request.search.k,
        "systems": systems,
        "baseline": request.baseline,
        "measure": request.measure_text,
        "margin": request.margin,
        "ties": request.ties,
        "missing": lacks,
        "notes": [],
        "unknown": [],
        "rankings": None,
        "one_query": None,
        "why": None,
        "overall": None,
        "command": None,
        "python": None,
    }
    computes = NOT_COMPUTED not in asked
    if text.strip() and computes:
        data |= _for_query(source, request, text)
    if lacks is None:
        measures, margin = [str(measure) for measure in request.measures], request.margin
        if computes:
            data["overall"] = overall(source, request)  # which counts what is tried
        same = source, [*request.models.values()], measures, f"{margin:g}" if margin else "", request.tried_on(source)
        data |= {"command": comparison_command(*same), "python": comparison_python(*same)}
    data |= {"tried": max(source.tried, request.tried), "address": request.address(source)}
    title = f"{' and '.join(request.settings.values())[:80]} – {source.typed}"
    every = {"all": "1"} if "all" in asked else {}
    form = _form(source, models, request, bool(every)) | _shown(source, request, data["overall"], every)
    return Reply("compare.html", title, data, form, request.address(source, **every))


def _for_query(source: ServedSource, request: ComparisonRequest, text: str) -> Data:
    """Rank by each system for one query, and say why they differ."""
    topic = request.search.topic
    typed, remarks = source.read(text, request.search.mode)
    query = searched(request.search, text, typed)
    ranked = {letter: _ranked(source, request, model, typed, query) for letter, model in request.models.items()}
    notes = [
        f"{model} ranks nothing for this query: a run has the queries of its file only"
        for letter, model in request.models.items()
        if ranked[letter].searcher is None and not ranked[letter].ranks
    ]
    grades = source.grades(topic) if topic else {}
    notes += [f"topic {topic} is not judged"] if topic and not grades else []
    rankings = _rankings(source, request, ranked, grades)
    return {
        "rankings": rankings,
        "one_query": _measured(source, request, ranked) if grades else None,
        "why": _why(source, request, ranked, typed, grades, rankings),
        "unknown": source.unknown(typed),
        "notes": remarks + notes,
    }


def _ranked(
    source: ServedSource,
    request: ComparisonRequest,
    model: AnySystem,
    typed: TypedQuery,
    query: Any,
) -> _Ranked:
    if isinstance(model, ForeignRun):
        source.count(model)
        searcher, ranking = None, model.ranking("" if request.search.typed else request.search.topic)
    else:
        searcher = source.searcher(model)
        ranking = searcher.search(query, DEPTH, query_mode=typed.mode, ties=request.ties)
    return _Ranked(searcher, ranking, {doc_id: rank for rank, doc_id in enumerate(ranking.doc_ids, 1)})


def _shown(source: ServedSource, request: ComparisonRequest, overall: Data | None, every: dict[str, str]) -> Data:
    """Choose the queries that the page shows, the largest loss first; count those of each choice, with its address."""
    rows = [*reversed(overall["rows"])] if overall else []
    side = request.measures[0].sign
    signs = [side * np.sign(row["gains"][request.sort]) for row in rows]
    choices = [
        {
            "name": name,
            "chosen": name == request.show,
            "queries": sum(sign in shown for sign in signs),
            "address": request._replace(show=name).address(source, **every) + "#gains",
        }
        for name, shown in _SHOWN_QUERIES.items()
    ]
    shown_rows = [row for row, sign in zip(rows, signs, strict=True) if sign in _SHOWN_QUERIES[request.show]]
    return {"choices": choices, "shown_rows": shown_rows}


def pairs_of(address: str) -> dict[str, str]:
    """Return the names and values of an address, or of its query string alone."""
    return dict(parse_qsl(address.partition("?")[2] or address))


def count_anew(source: ServedSource, models: Models, asked: Asked) -> Reply:
    """Count the settings tried from now on, and show the same comparison."""
    source.count_anew()
    return compare(source, models, pairs_of(asked.get("comparison", "")) | {"tried": ""})


def _rankings(
    source: ServedSource, request: ComparisonRequest, ranked: Mapping[str, _Ranked], grades: Mapping[str, float]
) -> list[Data]:
    k, letters, rankings = request.search.k, [*ranked], []
    for place, letter in enumerate(letters):
        left_ranks = ranked[letters[place - 1]].ranks if place else None
        right_ranks = ranked[letters[place + 1]].ranks if place + 1 < len(letters) else None
        hits = []
        for rank, hit in enumerate(islice(ranked[letter].ranking, k), 1):
            before, after = (None if ranks is None else ranks.get(hit.doc_id) for ranks in (left_ranks, right_ranks))
            is_new = left_ranks is not None and (before is None or before > k)
            is_lost = right_ranks is not None and (after is None or after > k)
            hits.append(
                {
                    "rank": rank,
                    "doc_id": hit.doc_id,
                    "title": source.title(hit.doc_id),
                    "score": hit.score,
                    "grade": grades.get(hit.doc_id),
                    "rank_before": before,
                    "rank_after": after,
                    "new": is_new,
                    "lost": is_lost,
                    "address": f"{request._replace(doc_id=hit.doc_id).address(source)}#why",
                }
            )
        rankings.append({"letter": letter, "hits": hits})
    return rankings


def _measured(source: ServedSource, request: ComparisonRequest, ranked: Mapping[str, _Ranked]) -> list[Data]:
    measures = {str(measure): measure for measure in [*request.measures, *source.measures]}
    values = {
        letter: values_of_topic(source, request.search.topic, system.ranking, [*measures.values()])
        for letter, system in ranked.items()
    }
    base = values[request.baseline]
    return [
        {
            "measure": name,
            "values": {letter: row[name] for letter, row in values.items()},
            "changes": {letter: values[letter][name] - base[name] for letter in request.others},
        }
        for name in measures
    ]


def values_of_topic(
    source: ServedSource, query_id: str, ranking: Ranking, measures: Sequence[Measure]
) -> dict[str, float]:
    """Return the measures of one ranking of a topic, to the depth to which runs are measured."""
    cut = Ranking(query_id, ranking.doc_ids[:DEPTH], ranking.scores[:DEPTH])
    run = Run.from_rankings([cut])
    return source.values(run, measures, [query_id])[query_id]


def _why(
    source: ServedSource,
    request: ComparisonRequest,
    ranked: Mapping[str, _Ranked],
    typed: TypedQuery,
    grades: Mapping[str, float],
    rankings: list[Data],
) -> Data | None:
    """Explain the scores of one document: the one asked for, or the one that moves farthest."""
    doc_id = request.doc_id or _moved(ranked, rankings)
    if doc_id is None:
        return None
    if not any(doc_id in system.ranks for system in ranked.values()):
        source.index.doc_number(doc_id)  # raises if there is none
    systems = []
    for letter, system in ranked.items():
        model, searcher = request.models[letter], system.searcher
        rank = system.ranks.get(doc_id)
        about: Data = {"letter": letter, "model": str(model), "rank": rank, "score": None, "parts": []}
        about |= {"explanation": None, "told": None}
        if isinstance(model, ForeignRun):
            terms = source.own_searcher.terms(typed.asked, typed.mode, request.search.topic)
            about["score"] = None if rank is None else float(system.ranking.scores[rank - 1])
            about["told"] = told_by_text(source, model, terms, doc_id, rank)
        elif searcher is not None and source.has(doc_id):
            why = toysearch.explain(searcher, searcher.terms(typed.searched, typed.mode, request.search.topic), doc_id)
            about |= {"score": why.score, "parts": score_parts(why)}
            if not isinstance(model, System):
                search = request.search._replace(model=model)
                about["explanation"] = search.address(source, "explanation", doc=doc_id)
        systems.append(about)
    title = source.title(doc_id)
    return {"doc_id": doc_id, "document_title": title, "grade": grades.get(doc_id), "systems": systems}


def _moved(ranked: Mapping[str, _Ranked], rankings: list[Data]) -> str | None:
    """Return the listed document whose ranks differ most between systems; the first of ties."""
    doc_ids = dict.fromkeys(hit["doc_id"] for ranking in rankings for hit in ranking["hits"])

    def distance(doc_id: str) -> int:
        ranks = [system.ranks.get(doc_id, DEPTH + 1) for system in ranked.values()]
        return max(ranks) - min(ranks)

    return max(doc_ids, key=distance, default=None)


def parts_table(systems: list[Data]) -> list[tuple[str, list[float | None]]]:
    """Return one row per part of the scores with its share of each system's score; None where it has none."""
    shares = [{part["part"]: part["share"] for part in system["parts"]} for system in systems]
    return [*aligned(shares, None).items()]


def _form(source: ServedSource, models: Models, request: ComparisonRequest, every: bool) -> Data:
    all_queries = {"all": "1"} if every else {}
    hidden = {"doc": request.doc_id, OF_DOCUMENT: request.words} if request.doc_id else {}
    hidden |= {"tried": str(request.tried)} if request.tried else {}
    hidden |= {"show": request.show} if request.show != "all" else {}
    hidden |= {"sort": request.sort} if request.sort != request.others[0] else {}
    offered = families(models)
    if source.runs:
        offered = offered | {_RUNS: {name: run.file for name, run in source.runs.items()}}
    if source.systems:
        offered = offered | {_SYSTEMS: dict.fromkeys(source.systems, "with its own analysis or fields")}
    chosen = {
        letter: str(model) if isinstance(model, ForeignRun | System) else name_in_list(models, model)
        for letter, model in request.models.items()
    }
    free = next((letter for letter in LETTERS if letter not in request.models), None)
    return {
        "typed": request.search.typed,
        "topic": request.search.topic,
        "topics": source.topics,
        "has_topics": len(source.queries) > 0,
        "models": offered,
        "chosen": chosen,
        "free": free,
        "prefix": PARAMETER,
        "sort": {letter: request._replace(sort=letter).address(source, **all_queries) for letter in request.others},
        "others": request.others,
        "names": request.names,
        "measures": dict.fromkeys([*map(str, source.measures), "AP", "nDCG@10", "P@10", "RR", "R@100"]),
        "rows": None if every else _ROWS,
        "every": request.over_all(source, all="1"),
        "depends": request._replace(depends=True).address(source, **all_queries),
        "over_all": request.over_all(source),
        "hidden": hidden | all_queries,
        "joined": joined,
        "bars_of_histogram": bars_of_histogram,
        "parts_table": parts_table,
        "p_text": p_text,
        "needed": queries_text,
        "shown": _SHOWN,
        "tried": tried(source, request.search),
        "modes": {"mode": request.search.pairs().get("query_mode", ""), "k": request.search.k},
    }
