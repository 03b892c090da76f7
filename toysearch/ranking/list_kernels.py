"""A term's list, as the compiled loops read it: its documents, their weights, and a directory to find a document by.

A list lies at an address, in 64-bit words: `HEADER` words, the weights, the documents (two to a word), the directory.
That is made of pairs of words: 64 bits, each of which stands for 2^SHIFT documents and is set where one of them holds
the term, and the place of the first posting that they stand for. It tells most documents that lack the term.

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

HEADER = 8
NUMBER, SIZE, SHIFT, HIGHEST, LOWEST, RANKED = range(6)
"""What a list begins with: three whole numbers, then floats; from RANKED on the weights at the ranks `RANKS`."""
RANKS = (10, 100, 1000)
AHEAD = 64  # postings: so many before they are read, memory is asked for them

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
            return builder.zext(value, ir.IntType(64)) if bits == ir.IntType(32) else value

        return kind(types.int64, types.int64), code

    return load


def _storing(kind: Any, bits: Any) -> Any:
    """A function that writes what `_loading`'s reads."""

    @_intrinsic  # type: ignore[untyped-decorator]
    def store(context: Any, address: Any, number: Any, value: Any) -> Any:
        def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], _pointer(builder, arguments, bits))
            return target.get_dummy_value()

        return types.void(types.int64, types.int64, kind), code

    return store


float_at = _loading(types.float64, ir.DoubleType())
word_at = _loading(types.int64, ir.IntType(64))
doc_at = _loading(types.int64, ir.IntType(32))
put_float = _storing(types.float64, ir.DoubleType())
put_word = _storing(types.int64, ir.IntType(64))


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
def docs_from(size: int) -> int:
    """The word of a list with so many postings at which its documents begin."""
    return HEADER + size


@kernel
def directory_from(size: int) -> int:
    """The word of a list with so many postings at which its directory begins."""
    return HEADER + size + ((size + 1) >> 1)


@kernel
def complete(words: np.ndarray, floats: np.ndarray, docs: np.ndarray) -> None:
    """Fill in what a term's list holds besides its weights and documents: their extremes, and the directory."""
    size, shift = words[SIZE], words[SHIFT]
    directory = directory_from(size)
    words[directory:] = 0
    last = np.int64(-1)
    for place in range(size):
        bit = np.int64(docs[place]) >> shift
        entry = directory + ((bit >> 6) << 1)
        if bit >> 6 != last:
            last = bit >> 6
            words[entry + 1] = place
        words[entry] |= np.int64(1) << (bit & 63)
    weights = floats[HEADER : HEADER + size].copy()
    floats[HIGHEST], floats[LOWEST] = weights.max(), weights.min()
    n = size
    for i in range(len(RANKS) - 1, -1, -1):
        rank = RANKS[i]
        floats[RANKED + i] = -np.inf
        if rank <= size:
            # What ranks higher stands before it afterwards, so the next is sought among fewer.
            floats[RANKED + i] = kth_highest(weights, n, rank)
            n = rank


@kernel
def place_from(docs: int, place: int, size: int, doc: int) -> int:
    """The first place, not before the one given, whose document is not before `doc`; `size` where there is none."""
    step = 1
    while place + step < size and doc_at(docs, place + step) < doc:
        place += step
        step *= 2
    stop = min(size, place + step)
    while place < stop:
        middle = (place + stop) >> 1
        if doc_at(docs, middle) < doc:
            place = middle + 1
        else:
            stop = middle
    return place


@kernel
def find(docs: int, size: int, word: int, place: int, bit: int, doc: int) -> int:
    """The place of a document in a term's postings, -1 where it is not there; its bit of the directory is set."""
    place += ones(word & ((np.int64(1) << bit) - 1))  # each bit below stands for a posting or more
    while place < size and doc_at(docs, place) < doc:
        place += 1
    return place if place < size and doc_at(docs, place) == doc else -1


@kernel
def look_up(address: int, q: float, rest: float, least: float, docs: int, totals: int, n: int, hits: int) -> int:
    """Add what a term gives to n documents, and keep those that can still reach `least`; returns how many.

    `docs`, `totals` and `hits` are addresses of room for n numbers.
    """
    size, shift = word_at(address, SIZE), word_at(address, SHIFT)
    weights, own = address + 8 * HEADER, address + 8 * docs_from(size)
    directory = address + 8 * directory_from(size)
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
        entry = (bit >> 6) << 1
        place = find(own, size, word_at(directory, entry), word_at(directory, entry + 1), bit & 63, doc)
        if place >= 0:
            put_float(totals, i, float_at(totals, i) + q * float_at(weights, place))
    kept = 0
    for i in range(n):
        total = float_at(totals, i)
        put_word(docs, kept, word_at(docs, i))
        put_float(totals, kept, total)
        kept += total + rest >= least
    return kept
