"""Word counts as at UCI and in SVMlight: what they stand for, where their words are found, and what is malformed."""

import gzip
import pickle
from copy import copy
from functools import partial

import pytest
from error_messages import raising
from small_collections import write_files

from toysearch.base.documents import CountedWords, Document
from toysearch.base.errors import DataError
from toysearch.files.document_formats import Rejected, read_records
from toysearch.files.folder_layout import layout_of_file, layout_of_folder
from toysearch.files.recognise import kind_of, what_is

read_docword = partial(read_records, "docword", "documents")
read_svmlight = partial(read_records, "svmlight", "documents")
WORDS = "the\ncat\nsat\n"
COUNTS = "4\n3\n4\n1 1 2\n1 3 1\n3 2 1\n3 1 1\n"
TEXTS = [("1", "the the sat"), ("2", ""), ("3", "cat the"), ("4", "")]
LINES = "0 1:2 3:1\n0\n0 2:1 1:1\n0 # nothing\n"


def texts_of(records) -> list[tuple[str, str]]:
    """The ids of records with their words."""
    return [(doc_id, str(fields["text"])) for _, doc_id, fields in records]


def test_words_keep_the_length_of_their_text() -> None:
    words = CountedWords("the cat", 30)
    assert (words, words.size) == ("the cat", 30)
    assert [each.size for each in (copy(words), pickle.loads(pickle.dumps(words)))] == [30, 30]
    joined = CountedWords.joined([words, "übel", CountedWords("", 0), CountedWords("", 3)])
    assert (joined, joined.size) == ("the cat übel ", 30 + 1 + 5 + 1 + 3)
    assert CountedWords.joined([words]) is words
    assert (CountedWords.joined([]), CountedWords.joined([]).size) == ("", 0)
    assert [bool(CountedWords("", 0)), bool(CountedWords("", 3))] == [False, True]
    assert repr(Document("1", words)) == "Document(doc_id='1', text=<2 words>)"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("vocabulary", ["vocab.pets.txt", "vocab.txt", "vocab.txt.gz"])
def test_the_documents_of_uci(tmp_path, packed, vocabulary) -> None:
    words = gzip.compress(WORDS.encode()) if vocabulary.endswith(".gz") else WORDS
    counts = gzip.compress(COUNTS.encode()) if packed else COUNTS
    path = tmp_path / f"docword.pets.txt{'.gz' if packed else ''}"
    write_files(tmp_path, **{path.name: counts, vocabulary: words})
    records = list(read_docword(path))
    assert texts_of(records) == TEXTS
    assert [line for line, _, _ in records] == [4, 6, 6, 3]
    assert what_is(path).form == "docword"


@pytest.mark.parametrize("vocabulary", ["pets.vocab", "vocab.txt"])
def test_the_documents_of_svmlight(tmp_path, vocabulary) -> None:
    write_files(tmp_path, **{"pets.svm": LINES, vocabulary: WORDS})
    records = list(read_svmlight(tmp_path / "pets.svm"))
    assert texts_of(records) == TEXTS
    assert [line for line, _, _ in records] == [1, 2, 3, 4]
    assert what_is(tmp_path / "pets.svm").form == "svmlight"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("0 0:1\n0 2:1\n", ["the", "sat"]),
        ("0 1:1\n0 2:1\n", ["the", "cat"]),
        ("# Column indices are zero-based\n0 1:1\n0 2:1\n", ["cat", "sat"]),
        ("# 17 words, one-based\n0 1:1\n0 2:1\n", ["the", "cat"]),
    ],
)
def test_words_are_numbered_from_0_or_from_1(tmp_path, lines, words) -> None:
    write_files(tmp_path, **{"pets.svm": lines, "vocab.txt": WORDS})
    assert [text for _, text in texts_of(read_svmlight(tmp_path / "pets.svm"))] == words


