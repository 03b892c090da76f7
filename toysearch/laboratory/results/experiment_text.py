"""The results of `tune` and `ablate`, as text for people and data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from toysearch.base.wording import counted
from toysearch.laboratory.experiments.ablation import Ablation
from toysearch.laboratory.experiments.grids import setting_text
from toysearch.laboratory.experiments.robustness.scorecard import Robustness
from toysearch.laboratory.experiments.tuning_result import TOLERANCE, Fold, Plateau, Trial, Tuning
from toysearch.laboratory.results.differences import difference_cells, difference_columns, p_text
from toysearch.laboratory.results.tables import Column, flowed, render
from toysearch.models.model import Value, value_text

_MOST_NAMED = 4  # values that are listed; of more, only the number is given


def tuning_text(found: Tuning, width: int | None = None, wrap: int | None = None) -> str:
    """The held-out and the optimistic value, the parameters, and the conclusions."""
    caption = f"as good: within {100 * TOLERANCE:g} % of the best · indistinguishable: p ≥ {found.alpha:g}, uncorrected"
    axes = f"{render(*axes_table(found), width=width)}\n{flowed(caption, wrap)}"
    sentences = "\n".join(flowed(sentence, wrap, "- ", "  ") for sentence in tuning_sentences(found))
    return "\n\n".join([render(*values_table(found, "table"), width=width), axes, sentences])


def tuning_about(found: Tuning) -> list[str]:
    """The collection, the analysis, and the numbers of queries and settings."""
    return [about(found, counted(len(found.query_ids), "query", "queries"), counted(len(found.trials), "setting"))]


def about(found: Tuning | Ablation | Robustness, *parts: str) -> str:
    """The setup of an experiment in one line: the collection, the analysis, and further parts."""
    return " · ".join([found.collection, found.analyzer, *parts])


def values_table(found: Tuning, form: str) -> tuple[list[Column], list[list[Any]]]:
    """The held-out value, the optimistic one, and the value of the default."""
    columns = [Column("system"), Column("value", found.measure, "right", ".4f")]
    rows: list[list[Any]] = [
        [f"tuned, held out ({len(found.folds)} folds)", found.held_out.value],
        ["tuned, on the same queries", found.best.value],
    ]
    default = found.default
    if default is None:
        return columns, rows
    if found.gain is None:
        return columns, [*rows, [f"as given ({found.model})", default.value]]
    rows[0] += difference_cells(found.gain.mean, found.gain, found.gain.p, form)
    rows[1] += difference_cells(float(np.nanmean(found.best.per_query - default.per_query)), None, 1.0, form)
    rows.append([f"as given ({found.model})", default.value, *difference_cells(None, None, 1.0, form)])
    return [*columns, *difference_columns(found.alpha, form)], rows


def axes_table(found: Tuning) -> tuple[list[Column], list[list[Any]]]:
    """Each parameter: its given value, the best, the choices of the folds, and how flat the surface is."""
    columns = [
        Column("parameter"),
        Column("default", "as given", "right"),
        Column("best", "", "right"),
        Column("folds", "in the folds"),
        Column("as_good", "as good"),
        Column("not_worse", "indistinguishable"),
    ]
    rows: list[list[Any]] = []
    for one in found.plateaus:
        own = value_text(found.default.setting[one.name]) if found.default else None
        shown = [_range(one, one.near), _range(one, one.alike)]
        rows.append([one.name, own, value_text(one.best), _chosen(one.name, found.folds), *shown])
    return columns, rows


def tuning_sentences(found: Tuning) -> list[str]:
    """The conclusions, one sentence each."""
    return [
        *_verdict(found),
        f"The best setting has {found.best.value:.4f} on the queries that chose it, which is "
        + (
            f"optimistic by {abs(found.gap):.4f}."
            if found.sign * found.gap > 0
            else "no better than the held-out value."
        ),
        _stability(found),
        *(sentence for one in found.plateaus for sentence in _flatness(one, found.search)),
    ]


def tuning_data(found: Tuning) -> dict[str, Any]:
    """The whole result, for JSON."""
    return {
        **_head(found),
        "search": found.search,
        "seed": found.seed,
        "alpha": found.alpha,
        "grid": {axis.name: list(axis.values) for axis in found.axes},
        "held_out": {"value": found.held_out.value, "per_query": _per_query(found, found.held_out)},
        "best": {"setting": found.best.setting, "value": found.best.value},
        "gap": found.gap,
        "default": found.default and found.default._asdict() | {"per_query": _per_query(found, found.default)},
        "gain": found.gain,
        "verdict": found.verdict,
        "folds": found.folds,
        "folds_that_choose_the_best": found.agreeing,
        "parameters": [
            {
                "name": one.name,
                "best": one.best,
                "as_good": one.near,
                "indistinguishable": one.alike,
                "at_end": one.at_end,
            }
            for one in found.plateaus
        ],
        "settings": [{"setting": trial.setting, "value": trial.value} for trial in found.trials],
        "remarks": tuning_sentences(found),
    }


def _head(found: Tuning | Ablation) -> dict[str, Any]:
    """The collection, the analysis, the model, the measure and the number of queries."""
    names = ("collection", "analyzer", "model", "measure")
    return {name: getattr(found, name) for name in names} | {"queries": len(found.query_ids)}


def _per_query(found: Tuning, trial: Trial) -> dict[str, float]:
    return dict(zip(found.query_ids, trial.per_query.tolist(), strict=True))


def _verdict(found: Tuning) -> list[str]:
    if found.gain is None:
        return []
    told = f"p {p_text(found.gain.p)}"
    if not found.verdict:
        return [f"On held-out queries, no difference from the model as given is shown ({told})."]
    return [f"On held-out queries, tuning is {found.verdict} than the model as given ({told})."]


def _stability(found: Tuning) -> str:
    n, best = len(found.folds), setting_text(found.best.setting)
    different = len({tuple(sorted(fold.setting.items())) for fold in found.folds})
    if found.agreeing == n:
        return f"All {n} folds choose the setting that is best on all queries: {best}."
    return (
        f"{found.agreeing or 'None'} of {n} folds {'chooses' if found.agreeing == 1 else 'choose'} the setting that is "
        f"best on all queries, {best}; the folds choose {different} different settings."
    )


def _flatness(one: Plateau, search: str) -> list[str]:
    """The shape of one axis around the best setting."""
    within = f"within {100 * TOLERANCE:g} % of the best"
    sentences = []
    if len(one.near) > 1 and search == "random":
        sentences.append(f"{one.name}: settings {within} have {_range(one, one.near)}.")
    elif len(one.near) == len(one.tried) > 1:
        sentences.append(f"{one.name} hardly matters: all values tried, {_range(one, one.tried)}, are {within}.")
    elif len(one.near) > 1 and one.ordered:
        first, last = value_text(one.near[0]), value_text(one.near[-1])
        sentences.append(f"{one.name}: any value from {first} to {last} is as good ({within}).")
    elif len(one.near) > 1:
        sentences.append(f"{one.name}: {_range(one, one.near)} are as good ({within}).")
    if one.at_end and len(one.near) < len(one.tried):
        sentences.append(
            f"{one.name}: the best, {value_text(one.best)}, is the {'first' if one.best == one.tried[0] else 'last'} "
            "value tried; a better one may lie beyond it."
        )
    return sentences


def _range(one: Plateau, values: Sequence[Value]) -> str:
    """Values in short: the ends of a range of numbers, or the texts themselves."""
    if one.ordered and len(values) > 1:
        return f"{value_text(values[0])} to {value_text(values[-1])}"
    texts = [value_text(value) for value in values]
    return ", ".join(texts) if len(texts) <= _MOST_NAMED else f"{len(texts)} of {len(one.tried)}"


def _chosen(name: str, folds: Sequence[Fold]) -> str:
    """The choices of the folds on one axis: each value with its number of folds, the most frequent first."""
    texts = [value_text(fold.setting[name]) for fold in folds]
    counts = sorted(dict.fromkeys(texts), key=lambda text: -texts.count(text))
    shown = [text if len(counts) == 1 else f"{text} ×{texts.count(text)}" for text in counts]
    return ", ".join(shown) if len(shown) <= _MOST_NAMED else f"{len(shown)} different"


def ablation_text(result: Ablation, width: int | None = None, wrap: int | None = None) -> str:
    """The full system and each switched one, then how each switch was made."""
    lines = [flowed(line, wrap, "- ", "  ") for line in switch_sentences(result)]
    return "\n".join([render(*ablation_table(result, "table"), width=width), "", *lines])


def switch_sentences(result: Ablation) -> list[str]:
    """How each switch was made."""
    return [
        f"{switch.variation}: {f'not possible: {switch.problem}' if switch.problem else switch.what}"
        for switch in result.switches
    ]


def ablation_about(result: Ablation) -> list[str]:
    """The setup, and how differences were tested."""
    tests = f"{result.test} test", f"{100 * (1 - result.alpha):g} % intervals", f"p corrected: {result.correction}"
    return [about(result, counted(len(result.query_ids), "query", "queries"), *tests)]


def ablation_table(result: Ablation, form: str) -> tuple[list[Column], list[list[Any]]]:
    """The full system, then one row per switched part."""
    columns = [Column("system"), Column("value", result.measure, "right", ".4f")]
    columns += difference_columns(result.alpha, form)
    rows: list[list[Any]] = [[f"full system ({result.model})", result.value, *difference_cells(None, None, 1.0, form)]]
    for switch in result.switches:
        value, difference = (None, None) if switch.test is None else (switch.after, switch.test.mean)
        rows.append([switch.variation, value, *difference_cells(difference, switch.test, switch.p, form)])
    return columns, rows


def ablation_data(result: Ablation) -> dict[str, Any]:
    """The whole result, for JSON."""
    return {
        **_head(result),
        "correction": result.correction,
        "alpha": result.alpha,
        "value": result.value,
        "per_query": dict(zip(result.query_ids, result.per_query.tolist(), strict=True)),
        "switches": [
            dict(zip(("ingredient", "to"), switch.variation.rsplit(" ", 1), strict=True))
            | {
                "how": switch.what,
                "value": switch.after,
                "difference": switch.test and switch.test.mean,
                "test": switch.test,
                "p": switch.p,
                "problem": switch.problem or None,
                "per_query": {query_id: after for query_id, (_, after) in switch.values.items()} or None,
            }
            for switch in result.switches
        ],
    }
