"""The names of `toysearch.search` with their types; __init__.py loads the same ones lazily."""

from toysearch.search.completion import completions as completions
from toysearch.search.expansions import Feedback as Feedback
from toysearch.search.filters_and_facets import fields_of as fields_of
from toysearch.search.filters_and_facets import filter_tree as filter_tree
from toysearch.search.fusion import FUSION_METHODS as FUSION_METHODS
from toysearch.search.matching import named_fields as named_fields
from toysearch.search.matching import unrequired_filters as unrequired_filters
from toysearch.search.relevance_feedback import search_again as search_again
from toysearch.search.scorers import scorer_of as scorer_of
from toysearch.search.scoring import Weights as Weights
from toysearch.search.scoring import in_turn as in_turn
from toysearch.search.searcher import IndexLike as IndexLike
from toysearch.search.searcher import Searcher as Searcher
from toysearch.search.searcher import SearcherLike as SearcherLike
from toysearch.search.searcher import index_of as index_of
from toysearch.search.searcher import searcher_of as searcher_of
from toysearch.search.similar_documents import duplicate_groups as duplicate_groups
from toysearch.search.similar_documents import near_duplicates as near_duplicates
from toysearch.search.similar_documents import similarity_matrix as similarity_matrix
from toysearch.search.snippets import snippet as snippet
from toysearch.search.terms import QueryTerms as QueryTerms
from toysearch.search.terms import term_counts as term_counts
from toysearch.search.terms import term_text as term_text
from toysearch.search.typed_query import TypedQuery as TypedQuery
from toysearch.search.typed_query import read_typed as read_typed
from toysearch.search.typed_query import tell_spelling as tell_spelling
