"""What the page "Try it" asks of toysearch: each answer is JSON, with the numbers that the commands print."""

import json
import warnings
from functools import cache

import toysearch

COLLECTION = toysearch.load("companions")
INDEX = toysearch.Index.build(COLLECTION)
MEASURES = "AP nDCG@10 P@10"
ELSEWHERE = {"bm25f"}
"""Models that need an index of separate fields."""


@cache
def searcher(model):
    """The collection under a model, or under a formula: `formula:tf * log(N / df)`."""
    return toysearch.Searcher(INDEX, model)


def search(query, model):
    """The first ten documents, and what is to be said of the query: toysearch search companions QUERY --model MODEL."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", toysearch.ToysearchNote)
        hits = searcher(model).search(query, k=10)
    documents = [
        {"doc_id": hit.doc_id, "score": hit.score, "title": hit.title, "text": _beginning(hit.fields["text"])}
        for hit in hits
    ]
    return {"hits": documents, "notes": [str(each.message) for each in notes]}


def _beginning(text):
    return text if len(text) <= 200 else f"{text[:200].rpartition(' ')[0]} …"


def explain(query, model, doc_id):
    """Why a document has its score: the same command with --explain."""
    explanation = toysearch.explain(searcher(model), query, doc_id)
    return {"doc_id": doc_id, "score": explanation.score, "text": str(explanation)}


@cache
def evaluate(model):
    """The means over all judged queries: toysearch eval companions --model MODEL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        run = searcher(model).run(COLLECTION.queries)
        result = toysearch.evaluate(run, COLLECTION.qrels, MEASURES, threshold=COLLECTION.threshold)
    return {"measures": {name: result[name] for name in MEASURES.split()}, "queries": len(result.per_query)}


def about():
    """The models and queries that the page offers."""
    models = [name for name in toysearch.MODELS if name not in ELSEWHERE]
    return {"models": models, "queries": [query.text for query in COLLECTION.judged_queries]}


def answer(request):
    """The answer to a request of the page, JSON to JSON; an error of the user is a sentence."""
    arguments = json.loads(request)
    function = {"search": search, "explain": explain, "evaluate": evaluate, "about": about}[arguments.pop("what")]
    try:
        return json.dumps(function(**arguments))
    except toysearch.ToysearchError as error:
        return json.dumps({"error": str(error)})
    except ModuleNotFoundError as error:
        return json.dumps({"error": f"this ranking needs the package {error.name}, which this page does without"})
