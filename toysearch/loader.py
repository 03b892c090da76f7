"""From a recipe and the folder that holds its files to a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toysearch.collection import Collection, Queries
from toysearch.errors import ArgumentError, unknown
from toysearch.formats.beir import read_beir_qrels, read_jsonl
from toysearch.formats.lines import Record, counted, sha256, unique
from toysearch.formats.smart import read_smart, read_smart_qrels
from toysearch.formats.trec import read_qrels
from toysearch.grades import apply_gains, choose_grades
from toysearch.recipes import Recipe, RecipeFile
from toysearch.records import Document, Qrels, Query

_READERS: Mapping[str, Callable[[Path], Iterator[Record]]] = {"beir": read_jsonl, "smart": read_smart}
_PLURALS = {"documents": "documents", "queries": "queries", "qrels": "judgments"}


def load_recipe(
    recipe: Recipe,
    folder: Path,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    split: str | None = None,
) -> Collection:
    """The collection that a recipe describes, its files read from a folder that holds them all.

    Queries and judgments are read now, documents when they are first used.

    Parameters
    ----------
    recipe : Recipe
        What is known about the collection.
    folder : Path
        The folder below which the paths of its files stand.
    grades, fields, split
        As in `toysearch.load`.

    Raises
    ------
    ArgumentError
        If there is no such mapping, field or split.
    DataError
        If a file is malformed.
    """
    full_grades, gains = choose_grades(recipe.grades, recipe.default_grades, grades)
    qrels_file, run_file = recipe.qrels_file(split), recipe.file("run")
    searched = _searched_fields(recipe, folder, fields)
    records = list(_records(recipe, folder, "queries"))
    codes = _codes(recipe, folder, qrels_file) if qrels_file else None
    query_ids, codes, numbering = _aligned(recipe, folder, records, codes)
    queries = _queries(recipe, query_ids, records)
    collection = Collection(
        recipe.name,
        lambda: _documents(recipe, folder, searched, collection.tell),
        queries,
        apply_gains(codes, gains, full_grades) if codes is not None and gains is not None else codes,
        title=recipe.title,
        description=recipe.description,
        language=recipe.language,
        grades=full_grades,
        threshold=recipe.threshold,
        split=qrels_file.split if qrels_file else "",
        in_catalog=recipe.in_catalog,
        published=run_file.below(folder) if run_file else None,
    )
    if numbering:
        collection.tell(numbering)
    if without := queries.texts.count(""):
        collection.tell(
            f"{counted(without, 'query', 'queries')} of collection '{recipe.name}' without text in "
            f"{' or '.join(recipe.query_fields)}; nothing is found for them"
        )
    _compare(recipe, folder, "queries", len(queries), collection.tell)
    if qrels_file and codes is not None:
        _compare_file(recipe, folder, qrels_file, len(codes), collection.tell)
    return collection


def _records(recipe: Recipe, folder: Path, role: str) -> Iterator[Record]:
    """The records of the documents or the queries, as they stand in their file."""
    file = recipe.file(role)
    if file is None:
        return
    path = file.below(folder)
    records = _READERS[recipe.format](path)
    if role == "documents":
        yield from unique(path, records, "doc_id")
    elif recipe.number == "place":
        yield from records  # whatever their ids: these are not used
    else:
        yield from unique(path, records, "query_id")


def _codes(recipe: Recipe, folder: Path, file: RecipeFile) -> Qrels:
    """The judgments with the codes of their file."""
    path = file.below(folder)
    if recipe.format == "smart":
        return read_smart_qrels(path)
    return read_beir_qrels(path) if ".tsv" in path.suffixes else read_qrels(path)


def _documents(
    recipe: Recipe, folder: Path, searched: Sequence[str], tell: Callable[[str], None]
) -> Iterator[Document]:
    count = 0
    for _, doc_id, fields in _records(recipe, folder, "documents"):
        count += 1
        title = " ".join(fields.get(recipe.title_field, "").split())
        yield Document(doc_id, _joined(fields, searched), title, fields)
    _compare(recipe, folder, "documents", count, tell)


def _joined(fields: Mapping[str, str], names: Iterable[str]) -> str:
    """The texts of the fields that a record has, one blank between them."""
    return " ".join([fields[name] for name in names if fields.get(name)])


def _queries(recipe: Recipe, query_ids: Sequence[str], records: Sequence[Record]) -> Queries:
    texts = (_joined(fields, recipe.query_fields) for _, _, fields in records)
    return Queries(Query(*pair) for pair in zip(query_ids, texts, strict=True))


def _searched_fields(recipe: Recipe, folder: Path, fields: str | Sequence[str] | None) -> list[str]:
    """The names of the fields to search, as the documents spell them."""
    if fields is None and not recipe.text:
        return list(recipe.text_fields)  # title and text: a collection may lack one of them
    names = recipe.text if fields is None else fields.split(",") if isinstance(fields, str) else fields
    wanted = [name.strip() for name in names if name.strip()]
    if not wanted:
        raise ArgumentError("fields names no field; an example: fields='title,text'")
    spelt: dict[str, str] = {}
    seen: dict[str, None] = {}
    for _, _, found in _records(recipe, folder, "documents"):
        for name in found:
            if name not in seen:
                seen[name] = None
                spelt.setdefault(name.casefold(), name)
        if all(name in seen or name.casefold() in spelt for name in wanted):
            break  # mostly after the first document
    else:
        missing = next(name for name in wanted if name not in seen and name.casefold() not in spelt)
        raise unknown("field", missing, seen)
    return list(dict.fromkeys(name if name in seen else spelt[name.casefold()] for name in wanted))


def _aligned(
    recipe: Recipe, folder: Path, records: Sequence[Record], codes: Qrels | None
) -> tuple[list[str], Qrels | None, str]:
    """The ids of the queries, the judgments with ids that fit them, and what to tell the user.

    In SMART collections the judgments may count queries by their place in the file, whatever ``.I`` says
    (Cranfield), and write numbers with leading zeros (CACM).
    """
    places = [str(place) for place in range(1, len(records) + 1)]
    query_ids = places if recipe.number == "place" else [record_id for _, record_id, _ in records]
    if recipe.format != "smart" or codes is None:
        return query_ids, codes, ""
    message = ""
    new_query_ids = _matched(codes.query_ids, query_ids)
    if recipe.number == "" and records and not all(new_query_ids.values()):
        by_place = _matched(codes.query_ids, places)
        if all(by_place.values()):
            unmatched = sum(not new_id for new_id in new_query_ids.values())
            message = (
                f"the queries of collection '{recipe.name}' are numbered by their place in the file: the judgments "
                f"fit 1 to {len(places)}, and {unmatched} of their {len(codes.query_ids)} query numbers are no .I "
                'number; if that is wrong, say number = "id" in a collection.toml'
            )
            query_ids, new_query_ids = places, by_place
    return query_ids, _renamed(codes, new_query_ids, _matched_documents(recipe, folder, codes)), message


def _matched_documents(recipe: Recipe, folder: Path, codes: Qrels) -> dict[str, str]:
    """The documents' ids for those in the judgments, where some of these have leading zeros."""
    doc_ids = dict.fromkeys(codes.doc_ids)
    if all(doc_id == _plain(doc_id) for doc_id in doc_ids):
        return {}
    return _matched(doc_ids, [record_id for _, record_id, _ in _records(recipe, folder, "documents")])


