"""A comparison as a table for a paper: LaTeX with booktabs, letters for significant differences, a full caption."""

from __future__ import annotations

from string import ascii_lowercase

from toysearch.formats.text_files import counted
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.reports.tables import latex_number, latex_text

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
    """The caption, with what a reader has to know to read the table and to repeat the test."""
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
    """Lines of a source that LaTeX reads as one."""
    lines, line = [], " "
    for word in text.split(" "):
        if len(line) + 1 + len(word) > width and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return [*lines, line]
