"""The page for those who come from another tool: each name is one here, and the tools give the same numbers."""

import ast
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from numpy.testing import assert_allclose
from rank_bm25 import BM25L, BM25Okapi, BM25Plus
from shell import done
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

import toysearch
from toysearch.evaluation.measures.measure import parse_measures

bm25s = pytest.importorskip("bm25s")
ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.system

PAGE = (ROOT / "docs" / "look-up" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ROWS = {
    tool: [tuple(row.strip("| ").split(" | ")) for row in re.findall(r"^\| `.*\|$", text, re.MULTILINE)]
    for tool, text in SECTIONS.items()
}
TOOLS = ["rank-bm25", "bm25s", "scikit-learn", "Whoosh", "PyTerrier", "Pyserini", "Elasticsearch", "ranx"]
TOOLS += ["ir_measures", "trec_eval"]
CODE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TEXTS = [
    "Tick removal for dog owners",
    "Please put a tick in every box",
    "The parrot repeats every word",
    "How to walk a dog in summer",
    "A dog may carry a tick home",
]
QUERY = "dog walk"
QRELS = "trec/qrels/test.trec"
MEANS = {"AP": 0.3831, "nDCG@10": 0.4762, "RR": 0.6837, "R@100": 0.626, "P@5": 0.3241, "Rprec": 0.3497}
MEANS |= {"Bpref": 0.3473, "Success@1": 0.6379, "F@10": 0.2611}
"""Of BM25 on companions, by each tool that has the measure."""


def here(tool: str, there: str) -> str:
    """What a name of a tool is called here, by the page."""
    [row] = [row for row in ROWS[tool] if row[0] == f"`{there}`" or row[0].startswith(f"`{there}` ")]
    return row[1].strip("`").replace("\\|", "|")


def ours(model: str, analyzer: toysearch.Analyzer | None = None) -> dict[str, float]:
    """The scores of a model here, by the number of the text."""
    index = toysearch.Index.build(TEXTS, analyzer)
    return {hit.doc_id: hit.score for hit in toysearch.Searcher(index, model).search(QUERY)}


def scored(scores: Iterable[float]) -> dict[str, float]:
    """The scores of another tool that are not 0."""
    return {str(number): float(score) for number, score in enumerate(scores, 1) if score}


def test_there_is_a_table_for_each_of_the_ten_tools() -> None:
    assert [*SECTIONS] == [*TOOLS, "Inside other tools"]
    for tool in TOOLS:
        assert {len(row) for row in ROWS[tool]} <= {2, 3}, tool  # what differs may be empty
        assert len(ROWS[tool]) >= 3, tool
    assert len(PAGE.split()) <= 1800


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_each_model_that_a_table_names_is_one(tool: str) -> None:
    index = toysearch.Index.build(["a dog", "a cat", "a parrot"], lsa=1)
    names = "|".join(sorted(toysearch.MODELS, key=len, reverse=True))
    named = re.findall(rf"`((?:{names})(?::[^`]*)?|formula:[^`]*)`", " ".join(row[1] for row in ROWS[tool]))
    for model in {*named} - {"bm25f"}:
        assert toysearch.Searcher(index, model)


@pytest.mark.parametrize("tool", ["ranx", "ir_measures", "trec_eval"])
def test_a_measure_has_both_names(tool: str) -> None:
    pairs = []
    for row in ROWS[tool]:
        theirs, own = (re.findall(r"`([^`]+)`", cell) for cell in row[:2])
        if own and re.fullmatch(r"[A-Za-z_]+(\(.*\))?(@[\d.]+)?", own[0]) and own[0][0].isupper():
            pairs += zip(theirs, own, strict=True)
    assert len(pairs) >= {"ranx": 11, "ir_measures": 1, "trec_eval": 22}[tool]
    for name, own_name in pairs:
        assert parse_measures(name.replace("map-l2", "AP(rel=2)")) == parse_measures(own_name), name


@pytest.mark.parametrize(("theirs", "name"), [(BM25Okapi, "BM25Okapi"), (BM25L, "BM25L"), (BM25Plus, "BM25Plus")])
def test_rank_bm25(theirs: Any, name: str) -> None:
    scores = scored(theirs([text.lower().split() for text in TEXTS]).get_scores(QUERY.split()))
    found = ours(here("rank-bm25", name), toysearch.Analyzer(tokens="whitespace"))
    assert found == {number: pytest.approx(scores[number], rel=1e-12) for number in found}
    if name == "BM25Okapi":
        assert {number: round(score, 4) for number, score in found.items()} == {"4": 1.2353, "1": 0.2283, "5": 0.197}


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire"])
def test_bm25s(method: str) -> None:
    """Of words that are in less than half of the documents."""
    theirs = bm25s.BM25(method=method, dtype="float64")
    theirs.index(bm25s.tokenize(TEXTS, stopwords=None, show_progress=False), show_progress=False)
    word = "walk" if method == "robertson" else QUERY
    scores = scored(theirs.get_scores(word.split()))
    model = here("bm25s", f'method="{method}"')
    index = toysearch.Index.build(TEXTS)
    found = {hit.doc_id: hit.score for hit in toysearch.Searcher(index, model).search(word)}
    assert found == {number: pytest.approx(score, rel=1e-12) for number, score in scores.items()}
    if method == "lucene":
        assert {number: round(score, 4) for number, score in found.items()} == {"4": 0.7334, "1": 0.223, "5": 0.223}


VECTORS = {
    "TfidfVectorizer()": TfidfVectorizer(),
    "TfidfVectorizer(norm=None)": TfidfVectorizer(norm=None),
    "TfidfVectorizer(sublinear_tf=True)": TfidfVectorizer(sublinear_tf=True),
    "TfidfVectorizer(smooth_idf=False)": TfidfVectorizer(smooth_idf=False),
    "CountVectorizer()": CountVectorizer(),
}


@pytest.mark.parametrize("name", VECTORS)
def test_scikit_learn(name: str) -> None:
    matrix = VECTORS[name].fit_transform(TEXTS)
    query = VECTORS[name].transform([QUERY])
    product = cosine_similarity(matrix, query) if name == "CountVectorizer()" else (matrix @ query.T).toarray()
    found = ours(here("scikit-learn", name))
    assert found == {number: pytest.approx(score, rel=1e-12) for number, score in scored(product[:, 0]).items()}
    if name == "TfidfVectorizer()":
        assert {number: round(score, 4) for number, score in found.items()} == {"4": 0.533, "1": 0.1888, "5": 0.1888}


def test_a_distance_of_scikit_learn() -> None:
    counts = CountVectorizer()
    matrix = counts.fit_transform(TEXTS)
    distances = euclidean_distances(matrix, counts.transform([QUERY]))[:, 0]
    for number, score in ours(here("scikit-learn", "euclidean_distances")).items():
        assert score == pytest.approx(-distances[int(number) - 1], rel=1e-12)


def test_whoosh() -> None:
    whoosh = pytest.importorskip("whoosh.index")
    from whoosh import analysis, fields, filedb, qparser, scoring  # noqa: F401
    from whoosh.filedb.filestore import RamStorage

    assert whoosh
    words = analysis.RegexTokenizer(r"(?u)\b\w\w+\b") | analysis.LowercaseFilter()
    index = RamStorage().create_index(fields.Schema(number=fields.ID(stored=True), text=fields.TEXT(analyzer=words)))
    writer = index.writer()
    for number, text in enumerate(TEXTS, 1):
        writer.add_document(number=str(number), text=text)
    writer.commit()
    query = qparser.QueryParser("text", index.schema, group=qparser.OrGroup).parse(QUERY)
    for name in ("BM25F", "TF_IDF"):
        with index.searcher(weighting=getattr(scoring, name)()) as searcher:
            scores = {hit["number"]: hit.score for hit in searcher.search(query)}
        found = ours(here("Whoosh", f"scoring.{name}()"))
        assert found == {number: pytest.approx(score, rel=1e-9) for number, score in scores.items()}


def test_what_lucene_gives_by_its_documentation() -> None:
    """Elasticsearch with the analyzer `standard`, whose scores are k1 + 1 times as large; the preset of Anserini."""
    elasticsearch = ours(here("Elasticsearch", "similarity`: `BM25"), toysearch.Analyzer(tokens="unicode"))
    assert {number: round(score * 2.2, 4) for number, score in elasticsearch.items()} == {
        "4": 1.8288, "1": 0.5853, "5": 0.512
    }  # fmt: skip
    analyzer = toysearch.Analyzer.parse("english:tokens=unicode,stop=lucene,stem=porter")
    assert f"`{analyzer}`" in SECTIONS["Pyserini"]
    pyserini = ours(here("Pyserini", "set_bm25(0.9, 0.4)"), analyzer)
    assert {number: round(score, 4) for number, score in pyserini.items()} == {"4": 1.0311, "1": 0.2887, "5": 0.2765}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs on companions, and the collection in the layout of TREC."""
    folder = tmp_path_factory.mktemp("files")
    for name, model in (("a.run", "bm25"), ("b.run", "cosine"), ("bm25.run", "bm25")):
        done("run", "companions", "--model", model, "-o", folder / name)
    done("convert", "companions", "--to", "trec", "-o", folder / "trec")
    return folder


@pytest.fixture
def there(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is the current one."""
    monkeypatch.chdir(files)


@pytest.mark.usefixtures("there")
def test_the_means_by_toysearch() -> None:
    evaluation = toysearch.evaluate("a.run", QRELS, [*MEANS])
    assert {name: round(mean, 4) for name, mean in evaluation.means.items()} == MEANS


@pytest.mark.usefixtures("there")
def test_the_means_by_ir_measures() -> None:
    qrels, run = ir_measures.read_trec_qrels(QRELS), ir_measures.read_trec_run("a.run")
    measures = {name: ir_measures.parse_measure(name) for name in MEANS if name != "F@10"}
    means = ir_measures.calc_aggregate([*measures.values()], qrels, run)
    assert {name: round(means[measure], 4) for name, measure in measures.items()} == {
        name: mean for name, mean in MEANS.items() if name != "F@10"
    }


@pytest.mark.usefixtures("there")
def test_the_means_by_trec_eval() -> None:
    """It leaves out the query that the run lacks; divided by those that it has, the mean AP would be .3899."""
    with open(QRELS) as qrels_file, open("a.run") as run_file:
        qrels, run = pytrec_eval.parse_qrel(qrels_file), pytrec_eval.parse_run(run_file)
    values = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut", "recip_rank", "bpref"}).evaluate(run)
    names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "bpref": "Bpref"}
    for name, own_name in names.items():
        assert round(sum(value[name] for value in values.values()) / len(qrels), 4) == MEANS[own_name]
    assert round(sum(value["map"] for value in values.values()) / len(values), 4) == 0.3899
    lines = toysearch.evaluate("a.run", QRELS, [*names]).means
    assert [round(mean, 4) for mean in lines.values()] == [MEANS[own_name] for own_name in names.values()]