def test_labels_and_comments_are_ids_lengths_and_fields(tmp_path) -> None:
    lines = "-1 1:1 # docid = d7 bytes=40 year=2012\n\n0 2:2.0\n1,3 3:1 # a remark\n"
    write_files(tmp_path, **{"pets.svm": lines, "vocab.txt": WORDS})
    records = list(read_svmlight(tmp_path / "pets.svm"))
    assert records == [
        (1, "d7", {"text": "the", "label": "-1", "year": "2012"}),
        (3, "2", {"text": "cat cat"}),
        (4, "3", {"text": "sat", "label": "1,3"}),
    ]
    assert [fields["text"].size for _, _, fields in records] == [40, 7, 3]


def test_words_of_queries_are_in_alphabetical_order(tmp_path) -> None:
    write_files(tmp_path, **{"queries.svm": "0 1:2 2:1\n", "vocab.txt": WORDS})
    assert list(read_records("svmlight", "queries", tmp_path / "queries.svm")) == [(1, "1", {"text": "cat the the"})]


LARGE = "the counts up to here stand for more than 64 MB of words, and are far higher than term frequencies are"
COUNT = "expected a whole number of at least 1 as the count of word"
PLACED = "expected the number of a word from {}, found {}; the words are in {{vocab}}"
MALFORMED_DOCWORD = {
    "nothing": ("", ":1: expected the number of documents, found ''"),
    "no number": ("4 3\n3\n4\n1 1 2\n", ":1: expected the number of documents, found '4 3'"),
    "other words": ("4\n5\n1\n1 1 2\n", ":2: expected the number of words, found 5; {vocab} has 3"),
    "no lines": ("4\n3\n-1\n", ":3: expected the number of lines that follow, found '-1'"),
    "too few lines": ("4\n3\n2\n1 1 2\n", ":3: expected the number of lines that follow, 1, found 2"),
    "too many lines": ("4\n3\n1\n1 1 2\n1 2 2\n", ":3: expected the number of lines that follow, 2, found 1"),
    "two columns": ("4\n3\n1\n1 2\n", ":4: expected 3 columns (document word count), found 2: '1 2'"),
    "document 0": ("4\n3\n1\n0 1 2\n", ":4: expected a document from 1 to 4, found '0'"),
    "document 5": ("4\n3\n2\n1 1 2\n5 1 2\n", ":5: expected a document from 1 to 4, found '5'"),
    "out of order": ("4\n3\n2\n2 1 2\n1 1 2\n", ":5: document 1 comes after document 2; sort the lines by document"),
    "word 0": ("4\n3\n2\n1 1 2\n1 0 2\n", f":5: {PLACED.format('1 to 3', 0)}"),
    "word 4": ("4\n3\n1\n1 4 2\n", f":4: {PLACED.format('1 to 3', 4)}"),
    "no count": ("4\n3\n1\n1 2 x\n", f":4: {COUNT} 2, found 'x'"),
    "count 0": ("4\n3\n1\n1 2 0\n", f":4: {COUNT} 2, found '0'"),
    "below 0": ("4\n3\n1\n1 2 -1\n", f":4: {COUNT} 2, found '-1'"),
    "a fraction": ("4\n3\n1\n1 2 1.5\n", f":4: {COUNT} 2, found '1.5'"),
    "other digits": ("4\n3\n1\n1 2 ٣\n", f":4: {COUNT} 2, found '٣'"),
    "no word": ("4\n3\n1\n1 x 2\n", ":4: expected NUMBER:COUNT, such as 17:2, found 'x:2'"),
    "twice": ("4\n3\n3\n1 1 1\n2 2 1\n2 2 3\n", ":6: the word 'cat' is counted twice in this document"),
    "a million millions": ("4\n3\n1\n1 2 1000000000000\n", f":4: {LARGE}"),
    "more digits": (f"4\n3\n1\n1 2 1{'0' * 50}\n", f":4: {COUNT} 2, found '1{'0' * 39}'"),
    "empty documents": ("2000\n3\n1\n1 2 1\n", ":1: 2,000 documents are too many for 1 counts: most would be empty"),
    "empty documents in between": (
        "9000000000\n3\n1\n8000000000 2 1\n",
        ":4: 8,000,000,000 documents are too many for 1 counts: most would be empty",
    ),
}
MALFORMED_SVMLIGHT = {
    "no label": ("0 1:1\n1:2 2:1\n", ":2: expected a label such as 0 before the words, found '1:2'"),
    "a query": ("0 qid:3 1:1\n", ":1: expected NUMBER:COUNT, such as 17:2, found 'qid:3'"),
    "no count": ("0 1:1\n0 2\n", ":2: expected NUMBER:COUNT, such as 17:2, found '2'"),
    "two colons": ("0 1:2:3\n", f":1: {COUNT} 1, found '2:3'"),
    "a fraction": ("0 1:0.5\n", f":1: {COUNT} 1, found '0.5'"),
    "below 0": ("0 1:-5\n", f":1: {COUNT} 1, found '-5'"),
    "word 4": ("0 1:1\n0 4:1\n", f":2: {PLACED.format('1 to 3', 4)}"),
    "word 3, from 0": ("0 0:1\n0 3:1\n", f":2: {PLACED.format('0 to 2', 3)}"),
    "twice": ("0 1:1\n0 2:1 1:1 2:5\n", ":2: the word 'cat' is counted twice in this document"),
    "a million millions": ("0 1:1\n0 2:1000000000000\n", f":2: {LARGE}"),
    "many large counts": ("".join(f"0 1:{400_000 + number}\n" for number in range(60)), f":21: {LARGE}"),
    "bytes": ("0 1:1 # bytes=many\n", ":1: expected a whole number as bytes, found 'many'"),
    "only a comment": ("# nothing\n", " holds no document; expected lines of SVMlight, such as '0 3:1 17:2'"),
}
MALFORMED = [(read_docword, "docword.pets.txt", "vocab.pets.txt", *each) for each in MALFORMED_DOCWORD.values()]
MALFORMED += [(read_svmlight, "pets.svm", "pets.vocab", *each) for each in MALFORMED_SVMLIGHT.values()]


