"""What holds of every analyzer on every text."""

import json
import pickle

from hypothesis import given
from hypothesis import strategies as st
from user_tokenizers import PLACES

from toysearch import Analyzer, Index
from toysearch.analysis.tokenizer import Tokenizer
from toysearch.index.term_numbers import GramNumbers, TermNumbers
from toysearch.retrieval.snippets import snippet

LATIN = [
    "the",
    "The",
    "cats",
    "flying",
    "été",
    "ÉTÉ",
    "e\u0301te\u0301",
    "straße",
    "İb",
    "Boeing™",
    "x",
    "2nd",
    "42",
    "",
]
WORDS = st.sampled_from(
    [*LATIN, "мир", "run\ud800ning", "<b>", "&eacute;", "東京都", "ﾊﾞｽ", "한국어", "हिन्दी", "x\u0304", "🔥"]
)
ANY_TEXT = st.text(st.characters(exclude_categories=()))
TEXTS = st.one_of(ANY_TEXT, st.lists(WORDS).map(" ".join), st.lists(WORDS).map("".join))
TOKENIZERS = ["word2", "word1", "unicode", "whitespace", r"\w(\w*)"]
LISTS = st.one_of(st.none(), st.lists(st.one_of(WORDS, st.text(max_size=3))))
RANGES = st.tuples(st.integers(1, 4), st.integers(0, 2)).map(lambda pair: (pair[0], sum(pair)))


def distinct(words: list[str]) -> dict[str, str]:
    """Each word of the first half, without what the other half holds, with one of the other half."""
    half = len(words) // 2
    return dict(zip([word for word in words[:half] if word not in words[half:]], words[half:], strict=False))


GRAMS = st.one_of(
    st.just({}), st.builds(lambda pair: {"ngrams": pair}, RANGES), st.builds(lambda pair: {"char_ngrams": pair}, RANGES)
)
ANALYZERS = st.builds(
    lambda grams, **options: Analyzer(**options, **grams),
    GRAMS,
    lowercase=st.booleans(),
    tokens=st.sampled_from(TOKENIZERS),
    stop=st.one_of(st.just("sklearn"), LISTS),
    stem=st.sampled_from([None, "english", "german", "russian"]),
    html=st.booleans(),
    fold_accents=st.booleans(),
    cjk=st.booleans(),
    marks=st.booleans(),
    letters=st.sampled_from([{}, {"é": "e", "\u0301": ""}]),
    synonyms=st.lists(st.sampled_from(["the", "cats", "flying", "42"]), unique=True).map(distinct),
    protected=st.just([]),
    numbers=st.sampled_from(["keep", "drop", "mark"]),
    min_length=st.sampled_from([1, 2, 3, 4]),
    max_length=st.sampled_from([None, 4, 9]),
)


def plain(analyzer: Analyzer) -> Analyzer:
    """The analyzer without its n-grams."""
    description = analyzer.to_dict()
    return Analyzer.from_dict({k: v for k, v in description.items() if k not in ("ngrams", "char_ngrams")})


@given(ANALYZERS, TEXTS)
def test_a_term_depends_on_its_token_alone(analyzer, text):
    terms = [term for token in analyzer.tokenizer(text) if (term := analyzer.term(token)) is not None]
    assert plain(analyzer)(text) == terms
    assert analyzer(text) == analyzer.grams(terms)


@given(st.sampled_from([*TOKENIZERS, PLACES]), st.text("aB1_.,:;'+# -\n") | TEXTS)
def test_the_places_of_a_tokenizer_hold_its_tokens(tokens, text):
    """Snippets mark places of the original text, each analysed by itself."""
    tokenizer = Tokenizer(tokens, lowercase=False)
    places = list(tokenizer.places(text))
    assert [token for start, end in places for token in tokenizer.part(text[start:end])] == tokenizer(text)
    assert places == sorted(places)


@given(ANALYZERS, TEXTS)
def test_the_last_step_holds_the_terms(analyzer, text):
    steps = analyzer.steps(text)
    assert [term for term in steps[-1].tokens if term is not None] == analyzer(text)
    names = [step.name for step in steps]
    aligned = steps[names.index("tokens") : len(steps) - analyzer.makes_grams]
    assert [token for token in aligned[0].tokens if token is not None] == analyzer.tokenizer(text)
    words = next((step.tokens for step in steps if step.name == "words"), aligned[0].tokens)
    assert {len(step.tokens) for step in aligned} == {len(words)}
    assert [term for term in aligned[-1].tokens if term is not None] == plain(analyzer)(text)


@given(ANALYZERS, TEXTS)
def test_its_description_makes_it_again(analyzer, text):
    again = Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict())))
    for copy in (again, pickle.loads(pickle.dumps(analyzer))):
        assert copy == analyzer
        assert hash(copy) == hash(analyzer)
        assert str(copy) == str(analyzer)
        assert copy(text) == analyzer(text)


@given(ANALYZERS, st.lists(TEXTS, min_size=1, max_size=4))
def test_an_index_holds_the_terms_that_a_query_of_the_same_text_has(analyzer, texts):
    texts = [text.encode(errors="replace").decode() for text in texts]
    index = Index.build(texts, analyzer, store_text=False)
    for number, text in enumerate(texts, 1):
        terms = analyzer(text)
        assert index.vector(str(number)) == {term: terms.count(term) for term in terms}


@given(ANALYZERS, st.lists(TEXTS, max_size=4))
def test_numbers_stand_for_the_terms_in_their_order(analyzer, texts):
    numbers = GramNumbers(analyzer) if analyzer.makes_grams else TermNumbers(analyzer)
    given = [[number for number in numbers.of(text) if number >= 0] for text in texts]
    terms = {number: term for term, number in numbers.terms.items()}
    assert [[terms[number] for number in row] for row in given] == [analyzer(text) for text in texts]
    assert list(numbers.terms.values()) == list(range(len(numbers.terms)))


@given(ANALYZERS.filter(lambda analyzer: not analyzer.stem), TEXTS)
def test_without_a_stemmer_a_term_is_its_own_term(analyzer, text):
    for term in plain(analyzer)(text):
        assert analyzer.term(term) == term


@given(ANALYZERS, TEXTS)
def test_protected_tokens_stay(analyzer, text):
    analyzer = Analyzer.from_dict({**analyzer.to_dict(), "protected": ["the", "flying", "42"]})
    replaced = dict(analyzer.synonyms)
    for token in analyzer.tokenizer(text):
        token = replaced.get(token, token)
        if token in analyzer.protected:
            assert analyzer.term(token) == token


@given(ANALYZERS, TEXTS, TEXTS)
def test_marked_places_lie_in_the_text_one_after_the_other(analyzer, text, query):
    shown, spans = snippet(text, set(analyzer(query)), analyzer, width=40)
    places = [place for span in spans for place in span]
    assert places == sorted(places)
    assert not places or 0 <= places[0] <= places[-1] <= len(shown)
