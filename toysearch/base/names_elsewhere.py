"""Habits of other libraries: what a name, a method or an argument of theirs is here, as a call that can be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_EVALUATE = "toysearch.evaluate(run, qrels, 'AP nDCG@10')"
_SEARCHER = "toysearch.Searcher(index, 'bm25')"
_BUILD = "toysearch.Index.build(texts)"
NAMES = {
    "BM25Okapi": f"toysearch.Searcher({_BUILD}, 'bm25-okapi')",
    "BM25L": f"toysearch.Searcher({_BUILD}, 'bm25l-rank')",
    "BM25Plus": f"toysearch.Searcher({_BUILD}, 'bm25plus-rank')",
    "BM25": f"toysearch.Searcher({_BUILD}, 'bm25')",
    **dict.fromkeys(("tokenize", "StandardAnalyzer", "StemmingAnalyzer"), "toysearch.Analyzer.parse('english')(text)"),
    **dict.fromkeys(("RelevanceEvaluator", "AP", "nDCG", "P", "MAP", "parse_measure", "evaluator"), _EVALUATE),
    "calc_aggregate": f"{_EVALUATE}.means",
    "iter_calc": f"{_EVALUATE}.per_query",
    "supported_measures": "toysearch.MEASURES",
    **dict.fromkeys(("parse_qrel", "read_trec_qrels"), "toysearch.read_qrels(file)"),
    **dict.fromkeys(("parse_run", "read_trec_run", "read_results"), "toysearch.read_run(file)"),
    "write_results": "toysearch.write_run(run, file)",
    **dict.fromkeys(("BatchRetrieve", "Retriever", "LuceneSearcher", "SimpleSearcher", "Elasticsearch"), _SEARCHER),
    **dict.fromkeys(("IndexReader", "LuceneIndexReader", "IndexFactory", "open_dir"), "toysearch.Index.open(folder)"),
    **dict.fromkeys(("create_in", "IterDictIndexer", "Schema", "connect"), f"{_BUILD}.save(folder)"),
    **dict.fromkeys(("QueryParser", "MultifieldParser"), f"{_SEARCHER}.search('cat AND dog')"),
    "Experiment": "toysearch.compare(['bm25', 'dph'], collection)",
    **dict.fromkeys(("GridSearch", "KFoldGridSearch"), "toysearch.tune(collection, 'bm25', {'b': [0.25, 0.75]})"),
    **dict.fromkeys(("get_dataset", "init", "datasets"), "toysearch.load(name)"),
    "get_topics": "toysearch.load(name).queries",
    "get_qrels": "toysearch.load(name).qrels",
    **dict.fromkeys(("TfidfVectorizer", "CountVectorizer", "TfidfTransformer", "TEXT", "KEYWORD", "ID"), _BUILD),
    **dict.fromkeys(("Tokenizer", "RegexTokenizer", "word_tokenize"), "toysearch.Analyzer.parse('english')(text)"),
    **dict.fromkeys(("cosine_similarity", "linear_kernel"), "toysearch.Searcher(index, 'cosine').search(text)"),
    **dict.fromkeys(("ndcg_score", "dcg_score"), "toysearch.evaluate(run, qrels, 'nDCG@10')"),
    **dict.fromkeys(("average_precision_score", "mean_average_precision"), "toysearch.evaluate(run, qrels, 'AP')"),
    **dict.fromkeys(("compute_aggregated_measure", "aggregate"), f"{_EVALUATE}.means"),
    "define": "toysearch.measure(function)",
    "optimize_fusion": "toysearch.fuse([R, S], 'combsum', weights=[0.7, 0.3])",
    **dict.fromkeys(("terrier", "pipelines", "FeaturesBatchRetrieve"), _SEARCHER),
    "io": "toysearch.read_run(file)",
    "exists_in": "toysearch.Index.open(folder)",
    # the words of a beginner
    **{name: f"toysearch.Searcher(collection, '{name}').search(text)" for name in ("bm25", "tfidf", "dice", "jaccard")},
    **dict.fromkeys(
        ("score", "ndcg", "average_precision"), "toysearch.evaluate(*toysearch.typed_ranking('1 0 1')[:2], 'AP')"
    ),
}
"""Name of another library → a call here."""

_SEARCH = "searcher.search(text, k=10)"
METHODS = {
    "Searcher": {
        **dict.fromkeys(("retrieve", "transform", "query", "find", "search_page"), _SEARCH),
        **dict.fromkeys(("get_top_n", "get_scores"), "searcher.search(text, k=None)"),
        **dict.fromkeys(("batch_search", "get_batch_scores", "msearch"), "searcher.run(queries, k=1000)"),
        **dict.fromkeys(("set_bm25", "set_similarity"), "toysearch.Searcher(index, 'bm25:k1=0.9,b=0.4')"),
        "set_qld": "toysearch.Searcher(index, 'lm-dirichlet:mu=1000')",
        "set_rm3": "toysearch.Searcher(index, 'rm3(bm25)')",
        "set_rocchio": "toysearch.Searcher(index, 'rocchio(bm25)')",
        "doc": "index.text(doc_id)",
        "explain": "toysearch.explain(searcher, text, doc_id)",
        **dict.fromkeys(("more_like", "more_like_this"), "toysearch.similar(index, doc_id)"),
        "correct_query": "toysearch.suggest(index, text)",
        **dict.fromkeys(("num_docs", "corpus_size", "avgdl", "doc_count"), "index.stats"),
        **dict.fromkeys(("idf", "doc_freqs", "doc_len"), "index.df[index.term_number(term)]"),
        **dict.fromkeys(("fetch", "fit", "index_docs"), "toysearch.Searcher(index, 'bm25')"),
    },
    "Index": {
        **dict.fromkeys(
            ("search", "searcher", "retrieve", "get_scores", "get_top_n"), "toysearch.Searcher(index).search(text)"
        ),
        **dict.fromkeys(("index", "add_document", "writer", "insert"), "index.add(documents)"),
        "delete_by_term": "index.delete([doc_id])",
        "load": "toysearch.Index.open(folder)",
        **dict.fromkeys(("getCollectionStatistics", "num_docs", "doc_count"), "index.stats"),
        "get_term_counts": "index.df[index.term_number(term)]",
        "get_document_vector": "index.vector(doc_id)",
        **dict.fromkeys(("vocabulary_", "get_feature_names_out", "vocab", "lexicon"), "index.terms"),
        "shape": "(len(index), len(index.terms))",
        **dict.fromkeys(("analyze", "tokenize"), "index.analyzer(text)"),
        **dict.fromkeys(("fit_transform", "transform", "fit"), "toysearch.Index.build(texts)"),
        "compute_bm25_term_weight": "toysearch.explain(toysearch.Searcher(index), term, doc_id)",
        **dict.fromkeys(("commit", "refresh", "optimize"), "index.save(folder)"),
    },
    "Ranking": {
        "head": "ranking[:10]",
        **dict.fromkeys(("to_dict", "as_dict"), "list(ranking)"),
        **dict.fromkeys(("estimated_length", "total", "scored_length", "size"), "len(ranking)"),
        **dict.fromkeys(("hits", "docs", "results", "values"), "list(ranking)"),
        **dict.fromkeys(("docids", "docnos"), "ranking.doc_ids"),
    },
    "Hit": {
        **dict.fromkeys(("docid", "docno", "id", "lucene_docid", "docnum"), "hit.doc_id"),
        **dict.fromkeys(("raw", "contents", "content", "body", "document", "lucene_document"), "hit.text"),
        **dict.fromkeys(("highlights", "snippet", "highlight"), "hit.passage"),
        **dict.fromkeys(("source", "get"), "hit.fields"),
    },
    "Run": {
        **dict.fromkeys(("from_file", "read", "load"), "toysearch.read_run(file)"),
        **dict.fromkeys(("save", "to_trec", "write"), "toysearch.write_run(run, file)"),
        "from_df": "toysearch.Run(frame)",
        **dict.fromkeys(("make_comparable", "evaluate"), _EVALUATE),
        "mean_scores": f"{_EVALUATE}.means",
        "rename": "toysearch.Run(run.to_dict(), name='mine')",
    },
    "Qrels": {
        **dict.fromkeys(("from_file", "read", "load"), "toysearch.read_qrels(file)"),
        "from_ir_datasets": "toysearch.load(name).qrels",
        "save": "toysearch.write_qrels(qrels, file)",
        "from_df": "toysearch.Qrels(frame)",
        **dict.fromkeys(("make_comparable", "evaluate"), _EVALUATE),
    },
    "Result": {
        **dict.fromkeys(("to_dict", "as_dict"), "result.data()"),
        "to_json": "json.dumps(result.data())",
        **dict.fromkeys(("to_dataframe", "to_pandas"), "result.frame()"),
        **dict.fromkeys(("to_csv", "save"), "result.frame().to_csv(path)"),
        "to_html": "result._repr_html_()",
        "to_markdown": "format(result, 'markdown')",
        "to_table": "str(result)",
    },
    "Evaluation": {
        "mean_scores": "evaluation.means",
        **dict.fromkeys(("scores", "items", "values"), "evaluation.per_query"),
    },
}
"""Class → a method of another library → what does it here."""

_ARGUMENTS = {
    "metrics": "measures measure",
    "metric": "measure measures",
    "limit": "k",
    "n": "k",
    "top": "k",
    "top_k": "k",
    "num_results": "k",
    "hits": "k",
    "size": "k",
    "stat_test": "test",
    "max_p": "alpha",
    "runs": "systems",
    "norm": "normalise",
    "stopwords": "analyzer",
    "stemmer": "analyzer",
    "tokenizer": "analyzer",
    "params": "rrf_k",
}


_NEEDLESS = frozenset(("show_progress", "leave_progress", "make_comparable", "verbose", "filter_by_qrels"))


def argument_meant(name: str, accepted: Iterable[str]) -> str:
    """End a sentence about an unknown argument: "; did you mean 'measures'?", or nothing.

    >>> argument_meant("metrics", ["run", "measures"]), argument_meant("nothing", ["run"])
    ("; did you mean 'measures'?", '')
    """
    from toysearch.base.errors import near_name

    if name in _NEEDLESS:
        return "; leave it out: nothing changes"
    choices = [*accepted]
    meant = next((choice for choice in _ARGUMENTS.get(name, "").split() if choice in choices), "")
    return f"; did you mean '{meant}'?" if meant else near_name(name, choices)


def _missing(kind: type, name: str, owner: object, sentence: str) -> AttributeError:
    calls = next((METHODS[base.__name__] for base in kind.__mro__ if name in METHODS.get(base.__name__, ())), {})
    advice = f"; here: {calls[name]}" if calls else ""
    return AttributeError(f"{sentence} has no attribute '{name}'{advice}", name=name, obj=owner)


class LeadsOn:
    """Object that answers a method of another library with what does it here."""

    if not TYPE_CHECKING:  # which knows what is missing

        def __getattr__(self, name: str) -> Any:
            raise _missing(type(self), name, self, f"'{type(self).__name__}' object")


class KindLeadsOn(type):
    """Class of such objects that answers a class method too, such as ``from_file``."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            raise _missing(cls, name, cls, f"type object '{cls.__name__}'")
