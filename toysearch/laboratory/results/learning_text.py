"""Features, what was learned from them, and the shares of a ranker, as text for people and data for programs."""

from __future__ import annotations

from typing import Any

from toysearch.base.wide_counts import count_each
from toysearch.base.wording import counted
from toysearch.laboratory.learning.feature_table import FeatureTable
from toysearch.laboratory.learning.ranker_training import Learning
from toysearch.laboratory.results.comparison_text import difference_cells, difference_columns, p_text
from toysearch.laboratory.results.tables import Column, flowed, render
from toysearch.models.ranker import Linear, Ranker, feature_meaning

_MOST_USED = 8  # features in the table
_ALIKE = "The ranker gives every document the same score: none of its trees has a branch, or all features are constant."


def learning_text(found: Learning, width: int | None = None, wrap: int | None = None) -> str:
    """The held-out and the optimistic value, the features used most, and the conclusions."""
    sentences = "\n".join(flowed(sentence, wrap, "- ", "  ") for sentence in learning_sentences(found))
    tables = [render(*table, width=width) for table in (learned_table(found, "table"), _used(found))]
    return "\n\n".join([*tables, sentences])


def learning_about(found: Learning) -> list[str]:
    """The setup in two lines."""
    n = counted(len(found.query_ids), "query", "queries")
    pool = ", ".join(f"the best {part.k} of {part.model}" for part in found.pool)
    return [
        " · ".join([found.collection, found.analyzer, n, found.learner, f"seed {found.seed}"]),
        f"pool: {pool}, {counted(found.rows, 'document')} in all; what else {found.pool[0].model} ranks follows in its "
        "order",
    ]


def learned_table(found: Learning, form: str) -> tuple[list[Column], list[list[Any]]]:
    """The held-out value, the optimistic one, and those of the first model of the pool."""
    model = found.pool[0].model
    columns = [Column("system"), Column("value", found.measure, "right", ".4f")]
    rows: list[list[Any]] = [
        [f"learned, held out ({len(found.folds)} folds)", found.held_out.value],
        ["learned, on the same queries", found.fitted.value],
        [model, found.baseline.value],
        [f"{model}, only the best {found.pool[0].k}", found.cut.value],
    ]
    if found.gain is None:
        return columns, rows
    rows[0] += difference_cells(found.gain.mean, found.gain, found.gain.p, form)
    rows[1] += difference_cells(found.fitted.value - found.baseline.value, None, 1.0, form)
    rows[2] += difference_cells(None, None, 1.0, form)
    rows[3] += difference_cells(found.cut.value - found.baseline.value, None, 1.0, form)
    return [*columns, *difference_columns(found.alpha, form)], rows


def learning_sentences(found: Learning) -> list[str]:
    """The conclusions, one sentence each."""
    model, gap = found.pool[0].model, found.sign * (found.fitted.value - found.held_out.value)
    fitted = f"On its training queries the ranker scores {found.fitted.value:.4f}"
    return [
        *_verdict(found, model),
        fitted + (f", {gap:.4f} too high." if gap > 0 else ", no better than the held-out value."),
        *([] if any(use.share for use in found.uses) else [_ALIKE]),
        _grouping(found),
    ]


def learning_data(found: Learning) -> dict[str, Any]:
    """The whole result, for JSON."""

    def scored(name: str) -> dict[str, Any]:
        own = getattr(found, name)
        return {"value": own.value, "per_query": dict(zip(found.query_ids, own.per_query.tolist(), strict=True))}

    return {
        **{name: getattr(found, name) for name in ("collection", "analyzer", "learner", "measure")},
        "queries": len(found.query_ids),
        "rows": found.rows,
        "pool": [part._asdict() for part in found.pool],
        "seed": found.seed,
        "alpha": found.alpha,
        **{name: scored(name) for name in ("held_out", "fitted", "baseline", "cut")},
        "gain": found.gain,
        "verdict": found.verdict,
        "groups": [list(group) for group in found.groups],
        "folds": found.folds,
        "features": [use._asdict() for use in found.uses],
        "remarks": learning_sentences(found),
    }


def _used(found: Learning) -> tuple[list[Column], list[list[Any]]]:
    """The features with the largest shares."""
    total = sum(use.share for use in found.uses) or 1.0
    columns = [
        Column("feature"),
        Column("share", "mean share", "right", ".4f"),
        Column("part", "of all", "right", ".0%"),
    ]
    rows: list[list[Any]] = [[use.feature, use.share, use.share / total] for use in found.uses[:_MOST_USED]]
    rest = found.uses[_MOST_USED:]
    if rest:
        others = sum(use.share for use in rest)
        rows.append([f"… {counted(len(rest), 'more feature')}", others, others / total])
    return columns, rows


def _verdict(found: Learning, model: str) -> list[str]:
    if found.gain is None:
        return []
    told = f"p {p_text(found.gain.p)}"
    if not found.verdict:
        return [f"On held-out queries, no difference from {model} is shown ({told})."]
    return [f"On held-out queries, the learned ranking is {found.verdict} than {model} ({told})."]


def _grouping(found: Learning) -> str:
    if not found.groups:
        return "No two queries are near duplicates."
    n = sum(map(len, found.groups))
    groups = counted(len(found.groups), "group")
    return f"{n} near-duplicate queries form {groups}, each of them in one fold."


def features_table(found: FeatureTable) -> tuple[list[Column], list[list[Any]]]:
    """The features with their numbers, meanings and ranges over all rows."""
    ends = [Column(name, "", "right", ".4f") for name in ("lowest", "mean", "highest")]
    columns = [Column("number", "", "right"), Column("feature"), *ends, Column("meaning")]
    rows: list[list[Any]] = []
    for number, (name, values) in enumerate(zip(found.names, found.values.T, strict=True), 1):
        cells = [float(each) for each in (values.min(), values.mean(), values.max())] if len(values) else [None] * 3
        rows.append([number, name, *cells, feature_meaning(name)])
    return columns, rows


def ranker_table(found: Ranker) -> tuple[list[Column], list[list[Any]]]:
    """The features of a ranker; of a weighted sum with weights, of trees with the number of branches."""
    columns = [Column("feature")]
    if isinstance(found.function, Linear):
        columns += [Column(name, "", "right", ".6g") for name in ("weight", "mean", "deviation")]
        arrays = (found.function.weights, found.function.means, found.function.scales)
        numbers = [*zip(*(array.tolist() for array in arrays), strict=True)]
    else:
        columns.append(Column("branches", "", "right", ","))
        counts = count_each(found.function.nodes["feature"] + 1, minlength=len(found.features) + 1)[1:]
        numbers = [(count,) for count in counts.tolist()]
    columns.append(Column("meaning"))
    pairs = zip(found.features, numbers, strict=True)
    return columns, [[feature, *own, feature_meaning(feature)] for feature, own in pairs]


def ranker_about(found: Ranker) -> str:
    """The learner and the pool of a ranker, in a line."""
    return f"{found.learner} · pool {', '.join(map(str, found.pool))}"


def feature_rows(found: FeatureTable) -> tuple[list[Column], list[list[Any]]]:
    """One row per document: the ids, the grade, the features."""
    numbers = [Column(name, "", "right", ".4f") for name in found.names]
    columns = [Column("query_id"), Column("doc_id"), Column("grade", "", "right", "g"), *numbers]
    return columns, [[query_id, doc_id, grade, *values] for query_id, doc_id, grade, values in found.rows]
