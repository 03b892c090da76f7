"""The names of `toysearch.cli` with their types; __init__.py loads the same ones lazily."""

from toysearch.cli.collections.check import limit_options as limit_options
from toysearch.cli.commands import Command as Command
from toysearch.cli.commands import SuggestingGroup as SuggestingGroup
from toysearch.cli.commands import examples as examples
from toysearch.cli.options import POSITIVE as POSITIVE
from toysearch.cli.options import SourceOptions as SourceOptions
from toysearch.cli.options import analyzer_for as analyzer_for
from toysearch.cli.options import depth_option as depth_option
from toysearch.cli.options import judged_options as judged_options
from toysearch.cli.options import models_option as models_option
from toysearch.cli.options import option as option
from toysearch.cli.options import output_options as output_options
from toysearch.cli.options import source_options as source_options
from toysearch.cli.output import emit as emit
from toysearch.cli.output import force_option as force_option
from toysearch.cli.output import keep as keep
from toysearch.cli.output import keeping as keeping
from toysearch.cli.output import paragraph as paragraph
from toysearch.cli.output import progress as progress
from toysearch.cli.output import remark as remark
from toysearch.cli.output import show as show
from toysearch.cli.sources import load_source as load_source
from toysearch.cli.sources import needs_of as needs_of
from toysearch.cli.sources import study_of as study_of
