"""The names of `toysearch.evaluation` with their types; __init__.py loads the same ones lazily."""

from toysearch.evaluation.judge_agreement import QueryTally as QueryTally
from toysearch.evaluation.judge_agreement import alpha_of_tallies as alpha_of_tallies
from toysearch.evaluation.judge_agreement import tally as tally
from toysearch.evaluation.measures.measure import ALIASES as ALIASES
from toysearch.evaluation.measures.measure import CUT as CUT
from toysearch.evaluation.measures.measure import SIZE as SIZE
from toysearch.evaluation.measures.measure import Measure as Measure
from toysearch.evaluation.measures.measure import mean_measures as mean_measures
from toysearch.evaluation.measures.measure import parse_measures as parse_measures
from toysearch.evaluation.measures.measure import with_size as with_size
from toysearch.evaluation.measures.trec_eval_only import PREFERENCE_MEASURES as PREFERENCE_MEASURES
from toysearch.evaluation.measures.trec_eval_only import preference_values as preference_values
from toysearch.evaluation.result import Evaluation as Evaluation
from toysearch.evaluation.result import harmonic as harmonic
