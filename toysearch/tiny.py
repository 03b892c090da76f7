"""The whole idea in one file: a search engine and its evaluation, in plain Python.

A text becomes terms, terms become postings, a model turns postings into scores, the best documents make a ranking, and
judgments turn rankings into values. The rest of this package is the same, made fast, and gives the same numbers.

    python tiny.py FOLDER "removing a tick"     # the best documents for a query
    python tiny.py FOLDER                       # every model, evaluated

FOLDER holds corpus.jsonl, queries.jsonl and qrels/test.tsv, as corpora/companions does.
"""

import json
import math
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

# Text → terms


def terms_of(text):
    """The words of at least two characters, in lower case.

    >>> terms_of("How to train a cat")
    ['how', 'to', 'train', 'cat']
    """
    return re.findall(r"\b\w\w+\b", text.lower())


# Terms → postings


class Index:
    """Where each term occurs, and how often; the lengths of the documents.

    >>> index = Index({"d1": "a cat and a dog", "d2": "cat, cat, cat"})
    >>> index.postings["cat"]
    {0: 1, 1: 3}
    """

    def __init__(self, documents):
        self.doc_ids = list(documents)
        self.postings = {}  # term → {number of a document: tf, how often the term is in it}
        self.lengths = []  # dl: the terms of each document, counted with repetitions
        for number, text in enumerate(documents.values()):
            terms = terms_of(text)
            self.lengths.append(len(terms))
            for term, tf in Counter(terms).items():
                self.postings.setdefault(term, {})[number] = tf
        self.N = len(self.doc_ids)
        self.avgdl = sum(self.lengths) / self.N

    def df(self, term):
        """In how many documents a term is."""
        return len(self.postings[term])


# Postings → scores. A weight is the part of one term in one document.


def idf_weight(index, term, tf, dl):
    """The weight tf · ln(N / df): a term counts more if it is in few documents."""
    return tf * math.log(index.N / index.df(term))


def binary_weight(index, term, tf, dl):
    """The weight 1: a term is in the document or not."""
    return 1.0


