"""The diagnosis of a collection: what all checks find, and a collection.toml that cures it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toysearch import display
from toysearch.arguments import checked
from toysearch.errors import without_notes
from toysearch.laboratory.corpus_check import (
    document_checks,
    judgment_checks,
    query_checks,
)
from toysearch.laboratory.corpus_check.raw_collection import (
    ERROR,
    INFO,
    LEVELS,
    MOST_ROWS,
    WARNING,
    Finding,
    Material,
    gather,
)

__all__ = ["Diagnosis", "diagnose"]

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


class Check(NamedTuple):
    """A check: its name, the question that it answers, and the function that finds what is wrong."""

    name: str
    question: str
    find: Callable[[Material], Iterator[Finding]]


def refused(material: Material) -> Iterator[Finding]:
    """What readers say of files that they cannot read."""
    damaged = [scan.damage for scan in material.scans if scan.damage]
    wide = tuple(f"{scan.path} " for scan in material.scans if scan.wide)  # told by the check of the encoding
    for sentence in dict.fromkeys([*damaged, *material.refused]):
        if wide and sentence.startswith(wide):
            continue
        cure = "Mend the file; what could not be read was not checked."
        if not material.recipe.files and not damaged:
            how = "--input-format, --columns, or a collection.toml (see `toysearch docs collections`)"
            cure = f"Say what its files are: {how}."
        yield Finding(ERROR, sentence, cure=cure)
    for path, rows in material.recipe.rejected.of_files().items() if material.recipe.rejected else ():
        line, why = rows[0]
        many = f"{path}: {len(rows)} records cannot be read or have the id of another"
        yield Finding(
            INFO if material.recipe.on_error == "skip" else ERROR,
            many if len(rows) > 1 else f"{path}:{line}: {why}",
            [{"line": line, "why": why} for line, why in rows[:MOST_ROWS]] if len(rows) > 1 else (),
            "Mend the file; or leave them out with --on-error skip, and choose among records of one id with --ids.",
        )


def changed(material: Material) -> Iterator[Finding]:
    """Findings on files that are not the ones that a recipe describes."""
    for path in material.changed:
        yield Finding(
            WARNING,
            f"{path} is not the file that the recipe of '{material.recipe.name}' describes: its checksum differs",
            cure="Figures may differ from published ones. Another edition, or an edited copy?",
        )


CHECKS = (
    Check("readable", "Can every file be read?", refused),
    Check("checksums", "Are the files those that the recipe describes?", changed),
    Check("encoding", "Is every file UTF-8, not UTF-16?", document_checks.wide_files),
    Check(
        "byte order mark", "Does a file begin with a mark that others take for text?", document_checks.byte_order_marks
    ),
    Check("line ends", "Do lines end with LF?", document_checks.line_ends),
    Check("bytes", "Are there bytes that are no text?", document_checks.bad_bytes),
    Check("characters", "Were texts read in a wrong encoding before?", document_checks.garbled_texts),
    Check("ids", "Do ids sort as they look?", document_checks.numbers_as_ids),
    Check("empty documents", "Has every document text?", document_checks.empty_documents),
    Check("short documents", "Is every document more than a word or two?", document_checks.short_documents),
    Check("long documents", "Is a document far longer than all others?", document_checks.long_documents),
    Check("equal documents", "Does a text stand under two ids?", document_checks.equal_documents),
    Check("repeated titles", "Is the title counted twice?", document_checks.repeated_titles),
    Check("numeric fields", "Is every field text?", document_checks.numeric_fields),
    Check("stray markers", "Do marker lines stand inside texts?", document_checks.stray_markers),
    Check("query numbers", "Do judgments name queries by id or by place?", query_checks.numbering),
    Check("judged queries", "Has every judged query a text?", query_checks.unknown_queries),
    Check("empty queries", "Can something be found for every query?", query_checks.empty_queries),
    Check("unjudged queries", "Is every query judged?", query_checks.unjudged_queries),
    Check("equal queries", "Does a query stand under two ids?", query_checks.equal_queries),
    Check("fit", "Do judgments fit their queries better than others?", query_checks.unrelated_judgments),
    Check("columns", "Do the judgments have grades at all?", judgment_checks.constant_columns),
    Check("pairs", "Is every pair judged once?", judgment_checks.pairs_twice),
    Check("judged documents", "Is every judged document there?", judgment_checks.missing_documents),
    Check("nothing relevant", "Has every judged query something relevant?", judgment_checks.nothing_relevant),
    Check("direction", "Are better grades ranked higher?", judgment_checks.direction),
    Check("odd judgments", "Has every query one judgment of another kind?", judgment_checks.odd_judgments),
    Check("lowest grade", "Does the lowest grade mean relevant?", judgment_checks.lowest_grade),
    Check("one grade", "Do grades differ, and is one above 0?", judgment_checks.one_grade),
    Check("fractions", "Do fractions of 1 count as relevant?", judgment_checks.fractions),
)
"""All checks, in the order in which their findings are told."""


@dataclass(frozen=True)
class Diagnosis:
    """What the checks of a collection found.

    Attributes
    ----------
    name : str
        The collection.
    counts : dict of str to int
        How many documents, queries, judgments and judged queries were read.
    findings : tuple of Finding
        The errors, then the warnings, then what is only noted; in the order of `CHECKS`.
    toml : str
        A collection.toml with the cures that one can hold, "" if there is none.
    checks : int
        How many checks were made.
    """

    __str__ = display.text
    _repr_html_ = display.html
    frame = display.frame

    name: str
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    toml: str
    checks: int = len(CHECKS)

    def of_level(self, level: str) -> list[Finding]:
        """The findings of one level.

        Parameters
        ----------
        level : str
            ``error``, ``warning`` or ``info``.
        """
        return [finding for finding in self.findings if finding.level == level]

    @property
    def healthy(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(finding.level == INFO for finding in self.findings)

    def __repr__(self) -> str:
        told = ", ".join(f"{len(self.of_level(level))} {level}" for level in LEVELS)
        return f"<Diagnosis of {self.name}: {told}>"


@checked
def diagnose(
    source: str | os.PathLike[str],
    *,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    input_format: str | None = None,
    columns: str | Mapping[str, str] | None = None,
    query_fields: str | Sequence[str] | None = None,
    query_columns: str | Mapping[str, str] | None = None,
    qrels_columns: str | Mapping[str, str] | None = None,
    ids: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Diagnosis:
    """What is wrong with a collection, as far as its files show it: each finding with its evidence and its cure.

    A file that cannot be read is a finding too. What a warning says of a named collection is only noted, as long as
    its files are, by their checksums, the ones that its recipe describes: then somebody knows.

    Parameters
    ----------
    source : str or path
        A name, a folder or a file, as for `toysearch.load`.
    grades : str, optional
        The grade mapping to look through; by default the collection's own.
    fields, input_format, columns, query_fields, query_columns, qrels_columns, ids
        Which fields are searched and searched with, the format, and which columns play which part, as for
        `toysearch.load`.
    progress : callable, optional
        Called now and then with the number of documents read.

    Raises
    ------
    ArgumentError
        If there is no such collection, mapping, format or field.
    DataError
        If there is no such folder or file, or the files of a named collection are missing.

    Examples
    --------
    >>> diagnosis = diagnose("cat-dog-parrot")
    >>> diagnosis, diagnosis.healthy
    (<Diagnosis of cat-dog-parrot: 0 error, 0 warning, 0 info>, True)
    """
    with without_notes():  # what readers note are findings here
        material = gather(
            source,
            grades=grades,
            fields=fields,
            input_format=input_format,
            columns=columns,
            query_fields=query_fields,
            query_columns=query_columns,
            qrels_columns=qrels_columns,
            ids=ids,
            progress=progress,
        )
        found = [finding._replace(check=check.name) for check in CHECKS for finding in check.find(material)]
    if material.vouched:
        found = [finding._replace(level=INFO) if finding.level == WARNING else finding for finding in found]
    found.sort(key=lambda finding: LEVELS.index(finding.level))
    counts = {
        "documents": material.index.stats.N if material.index else 0,
        "queries": len(material.collection.queries) if material.collection else 0,
        "judgments": len(material.all_codes),  # a pair that a second assessor has judged, too, is one
        "judged_queries": len(material.all_codes.query_ids),
    }
    return Diagnosis(material.recipe.name, counts, tuple(found), collection_toml(found))
