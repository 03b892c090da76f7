"""The names of `toysearch.search` with their types; __init__.py loads the same ones lazily."""

from toysearch.search.derived_terms import Words as Words
from toysearch.search.derived_terms import positions as positions
from toysearch.search.distributed_search import Ranked as Ranked
from toysearch.search.distributed_search import ranked_by as ranked_by
from toysearch.search.matching import whole_periods as whole_periods
from toysearch.search.scoring import QueryTerms as QueryTerms
from toysearch.search.scoring import Weights as Weights
from toysearch.search.scoring import in_turn as in_turn
from toysearch.search.scoring import plan as plan
from toysearch.search.scoring import term_counts as term_counts
from toysearch.search.scoring import term_text as term_text
from toysearch.search.searcher import IndexLike as IndexLike
from toysearch.search.searcher import Searcher as Searcher
from toysearch.search.searcher import SearcherLike as SearcherLike
from toysearch.search.searcher import index_of as index_of
from toysearch.search.searcher import searcher_of as searcher_of
