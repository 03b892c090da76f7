"""Every ranker of the registries in every command that explains or compares; each printed swap is searched with."""

import contextlib
import json
import math
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from shell import done, every_command, refused, run
from small_collections import write_beir
from tiers import exhaustive

import toysearch
from toysearch import MODELS
from toysearch.base import ArgumentError
from toysearch.models.calls import CALLS
from toysearch.models.rankers import ADDED
from toysearch.models.tunable_parameters import tunable_parameters
from toysearch.study.explain import rank_flip
from toysearch.study.study import Study
from toysearch.workbench.learning.ranker_training import learn
from toysearch.workbench.ranker_reads import has_queries_by_id, reads_index, reads_words
from toysearch.workbench.tune.grids import axes_of, own_values, planned, setting_text, variation

WRAPPED = [f"{name}(bm25)" for name in ADDED]
NESTED = ["rm3(sdm(bm25))", "sdm(rm3(bm25))", "sdm(rocchio(bm25))", "rm3(lm-jm:lambda=0.7, lambda=0.4)"]
MIXED = [
    "rrf(bm25, rm3(bm25))",
    "0.5*min-max(rm3(bm25)) + 0.5*min-max(lm-dirichlet)",
    "rm3(bm25) + 0.3*rm3(dph)",
    "0.2*min-max(lsa:5) + bm25",
    "bm25*rm3(bm25)",
    "2*bm25*prior:year",
    "0.7*min-max(run:r.run) + 0.3*min-max(bm25)",
]
PIPED = [
    "bm25@10 >> lsa:5@5 >> learned:ranker",
    "mmr(bm25, lambda=0.7)",
    "passages(bm25, words=20, stride=10)",
    "xquad(rm3(bm25))",
    "passages(0.5*bm25 + 0.5*prior:year, words=20, best=0)",
    "mmr(dense:v.npy,queries=q.npy, depth=5)",
    "rm3(bm25)@5 >> passages(lsa:5)@3 >> xquad(bm25)",
    "0.5*min-max(mmr(bm25)) + 0.5*min-max(passages(learned:ranker))",
    "bm25@10 >> xquad(impact:w.jsonl)",
    "0.5*bm25 + 0.5*impact:w.jsonl,queries=wq.jsonl",
    "0.5*min-max(mine.py:search:weight=2) + 0.5*mmr(mine.py:search)@9 >> mine.py:search",
    "mmr(run:r.run)@9 >> rrf(run:r.run, mine.py:search)",
]
VECTORS = ["lsa:5", "dense:v.npy,queries=q.npy", "impact:w.jsonl", "learned:ranker", "mine.py:search", "run:r.run"]
FIRST = ["bm25", "rm3(bm25)", "rm3(sdm(bm25))", *PIPED[:3], *VECTORS]
RANKERS = [*FIRST, *(each for each in [*MODELS, *WRAPPED, *NESTED, *MIXED, *PIPED] if each not in FIRST)]
TRIED = [pytest.param(each, marks=[] if each in FIRST else exhaustive) for each in RANKERS]
QUERIES = ["52", "33", "25", "14", "2", "7"]


SEARCH = """import json, pathlib
texts = json.loads((pathlib.Path(__file__).parent / "texts.json").read_text())
def search(text, *, weight=1.0):
    words = set(text.lower().split())
    shared = {doc_id: len(words & set(its.lower().split())) for doc_id, its in texts.items()}
    return {doc_id: weight * n for doc_id, n in shared.items() if n}
def embed(text):
    return [1.0, 2.0, 0.5, -1.0, 0.0, len(text)]
"""
"""A search of one's own: the number of words that a query and a document share."""


SPY = """import json, pathlib
folder = pathlib.Path(__file__).parent
def asked(text):
    with open(folder / "asked.txt", "a") as file:
        print(json.dumps(text), file=file)
def search(text):
    asked(text)
    return {"p057": 2.0, "p224": 1.0}
def embed(text):
    asked(text)
    return [1.0, 2.0, 0.5, -1.0, 0.0, len(text)]
"""
"""A search and vectors of one's own that write down what they are asked."""


