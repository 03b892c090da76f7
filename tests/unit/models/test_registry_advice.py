"""Every piece of advice in a message on a model, a measure or a feature is taken, and works."""

import re

import pytest
from shell import run, words_of

import toysearch
from toysearch.base.elsewhere import phrases
from toysearch.base.errors import ToysearchError
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.models.calls import CALLS
from toysearch.models.rankers import ADDED

OWN = "def plain(tf, *, k1=1.0):\n    return tf / (tf + k1)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with a model of the user's own."""
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ADDED)
def test_a_call_alone_stands_around_bm25(name):
    assert [str(toysearch.model(text)) for text in (name, name.upper(), f"{name}(BM25)")] == [f"{name}(bm25)"] * 3
    assert str(toysearch.model(f"0.5*bm25 + {name}")) == f"0.5*bm25 + {name}(bm25)"


def taken(message: str) -> str:
    """The spec that a message advises: the one after "did you mean", else the example at its end."""
    for pattern in (
        r"did you mean '([^']+)'",
        r"separated by commas: (\S+)\Z",
        r"colon: (\S+)\Z",
        r"(?:in|example:) (\S+)\Z",
    ):
        if found := re.search(pattern, message):
            return found[1]
    if found := re.search(r"ends in \.py: (\S+)\Z", message):
        return found[1]
    raise AssertionError(f"no advice in: {message}")


WRONG = [
    *(name[:-1] + "x" + name[-1] for name in [*toysearch.MODELS, *ADDED] if len(name) > 3),  # misspellings
    *(f"{name}(bm25:k1=2:b=0.5)" for name in ADDED if "docs" in CALLS[name].settings),
    "bm25:k1=2:b=0.5",
    "mine:plain",
    "mine:plain:k1=2",
    "mine.py",
    "mine.py:plain,k1=3",
    "rrf",
    "min-max",
    "lsa:0",
    "lsa:10,seed=1",
    "lsa:5,6",
]


@pytest.mark.parametrize("text", WRONG)
def test_the_spec_that_a_message_advises_works(text):
    with pytest.raises(ToysearchError) as error:
        toysearch.model(text)
    message = str(error.value)
    assert len(message) < 200  # no wall of names
    advice = taken(message)
    assert toysearch.model(f"{advice}(bm25)" if advice in ADDED else advice) is not None


@pytest.mark.parametrize("name", [*(name for name, model in toysearch.MODELS.items() if model.parameters), *ADDED])
def test_a_wrong_parameter_is_answered_with_the_right_ones(name):
    model = toysearch.model(name)
    for parameter in model.parameters:
        wrong = f"{parameter.rstrip('_')}zz"
        with pytest.raises(ToysearchError) as error:
            model.bind(**{wrong: 1})
        message = str(error.value)
        assert message.startswith(f"{model} has no parameter '{wrong}'")
        [listed] = re.findall(r"Parameters of .*: (.+)\Z", message)
        assert listed.split(", ") == [known.removesuffix("_") for known in model.parameters]


@pytest.mark.parametrize("name", CALLS)
def test_a_bare_name_works_or_says_its_form(name):
    if name in ("dense", "impact", "learned", "search", "run", ">>"):
        with pytest.raises(ToysearchError, match=f"{name}:|:{name}|@100 {name}"):
            toysearch.model(name)
    else:
        assert str(toysearch.model(name)) in (f"{name}(bm25)", name)
    assert run("models", name).exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        "eval companions",
        "compare companions --model bm25",
        "diff companions --model bm25 --model dph",
        "tune companions",
    ],
)
@pytest.mark.parametrize(("option", "name"), [("-m", "bm25"), ("-m", "rm3"), ("--model", "AP"), ("--model", "nDCG@10")])
def test_a_model_given_as_a_measure_and_the_other_way_round(command, option, name):
    other = {"-m": "--model", "--model": "-m"}[option]
    kind = {"-m": "model", "--model": "measure"}[option]
    refused = run(*command.split(), option, name, *(["--grid", "k1=1"] if "tune" in command else []))
    assert refused.exit_code == 2
    [advice] = re.findall(rf"\Atoysearch: {re.escape(name)} is a {kind}: (.+)\n\Z", refused.stderr)
    assert words_of(advice) == [other, name]
    assert (toysearch.model if kind == "model" else parse_measures)(name)


def test_where_a_list_is_long_the_message_names_its_place():
    for option, name, listing in (("-m", "qqq", "measures"), ("--model", "qqq", "models")):
        message = run("eval", "companions", option, name).stderr
        assert len(message) < 120
        assert re.search(r"`toysearch (\w+)` lists all", message)[1] == listing
        assert run(listing).exit_code == 0


VARIANTS = [name.partition("-")[::2] for name in toysearch.MODELS if name.partition("-")[0] in toysearch.MODELS]


@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name, variant in VARIANTS if variant])
def test_a_variant_that_is_asked_for_as_a_parameter_is_named(name, variant):
    with pytest.raises(ToysearchError, match=f"^{name} has no parameter 'kind'; did you mean '{name}-{variant}'"):
        toysearch.model(f"{name}:kind={variant}")
    assert str(toysearch.model(f"{name}-{variant}")) == f"{name}-{variant}"


@pytest.mark.parametrize("row", [row for row in phrases("model") if row.advice], ids=lambda row: row.theirs)
def test_what_is_asked_for_by_the_name_of_a_method_leads_to_rankers_that_work(row):
    with pytest.raises(ToysearchError) as error:
        toysearch.model(row.theirs)
    assert str(error.value) == f"unknown model '{row.theirs}'; {row.advice}"
    for text in re.findall(r"'([^']+)'|\b((?:lsa|dense):\w+)", row.advice):
        ranker = "".join(text)
        if "FILE" not in ranker:
            assert str(toysearch.model(ranker))
    assert re.search(r"'\S|\w:\w", row.advice)


def test_a_fusion_of_models_has_weights_and_neighbours():
    for short, long in (
        ("0.3*rrf(bm25, dph)", "0.3*rrf(bm25) + 0.3*rrf(dph)"),
        ("2*rrf(bm25, dph, dice)*0.5 - rrf(pl2)", "1*rrf(bm25) + 1*rrf(dph) + 1*rrf(dice) - rrf(pl2)"),
        (
            "rrf(bm25, dph)*rrf(pl2, ll)",
            "rrf(bm25)*rrf(pl2) + rrf(bm25)*rrf(ll) + rrf(dph)*rrf(pl2) + rrf(dph)*rrf(ll)",
        ),
    ):
        assert toysearch.model(short) == toysearch.model(long)
