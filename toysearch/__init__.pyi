"""The public names with their types; __init__.py loads the same ones lazily (tests/test_public.py holds them equal)."""

from toysearch.analysis.analyzer import Analyzer
from toysearch.catalog import load
from toysearch.collection import Collection
from toysearch.errors import ArgumentError, DataError, ModelError, StorageError, ToysearchError, ToysearchNote, note
from toysearch.evaluation.evaluate import Evaluation, evaluate
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.explanations.poorest import PoorQuery, poorest
from toysearch.explanations.score import ScoreExplanation, TermShare, explain
from toysearch.explanations.snippet import Snippet, snippet
from toysearch.formats.trec import kind_of, read_qrels, read_run, write_run
from toysearch.index.index import Index
from toysearch.index.storage import check_index, index_files, refuse_foreign
from toysearch.ranking.model import STATISTICS, Model
from toysearch.ranking.registry import MODELS, model
from toysearch.ranking.similarity import VectorPair, similarity
from toysearch.records import Document, Qrel, Qrels, Query, Ranking, Run, ScoredDoc
from toysearch.searcher import Searcher

__version__: str

__all__ = [
    "MODELS",
    "STATISTICS",
    "Analyzer",
    "ArgumentError",
    "Collection",
    "DataError",
    "Document",
    "Evaluation",
    "Index",
    "Measure",
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
    "Snippet",
    "StorageError",
    "TermShare",
    "ToysearchError",
    "ToysearchNote",
    "VectorPair",
    "__version__",
    "check_index",
    "evaluate",
    "explain",
    "index_files",
    "kind_of",
    "load",
    "model",
    "note",
    "parse_measures",
    "poorest",
    "read_qrels",
    "read_run",
    "refuse_foreign",
    "similarity",
    "snippet",
    "write_run",
]
