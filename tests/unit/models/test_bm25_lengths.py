"""The lengths of documents that Lucene keeps in one byte, which bm25-lucene counts with."""

from __future__ import annotations

import numpy as np
import pytest

from toysearch import MODELS

MOST = 2**31 - 1


def coded(number: int) -> int:
    """SmallFloat.longToInt4: three bits after the leading one, and an exponent."""
    shift = number.bit_length() - 4
    return number if shift < 0 else (number >> shift) & 7 | (shift + 1) << 3


def decoded(code: int) -> int:
    """SmallFloat.int4ToLong."""
    bits, shift = code & 7, (code >> 3) - 1
    return bits if shift < 0 else (bits | 8) << shift


def of_lucene(length: int) -> int:
    """SmallFloat.byte4ToInt(SmallFloat.intToByte4(length))."""
    free = 255 - coded(MOST)
    return length if length < free else free + decoded(coded(length - free))


def weights(name: str, lengths: list[int]) -> np.ndarray:
    """The weights of a term in documents of these lengths."""
    return MODELS[name].weight(tf=3, dl=lengths, df=5, N=1000, avgdl=7654.321)


def test_weights_are_those_of_the_lengths_of_lucene_to_the_last_bit():
    kept = sorted({of_lucene(2**power + step * 2**power // 64) for power in range(31) for step in range(64)})
    edges = {length + change for length in kept for change in (-1, 0, 1)}
    drawn = np.random.default_rng(0).integers(0, MOST, 20_000).tolist()
    lengths = [*range(20_000), *edges, *drawn, MOST]
    lengths = [length for length in lengths if 0 <= length <= MOST]
    assert len({*map(of_lucene, lengths)}) == 256
    expected = weights("bm25", list(map(of_lucene, lengths)))
    assert weights("bm25-lucene", lengths).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("length", "kept"), [(39, 39), (40, 40), (41, 40), (42, 42), (100, 96), (150, 144)])
def test_lengths_that_are_known(length, kept):
    assert of_lucene(length) == kept
    assert weights("bm25-lucene", [length]) == weights("bm25", [kept])
