"""A query tree matches the documents, and counts the occurrences, that a slow scan of the texts finds."""

import re

import pytest
from chosen_way import way
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often, thinned

import toysearch
from toysearch import Analyzer, Document, Index, Searcher
from toysearch.base import JoinedText
from toysearch.query import syntax as q
from toysearch.retrieval.matching import Matcher

WAYS = st.sampled_from(["plain", "compiled"])
FIELDS = st.sampled_from([None, "title", "text"])

pytestmark = pytest.mark.system

WORDS = ["cat", "cats", "dog", "the", "of", "tick", "ticks", "removal", "東京", "京都", "都", "a", "wi-fi", "wi", "fi"]
PATTERNS = ["ca*", "*s", "t?ck", "*", "d*g", "re*l", "x*"]
ANALYZERS = {
    "plain": Analyzer(),
    "stop words": Analyzer(stop=["the", "of"]),
    "english": Analyzer.for_language("english"),
    "pairs of characters": Analyzer.for_language("cjk"),
}

words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=9).map(" ".join)
documents = st.lists(st.tuples(texts, texts, st.sampled_from(["1990", "2000", ""])), min_size=1, max_size=6)
leaves = st.one_of(
    words.map(q.Term),
    st.lists(words, min_size=1, max_size=3).map(lambda some: q.Phrase(*some)),
    st.builds(
        lambda some, slop: q.Phrase(*some, slop=slop), st.lists(words, min_size=1, max_size=3), st.integers(1, 5)
    ),
    st.builds(lambda some, gap: q.Phrase(*some, gap=gap), st.lists(words, min_size=1, max_size=3), st.integers(2, 4)),
    st.sampled_from(PATTERNS).map(q.Wildcard),
    st.lists(words.map(q.Term), min_size=1, max_size=3).map(lambda some: q.Synonyms(*some)),
)


def may_match(nodes):
    return not any(isinstance(node, q.Not | q.Optional) for node in nodes)


def trees(leaves):
    several = st.lists(leaves, min_size=1, max_size=3)
    return st.one_of(
        several.map(lambda nodes: q.And(*nodes)),
        several.map(lambda nodes: q.Or(*nodes)),
        st.builds(lambda node, other: q.And(node, q.Optional(other)), leaves, leaves),
        leaves.map(q.Not),
        st.builds(lambda n, nodes: q.AtLeast(min(n, len(nodes)), *nodes), st.integers(1, 3), several.filter(may_match)),
        st.builds(q.Boost, leaves, st.sampled_from([0.5, 2.0])),
        st.builds(q.Field, st.sampled_from(["title", "text"]), leaves),
    )


queries = st.recursive(st.one_of(leaves, st.just(q.Range("year", 1995.0))), trees, max_leaves=5)


