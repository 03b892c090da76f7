"""The surface of what `tune` has tried: every value is that of the evaluation under its setting."""

from __future__ import annotations

import json

import pytest

from toysearch import DataError, Evaluator, Index, load, plot, tune
from toysearch.laboratory.reports.charts import read_surface, surface


@pytest.fixture
def tuned(tmp_path):
    def run(grid, measure="nDCG", **more):
        path = tmp_path / f"{'-'.join(grid)}.jsonl"
        tune("cat-dog-parrot", "tfidf:tf=raw" if "tf" in grid else "bm25", grid, measure, results=path, **more)
        return path

    return run


def rows(chart):
    return [row for rows in chart["datasets"].values() for row in rows]


def test_one_parameter_is_a_line(tuned):
    found = read_surface(tuned({"b": [0, 0.5, 1]}))
    collection = load("cat-dog-parrot")
    evaluator = Evaluator(Index.build(collection), collection.judged_queries, collection.qrels, "nDCG", threshold=0.5)
    assert {setting["b"]: value for setting, value in found.points} == {
        b: pytest.approx(evaluator(f"bm25:b={b}")["nDCG"]) for b in (0, 0.5, 1)
    }
    assert found.title == "nDCG of bm25 on cat-dog-parrot"
    chart = surface(found)
    assert {row["x"] for row in rows(chart)} == {0, 0.5, 1}
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["line", "point"]


def test_two_parameters_are_a_plane(tuned):
    found = read_surface(tuned({"k1": [0.5, 1], "b": [0, 0.5, 1]}))
    assert found.axes == ("b", "k1")
    assert found.best[1] == max(value for _, value in found.points)
    chart = surface(found)
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rect", "point"]
    assert len({(row["x"], row["y"]) for row in rows(chart)}) == 6


def test_of_three_parameters_the_best_of_the_third_is_shown(tuned):
    path = tuned({"stem": "none,english", "k1": [0.5, 1, 2], "b": [0, 0.5, 1]})
    found = read_surface(path)
    assert (set(found.axes), found.others) == ({"k1", "b"}, ("stem",))
    assert len(found.points) == 9
    assert "of stem the best value at each place" in surface(found)["description"]


def test_a_measure_whose_low_values_are_good(tuned):
    found = read_surface(tuned({"b": [0, 1]}, "ESL"))
    assert found.best[1] == min(value for _, value in found.points)


def test_names_are_points(tuned):
    chart = surface(read_surface(tuned({"tf": "raw,log"})))
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["point", "point"]


def test_settings_drawn_at_random_are_circles(tuned):
    chart = surface(read_surface(tuned({"k1": "0.5:3", "b": "0:1"}, random=20)))
    assert chart["layer"][0]["mark"]["type"] == "circle"


def test_a_file_that_is_cut_short_is_drawn_as_far_as_it_goes(tuned):
    path = tuned({"b": [0, 0.5, 1]})
    path.write_bytes(path.read_bytes()[:-10])
    assert len(read_surface(path).points) == 2


def test_files_that_are_something_else(tuned, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text('{"kind": "something"}\n')
    with pytest.raises(DataError, match=r"other\.jsonl: this is no file of results of `tune`"):
        plot("surface", other)
    path = tuned({"b": [0, 1]})
    header, first, *_ = path.read_text().splitlines(keepends=True)
    path.write_text(header)
    with pytest.raises(DataError, match="holds no setting with a value yet"):
        read_surface(path)
    path.write_text(header + first + "damage\n")
    with pytest.raises(DataError, match=r"b\.jsonl:3: expected a setting with 3 values"):
        read_surface(path)
    path.write_text(header.replace('"grid"', '"grit"') + first)
    with pytest.raises(DataError, match=r"b\.jsonl:1: the header of the results is damaged"):
        read_surface(path)


@pytest.mark.parametrize(("measure", "best", "shown"), [("AP", 0.9, {1: 0.9, 2: 0.5}), ("ESL", 0.1, {1: 0.1, 2: 0.4})])
def test_the_best_of_what_is_not_drawn_is_the_measures_own(tmp_path, measure, best, shown):
    header = {"kind": "toysearch-tune", "model": "m", "collection": "c", "measure": measure, "queries": ["1"]}
    header["grid"] = {"stem": ["none"], "b": [1, 2, 3], "k": [7, 8]}
    values = {(1, 7): 0.1, (1, 8): 0.9, (2, 7): 0.5, (2, 8): 0.4}
    lines = [header, *({"setting": {"stem": "none", "b": b, "k": k}, "values": [v]} for (b, k), v in values.items())]
    lines.append({"setting": {"stem": "none", "b": 3, "k": 7}, "values": [None]})
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    plane = read_surface(path)
    assert (plane.axes, plane.others, plane.best[1]) == (("b", "k"), ("stem",), best)
    assert len(plane.points) == 4
    more = [
        {"setting": {"stem": "none", "b": b, "k": k, "c": c}, "values": [values[b, c]]}
        for b in (1, 2)
        for c in (7, 8)
        for k in (1, 2)
    ]
    header["grid"] = {"c": [7, 8], "k": [1, 2], "b": [1, 2]}
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *more]))
    found = read_surface(path)
    assert (found.axes, found.others) == (("c", "k"), ("b",))
    assert {setting["c"]: value for setting, value in found.points} == (
        {7: 0.5, 8: 0.9} if measure == "AP" else {7: 0.1, 8: 0.4}
    )
    assert shown[1] == best
