"""The public names with their types; __init__.py loads the same ones lazily (tests/test_public.py holds them equal)."""

from toysearch.analysis.analyzer import Analyzer
from toysearch.corpus.catalog import collections, load
from toysearch.corpus.collection import Collection
from toysearch.corpus.conversion import convert
from toysearch.corpus.download import Fetched, fetch
from toysearch.corpus.query_sources import read_queries
from toysearch.course.competition.board import Leaderboard
from toysearch.course.competition.standings import Standing
from toysearch.course.sandbox.confined_run import Confined, Limits, run_confined
from toysearch.errors import ArgumentError, DataError, ModelError, StorageError, ToysearchError, ToysearchNote
from toysearch.evaluation.conventions import CONVENTIONS, Convention
from toysearch.evaluation.curves import Curve, curve
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.judge_agreement import (
    Alpha,
    Disagreement,
    Disputed,
    Kappa,
    Merged,
    QueryAgreement,
    alpha,
    kappa,
    merge_qrels,
)
from toysearch.evaluation.judgment_doubts import Finding, doubts
from toysearch.evaluation.lint import lint, suspicions
from toysearch.evaluation.measures.aliases import PRESETS
from toysearch.evaluation.measures.measure import Measure, named_measure, parse_measures
from toysearch.evaluation.measures.table import MEASURES, measure_facts, measure_form
from toysearch.evaluation.pooling import Contribution, Pool, divide_pool, pool, write_pool
from toysearch.evaluation.result import AGGREGATES, Means, means
from toysearch.evaluation.side_by_side import SideBySide, side_by_side
from toysearch.evaluation.typed_ranking import Typed, all_measures, computable, typed_ranking
from toysearch.evaluation.unjudged_bounds import UnjudgedBounds, unjudged_bounds
from toysearch.formats.detection import judgments_among, kind_of
from toysearch.formats.qrels import read_qrels, write_qrels
from toysearch.formats.runs import read_run, write_run
from toysearch.formats.text_files import read_doc_ids
from toysearch.formats.writing import refuse_loss
from toysearch.index.inverted_index import Index
from toysearch.index.storage import check_index, damage_of_opened, index_files, refuse_foreign
from toysearch.index.update_folder import change_index
from toysearch.laboratory.corpus_check.diagnosis import Diagnosis, diagnose
from toysearch.laboratory.experiments.ablation import Ablation, Switched, ablate
from toysearch.laboratory.experiments.caveats import Caveat, caveats
from toysearch.laboratory.experiments.comparison import Comparison, compare
from toysearch.laboratory.experiments.fast_evaluator import Evaluator
from toysearch.laboratory.experiments.gate.gate_outcome import GateResult, gate
from toysearch.laboratory.experiments.grids import setting_text
from toysearch.laboratory.experiments.model_watch import Saved, Watch
from toysearch.laboratory.experiments.robustness.scorecard import Robustness, robustness
from toysearch.laboratory.experiments.run_diff import Diff, MovedDocument, QueryDiff, diff
from toysearch.laboratory.experiments.stats.multiple_comparisons import CORRECTIONS, corrected, randomised_tukey
from toysearch.laboratory.experiments.stats.power import Sensitivity, detectable_difference, queries_needed, sensitivity
from toysearch.laboratory.experiments.stats.rank_correlation import (
    Agreement,
    agreement,
    kendall_tau,
    rank_biased_overlap,
    tau_ap,
)
from toysearch.laboratory.experiments.stats.significance import TESTS, TestResult, paired_test
from toysearch.laboratory.experiments.tuning import tune
from toysearch.laboratory.experiments.tuning_result import Tuning, TuningProgress
from toysearch.laboratory.experiments.verification import VERIFIED_MODELS, Verification, Verified, verify
from toysearch.laboratory.explain.codes import CodedPosting, TextbookView, textbook_view
from toysearch.laboratory.explain.document_comparison import (
    OrderExplanation,
    SharedTerm,
    explain_order,
    explain_similar,
    shared_terms,
    standing,
)
from toysearch.laboratory.explain.expressions import Expression, HookExpressions, expressions, hook_expressions
from toysearch.laboratory.explain.failure_analysis import Cause, HardQuery, PoorQuery, causes, hardest, poorest
from toysearch.laboratory.explain.laws import HeapsLaw, ZipfLaw, heaps, zipf
from toysearch.laboratory.explain.measure_explanation import MeasureExplanation, explain_measure
from toysearch.laboratory.explain.model_explanation import ScoreExplanation, TermShare
from toysearch.laboratory.explain.rank_flip import Turn, turning_points
from toysearch.laboratory.explain.score_explanation import MixtureExplanation, explain
from toysearch.laboratory.explain.snippet import Snippet, snippet
from toysearch.laboratory.explain.worked_examples import WorkedExample, worked_examples
from toysearch.laboratory.reports.as_text import as_text
from toysearch.laboratory.reports.chart_files import PLOTS, Plot, plot
from toysearch.laboratory.reports.notebook_display import as_frame, as_html
from toysearch.laboratory.reports.system_report import Report, report
from toysearch.models.bm25f import bm25f
from toysearch.models.formula import formula
from toysearch.models.mixture import Mixture, Needs, needs
from toysearch.models.model import STATISTICS, Model, describe_statistic
from toysearch.models.registry import MODELS, model
from toysearch.models.similarity import VectorPair, similarity
from toysearch.models.weight_curve import WeightCurve, weight_curve
from toysearch.records import Document, Qrel, Qrels, Query, Ranking, Run, ScoredDoc
from toysearch.search.fusion import FUSION_METHODS, FusionMethod, fuse
from toysearch.search.searcher import Searcher
from toysearch.search.similar_documents import (
    SimilarPair,
    duplicate_groups,
    near_duplicates,
    similar,
    similarity_matrix,
)
from toysearch.search.spelling import UnknownWord, unknown_words
from toysearch.search.stored_weights import precompute, storable_models
from toysearch.search.term_weights import models_stored