OWN = """import functools, pathlib, toysearch
@functools.cache
def searcher():
    return toysearch.Searcher(str(pathlib.Path(__file__).parent / "pets"), "bm25")
def search(text):
    return {hit.doc_id: hit.score for hit in searcher().search(text, k=None, query_mode="plain")}
"""
"""A search of one's own that ranks as bm25 does."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The judged documents of six queries of companions, with vectors, and a ranker that learned from them."""
    whole = toysearch.load("companions")
    chosen = [doc_id for query_id in QUERIES for doc_id in whole.qrels[query_id]]
    documents = [each for each in whole.documents if each.doc_id in {*chosen}]
    folder = tmp_path_factory.mktemp("rankers")
    texts = {
        each.doc_id: {"title": each.title, "text": each.fields["text"], "year": str(2000 + number % 20)}
        for number, each in enumerate(documents)
    }
    write_beir(
        folder / "pets",
        texts,
        {query_id: whole.query(query_id).text for query_id in QUERIES},
        {query_id: dict(whole.qrels[query_id].items()) for query_id in QUERIES},
    )
    rng = np.random.default_rng(0)
    for name, ids in (("v", [*texts]), ("q", QUERIES)):
        np.save(folder / f"{name}.npy", rng.normal(size=(len(ids), 6)).astype(np.float32))
        (folder / f"{name}.ids").write_text("".join(f"{each}\n" for each in ids))
    of_texts = {"w": {doc_id: each["text"] for doc_id, each in texts.items()}}
    of_texts["wq"] = {query_id: whole.query(query_id).text for query_id in QUERIES}
    for name, each in of_texts.items():
        vectors = {text_id: {word: rng.random() for word in text.lower().split()} for text_id, text in each.items()}
        lines = (json.dumps({"id": text_id, "vector": vector}) for text_id, vector in vectors.items())
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    index = toysearch.Index.build(documents)
    run = toysearch.Searcher(index, "dph").run([whole.query(query_id) for query_id in QUERIES])
    toysearch.write_run(run, folder / "r.run")
    (folder / "texts.json").write_text(json.dumps(of_texts["w"]))
    (folder / "mine.py").write_text(SEARCH)
    (folder / "own.py").write_text(OWN)
    (folder / "spy.py").write_text(SPY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = toysearch.features(toysearch.load(folder / "pets"), ["bm25", "length"], ["bm25@10"])
        learn(table, "logistic").save(folder / "ranker")
    return folder


@pytest.fixture
def pets(folder, monkeypatch):
    """The collection by its name; a swap is looked for in 20 steps instead of 200."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(rank_flip, "_STEPS", 20)
    return "pets"


def test_each_kind_of_ranker_is_tried():
    tried = " ".join(RANKERS)
    assert len(RANKERS) > 50  # each is tried by every command
    assert {*MODELS} <= {*RANKERS}
    assert all(name.partition("(")[0].partition(":")[0] in tried for name in CALLS)


@pytest.mark.system
@pytest.mark.parametrize("ranker", TRIED)
def test_every_command_answers(pets, ranker, monkeypatch):
    asked = ["--query-id", "33", "--model", ranker]
    data = json.loads(done("search", pets, *asked, "--explain", "--json").stdout)
    first, second, *_ = [hit["doc_id"] for hit in data["hits"]]
    done("search", pets, *asked, "--explain", "-k", 3)
    arranged = ["--where", "year > 2003", "--sort", "-year", "--group-by", "year", "--facets", "year", "--offset", 1]
    assert len(json.loads(done("search", pets, *asked, *arranged, "--explain", "--json").stdout)["facets"]) == 1
    monkeypatch.setattr(rank_flip, "_STEPS", 3)  # here only whether there is an answer counts
    for documents in ([first], [second, first]):
        data = json.loads(done("explain", pets, *documents, *asked, "--json").stdout)
        assert [each["doc_id"] for each in data["documents"]] == documents
    for documents in ([second], [first, second]):
        assert done("explain", pets, *documents, *asked).stdout.startswith("query 33: ")
    other = "dice" if ranker == "bm25" else "bm25"
    for two in ([other, ranker], [ranker, other]):
        done("diff", pets, "--model", two[0], "--model", two[1])
    done("compare", pets, "--model", other, "--model", ranker)
    done("eval", pets, "--model", ranker, "--worst", 2)


FIXED = ["overlap", "smart", "dph"]
"""Rankers that declare no range to try, beside those that are read from a file."""


def plan(ranker):
    """The axes and the settings of `tune` without a grid, with the values of the ranker as given."""
    found, analyzer = toysearch.model(ranker), toysearch.Analyzer()
    axes = axes_of({}, found, analyzer)
    given = own_values(axes, found, analyzer)
    return found, axes, planned(axes, given, found), given


@pytest.fixture(scope="module")
def index(folder):
    """The index of the collection, with its years."""
    return toysearch.Index.build(toysearch.load(folder / "pets"), values=["year"])


@pytest.fixture(scope="module")
def study(folder):
    return Study.of(folder / "pets")


@pytest.fixture(scope="module")
def served(folder):
    """The collection as the page serves it."""
    pytest.importorskip("starlette")
    from page_client import of_name

    with contextlib.chdir(folder):
        return of_name("pets")


@pytest.mark.parametrize("ranker", RANKERS)
def test_tune_has_a_plan_for_every_ranker(pets, study, ranker):
    if not toysearch.model(ranker).parameters or ranker in FIXED:
        with pytest.raises(ArgumentError, match="declares no range to try"):
            plan(ranker)
        return
    found, axes, settings, given = plan(ranker)
    assert 3 <= len(settings) <= 60
    assert given in settings
    assert len({*map(setting_text, settings)}) == len(settings)
    changed = [sum(setting[name] != given[name] for name in given) for setting in settings]
    assert max(changed) == 1 or len(settings) == math.prod(len(axis.values) for axis in axes)
    for axis in axes:
        tried = {setting[axis.name] for setting in settings}
        assert tried == {*axis.values} >= {given[axis.name]}
        low, high = axis.limits
        assert low is None or min(tried) >= low
        assert high is None or max({*tried} - {given[axis.name]}) <= high  # a weight as given may be above 1
    for setting in settings:  # none is refused
        assert variation(axes, setting).apply(study, found)[0] is study


def test_a_plan_has_no_end_outside_its_range():
    _, _, settings, _ = plan("lm-jm")
    assert [setting["lambda"] for setting in settings] == [0.1, 0.3, 0.5, 0.7, 0.9]


@pytest.mark.system
@pytest.mark.parametrize("ranker", TRIED)
def test_tune_without_a_grid_answers(pets, ranker):
    if not toysearch.model(ranker).parameters or ranker in FIXED:
        assert "declares no range to try" in refused("tune", pets, "--model", ranker)
        return
    data = json.loads(done("tune", pets, "--model", ranker, "--folds", 2, "--json").stdout)
    assert [each["setting"] for each in data["settings"]] == plan(ranker)[2]


EXPERIMENTS = {
    "run": ["-o", "out.run"],
    "eval": ["--convention", "all"],
    "report": ["--chart", "pr", "-o", "out.html"],
    "compare": ["--model", "bm25:b=0", "--by", "length"],
    "judge rejudge": ["--model", "bm25:b=0", "--by", "pets/qrels/test.tsv"],
    "robustness": ["--only", "spelling"],
    "ablate": [],
    "tune": ["--grid", "stem=none,english"],
    "similar": ["-k", "2"],
}


@pytest.mark.parametrize(
    "ranker", [pytest.param(each, marks=exhaustive) for each in dict.fromkeys([*FIRST, *MIXED, *PIPED])]
)
def test_every_experiment_takes_it(pets, ranker):
    """What an experiment builds or alters serves whatever ranks: texts, positions, fields, values."""
    document = json.loads(done("search", pets, "--query-id", "33", "--json").stdout)["hits"][0]["doc_id"]
    for command, options in EXPERIMENTS.items():
        targets = {"similar": [pets, document]}.get(command, [pets])
        result = run(*command.split(), *targets, "--model", ranker, *options)
        is_refused = "takes the whole text" in result.stderr or "does not read the terms" in result.stderr
        allowed = 2 if is_refused and command in ("similar", "tune") else 0
        assert result.exit_code == allowed, result.stderr
    if not re.search("learned:|mine.py", ranker):
        toysearch.features(pets, [ranker, "length"])
    Path("gate.toml").write_text(
        f'collection = "pets"\nmodel = {json.dumps(ranker)}\n[[expect]]\nmeasure = "AP"\nat_least = 0\n'
    )
    done("gate", "gate.toml")


@pytest.mark.parametrize("ranker", [pytest.param(each, marks=exhaustive) for each in FIRST])
def test_every_report_is_made(pets, ranker, tmp_path):
    done("report", pets, "--model", ranker, "-o", tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()


BM25 = re.compile(r"\bbm25\b(?![-:])")
OWNED = [each for each in RANKERS if BM25.search(each)]
"""Rankers with bm25 inside, which a search of one's own with the same scores can replace."""
BOTH = {
    "search": ["pets", "--query-id", "33", "--json"],
    "run": ["pets", "-o", "-"],
    "explain": ["pets", "p057", "p224", "--query-id", "33", "--json"],
    "similar": ["pets", "p057", "--json"],
    "serve": [],
    "eval": ["pets", "--json"],
    "compare": ["pets", "--model", "dph", "--json"],
    "diff": ["pets", "--model", "dph", "--json"],
    "tune": ["pets", "--grid", "stem=none,english", "--json"],
    "report": ["pets", "--model", "dph", "--json"],
    "ablate": ["pets", "--json"],
    "robustness": ["pets", "--only", "spelling,length", "--json"],
    "judge rejudge": ["pets", "--model", "dph", "--by", "pets/qrels/test.tsv", "--json"],
}
"""Commands with a model, and what they are asked."""
INSIDE = {"explanation", "terms", "movers", "turns", "order", "repeat"}
"""Parts of answers that take a ranker apart, which a search of one's own has not."""
OF_TERMS = {"similar"}
"""Commands that ask for terms without a text."""
OF_INDEX = {"tune", "ablate", "robustness"}
"""Commands that alter the index, which a search of one's own does not read."""


def told(command, ranker):
    """What a command says of a ranker called M, without its inside; None if it refuses it in a sentence."""
    if command == "serve":
        pytest.importorskip("starlette")
        from page_client import client, of_name

        try:
            asked = client(*of_name("pets"), models={"M": toysearch.model(ranker)})
        except ArgumentError:
            return None
        reply = asked.get("/pets/search.json", params={"topic": "33", "model": "M"})
        return [(hit["doc_id"], hit["score"]) for hit in reply.json()["hits"]] if reply.status_code == 200 else None
    result = run(*command.split(), *BOTH[command], "--model", ranker)
    if result.exit_code:
        assert (result.exit_code, result.stdout) == (2, ""), (command, ranker, result.exception)
        assert result.stderr.splitlines()[-1].startswith("toysearch: ")
        return None
    if command == "run":
        return [line.split()[:5] for line in result.stdout.splitlines()]
    return without_inside(json.loads(result.stdout.replace(ranker, "M")))


def refuses(ranker):
    try:
        toysearch.Searcher("pets", ranker).search("cat dog")
    except ArgumentError:
        return True
    return False


def without_inside(value):
    if isinstance(value, dict):
        return {key: without_inside(part) for key, part in value.items() if key not in INSIDE}
    return [*map(without_inside, value)] if isinstance(value, list) else value


@pytest.mark.system
@pytest.mark.parametrize("ranker", [pytest.param(each, marks=[] if each in FIRST else exhaustive) for each in OWNED])
def test_bm25_and_a_search_with_its_scores_are_answered_alike(pets, ranker):
    """Each command gives the same answer, or a sentence: it never ranks an empty text."""
    own = BM25.sub("own.py:search", ranker)
    for command in BOTH:
        answer = told(command, own)
        if answer is None:
            assert command in OF_TERMS or refuses(own) or (command == "tune" and not reads_index(toysearch.model(own)))
            continue
        expected, model = told(command, ranker), toysearch.model(own)
        if command not in OF_INDEX:
            assert answer == expected, command
        elif command == "ablate":
            assert (answer["value"], answer["per_query"]) == (expected["value"], expected["per_query"])
            switched = [switch["ingredient"] for switch in answer["switches"] if not switch["problem"]]
            assert reads_index(model) or switched == ["stop words"] * reads_words(model)
        elif command == "robustness":
            same = {each["name"]: each for each in expected["inputs"]}
            spelling = [each for each in answer["inputs"] if each["property"] == "spelling"]
            assert spelling == [same[each["name"]] for each in spelling]
            assert spelling or has_queries_by_id(model)
            assert reads_index(model) or spelling == answer["inputs"]
        else:
            assert reads_index(model)


OF_TEXTS = ["mine.py:search", "impact:w.jsonl,queries=wq.jsonl"]
OF_TEXTS += ["run:r.run"]
OF_TEXTS += [f"dense:v.npy,queries={queries}" for queries in ("q.npy", "mine.py:embed")]
AROUND = ["{}", "rrf(bm25, {})", "0.5*bm25 + 0.5*{}", "2*min-max({})", "bm25@20 >> {}", "{}@20 >> bm25", "mmr({})"]
ALONE = r"(mine\.py:\w+|w?q\.\w+|run:r\.run) takes the whole text of a query, and here it would get terms alone"


@pytest.mark.parametrize("ranker", [around.format(inside) for inside in OF_TEXTS for around in AROUND])
def test_a_ranker_of_texts_refuses_terms_alone(pets, index, ranker):
    """An empty text is a legal query, so terms without a text would be answered for it."""
    searcher = toysearch.Searcher(index, ranker)
    with pytest.raises(ArgumentError, match=ALONE):
        searcher.search_terms(["tick", "dog"])
    assert len(searcher.search("", where="year > 2003"))
    assert len(searcher.search("tick dog", query_id="33"))


@pytest.mark.parametrize("ranker", OF_TEXTS)
def test_a_filter_alone_ranks_what_it_keeps_at_0(pets, ranker):
    """As for every model: the documents in their order."""
    asked = ["search", pets, "--where", "year > 2003", "--json", "--explain", "--model"]
    expected, found = (json.loads(done(*asked, name).stdout)["hits"] for name in ("bm25", ranker))
    assert found == expected
    assert {hit["score"] for hit in found} == {0.0}


TYPED = ["tick (dog)", "tick^2 title:dog", '+tick -dog "a tick"', "year:>2003", "tick AND NOT cat", "tick dog?"]


def texts_of(pets, command, ranker):
    """The texts that a command asks a ranker for."""
    Path("asked.txt").write_text("")
    result = run(*command.split(), *BOTH[command], "--model", ranker)
    assert result.exit_code in (0, 2), (command, result.exception)
    return {json.loads(line) for line in Path("asked.txt").read_text().splitlines()}


ASKING = ["new=spy.py:search", "rrf(bm25, spy.py:search, dph)", "0.3*z-score(spy.py:search) + min-max(bm25)"]
ASKING += ["bm25@20 >> spy.py:search", "mmr(spy.py:search, depth=5)", "dense:v.npy,queries=spy.py:embed"]


@pytest.mark.system
@pytest.mark.parametrize("ranker", ASKING)
def test_a_ranker_of_texts_is_asked_for_whole_texts(pets, ranker):
    """Each command asks for the texts of queries; `robustness` for altered ones too, never for the empty text."""
    of_queries = {query.text for query in toysearch.load(pets).queries}
    for command in [*BOTH]:
        if command == "serve":
            continue
        asked = texts_of(pets, command, ranker)
        assert "" not in asked
        assert command == "robustness" or asked <= of_queries, command


@pytest.mark.parametrize("typed", TYPED)
def test_a_ranker_of_texts_gets_the_text_that_was_typed(pets, index, served, typed):
    """In the shell, in Python and on the page."""
    from page_client import client

    page = client(*served, models={"M": toysearch.model("spy.py:search")})
    for ask in (
        lambda: done("search", pets, typed, "--model", "spy.py:search", "--explain"),
        lambda: done("explain", pets, "p057", "--query", typed, "--model", "spy.py:search"),
        lambda: toysearch.Searcher(index, "spy.py:search").search(typed),
        lambda: page.get(f"/{pets}/search.json", params={"q": typed, "model": "M"}),
    ):
        Path("asked.txt").write_text("")
        ask()
        assert {json.loads(line) for line in Path("asked.txt").read_text().splitlines()} == {typed}


def test_a_search_of_ones_own_has_documents_of_its_own(pets):
    for ranker in ("mine.py:search", "rrf(bm25, mine.py:search)"):
        found = toysearch.robustness(ranker, pets, only="corpus")
        assert not found.inputs
        assert {each.reason for each in found.skipped} == {
            "mine.py:search searches documents of its own, which stay as they are"
        }
    assert not toysearch.robustness("mine.py:search", pets, only="length").inputs


def test_learned_weights_of_typed_words_leave_out_stop_words_alone(pets):
    problems = {each.variation: each.problem for each in toysearch.ablate("impact:w.jsonl", pets).switches}
    reason = "impact:w.jsonl does not read the terms of the index"
    assert problems == {"stop words on": "", "stemming on": reason, "title off": reason}
    assert not toysearch.robustness("impact:w.jsonl", pets, only="length").inputs
    told = refused("tune", pets, "--model", "impact:w.jsonl", "--grid", "stem=none,english")
    assert "stem cannot be varied for impact:w.jsonl, which does not read the terms of the index" in told
    done("tune", pets, "--model", "impact:w.jsonl", "--grid", "stop=none,sklearn", "--folds", 2)


@pytest.mark.parametrize("ranker", OF_TEXTS)
def test_xquad_asks_term_by_term_so_a_ranker_of_texts_refuses(pets, ranker):
    with pytest.raises(ArgumentError, match=ALONE):
        toysearch.Searcher(pets, f"xquad({ranker})").search("removing a tick", query_id="33")


def test_stems_are_not_the_words_of_learned_weights(pets):
    index, words = (toysearch.Index.build(toysearch.load(pets), analyzer) for analyzer in ("english", "plain"))
    with pytest.raises(ArgumentError, match=r"impact:w\.jsonl takes the whole text of a query"):
        toysearch.Searcher(index, "impact:w.jsonl").search_terms(["tick"])
    searcher = toysearch.Searcher(words, "impact:w.jsonl")
    assert list(searcher.search_terms(["old", "dog"])) == list(searcher.search("old dog"))


@pytest.mark.parametrize(
    "ranker",
    ["dense:v.npy,queries=q.npy", "rrf(bm25, impact:w.jsonl,queries=wq.jsonl)", "bm25@20 >> run:r.run"],
)
def test_vectors_by_id_are_not_those_of_altered_texts(pets, ranker):
    found = toysearch.robustness(ranker, pets, only="spelling")
    assert not found.inputs
    kind = "rankings" if "run:" in ranker else "vectors"
    reason = f"{toysearch.model(ranker)} has {kind} of queries by their ids, and none of other texts"
    assert [each.reason for each in found.skipped].count(reason) == 4


def test_each_command_with_a_model_is_asked():
    commands = {name for name, each in every_command() if any("--model" in option.opts for option in each.params)}
    assert {*BOTH} == commands
    assert len(OWNED) * len(BOTH) == 26 * 13


@pytest.mark.parametrize("ranker", TRIED)
def test_the_page_explains(pets, served, ranker):
    from page_client import client

    asked = client(*served, models={ranker: toysearch.model(ranker)})
    hits = asked.get(f"/{pets}/search.json", params={"topic": "33", "model": ranker}).json()["hits"]
    for doc_id in (hits[0]["doc_id"], hits[-1]["doc_id"]):
        reply = asked.get(f"/{pets}/explanation.json", params={"topic": "33", "model": ranker, "doc": doc_id})
        assert (reply.status_code, reply.json()["doc_id"]) == (200, doc_id)


@pytest.mark.system
@pytest.mark.parametrize("ranker", TRIED)
def test_each_printed_swap_is_confirmed_by_a_search(pets, ranker):
    confirm(pets, ranker, ["33"])


@pytest.mark.parametrize(
    "ranker", [pytest.param(each, marks=exhaustive) for each in ("bm25", *WRAPPED, *NESTED, *MIXED[:3])]
)
def test_each_printed_swap_is_confirmed_on_cranfield(corpora, ranker, monkeypatch):
    monkeypatch.setattr(rank_flip, "_STEPS", 20)
    confirm("cranfield", ranker, ["1", "2"])


MOVE = re.compile(r"^  \S+ .* (rises past|new, past|falls behind|gone, behind) .*\([-+]")
LIFT = re.compile(r"\(([-+][^)]+)\)")


@pytest.mark.system
@pytest.mark.parametrize("ranker", TRIED)
def test_printed_reasons_agree_with_the_moves(pets, ranker):
    """Both ways, for all queries and up to ten documents of each."""
    collection = toysearch.load("pets")
    agree(collection, ranker, "dice" if ranker == "bm25" else "bm25")


@pytest.mark.parametrize(
    "ranker",
    [
        pytest.param(each, marks=exhaustive)
        for each in RANKERS
        if not re.search("lsa:|dense:|impact:|learned:|prior|mine.py|run:", each)
    ],
)
def test_printed_reasons_agree_with_the_moves_in_companions(ranker):
    for other in ("dph", "rm3(bm25)"):
        agree(toysearch.load("companions"), ranker, other)


def agree(collection: toysearch.Collection, ranker: str, other: str) -> None:
    """The sum of the printed lifts of each printed move has the sign of the move."""
    seen = 0
    for two in ((ranker, other), (other, ranker)):
        for line in str(toysearch.diff(*two, collection, n=None, moves=10)).splitlines():
            if move := MOVE.match(line):
                seen += 1
                total = sum(float(lift) for lift in LIFT.findall(line))
                assert total > 0 if "past" in move[1] else total < 0, (two, line)
    assert seen or ranker == other


def confirm(source: str, ranker: str, query_ids: list[str]) -> None:
    """Search with each value that `explain` prints for two documents, and a little nearer to the present value."""
    for query_id in query_ids:
        search = partial(ranks, source, query_id)
        above, *_, below = [*search(ranker)][:4]
        printed = json.loads(
            done("explain", source, below, above, "--query-id", query_id, "--model", ranker, "--json").stdout
        )
        named = {each.name: each for each in tunable_parameters(toysearch.model(ranker))}
        for turn in printed["turns"]:
            if not turn["turns"]:
                continue
            parameter, value = named[turn["parameter"]], turn["turned"]
            assert swapped(search(str(parameter.with_value(value))), above, below), turn
            if isinstance(value, float) and isinstance(turn["value"], float):
                step = 0.002 * min(abs(value - turn["value"]), abs(value) or 1.0)
                nearer = value - np.copysign(step, value - turn["value"])
                assert not swapped(search(str(parameter.with_value(float(nearer)))), above, below), (turn, nearer)


def ranks(source: str, query_id: str, ranker: str) -> dict[str, int]:
    """The rank of each document, as `toysearch search` has it."""
    line = ["search", source, "--query-id", query_id, "--model", ranker, "-k", 10_000, "--tsv"]
    return {row.split("\t")[1]: rank for rank, row in enumerate(done(*line).stdout.splitlines()[1:], 1)}


def swapped(rank: dict[str, int], above: str, below: str) -> bool:
    """Whether the lower document ranks above the other, or alone is ranked."""
    return below in rank and (above not in rank or rank[below] < rank[above])
