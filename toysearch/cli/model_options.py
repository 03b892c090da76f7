"""The options that say how to rank: --model, --formula with --set, how deep, in how many threads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

import toysearch
from toysearch.cli.options import POSITIVE, TYPED, Decorator, keep_typed, option, together

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from toysearch.models.model import Model

DEFAULT = "bm25"


class _ModelType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    name = "MODEL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The model of a text: mostly the name of one."""
        return (toysearch.MODELS.get(value) or toysearch.model(value)) if isinstance(value, str) else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so; after them the shell's own paths."""
        return completions(toysearch.MODELS, incomplete)


MODEL = _ModelType()


def completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The names that go on from what was typed; after them the shell's own paths."""
    from click.shell_completion import CompletionItem

    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type="file")]


def typed_formulas() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was typed with --formula and --set."""
    meta = click.get_current_context().meta
    return meta[f"{TYPED}formulas"], meta[f"{TYPED}settings"]


def formula_models(formulas: Sequence[str], settings: Sequence[str]) -> list[Model]:
    """The models of --formula, each with those values of --set that it names."""
    values = _values(settings)
    if values and not formulas:
        raise click.UsageError("--set gives a name of a --formula its value; a model's own are written bm25:b=0.4")
    own = [{name: value for name, value in values.items() if name in names_in(formula)} for formula in formulas]
    for name in values:
        if not any(name in used for used in own):
            raise toysearch.ArgumentError(f"--set {name}: no formula has the name {name}")
    return [toysearch.formula(text, **used) for text, used in zip(formulas, own, strict=True)]


def _values(settings: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not (name and equals and value):
            raise toysearch.ArgumentError(f"--set '{setting}' is not of the form NAME=VALUE; an example: --set k=1.2")
        if name in values:
            raise toysearch.ArgumentError(f"--set gives {name} twice: {values[name]} and {value}")
        values[name] = value
    return values


def names_in(formula: str) -> set[str]:
    """The names that stand in a formula: statistics, functions, and the user's own."""
    return set(re.findall(r"[^\W\d]\w*", formula))


def _one(ctx: click.Context, parameter: click.Parameter, model: Any) -> Any:
    """The one model that --model or --formula names."""
    formulas = formula_models(*typed_formulas())
    if len(formulas) + (ctx.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.DEFAULT) > 1:
        raise click.UsageError("give one model, by --model or by --formula", ctx)
    return formulas[0] if formulas else model


def _all(ctx: click.Context, _: click.Parameter, models: Any) -> Any:
    """The models of --model, then those of --formula."""
    return (*models, *formula_models(*typed_formulas()))


def _formula_options(brief: str = "") -> Decorator:
    settings: dict[str, Any] = {"multiple": True, "is_eager": True, "expose_value": False, "callback": keep_typed}
    settings |= {"heading": "Ranking", "brief": brief}
    formula = 'Ranking model as a formula: "log(1+tf) * log(N/df)" (`toysearch docs models`).'
    return together(
        option("--formula", "formulas", metavar="FORMULA", help=formula, **settings),
        option("--set", "settings", metavar="NAME=VALUE", help="Value of a name of your own in --formula.", **settings),
    )


formula_options = _formula_options()
"""--formula and --set alone; `typed_formulas` has what was typed."""
optional_model = together(
    option("--model", type=MODEL, metavar="MODEL", callback=_one, heading="Ranking", help="Ranking model."),
    formula_options,
)
model_option = together(
    option(
        "--model",
        type=MODEL,
        metavar="MODEL",
        callback=_one,
        default=DEFAULT,
        heading="Ranking",
        help="Ranking model (`toysearch models`), with parameters as bm25:b=0.4; or FILE.py:FUNCTION.",
    ),
    formula_options,
)
"""--model, --formula and --set; the command gets one `Model` as ``model``."""
models_option = together(
    option(
        "--model",
        "models",
        type=MODEL,
        multiple=True,
        metavar="MODEL",
        callback=_all,
        heading="Ranking",
        help="Ranking model; repeat for several systems. Example: bm25:b=0.4",
    ),
    _formula_options("toysearch search"),
)
"""The same, to be repeated; the command gets all as ``models``, and none has no default."""


depth_option = option(
    "-k", type=POSITIVE, default=1000, heading="Ranking", help="Number of documents to rank per query."
)
optional_depth_option = option(
    "-k", type=POSITIVE, heading="Ranking", help="Number of documents to rank per query.  [default: 1000]"
)
"""The same for a command that may also take run files, which have a depth of their own."""
threads_option = option(
    "--threads",
    type=POSITIVE,
    heading="Ranking",
    help="Number of threads; results are the same.  [default: one per core]",
)
