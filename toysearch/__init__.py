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
        "note",
    ],
    "toysearch.records": ["Document", "Qrel", "Qrels", "Query", "Ranking", "Run", "ScoredDoc"],
    "toysearch.formats.recognised": ["judgments_among", "kind_of"],
    "toysearch.formats.doc_ids": ["read_doc_ids"],
    "toysearch.formats.made": ["refuse_loss"],
    "toysearch.formats.runs": ["read_run", "write_run"],
    "toysearch.formats.judgments": ["read_qrels", "write_qrels"],
    "toysearch.corpus.collection": ["Collection"],
    "toysearch.corpus.catalog": ["collections", "load"],
    "toysearch.corpus.conversion": ["convert"],
    "toysearch.corpus.topics": ["read_queries"],
    "toysearch.corpus.download": ["Fetched", "fetch"],
    "toysearch.analysis.analyzer": ["Analyzer"],
    "toysearch.index.changing": ["change_index"],
    "toysearch.index.index": ["Index", "damage_of_opened"],
    "toysearch.index.laws": ["HeapsLaw", "ZipfLaw", "heaps", "zipf"],
    "toysearch.index.storage": ["check_index", "index_files", "refuse_foreign"],
    "toysearch.ranking.model": ["STATISTICS", "Model", "describe_statistic"],
    "toysearch.ranking.similarity": ["VectorPair", "similarity"],
    "toysearch.ranking.mixture": ["Mixture", "Needs", "needs"],
    "toysearch.ranking.curve": ["WeightCurve", "weight_curve"],
    "toysearch.ranking.fields": ["bm25f"],
    "toysearch.ranking.formula": ["formula"],
    "toysearch.ranking.registry": ["MODELS", "model"],
    "toysearch.ranking.weights": ["models_stored"],
    "toysearch.ranking.precomputing": ["precompute", "storable_models"],
    "toysearch.searcher": ["Searcher"],
    "toysearch.experiments.verification": ["VERIFIED_MODELS", "Verification", "Verified", "verify"],
    "toysearch.spelling": ["UnknownWord", "unknown_words"],
    "toysearch.neighbours": ["similar", "similarity_matrix"],
    "toysearch.duplicates": ["SimilarPair", "duplicate_groups", "near_duplicates"],
    "toysearch.evaluation.bounds": ["UnjudgedBounds", "unjudged_bounds"],
    "toysearch.evaluation.names": ["PRESETS"],
    "toysearch.evaluation.measure": ["Measure", "named_measure", "parse_measures"],
    "toysearch.evaluation.measures": ["MEASURES", "measure_facts", "measure_form"],
    "toysearch.evaluation.curves": ["Curve", "curve"],
    "toysearch.evaluation.means": ["AGGREGATES", "Means", "means"],
    "toysearch.evaluation.lint": ["Finding", "doubts", "lint", "suspicions"],
    "toysearch.evaluation.evaluate": ["Evaluation", "evaluate"],
    "toysearch.evaluation.rules": ["CONVENTIONS", "Convention"],
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
    "toysearch.evaluation.conventions": ["SideBySide", "side_by_side"],
    "toysearch.fusion": ["FUSION_METHODS", "FusionMethod", "fuse"],
    "toysearch.explanations.mixture": ["MixtureExplanation", "explain"],
    "toysearch.explanations.score": ["ScoreExplanation", "TermShare"],
    "toysearch.explanations.shared": ["SharedTerm", "explain_similar", "shared_terms"],
    "toysearch.explanations.measure": ["MeasureExplanation", "explain_measure"],
    "toysearch.explanations.poorest": ["HardQuery", "PoorQuery", "hardest", "poorest"],
    "toysearch.explanations.examples": ["WorkedExample", "worked_examples"],
    "toysearch.explanations.causes": ["Cause", "causes"],
    "toysearch.evaluation.typed": ["Typed", "all_measures", "computable", "typed_ranking"],
    "toysearch.explanations.textbook": ["CodedPosting", "TextbookView", "textbook_view"],
    "toysearch.explanations.snippet": ["Snippet", "snippet"],
    "toysearch.explanations.expression": ["Expression", "expressions"],
    "toysearch.explanations.hooks": ["HookExpressions", "hook_expressions"],
    "toysearch.explanations.order": ["OrderExplanation", "explain_order", "standing"],
    "toysearch.explanations.turning": ["Turn", "turning_points"],
    "toysearch.experiments.diff": ["Diff", "MovedDocument", "QueryDiff", "diff"],
    "toysearch.experiments.ablation": ["Ablation", "Switched", "ablate"],
    "toysearch.experiments.evaluator": ["Evaluator"],
    "toysearch.experiments.grids": ["setting_text"],
    "toysearch.experiments.tuned": ["Tuning", "TuningProgress"],
    "toysearch.experiments.tuning": ["tune"],
    "toysearch.experiments.significance": ["TESTS", "TestResult", "paired_test"],
    "toysearch.experiments.corrections": ["CORRECTIONS", "corrected"],
    "toysearch.experiments.tukey": ["randomised_tukey"],
    "toysearch.experiments.comparison": ["Comparison", "compare"],
    "toysearch.experiments.power": ["Sensitivity", "detectable_difference", "queries_needed", "sensitivity"],
    "toysearch.experiments.caveats": ["Caveat", "caveats"],
    "toysearch.experiments.agreement": ["Agreement", "agreement", "kendall_tau", "rank_biased_overlap", "tau_ap"],
    "toysearch.experiments.watching": ["Saved", "Watch"],
    "toysearch.experiments.gate.gate": ["GateResult", "gate"],
    "toysearch.experiments.robustness.scorecard": ["Robustness", "robustness"],
    "toysearch.sandbox.confined": ["run_confined"],
    "toysearch.sandbox.outcome": ["Confined", "Limits"],
    "toysearch.leaderboard.board": ["Leaderboard", "Standing"],
    "toysearch.reports.report": ["Report", "report"],
    "toysearch.reports.single": ["PLOTS", "Plot", "plot"],
    "toysearch.diagnosis.checkup": ["Diagnosis", "diagnose"],
    "toysearch.reports.notebook": ["as_frame", "as_html"],
    "toysearch.reports.shown": ["as_text"],
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    """The public name, its module loaded at first use: importing toysearch itself loads nothing.

    A function checks from here on what it is given; between themselves the modules call it as it is.
    """
    if name not in _PUBLIC:
        raise AttributeError(f"module 'toysearch' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    if type(value) is type(__getattr__) and not hasattr(value, "__wrapped__"):
        from toysearch.checking import checked

        value = checked(value)
        value.__module__ = __name__  # where it is found, for pickle
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
