"""A term's list, as the compiled loops read it: its documents, their weights, and ways to the documents.

A list lies at an address. It begins with a header of `HEADER` words of 64 bits. Of documents' numbers only the low
`LOW_BITS` are kept, in two bytes; a span is all documents whose numbers differ in these alone. The parts of a list are

- the documents, span by span and in each level by level of their weights; and where each level begins. What bounds many
  documents reads these alone, and adds the same to all of a level.
- the documents in their order, their weights (floats), and where each window of documents begins.
- a directory to find a single document by, which is made of pairs of words: 64 bits, each of which stands for 2^SHIFT
  documents and is set where one of them holds the term, and the place of the first posting that they stand for. It
  tells most documents that lack the term.

Numbers are read and written at their addresses: an index into an array might be counted from its end, and asking that
takes as long as all else here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from toysearch.compiled.compilation import ZERO, inlined, kernel
from toysearch.compiled.top_k import kth_highest

NUMBER, SIZE, SHIFT, LEVEL_STARTS, LEVELED, STARTS, DOCS, WEIGHTS, DIRECTORY, HIGHEST, LOWEST, TOPS = range(12)
"""What a header consists of: nine whole numbers, of which six say how many bytes further on a part begins, then floats;
from TOPS on the highest weight of each level, from RANKED on the weights at the ranks `RANKS`."""
ABOVE = (0.8, 0.6, 0.4, 0.25, 0.12, 0.05, 0.015, 0.0)
"""The share of a term's postings whose weights are above each level, at most."""
N_LEVELS = len(ABOVE)
RANKS = (10, 100, 1000)
RANKED = TOPS + N_LEVELS
HEADER = RANKED + len(RANKS)
WINDOW_BITS = 14
WINDOW = 1 << WINDOW_BITS  # documents
LOW_BITS = 16  # of a document's number; those above are the same in all of a window, and for one word of the directory
SPAN = 1 << LOW_BITS  # documents
LOW = SPAN - 1
MOST_SHIFT = LOW_BITS - 6
AHEAD = 64  # postings: so many before a weight is read, memory is asked for it

_intrinsic: Any = intrinsic


def _pointer(builder: Any, arguments: Any, bits: Any) -> Any:
    """To one of many numbers: of the arguments, the first is the address, the second which of them."""
    return builder.gep(builder.inttoptr(arguments[0], bits.as_pointer()), [arguments[1]])


def _loading(kind: Any, bits: Any) -> Any:
    """A function that reads one of many numbers of a kind that lie one after the other from an address on."""

    @_intrinsic  # type: ignore[untyped-decorator]
    def load(context: Any, address: Any, number: Any) -> Any:
        def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = builder.load(_pointer(builder, arguments, bits))
            return value if bits.intrinsic_name in ("f64", "i64") else builder.zext(value, ir.IntType(64))

        return kind(types.int64, types.int64), code

    return load


def _storing(kind: Any, bits: Any) -> Any:
    """A function that writes what `_loading`'s reads."""

    @_intrinsic  # type: ignore[untyped-decorator]
    def store(context: Any, address: Any, number: Any, value: Any) -> Any:
        def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = bits.intrinsic_name in ("f64", "i64")
            value = arguments[2] if whole else builder.trunc(arguments[2], bits)
            builder.store(value, _pointer(builder, arguments, bits))
            return target.get_dummy_value()

        return types.void(types.int64, types.int64, kind), code

    return store


float_at = _loading(types.float64, ir.DoubleType())
word_at = _loading(types.int64, ir.IntType(64))
place_at = _loading(types.int64, ir.IntType(32))
half_at = _loading(types.int64, ir.IntType(16))
byte_at = _loading(types.int64, ir.IntType(8))
put_float = _storing(types.float64, ir.DoubleType())
put_word = _storing(types.int64, ir.IntType(64))
put_place = _storing(types.int64, ir.IntType(32))
put_half = _storing(types.int64, ir.IntType(16))
put_byte = _storing(types.int64, ir.IntType(8))


@_intrinsic  # type: ignore[untyped-decorator]
def address_of(context: Any, array: Any) -> Any:
    """Where the first number of an array lies."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), code


@_intrinsic  # type: ignore[untyped-decorator]
def fetch(context: Any, address: Any) -> Any:
    """Have memory at an address brought near, without waiting for it; nothing happens where there is none."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        name = "llvm.prefetch.p0i8"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        hints = [ir.Constant(whole, hint) for hint in (0, 3, 1)]  # to read, and soon again
        builder.call(function, [builder.inttoptr(arguments[0], byte), *hints])
        return target.get_dummy_value()

    return types.void(types.int64), code


