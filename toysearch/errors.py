"""What can go wrong, said in one sentence: what was found and where, what was expected, what to do."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from toysearch.wording import sentence

_MOST_LISTED = 100  # names; more are no help
_MOST_BESIDE_A_GUESS = 20  # names that are listed behind a guess, which most often is right
_NEAR = 0.6  # the similarity from which on a name is a guess


class ToysearchError(Exception):
    """Every error that toysearch raises on purpose; the command line prints it and exits with 2.

    Its text is one line of bounded length without control characters, whatever it quotes from a file; and below it
    one such line for each detail, where there are several things to mend.
    """

    def __init__(self, message: object = "", details: Iterable[str] = ()) -> None:
        super().__init__("\n  ".join(map(sentence, (str(message), *details))))


class DataError(ToysearchError, ValueError):
    """A file, a record or a collection is not what it should be."""


class MissingFiles(DataError):
    """The files of a collection that the catalog knows are nowhere, but can be fetched.

    Parameters
    ----------
    collection : str
        Its name.
    message : str
        The sentence.
    """

    def __init__(self, collection: str, message: str) -> None:
        super().__init__(message)
        self.collection = collection


class ArgumentError(ToysearchError, ValueError):
    """A name is unknown, or a value is not one that the named thing takes."""


class ModelError(ToysearchError, ValueError):
    """A ranking model breaks its contract: not elementwise, not finite, or of the wrong shape."""


class StorageError(ToysearchError):
    """An index folder cannot be read or written: damaged, foreign, newer, or no room left."""


class ToysearchNote(UserWarning):
    """Something the user should know that is no error; the command line prints it on stderr."""


def note(message: str) -> None:
    """Tell the user something that is no error (a Python warning; a line on stderr in the command line)."""
    warnings.warn(sentence(message), ToysearchNote, stacklevel=2)


@contextmanager
def without_notes() -> Iterator[None]:
    """Where notes tell the user nothing new, and are not shown.

    Examples
    --------
    >>> with without_notes():
    ...     note("Nobody sees this.")
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToysearchNote)
        yield


def malformed(path: str | Path, line: int, problem: str) -> DataError:
    """The error for a line of a file.

    Parameters
    ----------
    path : str or Path
        The file.
    line : int
        The line's number, from 1.
    problem : str
        What was found, what was expected, and what to do.

    Examples
    --------
    >>> str(malformed("qrels.txt", 17, "expected 4 columns, found 2: '1 184'"))
    "qrels.txt:17: expected 4 columns, found 2: '1 184'"
    """
    return DataError(f"{path}:{line}: {problem}")


def unknown(kind: str, name: str, choices: Iterable[str], plural: str | None = None) -> ArgumentError:
    """The error for a name that is not among the choices: with the nearest right one, or with those there are.

    A long list is not shown behind a guess.

    Parameters
    ----------
    kind : str
        What the name names, in the singular.
    name : str
        The name that was given.
    choices : iterable of str
        All names that exist, in the order in which to list them.
    plural : str, optional
        The plural of `kind`; by default an s is added.

    Examples
    --------
    >>> str(unknown("model", "bm52", ["bm25", "tfidf"]))
    "unknown model 'bm52'; did you mean 'bm25'? Models: bm25, tfidf"
    >>> str(unknown("query", "999", ["9", "10"], "queries"))
    "unknown query '999'. Queries: 9, 10"
    """
    known = list(choices)
    guess = _nearest(name, known)
    hint = f"; did you mean '{guess}'?" if guess else "."
    if guess and len(known) > _MOST_BESIDE_A_GUESS:
        return ArgumentError(f"unknown {kind} '{name}'{hint}")
    listed = (plural or f"{kind}s").capitalize()
    shown = ", ".join(known) if len(known) <= _MOST_LISTED else f"{', '.join(known[:10])}, … ({len(known)} in all)"
    return ArgumentError(f"unknown {kind} '{name}'{hint} {listed}: {shown}")


def near_name(name: str, choices: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: "; did you mean 'log'?", or nothing where no choice is near.

    Parameters
    ----------
    name : str
        The name that was given.
    choices : iterable of str
        All names that exist.

    Examples
    --------
    >>> near_name("lgo", ["exp", "log"])
    "; did you mean 'log'?"
    """
    guess = _nearest(name, list(choices))
    return f"; did you mean '{guess}'?" if guess else ""


def _nearest(name: str, choices: list[str]) -> str | None:
    """The choice that a name most probably means; None where none is near, and for numbers, which are never near."""
    lowered = {choice.lower(): choice for choice in reversed(choices)}
    asked = name.lower()
    if asked in lowered or asked.isdigit():
        return lowered.get(asked)
    begun = [low for low in reversed(lowered) if asked and low.startswith(asked) and len(low) <= len(asked) + 3]
    turned = [low for low in reversed(lowered) if sorted(low) == sorted(asked)]  # two letters in the other order
    near = begun or turned or difflib.get_close_matches(asked, lowered, n=1, cutoff=_NEAR)
    return lowered[near[0]] if near else None


def a(value: object) -> str:
    """The type of a value, with its article, for a message.

    Examples
    --------
    >>> a(3), a({})
    ('an int', 'a dict')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def expect(value: object, kind: type, name: str) -> None:
    """Refuse an argument of another kind, in a sentence.

    Parameters
    ----------
    value : object
        What was given.
    kind : type
        What is expected.
    name : str
        What the argument is called.

    Raises
    ------
    ArgumentError
        If it is not of that kind.

    Examples
    --------
    >>> expect("a text", str, "text")
    >>> expect(3, str, "text")
    Traceback (most recent call last):
    toysearch.errors.ArgumentError: text must be a str, not an int
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0].lower() in "aeiou" else "a"
        raise ArgumentError(f"{name} must be {article} {kind.__name__}, not {a(value)}")
