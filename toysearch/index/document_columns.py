"""Documents → the columns of an index besides terms: ids, lengths in bytes, titles, texts, numbers."""

from __future__ import annotations

import datetime
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Several
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, Protocol
from unicodedata import normalize

import numpy as np

from toysearch.base import (
    ArgumentError,
    CountedWords,
    DataError,
    StorageError,
    Utf8,
    checked,
    count_each,
    counted,
    encodable,
    note,
)
from toysearch.base.wording import cut
from toysearch.collection.collection import Collection
from toysearch.collection.document_batches import Batch
from toysearch.files.numbers import WITH_COMMAS, DecimalMarks, finite_number, plain_minus
from toysearch.index.file_layout import Arrays
from toysearch.index.strings import GrowingStrings, Strings, byte_order, repeated, strings_of

__all__ = ["KeptFields", "every_field", "named_kept_fields"]


@contextmanager
def lines_of_repeats(source: Any) -> Iterator[None]:
    """Read the files again to report the lines if two documents of a collection share an id."""
    try:
        yield
    except RepeatedIdError:
        if isinstance(source, Collection):
            for _ in source.stream():
                pass
        raise


class RepeatedIdError(DataError):
    """Error for two documents with the same id."""


class Growing(Protocol):
    """Collector of strings: `GrowingStrings` in memory, `SpooledStrings` in a file."""

    def extend(self, strings: Utf8) -> None:
        """Add some strings."""

    def finish(self) -> Strings:
        """Return all strings added."""


Store = Callable[[str], Growing]
"""Function from the name of an array of strings to its collector."""


def in_memory(name: str) -> Growing:
    """Collect titles or texts in memory."""
    return GrowingStrings()


class Columns:
    """Columns read so far, without the terms."""

    def __init__(self, values: Sequence[str] = (), keywords: Sequence[str] = (), store: Store | None = None) -> None:
        self._doc_ids = GrowingStrings()
        self._bytes = array("q")
        self._values = {name: array("d") for name in values}
        self._keywords = {name: KeywordCounter() for name in keywords}
        self._titles = store("titles") if store else None
        self._texts = store("texts") if store else None
        self._replaced = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, batch: Batch) -> Utf8:
        """Add a batch of at least one document, and return its texts in UTF-8."""
        try:
            doc_ids, texts, titles = self._encoded(batch)
        except (TypeError, UnicodeEncodeError):
            batch = self._mended(batch)
            doc_ids, texts, titles = self._encoded(batch)
        for name, column in self._values.items():
            column.extend(map(number_in, field_texts(batch, name)))
        for name, counter in self._keywords.items():
            counter.extend(field_texts(batch, name))
        self._doc_ids.extend(doc_ids)
        sizes = np.diff(texts.offsets)
        if CountedWords in map(type, batch.texts):  # which know the lengths of their texts
            sized = zip(batch.texts, sizes.tolist(), strict=True)
            sizes = np.array(
                [text.size if isinstance(text, CountedWords) else size for text, size in sized], dtype=np.int64
            )
        self._bytes.frombytes(sizes.tobytes())
        if self._titles is not None and self._texts is not None:
            self._titles.extend(titles)
            self._texts.extend(texts)
        return texts

    def _encoded(self, batch: Batch) -> list[Utf8]:
        titles = batch.titles if self._titles is not None else []
        return [Utf8.of([*map(str.encode, strings)]) for strings in (batch.doc_ids, batch.texts, titles)]

    def _mended(self, batch: Batch) -> Batch:
        doc_ids, texts, titles = [], [], []
        for number, (doc_id, text, title, _) in enumerate(zip(*batch, strict=True), len(self)):
            doc_ids.append(self.clean(doc_id, number, "doc_id"))
            texts.append(self.clean(text, number, "text"))
            titles.append(title if self._titles is None else self.clean(title, number, "title"))
        return Batch(doc_ids, texts, titles, batch.fields)

    def clean(self, value: Any, number: int, what: str) -> str:
        """Replace and count the lone surrogates of a document's text."""
        if not isinstance(value, str):
            advice = f": write {str(value)!r}" if what == "doc_id" else ""
            raise DataError(
                f"document {number + 1} has the {what} {value!r}; expected a str, not {type(value).__name__}{advice}"
            )
        text, replaced = encodable(value)
        self._replaced += replaced
        return text

    def finish(self) -> dict[str, np.ndarray]:
        """Return the arrays of all documents read."""
        if not len(self):
            raise DataError("there is no document to index; an index needs at least one")
        if self._replaced:
            replaced = counted(self._replaced, "lone surrogate")
            note(f"{replaced} in the documents became U+FFFD: UTF-8 cannot represent lone surrogates")
        doc_ids = self._doc_ids.finish()
        order = order_of_ids(doc_ids)
        arrays = doc_ids.arrays("doc_ids")
        if self._values:
            numbers = np.array([*self._values.values()], dtype=np.float64)  # one row per name, NaN for a missing number
            arrays |= {**Strings.of([*self._values]).arrays("value_names"), "values": numbers.ravel()}
        arrays |= keyword_arrays({name: counter.finish() for name, counter in self._keywords.items()})
        arrays |= {"doc_ids_order": order, "bytes": np.frombuffer(self._bytes, dtype=np.int64)}
        if self._titles is not None and self._texts is not None:
            arrays |= self._titles.finish().arrays("titles") | self._texts.finish().arrays("texts")
        return arrays


