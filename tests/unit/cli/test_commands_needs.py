"""A need counts once, however many texts it has: every command that averages, counts or tests over queries.

The oracle is the same command on one text per need. Given once, twice or more often under other ids, the text of a need
has the same value each time, so every number must stay what it is: means, n, p, counts, shares.
"""

import csv
import json
import math

import pytest
from shell import done, every_command, example_on

import toysearch
from toysearch.cli.commands import by_name

pytestmark = pytest.mark.usefixtures("bundled_read_once")
COPIES = (2, 1, 3, 1, 1, 4, 2, 1, 1, 2, 1, 3, 1, 1)
"""How many texts each need has."""

MODELS = ["--model", "bm25", "--model", "lm-dirichlet"]
CELLS = {
    "ablate": [],
    "compare": [*MODELS, "-m", "AP nDCG@10", "--power"],
    "compare --agreement": [*MODELS, "-m", "AP", "--agreement"],
    "compare --all-pairs": [*MODELS, "-m", "AP", "--all-pairs"],
    "compare --test bootstrap": [*MODELS, "-m", "AP", "--test", "bootstrap"],
    "compare --by": [*MODELS, "-m", "AP", "--by", "length"],
    "diff": [*MODELS, "--all"],
    "eval": MODELS,
    "eval --bounds": ["--bounds"],
    "eval --by": [*MODELS, "-m", "AP", "--by", "length"],
    "eval --convention": ["--convention", "all"],
    "eval --hardest": [*MODELS, "--hardest", "4"],
    "eval --ties": ["--model", "overlap", "--ties", "bounds"],
    "eval --worst": ["--worst", "4"],
    "learn": ["--learner", "logistic", "--folds", "3"],
    "report": [*MODELS],
    "robustness": ["--only", "semantic,corpus,length"],
    "tune": ["--grid", "b=0,0.5,1", "--folds", "3"],
}
TOLD = {"texts", "needs", "consistency", "sentence", "repeat"}
"""Keys that tell of the texts themselves, or name them in words."""
OF_TEXTS = {
    "diff": {"first_ten"},  # documents of all rankings
    "learn": {"pooled", "held_out", "held_out_difference", "fitted", "groups", "folds", "features", "remarks"},
    "report": {"queries"},  # the texts
}
"""Cell → keys whose values depend on the texts, not on the needs alone: most of a ranker that learns from them."""
MEASURING = {
    name
    for name, command in every_command()
    if "--queries" in by_name(command) and {"--measure", "--measures"} & {*by_name(command)}
}
WITHOUT_NEEDS = {"judge rejudge", "serve"}  # the one has judges, the other runs until it is stopped
UNLISTED = sorted(MEASURING - {cell.split()[0] for cell in CELLS} - WITHOUT_NEEDS)
CELLS |= {name: [word for word in example_on("companions", name) if word != "companions"] for name in UNLISTED}
"""Any other command with a measure over queries, as in its example."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Queries with one text per need, and with copies of it; the need of each text."""
    folder, pets = tmp_path_factory.mktemp("needs"), toysearch.load("companions")
    queries = zip(pets.judged_queries[: len(COPIES)], COPIES, strict=True)
    texts = [(f"{need}{' bcd'[n]}".strip(), text, need) for (need, text), copies in queries for n in range(copies)]
    first = [row for row in texts if row[0] == row[2]]
    for name, rows in (("one.csv", [row[:2] for row in first]), ("named.csv", first), ("several.csv", texts)):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([("query_id", "text", "need")[: len(rows[0])], *rows])
    return folder / "one.csv", folder / "several.csv", {text: need for text, _, need in texts}


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell != "report"])
def test_needs_of_one_text_are_printed_as_queries_are(cell, files):
    one = files[0]
    plain, named = (
        done(cell.split()[0], "companions", *CELLS[cell], "--queries", path).output
        for path in (one, one.with_name("named.csv"))
    )
    assert named == plain


def values(data, needs, left_out, place=()):
    """Each value with its place, texts under the id of their need, the first of equals once."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in left_out:
                yield from values(value, needs, left_out, (*place, needs.get(key, key)))
    elif isinstance(data, list):
        listed = [(needs.get(row["query_id"]) if isinstance(row, dict) and "query_id" in row else None) for row in data]
        several = len({*place} & {"worst", "best", "gained", "lost"}) > 0
        kept = [row for n, row in enumerate(data) if not several or listed[n] is None or listed[n] not in listed[:n]]
        for number, value in enumerate(kept):
            yield from values(value, needs, left_out, (*place, number))
    else:
        yield place, needs.get(data, data) if isinstance(data, str) else data


@pytest.mark.parametrize("cell", CELLS)
def test_a_need_counts_once_however_many_texts_it_has(cell, files):
    one, several, needs = files
    left_out = TOLD | OF_TEXTS.get(cell, set())
    expected, found = (
        dict(
            values(
                json.loads(done(cell.split()[0], "companions", *CELLS[cell], "--queries", path, "--json").stdout),
                needs,
                left_out,
            )
        )
        for path in (one, several)
    )
    assert found.keys() == expected.keys()
    assert len(expected) > 10
    for place, value in expected.items():
        is_number = isinstance(value, float) and isinstance(found[place], float)
        alike = math.isclose(value, found[place], rel_tol=1e-9, abs_tol=1e-12) if is_number else value == found[place]
        assert alike, (place, value, found[place])
