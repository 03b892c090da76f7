"""Known items: queries made from the texts, against an independent computation of each kind."""

import json
import math
import re
from collections import Counter

import numpy as np
import pytest
from shell import done, refusal, run

import toysearch
from toysearch import Collection, Document, Index
from toysearch.base import ArgumentError
from toysearch.study import ItemSettings, Study, known_items
from toysearch.workbench.tune.study_evaluation import study_evaluator

NOTES = {
    "oak": ("Oaks", "The oak is a tall tree. Jays bury its acorns in the autumn. It grows slowly."),
    "jay": ("Jays", "The jay is a bird of the wood. It hides acorns for the winter!"),
    "elm": ("Elms", "The elm is a tall tree. A beetle brought a fungus that killed most elms."),
    "elm-copy": ("Elms", "The elm is a tall tree. A beetle brought a fungus that killed most elms."),
    "short": ("Short", "Tree."),
    "none": ("", ""),
}


def collection(notes=NOTES):
    documents = [
        Document(name, f"{title} {text}".strip(), title, {"title": title, "text": text})
        for name, (title, text) in notes.items()
    ]
    return Collection("notes", documents)


def words(text):
    return re.findall(r"\w\w+", text.lower())


def idf_of(notes):
    df = Counter(word for title, text in notes.values() for word in {*words(f"{title} {text}")})
    return {word: math.log(len(notes) / n) for word, n in df.items()}


def rarest(text, idf):
    """Of the sentences of 4 to 12 words, the first with the highest mean idf, each word once in the sum."""
    sentences = [each for each in re.split(r"(?<=[.!?])\s+", text) if 4 <= len(each.split()) <= 12]
    return max(sentences, key=lambda each: sum(idf[word] for word in {*words(each)}) / len(words(each)), default="")


def test_a_sentence_is_the_one_with_the_rarest_words():
    items, idf = known_items(collection(), "sentence"), idf_of(NOTES)
    expected = {name: rarest(text, idf) for name, (_, text) in NOTES.items()}
    assert expected["oak"] == "Jays bury its acorns in the autumn."
    made = dict(items.queries)
    assert {*made} in ({"oak", "jay", "elm"}, {"oak", "jay", "elm-copy"})
    assert all(made[name] == expected[name] for name in made)


def test_a_short_rare_sentence_comes_before_a_long_one_with_a_larger_sum():
    notes = {"a": ("", "Owl fox hen cat. The dog is owl fox hen cat pig cow."), "b": ("", "The dog is in town.")}
    assert rarest(notes["a"][1], idf_of(notes)) == "Owl fox hen cat."
    assert known_items(collection(notes), "sentence").queries.get("a").text == "Owl fox hen cat."


def test_a_text_that_repeats_the_sentence_is_relevant_too():
    items = known_items(collection(), "sentence")
    [copied] = {"elm", "elm-copy"} & {*dict(items.queries)}
    assert items.qrels[copied] == {"elm": 1, "elm-copy": 1}
    assert items.qrels["jay"] == {"jay": 1}
    assert items.qrels.complete


def test_titles_are_queries_and_are_not_searched():
    items = known_items(collection())  # the default, since most texts have one
    assert {*dict(items.queries).values()} == {"Oaks", "Jays", "Elms", "Short"}
    assert items.searched_fields == ("text",)
    assert items.documents["oak"].text.startswith("The oak")
    shared = next(name for name, text in items.queries if text == "Elms")
    assert items.qrels[shared] == {"elm": 1, "elm-copy": 1}
    [note] = items.notes
    assert note == (
        "known items: 4 of 6 texts, by their title, which is not searched, seed 0; each should find itself "
        "(docs known-items); 1 of those drawn have no title above a text that does not repeat it"
    )


def drawn(notes, seed):
    """Three words per text, by tf · ln(N / df), in the order of the same draws."""
    rng, idf, made = np.random.default_rng(seed), idf_of(notes), {}
    names = [*notes]
    for place in rng.permutation(len(names)).tolist():
        title, text = notes[names[place]]
        counts = dict(sorted(Counter(words(f"{title} {text}")).items()))
        weights = np.array([tf * idf[word] for word, tf in counts.items()])
        if not weights.any():
            continue
        size = min(3, np.count_nonzero(weights))
        made[names[place]] = " ".join(rng.choice([*counts], size, replace=False, p=weights / weights.sum()))
    return made


