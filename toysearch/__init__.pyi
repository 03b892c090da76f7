"""The names in front with their types; __init__.py loads the same ones lazily (tests/test_public.py compares them)."""

from toysearch.analysis.analyzer import Analyzer as Analyzer
from toysearch.corpus.catalog import collections as collections
from toysearch.corpus.catalog import load as load
from toysearch.corpus.collection import Collection as Collection
from toysearch.corpus.conversion import convert as convert
from toysearch.errors import ToysearchError as ToysearchError
from toysearch.errors import ToysearchNote as ToysearchNote
from toysearch.evaluation.evaluate import evaluate as evaluate
from toysearch.evaluation.judge_agreement import kappa as kappa
from toysearch.evaluation.measures.all_measures import MEASURES as MEASURES
from toysearch.evaluation.pooling import pool as pool
from toysearch.evaluation.typed_ranking import typed_ranking as typed_ranking
from toysearch.formats.qrels import read_qrels as read_qrels
from toysearch.formats.qrels import write_qrels as write_qrels
from toysearch.formats.runs import read_run as read_run
from toysearch.formats.runs import write_run as write_run
from toysearch.index.inverted_index import Index as Index
from toysearch.laboratory.corpus_check.diagnosis import diagnose as diagnose
from toysearch.laboratory.experiments.ablation import ablate as ablate
from toysearch.laboratory.experiments.comparison import compare as compare
from toysearch.laboratory.experiments.fast_evaluator import Evaluator as Evaluator
from toysearch.laboratory.experiments.gate.gate_outcome import gate as gate
from toysearch.laboratory.experiments.robustness.scorecard import robustness as robustness
from toysearch.laboratory.experiments.run_diff import diff as diff
from toysearch.laboratory.experiments.stats.significance import paired_test as paired_test
from toysearch.laboratory.experiments.tuning import tune as tune
from toysearch.laboratory.explain.document_comparison import explain_order as explain_order
from toysearch.laboratory.explain.measure_explanation import explain_measure as explain_measure
from toysearch.laboratory.explain.score_explanation import explain as explain
from toysearch.laboratory.explain.worked_examples import worked_examples as worked_examples
from toysearch.laboratory.reports.chart_files import plot as plot
from toysearch.laboratory.reports.system_report import report as report
from toysearch.models.formula import formula as formula
from toysearch.models.registry import MODELS as MODELS
from toysearch.models.registry import model as model
from toysearch.models.weight_curve import weight_curve as weight_curve
from toysearch.ranking import Ranking as Ranking
from toysearch.records import Document as Document
from toysearch.records import Qrels as Qrels
from toysearch.records import Query as Query
from toysearch.records import Run as Run
from toysearch.search.fusion import fuse as fuse
from toysearch.search.searcher import Searcher as Searcher
from toysearch.search.similar_documents import similar as similar

__version__: str