@pytest.mark.parametrize(
    ("read", "name", "vocabulary", "counts", "problem"), MALFORMED, ids=[*MALFORMED_DOCWORD, *MALFORMED_SVMLIGHT]
)
def test_malformed_counts(tmp_path, read, name, vocabulary, counts, problem) -> None:
    write_files(tmp_path, **{name: counts, vocabulary: WORDS})
    with raising(DataError, f"{tmp_path / name}{problem.replace('{vocab}', str(tmp_path / vocabulary))}"):
        list(read(tmp_path / name))


def test_a_bad_document_may_be_left_out(tmp_path) -> None:
    write_files(tmp_path, **{"pets.svm": "0 1:1\n0 9:1\n0 2:1\n", "pets.vocab": WORDS})
    rejected = Rejected()
    assert texts_of(read_svmlight(tmp_path / "pets.svm", None, rejected)) == [("1", "the"), ("3", "cat")]
    assert rejected.of_files() == {
        str(tmp_path / "pets.svm"): [
            (2, f"expected the number of a word from 1 to 3, found 9; the words are in {tmp_path / 'pets.vocab'}")
        ]
    }


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("the\n\nsat\n", ":2: expected one word, found ''"),
        ("the\na cat\nsat\n", ":2: expected one word, found 'a cat'"),
        ("the\ncat\nthe\n", ":3: the word 'the' was already given on line 1"),
    ],
)
def test_malformed_words(tmp_path, words, problem) -> None:
    write_files(tmp_path, **{"docword.pets.txt": COUNTS, "vocab.pets.txt": words})
    with raising(DataError, f"{tmp_path / 'vocab.pets.txt'}{problem}"):
        list(read_docword(tmp_path / "docword.pets.txt"))


def test_a_changed_vocabulary_is_read_again(tmp_path) -> None:
    write_files(tmp_path, **{"pets.svm": "0 1:1\n", "pets.vocab": WORDS})
    assert texts_of(read_svmlight(tmp_path / "pets.svm")) == [("1", "the")]
    (tmp_path / "pets.vocab").write_text("a\r\n  cat\r\n", newline="")
    assert texts_of(read_svmlight(tmp_path / "pets.svm")) == [("1", "a")]


