"""How often the first suggestion for a misspelt word is right, and the AP that corrections regain, as in the docs.

`TOYSEARCH_TESTS=all pytest -s tests/promises/test_spelling.py` prints the rows that it computes.
"""

import random
import re
import string

import pytest
from conftest import ROOT
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Index
from toysearch.retrieval.spelling import suggest

PAGE = (ROOT / "docs" / "do" / "search.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\w+) \| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)
TRIED = [pytest.param(*row, marks=exhaustive) for row in ROWS[::3]]
WORDS = 2_000
SHORTEST = 4


def misspelt(word: str, rng: random.Random) -> str:
    """A word with one error: a letter added, dropped or replaced, or two exchanged, each as often."""
    while True:
        at, letter = rng.randrange(len(word) + 1), rng.choice(string.ascii_lowercase)
        before, after = word[:at], word[at:]
        kinds = before + letter + after, before + after[1:], before + letter + after[1:]
        typed = rng.choice([*kinds, before + after[1:2] + after[:1] + after[2:]])
        if typed != word and len(typed) >= SHORTEST and abs(len(typed) - len(word)) <= 1:
            return typed


@pytest.mark.parametrize(("name", "analysis", "n_terms", "all_right", "unknown_right"), TRIED)
def test_the_first_suggestion_for_a_word_with_one_error(corpora, name, analysis, n_terms, all_right, unknown_right):
    collection, analyzer, rng = toysearch.load(name.lower()), Analyzer.parse(analysis), random.Random(0)
    index, plain = Index.build(collection, analyzer), Index.build(collection, Analyzer())
    frequencies = {
        word: int(cf)
        for word, cf in zip(plain.terms, plain.cf, strict=True)
        if len(word) >= SHORTEST and word.isascii() and word.isalpha() and analyzer.term(word) is not None
    }
    right, right_if_unknown, unknown = 0, 0, 0
    for word in rng.choices(list(frequencies), list(frequencies.values()), k=WORDS):
        typed = misspelt(word, rng)
        found = suggest(index, typed)
        good = analyzer(found.text if found else typed) == analyzer(word)
        right += good
        if analyzer.term(typed) is not None and analyzer.term(typed) not in index:
            right_if_unknown, unknown = right_if_unknown + good, unknown + 1
    measured = f"{len(index.terms):,}", f"{right / WORDS:.1%}", f"{right_if_unknown / unknown:.1%}"
    print(f"\n| {name} | `{analysis}` | {' | '.join(measured)} |")
    assert measured == (n_terms, all_right, unknown_right)


def test_the_table_has_the_promised_accuracy():
    accuracies = {(name, analysis): float(right.rstrip("%")) for name, analysis, _, right, _ in ROWS}
    assert accuracies.keys() == {
        (name, analysis) for name in ("Cranfield", "SciFact") for analysis in ("plain", "english")
    }
    assert min(accuracies.values()) >= 95


@pytest.mark.parametrize(
    ("name", "single", "every"),
    [
        pytest.param("companions", 91, 83, marks=exhaustive),
        pytest.param("cranfield", 91, 97, marks=exhaustive),
    ],
)
def test_the_ap_regained_by_corrections(corpora, name, single, every):
    """In per cent of the AP lost; docs/do/test-robustness.md has what *every word misspelt* regains."""
    found = toysearch.robustness("bm25", name, only="spelling")
    regained = {
        altered.name: round(100 * (row.corrected - row.after) / (row.before - row.after))
        for altered, row in found.rows
        if row.corrected is not None
    }
    assert min(regained[kind] for kind in ("a neighbouring key", "two letters swapped", "a letter dropped")) >= single
    assert regained["every word misspelt"] == every
