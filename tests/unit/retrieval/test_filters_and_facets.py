import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising
from shell import refused

import toysearch
from toysearch import Index, Searcher
from toysearch.base import ArgumentError, Document
from toysearch.retrieval import filters_and_facets
from toysearch.retrieval.filters_and_facets import filter_text
from toysearch.retrieval.matching import Matcher
from toysearch.workbench.shards.shard_folder import save_shards
from toysearch.workbench.shards.sharded_index import ShardedIndex

RANKERS = [
    "bm25",
    "cosine",
    "lm-dirichlet",
    "rm3(bm25)",
    "sdm(bm25)",
    "0.7*min-max(bm25) + 0.3*z-score(tfidf)",
    "rrf(bm25, lm-dirichlet)",
    "lsa:5",
]
FILTERS = {
    "brand = dyson": lambda fields: fields["brand"] == "Dyson",
    "price < 50 and not brand = dyson": lambda fields: fields["price"] < 50 and fields["brand"] != "Dyson",
    'brand = "miele plus" or price >= 190': lambda fields: fields["brand"] == "Miele Plus" or fields["price"] >= 190,
    "date:2012": lambda fields: fields["date"].startswith("2012"),
    "brand != dyson and date > 2013-06": lambda fields: fields["brand"] != "Dyson" and fields["date"] > "2013-06-99",
    "price = 1000": lambda fields: False,
    "brand in (dyson, miele plus) and price < 99": lambda fields: (
        fields["brand"] in ("Dyson", "Miele Plus") and fields["price"] < 99
    ),
    "not brand in (dyson) or date in (2012-03, 2013)": lambda fields: (
        fields["brand"] != "Dyson" or fields["date"].startswith(("2012-03", "2013"))
    ),
}
WORDS = [f"w{number}" for number in range(12)]
BRANDS = ["Dyson", "Miele", "Miele Plus", ""]


def documents(n=240):
    rng = np.random.default_rng(1)
    for number in range(n):
        fields = {"brand": BRANDS[rng.integers(4)], "date": f"{rng.integers(2011, 2016)}-{rng.integers(1, 13):02}-15"}
        fields["price"] = "" if number % 20 == 7 else str(int(rng.integers(1, 200)))
        text = " ".join(WORDS[word] for word in np.minimum(rng.geometric(0.2, 12) - 1, 11))
        yield Document(f"d{number:03}", text, "", {name: value for name, value in fields.items() if value})


def values_of(document):
    fields = {"brand": "", "price": math.nan} | dict(document.fields)
    return fields | {"price": float(fields["price"])}


FIELDS = {document.doc_id: values_of(document) for document in documents()}


@pytest.fixture(scope="module")
def index():
    return Index.build(documents(), values=["brand", "price", "date"])


def hits(ranking):
    return [(hit.doc_id, hit.score) for hit in ranking]


def kept(ranking, keeps):
    return [(hit.doc_id, hit.score) for hit in ranking if keeps(FIELDS[hit.doc_id])]


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("ranker", RANKERS)
def test_a_filter_is_a_filter_of_the_whole_ranking(index, ranker, where):
    searcher = Searcher(index, ranker)
    for text in ("w3 w7 w9", "w0", "+w4 w2 -w9", '"w1 w2" OR w8'):
        expected = kept(searcher.search(text, None), FILTERS[where])
        assert hits(searcher.search(text, None, where=where)) == expected
        assert hits(searcher.search(text, 10, where=where)) == expected[:10]
        expected = kept(searcher.search(text, None, ties="trec_eval"), FILTERS[where])
        assert hits(searcher.search(text, 7, where=where, ties="trec_eval")) == expected[:7]


@pytest.mark.parametrize("layout", ["saved", "sharded", "changed"])
def test_it_holds_in_every_layout(index, layout, tmp_path):
    kept_fields, rows = {"values": ["brand", "price", "date"]}, list(documents())
    if layout == "sharded":
        cuts = [0, 50, 51, 170, 240]
        (tmp_path / "index").mkdir()
        shards = [Index.build(rows[start:end], **kept_fields) for start, end in pairwise(cuts)]
        save_shards(tmp_path / "index", ShardedIndex(shards))
    elif layout == "changed":
        changed = Index.build(rows[:200], **kept_fields).add(rows[200:]).delete(["d100", "d210"])
        changed.add([rows[100]]).save(tmp_path / "index")
    else:
        index.save(tmp_path / "index")
    laid = Index.open(tmp_path / "index")
    missing = {"d210"} if layout == "changed" else set()
    assert len(laid) == 240 - len(missing)
    searcher = Searcher(laid)
    for where, keeps in FILTERS.items():
        expected = kept(searcher.search("w3 w7", None), keeps)
        assert hits(searcher.search("w3 w7", 5, where=where)) == expected[:5]
        assert searcher.facets("w3 w7", ["brand"], where=where).matched == len(expected)
    [hit] = searcher.search("w3", 1)
    stored = {name: value for name, value in FIELDS[hit.doc_id].items() if value and value == value}
    assert dict(hit.fields) == stored


