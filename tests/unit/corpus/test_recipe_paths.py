"""A collection.toml reads no file outside its folder: not by its paths, not by links, and not for long."""

from __future__ import annotations

import os

import pytest
from made import write_files
from shell import done

from toysearch.base.errors import DataError
from toysearch.corpus import catalog
from toysearch.corpus.recipe import ROLES

DOCUMENTS = '{"_id": "d1", "text": "a cat"}\n'
QUERIES = '{"_id": "q1", "text": "cat"}\n'
ROWS = {"documents": DOCUMENTS, "queries": QUERIES, "qrels": "q1 0 d1 1\n", "run": "q1 Q0 d1 1 1.0 bm25\n"}
SECRET = {
    "documents": '{"_id": "s1", "text": "secret"}\n',
    "queries": '{"_id": "s1", "text": "secret"}\n',
    "qrels": "q1 0 s1 1\n",
    "run": "q1 Q0 s1 1 1.0 secret\n",
}


def recipe(**paths):
    """A collection.toml with these paths, and the usual ones for the other roles."""
    text = 'format = "beir"\n'
    for role in ROLES:
        text += f'[[files]]\nrole = "{role}"\npath = "{paths.get(role, role)}"\n'
    return text


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """A folder with a file for each role, and secrets outside of it."""
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path / "none"))
    write_files(tmp_path / "secrets", **SECRET)
    return write_files(tmp_path / "pets", **ROWS, **{"collection.toml": recipe()})


OUTSIDE = ["", ".", "./", "..", "../secrets/{}", "/etc", "/proc/**/*", "{}/../../secrets/{}", "C:/secrets", "~\\0/x"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_lead_outside_are_refused(pets, role, path):
    path = path.replace("{}", role)
    if path.startswith("~"):
        path = "a\\u0000b"
    write_files(pets, **{"collection.toml": recipe(**{role: path})})
    with pytest.raises(DataError) as refused:
        catalog.load(pets)
    place = ROLES.index(role) + 1
    said = f"expected a path below the folder of the collection.toml as files[{place}].path, found "
    assert str(refused.value).startswith(f"{pets / 'collection.toml'}: {said}")


@pytest.mark.parametrize("role", ROLES)
def test_links_that_lead_outside_are_refused(pets, role):
    (pets / role).unlink()
    (pets / role).symlink_to(pets.parent / "secrets" / role)
    with pytest.raises(DataError) as refused:
        list(catalog.load(pets).stream())
    said = "a collection.toml reads no file outside its folder: put the file there, or give it by itself"
    assert str(refused.value) == f"{pets / role} leads out of {pets}; {said}"


@pytest.mark.parametrize("path", ["linked", "linked/documents", "*/documents", "texts", "texts/*"])
def test_links_below_folders_and_patterns_are_refused(pets, path):
    (pets / "linked").symlink_to(pets.parent / "secrets")
    (pets / "texts").mkdir()
    (pets / "texts" / "one").symlink_to(pets.parent / "secrets" / "documents")
    write_files(pets, **{"collection.toml": recipe(documents=path)})
    with pytest.raises(DataError, match=r"leads out of .*; a collection.toml reads no file outside its folder"):
        list(catalog.load(pets).stream())


def test_a_pattern_does_not_search_linked_folders(pets):
    (pets / "everything").symlink_to("/")  # would take for ever
    (pets / "round").symlink_to(pets)
    write_files(pets, **{"collection.toml": recipe(documents="**/doc*")})
    assert catalog.load(pets).documents.doc_ids == ["d1"]


def test_links_within_the_folder_and_what_the_user_names_are_read(pets):
    os.rename(pets / "documents", pets / "own.jsonl")
    (pets / "documents").symlink_to("own.jsonl")
    assert catalog.load(pets).documents.doc_ids == ["d1"]
    (pets.parent / "short").symlink_to(pets)  # the folder itself may be a link
    assert catalog.load(pets.parent / "short").documents.doc_ids == ["d1"]
    link = pets.parent / "named.jsonl"
    link.symlink_to(pets.parent / "secrets" / "documents")
    assert "s1" in done("search", link, "secret").stdout
