"""Tables of a comparison of systems for people and for papers, its sentences, and its data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.base import (
    Column,
    Marked,
    Part,
    Result,
    ResultTable,
    Sentences,
    counted,
    number_columns,
    plain,
    table_columns,
)
from toysearch.base.rendering import BOOKTABS, flowed, latex_number, latex_text
from toysearch.evaluation import Measure
from toysearch.study.compare.comparison_verdict import conclusion_of, condition_of, verdict_of
from toysearch.study.compare.consistency import consistency_table
from toysearch.study.compare.correlation import DEPTH, PERSISTENCE
from toysearch.study.compare.power import POWER
from toysearch.study.compare.significance import DECIMALS, TUKEY, Pair, interval_source
from toysearch.study.compare.tested_differences import (
    difference_cells,
    difference_columns,
    difference_data,
    queries_text,
)

if TYPE_CHECKING:
    from toysearch.study.compare.comparison import Caveat, Comparison
    from toysearch.study.compare.correlation import Agreement
    from toysearch.study.compare.sensitivity import Sensitivity

_BASELINE = ["baseline", "", "", "", ""]
_PAIR = [Column("system", wrap=True), Column("other", "minus", wrap=True)]
_MOST_NAMED = 2  # pairs that are named per caveat

_TESTS = {
    "t": "paired $t$ test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "permutation": "paired permutation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD test",
}
_CORRECTIONS = {"holm": "Holm's", "bonferroni": "Bonferroni's", "bh": "Benjamini and Hochberg's"}


def comparison_parts(
    comparison: Comparison,
    caveats: Sequence[Caveat],
    further: Sequence[ResultTable] = (),
    *,
    about: str = "",
    terminal: bool,
) -> Iterator[Part]:
    """Yield the comparison for people: the verdict, its tables, the legend, further tables, and the caveats."""
    yield Sentences(filter(None, [conclusion_of(comparison, caveats)]), "", "")
    yield from compared_tables(comparison, terminal)
    how_shown = legend(comparison, best="bold" if terminal else "*")
    yield Sentences([" · ".join(filter(None, (how_shown, about)))], "", "")
    if comparison.margins:
        heading = f"not worse by {comparison.how.margin:g} or more (two one-sided t tests, corrected as p)"
        yield Sentences([one.sentence for one in comparison.margins], "  ", "    ", heading)
    if comparison.needs:
        yield consistency_table(comparison.consistencies, f"over the texts of a need ({comparison.first.size})")
        if comparison.spread_pairs:
            yield spread_table(comparison)
    yield from further
    if lines := caveat_lines(caveats):
        yield Sentences(lines, "  ", "    ", "what the conclusions depend on")


def compared_tables(comparison: Comparison, terminal: bool) -> Iterator[ResultTable]:
    """Yield one table per measure for people; without a baseline, one of means and one of pairs."""
    counts = number_columns("", **{"wins/ties/losses": "+/=/−"})
    numbers = difference_columns(comparison.how.interval, "table") + counts
    system = Column("system", wrap=True)
    for measure in map(str, comparison.measures):
        widest = max(len(f"{mean:.4f}") for mean in comparison.means[measure].values())
        means = {}  # with aligned decimal points
        for name in comparison.systems:
            text = f"{comparison.means[measure][name]:{widest}.4f}"
            if name == comparison.best.get(measure):
                means[name] = Marked(text, [(0, len(text))]) if terminal else f"{text}*"
            else:
                means[name] = f"{text}~" if name in comparison.as_good.get(measure, ()) else text
        cells = {
            (pair.system, pair.other): [
                *difference_cells(pair.result, pair.p, "table"),
                f"{pair.wins}/{pair.ties}/{pair.losses}",
            ]
            for pair in comparison.pairs
            if pair.measure == measure
        }
        title = f"{measure} ({counted(len(comparison.query_ids[measure]), *comparison.kind)})"
        if comparison.baseline is None:
            letters = comparison.letters[measure]
            rows = [[name, mean, letters[name]] for name, mean in means.items()]
            yield ResultTable(table_columns(system, "mean", "letters"), rows, title)
            yield ResultTable(table_columns(_PAIR, numbers), [[*names, *row] for names, row in cells.items()])
        else:
            rows = [[name, mean, *cells.get((name, comparison.baseline), _BASELINE)] for name, mean in means.items()]
            title = f"{title}, difference from {comparison.baseline}"
            yield ResultTable(table_columns(system, "mean", numbers), rows, title)


def compared_rows(comparison: Comparison, form: str, power: Sequence[Sensitivity] = ()) -> ResultTable:
    """Put the comparison in one table, for papers and programs: one row per pair, and one for the baseline."""
    letters_of_both = [Column("letters"), Column("other_letters", "letters of other")]
    of_power = number_columns(".4f", "detectable") + number_columns(".0f", needed="queries needed")
    columns = table_columns(
        "measure",
        "system",
        "other",
        number_columns("", "queries"),
        number_columns(".4f", "mean"),
        difference_columns(comparison.how.interval, form),
        number_columns("", "wins", "ties", "losses"),
        "best",
        letters_of_both if comparison.letters else [],
        of_power if power else [],
    )

    def row(measure: str, system: str, other: str, numbers: Sequence[Any], powers: Sequence[Any]) -> list[Any]:
        standing = "indistinguishable" if system in comparison.as_good.get(measure, ()) else ""
        mean: Any = comparison.means[measure][system]
        if system == comparison.best.get(measure):
            standing = "best"
            if form in ("markdown", "latex"):
                mean = Marked(f"{mean:.4f}", [(0, len(f"{mean:.4f}"))])
        n_queries = len(comparison.query_ids[measure])
        letters = [comparison.letters[measure][name] for name in (system, other)] if comparison.letters else []
        return [measure, system, other, n_queries, mean, *numbers, standing, *letters, *powers]

    rows = []
    for measure in map(str, comparison.measures):
        if comparison.baseline is not None:
            rows.append(row(measure, comparison.baseline, "", [None] * 8, [None] * 2 * bool(power)))
        for place, pair in enumerate(comparison.pairs):
            if pair.measure == measure:
                numbers = [*difference_cells(pair.result, pair.p, form), *pair[5:]]
                powers = [power[place].detectable, power[place].queries] if power else []
                rows.append(row(measure, pair.system, pair.other, numbers, powers))
    return ResultTable(columns, rows)


@dataclass(frozen=True, repr=False)
class ComparedQueries(Result):
    """Values of the compared systems and their differences, query by query: `Comparison.per_query`."""

    comparison: Comparison

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show one row per query and the means as query 'all': a table per measure, or one of all for programs."""
        systems, measures = self.comparison.systems, [*map(str, self.comparison.measures)]
        pairs = [pair for pair in self.comparison.pairs if pair.measure == measures[0]]
        columns = table_columns(
            Column("query_id", self.comparison.kind[0]),
            number_columns(".4f", *systems),
            number_columns("+.4f", *(f"{pair.system} minus {pair.other}" for pair in pairs)),
        )
        rows = {measure: self._rows(measure) for measure in measures}
        if form == "table":
            return [ResultTable(columns, lines, measure if len(rows) > 1 else "") for measure, lines in rows.items()]
        every = [[measure, *row] for measure, lines in rows.items() for row in lines]
        return [ResultTable(table_columns("measure", columns), every)]

    def _rows(self, measure: str) -> list[list[Any]]:
        pairs = [pair for pair in self.comparison.pairs if pair.measure == measure]
        differences = [self.comparison.differences(pair).round(DECIMALS) + 0.0 for pair in pairs]
        numbers = np.column_stack([self.comparison.values[measure], *differences]).tolist()
        rows = [[query_id, *row] for query_id, row in zip(self.comparison.query_ids[measure], numbers, strict=True)]
        changes = [pair.result.mean for pair in pairs]
        return [*rows, ["all", *self.comparison.means[measure].values(), *changes]]

    def data(self) -> list[dict[str, Any]]:
        """Return one record per row, for JSON: its values by system, and its differences."""
        [table], ends = self.tables("json"), 2 + len(self.comparison.systems)
        names = [column.name for column in table.columns]
        rows = ([*zip(names, row, strict=True)] for row in table.rows)
        return [{**dict(row[:2]), "values": dict(row[2:ends]), "differences": dict(row[ends:])} for row in rows]