def order_of_ids(doc_ids: Strings) -> np.ndarray:
    """Sort the document numbers by the UTF-8 bytes of their ids, which must differ; int32."""
    order = byte_order(doc_ids)
    twice = np.flatnonzero(repeated(doc_ids, order))
    if twice.size:
        place = int(twice[np.argmin(order[twice])])
        first, second = int(order[place - 1]), int(order[place])
        raise RepeatedIdError(
            f"doc_id '{doc_ids[first]}' is given twice, by documents {first + 1} and {second + 1}; "
            "each id may occur once"
        )
    return order.astype(np.int32)


def field_texts(batch: Batch, name: str) -> list[str]:
    """Return the text of the field of each document; "" if it is missing."""
    texts = {"title": batch.titles, "text": batch.texts}.get(name, [""] * len(batch.fields))
    return [fields.get(name, "") if fields else text for fields, text in zip(batch.fields, texts, strict=True)]


_CLOCK = r"[T ](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d+)?)?"
_ZONE = r"(?P<zone>Z|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d))"
_DATE = rf"(?a)(?P<month>\d{{4}}-\d\d)(?:(?P<day>-\d\d)(?:{_CLOCK} ?{_ZONE}?)?)?"
_DAY_FIRST = r"(?a)(\d\d?)\.(\d\d?)\.(\d{4})"  # with points the day comes first in every country; with slashes not
_CURRENCY = r"(?i)(?:[$€£¥]|CHF|EUR|GBP|USD)"
_BLANKS = dict.fromkeys((0xA0, 0x2009, 0x202F), " ")  # no-break, thin, and both
_GROUPED = r"(?a)[+-]?\d{1,3}(?:(?P<group>[., '’])\d{3}(?:(?P=group)\d{3})*|\d*)(?P<decimals>[.,]\d\d?)?"
DATES = "2021-06, 2021-06-15 and 2021-06-15T12:00:00Z"
"""Examples of the texts that are read as dates."""


def number_in(text: str) -> float:
    """Read the number in a field (for a date, the year plus the elapsed fraction of it), else NaN.

    >>> number_in("438,50 €"), number_in("1.299,00"), number_in("1,299"), number_in("2021-07-02T12:00:00Z")
    (438.5, 1299.0, nan, 2021.5)
    >>> number_in("01.01.2021") == number_in("1.1.2021") == number_in("2021-01-01")
    True
    """
    text = plain_minus(text.strip())
    if day := re.fullmatch(_DAY_FIRST, text):
        text = f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}"
    if date := re.fullmatch(_DATE, text):
        return _number_of_date(date)
    number = finite_number(text)
    return _amount(text) if number is None else number


