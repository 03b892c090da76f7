"""What the front page runs in Python for browsers: a search of the bundled companions, each score explained."""

import json
import warnings

import toysearch

_SEARCHER = toysearch.Searcher(toysearch.Index.build(toysearch.load("companions")), "bm25")


def answer(query: str, shown: int = 5) -> str:
    """The best documents for a query as JSON: title, score, passage and explanation of each; and what is noted."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            hits = [
                {
                    "title": hit.title,
                    "score": f"{hit.score:.4f}",
                    "passage": str(hit.passage),
                    "table": toysearch.explain(_SEARCHER, query, hit.doc_id)._repr_html_(),
                }
                for hit in _SEARCHER.search(query, k=shown)
            ]
            notes = list(dict.fromkeys(str(warning.message) for warning in warned))
        except toysearch.ToysearchError as error:
            hits, notes = [], [str(error)]
    return json.dumps({"hits": hits, "notes": notes})
