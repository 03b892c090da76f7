"""Make the tables of models in README.md and docs/look-up/models.md: python docs/make_models.py (a test compares)."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from toysearch.models.composed_models import COMPOSED, STAGES, WRAPPERS
from toysearch.models.model import Model, public_name, value_text
from toysearch.models.registry import MODELS

PAGES = [Path(__file__).parents[1] / "README.md", Path(__file__).parent / "look-up" / "models.md"]
TABLE = re.compile(r"(<!-- (families|wrappers|pipelines|models like ([^>]+)) -->\n\n).*?(\n<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """A page with its tables made anew: one row per family, or per model of the families of those that are named."""
    return TABLE.sub(lambda found: found[1] + _table(found[2], found[3]) + found[4], text)


def families() -> dict[str, list[Model]]:
    """The models by the module that defines them."""
    found: dict[str, list[Model]] = {}
    for model in MODELS.values():
        found.setdefault(model.function.__module__, []).append(model)
    return found


def _table(kind: str, named: str | None) -> str:
    if kind in ("wrappers", "pipelines"):
        wrappers = [COMPOSED[name] for name in (WRAPPERS if kind == "wrappers" else (">>", *STAGES))]
        rows = [
            (
                f"`{each.form}`",
                f"{each.summary} {each.formula}",
                " ".join(f"`{own.name}={own.default}`" for own in each.settings),
            )
            for each in wrappers
        ]
        return _rows(("model", "description", "defaults"), rows)
    if named is None:
        rows = [
            (", ".join(f"`{model.name}`" for model in models), _headline(name)) for name, models in families().items()
        ]
        return _rows(("models", "description"), rows)
    own = [models for models in families().values() if {model.name for model in models} & set(named.split())]
    return _rows(("model", "description", "defaults"), [_row(model) for models in own for model in models])


def _row(model: Model) -> tuple[str, str, str]:
    first, second, *_ = [*(inspect.getdoc(model) or "").split("\n\n"), ""]
    formula = "" if re.search(r"[.:]$|[a-z]{3}[.;] |^-|Parameters", second) else f" {second}"
    defaults = [f"{public_name(name)}={value_text(value)}" for name, value in model.defaults.items()]
    return f"`{model.name}`", " ".join(f"{first}{formula}".split()), " ".join(f"`{each}`" for each in defaults)


def _headline(module: str) -> str:
    return (sys.modules[module].__doc__ or "").partition("\n")[0]


def _rows(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
