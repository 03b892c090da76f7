"""The names of `toysearch.query` with their types; __init__.py loads the same ones lazily."""

from toysearch.query.automaton import Automaton as Automaton
from toysearch.query.automaton import Steps as Steps
from toysearch.query.lexer import QueryError as QueryError
from toysearch.query.modes import MODES as MODES
from toysearch.query.modes import settled_mode as settled_mode
from toysearch.query.parser import parse as parse
from toysearch.query.parser import read as read
from toysearch.query.syntax import And as And
from toysearch.query.syntax import Boost as Boost
from toysearch.query.syntax import Field as Field
from toysearch.query.syntax import Fuzzy as Fuzzy
from toysearch.query.syntax import Node as Node
from toysearch.query.syntax import Not as Not
from toysearch.query.syntax import Optional as Optional
from toysearch.query.syntax import Or as Or
from toysearch.query.syntax import Phrase as Phrase
from toysearch.query.syntax import Range as Range
from toysearch.query.syntax import Regex as Regex
from toysearch.query.syntax import Synonyms as Synonyms
from toysearch.query.syntax import Term as Term
from toysearch.query.syntax import Wildcard as Wildcard
from toysearch.query.syntax import all_of as all_of
from toysearch.query.syntax import one_of as one_of
from toysearch.query.syntax import parts as parts
