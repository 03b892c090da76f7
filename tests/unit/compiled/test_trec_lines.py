"""Lines of TREC files read by both forms of the loop, compared with the columns that Python finds in the same bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_forms import Cells, both_forms

from toysearch.base.encoded_texts import Identifiers

FORMS = both_forms("trec_lines")
TENS = 10.0 ** np.arange(16)
IDS = st.text("ab1é日-", min_size=1, max_size=20)
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.decimals(-9999, 9999, places=3).map(str),
    st.text("0123456789.-", min_size=1, max_size=19),
    st.sampled_from(["9007199254740992", "9007199254740993", "-0", "+1", "1e5", ".", "-", "1..2", "1_0", "-.5", "5."]),
)
ROWS = st.lists(st.tuples(st.sampled_from(["1", "2", "10", "longer-than-a-word"]), IDS, NUMBERS), min_size=1)


def read(form, data: bytes, width: int, value: int, rank: int, alike: int, words: int = 8):
    """What a form of the loop finds: rows, changes of query, ids, values, and the texts of the numbers it leaves."""
    most = len(data)
    ids, values = np.zeros((most, words), np.uint64), np.zeros(most)
    queries, others = np.zeros((most, 3), np.int64), np.zeros((most, 3), np.int64)
    arrays = [ids, values, queries, others]
    compiled = form.__file__[-3:] != ".py"
    text, powers, *outputs = [
        array if compiled else Cells(array) for array in (np.frombuffer(data, np.uint8), TENS, *arrays)
    ]
    n, n_queries, n_others, longest = form.read(text, width, value, rank, alike, powers, *outputs)
    changes = [(row, data[start:stop]) for row, start, stop in queries[:n_queries].tolist()]
    left = {row: data[start:stop] for row, start, stop in others[:n_others].tolist()}
    return n, changes, ids[: max(n, 0)], values[: max(n, 0)], left, longest


@pytest.mark.parametrize("form", FORMS, ids=lambda module: "compiled" if module.__file__[-3:] != ".py" else "python")
class TestLines:
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @given(rows=ROWS, run=st.booleans())
    def test_columns_are_those_of_python(self, form, end, rows, run):
        lines = [
            f"{query} Q0 {doc}\t1 {number} tag" if run else f"{query} 0 {doc} {number}" for query, doc, number in rows
        ]
        data = "".join(line + end for line in lines).encode()
        width, value, rank, alike = (6, 4, 3, 5) if run else (4, 3, -1, 1)
        n, changes, ids, values, left, longest = read(form, data, width, value, rank, alike)
        queries, doc_ids, numbers = zip(*rows, strict=True)
        assert (n, longest) == (len(rows), max(len(doc.encode()) for doc in doc_ids))
        assert Identifiers(ids).at(slice(0, n)) == [*doc_ids]
        assert [*queries] == [
            query.decode()
            for (row, query), (stop, _) in zip(changes, [*changes[1:], (n, b"")], strict=True)
            for _ in range(row, stop)
        ]
        assert left == {row: numbers[row].encode() for row in left}
        assert [str(value) for row, value in enumerate(values.tolist()) if row not in left] == [
            str(float(number)) for row, number in enumerate(numbers) if row not in left
        ]

    @pytest.mark.parametrize(
        "data",
        [
            *(
                b"1 Q0 a 1 2\n",
                b"1 Q0 a 1 2 t more\n",
                b"\n",
                b"1  Q0 a 1 2 t\n",
                b"1 Q0 a 1 2 t \n",
                b"1 Q0 a\x0b1 2 t\n",
            ),
            *(b"1 Q0 a 1 2 t\rb\n", b" 1 Q0 a 1 2 t\n", b"1 Q0 " + 17 * b"a" + b" 1 2 t\n", b"1 Q0 a 1 2 t\n\r\n"),
            *(b"1 Q0 a %b 2 t\n" % rank for rank in (b"b", b"1.5", b"-", b"+", b".", b"1e3", b"1.0b", b"--1")),
        ],
    )
    def test_other_lines_are_refused(self, form, data):
        assert read(form, data, 6, 4, 3, 5, words=2)[0] == -1
        assert read(form, b"1 Q0 a 1 2 t\n" + data, 6, 4, 3, 5, words=2)[0] == -1

    @pytest.mark.parametrize("tag", [b"s", b"tt", b"T", b"\xc3\xa9"])
    def test_lines_of_another_tag_are_refused(self, form, tag):
        line = b"1 Q0 a 1 2 %b\n"
        assert read(form, 3 * (line % tag), 6, 4, 3, 5)[0] == 3
        assert read(form, line % b"t" + line % tag + line % b"t", 6, 4, 3, 5)[0] == -1

    def test_an_id_may_fill_its_words(self, form):
        n, _, ids, _, _, longest = read(form, b"1 Q0 " + 16 * b"a" + b" 1 2 t\n", 6, 4, 3, 5, words=2)
        assert (n, longest) == (1, 16)
        assert ids.tobytes() == 16 * b"a"
