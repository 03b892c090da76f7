"""From a recipe and the folder that holds its files to a collection."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from toysearch.compiled.choice import compiled
from toysearch.corpus.collection import Collection, Reading
from toysearch.corpus.documents import BATCH, Batch, Queries, chosen, without_second
from toysearch.corpus.grade_mapping import Gains, apply_gains, choose_grades
from toysearch.corpus.query_ids import aligned, are_texts, by_text, numbered_texts
from toysearch.corpus.recipe import Recipe, RecipeFile
from toysearch.encoded_texts import Encoded
from toysearch.errors import ArgumentError, DataError, ToysearchError, unknown
from toysearch.formats.bad_lines import Rejected
from toysearch.formats.document_formats import DATASET, format_named, read_encoded, read_records
from toysearch.formats.text_files import Record, counted, sha256, unique
from toysearch.records import Document, Qrels, Query

_PLURALS = {"documents": "documents", "queries": "queries", "qrels": "judgments"}


def load_recipe(
    recipe: Recipe,
    folder: Path,
    grades: str | None = None,
    fields: str | Sequence[str] | None = None,
    split: str | None = None,
    query_fields: str | Sequence[str] | None = None,
) -> Collection:
    """The collection that a recipe describes, its files read from a folder that holds them all.

    Queries and judgments are read now, documents when they are first used.
    """
    if recipe.on_error == "skip" and recipe.rejected is None:
        recipe = replace(recipe, rejected=Rejected())
    full_grades, gains = choose_grades(recipe.grades, recipe.default_grades, grades)
    qrels_file, run_file = recipe.qrels_file(split), recipe.file("run")
    searched = _searched_fields(recipe, folder, fields)
    records = list(_records(recipe, folder, "queries"))
    codes = _codes(recipe, folder, qrels_file) if qrels_file else None
    made = _made_queries(recipe, folder, codes)
    records = made or records
    asked = _asked_fields(recipe, records, query_fields)
    query_ids, codes, numbering = _aligned(recipe, folder, records, asked, codes)
    queries = _queries(query_ids, records, asked)
    collection = Collection(
        recipe.name,
        lambda: _documents(recipe, folder, searched, collection.tell),
        queries,
        _mapped(codes, gains, full_grades),
        title=recipe.title,
        description=recipe.description,
        language=recipe.language,
        grades=full_grades,
        threshold=recipe.threshold,
        split=qrels_file.split if qrels_file else "",
        apart=recipe.apart,
        in_catalog=recipe.in_catalog,
        published=run_file.below(folder) if run_file else None,
        folder=None if recipe.format == DATASET else folder,
        reading=Reading(
            recipe.title_field,
            format_named(recipe.format).text[-1],
            tuple(searched),
            asked,
            tuple(recipe.splits),
            partial(_judged, recipe, folder, records, asked, gains, full_grades),
            recipe.licence,
            recipe.origin,
            _size(recipe, folder),
            lambda encoded: _batches(recipe, folder, searched, collection.tell, encoded),
        ),
    )
    if made:
        many = counted(
            len(made), "query that the judgments name by its text", "queries that the judgments name by texts"
        )
        collection.tell(f"collection '{recipe.name}' has no file of queries; it has the {many}, numbered from 1")
    elif numbering:
        collection.tell(numbering)
    if without := queries.texts.count(""):
        collection.tell(
            f"{counted(without, 'query', 'queries')} of collection '{recipe.name}' without text in "
            f"{' or '.join(asked)}; nothing is found for them"
        )
    _tell_rejected(recipe, collection.tell)
    _compare(recipe, folder, "queries", len(queries), collection.tell)
    if qrels_file and codes is not None:
        _compare_file(recipe, folder, qrels_file, len(codes), collection.tell)
    return collection


def queries_of(recipe: Recipe, folder: Path, fields: str | Sequence[str] | None = None) -> Queries:
    """The queries that a recipe describes, under the ids of their file."""
    records = list(_records(recipe, folder, "queries"))
    return _queries([record_id for _, record_id, _ in records], records, _asked_fields(recipe, records, fields))


def _judged(
    recipe: Recipe,
    folder: Path,
    records: Sequence[Record],
    asked: Sequence[str],
    gains: Gains | None,
    grades: str,
    split: str,
) -> Qrels:
    """The judgments of another split, as those of the collection are."""
    file = recipe.qrels_file(split)
    codes = _codes(recipe, folder, file) if file else None
    return _mapped(_aligned(recipe, folder, records, asked, codes)[1], gains, grades) or Qrels.from_dict({})


def _made_queries(recipe: Recipe, folder: Path, codes: Qrels | None) -> list[Record]:
    """The queries of a collection without a file of them, whose judgments name them by their texts; else none."""
    if codes is None or recipe.file("queries") is not None or not are_texts(codes.query_ids):
        return []
    sets = (
        [codes]
        if len(recipe.splits) < 2
        else [_codes(recipe, folder, file) for file in recipe.files if file.role == "qrels"]
    )
    return numbered_texts(query_id for qrels in sets for query_id in qrels.query_ids)


def _mapped(codes: Qrels | None, gains: Gains | None, grades: str) -> Qrels | None:
    return apply_gains(codes, gains, grades) if codes is not None and gains is not None else codes


def _records(recipe: Recipe, folder: Path, role: str, *, once: bool = True) -> Iterator[Record]:
    """The records of the documents or the queries, as they stand in their files; an id may stand there once."""

    def read() -> list[tuple[Path | str, Iterator[Record]]]:
        return [
            (path, read_records(file.format, role, path, file.columns, recipe.rejected, recipe.ids != "refuse"))
            for file in recipe.files
            if file.role == role
            for path in _sources(recipe, folder, file)
        ]

    if recipe.ids != "refuse":
        yield from chosen(read, recipe.ids)
        return
    sources = read()
    if not once or (role == "queries" and recipe.number == "place"):
        yield from (record for _, records in sources for record in records)
        return
    kind = "doc_id" if role == "documents" else "query_id"
    if recipe.rejected is not None:
        yield from without_second(sources, kind, recipe.rejected)
        return
    each = (unique(path, records, kind) for path, records in sources)
    yield from next(each, iter(())) if len(sources) < 2 else _unique_among(sources, kind)


def _size(recipe: Recipe, folder: Path) -> int:
    """The bytes of the files of the documents; 0 where they are no files."""
    paths = [path for file in recipe.files if file.role == "documents" for path in _sources(recipe, folder, file)]
    return sum(path.stat().st_size for path in paths if isinstance(path, Path) and path.is_file())


def _sources(recipe: Recipe, folder: Path, file: RecipeFile) -> list[Path | str]:
    """What the reader of a file is given: its path, those of all files that it stands for, or an id."""
    return [file.path] if file.format == DATASET else [*file.paths(folder)]


def _unique_among(sources: Iterable[tuple[Path | str, Iterable[Record]]], kind: str) -> Iterator[Record]:
    """The records of several files, refusing an id that a record in another one has."""
    first_paths: dict[str, Path | str] = {}
    for path, records in sources:
        for record in unique(path, records, kind):
            first = first_paths.setdefault(record[1], path)
            if first is not path:
                raise DataError(
                    f"{path}:{record[0]}: {kind} '{record[1]}' was given in {first} already; each may occur once"
                )
            yield record


def _codes(recipe: Recipe, folder: Path, file: RecipeFile) -> Qrels:
    """The judgments with the codes of their file."""
    if file.format == DATASET:
        from toysearch.formats.datasets import read_dataset_qrels

        return read_dataset_qrels(file.path)
    path = file.below(folder)
    if file.format == "smart":
        from toysearch.formats.smart_files import read_smart_qrels

        return read_smart_qrels(path)
    from toysearch.formats.qrels import read_qrels

    return read_qrels(path, file.columns)


def _documents(
    recipe: Recipe, folder: Path, searched: Sequence[str], tell: Callable[[str], None]
) -> Iterator[Document]:
    count = 0
    for _, doc_id, fields in _without_others(recipe, _records(recipe, folder, "documents")):
        count += 1
        title = " ".join(fields.get(recipe.title_field, "").split())
        yield Document(doc_id, _joined(fields, searched), title, fields)
    _tell_rejected(recipe, tell)
    _compare(recipe, folder, "documents", count, tell)


def _batches(
    recipe: Recipe, folder: Path, searched: Sequence[str], tell: Callable[[str], None], encoded: bool
) -> Iterator[Batch | Encoded]:
    """The same documents, many at a time; whether their ids occur once is not looked at."""
    count = 0
    exact = recipe.rejected is None and recipe.ids == "refuse"
    if encoded and exact and _in_blocks(recipe) and compiled("index", _size(recipe, folder)):
        groups = _grouped(_encoded_records(recipe, folder, searched))
    else:
        records = _without_others(recipe, _records(recipe, folder, "documents", once=not exact))
        groups = iter(lambda: list(islice(records, BATCH)), [])
    for some in groups:
        if isinstance(some, Encoded):
            count += some.doc_ids.n
            yield some
            continue
        count += len(some)
        _, doc_ids, fields = zip(*some, strict=True)
        titles = [" ".join(title.split()) if title else "" for title in _column(fields, recipe.title_field)]
        yield Batch(doc_ids, _joined_columns(fields, searched), titles, fields)
    _tell_rejected(recipe, tell)
    _compare(recipe, folder, "documents", count, tell)


def _tell_rejected(recipe: Recipe, tell: Callable[[str], None]) -> None:
    """Tell what was left out so far, and keep it."""
    if recipe.rejected is not None:
        recipe.rejected.write()
        for sentence in recipe.rejected.told():
            tell(sentence)


def _in_blocks(recipe: Recipe) -> bool:
    """Whether documents can be read many at a time."""
    return any(format_named(file.format).blocks for file in recipe.files if file.role == "documents")


def _encoded_records(recipe: Recipe, folder: Path, searched: Sequence[str]) -> Iterator[Record | Encoded]:
    """The records of the documents, many at a time where their format has them so."""
    for file in recipe.files:
        if file.role == "documents":
            for path in _sources(recipe, folder, file):
                yield from read_encoded(file.format, path, file.columns, searched, recipe.title_field)


def _grouped(records: Iterable[Record | Encoded]) -> Iterator[list[Record] | Encoded]:
    """Records some at a time; those that come many at a time as they are."""
    group: list[Record] = []
    for record in records:
        if isinstance(record, Encoded) or len(group) == BATCH:
            if group:
                yield group
            group = []
        if isinstance(record, Encoded):
            yield record
        else:
            group.append(record)
    if group:
        yield group


def _without_others(recipe: Recipe, records: Iterator[Record]) -> Iterator[Record]:
    """The records of documents alone: a folder of texts may hold the queries and judgments too."""
    if recipe.format != "folder":
        return records
    others = {file.path for file in recipe.files if file.role != "documents"}
    return (record for record in records if record[1] not in others)


def _column(fields: Iterable[Mapping[str, str]], name: str) -> list[str]:
    """The texts of one field, "" where a record has none."""
    return [each.get(name, "") for each in fields]


def _joined_columns(fields: Sequence[Mapping[str, str]], names: Iterable[str]) -> list[str]:
    """What `_joined` gives for each of many records."""
    columns = [column for name in names if any(column := _column(fields, name))]
    if len(columns) == 1:
        return columns[0]
    return [" ".join(filter(None, texts)) for texts in zip(*columns, strict=True)] or [""] * len(fields)


def _joined(fields: Mapping[str, str], names: Iterable[str]) -> str:
    """The texts of the fields that a record has, one blank between them."""
    return " ".join([fields[name] for name in names if fields.get(name)])


def _queries(query_ids: Sequence[str], records: Sequence[Record], asked: Sequence[str]) -> Queries:
    texts = (_joined(fields, asked) for _, _, fields in records)
    queries = (Query(*pair) for pair in zip(query_ids, texts, strict=True))
    return Queries(queries, [fields for _, _, fields in records])


def _asked_fields(recipe: Recipe, records: Sequence[Record], fields: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of the fields to search with, as the queries spell them."""
    usual = format_named(next((file.format for file in recipe.files if file.role == "queries"), recipe.format)).query
    if fields is None and not recipe.query:
        return next(((name,) for name in usual if any(found.get(name) for _, _, found in records)), usual[:1])
    wanted = list(recipe.query) if fields is None else _named(fields, "query_fields", "title,description")
    if not records:
        return tuple(wanted)
    seen = dict.fromkeys(name for _, _, found in records for name in found)
    return tuple(_spelt(wanted, seen, "query field"))