def compared_data(
    comparison: Comparison,
    caveats: Sequence[Caveat],
    power: Sequence[Sensitivity] = (),
    agreement: Sequence[Agreement] = (),
) -> dict[str, Any]:
    """Return everything as plain values, for JSON."""
    measures = []
    for measure in map(str, comparison.measures):
        of_measure = {
            "measure": measure,
            "queries": len(comparison.query_ids[measure]),
            "means": comparison.means[measure],
            "best": comparison.best.get(measure),
            "as_good_as_the_best": comparison.as_good.get(measure, ()),
        }
        if comparison.letters:
            of_measure["letters"] = comparison.letters[measure]
        if comparison.needs:
            means = {one.system: one.of(measure) for one in comparison.consistencies}
            spreads = [_tested_data(pair) for pair in comparison.spread_pairs if pair.measure == measure]
            of_measure["consistency"] = {"means": means, "spread_pairs": spreads}
        of_measure["pairs"] = [pair_data(pair) for pair in comparison.pairs if pair.measure == measure]
        measures.append(of_measure)
    how = {name: value for name, value in comparison.how._asdict().items() if value or name not in ("tried", "margin")}
    further = {"margins": comparison.margins, "power": power, "agreement": agreement}
    more = {name: rows for name, rows in further.items() if rows}
    head = {
        "verdict": verdict_of(comparison),
        "condition": condition_of(comparison, caveats),
        "baseline": comparison.baseline,
        "ties": comparison.first.ties,
        **how,
        "comparisons": len(comparison.pairs),
    }
    return plain({**head, "measures": measures, "caveats": caveats, **more})  # type: ignore[no-any-return]


