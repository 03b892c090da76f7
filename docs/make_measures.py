"""Make docs/look-up/measures.md from the table of measures: python docs/make_measures.py (a test compares)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toysearch.evaluation.measures.measure import FAMILIES, MEASURES, PRESETS, measure_facts, measure_form

PAGE = Path(__file__).parent / "look-up" / "measures.md"
HEAD = """# Measures

Every measure that an evaluation knows; made by `docs/make_measures.py` from the table that the evaluation itself reads.
`toysearch measures` lists them, and `toysearch measures NAME` shows one. On which conventions they stand, and how
names are written, says [evaluation](../understand/evaluation.md).

In the formulas, r(i) is 1 where the document at rank i is relevant, else 0; R is the number of relevant documents in
the judgments, retrieved or not; gain(i) is what the document at rank i is worth; sums run over the ranks i = 1, 2, …
(to k, where there is a cutoff); S is the number of sub-topics to which a document is relevant.
TP, FP, FN and TN are the cells of the table of retrieved × relevant:

| | relevant | not relevant |
| --- | --- | --- |
| retrieved | TP | FP |
| not retrieved | FN | TN |

`[@k]` means that a cutoff can follow. A *perfect ranking* has all judged documents by falling grade at its top.

## A measure of your own

A function in a Python file is a measure too: `-m "AP mine.py:useful@10"`. Its parameters name what it takes for each
query: `grades` by rank down to the cutoff, `hits` (which of them are relevant), `judged`, `ideal` (all judged grades,
falling), `R` and `k`; or `joined`, for all queries at once. Those with a default are parameters of the measure, as in
`mine.py:useful(p=0.9)@10`. It returns a number, or what each rank adds, which `--explain` then shows:

```python
import numpy as np


def useful(grades, *, p=0.5):
    return (grades >= 2) * p ** np.arange(len(grades))
```

In Python, `@toysearch.measure` declares it by its name, and a list of measures may hold a function or a lambda.
"""


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_presets()) + "".join(part for family in FAMILIES for part in _family(family))


def _presets() -> Iterator[str]:
    yield "\n## Several at once\n\n"
    yield 'A name for several measures can stand wherever measures are listed, as in `-m "official ERR@20"`.\n\n'
    yield "| name | measures |\n| --- | --- |\n"
    for name, measures in PRESETS.items():
        yield f"| `{name}` | `{measures}` |\n"


def _family(family: str) -> Iterator[str]:
    names = [name for name, definition in MEASURES.items() if definition.family == family]
    yield f"\n## {FAMILIES[family]}\n\n| measure | what it is |\n| --- | --- |\n"
    for name in names:
        yield f"| [`{measure_form(name)}`](#{name.lower()}) | {_cell(MEASURES[name].description)} |\n"
    for name in names:
        yield from _measure(name)


def _measure(name: str) -> Iterator[str]:
    definition = MEASURES[name]
    yield f"\n### {name}\n\n`{measure_form(name)}`: {definition.description}.\n\n"
    for label, sentence in measure_facts(name).items():
        yield f"- {label}: {sentence}\n"
    if definition.parameters:
        yield "\n| parameter | default | takes | what it is |\n| --- | --- | --- | --- |\n"
    for key, parameter in definition.parameters.items():
        cells = (f"`{key}`", parameter.shown_default, parameter.takes, parameter.description)
        yield f"| {' | '.join(map(_cell, cells))} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
