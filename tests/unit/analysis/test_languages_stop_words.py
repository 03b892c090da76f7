"""Stop word lists: by name, from a file, as given."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
import stopwordsiso
from captured_notes import noted
from error_messages import raising
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from toysearch import Analyzer, Index, Searcher
from toysearch.analysis.languages import STEMMED, UNSTEMMED, default_list, stop_words
from toysearch.analysis.token_filters import stemmers
from toysearch.base.errors import ArgumentError, DataError, ToysearchError

WITHOUT_LIST = ["nepali", "serbian", "tamil", "yiddish"]


@pytest.mark.system
def test_scikit_learns_words_come_without_scikit_learn():
    script = (
        "import sys; from toysearch.analysis.languages import stop_words; words = stop_words('sklearn').words\n"
        "assert not [name for name in sys.modules if name.startswith(('sklearn', 'scipy'))]\n"
        "print(*words)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (set(done.stdout.split()), done.stderr) == (ENGLISH_STOP_WORDS, "")
    assert len(ENGLISH_STOP_WORDS) == 318


def test_no_words_own_words_and_the_list_of_a_language():
    for source in (None, "none", []):
        assert stop_words(source) == ("none", frozenset())
    assert stop_words(iter(["the", "of", "the"])) == ("own", {"the", "of"})
    assert stop_words("iso", "german") == ("iso", stopwordsiso.stopwords("de"))
    assert stop_words("iso", "english") == ("iso", stopwordsiso.stopwords("en"))


@pytest.mark.parametrize("language", [language for language in stemmers() if language not in WITHOUT_LIST])
def test_nearly_every_language_has_a_list(language):
    name = default_list(language)
    snowball = "danish dutch dutch_porter finnish french german hungarian italian norwegian portuguese russian spanish"
    of_snowball = [*snowball.split(), "swedish"]
    assert name == (
        "sklearn" if language in ("english", "porter") else "snowball" if language in of_snowball else "iso"
    )
    assert stop_words(name, language).words


@pytest.mark.parametrize("language", ["danish", "german", "hungarian", "italian", "portuguese", "russian", "swedish"])
def test_the_words_of_the_short_lists_are_nearly_all_on_the_long_ones(language):
    short, long = stop_words("snowball", language).words, stop_words("iso", language).words
    assert 80 < len(short) < len(long)
    assert len(short - long) < 0.2 * len(short)


def test_snowballs_french_list_leaves_out_homonyms():
    words = stop_words("snowball", "french").words
    assert {"les", "était", "qu", "même"} <= words
    assert not {"été", "est", "son", "hui", "sommes"} & words


@pytest.mark.parametrize("language", WITHOUT_LIST)
def test_a_language_without_a_list_gets_a_note(language):
    with noted() as notes:
        assert default_list(language) == "none"
    assert notes == [f"no list of stop words is known for {language}: its words are stemmed and none is left out"]


def test_a_file_has_one_word_a_line_and_comments(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeff# mine\r\nthe\r\n\r\n  of   # often\r\nc#\r\nnaïve".encode())
    for source in (path, str(path)):
        assert stop_words(source) == ("own", {"the", "of", "c#", "naïve"})
    packed = tmp_path / "words.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert stop_words(packed) == stop_words(path)


def test_a_line_with_two_words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("the\nof course # never\n")
    with raising(DataError, f"{path}:2: expected one word per line, found 2: 'of course # never'"):
        stop_words(path)


LISTS = "none, sklearn, lucene, snowball, iso"


@pytest.mark.parametrize(
    ("source", "language", "sentence"),
    [
        (["the", 5], None, "stop words must be strings, not int: 5"),
        (5, None, "stop words are the name of a list, a file, or the words, not 5"),
        ("iso", None, "the stop words 'iso' are one list per language; name the language too"),
        ("iso", "tamil", "the stop words 'iso' have no list for tamil; give your own file, or none"),
        (
            "sklaern",
            None,
            "unknown stop word list or file 'sklaern'; did you mean 'sklearn'? Stop word lists: " + LISTS,
        ),
        (Path("gone.txt"), None, "gone.txt: there is no such file"),
        (Path(), None, ". is a folder; expected a file"),
        *(
            (
                name,
                None,
                f"'{name}' is a language, not a list of stop words: Index.build(…, analyzer=Analyzer.parse('{name}')) "
                f"uses its list; the lists are {LISTS}",
            )
            for name in ("english", "de", "Deutsch")
        ),
    ],
)
def test_what_is_no_list_of_stop_words(source, language, sentence):
    with raising(ToysearchError, sentence):
        stop_words(source, *([language] if language else []))


def test_a_file_has_a_word_a_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# names\nBoeing\n\n  flying # a word\nc#\n")
    analyzer = Analyzer(protected=path, stem="english", tokens=r"\S+")
    assert analyzer.protected == {"boeing", "flying", "c#"}
    assert analyzer("flying planes Boeing") == ["flying", "plane", "boeing"]
    assert analyzer == Analyzer(protected=["C#", "Flying", "BOEING"], stem="english", tokens=r"\S+")


def test_a_line_that_is_no_single_token(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cat\ne-mail\n")
    with raising(DataError, f"{path}:2: expected a single token, found 'e-mail': the analyzer makes 'mail' of it"):
        Analyzer(protected=str(path))
    path.write_text("cat\n\ntom cat\n")
    with raising(DataError, f"{path}:3: expected one word per line, found 2: 'tom cat'"):
        Analyzer(protected=str(path))


def test_a_word_that_can_never_be_a_token():
    for word, problem in (
        ("tom cat", "the analyzer makes 'tom', 'cat' of it"),
        ("", "it contains no token"),
        ("a b", "it contains no token"),
        (" cat", "the analyzer makes 'cat' of it"),
    ):
        with raising(ArgumentError, f"expected a single token, found '{word}': {problem}"):
            Analyzer(protected=[word])
    # of a pattern with a group nothing can be said
    assert Analyzer(tokens=r"\w(\w*)", protected=["the"]).protected == {"the"}
    with pytest.raises(ArgumentError, match="expected a single token, found 'tom cat'"):
        Analyzer(tokens=r"\w(\w*)", protected=["tom cat"])


LISTED = [language for language in [*STEMMED, *UNSTEMMED] if language not in WITHOUT_LIST]


@pytest.mark.parametrize("language", LISTED)
def test_a_query_with_stop_words_and_without_them_ranks_alike(language):
    analyzer = Analyzer.for_language(language)
    cut = analyzer.tokenizer
    listed = sorted(stop_words(default_list(language), language).words)
    stop = [word for word in listed if cut(word) == [cut.prepared(word)]]  # not c'hwi, which is two words of a query
    assert len(stop) > 25
    first, between, last = (" ".join(stop[at::3]) for at in range(3))
    texts = [f"karlovi {first} zuborek", f"{between} zuborek", "karlovi mentula zuborek", " ".join(stop), last * 2]
    searcher = Searcher(Index.build(texts, analyzer))
    bare = list(searcher.search("karlovi zuborek"))
    assert [hit.doc_id for hit in bare] == ["1", "3", "2"]
    assert list(searcher.search(f"{first} karlovi {between} zuborek {last}")) == bare
