"""Run files and judgments read many lines at a time, on files whose rows are written out here."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from captured_notes import noted

from toysearch import read_qrels, read_run
from toysearch.base.encoded_texts import GroupedIds, Identifiers
from toysearch.base.plain_or_compiled import compiled
from toysearch.files.source import source_of
from toysearch.files.syntaxes import trec
from toysearch.files.syntaxes.trec import scanned

pytestmark = pytest.mark.system
BY_LOOPS = pytest.mark.skipif(not compiled(), reason="without compiled loops texts are looked up")


def numbers(texts: list[str]) -> list[float | None]:
    """The numbers read by the compiled loop; None for one that is left to Python."""
    from toysearch.compiled.trec_lines import read

    data = "".join(f"q 0 d {text}\n" for text in texts).encode()
    ids, values = np.empty((len(texts), 1), np.uint64), np.empty(len(texts))
    queries, others = np.empty((len(texts), 3), np.int64), np.empty((len(texts), 3), np.int64)
    n, _, n_others, _ = read(
        np.frombuffer(data, np.uint8), 4, 3, -1, 1, 10.0 ** np.arange(16), ids, values, queries, others
    )
    assert n == len(texts)
    left = {*others[:n_others, 0].tolist()}
    return [None if row in left else value for row, value in enumerate(values.tolist())]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


class TestRuns:
    def test_any_white_space_of_c(self, tmp_path: Path) -> None:
        path = written(tmp_path / "run", "\t1\vQ0\fa\r1  2.5\tt \r\n\n \t\n1 Q0 b\u00a0c 2 1 t")
        assert scanned(source_of(path), trec.RUN) is not None
        run = read_run(path)
        assert list(run) == [("1", "a", 2.5), ("1", "b\u00a0c", 1.0)]
        assert run.name == "t"

    @pytest.mark.parametrize("block", [1, 13, 100, 5000])
    def test_many_blocks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
        monkeypatch.setattr(trec, "_LARGE_BLOCK", block)
        rows = [(str(row // 300), f"d{row * row}", row / 7) for row in range(1500)]
        path = written(tmp_path / "run", "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows))
        read = scanned(source_of(path), trec.RUN)
        assert read is not None
        assert (read.query_ids, read.offsets.tolist()) == (list("01234"), list(range(0, 1501, 300)))
        assert read.doc_ids.at(slice(0, 1500)) == [doc_id for _, doc_id, _ in rows]
        assert read.values.tolist() == [score for _, _, score in rows]

    def test_a_packed_file_has_more_rows_than_its_size_tells(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(trec, "_LARGE_BLOCK", 100)
        data = b"".join(b"1 Q0 d%d 1 %d t\n" % (row, row) for row in range(3000))
        read = scanned(source_of(written(tmp_path / "run.gz", gzip.compress(data))), trec.RUN)
        assert read is not None
        assert read.values.tolist() == [float(row) for row in range(3000)]
        assert read.doc_ids.at(slice(0, 3000)) == [f"d{row}" for row in range(3000)]

    @pytest.mark.parametrize("interleaved", [False, True])
    @pytest.mark.parametrize("longer", [1, 2])
    def test_hashes_of_many_blocks(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longer: int, interleaved: bool
    ) -> None:
        monkeypatch.setattr(trec, "_LARGE_BLOCK", 100)
        queries = [row % 3 if interleaved else row // 50 for row in range(150)]
        lines = [
            f"{query} Q0 {f'd{row:06}' * (longer if row > 70 else 1)} 1 1 t\n" for row, query in enumerate(queries)
        ]
        read = scanned(source_of(written(tmp_path / "run", "".join(lines))), trec.RUN)
        assert read is not None
        assert read.offsets.tolist() == [0, 50, 100, 150]
        assert read.doc_ids.ids.words.shape == (150, longer)
        assert read.doc_ids.hashes.tolist() == GroupedIds.of(read.doc_ids.ids, read.offsets).hashes.tolist()

    def test_ids_of_any_length(self, tmp_path: Path) -> None:
        doc_ids = ["a", "eightlet", "ninelette", "sixteen_letters_", "sixteen_lettersX", "é日", "doc-00000000000000001"]
        run = read_run(written(tmp_path / "run", "".join(f"1 Q0 {doc_id} 1 1 t\n" for doc_id in doc_ids)))
        assert run.doc_ids == doc_ids
        assert isinstance(run.ids, GroupedIds)

    def test_a_few_very_long_ids_are_read_line_by_line(self, tmp_path: Path) -> None:
        text = "".join(f"1 Q0 d{row} 1 2 t\n" for row in range(500)) + f"1 Q0 {'x' * 5000} 1 1 t\n"
        path = written(tmp_path / "run", text)
        assert scanned(source_of(path), trec.RUN) is None
        assert read_run(path).doc_ids[-1] == "x" * 5000


@pytest.mark.parametrize("block", [13, 5000])
@pytest.mark.parametrize("interleaved", [False, True])
def test_judgments_that_are_repeated_are_read_once(tmp_path, monkeypatch, block, interleaved) -> None:
    monkeypatch.setattr(trec, "_LARGE_BLOCK", block)
    rows = [(row % 3 if interleaved else row // 50, f"d{row % 40}", row % 40 % 3) for row in range(150)]
    path = written(tmp_path / "qrels", "\n" + "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    assert scanned(source_of(path), trec.QRELS) is not None
    with noted() as notes:
        qrels = read_qrels(path)
    firsts = {(q, d): g for q, d, g in reversed(rows)}
    assert {(q, d): g for q, d, g in qrels} == {(str(q), d): g for (q, d), g in firsts.items()}
    line = next(at for at, row in enumerate(rows) if row in rows[:at])
    said = (
        f"lines judge pairs again with the same grade, the first line {line + 2} (as line {rows.index(rows[line]) + 2})"
    )
    assert notes == [f"{path}: {len(rows) - len(firsts)} {said}"]
    path.write_text(path.read_text() + f"{rows[0][0]} 0 {rows[0][1]} 7\n")
    assert scanned(source_of(path), trec.QRELS) is None


@BY_LOOPS
class TestNumbers:
    """A number is what Python's float makes of its text, or is left to that."""

    @pytest.mark.parametrize(
        "text",
        [
            *("0", "-0", "007", "12345678", "5.", ".5", "0.1", "-3.25", "-0.0", "123456789", "9007199254740992"),
            *("12345678.1234567", "99999999.999999", "1.12345678", "1.23456789012345", "90071992547.4099"),
            *("1234567.", "12345678.", "123456789.", "0.0000001", "0.12345678901234", "-0.123456789"),
        ],
    )
    def test_read_here(self, text: str) -> None:
        (value,) = numbers([text])
        assert (value, str(value)) == (float(text), str(float(text)))

    @pytest.mark.parametrize(
        "text",
        [
            *("+", "-", ".", "-.", "e5", "1e", "1e+", "1e5x", "1.2.3", "1.e1.5", "inf", "nan", "0x10", "1_0", "--1"),
            *("1/2", "1:2", "1.2:", "é", "..", "-é.5", "\xa01"),
            *("+7", "-3.25e-3", "1E5", "9007199254740993", "12345678901234567", "0.30000000000000004", "1.5e300"),
            *("1.23456789.1", "123456789.x", "x23456789.1", "9007199254740.993", "1.234567890.2", "1234567.8.9"),
        ],
    )
    def test_left_to_python(self, text: str) -> None:
        assert numbers([text]) == [None]

    def test_random_ones(self) -> None:
        rng = np.random.default_rng(0)
        texts = [
            f"{value:.{places}f}" for value, places in zip(rng.normal(0, 1e4, 9000), 3000 * [0, 4, 7], strict=True)
        ]
        texts += [f"{whole}.{part}" for whole, part in rng.integers(0, 10**7, (5000, 2)).tolist()]
        for places in range(1, 15):
            whole = rng.integers(0, 9 * 10**14, 300).tolist()
            texts += [f"{one // 10**places}.{one % 10**places:0{places}}" for one in whole]
            texts += [f"{value:.{min(places, 12)}g}" for value in (rng.random(300) * 900 + 0.1).tolist()]
        texts = [text for text in texts if "e" not in text]
        assert numbers(texts) == [float(text) for text in texts]


