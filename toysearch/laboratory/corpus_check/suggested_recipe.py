"""A collection.toml with the cures of findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toysearch.laboratory.corpus_check.finding import Finding

_MAPPING = "graded"


def collection_toml(findings: Iterable[Finding]) -> str:
    """The lines of a collection.toml that the findings ask for, "" where none does.

    >>> print(collection_toml([Finding("warning", "", settings={"number": "place", "text": ["W"]})]))
    number = "place"
    text = ["W"]
    """
    settings: dict[str, Any] = {}
    for finding in findings:
        for key, value in finding.settings.items():
            settings.setdefault(key, value)
    odd = settings.pop("odd", [])
    gains = settings.pop("gains", None)
    lines = [f"{key} = {_value(value)}" for key, value in settings.items()]
    if gains:
        lines += [f'default_grades = "{_MAPPING}"', "", *_mapping(gains, odd)]
    return "\n".join(lines)


def _mapping(gains: Mapping[float, float], odd: Sequence[float]) -> list[str]:
    """A grade mapping, in which each odd code may be read in three ways."""
    regular = {code: gain for code, gain in gains.items() if code not in odd}
    lines = [f"[grades.{_MAPPING}]", f"gains = {_table(regular)}"]
    best = max(gains.values())
    for code in odd:
        name = f"{'minus' if code < 0 else 'code'}{abs(code):g}".replace(".", "_")
        lines += ["", f"[grades.{_MAPPING}.options.{name}]", 'default = "nonrelevant"']
        readings = (("nonrelevant", "0"), ("removed", '"removed"'), ("relevant", f"{best:g}"))
        lines += [f"values.{reading} = {{ {_key(code)} = {gain} }}" for reading, gain in readings]
    return lines


def _table(gains: Mapping[float, float]) -> str:
    return f"{{ {', '.join(f'{_key(code)} = {gain:g}' for code, gain in gains.items())} }}"


def _key(code: float) -> str:
    """A code as a key of TOML, which a full stop would cut in two."""
    return f"{code:g}" if code == int(code) and abs(code) < 1e6 else f'"{code!r}"'


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, list) else f"{value:g}"