def _renamed(codes: Qrels, query_ids: Mapping[str, str], doc_ids: Mapping[str, str]) -> Qrels:
    """The judgments with other ids; an id that stands for none of the collection's is kept."""
    if all(old == new for old, new in [*query_ids.items(), *doc_ids.items()]):
        return codes
    return Qrels.from_records(
        (query_ids[query_id] or query_id, doc_ids.get(doc_id) or doc_id, code) for query_id, doc_id, code in codes
    )


def _matched(ids: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Each id and the known one that it stands for: itself, or the same number without leading zeros, or ""."""
    exact = set(known)
    numbers = {_plain(known_id): known_id for known_id in reversed(known)}
    return {each: each if each in exact else numbers.get(_plain(each), "") for each in ids}


def _plain(number: str) -> str:
    """A number without its leading zeros; any other text as it is."""
    return number.lstrip("0") or "0" if number.isdecimal() else number


def _compare(recipe: Recipe, folder: Path, role: str, count: int, tell: Callable[[str], None]) -> None:
    if file := recipe.file(role):
        _compare_file(recipe, folder, file, count, tell)


def _compare_file(recipe: Recipe, folder: Path, file: RecipeFile, count: int, tell: Callable[[str], None]) -> None:
    """Tell where a file is not the one that the recipe describes: it may be used, but the figures may differ."""
    path = file.below(folder)
    if file.records is not None and count != file.records:
        tell(
            f"{path} holds {count} {_PLURALS[file.role]}, the recipe of '{recipe.name}' expects {file.records}; "
            "figures may differ from published ones"
        )
    elif file.sha256 and sha256(path) != file.sha256:
        tell(
            f"{path} is not the file that the recipe of '{recipe.name}' describes, its checksum differs; "
            "figures may differ from published ones"
        )
