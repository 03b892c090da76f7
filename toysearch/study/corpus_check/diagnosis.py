"""Diagnosis of a collection: the findings of all checks, and a collection.toml that resolves them."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toysearch.base import (
    Column,
    Part,
    Remedy,
    Result,
    ResultTable,
    Sentences,
    collected_notes,
    counted,
    expect_list,
    plain,
)
from toysearch.base.rendering import flowed, render
from toysearch.collection.recipe import recipe_of_files, toml_lines
from toysearch.files import Reading
from toysearch.files.account import Account, in_full
from toysearch.files.source import AnyPath
from toysearch.study.corpus_check import document_checks, query_checks
from toysearch.study.corpus_check.raw_collection import (
    ERROR,
    INFO,
    LEVELS,
    MOST_ROWS,
    WARNING,
    Finding,
    Findings,
    Material,
    read_raw_collection,
)

__all__ = ["Diagnosis", "diagnose"]

_MAPPING = "graded"
_NOUNS = {ERROR: "error", WARNING: "warning", INFO: "note"}
_INDENT = "   "


def collection_toml(findings: Iterable[Finding], given: Mapping[str, Any]) -> str:
    """Write the lines of a collection.toml that resolve the findings, after those given; "" if there are none.

    >>> print(collection_toml([Finding("warning", "", settings={"number": "place", "text": ["W"]})], {"ids": "first"}))
    ids = "first"
    number = "place"
    text = ["W"]
    """
    settings = {**given}
    files = settings.pop("files", [])
    for finding in findings:
        for key, value in finding.settings.items():
            settings.setdefault(key, value)
    odd = settings.pop("odd", [])
    gains = settings.pop("gains", None)
    lines = toml_lines(settings)
    if gains and "grades" not in settings:
        regular = ", ".join(f"{_key(code)} = {gain:g}" for code, gain in gains.items() if code not in odd)
        lines += [f'default_grades = "{_MAPPING}"', "", f"[grades.{_MAPPING}]", f"gains = {{ {regular} }}"]
        readings = {"nonrelevant": "0", "removed": '"removed"', "relevant": f"{max(gains.values()):g}"}
        for code in odd:
            name = f"{'minus' if code < 0 else 'code'}{abs(code):g}".replace(".", "_")
            lines += ["", f"[grades.{_MAPPING}.options.{name}]", 'default = "nonrelevant"']
            lines += [f"values.{reading} = {{ {_key(code)} = {gain} }}" for reading, gain in readings.items()]
    return "\n".join(lines + toml_lines({"files": files})).lstrip()


def _key(code: float) -> str:
    return f"{code:g}" if code == int(code) and abs(code) < 1e6 else f'"{code!r}"'


def refused(material: Material) -> Findings:
    """Findings on files that readers refuse."""
    describe = (
        f"Describe its files: {Remedy('load', input_format=..., columns=...)}, or a collection.toml "
        "(`toysearch docs collections`)."
    )
    cure = "Correct the file; the unreadable part was not checked." if material.recipe.files else describe
    for sentence in dict.fromkeys(material.refused):
        what, *lines = sentence.split("\n  ")
        yield Finding(ERROR, what.removesuffix(":"), [{"why": line} for line in lines], cure)
    for level, sentences in ((INFO, material.left_out), (WARNING, material.not_utf8)):
        yield from (Finding(level, sentence) for sentence in sentences)
    reading, rejected = material.recipe.reading, material.recipe.rejected
    is_skipped = reading.on_error == "skip"
    skip = "" if is_skipped else f"skip bad records with {Remedy('load', on_error='skip')}"
    choose = f"choose among repeated ids with {Remedy('load', ids=...)}" if reading.ids in (None, "refuse") else ""
    ways_out = f"; or {', and '.join(filter(None, (skip, choose)))}" if skip or choose else ""
    for path, rows in rejected.of_files().items() if rejected else ():
        level = INFO if is_skipped else ERROR
        cure = f"Correct the file{ways_out}."
        if len(rows) > 1:
            listed = [{"line": line, "why": why} for line, why in rows[:MOST_ROWS]]
            yield Finding(level, f"{path}: {len(rows)} records cannot be read or repeat an id", listed, cure)
        else:
            line, why = rows[0]
            yield Finding(level, f"{path}:{line}: {why}", cure=cure)


def changed(material: Material) -> Findings:
    """Findings on files that differ from their recipe."""
    for path in material.changed:
        yield Finding(
            WARNING,
            f"{path} is not the file in the recipe of '{material.recipe.name}': its checksum differs",
            cure="Figures may differ from published ones. Another edition, or an edited copy?",
        )


CHECKS: Mapping[str, Callable[[Material], Findings]] = {
    "readable": refused,
    "checksums": changed,
    "empty documents": document_checks.empty_documents,
    "equal documents": document_checks.equal_documents,
    "repeated titles": document_checks.repeated_titles,
    "query numbers": query_checks.numbering,
    "judged queries": query_checks.unknown_queries,
    "empty queries": query_checks.empty_queries,
    "unjudged queries": query_checks.unjudged_queries,
    "fit": query_checks.unrelated_judgments,
    "judged documents": query_checks.missing_documents,
    "nothing relevant": query_checks.nothing_relevant,
    "direction": query_checks.direction,
    "odd judgments": query_checks.odd_judgments,
    "lowest grade": query_checks.lowest_grade,
    "one grade": query_checks.one_grade,
    "fractions": query_checks.fractions,
}
"""Name of each check → the function that yields its findings."""


@dataclass(frozen=True)
class Diagnosis(Result):
    """Findings of the checks of a collection.

    Attributes
    ----------
    name : str
        The collection.
    counts : dict of str to int
        The numbers of documents, queries, judgments and judged queries read.
    findings : tuple of Finding
        The errors, then the warnings, then the notes, each in the order of `CHECKS`.
    toml : str
        A collection.toml that resolves findings, "" if none can be resolved so.
    checks : int
        The number of checks.
    read : tuple of Account
        What was read of each file with columns, documents first: its records, the column of each part and what shows
        it, and the fields that are searched.
    """

    name: str
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    toml: str
    checks: int = len(CHECKS)
    read: tuple[Account, ...] = ()
    written: str = ""  # the file in which the collection.toml is kept

    def of_level(self, level: str) -> list[Finding]:
        """Return the findings of one level.

        Parameters
        ----------
        level : str
            ``error``, ``warning`` or ``info``.
        """
        return [finding for finding in self.findings if finding.level == level]

    @property
    def healthy(self) -> bool:
        """True if there is neither an error nor a warning."""
        return all(finding.level == INFO for finding in self.findings)

    def __repr__(self) -> str:
        return f"<Diagnosis of {self.name}: {self._levels()}>"

    def _levels(self) -> str:
        return ", ".join(counted(len(self.of_level(level)), noun) for level, noun in _NOUNS.items())

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Put the findings in a table, one row each."""
        names = ("level", "check", "what", "cure")
        rows = [[getattr(finding, name) for name in names] for finding in self.findings]
        return [ResultTable([*map(Column, names)], rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> Iterator[Part]:
        """Yield the size of the collection, the number of findings, each finding, and the collection.toml."""
        n = self.counts
        sizes = [counted(n["documents"], "document"), counted(n["queries"], "query", "queries")]
        sizes.append(f"{counted(n['judgments'], 'judgment')} of {counted(n['judged_queries'], 'query', 'queries')}")
        yield Sentences([f"{self.name}: {', '.join(sizes)}", f"{self.checks} checks: {self._levels()}"], "", "")
        if self.read:
            yield "\n".join(flowed(in_full(account), wrap, "", _INDENT) for account in self.read)
        for number, finding in enumerate(self.findings, 1):
            head = flowed(f"{finding.check}: {finding.what}", wrap, f"{number}. {_NOUNS[finding.level]}: ", _INDENT)
            evidence = _evidence(finding.evidence, width) if finding.evidence else ""
            cure = flowed(finding.cure, wrap, f"{_INDENT}→ ", f"{_INDENT}  ") if finding.cure else ""
            yield "\n".join(filter(None, (head, textwrap.indent(evidence, _INDENT), cure)))
        if self.toml:
            usual = "A collection.toml with the settings that help, to paste into the folder:"
            yield Sentences([f"{self.written}:" if self.written else usual], "", "")
            yield self.toml

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        parts = ("level", "check", "what", "evidence", "cure")
        findings = [{part: plain(getattr(finding, part)) for part in parts} for finding in self.findings]
        head = {"name": self.name, "healthy": self.healthy, **self.counts, "n_checks": self.checks}
        read = [plain(account._asdict()) for account in self.read]
        return {**head, "files": read, "findings": findings, "collection_toml": self.toml}


def _evidence(rows: Sequence[Mapping[str, Any]], width: int | None) -> str:
    def cell(value: Any) -> Any:
        if isinstance(value, float):
            return f"{value:.4f}" if 0 < abs(value) < 1 else f"{value:g}"
        return value

    names = list(rows[0])
    numeric = {name: all(isinstance(row[name], int | float | None) for row in rows) for name in names}
    columns = [Column(name, "", "right") if numeric[name] else Column(name, wrap=name == names[-1]) for name in names]
    cells = [[cell(row[name]) for name in names] for row in rows]
    return render(columns, cells, width=None if width is None else width - len(_INDENT))


def diagnose(
    source: AnyPath | Sequence[AnyPath],
    *,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    input_format: str | None = None,
    records: str | None = None,
    columns: str | Mapping[str, str] | None = None,
    query_fields: str | Sequence[str] | None = None,
    query_columns: str | Mapping[str, str] | None = None,
    qrels_columns: str | Mapping[str, str] | None = None,
    ids: str | None = None,
    on_error: str | None = None,
    encoding: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Diagnosis:
    """Find the problems of a collection that its files show, each with its evidence and its remedy.

    An unreadable file is a finding too. Warnings about a named collection become notes if the checksums of its files
    match its recipe, because they are then known.

    Parameters
    ----------
    source : str, path, or sequence of paths
        A name, a folder or a file, as for `toysearch.load`. A list is a folder, or the files of documents, queries and
        judgments in one folder, without their collection.toml: ``toml`` then keeps the arguments for reading too.
    grades : str, optional
        The grade mapping; by default that of the collection. With a list of files, the grades of codes, ``"E=3,I=0"``.
    fields, input_format, records, columns, query_fields, query_columns, qrels_columns, ids, on_error, encoding
        The searched fields, the format, the columns and the treatment of records, as for `toysearch.load`.
    progress : callable, optional
        Called now and then with the number of documents read.

    Raises
    ------
    ArgumentError
        If the collection, mapping, format or field is unknown.
    DataError
        If the folder or file does not exist, or the files of a named collection are missing.

    Examples
    --------
    >>> diagnosis = diagnose("cat-dog-parrot")
    >>> diagnosis, diagnosis.healthy
    (<Diagnosis of cat-dog-parrot: 0 errors, 0 warnings, 0 notes>, True)
    """
    if not isinstance(source, str | os.PathLike):
        expect_list(object, source=source)
    reading = Reading(
        grades=grades,
        fields=fields,
        input_format=input_format,
        records=records,
        columns=columns,
        query_fields=query_fields,
        query_columns=query_columns,
        qrels_columns=qrels_columns,
        ids=ids,
        on_error=on_error,
        encoding=encoding,
    )
    return diagnosis_of(source, reading, progress)


def diagnosis_of(
    source: AnyPath | Sequence[AnyPath],
    reading: Reading,
    progress: Callable[[int], Any] | None = None,
) -> Diagnosis:
    """Return the diagnosis of a collection, read as a `Reading` says."""
    table: dict[str, Any] = {}
    accounts = {}

    def take(account: Account) -> None:
        accounts[account.role, account.path] = account

    reading = replace(reading, report=reading.report._replace(read=take))
    with collected_notes() as notes:  # those of readers become findings here
        if isinstance(source, str | os.PathLike):
            material = read_raw_collection(source, reading, progress)
        else:
            described, table = recipe_of_files(source, reading)
            material = read_raw_collection(described, replace(reading, grades=None), progress)  # it has them
        told = [*dict.fromkeys(map(str, notes))]
        material.left_out += [sentence for sentence in told if sentence.startswith(f"{material.recipe.folder}: ")]
        material.not_utf8 += [sentence for sentence in told if ": not UTF-8" in sentence]
        findings = [finding._replace(check=name) for name, check in CHECKS.items() for finding in check(material)]
    if material.vouched:
        findings = [finding._replace(level=INFO) if finding.level == WARNING else finding for finding in findings]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    counts = {
        "documents": material.index.stats.N if material.index else 0,
        "queries": len(material.collection.queries) if material.collection else 0,
        "judgments": len(material.all_codes),  # a pair judged by two assessors counts once
        "judged_queries": len(material.all_codes.query_ids),
    }
    left_out = material.recipe.rejected.of_files() if material.recipe.rejected else {}
    read = []
    for (role, name), account in sorted(accounts.items()):
        path, number, folder = Path(name), len(left_out.get(name, ())), material.recipe.folder
        n_repeated = number - account.left_out if role in ("documents", "queries") else 0  # whose ids occur twice
        path = path.relative_to(folder) if path.is_relative_to(folder) else path
        if account.columns:
            n_read = (account.read or 0) - n_repeated
            read.append(account._replace(path=path.as_posix(), read=n_read, left_out=number))
    toml = collection_toml(findings, table)
    return Diagnosis(material.recipe.name, counts, tuple(findings), toml, read=tuple(read))