def spread_table(comparison: Comparison) -> ResultTable:
    """Show the differences in the spread of values over the texts of a need, with their tests."""
    columns = table_columns("measure", _PAIR, difference_columns(comparison.how.interval, "table"))
    rows = [[*pair[:3], *difference_cells(pair.result, pair.p, "table")] for pair in comparison.spread_pairs]
    return ResultTable(columns, rows, "difference in spread: lower is more consistent")


def pair_data(pair: Pair) -> dict[str, Any]:
    """Return the test of a pair for JSON: ``p`` is corrected."""
    return _tested_data(pair) | {"wins": pair.wins, "ties": pair.ties, "losses": pair.losses}


def _tested_data(pair: Pair) -> dict[str, Any]:
    return {"system": pair.system, "other": pair.other} | difference_data(pair.result, pair.p)


def power_table(power: Sequence[Sensitivity]) -> ResultTable:
    """Show the power of the tests: the smallest detectable difference, and the queries that the observed one needs."""
    columns = table_columns(
        "measure",
        _PAIR,
        number_columns("", queries="n"),
        number_columns("+.4f", difference="diff."),
        number_columns(".4f", "detectable"),
        number_columns("", "needed"),
    )
    rows = [[*row[:6], queries_text(row.queries)] for row in power]
    return ResultTable(columns, rows, f"power: the difference that is detected with a probability of {POWER:g}")


def agreement_table(agreement: Sequence[Agreement], kind: str) -> ResultTable:
    """Show the rank correlation of each pair of systems."""
    columns = table_columns(
        Column("first", "system", wrap=True),
        Column("second", "and", wrap=True),
        number_columns(".3f", tau="Kendall's τ", tau_ap="τ_AP", rbo="RBO"),
        number_columns("", n=kind),
    )
    title = f"agreement of the first {DEPTH} documents; RBO with p = {PERSISTENCE:g}"
    return ResultTable(columns, [row[:6] for row in agreement], title)


def legend(comparison: Comparison, best: str) -> str:
    """Explain the columns and marks of the tables; best: the mark of the best system, "" where a column names it."""
    parts = [tested_text(comparison), "d_z: mean difference / standard deviation of the differences"]
    if best:
        outcomes = "won, tied, lost" if comparison.best else "higher, equal, lower"
        parts.append(f"+/=/−: {comparison.kind[1]} {outcomes}")
    if best and comparison.best:
        parts.append(f"{best}: best, ~: indistinguishable from it")
    if comparison.letters:
        parts.append("letters: systems that share one are indistinguishable")
    return " · ".join(parts)


def tested_text(comparison: Comparison) -> str:
    """Name the test, its correction, which is that of the intervals too, and its level."""
    return (
        f"{_test_name(comparison)}, p and CI{interval_source(comparison.how.test)} "
        f"{correction_text(comparison)}, alpha {comparison.how.alpha:g}"
    )


def tested_sentence(comparison: Comparison) -> str:
    """Say the same in a sentence for a paper, without its end."""
    return (
        f"Differences were paired by query and tested by the {_test_name(comparison)}; p-values and confidence "
        f"intervals{interval_source(comparison.how.test)} are {correction_text(comparison)}; alpha is "
        f"{comparison.how.alpha:g}"
    )


def _test_name(comparison: Comparison) -> str:
    return "randomised Tukey HSD" if comparison.how.test == TUKEY else f"{comparison.how.test} test"


def correction_text(comparison: Comparison) -> str:
    """Say how p is corrected, and for which tests together."""
    how, measures, together = comparison.how, len(comparison.measures), comparison.together
    if how.test == TUKEY:
        if measures == 1:
            return "corrected for all pairs"
        return "corrected for all pairs " + ("and all measures together" if how.shares_measures else "by each measure")
    if how.correction == "none":
        return "not corrected"
    if how.tried:
        return f"corrected for {counted(together, 'comparison')}, of {counted(how.tried, 'setting')} tried"
    what = f"{together} comparison{'s' * (together > 1)}"
    if measures == 1:
        return f"corrected ({how.correction}) for {what}"
    whose = "all measures together" if how.shares_measures else "each measure by itself"
    return f"corrected ({how.correction}) for {what}, {whose}"


