"""toysearch: a small search engine with its own evaluation laboratory.

>>> import toysearch
>>> toysearch.search("cat-dog-parrot", "train cat", k=1)
<Ranking of 1 document: 1 0.5952>

Documents, queries, judgments and runs
    load                   a collection by its name, folder or file
    collections            the collections that have a name
    fetch                  a collection's files, downloaded into the cache
    convert                a collection written in another layout
    read_run               a run from a file
    write_run              a run to a file
    read_qrels             judgments from a file
    write_qrels            judgments to a file
    read_records           the documents or queries of a file, each with its line and its fields
    Collection             documents, queries and judgments
    Document               a document: id, text, title, fields
    Query                  a query: id, text
    Qrels                  judgments: the relevance of documents to queries
    Ranking                the documents found for one query, best first
    Run                    the rankings of many queries

Search
    search                 the best documents for a query, among documents of any kind
    Index                  a searchable collection: build, save and open it
    change_index           adds to an index in a folder, or deletes from it
    Analyzer               turns text into terms
    Searcher               an index with a ranking model: searches, makes runs
    search_again           the documents for a query once some are known to be relevant
    Term                   a word of a query; trees of them are joined by and, or, not
    Phrase                 words of a query next to each other
    suggest                a better spelling of a query
    completions            words that the last word of a query may become
    terms_within           the terms some edits away from a word
    MODELS                 the ranking models by name
    model                  a ranking model, by name or from a function
    formula                a ranking model from a formula, given as text
    own_search             a ranking model from a search of your own: a function, rank-bm25, a vectorizer
    weight_curve           how the weight of a term changes with a statistic
    similar                the documents most similar to a document
    fuse                   combines several runs into one

Evaluation
    evaluate               the measures of a run
    curve                  a measure at rising cutoffs, such as precision against recall
    unjudged_bounds        the lowest and highest value, whatever the unjudged documents are
    Evaluator              evaluates many models on one collection, quickly
    MEASURES               the measures by name
    measure                a measure of your own, from a function
    typed_ranking          a ranking and its judgments from a text such as "R I I R"

Judges and users
    pool                   the documents of several runs to judge
    write_pool             a pool as a sheet to judge
    kappa                  the agreement of two judges
    merge_qrels            the judgments of several judges made one
    rejudge                the conclusions under the grades of another judge
    JudgmentLog            a file that keeps every grade as it is given
    VoteLog                a file that keeps every thumb as it is given
    interleave             two rankings mixed for an audience
    interleave_runs        two runs mixed for users to click in
    click_model            how relevant documents are, by clicks

Explanation
    explain                how a document gets its score
    explain_order          why one document is ranked above another
    turning_points         the parameter values that swap two documents
    explain_measure        how a ranking gets its value of a measure
    worked_examples        textbook examples, calculated again

Experiments
    System                 a model with its own analysis, fields or index
    known_items            queries made of texts without judgments
    compare                systems compared: means, differences, tests
    paired_test            a paired test of differences
    detectable_difference  the smallest difference that a number of queries shows
    queries_needed         the number of queries that an effect needs
    kendall_tau            how alike two rankings are
    diff                   the queries and documents that a change moved
    tune                   the best parameters of a model
    ablate                 what each part of a system contributes
    robustness             checks results with other words, documents and spellings
    gate                   checks a ranking against the minimum values in a file
    diagnose               the mistakes of a collection
    features               the features of ranked documents, for a learner
    learn                  a ranker learned from judgments, and its held-out value
    verify                 the same scores computed by other libraries
    report                 a comparison as a page
    plot                   a chart

What can go wrong
    ToysearchError         the error of all wrong input
    ToysearchNote          the warning of all doubtful input

What a course needs is in `toysearch.labs`; `toysearch docs python` lists the public names of modules, which may move.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for this: Ctrl-C works only after this file has been read
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "base.documents": "Document Query",
    "base.ranking": "Ranking",
    "base.run_and_qrels": "Qrels Run",
    "base.errors": "ToysearchError ToysearchNote",
    "collection.collection": "Collection",
    "collection.catalog": "collections load",
    "collection.convert": "convert",
    "collection.download": "fetch",
    "files.runs_and_judgments": "read_qrels read_run",
    "files.document_formats": "read_records",
    "workbench.judging.judgment_log": "JudgmentLog VoteLog",
    "analysis.analyzer": "Analyzer",
    "query.syntax": "Phrase Term",
    "index.inverted_index": "Index",
    "index.index_change": "change_index",
    "models.registry": "MODELS model",
    "models.search_function": "own_search",
    "models.formula": "formula",
    "models.weight_curve": "weight_curve",
    "retrieval.searcher": "Searcher search",
    "retrieval.similar_documents": "similar",
    "retrieval.fusion": "fuse",
    "retrieval.fuzzy_and_wildcard_terms": "terms_within",
    "retrieval.spelling": "suggest",
    "retrieval.completion": "completions",
    "retrieval.relevance_feedback": "search_again",
    "evaluation.evaluate": "evaluate",
    "evaluation.measures.measure": "MEASURES",
    "evaluation.measures.declaration": "measure",
    "evaluation.typed_ranking": "typed_ranking",
    "workbench.judging.pooling": "pool write_pool",
    "workbench.judging.judge_agreement": "kappa merge_qrels",
    "evaluation.unjudged_bounds": "unjudged_bounds",
    "workbench.clicks.interleaving": "interleave interleave_runs",
    "study.explain.score_explanation": "explain",
    "study.explain.order_explanation": "explain_order",
    "study.explain.measure_explanation": "explain_measure",
    "classroom.worked_examples": "worked_examples",
    "study.explain.rank_flip": "turning_points",
    "workbench.tune.fast_evaluator": "Evaluator",
    "study.system": "System",
    "study.known_item_queries": "known_items",
    "study.compare.comparison": "compare",
    "study.compare.significance": "paired_test",
    "study.compare.run_diff": "diff",
    "workbench.tune.tuning": "tune",
    "workbench.verification": "verify",
    "workbench.ablation": "ablate",
    "workbench.robustness.scorecard": "robustness",
    "workbench.gate": "gate",
    "study.compare.power": "detectable_difference queries_needed",
    "study.compare.correlation": "kendall_tau",
    "workbench.judging.second_judge": "rejudge",
    "workbench.clicks.click_model": "click_model",
    "workbench.learning.ranker_training": "learn",
    "workbench.learning.feature_table": "features",
    "study.corpus_check.diagnosis": "diagnose",
    "workbench.report.system_report": "report",
    "workbench.report.charts": "plot",
    "workbench.report.measure_curve": "curve",
    "files.run_writer": "write_qrels write_run",
}


def __getattr__(name: str) -> Any:
    """Return the public name, its module loaded at first use: importing toysearch itself loads nothing."""
    if name == "__all__":  # `from toysearch import *`
        return _names()
    from toysearch.base.lazy_namespaces import front

    try:
        return front(__name__, _HOMES, _elsewhere)(name)
    except ModuleNotFoundError as error:
        from toysearch.rings import missing

        raise missing(name, error) from None


def _names() -> list[str]:
    return [name for names in _HOMES.values() for name in names.split()]


def _elsewhere(name: str) -> str:
    """Return what does here what a name does elsewhere, or the module to import it from; "" for an unknown one."""
    import os

    place = os.path.join(os.path.dirname(__file__), name)
    if name.startswith("_") or os.path.isdir(place):
        return ""
    if os.path.isfile(f"{place}.py"):
        return f"; it is a module: from toysearch import {name}"
    from toysearch.base.elsewhere import here  # its file is read: not for a module

    if name in here("name"):
        return f"; here: {here('name')[name]}"
    if name[:1].isupper() and name in __getattr__("MEASURES"):
        return f"; here: toysearch.evaluate(run, qrels, '{name}')"
    import ast
    from pathlib import Path

    package = Path(place).parent
    for file in (*package.glob("labs.py"), *package.rglob("*.py")):  # a name of both is imported from labs
        text = file.read_text(encoding="utf-8")
        if f'"{name}"' in text:
            listed = [
                ast.literal_eval(line.value)
                for line in ast.parse(text).body
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__"
            ]
            if listed and name in listed[0]:
                module = ".".join(file.relative_to(package.parent).with_suffix("").parts)
                return f"; it is imported from its module: from {module} import {name}"
    return ""


def __dir__() -> list[str]:
    return ["__doc__", "__file__", "__name__", "__path__", "__version__", *_names()]
