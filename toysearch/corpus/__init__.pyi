"""The names of `toysearch.corpus` with their types; __init__.py loads the same ones lazily."""

from toysearch.corpus.catalog import VARIABLE as VARIABLE
from toysearch.corpus.catalog import load as load
from toysearch.corpus.catalog import places as places
from toysearch.corpus.collection import Collection as Collection
from toysearch.corpus.document_shares import NoDocuments as NoDocuments
from toysearch.corpus.document_shares import Share as Share
from toysearch.corpus.document_shares import SharedPlace as SharedPlace
from toysearch.corpus.document_shares import cut_in_shares as cut_in_shares
from toysearch.corpus.document_shares import has_late_title as has_late_title
from toysearch.corpus.document_shares import of_share as of_share
from toysearch.corpus.document_shares import place_of_documents as place_of_documents
from toysearch.corpus.download import fetch as fetch
from toysearch.corpus.recipe import Recipe as Recipe
