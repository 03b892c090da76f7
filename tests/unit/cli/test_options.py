"""Options of several commands: what is typed is what Python takes as arguments."""

import json

import pytest
from shell import done, json_of, refusal, refused, run

import toysearch
from toysearch.cli.options import SourceOptions, analyzer_for, formula_models

PETS = "cat-dog-parrot"


def test_fusing_is_that_of_python(tmp_path):
    runs = []
    for model in ("bm25", "tfidf"):
        done("run", "companions", "--model", model, "-k", "20", "-o", tmp_path / f"{model}.run")
        runs.append(toysearch.read_run(tmp_path / f"{model}.run"))
    for typed, how in (
        ("rrf:k=7", {"method": "rrf", "rrf_k": 7}),
        ("combmnz:normalise=z-score", {"method": "combmnz", "normalise": "z-score"}),
        ("combmnz:sum", {"method": "combmnz", "normalise": "sum"}),
    ):
        out = tmp_path / "out.json"
        done("fuse", tmp_path / "bm25.run", tmp_path / "tfidf.run", "--method", typed, "-o", out, "--force")
        again = tmp_path / "again.json"
        toysearch.write_run(toysearch.fuse(runs, **how), str(again))
        assert json.loads(out.read_text()) == json.loads(again.read_text()), typed


def test_tuning_is_that_of_python():
    shown = done("tune", PETS, "--grid", "b=0,0.5,1", "--grid", "k1=1,2", "--json")
    tuned = toysearch.tune("bm25", PETS, {"b": "0,0.5,1", "k1": "1,2"})
    assert json_of(shown.stdout) == json.loads(json.dumps(tuned.data()))
    told = refusal("tune", PETS, "--grid", "b=0,1", "-o", "a.jsonl")
    assert told == "Error: No such option '-o': --json > FILE keeps all settings with their values"


def terms(text, spec):
    return json.loads(run("analyze", text, "--analyzer", spec, "--json").stdout)["terms"]


@pytest.fixture
def documents(tmp_path):
    """A user's own file of documents."""
    file = tmp_path / "corpus.jsonl"
    texts = ["<p>Le caf&eacute; 42", "A cafe, the budgie", "東京都の天気", "parakeets"]
    file.write_text("".join(json.dumps({"_id": str(n), "text": text}) + "\n" for n, text in enumerate(texts, 1)))
    return file


def test_each_part_of_the_text_reaches_the_analyzer(tmp_path):
    (tmp_path / "synonyms").write_text("cat, tom\n")
    (tmp_path / "words").write_text("flying\ncats\n")
    assert terms("<b>Caf&eacute;</b>", "plain:html") == ["café"]
    assert terms("Café", "plain:fold-accents") == ["cafe"]
    assert terms("東京都", "plain:cjk") == ["東京", "京都"]
    assert terms("Tom", f"plain:synonyms={tmp_path / 'synonyms'}") == ["cat"]
    assert terms("flying planes", f"plain:stem=english,protected={tmp_path / 'words'}") == ["flying", "plane"]
    assert terms("flying planes", "plain:stem=english,protected=Flying") == ["flying", "plane"]
    assert terms("flying planes", "plain:stem=english,protected=flying+planes") == ["flying", "planes"]
    assert terms("no 42", "plain:numbers=drop") == ["no"]
    assert terms("no 42", "plain:numbers=mark") == ["no", "<num>"]
    assert terms("one four fifth", "plain:min_length=4,max_length=4") == ["four"]
    assert terms("a cat sat", "plain:ngrams=1-2") == ["cat", "sat", "cat sat"]
    assert terms("a cat sat", "plain:ngrams=2") == ["cat sat"]
    assert terms("cat", "plain:char-ngrams=3-4") == [" ca", "cat", "at ", " cat", "cat "]


def test_what_an_analyzer_leaves_open_is_the_collection_s():
    cat = toysearch.base.documents.Document("1", "a cat")
    pets = toysearch.Collection("pets", [cat], language="english", tokens="word1")
    for options, expected in [
        (SourceOptions(analyzer={"html": True}), toysearch.Analyzer.for_language("english", tokens="word1", html=True)),
        (SourceOptions(language="german"), toysearch.Analyzer.for_language("german", tokens="word1")),
        (SourceOptions(stop="none"), toysearch.Analyzer.for_language("english", tokens="word1", stop="none")),
        (SourceOptions(analyzer=toysearch.Analyzer()), toysearch.Analyzer()),
    ]:
        assert analyzer_for(options, pets) == expected


def test_a_comma_in_a_regular_expression_ends_no_option():
    for pattern in (r"\w{1,3}", "[a,b]+", "a,+"):
        analyzer = toysearch.Analyzer.parse(f"english:tokens={pattern},stem=porter,min_length=2")
        assert (analyzer.tokens, analyzer.stem, analyzer.min_length) == (pattern, "porter", 2)
        assert toysearch.Analyzer.parse(str(analyzer)) == analyzer


