"""One file knows what is offered once the project has an address; until then nothing offers what cannot work."""

import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes

import pytest
from conftest import ROOT, loaded

ADDRESSES = loaded(ROOT / "build_backend" / "addresses.py")
PLACES = {name for name, *_ in ADDRESSES.PLACES}
JANE = "https://github.com/jane/toys"
HOSTS = re.compile(r"colab\.research\.google|mybinder\.org|codespaces\.new|-owner-")
"""What opens the project elsewhere, and a name that stands for none."""
OWN = re.compile(r"\b(?:github\.com|gitlab\.com|codeberg\.org|github|gh)[/:]([\w.-]+/toysearch)\b")
BINARY = (".npz", ".gz", ".idx", ".pyc")


def tracked() -> list[str]:
    """The files of the checkout, or of the unpacked source distribution."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if not name.endswith(BINARY) and (ROOT / name).is_file()]


@pytest.fixture
def moved(tmp_path):
    """The places in a folder of their own, and what writes an address into them there."""
    for name in {*PLACES, "build_backend/addresses.py"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return loaded(tmp_path / "build_backend" / "addresses.py")


@pytest.mark.waits
def test_no_other_file_names_an_address_of_the_project_or_what_opens_it_elsewhere():
    here = ADDRESSES.repository().removeprefix("https://github.com/")
    texts = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in tracked()}
    named = {name: set(OWN.findall(text)) for name, text in texts.items()}
    assert set().union(*named.values()) - {here, "NAME/toysearch"} == set()
    own = {"build_backend/addresses.py", "tests/test_addresses.py", "CONTRIBUTING.md"}
    assert {name for name, paths in named.items() if paths} - PLACES - own == set()
    assert {name for name, text in texts.items() if HOSTS.search(text)} - own == (PLACES if here else set()) - {
        *("pyproject.toml", "CITATION.cff", "docs/browser/colab.ipynb")
    }


def test_every_place_says_what_belongs_to_the_address_or_to_none():
    address = ADDRESSES.repository()
    for name, without, with_address in ADDRESSES.PLACES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert ADDRESSES.said(with_address, without, address) in text
        assert address or ADDRESSES.said(with_address, without, JANE) not in text


def test_an_address_brings_back_what_needs_one_and_none_takes_it_out(moved):
    texts = {name: (moved.ROOT / name).read_bytes() for name in PLACES}
    before = moved.repository()
    moved.move(JANE)
    assert moved.repository() == JANE
    for name in PLACES:
        text = (moved.ROOT / name).read_text(encoding="utf-8")
        assert "jane/toys" in text
        assert "ADDRESS" not in text.replace("--pyodide ADDRESS", "")
        assert "PATH/" not in text
    assert f"]({JANE}/blob/HEAD/docs/" in moved.description()
    readme = (moved.ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# toysearch\n\n[![Open in Colab](")
    assert "https://codespaces.new/jane/toys)\n" in readme
    moved.move("")
    assert moved.repository() == ""
    moved.move(before)
    assert {name: (moved.ROOT / name).read_bytes() for name in PLACES} == texts


def test_without_an_address_the_description_has_no_link_that_leads_nowhere(moved):
    moved.move("")
    readme, text = (moved.ROOT / "README.md").read_text(encoding="utf-8"), moved.description()
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", readme) != []
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", text) == []
    assert re.findall(r"!\w", text) == []
    for words in re.findall(r"\[([^][]*)\]\(docs/", readme):
        assert words in text


def test_links_of_the_description_are_absolute_and_lead_to_files_of_the_checkout(moved):
    moved.move(JANE)
    text, readme = moved.description(), (moved.ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert len(targets) == len(re.findall(r"\]\(", readme)) > 10
    folder = re.compile(rf"{JANE}/(?:blob|raw)/HEAD/")
    inside = [folder.sub("", target).partition("#")[0] for target in targets if folder.match(target)]
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    assert [path for path in inside if not (ROOT / path).exists()] == []
    assert folder.sub("", text) == readme
    pictures = re.findall(r"!\[[^][]*\]\(([^)]*)\)", text)
    assert f"{JANE}/raw/HEAD/docs/site/static/explained.svg" in pictures
    assert [address for address in pictures if "/blob/" in address] == []


@pytest.mark.parametrize("address", ["jane", "http://github.com/jane/toys", "https://codeberg.org/jane/toys"])
def test_another_address_is_refused_and_nothing_is_written(moved, address):
    texts = {name: (moved.ROOT / name).read_bytes() for name in PLACES}
    command = [sys.executable, "build_backend/addresses.py", address]
    refused = subprocess.run(command, cwd=moved.ROOT, capture_output=True, text=True)
    said = f"{address}: expected an address such as https://github.com/NAME/toysearch, or none\n"
    assert (refused.returncode, refused.stderr) == (1, said)
    assert {name: (moved.ROOT / name).read_bytes() for name in PLACES} == texts


def test_a_place_that_was_rewritten_is_named_and_nothing_is_written(moved):
    (moved.ROOT / "README.md").write_text("# Another title\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"README\.md: expected to find '# toysearch\\n' there"):
        moved.move(JANE)
    assert moved.repository() == ADDRESSES.repository()


@pytest.mark.system
def test_the_description_of_the_wheel_renders_as_a_package_index_renders_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
    assert metadata.get_payload(decode=True).decode().strip() == ADDRESSES.description().strip()
    assert metadata["Description-Content-Type"] == "text/markdown"
    urls = dict(each.split(", ") for each in metadata.get_all("Project-URL", []))
    assert urls.get("Repository", "") == ADDRESSES.repository()
    markdown = pytest.importorskip("readme_renderer.markdown")
    page = markdown.render(ADDRESSES.description())
    assert page is not None
    assert "<table>" in page
    assert re.findall(r'href="(?!https://|#)[^"]*"', page) == []
