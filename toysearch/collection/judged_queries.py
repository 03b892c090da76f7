"""Queries and judgments of a collection, read and brought together: by their ids, by position, by text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import NamedTuple, TypeAlias

from toysearch import files
from toysearch.base import (
    NO_JUDGMENTS,
    DataError,
    Qrels,
    Query,
    Remedy,
    ToysearchError,
    comparable,
    counted,
    groups_of,
    malformed,
    without_notes,
    without_zeros,
)
from toysearch.collection.collection import Queries
from toysearch.collection.document_batches import joined
from toysearch.collection.grades import AS_GIVEN, Gains, apply_gains, choose_grades
from toysearch.collection.recipe import Recipe, spelt_fields
from toysearch.files.account import Account
from toysearch.files.columns import is_prose, named_column
from toysearch.files.document_formats import DATASET, Record, format_named
from toysearch.files.labels import QUERY_TEXTS
from toysearch.files.part import Part
from toysearch.files.reading import SILENT

BAR = "|"
"""Sign between the fields of a query that are texts of one need, each searched alone."""

Documents: TypeAlias = Iterable[tuple[str, Mapping[str, str]]]
"""Documents by their ids and fields."""

_FIRST = 200  # documents that show whether they are hits


class JudgedQueries(NamedTuple):
    """Queries of a collection and their judgments; without values, those of a collection of documents alone."""

    queries: Queries = Queries(())
    codes: Qrels | None = None  # the judgments as their file has them
    qrels: Qrels | None = None  # the same with gains as grades
    file: Part | None = None  # where they stand
    query_fields: tuple[str, ...] = ()  # the fields of a query that are searched with
    grades: str = AS_GIVEN
    qrels_of: Callable[[str], Qrels] = lambda split: NO_JUDGMENTS  # the judgments of a split, as those above are
    notes: tuple[str, ...] = ()  # what the user is told
    records: int = 0  # the number of queries in their files
    splits: tuple[str, ...] = ()  # the names of the sets of judgments


def read_judged_queries(recipe: Recipe, records_of: Callable[[Recipe, str], Iterable[Record]]) -> JudgedQueries:
    """Read the queries and the judgments that a recipe describes; `records_of` reads the records of a role."""
    full_grades, gains, how = AS_GIVEN, None, recipe.reading
    if recipe.grades or how.grades is not None:
        full_grades, gains = choose_grades(recipe.grades, recipe.default_grades, how.grades)
    file = recipe.qrels_file(how.split)
    records, accounts = list(records_of(recipe, "queries")), list[Account]()
    of_documents = replace(recipe, reading=replace(how, report=files.ReadingReport(read=accounts.append)))

    def documents() -> Documents:
        return ((record_id, fields) for _, record_id, fields in records_of(of_documents, "documents"))

    def ids() -> Sequence[Iterable[str]]:
        """Return the ids and texts of the queries, and the names of the documents."""
        names = [name for _, record_id, fields in records for name in (record_id, *fields.values())]
        return names, names_of(documents(), accounts)

    beside = files.Source(recipe.name, ids=ids)
    codes = _codes(recipe, file, beside) if file else None
    from_judgments = list[Record]()
    if codes is not None and recipe.file("queries") is None and are_texts(codes.query_ids):
        splits = recipe.of("qrels")
        sets = [codes] if len(recipe.splits) < 2 else [_codes(recipe, one, beside) for one in splits]
        names = [query_id for qrels in sets for query_id in qrels.query_ids]
        refuse_hits(recipe.name, (fields for _, fields in documents()), names)
        from_judgments = numbered_texts(names)
    records = from_judgments or records
    searched = asked_fields(recipe, records)
    query_ids, codes, notes = _brought_together(recipe, documents, records, searched, codes)
    queries = queries_from(query_ids, records, searched)
    queries.unmatched = frozenset(recipe.unmatched)
    if from_judgments:
        many = counted(
            len(from_judgments),
            "query that the judgments name by its text",
            "queries that the judgments name by their texts",
        )
        notes[0] = f"collection '{recipe.name}' has no file of queries; it has the {many}, numbered from 1"
    if without := queries.texts.count(""):
        many = counted(without, "query", "queries")
        fields = " or ".join(searched)
        notes.append(f"{many} of collection '{recipe.name}' without text in {fields}; nothing is found for them")
    qrels = _mapped(codes, gains, full_grades)

    def qrels_of(split: str) -> Qrels:
        other = recipe.qrels_file(split)
        of_split = _codes(recipe, other, beside) if other else None
        _, of_split, _ = _brought_together(recipe, documents, records, searched, of_split)
        return _mapped(of_split, gains, full_grades) or NO_JUDGMENTS

    named = ("text",) if BAR in searched else searched
    return JudgedQueries(
        queries, codes, qrels, file, named, full_grades, qrels_of, tuple(notes), len(records), tuple(recipe.splits)
    )


def queries_from(query_ids: Sequence[str], records: Sequence[Record], asked: Sequence[str]) -> Queries:
    """Make queries of records, under ids that may be others than theirs."""
    if BAR not in asked:
        texts = (joined(fields, asked) for _, _, fields in records)
        queries = (Query(*pair) for pair in zip(query_ids, texts, strict=True))
        return Queries(queries, [fields for _, _, fields in records])
    wordings = {"+".join("_".join(name.split()) for name in names): names for names in _between_bars(asked)}
    texts_of_needs = [
        (Query(f"{query_id}:{name}", text), {**fields, "text": text, "need": query_id})
        for query_id, (_, _, fields) in zip(query_ids, records, strict=True)
        for name, names in wordings.items()
        if (text := joined(fields, names))
    ]
    return Queries((query for query, _ in texts_of_needs), [fields for _, fields in texts_of_needs])


def _between_bars(names: Iterable[str]) -> list[list[str]]:
    return [[*group] for is_bar, group in groupby(names, BAR.__eq__) if not is_bar]


def asked_fields(recipe: Recipe, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the names of the query fields, as the queries spell them, with a bar between texts of one need."""
    usual = format_named(next((file.format for file in recipe.of("queries")), recipe.format)).query
    if not recipe.reading.query_fields:
        present = dict.fromkeys(name for _, _, fields_of in records for name, text in fields_of.items() if text)
        return (
            next((name for name in usual if name in present), "")
            or _only_field(recipe, [*present], usual, len(records)),
        )
    names = [part.strip() for name in recipe.reading.query_fields for part in re.split(r"(\|)", name) if part.strip()]
    if not records:
        return tuple(names)
    present = dict.fromkeys(name for _, _, fields_of in records for name in fields_of)
    first, *others = (spelt_fields(group, present, "query field") for group in _between_bars(names) or [[]])
    for other in others:
        first += (BAR, *other)
    return tuple(first)