def test_index_takes_the_whole_or_changes(tmp_path):
    for name, spec in (("whole", "plain:ngrams=1-2,html"), ("changes", ":ngrams=1-2,html")):
        assert run("index", PETS, "-o", tmp_path / name, "--analyzer", spec).exit_code == 0
    whole, changes = (toysearch.Index.open(tmp_path / name).analyzer for name in ("whole", "changes"))
    assert whole == changes == toysearch.Analyzer.parse("plain:ngrams=1-2,html")
    assert refused("index", PETS, "-o", tmp_path / "x", "--analyzer", ":html", "--stop", "none").endswith(
        "Error: --analyzer describes the whole analysis: leave out --stop\n"
    )


def test_an_index_is_made_with_them_and_searched_by_itself(documents, tmp_path):
    file = tmp_path / "synonyms.txt"
    file.write_text("budgie, parakeet\n")
    folder = tmp_path / "own.idx"
    spec = f"english:html,fold_accents,cjk,synonyms={file},numbers=mark"
    assert run("index", documents, "-o", folder, "--analyzer", spec).exit_code == 0
    file.unlink()
    index = toysearch.Index.open(folder)
    assert list(index.terms) == ["<num>", "budgi", "cafe", "le", "parakeet", "の天", "京都", "天気", "東京", "都の"]
    for query, found in [("Café", ["2", "1"]), ("parakeet 77", ["2", "1"]), ("京都", ["3"])]:
        assert [hit["doc_id"] for hit in json.loads(run("search", folder, query, "--json").stdout)["hits"]] == found


def test_stop_words_of_lucene_are_its_33():
    words = toysearch.Analyzer.parse("english:stop=lucene").stop
    assert len(words) == 33
    assert {"a", "such", "will", "with"} <= words
    assert not {"from", "which", "you"} & words


def test_other_commands_take_them(tmp_path):
    plain = run("run", PETS, "-o", tmp_path / "plain.run")
    pairs = run("run", PETS, "--analyzer", "plain:ngrams=1-2", "-o", tmp_path / "pairs.run")
    assert [plain.exit_code, pairs.exit_code] == [0, 0]
    assert (tmp_path / "plain.run").read_text() != (tmp_path / "pairs.run").read_text()
    assert "plain:ngrams=1-2" in run("eval", PETS, "--analyzer", "plain:ngrams=1-2").stderr
    shown = json.loads(
        run("similar", "--texts", "train cat", "cat train", "--analyzer", "plain:ngrams=2", "--json").stdout
    )
    assert shown["terms"] == [{"train cat": 1}, {"cat train": 1}]


FORMULA = "tf/(tf+k) * log(N/df)"


def test_search_ranks_by_a_formula():
    data = json.loads(run("search", PETS, "train cat", "--formula", FORMULA, "--set", "k=1.2", "--json").stdout)
    index = toysearch.Index.build(toysearch.load(PETS))
    searcher = toysearch.Searcher(index, toysearch.formula(FORMULA, k=1.2))
    assert data["model"] == "formula:tf/(tf+k) * log(N/df):k=1.2"
    assert [(hit["doc_id"], hit["score"]) for hit in data["hits"]] == [
        (hit.doc_id, hit.score) for hit in searcher.search("train cat")
    ]


def test_search_without_either_ranks_by_bm25():
    assert json.loads(run("search", PETS, "cat", "--json").stdout)["model"] == "bm25"
    assert "[default: bm25]" in " ".join(run("search", "--help").stdout.split())


def test_run_names_its_run_after_the_formula():
    result = run("run", PETS, "--formula", "log(1+tf)", "-o", "-")
    assert result.exit_code == 0
    assert result.stderr.endswith("ranked documents, formula:log(1+tf)\n")
    typed = run("run", PETS, "--model", "formula:log(1+tf)", "-o", "-")
    assert typed.stdout == result.stdout


def test_eval_scores_each_formula_as_one_more_system():
    arguments = ["--model", "tfidf", "--formula", FORMULA, "--formula", "tf * b", "--set", "k=1", "--set", "b=2"]
    rows = run("eval", PETS, *arguments, "--tsv").stdout.splitlines()
    assert [row.partition("\t")[0] for row in rows] == [
        "system", "tfidf", "formula:tf/(tf+k) * log(N/df):k=1", "formula:tf * b:b=2"
    ]  # fmt: skip


def test_a_value_goes_to_each_formula_that_has_its_name():
    models = formula_models(["tf*k", "tf*kk", "log(tf+k)", "tf"], ["k=1", "kk = 2"])
    assert [*map(str, models)] == ["formula:tf*k:k=1", "formula:tf*kk:kk=2", "formula:log(tf+k):k=1", "formula:tf"]
