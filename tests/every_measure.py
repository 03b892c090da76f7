"""Every built-in measure: those that are listed, and those of trec_eval alone."""

from toysearch.evaluation.measures.measure import MEASURES, OF_TREC_EVAL, defined_measure

DEFINITIONS = {name: defined_measure(name) for name in [*MEASURES, *OF_TREC_EVAL]}
"""Name → definition."""
