"""`toysearch ablate`: what is printed and refused; that its values are right: tests/oracles."""

import json
from functools import partial

import pytest
import shell
from random_collections import collection, write

import toysearch
from toysearch.study.compare.comparison import Comparison


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(collection(1, by_words=True), tmp_path_factory.mktemp("ablate") / "made")


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)


run = partial(shell.run, "ablate")


@pytest.mark.system
def test_the_whole_output():
    result = run("made")
    assert result.exit_code == 0
    table, made = result.stdout.split("\n\n")[1], result.stdout.split("\n\n")[-1]
    assert (
        table
        == """\
AP (20 queries), difference from full system (bm25)
system                    mean        diff.         95% CI        p    d_z   +/=/−
full system (bm25)        0.4258~  baseline
stop words on             0.4258~   +0.0000  +0.000 +0.000   1.0000  +0.00  0/20/0
stemming on               0.4258~   +0.0000  +0.000 +0.000   1.0000  +0.00  0/20/0
idf off                   0.4967*   +0.0709  -0.027 +0.169   0.2754  +0.48  13/0/7
length normalisation off  0.2905    -0.1353  -0.201 -0.070  <0.0001  -1.39  1/0/19
tf off                    0.4209~   -0.0049  -0.033 +0.023   1.0000  -0.11  9/1/10
tf saturation off         0.4199~   -0.0059  -0.076 +0.064   1.0000  -0.05  8/1/11
repeated query terms off  0.4258~   +0.0000  +0.000 +0.000   1.0000  +0.00  0/20/0"""
    )
    assert (
        made
        == """\
- stop words on: the list sklearn left out
- stemming on: english stems
- idf off: every term has the mean df and cf of all terms
- length normalisation off: every document has the mean length, and its vector no norm
- tf off: a term occurs once or not at all
- tf saturation off: each occurrence of a term counts like the first
- repeated query terms off: each term of a query counts once
"""
    )
    assert result.stdout.startswith(
        "'length normalisation off' is worse than the baseline 'full system (bm25)' in AP ("
    )
    assert result.stderr == "made · plain · 20 queries · t test · p and 95% CI corrected: holm\n"


@pytest.mark.system
def test_json_has_all_of_it():
    data = json.loads(
        run("made", "-m", "nDCG@10", "--test", "sign", "--correction", "none", "--analyzer", "en", "--json").stdout
    )
    english = toysearch.Analyzer.for_language("english")
    found = toysearch.ablate("bm25", "made", "nDCG@10", test="sign", correction="none", analyzer=english)
    assert (data["value"], data["analyzer"]) == (found.value, "english:stop=sklearn,stem=english")
    assert len(data["switches"]) == len(found.switches) == 7
    for one, other in zip(data["switches"], found.switches, strict=True):
        assert (f"{one['ingredient']} {one['to']}", one["how"]) == (other.variation, other.what)
        pair, place = found.pair("nDCG@10", other.variation), found.systems.index(other.variation)
        assert (one["after"], one["p"], one["problem"]) == (found.means["nDCG@10"][other.variation], pair.p, None)
        assert (one["difference"], one["wins"]) == (pair.result.mean, pair.wins)
        assert [*one["per_query"].values()] == found.values["nDCG@10"][:, place].tolist()
    compared = Comparison.data(found)
    assert {name: data[name] for name in compared} == json.loads(json.dumps(compared))


@pytest.mark.system
def test_what_is_not_possible_is_said():
    arguments = ["made", "--formula", "tf/log(1+abs(log(dl/avgdl)))", "--format"]
    lines = run(*arguments, "table").stdout.splitlines()
    said = next(line for line in lines if line.startswith("- length normalisation off: not possible: model "))
    assert said.endswith("every weight must be a finite number")
    data = json.loads(run(*arguments, "json").stdout)
    problem = next(each for each in data["switches"] if each["ingredient"] == "length normalisation")
    assert problem["problem"]
    assert "after" not in problem


def test_what_cannot_be_switched_is_said(folder):
    toysearch.Index.build(toysearch.load("cat-dog-parrot")).save(folder.parent / "pets.idx")
    result = run("pets.idx", "-m", "RR")
    assert result.stdout.split("\n\n")[1].splitlines()[3].startswith("idf off")
    assert result.stderr.startswith(
        "note: an index stores its own analysis, so stop words, stemming and title are not switched\n"
    )


@pytest.mark.parametrize("form", ["csv", "tsv", "markdown", "latex"])
def test_other_forms_are_the_table_alone(form):
    result = run("made", "--format", form)
    assert "stop words on" in result.stdout
    assert "left out" not in result.stdout
    assert result.stderr == ""
