"""What is said of a query as somebody types it."""

import json

import pytest
from shell import done, refusal, refused, run, words_of

import toysearch
from toysearch import Index, Searcher
from toysearch.retrieval.typed_query import TypedQuery, read_typed
from toysearch.study.search_result import find


@pytest.fixture(scope="module")
def index():
    return Index.build(toysearch.load("companions"))


@pytest.mark.parametrize("text", ["removnig a tikc", "tikc AND dog", '"guniea pig"'])
def test_a_better_spelling_counts_the_documents_that_it_gives(index, text):
    typed, documents = read_typed(index, text)[0].better(index)
    assert documents == len(Searcher(index).search(typed.asked, None)) > 0


@pytest.mark.parametrize("text", ["author:smith", "#filtre(dog)", "xqzzv dgos", r"\#filter OR dgo"])
def test_no_spelling_is_suggested_for_a_field_an_operator_or_beside_an_unknown_word(index, text):
    assert read_typed(index, text)[0].better(index) is None
    assert TypedQuery(text).better(index) is None


@pytest.mark.parametrize(
    ("texts", "query", "said"),
    [
        (["grip the ticks", "the stain is removed"], "tick", "tick is in no document, ticks in 1: "),
        (
            ["grip the ticks", "the stain is removed"],
            '"the tick" removing',
            "tick is in no document, ticks in 1; removing is in no document, removed in 1: ",
        ),
        (["grip the ticks", "the stain is removed"], "tikcs", None),
        (
            ["die Lampe und der Kessel", "der Kessel"],
            "lampen +kesseln",
            "lampen is in no document, lampe in 1; kesseln is in no document, kessel in 2: ",
        ),
        (["grip ticks"], "tick", None),  # which language?
    ],
)
def test_another_form_of_a_word_is_no_misspelling(texts, query, said, recwarn):
    index = Index.build(texts)
    Searcher(index).search(query)
    notes = [str(one.message) for one in recwarn]
    assert [one.split("Index.build")[0] for one in notes if "joins both" in one] == ([said] if said else [])
    assert not said or not any("did you mean" in one or one.startswith("in no document") for one in notes)


def test_the_language_that_joins_two_forms_works_as_it_is_told(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in {"a.md": "Grip the ticks with tweezers", "b.md": "Removing a stain"}.items():
        (docs / name).write_text(text)
    said = done("search", docs, "removing a tick").stderr
    assert said == "note: tick is in no document, ticks in 1: --analyzer english joins both\n"
    found = done("search", docs, "removing a tick", "--analyzer", "english", "--format", "json")
    assert [hit["doc_id"] for hit in json.loads(found.stdout)["hits"]] == ["b.md", "a.md"]
    done("index", docs, "-o", tmp_path / "it")
    assert (
        "toysearch index SOURCE -o DIR --analyzer english joins both" in done("search", tmp_path / "it", "tick").stderr
    )
    assert "searched for: removing a ticks" in done("search", docs, "removing a tick", "--correct").stderr


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("onion", "note: onion is in 1 document, onions in 2: --analyzer english joins both\n"),
        ("onion onions", ""),  # both are searched
        ("pan", ""),
    ],
)
def test_other_forms_of_a_word_that_documents_contain(tmp_path, query, said):
    docs = tmp_path / "docs"
    docs.mkdir()
    texts = ["Fry the onion in the pan", "Peel the onions and cut them", "the onions are in the pan"]
    for number, text in enumerate(texts):
        (docs / f"{number}.md").write_text(text)
    assert done("search", docs, query).stderr == said
    assert done("search", docs, query, "--analyzer", "english").stderr == ""


def test_a_backslash_before_a_sign_is_no_part_of_what_is_searched():
    index = Index.build(["c++ here", "c there"], toysearch.Analyzer(tokens=r"[\w+]+"))
    typed, remarks = read_typed(index, r"C\+\+")
    assert (str(typed.asked), typed.marked_terms(index), remarks) == ("C++", {"c++"}, [])
    assert Searcher(index).search(typed.asked).doc_ids == ["1"]
    assert read_typed(index, "C++ here")[0].tree is None


@pytest.mark.system
def test_a_pattern_of_a_whole_word_is_told_its_stem_and_that_works():
    said = run("search", "companions", "training*").stderr
    assert "terms are stems: no term fits training*, and train* would fit" in said
    assert "no document" not in done("search", "companions", "train*", "-k", 1).stderr
    assert "stems" not in run("search", "companions", "xqz*").stderr