class Scan:
    """One document as a list of (position, term, field), read from its texts."""

    def __init__(self, document, analyzer, vocabulary):
        self.year, self.analyzer, self.vocabulary, self.terms = document.fields["year"], analyzer, vocabulary, []
        place = 0
        for field in ("title", "text"):
            for token in analyzer.tokenizer(document.fields[field]):
                self.terms.append((place, analyzer.term(token), field))
                place += 1
            place += 100  # a phrase stays within a field

    def words(self, word):
        return self.analyzer(word)

    def meant(self, term):
        """The terms that a term stands for: pairs of characters that contain it, if it is a single one."""
        if len(term) == 1 and self.analyzer.cjk and not term.isascii():
            return {other for other in self.vocabulary if term in other}
        return {term}

    def tf(self, node, field=None):
        """How often a leaf occurs; None if analysis leaves nothing of it."""
        own = [(place, term) for place, term, of in self.terms if term is not None and field in (None, of)]
        if isinstance(node, q.Term):
            wanted = [self.meant(term) for term in self.words(node.word)]
            return sum(term in set().union(*wanted) for _, term in own) if wanted else None
        if isinstance(node, q.Synonyms):
            counts = [self.tf(part, field) for part in node.nodes]
            counted = [count for part, count in zip(node.nodes, counts, strict=True) if count is not None]
            return sum(counted) if counted else None
        if isinstance(node, q.Phrase):
            return self.phrase(node, own)
        form = node.pattern
        if isinstance(node, q.Wildcard):
            form = re.escape(form).replace(r"\*", ".*").replace(r"\?", ".")
        return sum(re.fullmatch(form, term) is not None for _, term in own)

    def phrase(self, node, own):
        tokens = [self.analyzer.term(token) for token in self.analyzer.tokenizer(" ".join(node.words))]
        wanted = [(place, term) for place, term in enumerate(tokens) if term is not None]
        if not wanted:
            return None
        held, first = set(own), wanted[0][0]
        if node.slop:
            return sum(
                self.window(start, node.slop, wanted, own) for start, term in own if term in dict(wanted).values()
            )
        if node.gap == 1:
            return sum(all((start + place - first, term) in held for place, term in wanted) for start, _ in own)
        return sum(
            self.chain(start, [term for _, term in wanted[1:]], node.gap, own)
            for start, term in own
            if term == wanted[0][1]
        )

    @staticmethod
    def window(start, width, wanted, own):
        inside = [term for place, term in own if start <= place < start + width]
        names = [term for _, term in wanted]
        return all(inside.count(term) >= names.count(term) for term in names)

    def chain(self, start, terms, gap, own):
        if not terms:
            return True
        return any(
            self.chain(place, terms[1:], gap, own)
            for place, term in own
            if term == terms[0] and start < place <= start + gap
        )

    def matches_all(self, node, field, every):
        """As without the parts of which analysis leaves nothing; without a required part, an optional one is."""
        kept = [part for part in node.nodes if self.matches(part, field) is not None]
        if not kept:
            return None
        required = [part for part in kept if not isinstance(part, q.Optional)]
        optional = [part.node for part in kept if isinstance(part, q.Optional)]
        some_left_out, n_positive = len(kept) < len(node.nodes), sum(not isinstance(part, q.Not) for part in node.nodes)
        was_required = any(not isinstance(part, q.Not | q.Optional) for part in node.nodes)
        now_required = all(isinstance(part, q.Not) for part in required) and (was_required or not required)
        if some_left_out and optional and now_required:
            required.append(optional[0] if len(optional) == 1 else q.Or(*optional))
            n_positive = 1
        single = some_left_out and n_positive < 2 and len(required) == 1  # no longer one of several
        return all(self.matches(part, field, every if single else True) for part in required)

    def matches(self, node, field=None, every=False):
        """Whether the document matches; None if analysis leaves nothing of the node."""
        if isinstance(node, q.Range):
            return bool(self.year) and node.low <= float(self.year) <= node.high
        if isinstance(node, q.Field):
            return self.matches(node.node, node.name, every)
        if isinstance(node, q.Boost | q.Optional):
            return self.matches(node.node, field, every)
        if isinstance(node, q.Not):
            found = self.matches(node.node, field, True)
            return None if found is None else not found
        if isinstance(node, q.And):
            return self.matches_all(node, field, every)
        if isinstance(node, q.Or):
            found = [self.matches(part, field) for part in node.nodes]
            return any(part for part in found if part is not None) if set(found) != {None} else None
        if isinstance(node, q.AtLeast):
            found = [self.matches(part, field) for part in node.nodes]
            known = [part for part in found if part is not None]
            return sum(known) >= min(node.n, len(known)) if known else None
        if isinstance(node, q.Term):
            terms = self.words(node.word)
            held = {term for _, term, of in self.terms if field in (None, of)}
            return (all if every else any)(held & self.meant(term) for term in terms) if terms else None
        tf = self.tf(node, field)
        return None if tf is None else tf > 0


def documents_of(rows):
    return [
        Document(str(number), JoinedText.joined([title, text]), title, {"title": title, "text": text, "year": year})
        for number, (title, text, year) in enumerate(rows, 1)
    ]


def index_of(rows, analyzer, **options):
    return Index.build(documents_of(rows), analyzer, fields=["title", "text"], values=["year"], **options)


def scanned(index, rows, node):
    vocabulary = set(index.terms)
    found = []
    for number, document in enumerate(documents_of(rows)):
        if Scan(document, index.analyzer, vocabulary).matches(node):
            found.append(number)
    return found


@pytest.mark.parametrize("name", thinned(ANALYZERS, 2))
@given(rows=documents, node=queries, positions=st.booleans(), chosen=WAYS)
@settings(max_examples=often(150, 30), deadline=None)
def test_matches(name, rows, node, positions, chosen):
    index = index_of(rows, ANALYZERS[name], positions=positions)
    with way(chosen):
        assert Matcher(index).matches(node).tolist() == scanned(index, rows, node)


@pytest.mark.parametrize("name", ANALYZERS)
@given(
    rows=documents, node=leaves, field=st.sampled_from([None, "title", "text"]), positions=st.booleans(), chosen=WAYS
)
@settings(max_examples=150, deadline=None)
def test_counts(name, rows, node, field, positions, chosen):
    """The tf of a derived term in each document, also in each separate field, and its df and cf."""
    index = index_of(rows, ANALYZERS[name], positions=positions)
    scans = [Scan(document, index.analyzer, {*index.terms}) for document in documents_of(rows)]
    with way(chosen):
        term = Matcher(index)._term(node, field)
    expected = [scan.tf(node, field) for scan in scans]
    if expected[0] is None:
        assert term is None
        return
    assert dict(zip(term.docs.tolist(), term.tf.tolist(), strict=True)) == {
        number: tf for number, tf in enumerate(expected) if tf
    }
    assert (term.df, term.cf) == (sum(map(bool, expected)), sum(expected))
    for of in ("title", "text"):
        tf = [scan.tf(node, of) if field in (None, of) else 0 for scan in scans]
        assert term.field_tf[of].tolist() == [tf[number] for number in term.docs]