@pytest.mark.usefixtures("there")
@pytest.mark.filterwarnings("ignore")
def test_the_means_by_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = ranx.Qrels.from_file(QRELS, kind="trec"), ranx.Run.from_file("a.run", kind="trec")
    names = ["map", "ndcg@10", "mrr", "recall@100", "precision@5", "r-precision", "hit_rate@1", "f1@10"]
    means = ranx.evaluate(qrels, run, names, make_comparable=True)
    expected = [mean for name, mean in MEANS.items() if name != "Bpref"]
    assert [round(float(mean), 4) for mean in means.values()] == expected
    assert [round(mean, 4) for mean in toysearch.evaluate("a.run", QRELS, names).means.values()] == expected


@pytest.mark.usefixtures("there")
@pytest.mark.filterwarnings("ignore")
def test_the_means_by_pyterrier() -> None:
    pt = pytest.importorskip("pyterrier")
    run, qrels = pt.io.read_results("a.run"), pt.io.read_qrels(QRELS)
    names = ["map", "ndcg_cut_10", "recip_rank", "P_5"]
    table = pt.Experiment([run], pt.io.read_topics("trec/topics.trec"), qrels, names, names=["bm25"])
    assert [round(float(table[name][0]), 4) for name in names] == [0.3831, 0.4762, 0.6837, 0.3241]
    assert round(pt.Evaluate(run, qrels, ["map"])["map"], 4) == MEANS["AP"]


