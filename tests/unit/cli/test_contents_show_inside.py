"""`toysearch show` as textbooks draw it: whole outputs of a term and of the two laws."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "show")


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """An index whose term cat is in the documents 1, 9, 10, 13, 24, all of 24."""
    texts = ["dog"] * 24
    for number, tf in ((1, 1), (9, 2), (10, 1), (13, 12), (24, 1)):
        texts[number - 1] = " ".join(["cat"] * tf)
    folder = tmp_path_factory.mktemp("indexes") / "sparse.idx"
    toysearch.Index.build(texts).save(folder)
    return folder


@pytest.fixture(scope="module")
def zipfian(tmp_path_factory):
    """An index of 60 terms; that of rank r occurs ⌊120 / r⌋ times, in the order of the ranks, 20 a document."""
    tokens = [f"w{rank:02}" for rank in range(1, 61) for _ in range(120 // rank)]
    folder = tmp_path_factory.mktemp("indexes") / "zipfian.idx"
    texts = [" ".join(tokens[start : start + 20]) for start in range(0, len(tokens), 20)]
    toysearch.Index.build(texts).save(folder)
    return folder


def test_a_term_as_textbooks_draw_it(sparse):
    """Gaps 1, 8, 1, 3, 11: gamma codes 0, 1110 000, 0, 10 1, 1110 011, of 1 + 7 + 1 + 3 + 7 bits."""
    result = run(sparse, "--term", "cat", "--textbook")
    assert result.stdout.splitlines() == [
        "dictionary",
        "",
        "term  number  df  cf  postings",
        "cat   1 of 2   5  17  → rows 1 to 5",
        "",
        "postings list: [document|tf], documents numbered from 1;",
        "↷n: a skip pointer to document n, every ⌊√5⌋ = 2 postings",
        "",
        "↷10             ↷24",
        "[1|1] → [9|2] → [10|1] → [13|12] → [24|1]",
        "",
        "gaps between the documents, and their codes",
        "",
        "number  document  tf  gap  variable-byte code  gamma code",
        "     1  1          1    1  10000001            0",
        "     9  9          2    8  10001000            1110 000",
        "    10  10         1    1  10000001            0",
        "    13  13        12    3  10000011            10 1",
        "    24  24         1   11  10001011            1110 011",
        "",
        "the document numbers of all 5 postings",
        "",
        "stored as           bits  per posting  of 32 bits",
        "numbers of 32 bits   160        32.00      100.0%",
        "variable-byte code    40         8.00       25.0%",
        "gamma code            19         3.80       11.9%",
        "gaps in the index     20         4.00       12.5%",
        "",
        "as the index stores them: in blocks of at most 128 postings, gaps and tf minus one",
        "",
        "postings  last document  bits per gap  bits per tf  highest tf  least dl  bits",
        "       5             24             4            4          12         1    40",
    ]
    assert result.stderr == ""


def test_a_long_list_is_cut_and_counted_but_its_sizes_are_whole(sparse):
    result = run(sparse, "--term", "cat", "--textbook", "-k", "2")
    assert "↷10\n[1|1] → [9|2] → … 3 more\n" in result.stdout
    assert "            1110 000\n… 3 more\n" in result.stdout
    assert "gamma code            19         3.80       11.9%\n" in result.stdout
    assert result.stderr == "2 of 5 postings; -k 5 shows all\n"


def test_a_short_list_has_no_skips(sparse, tmp_path):
    toysearch.Index.build(["cat", "cat", "cat"]).save(tmp_path / "three.idx")
    shown = run(tmp_path / "three.idx", "--term", "cat", "--textbook").stdout
    assert (
        "no skip pointers: a list of fewer than four postings has no use for them\n\n[1|1] → [2|1] → [3|1]\n" in shown
    )


def test_a_term_of_one_document(tmp_path):
    toysearch.Index.build(["ant", "bee"]).save(tmp_path / "two.idx")
    shown = run(str(tmp_path / "two.idx"), "--term", "bee", "--textbook").stdout
    assert "\nbee   2 of 2   1   1  → row 2\n" in shown
    assert "\nthe document numbers of the only posting\n" in shown


def test_the_boxes_fit_80_columns(sparse):
    shown = run(sparse, "--term", "dog", "--textbook", "-k", "100").stdout
    boxes = [line for line in shown.splitlines() if line.startswith(("[", "↷")) and "pointer" not in line]
    assert max(map(len, boxes)) <= 78
    assert sum(line.count("|") for line in boxes) == 19
    assert [line[-1] for line in boxes if "[" in line] == ["→", "→", "]"]
    assert "↷6                              ↷12" in shown  # 2, 3, 4, 5, 6, …: every ⌊√19⌋ = 4th


def test_the_view_for_programs(sparse):
    assert json.loads(run(sparse, "--term", "cat", "--textbook", "-k", "2", "--json").stdout) == {
        "term": "cat",
        "number": 1,
        "terms": 2,
        "df": 5,
        "cf": 17,
        "first_row": 1,
        "last_row": 5,
        "postings": [
            {"document": 1, "doc_id": "1", "tf": 1, "gap": 1, "variable_byte": "10000001", "gamma": "0", "skip_to": 10},
            {
                "document": 9,
                "doc_id": "9",
                "tf": 2,
                "gap": 8,
                "variable_byte": "10001000",
                "gamma": "1110 000",
                "skip_to": None,
            },
        ],
        "skips": 2,
        "skips_apart": 2,
        "bits": {"whole": 160, "variable_byte": 40, "gamma": 19, "packed": 20},
        "blocks": [
            {
                "postings": 5,
                "last_document": 24,
                "gap_bits": 4,
                "tf_bits": 4,
                "highest_tf": 12,
                "least_dl": 1,
                "bits": 40,
            }
        ],
    }
    assert run(sparse, "--term", "cat", "--textbook", "--tsv").stdout.splitlines()[:2] == [
        "document\tdoc_id\ttf\tgap\tvariable_byte\tgamma\tskip_to",
        "1\t1\t1\t1\t10000001\t0\t10",
    ]


def test_the_second_term_stands_behind_the_first(sparse):
    assert "dog   2 of 2  19  19  → rows 6 to 24\n" in run(sparse, "--term", "dog", "--textbook").stdout


def test_the_laws_and_their_plots(zipfian):
    shown = run(zipfian).stdout
    assert shown[shown.index("Zipf") :].splitlines() == LAWS
    assert max(map(len, shown.splitlines())) <= 80


def test_a_range_of_ranks(zipfian):
    shown = run(zipfian, "--ranks", "1-4").stdout
    assert "Zipf's law: cf ≈ 120 · rank^-1.000  (R² = 1.0000)\n" in shown
    assert "• law, ranks 1 to 4   + terms\n" in shown
    data = json.loads(run(zipfian, "--ranks", "2-4", "--json").stdout)["zipf"]
    assert data == pytest.approx({"c": 120, "slope": -1, "r_squared": 1, "first": 2, "last": 4})


def test_the_line_is_drawn_where_it_was_fitted(zipfian):
    """The terms of the ranks 50 to 60 lie on it, and hide it; elsewhere it would be seen."""
    shown = run(zipfian, "--ranks", "50-60").stdout
    assert "Zipf's law: cf ≈ 2 · rank^0.000  (R² = undefined)\n" in shown
    assert shown.partition("Heaps")[0].count("•") == 1  # before the name


def test_one_document_has_no_growth(tmp_path):
    toysearch.Index.build([" ".join(f"w{number}" for number in range(60))]).save(tmp_path / "one.idx")
    shown = run(tmp_path / "one.idx").stdout
    assert shown.endswith("\nHeaps' law: the vocabulary of a single document does not grow\n")
    assert "Zipf's law: cf ≈ 1 · rank^0.000  (R² = undefined)\n" in shown
    assert json.loads(run(tmp_path / "one.idx", "--json").stdout)["heaps"] == {"k": None, "b": None, "r_squared": None}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--textbook"], "Error: --textbook shows a term; name it with --term\n"),
        (["--textbook", "--doc", "1"], "Error: --textbook shows a term; name it with --term\n"),
        (["--ranks", "1-2", "--term", "cat"], "Error: --ranks is for the whole index, not for a term or a document\n"),
        (["--ranks", "1-2", "--doc", "1"], "Error: --ranks is for the whole index, not for a term or a document\n"),
        (["--ranks", "3"], "toysearch: ranks are given as the first and the last one, such as 1-1000, not '3'\n"),
        (["--ranks", "1-9"], "toysearch: ranks to fit must be from 1 to 2, the lower first, not from 1 to 9\n"),
    ],
)
def test_wrong_usage(sparse, arguments, sentence):
    result = run(sparse, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith(sentence)


LAWS = [
    "Zipf's law: cf ≈ 130 · rank^-1.058  (R² = 0.9911)",
    "",
    "  cf   • law, ranks 1 to 60   + terms",
    "     │+",
    " 100 │",
    "     │           +",
    "     │                 +",
    "     │                     +   +",
    "     │                            + + +",
    "     │                                • ++ •",
    "  10 │                                     +++ ++++",
    "     │                                            ++++++",
    "     │                                                 •+++••",
    "     │                                                     +++++•••",
    "     │                                                         +++++++",
    "     └┬──────────────────────────────────┬────────────────────────────",
    "      1                                 10",
    "                                                                  rank",
    "",
    "Heaps' law: terms ≈ 0.00215 · tokens^1.475  (R² = 0.7865)",
    "",
    " terms   • law   + documents",
    "    60 │                                                               +",
    "       │",
    "       │                                                            +",
    "       │",
    "    40 │                                                          +",
    "       │                                                        +",
    "       │                                                     +",
    "    20 │                                                   +    • • •  •",
    "       │                                              + +  • •",
    "       │                               •  • •  + + +",
    "       │              •  • •  + +  + + +  + +",
    "       │+ +  + +  + + +  + +",
    "       └──────────────────────┬───────────────────────┬─────────────────",
    "                             200                     400",
    "                                                                  tokens",
]


def test_more_blocks_than_fit_are_counted(tmp_path):
    toysearch.Index.build(["cat"] * (9 * 128 + 1)).save(tmp_path / "long.idx")
    shown = run(tmp_path / "long.idx", "--term", "cat", "--textbook").stdout
    assert shown.endswith(f"{'128':>8}{'1,024':>15}{'0':>14}{'0':>13}{'1':>12}{'1':>10}{'0':>6}\n… 2 more\n")
