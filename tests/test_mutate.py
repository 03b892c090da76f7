"""The tool that tries which faults the tests see, and compares two records: tools/mutate.py."""

import argparse
import ast
import json

import changed
import mutate
import pytest

FAULTS = {
    "a < b": ["a <= b"],
    "a is not b and c": ["a is b and c", "a is not b or c"],
    "(a + b) * c": ["(a + b) / c", "(a - b) * c"],
    "x = not a": ["x = a"],
    "x = 2": ["x = 1", "x = 3"],
    "x = 0.5": ["x = (-0.5)", "x = 1.5"],
    "f(reverse=True)": ["f(reverse=False)"],
    "x[a : b()]": ["x[a + 1 : b()]", "x[a : b() + 1]"],
    "np.maximum(a, -b)": ["np.maximum(a, b)", "np.minimum(a, -b)"],
    "sorted(a)": ["sorted(a)[::-1]"],
    "f(one, two)": ["f(two, one)"],
    "lambda é: é in b": ["lambda é: é not in b"],
    'zip(a, b, strict=True) + ""': ['zip(b, a, strict=True) + ""'],
    'raise E(f"{1 + 1}", a < b)': [],
    'note(a + b, "of", 2)': [],
    "def f(a: Literal[1]) -> A[2]: ...": [],
    '"""1 < 2"""': [],
}


@pytest.mark.parametrize("line", FAULTS)
def test_the_faults_of_a_line_leave_types_and_messages_alone(line):
    found = [*mutate.faults_of("f.py", f"if a:\n    {line}\n".encode())]
    assert sorted(fault.becomes for fault in found) == sorted(FAULTS[line])
    assert {(fault.line, fault.was) for fault in found} <= {(2, line)}


def test_a_variable_that_is_returned_becomes_nothing():
    source = b"def f():\n    return a\n"
    assert [fault.becomes for fault in mutate.faults_of("f.py", source)] == ["return 0", "return None"]


def test_a_fault_is_known_by_what_stays_when_its_line_moves():
    first, second, *_ = mutate.faults_of("f.py", b"x = a < b\nx = a < b\n")
    assert first.known_by() != second.known_by()
    assert first.put_into(b"x = a < b\ny = 1\n") == b"x = a <= b\ny = 1\n"
    assert [one.known_by() for one in mutate.faults_of("f.py", b"\n\nx = a < b\n")] == [first.known_by()]


def test_the_faults_to_try_depend_on_the_seed_alone_and_the_first_stay_the_first():
    only = "models/(prior|similarity)"
    found = mutate.faults(1, 20, only)
    assert mutate.faults(1, 5, only) == found[:5]
    assert mutate.faults(2, 20, only) != found
    assert len({(fault.file, fault.line) for fault in found}) == 20
    for fault in found:
        source = (mutate.ROOT / fault.file).read_bytes()
        assert ast.dump(ast.parse(fault.put_into(source))) != ast.dump(ast.parse(source))


def record(path, **ends):
    rows = [(f"{name}.py", 1, "x = 1", "x = 2", 1, end, None, 0.1) for name, end in ends.items()]
    keys = ("file", "line", "was", "becomes", "nth", "end", "by", "seconds")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in rows]
    path.write_text("\n".join([*lines, '{"fails without a fault": "test_a"}']), encoding="utf-8")
    return path


def test_two_records_are_compared_by_their_faults(tmp_path, capsys):
    before = record(tmp_path / "a", one="killed", two="survived", three="killed", four="killed")
    after = record(tmp_path / "b", one="killed", two="survived", three="survived", five="killed")
    mutate.compare(before, after)
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "  three.py:1: x = 1 → x = 2",
        "killed → killed: 1",
        "killed → not tried: 1",
        "killed → survived: 1",
        "not tried → killed: 1",
        "survived → survived: 1",
    ]


@pytest.mark.system
def test_a_fault_is_killed_survives_or_takes_too_long_and_the_file_is_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "all"
    texts = {
        "toysearch/query/one.py": "def f(a):\n    while a < 0:\n        a = a + 1\n    b = 0\n    return a\n",
        "tests/unit/query/test_one.py": "import one\n\ndef test_a():\n    assert one.f(-1) == 0\n",
        "pytest.ini": "[pytest]\npythonpath = toysearch/query\n",
    }
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    for module in (mutate, changed):
        monkeypatch.setattr(module, "ROOT", place)
    chosen = argparse.Namespace(minutes=5, seconds=4, workers=2)
    lines = [*mutate.recorded(chosen, mutate.faults(0, 9))]
    killed = ("killed", "tests/unit/query/test_one.py::test_a")
    assert {line["becomes"]: (line["end"], line["by"]) for line in lines} == {
        "while a < (-1):": killed,
        "a = a - 1": ("timeout", None),
        "b = 1": ("survived", None),
        "return None": killed,
    }
    assert (place / "toysearch/query/one.py").read_text(encoding="utf-8") == texts["toysearch/query/one.py"]