def bm25_weight(index, term, tf, dl, k1=1.2, b=0.75):
    """The weight of BM25: each further occurrence counts less, and so does one in a long document."""
    df = index.df(term)
    idf = math.log(1 + (index.N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / index.avgdl
    return idf * tf / (tf + k1 * length)


def sums(index, counts, weight, query_weight):
    """For each document with a query term: Σ weight in the query · weight in the document, the rarest term first."""
    scores = {}
    for term in sorted((term for term in counts if term in index.postings), key=lambda term: (index.df(term), term)):
        for number, tf in index.postings[term].items():
            part = query_weight(term) * weight(index, term, tf, index.lengths[number])
            scores[number] = scores.get(number, 0.0) + part
    return scores


@cache  # computed once for an index, not for each query
def squared_lengths(index, weight):
    """Σ weight² over the terms of each document: the squared length of its vector."""
    squares = [0.0] * index.N
    for term in sorted(index.postings):
        for number, tf in index.postings[term].items():
            squares[number] += weight(index, term, tf, index.lengths[number]) ** 2
    return squares


def bm25(index, query):
    """BM25: the weights of the query terms, added up."""
    counts = Counter(terms_of(query))
    return sums(index, counts, bm25_weight, lambda term: counts[term])


def tfidf(index, query):
    """TF-IDF: the inner product of the vectors of query and document."""
    counts = Counter(terms_of(query))
    return sums(index, counts, idf_weight, lambda term: idf_weight(index, term, counts[term], 0))


def cosine(index, query):
    """The cosine of the angle between the vectors of query and document: s / √(Σ d² · Σ q²)."""
    scores = tfidf(index, query)
    counts = Counter(term for term in terms_of(query) if term in index.postings)
    rarest_first = sorted(counts, key=lambda term: (index.df(term), term))
    qq = sum(idf_weight(index, term, counts[term], 0) ** 2 for term in rarest_first)
    dd = squared_lengths(index, idf_weight)
    return {number: ratio(s, math.sqrt(dd[number] * qq)) for number, s in scores.items()}


def dice(index, query):
    """Dice's coefficient of the sets of terms: 2 |X∩Y| / (|X| + |Y|)."""
    terms = set(terms_of(query))
    shared = sums(index, terms, binary_weight, lambda term: 1.0)
    sizes = squared_lengths(index, binary_weight)
    return {number: ratio(2 * s, sizes[number] + len(terms)) for number, s in shared.items()}


def jaccard(index, query):
    """Jaccard's coefficient of the sets of terms: |X∩Y| / |X∪Y|."""
    terms = set(terms_of(query))
    shared = sums(index, terms, binary_weight, lambda term: 1.0)
    sizes = squared_lengths(index, binary_weight)
    return {number: ratio(s, sizes[number] + len(terms) - s) for number, s in shared.items()}


def ratio(numerator, denominator):
    """The quotient, or 0 if the denominator is 0."""
    return numerator / denominator if denominator else 0.0


MODELS = {"tfidf": tfidf, "bm25": bm25, "cosine": cosine, "dice": dice, "jaccard": jaccard}


# Scores → ranking


def search(index, query, model=bm25, k=10):
    """The k best documents with their scores, the best first; equal scores keep the order of the collection.

    >>> index = Index({"d1": "How to train a cat", "d2": "How to train a dog"})
    >>> [doc_id for doc_id, score in search(index, "train cat")]
    ['d1', 'd2']
    """
    scores = model(index, query)
    best = sorted(scores, key=lambda number: (-scores[number], number))[:k]
    return [(index.doc_ids[number], scores[number]) for number in best]


# Ranking + judgments → values. The grades of a query are {doc_id: grade}; a document is relevant from a threshold on.


def average_precision(ranking, grades, threshold=1):
    """AP: the precision at the rank of each relevant document, averaged over all relevant documents.

    >>> average_precision(["a", "x", "b"], {"a": 1, "b": 1})      # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    relevant = sum(grade >= threshold for grade in grades.values())
    seen, total = 0, 0.0
    for rank, doc_id in enumerate(ranking, 1):
        if grades.get(doc_id, 0) >= threshold:
            seen += 1
            total += seen / rank
    return ratio(total, relevant)


def precision(ranking, grades, threshold=1, k=10):
    """P@k: the share of relevant documents among the first k."""
    return sum(grades.get(doc_id, 0) >= threshold for doc_id in ranking[:k]) / k


def reciprocal_rank(ranking, grades, threshold=1):
    """RR: 1 / the rank of the first relevant document; 0 if there is none."""
    ranks = (rank for rank, doc_id in enumerate(ranking, 1) if grades.get(doc_id, 0) >= threshold)
    return 1 / next(ranks, math.inf)


def dcg(gains):
    """The discounted cumulative gain: Σ gain / log2(rank + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(ranking, grades, threshold=1, k=10):
    """nDCG@k: the DCG of the first k documents, divided by that of the best possible ranking.

    >>> round(ndcg(["a", "b"], {"a": 1, "b": 3}), 4)      # (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    0.7967
    """
    gains = [max(grades.get(doc_id, 0), 0) for doc_id in ranking[:k]]
    ideal = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:k]
    return ratio(dcg(gains), dcg(ideal))


MEASURES = {"AP": average_precision, "nDCG@10": ndcg, "P@10": precision, "RR": reciprocal_rank}


def evaluate(index, queries, qrels, model, threshold=1, k=1000):
    """Measure → its mean over the judged queries; qrels is {query_id: {doc_id: grade}}."""
    values = {name: [] for name in MEASURES}
    for query_id, grades in qrels.items():
        ranking = [doc_id for doc_id, _ in search(index, queries[query_id], model, k)]
        for name, measure in MEASURES.items():
            values[name].append(measure(ranking, grades, threshold))
    return {name: math.fsum(numbers) / len(numbers) for name, numbers in values.items()}


# Files, and what is printed


def read(folder):
    """The documents, the queries and the judgments of a folder."""
    documents, queries, qrels = {}, {}, {}
    for name, texts in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        with open(Path(folder) / name, encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                texts[record["_id"]] = f"{record.get('title', '')} {record['text']}".strip()
    with open(Path(folder) / "qrels" / "test.tsv", encoding="utf-8") as lines:
        next(lines)  # the names of the columns
        for line in lines:
            query_id, doc_id, grade = line.rstrip("\n").split("\t")
            qrels.setdefault(query_id, {})[doc_id] = float(grade)
    return documents, queries, qrels


def main(folder, query=None):
    """Search a folder for a query; without one, evaluate every model."""
    documents, queries, qrels = read(folder)
    index = Index(documents)
    if query is not None:
        for rank, (doc_id, score) in enumerate(search(index, query), 1):
            print(f"{rank:2}  {doc_id:8} {score:8.4f}  {documents[doc_id][:60]}")
        return
    print("model   ", *(f"{name:>8}" for name in MEASURES))
    for name, model in MODELS.items():
        values = evaluate(index, queries, qrels, model)
        print(f"{name:8}", *(f"{value:8.4f}" for value in values.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
