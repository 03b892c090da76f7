"""What happens to the texts of queries, by hand."""

import hashlib
from random import Random

import pytest
from error_messages import raising

from toysearch import Analyzer, Index
from toysearch.base import Document, Query
from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.robustness.alterations import (
    NEIGHBOURS,
    TextChange,
    Vocabulary,
    altered_queries,
    documents_removed,
    dropped,
    misspelt,
    neighbouring_key,
    once_seen,
    other_forms,
    rare_alterations,
    seeded_random,
    semantic_alterations,
    spelling_alterations,
    swapped,
    synonyms_in,
    unknown_word,
    without,
)

TEXTS = ["flow past a wing", "the flow past wings", "boundary layer", "the layer"]


def vocabulary(texts: list[str] = TEXTS, **analysis: object) -> Vocabulary:
    return Vocabulary(Index.build(texts, Analyzer(**analysis)), texts)


def by_name(alterations: list[TextChange]) -> dict[str, TextChange]:
    return {alteration.name: alteration for alteration in alterations}


# words


def test_what_a_vocabulary_knows():
    known = vocabulary(stem="english", stop=["the"])
    assert known.counts["flow"] == 2
    assert known.counts["wings"] == 1
    [wing, flow, past] = (known.index.term_numbers[term] for term in ("wing", "flow", "past"))
    words = ("Wings", "the", "jet", "flow past", "flow jet")
    assert [known.terms(word) for word in words] == [(wing,), (), (), (flow, past), (flow,)]


# texts and words


def test_a_query_is_altered_alike_whatever_others_there_are():
    alteration = TextChange("dice", "a number", lambda text, random: f"{text} {random.random()}")
    queries = [Query("1", "a"), Query("2", "b"), Query("3", "c")]
    all_three = altered_queries(alteration, queries, 0)
    assert altered_queries(alteration, queries[1:2], 0) == all_three[1:2]
    assert altered_queries(alteration, queries, 1) != all_three
    assert len({query.text.split()[1] for query in all_three}) == 3


def test_alterations_of_one_draw_choose_alike():
    first, second, other = (
        TextChange(name, "a number", lambda text, random: str(random.random()), draw)
        for name, draw in (("first", "one"), ("second", "one"), ("other", ""))
    )
    queries = [Query("1", "a")]
    assert altered_queries(first, queries, 0) == altered_queries(second, queries, 0)
    assert altered_queries(first, queries, 0) != altered_queries(other, queries, 0)


def test_errors_of_all_kinds_are_in_the_same_word():
    texts = ["boundary layer flutter pressure"]
    made = spelling_alterations(vocabulary(texts), set(), "none")
    places = set()
    for alteration in made[:3]:
        after = altered_queries(alteration, [Query("1", texts[0])], 7)[0].text.split()
        pairs = zip(texts[0].split(), after, strict=True)
        places.add(next(place for place, (one, other) in enumerate(pairs) if one != other))
    assert len(places) == 1


def test_chance_is_the_same_on_every_machine():
    text = b"0\0a\x001"
    by_hash = Random(int.from_bytes(text + hashlib.sha512(text).digest(), "big"))
    assert seeded_random(0, "a", "1").random() == by_hash.random()


# spelling.py


def test_keys_that_touch():
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert set(NEIGHBOURS["q"]) == set("wa")
    assert all(letter in NEIGHBOURS[other] for letter, others in NEIGHBOURS.items() for other in others)
    assert len(NEIGHBOURS) == 26


def test_a_word_too_short_or_no_word_stays():
    assert neighbouring_key("QUEST", 0, Random(0)) in {"WUEST", "AUEST"}
    assert (neighbouring_key("été", 0, Random(0)), swapped("jeep", 1, Random(0))) == ("", "")
    for word in ("jet", "x15a", ""):
        assert misspelt(word, [dropped], Random(0)) == word
    assert misspelt("aaaa", [swapped], Random(0)) == "aaaa"


def test_misspelt_queries():
    found = by_name(spelling_alterations(vocabulary(), {"the", "a"}, "none"))
    assert len(found) == 5
    for seed in range(20):
        # jets is unknown, past and flow and layer are known
        altered = found["a letter dropped"].alter("jets the Layer", Random(seed))
        assert altered in [f"jets the {layer}" for layer in ("Lyer", "Laer", "Layr", "Laye")], seed
    every = found["every word misspelt"].alter("jets flow past", Random(0)).split()
    assert [one == other for one, other in zip(every, ("jets", "flow", "past"), strict=True)] == [True, False, False]
    assert found["no function words"].alter("The flow past a wing", Random(0)) == "flow past wing"


