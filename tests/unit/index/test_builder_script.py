"""An index of files is analysed as the script of its first documents needs, and plainly otherwise."""

import json
from pathlib import Path

import pytest
from captured_notes import noted
from shell import done, run

import toysearch
from toysearch.analysis.languages import settings_for_script

CHINESE = ["这是一盏红色的台灯", "书架由橡木制成", "蓝色的陶瓷茶杯"]
HINDI = ["लाल दीपक मेज पर है", "किताबों की अलमारी", "नीला प्याला"]
ENGLISH = ["a red lamp", "a shelf of oak", "a naïve cup of tea"]


def written(folder: Path, form: str, texts: list[str]) -> Path:
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(texts)]
    if form == "folder":
        for row in rows:
            (folder / f"{row['id']}.txt").write_text(row["text"], encoding="utf-8")
        return folder
    contents = {
        "csv": "id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows),
        "jsonl": "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows),
        "escaped": "".join(f"{json.dumps(row)}\n" for row in rows),
        "array": json.dumps(rows, indent=1, ensure_ascii=False),
    }
    path = folder / f"texts.{'csv' if form == 'csv' else 'jsonl' if form != 'array' else 'json'}"
    path.write_text(contents[form], encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "escaped", "array", "folder"])
@pytest.mark.parametrize(
    ("texts", "analyzer", "word"), [(CHINESE, "plain:cjk", "台灯"), (HINDI, "plain:marks", "दीपक")]
)
def test_files_of_a_script_are_found_by_their_words(tmp_path, form, texts, analyzer, word):
    path = written(tmp_path, form, texts)
    with noted() as notes:
        index = toysearch.Index.build(toysearch.load(path))
    assert str(index.analyzer) == analyzer
    assert [note for note in notes if f"({analyzer})" in note and "otherwise" in note]
    shown = done("search", path, word, "--tsv").stdout
    assert len(shown.splitlines()) == 2
    assert "d0" in shown
    assert str(toysearch.Index.build(toysearch.load(path), "plain").analyzer) == "plain"


def test_a_named_analysis_is_taken_as_it_is(tmp_path):
    path = written(tmp_path, "csv", CHINESE)
    plain = done("search", path, "红色", "--analyzer", "plain")
    assert "no document contains" in plain.stderr
    assert "otherwise" not in plain.stderr
    assert toysearch.Index.build(toysearch.load(path), "english").analyzer.language == "english"


def test_texts_in_memory_and_other_scripts_are_read_plainly(tmp_path):
    assert str(toysearch.Index.build(CHINESE).analyzer) == "plain"
    collection = toysearch.load(written(tmp_path, "csv", ENGLISH))
    with noted() as notes:
        assert str(toysearch.Index.build(collection).analyzer) == "plain"
    assert not notes


def test_the_index_of_a_script_is_that_of_the_named_analyzer(tmp_path):
    path = written(tmp_path, "jsonl", CHINESE)
    shown, named = (toysearch.Index.build(toysearch.load(path), analyzer) for analyzer in (None, "plain:cjk"))
    assert shown.checksum == named.checksum
    typed = tmp_path / "typed.idx"
    assert "plain:cjk" in done("index", path, "-o", typed).stderr
    assert toysearch.Index.open(typed).checksum == named.checksum
    piped = run("search", "-", "台灯", "--tsv", stdin=path.read_bytes())
    assert piped.stdout == done("search", typed, "台灯", "--tsv").stdout


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("東京都の天気", {"cjk": True}),
        ("한국어 문장", {"cjk": True}),
        ("தமிழ் மொழி", {"marks": True}),
        ("a lamp 台灯 of red steel and oak", {}),
        ("Größe", {}),
        ("", {}),
    ],
)
def test_most_words_decide(text, settings):
    assert settings_for_script(text, toysearch.Analyzer()) == settings
