"""The pictures of the front page and of the README: drawn from what toysearch computes, as text and rectangles."""

import re
from xml.etree import ElementTree

import pytest
from conftest import ROOT, loaded
from shell import run

import toysearch

PICTURES = loaded(ROOT / "docs" / "site" / "pictures.py")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture):
    """The words of a picture, and the widths of its rectangles by colour."""
    root = ElementTree.fromstring(picture)
    boxes = [(box.get("fill"), float(box.get("width")), float(box.get("height"))) for box in root.iter(f"{SVG}rect")]
    return [each.text for each in root.iter(f"{SVG}text")], boxes


def test_the_picture_of_the_readme_is_the_one_that_its_program_draws():
    committed = PICTURES.README_PICTURE.read_text(encoding="utf-8")
    assert committed == PICTURES.explained(PICTURES.WIDE, PICTURES.STYLE)
    assert len(committed.encode()) <= 15_000


def test_its_scores_and_bars_are_those_that_search_prints():
    printed = run("search", "companions", PICTURES.QUERY, "-k", str(PICTURES.SHOWN), "--explain").stdout
    words, boxes = parsed(PICTURES.explained())
    scores = re.findall(r"^ +\d+  p\d+ +([\d.]+)  ", printed, re.MULTILINE)
    assert [word for word in words if re.fullmatch(r"\d\.\d{4}", word)] == scores
    shares = [float(share) for share in re.findall(r"^(?:tick|remov) .* ([\d.]+)$", printed, re.MULTILINE)]
    bars = [width for _, width, height in boxes if height == 13]
    assert [bar / bars[0] for bar in bars] == pytest.approx([share / shares[0] for share in shares], rel=2e-3)
    for word in words:
        if sum_of := re.fullmatch(r"([\d.]+) = ([\d.]+) × (\d) / \(\d \+ ([\d.]+) × ([\d.]+)\)", word):
            share, idf, tf, k1, length = map(float, sum_of.groups())
            assert idf * tf / (tf + k1 * length) == pytest.approx(share, abs=1e-4)


def test_the_comparison_has_a_bar_for_each_query_and_the_numbers_of_compare():
    words, boxes = parsed(PICTURES.compared())
    pair = toysearch.compare(["cosine", "bm25"], "companions", "AP").pair("AP", "bm25")
    assert [fill for fill, _, height in boxes if height].count(PICTURES.COLOURS[0]) == pair.wins
    assert [fill for fill, _, height in boxes if height].count(PICTURES.COLOURS[1]) == pair.losses
    assert len(boxes) == pair.result.n
    assert (
        f"AP {pair.result.mean:+.4f}, 95 % {pair.result.low:+.3f} to {pair.result.high:+.3f}, p {pair.p:.4f}" in words
    )


def test_the_tuning_has_a_cell_for_each_setting_and_the_three_values():
    words, boxes = parsed(PICTURES.tuned())
    tuning = toysearch.tune("companions", "bm25", {"k1": "0.2:3:0.4", "b": None}, "AP")
    assert len(boxes) == len(tuning.trials) + 1
    for trial in (tuning.default, tuning.best, tuning.held_out):
        assert f"{trial.value:.4f}" in words


@pytest.mark.parametrize("name", [*PICTURES.PICTURES])
def test_a_picture_names_a_command_that_runs_and_says_in_words_what_it_shows(name):
    root = ElementTree.fromstring(PICTURES.PICTURES[name]())
    assert root.get("role") == "img"
    assert len(root.get("aria-label").split()) > 10
    command = next(root.iter(f"{SVG}text")).text
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
    assert words[0] == "toysearch"
    assert run(*words[1:]).exit_code == 0
