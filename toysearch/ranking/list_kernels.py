"""A term's list, as the compiled loops read it: its documents, their weights, and ways to the documents.

A list lies at an address: `HEADER` words of 64 bits, then for each posting its weight (a float), the low `LOW_BITS` of
its document's number (two bytes) and a code (one byte): how many of `CODES` equal steps from 0 to the term's highest
weight the weight needs. What goes through all postings reads the last two alone. Then comes, for each window of
documents, the place of its first posting; and a directory to find a single document by. That is made of pairs of words:
64 bits, each of which stands for 2^SHIFT documents and is set where one of them holds the term, and the place of the
first posting that they stand for. It tells most documents that lack the term.

Numbers are read and written at their addresses: an index into an array might be counted from its end, and asking that
takes as long as all else here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from toysearch.compiling import kernel
from toysearch.ranking.selection_kernels import kth_highest

NUMBER, SIZE, SHIFT, DOCS, CODES, STARTS, DIRECTORY, HIGHEST, LOWEST, RANKED = range(10)
"""What a list begins with: seven whole numbers, of which four say how many bytes further on a part of it begins, then
floats; from RANKED on the weights at the ranks `RANKS`."""
RANKS = (10, 100, 1000)
HEADER = RANKED + len(RANKS)
WINDOW_BITS = 14
WINDOW = 1 << WINDOW_BITS  # documents
LOW_BITS = 16  # of a document's number; those above are the same in all of a window, and for one word of the directory
LOW = (1 << LOW_BITS) - 1
MOST_SHIFT = LOW_BITS - 6
STEPS = 255
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
def complete(floats: np.ndarray, docs: np.ndarray, weights: np.ndarray, n_docs: int) -> None:
    """Fill in a term's list, whose number, size, shift and parts' beginnings are there."""
    address, size = address_of(floats), len(docs)
    shift, directory = word_at(address, SHIFT), address + word_at(address, DIRECTORY)
    own_docs, codes = address + word_at(address, DOCS), address + word_at(address, CODES)
    starts = address + word_at(address, STARTS)
    highest, lowest = -np.inf, np.inf
    for place in range(size):
        highest, lowest = max(highest, weights[place]), min(lowest, weights[place])
    put_float(address, HIGHEST, highest)
    put_float(address, LOWEST, lowest)
    steps = STEPS / highest if highest > 0 else 0.0
    n_entries, n_starts = ((n_docs - 1) >> shift >> 6) + 2, ((n_docs - 1) >> WINDOW_BITS) + 2
    entry, window = 0, 0
    word = np.int64(0)
    for place in range(size):
        doc, weight = np.int64(docs[place]), weights[place]
        put_float(address, HEADER + place, weight)
        put_half(own_docs, place, doc)
        put_byte(codes, place, np.int64(min(float(STEPS), np.ceil(max(0.0, weight) * steps))))
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
    values, n = weights.copy(), size
    for i in range(len(RANKS) - 1, -1, -1):
        rank = RANKS[i]
        put_float(address, RANKED + i, -np.inf)
        if rank <= size:
            # What ranks higher stands before it afterwards, so the next is sought among fewer.
            put_float(address, RANKED + i, kth_highest(values, n, rank))
            n = rank


@kernel
def find(docs: int, entry: int, bit: int, doc: int) -> int:
    """The place of a document in a term's postings, -1 where it is not there; its bit in its entry is set."""
    below = word_at(entry, 0) & ((np.int64(1) << (bit & 63)) - 1)
    place, stop = word_at(entry, 1) + ones(below), word_at(entry, 3)  # each bit below stands for a posting or more
    while place < stop and half_at(docs, place) < doc:
        place += 1
    return place if place < stop and half_at(docs, place) == doc else -1


@kernel
def look_up(address: int, q: float, rest: float, least: float, docs: int, totals: int, n: int, hits: int) -> int:
    """Add what a term gives to n documents, and keep those that can still reach `least`; returns how many.

    `docs`, `totals` and `hits` are addresses of room for n numbers.
    """
    own, directory = address + word_at(address, DOCS), address + word_at(address, DIRECTORY)
    shift = word_at(address, SHIFT)
    n_hits = 0
    # No branches here, so that the processor can ask for many of the words at once.
    for i in range(n):
        bit = word_at(docs, i) >> shift
        put_word(hits, n_hits, i)
        n_hits += (word_at(directory, (bit >> 6) << 1) >> (bit & 63)) & 1
    for hit in range(n_hits):
        i = word_at(hits, hit)
        doc = word_at(docs, i)
        bit = doc >> shift
        place = find(own, directory + ((bit >> 6) << 4), bit, doc & LOW)
        if place >= 0:
            put_float(totals, i, float_at(totals, i) + q * float_at(address, HEADER + place))
    kept = 0
    for i in range(n):
        total = float_at(totals, i)
        put_word(docs, kept, word_at(docs, i))
        put_float(totals, kept, total)
        kept += total + rest >= least
    return kept