class TestIdentifiers:
    def test_texts(self) -> None:
        ids = Identifiers.of(["a", "", "é日", "a", "\ud800", "photosynthesis"])
        assert ids is not None
        assert ids.at(slice(0, 6)) == ["a", "", "é日", "a", "\ud800", "photosynthesis"]
        assert ids.at(slice(3, 4)) == ["a"]
        assert ids.at(slice(2, 2)) == []
        assert ids.at(np.array([4, 0])) == ["\ud800", "a"]
        hashes = ids.in_groups(np.array([0, 0, 0, 0, 0, 0]))
        assert hashes[0] == hashes[3]
        assert len(set(hashes.tolist())) == 5
        assert not set(hashes.tolist()) & set(ids.in_groups(np.ones(6, dtype=np.int64)).tolist())

    @pytest.mark.parametrize("texts", [["a\0", "b"], ["x" * 10_000, *"abcdefgh" * 100]])
    def test_those_that_do_not_fit(self, texts: list[str]) -> None:
        assert Identifiers.of(texts) is None

    @BY_LOOPS
    @pytest.mark.parametrize(
        ("some", "others", "ends", "groups", "found"),
        [
            (["a", "b", "b", "a longer one"], ["b", "a", "b", "c"], [0, 2, 4], [0, 0, 1, 1], [1, 0, 2, -1]),
            (["a", "a", "b"], ["a", "b"], [0, 2], [-1, -1, 0], [-1, -1, 1]),  # groups that the others lack
            (["long-id-1", "long-id-2", "long-id-"], ["long-id-"], [0, 1], [0, 0, 0], [-1, -1, 0]),
        ],
    )
    def test_found_among_others_of_the_group(self, some, others, ends, groups, found) -> None:
        grouped = GroupedIds.of(Identifiers.of(others), np.array(ends))
        assert Identifiers.of(some).found_in(grouped, np.array(groups)).tolist() == found

    @BY_LOOPS
    def test_only_equal_bytes_are_equal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Identifiers, "in_groups", lambda _, groups: np.zeros(groups.size, dtype=np.uint64))
        grouped = GroupedIds.of(Identifiers.of(["a", "b", "b"]), np.array([0, 2, 3]))
        assert Identifiers.of(["b"]).found_in(grouped, np.array([1])).tolist() == [2]
        assert Identifiers.of(["b", "c"]).found_in(grouped, np.array([1, 1])) is None  # looked up by their texts