def _number_of_date(date: re.Match[str]) -> float:
    """Return the year and the elapsed fraction of it, to the second in UTC; NaN for a day that does not exist."""
    hour, minute, second = (int(date[name] or 0) for name in ("hour", "minute", "second"))
    try:
        moment = datetime.datetime.fromisoformat(date["month"] + (date["day"] or "-01"))
        moment += datetime.timedelta(hours=hour, minutes=minute, seconds=second)
        if date["sign"]:
            behind = datetime.timedelta(hours=int(date["hours"]), minutes=int(date["minutes"]))
            moment += behind if date["sign"] == "-" else -behind
    except (ValueError, OverflowError):
        return math.nan
    start = datetime.datetime(moment.year, 1, 1)
    return moment.year + (moment - start).total_seconds() / (_days_of(moment.year) * _DAY)


_DAY = 24 * 60 * 60  # seconds


def _days_of(year: int) -> int:
    return 366 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 365


def _amount(text: str) -> float:
    """Read an amount such as 438,50 € or 1.299,00; NaN if the comma or the point could mean either."""
    plain = re.sub(_CURRENCY, "", text, count=1).strip().translate(_BLANKS)
    parts = re.fullmatch(_GROUPED, plain) if plain[:1] in "+-0123456789" else None
    if parts is None:
        return math.nan
    group, decimals = parts["group"], parts["decimals"] or ""
    if plain == text and group is None and len(decimals) == 2:  # 3,5 may be two numbers
        return math.nan
    several = group is not None and plain.count(group) > 1
    if group is not None and (decimals[:1] == group or (group in ".," and not decimals and not several)):
        return math.nan
    digits = plain.removesuffix(decimals)
    return float((digits if group is None else digits.replace(group, "")) + decimals.replace(",", "."))


def is_date(text: str) -> bool:
    """True if a text has the form of a date with its month."""
    return re.fullmatch(_DATE, text) is not None


