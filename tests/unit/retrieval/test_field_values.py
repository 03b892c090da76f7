"""Values of fields: every form of values × every use of them × every kind of source."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from shell import done, run

import toysearch
from toysearch import Document, Index, Searcher
from toysearch.base.errors import ArgumentError
from toysearch.index.typed_values import number_in
from toysearch.retrieval.field_values import kept_field

pytestmark = pytest.mark.system

SOURCES = ["memory", "saved", "named", "shards", "added", "deleted"]


def form(values, *, equal=None, sorts=None, filters=None, prior=None, groups=None):
    return SimpleNamespace(
        values=values.split("|"), equal=equal or {}, sorts=sorts, filters=filters or {}, prior=prior, groups=groups
    )


# The documents are numbered from 1. Groups are the best document of each value; "" has no value.
FORMS = {
    "words in any case": form(
        "Bosch|müller|BOSCH|Aeg|MU\u0308LLER||bosch|Zeta",
        equal={"Bosch": [1, 3, 7], "müller": [2, 5], "aeg": [4]},
        filters={"label = boSCH": [1, 3, 7], "label != bosch": [2, 4, 5, 6, 8], 'label = "mu\u0308ller"': [2, 5]},
        sorts=[4, 1, 3, 7, 2, 5, 8, 6],
        groups=[1, 2, 4, 6, 8],
    ),
    "days": form(
        "2021-01-01|2020-12-31|2022-01-01|2021-06-15||2021-06|2019-05-05|2021-01-01",
        equal={"2021-01-01": [1, 8], "2021-06-01": [6]},
        filters={
            "label >= 2021-01-01 and label < 2022-01-01": [1, 4, 6, 8],
            "label = 2021": [1, 4, 6, 8],
            "label = 2021-06": [4, 6],
            "label = 2021-06-15": [4],
            'label = "2021-06-15"': [4],
            "label > 2021-06-15": [3],
            "label:[2019 TO 2020]": [2, 7],
        },
        sorts=[7, 2, 1, 8, 6, 4, 3, 5],
        groups=[1, 2, 3, 4, 5, 6, 7],
        prior=3,
    ),
    "times": form(
        "2021-01-01T00:00:00Z|2020-12-31T23:59:59.9Z|2022-01-01T00:00+00:00|2021-06-15T12:00:00Z||"
        "2021-06-15 08:30|2021-12-31T23:30:00-01:00|2021-01-01T01:00+01:00",
        equal={"2021-01-01T00:00:00Z": [1, 8], "2022-01-01T00:00:00Z": [3], "2021-06-15T12:00:00Z": [4]},
        filters={
            "label >= 2021-01-01 and label < 2022-01-01": [1, 4, 6, 8],
            "label = 2021-06-15": [4, 6],
            "label <= 2021-06-15": [1, 2, 4, 6, 8],
            "label > 2021-06-15": [3, 7],
            "label = 2021-06-15T12:00:00Z": [4],
            "label > 2021-06-15T08:30Z": [3, 4, 7],
            "label:[2021-06-15T09:00Z TO 2021-12-31]": [4],
        },
        sorts=[2, 1, 8, 6, 4, 3, 7, 5],
        groups=[1, 2, 3, 4, 5, 6, 7],
        prior=7,
    ),
    "days before months": form(
        "01.01.2021|31.12.2020|1.1.2022|15.6.2021||n/a|05.05.2019|01.01.2021",
        equal={"2021-01-01": [1, 8], "01.01.2021": [1, 8], "2022-01-01": [3]},
        filters={
            "label >= 2021-01-01 and label < 2022-01-01": [1, 4, 8],
            "label = 2021": [1, 4, 8],
            "label > 2020": [1, 3, 4, 8],
            "label > 15.06.2021": [3],
            "label = 2021-06": [4],
        },
        sorts=[7, 2, 1, 8, 4, 3, 5, 6],
        groups=[1, 2, 3, 4, 5, 6, 7],
        prior=3,
    ),
    "compact days": form(
        "20210101|20201231|20220101|20210615||20210101|20190505|20210102",
        equal={"20210101": [1, 6], "20201231": [2]},
        filters={"label >= 20210101 and label < 20220101": [1, 4, 6, 8], "label = 20210615": [4]},
        sorts=[7, 2, 1, 6, 8, 4, 3, 5],
        groups=[1, 2, 3, 4, 5, 7, 8],
        prior=3,
    ),
    "amounts": form(
        "438,50 €|12,00 €|1.299,00 €|n/a||€ 20,99|12,00 €|7",
        equal={"438.5": [1], "12": [2, 7], "1299": [3]},
        filters={
            "label < 50": [2, 6, 7, 8],
            "label = 438.5": [1],
            "label > 438,49": [1, 3],
            "label != 12": [1, 3, 4, 5, 6, 8],
        },
        sorts=[8, 2, 7, 6, 1, 3, 4, 5],
        groups=[1, 2, 3, 4, 5, 6, 8],
        prior=3,
    ),
    "decimal commas": form(
        "3,7|12,5|n/a|0,25||4|3,7|12,45",
        equal={"3.7": [1, 7], "12.5": [2], "4": [6]},
        filters={
            "label < 4": [1, 4, 7],
            "label >= 12.45": [2, 8],
            "label between 0.25 and 3.7": [1, 4, 7],
            'label = "12,5"': [2],
            "label != 3.7": [2, 3, 4, 5, 6, 8],
        },
        sorts=[4, 1, 7, 6, 8, 2, 3, 5],
        groups=[1, 2, 3, 4, 5, 6, 8],
        prior=2,
    ),
    "decimal commas among whole numbers": form(
        "4|5|4,5|3||4|n/a|2",
        equal={"4": [1, 6], "4.5": [3], "5": [2]},
        filters={"label >= 4": [1, 2, 3, 6], "label < 4.5": [1, 4, 6, 8], 'label = "4,5"': [3]},
        sorts=[8, 4, 1, 6, 3, 2, 5, 7],
        groups=[1, 2, 3, 4, 5, 7, 8],
        prior=2,
    ),
    "codes with a zero in front": form(
        "01234|1234|12340|1e3|1000||01234|99",
        equal={"01234": [1, 7], "1234": [2], "1000": [5], "1e3": [4]},
        filters={"label = 1234": [2], 'label = "01234"': [1, 7], "label = 01234": [1, 7], "label < 1000": [8]},
        sorts=[8, 5, 4, 1, 7, 2, 3, 6],
        groups=[1, 2, 3, 4, 5, 6, 8],
    ),
    "versions": form(
        "1.10|1.1|1.2|2|10|1.10||1.10.3",
        equal={"1.10": [1, 6], "1.1": [2], "10": [5]},
        filters={"label = 1.10": [1, 6], 'label = "1.1"': [2], "label != 1.1": [1, 3, 4, 5, 6, 7, 8]},
        sorts=[2, 1, 6, 3, 4, 5, 8, 7],
        groups=[1, 2, 3, 4, 5, 7, 8],
    ),
    "words of operators": form(
        "OR|and|Not|or||CA|-3|x:y",
        equal={"and": [2], "Not": [3], "OR": [1, 4], "-3": [7], "CA": [6]},
        filters={"label = or": [1, 4], "label = OR and not label = AND": [1, 4], "label:ca or label = Not": [3, 6]},
        sorts=[7, 2, 6, 3, 1, 4, 8, 5],
        groups=[1, 2, 3, 5, 6, 7, 8],
    ),
    "prices": form(
        "19.90|7|12.00|12|0.50||-3|19.9e0",
        equal={"19.9": [1, 8], "12": [3, 4]},
        filters={
            "label < 12": [2, 5, 7],
            "label >= 12.00": [1, 3, 4, 8],
            "label = 12": [3, 4],
            'label = "12.00"': [3, 4],
        },
        sorts=[7, 5, 2, 3, 4, 1, 8, 6],
        groups=[1, 2, 3, 5, 6, 7],
        prior=1,
    ),
    "lists of words": form(
        "drama;crime|crime||Drama|war;crime|noir|noir;drama;Noir|x",
        equal={"drama": [1, 4, 7], "crime": [1, 2, 5], "noir": [6, 7]},
        filters={
            "label != crime": [3, 4, 6, 7, 8],
            "label:dr*": [1, 4, 7],
            "label in (war, x)": [5, 8],
            "label = drama and label = crime": [1],
            "label is null": [3],
            "label:*": [1, 2, 4, 5, 6, 7, 8],
            "not label:*": [3],
        },
        sorts=[1, 2, 5, 4, 7, 6, 8, 3],
        groups=[1, 3, 4, 6, 8],
    ),
    "lists of numbers": form(
        "38;40|41|39;40;38||40|n/a|38|37",
        equal={"40": [1, 3, 5], "38": [1, 3, 7]},
        filters={
            "label < 39": [1, 3, 7, 8],
            "label > 39 and label < 41": [1, 3, 5],
            "label != 40": [2, 4, 6, 7, 8],
            "label:*": [1, 2, 3, 5, 6, 7, 8],
            "label is null": [4],
        },
        sorts=[8, 1, 3, 7, 5, 2, 4, 6],
        groups=[1, 2, 4, 5, 6, 8],
        prior=2,
    ),
    "whole numbers of 64 bits": form(
        "1234567824702058496|1234567824702058497|1234567824702058600||1234567824702058497|5|"
        "-9223372036854775808|9223372036854775807",
        equal={"1234567824702058496": [1], "1234567824702058497": [2, 5], "9223372036854775807": [8]},
        filters={
            "label > 1234567824702058496": [2, 3, 5, 8],
            "label <= 1234567824702058497": [1, 2, 5, 6, 7],
            "label between 1234567824702058497 and 1234567824702058600": [2, 3, 5],
            "label != 1234567824702058497": [1, 3, 4, 6, 7, 8],
            "label < 5.5": [6, 7],
        },
        sorts=[7, 6, 1, 2, 5, 3, 8, 4],
        groups=[1, 2, 3, 4, 6, 7, 8],
        prior=8,
    ),
    "digits beyond 64 bits": form(
        "12345678901234567890123|12345678901234567890124||5|12345678901234567890123|a|b|b",
        equal={"12345678901234567890123": [1, 5], "12345678901234567890124": [2]},
        filters={"label != 12345678901234567890123": [2, 3, 4, 6, 7, 8]},
        sorts=[4, 1, 5, 2, 6, 7, 8, 3],
        groups=[1, 2, 3, 4, 6, 7],
    ),
    "article numbers": form(
        "4006381333931|4006381333948|4006381333955||4006381333931|4006381333948|1|2",
        equal={"4006381333931": [1, 5], "4006381333955": [3]},
        filters={"label > 4006381333931": [2, 3, 6], "label <= 4006381333931": [1, 5, 7, 8]},
        sorts=[7, 8, 1, 5, 2, 6, 3, 4],
        groups=[1, 2, 3, 4, 7, 8],
        prior=3,
    ),
    "units": form(
        "9 GB|10 GB|100 gb||9GB|1.5 GB|10 GB|20 GB",
        equal={"9GB": [1, 5], "10": [2, 7]},
        filters={
            "label < 10": [1, 5, 6],
            'label = "100 GB"': [3],
            "label between 9 and 10": [1, 2, 5, 7],
            "label > '10 gb'": [3, 8],
            "'label' <= 9GB": [1, 5, 6],
        },
        sorts=[6, 1, 5, 2, 7, 8, 3, 4],
        groups=[1, 2, 3, 4, 6, 8],
        prior=3,
    ),
    "per cent": form(
        "5%|100%|20 %||5%|7.5%|5 %|0%",
        equal={"5%": [1, 5, 7], "100": [2]},
        filters={"label >= 20": [2, 3], "label < 5": [8], 'label = "20 %"': [3]},
        sorts=[8, 1, 5, 7, 6, 3, 2, 4],
        groups=[1, 2, 3, 4, 6, 8],
        prior=2,
    ),
    "months before days": form(
        "12/31/2020|01/01/2021|06/15/2021|01/01/2022||1/1/2021|06/02/2021|12/30/2020",
        equal={"2021-01-01": [2, 6], "2021-06-02": [7]},
        filters={
            "label >= 2021-01-01": [2, 3, 4, 6, 7],
            "label = 2020": [1, 8],
            'label = "01/01/2021"': [2, 6],
            "label = 2021-06": [3, 7],
        },
        sorts=[8, 1, 2, 6, 7, 3, 4, 5],
        groups=[1, 2, 3, 4, 5, 7, 8],
        prior=4,
    ),
    "months by their names": form(
        "Tue, 15 Jun 2021 08:30:00 GMT|June 15, 2021|15 Jun 2021||Dec 31 2020|1-Jan-2022|2021/06/16|31 December 2020",
        equal={"2021-06-15": [1, 2, 3], "2020-12-31": [5, 8]},
        filters={
            "label >= 2021-06-16": [6, 7],
            "label = 2020": [5, 8],
            "label = 2021-06-15T08:30:00Z": [1],
            'label = "2021/06/16"': [7],
            "label <= 'June 15, 2021'": [1, 2, 3, 5, 8],
            "label = 'June 15, 2021'": [1, 2, 3],
        },
        sorts=[5, 8, 2, 3, 1, 7, 6, 4],
        groups=[1, 2, 4, 5, 6, 7],
        prior=6,
    ),
    "days before months with slashes": form(
        "31/12/2020|01/02/2021|02/01/2021||31/12/2020|15/06/2021|1/2/2021|01/01/2022",
        equal={"2021-02-01": [2, 7], "2020-12-31": [1, 5]},
        filters={"label = 2021-02": [2, 7], "label < 2021-02": [1, 3, 5], 'label = "31/12/2020"': [1, 5]},
        sorts=[1, 5, 3, 2, 7, 6, 8, 4],
        groups=[1, 2, 3, 4, 6, 8],
        prior=8,
    ),
}
REFUSED = {
    "compact days": "the field 'label' holds numbers such as 20210101, and 'label:[2021-01-01 TO *]' compares dates",
    "seconds": "the field 'label' holds numbers such as 1609459200, and 'label:[2021-01-01 TO *]' compares dates",
    "milliseconds": "the field 'label' holds numbers such as 1609459200000, and 'label:[2021-01-01 TO *]' compares "
    "dates",
    "other days": "the field 'label' holds words such as '1/1/2021', and 'label:[2021-01-01 TO *]' compares dates",
    "laptops": "the field 'label' holds numbers such as 1299.99, and 'label:[2021-01-01 TO *]' compares dates",
}
NOT_DATES = {
    "compact days": ["20210101", "20220101"],
    "seconds": ["1609459200", "1609459201"],
    "milliseconds": ["1609459200000", "1623758400000"],
    "other days": ["1/1/2021", "12/3/2021"],
    "laptops": ["1299.99", "1499.50"],
}


def file_of(path: Path, values, first=1) -> Path:
    kinds = [value.split(";") if ";" in value else value for value in values]
    rows = [{"id": str(first + place), "text": "kettle", "Label": kind} for place, kind in enumerate(kinds)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def source_of(folder: Path, values, kind: str) -> str:
    """The same documents in a kind of source."""
    whole = file_of(folder / "whole.jsonl", values)
    if kind == "memory":
        return str(whole)
    options = {"named": ("--values", "lABEL"), "shards": ("--shards", 2)}.get(kind, ())
    start = {"added": file_of(folder / "start.jsonl", values[:5])}.get(kind, whole)
    if kind == "deleted":
        start = folder / "more.jsonl"
        start.write_text(whole.read_text() + json.dumps({"id": "gone", "text": "kettle", "Label": values[1]}) + "\n")
    if kind == "added":
        options = ("--values", "Label")
    done("index", start, "-o", folder / kind, *options)
    if kind == "added":
        done("add", folder / kind, file_of(folder / "rest.jsonl", values[5:], 6))
    if kind == "deleted":
        done("delete", folder / kind, "gone")
    return str(folder / kind)


def found(source, *options):
    result = json.loads(done("search", source, "kettle", "-k", 100, "--json", *options).stdout)
    return [int(hit["doc_id"]) for hit in result["hits"]], result.get("facets")


def ids_of(source, query):
    hits = json.loads(done("search", source, query, "-k", 100, "--json", "--query-mode", "strict").stdout)["hits"]
    return [hit["doc_id"] for hit in hits]


@pytest.fixture(scope="module", params=[(name, kind) for name in FORMS for kind in SOURCES], ids=" in ".join)
def made(request, tmp_path_factory):
    name, kind = request.param
    return FORMS[name], source_of(tmp_path_factory.mktemp("source"), FORMS[name].values, kind)


def test_a_form_of_values_has_one_meaning_in_every_use_and_source(made):
    form, source = made
    for where, expected in form.filters.items():
        assert found(source, "--where", where)[0] == expected, where
        assert found(source, "--where", where.replace("label", "LABEL"))[0] == expected, where
    assert found(source, "--sort", "label")[0] == form.sorts
    assert found(source, "--group-by", "LABEL")[0] == form.groups
    n_values = sum(len({*value.lower().split(";")}) for value in form.values)  # one of a document without any
    _, [facet] = found(source, "--facets", "lAbel")
    counts = {row["value"]: row["documents"] for row in facet["values"]}
    assert facet["field"] == "Label"
    assert sum(counts.values()) + facet["missing"] == n_values
    for value, documents in form.equal.items():
        query = f'+label:"{value}" kettle'
        assert [int(doc_id) for doc_id in ids_of(source, query)] == documents, value
        assert counts.get(value, len(documents)) == len(documents), value
        assert found(source, "--where", f'label = "{value}"')[0] == documents, value
        assert found(source, "--where", f"label = {value}")[0] == documents, value
    for row in facet["values"]:
        assert len(found(source, "--where", row["filter"])[0]) == row["documents"], row
    if form.prior:
        assert found(source, "--model", "bm25 + 100*prior:label")[0][0] == form.prior


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("name", REFUSED)
def test_a_bound_that_is_a_date_needs_a_field_of_dates(tmp_path, name, kind):
    source = source_of(tmp_path, [*NOT_DATES[name] * 4], kind)
    result = run("search", source, "kettle", "--where", "label >= 2021-01-01")
    assert result.exit_code == 2
    expected = REFUSED[name].replace("'label'", "'Label'").replace("'label:", "'Label:")
    assert f"{expected} (dates are 2021-06, 2021-06-15 and 2021-06-15T12:00:00Z)" in result.stderr
    where = f"label = {NOT_DATES[name][0]}" if name != "other days" else 'label = "1/1/2021"'
    assert found(source, "--where", where)[0] == [1, 3, 5, 7]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("values", [("9 GB", "500 MB"), ("01/02/2021", "02/03/2021"), ("3. Juni 2024", "5. Juli 2023")])
def test_what_a_filter_cannot_compare_has_no_order(tmp_path, values, kind):
    source = source_of(tmp_path, [*values * 3, "", values[0]], kind)
    for options in (("--where", "label > 2"), ("--sort", "label"), ("--sort=-label",)):
        result = run("search", source, "kettle", *options)
        assert (result.exit_code, f"the field 'Label' holds words such as '{min(values)}'" in result.stderr) == (
            2,
            True,
        )
    assert found(source, "--where", f'label = "{values[1]}"')[0] == [2, 4, 6]
    assert found(source, "--group-by", "label")[0] == [1, 2, 7]


def test_a_unit_that_the_field_has_not_is_refused(tmp_path):
    source = file_of(tmp_path / "shop.jsonl", ["9 GB", "10 GB"])
    for where, said in (
        ("label > 9MB", "numbers in GB, and 'Label:{9MB TO *]' compares mb"),
        ("label < '5 %'", "compares %"),
    ):
        result = run("search", source, "kettle", "--where", where)
        assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    plain = file_of(tmp_path / "plain.jsonl", ["9", "10"])
    assert "holds numbers without a unit" in run("search", plain, "kettle", "--where", "label > 9GB").stderr


def test_values_left_out_are_counted_and_said(tmp_path):
    source = file_of(tmp_path / "shop.jsonl", ["438,50 €", "n/a", "12", "n/a", "9.99"])
    said = "note: Label: 2 of 5 values, such as 'n/a', are not plain numbers or dates and are left out\n"
    for options in (("--sort", "label"), ("--where", "label < 9"), ("--facets", "label")):
        assert run("search", source, "kettle", *options).stderr == said
    assert run("search", source, "kettle").stderr == ""
    for options in ((), ("--values", "label")):
        assert said in run("index", source, "-o", tmp_path / "index", *options).stderr


def test_a_comparison_finds_the_numbers_among_words(tmp_path):
    source = file_of(tmp_path / "shop.jsonl", ["on request", "8", "soon", "on request", "20"])
    done("index", source, "-o", tmp_path / "index", "--values", "label")
    for place in (source, tmp_path / "index"):
        assert found(place, "--where", "label < 9")[0] == [2]
        assert found(place, "--where", "label = soon or label = 20")[0] == [3, 5]


@pytest.mark.parametrize("kind", SOURCES)
def test_a_prior_of_codes_has_their_numbers(tmp_path, kind):
    source = source_of(tmp_path, ["01234", "1234", "99999", "7", "01234", "", "5", "3"], kind)
    assert found(source, "--model", "bm25 + prior:LABEL")[0][0] == 3


def test_names_that_no_document_has_are_refused_with_those_there_are(tmp_path):
    source = file_of(tmp_path / "shop.jsonl", ["Rho", "Tau", "Rho"])
    result = run("index", source, "-o", tmp_path / "index", "--values", "labels")
    assert "unknown field of the documents 'labels'; did you mean 'Label'? Fields of the documents: " in result.stderr
    done("index", source, "-o", tmp_path / "index", "--values", "LABEL")
    stderr = run("search", tmp_path / "index", "+labels:rho kettle").stderr
    assert "unknown field 'labels'; did you mean 'Label'?" in stderr
    assert "--values" not in stderr
    index = Index.build(toysearch.load(source), values=["LABEL"])
    assert [*index.values] == ["Label"]


def test_a_minus_that_joins_two_names_is_explained(tmp_path):
    source = file_of(tmp_path / "shop.jsonl", ["2020", "2021"])
    result = run("search", source, "kettle", "--model", "bm25 + exp((prior:Label-2024)/5)")
    assert "a difference has blanks around its sign: Label - 2024" in result.stderr
    assert found(source, "--model", "bm25 + exp((prior:Label - 2024)/5)")[0] == [2, 1]


def test_names_that_differ_only_by_case_are_refused_unless_spelt_exactly():
    fields = [{"Brand": "a", "BRAND": "b"}, {"Brand": "c", "BRAND": "a"}]
    documents = [Document(str(place), "a cat", "", each) for place, each in enumerate(fields)]
    index = Index.build(documents, values=["Brand", "BRAND"])
    searcher = Searcher(index)
    assert searcher.search("cat", where="Brand = a").doc_ids == ["0"]
    assert searcher.search("+BRAND:a cat").doc_ids == ["1"]
    assert searcher.facets("cat", ["BRAND"]).facets[0].field == "BRAND"
    for call in (
        lambda: searcher.search("cat", where="brand = a"),
        lambda: searcher.search("cat", sort="brand"),
        lambda: searcher.search("cat", group_by="brand"),
        lambda: searcher.search("+brand:a cat", query_mode="strict"),
        lambda: searcher.facets("cat", ["brand"]),
        lambda: kept_field(index, "brand"),
    ):
        with pytest.raises(ArgumentError, match="'brand' may be any of the fields BRAND, Brand; write one of these"):
            call()


@pytest.mark.parametrize("suffix", ["table", "csv", "tsv"])
def test_the_group_of_each_document_is_shown(tmp_path, suffix):
    source = file_of(tmp_path / "shop.jsonl", ["Rho", "rho", "Tau", ""])
    lines = done("search", source, "kettle", "--group-by", "label", "--format", suffix).stdout.splitlines()
    assert "Label" in lines[0]
    assert ["Rho" in lines[1], "Tau" in lines[2], len(lines)] == [True, True, 4]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("438,50 €", 438.5), ("€438,50", 438.5), ("EUR 12.50", 12.5), ("$1299", 1299), ("3,5 €", 3.5)),
        *(("1.299,00", 1299), ("1,299.00", 1299), ("1'299.00", 1299), ("12\xa0345,00\xa0€", 12345), ("-5,00", -5)),
        *(("1,299,000", 1299000), ("1.299", 1.299), ("2021", 2021), ("2021-01-01T00:00:00Z", 2021)),
        *((text, None) for text in ("1,299", "$1,299", "€ 1.299", "3,4", "1,2,3", "n/a", "12 €/kg", "2021-02-30", "€")),
    ],
)
def test_amounts_and_dates_are_numbers_unless_they_could_be_two(text, number):
    found = number_in(text)
    assert (None if found != found else found) == number
