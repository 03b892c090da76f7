"""What is switched, which way, and what is said of it; that the values are right: tests/oracles/test_ablation.py."""

import pytest
from random_collections import collection
from small_collections import write_beir

import toysearch
from toysearch import Analyzer, Collection, Document, Index, Qrels, Query, ablate
from toysearch.base.errors import ArgumentError

OF_MODEL = ["idf", "length normalisation", "tf", "tf saturation", "repeated query terms"]


@pytest.fixture(scope="module")
def made():
    return collection(1, n_docs=60, n_queries=8, by_words=True)


def values(found, name):
    """The value of each query under a system, whose measure is the only one."""
    [table] = found.values.values()
    return table[:, found.systems.index(name)].tolist()


def full(found):
    return values(found, found.baseline)


def switches(found):
    return dict(each.variation.rsplit(" ", 1) for each in found.switches)


def of_model(made, model):
    found = switches(ablate(model, made, index=Index.build(made)))
    assert list(found) == [name for name in OF_MODEL if name in found]
    return "".join({"off": "-", "on": "+", None: " "}[found.get(name)] for name in OF_MODEL)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("bm25", "-----"),
        ("bm25:b=0", "-+---"),  # no length in it, though the function names dl
        ("bm25:k1=0", "--+--"),  # no tf in it; length would act on tf, so that neither way does anything
        ("bm25f", "--- -"),
        ("tfidf", "-+-+-"),
        ("cosine", "---+-"),
        ("lm-dirichlet", "-----"),
        ("lm-jm", "-----"),
        ("jaccard", "+-+--"),  # of the set of terms; with tf in place of the set both ways are the same
        ("formula:tf", "++-+-"),
        ("formula:log(N/df)", "-++ -"),
        ("formula:tf/max_tf", "+--+-"),
        ("formula:tf/bytes", "+--+-"),
        ("0.5*bm25 + 0.5*min-max(tfidf)", "-----"),
        ("tfidf + bm25:b=0", "-+---"),
        ("tfidf + 2*tfidf:tf=log", "-+---"),
    ],
)
def test_what_a_model_has_is_switched_off_and_what_it_lacks_on(made, model, expected):
    if model == "bm25f":
        fields = [Document(each.doc_id, each.text, "w1", {"title": "w1", "text": each.text}) for each in made.documents]
        made = Collection("fields", fields, made.queries, made.qrels)
        index = Index.build(made, fields=("title", "text"))
        found = switches(ablate(model, made, index=index))
        assert found == dict(zip(OF_MODEL[:3] + OF_MODEL[4:], ["off"] * 4, strict=True))
        return
    assert of_model(made, model).strip() == expected.strip()


def test_a_collections_language_gives_what_is_switched_on(made):
    german = Collection("g", made.documents, made.queries, made.qrels, language="german")
    found = ablate("bm25", german, analyzer=Analyzer())
    assert [each.what for each in found.switches[:2]] == ["the list snowball left out", "german stems"]


def titled(searched):
    documents = [
        Document("a", "", "red cat", {"title": "red cat", "text": "sat"}),
        Document("b", "", "", {"text": "a red dog"}),
    ]
    joined = [
        each._replace(text=" ".join(each.fields[name] for name in searched if name in each.fields))
        for each in documents
    ]
    reading = toysearch.collection.collection.ReadFiles(
        "title", "text", searched, ("text",), (), lambda name: Qrels.from_dict({})
    )
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1}})
    return Collection("titled", joined, [Query("1", "cat"), Query("2", "dog")], qrels, reading=reading)


def test_a_title_is_switched_where_there_is_one_besides_other_fields():
    for fields, name, what, expected in (
        (("title", "text"), "title off", "the field title left out", [0.0, 1.0]),
        (("text",), "title on", "the title added to the text", [1.0, 1.0]),
    ):
        found = ablate("bm25", titled(fields), measure="RR")
        assert {each.variation: each.what for each in found.switches}[name] == what
        assert values(found, name) == expected


def test_a_model_of_separate_fields_keeps_that_of_the_title_which_is_empty():
    found = ablate("bm25f:title=3", titled(("title", "text")), measure="RR")
    assert values(found, "title off") == [0.0, 1.0]
    assert "title" not in switches(ablate("bm25", titled(("title",)), measure="RR"))