_LINE = ir.VectorType(ir.IntType(8), 64)


@_intrinsic  # type: ignore[untyped-decorator]
def highest_bits(context: Any, address: Any) -> Any:
    """The highest bits of the 64 bytes at an address, that of the first lowest."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        line = builder.load(builder.inttoptr(arguments[0], _LINE.as_pointer()), align=1)
        return builder.bitcast(builder.icmp_signed("<", line, _LINE(None)), ir.IntType(64))

    return types.int64(types.int64), code


_EIGHT = ir.VectorType(ir.DoubleType(), 8)


@_intrinsic  # type: ignore[untyped-decorator]
def reaching(context: Any, address: Any, least: Any) -> Any:
    """Which of the eight floats at an address are no less than a value, as bits, that of the first lowest."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = builder.load(builder.inttoptr(arguments[0], _EIGHT.as_pointer()), align=8)
        one = builder.insert_element(_EIGHT(ir.Undefined), arguments[1], ir.IntType(32)(0))
        every = builder.shuffle_vector(one, _EIGHT(ir.Undefined), ir.VectorType(ir.IntType(32), 8)(None))
        bits = builder.bitcast(builder.fcmp_ordered(">=", values, every), ir.IntType(8))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(types.int64, types.float64), code


@_intrinsic  # type: ignore[untyped-decorator]
def fill(context: Any, address: Any, value: Any) -> Any:
    """Write a value into each of the 64 bytes at an address."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = builder.insert_element(_LINE(ir.Undefined), builder.trunc(arguments[1], ir.IntType(8)), ir.IntType(32)(0))
        every = builder.shuffle_vector(one, _LINE(ir.Undefined), ir.VectorType(ir.IntType(32), 64)(None))
        builder.store(every, builder.inttoptr(arguments[0], _LINE.as_pointer()), align=1)
        return target.get_dummy_value()

    return types.void(types.int64, types.int64), code


@_intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(context: Any, word: Any) -> Any:
    """The place of the lowest bit that is set in a 64-bit word."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@_intrinsic  # type: ignore[untyped-decorator]