def _only_field(recipe: Recipe, present: Sequence[str], usual: Sequence[str], number: int) -> str:
    """Return the field of queries that have none of the usual ones; of several, the user chooses."""
    if not present:
        return usual[0]
    file = recipe.file("queries")
    if len(present) > 1:
        raise DataError(
            f"{file.path if file else recipe.name}: expected queries with a field {' or '.join(usual)}, found "
            f"{', '.join(present)}; name those to search with, as in {Remedy('', query_fields=present[0])}"
        )
    name = file.path if file else recipe.name
    SILENT.tell_read([Account(name, "queries", number, searched=(present[0],), guessed=True)])
    return present[0]


def _codes(recipe: Recipe, file: Part, beside: files.Source) -> Qrels:
    """Read a set of judgments, whose columns are found by the ids of the collection if their names are not known."""
    if file.format == DATASET:
        return files.read_dataset_qrels(file.path)

    file.paths(recipe.folder)  # refuses links that lead out of the folder
    source, on_error = file.source_at(file.below(recipe.folder), recipe.reading), recipe.reading.on_error or "refuse"
    if file.format == "smart":
        return files.read_smart_qrels(source.read_as(on_error=on_error))
    if file.source and not files.rows_in(source, file.columns).role:
        source.beside = [beside]
    return files.read_qrels(source, file.columns, on_error, recipe.codes)


def _mapped(codes: Qrels | None, gains: Gains | None, grades: str) -> Qrels | None:
    return apply_gains(codes, gains, grades) if codes is not None and gains is not None else codes