PIPED = [
    "bm25@30 >> lm-dirichlet",
    "mmr(bm25, depth=20)",
    "xquad(bm25)",
    "passages(bm25, words=6, stride=3)",
    "rrf(bm25, mmr(tfidf, depth=9))",
    "bm25 + 0.01*prior:price",
    "passages(bm25@9 >> dph, words=6)",
]


@pytest.fixture(scope="module")
def sharded():
    """The same documents in shards."""
    parts = [[*documents()][start:end] for start, end in pairwise([0, 50, 51, 170, 240])]
    return ShardedIndex([Index.build(part, values=["brand", "price", "date"]) for part in parts])


@pytest.mark.system
@pytest.mark.parametrize("ranker", PIPED)
def test_stages_structures_filters_and_shards_together(index, sharded, ranker):
    whole, parts = Searcher(index, ranker), Searcher(sharded, ranker)
    for text in ("w3 w7 w9", "+w4 w2 -w9", '"w1 w2" OR w8'):
        ranking = whole.search(text, None)
        for where, keeps in [*FILTERS.items()][:3]:
            expected = kept(ranking, keeps)[:12]
            assert hits(whole.search(text, 12, where=where)) == expected
            assert hits(parts.search(text, 12, where=where)) == expected
            for doc_id, score in expected[:1]:  # an explanation knows no filter, and needs none
                assert toysearch.explain(whole, text, doc_id, query_mode="lenient").tree.value == score


def test_a_filter_without_a_query_keeps_all_that_match_it(index):
    ranking = Searcher(index).search("", None, where="price >= 190")
    expected = [doc_id for doc_id, fields in FIELDS.items() if fields["price"] >= 190]
    assert hits(ranking) == [(doc_id, 0.0) for doc_id in expected]


def test_documents_are_sorted_by_a_field_and_those_without_it_come_last(index):
    searcher = Searcher(index)
    ranking = hits(searcher.search("w3 w7", None))
    for sort, sign in (("price", 1), ("-price", -1)):
        price = [sign * FIELDS[doc_id]["price"] for doc_id, _ in ranking]
        order = sorted(range(len(price)), key=lambda place: (price[place] != price[place], price[place]))
        assert hits(searcher.search("w3 w7", 9, sort=sort)) == [ranking[place] for place in order[:9]]
    with_brand = sorted(
        (pair for pair in ranking if FIELDS[pair[0]]["brand"]), key=lambda pair: FIELDS[pair[0]]["brand"]
    )
    assert hits(searcher.search("w3 w7", None, sort="brand"))[: len(with_brand)] == with_brand


def test_the_best_document_of_each_value_is_kept_and_those_without_one(index):
    searcher, expected, brands = Searcher(index), [], set()
    for doc_id, score in hits(searcher.search("w3 w7", None)):
        if (brand := FIELDS[doc_id]["brand"]) not in brands:
            expected.append((doc_id, score))
            brands |= {brand} - {""}
    assert len(brands) == 3
    assert hits(searcher.search("w3 w7", None, group_by="brand")) == expected
    ranking = searcher.search("w3 w7", 4, group_by="brand", offset=2)
    assert hits(ranking) == expected[2:6]
    assert [hit.rank for hit in ranking] == [3, 4, 5, 6]


def test_a_filter_keeps_what_a_facet_counts_though_the_words_of_its_field_are_searched():
    colours = ["red", "red brick", "red", "dark red", "red", "blue"]
    documents = [{"id": str(number), "text": "a wall", "colour": colour} for number, colour in enumerate(colours)]
    searcher = Searcher(Index.build(documents, fields=["text", "colour"], values=["colour"]))
    [facet] = searcher.facets("wall", ["colour"]).facets
    counts = [(value.documents, len(searcher.search("wall", where=value.filter))) for value in facet.values]
    assert counts == [(3, 3), (1, 1), (1, 1), (1, 1)]
    assert len(searcher.search("colour:red")) == 5


