"""What a command is made of: options, output and sources."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "collections.check": "limit_options",
    "commands": "Command SuggestingGroup examples",
    "options": "POSITIVE SourceOptions analyzer_for depth_option judged_options models_option option "
    "output_options source_options",
    "output": "emit force_option keep keeping paragraph progress remark show",
    "sources": "load_source needs_of study_of",
}

__getattr__ = front(__name__, _HOMES)
