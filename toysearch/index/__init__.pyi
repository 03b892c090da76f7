"""The names of `toysearch.index` with their types; __init__.py loads the same ones lazily."""

from toysearch.index.content_checks import check_index as check_index
from toysearch.index.file_layout import MANIFEST as MANIFEST
from toysearch.index.file_layout import is_index_folder as is_index_folder
from toysearch.index.index_change import change_index as change_index
from toysearch.index.inverted_index import Index as Index
from toysearch.index.latent_topics import idf as idf
from toysearch.index.listed_files import index_files as index_files
from toysearch.index.merge import differences as differences
from toysearch.index.merge import made_like as made_like
from toysearch.index.merge import synced as synced
from toysearch.index.posting_blocks import common_postings as common_postings
from toysearch.index.postings import NO_NUMBERS as NO_NUMBERS
from toysearch.index.postings import Postings as Postings
from toysearch.index.postings import contained as contained
from toysearch.index.postings import offsets_of as offsets_of
from toysearch.index.postings import ranges_of as ranges_of
from toysearch.index.postings import rows_of as rows_of
from toysearch.index.saving import refuse_foreign as refuse_foreign
from toysearch.index.stored_values import note_left_out as note_left_out
from toysearch.index.strings import Picked as Picked
from toysearch.index.strings import Strings as Strings
from toysearch.index.typed_values import holds_dates as holds_dates
from toysearch.index.typed_values import number_in as number_in
