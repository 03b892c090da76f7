"""Text → terms: lower-case, split into tokens, leave out stop words, stem; and what else may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from toysearch.analysis.analyzer_text import ALWAYS, SOMETIMES, checked, described, parsed, shown
from toysearch.analysis.languages import CJK, UNSTEMMED, language_named, letters_of
from toysearch.analysis.stemming import stemmer_named
from toysearch.analysis.stopwords import StopWords, default_list, protected_words, stop_words
from toysearch.analysis.synonyms import synonyms_of
from toysearch.analysis.token_rules import (
    Range,
    Rule,
    char_ngrams,
    check_rules,
    lengths_of,
    outcomes,
    rules_of,
    word_ngrams,
)
from toysearch.analysis.tokenizer import EVERY_WORD, TOKEN_PATTERN, Tokenizer
from toysearch.errors import ArgumentError

_OF_TOKENIZER = ("pattern", "lowercase", "html", "fold_accents", "cjk", "marks", "letters")


class Step(NamedTuple):
    """A step of the analysis and what each token is after it: None once it has been left out."""

    name: str
    tokens: list[str | None]


class Options(TypedDict, total=False):
    """What `Analyzer` and `Analyzer.for_language` take by keyword; the docstring of `Analyzer` says what each is."""

    html: bool
    fold_accents: bool
    cjk: bool
    marks: bool
    letters: Mapping[str, str]
    synonyms: str | Path | Mapping[str, str] | None
    protected: str | Path | Iterable[str] | None
    numbers: str
    min_length: int | None
    max_length: int | None
    ngrams: Iterable[int] | None
    char_ngrams: Iterable[int] | None


@dataclass(frozen=True, init=False, repr=False)
class Analyzer:
    r"""Turns a text into the list of its terms; the same one serves documents and queries.

    The default does what scikit-learn's CountVectorizer does, on any Unicode text: lower-case, then every
    match of the pattern. Two analyzers are equal if they give the same terms by the same rules. The steps always
    come in this order: HTML, lower-case, accents, tokens, synonyms, numbers, lengths, stop words, stems, n-grams.

    Parameters
    ----------
    lowercase : bool
        Whether the text is lower-cased (Python's ``str.lower``) before it is split.
    pattern : str
        A regular expression: its matches are the tokens. With one capturing group, what the group
        matched is the token.
    stop : str, Path, iterable of str or None
        Tokens to leave out: ``none``, ``sklearn``, a file with one word a line, or the words themselves;
        None leaves out nothing. They are lower-cased and folded if the text is.
    stem : str or None
        The Snowball stemmer that each remaining token goes through, as PyStemmer spells it.
    html : bool
        Whether tags are taken out and entities become their characters (`without_html`).
    fold_accents : bool
        Whether accents are taken off the lower-cased text (`folded`).
    cjk : bool
        Whether runs of Chinese, Japanese and Korean characters are split into pairs of neighbours (`token_places`).
    marks : bool
        Whether combining marks belong to the word that they stand in, as in Unicode's words, and do not end it. A text
        that is not ASCII is then brought into one spelling first: composed accents (NFC), one width, and without
        characters that are not seen, such as soft hyphens.
    letters : mapping of str to str
        Where marks belong to words: what single characters of the lower-cased text are replaced by.
    synonyms : str, Path, mapping of str to str, or None
        What tokens are replaced by, before anything else happens to them: a mapping, or a file (`synonyms_of`).
    protected : str, Path, iterable of str or None
        Tokens that are neither left out nor stemmed: a file with one word a line, or the words.
    numbers : {'keep', 'drop', 'mark'}
        Tokens that are numbers (`is_number`): kept, left out, or all replaced by ``<num>``.
    min_length, max_length : int or None
        Shorter and longer tokens are left out; in characters, before stemming. With the default pattern, None is
        the two characters that it asks for, and 1 lets words of one character and emoji be tokens, too.
    ngrams : pair of int or None
        The shortest and the longest run of neighbouring terms that is a term: (1, 2) for words and pairs of words.
    char_ngrams : pair of int or None
        The shortest and the longest run of characters, within each term, that becomes a term in its place.

    Attributes
    ----------
    stop, protected : frozenset of str
        The words themselves.
    synonyms : tuple of (str, str)
        Each word that is replaced, and what by, sorted.
    language : str
        The language it was made for (``none`` unless `for_language` made it); only a name to show.
    stop_name : str
        Where the stop words are from; only a name to show.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression or has several groups, a name is unknown, a value is out of
        range, or words as well as characters are to be joined to n-grams.
    DataError
        If a file cannot be read or a line of it is not what it should be.

    Examples
    --------
    >>> Analyzer()("The cats, and a DOG")
    ['the', 'cats', 'and', 'dog']
    >>> Analyzer(stop="sklearn", stem="english")("The cats, and a DOG")
    ['cat', 'dog']
    >>> Analyzer(html=True, fold_accents=True, ngrams=(1, 2))("Caf&eacute; <b>Central</b>")
    ['cafe', 'central', 'cafe central']
    """

    lowercase: bool
    pattern: str
    stop: frozenset[str]
    stem: str | None
    html: bool
    fold_accents: bool
    cjk: bool
    marks: bool
    letters: tuple[tuple[str, str], ...]
    synonyms: tuple[tuple[str, str], ...]
    protected: frozenset[str]
    numbers: str
    min_length: int
    max_length: int | None
    ngrams: Range | None
    char_ngrams: Range | None
    language: str = field(compare=False)
    stop_name: str = field(compare=False)
    tokenizer: Tokenizer = field(compare=False)
    _rules: tuple[Rule, ...] = field(compare=False)

    def __init__(
        self,
        lowercase: bool = True,
        pattern: str = TOKEN_PATTERN,
        stop: StopWords | str | Path | Iterable[str] | None = None,
        stem: str | None = None,
        *,
        html: bool = False,
        fold_accents: bool = False,
        cjk: bool = False,
        marks: bool = False,
        letters: Mapping[str, str] | None = None,
        synonyms: str | Path | Mapping[str, str] | None = None,
        protected: str | Path | Iterable[str] | None = None,
        numbers: str = "keep",
        min_length: int | None = None,
        max_length: int | None = None,
        ngrams: Iterable[int] | None = None,
        char_ngrams: Iterable[int] | None = None,
    ) -> None:
        if min_length is not None and pattern in (TOKEN_PATTERN, EVERY_WORD):
            pattern = EVERY_WORD if min_length == 1 else TOKEN_PATTERN
        replaced = tuple(sorted((letters or {}).items()))
        tokenizer = Tokenizer(pattern, lowercase, html, fold_accents, cjk, marks, replaced)
        words = stop_words(stop)
        self._set(
            tokenizer,
            stop=map(tokenizer.prepared, words.words),
            stop_name=words.name,
            stem=stem,
            synonyms=synonyms_of(synonyms, tokenizer.word),
            protected=protected_words(protected, tokenizer.word),
            numbers=numbers,
            min_length=1 if min_length is None else min_length,
            max_length=max_length,
            ngrams=ngrams,
            char_ngrams=char_ngrams,
            language="none",
        )

    def _set(self, tokenizer: Tokenizer, **values: Any) -> None:
        """Fill the fields, once: afterwards they are frozen. The words are such as tokens are compared with."""
        check_rules(values["numbers"], values["min_length"], values["max_length"])
        values["stem"] = stemmer_named(values["stem"])
        for name in ("stop", "protected"):
            values[name] = frozenset(values[name])
        for name in ("ngrams", "char_ngrams"):
            values[name] = lengths_of(name, values[name])
        if values["ngrams"] and values["char_ngrams"]:
            raise ArgumentError("n-grams are made of words (ngrams) or of characters (char_ngrams), not of both")
        of_rules = {
            name: values[name] for name in ("synonyms", "protected", "numbers", "min_length", "max_length", "stop")
        }
        values["_rules"] = rules_of(**of_rules, stemmer=values["stem"])
        values["synonyms"] = tuple(sorted(values["synonyms"].items()))
        values["tokenizer"] = tokenizer
        for name in _OF_TOKENIZER:
            values[name] = getattr(tokenizer, name)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def for_language(
        cls,
        language: str,
        stop: str | Path | Iterable[str] | None = None,
        stem: str | None = None,
        **options: Unpack[Options],
    ) -> Analyzer:
        """The analyzer of a language: its stop words are left out, what remains is stemmed.

        Marks belong to words (`marks`), and letters that are written in two ways are made one.

        Parameters
        ----------
        language : str
            A language that has a Snowball stemmer or a list of stop words, by its English or own name or its ISO 639-1
            code; ``chinese``, ``japanese``, ``korean`` or ``cjk``: pairs of characters, no stop words, no stemmer;
            ``none`` or ``plain``: nothing of all this.
        stop : str, Path, iterable of str or None
            Other stop words (``none``, ``sklearn``, ``snowball``, ``iso``, a file, the words); None: its own.
        stem : str or None
            Another stemmer, or ``none``; None: the language's own.
        **options
            What `Analyzer` takes by keyword.

        Raises
        ------
        ArgumentError
            If a name is unknown, or an option is refused by `Analyzer`.
        DataError
            If a file cannot be read or a line of it is not what it should be.

        Examples
        --------
        >>> str(Analyzer.for_language("english"))
        'english:stop=sklearn,stem=english'
        >>> Analyzer.for_language("de", stem="none")("Die Katze und der Hund")
        ['katze', 'hund']
        >>> Analyzer.for_language("ja")("東京都の天気")
        ['東京', '京都', '都の', 'の天', '天気']
        """
        language = language_named(language)
        words = stop_words(default_list(language) if stop is None else stop, language)
        if stem is None and language not in (*CJK, *UNSTEMMED):
            stem = language
        options.setdefault("cjk", language in CJK)
        if language != "none":
            options.setdefault("marks", True)
            options.setdefault("letters", letters_of(language))
        analyzer = cls(stop=words, stem=stem, **options)
        object.__setattr__(analyzer, "language", language)
        return analyzer

    @classmethod
    def parse(cls, text: str) -> Analyzer:
        """The analyzer of a text such as ``english`` or ``english:stem=porter,ngrams=1-2``; `str` gives such a text.

        Parameters
        ----------
        text : str
            A language (or ``plain``), then what differs from its usual analysis: ``html``, ``fold_accents``, ``cjk``
            and ``marks`` as they stand or with ``=no``; ``stop``, ``stem``, ``synonyms``, ``protected``, ``numbers``,
            ``min_length``, ``max_length``, ``ngrams``, ``char_ngrams`` with a value, as `for_language` takes it. Ranges
            are written 1-2, and several protected words one+two.

        Raises
        ------
        ArgumentError
            If the text does not follow the grammar, or a name or a value is unknown.
        DataError
            If a file that it names cannot be read.

        Examples
        --------
        >>> Analyzer.parse("english:stem=none,ngrams=1-2")("the train station")
        ['train', 'station', 'train station']
        >>> str(Analyzer.parse("english:html"))
        'english:html,stop=sklearn,stem=english'
        """
        language, options = parsed(text)
        return cls.for_language(language, **options)

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order, repeated as often as they occur."""
        terms = self.tokens(text)
        if self._rules:
            terms = [term for term in map(self.term, terms) if term is not None]
        return self.grams(terms) if self.makes_grams else terms

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text, before anything happens to each of them."""
        return self.tokenizer(text)

    def term(self, token: str) -> str | None:
        """The term of a token, None where it is left out. It depends on the token alone."""
        for rule in self._rules:
            made = rule.apply(token)
            if made is None:
                return None
            token = made
        return token

    @property
    def keeps_tokens(self) -> bool:
        """Whether every token is its own term: none is left out, replaced, stemmed or joined to another."""
        return not (self._rules or self.makes_grams)

    @property
    def makes_grams(self) -> bool:
        """Whether terms become n-grams; if not, each term comes of one token alone."""
        return bool(self.ngrams or self.char_ngrams)

    def grams(self, terms: list[str]) -> list[str]:
        """The n-grams of a text's terms; the terms themselves where none are asked for."""
        if self.ngrams:
            return word_ngrams(terms, self.ngrams)
        if self.char_ngrams:
            lengths = self.char_ngrams
            return list(chain.from_iterable(char_ngrams(term, lengths) for term in terms))
        return terms

    def steps(self, text: str) -> list[Step]:
        """What becomes of a text and of each of its tokens, step by step.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of Step
            In this order, those that the analyzer has: ``HTML taken out``, ``one spelling`` (where it changes the text)
            and ``accents folded``, with the whole text as the one token; then a column a step, aligned: ``words``
            (where some are too short to be tokens), ``tokens``, ``synonyms``, ``numbers``, ``lengths``,
            ``stop words``, ``stems`` (None: left out); and ``n-grams``, a list of its own.

        Examples
        --------
        >>> for step in Analyzer(stop=["the"], stem="english").steps("The cats"):
        ...     print(step.name, step.tokens)
        tokens ['the', 'cats']
        stop words [None, 'cats']
        stems [None, 'cat']
        """
        steps = [Step(name, [changed]) for name, changed in self.tokenizer.stages(text)]
        prepared = self.tokenizer.prepared(self.tokenizer.visible(text))
        words, tokens = self.tokenizer.words(prepared), _aligned(self.tokenizer, prepared)
        if None in tokens:
            steps.append(Step("words", list(words)))
        steps.append(Step("tokens", tokens))
        outcome = [[*outcomes(self._rules, token)] for token in tokens]
        steps += [Step(rule.name, [made[at] for made in outcome]) for at, rule in enumerate(self._rules)]
        if self.makes_grams:
            steps.append(Step("n-grams", list(self(text))))
        return steps

    def to_dict(self) -> dict[str, Any]:
        """A description that JSON can hold, with the words of all lists themselves, sorted."""
        return described(self._values())

    def _values(self) -> dict[str, Any]:
        """What the fields hold, as JSON has it."""
        values = {name: getattr(self, name) for name in (*ALWAYS, *SOMETIMES)}
        for name in ("stop", "protected"):
            values[name] = sorted(values[name])
        for name in ("ngrams", "char_ngrams"):
            values[name] = values[name] and list(values[name])
        return values | {"synonyms": dict(self.synonyms), "letters": dict(self.letters)}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Analyzer:
        """The analyzer that `to_dict` described.

        Parameters
        ----------
        description : mapping
            What `to_dict` gave, as it comes back from JSON. What is not named has its default.

        Raises
        ------
        DataError
            If the description lacks a key, has one too many, or a value of the wrong type.
        ArgumentError
            If this PyStemmer lacks the stemmer, the pattern is no regular expression, or a value is out of range.

        Examples
        --------
        >>> Analyzer.from_dict(Analyzer().to_dict()) == Analyzer()
        True
        """
        values = checked(description)
        of_tokenizer = {name: values.pop(name) for name in _OF_TOKENIZER}
        of_tokenizer["letters"] = tuple(sorted(of_tokenizer["letters"].items()))
        analyzer = cls.__new__(cls)
        analyzer._set(Tokenizer(**of_tokenizer), **values)
        return analyzer

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Any]], Analyzer], tuple[dict[str, Any]]]:
        return type(self).from_dict, (self.to_dict(),)

    def __str__(self) -> str:
        return shown(self._values())

    def __repr__(self) -> str:
        return f"<Analyzer {self}>"


def _aligned(tokenizer: Tokenizer, prepared: str) -> list[str | None]:
    """For each word of a text the token that it is, None where it is too short for one."""
    tokens = iter([*tokenizer.split(prepared), None])
    following = next(tokens)
    aligned: list[str | None] = []
    for word in tokenizer.words(prepared):
        aligned.append(following if word == following else None)
        if word == following:
            following = next(tokens)
    return aligned