def _brought_together(
    recipe: Recipe,
    documents: Callable[[], Documents],
    records: Sequence[Record],
    asked: Sequence[str],
    codes: Qrels | None,
) -> tuple[list[str], Qrels | None, list[str]]:
    found_ids, texts = [record_id for _, record_id, _ in records], [joined(fields, asked) for _, _, fields in records]
    query_ids, codes, remark = aligned(recipe, found_ids, texts, codes, lambda: [doc_id for doc_id, _ in documents()])
    named = ""
    if codes is not None and not remark and not set(codes.query_ids) <= set(query_ids):
        codes, remark = by_text(codes, query_ids, texts, recipe.name)
    if codes is not None and not recipe.in_catalog and recipe.format != DATASET:
        are_files = bool(format_named(recipe.format).name)
        with without_notes(), suppress(ToysearchError):  # who reads them for a search tells what is wrong
            codes, named = by_other_names(codes, documents(), are_files=are_files)
    return query_ids, codes, [*filter(None, (remark, named))]


def are_texts(ids: Sequence[str]) -> bool:
    """True if the query ids are in fact texts: one has several words, or all are words.

    >>> are_texts(["usb c cable", "mouse"]), are_texts(["cat", "dog"]), are_texts(["q1", "q2"])
    (True, True, False)
    """
    several_words = any(len(id_of.split()) > 1 for id_of in ids)
    are_words = all(id_of.isalpha() and len(id_of) > 2 for id_of in ids)
    return bool(ids) and (several_words or are_words)


def numbered_texts(ids: Iterable[str]) -> list[Record]:
    """Make the texts records of queries, numbered from 1.

    >>> numbered_texts(["usb cable", "mouse", "USB  cable"])
    [(1, '1', {'text': 'usb cable'}), (2, '2', {'text': 'mouse'})]
    """
    texts: dict[str, str] = {}
    for text in ids:
        texts.setdefault(comparable(text), text)
    return [(place, str(place), {"text": text}) for place, text in enumerate(texts.values(), 1)]


def refuse_hits(name: str, documents: Iterable[Mapping[str, str]], judged: Iterable[str]) -> None:
    """Refuse to search records of which each holds the query that found it, as in a run; the first ones are looked at.

    >>> hits = [{"text": "a cable", "asked": "usb cable"}, {"text": "a hub", "asked": "usb cable"}]
    >>> refuse_hits("shop", hits, ["USB cable"])
    Traceback (most recent call last):
    toysearch.base.errors.DataError: shop has the queries in asked, as a run has, such as 'usb cable'; to score it, \
name its columns query_id, doc_id and score (or rank); to search it: queries=…
    """
    # Two signs of three: most cells are judged queries, one occurs twice (unlike a title), the name is that of a query.
    texts = {*map(comparable, judged)}
    with without_notes():
        first = list(islice(documents, _FIRST))
    for label in dict.fromkeys(chain.from_iterable(first)):
        cells = [comparable(fields[label]) for fields in first if fields.get(label)]
        most = 2 * sum(cell in texts for cell in cells) > len(cells)
        repeated = len({*cells}) < len(cells)
        if most + repeated + (files.plain_label(label) in QUERY_TEXTS) > 1:
            raise DataError(
                f"{name} has the queries in {label}, as a run has, such as '{cells[0]:.80}'; to score it, name its "
                f"columns query_id, doc_id and score (or rank); to search it: {Remedy('', queries=...)}"
            )


def by_text(codes: Qrels, query_ids: Sequence[str], texts: Sequence[str], name: str = "") -> tuple[Qrels, str]:
    """Move the judgments with queries named by text to their ids, and return them with a note for the user, or "".

    >>> codes, remark = by_text(Qrels.from_dict({"USB cable": {"a": 1}, "7": {"b": 1}}), ["q1"], ["usb  cable"], "shop")
    >>> codes["q1"], codes["7"]
    ({'a': 1.0}, {'b': 1.0})
    >>> remark
    "the judgments of collection 'shop' name 1 query by its text, such as 'USB cable', which is query 'q1'"
    """
    present = set(query_ids)
    ids = {comparable(text): query_id for query_id, text in reversed(list(zip(query_ids, texts, strict=True)))}
    unknown = {name: comparable(name) for name in codes.query_ids if name not in present}
    ids_by_name = {name: ids[text] for name, text in unknown.items() if text in ids}
    if not ids_by_name:
        return codes, ""
    renamed = codes.of_rows([*_once(codes, ids_by_name)]).renamed(ids_by_name, {})
    first, query_id = next(iter(ids_by_name.items()))
    queries = counted(len(set(ids_by_name.values())), "query by its text", "queries by their texts")
    whose = f" of collection '{name}'" if name else ""
    subject = f"the judgments{whose} name {queries}"
    return renamed, f"{subject}, such as '{first}', which is query '{query_id}'"