def _parts_of_years(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the years and the elapsed days of them."""
    years = np.floor(numbers)
    leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    return years, (numbers - years) * np.where(leap, 366, 365)


def holds_dates(values: np.ndarray) -> bool:
    """True if all numbers of a field can be dates: days, or seconds, of the years from 1000 to 9999.

    Whole seconds count if some have more than three decimals as a number, as the decimals of a price do not.

    >>> holds_dates(np.array([2012.0, 2015 + 31 / 365, np.nan])), holds_dates(np.array([1200.99, 20.0]))
    (True, False)
    >>> holds_dates(np.array([number_in("2021-06-15T12:00:01Z")])), holds_dates(np.array([1299.99]))
    (True, False)
    """
    numbers = values[~np.isnan(values)]
    years, days = _parts_of_years(numbers)
    if not len(numbers) or not ((years >= 1000) & (years < 10000)).all():
        return False
    if _whole(days).all():
        return True
    return bool(_whole(days * _DAY, 1e-4).all() and not _whole(numbers * 1000).all())


def _whole(numbers: np.ndarray, most: float = 1e-6) -> np.ndarray:
    near: np.ndarray = np.abs(numbers - np.round(numbers)) < most
    return near


def has_times(values: np.ndarray) -> bool:
    """True if not all dates of a field are whole days."""
    return not _whole(_parts_of_years(values[~np.isnan(values)])[1]).all()


def day_of(number: float) -> str:
    """Return the day of a number that stands for a date.

    >>> day_of(2012.0), day_of(number_in("2015-02-03"))
    ('2012-01-01', '2015-02-03')
    """
    return time_of(number)[:10]


def time_of(number: float) -> str:
    """Return the time, to the second in UTC, of a number that stands for a date.

    >>> time_of(number_in("2015-02-03T12:30:01+01:00"))
    '2015-02-03T11:30:01Z'
    """
    year = math.floor(number)
    seconds = round((number - year) * _days_of(year) * _DAY)
    return f"{(datetime.datetime(year, 1, 1) + datetime.timedelta(seconds=seconds)).isoformat()}Z"


def after_period(text: str) -> float:
    """Return the first number after a year, a month or a day; NaN for another text.

    >>> after_period("2012"), after_period("2012-12"), after_period("2012-12-31"), after_period("2012.5")
    (2013.0, 2013.0, 2013.0, nan)
    """
    if re.fullmatch(r"[0-9]{4}", text):
        return int(text) + 1.0
    date = re.fullmatch(_DATE, text)
    if date is None or date["hour"] or math.isnan(number_in(text)):
        return math.nan
    year, month = int(text[:4]), int(text[5:7])
    if date["day"]:
        day = datetime.date.fromisoformat(text)
        ends = (day.month, day.day) == (12, 31)
        return year + 1.0 if ends else number_in(str(day + datetime.timedelta(1)))
    return year + 1.0 if month == 12 else number_in(f"{year}-{month + 1:02}")


def values_by_name(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the numbers of the documents by the names of their fields; empty if the index keeps none."""
    if "value_names" not in arrays:
        return {}
    strings = strings_of(arrays, "value_names")
    return dict(zip(strings, np.asarray(arrays["values"]).reshape(len(strings), -1), strict=True))


_SAMPLE = 1000  # documents of a large collection that say whether a field holds numbers
_SMALL = 6_000_000  # bytes of documents that are all looked at if no field is named
_LARGE = 1 << 28  # bytes of documents that are not all kept in memory
_MOST = 1000  # distinct values of a field that is kept without being named
_LONGEST = 60  # characters of such a value
FEW = 24
"""Most distinct values of a field that is shown as a facet."""


class KeptFields(NamedTuple):
    """Fields whose numbers are kept, and fields whose values are kept as words."""

    values: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@checked
def named_kept_fields(collection: Collection, names: Sequence[str]) -> KeptFields:
    """Sort the named fields: those with numbers or dates as at least half of their values, and the others.

    A field of codes, such as 01234 or 1.10 beside 1.1, counts as words. Of a collection of 256 MB or more, the first
    1,000 documents decide.

    Parameters
    ----------
    collection : Collection
        The documents.
    names : sequence of str
        The fields, in any case; one that no document has counts as a field of numbers.

    Examples
    --------
    >>> from toysearch import load
    >>> named_kept_fields(load("companions"), ["date", "Topic"])
    KeptFields(values=('date',), keywords=('topic',))
    """
    if not names:
        return KeptFields()
    large = collection.reading is not None and collection.reading.size >= _LARGE
    columns = _columns_of(collection, _SAMPLE if large else None)
    names = [field_spelt(name, columns) for name in names]
    numbers = tuple(name for name in names if not columns.get(name) or _kept_as_numbers(columns[name]))
    for name in numbers:
        note_left_out(name, columns.get(name, {}))
    return KeptFields(numbers, tuple(name for name in names if name not in numbers))


def _columns_of(collection: Collection, most: int | None) -> dict[str, Counter[str]]:
    """Count the texts of each field in all documents, or in the first of them."""
    columns: dict[str, Counter[str]] = {}
    for document in islice(collection.stream(), most):
        for name, text in (document.fields or {"title": document.title, "text": document.text}).items():
            column = columns.setdefault(name, Counter())
            if text and not isinstance(text, CountedWords) and (value := text.strip()):
                column[value] += 1
    return columns


def _spelt(collection: Collection, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of fields as the first documents spell them."""
    spellings: dict[str, None] = {}
    for document in islice(collection.stream(), _SAMPLE) if names else ():
        spellings |= dict.fromkeys(document.fields or ("title", "text"))
        if spellings.keys() >= {*names}:
            break
    return tuple(dict.fromkeys(field_spelt(name, spellings) for name in names))


def field_spelt(name: str, names: Iterable[str]) -> str:
    """Return the name of a field as it is spelt among others; itself if it is not among them.

    Case does not matter, nor do the blanks and signs between words, which a query writes as `_`.

    >>> field_spelt("BRAND", ["Brand", "price"]), field_spelt("colour", ["Brand"])
    ('Brand', 'colour')
    >>> field_spelt("price", ["Price (€)"]), field_spelt("release_date", ["Release Date"])
    ('Price (€)', 'Release Date')
    """
    names = [*names]
    if name in names:
        return name
    alike = sorted({other for other in names if folded(other) == folded(name)}) or sorted(
        {other for other in names if field_word(other) == field_word(name) != ""}
    )
    if len(alike) > 1:
        raise ArgumentError(f"'{name}' may be any of the fields {', '.join(alike)}; write one of these")
    return alike[0] if alike else name


def field_word(name: str) -> str:
    """Return the name of a field as one word of a query.

    >>> field_word("Price (€)"), field_word("Release-Date")
    ('price', 'release_date')
    """
    return re.sub(r"\W+", "_", folded(name)).strip("_")


def folded(text: str) -> str:
    """Fold a value or a name of a field for comparison: case, blanks and composed letters do not matter.

    >>> folded("Cafe\u0301  Noir") == folded("CAF\u00c9 noir")
    True
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(normalize("NFC", normalize("NFC", text).casefold()).split())


@checked
def every_field(collection: Collection) -> KeptFields:
    """Return all fields that are not searched, for an index in memory: as words, and those with numbers as numbers too.

    Parameters
    ----------
    collection : Collection
        The documents.
    """
    searched = collection.searched_fields
    if collection.reading is not None and collection.reading.size >= _LARGE:
        fields = (name for document in islice(collection.stream(), _SAMPLE) for name in document.fields)
        return named_kept_fields(collection, [name for name in dict.fromkeys(fields) if name not in searched])
    columns = _columns(collection)
    return KeptFields(tuple(name for name, texts in columns.items() if _kept_as_numbers(texts)), tuple(columns))


def kept_fields(
    collection: Collection | None, values: Sequence[str] | None, keywords: Sequence[str] | None
) -> KeptFields:
    """Return the fields that an index keeps: those that are named, or else some of a collection of at most 6 MB.

    These are all numbers, dates and codes, and words with few short values. Of other sources than files, and of word
    counts, it keeps none.
    """
    fields = KeptFields(tuple(values or ()), tuple(keywords or ()))
    if collection is not None and any(fields):
        fields = KeptFields(*(_spelt(collection, names) for names in fields))
        columns = _columns_of(collection, _SAMPLE) if fields.values else {}
        commas = [name for name in fields.values if are_read_together(columns.get(name, {}))]
        fields = KeptFields(
            tuple(name for name in fields.values if name not in commas),
            tuple(dict.fromkeys([*fields.keywords, *commas])),
        )
    if None not in (values, keywords) or collection is None:
        return fields
    if collection.reading is None or collection.reading.size > _SMALL or collection.reading.counts:
        return fields
    columns = {name: texts for name, texts in _columns(collection).items() if texts}
    numbers = [name for name, texts in columns.items() if _kept_as_numbers(texts)]
    codes = (
        name
        for name, texts in columns.items()
        if name not in numbers and (are_read_together(texts) or 2 * _numbers_among(texts) >= texts.total())
    )
    words = dict.fromkeys([*(name for name, texts in columns.items() if _is_small(texts)), *codes])
    for name in numbers if values is None else ():
        note_left_out(name, columns[name])
    return KeptFields(
        tuple(numbers) if values is None else fields.values, tuple(words) if keywords is None else fields.keywords
    )


def _columns(collection: Collection) -> dict[str, Counter[str]]:
    columns = dict[str, Counter[str]]()
    for name, texts in collection.documents.by_field.items():
        if name not in collection.searched_fields and not any(isinstance(text, CountedWords) for text in texts):
            columns[name] = Counter(value for text in texts if text and (value := text.strip()))
    return columns


def _numbers_among(texts: Mapping[str, int]) -> int:
    return sum(count for text, count in texts.items() if not np.isnan(number_in(text)))


def holds_numbers_among(texts: Mapping[str, int]) -> bool:
    """True if at least half of the texts, with their frequencies, are numbers or dates, and none is a code.

    A code has a zero in front, or one at the end where the numbers of decimals differ.

    >>> columns = ["1.50", "20"], ["1", "n/a"], ["01234", "5"], ["1.1", "1.10"]
    >>> [holds_numbers_among(Counter(texts)) for texts in columns]
    [True, True, False, False]
    """
    numbers = [text for text in texts if not np.isnan(number_in(text))]
    decimals = {len(point[1]) for text in numbers if (point := re.fullmatch(_POINT, text))}
    code = _CODE if len(decimals) > 1 else _ZERO_IN_FRONT
    enough = bool(numbers) and 2 * _numbers_among(texts) >= sum(texts.values())
    return enough and not any(re.fullmatch(code, text) for text in numbers)


def _kept_as_numbers(texts: Mapping[str, int]) -> bool:
    """True if each number of a field can be read by itself; others are kept as texts, which together show the form."""
    return holds_numbers_among(texts) and not are_read_together(texts)


def decimal_commas(texts: Mapping[str, int]) -> bool:
    """True if a comma can only separate decimals in some texts, with their frequencies.

    Alone, 3,7 could be two numbers, 1,299 a thousand, and 1.299 a fraction. All texts with a digit are numbers with at
    most one comma, at least half of all, and some comma stands before a single digit, or points group the thousands of
    a number without decimals while a comma separates those of another.

    >>> columns = ["3,7", "4", "n/a"], ["1.234,50", "99,9"], ["1.299", "4,50"]
    >>> [decimal_commas(Counter(texts)) for texts in columns]
    [True, True, True]
    >>> columns = ["1,299", "2,450"], ["3,7", "3.7"], ["3,7", "1,2,3"], ["1.299", "2,450"]
    >>> [decimal_commas(Counter(texts)) for texts in columns]
    [False, False, False, False]
    """
    with_digit = {plain_minus(text): count for text, count in texts.items() if any(map(str.isdigit, text))}
    if not with_digit or not all(map(WITH_COMMAS.fullmatch, with_digit)):
        return False
    enough = 2 * sum(with_digit.values()) >= sum(texts.values())
    decimals = {len(text.partition(",")[2]) for text in with_digit}
    grouped = any("." in text and "," not in text for text in with_digit)
    return enough and (1 in decimals or (grouped and bool(decimals - {0, 3})))


def _are_points_unclear(texts: Mapping[str, int]) -> bool:
    """True if a point may group thousands in some texts, for a comma separates decimals in others."""
    numbers = [*map(plain_minus, texts)]
    grouped = any(re.fullmatch(_MAY_GROUP, text) for text in numbers)
    return grouped and any(text.count(",") == 1 and re.search(_COMMA, text) for text in numbers)


def are_read_together(texts: Mapping[str, int]) -> bool:
    """True if what a comma or a point means in the numbers of a field shows only in all of its texts."""
    return decimal_commas(texts) or (holds_numbers_among(texts) and _are_points_unclear(texts))


def numbers_among(texts: Mapping[str, int]) -> list[float]:
    """Read the number in each text of a field; NaN for another text, or one whose point may mean either.

    >>> numbers_among(Counter(["3,7", "1.234,50", "1.234", "n/a"]))
    [3.7, 1234.5, 1234.0, nan]
    >>> numbers_among(Counter(["1.299", "4,50", "0.5"]))
    [nan, 4.5, 0.5]
    """
    if decimal_commas(texts):
        return [*map(number_in, map(DecimalMarks(commas=True).plain, texts))]
    unclear = _MAY_GROUP if _are_points_unclear(texts) else r"(?!)"
    return [math.nan if re.fullmatch(unclear, plain_minus(text)) else number_in(text) for text in texts]


_MAY_GROUP, _COMMA = r"(?a)[+-]?[1-9]\d{0,2}\.\d{3}", r"(?a)\d,\d\d?(?!\d)"
_POINT = r"(?a)[+-]?\d+\.(\d+)"
_ZERO_IN_FRONT = r"(?a)0\d+(?:\.\d*)?"
_CODE = rf"{_ZERO_IN_FRONT}|\d+\.\d+0"


def note_left_out(name: str, texts: Mapping[str, int]) -> None:
    """Note how many values of a field of numbers are no numbers, with one of them."""
    others = [text for text, number in zip(texts, numbers_among(texts), strict=True) if np.isnan(number)]
    if others:
        note(
            f"{name}: {sum(texts[text] for text in others):,} of {counted(sum(texts.values()), 'value')}, such as "
            f"'{cut(others[0], 30)}', are not plain numbers or dates and are left out"
        )


def _is_small(texts: Mapping[str, int]) -> bool:
    total, distinct = sum(texts.values()), {*map(folded, texts)}
    few = is_facet(distinct, total) or 2 <= len(distinct) <= min(_MOST, total // 2)
    return few and max(map(len, texts)) <= _LONGEST


def is_facet(distinct: Several[str], n_documents: int) -> bool:
    """True if a field with these distinct values in so many documents divides them into a few groups."""
    return 2 <= len(distinct) <= FEW and len(distinct) < n_documents and max(map(len, distinct)) <= _LONGEST


class Keywords(NamedTuple):
    """Distinct values of a field by their UTF-8 bytes, and for each document 1 + the place of its value, or 0."""

    values: list[str]
    codes: np.ndarray

    def docs(self, chosen: np.ndarray | Sequence[bool]) -> np.ndarray:
        """Return the documents with one of some values, given by their places or by a mask, by rising number; int64."""
        is_chosen = np.zeros(len(self.values) + 1, dtype=bool)
        is_chosen[1:][chosen] = True
        return np.flatnonzero(is_chosen[self.codes])

    def text(self, number: int) -> str:
        """Return the value of a document, "" if it has none."""
        code = int(self.codes[number])
        return self.values[code - 1] if code else ""


class ValueGroups(NamedTuple):
    """Values of a field that are equal but for case, blanks and composed letters, as one each, in their order."""

    values: list[str]  # the most frequent spelling of each
    folded: list[str]
    codes: np.ndarray  # (N,) 1 + the place of the value of each document, or 0

    @classmethod
    def of(cls, keywords: Keywords, fold: Callable[[str], str] | None = None) -> ValueGroups:
        """Group the values of a field; numbers come first, by size."""
        fold = fold or folded
        frequencies = count_each(keywords.codes, minlength=len(keywords.values) + 1)[1:].tolist()
        spellings: dict[str, tuple[int, str]] = {}
        for value, frequency in zip(keywords.values, frequencies, strict=True):
            spelling = spellings.get(fold(value), (0, ""))
            spellings[fold(value)] = (frequency, value) if frequency > spelling[0] else spelling

        def place(value: str) -> tuple[bool, float, str]:
            number = number_in(value)
            return math.isnan(number), 0.0 if math.isnan(number) else number, value

        order = sorted(spellings, key=place)
        places = {value: number for number, value in enumerate(order, 1)}
        codes = np.array([0, *(places[fold(value)] for value in keywords.values)], dtype=np.int32)
        return cls([spellings[value][1] for value in order], order, codes[keywords.codes])

    def docs(self, text: str) -> np.ndarray:
        """Return the documents whose folded value equals a text, by rising number; int64."""
        equal = [value == text for value in self.folded]
        return np.flatnonzero(np.array([False, *equal])[self.codes])


class KeywordCounter:
    """Values of one field of the documents read so far."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {"": 0}
        self._codes = array("i")

    def extend(self, texts: Iterable[str]) -> None:
        """Add the field of some documents; surrounding blanks do not count."""
        places = self._places
        self._codes.extend(places.setdefault(encodable(text.strip())[0], len(places)) for text in texts)

    def finish(self) -> Keywords:
        """Return the values of all documents."""
        return _sorted([*self._places], np.frombuffer(self._codes, dtype=np.int32))


def _sorted(values: Sequence[str], codes: np.ndarray) -> Keywords:
    """Sort the values, and the codes with them; the first of `values` is the "" of documents without any."""
    order = sorted(range(1, len(values)), key=lambda place: values[place].encode())
    place = np.zeros(len(values), dtype=np.int32)
    place[order] = np.arange(1, len(order) + 1)
    return Keywords([values[old] for old in order], place[codes])


def keyword_arrays(columns: Mapping[str, Keywords]) -> dict[str, np.ndarray]:
    """Return the arrays of the fields, as docs/look-up/index-format.md describes them; empty without any."""
    if not columns:
        return {}
    values = Strings.of([value for column in columns.values() for value in column.values])
    return {
        **Strings.of(list(columns)).arrays("keyword_names"),
        **values.arrays("keywords"),
        "keyword_counts": np.array([len(column.values) for column in columns.values()], dtype=np.int64),
        "keyword_codes": np.concatenate([column.codes for column in columns.values()]).astype(np.int32),
    }


def keywords_of(arrays: Arrays) -> dict[str, Keywords]:
    """Return the fields whose values an index keeps as words, by name."""
    if "keyword_names" not in arrays:
        return {}
    if problem := keywords_problem(arrays, arrays["dl"].size):
        raise StorageError(f"the index is damaged: {problem}; build it again")
    names, values = list(strings_of(arrays, "keyword_names")), list(strings_of(arrays, "keywords"))
    ends = np.cumsum(np.asarray(arrays["keyword_counts"], dtype=np.int64)).tolist()
    codes = np.asarray(arrays["keyword_codes"], dtype=np.int32).reshape(len(names), -1)
    return {
        name: Keywords(values[start:end], field_codes)
        for name, start, end, field_codes in zip(names, [0, *ends], ends, codes, strict=False)
    }


def joined_keywords(each: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """Return the arrays of the fields of all documents of several indexes that keep the same fields."""
    parts = [keywords_of(arrays) for arrays in each]
    joined = {}
    for name in parts[0]:
        places: dict[str, int] = {"": 0}
        codes = []
        for part in parts:
            new_codes = [0, *(places.setdefault(value, len(places)) for value in part[name].values)]
            codes.append(np.array(new_codes, dtype=np.int32)[part[name].codes])
        joined[name] = _sorted([*places], np.concatenate(codes))
    return keyword_arrays(joined)


def keywords_left(arrays: Arrays, stays: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of the fields of the documents that stay, without values that none of them has."""
    columns = {}
    for name, (values, codes) in keywords_of(arrays).items():
        old_codes, new_codes = np.unique(np.append(codes[stays], 0), return_inverse=True)
        columns[name] = Keywords(
            [values[code - 1] for code in old_codes.tolist() if code], new_codes[:-1].astype(np.int32)
        )
    return keyword_arrays(columns)


def keywords_problem(arrays: Mapping[str, Any], n_documents: int) -> str:
    """Return the problem with the sizes and the codes of the fields, else ""."""
    if "keyword_names" not in arrays:
        return ""
    n_names = arrays["keyword_names_offsets"].size - 1
    counts = np.asarray(arrays["keyword_counts"], dtype=np.int64)
    codes = np.asarray(arrays["keyword_codes"], dtype=np.int64)
    if counts.size != n_names or (counts < 0).any() or counts.sum() != arrays["keywords_offsets"].size - 1:
        return "its keyword_counts do not fit its keywords"
    if codes.size != n_names * n_documents or (codes < 0).any() or (codes > counts.repeat(n_documents)).any():
        return "its keyword_codes do not fit its keywords"
    return ""