def test_a_filter_or_a_field_of_another_type_is_refused(index):
    for where, kind in (({"price": 20}, "a dict"), (["brand = b1"], "a list")):
        with raising(ArgumentError, f"where must be a text such as 'price < 20 and brand = dyson', not {kind}"):
            Searcher(index).search("w3", where=where)
    with raising(ArgumentError, "sort must be a text, not a list"):
        Searcher(index).search("w3", sort=["price"])
    with raising(ArgumentError, "'price' is neither a number nor a date:\n  10 < price < 25"):
        Searcher(index).search("w3", where="10 < price < 25")
    with raising(ArgumentError, "fields must be a list of str, not a str"):
        Searcher(index).facets("w3", "brand")


def test_an_offset_goes_on_where_a_shorter_ranking_ends(index):
    searcher = Searcher(index)
    assert hits(searcher.search("w3", 5, offset=3)) == hits(searcher.search("w3", 8))[3:]
    assert len(searcher.search("w3", 5, offset=1000)) == 0


def test_facets_count_what_matches(index):
    searcher = Searcher(index)
    facets = searcher.facets("w3 w7", ["brand", "price", "date"], where="date >= 2013")
    fields = [FIELDS[hit.doc_id] for hit in searcher.search("w3 w7", None) if FIELDS[hit.doc_id]["date"] >= "2013"]
    assert facets.matched == len(fields)
    brand, price, date = facets.facets
    tally = Counter(values["brand"] for values in fields)
    assert {row.value: row.documents for row in brand.values} | {"": brand.missing} == tally
    assert [row.documents for row in brand.values] == sorted((row.documents for row in brand.values), reverse=True)
    assert [row.value for row in price.values] == [f"{low} up to {low + 20}" for low in range(0, 200, 20)]
    numbers = [values["price"] for values in fields]
    tally = [sum(low <= number < low + 20 for number in numbers) for low in range(0, 200, 20)]
    assert [row.documents for row in price.values] == tally
    assert price.missing == sum(number != number for number in numbers)
    assert [row.value for row in date.values] == ["2013 up to 2014", "2014 up to 2015", "2015 up to 2016"]


def test_the_filter_of_a_value_keeps_as_many_documents_as_it_counts(index):
    searcher = Searcher(index)
    for where in (None, "date = 2014", "price > 195"):
        for facet in searcher.facets("w3 w7", ["brand", "price", "date"], where=where).facets:
            assert sum(row.documents for row in facet.values) + facet.missing == (
                searcher.facets("w3 w7", [], where=where).matched
            )
            for row in facet.values:
                both = row.filter if where is None else f"({where}) and {row.filter}"
                assert len(searcher.search("w3 w7", None, where=both)) == row.documents


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("price < 50 and brand = dyson", "price:<50 AND brand:dyson"),
        ("price<=50 OR NOT (brand==dyson)", "price:<=50 OR NOT (brand:dyson)"),
        ("brand != 'x'", 'NOT brand:"x"'),
        ('brand = "x in (y)"', 'brand:"x in (y)"'),
        ("brand <> 'salt and pepper'", 'NOT brand:"salt and pepper"'),
        ("brand in ['x', 'y']", "brand:(x OR y)"),
        ("brand in ('x', y) or price between 1 and 5", "brand:(x OR y) OR (price:>=1 AND price:<=5)"),
        ("date > '2010-02' and price <= \"5\"", "date:>2010-02 AND price:<=5"),
        ("date between '2010' and \"2012\"", "(date:>=2010 AND date:<=2012)"),
        ('brand = "salt and pepper < 3"', 'brand:"salt and pepper < 3"'),
        ("brand in ('salt, pepper', \"nut's, oil\", tea)", """brand:("salt, pepper" OR "nut's, oil" OR tea)"""),
        ("brand = '3\" pipe' or brand = '", """brand:"3\\" pipe" OR brand:'"""),
        ("date:[2012 TO 2013] and price>=1.5", "date:[2012 TO 2013] AND price:>=1.5"),
        ('"Price (€)" < 50 and not `made in` = "x y"', 'Price\\ \\(€\\):<50 AND NOT made\\ in:"x y"'),
        ("brand like 'New L_ok%' or not code like \"b:%\"", "brand:New\\ L?ok* OR NOT code:b\\:*"),
        ("code glob 'a_b*' and brand not like dy% or price is null", "code:a_b* AND NOT brand:dy* OR NOT price:*"),
        ('"made in" in (x, "y z") or "a b" between 1 and 2', 'made\\ in:(x OR "y z") OR (a\\ b:>=1 AND a\\ b:<=2)'),
    ],
)
def test_comparisons_are_written_in_the_query_language(text, written):
    assert filter_text(text) == written


