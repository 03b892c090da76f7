"""The front page: its pictures are drawn from what toysearch computes, and its engine is toysearch in pure Python."""

import io
import json
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

import pytest
from conftest import ROOT, loaded
from shell import run

import toysearch

ENGINE = loaded(ROOT / "docs" / "site" / "engine.py")
PICTURES = loaded(ROOT / "docs" / "site" / "pictures.py")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture):
    """The words of a picture, and the widths of its rectangles by colour."""
    root = ElementTree.fromstring(picture)
    boxes = [(box.get("fill"), float(box.get("width")), float(box.get("height"))) for box in root.iter(f"{SVG}rect")]
    return [each.text for each in root.iter(f"{SVG}text")], boxes


def test_the_picture_of_the_readme_is_the_one_that_its_program_draws():
    committed = PICTURES.README_PICTURE.read_text(encoding="utf-8")
    assert committed == PICTURES.explained(PICTURES.STYLE)
    assert len(committed.encode()) <= 15_000


def test_a_phone_shows_it_in_letters_that_can_be_read():
    committed = PICTURES.README_PICTURE.read_text(encoding="utf-8")
    width = float(ElementTree.fromstring(committed).get("width"))
    letters = [float(size) for size in re.findall(r"(\d+)px", committed.partition("</style>")[0])]
    assert min(letters) * 358 / width >= 9.5  # of 390 px, GitHub leaves 358


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
    comparison = toysearch.compare(["cosine", "bm25"], "companions", "AP")
    pair = comparison.pair("AP", "bm25")
    differences = sorted(comparison.differences(pair).tolist(), reverse=True)
    heights = [height / boxes[0][2] for *_, height in boxes]
    assert heights == pytest.approx([abs(value) / differences[0] for value in differences], rel=2e-3)
    assert [fill for fill, _, height in boxes if height].count(PICTURES.COLOURS[0]) == pair.wins
    assert [fill for fill, _, height in boxes if height].count(PICTURES.COLOURS[1]) == pair.losses
    assert len(boxes) == pair.result.n
    assert (
        f"AP {pair.result.mean:+.4f}, 95% CI {pair.result.low:+.3f} to {pair.result.high:+.3f}, p {pair.p:.4f}" in words
    )


def test_the_tuning_has_a_cell_for_each_setting_and_the_three_values():
    words, boxes = parsed(PICTURES.tuned())
    tuning = toysearch.tune("bm25", "companions", {"k1": "0.2:3:0.4", "b": None}, "AP")
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


ALONE = """
import sys
import numpy
sys.path[:] = [sys.argv[1], *(path for path in sys.path if "-packages" not in path)]
import in_the_tab
print(in_the_tab.toysearch.__file__)
for query in sys.argv[2:]:
    print(in_the_tab.answer(query))
"""
"""What Python for browsers does: NumPy is there, and the archive is all else."""


def test_the_engine_needs_its_archive_and_numpy_alone_and_has_the_scores_of_search(tmp_path):
    zipfile.ZipFile(io.BytesIO(ENGINE.archive())).extractall(tmp_path)
    queries = ("removing a tick", '"guide dog"', "parrot OR budgie", "xyzzy", "dog NEAR/0 cat")
    command = [sys.executable, "-I", "-c", ALONE, tmp_path, *queries]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env={"PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stderr
    where, *answers = done.stdout.splitlines()
    assert where.startswith(str(tmp_path))
    for query, answer in zip(queries, map(json.loads, answers), strict=True):
        searched = run("search", "companions", query, "-k", "5", "--json")
        hits = json.loads(searched.stdout)["hits"] if searched.exit_code == 0 else []
        assert [(hit["title"], hit["score"]) for hit in answer["hits"]] == [
            (hit["title"], f"{hit['score']:.4f}") for hit in hits
        ]
        assert answer["hits"] or answer["notes"]
        for hit in answer["hits"]:
            assert f"score {hit['score'][:4]}" in hit["table"]


def test_the_engine_has_no_compiled_loop_no_ring_and_no_other_collection():
    names = zipfile.ZipFile(io.BytesIO(ENGINE.archive())).namelist()
    assert [name for name in names if name.endswith((".so", ".pyd", ".c", ".pyc", ".pyx"))] == []
    assert {name.split("/")[1] for name in names if name.startswith("toysearch/") and name.count("/") > 1} == {
        *ENGINE.CORE,
        "_corpora",
    }
    assert {name.split("/")[2] for name in names if "/_corpora/" in name} == {"companions"}
    assert len(ENGINE.script()) < 2_000_000


def drawn_heights(picture):
    """The heights of the two curves of a model, over tf and over dl."""
    lines = [line.get("points").split() for line in ElementTree.fromstring(picture).iter(f"{SVG}polyline")]
    return [[-float(point.split(",")[1]) for point in points] for points in lines]


def test_curves_show_the_whole_score_of_models_that_add_up_weights_and_none_of_others():
    for name in ("bm25", "lm-dirichlet", "lm-jm", "pl2"):
        picture = PICTURES.curves(name)
        by_tf, by_dl = drawn_heights(picture)
        assert by_tf == sorted(by_tf)
        assert by_dl == sorted(by_dl, reverse=True)
        assert by_dl[0] > by_dl[-1]
        for along in ("tf", "dl"):
            curve = toysearch.weight_curve(toysearch.model(name), along)
            assert f"{along} {curve.values[-1]:g}: {curve.scores[-1]:.2f}" in picture
    for name in ("cosine", "dice", "jaccard", "euclidean", "smart", "bm25f", "rm3"):
        assert PICTURES.curves(name) is None
