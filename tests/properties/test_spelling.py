"""A better spelling of any query."""

import gc
import random
import re
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiers import often

import toysearch
from toysearch import Analyzer, Index, Searcher
from toysearch.retrieval import spelling
from toysearch.retrieval.spelling import suggest
from toysearch.retrieval.typed_query import read_typed

pytestmark = pytest.mark.system

TEXTS = [
    "the boundary layer of a wing",
    "boundary conditions don't matter",
    "été au café",
    "東京都 한국어",
    "किताब",
    "B747",
]
ANALYZERS = ["plain", "english", "english:tokens=whitespace", "plain:fold_accents", "cjk", "hindi", "english:html"]
INDEXES = [Index.build(TEXTS, Analyzer.parse(spec)) for spec in ANALYZERS]
WORDS = [
    "boundery",
    "bound",
    "wnig",
    "condition",
    "the",
    "cafè",
    "京都",
    "कतब",
    "B748",
    "\ud800x",
    "<b>",
]
QUERIES = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=6).map(" ".join)


@given(st.sampled_from(INDEXES), QUERIES)
def test_a_suggestion_is_another_text_and_is_final(index, text):
    found = suggest(index, text)
    if found is not None:
        assert found.text != text
        assert 0 <= found.documents <= len(TEXTS)
        if found.documents:
            assert suggest(index, found.text) is None


LANGUAGES = {
    "english": "the kettle is being warm also, which lamp and rug are there",
    "german": "das Büchlein liegt auch dort, welche Lampe und welcher Kessel werden gebraucht",
    "french": "la bouilloire était chaude dans cette maison, pour votre lampe",
    "spanish": "la tetera estaba caliente sobre esta mesa, para vuestra lámpara",
    "dutch": "het boekje waar deze ketel naast stond, voor onze lampen",
    "russian": "этот чайник был тёплым, когда лампа стояла между вами",
    "turkish": "ışık söndü, çaydanlık için başka lamba",
    "finnish": "tämä kattila oli lämmin, mutta lamput olivat siellä",
    "plain": "grip the ticks with tweezers, removing a stain",
}
FORMS = ["{}", '"{}"', "{} AND {other}", "+{} {other}", "{} {other}", '"{} {other}"', "{other} -{}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_suggestion_finds_documents_and_has_no_new_word_but_those_of_the_index(language):
    index = Index.build([LANGUAGES[language], "9"], language)
    chosen, n_suggested = random.Random(language), 0
    words = re.findall(r"\w{4,}", LANGUAGES[language].lower())
    stop_words = sorted(word for word in index.analyzer.stop if len(word) > 3)
    for _ in range(often(1500, 250)):
        word, at = chosen.choice(chosen.choice([words, stop_words or words])), chosen.randrange(1, 4)
        slip = chosen.choice([word[:at] + word[at + 1 :], word[:at] + chosen.choice(word) + word[at:]])
        text = chosen.choice(FORMS).format(slip, other=chosen.choice(words))
        typed, _ = read_typed(index, text)
        if (respelt := typed.better(index)) is None:
            continue
        better, documents = respelt
        n_suggested += 1
        assert len(Searcher(index).search(better.asked, None)) == documents > 0, text
        new = {*index.analyzer.tokenizer(better.words)} - {*index.analyzer.tokenizer(text)}
        assert all(index.term_number(index.analyzer.term(token) or "") >= 0 for token in new), text
    assert n_suggested > 20


def unused(index: Index) -> Index:
    """The same index, of which nothing has been asked."""
    return Index(index.analyzer, index.arrays, index.collection)


PETS = Index.build(toysearch.load("companions"), Analyzer.for_language("english"))
MISSPELT = ["animmal", "animmals", "othr", "othrs", "banket", "garin", "perh", "traning", "budgy", "parott"]
KNOWN = ["round", "hands", "white", "dog", "the", "pup"]


@settings(max_examples=often(60))
@given(
    kept=st.sampled_from([1 << 12, 5, 0]),
    queries=st.lists(
        st.lists(st.sampled_from([*MISSPELT, *KNOWN]), min_size=1, max_size=3).map(" ".join), min_size=2, max_size=4
    ),
)
@example(kept=1 << 12, queries=["animmal", "animmals", "othr", "othrs"])  # two words, one stem
@example(kept=1 << 12, queries=["banket round", "round banket"])
@example(kept=0, queries=["parott dog"])
def test_what_is_kept_of_earlier_queries_changes_no_suggestion(kept, queries):
    alone = [suggest(unused(PETS), query) for query in queries]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(spelling, "_KEPT", kept)
        index = unused(PETS)
        assert [suggest(index, query) for query in queries * 2] == alone * 2


@pytest.mark.waits
def test_what_is_kept_serves_several_threads_and_ends_with_the_index():
    index = unused(PETS)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(partial(suggest, index), ["traning a budgy", "kitens fedding"] * 20))
    assert [found[0].text, found[1].text] * 20 == [each.text for each in found]
    kept = weakref.ref(spelling._lexicon(index))
    del index
    gc.collect()
    assert kept() is None
