"""Who is who: a list of a class, names that Moodle and Canvas make, and their archives."""

import csv
import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
import shell
from student_notebooks import needs_confinement, notebook

from toysearch.base.errors import DataError, ToysearchError
from toysearch.classroom.grading.roster import Enrolled, collect, handed_in_as, owner, read_roster


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada,a1\nBen,b2\n", [("Ada", "a1"), ("Ben", "b2")]),
        ("\ufeffName;ID\nGrace  Hopper; gh\n\n", [("Grace Hopper", "gh")]),
        ('name,id\n"Müller, Chloé",c\nBen\n', [("Müller, Chloé", "c"), ("Ben", "Ben")]),
        ("name\tid\nAda\t1\n", [("Ada", "1")]),
        ("Name;Nummer\nAda;1\n", [("Ada", "1")]),
        ("id,name\n1,Ada\n", [("Ada", "1")]),
        ("First name,Last name,ID number,Email address\nAda,Lovelace,1,a@b\n", [("Ada Lovelace", "1")]),  # Moodle
        ("\ufeffMatrikelnummer;Nachname;Vorname\n1;Lovelace;Ada\n2;Ben;\n", [("Ada Lovelace", "1"), ("Ben", "2")]),
        (  # Canvas
            'Student,ID,SIS User ID,Section\n    Points Possible,,,\n"Lovelace, Ada",77,a1,x\nBen,78,,x\n',
            [("Lovelace, Ada", "a1"), ("Ben", "78")],
        ),
        ("Student,1\n", [("Student", "1")]),
    ],
)
def test_a_list_of_a_class(tmp_path, text, expected):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    assert [student[:2] for student in read_roster(path)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Last name,First name,ID number,Email address\nLovelace,Ada,1,a@b\n", ("Lovelace", "Ada", "a@b")),  # Moodle
        ('Student,ID,SIS User ID,Section\n"Lovelace, Ada",77,a1,x\n', ("Lovelace", "Ada", "")),  # Canvas
        ("Ada Lovelace,1\n", ("Ada Lovelace", "", "")),  # which part is the last name is not said
        ("Ada Lovelace\n", ("Ada Lovelace", "", "")),
    ],
)
def test_the_parts_of_a_name_and_the_address_are_those_of_the_list(tmp_path, text, expected):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    [student] = read_roster(path)
    assert student[2:] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ada,1\nADA ,2\n", "class.csv:2: the name of line 1 is repeated; make it unique"),
        ("Ada,1\nBen,1\n", "class.csv:2: the id of line 1 is repeated; make it unique"),
        ("Ada,1,x\n", "first name,last name,ID number; found 'Ada,1,x'"),
        ("First name,Last name,ID number\n,,1\n", "class.csv:2: expected a name and an id"),
        (",1\n", "class.csv:1: expected a name and an id"),
        ('"Ada,1\n', "close its quotation mark"),
        ("name,id\n", "class.csv holds no students; expected a name and an id"),
    ],
)
def test_what_is_no_list_of_a_class(tmp_path, text, message):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_roster(path)
    assert message in str(error.value)


def test_a_list_from_a_spreadsheet_of_windows_keeps_its_letters(tmp_path):
    path = tmp_path / "class.csv"
    path.write_bytes("name;id\nJürgen Müller;1\n".encode("cp1252"))
    assert [student[:2] for student in read_roster(path)] == [("Jürgen Müller", "1")]
    said = shell.run("labs", "start", "5", "--roster", str(path), "-o", str(tmp_path / "nb")).stderr
    assert "class.csv: not UTF-8, read as cp1252 by its letters" in said
    assert '"Jürgen Müller"' in next(tmp_path.glob("nb/1/*.ipynb")).read_text(encoding="utf-8").replace("\\", "")


CLASS = [Enrolled("Ada Lovelace", "a1"), Enrolled("Chloé Müller", "c3"), Enrolled("Ben", "4711")]
NAMES = {
    "Lovelace Ada_12345_assignsubmission_file_/05-sets.ipynb": "a1",  # Moodle, in folders
    "Ada Lovelace_12345_assignsubmission_file_05-sets.ipynb": "a1",  # Moodle, without
    "Participant 4711_4711_assignsubmission_file_/05-sets.ipynb": "4711",  # anonymous
    "lovelaceada_LATE_12345_67890_05-sets.ipynb": "a1",  # Canvas
    "mullerchloe_99_67890_05-sets-1.ipynb": "c3",
    "someone_4711_67890_05-sets.ipynb": "4711",
    "week 5/c3/05-sets.ipynb": "c3",  # as `labs start` made it
    "Ada Lovelace_12345_assignsubmission_file_/mine/c3/05-sets.ipynb": "c3",  # the nearest counts
    "nobody_12_34_05-sets.ipynb": None,
    "Lovelace_2_assignsubmission_file_/05-sets.ipynb": None,
    "05-sets.ipynb": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_whose_a_notebook_is(name):
    student = owner(Path("in") / name, Path("in"), CLASS)
    assert (student.student_id if student else None) == NAMES[name]


def test_two_students_of_one_name_are_not_guessed():
    twins = [Enrolled("Ada Lovelace", "a1"), Enrolled("Lovelace Ada", "a2")]
    path = Path("in/Ada Lovelace_77_assignsubmission_file_/x.ipynb")
    assert owner(path, Path("in"), twins) is None
    assert owner(path, Path("in"), [*twins, Enrolled("Third", "77")]) == Enrolled("Third", "77")


def archive(path: Path, files: dict[str, bytes | str], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2026, 11, 23, 12, 30, 2))
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)
    return path


