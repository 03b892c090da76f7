"""Compiled loops on postings and strings, each loaded at its first use; without them numpy does the same work."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    ".compiled.bit_packing": (
        "copy_bits measure pack pack_positions pick_documents renumber unpack_blocks unpack_positions"
    ),
    ".compiled.common_postings": "CommonPostings OpenedBlocks OpenedPositions",
    ".compiled.judged_ranks": "add_up place rank",
    ".compiled.term_lookup": "NearStrings NumberColumn StringTable TermBlocks",
}

__getattr__ = front(__name__, _HOMES)
