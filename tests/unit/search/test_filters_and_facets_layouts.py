"""The facets of an index: the same in every layout."""

from __future__ import annotations

import pytest
from shell import done

import toysearch
from toysearch import Index, Searcher
from toysearch.index.document_columns import every_field
from toysearch.search.filters_and_facets import facet_fields

pytestmark = pytest.mark.system

BRANDS = ["Dyson", "New Look", "new", ""]
HEADER = "id,text,brand,price,date"
ROWS = [f"{n},robot {n},{BRANDS[n % 4]},{n * 2.5:g},20{10 + n % 5}-0{1 + n % 9}-15" for n in range(1, 41)]


@pytest.mark.parametrize("layout", ["saved", "named", "shards", "added", "deleted"])
def test_a_saved_index_has_the_facets_of_its_collection(tmp_path, layout):
    def csv_of(name, rows):
        path = tmp_path / name
        path.write_text("\n".join([HEADER, *rows]) + "\n")
        return path

    whole, folder = csv_of("shop.csv", ROWS), tmp_path / layout
    more = csv_of("more.csv", [*ROWS, "gone,robot,Gone,7,2020-01-15"])
    source = {"added": csv_of("first.csv", ROWS[:30]), "deleted": more}.get(layout, whole)
    options = {"named": ["--values", "brand,price,date"], "shards": ["--shards", 3]}.get(layout, [])
    done("index", source, "-o", folder, "--apart", *options)
    if layout == "added":
        done("add", folder, csv_of("rest.csv", ROWS[30:]))
    elif layout == "deleted":
        done("delete", folder, "gone")
    collection = toysearch.load(whole)
    built = Index.build(collection, **every_field(collection)._asdict())
    opened = Index.open(folder)
    assert facet_fields(opened) == facet_fields(built) == ["brand", "price", "date"]
    fields = facet_fields(built)
    assert Searcher(opened).facets("robot", fields) == Searcher(built).facets("robot", fields)
