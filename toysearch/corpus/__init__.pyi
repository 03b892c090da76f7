"""The names of `toysearch.corpus` with their types; __init__.py loads the same ones lazily."""

from toysearch.corpus.catalog import VARIABLE as VARIABLE
from toysearch.corpus.catalog import bundled as bundled
from toysearch.corpus.catalog import described as described
from toysearch.corpus.catalog import load as load
from toysearch.corpus.catalog import names as names
from toysearch.corpus.catalog import places as places
from toysearch.corpus.catalog import without_texts as without_texts
from toysearch.corpus.collection import Collection as Collection
from toysearch.corpus.collection import Queries as Queries
from toysearch.corpus.download import fetch as fetch
from toysearch.corpus.grades import AS_GIVEN as AS_GIVEN
from toysearch.corpus.grades import Gains as Gains
from toysearch.corpus.grades import apply_gains as apply_gains
from toysearch.corpus.grades import choose_grades as choose_grades
from toysearch.corpus.loader import load_recipe as load_recipe
from toysearch.corpus.query_sources import QueriesLike as QueriesLike
from toysearch.corpus.query_sources import read_queries as read_queries
from toysearch.corpus.recipe import FILE_NAME as FILE_NAME
from toysearch.corpus.recipe import Recipe as Recipe
from toysearch.corpus.recipe import RecipeFile as RecipeFile
from toysearch.corpus.recipe import named_fields as named_fields
from toysearch.corpus.recipe import read_recipe as read_recipe
from toysearch.corpus.recipe import recipe_of_layout as recipe_of_layout
from toysearch.corpus.recipe import spelt_fields as spelt_fields
