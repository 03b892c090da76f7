"""`toysearch models` and `measures`: lists, pages and curves."""

import json
import re

import pytest
from shell import run

import toysearch
from toysearch.evaluation.measures.measure import PRESETS, measure_facts, parse_measures
from toysearch.models.bm25 import VARIANTS
from toysearch.models.calls import CALLS
from toysearch.models.rankers import ADDED, COMBINED, STAGES


@pytest.mark.parametrize("command", [["models"], ["measures"], ["textbook", "means", "1", "2"], ["fuse"]])
def test_formulas_are_written_with_characters_that_pdflatex_knows(command):
    printed = run(*command, "--format", "latex").stdout
    assert printed.startswith("% needs \\usepackage{booktabs}\n\\begin{tabular}")
    assert {character for character in printed if character > "\u00ff"} == set()


@pytest.mark.parametrize("name", toysearch.MODELS)
def test_every_model_has_a_page_with_its_code(name):
    shown = run("models", name).stdout
    assert shown.startswith(f"{name}\n\n")
    assert "References\n----------" in shown
    function = toysearch.MODELS[name].function.__code__.co_name  # "weight" where a table makes it
    assert f"\ndef {function}(" in shown
    code = shown.partition("Code\n----\n")[2]
    assert "\n    return " in code
    assert '"""' not in code


def test_what_is_named_like_a_model_is_listed_too():
    assert [name for name, each in CALLS.items() if each.form.endswith("(MODEL)")] == [*ADDED, *STAGES]
    lines = run("models").stdout.splitlines()
    listed = [name for name in toysearch.MODELS if name not in VARIANTS]
    assert [line.split()[0] for line in lines[1:]] == [
        *listed,
        *(each.form for each in CALLS.values()),
        *(form.split()[0] for form in COMBINED),
    ]


@pytest.mark.parametrize("name", CALLS)
def test_each_of_them_has_a_page_of_its_own(name):
    about = CALLS[name]
    shown = run("models", name).stdout
    assert shown.startswith(f"{about.form}\n\n{about.summary}\n\n{about.formula[:40]}")
    for row in about.parameters({}):
        assert re.search(rf"^{re.escape(row['name'])} +{re.escape(row['default'])}", shown, re.MULTILINE)
    assert "Example: --model " in shown
    page = json.loads(run("models", name, "--json").stdout)
    assert [page["formula"], page["example"], page["source"]] == [about.formula, about.example, about.source]
    if name in ADDED:  # below the tree, with the values that are typed
        assert run("models", f"{name}(bm25)").stdout.endswith(shown)
        own = next(iter(about.settings))
        [changed] = json.loads(run("models", f"{name}(bm25, {own}=1)", "--json").stdout)["calls"]
        assert changed["parameters"][0] | {"value": "1"} == changed["parameters"][0]


def test_wrappers_inside_each_other_have_a_page_each():
    shown = run("models", "rm3(sdm(bm25, window=4))").stdout
    assert shown.index("rm3(MODEL)") < shown.index("sdm(MODEL)")
    assert re.search(r"^window +4 +8 +a whole number, at least 2$", shown, re.MULTILINE)


def test_what_one_model_makes_need_not_be_known_to_the_others():
    at = "average_idf=1,dl=3,dl_title=2"
    shown = run("models", "bm25", "bm25-okapi", "bm25f", "--curve", "tf", "--at", at, "--json")
    data = json.loads(shown.stdout)
    assert (data["at"]["average_idf"], data["at"]["dl_title"], data["at"]["dl"]) == (1, 2, 3)
    assert (
        data["weights"]["bm25"]
        == json.loads(run("models", "bm25", "--curve", "tf", "--at", "dl=3", "--json").stdout)["weights"]["bm25"]
    )
    refused = run("models", "bm25", "bm25-okapi", "--curve", "tf", "--at", "average_id=1")
    assert refused.stderr.startswith("toysearch: unknown statistic 'average_id'. Statistics: tf, df, ")


def test_numbers_for_programs():
    data = json.loads(run("models", "bm25", "bm25", "--curve", "dl", "--at", "avgdl=1", "--json").stdout)
    assert data["along"] == "dl"
    assert data["values"] == [2, 5, 10, 20, 50, 100]
    assert data["at"] == {"tf": 2, "df": 14, "N": 1400, "avgdl": 1}
    assert list(data["weights"]) == ["bm25"]
    expected = toysearch.model("bm25").weight(tf=2, dl=5, df=14, N=1400, avgdl=1)
    assert data["weights"]["bm25"][1] == expected
    assert run("models", "bm25", "--curve", "dl", "--tsv").stdout.startswith("dl\tbm25\n2\t")


def test_a_function_of_ones_own(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    assert run("models", f"{path}:rank", "--curve", "tf", "--tsv").stdout.splitlines()[1] == "1\t0.5"


@pytest.mark.parametrize("name", toysearch.MEASURES)
def test_every_measure_has_a_page(name):
    shown = run("measures", name)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].partition("@")[0].partition("(")[0].partition("[")[0] == name
    assert lines[2] == toysearch.MEASURES[name].description
    labels = [line[:16].rstrip() for line in lines[4:13]]
    assert labels == list(measure_facts(name))
    for parameter in toysearch.MEASURES[name].parameters:
        assert any(line.startswith(f"{parameter} ") for line in lines)


@pytest.mark.parametrize(
    "text", ["nDCG", "nDCG@10", "ndcg", "ndcg_cut_10", "ndcg_cut", "NDCG@5", "nDCG(dcg='exp-log2')"]
)
def test_a_page_is_found_by_any_name(text):
    assert run("measures", text).stdout == run("measures", "nDCG").stdout


def test_a_measure_that_needs_a_cutoff_is_found_without_it():
    assert run("measures", "Success").stdout == run("measures", "hit rate").stdout != ""
    assert run("measures", "P").stdout == run("measures", "precision").stdout == run("measures", "P_5").stdout


def test_the_list_has_a_row_a_measure():
    lines = run("measures", "--tsv").stdout.splitlines()
    assert lines[0] == "measure\tfamily\tdescription"
    assert len(lines) == 1 + len(toysearch.MEASURES)
    assert "Fallout(N=…)[@k]\tset\tthe share of the non-relevant documents that was retrieved" in lines


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_lists_its_measures(preset):
    rows = json.loads(run("measures", preset, "--json").stdout)
    assert [row["measure"] for row in rows] == [str(measure) for measure in parse_measures(preset)]
