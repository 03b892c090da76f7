"""A query as textbooks work it out: merges of postings lists, lookups of wildcards, matrices of edit distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toysearch.base import Column, counted
from toysearch.course.textbook_query import (
    EditMatrix,
    Merge,
    MergeStep,
    PositionalMerge,
    PositionStep,
    RangeLookup,
    SynonymCounts,
    TermScan,
    TextbookStep,
    WildcardLookup,
    rotations,
)
from toysearch.course.textbook_query import textbook_query as textbook_query
from toysearch.laboratory import render

_ROWS = 12  # comparisons that are shown
_SOME = 6  # terms and documents that are listed


def textbook_step_text(step: TextbookStep) -> str:
    """A step of a query as textbooks draw it."""
    written: str = _TEXTS[type(step)](step)
    return written


def _comparisons(steps: Sequence[Any], names: tuple[str, str], outcome: Callable[[Any], str]) -> list[str]:
    """A table of the first comparisons of a merge, and how many more there are."""
    columns = [*(Column(name, justify="right") for name in ("step", *names)), Column("outcome")]
    rows = [(number, step.first, step.second, outcome(step)) for number, step in enumerate(steps[:_ROWS], 1)]
    rest = len(steps) - _ROWS
    return [render(columns, rows), *([f"… {rest:,} more"] if rest > 0 else []), ""]


def merge_text(merge: Merge) -> str:
    """One line per comparison, and the documents that are kept."""
    (first, second), (longest, other) = merge.names, merge.lengths
    ending = []
    if merge.rest:
        ending = [f"kept without a comparison, after the end of one list: {_listed(merge.rest)}"]
    return "\n".join(
        [
            f"{first} {merge.operator} {second}: {longest:,} and {counted(other, 'document')}, numbered from 1\n",
            *_comparisons(merge.comparisons, merge.names, lambda step: _outcome(step, merge)),
            *ending,
            f"{counted(len(merge.comparisons), 'comparison')} of at most {longest:,} + {other:,}; "
            f"{counted(len(merge.documents), 'document')}: {_listed(merge.documents)}",
        ]
    )


def _outcome(step: MergeStep, merge: Merge) -> str:
    """The outcome of a comparison, in words."""
    first, second = merge.names
    sign = "=" if step.first == step.second else "<" if step.first < step.second else ">"
    onward = {"=": "on in both", "<": f"on in {first}", ">": f"on in {second}"}[sign]
    return f"{step.first} {sign} {step.second}: {f'{min(step.first, step.second)} is kept, ' * step.kept}{onward}"


def _listed(items: list[int] | list[str]) -> str:
    """The first items, and how many more there are."""
    first = " ".join(map(str, items[:_SOME]))
    return f"{first} … ({len(items) - _SOME:,} more)" if len(items) > _SOME else first or "none"


def wildcard_text(lookup: WildcardLookup) -> str:
    """The rotation of a wildcard and its k-grams, and the terms found by each."""
    grams = [Column("k-gram"), Column("terms", justify="right", format=",")]
    example = rotations(lookup.terms[0]) if lookup.terms else []
    lines = [
        f"{lookup.pattern} in a permuterm index: look up {lookup.rotation}\n",
        render([Column("rotation"), Column("term")], lookup.rotated[:_SOME])
        if lookup.rotated
        else "no rotation begins so",
    ]
    rest = len(lookup.rotated) - _SOME
    lines += [f"… {rest:,} more"] if rest > 0 else []
    lines += [f"\nall rotations of {lookup.terms[0]}: {' '.join(example)}"] if example else []
    lines += [f"\n{lookup.pattern} in a k-gram index: merge these lists by AND\n"]
    lines += [
        render(grams, lookup.grams) if lookup.grams else "the pattern has no k-gram, so every term is a candidate"
    ]
    failed = [term for term in lookup.candidates if term not in set(lookup.terms)]
    lines += [
        f"\n{counted(len(lookup.candidates), 'candidate')}: {_listed(lookup.candidates)}",
        f"candidates that do not fit: {_listed(failed)}",
        f"{counted(len(lookup.terms), 'term')}: {_listed(lookup.terms)}",
    ]
    return "\n".join(lines)


def matrix_text(matrix: EditMatrix) -> str:
    """The matrix with a column for each letter of the second word, and the edits of one shortest way."""
    wide = max(len(str(distance)) for row in matrix.rows for distance in row)
    head = "     " + " " * wide + "".join(f"  {letter:>{wide}}" for letter in matrix.second)
    lines = [
        f"  {letter}" + "".join(f"  {distance:>{wide}}" for distance in row)
        for letter, row in zip(f" {matrix.first}", matrix.rows, strict=True)
    ]
    edits = ", ".join(matrix.edits) or "the words are equal"
    return "\n".join(
        [f"{matrix.first} → {matrix.second}: {counted(matrix.distance, 'edit')}\n", head, *lines, f"\n{edits}"]
    )


def positions_text(merge: PositionalMerge) -> str:
    """One line per comparison of two positions in a document, and where an occurrence starts."""
    first, second = merge.words
    rule = {
        "at": f"{second} {counted(merge.distance, 'word')} after {first}",
        "up to": f"{second} at most {counted(merge.distance, 'word')} after {first}",
        "within": f"both within {counted(merge.distance, 'word')}",
    }[merge.near]
    return "\n".join(
        [
            f"{merge.text} in document {merge.doc_id}; its first word has the position 0",
            f"an occurrence: {rule}\n",
            *_comparisons(merge.comparisons, merge.words, lambda step: _apart(step, merge)),
            f"{counted(len(merge.comparisons), 'comparison')} of at most {merge.lengths[0]:,} + {merge.lengths[1]:,}; "
            f"occurrences at: {_listed(merge.starts)}",
        ]
    )


def _apart(step: PositionStep, merge: PositionalMerge) -> str:
    """The outcome of a comparison of two positions, in words."""
    apart = step.second - step.first
    least = {"at": merge.distance, "up to": 1, "within": 0}[merge.near]
    onward = f"on in {merge.words[1] if apart < least else merge.words[0]}"
    start = f"an occurrence at {min(step.first, step.second)}, " * step.kept
    return f"{step.second} − {step.first} = {apart}: {start}{onward}"


def range_text(lookup: RangeLookup) -> str:
    """The comparisons of the two binary searches, and the places between which the numbers are in the range."""
    columns = [Column("end"), Column("place", justify="right"), Column("number", justify="right", format=".10g")]
    rows = [(step.end, step.place, step.number, "below" if step.below else "not below") for step in lookup.comparisons]
    n_found = max(lookup.last - lookup.first + 1, 0)
    places = f", at the places {lookup.first:,} to {lookup.last:,}" if n_found else ""
    return "\n".join(
        [
            f"{lookup.node} by binary search in {counted(lookup.n_numbers, 'sorted number')}\n",
            render([*columns, Column("below", "below the end")], rows) if rows else "both ends are open",
            f"\n{counted(len(lookup.comparisons), 'comparison')}; {counted(n_found, 'document')}{places}",
        ]
    )


def synonyms_text(counts: SynonymCounts) -> str:
    """The tf of each member and their sum, one line per document."""
    names = [*counts.members, "#syn"]
    columns = [Column("document", justify="right"), *(Column(name, justify="right") for name in names)]
    rest = len(counts.rows) - _ROWS
    return "\n".join(
        [
            f"{counts.node}: documents of any, numbered from 1, and the sum of tf\n",
            render(columns, [*counts.rows[:_ROWS], ("df", *counts.df)]),
            *([f"… {counted(rest, 'more document')}"] if rest > 0 else []),
        ]
    )


def scan_text(scan: TermScan) -> str:
    """The terms that a regular expression matches as a whole, and those of which it matches a part."""
    return "\n".join(
        [
            f"{scan.node} is compared with {counted(scan.n_terms, 'term')} as a whole\n",
            f"terms that fit: {_listed(scan.terms)}",
            f"terms of which only a part fits: {_listed(scan.in_part)}",
        ]
    )


_TEXTS: Mapping[type, Callable[..., str]] = {
    EditMatrix: matrix_text,
    WildcardLookup: wildcard_text,
    TermScan: scan_text,
    PositionalMerge: positions_text,
    RangeLookup: range_text,
    SynonymCounts: synonyms_text,
    Merge: merge_text,
}