def ones(context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


@kernel
def fetch_lines(start: int, stop: int) -> None:
    """Have all memory from an address up to another brought near."""
    for line in range(start, stop + 64, 64):
        fetch(line)


@inlined
def put_ranked(values: np.ndarray, address: int) -> None:
    """Fill in the weights at some ranks, and the highest of each level; the values change places."""
    size, n, left = len(values), len(values), len(RANKS)
    # What ranks higher than one rank stands before it afterwards, so the next is sought among fewer.
    for i in range(N_LEVELS):
        rank = 1 + int(ABOVE[i] * size)
        while left > 0 and RANKS[left - 1] > rank:
            left -= 1
            put_float(address, RANKED + left, -np.inf)
            if RANKS[left] <= size:
                put_float(address, RANKED + left, kth_highest(values, n, RANKS[left]))
                n = RANKS[left]
        put_float(address, TOPS + i, kth_highest(values, n, rank))
        n = rank


@inlined
def put_levels(address: int, docs: np.ndarray, weights: np.ndarray, n_docs: int) -> None:
    """Fill in the documents by levels, and where each level of each span begins."""
    leveled, starts = address + word_at(address, LEVELED), address + word_at(address, LEVEL_STARTS)
    levels, ends = np.empty(len(docs), np.uint8), np.empty(N_LEVELS + 1, np.int64)
    for place in range(len(docs)):
        level = 0
        for i in range(N_LEVELS - 1):
            level += weights[place] > float_at(address, TOPS + i)
        levels[place] = level
    start = 0
    for span in range(((n_docs - 1) >> LOW_BITS) + 1):
        stop = start
        ends[:] = 0
        while stop < len(docs) and docs[stop] >> LOW_BITS == span:
            ends[levels[stop] + 1] += 1
            stop += 1
        ends[0] = start
        for level in range(N_LEVELS):
            put_place(starts, span * N_LEVELS + level, ends[level])
            ends[level + 1] += ends[level]
        for place in range(start, stop):
            put_half(leveled, ends[levels[place]], np.int64(docs[place]))
            ends[levels[place]] += 1
        start = stop
    put_place(starts, (((n_docs - 1) >> LOW_BITS) + 1) * N_LEVELS, start)


@kernel
def complete(floats: np.ndarray, docs: np.ndarray, weights: np.ndarray, n_docs: int) -> None:
    """Fill in a term's list, whose number, size, shift and parts' beginnings are there."""
    address, size = address_of(floats), len(docs)
    shift, directory = word_at(address, SHIFT), address + word_at(address, DIRECTORY)
    own_docs, starts = address + word_at(address, DOCS), address + word_at(address, STARTS)
    own_weights = address + word_at(address, WEIGHTS)
    highest, lowest = -np.inf, np.inf
    n_entries, n_starts = ((n_docs - 1) >> shift >> 6) + 2, ((n_docs - 1) >> WINDOW_BITS) + 2
    entry, window = 0, 0
    word = np.int64(0)
    for place in range(size):
        doc, weight = np.int64(docs[place]), weights[place]
        highest, lowest = max(highest, weight), min(lowest, weight)
        put_float(own_weights, place, weight)
        put_half(own_docs, place, doc)
        while window <= doc >> WINDOW_BITS:
            put_place(starts, window, place)
            window += 1
        bit = doc >> shift
        while entry <= bit >> 6:
            if entry > 0:
                put_word(directory, 2 * entry - 2, word)
            put_word(directory, 2 * entry + 1, place)
            word = np.int64(0)
            entry += 1
        word |= np.int64(1) << (bit & 63)
    while window < n_starts:
        put_place(starts, window, size)
        window += 1
    while entry < n_entries:
        if entry > 0:
            put_word(directory, 2 * entry - 2, word)
        put_word(directory, 2 * entry + 1, size)
        word = np.int64(0)
        entry += 1
    put_word(directory, 2 * n_entries - 2, word)
    put_float(address, HIGHEST, highest)
    put_float(address, LOWEST, lowest)
    put_ranked(weights.copy(), address)
    put_levels(address, docs, weights, n_docs)


@kernel
def place_of(entry: int, bit: int) -> int:
    """The place from which on a document's posting stands: each bit below its own stands for a posting or more."""
    place: int = word_at(entry, 1) + ones(word_at(entry, 0) & ((np.int64(1) << (bit & 63)) - 1))
    return place


@inlined
def find(docs: int, entry: int, bit: int, doc: int) -> int:
    """The place of a document in a term's postings, -1 where it is not there; its bit in its entry is set."""
    place, stop = place_of(entry, bit), word_at(entry, 3)
    while place < stop and half_at(docs, place) < doc:
        place += 1
    return place if place < stop and half_at(docs, place) == doc else -1


@kernel
def hits_of(address: int, docs: int, n: int, hits: int) -> int:
    """Put into `hits` which of n documents may hold a term, by its directory alone; returns how many."""
    directory, shift, n_hits = address + word_at(address, DIRECTORY), word_at(address, SHIFT), ZERO
    # No branches here, so that the processor can ask for many of the words at once.
    for i in range(n):
        bit = word_at(docs, i) >> shift
        put_word(hits, n_hits, i)
        n_hits += (word_at(directory, (bit >> 6) << 1) >> (bit & 63)) & 1
    return n_hits


@kernel
def fetch_postings(own: np.ndarray, docs: int, n: int, hits: int) -> None:
    """Have brought near what terms say of n documents: first where it stands, for all of them, then that."""
    for j in range(len(own)):
        directory, shift = own[j] + word_at(own[j], DIRECTORY), word_at(own[j], SHIFT)
        for i in range(n):
            fetch(directory + (word_at(docs, i) >> shift >> 6 << 4))
    for j in range(len(own)):
        directory, shift = own[j] + word_at(own[j], DIRECTORY), word_at(own[j], SHIFT)
        own_docs, weights = own[j] + word_at(own[j], DOCS), own[j] + word_at(own[j], WEIGHTS)
        for hit in range(hits_of(own[j], docs, n, hits)):
            bit = word_at(docs, word_at(hits, hit)) >> shift
            place = place_of(directory + (bit >> 6 << 4), bit)
            fetch(own_docs + 2 * place)
            fetch(weights + 8 * place)


@kernel
def look_up(address: int, q: float, rest: float, least: float, docs: int, totals: int, n: int, hits: int) -> int:
    """Add what a term gives to n documents, and keep those that can still reach `least`; returns how many."""
    # `docs`, `totals` and `hits` are addresses of room for n numbers.
    own, directory = address + word_at(address, DOCS), address + word_at(address, DIRECTORY)
    shift, weights = word_at(address, SHIFT), address + word_at(address, WEIGHTS)
    for hit in range(hits_of(address, docs, n, hits)):
        i = word_at(hits, hit)
        doc = word_at(docs, i)
        bit = doc >> shift
        place = find(own, directory + (bit >> 6 << 4), bit, doc & LOW)
        if place >= 0:
            put_float(totals, i, float_at(totals, i) + q * float_at(weights, place))
    kept = 0
    for i in range(n):
        total = float_at(totals, i)
        put_word(docs, kept, word_at(docs, i))
        put_float(totals, kept, total)
        kept += total + rest >= least
    return kept
