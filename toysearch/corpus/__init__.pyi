"""The names of `toysearch.corpus` with their types; __init__.py loads the same ones lazily."""

from toysearch.corpus.catalog import VARIABLE as VARIABLE
from toysearch.corpus.catalog import described as described
from toysearch.corpus.catalog import load as load
from toysearch.corpus.catalog import names as names
from toysearch.corpus.catalog import places as places
from toysearch.corpus.collection import Collection as Collection
from toysearch.corpus.collection import Gains as Gains
from toysearch.corpus.collection import Queries as Queries
from toysearch.corpus.collection import apply_gains as apply_gains
from toysearch.corpus.collection import choose_grades as choose_grades
from toysearch.corpus.document_shares import NoDocuments as NoDocuments
from toysearch.corpus.document_shares import Share as Share
from toysearch.corpus.document_shares import SharedPlace as SharedPlace
from toysearch.corpus.document_shares import cut_in_shares as cut_in_shares
from toysearch.corpus.document_shares import has_late_title as has_late_title
from toysearch.corpus.document_shares import of_share as of_share
from toysearch.corpus.document_shares import place_of_documents as place_of_documents
from toysearch.corpus.download import fetch as fetch
from toysearch.corpus.loader import load_recipe as load_recipe
from toysearch.corpus.query_sources import QueriesLike as QueriesLike
from toysearch.corpus.query_sources import read_queries as read_queries
from toysearch.corpus.recipe import FILE_NAME as FILE_NAME
from toysearch.corpus.recipe import Recipe as Recipe
from toysearch.corpus.recipe import RecipeFile as RecipeFile
from toysearch.corpus.recipe import read_recipe as read_recipe
