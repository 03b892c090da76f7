"""One place names the address of the project; the description of a wheel has links that lead somewhere."""

import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes

import pytest
from conftest import ROOT, loaded

ADDRESSES = loaded(ROOT / "build_backend" / "addresses.py")
PLACES = {"pyproject.toml", "CITATION.cff", "CONTRIBUTING.md", "README.md"}
PLACES |= {"docs/browser/colab.ipynb", "docs/do/install.md"}
"""The files that name the address."""
OWN = re.compile(r"\b(?:github\.com|gitlab\.com|codeberg\.org|github|gh)[/:]([\w.-]+/toysearch)\b")
BINARY = (".npz", ".gz", ".idx", ".pyc")


def tracked() -> list[str]:
    """The files of the checkout, or of the unpacked source distribution."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if not name.endswith(BINARY) and (ROOT / name).is_file()]


@pytest.mark.waits
def test_one_place_names_the_address_and_the_others_agree():
    here = ADDRESSES.repository().removeprefix("https://github.com/")
    named = {}
    for name in tracked():
        if paths := set(OWN.findall((ROOT / name).read_text(encoding="utf-8", errors="replace"))):
            named[name] = paths
    assert set().union(*named.values()) - {here, "NAME/toysearch"} == set()
    assert set(named) - PLACES - {"build_backend/addresses.py", "tests/test_addresses.py"} == set()
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nrepository-code: {ADDRESSES.repository()}\n" in citation


def test_links_of_the_description_are_absolute_and_lead_to_files_of_the_checkout():
    text, readme = ADDRESSES.description(), (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert len(targets) == len(re.findall(r"\]\(", readme)) > 10
    folder = f"{ADDRESSES.repository()}/blob/HEAD/"
    inside = [target.removeprefix(folder).partition("#")[0] for target in targets if target.startswith(folder)]
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    assert [path for path in inside if not (ROOT / path).exists()] == []
    assert text.replace(folder, "") == readme


@pytest.mark.waits
@pytest.mark.system
def test_an_owner_moves_the_project_with_one_command(tmp_path):
    for name in tracked():
        if name in PLACES or name == "build_backend/addresses.py":
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a")
    subprocess.run([*git, "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([*git, "add", "."], cwd=tmp_path, check=True)
    command = [sys.executable, "build_backend/addresses.py"]
    wrong = subprocess.run([*command, "jane"], cwd=tmp_path, capture_output=True, text=True)
    assert wrong.stderr == "jane: expected an address such as https://github.com/NAME/toysearch\n"
    subprocess.run([*command, "https://codeberg.org/jane/toys"], cwd=tmp_path, capture_output=True, check=True)
    moved = loaded(tmp_path / "build_backend" / "addresses.py")
    assert moved.repository() == "https://codeberg.org/jane/toys"
    path = ADDRESSES.repository().removeprefix("https://github.com/")
    for name in PLACES:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert path not in text
        if path in (ROOT / name).read_text(encoding="utf-8"):
            assert "jane/toys" in text


@pytest.mark.system
def test_the_description_of_the_wheel_renders_as_a_package_index_renders_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
    assert metadata.get_payload(decode=True).decode().strip() == ADDRESSES.description().strip()
    assert metadata["Description-Content-Type"] == "text/markdown"
    urls = dict(each.split(", ") for each in metadata.get_all("Project-URL"))
    assert urls["Repository"] == ADDRESSES.repository()
    markdown = pytest.importorskip("readme_renderer.markdown")
    page = markdown.render(ADDRESSES.description())
    assert page is not None
    assert "<table>" in page
    assert re.findall(r'href="(?!https://|#)[^"]*"', page) == []
