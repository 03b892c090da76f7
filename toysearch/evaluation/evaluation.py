"""What an evaluation gives: the value of each measure for each query, and their means."""

from __future__ import annotations

import math
from dataclasses import dataclass

from toysearch.errors import ArgumentError
from toysearch.evaluation.measure import Measure
from toysearch.formats.lines import counted


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The values of measures for a run. ``result["AP"]`` is a mean, ``result.per_query["12"]["AP"]`` a value.

    Attributes
    ----------
    name : str
        The run's name.
    measures : tuple of Measure
        What was computed.
    per_query : dict of str to dict of str to float
        Query_id → measure's text form → value, in the order of the judgments. NaN where undefined.
    threshold : float
        The grade from which on a document counted as relevant, where a measure has no ``rel``.
    ties : {"rank", "trec_eval"}
        How equal scores were ordered.
    undefined : {"zero", "nan"}
        What a query without relevant documents counts as.
    only_retrieved : bool
        Whether queries for which nothing was retrieved were left out.
    missing : tuple of str
        Judged queries for which the run has no document.
    without_relevant : tuple of str
        Queries of `per_query` without a document of the threshold or above.
    unjudged : tuple of str
        Queries of the run without a judgment, which are left out.
    """

    name: str
    measures: tuple[Measure, ...]
    per_query: dict[str, dict[str, float]]
    threshold: float
    ties: str
    undefined: str
    only_retrieved: bool
    missing: tuple[str, ...]
    without_relevant: tuple[str, ...]
    unjudged: tuple[str, ...]

    @property
    def n_queries(self) -> int:
        """How many queries were evaluated."""
        return len(self.per_query)

    @property
    def means(self) -> dict[str, float]:
        """Measure's text form → its value for all queries: the mean (the sum for the Num… counts), without NaN."""
        return {str(measure): self[measure] for measure in self.measures}

    def __getitem__(self, measure: str | Measure) -> float:
        name = self._name(measure)
        values = [value for value in (row[name] for row in self.per_query.values()) if not math.isnan(value)]
        # fsum rounds once: the mean does not depend on the order of the queries.
        total = math.fsum(values)
        if Measure.parse(name).definition.aggregate == "sum":
            return total
        return total / len(values) if values else math.nan

    def worst(self, measure: str | Measure | None = None, n: int | None = None) -> list[tuple[str, float]]:
        """The queries with their values, poorest first; equal ones in the order of the judgments.

        Parameters
        ----------
        measure : str or Measure, optional
            One of `measures`; the first by default.
        n : int, optional
            How many; all by default.

        Returns
        -------
        list of (str, float)
            Query_id and value; queries for which the measure is undefined are left out.
        """
        name = self._name(self.measures[0] if measure is None else measure)
        values = [(query_id, row[name]) for query_id, row in self.per_query.items()]
        return sorted((pair for pair in values if not math.isnan(pair[1])), key=lambda pair: pair[1])[:n]

    @property
    def remarks(self) -> list[str]:
        """A sentence for each kind of query that does not count like the others; none is dropped silently."""
        judged = self.n_queries + (len(self.missing) if self.only_retrieved else 0)
        as_missing = "left out" if self.only_retrieved else "counted as 0"
        as_undefined = "undefined and left out of the mean" if self.undefined == "nan" else "0"
        sentences = (
            (self.missing, "judged ", f"of {judged} missing from the run, {as_missing}"),
            (
                self.without_relevant,
                "",
                f"of {self.n_queries} without a document of grade {self.threshold:g} or above; "
                f"measures that need one are {as_undefined}",
            ),
            (self.unjudged, "", "of the run without judgments, left out"),
        )
        return [
            f"{counted(len(ids), f'{kind}query', f'{kind}queries')} {text}: {_some(ids)}"
            for ids, kind, text in sentences
            if ids
        ]

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.means.items())
        return f"<Evaluation of '{self.name}' on {counted(self.n_queries, 'query', 'queries')}: {means}>"

    def _name(self, measure: str | Measure) -> str:
        name = str(measure if isinstance(measure, Measure) else Measure.parse(measure))
        if name not in map(str, self.measures):
            raise ArgumentError(f"{name} was not evaluated; there are {', '.join(map(str, self.measures))}")
        return name


def _some(ids: tuple[str, ...], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", …" if len(ids) > most else "")
