"""The search of the documentation: its sections as documents, ranked by the engine, in the shell and on the site."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from textwrap import shorten
from typing import Any, NamedTuple

import click
import numpy as np

import toysearch
from toysearch.base import (
    ArgumentError,
    Column,
    Marked,
    ToysearchError,
    collected_notes,
    groups_of,
    note,
)
from toysearch.base.elsewhere import here, phrases
from toysearch.base.platform import cache_folder
from toysearch.cli.commands import LazyGroup
from toysearch.cli.docs_pages import anchor_of, pages, root, sections
from toysearch.cli.output import emit
from toysearch.cli.reference_pages import helps
from toysearch.files import replacing
from toysearch.retrieval import QueryTerms, TypedQuery
from toysearch.study.search_result import passages

SAME = (
    "judge judges assessor assessors annotator annotators annotate annotating rater raters",
    "judgment judgments judgement judgements label labels annotation annotations qrel qrels truth",
    "speed latency slow fast",
    "collection collections corpus corpora dataset datasets",
    "spreadsheet spreadsheets excel",
    "chart charts plot plots graph graphs",
    "lab labs homework assignment assignments",
    "typo typos misspelling misspellings",
    "mail mails email emails",
    "llm llms gpt chatgpt",
    "stop stopword stopwords",
    "licence license",
    "colour color colours colors",
    "autocomplete autosuggest autocompletion",
    "own custom",
    "measure measures metric metrics",
    "folder folders directory directories",
    "website websites site web",
    "update updates updating refresh",
)
"""Words that readers use for the same; all become the first."""
LEFT_OUT = (
    "work works working need needs want please possible happen happens use uses used using get gets got getting make "
    "makes making made try tries tried trying know knows tell tells told say says said see seen seem seems look looks "
    "looking give gives given let lets put puts take takes took taken go goes going come comes thing things something "
    "anything someone anyone way ways really actually just also even still yet already maybe thanks hello lot lots bit "
    "much quite instead able might may understand understood etc via im ive id dont doesnt didnt cant couldnt isnt "
    "arent wont whats hows theres thats"
)
"""Words of questions on any subject, beside the stop words of English."""
KEPT = ("own", "no")
"""Stop words of English that say what a question is about: my own files, no judgments."""
MODEL = "bm25f:title=5,purpose=3,text=1,name=10,b_text=0.6,b_title=0.3,b_purpose=0.1,b_name=0,k1=4"
"""Titles and purposes are short, so their length says little; whoever asks by a whole name wants what bears it."""
OF_NAMES = ("commands", "measures", "models")
"""Pages whose sections come first if their name is all that is asked."""
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def documents(command: click.Command, options: Mapping[str, Mapping[str, str]] | None = None) -> list[dict[str, str]]:
    """Return each section of each page: its title, text and names, and the purpose of its page, a row of the overview.

    command : the one with all commands below it, of which each is a section with its line of help
    options : what `option_records` returns, if a command is to be found by its options
    """
    purposes: dict[str, str] = {}
    for row in re.findall(r"^\|.*\|$", (root() / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        for file, anchor, reference in re.findall(r"\([\w-]+/([\w-]+)\.md(#[\w-]+)?\)|`toysearch docs (\w+)`", row):
            purposes[file + anchor or reference] = plain_text(row)
    typed = tomllib.loads(Path(__file__).with_name("docs_words.toml").read_text(encoding="utf-8"))
    for name, words in typed.items():
        purposes[name] = f"{purposes.get(name, '')} {words}"
    lines = command.lines if isinstance(command, LazyGroup) else {}
    briefly = "".join(f"## toysearch {name}\n{line}\n" for name, line in lines.items())
    other_names = _other_names(command, options or {})
    theirs = _names_elsewhere()
    entries = []
    for page, content in pages(command).items():
        parts = sections(f"# Commands\n{briefly}" if page == "commands" else content.text())
        of_page = f"{content.title()} {page} {purposes.get(page, '')}"
        for place, (anchor, section) in enumerate(parts.items()):
            title, text = plain_text(section.heading), plain_text(section.text)
            doc_id, label = (f"{page}#{anchor}", f"{content.title()}: {title}") if place else (page, title)
            names = [title, *[page] * (not place), *other_names.get(doc_id, ()), *theirs.get(doc_id, ())]
            names += typed[doc_id].split(", ") if doc_id in typed else []
            text = "\n".join([text, *theirs.get(doc_id, ())])
            names *= 1 + (page in OF_NAMES)
            purpose = f"{of_page} {purposes.get(doc_id, '') if place else ''}"
            fields = {"title": title, "purpose": purpose, "text": text, "name": " ".join(map(_name, names))}
            entries.append({"doc_id": doc_id, **fields, "page": page, "label": label})
    return entries


def _other_names(command: click.Command, options: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """Section of a command → its name alone, what people type for it, and its options."""
    if not isinstance(command, LazyGroup):
        return {}
    names = {name: [name, *options.get(name, ())] for name in command.lines}
    for typed, sentence in here("command").items():
        for name in {*re.findall(r"`(\w+)", sentence)} & {*names}:
            names[name].append(typed)
    sections = {f"commands#toysearch-{name}": others for name, others in names.items()}
    return sections | {"commands": [*options.get("", ())]}


def _names_elsewhere() -> dict[str, list[str]]:
    """Section of a measure or a model → its names in other tools."""
    by_section: dict[str, list[str]] = {}
    for kind in ("measure", "model"):
        for theirs, ours in here(kind).items():
            name = re.split(r"[(:]", ours)[0]
            by_section.setdefault(f"{kind}s#{anchor_of(name)}", []).append(theirs)
    return by_section


def option_records(command: click.Command) -> dict[str, dict[str, str]]:
    """Return command → its options, also by their names in other tools → what its help says of each.

    command : the one with all commands below it; all of them are loaded
    """
    by_command: dict[str, dict[str, str]] = {}
    for path, text in helps(command, "toysearch"):
        records = by_command.setdefault([*path.split(), ""][1], {})
        for option in OPTION.findall(text):
            if option not in records:
                record = re.search(rf"^ +(?:-\w, )?{option}\b.*(?:\n {{10,}}.*)*", text, re.MULTILINE)
                records[option] = " ".join(record[0].split()) if record else ""
        for row in phrases("option"):
            for option in {*records} & {*(row.ours or "").split()}:
                records.setdefault(f"--{row.theirs}", records[option])
    return by_command


def _name(text: str) -> str:
    """A whole text as one word, which no text has and no stemmer shortens: _run_ of run, __query_id_ of --query-id."""
    return "_" + re.sub(r"\W+", "_", text.lower()) + "_"


def plain_text(text: str) -> str:
    """Return a text without the marks of Markdown."""
    text = re.sub(r"^(```\S*|<.*>|---|orphan: true)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|(?: *:?-+:? *\|)+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*|]|^\W*---\W*$", " ", text, flags=re.MULTILINE).strip()


@dataclass(frozen=True)
class Sections:
    """The sections of all pages, their ranker, and each word that they have, with its term."""

    documents: list[dict[str, str]]
    searcher: toysearch.Searcher
    terms: dict[str, str]

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """First letter → the words that begin with it, without stop words."""
        return groups_of((word[0], word) for word, term in self.terms.items() if term)


def _kept_sections(command: click.Command) -> Sections:
    """Return the sections without options, from the user's cache if it has them as they are."""
    folder = cache_folder() / f"docs-{_state_of_pages()}"
    listed = folder.with_suffix(".json")
    with suppress(OSError, ToysearchError, ValueError):
        kept, terms = json.loads(listed.read_text(encoding="utf-8"))
        return Sections(kept, toysearch.Searcher(toysearch.Index.open(folder), MODEL), terms)
    made = documents(command)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for old in folder.parent.glob("docs-*"):
            if old.is_dir():
                rmtree(old, ignore_errors=True)
            else:
                old.unlink()
        found = sections_of(made, folder)
        shown = [{**one, "text": beginning(one["text"]), "purpose": "", "name": ""} for one in made]
        words = {word: term for word, term in found.terms.items() if word[0] != "_"}  # a name is never a slip
        with replacing(listed) as file:
            json.dump([shown, words], file)
        return found
    except (OSError, ToysearchError):
        return sections_of(made)


