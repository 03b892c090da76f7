"""What users of other tools type, and what does it here: the rows of elsewhere.toml, read when a name is not found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class NameElsewhere(NamedTuple):
    """Name in another tool, and ours; None where no name means the same."""

    tool: str
    theirs: str
    ours: str | None = None
    only: str = ""
    advice: str = ""

    def holds_in(self, place: str) -> bool:
        """Return whether the row holds in a command, or for an option."""
        return not self.only or place in self.only.split()


@cache
def phrases(kind: str) -> tuple[NameElsewhere, ...]:
    """Return the rows of a kind, in the order of the file.

    >>> phrases("model")[0]
    NameElsewhere(tool='PyTerrier', theirs='HiemstraLM', ours='lm-jm:lambda=0.85', only='', advice='')
    """
    rows = []
    for tool, kinds in _tables().items():
        for theirs, said in kinds.get(kind, {}).items():
            row = {"ours": said} if isinstance(said, str) else said
            names = [theirs] if kind == "setting" else theirs.split()
            rows += [NameElsewhere(tool, name, **row) for name in names]
    return tuple(rows)


@cache
def here(kind: str) -> Mapping[str, str]:
    """Return each name of a kind → ours, without those that hold in one place only.

    >>> here("measure")["recip_rank"], here("name")["get_qrels"]
    ('RR', 'toysearch.load(name).qrels')
    """
    return MappingProxyType({row.theirs: row.ours for row in phrases(kind) if row.ours and not row.only})


@cache
def _tables() -> dict[str, dict[str, dict[str, str | dict[str, str]]]]:
    import tomllib  # most names are found without it

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
