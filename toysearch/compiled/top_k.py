"""The compiled twin of `scoring.top`: the k best of many scores, and their order.

A processor cannot predict the order of scores, so the loops over many scores have no branches that depend on them.
"""

from __future__ import annotations

import numpy as np

from toysearch.compiled.compilation import ZERO, kernel

FEW = 64  # fewer values are sorted by merging, not by their bits
RUN = 12  # positions in a run, which is sorted by insertion


@kernel
def merge_sort(values: np.ndarray, ids: np.ndarray, start: int, end: int, order: np.ndarray, spare: np.ndarray) -> None:
    """Sort the positions in `order[start:end]` by falling value, equal ones by rising id."""
    for first in range(start, end, RUN):
        for i in range(first, min(first + RUN, end)):
            position, j = order[i], i
            value, number = values[position], ids[position]
            while j > first:
                before = order[j - 1]
                if values[before] > value or (values[before] == value and ids[before] < number):
                    break
                order[j] = before
                j -= 1
            order[j] = position
    run = RUN
    while run < end - start:
        for first in range(start, end, 2 * run):
            middle, stop = min(first + run, end), min(first + 2 * run, end)
            lower, upper = first, middle
            for place in range(first, stop):
                take_left = upper >= stop
                if lower < middle and upper < stop:
                    a, b = order[lower], order[upper]
                    take_left = values[a] > values[b] or (values[a] == values[b] and ids[a] < ids[b])
                if take_left:
                    spare[place] = order[lower]
                    lower += 1
                else:
                    spare[place] = order[upper]
                    upper += 1
        for place in range(start, end):
            order[place] = spare[place]
        run *= 2


@kernel
def leading_bits(values: np.ndarray, n: int) -> np.ndarray:
    """The 32 leading bits of each of n values, as a number that never rises when the value rises."""
    numbers = np.empty(n)
    bits = numbers.view(np.int64)
    for i in range(n):
        numbers[i] = values[i] + 0.0  # -0.0 becomes 0.0, its equal
        rising = bits[i] ^ ((bits[i] >> 63) & 0x7FFFFFFFFFFFFFFF)
        bits[i] = (np.int64(1) << 31) - 1 - (rising >> 32)
    return bits


@kernel
def falling(values: np.ndarray, ids: np.ndarray, n: int, order: np.ndarray, spare: np.ndarray) -> None:
    """Put into `order` the first n positions by falling value, equal ones by rising id."""
    for i in range(n):
        order[i] = i
    if n < FEW:
        merge_sort(values, ids, ZERO, n, order, spare)
        return
    leading = leading_bits(values, n)
    starts = np.empty(257, np.int64)
    for shift in range(0, 32, 8):
        starts[:] = 0
        for i in range(n):
            spare[i] = order[i]
            starts[((leading[i] >> shift) & 255) + 1] += 1
        if starts[((leading[0] >> shift) & 255) + 1] == n:  # all have the same
            continue
        for digit in range(256):
            starts[digit + 1] += starts[digit]
        for i in range(n):
            digit = (leading[spare[i]] >> shift) & 255
            order[starts[digit]] = spare[i]
            starts[digit] += 1
    start = ZERO
    while start < n:
        end = start + 1
        while end < n and leading[order[end]] == leading[order[start]]:
            end += 1
        if end > start + 1:
            merge_sort(values, ids, start, end, order, spare)
        start = end


@kernel
def kth_highest(values: np.ndarray, n: int, k: int) -> float:
    """The k-th highest of the first n values, which are reordered: no value before the k-th is lower."""
    low, high, place = 0, n, k - 1
    while True:
        a, b, c = values[low], values[(low + high) >> 1], values[high - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        above = low
        for i in range(low, high):
            value = values[i]
            values[i] = values[above]
            values[above] = value
            above += value > pivot
        if place < above:
            high = above
            continue
        level = above
        for i in range(above, high):
            value = values[i]
            values[i] = values[level]
            values[level] = value
            level += value == pivot
        if place < level:
            return float(pivot)
        low = level


@kernel
def keep_best(docs: np.ndarray, scores: np.ndarray, n: int, k: int, scratch: np.ndarray) -> float:
    """Keep the k best of n > k documents, with ties by lowest number, and return the k-th score."""
    for i in range(n):
        scratch[i] = scores[i]
    least = kth_highest(scratch, n, k)
    level, n_equal = k, ZERO
    for i in range(n):
        level -= scores[i] > least
        scratch[n_equal] = -docs[i]
        n_equal += scores[i] == least
    last = -kth_highest(scratch, n_equal, level)
    n_kept = ZERO
    for i in range(n):
        doc, score = docs[i], scores[i]
        docs[n_kept], scores[n_kept] = doc, score
        n_kept += (score > least) | ((score == least) & (doc <= last))
    return least
