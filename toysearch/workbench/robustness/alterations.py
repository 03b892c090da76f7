"""Altered inputs: queries with typing errors, synonyms or rare words, and changed or longer documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from toysearch.analysis.languages import default_list, language_named, stop_words
from toysearch.analysis.token_filters import stem, stemmers, synonyms_of
from toysearch.base import ArgumentError, Document, JoinedText, Query, Remedy, bordered
from toysearch.collection.document_batches import Batch
from toysearch.index.document_columns import field_texts
from toysearch.index.inverted_index import Index
from toysearch.models import index_needs
from toysearch.retrieval.spelling import suggest
from toysearch.study.study import Study, model_in
from toysearch.workbench.effects import Example, Variation, refused, study_variation

Alter = Callable[[str, Random], str]
"""Returns the altered text for a text and random numbers; the same text if the alteration does not apply."""


_IDLE = "it changes no query"


class TextChange(NamedTuple):
    """Change to the text of a query."""

    name: str  # a few words, the same in all output
    what: str  # a description of one sentence
    alter: Alter
    draw: str = ""  # seeds the random numbers instead of `name`: alterations with the same draw choose alike
    misspells: bool = False  # whether it imitates typing errors, which can be corrected
    idle: str = _IDLE  # the reason to give if it changes none


def seeded_random(seed: int, *names: str) -> Random:
    """Return random numbers that depend only on a seed and on names for their use.

    >>> first = seeded_random(0, "a").random()
    >>> first == seeded_random(0, "a").random(), first == seeded_random(1, "a").random()
    (True, False)
    """
    # So the alteration of a query does not depend on other queries and alterations.
    return Random("\0".join([str(seed), *names]))  # SHA-512 hashes a string seed, on every machine alike


def altered_queries(change: TextChange, queries: Iterable[Query], seed: int) -> list[Query]:
    """Return the queries that a change alters, with their altered texts.

    >>> shout = TextChange("upper case", "in capitals", lambda text, random: text.upper())
    >>> altered_queries(shout, [Query("1", "a cat"), Query("2", "NASA")], seed=0)
    [Query(query_id='1', text='A CAT')]
    """
    draw = change.draw or change.name
    altered = ((query, change.alter(query.text, seeded_random(seed, draw, query.query_id))) for query in queries)
    return [Query(query.query_id, text) for query, text in altered if text != query.text]


def correction() -> Variation:
    """Return the variation that searches queries in the spelling that is suggested for them."""
    remedy = Remedy("toysearch.retrieval.remarks.tell_spelling", correct=True)
    what = f"each query is searched in the spelling that is suggested for it ({remedy})"

    def corrected(study: Study) -> Study:
        suggested = ((query, suggest(study.index(), query.text)) for query in study.queries())
        return study.with_texts([query._replace(text=better.text) if better else query for query, better in suggested])

    return study_variation("spelling correction", what, corrected)


def query_variation(change: TextChange, study: Study, seed: int, cure: Variation) -> Variation:
    """Vary the queries of a study, without those that stay; `cure` corrects misspelt ones."""
    queries = study.queries()
    altered = altered_queries(change, queries, seed)
    if not altered:
        return refused(change.name, change.idle)
    query_id, text = altered[0]
    example = Example(f"query {query_id}", dict(queries)[query_id], text)
    cure_of_change = cure if change.misspells else None
    return study_variation(change.name, change.what, lambda study: study.with_texts(altered), example, cure_of_change)


_WORD = re.compile(r"\w+")


def written_words(text: str) -> list[str]:
    """Return the words of a text, as written.

    >>> written_words("Jets, and a Mach-2 wing")
    ['Jets', 'and', 'a', 'Mach', '2', 'wing']
    """
    return _WORD.findall(text)


def rewritten(text: str, changed: Callable[[int, str], str]) -> str:
    """Replace each word of a text by the result of a function.

    >>> rewritten("the flow, the wing", lambda place, word: "" if word == "the" else word.upper())
    'FLOW, WING'
    """
    parts, end = [], 0
    for place, match in enumerate(_WORD.finditer(text)):
        between, word = text[end : match.start()], changed(place, match[0])
        parts += [between if word else between.rstrip(), word]
        end = match.end()
    result = "".join([*parts, text[end:]])
    return result if result == text else result.strip()


class Vocabulary:
    """Words in the texts of a collection, and the numbers of the index terms that they become.

    >>> texts = ["the cats sat", "Cats", "a dog"]
    >>> vocabulary = Vocabulary(Index.build(texts), texts)
    >>> vocabulary.counts["cats"], vocabulary.terms("CATS"), vocabulary.terms("horse")
    (2, (0,), ())
    """

    def __init__(self, index: Index, texts: Iterable[str]) -> None:
        self.index = index
        self.counts = Counter(word for text in texts for word in written_words(text.lower()))
        self._terms = dict[str, tuple[int, ...]]()

    def terms(self, word: str) -> tuple[int, ...]:
        """Return the numbers of the terms of a word; none if the index lacks all of them."""
        if word not in self._terms:
            numbers = (int(self.index.term_numbers[term]) for term in self.index.analyzer(word))
            self._terms[word] = tuple(number for number in numbers if number >= 0)
        return self._terms[word]


def query_changes(name: str, vocabulary: Vocabulary, language: str, others: Others | None) -> list[TextChange]:
    """Return the changes to queries that test a property."""
    if name == "rare":
        return rare_alterations(vocabulary)
    function_words = _function_words(language)
    if name == "spelling":
        return spelling_alterations(vocabulary, function_words, language)
    # even in an unknown language, how and to are not synonyms
    avoided = function_words or _function_words("english")
    return semantic_alterations(vocabulary, others, language, avoided)


def _function_words(language: str) -> Set[str]:
    return stop_words(default_list(language), language).words


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")  # each row half a key to the right of the one above
_KEYS = {letter: (row, 2 * column + row) for row, keys in enumerate(_ROWS) for column, letter in enumerate(keys)}
NEIGHBOURS = {
    letter: "".join(
        other
        for other, (other_row, other_column) in _KEYS.items()
        if other != letter and abs(other_row - row) <= 1 and abs(other_column - column) <= 2
    )
    for letter, (row, column) in _KEYS.items()
}
"""Letters on adjacent keys of a QWERTY keyboard."""

_LEAST = 4  # letters of a word that can get an error

Edit = Callable[[str, int, Random], str]


def neighbouring_key(word: str, place: int, random: Random) -> str:
    """Replace a letter of a word by one on an adjacent key; return "" if the letter is not on the keyboard."""
    letter = word[place]
    keys = NEIGHBOURS.get(letter.lower(), "")
    if not keys:
        return ""
    key = random.choice(keys)
    return word[:place] + (key.upper() if letter.isupper() else key) + word[place + 1 :]


def swapped(word: str, place: int, random: Random) -> str:
    """Swap a letter of a word and the next one; return "" if there is no next letter or the two are equal."""
    pair = word[place : place + 2]
    return word[:place] + pair[::-1] + word[place + 2 :] if pair != pair[::-1] else ""


def dropped(word: str, place: int, random: Random) -> str:
    """Drop one letter of a word."""
    return word[:place] + word[place + 1 :]


def misspelt(word: str, edits: Sequence[Edit], random: Random) -> str:
    """Put an error into a word, never in the first letter: those are rare (Yannakoudakis & Fawthrop 1983)."""
    if not word.isalpha() or len(word) < _LEAST:
        return word
    fitting = [(place, edit) for place in range(1, len(word)) for edit in edits if edit(word, place, random)]
    if not fitting:
        return word
    place, edit = random.choice(fitting)
    return edit(word, place, random)


def spelling_alterations(vocabulary: Vocabulary, function_words: Container[str], language: str) -> list[TextChange]:
    """Return the alterations that imitate typing errors, the last of them without function words."""
    kinds: dict[str, Edit] = {
        "a neighbouring key": neighbouring_key,
        "two letters swapped": swapped,
        "a letter dropped": dropped,
    }

    def every_word(text: str, random: Random) -> str:
        edits = [*kinds.values()]
        return rewritten(text, lambda _, word: misspelt(word, edits, random) if vocabulary.terms(word) else word)

    one, every = "one word of the query has one error of this kind", "each word has one error of any of these kinds"
    # where possible in the same word for all kinds
    found = [
        TextChange(name, one, partial(_in_one_word, vocabulary, edit), "one word", True) for name, edit in kinds.items()
    ]
    found.append(TextChange("every word misspelt", every, every_word, misspells=True))
    missing = "words such as 'the' and 'a' are missing"
    idle = _IDLE if function_words else f"no list of function words is known (language: {language})"
    return [*found, TextChange("no function words", missing, lambda text, _: without(text, function_words), idle=idle)]


def _in_one_word(vocabulary: Vocabulary, edit: Edit, text: str, random: Random) -> str:
    """Misspell one word of a text: the first in random order that the index knows and that can be changed."""
    words = written_words(text)
    order = [place for place, word in enumerate(words) if vocabulary.terms(word)]
    random.shuffle(order)
    for chosen in order:
        after = misspelt(words[chosen], [edit], random)
        if after != words[chosen]:
            return rewritten(text, lambda place, word: after if place == chosen else word)  # noqa: B023
    return text


def without(text: str, words: Container[str]) -> str:
    """Remove some words from a text; leave it unchanged if nothing would remain."""
    rest = rewritten(text, lambda _, word: "" if word.lower() in words else word)
    return rest if written_words(rest) else text


Others = Callable[[str], Sequence[str]]
"""Returns the possible replacements of a word, best first."""


def synonyms_in(thesaurus: str | Path | Mapping[str, str]) -> Others:
    """Return word → its synonyms in a thesaurus.

    >>> others = synonyms_in({"parakeet": "budgie", "budgerigar": "budgie"})
    >>> others("Budgie"), others("parakeet"), others("cat")
    (['budgerigar', 'parakeet'], ['budgerigar', 'budgie'], [])
    """
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for word, stands_for in synonyms_of(thesaurus, _single_word).items():
        groups[stands_for] |= {word, stands_for}
    same = {word: group for group in groups.values() for word in group}
    return lambda word: sorted(same.get(word.lower(), set()) - {word.lower()})


def _single_word(text: str) -> str:
    if written_words(text) != [text]:
        raise ArgumentError(f"expected a single word, found {text!r}")
    return text.lower()


def other_forms(vocabulary: Vocabulary, language: str) -> Others:
    """Return word → the other words of the collection with the same stem, most frequent first.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["a wing", "wings", "wings", "winged"]
    >>> other_forms(Vocabulary(Index.build(texts), texts), "english")("wing")
    ['wings', 'winged']
    """
    rules, forms = language_named(language), defaultdict[str, list[str]](list)
    for word in sorted(vocabulary.counts, key=lambda word: (-vocabulary.counts[word], word)):
        forms[stem(word, rules)].append(word)
    return lambda word: [form for form in forms[stem(word.lower(), rules)] if form != word.lower()]


def semantic_alterations(
    vocabulary: Vocabulary, synonyms: Others | None, language: str, function_words: Container[str]
) -> list[TextChange]:
    """Return the alterations that replace words of queries: by synonyms, and by other forms."""

    def fits(word: str, around: Sequence[str]) -> bool:
        """Tell if a word is neither a function word nor among other words, by spelling or by term."""
        terms = {*map(vocabulary.terms, around)} - {()}
        return not (word in function_words or word in map(str.lower, around) or vocabulary.terms(word) in terms)

    def replaced(others: Others, text: str, _: Random) -> str:
        words, instead = written_words(text), dict[int, str]()
        for place, word in enumerate(words):
            around = [*words[:place], *words[place + 1 :], *instead.values()]
            new = (other for other in others(word) if fits(other, around))
            if word.lower() not in function_words and (other := next(new, None)):
                instead[place] = other
        return rewritten(text, lambda place, word: instead.get(place, word))

    forms = other_forms(vocabulary, language) if language in stemmers() else None
    related = "each word that has a related word is replaced by it"
    endings = "each word has another ending, such as wings for wing"
    no_stemmer = f"no stemmer is known (language: {language})"
    changes = [
        ("related words only", related, partial(replaced, synonyms or (lambda _: []))),
        ("other forms of all words", endings, partial(replaced, forms or (lambda _: []))),
    ]
    idle = ["no thesaurus is given" if synonyms is None else _IDLE, _IDLE if forms else no_stemmer]
    return [TextChange(*change, idle=reason) for change, reason in zip(changes, idle, strict=True)]


_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aeiou"]
_TRIES = 100


def unknown_word(vocabulary: Vocabulary, random: Random) -> str:
    """Make up a pronounceable word without a term in the index; "" if none is found."""
    for _ in range(_TRIES):
        word = "".join(random.choices(_SYLLABLES, k=4))
        if vocabulary.index.analyzer(word) and not vocabulary.terms(word):
            return word
    return ""


def once_seen(vocabulary: Vocabulary) -> list[str]:
    """Return the words that occur once in the collection, in alphabetical order."""
    once = sorted(word for word, count in vocabulary.counts.items() if count == 1)
    return [word for word in once if [vocabulary.index.cf[number] for number in vocabulary.terms(word)] == [1]]


def rare_alterations(vocabulary: Vocabulary) -> list[TextChange]:
    """Return the alterations that add a word: an unknown one, or one seen once."""
    once, known = once_seen(vocabulary), "one word that occurs once in the collection is added at the end"

    def unknown(text: str, random: Random) -> str:
        return f"{text} {unknown_word(vocabulary, random)}".rstrip()

    def seen_once(text: str, random: Random) -> str:
        new = sorted({*once}.difference(written_words(text.lower())))
        return f"{text} {random.choice(new)}" if new else text

    return [
        TextChange("an unknown word", "one word that is in no document is added at the end", unknown),
        TextChange("a once-seen word", known, seen_once),
    ]


SHARES = (10, 30, 50)  # per cent


def changed_collections(study: Study, seed: int) -> Iterator[Variation]:
    """Remove documents, and add them again."""
    documents = _documents(study)
    if len(documents) < 2:
        yield refused("documents removed", "there is only one document")
        return
    for share in SHARES:
        gone = documents_removed(documents, share, seed)
        back = [document for document in documents if document.doc_id in gone]
        text, where = back[0].text, f"document {back[0].doc_id}"
        rest = study.index().delete(gone)
        away = f"{len(gone):,} of {len(documents):,} documents are removed; relevant ones among them count as not found"
        again = "they are added at the end: only ties can change their order"
        for name, what, index, texts in (
            (f"{share}% removed", away, rest, (text, "")),
            (f"{share}% added again", again, rest.add(back), ("", text)),
        ):
            yield study_variation(name, what, partial(Study.with_index, index=index), Example(where, *texts))


def _documents(study: Study) -> list[Document]:
    return [Document(*document) for document in study.documents()]  # word counts too, as texts


def documents_removed(documents: Iterable[Document], share: int, seed: int) -> set[str]:
    """Return the first so many per cent of the documents in the order of removal: the first 10% are among 30%."""
    doc_ids = [document.doc_id for document in documents]
    seeded_random(seed, "documents removed").shuffle(doc_ids)
    return set(doc_ids[: max(1, round(share * len(doc_ids) / 100))])


def longer_documents(study: Study, seed: int) -> Iterator[Variation]:
    """Let half of the documents contain their text twice."""
    documents = _documents(study)
    half = (len(documents) + 1) // 2
    chosen = sorted(seeded_random(seed, "padded documents").sample(range(len(documents)), half))
    *_, field = None, *study.searched().separate_fields(index_needs(*map(model_in, study.models)).apart)
    first = next((number for number in chosen if documents[number].text), chosen[0])
    before = documents[first].text
    for number in chosen:
        documents[number] = repeated(documents[number], field)
    example = Example(f"document {documents[first].doc_id}", before, documents[first].text)
    what, change = "half of the documents contain their text twice", partial(Study.with_index, documents=documents)
    yield study_variation("own text added", what, change, example)


def repeated(document: Document, field: str | None = None) -> Document:
    """Return a document that contains its text twice, at the end of a field too if it is counted apart."""
    text, fields = document.text, dict(document.fields)
    if not text:
        return document
    if field is not None:
        [before] = field_texts(Batch([document.doc_id], [text], [document.title], [fields]), field)
        fields[field] = _joined(before, text)
    return document._replace(text=_joined(text, text), fields=fields)


def _joined(text: str, more: str) -> str:
    """Add to a text, whose fields and items of lists end where they did."""
    return JoinedText.of(f"{bordered(text)} {bordered(more)}")
