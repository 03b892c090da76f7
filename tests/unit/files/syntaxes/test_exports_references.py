"""References with a tag on each line: a record ends at its last tag, and only where none has one at a blank line."""

import toysearch

TWO = (
    "TY  - JOUR\nTI  - Lamps\nAB  - First part.\n\nSecond part on copper.\nER  - \n\n"
    "TY  - JOUR\nTI  - Kettles\nN1  - 3 pages\n\n4 figures\nAB  - On tin.\nER  - \n"
)


def test_a_blank_line_is_part_of_a_text(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text(TWO)
    first, second = toysearch.load(path).documents
    assert "First part. Second part on copper." in first.text
    assert (second.fields["n1"], "On tin." in second.text) == ("3 pages 4 figures", True)


def test_references_may_be_numbered(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text(
        "1.\nTY  - JOUR\nT1  - Lamps\nN2  - A\nER  - \n\n2.\nTY  - JOUR\nT1  - Kettles\nN2  - On copper.\nER  - \n"
    )
    assert [document.text for document in toysearch.load(path).documents] == ["Lamps A", "Kettles On copper."]


def test_pubmed_ends_a_record_at_a_blank_line(tmp_path):
    path = tmp_path / "refs.txt"
    path.write_text("PMID- 1\nTI  - Lamps\nAB  - On tin\n      and zinc.\n\nPMID- 2\nTI  - Kettles\nAB  - On copper.\n")
    assert [document.text for document in toysearch.load(path).documents] == [
        "Lamps On tin and zinc.",
        "Kettles On copper.",
    ]