def caveat_lines(caveats: Sequence[Caveat]) -> list[str]:
    """Write one line per caveat; if one kind applies to many pairs by a measure, name only the first."""
    lines = []
    for (kind, measure), group in groupby(
        (caveat for caveat in caveats if caveat.kind != "bounds"), key=lambda caveat: caveat[:2]
    ):
        members = list(group)
        most = _MOST_NAMED + (len(members) == _MOST_NAMED + 1)  # no line that says there is one more
        for caveat in members[:most]:
            pair = f"{caveat.system} minus {caveat.other}" if caveat.system else ""
            subject = ", ".join(part for part in (measure, pair) if part)
            lines.append(f"{kind}: {subject}: {caveat.sentence}" if subject else f"{kind}: {caveat.sentence}")
        if more := len(members[most:]):
            lines.append(f"{kind}: {measure}: the same holds for {more} more pairs (as JSON, all are listed)")
    bounds = [caveat for caveat in caveats if caveat.kind == "bounds"]
    if bounds:  # one line: the share is over all systems
        pairs = Counter(caveat.measure for caveat in bounds)
        of_which = ", ".join(f"{measure} ({counted(number, 'pair')})" for measure, number in pairs.items())
        lines.append(f"unjudged: {bounds[0].sentence}: {of_which}")
    return lines


def paper_table(comparison: Comparison) -> str:
    r"""Table with systems in rows, measures in columns; a superscript names systems with significantly lower values."""
    letters = dict(zip(comparison.systems, map(letter_of, range(len(comparison.systems))), strict=True))
    measures = comparison.measures
    widest = max(map(len, letters.values()))
    headers = [latex_text(measure.text) for measure in measures]
    lines = [" & ".join([" " * (widest + 1) + "& System", *headers]) + r" \\", r"\midrule"]
    for name, letter in letters.items():
        values = [_value(comparison, measure, name, letters) for measure in measures]
        lines.append(" & ".join([f"{letter:<{widest}}", latex_text(name), *values]) + r" \\")
    return "\n".join(
        [
            BOOKTABS,
            r"\begin{table}",
            r"  \centering",
            *_caption(comparison),
            r"  \label{tab:comparison}",
            rf"  \begin{{tabular}}{{ll{'l' * len(measures)}}}",
            r"    \toprule",
            *(f"    {line}" for line in lines),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
    )


def letter_of(place: int) -> str:
    """Return the letters of a place: a, b, …, z, aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (letter_of(before - 1) if before else "") + ascii_lowercase[last]


def _value(comparison: Comparison, measure: Measure, name: str, letters: dict[str, str]) -> str:
    text = latex_number(f"{comparison.means[measure.text][name]:.4f}")
    if comparison.best.get(measure.text) == name:
        text = rf"\textbf{{{text}}}"
    if not measure.definition.better:  # of ED neither high nor low values are better, so no system is worse
        return text
    verdicts = [
        (pair, pair.sign * comparison.verdict(pair)) for pair in comparison.pairs if pair.measure == measure.text
    ]
    worse = {pair.other for pair, verdict in verdicts if pair.system == name and verdict > 0}
    worse |= {pair.system for pair, verdict in verdicts if pair.other == name and verdict < 0}
    above = ",".join(letter for system, letter in letters.items() if system in worse)
    return f"{text}$^{{{above}}}$" if above else text


def _caption(comparison: Comparison) -> list[str]:
    counts = {measure: len(ids) for measure, ids in comparison.query_ids.items()}
    if len(set(counts.values())) == 1:
        queries = counted(next(iter(counts.values())), *comparison.kind)
    else:
        sizes = ", ".join(f"{latex_text(name)}: {n}" for name, n in counts.items())
        queries = f"the {comparison.kind[1]} ({sizes})"
    how = comparison.how
    together = ""
    if len(comparison.measures) > 1:
        together = ", all measures together" if how.shares_measures else ", each measure by itself"
    if how.test == "tukey":
        correction = f"corrected for all pairs{together}"
    elif how.correction == "none":
        correction = "not corrected"
    else:
        n_tests = counted(comparison.together, "comparison")
        correction = f"{_CORRECTIONS[how.correction]} correction for {n_tests}{together}"
    test = [_TESTS[how.test], rf"$p \leq {how.alpha:g}$", correction]
    against = f"; each system compared with {latex_text(comparison.baseline)}" if comparison.baseline else ""
    letters = (
        "; the best of each column is bold. A superscript names the systems that are significantly worse "
        f"({', '.join(test)}{against})"
    )
    text = f"\\caption{{Means over {queries}{letters if comparison.pairs else ''}.}}"
    return flowed(text, 116, "  ", "    ").split("\n")
