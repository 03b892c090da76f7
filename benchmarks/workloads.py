"""What is measured on: seeded collections, queries and runs, written as files into a cache folder.

    python benchmarks/workloads.py synthetic [--documents 1000000] [--tokens 55] [--cache FOLDER]
    python benchmarks/workloads.py evaluation [--queries 1000] [--depth 1000] [--cache FOLDER]

Synthetic documents are made of a million invented words whose frequencies follow the law of Zipf and Mandelbrot, their
lengths are log-normal; a capital letter and a full stop now and then, and accents in some words, keep a scanner from
taking everything for lower-case ASCII. Documents come in blocks, each with a seed of its own, so that the first
documents of a larger collection are those of a smaller one. What is there already is not made again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from plan import evaluation_name, synthetic_name, user_cache
from processes import Unavailable

VOCABULARY = 1_000_000
BLOCK = 20_000  # documents
QUERIES = 1_000
SYLLABLES = np.array([c + v for c in "bcdfghjklmnprstvwxyz" for v in "aeiou"])
ACCENTED = {"fo": "fö", "ne": "né"}
RARE = (0.0001, 0.03)
"""What part of the documents holds a word of the rare queries."""
FREQUENT = 200
"""How many words count as the most frequent ones."""


@cache
def vocabulary() -> np.ndarray:
    """The words by falling frequency, all different; frequent ones are short, as in any language."""
    rng = np.random.default_rng(20)
    syllables = np.array([ACCENTED.get(syllable, syllable) for syllable in SYLLABLES.tolist()])
    words, total = [], len(syllables)
    for length, count in ((2, 120), (3, 20_000), (4, VOCABULARY - 20_120)):
        numbers = rng.choice(total**length, count, replace=False)
        made = syllables[numbers % total]
        for _ in range(length - 1):
            numbers = numbers // total
            made = np.char.add(made, syllables[numbers % total])
        words.append(made)
    return np.concatenate(words)


@cache
def probabilities() -> np.ndarray:
    """How probable each word is: 1 / (rank + 2.7), the law of Zipf and Mandelbrot."""
    weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7)
    return weights / weights.sum()


@cache
def _forms() -> np.ndarray:
    """The words as they are, then with a capital letter, then with a full stop."""
    words = vocabulary()
    return np.concatenate([words, np.char.capitalize(words), np.char.add(words, ".")]).astype(object)


@cache
def _cumulated() -> np.ndarray:
    return probabilities().cumsum()


def documents(n: int, seed: int = 0, tokens: int = 55) -> Iterator[tuple[str, str]]:
    """The doc_id and the text of n documents.

    Parameters
    ----------
    n : int
        How many.
    seed : int
        Another seed gives other documents.
    tokens : int
        How many a document has in the mean.
    """
    # A block has about a million tokens, whatever the length of its documents.
    block = max(1, BLOCK * 55 // tokens)
    for start in range(0, n, block):
        rng = np.random.default_rng([seed, tokens, start])
        lengths = np.maximum(1, rng.lognormal(np.log(tokens) - 0.125, 0.5, block).round().astype(np.int64))
        ends = lengths.cumsum()
        words = np.searchsorted(_cumulated(), rng.random(int(ends[-1])), side="right")
        np.minimum(words, VOCABULARY - 1, out=words)
        form = np.searchsorted([0.86, 0.93], rng.random(len(words)), side="right")
        text = _forms()[words + form * VOCABULARY].tolist()
        begin = 0
        # The block is drawn whole, whatever is wanted of it: its documents depend on nothing else.
        for number, end in enumerate(ends[: n - start].tolist(), start + 1):
            yield f"d{number:07}", " ".join(text[begin:end])
            begin = end


def queries(kind: str, words: np.ndarray, held: np.ndarray, seed: int = 0) -> Iterator[tuple[str, str]]:
    """The query_id and the text of 1,000 queries of 3 to 8 words.

    The words of rare queries are drawn by their document frequency, evenly in its logarithm between 0.01% and 3% of
    the documents. In mixed ones half of the words are of the 200 most frequent. Words with accents or
    underscores are left out: other tokenizers would cut them in two.

    Parameters
    ----------
    kind : {'rare', 'mix'}
        Without frequent words or with them.
    words : ndarray of str
        The words by falling document frequency.
    held : ndarray of float64
        The part of the documents that holds each word.
    seed : int
        Another seed gives other queries.
    """
    rng, rarer = np.random.default_rng([seed, len(words), ("rare", "mix").index(kind)]), -held
    for number, length in enumerate(rng.integers(3, 9, QUERIES).tolist(), 1):
        frequent = length // 2 if kind == "mix" else 0
        yield f"{kind}{number:05}", _query(rng, length, frequent, words, rarer)


def _query(rng: np.random.Generator, length: int, frequent: int, words: np.ndarray, rarer: np.ndarray) -> str:
    """A query of so many different words, so many of them frequent."""
    least, most = np.log(RARE)
    chosen: dict[str, None] = {}
    while len(chosen) < length:
        if len(chosen) < frequent:
            rank = int(rng.integers(FREQUENT))
        else:
            # Words of the same document frequency stand side by side: one of those near to the rank that is drawn.
            rank = int(np.searchsorted(rarer, -np.exp(rng.uniform(least, most))))
            rank = min(len(words) - 1, int(rng.integers(rank, rank + rank // 50 + 1)))
        if words[rank].isascii() and words[rank].isalnum():
            chosen[words[rank]] = None
    return " ".join(rng.permutation(list(chosen)).tolist())


def write_lines(path: Path, records: Iterator[tuple[str, str]]) -> None:
    """Write records as JSON Lines with BEIR's keys; the file appears when it is whole."""
    part = path.with_name(path.name + ".part")
    with open(part, "w", encoding="utf-8") as file:
        for record_id, text in records:
            file.write(f'{{"_id": "{record_id}", "text": {json.dumps(text, ensure_ascii=False)}}}\n')
    part.replace(path)


