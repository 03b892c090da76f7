"""--analyzer, --language and --stop: what they give and what is refused."""

import json

import pytest
from shell import refused, run

import toysearch
from toysearch.cli.options import ANALYSIS, SourceOptions, analyzer_for


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
    assert SourceOptions(*range(len(ANALYSIS))).given(*ANALYSIS) == ["--analyzer", "--language", "--stop"]
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
        assert run("index", "cat-dog-parrot", "-o", tmp_path / name, "--analyzer", spec).exit_code == 0
    whole, changes = (toysearch.Index.open(tmp_path / name).analyzer for name in ("whole", "changes"))
    assert whole == changes == toysearch.Analyzer.parse("plain:ngrams=1-2,html")
    assert refused("index", "cat-dog-parrot", "-o", tmp_path / "x", "--analyzer", ":html", "--stop", "none").endswith(
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
    pets = "cat-dog-parrot"
    plain = run("run", pets, "-o", tmp_path / "plain.run")
    pairs = run("run", pets, "--analyzer", "plain:ngrams=1-2", "-o", tmp_path / "pairs.run")
    assert [plain.exit_code, pairs.exit_code] == [0, 0]
    assert (tmp_path / "plain.run").read_text() != (tmp_path / "pairs.run").read_text()
    assert "plain:ngrams=1-2" in run("eval", pets, "--analyzer", "plain:ngrams=1-2").stderr
    shown = json.loads(
        run("similar", "--texts", "train cat", "cat train", "--analyzer", "plain:ngrams=2", "--json").stdout
    )
    assert shown["terms"] == [{"train cat": 1}, {"cat train": 1}]
