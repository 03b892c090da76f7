"""Texts in the fields of documents → numbers: plain ones, dates, amounts of money, numbers with a unit."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from toysearch.files.numbers import WITH_COMMAS, DecimalMarks, finite_number, plain_minus

_CLOCK = r"[T ](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d+)?)?"
_ZONE = r"(?P<zone>Z|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d))"
_DATE = rf"(?a:(?P<month>\d{{4}}-\d\d)(?:(?P<day>-\d\d)(?:{_CLOCK} ?{_ZONE}?)?)?)"
_DAY_FIRST = r"(?a:(\d\d?)\.(\d\d?)\.(\d{4}))"  # with points the day comes first in every country; with slashes not
_YEAR_FIRST = r"(?a:(\d{4})/(\d\d?)/(\d\d?))"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_NAMED_MONTH = re.compile(
    rf"(?ai)(?:[a-z]{{3,9}},? +)?(?:(?P<day>\d\d?)[ -](?P<month>{_NAME})|(?P<before>{_NAME}) (?P<behind>\d\d?)),?[ -]"
    r"(?P<year>\d{4})(?:,? (?P<clock>\d\d:\d\d(?::\d\d)?)(?: (?P<zone>GMT|UTC|[+-]\d{4}))?)?"
)
_WITH_SLASHES = r"(?a:(\d\d?)/(\d\d?)/(\d{4}))"
_CURRENCY = r"(?i)(?:[$€£¥]|CHF|EUR|GBP|USD)"
_BLANKS = dict.fromkeys((0xA0, 0x2009, 0x202F), " ")  # no-break, thin, and both
_GROUPED = r"(?a)[+-]?\d{1,3}(?:(?P<group>[., '’])\d{3}(?:(?P=group)\d{3})*|\d*)(?P<decimals>[.,]\d\d?)?"
EXAMPLES_OF_DATES = "2021-06, 2021-06-15 and 2021-06-15T12:00:00Z"
"""Examples of the texts that are read as dates."""


def number_in(text: str) -> float:
    """Read the number in a field (for a date, the year plus the elapsed fraction of it), else NaN.

    >>> number_in("438,50 €"), number_in("1.299,00"), number_in("1,299"), number_in("2021-07-02T12:00:00Z")
    (438.5, 1299.0, nan, 2021.5)
    >>> number_in("01.01.2021") == number_in("1.1.2021") == number_in("2021-01-01")
    True
    """
    text = plain_minus(text.strip())
    number = finite_number(text)
    if number is not None:
        return number
    if date := re.fullmatch(_DATE, as_iso(text)):
        return _number_of_date(date)
    return _amount(text)


def as_iso(text: str) -> str:
    """Write a day as 2021-06-15 that is written in another way which is clear; return any other text as it is.

    >>> as_iso("15.6.2021"), as_iso("2021/06/15"), as_iso("Tue, 15 Jun 2021 08:30:00 GMT"), as_iso("June 15, 2021")
    ('2021-06-15', '2021-06-15', '2021-06-15T08:30:00Z', '2021-06-15')
    """
    if day := re.fullmatch(_DAY_FIRST, text):
        return _iso(*day.groups())
    if day := re.fullmatch(_YEAR_FIRST, text):
        return _iso(day[3], day[2], day[1])
    if not (day := _NAMED_MONTH.fullmatch(text)):
        return text
    month = _MONTHS.index((day["month"] or day["before"])[:3].lower()) + 1
    clock = f"T{day['clock']}{'Z' if day['zone'] in ('GMT', 'UTC') else day['zone'] or ''}" if day["clock"] else ""
    return _iso(day["day"] or day["behind"], str(month), day["year"]) + clock


def _iso(day: str, month: str, year: str) -> str:
    return f"{year}-{month:0>2}-{day:0>2}"


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
    return re.fullmatch(_DATE, as_iso(text)) is not None


def _is_day(text: str) -> bool:
    return re.fullmatch(rf"{_DATE}|{_WITH_SLASHES}", as_iso(text.strip())) is not None


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
    text = as_iso(text)
    date = re.fullmatch(_DATE, text)
    if date is None or date["hour"] or math.isnan(number_in(text)):
        return math.nan
    year, month = int(text[:4]), int(text[5:7])
    if date["day"]:
        day = datetime.date.fromisoformat(text)
        ends = (day.month, day.day) == (12, 31)
        return year + 1.0 if ends else number_in(str(day + datetime.timedelta(1)))
    return year + 1.0 if month == 12 else number_in(f"{year}-{month + 1:02}")


WORDS, NUMBERS, DATES, LONG = range(4)
"""Kinds of fields; LONG: whole numbers of 64 bits, of which some have no exact float."""

_MOST_EXACT = 1 << 53
_MOST_DIGITS = 20  # with a sign
_WHOLE = r"(?a)[+-]?(?:0|[1-9]\d*)"
_UNIT = re.compile(r"(?a:[+-]?\d[\d.,]*)\s?(%|‰|°?[^\W\d_]{1,12}[²³]?)")
_MAY_GROUP, _COMMA = r"(?a)[+-]?[1-9]\d{0,2}\.\d{3}", r"(?a)\d,\d\d?(?!\d)"
_POINT = r"(?a)[+-]?\d+\.(\d+)"
_ZERO_IN_FRONT = r"(?a)0\d+(?:\.\d*)?"
_CODE = rf"{_ZERO_IN_FRONT}|\d+\.\d+0"
_DAY_OR_MONTH = re.compile(rf"{_WITH_SLASHES}.*")
_YEAR = r"(?a)[1-9]\d{3}"
_MONTH = rf"\b(?:{'|'.join(_MONTHS)})[a-z]*\b"
_WITH_MONTH = re.compile(rf"(?i){_MONTH}.*\d{{4}}|\d.*{_MONTH}")


class Form(NamedTuple):
    """What the numbers of a field are like, which shows only in all of its texts."""

    unit: str = ""  # after each of them, such as GB or %
    commas: bool = False  # separate decimals
    unclear: bool = False  # a point before three digits may group thousands
    first: str = ""  # of dates with slashes: "day" or "month"

    @classmethod
    def of(cls, texts: Mapping[str, int]) -> Form:
        """Return the form of some texts, with their frequencies."""
        unit = _unit_of(texts)
        if unit:
            texts = {without_unit(text, unit): count for text, count in texts.items()}
        has_commas = any("," in text for text in texts)
        commas = has_commas and decimal_commas(texts)
        unclear = has_commas and not commas and _are_points_unclear(texts)
        return cls(unit, commas, unclear, _first_in([text for text in texts if "/" in text]))

    def number(self, text: str) -> float:
        """Read the number in a text, else NaN."""
        text = plain_minus(without_unit(text, self.unit))
        if self.commas:
            text = DecimalMarks(commas=True).plain(text)
        if self.unclear and re.fullmatch(_MAY_GROUP, text):
            return math.nan
        if self.first and (date := re.fullmatch(_WITH_SLASHES, text)):
            one, other, year = date.groups()
            text = _iso(one, other, year) if self.first == "day" else _iso(other, one, year)
        return number_in(text)


def number_and_unit(text: str) -> tuple[float, str]:
    """Return the number in a text, else NaN, and the unit after it, or "".

    >>> number_and_unit("9GB"), number_and_unit("5 %"), number_and_unit("2021-06")
    ((9.0, 'GB'), (5.0, '%'), (2021.4136986301369, ''))
    """
    number, match = number_in(text), _UNIT.fullmatch(text)
    return (number_in(without_unit(text, match[1])), match[1]) if match and math.isnan(number) else (number, "")


def _unit_of(texts: Iterable[str]) -> str:
    """Return what stands after the number in each of some texts; "" if it differs, or a text has none."""
    unit = ""
    for text in texts:
        match = _UNIT.fullmatch(text)
        if match is None or (unit and match[1].casefold() != unit.casefold()) or re.fullmatch(_CURRENCY, match[1]):
            return ""
        unit = unit or match[1]
    return unit


def without_unit(text: str, unit: str) -> str:
    """Return a text without a unit at its end.

    >>> without_unit("9 GB", "gb"), without_unit("5%", "%"), without_unit("9", "GB")
    ('9', '5', '9')
    """
    return text[: -len(unit)].rstrip() if unit and text.casefold().endswith(unit.casefold()) else text


def _first_in(texts: Iterable[str]) -> str:
    """Return what comes first in dates with slashes, if only one reading fits all of them."""
    dates = [match for text in texts if (match := re.fullmatch(_WITH_SLASHES, text))]
    most = [max((int(date[place]) for date in dates), default=0) for place in (1, 2)]
    if most[0] > 12 >= most[1]:
        return "day"
    return "month" if most[1] > 12 >= most[0] else ""


def typed(texts: Mapping[str, int]) -> tuple[int, list[float]]:
    """Return the kind of a field and the number in each of its texts, NaN for a word.

    texts : with their frequencies

    >>> typed({"9 GB": 1, "10 GB": 1}), typed({"01234": 1, "5": 1})
    ((1, [9.0, 10.0]), (0, [1234.0, 5.0]))
    >>> typed({"12/31/2020": 1, "01/01/2021": 1})[0] == DATES, typed({"1234567824702058497": 2})[0] == LONG
    (True, True)
    """
    form = Form.of(texts)
    numbers = [*map(form.number, texts)]
    found = [text for text, number in zip(texts, numbers, strict=True) if not math.isnan(number)]
    enough = bool(found) and 2 * sum(map(texts.__getitem__, found)) >= sum(texts.values())
    if any(abs(number) >= _MOST_EXACT for number in numbers) and any(map(_is_long, found)):
        fits = enough and all(map(_fits_64_bits, found))
        return (LONG, numbers) if fits else (WORDS, [math.nan] * len(numbers))
    if not enough or (not form.commas and _are_codes(found)):
        return WORDS, numbers
    are_dates = any(map(_is_day, found)) and all(_is_day(text) or re.fullmatch(_YEAR, text) for text in found)
    return (DATES if are_dates else NUMBERS), numbers


def beyond_floats(texts: Mapping[str, int]) -> str:
    """Return a whole number that makes words of a field of numbers, for it has no exact float; "" if there is none.

    texts : those of a field of words, with their frequencies

    >>> beyond_floats({"0.5": 1, "9007199254740993": 1}), beyond_floats({"Dyson": 2, "9007199254740993": 1})
    ('9007199254740993', '')
    """
    form = Form.of(texts)
    n_numbers = sum(count for text, count in texts.items() if not math.isnan(form.number(text)))
    return next(filter(_is_long, texts), "") if 2 * n_numbers >= sum(texts.values()) else ""


def _fits_64_bits(text: str) -> bool:
    is_whole = len(text) <= _MOST_DIGITS and re.fullmatch(_WHOLE, text) is not None
    return is_whole and -(1 << 63) <= int(text) < 1 << 63


def _is_long(text: str) -> bool:
    """True for a whole number that may have no exact float."""
    return re.fullmatch(_WHOLE, text) is not None and abs(float(text)) >= _MOST_EXACT


def _are_codes(texts: Iterable[str]) -> bool:
    """True if a number has a zero in front, or one at its end where the numbers of decimals differ."""
    decimals = {len(point[1]) for text in texts if (point := re.fullmatch(_POINT, text))}
    code = _CODE if len(decimals) > 1 else _ZERO_IN_FRONT
    return any(re.fullmatch(code, text) for text in texts)


def have_unclear_order(texts: Mapping[str, int]) -> bool:
    """True if at least half of some words are amounts of several units, or dates that can be read in two ways.

    >>> have_unclear_order({"9 GB": 1, "500 MB": 1}), have_unclear_order({"01/02/2021": 1, "Mon, 03 Jun 2024": 1})
    (True, True)
    >>> have_unclear_order({"Dyson": 2, "9 GB": 1})
    False
    """
    unclear = sum(count for text, count in texts.items() if _is_unclear(text))
    return 2 * unclear >= sum(texts.values()) > 0


def _is_unclear(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (_UNIT, _DAY_OR_MONTH)) or _WITH_MONTH.search(text) is not None


def decimal_commas(texts: Mapping[str, int]) -> bool:
    """True if a comma can only separate decimals in some texts, with their frequencies.

    Alone, 3,7 could be two numbers, 1,299 a thousand, and 1.299 a fraction. All texts with a digit are numbers with at
    most one comma, at least half of all, and some comma stands before a single digit, or points group the thousands of
    a number without decimals while a comma separates those of another.

    >>> columns = ["3,7", "4", "n/a"], ["1.234,50", "99,9"], ["1.299", "4,50"]
    >>> [decimal_commas(dict.fromkeys(texts, 1)) for texts in columns]
    [True, True, True]
    >>> columns = ["1,299", "2,450"], ["3,7", "3.7"], ["3,7", "1,2,3"], ["1.299", "2,450"]
    >>> [decimal_commas(dict.fromkeys(texts, 1)) for texts in columns]
    [False, False, False, False]
    """
    with_digit = {plain_minus(text): count for text, count in texts.items() if re.search(r"\d", text)}
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