def _written(folder: Path, name: str, records: Callable[[], Iterator[tuple[str, str]]]) -> None:
    """Write a file of records where it is not there yet."""
    if not (folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_lines(folder / name, records())


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def synthetic(cache: Path, n: int, tokens: int = 55, seed: int = 0) -> Path:
    """The folder of a synthetic collection (corpus.jsonl, rare.jsonl, mix.jsonl), made if it is not there."""
    folder = cache / synthetic_name(n, tokens)
    _written(folder, "corpus.jsonl", lambda: documents(n, seed, tokens))
    for kind in ("rare", "mix"):
        held = -np.expm1(-tokens * probabilities())  # what is expected; it falls with the rank
        _written(folder, f"{kind}.jsonl", lambda kind=kind, held=held: queries(kind, vocabulary(), held, seed))
    return folder


def packages(cache: Path) -> Path:
    """The folder of the descriptions of Debian's packages, fetched by apt into the cache; queries as for the others.

    Raises
    ------
    Unavailable
        If there is no apt or it fetches no descriptions.
    """
    folder = cache / "packages"
    _written(folder, "corpus.jsonl", lambda: iter(descriptions(_translations(cache / "apt")).items()))
    if not all((folder / f"{kind}.jsonl").exists() for kind in ("rare", "mix")):
        with open(folder / "corpus.jsonl", encoding="utf-8") as file:
            texts = [json.loads(line)["text"] for line in file]
        df = Counter(word for text in texts for word in set(re.findall(r"\w\w+", text.lower())))
        words = sorted(df, key=lambda word: (-df[word], word))
        held = np.array([df[word] for word in words]) / len(texts)
        for kind in ("rare", "mix"):
            _written(folder, f"{kind}.jsonl", lambda kind=kind: queries(kind, np.array(words), held))
    return folder


def _translations(folder: Path) -> str:
    """The file of descriptions in English of the Debian release that this machine has its packages from."""
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    options = {"Dir::State::Lists": lists, "Dir::Cache": folder, "Acquire::Languages": "en"}
    command = ["apt-get", "update", "--quiet", *(f"--option={name}={value}" for name, value in options.items())]
    try:
        subprocess.run(command, check=True, capture_output=True)
        # Apt keeps the lists compressed in one of several ways, and has a tool that reads them all.
        found = max(lists.glob("*_i18n_Translation-en*"), key=lambda path: path.stat().st_size)
        read = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", found], check=True, capture_output=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"no package descriptions: apt-get gives none here ({error})") from None
    return read.stdout.decode()


def descriptions(translations: str) -> dict[str, str]:
    """The description of each package, the first one where it has several versions, from apt's file of them."""
    found: dict[str, str] = {}
    for entry in translations.split("\n\n"):
        package, _, text = entry.partition("\nDescription-en: ")
        if text:
            lines = ("" if line == " ." else line.strip() for line in text.split("\n"))
            name = package.partition("Package: ")[2].partition("\n")[0]
            found.setdefault(name, "\n".join(lines).strip())
    return found


def cranfield(cache: Path) -> Path:
    """The folder of Cranfield in JSON Lines, with its 225 queries and its judgments in TREC's format (qrels).

    Raises
    ------
    Unavailable
        If its files are not on this machine.
    """
    import toysearch

    try:
        collection = toysearch.load("cranfield")
        texts, queries = collection.documents.texts, collection.queries
    except toysearch.ToysearchError as error:
        raise Unavailable(f"no Cranfield: {error}") from None
    folder = cache / "cranfield"
    _written(folder, "corpus.jsonl", lambda: zip(collection.documents.doc_ids, texts, strict=True))
    _written(folder, "queries.jsonl", lambda: zip(queries.query_ids, queries.texts, strict=True))
    toysearch.write_qrels(collection.qrels, folder / "qrels")
    return folder


def evaluation(cache: Path, n_queries: int, depth: int = 1000) -> Path:
    """The folder of a TREC run and judgments (run, qrels): scores with ties, 200 judged a query, a tenth relevant."""
    folder = cache / evaluation_name(n_queries, depth)
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "run").exists():
        return folder
    rng, part = np.random.default_rng(0), folder / "run.part"
    ranks = range(1, depth + 1)
    with open(part, "w") as run, open(folder / "qrels", "w") as qrels:
        for query_id in range(1, n_queries + 1):
            doc_ids = rng.choice(1_700_000, depth, replace=False)
            scores = np.sort(rng.gamma(2.0, 4.0, depth).round(3))[::-1]
            run.writelines(
                f"{query_id} Q0 doc{doc_id:07} {rank} {score} bench\n"
                for doc_id, rank, score in zip(doc_ids.tolist(), ranks, scores.tolist(), strict=True)
            )
            judged = rng.choice(doc_ids, min(depth, 200), replace=False).tolist()
            grades = (rng.random(len(judged)) < 0.1).astype(int).tolist()
            qrels.writelines(
                f"{query_id} 0 doc{doc_id:07} {grade}\n" for doc_id, grade in zip(judged, grades, strict=True)
            )
    part.replace(folder / "run")
    return folder


def main() -> None:
    """Make one workload and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", choices=["synthetic", "packages", "cranfield", "evaluation"])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--tokens", type=int, default=55, help="mean length of a document")
    parser.add_argument("--queries", type=int, default=1_000, help="of the run to be evaluated")
    parser.add_argument("--depth", type=int, default=1_000, help="of the run to be evaluated")
    parser.add_argument("--cache", type=Path, help="where to write; default: the user's cache")
    arguments = parser.parse_args()
    cache, started = arguments.cache or user_cache(), time.perf_counter()
    make: dict[str, Callable[[], Path]] = {
        "synthetic": lambda: synthetic(cache, arguments.documents, arguments.tokens),
        "packages": lambda: packages(cache),
        "cranfield": lambda: cranfield(cache),
        "evaluation": lambda: evaluation(cache, arguments.queries, arguments.depth),
    }
    try:
        made = make[arguments.workload]()
    except Unavailable as error:
        raise SystemExit(str(error)) from None
    for path in sorted(made.iterdir()):
        print(f"{path}\t{path.stat().st_size / 1e6:.1f} MB\tSHA-256 {checksum(path)[:16]}")
    print(f"{time.perf_counter() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