def test_no_pair_of_words_reaches_from_a_title_into_the_text(tmp_path):
    texts = {
        "a": {"title": "red", "text": "cat sat", "more": "down here"},
        "b": {"text": "cat here red now then"},
        "c": {"text": "sat here down now"},
    }
    write_beir(tmp_path, texts, {"1": "red cat", "2": "sat down"}, {"1": {"b": 1}, "2": {"c": 1}})
    fields = {"off": "title,text,more", "on": "text,more"}
    given = {way: toysearch.load(tmp_path, fields=names) for way, names in fields.items()}
    for way, other in (("off", "on"), ("on", "off")):
        found = ablate("sdm(bm25)", given[way], measure="RR")
        searcher = toysearch.Searcher(Index.build(given[other], positions=True), "sdm(bm25)")
        expected = toysearch.evaluate(searcher.run(given[other].queries), given[other], "RR").per_query
        assert values(found, f"title {way}") == [row["RR"] for row in expected.values()]


def test_what_a_model_cannot_do_without_is_told_and_does_not_count_in_the_correction(made):
    """log(dl/avgdl) is 0 where all documents have the mean length, and nothing can be divided by it."""
    model = toysearch.formula("tf * log(1+N/df) / log(1 + abs(log(dl/avgdl)) + (dl == avgdl) * 0)")
    found = ablate(model, made, index=Index.build(made))
    length = {each.variation: each for each in found.switches}["length normalisation off"]
    assert "every weight must be a finite number" in length.problem
    assert length.variation not in found.systems
    assert max(pair.p / pair.result.p for pair in found.pairs) <= len(found.pairs) == len(found.switches) - 1


def test_a_system_that_finds_nothing_has_the_value_0():
    """The title alone has a word of the only query."""
    made = titled(("title", "text"))
    one = Collection("one", made.documents, made.queries, Qrels.from_dict({"1": {"a": 1}}), reading=made.reading)
    found = ablate("bm25", one, measure="RR")
    assert (values(found, "title off"), full(found)) == ([0.0], [1.0])


def test_progress(made):
    told = []
    ablate("bm25", made, progress=lambda done, total: told.append((done, total)))
    assert told == [(number, 7) for number in range(1, 8)]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"measure": "AP RR"}, "expected exactly one measure, found 2: AP RR"),
        ({"test": "z"}, "unknown test 'z'. Tests: t, wilcoxon, sign, permutation, bootstrap"),
        ({"correction": "tukey"}, "unknown correction 'tukey'. Corrections: holm, bonferroni, bh, none"),
    ],
)
def test_what_is_refused(made, arguments, problem):
    with pytest.raises(ArgumentError) as caught:
        ablate("bm25", made, **arguments)
    assert str(caught.value).startswith(problem)


def test_one_query_shows_nothing(made):
    one = Collection("one", made.documents, made.queries, Qrels.from_dict({"1": {"d1": 1}}))
    assert all(pair.p == 1.0 for pair in ablate("bm25", one).pairs)


def test_functions_as_tokenizer_and_stemmer_stay_while_the_rest_is_switched(made):
    def first_three(word):
        return word[:3]

    functions = Analyzer(tokens=str.split, stem=first_three)
    result = ablate("bm25", made, analyzer=functions)
    assert result.systems[1:3] == ("stop words on", "stemming off")
    stopped = Analyzer(tokens=str.split, stem=first_three, stop="sklearn")
    for name, analyzer in {"stop words on": stopped, "stemming off": Analyzer(tokens=str.split)}.items():
        assert values(result, name) == full(ablate("bm25", made, analyzer=analyzer))


def test_synonyms_are_switched_off_and_the_rest_of_the_analysis_stays(made):
    some = made.documents[0].text.split()[:2]
    replaced = {" ".join(some): "zebra", made.documents[1].text.split()[0]: "gnu"}
    options = {"stem": "english", "stop": ["the"]}
    whole = Analyzer(synonyms=replaced, **options)
    found = ablate("bm25", made, analyzer=whole)
    switch = found.switches[0]
    assert (switch.variation, switch.what) == ("synonyms off", "each word stands for itself")
    assert values(found, "synonyms off") == full(ablate("bm25", made, analyzer=Analyzer(**options)))
    without_stem = Analyzer(synonyms=replaced, stop=["the"])
    assert values(found, "stemming off") == full(ablate("bm25", made, analyzer=without_stem))
    assert not any(switch.variation.startswith("synonyms") for switch in ablate("bm25", made).switches)
