"""The compiled scan of run files and judgments, on files whose rows are written out here."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from ways import way

from toysearch import read_qrels, read_run
from toysearch.compiled.trec_lines import number
from toysearch.encoded_texts import Identifiers
from toysearch.errors import DataError
from toysearch.formats import text_files, trec
from toysearch.formats.trec import scanned


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOYSEARCH_PATH", "compiled")


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


class TestRuns:
    def test_columns(self, tmp_path: Path) -> None:
        run = read_run(written(tmp_path / "run", "1 Q0 a 1 2.5 first\n1 Q0 b 2 -1e3 second\n2 Q0 a 1 0 last\n"))
        assert (run.query_ids, run.offsets.tolist(), run.name, run.ranked) == (["1", "2"], [0, 2, 3], "last", False)
        assert list(run) == [("1", "a", 2.5), ("1", "b", -1000.0), ("2", "a", 0.0)]
        assert run.places("1") == {"a": 0, "b": 1}
        assert len(run) == 3

    def test_any_white_space_of_c(self, tmp_path: Path) -> None:
        path = written(tmp_path / "run", "\t1\vQ0\fa\r1  2.5\tt \r\n\n \t\n1 Q0 b\x1cc 2 1 t")
        assert scanned(path, 6, 4, trec.score_of) is not None
        run = read_run(path)
        assert list(run) == [("1", "a", 2.5), ("1", "b\x1cc", 1.0)]
        assert run.name == "t"

    def test_queries_whose_lines_stand_mixed(self, tmp_path: Path) -> None:
        text = "2 Q0 é 1 5 t\n1 Q0 bb 1 4 t\n2 Q0 ccc 2 3 t\n1 Q0 é 2 2 t\n3 Q0 x 1 1 t\n"
        run = read_run(written(tmp_path / "run", text))
        assert list(run) == [("2", "é", 5), ("2", "ccc", 3), ("1", "bb", 4), ("1", "é", 2), ("3", "x", 1)]

    def test_the_same_document_for_two_queries_is_one_for_each(self, tmp_path: Path) -> None:
        assert len(read_run(written(tmp_path / "run", "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n"))) == 2

    def test_a_byte_order_mark_is_no_part_of_an_id(self, tmp_path: Path) -> None:
        assert read_run(written(tmp_path / "run", b"\xef\xbb\xbf1 Q0 a 1 2 t\n")).query_ids == ["1"]

    def test_gzipped(self, tmp_path: Path) -> None:
        path = written(tmp_path / "run.gz", gzip.compress(b"1 Q0 a 1 2 t\n" * 1 + b"1 Q0 b 2 1 t\n"))
        assert list(read_run(path)) == [("1", "a", 2.0), ("1", "b", 1.0)]

    @pytest.mark.parametrize("block", [1, 13, 100, 5000])
    def test_many_blocks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
        monkeypatch.setattr(text_files, "_BLOCK", block)
        rows = [(str(row // 300), f"d{row * row}", row / 7) for row in range(1500)]
        path = written(tmp_path / "run", "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows))
        read = scanned(path, 6, 4, trec.score_of)
        assert read is not None
        assert (read.query_ids, read.offsets.tolist()) == (list("01234"), list(range(0, 1501, 300)))
        assert read.doc_ids.texts(0, 1500) == [doc_id for _, doc_id, _ in rows]
        assert read.values.tolist() == [score for _, _, score in rows]

    def test_what_is_small_is_read_the_plain_way(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TOYSEARCH_PATH")
        monkeypatch.setattr("toysearch.formats.trec.compiled", lambda work, size: work == "parse" and size >= 27)
        assert "_ids" not in vars(read_run(written(tmp_path / "small", "1 Q0 a 1 2 t\n1 Q0 b 1 2 t\n")))
        assert "_ids" in vars(read_run(written(tmp_path / "large", "1 Q0 a 1 2 t\n1 Q0 bb 1 2 t\n")))


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1 Q0 a 1 2 t\n1 Q0 b 2 1\n", ":2: expected 6 columns (query_id Q0 doc_id rank score tag), found 5"),
            ("1 Q0 a 1 2 t\n1 Q0 b 2 u 1 t\n", ":2: expected 6 columns (query_id Q0 doc_id rank score tag), found 7"),
            ("1 Q0 a 1 2 t\n1 Q0 b 2 high t\n", ":2: expected a number as score, found 'high'"),
            ("1 Q0 a 1 nan t\n", ":1: expected a number as score, found 'nan'"),
            ("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 3 1 t\n", ":3: query '1' has document 'a' twice"),
            ("\n \n", " is empty; expected a run"),
        ],
    )
    def test_the_sentence_is_that_of_the_plain_reader(self, tmp_path: Path, text: str, message: str) -> None:
        path = written(tmp_path / "run", text)
        assert scanned(path, 6, 4, trec.score_of) is None
        with pytest.raises(DataError) as error:
            trec.read_run(path)
        assert str(error.value).startswith(f"{path}{message}")
        with way("plain"), pytest.raises(DataError) as plain:
            trec.read_run(path)
        assert str(plain.value) == str(error.value)

    def test_bytes_that_are_no_utf_8_are_mended_and_told(self, tmp_path: Path) -> None:
        with pytest.warns(UserWarning, match="1 sequence of bytes that are not UTF-8 read as U\\+FFFD"):
            run = read_run(written(tmp_path / "run", b"1 Q0 a\xff 1 2 t\n"))
        assert run.doc_ids == ["a\ufffd"]

    def test_a_grade_is_finite_where_a_score_need_not_be(self, tmp_path: Path) -> None:
        assert read_run(written(tmp_path / "run", "1 Q0 a 1 -inf t\n")).values.tolist() == [-np.inf]
        with pytest.raises(DataError, match="expected a number as relevance, found 'inf'"):
            read_qrels(written(tmp_path / "qrels", "1 0 a 1\n1 0 b inf\n"))

    def test_a_folder_and_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="is a folder"):
            trec.read_run(tmp_path)
        with pytest.raises(DataError, match="there is no such file"):
            trec.read_run(tmp_path / "none")


class TestNumbers:
    """A number is what Python's float makes of its text, or is left to that."""

    @pytest.mark.parametrize(
        "text",
        [
            *("0", "-0", "+7", "007", "5.", ".5", "0.1", "-3.25e-3", "1E5", "1e22", "1e-22", "9007199254740993"),
            *("12.345678901234567", "0.30000000000000004", "0.1234567890123456", "999999999999999999"),
            *("9007199254740992.5", "4503599627370497.5", "0.000000000000000001"),
            # halfway between two floats, and a little more and less
            *("1.00000000000000011", "1.00000000000000033", "4503599627370496.5", "4503599627370496.51"),
        ],
    )
    def test_read_here(self, text: str) -> None:
        known, value = number(np.frombuffer(text.encode(), np.uint8), 0, len(text))
        assert known
        assert (value, str(value)) == (float(text), str(float(text)))

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "+",
                "-",
                ".",
                "e5",
                "1e",
                "1e+",
                "1e5x",
                "1.2.3",
                "1e1.5",
                "inf",
                "nan",
                "0x10",
                "1_0",
                "1 2",
                "--1",
            ),
            *(
                "1234567890123456789",
                "1e23",
                "1.5e300",
                "1e-300",
                "1e0005",
                "12345678901234567e-20",
                "2.2250738585072014e-17",
            ),
        ],
    )
    def test_left_to_python(self, text: str) -> None:
        assert not number(np.frombuffer(f"{text} ".encode(), np.uint8), 0, len(text))[0]

    def test_only_the_bytes_given_are_looked_at(self) -> None:
        assert number(np.frombuffer(b"9912e3", np.uint8), 2, 4) == (True, 12.0)

    def test_random_ones(self) -> None:
        rng = np.random.default_rng(0)
        texts = [repr(value) for value in (rng.random(2000) * 10.0 ** rng.integers(-2, 16, 2000)).tolist()]
        whole = rng.integers(0, 10**18, 3000).tolist()
        texts += [
            f"{one // 10**k}.{one % 10**k:0{k}}"
            for one, k in zip(whole, rng.integers(1, 19, 3000).tolist(), strict=True)
        ]
        # exactly half way between two floats where that needs at most 18 digits, and one off in the last place
        for _ in range(2000):
            bits = int(rng.integers(2**52, 2**53)) * 2 + 1
            k = int(rng.integers(1, 3))
            half = bits * 5**k  # bits / 2^k, written with k places
            for digits in (half - 1, half, half + 1):
                texts.append(f"{digits // 10**k}.{digits % 10**k:0{k}}")
        read = [number(np.frombuffer(text.encode(), np.uint8), 0, len(text)) for text in texts]
        assert [value for known, value in read if known] == [
            float(text) for text, (known, _) in zip(texts, read, strict=True) if known
        ]
        assert sum(known for known, _ in read) > 0.9 * len(texts)


class TestIdentifiers:
    def test_texts_and_hashes(self) -> None:
        ids = Identifiers.of(["a", "", "é日", "a", "\ud800"])
        assert ids.texts(0, 5) == ["a", "", "é日", "a", "\ud800"]
        assert ids.texts(3, 4) == ["a"]
        assert ids.texts(2, 2) == []
        assert ids.hashes[0] == ids.hashes[3]
        assert len(set(ids.hashes.tolist())) == 4

    def test_those_of_a_file_have_the_same_hashes(self, tmp_path: Path) -> None:
        doc_ids = ["a", "é日", "doc-0000000000000001"]
        run = read_run(written(tmp_path / "run", "".join(f"1 Q0 {doc_id} 1 1 t\n" for doc_id in doc_ids)))
        ids = Identifiers.of(doc_ids)
        assert run.packed_ids.hashes.tolist() == ids.hashes.tolist()
        assert run.packed_ids.blob.tobytes() == ids.blob.tobytes()
