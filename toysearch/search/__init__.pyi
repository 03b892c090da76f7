"""The names of `toysearch.search` with their types; __init__.py loads the same ones lazily."""

from toysearch.search.derived_terms import Words as Words
from toysearch.search.derived_terms import positions as positions
from toysearch.search.distributed_search import Ranked as Ranked
from toysearch.search.distributed_search import ranked_by as ranked_by
from toysearch.search.matching import whole_periods as whole_periods
from toysearch.search.scoring import QueryTerms as QueryTerms
from toysearch.search.searcher import IndexLike as IndexLike
