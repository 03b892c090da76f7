"""Values of a field as they are kept and shown: against a plain list of the values of each document."""

import math
import random

import numpy as np
import pytest

from toysearch import Document, Index
from toysearch.base import JoinedText, StorageError
from toysearch.index.content_checks import check_index
from toysearch.index.stored_values import (
    FieldValues,
    ValueGroups,
    joined_values,
    of_format_4,
    value_arrays,
    values_of,
)
from toysearch.index.strings import Strings
from toysearch.index.typed_values import DATES, LONG, NUMBERS, WORDS, typed


@pytest.mark.parametrize(
    ("codes", "shown"),
    [
        ([1, 2, 3], "DYSON "),  # of spellings of one frequency the first by bytes
        ([1, 2, 2, 3], "DYSON "),
        ([1, 2, 3, 3, 0], "dyson"),
    ],
)
def test_of_several_spellings_the_most_frequent_is_shown(codes, shown):
    docs = [doc for doc, code in enumerate(codes) if code]
    places = np.array([codes[doc] - 1 for doc in docs])
    values = FieldValues.of(["Dyson", "DYSON ", "dyson"], np.array(docs), places, len(codes))
    found = ValueGroups.of(values)
    assert ([found.text(0)], len(found.spellings), found.places.tolist()) == ([shown], 1, [0, 0, 0])


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (WORDS, ["9 GB", "500 MB"]),
        (WORDS, ["01/02/2021", "02/03/2021"]),
        (WORDS, ["31/12/2021", "12/31/2021"]),
        (WORDS, ["01234", "1234"]),
        (WORDS, ["1.10", "1.1"]),
        (WORDS, ["12345678901234567890123", "1"]),
        (WORDS, ["1234567824702058497", "0.5"]),
        (WORDS, ["5%", "5 ‰"]),
        (NUMBERS, ["9 GB", "10GB"]),
        (NUMBERS, ["5%", "100 %"]),
        (NUMBERS, ["1,5 km", "2 km"]),
        (NUMBERS, ["2012", "1300"]),
        (NUMBERS, ["2024.5", "2023.5"]),  # no dates, though they would be whole days
        (NUMBERS, ["1e30", "9007199254740991"]),
        (NUMBERS, ["2021-06-15", "20"]),
        (DATES, ["2021-06-15", "2020"]),
        (DATES, ["12/31/2020", "01/01/2021"]),
        (DATES, ["31/12/2020", "01/01/2021"]),
        (DATES, ["15.06.2021", "n/a"]),
        (LONG, ["1234567824702058497", "-5"]),
        (LONG, ["9223372036854775807", "n/a"]),
        (WORDS, ["9223372036854775808", "1"]),
    ],
)
def test_the_kind_of_a_field_shows_in_all_of_its_texts(kind, texts):
    assert typed(dict.fromkeys(texts, 1))[0] == kind


TEXTS = ["Drama", "crime", "3", "40", "40.0", "2021-06-15", "1234567824702058497", "5 GB", "", "x y"]


def drawn(rng: random.Random, n: int) -> list[list[str]]:
    """The values of some documents: none, one, or several different ones."""
    some = rng.sample(TEXTS, rng.randint(1, len(TEXTS)))
    return [[text for text in rng.sample(some, min(rng.choice([0, 1, 1, 1, 3]), len(some))) if text] for _ in range(n)]


def index_of(rows: list[list[str]], first: int = 0) -> Index:
    fields = [{"text": "a", "f": JoinedText.joined(row), "g": row[0] if row else ""} for row in rows]
    documents = [Document(str(first + place), "a", "", each) for place, each in enumerate(fields)]
    return Index.build(documents, values=["f", "g"])


def listed(index: Index, field: str) -> list[list[str]]:
    values = index.values[field]
    return [[values.texts[code] for code in values.codes_of(doc)] for doc in range(len(index))]


@pytest.mark.parametrize("seed", range(40))
def test_values_survive_every_change_of_an_index(seed, tmp_path):
    rng = random.Random(seed)
    rows, more = drawn(rng, rng.randint(2, 9)), drawn(rng, rng.randint(1, 5))
    gone = rng.sample(range(len(rows)), rng.randint(1, len(rows) - 1))
    index, stays = index_of(rows), np.array([doc not in gone for doc in range(len(rows))])
    assert listed(index, "f") == rows
    assert listed(index, "g") == [row[:1] for row in rows]
    left = [row for row, remains in zip(rows, stays, strict=True) if remains]
    numbers, added = np.where(stays, np.cumsum(stays) - 1, -1), index_of(more, 100).arrays
    later = np.where(stays, numbers + len(more), -1)
    changes = [
        (joined_values((index.arrays, numbers)), left),
        (joined_values((index.arrays, numbers), (added, len(left) + np.arange(len(more)))), left + more),
        (joined_values((added, np.arange(len(more))), (index.arrays, later)), more + left),
    ]
    for arrays, expected in changes:
        anew = index_of(expected).arrays
        assert arrays.keys() == value_arrays(values_of(anew)).keys()
        assert all(np.array_equal(arrays[name], anew[name], equal_nan=name == "value_numbers") for name in arrays)
    index.save(tmp_path / "idx")
    assert check_index(tmp_path / "idx") == []
    assert listed(Index.open(tmp_path / "idx"), "f") == rows


@pytest.mark.parametrize("seed", range(20))
def test_the_least_key_and_the_documents_of_texts(seed):
    rng = random.Random(seed)
    rows = drawn(rng, 12)
    values = index_of(rows).values["f"]
    keys = {text: rng.choice([math.nan, rng.random()]) for text in values.texts}
    expected = [min((keys[text] for text in row if not math.isnan(keys[text])), default=math.nan) for row in rows]
    found = values.least(np.array([keys[text] for text in values.texts]))
    assert np.array_equal(found, expected, equal_nan=True)
    chosen = rng.sample([*values.texts], rng.randint(0, len(values.texts)))
    docs = values.docs_with([text in chosen for text in values.texts])
    assert docs.tolist() == [doc for doc, row in enumerate(rows) if {*row} & {*chosen}]
    counts = [rng.randint(0, 3) for _ in rows]
    again = values.repeated(counts)
    each = [[again.texts[code] for code in again.codes_of(doc)] for doc in range(sum(counts))]
    assert each == [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


@pytest.mark.parametrize(
    ("array", "wrong"),
    [
        ("values", lambda values: values[:-1]),
        ("keyword_codes", lambda codes: codes + 9),
        ("keyword_codes", lambda codes: codes[:-1]),
        ("keyword_counts", lambda counts: counts * 0),
        ("keyword_counts", lambda counts: counts[:-1]),
    ],
)
def test_damaged_values_of_format_4_are_refused(array, wrong):
    index = Index.build({"1": "a", "2": "b"})
    names, words = (Strings.of([name]) for name in ("year", "Rho"))
    arrays = {**index.arrays} | names.arrays("value_names") | {"values": np.array([2020.0, np.nan])}
    arrays |= names.arrays("keyword_names") | words.arrays("keywords")
    arrays |= {"keyword_counts": np.array([1]), "keyword_codes": np.array([0, 1], np.int32)}
    arrays[array] = wrong(arrays[array])
    with pytest.raises(StorageError, match="is damaged: its values do not fit its documents; build it again"):
        of_format_4(arrays)