NAMES = ["Price (€)", "price (£)", "Food and Drink", "Größe", "2nd hand", "a:b", "what?*", "Made in", "made-in", "(€)"]


@pytest.mark.parametrize("others", [[], NAMES], ids=["alone", "among others"])
@pytest.mark.parametrize("name", NAMES)
def test_a_field_of_any_name_can_be_asked_for(name, others):
    values = ["red", "blue", "dark red", "red"]
    amounts = ["3", "14", "15", "92"]
    for of_field in (values, amounts):
        fields = [dict.fromkeys([name, *others], value) for value in of_field]
        documents = [Document(str(place), "a kettle", "", each) for place, each in enumerate(fields)]
        index = Index.build(documents, values=[*fields[0]])
        searcher = Searcher(index)
        for row in searcher.facets("kettle", [name]).facets[0].values:
            expected = [str(place) for place, value in enumerate(of_field) if value == row.value]
            assert searcher.search("kettle", where=row.filter).doc_ids == expected, row
            if "\\" not in row.filter:
                assert searcher.search(f"kettle +{row.filter}").doc_ids == expected, row
    assert searcher.search("kettle", where=f'"{name}" < 15').doc_ids == ["0", "1"]
    assert searcher.search("kettle", where=f"`{name}` between 14 and 15").doc_ids == ["1", "2"]
    if not others and name != "(€)":
        word = name.lower().replace(" (€)", "").replace(" (£)", "").replace("?*", "").replace(":", "_")
        assert searcher.search("kettle", where=f"{word.replace(' ', '_')} >= 15").doc_ids == ["2", "3"]


EXAMPLE = "a filter compares fields with values, as in 'price < 50 and brand = dyson'"
QUOTE = "quote a name or a value of several words, as in 'brand = \"New Look\"'"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"where": "cat"}, f"{EXAMPLE}; 'cat' is compared with nothing; {QUOTE}"),
        ({"where": "price ="}, f"{EXAMPLE}; 'price' is compared with nothing; {QUOTE}"),
        ({"where": "brand = dyson and tick*"}, f"{EXAMPLE}; 'tick*' is compared with nothing; {QUOTE}"),
        ({"where": ""}, f"{EXAMPLE}; '' compares none"),
        ({"where": 3}, f"{EXAMPLE}; 3 compares none"),
        ({"offset": -1}, "offset must be a whole number of at least 0, not -1"),
        (
            {"where": "brand < 3"},
            "the field 'brand' holds words such as 'Dyson', and 'brand:[* TO 3}' compares numbers (numbers are written "
            "as 3.7, dates as 2021-06-15)",
        ),
        *(
            (
                arguments,
                "the index keeps no values of a field 'colour', only of brand, date, price; to ask for it: "
                "Index.build(…, values=['colour'])",
            )
            for arguments in ({"sort": "-colour"}, {"group_by": "colour"}, {"where": "colour = red"})
        ),
    ],
)
def test_what_no_index_can_do_is_refused(index, arguments, message):
    with pytest.raises(ArgumentError) as refusal:
        Searcher(index).search("w3", **arguments)
    assert str(refusal.value) == message


def test_decimals_that_a_long_number_makes_words_are_refused_with_that_number():
    prices = "0.5", "1.5", "9007199254740993"
    documents = [Document(str(n), "cat", fields={"price": price}) for n, price in enumerate(prices)]
    index = Index.build(documents, values=["price"])
    with raising(
        ArgumentError,
        "the field 'price' holds words such as '0.5', and 'price:[* TO 1}' compares numbers (9007199254740993 is exact "
        "only among whole numbers of 64 bits)",
    ):
        Searcher(index).search("cat", where="price < 1")


def test_a_field_that_no_document_has_is_refused_with_those_there_are():
    with pytest.raises(ArgumentError, match=r"collection 'companions' has no field 'colour'. Fields of collection"):
        Searcher("companions").facets("dog", ["colour"])


@pytest.mark.parametrize("text", ["dog", ""])
@pytest.mark.parametrize("where", ["topc = 1", "topc < 1", "topc is null"])
def test_a_filter_by_a_field_that_there_is_not_names_the_nearest_with_and_without_a_query(text, where):
    with pytest.raises(ArgumentError, match=r"^collection 'companions' has no field 'topc'; did you mean 'topic'\?"):
        Searcher("companions").search(text, where=where)


