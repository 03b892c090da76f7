"""The compiled twin of `topk.top`: the k best of many scores, and their order."""

from __future__ import annotations

import numpy as np

from toysearch.compiling import kernel


@kernel
def falling(values: np.ndarray, ids: np.ndarray, n: int, order: np.ndarray, scratch: np.ndarray) -> None:
    """Put into `order` the first n positions by falling value, equal ones by rising id (a merge sort)."""
    run = 12
    for start in range(0, n, run):
        stop = min(start + run, n)
        for i in range(start, stop):
            value, own, j = values[i], ids[i], i
            while j > start:
                before = order[j - 1]
                if values[before] > value or (values[before] == value and ids[before] < own):
                    break
                order[j] = before
                j -= 1
            order[j] = i
    while run < n:
        for start in range(0, n, 2 * run):
            middle, stop = min(start + run, n), min(start + 2 * run, n)
            left, right = start, middle
            for place in range(start, stop):
                take_left = right >= stop
                if left < middle and right < stop:
                    a, b = order[left], order[right]
                    take_left = values[a] > values[b] or (values[a] == values[b] and ids[a] < ids[b])
                if take_left:
                    scratch[place] = order[left]
                    left += 1
                else:
                    scratch[place] = order[right]
                    right += 1
        for place in range(n):
            order[place] = scratch[place]
        run *= 2


@kernel
def kth_highest(values: np.ndarray, n: int, k: int) -> float:
    """The k-th highest of the first n values, which change places (quickselect; 1 ≤ k ≤ n)."""
    low, high, wanted = 0, n - 1, k - 1
    while low < high:
        middle = (low + high) >> 1
        a, b, c = values[low], values[middle], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return float(values[wanted])


@kernel
def keep_best(docs: np.ndarray, scores: np.ndarray, n: int, k: int, scratch: np.ndarray) -> float:
    """Keep the k best of n > k documents, of equal ones those that stand first; returns the k-th score."""
    for i in range(n):
        scratch[i] = scores[i]
    least = kth_highest(scratch, n, k)
    level, n_equal = k, 0
    for i in range(n):
        level -= scores[i] > least
        if scores[i] == least:
            scratch[n_equal] = -docs[i]
            n_equal += 1
    last = -kth_highest(scratch, n_equal, level)
    kept = 0
    for i in range(n):
        if scores[i] > least or (scores[i] == least and docs[i] <= last):
            docs[kept], scores[kept] = docs[i], scores[i]
            kept += 1
    return least
