"""A comparison of systems as tables for people and for papers, and as data for programs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from string import ascii_lowercase
from typing import Any, NamedTuple

from toysearch.base.wording import counted
from toysearch.laboratory.experiments.caveats import Caveat
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.stats.multiple_comparisons import TUKEY, Pair
from toysearch.laboratory.experiments.stats.power import Sensitivity
from toysearch.laboratory.experiments.stats.rank_correlation import Agreement
from toysearch.laboratory.experiments.stats.significance import TestResult
from toysearch.laboratory.results.tables import Column, Marked, flowed, latex_number, latex_text, render

_LEAST_P = 0.0001  # smaller p-values are shown as below this bound
_BASELINE = ["baseline", "", "", "", ""]
_MOST_NAMED = 2  # pairs that are named per caveat


class TitledTable(NamedTuple):
    """A table with its title."""

    title: str
    columns: list[Column]
    rows: list[list[Any]]


def comparison_text(
    comparison: Comparison,
    caveats: Sequence[Caveat],
    further: Sequence[TitledTable] = (),
    *,
    about: str = "",
    width: int | None = None,
    wrap: int | None = None,
) -> str:
    """The comparison for people: its tables, the legend, further tables, and the caveats."""

    def titled(table: TitledTable) -> str:
        return "\n".join(part for part in (table.title, render(table.columns, table.rows, width=width)) if part)

    notes = [flowed(line, wrap, "  ", "    ") for line in caveat_lines(caveats)]
    terminal = width is not None
    return "\n\n".join(
        [
            *map(titled, compared_tables(comparison, terminal)),
            flowed(" · ".join(part for part in (legend(comparison, terminal), about) if part), wrap),
            *map(titled, further),
            *(["\n".join(["what the conclusions depend on", *notes])] if notes else []),
        ]
    )


def compared_tables(comparison: Comparison, terminal: bool) -> list[TitledTable]:
    """The comparison for people: one table per measure; without a baseline, one of means and one of pairs."""
    tables: list[TitledTable] = []
    for measure in map(str, comparison.measures):
        means: dict[str, Any] = {name: _marked(comparison, measure, name, terminal) for name in comparison.systems}
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        queries = counted(len(comparison.query_ids[measure]), "query", "queries")
        if comparison.baseline is None:
            columns = [Column("system", wrap=True), Column("mean")]
            tables.append(TitledTable(f"{measure} ({queries})", columns, [[*each] for each in means.items()]))
            rows = [[pair.system, pair.other, *_cells(pair)] for pair in pairs]
            names = [Column("system", wrap=True), Column("other", "minus", wrap=True)]
            tables.append(TitledTable("", [*names, *_pair_columns(comparison)], rows))
            continue
        by_system = {pair.system: _cells(pair) for pair in pairs}
        rows = [[name, mean, *by_system.get(name, _BASELINE)] for name, mean in means.items()]
        names = [Column("system", wrap=True), Column("mean")]
        title = f"{measure} ({queries}), difference from {comparison.baseline}"
        tables.append(TitledTable(title, [*names, *_pair_columns(comparison)], rows))
    return tables


def compared_rows(comparison: Comparison, form: str, power: Sequence[Sensitivity] = ()) -> TitledTable:
    """The comparison in one table, for papers and programs: one row per pair, and one for the baseline."""
    columns = [Column("measure"), Column("system"), Column("other")]
    columns += [Column("queries", justify="right"), Column("mean", justify="right", format=".4f")]
    columns += difference_columns(comparison.how.alpha, form)
    columns += [Column(name, justify="right") for name in ("wins", "ties", "losses")] + [Column("best")]
    if power:
        columns += [Column("detectable", "", "right", ".4f"), Column("needed", "queries needed", "right", ".0f")]
    rows: list[list[Any]] = []
    for measure in map(str, comparison.measures):
        if comparison.baseline is not None:
            blank = [None] * (8 + 2 * bool(power))
            first = _row_start(comparison, form, measure, comparison.baseline, "")
            rows.append([*first, *blank[:8], _standing(comparison, measure, comparison.baseline), *blank[8:]])
        for place, pair in enumerate(comparison.pairs):
            if pair.measure == measure:
                numbers = difference_cells(pair.result.mean, pair.result, pair.p, form)
                row = [*_row_start(comparison, form, measure, pair.system, pair.other), *numbers, *pair[5:]]
                row.append(_standing(comparison, measure, pair.system))
                rows.append(row + ([power[place].detectable, power[place].queries] if power else []))
    return TitledTable("", columns, rows)


def compared_data(
    comparison: Comparison, caveats: Sequence[Caveat], power: Sequence[Sensitivity], agreement: Sequence[Agreement]
) -> dict[str, Any]:
    """All results, for JSON."""
    measures = []
    for measure in map(str, comparison.measures):
        measures.append(
            {
                "measure": measure,
                "queries": len(comparison.query_ids[measure]),
                "means": comparison.means[measure],
                "best": comparison.best.get(measure),
                "as_good_as_the_best": list(comparison.as_good.get(measure, ())),
                "pairs": [_pair_data(pair) for pair in comparison.pairs if pair.measure == measure],
            }
        )
    data = {"baseline": comparison.baseline, **comparison.how._asdict(), "comparisons": len(comparison.pairs)}
    if not data["tried"]:
        del data["tried"]
    data |= {"measures": measures, "caveats": [caveat._asdict() for caveat in caveats]}
    if power:
        data["power"] = [each._asdict() for each in power]
    if agreement:
        data["agreement"] = [each._asdict() for each in agreement]
    return data


def power_table(power: Sequence[Sensitivity], wanted: float) -> TitledTable:
    """The power of the tests: the smallest detectable difference, and the queries that the observed one needs."""
    columns = [Column("measure"), Column("system", wrap=True), Column("other", "minus", wrap=True)]
    columns += [Column("queries", "n", "right"), Column("difference", "diff.", "right", "+.4f")]
    columns += [Column("detectable", justify="right", format=".4f"), Column("needed", justify="right")]
    rows = [[*each[:6], queries_text(each.queries)] for each in power]
    return TitledTable(f"power: the difference that is detected with a probability of {wanted:g}", columns, rows)


def agreement_table(agreement: Sequence[Agreement], depth: int, persistence: float) -> TitledTable:
    """The rank correlation of each pair of systems."""
    columns = [Column("first", "system", wrap=True), Column("second", "and", wrap=True)]
    columns += [Column("tau", "Kendall's τ", "right", ".3f"), Column("tau_ap", "τ_AP", "right", ".3f")]
    columns += [Column("rbo", "RBO", "right", ".3f"), Column("n", "queries", "right")]
    title = f"agreement of the first {depth} documents; RBO with p = {persistence:g}"
    return TitledTable(title, columns, [list(each[:6]) for each in agreement])


def legend(comparison: Comparison, terminal: bool) -> str:
    """What the columns and marks of the tables mean."""
    parts = [tested_text(comparison)]
    parts += ["d_z: mean difference / standard deviation of the differences", "+/=/−: queries won, tied, lost"]
    if comparison.best:
        parts.append(f"{'bold' if terminal else '*'}: best, ~: indistinguishable from it")
    return " · ".join(parts)


def tested_text(comparison: Comparison) -> str:
    """The test, its correction and its level."""
    return f"{test_text(comparison)}, p {correction_text(comparison)}, alpha {comparison.how.alpha:g}"


def test_text(comparison: Comparison) -> str:
    """The name of the test."""
    return "randomised Tukey HSD" if comparison.how.test == TUKEY else f"{comparison.how.test} test"


def correction_text(comparison: Comparison) -> str:
    """How p is corrected, and for which tests together: the text after the word p."""
    how, measures = comparison.how, len(comparison.measures)
    together = len(comparison.pairs) // (1 if how.shares_measures else measures)
    if how.test == TUKEY:
        if measures == 1:
            return "corrected for all pairs"
        return "corrected for all pairs " + ("and all measures together" if how.shares_measures else "by each measure")
    if how.correction == "none":
        return "not corrected"
    if how.tried:
        together = how.comparisons(len(comparison.pairs), measures)
        return f"multiplied by {together}, for {counted(how.tried, 'setting')} tried"
    what = f"{together} comparison{'s' * (together > 1)}"
    if measures == 1:
        return f"corrected ({how.correction}) for {what}"
    whose = "all measures together" if how.shares_measures else "each measure by itself"
    return f"corrected ({how.correction}) for {what}, {whose}"


def caveat_lines(caveats: Sequence[Caveat]) -> list[str]:
    """One line per caveat; if one kind applies to many pairs by a measure, only the first are named."""
    lines = []
    for (kind, measure), group in groupby(
        (caveat for caveat in caveats if caveat.kind != "bounds"), key=lambda caveat: caveat[:2]
    ):
        members = list(group)
        named = _MOST_NAMED + (len(members) == _MOST_NAMED + 1)  # instead of a line that says there is one more
        for caveat in members[:named]:
            pair = f"{caveat.system} minus {caveat.other}" if caveat.system else ""
            subject = ", ".join(part for part in (measure, pair) if part)
            lines.append(f"{kind}: {subject}: {caveat.sentence}" if subject else f"{kind}: {caveat.sentence}")
        if len(members) > named:
            lines.append(
                f"{kind}: {measure}: the same holds for {len(members) - named} more pairs (as JSON, all are listed)"
            )
    bounds = [caveat for caveat in caveats if caveat.kind == "bounds"]
    if bounds:  # one line: the share is over all systems
        pairs = Counter(caveat.measure for caveat in bounds)
        of_which = ", ".join(f"{measure} ({counted(number, 'pair')})" for measure, number in pairs.items())
        lines.append(f"unjudged: {bounds[0].sentence}: {of_which}")
    return lines


def p_text(p: float) -> str:
    """A p-value in at most seven characters."""
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.4f}"


def _marked(comparison: Comparison, measure: str, name: str, terminal: bool) -> str | Marked:
    """A mean, marked if it is the best or indistinguishable from it; decimal points are aligned."""
    widest = max(len(f"{mean:.4f}") for mean in comparison.means[measure].values())
    text = f"{comparison.means[measure][name]:{widest}.4f}"
    if name == comparison.best.get(measure):
        return Marked(text, [(0, len(text))]) if terminal else f"{text}*"
    return f"{text}~" if name in comparison.as_good.get(measure, ()) else text


def _pair_columns(comparison: Comparison) -> list[Column]:
    return [*difference_columns(comparison.how.alpha, "table"), Column("wins/ties/losses", "+/=/−", "right")]


def _cells(pair: Pair) -> list[str]:
    counts = f"{pair.wins}/{pair.ties}/{pair.losses}"
    return [*difference_cells(pair.result.mean, pair.result, pair.p, "table"), counts]


def _row_start(comparison: Comparison, form: str, measure: str, system: str, other: str) -> list[Any]:
    mean = comparison.means[measure][system]
    best = form in ("markdown", "latex") and system == comparison.best.get(measure)
    shown = Marked(f"{mean:.4f}", [(0, len(f"{mean:.4f}"))]) if best else mean
    return [measure, system, other, len(comparison.query_ids[measure]), shown]


def _standing(comparison: Comparison, measure: str, system: str) -> str:
    if system == comparison.best.get(measure):
        return "best"
    return "indistinguishable" if system in comparison.as_good.get(measure, ()) else ""


def _pair_data(pair: Pair) -> dict[str, Any]:
    result = pair.result
    return {
        "system": pair.system,
        "other": pair.other,
        "difference": result.mean,
        "low": result.low,
        "high": result.high,
        "p_uncorrected": result.p,
        "p": pair.p,
        "effect": result.effect,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
    }


def queries_text(needed: float) -> str:
    """A number of queries that a difference needs."""
    if math.isnan(needed):
        return ""
    return "∞" if math.isinf(needed) else f"{needed:,.0f}"


def difference_columns(alpha: float, form: str) -> list[Column]:
    """The columns of a difference: the interval is one column for people, two for papers and programs."""
    if form == "table":
        headers = {"difference": "diff.", "interval": f"{100 * (1 - alpha):.4g} % int.", "p": "p", "effect": "d_z"}
        return [Column(name, header, "right") for name, header in headers.items()]
    formats = {"difference": "+.4f", "low": "+.4f", "high": "+.4f", "p": ".4g"}
    numbers = [Column(name, "", "right", number) for name, number in formats.items()]
    return [*numbers, Column("effect", "d_z", "right", "+.3f")]


def difference_cells(difference: float | None, result: TestResult | None, p: float, form: str) -> list[Any]:
    """The cells of a difference; without a test, the difference alone."""
    if form != "table":
        shown_p = p_text(p) if form in ("markdown", "latex") else p
        return [difference, *([None] * 4 if result is None else [result.low, result.high, shown_p, result.effect])]
    shown = "" if difference is None else f"{difference:+.4f}"
    if result is None:
        return [shown, "", "", ""]
    interval = "unbounded" if math.isinf(result.low) else f"{result.low:+.3f} {result.high:+.3f}"
    return [shown, interval, p_text(p), "" if math.isnan(result.effect) else f"{result.effect:+.2f}"]


_TESTS = {
    "t": "paired $t$ test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "permutation": "paired permutation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD test",
}
_CORRECTIONS = {"holm": "Holm's", "bonferroni": "Bonferroni's", "bh": "Benjamini and Hochberg's"}


def paper_table(comparison: Comparison) -> str:
    r"""Systems in rows, measures in columns; a superscript names the systems that a value is significantly above."""
    letters = dict(zip(comparison.systems, map(_letter, range(len(comparison.systems))), strict=True))
    measures = [str(measure) for measure in comparison.measures]
    widest = max(map(len, letters.values()))
    lines = [" & ".join([" " * (widest + 1) + "& System", *map(latex_text, measures)]) + r" \\", r"\midrule"]
    for name, letter in letters.items():
        values = [_value(comparison, measure, name, letters) for measure in measures]
        lines.append(" & ".join([f"{letter:<{widest}}", latex_text(name), *values]) + r" \\")
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
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


def _letter(place: int) -> str:
    """The letters of a place: a, b, …, z, aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]