def _state_of_pages() -> str:
    """Digest the names, sizes and times of the files that pages are made of: texts, and the package for the others."""
    files = (path for folder in (root(), Path(toysearch.__file__).parent) for path in folder.rglob("*"))
    made_of = ((str(path), path.stat()) for path in files if path.suffix in (".md", ".py", ".toml"))
    stats = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in made_of)
    return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def sections_of(documents: list[dict[str, str]], folder: Path | None = None) -> Sections:
    """Return sections with their ranker; a word counts more in a title or a purpose, and a whole name most.

    folder : where its index is saved
    """
    same = {word: first for first, *others in map(str.split, SAME) for word in others}
    usual = toysearch.Analyzer.for_language("english", stop="snowball").stop
    stop = {*usual, *LEFT_OUT.split()} - {*KEPT}
    analyzer = toysearch.Analyzer.for_language("english", stop=stop, tokens="word1", synonyms=same)
    fields = ["title", "purpose", "text", "name"]
    index = toysearch.Index.build(documents, analyzer, fields=fields, values=["page"], folder=folder)
    return Sections(documents, toysearch.Searcher(index, MODEL), _word_terms(index, documents))


def _word_terms(index: toysearch.Index, documents: list[dict[str, str]]) -> dict[str, str]:
    """Return each word of the sections, and of the lists above, → its term, which is empty for a stop word."""
    terms = {}
    texts = " ".join([*(one[field] for one in documents for field in index.fields.names), *SAME, LEFT_OUT])
    for word in dict.fromkeys(re.findall(r"\w+", texts.lower())):
        term = index.analyzer.term(word) or ""
        terms[word] = term if term in index else ""
    return terms


