"""Reports that several tests look at."""

from toysearch import Collection, Document, Index, Qrels, Query, Searcher, compare, report

HOSTILE = "<script>alert('1 & \"2\"')</script></script x <!-- \u2028 </style>"
"""A text that would be code, a comment, the end of a style or of a line, were it not escaped."""


def hostile_report(command: str = "toysearch report"):
    """A report whose ids, texts, names and command all hold what a page must not take for its own."""
    documents = [Document(f"{HOSTILE}{n}", f"cat {n} {HOSTILE}", f"title {n} {HOSTILE}") for n in range(6)]
    queries = [Query(f"q{n}{HOSTILE}", f"cat {n} {HOSTILE}") for n in range(4)]
    qrels = Qrels.from_dict({query.query_id: {f"{HOSTILE}{n}": n % 3 for n in range(6)} for query in queries})
    collection = Collection(f"pets{HOSTILE}", documents, queries, qrels)
    index = Index.build(collection)
    runs = {
        f"{name}{HOSTILE}": Searcher(index, name).run(collection.judged_queries) for name in ("bm25:b=0.4", "tfidf")
    }
    comparison = compare(runs, qrels, "AP P@2")
    return report(comparison, collection=collection, index=index, command=command + HOSTILE)
