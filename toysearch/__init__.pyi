"""The public names with their types; __init__.py loads the same ones lazily (tests/test_public.py holds them equal)."""

from toysearch.analysis.analyzer import Analyzer
from toysearch.catalog import load
from toysearch.collection import Collection
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
from toysearch.explanations.causes import Cause, causes
from toysearch.explanations.examples import WorkedExample, worked_examples
from toysearch.explanations.measure import MeasureExplanation, explain_measure
from toysearch.explanations.poorest import HardQuery, PoorQuery, hardest, poorest
from toysearch.explanations.score import ScoreExplanation, TermShare, explain
from toysearch.explanations.snippet import Snippet, snippet
from toysearch.formats.judgments import read_qrels, write_qrels
from toysearch.formats.recognised import judgments_among, kind_of
from toysearch.formats.runs import read_run, write_run
from toysearch.index.index import Index
from toysearch.index.storage import check_index, index_files, refuse_foreign
from toysearch.ranking.model import STATISTICS, Model
from toysearch.ranking.registry import MODELS, model
from toysearch.ranking.similarity import VectorPair, similarity
from toysearch.records import Document, Qrel, Qrels, Query, Ranking, Run, ScoredDoc
from toysearch.searcher import Searcher

__version__: str

__all__ = [
    "AGGREGATES",
    "CONVENTIONS",
    "MEASURES",
    "MODELS",
    "PRESETS",
    "STATISTICS",
    "Analyzer",
    "ArgumentError",
    "Cause",
    "Collection",
    "Convention",
    "Curve",
    "DataError",
    "Document",
    "Evaluation",
    "Finding",
    "HardQuery",
    "Index",
    "Means",
    "Measure",
    "MeasureExplanation",
    "Model",
    "ModelError",
    "PoorQuery",
    "Qrel",
    "Qrels",
    "Query",
    "Ranking",
    "Run",
    "ScoreExplanation",
    "ScoredDoc",
    "Searcher",
    "SideBySide",
    "Snippet",
    "StorageError",
    "TermShare",
    "ToysearchError",
    "ToysearchNote",
    "Typed",
    "UnjudgedBounds",
    "VectorPair",
    "WorkedExample",
    "__version__",
    "all_measures",
    "causes",
    "check_index",
    "computable",
    "curve",
    "evaluate",
    "explain",
    "explain_measure",
    "hardest",
    "index_files",
    "judgments_among",
    "kind_of",
    "lint",
    "load",
    "means",
    "measure_facts",
    "measure_form",
    "model",
    "named_measure",
    "note",
    "parse_measures",
    "poorest",
    "read_qrels",
    "read_run",
    "refuse_foreign",
    "side_by_side",
    "similarity",
    "snippet",
    "suspicions",
    "typed_ranking",
    "unjudged_bounds",
    "worked_examples",
    "write_qrels",
    "write_run",
]