def _aligned(
    recipe: Recipe, folder: Path, records: Sequence[Record], asked: Sequence[str], codes: Qrels | None
) -> tuple[list[str], Qrels | None, str]:
    """The ids of the queries, the judgments with ids that fit them, and what to tell the user."""
    query_ids, codes, numbering = aligned(
        recipe,
        [record_id for _, record_id, _ in records],
        codes,
        lambda: [record_id for _, record_id, _ in _records(recipe, folder, "documents")],
    )
    if numbering or codes is None or set(codes.query_ids) <= set(query_ids):
        return query_ids, codes, numbering
    codes, told = by_text(codes, query_ids, [_joined(fields, asked) for _, _, fields in records], recipe.name)
    return query_ids, codes, told


def _searched_fields(recipe: Recipe, folder: Path, fields: str | Sequence[str] | None) -> list[str]:
    """The names of the fields to search, as the documents spell them."""
    if fields is None and not recipe.text:
        return list(recipe.text_fields)  # title and text: a collection may lack one of them
    wanted = list(recipe.text) if fields is None else _named(fields, "fields", "title,text")
    wanted = [_part_called(recipe, folder, name) for name in wanted]
    seen: dict[str, None] = {}
    folded: set[str] = set()
    for _, _, found in _records(recipe, folder, "documents"):
        if not seen.keys() >= found.keys():
            seen.update(dict.fromkeys(found))
            folded.update(name.casefold() for name in found)
        if all(name in seen or name.casefold() in folded for name in wanted):
            break  # mostly after the first document
    return _spelt(wanted, seen, "field")


