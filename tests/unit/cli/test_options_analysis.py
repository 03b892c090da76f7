"""--analyzer, and the options of `toysearch index` for each part of it: what they give and what is refused."""

from __future__ import annotations

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


def test_all_of_them_are_options_of_the_analysis():
    names = "analyzer language tokens stop stem html fold-accents cjk synonyms protect numbers min-length max-length "
    names += "ngrams char-ngrams"
    assert SourceOptions(*range(20)[: len(ANALYSIS)]).given(*ANALYSIS) == [f"--{name}" for name in names.split()]
    cat = toysearch.base.documents.Document("1", "a cat")
    pets = toysearch.Collection("pets", [cat], language="english", tokens="word1")
    for options, expected in [
        (SourceOptions(html=True), toysearch.Analyzer.for_language("english", tokens="word1", html=True)),
        (SourceOptions(language="german"), toysearch.Analyzer.for_language("german", tokens="word1")),
        (SourceOptions(tokens="unicode"), toysearch.Analyzer.for_language("english", tokens="unicode")),
        (SourceOptions(analyzer=toysearch.Analyzer()), toysearch.Analyzer()),
    ]:
        assert analyzer_for(options, pets) == expected
    assert analyzer_for(SourceOptions(protect="flying, cats,")).protected == {"flying", "cats"}


def test_index_takes_the_text_or_its_parts(tmp_path):
    for name, options in (
        ("whole", ["--analyzer", "english:ngrams=1-2"]),
        ("parts", ["--language", "en", "--ngrams", "1-2"]),
    ):
        assert run("index", "cat-dog-parrot", "-o", tmp_path / name, *options).exit_code == 0
    whole, parts = (toysearch.Index.open(tmp_path / name).analyzer for name in ("whole", "parts"))
    assert whole == parts == toysearch.Analyzer.parse("english:ngrams=1-2")
    assert refused("index", "cat-dog-parrot", "-o", tmp_path / "x", "--analyzer", "en", "--stem", "none").endswith(
        "Error: --analyzer describes the whole analysis: leave out --stem\n"
    )


def test_an_index_is_made_with_them_and_searched_by_itself(documents, tmp_path):
    file = tmp_path / "synonyms.txt"
    file.write_text("budgie, parakeet\n")
    folder = tmp_path / "own.idx"
    options = ["--language", "english", "--html", "--fold-accents", "--cjk", "--synonyms", file, "--numbers", "mark"]
    assert run("index", documents, "-o", folder, *options).exit_code == 0
    file.unlink()
    index = toysearch.Index.open(folder)
    assert list(index.terms) == ["<num>", "budgi", "cafe", "le", "parakeet", "の天", "京都", "天気", "東京", "都の"]
    for query, found in [("Café", ["2", "1"]), ("parakeet 77", ["2", "1"]), ("京都", ["3"])]:
        assert [hit["doc_id"] for hit in json.loads(run("search", folder, query, "--json").stdout)["hits"]] == found


def test_other_commands_take_them(tmp_path):
    pets = "cat-dog-parrot"
    plain = run("run", pets, "-o", tmp_path / "plain.run")
    pairs = run("run", pets, "--analyzer", "plain:ngrams=1-2", "-o", tmp_path / "pairs.run")
    assert [plain.exit_code, pairs.exit_code] == [0, 0]
    assert (tmp_path / "plain.run").read_text() != (tmp_path / "pairs.run").read_text()
    assert "plain:ngrams=1-2" in run("eval", pets, "--analyzer", "plain:ngrams=1-2").stderr
    shown = json.loads(run("similar", "--texts", "train cat", "cat train", "--analyzer", "plain:ngrams=2", "--json").stdout)
    assert shown["terms"] == [{"train cat": 1}, {"cat train": 1}]
