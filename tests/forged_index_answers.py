"""What an index is asked that somebody has forged, and whether it answers as it may: with an answer or a sentence.

As a program it tries a range of numbers, and prints a line before each and one after it: a case that ends the process
is known by its number.
"""

import faulthandler
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import shell
from chosen_way import way
from forged_indexes import TOPICS, WORDS, forge

import toysearch
from toysearch import Index, Searcher, ToysearchError, ToysearchNote
from toysearch.base.plain_or_compiled import LOOPS
from toysearch.index import checksums, file_layout, posting_blocks
from toysearch.index.content_checks import check_index
from toysearch.index.index_change import change_index
from toysearch.workbench.vectors.similar_terms import similar_terms

QUERIES = {"1": "w0", "2": "w0 w1 w2 the", "3": "cat w29", "4": " ".join(WORDS), "5": "w3 w3 w1", "6": "w0 w28 猫"}
JOINED = {"7": "w0 AND w1", "8": "cat AND w2 AND w0", "9": "w1* AND NOT w3"}
PHRASES = {"1": '"w0 w1"', "2": '"w1 w0 w2"~9', "3": '"cat w29"'}
NEW = {"new": "w0 w1 fresh the", "two": "cat"}
OTHERS = ("cosine", "lm-dirichlet", "smart:lnu.ltc", "bm25f")  # one of them is asked of each case
SECONDS = 300  # of the processor for one case; the slowest takes about one
PAGED = 300  # bytes from which on files are large, if the sound indexes were saved so
GROUP = 8  # terms in a group then
BYTES = 16 << 30  # of address space; a case needs two at the most

Question = Callable[[], object]


def _ranked(folder: Path, model: str, chosen: str) -> list[tuple[Any, ...]]:
    """The runs of a model on one path."""
    with way(chosen):
        searcher = Searcher(Index.open(folder), model)
        runs = [searcher.run(QUERIES, k, threads=1) for k in (1, 10, None)]
        runs.append(searcher.run(JOINED, 1, query_mode="strict", threads=1))
        return [(hit.query_id, hit.doc_id, hit.score) for run in runs for hit in run]


def _near(folder: Path, chosen: str) -> list[Any]:
    """What is near a document and a term among the latent topics, and why."""
    with way(chosen):
        index, model = Index.open(folder), f"lsa:{TOPICS}"
        why = toysearch.explain(Searcher(index, model), "w0 w1", index.doc_ids[0])
        return [str(why), list(toysearch.similar(index, index.doc_ids[0], model)), similar_terms(index, "w0", model)]


def _postings(folder: Path, chosen: str) -> None:
    """All postings, one by one and together."""
    with way(chosen):
        index = Index.open(folder)
        docs, tf = index.docs(), index.tf()
        assert docs.size == tf.size == index.stats.n_postings
        assert docs.min(initial=0) >= 0
        assert docs.max(initial=0) < index.stats.N
        assert tf.min(initial=1) >= 1
        index.vector(index.doc_ids[0])
        if index.position_blocks:
            index.position_blocks.decoded()
            Searcher(index).run(PHRASES, query_mode="strict")
            index.positions("w0", index.doc_ids[0])


def _changed(folder: Path, change: Callable[[Index], Index], chosen: str, save: bool) -> None:
    """Change the index, or a copy of its folder; if that is refused, the copy is as it was."""
    with way(chosen), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as other:
        if not save:
            change(Index.open(folder))
            return
        copy = Path(shutil.copytree(folder, Path(other, "copy"), copy_function=os.link))
        try:
            change_index(copy, change)
        except ToysearchError:
            assert sorted(path.name for path in copy.iterdir()) == sorted(path.name for path in folder.iterdir())
            raise


def _shown(*arguments: object) -> None:
    """What a command prints: an answer, or a sentence and exit code 2."""
    result = shell.run("show", *arguments)
    if result.exit_code not in (0, 2):
        raise result.exception or AssertionError(result.output)
    if result.exit_code and not (result.stderr.startswith("toysearch: ") and result.stderr.count("\n") <= 2):
        raise AssertionError(result.stderr)


def _texts(folder: Path) -> None:
    """All strings of an index."""
    index = Index.open(folder)
    for strings in (index.doc_ids, index.terms, index.titles, index.texts):
        list(strings or ())
    index.doc_number(index.doc_ids[-1])