@pytest.mark.parametrize("seed", range(5))
def test_words_are_drawn_by_their_weight(seed):
    assert dict(known_items(collection(), "words", seed=seed).queries) == drawn(NOTES, seed)


def test_words_come_as_often_as_their_weights_say():
    notes = collection({"a": ("", "owl owl owl fox hen"), "b": ("", "fox hen"), "c": ("", "fox")})
    first = Counter(known_items(notes, "words", seed=seed).queries.get("a").text for seed in range(600))
    weights = {"owl": 3 * math.log(3), "hen": math.log(3 / 2)}
    share = sum(n for text, n in first.items() if text.startswith("owl")) / 600
    assert all({*text.split()} == {"owl", "hen"} for text in first)  # fox is in every text
    assert share == pytest.approx(weights["owl"] / sum(weights.values()), abs=0.03)


def test_equal_texts_are_relevant_to_words_drawn_from_one():
    items = known_items(collection(), "words", n=100)
    assert all(items.qrels[name] == {"elm": 1, "elm-copy": 1} for name in ("elm", "elm-copy"))


def test_a_seed_gives_the_same_queries():
    first, again, other = (known_items("companions", "sentence", n=20, seed=seed) for seed in (3, 3, 4))
    assert [*first.queries] == [*again.queries]
    assert [*first.queries] != [*other.queries]
    assert len(first.queries) == 20


def test_without_titles_the_default_is_the_sentence_then_words():
    assert known_items(collection({name: ("", text) for name, (_, text) in NOTES.items()})).known_items == "sentence"
    assert known_items(collection({"a": ("", "cat owl"), "b": ("", "cat")})).known_items == "words"


def test_a_title_that_the_text_repeats_gives_no_query():
    repeated = {
        "a": ("On cats", "On cats\nA cat purrs and sleeps."),
        "b": ("On dogs", "On dogs\nA dog barks at a cat."),
    }
    assert known_items(collection(repeated)).known_items == "sentence"
    with pytest.raises(ArgumentError, match="none has a title above a text that does not repeat it; try words"):
        known_items(collection(repeated), "title")


def test_one_text_and_empty_texts():
    one = collection({"a": ("", "A cat sat on the mat.")})
    assert [*known_items(one).queries] == [("a", "A cat sat on the mat.")]
    with pytest.raises(ArgumentError, match="gives a known item: none has a word that other texts lack"):
        known_items(one, "words")
    with pytest.raises(ArgumentError, match="no text of notes gives a known item"):
        known_items(collection({"a": ("", ""), "b": ("", "")}))


@pytest.mark.parametrize("name", ["cranfield", "cisi"])
def test_word_counts_give_words_and_no_sentences(monkeypatch, tmp_path, name):
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path))  # without the texts
    assert known_items(name, n=3).known_items == "words"
    with pytest.raises(ArgumentError, match=r"a sentence is part of a text \(try words\), and the documents"):
        known_items(name, "sentence")


def test_a_sentence_without_a_term_gives_no_query():
    notes = {"a": ("", "a b c d e."), "b": ("", "The oak is a tree.")}
    assert [*known_items(collection(notes), "sentence").queries] == [("b", "The oak is a tree.")]


def test_numbers_are_no_sentence():
    notes = {"a": ("", "Vol. 3, 117-142, 218-234 (1945). The tall elm is a tree."), "b": ("", "The oak is a tree.")}
    assert known_items(collection(notes), "sentence").queries.get("a").text == "The tall elm is a tree."


def test_an_index_gives_its_stored_texts_and_searches_itself(tmp_path):
    index = Index.build(collection(), "english")
    items = known_items(index)
    assert items.known_items == "sentence"
    study = Study.of(index).with_known_items(items)
    assert study.index() is index
    assert study_evaluator(study, ["RR"]).values("bm25").tolist() == [1.0] * len(items.queries)
    with pytest.raises(ArgumentError, match="the index is an index, which cannot leave the titles out"):
        known_items(index, "title")
    with pytest.raises(ArgumentError, match="stores no texts"):
        known_items(Index.build(collection(), store_text=False), "sentence")


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", ItemSettings()),
        ("words", ItemSettings("words")),
        ("title:n=5", ItemSettings("title", 5)),
        ("seed=2,n=7", ItemSettings("", 7, 2)),
    ],
)
def test_settings_as_typed(text, settings):
    assert ItemSettings.parse(text) == settings