def _value(comparison: Comparison, measure: str, name: str, letters: dict[str, str]) -> str:
    """A mean, bold where it is the best, and the letters of the systems that are significantly worse."""
    text = latex_number(f"{comparison.means[measure][name]:.4f}")
    if comparison.best.get(measure) == name:
        text = rf"\textbf{{{text}}}"
    lower = next(each for each in comparison.measures if str(each) == measure).definition.better == "lower"
    worse = set()
    for pair in comparison.pairs:
        verdict = comparison.verdict(pair) * (-1 if lower else 1)
        if pair.measure == measure and verdict and name in (pair.system, pair.other):
            better, other = (pair.system, pair.other) if verdict > 0 else (pair.other, pair.system)
            if better == name:
                worse.add(letters[other])
    return text + (f"$^{{{','.join(letter for letter in letters.values() if letter in worse)}}}$" if worse else "")


def _caption(comparison: Comparison) -> list[str]:
    """The caption, with everything needed to read the table and repeat the test."""
    counts = {measure: len(ids) for measure, ids in comparison.query_ids.items()}
    if len(set(counts.values())) == 1:
        queries = counted(next(iter(counts.values())), "query", "queries")
    else:
        queries = "the queries (" + ", ".join(f"{latex_text(name)}: {n}" for name, n in counts.items()) + ")"
    how = comparison.how
    test = [_TESTS[how.test], rf"$p \leq {how.alpha:g}$", _correction(comparison)]
    against = f"; each system compared with {latex_text(comparison.baseline)}" if comparison.baseline else ""
    letters = (
        "; the best of each column is bold. A superscript names the systems that are significantly worse "
        f"({', '.join(test)}{against})"
    )
    return _folded(f"\\caption{{Means over {queries}{letters if comparison.pairs else ''}.}}")


def _correction(comparison: Comparison) -> str:
    how, several = comparison.how, len(comparison.measures) > 1
    whose = ", all measures together" if how.shares_measures else ", each measure by itself"
    if how.test == "tukey":
        return "corrected for all pairs" + (whose if several else "")
    if how.correction == "none":
        return "not corrected"
    together = len(comparison.pairs) // (1 if how.shares_measures else len(comparison.measures))
    number = counted(together, "comparison")
    return f"{_CORRECTIONS[how.correction]} correction for {number}" + (whose if several else "")


def _folded(text: str, width: int = 116) -> list[str]:
    """Lines of LaTeX source that form one paragraph."""
    lines, line = [], " "
    for word in text.split(" "):
        if len(line) + 1 + len(word) > width and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return [*lines, line]
