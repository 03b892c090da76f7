"""Text → terms: lower-casing, tokens, stop words, stems, and optional further steps.

Start with `Analyzer.__call__`: the tokens of a text, the rules for each of them, then n-grams. What stands before the
class reads and writes its description in an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.analysis.token_filters import (
    GramLengths,
    Rule,
    TokenJoiner,
    char_ngrams,
    check_rules,
    lengths_of,
    outcomes,
    rules_of,
    stemmers,
    synonyms_of,
    word_ngrams,
)
from toysearch.analysis.tokenizer import WORD1, WORD2, Tokenizer, is_function
from toysearch.base import ArgumentError, DataError, a, expect

__all__ = ["Analyzer", "AnalyzerLike"]

ALWAYS: dict[str, Any] = {
    "language": str,
    "lowercase": bool,
    "tokens": str,
    "stop_name": str,
    "stop": list,
    "stem": str | None,
}
"""Keys of every description, in order, and the type of each value."""

SOMETIMES: dict[str, tuple[Any, Any]] = {
    "tokens_sha256": (str, ""),
    "stem_sha256": (str, ""),
    "html": (bool, False),
    "fold_accents": (bool, False),
    "cjk": (bool, False),
    "marks": (bool, False),
    "letters": (dict, {}),
    "synonyms": (dict, {}),
    "protected": (list, []),
    "numbers": (str, "keep"),
    "min_length": (int, 1),
    "max_length": (int | None, None),
    "ngrams": (list | None, None),
    "char_ngrams": (list | None, None),
}
"""Keys that a description has only if they differ from the default: the type of the value, and the default."""

_FUNCTIONS = {"tokens": "tokens", "stem": "stems"}
"""Options whose value can be a function, and the result of that function."""

_SEVERAL = "; several words are replaced by one, as in '{}, {}'"
_TEXTS = {"stop": "stop words", "protected": "protected words", "synonyms": "synonyms", "letters": "letters"}


def description_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Describe these values: the permanent keys, and all other values that are not the default."""
    others = {name: values[name] for name, (_, default) in SOMETIMES.items() if values[name] != default}
    return {name: values[name] for name in ALWAYS} | others


def checked_description(description: Mapping[str, Any]) -> dict[str, Any]:
    """Return all values of a description, after a check of their types."""
    if not set(ALWAYS) <= set(description) <= {*ALWAYS, *SOMETIMES}:
        raise DataError(
            f"an analyzer is described by {', '.join(ALWAYS)}, and {', '.join(SOMETIMES)} if they are not the "
            f"default; found {', '.join(description) or 'nothing'}"
        )
    types = ALWAYS | {name: kind for name, (kind, _) in SOMETIMES.items()}
    for name, value in description.items():
        if name in _FUNCTIONS and callable(value):  # of a pickle: JSON has none
            continue
        if not isinstance(value, types[name]) or (isinstance(value, bool) and types[name] is not bool):
            raise DataError(f"an analyzer's {name} cannot be {value!r}")
    for name, words in _TEXTS.items():
        entries = description.get(name, ())
        texts = [*entries, *entries.values()] if isinstance(entries, dict) else entries
        if not all(isinstance(word, str) for word in texts):
            raise DataError(f"an analyzer's {words} must be strings")
    for name in _FUNCTIONS:
        of_file = is_function(description[name]) and not callable(description[name])
        if of_file != bool(description.get(f"{name}_sha256")):
            gives = _FUNCTIONS[name]
            raise DataError(
                f"an analyzer has {name}_sha256 if its {gives} come from a function in a file, and only then"
            )
    return {name: default for name, (_, default) in SOMETIMES.items()} | dict(description)


_OF_TOKENIZER = ("tokens", "tokens_sha256", "lowercase", "html", "fold_accents", "cjk", "marks", "letters")


class Step(NamedTuple):
    """Step of the analysis and the form of each token after it: None once it has been left out."""

    name: str
    tokens: list[str | None]


if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypedDict, Unpack

    from toysearch.analysis.languages import StopWords

    class Options(TypedDict, total=False):
        """Keyword arguments of `Analyzer` and `Analyzer.for_language`, which `Analyzer` documents."""

        tokens: str
        html: bool
        fold_accents: bool
        cjk: bool
        marks: bool
        letters: Mapping[str, str]
        synonyms: str | Path | Mapping[str, str] | None
        protected: str | Path | Iterable[str] | None
        numbers: str
        min_length: int
        max_length: int | None
        ngrams: Iterable[int] | None
        char_ngrams: Iterable[int] | None


