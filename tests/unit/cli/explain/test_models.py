"""`toysearch models` and `similarity`: what is refused (what is printed: tests/golden)."""

from __future__ import annotations

import pytest
from shell import run

import toysearch
from toysearch.models.query_wrappers import WRAPPERS
from toysearch.models.registry import COMPOSED


@pytest.mark.parametrize("command", [["models"], ["measures"], ["means", "1", "2"], ["fuse", "--list"]])
def test_formulas_are_written_with_characters_that_pdflatex_knows(command):
    printed = run(*command, "--format", "latex").stdout
    assert printed.startswith(r"\begin{tabular}")
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
    assert [name.removesuffix("(MODEL)") for name in COMPOSED if name.endswith("(MODEL)")] == list(WRAPPERS)
    for name in COMPOSED:
        if "FOLDER" not in name:
            text = name.replace("MODEL", "bm25").replace("FILE", "vectors.npy")
            assert str(toysearch.model(text)).startswith(text)
    lines = run("models").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*toysearch.MODELS, *COMPOSED]


def test_a_model_of_ones_own_has_a_page_too(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    assert run("models", f"{path}:rank").stdout == (
        "rank\n\n(its function has no docstring)\n\n"
        "Parameters and their ranges\n---------------------------\n"
        "name  value  default  range\nk     1      1        a finite number\n\n"
        "Code\n----\ndef rank(tf, *, k=1.0):\n    return tf / (tf + k)\n"
    )


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("rank = lambda tf: 2 * tf\n", "rank = lambda tf: 2 * tf"),
        ("def rank(tf): 'Twice.'; return 2 * tf\n", "def rank(tf): 'Twice.'; return 2 * tf"),
        (
            'def rank(tf):\n    \'Twice.\'\n\n    text = """x"""\n    return 2 * tf\n',
            'def rank(tf):\n    text = """x"""\n    return 2 * tf',
        ),
    ],
)
def test_the_code_is_shown_without_the_docstring_however_it_is_written(tmp_path, source, code):
    path = tmp_path / "mine.py"
    path.write_text(source)
    result = run("models", f"{path}:rank")
    assert (result.exit_code, result.stdout.partition("Code\n----\n")[2]) == (0, f"{code}\n")


def test_lines_that_are_no_whole_statement_are_shown_as_they_are(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("rank = (\n    lambda tf: 2 *\n    tf)\n")
    result = run("models", f"{path}:rank")
    assert (result.exit_code, "Code\n----\nlambda tf: 2 *\n" in result.stdout) == (0, True)


def test_a_misspelt_model_is_told_the_nearest():
    result = run("models", "cosin")
    assert (result.exit_code, result.stderr.strip()) == (
        2,
        "toysearch: unknown model 'cosin'; did you mean 'cosine'?",
    )


def test_similarity_takes_an_idf_only_with_a_collection():
    assert run("texts", "a", "b", "--weights", "tfidf").stderr.endswith(
        "Error: --weights tfidf needs --collection, the source of the idf\n"
    )
    assert run("texts", "a", "b", "--collection", "cat-dog-parrot").stderr.endswith(
        "Error: --collection is only for --weights tfidf\n"
    )


def test_similarity_of_nothing_is_zero():
    assert run("texts", "", "", "--tsv").stdout.splitlines()[1:3] == [
        "dice\tsets\t2 · 0 / (0 + 0)\t0.0",
        "dice\tvectors (tf)\t2 · 0 / (0 + 0)\t0.0",
    ]