__version__: str

__all__ = [
    "AGGREGATES",
    "CONVENTIONS",
    "CORRECTIONS",
    "FUSION_METHODS",
    "MEASURES",
    "MODELS",
    "PLOTS",
    "PRESETS",
    "STATISTICS",
    "TESTS",
    "VERIFIED_MODELS",
    "Ablation",
    "Agreement",
    "Alpha",
    "Analyzer",
    "ArgumentError",
    "Cause",
    "Caveat",
    "CodedPosting",
    "Collection",
    "Comparison",
    "Confined",
    "Contribution",
    "Convention",
    "Curve",
    "DataError",
    "Diagnosis",
    "Diff",
    "Disagreement",
    "Disputed",
    "Document",
    "Evaluation",
    "Evaluator",
    "Expression",
    "Fetched",
    "Finding",
    "FusionMethod",
    "GateResult",
    "HardQuery",
    "HeapsLaw",
    "HookExpressions",
    "Index",
    "Kappa",
    "Leaderboard",
    "Limits",
    "Means",
    "Measure",
    "MeasureExplanation",
    "Merged",
    "Mixture",
    "MixtureExplanation",
    "Model",
    "ModelError",
    "MovedDocument",
    "Needs",
    "OrderExplanation",
    "Plot",
    "Pool",
    "PoorQuery",
    "Qrel",
    "Qrels",
    "Query",
    "QueryAgreement",
    "QueryDiff",
    "Ranking",
    "Report",
    "Robustness",
    "Run",
    "Saved",
    "ScoreExplanation",
    "ScoredDoc",
    "Searcher",
    "Sensitivity",
    "SharedTerm",
    "SideBySide",
    "SimilarPair",
    "Snippet",
    "Standing",
    "StorageError",
    "Switched",
    "TermShare",
    "TestResult",
    "TextbookView",
    "ToysearchError",
    "ToysearchNote",
    "Tuning",
    "TuningProgress",
    "Turn",
    "Typed",
    "UnjudgedBounds",
    "UnknownWord",
    "VectorPair",
    "Verification",
    "Verified",
    "Watch",
    "WeightCurve",
    "WorkedExample",
    "ZipfLaw",
    "__version__",
    "ablate",
    "agreement",
    "all_measures",
    "alpha",
    "as_frame",
    "as_html",
    "as_text",
    "bm25f",
    "causes",
    "caveats",
    "change_index",
    "check_index",
    "collections",
    "compare",
    "computable",
    "convert",
    "corrected",
    "curve",
    "damage_of_opened",
    "describe_statistic",
    "detectable_difference",
    "diagnose",
    "diff",
    "divide_pool",
    "doubts",
    "duplicate_groups",
    "evaluate",
    "explain",
    "explain_measure",
    "explain_order",
    "explain_similar",
    "expressions",
    "fetch",
    "formula",
    "fuse",
    "gate",
    "hardest",
    "heaps",
    "hook_expressions",
    "index_files",
    "judgments_among",
    "kappa",
    "kendall_tau",
    "kind_of",
    "lint",
    "load",
    "means",
    "measure_facts",
    "measure_form",
    "merge_qrels",
    "model",
    "models_stored",
    "named_measure",
    "near_duplicates",
    "needs",
    "paired_test",
    "parse_measures",
    "plot",
    "pool",
    "poorest",
    "precompute",
    "queries_needed",
    "randomised_tukey",
    "rank_biased_overlap",
    "read_doc_ids",
    "read_qrels",
    "read_queries",
    "read_run",
    "refuse_foreign",
    "refuse_loss",
    "report",
    "robustness",
    "run_confined",
    "sensitivity",
    "setting_text",
    "shared_terms",
    "side_by_side",
    "similar",
    "similarity",
    "similarity_matrix",
    "snippet",
    "standing",
    "storable_models",
    "suspicions",
    "tau_ap",
    "textbook_view",
    "tune",
    "turning_points",
    "typed_ranking",
    "unjudged_bounds",
    "unknown_words",
    "verify",
    "weight_curve",
    "worked_examples",
    "write_pool",
    "write_qrels",
    "write_run",
    "zipf",
]
