"""Collections made by chance, from a seed: with relevance that the words explain, or that nothing explains."""

from pathlib import Path

import numpy as np

import toysearch
from toysearch import Collection, Document, Qrels, Query

WORDS = [f"w{number}" for number in range(40)]


def collection(
    seed: int, n_docs: int = 60, n_queries: int = 20, *, relevant: int = 5, by_words: bool = False
) -> Collection:
    """Documents of words drawn by Zipf's law; relevant are some at random, or those with most of the query's words."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(WORDS) + 1)
    chances /= chances.sum()
    texts = [list(rng.choice(WORDS, rng.integers(3, 40), p=chances)) for _ in range(n_docs)]
    queries = [list(rng.choice(WORDS, 3)) for _ in range(n_queries)]
    qrels = {}
    for number, words in enumerate(queries):
        chosen = rng.choice(n_docs, relevant, replace=False)
        if by_words:
            share = [sum(text.count(word) for word in words) / len(text) for text in texts]
            chosen = np.argsort(np.array(share) * rng.uniform(0.5, 1, n_docs))[-relevant:]
        qrels[str(number)] = {f"d{doc}": 1 for doc in chosen}
    return Collection(
        f"noise{seed}",
        [Document(f"d{number}", " ".join(text)) for number, text in enumerate(texts)],
        [Query(str(number), " ".join(words)) for number, words in enumerate(queries)],
        Qrels.from_dict(qrels),
    )


def write(made: Collection, folder: Path) -> Path:
    """The same as a BEIR folder."""
    toysearch.convert(made, to="beir", folder=folder)
    return folder