@pytest.mark.usefixtures("there")
@pytest.mark.filterwarnings("ignore")
def test_two_runs_compared() -> None:
    """All three compute the same p."""
    p = toysearch.compare({"a": "a.run", "b": "b.run"}, QRELS, "AP").pair("AP", "b").p
    assert round(p, 4) == 0.0078
    ranx = pytest.importorskip("ranx")
    runs = [ranx.Run.from_file(f"{name}.run", kind="trec", name=name) for name in "ab"]
    report = ranx.compare(
        ranx.Qrels.from_file(QRELS, kind="trec"), runs, ["map"], stat_test="student", make_comparable=True
    )
    assert report.comparisons["a", "b"]["map"]["p_value"] == pytest.approx(p, rel=1e-6)
    pt = pytest.importorskip("pyterrier")
    a, b = pt.io.read_results("a.run"), pt.io.read_results("b.run")
    topics = pt.io.read_topics("trec/topics.trec")
    table = pt.Experiment(
        [a, b], topics, pt.io.read_qrels(QRELS), ["map"], names=["a", "b"], baseline=0, correction="holm"
    )
    assert float(table["map p-value"][1]) == pytest.approx(p, rel=1e-6)


@pytest.mark.usefixtures("there")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", CODE, ids=["ir_measures", "pyterrier"])
def test_the_code_of_the_page_runs(code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        for module in [alias.name for alias in node.names] if isinstance(node, ast.Import) else []:
            pytest.importorskip(module)
    names: dict[str, Any] = {}
    exec(code, names)
    if "table" in names:  # of PyTerrier; the 50 best documents alone have a lower mean
        assert round(names["table"]["map"][0], 4) == MEANS["AP"]
        assert round(names["ours"]["AP"], 4) == 0.3787
    else:
        assert {str(measure): mean for measure, mean in names["theirs"].items()} == pytest.approx(names["ours"])
        assert round(names["ours"]["AP"], 4) == MEANS["AP"]


def test_bm25s_gives_delta_to_words_that_a_document_lacks() -> None:
    """To the last bits: the weight of bm25l and bm25+ at tf 0, for each word of the query that is not there."""
    collection, analyzer = toysearch.load("companions"), toysearch.Analyzer()
    index = toysearch.Index.build(collection, analyzer)
    tokens = [analyzer(document.text) for document in collection.documents]
    words, n = analyzer("removing a tick"), len(tokens)
    assert words == ["removing", "tick"]
    df = {word: sum(word in document for document in tokens) for word in words}
    missing = {
        "bm25l": ("bm25l:k1=1.5,delta=0.5", {w: math.log((n + 1) / (df[w] + 0.5)) * 2.5 * 0.5 / 2.0 for w in words}),
        "bm25+": ("bm25plus:k1=1.5,delta=0.5", {w: math.log((n + 1) / df[w]) * 0.5 for w in words}),
    }
    for method, (model, weights) in missing.items():
        theirs = bm25s.BM25(method=method, dtype="float64")
        theirs.index(tokens, show_progress=False)
        scores = np.array(theirs.get_scores(words))
        ours = {hit.doc_id: hit.score for hit in toysearch.Searcher(index, model).search("removing a tick", k=n)}
        for number, document in enumerate(collection.documents):
            scores[number] -= sum(weights[word] for word in words if word not in tokens[number])
            assert scores[number] == pytest.approx(ours.get(document.doc_id, 0.0), abs=1e-12)


def test_bm25plus_rank_is_bm25plus_of_bm25s_where_a_word_matches() -> None:
    texts = ["tick removal for dog owners", "a tick in every box", "a parrot", "a dog may carry a tick home"]
    index = toysearch.Index.build(texts)
    theirs = bm25s.BM25(method="bm25+", dtype="float64")
    theirs.index([index.analyzer(text) for text in texts], show_progress=False)
    hits = toysearch.Searcher(index, "bm25plus-rank:delta=0.5").search("tick dog")
    scores = theirs.get_scores(["tick", "dog"])
    assert_allclose([hit.score for hit in hits], [scores[int(hit.doc_id) - 1] for hit in hits], rtol=1e-12)


def test_tantivy_and_elasticsearch_are_bm25_lucene_times_k1_plus_1() -> None:
    tantivy = pytest.importorskip("tantivy")
    collection = toysearch.load("companions")
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text")
    fields.add_text_field("id", stored=True, tokenizer_name="raw")
    engine = tantivy.Index(fields.build())
    writer = engine.writer()
    for document in collection.documents:
        writer.add_document(tantivy.Document(id=document.doc_id, text=document.text))
    writer.commit()
    engine.reload()
    searcher = engine.searcher()
    theirs = {
        searcher.doc(place)["id"][0]: score
        for score, place in searcher.search(engine.parse_query("removing a tick", ["text"]), 20).hits
    }
    index = toysearch.Index.build(collection, toysearch.Analyzer(tokens="word1"))
    ours = toysearch.Searcher(index, "bm25-lucene").search("removing a tick", k=20)
    assert_allclose([hit.score * 2.2 for hit in ours], [theirs[hit.doc_id] for hit in ours], rtol=1e-6)
