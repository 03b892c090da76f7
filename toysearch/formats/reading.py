"""Reading: the settings with which files are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike


@dataclass(frozen=True)
class Report:
    """Takes what reading brings to light besides records; what nobody takes is noted at once, or not told."""

    taken: Callable[[str], object] | None = None  # told what each file is taken for
    left_out: Callable[[str | PathLike[str], Mapping[int, str]], object] | None = None  # takes lines, with reasons
    replaced: list[tuple[str, int, str]] | None = None  # files that are not UTF-8: the places, the likely encoding
    in_utf8: list[str] | None = None  # files that are UTF-8 though another encoding is named


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings with which files are read; None leaves a setting to the collection."""

    encoding: str | None = None
    on_error: str | None = None
    report: Report = field(default=Report(), compare=False)
    texts_only: bool = False

    def tell(self, sentence: str) -> None:
        """Say what a file is taken for, to those who ask."""
        if self.report.taken is not None:
            self.report.taken(sentence)


AS_USUAL = Reading()
"""Reading without any setting."""