def names_of(documents: Documents, accounts: Sequence[Account]) -> Iterable[str]:
    """Return the ids of documents; of those without ids, which are numbered, the fields that differ in each.

    accounts : what was read of their files, once all are read
    """
    ids, cells = list[str](), dict[str, list[str]]()
    for number, (doc_id, fields) in enumerate(documents, 1):
        ids.append(doc_id)
        for label, cell in fields.items() if doc_id == str(number) else ():
            cells.setdefault(label, []).append(cell)
    if not any(account.role == "documents" and "ids" in account.columns for account in accounts):
        return ids
    return [cell for of_all in cells.values() if len({*of_all}) == len(ids) and of_all != ids for cell in of_all]


def by_other_names(qrels: Qrels, documents: Documents, *, are_files: bool = False) -> tuple[Qrels, str]:
    """Move judgments that name documents by a field, a text, an address or a path to their ids; return a note too.

    documents : their ids and fields, read as far as needed
    are_files : whether a path or an address may end with the name of a document, and a title be its first line

    >>> trees = [("d1", {"text": "Oaks"}), ("d2", {"text": "An elm", "url": "/elm"})]
    >>> by_other_names(Qrels.from_dict({"q1": {"/elm": 1}}), trees)[0]["q1"]
    {'d2': 1.0}
    """
    judged, label = dict.fromkeys(qrels.doc_ids), qrels.id_columns.get("doc_id", "")
    are_named, are_texts = all("/" in name or is_prose(name) for name in judged), all(map(is_prose, judged))
    if not label and not are_named and not are_files:
        return qrels, ""  # most judgments have ids: no file is read for them
    names, own, n_needed = {comparable(name): name for name in judged}, False, len(judged) // 2 + 1
    ends = groups_of((name.rstrip("/").rpartition("/")[2], name) for name in judged)
    ids = dict[str, dict[str, list[str]]]()  # field → name → the documents that have it
    for number, (doc_id, fields) in enumerate(documents):
        own = label in fields  # the column of the judgments has the name of a field
        is_hopeless = number == _FIRST and not ids and not are_texts
        if not own and (not (are_named or are_files) or doc_id in judged or is_hopeless):
            return qrels, ""
        n_needed = len(judged) if doc_id in judged else n_needed
        if are_files and not own:
            first_line = fields.get("text", "").lstrip().partition("\n")[0]
            fields = {**fields, "title": fields.get("title") or first_line.rstrip()}
        for field, text in {label: fields[label]}.items() if own else fields.items():
            name = names.get(comparable(text))
            if name and "." not in field and (field == "text" or text == name):  # no part of one object of several
                ids.setdefault(field, {}).setdefault(name, []).append(doc_id)
        for field, name in _ends_with(doc_id, ends) if are_files and not own else ():
            ids.setdefault(field, {}).setdefault(name, []).append(doc_id)
    field = max(ids, key=lambda field: len(ids[field]), default="")
    found = {name: of for name, of in ids.get(field, {}).items() if len(of) == 1 or field == "text"}
    if field != "text" and len(found) < n_needed:
        return qrels, ""
    many = counted(len(found), f"document by its {field}", f"documents by their {field}s")
    return qrels.renamed(
        {}, {name: of[-1] for name, of in found.items()}
    ), f"the judgments name {many}" if found else ""


