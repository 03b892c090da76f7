"""The names of `toysearch.evaluation` with their types; __init__.py loads the same ones lazily."""

from toysearch.evaluation.convention_effects import side_by_side as side_by_side
from toysearch.evaluation.conventions import Convention as Convention
from toysearch.evaluation.evaluate import DEFAULT_MEASURES as DEFAULT_MEASURES
from toysearch.evaluation.evaluate import out_of_reach as out_of_reach
from toysearch.evaluation.joined_run import JoinedRun as JoinedRun
from toysearch.evaluation.joined_run import condensed as condensed
from toysearch.evaluation.joined_run import join as join
from toysearch.evaluation.measures.definition import LOG2 as LOG2
from toysearch.evaluation.measures.definition import Definition as Definition
from toysearch.evaluation.measures.definition import Mapped as Mapped
from toysearch.evaluation.measures.definition import Parameter as Parameter
from toysearch.evaluation.measures.definition import Piece as Piece
from toysearch.evaluation.measures.definition import Sum as Sum
from toysearch.evaluation.measures.definition import Terms as Terms
from toysearch.evaluation.measures.definition import Value as Value
from toysearch.evaluation.measures.definition import fraction as fraction
from toysearch.evaluation.measures.graded import top_of_scale as top_of_scale
from toysearch.evaluation.measures.measure import SIZE as SIZE
from toysearch.evaluation.measures.measure import Measure as Measure
from toysearch.evaluation.measures.measure import mean_measures as mean_measures
from toysearch.evaluation.measures.measure import parse_measures as parse_measures
from toysearch.evaluation.measures.measure import placed as placed
from toysearch.evaluation.measures.measure import with_size as with_size
from toysearch.evaluation.typed_ranking import all_measures as all_measures
from toysearch.evaluation.typed_ranking import computable as computable
from toysearch.evaluation.values_and_means import Evaluation as Evaluation
