"""The names of `toysearch.models` with their types; __init__.py loads the same ones lazily."""

from toysearch.models.composed_models import is_whole as is_whole
from toysearch.models.mixture import ModelLike as ModelLike
from toysearch.models.mixture import is_mixture as is_mixture
from toysearch.models.mixture import parse_mixture as parse_mixture
from toysearch.models.model import ANY as ANY
from toysearch.models.model import TEXT as TEXT
from toysearch.models.model import Value as Value
from toysearch.models.model import public_name as public_name
from toysearch.models.model import range_text as range_text
from toysearch.models.model import value_text as value_text
from toysearch.models.ranker import feature_meaning as feature_meaning
