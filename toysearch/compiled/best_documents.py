"""The compiled twin of `scoring.score` and `scoring.top`.

Documents are gone through in windows, whose sums stay in a core's own cache. Terms stand in the canonical order, in
which each adds less at best than those before it. Once k documents are known, those that hold only the last terms
cannot come among them, so only the first terms' postings are gone through (MaxScore: Turtle & Flood 1995). How far a
document must get with these is known from the beginning: of each term, the weight that k documents have at least.

Where few documents of many are sought by few terms, the first terms' postings only bound what a document may get. Those
that may get far enough are noted and looked up in all terms: those that may get most come first, and how far they get
tells that most of the others need not be looked at. Otherwise the first terms are added up, and a document whose sum
gets far enough is looked up in the others.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiled.candidates import (
    BATCH,
    BOUNDS_AT,
    DOCS_AT,
    FEW,
    MANY,
    MOST_NOTED,
    MOSTS_AT,
    NOTED_AT,
    add_first,
    bound_span,
    clear_first,
    note_reached,
)
from toysearch.compiled.compilation import ZERO, inlined, kernel
from toysearch.compiled.list_layout import (
    DOCS,
    HIGHEST,
    LEVELED,
    LOWEST,
    NUMBER,
    RANKED,
    RANKS,
    SIZE,
    SPAN,
    STARTS,
    WEIGHTS,
    WINDOW,
    WINDOW_BITS,
    address_of,
    fetch_lines,
    fetch_postings,
    float_at,
    half_at,
    look_up,
    lowest_bit,
    place_at,
    put_float,
    put_word,
    word_at,
)
from toysearch.compiled.top_k import falling, keep_best, kth_highest

LARGEST = 1e300  # sums beyond might not be finite
ROUNDING = 2.3e-16  # a little more than what one operation on float64 can be off, relative to its result
FIRST = 32  # documents that are completed first of those whose bounds are known
ADDED, BOUNDED = 3.0, 64.0  # times the postings before it, up to which a term is added up, or bounded, not looked up
DENSE = 0.2  # postings a document, from which on all documents of a window are looked at instead of noted
LOOK_UP = 8  # postings are added up in the time in which a document is looked up in a term, where many are
NOTED = 5.0  # documents for each that is sought, at the most


@kernel
def in_order(addresses: np.ndarray, query_weights: np.ndarray, product: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """The canonical order of a query's terms, what each adds at best, and how large all can become together."""
    n, size = len(addresses), 0.0
    tops, numbers = np.empty(n), np.empty(n, np.int64)
    order, scratch = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        q, high, low = query_weights[i], float_at(addresses[i], HIGHEST), float_at(addresses[i], LOWEST)
        one, other = (q * high, q * low) if product else (min(q, high), min(q, low))
        tops[i], numbers[i] = max(one, other), word_at(addresses[i], NUMBER)
        size += max(abs(one), abs(other))
    falling(tops, numbers, n, order, scratch)
    return order, tops, size


@kernel
def add_up(
    n_docs: int,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    product: bool,
    sums: np.ndarray,
    marked: np.ndarray,
    found: np.ndarray,
    totals: np.ndarray,
) -> int:
    """Fill `found` and `totals` with all matching documents and their sums of weights, and return their number."""
    # `sums` and `marked` are zeros before and after.
    n, kept = len(addresses), 0
    order, _, _ = in_order(addresses, query_weights, product)
    own_sums, own_marked = address_of(sums), address_of(marked)
    for base in range(0, n_docs, WINDOW):
        for i in range(n):
            address, q = addresses[order[i]], query_weights[order[i]]
            docs, starts = address + word_at(address, DOCS), address + word_at(address, STARTS)
            for place in range(place_at(starts, base >> WINDOW_BITS), place_at(starts, (base >> WINDOW_BITS) + 1)):
                doc = half_at(docs, place) & (WINDOW - 1)
                weight = float_at(address + word_at(address, WEIGHTS), place)
                put_float(own_sums, doc, float_at(own_sums, doc) + (q * weight if product else min(q, weight)))
                put_word(own_marked, doc >> 6, word_at(own_marked, doc >> 6) | np.int64(1) << (doc & 63))
        for number in range(len(marked)):
            word = marked[number]
            marked[number] = 0
            while word != 0:
                doc = (number << 6) + lowest_bit(word)
                word &= word - 1
                found[kept], totals[kept] = base + doc, sums[doc]
                sums[doc] = 0.0
                kept += 1
    return kept


@kernel
def totals_of(
    addresses: np.ndarray, query_weights: np.ndarray, docs: np.ndarray, totals: np.ndarray, hits: np.ndarray
) -> None:
    """Fill `totals` with the sums of the weights that terms give to some documents."""
    order, _, _ = in_order(addresses, query_weights, True)
    totals[:] = 0.0
    for i in order:
        look_up(
            addresses[i],
            query_weights[i],
            0.0,
            -np.inf,
            address_of(docs),
            address_of(totals),
            len(docs),
            address_of(hits),
        )