@dataclass(frozen=True, init=False, repr=False)
class Analyzer:
    r"""Turns a text into the list of its terms; documents and queries share one analyzer.

    The default equals the CountVectorizer of scikit-learn on any Unicode text: lower-case, then every word of two
    or more characters. Two analyzers are equal if they have the same rules. The order of the steps is fixed: HTML,
    lower-case, accents, tokens, synonyms, numbers, lengths, stop words, stems, n-grams.

    Parameters
    ----------
    lowercase : bool
        Whether the text is lower-cased (Python's ``str.lower``) before it is split.
    tokens : str or callable
        The tokenizer: ``word2`` (words of two or more letters, digits or underscores), ``word1`` (also single
        characters and emoji), ``unicode`` (words by Unicode Standard Annex 29: ``don't``, ``3.14``), ``whitespace``,
        a regular expression whose matches (or the matches of its one group) are the tokens, or a function, itself or
        by its name in a file (``mine.py:tokens``), which takes a text and returns the tokens or their places (start,
        end).
    stop : str, Path, iterable of str or None
        Tokens to leave out: ``none``, ``sklearn``, a file with one word per line, or the words themselves; None
        leaves out nothing. They are lower-cased and folded if the text is.
    stem : str, callable or None
        The Snowball stemmer that each remaining token goes through, as PyStemmer spells it; or a function of a word,
        itself or by its name in a file (``mine.py:stem``). Only functions in a file can be saved with an index.
    html : bool
        Whether tags are removed and entities become their characters (`without_html`).
    fold_accents : bool
        Whether accents are removed from the lower-cased text (`folded`).
    cjk : bool
        Whether runs of Chinese, Japanese and Korean characters are split into pairs of neighbours (`token_places`).
    marks : bool
        Whether combining marks are part of their word, as in Unicode words, and do not end it. Text beyond ASCII is
        then normalised first: composed accents (NFC), one width, no invisible characters such as soft hyphens.
    letters : mapping of str to str
        With `marks`: replacements of single characters of the lower-cased text; of capital letters, before it is
        lower-cased.
    synonyms : str, Path, mapping of str to str, or None
        Replacements of tokens, or of several in a row, applied before all other steps: a mapping, or a file
        (`synonyms_of`). Several words are compared by their terms, and become one token at one position.
    protected : str, Path, iterable of str or None
        Tokens that are neither left out nor stemmed: a file with one word per line, or the words.
    numbers : {'keep', 'drop', 'mark'}
        Tokens that are numbers (`is_number`): kept, left out, or all replaced by ``<num>``.
    min_length, max_length : int, int or None
        Shorter and longer tokens are left out; in characters, before stemming.
    ngrams : pair of int or None
        The shortest and the longest run of neighbouring terms that is a term: (1, 2) for words and pairs of words.
    char_ngrams : pair of int or None
        The shortest and the longest run of characters within a term; these runs replace the term.

    Attributes
    ----------
    stop, protected : frozenset of str
        The words themselves.
    synonyms : tuple of (str, str)
        Each replaced word, or words with blanks between them, with its replacement, sorted.
    tokens_sha256, stem_sha256 : str
        The checksum of the file of a function; else "".
    language : str
        The language (``none`` unless `for_language` made it); for display only.
    stop_name : str
        The source of the stop words; for display only.

    Raises
    ------
    ArgumentError
        If `tokens` is a regular expression with an error or several groups, or a function that cannot be loaded; if a
        name is unknown, a value is out of range, or both `ngrams` and `char_ngrams` are given.
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
    >>> Analyzer(tokens="unicode")("Don't use C for 3.14"), Analyzer(tokens="whitespace")("C++ or C#?")
    (["don't", 'use', 'c', 'for', '3.14'], ['c++', 'or', 'c#?'])
    """

    lowercase: bool
    tokens: str | Callable[[str], Any]
    tokens_sha256: str
    stop: frozenset[str]
    stem: str | Callable[[str], str] | None
    stem_sha256: str
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
    ngrams: GramLengths | None
    char_ngrams: GramLengths | None
    language: str = field(compare=False)
    stop_name: str = field(compare=False)
    tokenizer: Tokenizer = field(compare=False)
    _rules: tuple[Rule, ...] = field(compare=False)

    def __init__(
        self,
        lowercase: bool = True,
        tokens: str | Callable[[str], Any] = WORD2,
        stop: StopWords | str | Path | Iterable[str] | None = None,
        stem: str | Callable[[str], str] | None = None,
        *,
        html: bool = False,
        fold_accents: bool = False,
        cjk: bool = False,
        marks: bool = False,
        letters: Mapping[str, str] | None = None,
        synonyms: str | Path | Mapping[str, str] | None = None,
        protected: str | Path | Iterable[str] | None = None,
        numbers: str = "keep",
        min_length: int = 1,
        max_length: int | None = None,
        ngrams: Iterable[int] | None = None,
        char_ngrams: Iterable[int] | None = None,
    ) -> None:
        from toysearch.analysis.languages import NO_STOP_WORDS, protected_words, stop_words  # an index has its words

        if letters is not None:
            expect(Mapping, letters=letters)
        replaced = tuple(sorted((letters or {}).items()))
        tokenizer = Tokenizer(tokens, lowercase, html, fold_accents, cjk, marks, replaced)
        words = NO_STOP_WORDS if stop is None else stop_words(stop)
        one_token = partial(tokenizer.word, several=_SEVERAL)
        self._set(
            tokenizer,
            stop=map(tokenizer.prepared, words.words),
            stop_name=words.name,
            stem=stem,
            stem_sha256="",
            synonyms={} if synonyms is None else synonyms_of(synonyms, one_token, tokenizer.run),
            protected=() if protected is None else protected_words(protected, tokenizer.word),
            numbers=numbers,
            min_length=min_length,
            max_length=max_length,
            ngrams=ngrams,
            char_ngrams=char_ngrams,
            language="none",
        )

    def _set(self, tokenizer: Tokenizer, **values: Any) -> None:
        """Set the fields, which are then frozen; the words are in the form of tokens."""
        check_rules(values["numbers"], values["min_length"], values["max_length"])
        stemmer: Any = None
        if is_function(values["stem"]):
            from toysearch.analysis.token_function import token_function

            function = token_function(values["stem"], values["stem_sha256"], "stems")
            stemmer, values["stem_sha256"] = function.stem, function.sha256
        elif isinstance(values["stem"], str) and values["stem"] in stemmers():
            stemmer = values["stem"]
        elif values["stem"] is not None:
            from toysearch.analysis.languages import stemmer_named

            stemmer = values["stem"] = stemmer_named(values["stem"])
        for name in ("stop", "protected"):
            values[name] = frozenset(values[name])
        for name in ("ngrams", "char_ngrams"):
            if values[name] is not None:
                values[name] = lengths_of(name, values[name])
        if values["ngrams"] and values["char_ngrams"]:
            raise ArgumentError("n-grams are made of words (ngrams) or of characters (char_ngrams), not of both")
        of_rules = {
            name: values[name] for name in ("synonyms", "protected", "numbers", "min_length", "max_length", "stop")
        }
        object.__setattr__(self, "_rules", rules_of(**of_rules, stemmer=stemmer))
        if any(" " in replaced for replaced in values["synonyms"]):
            tokenizer = replace(tokenizer, joiner=TokenJoiner(values["synonyms"], self.term))
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
        """Make the analyzer of a language: its stop words are left out, the other words are stemmed.

        Marks are part of words (`marks`), and letters with two spellings get one.

        Parameters
        ----------
        language : str
            A language that has a Snowball stemmer or a list of stop words, by its English or own name or its ISO 639-1
            code; ``chinese``, ``japanese``, ``korean`` or ``cjk``: pairs of characters, no stop words, no stemmer;
            ``none`` or ``plain``: no analysis by language.
        stop : str, Path, iterable of str or None
            Other stop words (``none``, ``sklearn``, ``lucene``, ``snowball``, ``iso``, a file, the words). Default: its
            own.
        stem : str or None
            Another stemmer, or ``none``; None: that of the language.
        **options
            Further arguments of `Analyzer`.

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
        from toysearch.analysis.languages import CJK, LETTERS, UNSTEMMED, default_list, language_named, stop_words

        language = language_named(language)
        words = stop_words(default_list(language) if stop is None else stop, language)
        if stem is None and language not in (*CJK, *UNSTEMMED):
            stem = language
        options.setdefault("cjk", language in CJK and not is_function(options.get("tokens")))
        if language != "none":
            options.setdefault("marks", True)
            options.setdefault("letters", LETTERS.get(language, {}))
        analyzer = cls(stop=words, stem=stem, **options)
        object.__setattr__(analyzer, "language", language)
        return analyzer

    @classmethod
    def of(cls, given: AnalyzerLike) -> Analyzer:
        """Return the analyzer itself, the one that a string describes, or that of a function from texts to terms.

        >>> Analyzer.of("english:stem=porter")("running cats"), Analyzer.of(str.split)("Running CATS")
        (['run', 'cat'], ['Running', 'CATS'])
        """
        if isinstance(given, str):
            return cls.parse(given)
        return given if isinstance(given, Analyzer) else cls(lowercase=False, tokens=given)

    @classmethod
    def parse(cls, text: str) -> Analyzer:
        """Make the analyzer that a string describes, such as ``english:stem=porter,ngrams=1-2``, the inverse of `str`.

        Parameters
        ----------
        text : str
            A language (or ``plain``), then the differences from its usual analysis: ``html``, ``fold_accents``, ``cjk``
            and ``marks`` alone or with ``=no``; ``tokens``, ``stop``, ``stem``, ``synonyms``, ``protected``,
            ``numbers``, ``min_length``, ``max_length``, ``ngrams``, ``char_ngrams`` with a value, as in `for_language`.
            Ranges are written 1-2, and several protected words one+two.

        Raises
        ------
        ArgumentError
            If the string is malformed, or a name or a value is unknown.
        DataError
            If a file that it names cannot be read.

        Examples
        --------
        >>> Analyzer.parse("english:stem=none,ngrams=1-2")("the train station")
        ['train', 'station', 'train station']
        >>> str(Analyzer.parse("english:html"))
        'english:html,stop=sklearn,stem=english'
        """
        expect(str, text=text)
        from toysearch.analysis.analyzer_text import parsed  # an opened index has a description

        language, options = parsed(text)
        return cls.for_language(language, **options)

    def __call__(self, text: str) -> list[str]:
        """Analyze a text into its terms, in its order, with repetitions."""
        if not isinstance(text, str):
            raise ArgumentError(f"an analyzer takes a text, not {a(text)}")
        return self.terms(self.tokenizer(text))

    def terms(self, tokens: list[str]) -> list[str]:
        """Return the terms of the tokens of a text, in their order."""
        if self._rules:
            tokens = [term for term in map(self.term, tokens) if term is not None]
        return self.grams(tokens) if self.makes_grams else tokens

    def term(self, token: str) -> str | None:
        """Return the term of a token, which depends on the token alone; None if it is left out."""
        for rule in self._rules:
            changed = rule.apply(token)
            if changed is None:
                return None
            token = changed
        return token

    @property
    def keeps_tokens(self) -> bool:
        """True if every token is its own term: none is left out, replaced, stemmed or joined."""
        return not (self._rules or self.makes_grams)

    @property
    def needs_texts(self) -> str:
        """Reason why the terms of a text do not follow from the counts of its words in lower case; "" if they do."""
        from toysearch.analysis.analyzer_text import spelt

        reasons = {
            f"the tokenizer {spelt(self.tokens)} splits texts otherwise than word1 and word2": (
                self.tokens not in (WORD1, WORD2)
            ),
            "n-grams of words need their order": self.ngrams,
            "synonyms of several words need their order": self.tokenizer.joiner,
            "html takes markup out of texts": self.html,
            "cjk takes pairs of characters out of texts": self.cjk,
            "an analyzer without lowercase needs the capital letters": not self.lowercase,
            f"{self.language} has its own lower case": self.tokenizer.capitals,
        }
        return next((reason for reason, applies in reasons.items() if applies), "")

    @property
    def makes_grams(self) -> bool:
        """True if terms become n-grams; if not, each term comes from one token."""
        return bool(self.ngrams or self.char_ngrams)

    def grams(self, terms: list[str]) -> list[str]:
        """Return the n-grams of the terms of a text; the terms themselves without n-grams."""
        if self.ngrams:
            return word_ngrams(terms, self.ngrams)
        if self.char_ngrams:
            lengths = self.char_ngrams
            return list(chain.from_iterable(char_ngrams(term, lengths) for term in terms))
        return terms

    def steps(self, text: str) -> list[Step]:
        """Analyze a text and each of its tokens step by step.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of Step
            The steps of the analyzer in order: ``HTML taken out``, ``one spelling`` (if it changes the text) and
            ``accents folded``, each with the whole text as its only token; then one aligned column per step: ``words``
            (if some of them are not tokens), ``tokens``, ``synonyms``, ``numbers``, ``lengths``, ``stop words``,
            ``stems`` (None: left out); and ``n-grams``, a separate list.

        Examples
        --------
        >>> for step in Analyzer(stop=["the"], stem="english").steps("The cats"):
        ...     print(step.name, step.tokens)
        tokens ['the', 'cats']
        stop words [None, 'cats']
        stems [None, 'cat']
        """
        expect(str, text=text)
        steps = [Step(name, [changed]) for name, changed in self.tokenizer.stages(text)]
        words, tokens, joined = self.tokenizer.aligned(text)
        steps += [Step("words", [*words])] if None in tokens else []
        steps.append(Step("tokens", tokens))
        outcome = [[*outcomes(self._rules, token)] for token in joined]
        steps += [Step(rule.name, [tokens[at] for tokens in outcome]) for at, rule in enumerate(self._rules)]
        if self.makes_grams:
            steps.append(Step("n-grams", list(self(text))))
        return steps

    def left_out(self, text: str) -> str:
        """List the words of a text that are not terms, with the reasons; "" if there are none.

        Parameters
        ----------
        text : str
            Any text.

        Examples
        --------
        >>> Analyzer.for_language("english").left_out("The R")
        "'the' is on the list of stop words (sklearn); 'r' is too short (tokens=word1 keeps single characters)"
        >>> Analyzer().left_out("?!")
        ''
        """
        from toysearch.analysis.left_out_words import left_out  # most texts are only analysed

        expect(str, text=text)
        return left_out(text, self)

    def to_dict(self) -> dict[str, Any]:
        """Describe the analyzer for JSON, with the words of all lists, sorted.

        Raises
        ------
        ArgumentError
            If the analyzer has a function that is not in a file.
        """
        values = self._values()
        for name in filter(lambda name: callable(values[name]), _FUNCTIONS):
            from toysearch.analysis.analyzer_text import spelt

            raise ArgumentError(
                f"the {_FUNCTIONS[name]} come from {spelt(values[name])}, which only this process knows, so the "
                f"analyzer cannot be saved; put the function in a file and name it: {name}='mine.py:{name}'"
            )
        return description_of(values)

    def _values(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in (*ALWAYS, *SOMETIMES)}
        for name in ("stop", "protected"):
            values[name] = sorted(values[name])
        for name in ("ngrams", "char_ngrams"):
            values[name] = values[name] and list(values[name])
        return values | {"synonyms": dict(self.synonyms), "letters": dict(self.letters)}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Analyzer:
        """Make the analyzer that `to_dict` described.

        Parameters
        ----------
        description : mapping
            The result of `to_dict`, read back from JSON. Missing options have their defaults.

        Raises
        ------
        DataError
            If the description lacks a key, has an unknown key, or a value of the wrong type.
        ArgumentError
            If this PyStemmer lacks the stemmer, the pattern is not a regular expression, a function is missing or has
            changed, or a value is out of range.

        Examples
        --------
        >>> Analyzer.from_dict(Analyzer().to_dict()) == Analyzer()
        True
        """
        expect(Mapping, description=description)
        values = checked_description(description)
        of_tokenizer = {name: values.pop(name) for name in _OF_TOKENIZER}
        of_tokenizer["letters"] = tuple(sorted(of_tokenizer["letters"].items()))
        analyzer = cls.__new__(cls)
        analyzer._set(Tokenizer(**of_tokenizer), **values)
        return analyzer

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Any]], Analyzer], tuple[dict[str, Any]]]:
        return type(self).from_dict, (description_of(self._values()),)

    def __str__(self) -> str:
        from toysearch.analysis.analyzer_text import analyzer_spec

        values = self._values()
        return analyzer_spec(values, description_of(values))

    def __repr__(self) -> str:
        return f"<Analyzer {self}>"


AnalyzerLike = Analyzer | str | Callable[[str], Any]
"""Analyzer, its text such as ``english:stem=porter``, or a function that makes terms of a text."""