class ReadWords(NamedTuple):
    """A question as it is searched: with slips mended, and the words that no page has."""

    text: str
    unknown: list[str]


def read_words(sections: Sections, words: str) -> ReadWords:
    """Mend the slips in a question; list the other words that no page has, which may belong to another subject."""
    unknown = list[str]()

    def read(typed: re.Match[str]) -> str:
        word, low = typed[0], typed[0].lower()
        if word.startswith("-"):
            return word
        known = _known_word(sections, low) or _parts(sections, word) or _two_words(sections, low)
        known = known or _same_beginning(sections, low)
        if not known:
            unknown.append(low)
        return word if known in ("", low) else known

    return ReadWords(re.sub(rf"{OPTION.pattern}|\w+", read, words), unknown)


def _known_word(sections: Sections, word: str) -> str:
    """Return a word, or the one that was meant if a slip made it; "" if no page has either."""
    index = sections.searcher.index
    df = _df(index, index.analyzer.term(word))
    if df > 1:
        return word
    as_long = [other for other in sections.alike.get(word[0], ()) if abs(len(other) - len(word)) < 2]
    near = {other: _df(index, sections.terms[other]) for other in as_long if is_slip(word, other)}
    if df:  # a page may show a slip
        near = {other: df for other, df in near.items() if df >= 20 and sorted(other) == sorted(word)}
    if max(near.values(), default=0) > 1:
        return max(near, key=near.__getitem__)
    return word if df else ""


def _parts(sections: Sections, word: str) -> str:
    """Split a name of a program, MoreLikeThis or get_scores, if the pages have a part of it; else return ""."""
    parts = re.sub(r"(?<=[^\WA-Z_])(?=[A-Z])|_", " ", word).lower().split()
    known = [_known_word(sections, part) for part in parts]
    return " ".join(mended or part for mended, part in zip(known, parts, strict=True)) if any(known) else ""


def _two_words(sections: Sections, word: str) -> str:
    """Return the two words of the pages that were typed as one: box plot of boxplot; "" if there are none."""
    best, most = "", 1
    for end in range(3, len(word) - 2):
        both = word[:end], word[end:]
        df = min(_df(sections.searcher.index, sections.terms.get(part, "")) for part in both)
        if df > most:
            best, most = " ".join(both), df
    return best


def _same_beginning(sections: Sections, word: str) -> str:
    """Return the word of the pages that begins like another, by seven letters or more; "" if there is none."""
    best, most = "", (7, 0)
    for other in sections.alike.get(word[0], ()):
        if other[:7] == word[:7]:
            found = _shared(word, other), _df(sections.searcher.index, sections.terms[other])
            if found > most:
                best, most = other, found
    return best


def _df(index: toysearch.Index, term: str | None) -> int:
    """In how many sections a term is; a stop word is as good as in all."""
    return len(index) if term is None else int(index.df_by_term[[index.term_number(term)]][0]) if term in index else 0


def is_slip(typed: str, word: str) -> bool:
    """Return whether one slip of the fingers turns a word into what was typed.

    Two letters are exchanged, or one is missing or too many in six, or wrong in eight; the first one is right. Shorter
    words have other words that near: cite is not bite.
    """
    start = _shared(typed, word)
    left, right = typed[start:][::-1], word[start:][::-1]
    end = _shared(left, right)
    left, right, shorter = left[end:], right[end:], min(len(typed), len(word))
    if not start or typed.isdigit():
        return False
    if len(left) == 2 and left == right[::-1]:
        return shorter >= 4
    return shorter >= {(0, 1): 6, (1, 0): 6, (1, 1): 8}.get((len(left), len(right)), shorter + 1)