def questions(folder: Path, number: int, only_compiled: bool = False) -> Iterator[tuple[str, Question]]:
    """What an index is asked, by name; each opens the index, as another process would."""
    for chosen in ("plain", "compiled")[only_compiled:]:
        topics = any(folder.glob("latent*"))
        for model in ("bm25", f"lsa:{TOPICS}", f"rrf(bm25, lsa:{TOPICS})") if topics else ("bm25", OTHERS[number % 4]):
            yield f"{chosen} {model}", partial(_ranked, folder, model, chosen)
        if topics:
            yield f"{chosen} near", partial(_near, folder, chosen)
        yield f"{chosen} postings", partial(_postings, folder, chosen)
    yield "check", partial(check_index, folder)
    for chosen in ("plain", "compiled")[only_compiled:]:
        yield f"{chosen} add", partial(_changed, folder, lambda index: index.add(NEW), chosen, number % 10 == 3)
        delete = partial(_changed, folder, lambda index: index.delete([index.doc_ids[0]]), chosen, number % 10 == 7)
        yield f"{chosen} delete", delete
    if only_compiled:
        return
    yield "texts", partial(_texts, folder)
    yield "show", partial(_shown, folder)
    yield "show --term", partial(_shown, folder, "--term", "w0")
    yield "show --doc", partial(_shown, folder, "--doc", "1")


def _answer(ask: Question) -> tuple[object, str]:
    """The answer to a question, and what is wrong with the way it was given; "" if nothing is."""
    outside: list[str] = []  # loops that check every bound say so here, or raise an IndexError
    sys.unraisablehook = lambda raised: outside.append(f"{raised.exc_value} in {raised.object}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ToysearchNote)
            answer, problem = ask(), ""
    except ToysearchError as error:
        answer, problem = str(error), "" if "\n" not in str(error) else f"several lines: {error}"
        if isinstance(error.__cause__, IndexError):
            problem = _where(error.__cause__)
    except Exception as error:
        answer, problem = None, _where(error)
    return answer, f"outside of an array: {outside[0]}" if outside else problem


def _where(error: BaseException) -> str:
    """An exception, and the lines that led to it."""
    steps = traceback.extract_tb(error.__traceback__)[-4:]
    return f"{type(error).__name__}: {error} at " + " < ".join(
        f"{Path(s.filename).name}:{s.lineno}" for s in steps[::-1]
    )


def tried(sound: Path, folder: Path, number: int, only_compiled: bool = False) -> dict[str, Any]:
    """Forge an index, ask it, and say what is wrong; and whether wrong checksums go with another ranking, unnoticed."""
    name, right = forge(sound, folder, number)
    found, silent, answered = [], False, 0
    for asked, ask in questions(folder, number, only_compiled):
        answer, problem = _answer(ask)
        if problem:
            found.append(f"{asked} of {name}: {problem}")
        answered += not problem and not isinstance(answer, str)
        if asked == "check" and not right and not answer:
            found.append(f"check of {name}: wrong checksums are not found")
        if not right and asked.endswith("bm25") and not isinstance(answer, str):
            silent |= answer != _answer(partial(_ranked, sound / name, "bm25", "plain"))[0]
    return {"case": number, "right": right, "silent": silent, "answered": answered, "found": found}


def limit(seconds: int) -> None:
    """End a process that works for so long, and say where it is; on a busy machine it has the same time."""
    if sys.platform == "win32":
        faulthandler.dump_traceback_later(seconds, exit=True)
    else:
        faulthandler.register(signal.SIGPROF, chain=True)  # whose own effect is to end the process
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main() -> None:
    """Try cases: the folder of the sound indexes, the first number, the one after the last."""
    sound, start, stop = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for option in sys.argv[4:]:
        if option.startswith("--loops="):  # the folder of those that are asked
            assert not {f"toysearch.compiled.{loop}" for loop in LOOPS} & {*sys.modules}
            importlib.import_module("toysearch.compiled").__path__.insert(0, option.removeprefix("--loops="))
    if "--paged" in sys.argv:
        checksums._LARGE = PAGED
        posting_blocks.GROUP = file_layout.GROUP = GROUP
    if sys.platform != "win32" and "asan" not in os.environ.get("LD_PRELOAD", ""):  # it has a map of all addresses
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    for number in range(start, stop):
        print(number, flush=True)
        limit(SECONDS)
        # Windows removes no file that is still mapped: what remains goes with the folder of the test.
        with tempfile.TemporaryDirectory(dir=sound.parent, ignore_cleanup_errors=True) as folder:
            print(json.dumps(tried(sound, Path(folder, "forged"), number, "--compiled" in sys.argv)), flush=True)


if __name__ == "__main__":
    main()