@pytest.mark.parametrize("where", ["brand:dyson,miele", "brand = Dyson,Miele", 'brand:"dyson, miele"'])
def test_values_with_a_comma_lead_to_alternatives(index, where):
    index = Index.build(documents(), values=["brand"])  # what a filter keeps is worked out once
    with noted() as notes:
        assert len(Searcher(index).search("w3", where=where)) == 0
    [advice] = {note.rpartition("one of several values: ")[2] for note in notes}
    assert advice.lower() == "brand:(dyson or miele)"
    expected = kept(Searcher(index).search("w3", None), lambda fields: fields["brand"] in ("Dyson", "Miele"))
    assert hits(Searcher(index).search("w3", None, where=advice)) == expected


def test_months_are_counted_where_a_year_is_the_range():
    days = [f"2012-{1 + day // 20:02}-{1 + day % 20:02}" for day in range(60)]
    index = Index.build(
        [Document(str(place), "a cat", "", {"day": day}) for place, day in enumerate(days)], values=["day"]
    )
    searcher = Searcher(index)
    [facet] = searcher.facets("cat", ["day"]).facets
    assert [(row.value, row.documents) for row in facet.values] == [("2012-01", 20), ("2012-02", 20), ("2012-03", 20)]
    assert [len(searcher.search("cat", None, where=row.filter)) for row in facet.values] == [20, 20, 20]


def test_the_command_refuses_what_does_not_go_together():
    assert "--facets needs a table or JSON" in refused(
        "search", "companions", "dog", "--facets", "topic", "--format", "csv"
    )
    mixed = refused("search", "companions", "dog", "--relevant", "p057", "--where", "topic = law")
    assert "--relevant and --not take no filter, order or facets; leave these out" in mixed


def test_some_filters_are_read_and_worked_out_once(index, monkeypatch):
    calls, matches, texts = [], Matcher.matches, []
    monkeypatch.setattr(filters_and_facets, "filter_text", lambda text: texts.append(text) or filter_text(text))
    monkeypatch.setattr(Matcher, "matches", lambda self, tree: calls.append(str(tree)) or matches(self, tree))
    monkeypatch.setattr(filters_and_facets, "MOST_FILTERS", 2)
    index.memo.clear()
    searcher = Searcher(index, "bm25")
    for where in [*["brand = dyson", "price < 50"] * 3, "price < 50", "date:2012", "brand = dyson"]:
        hits = searcher.search("w0 w1", where=where)
        passes = FILTERS.get(where, lambda fields: fields["price"] < 50)
        assert hits
        assert all(passes(FIELDS[hit.doc_id]) for hit in hits)
    assert calls == ["brand:dyson", "price:[* TO 50}", "date:2012", "brand:dyson"]
    assert texts == ["brand = dyson", "price < 50", "date:2012", "brand = dyson"]
    assert len(index.memo["filters"]) == 2


@pytest.mark.parametrize(("n", "part"), [(40, 10), (201, 100), (99, 10_000), (1500, 7)])
def test_a_range_counts_the_documents_that_its_filter_finds(n, part):
    """Quotients of decimal fractions are rounded: 1.2 / 0.2 is less than 6."""
    documents = [Document(str(number), "cat", "", {"price": str(number / part)}) for number in range(n)]
    searcher = Searcher(Index.build(documents, values=["price"]))
    [facet] = searcher.facets("cat", ["price"]).facets
    found = [len(searcher.search("cat", None, where=row.filter)) for row in facet.values]
    assert [row.documents for row in facet.values] == found
    assert sum(found) == len(documents)
    assert len(found) <= 10


@pytest.mark.parametrize("sign", [1, -1])
def test_a_range_of_numbers_with_16_digits_holds_them(sign):
    """As of microseconds since 1970; 15 digits would round each limit to a ten."""
    numbers = [sign * (1_700_000_000_000_000 + number) for number in range(12)]
    documents = [Document(str(number), "cat", "", {"time": str(number)}) for number in numbers]
    searcher = Searcher(Index.build(documents, values=["time"]))
    [facet] = searcher.facets("cat", ["time"]).facets
    counts = [row.documents for row in facet.values]
    assert counts == ([2] * 6 if sign > 0 else [1, *[2] * 5, 1])
    assert [len(searcher.search("cat", None, where=row.filter)) for row in facet.values] == counts