def test_an_archive_of_moodle_and_one_of_canvas(tmp_path):
    moodle = {
        "Lovelace Ada_12345_assignsubmission_file_/05-sets.ipynb": "{}",
        "Ben_13_assignsubmission_file_05-sets.ipynb": "[]",
        "Ben_13_assignsubmission_file_/notes.txt": "…",
        "Ben_13_assignsubmission_file_/.ipynb_checkpoints/05-sets.ipynb": "{}",
    }
    notebooks, others = collect(archive(tmp_path / "m.zip", moodle), tmp_path / "m")
    assert [path.relative_to(tmp_path / "m").as_posix() for path in notebooks] == [
        "Lovelace Ada_12345_assignsubmission_file_/05-sets.ipynb",
        "Ben_13_assignsubmission_file/05-sets.ipynb",
    ]
    assert [path.read_text() for path in notebooks] == ["{}", "[]"]
    assert [Path(name).name for name in others] == ["notes.txt", "05-sets.ipynb"]
    canvas = {"lovelaceada_LATE_12345_67890_05-sets.ipynb": "{}", "ben_13_67891_05-sets-2.ipynb": "[]"}
    notebooks, others = collect(archive(tmp_path / "c.zip", canvas), tmp_path / "c")
    assert [path.relative_to(tmp_path / "c").as_posix() for path in notebooks] == [
        "lovelaceada_LATE_12345_67890/05-sets.ipynb",
        "ben_13_67891/05-sets-2.ipynb",
    ]
    assert [handed_in_as(path.parent.name).late for path in notebooks] == [True, False]
    assert others == []


