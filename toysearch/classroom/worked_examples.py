"""Published worked examples, recomputed: the printed value, the value by the usual definition, and our value."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import DataError, Document, Ranking, expect, unknown, without_notes
from toysearch.classroom.three_means import means
from toysearch.collection.catalog import bundled, described, load
from toysearch.evaluation import computable, parse_measures
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.typed_ranking import QUERY_ID, typed_ranking
from toysearch.evaluation.values_and_means import arithmetic
from toysearch.index import Index
from toysearch.models import ModelLike
from toysearch.models.similarity import similarity
from toysearch.retrieval import Searcher

__all__ = ["WorkedExample", "worked_examples"]

FOLDER = "worked-examples"
_CLOSE = 1e-6  # the standard values are given to six places

Stated = Mapping[str, Any]
"""What a source states, by key: an example, one of its values, or a slip."""


class ExampleNumber(NamedTuple):
    """Number of an example."""

    measure: str  # the computed measure
    case: str  # the query, ranking or numbers, if an example has several
    printed: str  # the value in the source, or the one that its formula gives; "" for none
    standard: float  # the value by the usual definition; NaN: it cannot be computed or is undefined
    ours: float  # the value computed here
    right: bool  # whether our value equals the standard value
    # whether the printed value equals the standard value, to the printed digits; None if no number is printed
    as_printed: bool | None
    slip: str  # in words, the slip that explains a different printed number
    by_slip: float | None  # the number computed with this slip; None if the slip is not a computation
    by_formula: bool  # whether the source prints no number here, only a formula

    @property
    def shown(self) -> str:
        """Return the printed value, with the mark of one that the source does not print."""
        return f"{self.printed} by its formula".strip() if self.by_formula else self.printed


class WorkedExample(NamedTuple):
    """Published example with its numbers recomputed."""

    example_id: str
    source: str
    what: str
    remark: str
    rows: list[ExampleNumber]


def worked_examples(letter: str | None = None, folder: Path | None = None) -> list[WorkedExample]:
    """Recompute the published examples.

    Parameters
    ----------
    letter : str, optional
        The source: A, B, …; all by default.
    folder : Path, optional
        The folder of the data; by default the data included in toysearch.

    Raises
    ------
    ArgumentError
        If there is no such source.
    DataError
        If an example has nothing to compute.

    Examples
    --------
    >>> example = worked_examples("A")[10]
    >>> example.what
    'the same, normalised: grades 2, 0, 1'
    >>> [(row.printed, row.standard, round(row.ours, 6), row.slip) for row in example.rows]
    [('0.55', 0.96394, 0.96394, 'ideal taken as (2,2,2)')]
    """
    files = {path.stem: path for path in sorted((folder or bundled(FOLDER)).glob("*.toml"))}
    chosen = [*files.values()]
    if letter is not None:
        expect(str, letter=letter)
        if letter.upper() not in files:
            raise unknown("source of examples", letter, files, "sources of examples")
        chosen = [files[letter.upper()]]
    with without_notes():  # the remarks replace the notes
        sources = [tomllib.loads(path.read_text(encoding="utf-8")) for path in chosen]
        return [
            WorkedExample(
                example["id"],
                data["source"],
                example["what"],
                example.get("remark", ""),
                [_number(example, value, data.get("formulas", False)) for value in example["value"]],
            )
            for data in sources
            for example in data["example"]
        ]


def _merged(given: Stated, more: Stated) -> dict[str, Any]:
    """Override the keys of an example by those of a value or of a slip."""
    return {**{key: value for key, value in given.items() if key != "value"}, **more}


def _number(example: Stated, value: Stated, formulas: bool) -> ExampleNumber:
    """Set a printed value beside ours; its case is the query, the ranking, the numbers and the relevant documents."""
    case = []
    if "query" in value:
        case.append("mean" if value["query"] == "mean" else f"query {value['query']}")
    for values in (value[key] for key in ("ranking", "numbers", "texts") if key in value):
        case.append(values if isinstance(values, str) else ", ".join(map(str, values)))
    if "relevant" in value:
        case.append(f"|R| = {value['relevant']}")
    entry = _merged(example, value)
    printed, standard = entry.get("printed", entry.get("formula", "")), float(entry["standard"])
    ours = _computed(entry)
    by_slip = _computed(_merged(entry, entry["slip"])) if "slip" in entry else None
    number = None if entry.get("unit") == "text" else printed
    is_right = (math.isnan(ours) and math.isnan(standard)) or abs(ours - standard) <= _CLOSE
    return ExampleNumber(
        entry["measure"],
        "; ".join(case),
        printed,
        standard,
        ours,
        is_right,
        reads_as(number, standard) if number else None,
        entry.get("why", ""),
        by_slip,
        formulas and "printed" not in entry,
    )


def reads_as(printed: str, value: float) -> bool:
    """True if a printed decimal is the value, cut or rounded; a whole number or a fraction must equal it."""
    if printed == "NaN" or math.isnan(value):
        return printed == "NaN" and math.isnan(value)
    if "." not in printed:
        return abs(float(Fraction(printed)) - value) <= _CLOSE
    digits = len(printed.partition(".")[2])
    return abs(float(printed) - value) < 10.0**-digits


def _computed(given: Stated) -> float:
    kinds: dict[str, Callable[[Stated], float]] = {
        "documents": _preferred,
        "texts": _similarity,
        "recipe": _expected,
        "numbers": _mean,
        "collection": _of_collection,
        "rankings": _of_rankings,
        "ranking": _of_ranking,
    }
    kind = next((key for key in kinds if key in given and (given[key] or key == "ranking")), None)
    if kind is None:
        raise DataError(f"example {given.get('id')} has nothing to compute; expected one of {', '.join(kinds)}")
    return kinds[kind](given)


def _of_ranking(given: Stated) -> float:
    """Compute a measure of one ranking; NaN if it needs the unknown number of relevant documents."""
    ranking = given["ranking"]
    if isinstance(ranking, Mapping):
        ranking = " ".join(sign for sign, times in ranking.items() for _ in range(times))
    (measure,) = parse_measures(given["measure"])
    if not ranking:  # nothing was retrieved
        judged = {QUERY_ID: {f"m{i}": 1.0 for i in range(given["relevant"])}}
        return evaluate({QUERY_ID: []}, judged, [measure], threshold=1.0).per_query[QUERY_ID][str(measure)]
    typed = typed_ranking(ranking, given.get("relevant"), given.get("judged"))
    threshold = given.get("threshold", 1.0)
    if not computable(typed, [measure], threshold)[measure]:
        return math.nan
    result = evaluate(typed.run, typed.qrels, [measure], threshold=threshold)
    return result.per_query[QUERY_ID][str(measure)]


def _of_rankings(given: Stated) -> float:
    rankings = given["rankings"]
    relevants = given.get("relevants", [None] * len(rankings))
    return arithmetic(
        [
            _of_ranking({"ranking": ranking, "relevant": relevant, "measure": given["measure"]})
            for ranking, relevant in zip(rankings, relevants, strict=True)
        ]
    )


def _of_collection(given: Stated) -> float:
    collection = load(given["collection"])
    run = bundled(given["collection"]) / "published.run"
    (measure,) = parse_measures(given["measure"])
    threshold = given.get("threshold", collection.threshold)
    result = evaluate(run, collection.qrels, [measure], threshold=threshold, undefined="nan")
    return result[measure] if given["query"] == "mean" else result.per_query[given["query"]][str(measure)]


def _mean(given: Stated) -> float:
    numbers = given["numbers"]
    if isinstance(numbers, str):
        first, last = map(int, numbers.split(".."))
        numbers = list(range(first, last + 1))
    all_means = means([float(Fraction(number)) for number in map(str, numbers)])
    return float(getattr(all_means, given["measure"]))


def _similarity(given: Stated) -> float:
    analyzer = Analyzer(tokens=given.get("tokens", "word2"))
    pair = similarity(*(set(analyzer(text)) for text in given["texts"]))
    return float(getattr(pair, given["measure"]))


_WORD = "match"
_OTHERS = 8  # documents without the word: under ln(N/df) a word in every document would have weight 0
_LENGTH = 100  # words in each of these documents


def ranking_of_lengths(model: ModelLike, documents: Sequence[tuple[int, int]]) -> Ranking:
    """Rank documents given as (length, term frequency) pairs, for a query of one word.

    >>> ranking_of_lengths("tfidf", [(5000, 10), (100, 5)])
    <Ranking of 2 documents: 1 25.9029, 2 12.9515>
    >>> ranking_of_lengths("bm25", [(5000, 10), (100, 5)])[0].doc_id
    '2'
    """
    # Every other word occurs once, in a single document. Eight documents of 100 words lack the query word.
    texts = [
        " ".join([_WORD] * matches + [f"word{i}of{number}" for i in range(words - matches)])
        for number, (words, matches) in enumerate(documents, 1)
    ]
    texts += [" ".join(f"other{i}of{number}" for i in range(_LENGTH)) for number in range(_OTHERS)]
    index = Index.build([Document(str(number), text) for number, text in enumerate(texts, 1)])
    return Searcher(index, model).search(_WORD, len(documents))


def _preferred(given: Stated) -> float:
    sizes = [(one["words"], one["matches"]) for one in given["documents"]]
    return float(ranking_of_lengths(given["measure"], sizes)[0].doc_id)


def _expected(given: Stated) -> float:
    return float(described(given["recipe"]).expected[given["measure"]])
