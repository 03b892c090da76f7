"""`toysearch models` and `measures`: what ranks and what scores, listed and explained."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

import toysearch
import toysearch.models
import toysearch.study
from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    ResultTable,
    Sentences,
    number_columns,
    table_columns,
    typed_line,
)
from toysearch.base.result import Page
from toysearch.cli.commands import command, kept_value
from toysearch.cli.options import (
    MODEL,
    Read,
    description,
    formula_models,
    formula_options,
    option,
    output_options,
    refuse_if,
)
from toysearch.cli.output import emit, paragraph, show
from toysearch.evaluation.measures.measure_pages import describe_measures
from toysearch.models import COMBINED, VARIANTS, calls_in, tree_rows
from toysearch.models.calls import CALLS, Call
from toysearch.rings import ring

if TYPE_CHECKING:
    from toysearch.models.model import Model


_ROOM = 60  # characters for the names of all models together


def print_curves(asked: Sequence[Any], along: str, at: str | None, form: str) -> None:
    """Print the scores of a query of one term under several models, at several values of one statistic."""
    refuse_if(not asked, "--curve needs the NAME of a model, or a --formula")
    fixed: dict[str, float] = {}
    for part in at.split(",") if at else []:
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name in fixed:
            raise ArgumentError(f"--at gives {name} twice: {fixed[name]:g} and {value}")
        try:
            fixed[name] = float(value)
        except ValueError:
            raise ArgumentError(f"--at: '{part}' is not of the form NAME=VALUE; an example: dl=100,N=1000") from None
    for model in asked:
        if model.single is None:
            raise ArgumentError(f"'{model}' adds scores and has no weight itself; name its models separately")
        if along == "dl" and model.similarity.name != "dot":
            raise ArgumentError(
                f"{model} compares the query with whole documents: its score depends on dl, but its weight of a single "
                "term does not; choose tf or df"
            )
    models = [model.single for model in {str(model): model for model in asked}.values()]
    constants = {name for model in models for name in model.statistics} - set(toysearch.models.STATISTICS)
    curves = {}
    for model in models:  # --at without the constants and fields of other models
        at_model = {name: value for name, value in fixed.items() if name in model.statistics or name not in constants}
        curves[str(model)] = toysearch.weight_curve(model, along, at_model)
    names = {name: name for name in curves}
    if form == "table":  # which has no room for long names
        room = _ROOM // len(curves)
        names = {name: name if len(name) <= room else f"({number})" for number, name in enumerate(curves, 1)}
    values = [value.item() for value in next(iter(curves.values())).values]
    weights = {name: curve.weights.tolist() for name, curve in curves.items()}
    together = {name: value for curve in curves.values() for name, value in curve.fixed.items()}
    scores = {name: curve.scores.tolist() for name, curve in curves.items()}
    series = {names[name]: (values, of_model) for name, of_model in scores.items()}
    whole = [name for name in curves if scores[name] != weights[name]]
    plot = (
        toysearch.study.text_plot(series, x_label=along, y_label="score" if whole else "weight", log_x=along != "tf")
        if form == "table"
        else ""
    )
    columns = table_columns(
        number_columns(".10g", along), [Column(name, "", "right", ".4f") for name in names.values()]
    )
    rows = [[x, *row] for x, row in zip(values, zip(*scores.values(), strict=True), strict=True)]
    shortened = [f"{short} {name}" for name, short in names.items() if name != short]
    added = [f"{name}: the weight, with what the model adds per match and per document" for name in whole]
    legend = "\n".join([*shortened, *added])
    table = ResultTable(columns, rows, caption=legend)
    at_values = ", ".join(f"{name}={value:g}" for name, value in together.items())
    data = {"along": along, "at": together, "values": values, "weights": weights, "scores": scores}
    show(Page([table, plot, paragraph(at_values and f"at {at_values}")], table, data), form)


_MODEL_OR_CALL = Read(lambda text: CALLS.get(text.lower()) or MODEL.read(text), "MODEL")


@command(
    "toysearch models",
    "toysearch models bm25",
    "toysearch models rm3",
    "toysearch models mine.py:rank",
    "toysearch models bm25 tfidf --curve tf --at df=10,N=1000",
    'toysearch models --formula "tf/(tf+k) * log(N/df)" --set k=1.2 --curve df',
)
@click.argument("models", nargs=-1, type=_MODEL_OR_CALL, metavar="[NAME]...")
@option("--curve", "along", type=click.Choice(["tf", "dl", "df"]), help="Show how the weight changes with a statistic.")
@option("--at", metavar="NAME=VALUE,…", help="With --curve: values of the other statistics, such as dl=100,N=1000.")
@formula_options
@output_options
def models_command(models: tuple[Any, ...], along: str | None, at: str | None, form: str) -> None:
    """List the ranking models, explain one, or show how weights move.

    NAME is a model with or without parameters, a mixture such as "0.7*bm25 + 0.3*tfidf", or a function of your own as
    FILE.py:FUNCTION. With --curve there may be several.
    """
    models = (*models, *formula_models(kept_value("formulas"), kept_value("settings")))
    refuse_if(at is not None and along is None, "--at gives the other statistics of a --curve; give --curve too")
    if along is not None:
        print_curves(models, along, at, form)
    elif not models:
        between = ", " if form == "table" else ","  # with a blank, a terminal can break the line there
        rows = []
        for name, model in toysearch.MODELS.items():
            if name not in VARIANTS:
                parameters = [f"{public}={_value(value)}" for _, public, value, _ in model.describe_parameters()]
                also = "".join(f" Also {other}." for other, base in VARIANTS.items() if base == name)
                rows.append((name, between.join(parameters), _summary(model) + also))
        rows += [(entry.form, entry.defaults.replace(", ", between), entry.summary) for entry in CALLS.values()]
        rows += [(form, "", summary) for form, summary in COMBINED.items()]
        emit(table_columns("model", Column("parameters", wrap=True), Column("formula", wrap=True)), rows, form)
    else:
        refuse_if(len(models) > 1, "only one model can be explained at a time; several need --curve")
        _print_one(models[0], form)


def _print_one(model: Any, form: str) -> None:
    if isinstance(model, Call):
        table, parts, page = _call_page(model, {})
        show(Page(parts, table, page), form)
        return
    if model.is_learned:
        _, learned = model.values
        about = f"{learned.learner} · pool {', '.join(map(str, learned.pool))}"
        emit(*_ranker_table(learned), form, title=f"{model}\n", caption=about)
        return
    if model.single is None:
        tree = ResultTable(_TREE, [*tree_rows(model)])
        pages = [_call_page(call, settings) for call, settings in calls_in(model)]
        nodes = [dict(zip(("depth", "part", "parameters", "what"), row, strict=True)) for row in tree.rows]
        data: dict[str, Any] = {"model": str(model), "tree": nodes, "calls": [page for _, _, page in pages]}
        show(Page([str(model), tree, *(part for _, parts, _ in pages for part in parts)], tree, data), form)
        return
    parameters = [
        {"name": public, "value": value, "default": model.defaults[python_name], "range": span}
        for python_name, public, value, span in model.describe_parameters()
    ]
    data = {
        "model": str(model),
        "doc": inspect.getdoc(model) or "",
        "statistics": {name: toysearch.models.describe_statistic(name) for name in model.statistics},
        "parameters": parameters,
        "similarity": model.similarity.formula,
        "code": _code(model),
    }
    columns = table_columns("name", "value", "default", "range")
    table = ResultTable(columns, [list(parameter.values()) for parameter in parameters])
    show(Page(_parts(model, data), table, data), form)


_TREE = table_columns(number_columns("", "depth"), [Column(name, wrap=True) for name in ("part", "parameters", "what")])


def _call_page(about: Call, values: dict[str, Any]) -> tuple[ResultTable, list[Part], dict[str, Any]]:
    columns = table_columns("name", "value", "default", "range")
    parameters = about.parameters(values)
    table = ResultTable(columns, [list(row.values()) for row in parameters], _PARAMETERS)
    page = {"model": about.form, "doc": about.summary, "formula": about.formula}
    parts: list[Part] = [about.form, paragraph(about.summary), paragraph(about.formula)]
    parts += [table] if about.settings else []
    example = paragraph(f"Example: --model {typed_line(about.example)}")
    parts.append(f"{paragraph(f'Source: {about.source}')}\n{example}")
    return table, parts, page | {"parameters": parameters, "source": about.source, "example": about.example}


_PARAMETERS = "Parameters and their ranges\n---------------------------"


def _parts(model: Model, data: dict[str, Any]) -> list[Part]:
    # The examples of the docstring are for Python; those of the command are in its --help.
    doc = data["doc"].partition("\nExamples\n--------\n")[0].rstrip()
    parts = [data["model"], _reflowed(doc) if doc else "(its function has no docstring)"]
    if data["parameters"]:
        rows = [(p["name"], _value(p["value"]), _value(p["default"]), p["range"]) for p in data["parameters"]]
        columns = table_columns("name", "value", "default", Column("range", wrap=True))
        parts.append(ResultTable(columns, rows, _PARAMETERS))
    hooks = model.hooks.items()
    lines = [f"{hook}: {_summary(function) or inspect.signature(function)}" for hook, function in hooks]
    if lines:
        parts.append(Sentences(lines, " ", "    ", "Besides the weight\n------------------"))
    if model.similarity.name != "dot":
        becomes = f"The sum s becomes the score by {model.similarity.name}: {model.similarity.formula}"
        parts.append(paragraph(becomes))
    return [*parts, f"Code\n----\n{data['code']}"]


def _reflowed(doc: str) -> str:
    """Wrap the paragraphs of a numpydoc docstring anew; headings, parameters and references keep their lines."""
    lines = [*doc.splitlines(), ""]
    paragraphs: list[tuple[str, str]] = []
    open_ended, listing = False, False  # whether the next line may continue this one; whether lines are entries
    for line, following in pairwise(lines):
        text = line.strip()
        indent, deeper = _indent(line), len(_indent(following)) > len(_indent(line))
        heads = deeper or set(following) == {"-"} or set(line) == {"-"}
        listing = (listing or line == "References") and bool(text)
        if open_ended and text and not heads and paragraphs[-1][0] == indent:
            paragraphs[-1] = indent, f"{paragraphs[-1][1]} {text}"
        else:
            paragraphs.append((indent, text))
        open_ended = bool(text) and not heads and not (listing and text.endswith("."))
    return "\n".join(paragraph(text, indent) for indent, text in paragraphs)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _value(value: object) -> str:
    """Format the value of a parameter; empty without a default (NaN)."""
    return "none" if value is None or value != value else str(value).removesuffix(".0")


def _summary(model: Any) -> str:
    return (inspect.getdoc(model) or "").partition("\n")[0]


def _code(model: Model) -> str:
    """Lines of the function of a model after its docstring: the formula as computed."""
    if hasattr(model.function, "parts"):
        return model.name.partition(":")[2]  # a formula typed by hand is its own code
    try:
        source = inspect.getsource(model.function)
    except (OSError, TypeError):
        return "(the source code is not available)"
    return "\n".join(line for line in _without_docstring(textwrap.dedent(source)) if line.strip())


def _without_docstring(source: str) -> list[str]:
    lines = source.splitlines()
    try:
        function = ast.parse(source).body[0]
    except SyntaxError:  # a lambda inside an expression: its lines are no whole statement
        return lines
    if not isinstance(function, ast.FunctionDef) or ast.get_docstring(function) is None or len(function.body) < 2:
        return lines
    doc, following = function.body[:2]
    if function.lineno < doc.lineno and (last := doc.end_lineno or doc.lineno) < following.lineno:
        del lines[doc.lineno - 1 : last]
    return lines


def _ranker_table(ranker: Any) -> tuple[list[Column], list[list[Any]]]:
    learned, columns = ring("learned models"), [Column("feature")]
    if isinstance(ranker.function, learned.Linear):
        columns += number_columns(".6g", "weight", "mean", "deviation")
        arrays = (ranker.function.weights, ranker.function.means, ranker.function.scales)
        numbers = [*zip(*(array.tolist() for array in arrays), strict=True)]
    else:
        columns += number_columns(".4f", "share")
        shares = ranker.function.shares(ranker.function.features)
        numbers = [(share,) for share in abs(shares).mean(0).tolist()]
    columns.append(Column("meaning"))
    pairs = zip(ranker.features, numbers, strict=True)
    return columns, [[feature, *row, learned.feature_meaning(feature, toysearch.model)] for feature, row in pairs]


_NAMES = """NAME is a measure, with or without cutoff and parameters, or its name in another tool (map, ndcg_cut_10,
mrr); a function in a file (mine.py:useful); or a preset (official, beir, seeds), whose measures are listed."""


@command(
    "toysearch measures",
    "toysearch measures nDCG",
    "toysearch measures map_cut_10",
    text=description(describe_measures, _NAMES),
)
@click.argument("name", required=False)
@output_options
def measures_command(name: str | None, form: str) -> None:
    """List the measures, or explain the one that is named."""
    show(describe_measures(name), form)