@pytest.mark.parametrize("text", ["titel", "words:n=0", "words:n=x", "words:k=3", "seed=-1"])
def test_other_settings_are_refused(text):
    with pytest.raises(ArgumentError):
        ItemSettings.parse(text)


def test_other_arguments_are_refused():
    for wrong in ({"n": 0}, {"seed": -1}, {"kind": "titel"}, {"n": "5"}):
        with pytest.raises((ArgumentError, TypeError)):
            known_items("cat-dog-parrot", **wrong)


def test_a_system_cannot_search_the_title_that_was_left_out():
    items = known_items(collection(), "title")
    with pytest.raises(ArgumentError, match="known items by title leave the title out of a search"):
        toysearch.compare(["bm25", toysearch.System("bm25", fields="title,text")], items, "RR")


def test_the_name_of_a_file_is_no_title(tmp_path):
    for name, text in {"one": "A cat sat on the mat today.", "two": "Dogs bark at the moon."}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    assert known_items(tmp_path).known_items == "sentence"


# In the shell


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for name, (title, text) in NOTES.items():
        if text:
            (tmp_path / "notes" / f"{name}.md").write_text(f"# {title}\n\n{text}\n")
    return tmp_path


def test_eval_shows_the_measures_of_known_items_and_why_some_fail(notes):
    result = run("eval", "notes", "--known-items", "title")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["system", "RR", "Success@1", "Success@10"]
    assert "short.md: nothing was retrieved" in result.stdout
    assert "known items: 4 of 5 texts, by their title, which is not searched, seed 0" in result.stderr
    found = json.loads(done("eval", "notes", "--known-items", "sentence", "--json").stdout)
    assert found["grades"] == "known items by sentence, seed 0"
    assert found["systems"][0]["measures"] == {"RR": 1.0, "Success@1": 1.0, "Success@10": 1.0}
    assert "worst" not in found["systems"][0] or found["systems"][0]["worst"] == []


def test_the_lead_of_the_refusal_works_as_typed(notes):
    done("index", "notes", "-o", "notes.idx")
    for source in ("notes", "notes.idx"):
        sentence = refusal("eval", source)
        assert sentence.endswith("or make them: --known-items sentence")
        assert done("eval", source, "--known-items", "sentence")


def test_other_commands_take_them_as_judgments(notes):
    two = ["--model", "bm25", "--model", "dice"]
    compared = json.loads(done("compare", "notes", "--known-items", "sentence", *two, "--json").stdout)
    assert {"RR", "Success@1", "Success@10"} <= {*json.dumps(compared).replace('"', " ").split()}
    analysed = done("compare", "notes", "--known-items", "words", "--analyzer", "plain", "--analyzer", "english")
    assert "bm25 · english" in analysed.stdout
    assert "known items by words copy the words of a text" in analysed.stderr
    assert "3 queries gain" not in done("diff", "notes", "--known-items", "words", *two).stdout
    assert "b " in done("tune", "notes", "--known-items", "words", "--grid", "b=0,1", "--folds", "2").stdout
    (notes / "relevance.toml").write_text(
        'collection = "notes"\nknown_items = "sentence:n=3,seed=1"\n[[expect]]\nmeasure = "RR"\nat_least = 1\n'
    )
    gated = run("gate", "relevance.toml")
    assert (gated.exit_code, gated.stdout.split(": ")[-1].split()[0]) == (0, "1.0000")
    assert "known items: 3 of 5 texts, by their rarest sentence, seed 1" in gated.stderr


def test_given_queries_or_judgments_are_refused_beside_them(notes):
    (notes / "q.csv").write_text("query_id,text\n1,oak\n")
    (notes / "qrels.txt").write_text("1 0 oak.md 1\n")
    for option, file in {"--queries": "q.csv", "--qrels": "qrels.txt"}.items():
        assert refusal("eval", "notes", "--known-items", "words", option, file).endswith(
            f"{option}: only with queries and judgments that are read, and --known-items makes them; leave one out"
        )
    (notes / "relevance.toml").write_text('collection = "notes"\nknown_items = true\nqrels = "q.csv"\n')
    assert "known_items makes queries and judgments; remove it, or qrels" in refusal("gate", "relevance.toml")
    (notes / "relevance.toml").write_text('collection = "notes"\nknown_items = 3\n')
    assert "expected true, or a string: title, sentence or words" in refusal("gate", "relevance.toml")
    assert "without a kind, --known-items comes last" in refusal("eval", "--known-items", "notes")
