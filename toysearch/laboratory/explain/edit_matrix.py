"""The edit distance of two words as textbooks work it out: a matrix of the distances of their beginnings."""

from __future__ import annotations

from typing import NamedTuple

from toysearch.base.argument_checks import checked

__all__ = ["EditMatrix", "edit_matrix"]

Rows = list[list[int]]


class EditMatrix(NamedTuple):
    """The distances of all beginnings of two words.

    Attributes
    ----------
    first, second : str
        The words.
    rows : list of list of int
        Row i, column j: the edits that turn the first i characters of `first` into the first j of `second`.
    edits : list of str
        The edits of one shortest way, from the beginning of the words to their end.
    """

    first: str
    second: str
    rows: Rows
    edits: list[str]

    @property
    def distance(self) -> int:
        """The edits that turn the first word into the second."""
        return self.rows[-1][-1]


@checked
def edit_matrix(first: str, second: str) -> EditMatrix:
    """The edit distance of two words, with its matrix.

    An edit inserts, deletes or replaces a character, or exchanges two neighbours; no part is edited twice (optimal
    string alignment). A cell is the least of four: the cell above plus 1 (delete), the cell to the left plus 1
    (insert), the cell above on the left, plus 1 unless the two characters are equal (replace), and the cell two rows
    above and two columns to the left, plus 1, if the last two characters of one word are those of the other exchanged.

    Parameters
    ----------
    first, second : str
        The words.

    Returns
    -------
    EditMatrix
        The matrix has len(first) + 1 rows and len(second) + 1 columns.

    References
    ----------
    Manning, Raghavan & Schütze 2008, fig. 3.5, without exchanges. Exchanges: Damerau, A technique for computer
    detection and correction of spelling errors, CACM 7(3), 1964.

    Examples
    --------
    >>> matrix = edit_matrix("tikc", "stick")
    >>> matrix.rows[-1]
    [4, 4, 4, 3, 2, 2]
    >>> matrix.distance, matrix.edits
    (2, ['insert s', 'exchange k and c'])
    """
    rows: Rows = [[*range(len(second) + 1)]]
    for i in range(1, len(first) + 1):
        rows.append([i])
        for j in range(1, len(second) + 1):
            rows[i].append(min(distance for distance, *_ in _ways(first, second, rows, i, j)))
    return EditMatrix(first, second, rows, _edits(first, second, rows))


def _ways(first: str, second: str, rows: Rows, i: int, j: int) -> list[tuple[int, int, int, str]]:
    """The ways to reach a cell: the distance, the cell before, and the edit, empty if characters are equal."""
    ways = []
    if i and j:
        a, b = first[i - 1], second[j - 1]
        ways.append((rows[i - 1][j - 1] + (a != b), i - 1, j - 1, f"replace {a} by {b}" if a != b else ""))
    if min(i, j) > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
        ways.append((rows[i - 2][j - 2] + 1, i - 2, j - 2, f"exchange {first[i - 2]} and {first[i - 1]}"))
    if i:
        ways.append((rows[i - 1][j] + 1, i - 1, j, f"delete {first[i - 1]}"))
    if j:
        ways.append((rows[i][j - 1] + 1, i, j - 1, f"insert {second[j - 1]}"))
    return ways


def _edits(first: str, second: str, rows: Rows) -> list[str]:
    """The edits of one shortest way through a matrix."""
    edits, i, j = [], len(first), len(second)
    while i or j:
        _, i, j, edit = next(way for way in _ways(first, second, rows, i, j) if way[0] == rows[i][j])
        edits.append(edit)
    return [edit for edit in reversed(edits) if edit]