def _ends_with(path: str, ends: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the paths and addresses that end with a file's path, else the only one that ends with its name: how, which.

    ends : their last parts, and those that have each
    """
    same = ends.get(path.rpartition("/")[2], ())
    for other in same:
        if other.endswith(f"/{path}") or path.endswith(f"/{other}"):
            yield "path", other
    if len(same) == 1:
        yield "file", same[0]


def _once(codes: Qrels, ids_by_name: dict[str, str]) -> Iterator[int]:
    """Yield the rows of the judgments, of one repeated under several spellings of its query only the first."""
    first_codes: dict[tuple[str, str], tuple[str, float]] = {}
    for row, (name, doc_id, code) in enumerate(codes):
        query_id = ids_by_name.get(name, name)
        earlier, earlier_code = first_codes.setdefault((query_id, doc_id), (name, code))
        if earlier_code != code:
            raise DataError(
                f"'{earlier}' and '{name}' name the same query '{query_id}', and give document '{doc_id}' the grades "
                f"{earlier_code:g} and {code:g}; keep one of them"
            )
        if earlier == name:
            yield row


def aligned(
    recipe: Recipe,
    found_ids: Sequence[str],
    texts: Sequence[str],
    codes: Qrels | None,
    doc_ids: Callable[[], Sequence[str]],
) -> tuple[list[str], Qrels | None, str]:
    """Return the ids of the queries, the judgments with matching ids, and a note for the user ("" for none)."""
    # In SMART collections the judgments may number queries by their position in the file, whatever `.I` says
    # (Cranfield), and write numbers with leading zeros (CACM). TREC topics may have zeros that the judgments lack:
    # these queries then take the ids of the judgments, which all runs are scored by.
    places = [str(place) for place in range(1, len(found_ids) + 1)]
    query_ids = places if recipe.number == "place" else list(found_ids)
    formats = {file.role: file.format for file in recipe.files if file.role != "qrels"}
    if codes is None:
        return query_ids, codes, ""
    if "smart" in formats.values():
        return _fitted(recipe, query_ids, places, codes, doc_ids)
    file = recipe.file("queries")
    if file and file.source and not file.columns and query_ids == places and {*codes.query_ids} == {*places[:-1]}:
        _refuse_header(file.source, texts)
    if formats.get("queries") == "trec":
        exact = set(codes.query_ids)
        judged = {
            query_id: judged_id
            for judged_id, query_id in _matched(codes.query_ids, query_ids).items()
            if query_id and query_id not in exact
        }
        changed = [query_id for query_id in query_ids if judged.get(query_id, query_id) != query_id]
        if not changed:
            return query_ids, codes, ""
        message = (
            f"{counted(len(changed), 'query', 'queries')} of collection '{recipe.name}' renamed as in the judgments, "
            f"which have fewer or more leading zeros, such as '{judged[changed[0]]}' for '{changed[0]}'"
        )
        return [judged.get(query_id, query_id) for query_id in query_ids], codes, message
    return query_ids, codes, ""


def _refuse_header(source: files.Source, texts: Sequence[str]) -> None:
    """Refuse lines that are numbered as queries, of which all but the last are judged: the first may be a header."""
    first = " ".join(source.first_lines[0].strip('" ').split()) if source.first_lines else ""
    if len(texts) > 2 and first == texts[0]:
        judged = f"{len(texts)} lines are numbered, and the queries 1 to {len(texts) - 1} are judged"
        header = f"if '{first}' is a header: {named_column(first, 'queries')}"
        raise malformed(source, 1, f"{judged}; {header}; if it is a query, write each query's id before it")


def _fitted(
    recipe: Recipe, query_ids: list[str], places: list[str], codes: Qrels, doc_ids: Callable[[], Sequence[str]]
) -> tuple[list[str], Qrels, str]:
    message = ""
    new_query_ids = _matched(codes.query_ids, query_ids)
    if recipe.number == "" and query_ids and not all(new_query_ids.values()):
        by_place = _matched(codes.query_ids, places)
        if all(by_place.values()):
            unmatched = sum(not new_id for new_id in new_query_ids.values())
            message = (
                f"the queries of collection '{recipe.name}' are numbered by their place in the file: the judgments "
                f"fit 1 to {len(places)}, and {unmatched} of their {len(codes.query_ids)} query numbers are not an .I "
                'number; if that is wrong, set number = "id" in a collection.toml'
            )
            query_ids, new_query_ids = places, by_place
    judged_docs = dict.fromkeys(codes.doc_ids)
    with_zeros = any(doc_id != without_zeros(doc_id) for doc_id in judged_docs)
    new_doc_ids = _matched(judged_docs, doc_ids()) if with_zeros else {}
    # An id without a counterpart in the collection is kept.
    new_query_ids, new_doc_ids = ({old: new or old for old, new in ids.items()} for ids in (new_query_ids, new_doc_ids))
    if any(old != new for old, new in [*new_query_ids.items(), *new_doc_ids.items()]):
        codes = codes.renamed(new_query_ids, new_doc_ids)
    return query_ids, codes, message


def _matched(ids: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Return each id and the known id that it means: itself, the same number without leading zeros, or ""."""
    exact = set(known)
    numbers = {without_zeros(known_id): known_id for known_id in reversed(known)}
    return {id_of: id_of if id_of in exact else numbers.get(without_zeros(id_of), "") for id_of in ids}
