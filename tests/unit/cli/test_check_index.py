"""`toysearch check`: 0 for a sound index, 1 for a damaged one, 2 for what is no index."""

import pytest
import shell

import toysearch


def run(folder):
    return shell.run("check", str(folder))


@pytest.fixture
def folder(tmp_path):
    toysearch.Index.build(["the cat", "the dog"]).save(tmp_path / "own.idx")
    return tmp_path / "own.idx"


def test_a_sound_index(folder):
    result = run(folder)
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert [result.exit_code, result.stdout, result.stderr] == [
        0,
        f"{folder} is sound: {len(list(folder.iterdir()))} files, {size / 1000:.1f} kB, every checksum matches\n",
        "",
    ]


@pytest.mark.parametrize("array", ["postings", "df", "texts", "terms_lengths"])
def test_one_flipped_bit_is_found_and_its_file_named(folder, array):
    (path,) = folder.glob(f"{array}-*.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    result = run(folder)
    assert [result.exit_code, result.stdout] == [
        1,
        f"{path} is damaged: its checksum does not match; build the index again\n",
    ]


def test_a_missing_file_is_found(folder):
    (path,) = folder.glob("postings-*.npy")
    path.unlink()
    result = run(folder)
    assert result.exit_code == 1
    assert str(path) in result.stdout


def test_what_is_nothing_to_check_is_wrong_usage(tmp_path):
    result = run(tmp_path / "nosuch")
    assert (result.exit_code, result.stdout) == (2, "")
    assert str(tmp_path / "nosuch") in result.stderr


def test_what_a_killed_save_has_left_is_named(folder):
    (folder / "manifest.json").unlink()
    sentence = f"toysearch: {folder} is an index whose saving was interrupted; build it again\n"
    for arguments in (["check", str(folder)], ["search", str(folder), "cat"], ["show", str(folder)]):
        result = shell.run(*arguments)
        assert [result.exit_code, result.stdout, result.stderr] == [2, "", sentence]
    assert shell.run("index", "cat-dog-parrot", "-o", str(folder)).exit_code == 0


def saved_as_large(folder, monkeypatch):
    """Save the index again as if its files were too large to verify at opening."""
    index = toysearch.Index.open(folder)
    monkeypatch.setattr("toysearch.index.checksums._LARGE", 0)
    index.save(folder)


def test_a_search_in_damaged_postings_says_so(folder, monkeypatch):
    saved_as_large(folder, monkeypatch)
    (path,) = folder.glob("last_docs-*.npy")
    content = path.read_bytes()
    path.write_bytes(content[:128] + b"\xff" * (len(content) - 128))
    sentence = f"toysearch: {path} is damaged: its checksum does not match; build the index again\n"
    for arguments in (["search", str(folder), "cat"], ["explain", str(folder), "--query", "cat", "--doc", "1"]):
        result = shell.run(*arguments)
        assert [result.exit_code, result.stdout, result.stderr] == [2, "", sentence]


def test_an_error_out_of_a_damaged_index_says_so(folder, monkeypatch):
    saved_as_large(folder, monkeypatch)
    (path,) = folder.glob("texts-0-*.npy")
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")

    def stumble(*arguments):
        raise IndexError("out of bounds")

    monkeypatch.setattr("toysearch.retrieval.searcher.query_terms", stumble)
    result = shell.run("search", str(folder), "cat")
    sentence = f"toysearch: the index in {folder} is damaged; toysearch check {folder} shows where\n"
    assert [result.exit_code, result.stdout, result.stderr] == [2, "", sentence]