def _part_called(recipe: Recipe, folder: Path, name: str) -> str:
    """Title or text where a name is that of their column: where naming that column for them changes no field."""
    first = next(_records(recipe, folder, "documents"), (0, "", {}))[2]
    with contextlib.suppress(ToysearchError):  # to name it for the text fails where there is no such column
        for part in ("text", "title") if name not in first else ():
            files = tuple(
                replace(file, columns={**file.columns, part: name}) if file.role == "documents" else file
                for file in recipe.files
            )
            fields = next(_records(replace(recipe, files=files, rejected=None), folder, "documents"))[2]
            if part in first and fields.keys() == first.keys():
                return part
    return name


def _named(fields: str | Sequence[str], option: str, example: str) -> list[str]:
    """The names that the user gives, as a text with commas or one by one."""
    wanted = [name.strip() for name in (fields.split(",") if isinstance(fields, str) else fields) if name.strip()]
    if not wanted:
        raise ArgumentError(f"{option} names no field; an example: {option}='{example}'")
    return wanted


def _spelt(wanted: Sequence[str], seen: Mapping[str, None], kind: str) -> list[str]:
    """The names as the records spell them, each once; one that none has is refused."""
    spelt: dict[str, str] = {}
    for name in seen:
        spelt.setdefault(name.casefold(), name)
    for name in wanted:
        if name not in seen and name.casefold() not in spelt:
            raise unknown(kind, name, seen)
    return list(dict.fromkeys(name if name in seen else spelt[name.casefold()] for name in wanted))


def _compare(recipe: Recipe, folder: Path, role: str, count: int, tell: Callable[[str], None]) -> None:
    """Tell where the files of a part, together, hold another number of records than described."""
    files = [file for file in recipe.files if file.role == role]
    if len(files) == 1:
        _compare_file(recipe, folder, files[0], count, tell)
    elif recipe.expected.get(role, count) != count:
        tell(
            f"the {len(files)} files of the {role} of '{recipe.name}' hold {count}, its recipe expects "
            f"{recipe.expected[role]}; figures may differ from published ones"
        )


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
