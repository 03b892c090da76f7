"""One table, one rule: a system beside its own scores, at each way to a table, has their values to the last bit."""

import csv
import json

import pytest
from grouped_means import group_means
from page_client import USUAL, client, of_name
from random_collections import collection as random_collection
from random_collections import write
from shell import done, refusal
from stand_in_frames import Frame

import toysearch
from toysearch.base import collected_notes, without_notes
from toysearch.base.run_order import of_one_table
from toysearch.page.foreign_run import foreign_runs
from toysearch.study import Study, scores

pytestmark = pytest.mark.usefixtures("beside")
MODELS = ["dice", "overlap"]  # much of what they rank is tied
KINDS = ["file", "dict", "frame"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a small collection, called words."""
    folder = tmp_path_factory.mktemp("scores")
    write(random_collection(3, 40, 12, by_words=True), folder / "words")
    return folder


@pytest.fixture
def beside(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def written(folder):
    """What models give all their documents, not rounded: kind → model → what Python takes; in files for the shell."""
    collection = toysearch.load(folder / "words")
    python, files = {kind: {} for kind in KINDS}, {kind: {} for kind in KINDS}
    for model in MODELS:
        run = toysearch.Searcher(collection, model).run(collection.judged_queries, None)
        rows, given = [tuple(hit) for hit in run], run.to_dict()
        lines = [f"{query_id} Q0 {doc_id} 1 {score!r} raw-{model}\n" for query_id, doc_id, score in rows]
        names = ("query_id", "doc_id", "score")
        frame = Frame(**dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
        texts = {"file": "".join(lines), "dict": json.dumps(given)}
        for kind, ending in zip(KINDS, ("run", "json", "csv"), strict=True):
            path = folder / f"raw-{model}.{ending}"
            if kind == "frame":
                with path.open("w", newline="") as stream:
                    csv.writer(stream).writerows([names, *rows])
            else:
                path.write_text(texts[kind])
            files[kind][model] = str(path)
            python[kind][model] = {"file": str(path), "dict": given, "frame": frame}[kind]
    return python, files


# A way takes what Python or the shell takes, its models, and k; it returns the values of the systems in this order,
# and the order of equal scores that it names.


def words(files, models, k=None):
    return ["words", *files, *(word for model in models for word in ("--model", model)), *(["-k", k] if k else [])]


def printed(command, files, models, *more, k=None):
    data = json.loads(done(command, *words(files, models, k), "--json", *more).stdout)
    if models and "k" in data:
        assert data["k"] == (k or 1000)
    return data, data["ties"]


def of_eval(files, models, k=None):
    data, ties = printed("eval", files, models, "-m", "AP", k=k)
    return [system["measures"]["AP"] for system in data["systems"]], ties


def of_compare(files, models, k=None):
    data, ties = printed("compare", files, models, "-m", "AP", k=k)
    return [*data["measures"][0]["means"].values()], ties


def of_report(files, models, k=None):
    data, ties = printed("report", files, models, "-m", "AP", k=k)
    return [*data["measures"][0]["means"].values()], ties


def of_diff(files, models, k=None):
    data, ties = printed("diff", files, models, k=k)
    return data["means"], ties


def of_gate(files, models, k=None, tmp_path=None):
    systems = [f'run = "{file}"' for file in files]
    systems += [f'model = "{model}"' for model in models]
    measure = f"AP@{k}" if k else "AP"
    text = "".join(f'[systems.s{n}]\n{it}\ncollection = "words"\n' for n, it in enumerate(systems))
    text += "".join(f'[[expect]]\nsystem = "s{n}"\nmeasure = "{measure}"\nat_least = 0\n' for n in range(len(systems)))
    (tmp_path / "relevance.toml").write_text(text)
    data = json.loads(done("gate", tmp_path / "relevance.toml", "--json").stdout)
    assert f"ties {data['ties']}" in done("gate", tmp_path / "relevance.toml").stderr
    return [outcome["value"] for outcome in data["outcomes"]], data["ties"]


def of_serve(files, models, k=None):
    [source] = of_name("words")
    with collected_notes():
        source.runs = foreign_runs(source, files, USUAL)
    asked = dict(zip("abc", [*source.runs, *models], strict=False))
    reply = client(source).get("/words/compare.json", params=asked)
    data = reply.json()
    page = client(source).get("/words/compare", params=asked | {"topic": "1"}).text
    assert f"ties {data['ties']}" in page
    return [*data["overall"]["measures"][0]["means"].values()], data["ties"]


def in_python(compute):
    def of_systems(given, models, k=None):
        return compute(dict(zip("ab", [*given, *models], strict=True)), {} if k is None else {"k": k})

    return of_systems


def by_scores(systems, how):
    found = scores(systems, Study.of("words").with_scoring(**how) if how else "words", "AP")
    assert {values.ties for values in found.evaluations} == {found.data()["ties"]}
    assert f"ties {found.data()['ties']}" in found.about()[0]
    return [values["AP"] for values in found.evaluations], found.data()["ties"]


def by_compare(systems, how):
    found = toysearch.compare(systems, "words", "AP", **how)
    assert {values.ties for values in found.evaluations.values()} == {found.data()["ties"]}
    return [*found.means["AP"].values()], found.data()["ties"]


def by_groups(systems, how):
    study = Study.of("words").with_scoring(**how) if how else "words"
    rows = group_means(systems, study).rows
    n = sum(row.n for row in rows) / 2
    return [sum(row.mean * row.n for row in rows if row.system == name) / n for name in "ab"], None


SHELL = {
    "eval": of_eval,
    "compare": of_compare,
    "report": of_report,
    "diff": of_diff,
    "gate": of_gate,
    "serve": of_serve,
}
PYTHON = {"scores": by_scores, "compare": by_compare, "group_means": by_groups}
WAYS = {**SHELL, **{f"Python {name}": in_python(way) for name, way in PYTHON.items()}}
ADDED = ("gate", "Python group_means")  # ways whose values are sums here
ALONE = {"models": "rank", "files": "trec_eval"}
CELLS = [(way, case) for way in WAYS for case in [*ALONE, *KINDS]]


def values_of(way, written, case, tmp_path, k=None):
    """The values of two systems at a way, and the rule that it names."""
    python, files = written
    systems = files if way in SHELL else python
    kind = case if case in KINDS else "file"
    given = (
        [] if case == "models" else [systems[kind]["dice"], *([systems[kind]["overlap"]] if case == "files" else [])]
    )
    models = MODELS if case == "models" else [] if case == "files" else ["dice"]
    more = {"tmp_path": tmp_path} if way == "gate" else {}
    with without_notes():
        return WAYS[way](given, models, k=k, **more)


def test_every_way_is_walked():
    assert len(CELLS) == 9 * 5


@pytest.mark.parametrize(("way", "case"), CELLS)
def test_a_system_has_the_values_of_its_own_scores(way, case, written, tmp_path):
    (first, second), ties = values_of(way, written, case, tmp_path)
    rule, given = ALONE.get(case, "trec_eval"), written[0]["dict"]
    expected = [alone(model, rule, given) for model in (MODELS if case in ALONE else ["dice", "dice"])]
    assert [first, second] == pytest.approx(expected, abs=1e-12)
    assert ties in (rule, None)
    if case in KINDS:
        assert way in ADDED or first == second
        assert abs(alone("dice", "rank", given) - expected[0]) > 0.0005


def alone(model, rule, given):
    """The value of a model alone, or of its scores alone, as `evaluate` has them."""
    run = given[model]
    if rule == "rank":
        collection = toysearch.load("words")
        run = toysearch.Searcher("words", model).run(collection.judged_queries)
    return toysearch.evaluate(run, "words", "AP")["AP"]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "serve"])
def test_all_systems_of_a_table_have_one_depth(way, written, tmp_path):
    (first, second), _ = values_of(way, written, "file", tmp_path, k=7)
    alone = values_of(way, written, "models", tmp_path, k=7)[0][0]
    assert first == pytest.approx(second, abs=1e-12)
    assert abs(first - alone) < 0.01 < abs(first - values_of(way, written, "file", tmp_path)[0][0])


@pytest.mark.parametrize("command", ["eval", "compare", "diff"])
def test_the_line_below_a_table_names_the_rule(command, written):
    _, files = written
    file = files["file"]["dice"]
    assert "ties rank" in done(command, *words([], MODELS)).stderr
    assert "ties trec_eval" in done(command, *words([file], ["dice"])).stderr
    assert "ties rank" in done(command, *words([file], ["dice"]), "--ties", "rank").stderr


def test_a_named_rule_wins_everywhere(written):
    python, files = written
    for ties in ("rank", "average", "trec_eval"):
        for kind in KINDS:
            found = toysearch.compare({"a": python[kind]["dice"], "b": "dice"}, "words", "AP", ties=ties)
            assert found.means["AP"]["a"] == found.means["AP"]["b"]
            assert found.data()["ties"] == ties
        for command in ("eval", "compare", "diff"):
            result = done(command, *words([files["file"]["dice"]], ["dice"]), "--ties", ties, "--json")
            assert json.loads(result.stdout)["ties"] == ties


def test_a_table_keeps_the_first_documents_by_its_rule():
    given = toysearch.Run.from_dict({"1": {"b": 1, "a": 2, "c": 1}, "2": {"d": 1}})
    for ties, kept in {None: "ac", "trec_eval": "ac", "average": "ac", "rank": "ab", "sklearn": "ab"}.items():
        [run] = of_one_table([given], ties, 2)
        assert (run.doc_ids, run.offsets.tolist(), run.ranked) == ([*kept, "d"], [0, 2, 3], False)


def test_a_ranking_without_scores_leaves_the_order_of_models():
    """A list of documents has no equal scores, so nothing is sorted by ids."""
    collection = toysearch.load("words")
    run = toysearch.Searcher("words", "dice").run(collection.judged_queries)
    lists = {query_id: list(ranking) for query_id, ranking in run.to_dict().items()}
    found = toysearch.compare({"lists": lists, "dice": "dice"}, "words", "AP")
    assert found.data()["ties"] == "rank"
    assert found.means["AP"]["lists"] == found.means["AP"]["dice"]
    scored = toysearch.compare({"lists": lists, "dice": "dice", "scores": run.to_dict()}, "words", "AP")
    assert scored.means["AP"]["dice"] == scored.means["AP"]["scores"] != scored.means["AP"]["lists"]


def test_a_model_equals_the_run_that_is_written_of_it_by_rank(written, tmp_path):
    """`toysearch run` writes the order of the ranking: a named rule compares it with its model, in a gate too."""
    run = tmp_path / "last.run"
    done("run", "words", "--model", "dice", "-o", run)
    found = json.loads(done("compare", *words([run], ["dice"]), "-m", "AP", "--ties", "rank", "--json").stdout)
    assert len({*found["measures"][0]["means"].values()}) == 1
    expect = '[[expect]]\nbaseline = "last.run"\nmeasure = "AP"\nquery_may_fall_by = 0\n'
    gate = tmp_path / "relevance.toml"
    keys = {"top": 'collection = "words"\nmodel = "dice"\n'}
    keys["table"] = f"[systems.'the new']\n{keys['top']}"
    falls = expect + '[[expect]]\nquery = 11\ndocument = "d99"\nin_first = 1\n'
    for start in keys.values():
        gate.write_text(start + falls)
        [fall, rank] = toysearch.gate(gate).failures
        assert fall.reason.endswith('; it holds with ties = "rank" where the system is defined')
        assert "ties" not in rank.reason
        gate.write_text(f'{start}ties = "rank"\n{expect}')
        data = json.loads(done("gate", gate, "--json").stdout)
        assert (data["ties"], data["passed"]) == ("rank", True)
    gate.write_text(f'{keys["top"]}ties = "trec_eval"\n{falls}')
    assert not any("ties" in one.reason for one in toysearch.gate(gate).failures)
    other = '[systems.b]\nrun = "last.run"\ncollection = "words"\nties = "trec_eval"\n'
    gate.write_text(f'collection = "words"\nties = "rank"\n{other}{expect}')
    assert "ties is one rule for all systems of a file, found rank and trec_eval" in refusal("gate", gate)
