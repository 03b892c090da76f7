"""What other folders need to choose between plain and compiled loops, and the loops on postings and strings."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "bit_packing": "measure pack pack_positions pick_documents unpack_blocks unpack_positions",
    "common_postings": "CommonPostings OpenedBlocks OpenedPositions",
    "judged_ranks": "add_up place rank",
    "plain_or_compiled": "beside compiled cores",
    "term_lookup": "NearStrings NumberColumn StringTable TermBlocks error_score",
}

__getattr__ = front(__name__, _HOMES)
