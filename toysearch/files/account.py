"""What was read of a file: its records, the column of each part, and what shows it; in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toysearch.base import counted, cut, groups_of, note, some

BY_NAME, BY_CELLS = "by its name", "by its cells"
"""What shows the part of a column."""

NUMBERED, AFTER_FILES = "numbered from 1", "names of files"
_NOUNS = {
    "documents": ("document", "documents"),
    "queries": ("query", "queries"),
    "qrels": ("judgment", "judgments"),
    "run": ("result", "results"),
}
_LONGEST, _NAME, _LABEL = 160, 40, 24  # letters of a line, of a file's name in it, of a label in a list
_FEWEST = 2  # columns that are searched, in any line


class Account(NamedTuple):
    """Records that were read of a file, and the columns that were taken for their parts."""

    path: str
    role: str  # ``documents``, ``queries``, ``qrels`` or ``run``
    read: int | None  # its records; None if only a part of the file was read
    left_out: int = 0
    columns: Mapping[str, str] = MappingProxyType({})  # the id, or each part of a judgment → its column
    evidence: Mapping[str, str] = MappingProxyType({})  # part → what shows its column
    searched: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # the columns that are not searched
    values: tuple[str, ...] = ()  # those of numbers and other values, which are not either
    guessed: bool = False  # whether it is told
    remark: str = ""  # on the rows: "no header"

    @property
    def n_records(self) -> str:
        """The number of records with their noun."""
        one, several = _NOUNS[self.role]
        return several if self.read is None else counted(self.read, one, several)


def line_of(account: Account) -> str:
    """Say in one line what was read of a file; long lists are cut.

    >>> account = Account("shop.csv", "documents", 812, columns={"id": "asin"}, searched=("name", "details"))
    >>> print(line_of(account._replace(others=("url",), values=("price",))))
    shop.csv: 812 documents; id asin; searched: name, details; not searched: url, price (values)
    """
    most = max(_LONGEST, _LONGEST - _NAME + len(account.path))
    shown = range(max(map(len, (account.searched, account.others, account.values, "1"))), 0, -1)
    lines = (_line(each, n) for each in (account, account._replace(values=())) for n in shown)
    return next((line for line in lines if len(line) <= most), cut(_line(account._replace(values=()), 1), most))


def _line(account: Account, n_shown: int) -> str:
    """Write the line with some labels of each list."""

    def listed(labels: Iterable[str], n: int = n_shown) -> str:
        return some([cut(label, _LABEL) for label in labels], n)

    last = ([*account.evidence.values()] or [""])[-1]
    why = f" ({last})" if last not in (BY_NAME, BY_CELLS, "") and account.role in ("qrels", "run") else ""
    named = [f"{part} {cut(label, _NAME)}" for part, label in account.columns.items() if part not in ("title", "text")]
    values = f"{listed(account.values)} (values)" if account.values else ""
    others = ", ".join(filter(None, (listed(account.others), values)))
    pieces = [f"{account.path}: {account.n_records}", account.remark, "; ".join(named) + why]
    searched = listed(account.searched, max(n_shown, _FEWEST))
    pieces.append(f"searched: {searched}" if searched else "")
    pieces.append(f"not searched: {others}" if others else "")
    return "; ".join(filter(None, pieces))


def in_full(account: Account) -> str:
    """Say all that is known of what was read of a file: each column with what shows it, and what is left out.

    >>> account = Account("shop.csv", "documents", 811, 1, {"id": "asin"}, {"id": BY_CELLS}, ("name",), ("brand",))
    >>> print(in_full(account))
    shop.csv: 811 documents read, 1 record left out; id asin (by its cells); searched: name; not searched: brand
    """
    named = (f"{part} {label} ({account.evidence.get(part, 'a guess')})" for part, label in account.columns.items())
    left_out = f", {counted(account.left_out, 'record')} left out" if account.left_out else ""
    lists = {"searched": account.searched, "not searched": (*account.others, *account.values)}
    listed = (f"{what}: {', '.join(filter(None, labels))}" for what, labels in lists.items() if any(labels))
    pieces = [f"{account.path}: {account.n_records} read{left_out}", account.remark, *named, *listed]
    return "; ".join(filter(None, pieces))


def note_read(guessed: Iterable[Account]) -> None:
    """Note what was read of files, parts of the same columns in one line."""
    alike = groups_of((repr((account.role, account.columns, account.searched)), account) for account in guessed)
    for first, *others in alike.values():
        if others:
            reads = [account.read or 0 for account in (first, *others)]
            total = None if first.read is None else sum(reads)
            first = first._replace(path=f"{first.path} and {counted(len(others), 'more file')}", read=total)
        note(line_of(first))
