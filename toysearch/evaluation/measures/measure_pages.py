"""The measures as a list, and one of them explained."""

from __future__ import annotations

from toysearch.base import Column, Part, ResultTable, expect, table_columns
from toysearch.base.rendering import flowed
from toysearch.base.result import Page
from toysearch.evaluation.measures.measure import (
    MEASURES,
    PRESETS,
    defined_measure,
    measure_facts,
    measure_form,
    named_measure,
    parse_measures,
)

__all__ = ["describe_measures"]

_LABEL = 16  # columns of the longest label
_WHAT = Column("description", "what it is", wrap=True)


def describe_measures(name: str | None = None) -> Page:
    """List the measures, or explain one of them.

    Parameters
    ----------
    name : str, optional
        A measure, with or without cutoff and parameters, or its name in another tool (map, ndcg_cut_10, mrr); a
        function in a file (mine.py:useful); or a preset (official, beir, seeds), whose measures are listed. By default
        all measures are listed.

    Examples
    --------
    >>> describe_measures("map").data()["measure"]
    'AP'
    """
    if name is not None:
        expect(str, name=name)
    if name is None or name in PRESETS:
        measures = {measure_form(one): definition for one, definition in MEASURES.items()}
        if name is not None:
            measures = {one.text: one.definition for one in parse_measures(name)}
        rows = [(one, definition.family, definition.description) for one, definition in measures.items()]
        table = ResultTable(table_columns("measure", "family", _WHAT), rows)
        return Page([table], table)
    name = named_measure(name if "(" in name else name.replace(" ", "_"))
    definition = defined_measure(name)
    facts = measure_facts(name)
    parameters = [
        (key, parameter.shown_default, parameter.takes, parameter.description)
        for key, parameter in definition.parameters.items()
    ]
    table = ResultTable(table_columns("parameter", "default", "takes", _WHAT), parameters)
    listed = [dict(zip(("name", "default", "takes", "description"), row, strict=True)) for row in parameters]
    about = {"measure": name, "family": definition.family, "description": definition.description}
    data = about | facts | {"range": list(definition.range), "better": definition.better, "parameters": listed}

    def parts(width: int | None) -> list[Part]:
        indent = " " * (_LABEL + 2)
        labelled = [flowed(sentence, width, f"{label:{_LABEL}}  ", indent) for label, sentence in facts.items()]
        head = [measure_form(name), flowed(definition.description, width), "\n".join(labelled)]
        return [*head, *([table] if parameters else [])]

    return Page(parts, table, data)
