"""What every part of the package uses: records, errors and notes as sentences, checks of arguments, wording.

Names are imported from here, as in ``from toysearch.base import ArgumentError, checked``; each loads its own module.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for this: Ctrl-C works only after this file has been read
if TYPE_CHECKING:
    from typing import Any

_HOMES = {
    "annexes": "annex",
    "argument_checks": "checked numbers",
    "errors": "ArgumentError DataError ModelError NoMatchNote Problems QueryNote StorageError ToysearchError "
    "ToysearchNote collected_notes has_no malformed near_name note unknown without_notes",
    "optional_packages": "PAGE of_charts present",
    "ranking": "Ranking ScoredDoc",
    "records": "Document Qrels Query Run ordered trec_eval_order",
    "remedies": "Remedy",
    "display": "Column Marked Part Result ResultTable Sentences number_columns plain",
    "spec": "parse_spec",
    "steps": "ended_by go_on",
    "tasks": "REPORT Tell all_done each_done report workers_of",
    "time_limit": "SECONDS TooLong at_most",
    "user_cache": "cache_folder compiled_loops",
    "wide_counts": "count_each reduce_at repeat_each",
    "wording": "agreeing byte_size counted cut encodable listed one_line percent sentence spreadsheet_text",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A name of one of the modules, which is loaded at first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'toysearch.base' has no attribute '{name}'")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(f"toysearch.base.{_HOME[name]}"), name)
    return value
