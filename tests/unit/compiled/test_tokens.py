"""The tokenizer as a loop in both forms; tests/properties/test_scanning.py compares it on any text."""

import numpy as np
import pytest
from loop_forms import in_python

from toysearch.analysis import scanner as scanner_module
from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.scanner import Scanner
from toysearch.base.encoded_texts import Utf8

TEXTS = [
    "",
    "The cat, the CAT and a dog",
    "eightlet eightlett sixteen_letters_ sixteen_lettersX",
    "É été \u212aelvin \u023a\u023a 文文字 \U00010400\U0001e900x",
    "x y zz",
    "ΟΔΟΣ İZZ",
    " ".join(f"w{number}" for number in range(700)),
]


@pytest.fixture(params=["python", "compiled"])
def form(request, monkeypatch):
    scanner_module._characters.cache_clear()
    if request.param == "python":
        in_python(monkeypatch, "tokens")
    yield request.param
    scanner_module._characters.cache_clear()


@pytest.mark.system
@pytest.mark.parametrize("bits", [3, 64])
@pytest.mark.parametrize("unusual", [False, True])
def test_tokens_are_those_of_the_tokenizer(form, bits, unusual):
    analyzer, texts = Analyzer(), [text for text in TEXTS if unusual or "Σ" not in text]
    scanner = Scanner(analyzer.tokenizer, hash_mask=(1 << bits) - 1)
    for _ in range(2):  # the second time it knows them all
        found, ends = scanner.scan(Utf8.of([text.encode() for text in texts]))
        tokens = [scanner.token(number) for number in found.tolist()]
        parts = [tokens[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
        assert parts == list(map(analyzer.tokenizer, texts))
    assert scanner.n_tokens == len({*tokens})
    blob, starts = scanner.tokens()
    assert np.diff(starts).sum() == blob.size


def test_a_table_grows(form, monkeypatch):
    monkeypatch.setattr(scanner_module, "_TOKENS", 1)
    scanner, words = Scanner(), [f"word{number % 311}" for number in range(400)]
    found, _ = scanner.scan(Utf8.of([" ".join(words[start : start + 40]).encode() for start in range(0, 400, 40)]))
    assert [scanner.token(number) for number in found.tolist()] == words
    assert scanner.n_tokens == 311
