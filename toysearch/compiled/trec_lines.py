"""Lines of TREC files, read by a compiled loop: where queries begin, documents as words of eight bytes, and numbers."""

from __future__ import annotations

import cython

# A number is read here if it has at most this many characters and digits that a float holds exactly.
_LONGEST = cython.declare(cython.Py_ssize_t, 16)
_EXACT = cython.declare(cython.ulonglong, 1 << 53)


@cython.locals(
    at=cython.Py_ssize_t,
    start=cython.Py_ssize_t,
    row=cython.Py_ssize_t,
    column=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
    length=cython.Py_ssize_t,
    n_queries=cython.Py_ssize_t,
    n_others=cython.Py_ssize_t,
    longest=cython.Py_ssize_t,
    query=cython.Py_ssize_t,
    query_length=cython.Py_ssize_t,
    first=cython.Py_ssize_t,
    first_length=cython.Py_ssize_t,
    decimals=cython.Py_ssize_t,
    byte=cython.uchar,
    word=cython.ulonglong,
    digits=cython.ulonglong,
    same=cython.bint,
    pointed=cython.bint,
    readable=cython.bint,
    negative=cython.bint,
    number=cython.double,
)
def read(
    text: cython.const[cython.uchar][::1],
    width: cython.Py_ssize_t,
    value: cython.Py_ssize_t,
    rank: cython.Py_ssize_t,
    alike: cython.Py_ssize_t,
    powers: cython.const[cython.double][::1],
    words: cython.ulonglong[:, ::1],
    values: cython.double[::1],
    queries: cython.longlong[:, ::1],
    others: cython.longlong[:, ::1],
) -> tuple[int, int, int, int]:
    """Read complete lines; return the rows, the changes of query, the numbers left to Python, and the longest id."""
    # The query is the first of `width` columns, the document the third. Each row of `queries` and of `others` has the
    # number of a line, and where the query or the number begins and ends. −1 rows: some line has other columns, or
    # other characters between them than one blank or tab, an id that is longer than a row of `words`, another text
    # than a whole number in the column `rank`, if that is not negative, or than that of the first line in `alike`.
    if text.shape[0] and text[text.shape[0] - 1] != 10:
        raise ValueError("the last line has no end")
    row = n_queries = n_others = longest = at = query = query_length = first = first_length = 0
    with cython.nogil:
        while at < text.shape[0]:
            for column in range(width):
                start = at
                if column == 2:
                    word = place = 0
                    while text[at] > 32:
                        word |= cython.cast(cython.ulonglong, text[at]) << (8 * (at - start - 8 * place))
                        at += 1
                        if at - start == 8 * place + 8:
                            if place == words.shape[1]:
                                row = -1
                                break
                            words[row, place] = word
                            word = 0
                            place += 1
                    if row < 0 or (word and place == words.shape[1]):
                        row = -1
                        break
                    while place < words.shape[1]:
                        words[row, place] = word
                        word = 0
                        place += 1
                    longest = max(longest, at - start)
                elif column == value:
                    negative = text[at] == 45
                    if negative:
                        at += 1
                    place, digits, decimals = at, 0, 0
                    pointed, readable = False, True
                    while text[at] > 32:
                        byte = text[at]
                        if 48 <= byte <= 57 and at - place < _LONGEST:
                            digits = digits * 10 + (byte - 48)
                            decimals += pointed
                        elif byte == 46 and not pointed:
                            pointed = True
                        else:
                            readable = False
                        at += 1
                    length = at - place
                    if readable and pointed < length <= _LONGEST and digits <= _EXACT:
                        number = cython.cast(cython.double, digits) / powers[decimals]
                        values[row] = -number if negative else number
                    else:
                        others[n_others, 0], others[n_others, 1], others[n_others, 2] = row, start, at
                        n_others += 1
                elif column == rank:
                    if text[at] == 45 or text[at] == 43:
                        at += 1
                    place = at
                    byte = text[at]
                    while 48 <= byte <= 57:
                        at += 1
                        byte = text[at]
                    if byte == 46 and at > place:
                        at += 1
                        while text[at] == 48:
                            at += 1
                    if at == place or text[at] > 32:
                        row = -1
                        break
                else:
                    while text[at] > 32:
                        at += 1
                length = at - start
                if column == 0:
                    same = length == query_length
                    place = 0
                    while same and place < length:
                        same = text[start + place] == text[query + place]
                        place += 1
                    query = start
                    query_length = length
                    if not same:
                        queries[n_queries, 0], queries[n_queries, 1], queries[n_queries, 2] = row, start, at
                        n_queries += 1
                elif column == alike:
                    if row == 0:
                        first = start
                        first_length = length
                    same = length == first_length
                    place = 0
                    while same and place < length:
                        same = text[start + place] == text[first + place]
                        place += 1
                    if not same:
                        row = -1
                        break
                if column == width - 1 and text[at] == 13:
                    at += 1
                    byte = text[at] if text[at] == 10 else 0
                elif column == width - 1:
                    byte = text[at] if text[at] == 10 else 0
                else:
                    byte = text[at] if text[at] == 32 or text[at] == 9 else 0
                if length == 0 or byte == 0:
                    row = -1
                    break
                at += 1
            if row < 0:
                break
            row += 1
    return row, n_queries, n_others, longest