@inlined
def surely(addresses: np.ndarray, query_weights: np.ndarray, k: int) -> float:
    """What the terms of at least k documents give together, -inf where that is not known."""
    least, below = -np.inf, 0.0
    for i in range(len(addresses)):
        q = query_weights[i]
        worst = min(0.0, q * float_at(addresses[i], LOWEST), q * float_at(addresses[i], HIGHEST))
        below += worst
        for j in range(len(RANKS)):
            if k <= RANKS[j]:
                if q > 0:
                    least = max(least, q * float_at(addresses[i], RANKED + j) - worst)
                break
    return least + below


@inlined
def first_terms(own: np.ndarray, rest: np.ndarray, postings: np.ndarray, top: float, least: float, worth: float) -> int:
    """How many terms' postings are gone through: those that must be, and those that it is not worth to look up."""
    n = len(own)
    first = n
    while first > 0 and rest[first - 1] + top < least:
        first -= 1
    while 0 < first < n and word_at(own[first], SIZE) <= worth * postings[first]:
        first += 1
    return first


@inlined
def fetch_beginnings(own: np.ndarray, n_docs: int) -> None:
    """Have that brought near of each list which is read first: its header, where levels begin, and about one span."""
    for i in range(len(own)):
        first_span = 2 * word_at(own[i], SIZE) * SPAN // n_docs  # bytes
        fetch_lines(own[i], own[i] + word_at(own[i], LEVELED) + first_span)


def words_of_work(n_terms: int) -> int:
    """How many words `best` works with."""
    return NOTED_AT // 8 + max(n_terms * WINDOW, MOST_NOTED)


@inlined
def complete(
    room: int,
    noted: int,
    n_noted: int,
    base: int,
    done: int,
    own: np.ndarray,
    q: np.ndarray,
    rest: np.ndarray,
    over: float,
    least: float,
    every: float,
    part: np.ndarray,
    k: int,
    found: np.ndarray,
    scores: np.ndarray,
    kept: int,
    scratch: np.ndarray,
) -> tuple[int, float]:
    """Score documents that are noted, and keep those that get to `least`; returns how many are kept, and `least`."""
    # The first `done` terms are in the sums of the window at `base`; `over` is what comes on top of the terms at most.
    docs, totals, hits = room + DOCS_AT, room + DOCS_AT + 8 * BATCH, room + DOCS_AT + 16 * BATCH
    for start in range(0, n_noted, BATCH):
        left = ZERO
        for number in range(start, min(n_noted, start + BATCH)):
            doc, total = word_at(noted, number), 0.0
            if done:
                total = float_at(room, doc - base)
                put_float(room, doc - base, -np.inf)  # one that is noted again has been seen
            put_word(docs, left, doc)
            put_float(totals, left, total)
            left += total != -np.inf
        if not done:
            fetch_postings(own, docs, left, hits)
        for j in range(done, len(own)):
            left = look_up(own[j], q[j], rest[j + 1] + over, least, docs, totals, left, hits)
        for i in range(left):
            doc, score = word_at(docs, i), float_at(totals, i) + every
            if len(part):
                score += part[doc]
            if score >= least:
                found[kept], scores[kept] = doc, score
                kept += 1
                if kept == len(found):
                    least, kept = keep_best(found, scores, kept, k, scratch), k
    if not done and kept > k:
        least, kept = keep_best(found, scores, kept, k, scratch), k
    return kept, least


@inlined
def likely(room: int, mosts: np.ndarray, spare: np.ndarray, n_noted: int, start: int, least: float, wanted: int) -> int:
    """Put those noted documents first, from `start` on, that get most; returns where they end."""
    # `wanted` are put there, and those that get no less; but none that cannot get to `least`.
    noted, n = room + NOTED_AT, n_noted - start
    if n > wanted:
        for i in range(n):
            spare[i] = mosts[start + i]
        least = max(least, kth_highest(spare, n, wanted))
    for i in range(start, n_noted):
        doc, most = word_at(noted, i), mosts[i]
        put_word(noted, i, word_at(noted, start))
        mosts[i] = mosts[start]
        put_word(noted, start, doc)
        mosts[start] = most
        start += most >= least
    return start


@inlined
def highest_of(values: np.ndarray, start: int, stop: int) -> float:
    """The highest of some values; as short as this, it compiles much sooner than numpy's."""
    highest = -np.inf
    for i in range(start, min(stop, len(values))):
        highest = max(highest, values[i])
    return highest


