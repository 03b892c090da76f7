"""What holds of altered inputs whatever the texts are."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.test_edit_distance import distance
from tiers import often

from toysearch import Index, Searcher
from toysearch.workbench.robustness.alterations import (
    Vocabulary,
    dropped,
    misspelt,
    neighbouring_key,
    rare_alterations,
    rewritten,
    seeded_random,
    spelling_alterations,
    swapped,
    written_words,
)

WORDS = st.text(st.sampled_from("abcdeflorstwzéжA"), min_size=1, max_size=12)
EDITS = {"key": neighbouring_key, "swap": swapped, "drop": dropped}
TEXTS = st.lists(
    st.lists(st.sampled_from(["flow", "wing", "jet", "layer", "air", "past", "boundary"])), min_size=2, max_size=8
)


@given(WORDS, st.sets(st.sampled_from(sorted(EDITS)), min_size=1), st.integers(0, 99))
def test_a_misspelt_word_is_one_edit_away(word, kinds, seed):
    made = misspelt(word, [EDITS[kind] for kind in sorted(kinds)], Random(seed))
    assert made == word or distance(made, word) == 1
    assert made[:1] == word[:1]


@given(st.text())
def test_a_text_whose_words_stay_is_the_same(text):
    assert rewritten(text, lambda place, word: word) == text


@given(st.text(), st.integers(0, 9))
def test_one_word_at_the_most_is_misspelt(text, seed):
    index = Index.build(["flow", text or "a"])
    vocabulary = Vocabulary(index, ["flow", text])
    for alteration in spelling_alterations(vocabulary, set(), "none")[: len(EDITS)]:
        before, after = written_words(text), written_words(alteration.alter(text, Random(seed)))
        assert len(before) == len(after)
        assert sum(one != other for one, other in zip(before, after, strict=True)) <= 1


@pytest.mark.system
@given(TEXTS, st.sampled_from(["bm25", "tfidf", "lm-dirichlet", "pl2"]), st.integers(0, 9))
@settings(max_examples=often(50))
def test_words_that_no_document_holds_change_no_sum_of_weights(texts, model, seed):
    """Additive models look at known terms alone."""
    joined = [" ".join(words) for words in texts]
    if not any(joined):
        return
    index = Index.build(joined)
    searcher = Searcher(index, model)
    more = rare_alterations(Vocabulary(index, joined))[0].alter("flow wing", Random(seed))
    one, other = (searcher.run({"1": text}, None).ranking("1") for text in ("flow wing", more))
    assert more != "flow wing"
    assert one.doc_ids == other.doc_ids
    assert one.scores.tolist() == other.scores.tolist()


@given(st.integers(), st.lists(st.text(), max_size=3))
def test_chance_depends_on_names_and_seed_alone(seed, names):
    assert seeded_random(seed, *names).random() == seeded_random(seed, *names).random()
