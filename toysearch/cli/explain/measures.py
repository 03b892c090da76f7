"""`toysearch measures`: the measures, with the formula, parameters, range and source of each."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli import Command, emit, examples, output_options, paragraph
from toysearch.laboratory.results.tables import Column

_LABEL = 16  # columns of the longest label on a measure's page


@click.command(
    cls=Command, epilog=examples("toysearch measures", "toysearch measures nDCG", "toysearch measures map_cut_10")
)
@click.argument("name", required=False)
@output_options
def command(name: str | None, form: str) -> None:
    """List the measures, or explain one of them.

    NAME is a measure, with or without cutoff and parameters, or its name in another tool (map, ndcg_cut_10, mrr); or a
    preset (official, beir, seeds), whose measures are listed.
    """
    from toysearch.evaluation.measures.all_measures import PRESETS, measure_form
    from toysearch.evaluation.measures.measure import named_measure, parse_measures

    if name is None:
        rows = [
            (measure_form(measure_name), definition.family, definition.description)
            for measure_name, definition in toysearch.MEASURES.items()
        ]
        emit([Column("measure"), Column("family"), Column("description", "what it is", wrap=True)], rows, form)
    elif name in PRESETS:
        columns = [Column("measure"), Column("family"), Column("description", "what it is", wrap=True)]
        measures = parse_measures(name)
        emit(columns, [(str(one), one.definition.family, one.definition.description) for one in measures], form)
    else:
        _page(named_measure(name), form)


def _page(name: str, form: str) -> None:
    """The page of one measure."""
    from toysearch.evaluation.measures.all_measures import measure_facts, measure_form

    definition = toysearch.MEASURES[name]
    facts = measure_facts(name)
    parameters = [
        (key, parameter.shown_default, parameter.takes, parameter.description)
        for key, parameter in definition.parameters.items()
    ]
    columns = [Column("parameter"), Column("default"), Column("takes"), Column("description", "what it is", wrap=True)]
    if form != "table":
        listed = [dict(zip(("name", "default", "takes", "description"), row, strict=True)) for row in parameters]
        about = {"measure": name, "family": definition.family, "description": definition.description}
        data = about | facts | {"range": list(definition.range), "better": definition.better, "parameters": listed}
        emit(columns, parameters, form, data=data)
        return
    click.echo(f"{measure_form(name)}\n")
    click.echo(paragraph(definition.description) + "\n")
    for label, sentence in facts.items():
        click.echo(paragraph(sentence, " " * (_LABEL + 2), f"{label:{_LABEL}}  "))
    if parameters:
        click.echo()
        emit(columns, parameters, form)
