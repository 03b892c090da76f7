"""The names of `toysearch.formats` with their types; __init__.py loads the same ones lazily."""

from toysearch.formats.event_log import AppendLog as AppendLog
from toysearch.formats.event_log import logged as logged
from toysearch.formats.runs_and_judgments import QrelsLike as QrelsLike
from toysearch.formats.runs_and_judgments import RunLike as RunLike
from toysearch.formats.runs_and_judgments import as_run as as_run
from toysearch.formats.runs_and_judgments import either_order as either_order
from toysearch.formats.runs_and_judgments import judgments_of as judgments_of
from toysearch.formats.runs_and_judgments import read_run as read_run
from toysearch.formats.text_files import DAMAGE as DAMAGE
from toysearch.formats.text_files import damaged as damaged
from toysearch.formats.text_files import finite_number as finite_number
from toysearch.formats.text_files import numbered_lines as numbered_lines
from toysearch.formats.text_files import open_bytes as open_bytes
from toysearch.formats.trec import TrecColumns as TrecColumns
from toysearch.formats.trec import trec_rows as trec_rows
from toysearch.formats.writing import CIFF_MARK as CIFF_MARK
from toysearch.formats.writing import PAGE_MARK as PAGE_MARK
from toysearch.formats.writing import replacing as replacing
from toysearch.formats.writing import replacing_bytes as replacing_bytes
from toysearch.formats.writing import write_texts as write_texts
