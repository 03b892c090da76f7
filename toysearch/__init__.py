"""toysearch: a small search engine with its own evaluation laboratory.

>>> import toysearch
>>> collection = toysearch.load("cat-dog-parrot")
>>> index = toysearch.Index.build(collection)
>>> toysearch.Searcher(index, "bm25").search("train cat", k=1)
<Ranking of 1 documents: 1 0.5952>
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not loaded for that: Ctrl-C is answered only once this file has been read
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "toysearch.errors": [
        "ArgumentError",
        "DataError",
        "ModelError",
        "StorageError",
        "ToysearchError",
        "ToysearchNote",
    ],
    "toysearch.records": ["Document", "Qrel", "Qrels", "Query", "Ranking", "Run", "ScoredDoc"],
    "toysearch.formats.detection": ["judgments_among", "kind_of"],
    "toysearch.formats.text_files": ["read_doc_ids"],
    "toysearch.formats.writing": ["refuse_loss"],
    "toysearch.formats.runs": ["read_run", "write_run"],
    "toysearch.formats.qrels": ["read_qrels", "write_qrels"],
    "toysearch.corpus.collection": ["Collection"],
    "toysearch.corpus.catalog": ["collections", "load"],
    "toysearch.corpus.conversion": ["convert"],
    "toysearch.corpus.query_sources": ["read_queries"],
    "toysearch.corpus.download": ["Fetched", "fetch"],
    "toysearch.analysis.analyzer": ["Analyzer"],
    "toysearch.index.update_folder": ["change_index"],
    "toysearch.index.inverted_index": ["Index"],
    "toysearch.laboratory.explain.laws": ["HeapsLaw", "ZipfLaw", "heaps", "zipf"],
    "toysearch.index.storage": ["check_index", "damage_of_opened", "index_files", "refuse_foreign"],
    "toysearch.models.model": ["STATISTICS", "Model", "describe_statistic"],
    "toysearch.models.similarity": ["VectorPair", "similarity"],
    "toysearch.models.mixture": ["Mixture", "Needs", "needs"],
    "toysearch.models.weight_curve": ["WeightCurve", "weight_curve"],
    "toysearch.models.bm25f": ["bm25f"],
    "toysearch.models.formula": ["formula"],
    "toysearch.models.registry": ["MODELS", "model"],
    "toysearch.search.term_weights": ["models_stored"],
    "toysearch.search.stored_weights": ["precompute", "storable_models"],
    "toysearch.search.searcher": ["Searcher"],
    "toysearch.laboratory.experiments.verification": ["VERIFIED_MODELS", "Verification", "Verified", "verify"],
    "toysearch.search.spelling": ["UnknownWord", "unknown_words"],
    "toysearch.search.similar_documents": [
        "SimilarPair",
        "duplicate_groups",
        "near_duplicates",
        "similar",
        "similarity_matrix",
    ],
    "toysearch.evaluation.unjudged_bounds": ["UnjudgedBounds", "unjudged_bounds"],
    "toysearch.evaluation.measures.aliases": ["PRESETS"],
    "toysearch.evaluation.measures.measure": ["Measure", "named_measure", "parse_measures"],
    "toysearch.evaluation.measures.table": ["MEASURES", "measure_facts", "measure_form"],
    "toysearch.evaluation.curves": ["Curve", "curve"],
    "toysearch.evaluation.result": ["AGGREGATES", "Means", "means"],
    "toysearch.evaluation.lint": ["lint", "suspicions"],
    "toysearch.evaluation.judgment_doubts": ["Finding", "doubts"],
    "toysearch.evaluation.evaluate": ["Evaluation", "evaluate"],
    "toysearch.evaluation.conventions": ["CONVENTIONS", "Convention"],
    "toysearch.evaluation.judge_agreement": [
        "Alpha",
        "Disagreement",
        "Disputed",
        "Kappa",
        "Merged",
        "QueryAgreement",
        "alpha",
        "kappa",
        "merge_qrels",
    ],
    "toysearch.evaluation.pooling": ["Contribution", "Pool", "divide_pool", "pool", "write_pool"],
    "toysearch.evaluation.side_by_side": ["SideBySide", "side_by_side"],
    "toysearch.search.fusion": ["FUSION_METHODS", "FusionMethod", "fuse"],
    "toysearch.laboratory.explain.score_explanation": ["MixtureExplanation", "explain"],
    "toysearch.laboratory.explain.model_explanation": ["ScoreExplanation", "TermShare"],
    "toysearch.laboratory.explain.measure_explanation": ["MeasureExplanation", "explain_measure"],
    "toysearch.laboratory.explain.failure_analysis": [
        "Cause",
        "HardQuery",
        "PoorQuery",
        "causes",
        "hardest",
        "poorest",
    ],
    "toysearch.laboratory.explain.worked_examples": ["WorkedExample", "worked_examples"],
    "toysearch.evaluation.typed_ranking": ["Typed", "all_measures", "computable", "typed_ranking"],
    "toysearch.laboratory.explain.codes": ["CodedPosting", "TextbookView", "textbook_view"],
    "toysearch.laboratory.explain.snippet": ["Snippet", "snippet"],
    "toysearch.laboratory.explain.expressions": ["Expression", "HookExpressions", "expressions", "hook_expressions"],
    "toysearch.laboratory.explain.document_comparison": [
        "OrderExplanation",
        "SharedTerm",
        "explain_order",
        "explain_similar",
        "shared_terms",
        "standing",
    ],
    "toysearch.laboratory.explain.rank_flip": ["Turn", "turning_points"],
    "toysearch.laboratory.experiments.run_diff": ["Diff", "MovedDocument", "QueryDiff", "diff"],
    "toysearch.laboratory.experiments.ablation": ["Ablation", "Switched", "ablate"],
    "toysearch.laboratory.experiments.fast_evaluator": ["Evaluator"],
    "toysearch.laboratory.experiments.grids": ["setting_text"],
    "toysearch.laboratory.experiments.tuning_result": ["Tuning", "TuningProgress"],
    "toysearch.laboratory.experiments.tuning": ["tune"],
    "toysearch.laboratory.experiments.stats.significance": ["TESTS", "TestResult", "paired_test"],
    "toysearch.laboratory.experiments.stats.multiple_comparisons": ["CORRECTIONS", "corrected", "randomised_tukey"],
    "toysearch.laboratory.experiments.comparison": ["Comparison", "compare"],
    "toysearch.laboratory.experiments.stats.power": [
        "Sensitivity",
        "detectable_difference",
        "queries_needed",
        "sensitivity",
    ],
    "toysearch.laboratory.experiments.caveats": ["Caveat", "caveats"],
    "toysearch.laboratory.experiments.stats.rank_correlation": [
        "Agreement",
        "agreement",
        "kendall_tau",
        "rank_biased_overlap",
        "tau_ap",
    ],
    "toysearch.laboratory.experiments.model_watch": ["Saved", "Watch"],
    "toysearch.laboratory.experiments.gate.gate_outcome": ["GateResult", "gate"],
    "toysearch.laboratory.experiments.robustness.scorecard": ["Robustness", "robustness"],
    "toysearch.course.sandbox.confined_run": ["Confined", "Limits", "run_confined"],
    "toysearch.course.competition.board": ["Leaderboard"],
    "toysearch.course.competition.standings": ["Standing"],
    "toysearch.laboratory.reports.system_report": ["Report", "report"],
    "toysearch.laboratory.reports.chart_files": ["PLOTS", "Plot", "plot"],
    "toysearch.laboratory.corpus_check.diagnosis": ["Diagnosis", "diagnose"],
    "toysearch.laboratory.reports.notebook_display": ["as_frame", "as_html"],
    "toysearch.laboratory.reports.as_text": ["as_text"],
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    """The public name, its module loaded at first use: importing toysearch itself loads nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'toysearch' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
