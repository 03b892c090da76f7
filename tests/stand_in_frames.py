"""Data frames as far as this project is concerned, for machines without pandas and polars."""

from __future__ import annotations

from typing import Any


class Column:
    """A column as far as this project is concerned."""

    def __init__(self, values: list[Any], dtype: str = "") -> None:
        self._values, self.dtype = values, dtype

    def to_list(self) -> list[Any]:
        return list(self._values)


class Frame:
    """A data frame: iterating gives the names of its columns, as with pandas."""

    def __init__(self, **columns: Any) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Column:
        column = self._columns[name]
        return column if isinstance(column, Column) else Column(column)

    def __iter__(self) -> Any:
        return iter(self._columns)


class Series(Column):
    """A column that can be iterated and has an index of its own."""

    def to_frame(self) -> Frame:
        return Frame(text=self._values)

    def __iter__(self) -> Any:
        return iter(self._values)


class LazyFrame(Frame):
    """A frame without values."""

    def collect(self) -> Frame:
        return Frame(**self._columns)


class Table(Frame):
    """A table of Arrow, whose columns are no names."""

    column_names = ("doc_id", "text")
