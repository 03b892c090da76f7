"""The names of `toysearch.models` with their types; __init__.py loads the same ones lazily."""

from toysearch.models.formula import PREFIX as PREFIX
from toysearch.models.model import ANY as ANY
from toysearch.models.model import STATISTICS as STATISTICS
from toysearch.models.model import TEXT as TEXT
from toysearch.models.model import Array as Array
from toysearch.models.model import Model as Model
from toysearch.models.model import Value as Value
from toysearch.models.model import call as call
from toysearch.models.model import describe_statistic as describe_statistic
from toysearch.models.model import field_statistic as field_statistic
from toysearch.models.model import index_needs as index_needs
from toysearch.models.model import is_of_document as is_of_document
from toysearch.models.model import is_shipped as is_shipped
from toysearch.models.model import names_of as names_of
from toysearch.models.model import public_name as public_name
from toysearch.models.model import range_text as range_text
from toysearch.models.model import value_text as value_text
from toysearch.models.prior import Prior as Prior
from toysearch.models.rankers import Factor as Factor
from toysearch.models.rankers import ModelLike as ModelLike
from toysearch.models.rankers import Ranker as Ranker
from toysearch.models.registry import MODELS as MODELS
from toysearch.models.registry import distinct as distinct
from toysearch.models.similarity import SIMILARITIES as SIMILARITIES
from toysearch.models.similarity import dot as dot