def _shared(first: str, second: str) -> int:
    """How many letters two words begin with alike."""
    return len([*takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))])


def best_sections(searcher: toysearch.Searcher, words: str, k: int = 5) -> toysearch.Ranking:
    """Rank the pages by the best section of each; an option, or words that stand together, may be a name.

    Its words are those typed, or those without stop words; a name that is all that was typed counts most.
    """
    index, typed = searcher.index, re.findall(r"\w+", words.lower())
    known = [word for word in typed if (index.analyzer.term(word) or "") in index]
    options = OPTION.findall(words.lower())
    names = {} if options else dict.fromkeys(map(_name, [*_together(typed), *_together(known)]), 0.5)
    names |= dict.fromkeys(map(_name, options or [" ".join(typed), " ".join(known)]), 3.0)
    shares = {name: share for name, share in names.items() if name in index}
    for word in known:
        term = index.analyzer.term(word) or ""
        shares[term] = shares.get(term, 0.0) + (0.3 if word.isdigit() else 1.0)
    return searcher.search(_weighted(index, shares), k, group_by="page")


def _weighted(index: toysearch.Index, shares: dict[str, float]) -> QueryTerms:
    """Return terms as a query; each has its share of 1/√idf, so a rare one cannot outweigh the rest."""
    numbers = np.array([index.term_number(term) for term in shares], np.int64)
    df = index.df_by_term[numbers]
    idf = np.log(1 + (len(index) - df + 0.5) / (df + 0.5))
    return QueryTerms(numbers, np.array([*shares.values()]) / np.sqrt(idf), {})


def _together(words: list[str]) -> list[str]:
    """Each two, three and four words that stand together."""
    return [" ".join(words[start : start + n]) for n in (2, 3, 4) for start in range(len(words) - n + 1)]


class FoundSection(NamedTuple):
    """Section that answers: the name by which `toysearch docs` prints it, its title, and a passage of it."""

    name: str
    title: str
    passage: Marked
    score: float


def find_sections(words: str, command: click.Command) -> list[FoundSection]:
    """Find the best section of each of five pages, with its passage; notes say what was not searched as it was typed.

    words : the question
    command : the one with all commands below it
    """
    asked = OPTION.findall(words.lower())
    options = option_records(command) if asked else {}
    sections = sections_of(documents(command, options)) if asked else _kept_sections(command)
    by_name = {section["doc_id"]: section for section in sections.documents}
    searcher = sections.searcher
    text, unknown = read_words(sections, words)
    with collected_notes():
        ranking = best_sections(searcher, text)
    if text != words:
        note(f"searched for: {text}")
    if unknown and len(ranking):
        note(f"on no page: {', '.join(unknown)}")
    terms = frozenset(term for term in TypedQuery(text).marked_terms(searcher.index) if term in searcher.index)
    found = []
    for hit in ranking:
        section = by_name[hit.doc_id]
        records = options.get(hit.doc_id.removeprefix("commands#toysearch-"), {})
        whole = " ".join(records[option] for option in asked if records.get(option))
        if not whole and terms <= {*searcher.index.analyzer(section["title"])}:  # the section is about nothing else
            whole = beginning(section["text"])
        passage = Marked(whole, ()) if whole else passages(searcher.index, terms, hit.doc_id)[1] or Marked("", ())
        found.append(FoundSection(hit.doc_id, section["label"], passage, hit.score))
    return found


def beginning(text: str) -> str:
    """Return the first words of a section."""
    return shorten(text, 160, placeholder=" …")


def show_found(words: str, command: click.Command, form: str) -> None:
    """Print the best section of each of five pages, with its passage and the command that prints it.

    words : the question
    command : the one with all commands below it
    form : one of the forms of output
    """
    found = find_sections(words, command)
    if not found:
        raise ArgumentError(f"no page has a word of '{words}'; toysearch docs lists the pages")
    if form == "table":
        lines: list[Any] = []
        for one in found:
            lines += [f"toysearch docs {one.name}", one.title, one.passage, ""]
        emit([Column("name", " ", wrap=True)], [[line] for line in lines[:-1]], form)
    else:
        columns = [Column("name"), Column("title"), Column("passage"), Column("score")]
        emit(columns, [(one.name, one.title, str(one.passage), one.score) for one in found], form)