def test_a_query_before_its_collection_and_a_query_with_a_sign_are_told_what_to_type(tmp_path):
    sentence, _, command = refusal("search", "dog", "food", "companions").partition(": toysearch ")
    assert sentence == "toysearch: 'dog' is not a collection, a file or a folder, but 'companions' is"
    assert words_of(command) == ["search", "companions", "dog", "food"]
    assert refusal("search", "companions", "-dog").endswith("if it is of the query, put -- before the query")
    assert done("search", "companions", "--", "-dog").exit_code == 0
    assert "put --" not in refused("search", "companions", "dog", "--dog")


@pytest.mark.system
def test_documents_that_are_not_relevant_weigh_down_terms():
    said = done("search", "companions", "dog", "--not", "p172", "--explain", "-k", 1).stdout
    assert "stays as it is" not in said
    assert "rocchio(bm25) weighs down the terms of documents that are not relevant" in said
    assert "stays as it is" in done("search", "companions", "tick", "--not", "p172", "--explain", "-k", 1).stdout


def test_a_term_that_a_search_does_not_use_says_so(tmp_path):
    source, folder = tmp_path / "d.jsonl", tmp_path / "index"
    source.write_text('{"_id": "1", "text": "flakies train"}\n{"_id": "2", "text": "a fli"}\n')
    done("index", source, "-o", folder, "--analyzer", "english")
    for term in Index.open(folder).terms:
        searched = Index.open(folder).analyzer(term)
        said = run("show", folder, "--term", term).stderr
        assert (f"a search for '{term}' uses '{''.join(searched)}'" in said) == (searched != [term])


SHOP = [
    toysearch.Document("1", "a red kettle", "", {"colour": "red", "city": "Isparta"}),
    toysearch.Document("2", "a blue lamp", "", {"colour": "blue", "city": "ISPARTA"}),
    toysearch.Document("3", "a grey lamp", "", {"colour": "grey", "city": "ısparta"}),
    toysearch.Document("4", "a stool", "", {"colour": "grey", "city": "İzmir"}),
]


@pytest.mark.parametrize(
    ("query", "where", "said"),
    [
        ("ketle", "colour = red", "did you mean kettle? (1 document)"),
        ("ketle", "colour = blue", ""),
        ("ketle lamp", "colour = blue", ""),
        ("+ketle", "colour = blue", ""),
        ("ketle +colour:red", None, "did you mean kettle +(colour:red)? (1 document)"),
        ("ketle +colour:blue", None, ""),
        ("lmap -ketle", "colour = grey", "did you mean lamp AND NOT kettle? (1 document)"),
    ],
)
def test_a_suggestion_finds_a_document_that_passes_the_filter(query, where, said, recwarn):
    index = Index.build(SHOP, values=["colour"])
    Searcher(index).search(query, where=where)
    find(index, query, where=where, correct=True)
    notes = [str(one.message) for one in recwarn]
    assert [one for one in notes if "did you mean" in one] == [said] * bool(said)
    assert [one for one in notes if "searched for" in one] == [
        said.replace("did you mean", "searched for:").split("?")[0]
    ] * bool(said)


def test_a_suggestion_in_capitals_is_the_word_that_is_meant():
    index = Index.build(["İSTANBUL güzel", "KETTLE"], "turkish:stem=none,stop=none")
    for typed, better in {"ISTANBUL": "istanbul", "ISTANBULL": "istanbul", "KETLE": "KETTLE"}.items():
        assert TypedQuery(typed).better(index) == (TypedQuery(better), 1)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("city = ısparta", "123"),
        ('city = "ISPARTA"', "123"),
        ("city != Isparta", "4"),
        ("city:ısp*", "123"),
        ("city = izmir", "4"),
        ("city = isparta", ""),
    ],
)
def test_values_are_equal_in_the_lower_case_of_the_language(where, found):
    searcher = Searcher(Index.build(SHOP, "turkish", values=["city"]))
    assert "".join(hit.doc_id for hit in searcher.search("", where=where)) == found
    [facet] = searcher.facets("", ["city"]).facets
    assert [(value.value, value.documents) for value in facet.values] == [("ISPARTA", 3), ("İzmir", 1)]
