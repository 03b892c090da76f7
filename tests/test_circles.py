"""The check of circles finds each kind of them, and names files that lead to each other alone."""

import pytest
from circles import circles, imports

FRONT = '_HOMES = {"shore.boat": "sail row", "harbour": "land"}'
CASES = {
    "an import inside a function": (
        {"boat.py": "from sea.net import haul", "net.py": "def haul():\n    from sea.boat import sail"},
        [["sea.boat", "sea.net"]],
    ),
    "a name of a front": (
        {
            "__init__.py": FRONT,
            "harbour.py": "from sea import sail",
            "shore/__init__.py": "",
            "shore/boat.py": "import sea\n\n\ndef row():\n    return sea.land",
        },
        [["sea.harbour", "sea.shore.boat"]],
    ),
    "a name of a front beside the package, by another name": (
        {
            "shore.py": '_HOMES = {".harbour": "land"}',
            "harbour.py": "from sea import boat",
            "boat.py": "from sea import shore as coast\n\ncoast.land()",
        },
        [["sea.boat", "sea.harbour"]],
    ),
    "a string that names a module": (
        {"boat.py": 'HOME = "sea.net:haul"', "net.py": "import sea.boat as boat"},
        [["sea.boat", "sea.net"]],
    ),
    "a string in the table of the rings": (
        {"rings.py": 'HOME = "sea.net"', "net.py": "from sea import rings"},
        [],
    ),
    "imports for type checkers alone": (
        {
            "boat.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from sea.net import Net",
            "net.py": "from sea.boat import sail",
        },
        [],
    ),
    "two circles, and a file that leads to one of them": (
        {
            "boat.py": "import sea.net, sea.oar",
            "net.py": "from sea import boat",
            "oar.py": "from sea import boat",
            "wind.py": "from sea import wave, boat",
            "wave.py": "from sea import wind",
            "gull.py": "from sea import boat",
        },
        [["sea.boat", "sea.net", "sea.oar"], ["sea.wave", "sea.wind"]],
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_circles_are_found(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / "sea" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sea" / name).write_text(text, encoding="utf-8")
    assert circles(imports(tmp_path / "sea")) == expected