@pytest.mark.parametrize("name", ["../x.ipynb", "a/../../x.ipynb", "/etc/x.ipynb", "C:\\x.ipynb", "a\\..\\x.ipynb"])
def test_an_archive_that_leads_elsewhere_is_refused_as_a_whole(name, tmp_path):
    packed = archive(tmp_path / "x.zip", {"good_11_22_05-sets.ipynb": "{}", name: "{}"})
    with pytest.raises(DataError, match="leads out of the folder"):
        collect(packed, tmp_path / "in" / "deep")
    assert [path.name for path in tmp_path.rglob("*")] == ["x.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_in_an_archive_are_refused(kind, tmp_path):
    with pytest.raises(DataError, match=r"'a/x.ipynb' in it is a link or a device"):
        collect(archive(tmp_path / "x.zip", {"a/x.ipynb": "/etc/passwd"}, kind | 0o777), tmp_path / "in")


@pytest.mark.system
def test_a_bomb_and_what_is_too_large_are_refused_before_anything_is_written(tmp_path):
    many = {f"a_{number}_11_x.ipynb": bytes(10_000_000) for number in range(10, 20)}
    with pytest.raises(DataError, match="it unpacks to more than"):
        collect(archive(tmp_path / "many.zip", many), tmp_path / "in")
    files = {f"a_{number}_11_x.ipynb": "{}" for number in range(10, 5011)}
    with pytest.raises(DataError, match=r"it holds 5,001 files, and at most 5,000 are unpacked; split it into several"):
        collect(archive(tmp_path / "files.zip", files), tmp_path / "in")
    content = {"b_10_11_a.ipynb": "{}", "b_10_11_x.ipynb": bytes(51_000_000), "z.txt": os.urandom(700_000)}
    with pytest.raises(DataError, match=r"'x.ipynb' in it has more than 50.0 MB"):
        collect(archive(tmp_path / "one.zip", content), tmp_path / "in")
    (tmp_path / "bad.zip").write_bytes((tmp_path / "one.zip").read_bytes()[:-30])
    with pytest.raises(DataError, match="is not a readable zip archive"):
        collect(tmp_path / "bad.zip", tmp_path / "in")
    damaged = bytearray(archive(tmp_path / "crc.zip", {"b_10_11_x.ipynb": os.urandom(500)}).read_bytes())
    damaged[100] ^= 1
    (tmp_path / "crc.zip").write_bytes(damaged)
    with pytest.raises(DataError, match="is not a readable zip archive"):
        collect(tmp_path / "crc.zip", tmp_path / "in")
    with pytest.raises(DataError, match="holds no notebook"):
        collect(archive(tmp_path / "none.zip", {"a.txt": ""}), tmp_path / "in")
    with pytest.raises(DataError, match="two notebooks in it are called"):
        collect(archive(tmp_path / "two.zip", {"a?/x.ipynb": "", "a*/x.ipynb": ""}), tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_a_notebook_that_is_there_with_other_content_stays_without_force(tmp_path):
    first = archive(tmp_path / "1.zip", {"b_10_11_x.ipynb": "{}"})
    second = archive(tmp_path / "2.zip", {"a_10_11_x.ipynb": "{}", "b_10_11_x.ipynb": "[]"})
    arguments = "labs", "grade", str(tmp_path / "in"), "--from", str(second)
    collect(first, tmp_path / "in")
    collect(first, tmp_path / "in")
    run = shell.run(*arguments)
    assert run.exit_code == 2
    assert "already exists with other content; choose another folder, or move that file away" in run.stderr
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["b_10_11"]
    run = shell.run(*arguments, "--force")
    assert f"2 notebooks in {tmp_path / 'in'}\n" in run.stderr
    assert (tmp_path / "in" / "b_10_11" / "x.ipynb").read_text() == "[]"
    (tmp_path / "in" / "b_10_11" / "x.ipynb").unlink()
    (tmp_path / "in" / "b_10_11" / "x.ipynb").symlink_to("/etc/passwd")
    with pytest.raises(ToysearchError, match="is a link, not a file"):
        collect(second, tmp_path / "in", replace=True)


SLOPE = (
    "from math import log\ng = labs.given('1.4')\nlabs.check('1.4', log(g.cf_2 / g.cf_1) / log(g.rank_2 / g.rank_1))"
)


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_the_way_from_a_course_system_and_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start = 'from toysearch import labs\nlabs.start(1, student="{}")'
    Path("class.csv").write_text("name,id\nAda Lovelace,a1\nBen,b2\nZoe,z9\n")
    solved, named = notebook(start.format("Ada Lovelace"), SLOPE), notebook(start.format("Ada Lovelace"))
    moodle = {
        "Lovelace Ada_501_assignsubmission_file_/01-tokens.ipynb": solved,
        "Ben_502_assignsubmission_file_/01-tokens.ipynb": named,  # another's name: a note, no second row for Ada
        "Ben_502_assignsubmission_file_/01-tokens-copy.ipynb": notebook(start.format("Ben"), SLOPE),
    }
    archive(Path("moodle.zip"), moodle)
    files = ["--to", "csv", "g.csv", "--to", "moodle", "m.csv", "--to", "canvas", "c.csv"]
    run = shell.run("labs", "grade", "in", "--from", "moodle.zip", "--roster", "class.csv", *files)
    assert run.exit_code == 0, run.output
    assert "the notebook has the name of Ada Lovelace, another student of the class, in the folder of Ben" in run.stderr
    rows = {row["student_id"]: row for row in csv.DictReader(Path("g.csv").read_text(encoding="utf-8").splitlines())}
    assert {student: (row["assignment"], row["score"]) for student, row in rows.items()} == {
        "a1": ("01-tokens", "1.0"),
        "b2": ("01-tokens", "1.0"),  # the better one of two notebooks
        "z9": ("01-tokens", "0.0"),
    }
    worksheet = list(csv.reader(Path("m.csv").read_text(encoding="utf-8").splitlines()))
    assert worksheet[0] == [
        *("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments")
    ]
    assert [row[:5] for row in worksheet[1:]] == [
        ["Participant 502", "Ben", "1.00", "16.00", "-"],
        ["Participant 501", "Ada Lovelace", "1.00", "16.00", "-"],
    ]
    assert "1.4: 1/1. Right: 1 point." in worksheet[2][5]
    assert Path("c.csv").read_text() == (
        "Student,ID,SIS User ID,SIS Login ID,Section,01-tokens\n"
        "    Points Possible,,,,,16\n"
        "Ben,,b2,,,1\nAda Lovelace,,a1,,,1\nZoe,,z9,,,0\n"
    )
    again = shell.run("labs", "grade", "in", *files)  # files of its own are replaced
    assert again.exit_code == 0, again.output
    Path("c.csv").write_text("Student,ID,SIS User ID,SIS Login ID,Section,Homework (12)\n")
    kept = shell.run("labs", "grade", "in", "--to", "canvas", "c.csv")  # an export of Canvas is not
    assert kept.exit_code == 2
    assert "already exists and is not a file of grades that toysearch made" in kept.stderr


@pytest.mark.system
@pytest.mark.waits
@needs_confinement
def test_a_row_for_canvas_has_its_number(tmp_path):
    start = notebook('from toysearch import labs\nlabs.start(5, student="ada")')
    packed = archive(tmp_path / "c.zip", {"lovelaceada_LATE_12345_67890_05-sets.ipynb": start})
    collect(packed, tmp_path / "in")
    run = shell.run("labs", "grade", str(tmp_path / "in"), "--to", "canvas", "-")
    assert list(csv.reader(io.StringIO(run.stdout)))[2] == ["ada", "12345", "", "", "", "0"]