def test_function_words_alone_stay():
    assert without("to be or not", {"to", "be", "or", "not"}) == "to be or not"
    assert without("", {"to"}) == ""


# rare.py


def test_an_unknown_word_is_unknown():
    words = {unknown_word(vocabulary(), Random(seed)) for seed in range(20)}
    assert len(words) > 15
    assert all(len(word) == 8 and word.isalpha() for word in words)


def test_where_every_word_is_known_or_has_no_term_there_is_no_unknown_one():
    everything = ["".join(pair) for pair in zip("bdfgklmnprtvz" * 5, "aeiou" * 13, strict=True)]
    known = vocabulary([" ".join(everything)], char_ngrams=(2, 2))
    assert unknown_word(known, Random(0)) == unknown_word(vocabulary(max_length=7), Random(0)) == ""
    assert by_name(rare_alterations(known))["an unknown word"].alter("ba", Random(0)) == "ba"


def test_words_that_are_added():
    known = vocabulary()
    found = by_name(rare_alterations(known))
    assert once_seen(known) == ["boundary", "wing", "wings"]  # of one letter, "a" is no term
    one = found["a once-seen word"].alter("flow", Random(0)).split()
    assert one[0] == "flow"
    assert one[1] in {"boundary", "wing", "wings"}
    assert found["a once-seen word"].alter("Wing wings boundary", Random(0)) == "Wing wings boundary"
    query, unknown = found["an unknown word"].alter("flow", Random(0)).split()
    assert (query, known.terms(unknown)) == ("flow", ())


# other words


def test_synonyms_of_a_thesaurus(tmp_path):
    path = tmp_path / "birds.txt"
    path.write_text("budgie, budgerigar, parakeet\ncolour => color\n")
    others = synonyms_in(path)
    assert others("Parakeet") == ["budgerigar", "budgie"]
    assert (others("color"), others("colour"), others("wing")) == (["colour"], ["color"], [])
    path.write_text("two words, one\n")
    with raising(DataError, f"{path}:1: expected a single word, found 'two words'"):
        synonyms_in(path)
    with pytest.raises(ArgumentError):
        synonyms_in(5)  # type: ignore[arg-type]


def test_other_forms():
    forms = other_forms(vocabulary(["wing", "wings wings", "winged", "flow"]), "english")
    assert (forms("Wing"), forms("flow"), forms("winging")) == (["wings", "winged"], [], ["wings", "wing", "winged"])


def test_words_replaced_by_others():
    texts = ["flow wing", "flow", "flow jet", "air"]
    same = {"flow": ["jet", "stream", "air"], "wing": ["flow", "aerofoil"], "the": ["each"]}
    found = by_name(
        semantic_alterations(vocabulary(texts), lambda word: same.get(word.lower(), []), "english", {"the"})
    )
    all_of_them = found["related words only"]
    assert all_of_them.alter("The flow past a Wing", Random(0)) == "The jet past a aerofoil"
    assert all_of_them.alter("flow jet", Random(0)) == "stream jet"
    assert all_of_them.alter("flow flow", Random(0)) == "jet stream"  # none comes twice
    assert found["other forms of all words"].alter("flow", Random(0)) == "flow"


def test_a_replacement_is_new_to_the_query_by_its_term_too():
    found = by_name(semantic_alterations(vocabulary(stem="english"), lambda word: ["wings", "layer"], "none", set()))
    assert found["related words only"].alter("flow winged", Random(0)) == "layer wings"  # each once, by its term


@pytest.mark.parametrize(
    ("n", "share", "gone"), [(400, 10, 40), (400, 50, 200), (400, 100, 400), (3, 10, 1), (7, 50, 4)]
)
def test_so_many_per_cent_of_the_documents_are_removed(n, share, gone):
    documents = [Document(str(number), "a text") for number in range(n)]
    removed = documents_removed(documents, share, 0)
    assert len(removed) == gone
    assert documents_removed(documents, 10, 0) <= removed
