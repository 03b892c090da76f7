"""The public names with their types; __init__.py loads the same ones lazily (tests/test_public.py holds them equal)."""

from toysearch.analysis.analyzer import Analyzer
from toysearch.corpus.catalog import load
from toysearch.corpus.collection import Collection
from toysearch.corpus.conversion import convert
from toysearch.corpus.download import Fetched, fetch
from toysearch.diagnosis.checkup import Diagnosis, diagnose
from toysearch.duplicates import SimilarPair, duplicate_groups, near_duplicates
from toysearch.errors import ArgumentError, DataError, ModelError, StorageError, ToysearchError, ToysearchNote, note
from toysearch.evaluation.aggregates import AGGREGATES
from toysearch.evaluation.bounds import UnjudgedBounds, unjudged_bounds
from toysearch.evaluation.conventions import CONVENTIONS, Convention
from toysearch.evaluation.curves import Curve, curve
from toysearch.evaluation.described import measure_facts, measure_form, named_measure
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.lint import Finding, lint, suspicions
from toysearch.evaluation.means import Means, means
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.evaluation.measures import MEASURES
from toysearch.evaluation.names import PRESETS
from toysearch.evaluation.side_by_side import SideBySide, side_by_side
from toysearch.evaluation.typed import Typed, all_measures, computable, typed_ranking
from toysearch.experiments.evaluator import Evaluator
from toysearch.explanations.causes import Cause, causes
from toysearch.explanations.examples import WorkedExample, worked_examples
from toysearch.explanations.measure import MeasureExplanation, explain_measure
from toysearch.explanations.mixture import MixtureExplanation, explain_mixture
from toysearch.explanations.poorest import HardQuery, PoorQuery, hardest, poorest
from toysearch.explanations.score import ScoreExplanation, TermShare, explain
from toysearch.explanations.shared import SharedTerm, explain_similar, shared_terms
from toysearch.explanations.snippet import Snippet, snippet
from toysearch.explanations.textbook import CodedPosting, TextbookView, textbook_view
from toysearch.formats.doc_ids import read_doc_ids
from toysearch.formats.judgments import read_qrels, write_qrels
from toysearch.formats.recognised import judgments_among, kind_of
from toysearch.formats.runs import read_run, write_run
from toysearch.fusion import FUSION_METHODS, FusionMethod, fuse
from toysearch.index.changing import change_index
from toysearch.index.index import Index
from toysearch.index.laws import HeapsLaw, ZipfLaw, heaps, zipf
from toysearch.index.storage import check_index, index_files, refuse_foreign
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
from toysearch.searcher import Searcher

__version__: str

__all__ = [
    "AGGREGATES",
    "CONVENTIONS",
    "FUSION_METHODS",
    "MEASURES",
    "MODELS",
    "PRESETS",
    "STATISTICS",
    "Analyzer",
    "ArgumentError",
    "Cause",
    "CodedPosting",
    "Collection",
    "Convention",
    "Curve",
    "DataError",
    "Diagnosis",
    "Document",
    "Evaluation",
    "Evaluator",
    "Fetched",
    "Finding",
    "FusionMethod",
    "HardQuery",
    "HeapsLaw",
    "Index",
    "Means",
    "Measure",
    "MeasureExplanation",
    "Mixture",
    "MixtureExplanation",
    "Model",
    "ModelError",
    "Needs",
    "PoorQuery",
    "Qrel",
    "Qrels",
    "Query",
    "Ranking",
    "Run",
    "ScoreExplanation",
    "ScoredDoc",
    "Searcher",
    "SharedTerm",
    "SideBySide",
    "SimilarPair",
    "Snippet",
    "StorageError",
    "TermShare",
    "TextbookView",
    "ToysearchError",
    "ToysearchNote",
    "Typed",
    "UnjudgedBounds",
    "VectorPair",
    "WeightCurve",
    "WorkedExample",
    "ZipfLaw",
    "__version__",
    "all_measures",
    "bm25f",
    "causes",
    "change_index",
    "check_index",
    "computable",
    "convert",
    "curve",
    "describe_statistic",
    "diagnose",
    "duplicate_groups",
    "evaluate",
    "explain",
    "explain_measure",
    "explain_mixture",
    "explain_similar",
    "fetch",
    "formula",
    "fuse",
    "hardest",
    "heaps",
    "index_files",
    "judgments_among",
    "kind_of",
    "lint",
    "load",
    "means",
    "measure_facts",
    "measure_form",
    "model",
    "models_stored",
    "named_measure",
    "near_duplicates",
    "needs",
    "note",
    "parse_measures",
    "poorest",
    "precompute",
    "read_doc_ids",
    "read_qrels",
    "read_run",
    "refuse_foreign",
    "shared_terms",
    "side_by_side",
    "similar",
    "similarity",
    "similarity_matrix",
    "snippet",
    "storable_models",
    "suspicions",
    "textbook_view",
    "typed_ranking",
    "unjudged_bounds",
    "weight_curve",
    "worked_examples",
    "write_qrels",
    "write_run",
    "zipf",
]
