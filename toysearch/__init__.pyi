"""The public names with their types; __init__.py loads the same ones lazily (tests/test_public.py holds them equal)."""

from toysearch.analysis.analyzer import Analyzer
from toysearch.corpus.catalog import collections, load
from toysearch.corpus.collection import Collection
from toysearch.corpus.conversion import convert
from toysearch.corpus.download import Fetched, fetch
from toysearch.corpus.topics import read_queries
from toysearch.diagnosis.checkup import Diagnosis, diagnose
from toysearch.duplicates import SimilarPair, duplicate_groups, near_duplicates
from toysearch.errors import ArgumentError, DataError, ModelError, StorageError, ToysearchError, ToysearchNote, note
from toysearch.evaluation.bounds import UnjudgedBounds, unjudged_bounds
from toysearch.evaluation.conventions import SideBySide, side_by_side
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
from toysearch.evaluation.lint import Finding, doubts, lint, suspicions
from toysearch.evaluation.means import AGGREGATES, Means, means
from toysearch.evaluation.measure import Measure, named_measure, parse_measures
from toysearch.evaluation.measures import MEASURES, measure_facts, measure_form
from toysearch.evaluation.names import PRESETS
from toysearch.evaluation.pooling import Contribution, Pool, divide_pool, pool, write_pool
from toysearch.evaluation.rules import CONVENTIONS, Convention
from toysearch.evaluation.typed import Typed, all_measures, computable, typed_ranking
from toysearch.experiments.ablation import Ablation, Switched, ablate
from toysearch.experiments.agreement import Agreement, agreement, kendall_tau, rank_biased_overlap, tau_ap
from toysearch.experiments.caveats import Caveat, caveats
from toysearch.experiments.comparison import Comparison, compare
from toysearch.experiments.corrections import CORRECTIONS, corrected
from toysearch.experiments.diff import Diff, MovedDocument, QueryDiff, diff
from toysearch.experiments.evaluator import Evaluator
from toysearch.experiments.gate.gate import GateResult, gate
from toysearch.experiments.grids import setting_text
from toysearch.experiments.power import Sensitivity, detectable_difference, queries_needed, sensitivity
from toysearch.experiments.robustness.scorecard import Robustness, robustness
from toysearch.experiments.significance import TESTS, TestResult, paired_test
from toysearch.experiments.tukey import randomised_tukey
from toysearch.experiments.tuned import Tuning, TuningProgress
from toysearch.experiments.tuning import tune
from toysearch.experiments.verification import VERIFIED_MODELS, Verification, Verified, verify
from toysearch.experiments.watching import Saved, Watch
from toysearch.explanations.causes import Cause, causes
from toysearch.explanations.examples import WorkedExample, worked_examples
from toysearch.explanations.expression import Expression, expressions
from toysearch.explanations.hooks import HookExpressions, hook_expressions
from toysearch.explanations.measure import MeasureExplanation, explain_measure
from toysearch.explanations.mixture import MixtureExplanation, explain
from toysearch.explanations.order import OrderExplanation, explain_order, standing
from toysearch.explanations.poorest import HardQuery, PoorQuery, hardest, poorest
from toysearch.explanations.score import ScoreExplanation, TermShare
from toysearch.explanations.shared import SharedTerm, explain_similar, shared_terms
from toysearch.explanations.snippet import Snippet, snippet
from toysearch.explanations.textbook import CodedPosting, TextbookView, textbook_view
from toysearch.explanations.turning import Turn, turning_points
from toysearch.formats.doc_ids import read_doc_ids
from toysearch.formats.judgments import read_qrels, write_qrels
from toysearch.formats.made import refuse_loss
from toysearch.formats.recognised import judgments_among, kind_of
from toysearch.formats.runs import read_run, write_run
from toysearch.fusion import FUSION_METHODS, FusionMethod, fuse
from toysearch.index.changing import change_index
from toysearch.index.index import Index, damage_of_opened
from toysearch.index.laws import HeapsLaw, ZipfLaw, heaps, zipf
from toysearch.index.storage import check_index, index_files, refuse_foreign
from toysearch.leaderboard.board import Leaderboard, Standing
from toysearch.neighbours import similar, similarity_matrix
from toysearch.ranking.curve import WeightCurve, weight_curve
from toysearch.ranking.fields import bm25f
from toysearch.ranking.formula import formula
from toysearch.ranking.mixture import Mixture, Needs, needs
from toysearch.ranking.model import STATISTICS, Model, describe_statistic
from toysearch.ranking.precomputing import precompute, storable_models
from toysearch.ranking.registry import MODELS, model
from toysearch.ranking.similarity import VectorPair, similarity
from toysearch.ranking.weights import models_stored
from toysearch.records import Document, Qrel, Qrels, Query, Ranking, Run, ScoredDoc
from toysearch.reports.notebook import as_frame, as_html
from toysearch.reports.report import Report, report
from toysearch.reports.shown import as_text
from toysearch.reports.single import PLOTS, Plot, plot
from toysearch.sandbox.confined import run_confined
from toysearch.sandbox.outcome import Confined, Limits
from toysearch.searcher import Searcher
from toysearch.spelling import UnknownWord, unknown_words

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
    "note",
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