@kernel
def put_in_order(
    addresses: np.ndarray, query_weights: np.ndarray, order: np.ndarray, tops: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A query's terms in an order: addresses, query weights, the most that each adds, and two values for each place."""
    # These are what the terms from there on add at most, and how many postings those before it have.
    n = len(addresses)
    own, q, highest = np.empty(n, np.int64), np.empty(n), np.empty(n)
    rest, postings = np.empty(n + 1), np.empty(n + 1)
    rest[n] = postings[0] = 0.0
    for i in range(n):
        own[i], q[i], highest[i] = addresses[order[i]], query_weights[order[i]], max(0.0, tops[order[i]])
        postings[i + 1] = postings[i] + word_at(own[i], SIZE)
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + highest[i]
    return own, q, highest, rest, postings


@kernel
def best(
    n_docs: int,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    parts: np.ndarray,
    part: np.ndarray,
    part_highest: np.ndarray,
    part_lowest: float,
    part_size: float,
    k: int,
    bounding: bool,
    work: np.ndarray,
    found: np.ndarray,
    scores: np.ndarray,
    scratch: np.ndarray,
) -> int:
    """Fill `found` and `scores` with documents among which are the k best; returns how many they are."""
    # -1 where scores might not be finite. Where `bounding` is false, the first terms are added up from the beginning.
    # `work` has room for `words_of_work(n)` words, of which the first `WINDOW` are zeros before and after.
    n, room = len(addresses), address_of(work)
    mosts, spare = work[MOSTS_AT // 8 :], work[MOSTS_AT // 8 + MOST_NOTED :]
    order, tops, size = in_order(addresses, query_weights, True)
    size += part_size
    for i in range(n):
        size += abs(parts[i])
    if not size < LARGEST:
        return -1
    every = parts[order[0]] if n else 0.0  # of every ranked document, added in the canonical order too
    for i in range(1, n):
        every += parts[order[i]]
    slack = ROUNDING * (2 * n + 16) * size
    own, q, highest, rest, postings = put_in_order(addresses, query_weights, order, tops)
    most_looked_up = postings[n] / (LOOK_UP * n) if n else 0.0  # documents; with more, adding up is as quick
    exactly = not bounding or n >= FEW or NOTED * k > most_looked_up
    if not exactly:
        fetch_beginnings(own, n_docs)
    least = surely(own, q, k) + every + part_lowest - slack
    kept = base = n_noted = looked_up = ZERO
    begun, unit, over = -1, 0.0, -np.inf
    while base < n_docs:
        step = WINDOW if exactly else SPAN
        top = every + slack  # what comes on top of the terms, and what rounding can
        if len(part):
            top += highest_of(part_highest, base >> WINDOW_BITS, base + step >> WINDOW_BITS)
        over = max(over, top)  # in any document that is noted
        first = first_terms(own, rest, postings, top, least, ADDED if exactly else BOUNDED)
        enough, done, dense, gives_up = least - rest[first] - top, 0, False, False
        if exactly:
            done = first
            dense = enough > 0 and postings[first] >= DENSE * n_docs
            n_noted = add_first(own[:first], q, base, n_docs, enough, dense, room, n_noted)
        elif first > 0:
            before = n_noted
            if enough > 0:
                begun, unit = bound_span(own, q, highest, first, enough, base, room + BOUNDS_AT, begun)
                n_noted = note_reached(
                    base, room + BOUNDS_AT, begun, unit, least - enough, room + NOTED_AT, room + MOSTS_AT, n_noted
                )
            gives_up = enough <= 0 or n_noted - before > most_looked_up
            if gives_up:
                n_noted, step = before, 0
        if exactly or gives_up or n_noted > MANY or base + step >= n_docs:
            start = ZERO
            while start < n_noted:
                stop = n_noted
                if not exactly:
                    stop = likely(room, mosts, spare, n_noted, start, least, max(FIRST, 2 * k, start))
                kept, least = complete(
                    room,
                    room + NOTED_AT + 8 * start,
                    stop - start,
                    base,
                    done,
                    own,
                    q,
                    rest,
                    over,
                    least,
                    every,
                    part,
                    k,
                    found,
                    scores,
                    kept,
                    scratch,
                )
                looked_up += stop - start
                start = stop if stop > start else n_noted  # those that are left cannot get there
            clear_first(own[:done], base, n_docs, dense, room)
            n_noted, over, exactly = 0, -np.inf, exactly or gives_up or looked_up > most_looked_up
        base += step
    return kept


@kernel
def search(
    n_docs: int,
    addresses: np.ndarray,
    query_weights: np.ndarray,
    parts: np.ndarray,
    bounds: np.ndarray,
    part: np.ndarray,
    part_highest: np.ndarray,
    part_lowest: float,
    part_size: float,
    k: int,
    bounding: bool,
    work: np.ndarray,
    found: np.ndarray,
    scores: np.ndarray,
    scratch: np.ndarray,
    order: np.ndarray,
    out_docs: np.ndarray,
    out_scores: np.ndarray,
    counts: np.ndarray,
) -> None:
    """The k best documents of each query; those of query i stand from row i · k on, counts[i] of them."""
    for query in range(len(counts)):
        own = slice(bounds[query], bounds[query + 1])
        n = best(
            n_docs,
            addresses[own],
            query_weights[own],
            parts[own],
            part,
            part_highest,
            part_lowest,
            part_size,
            k,
            bounding,
            work,
            found,
            scores,
            scratch,
        )
        if n > k:
            keep_best(found, scores, n, k, scratch)
            n = k
        falling(scores, found, n, order[0], order[1])
        for rank in range(n):
            out_docs[query * k + rank] = found[order[0, rank]]
            out_scores[query * k + rank] = scores[order[0, rank]]
        counts[query] = n