@pytest.mark.parametrize(("name", "beside"), [("docword.pets.txt", "vocab.pets.txt"), ("pets.svm.gz", "pets.vocab")])
def test_a_missing_vocabulary_says_where_it_should_be(tmp_path, name, beside) -> None:
    write_files(tmp_path, **{name: COUNTS if name.startswith("docword") else LINES})
    with raising(
        DataError,
        f"{tmp_path / name}: the words of its numbers are missing; put them into {tmp_path / beside}, or into "
        "vocab.txt beside it, one word on each line",
    ):
        list((read_docword if name.startswith("docword") else read_svmlight)(tmp_path / name))


def test_a_vocabulary_that_is_a_link_out_of_the_folder(tmp_path) -> None:
    write_files(tmp_path, **{"secret": WORDS, "pets/pets.svm": LINES})
    (tmp_path / "pets" / "pets.vocab").symlink_to(tmp_path / "secret")
    with raising(
        DataError,
        f"{tmp_path / 'pets' / 'pets.vocab'} leads out of {tmp_path / 'pets'}; put the words beside their counts",
    ):
        list(read_svmlight(tmp_path / "pets" / "pets.svm"))


@pytest.mark.parametrize(
    ("content", "format_named"),
    [
        (COUNTS, "docword"),
        (COUNTS.replace("\n", "\r\n"), "docword"),
        ("4\n3\n0\n", "docword"),
        (LINES, "svmlight"),
        ("# a comment\n+1 1:2 2:3 # d\n-1 3:1\n", "svmlight"),
        ("8 0:9 1:1\n", "svmlight"),
        ("1 184 2\n1 29 2\n", ""),  # judgments in three columns
        ("4\n3\n4\n1 1 x\n", ""),
        ("0 1:0.5 2:0.1\n", ""),  # features, which are fractions
        ("51:a query\n", ""),
        ("", ""),
    ],
)
def test_word_counts_are_recognised_by_their_content(tmp_path, content, format_named) -> None:
    path = tmp_path / "any"
    path.write_bytes(content.encode())
    found = what_is(path)
    assert (found.form if found.role == "documents" else "") == format_named
    if format_named:
        assert kind_of(path) is None


def test_a_file_and_a_folder_of_word_counts(tmp_path) -> None:
    files = {"docword.pets.txt": COUNTS, "vocab.pets.txt": WORDS, "vocab.queries.txt": WORDS}
    write_files(tmp_path, **files, **{"docword.queries.txt": "1\n3\n1\n1 2 1\n", "qrels.txt": "1 1 1\n1 3 2\n"})
    assert [(part.role, part.path, part.format, part.split) for part in layout_of_folder(tmp_path)] == [
        ("documents", "docword.pets.txt", "docword", ""),
        ("queries", "docword.queries.txt", "docword", ""),
        ("qrels", "qrels.txt", "trec", ""),
    ]
    assert layout_of_file(tmp_path / "docword.pets.txt")[0].format == "docword"
    write_files(tmp_path, **{"docword.cars.txt": COUNTS})
    with raising(
        DataError,
        f"{tmp_path}: docword.cars.txt and docword.pets.txt could each hold the documents; describe it in a "
        "collection.toml (`toysearch docs collections` has an example)",
    ):
        layout_of_folder(tmp_path)


def test_any_counts_give_back_the_frequencies(tmp_path) -> None:
    """A round trip: counts of random documents, in both formats, in any order of the words."""
    import random
    from collections import Counter

    draw = random.Random(7)
    words = [f"w{number}" for number in range(50)]
    documents = [Counter(draw.choices(words, k=draw.randrange(40))) for _ in range(60)]
    rows = [(place, words.index(word) + 1, n) for place, each in enumerate(documents, 1) for word, n in each.items()]
    lines = (" ".join(["0", *(f"{words.index(word)}:{n}" for word, n in each.items())]) + "\n" for each in documents)
    write_files(
        tmp_path,
        **{
            "vocab.txt": "".join(f"{word}\n" for word in words),
            "docword.any.txt": f"60\n50\n{len(rows)}\n" + "".join(f"{d} {w} {n}\n" for d, w, n in rows),
            "any.svm": "# zero-based\n" + "".join(lines),
        },
    )
    for records in (read_docword(tmp_path / "docword.any.txt"), read_svmlight(tmp_path / "any.svm")):
        assert [Counter(text.split()) for _, text in texts_of(records)] == documents
