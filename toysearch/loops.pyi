"""The names of `toysearch.loops` with their types; loops.py loads the same ones lazily."""

from toysearch.compiled.bit_packing import copy_bits as copy_bits
from toysearch.compiled.bit_packing import measure as measure
from toysearch.compiled.bit_packing import pack as pack
from toysearch.compiled.bit_packing import pack_positions as pack_positions
from toysearch.compiled.bit_packing import pick_documents as pick_documents
from toysearch.compiled.bit_packing import renumber as renumber
from toysearch.compiled.bit_packing import unpack_blocks as unpack_blocks
from toysearch.compiled.bit_packing import unpack_positions as unpack_positions
from toysearch.compiled.common_postings import CommonPostings as CommonPostings
from toysearch.compiled.common_postings import OpenedBlocks as OpenedBlocks
from toysearch.compiled.common_postings import OpenedPositions as OpenedPositions
from toysearch.compiled.judged_ranks import add_up as add_up
from toysearch.compiled.judged_ranks import place as place
from toysearch.compiled.judged_ranks import rank as rank
from toysearch.compiled.term_lookup import NearStrings as NearStrings
from toysearch.compiled.term_lookup import NumberColumn as NumberColumn
from toysearch.compiled.term_lookup import StringTable as StringTable
from toysearch.compiled.term_lookup import TermBlocks as TermBlocks