@given(rows=documents, more=documents, node=queries, positions=st.booleans(), data=st.data())
@settings(max_examples=often(100, 20), deadline=None)
def test_matches_after_a_change(rows, more, node, positions, data):
    """Add, delete, save and open change nothing but the documents."""
    index = index_of(rows, ANALYZERS["english"], positions=positions)
    every = documents_of([*rows, *more])
    index = index.add(every[len(rows) :])
    gone = data.draw(st.sets(st.sampled_from([document.doc_id for document in every]), max_size=len(every) - 1))
    index = index.delete(gone)
    left = [document for document in every if document.doc_id not in gone]
    found = [index.doc_ids[number] for number in Matcher(index).matches(node).tolist()]
    vocabulary = {*index.terms}
    assert found == [each.doc_id for each in left if Scan(each, index.analyzer, vocabulary).matches(node)]


MODELS = [name for name in toysearch.MODELS if name != "bm25f"]
OVER_FIELDS = ["bm25f:title=2,text=1", "0.5*min-max(bm25) + 0.5*cosine"]


@given(rows=documents, node=queries, model=st.sampled_from([*MODELS, *OVER_FIELDS]))
@settings(max_examples=often(130, 60), deadline=None)
def test_ranks_the_matching_documents_and_explains_each_score(rows, node, model):
    index = index_of(rows, ANALYZERS["english"])
    searcher = Searcher(index, model)
    ranking = searcher.search(node, k=None)
    assert sorted(index.doc_number(hit.doc_id) for hit in ranking) == scanned(index, rows, node)
    for hit in ranking:
        why = toysearch.explain(searcher, node, hit.doc_id)
        assert why.score == hit.score
        if why.terms:
            shares = sum(part.value for part in why.tree.summands)
            assert shares == pytest.approx(hit.score, rel=1e-9, abs=1e-9)


OTHERS = {"distinct", "max_tf", "avg_distinct", "n_postings", "n_terms"}  # that change when words are replaced
ALIKE = [
    name
    for name in MODELS
    if not OTHERS & {*toysearch.model(name).statistics}
    and "collection_constants" not in toysearch.model(name).hooks
    and toysearch.model(name).similarity.name == "dot"  # the vectors of documents change too
]


@given(rows=documents, text=texts, model=st.sampled_from(ALIKE))
@settings(max_examples=often(100, 50), deadline=None)
def test_synonyms_and_wildcards_weigh_as_if_one_word_had_been_written(rows, text, model):
    """Independent of derived terms: the analyzer replaces the words, so that the index holds one term."""
    replaced = index_of(rows, Analyzer(synonyms={"cats": "cat", "ticks": "tick"}))
    grouped = {
        "cat": q.Wildcard("cat*"),
        "cats": q.Wildcard("cat*"),
        "tick": (both := q.Synonyms(q.Term("tick"), q.Term("ticks"))),
    }
    nodes = [{**grouped, "ticks": both}.get(word, q.Term(word)) for word in text.split()]
    if not nodes:
        return
    expected = Searcher(replaced, model).search(text, k=None)
    found = Searcher(index_of(rows, Analyzer()), model).search(q.Or(*nodes), k=None)
    assert {hit.doc_id: hit.score for hit in found} == pytest.approx(
        {hit.doc_id: hit.score for hit in expected}, rel=1e-12
    )


boolean = st.recursive(
    words.map(q.Term),
    lambda nodes: st.lists(nodes, min_size=2, max_size=3).flatmap(
        lambda some: st.sampled_from([q.And(*some), q.Or(*some)])
    ),
    max_leaves=8,
)


@given(rows=documents, node=boolean, model=st.sampled_from([*MODELS, *OVER_FIELDS[:1]]))
@settings(max_examples=often(300, 150), deadline=None)
def test_the_structure_changes_no_score(rows, node, model):
    """A matching document has, to the last bit, its score for the words alone; also where parts repeat a word."""
    index = Index.build(
        documents_of(rows), ANALYZERS["english"], fields=["title", "text"] if "bm25f" in model else None
    )
    searcher = Searcher(index, model)
    alone = {hit.doc_id: hit.score for hit in searcher.search(q.Or(*map(q.Term, q.words_of(node))), k=None)}
    found = searcher.search(node, k=None)
    assert sorted(index.doc_number(hit.doc_id) for hit in found) == scanned(index, rows, node)
    for hit in found:
        assert hit.score == alone[hit.doc_id]
