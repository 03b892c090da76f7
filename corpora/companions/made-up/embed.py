"""Vectors of texts beside vectors.npy: for `--model dense:companions`."""

from functools import cache
from pathlib import Path

import numpy as np

import toysearch
from toysearch.base import without_notes


@cache
def documents():
    """The searched documents, and their vectors of length 1."""
    matrix = np.load(Path(__file__).with_name("vectors.npy")).astype(float)
    return toysearch.Searcher(toysearch.load("companions"), "tfidf"), matrix / np.linalg.norm(matrix, axis=1)[:, None]


def embed(text):
    """The sum of the vectors of the documents with a word of the text, each times its score under tfidf."""
    searcher, vectors = documents()
    with without_notes():
        ranking = searcher.search(text, None, query_mode="plain")
    numbers = [searcher.index.doc_number(doc_id) for doc_id in ranking.doc_ids]
    return ranking.scores @ vectors[numbers] if numbers else np.zeros(vectors.shape[1])
