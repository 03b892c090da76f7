# %% [markdown]
# # Lab 2: The inverted index
#
# Whoever looks for a word in a heap of texts can read them all, or prepare: write down for each word in which texts it
# is. That list of lists is an *inverted index*, and nearly every search engine has one. In this lab you build one, by
# hand and from scratch; merge its lists for AND, OR and NOT; see why counting words in common leads to ranking; code
# the lists in fewer bits; and find out what an index without positions cannot answer.
#
# You need Python with lists, dicts and loops, and from lab 1 what a token and a term are.

# %%
from toysearch import labs

labs.start(2, student="anyone")

# %% [markdown]
# ## 1. From documents to postings
#
# A document lists its terms. Turned round, each term lists its documents:
#
# - a *posting* is a document that holds a term, together with **tf**, how often it does;
# - a term's *postings list* has one posting for each document that holds it, by rising document number;
# - the *dictionary* is the list of all terms, each with where its postings are, and with two counts: **df**, the number
#   of documents that hold the term (the length of its list), and **cf**, how often it occurs in all (the sum of its
#   tf).
#
# Four small documents. Try to write down the list of `cat` before you look at what the machine says.

# %%
import toysearch

texts = [
    "the cat sat on the mat",
    "a dog and a cat",
    "cat and mouse, mouse and cat",
    "dogs bark",
]
plain = toysearch.Analyzer()
small = toysearch.Index.build(texts, analyzer=plain)

print("term   df  cf  postings (document, tf)")
for number in range(len(small.terms)):
    term = small.term(number)
    docs, tf = small.postings(term)
    postings = [
        (doc + 1, count)
        for doc, count in zip(docs.tolist(), tf.tolist(), strict=True)
    ]
    print(f"{term:6} {small.df[number]:2}  {small.cf[number]:2}  {postings}")

# %% [markdown]
# Two things to see. Textbooks number documents from 1, and so does this lab; toysearch numbers from 0 inside, hence the
# `+ 1`. And `dog` and `dogs` are two terms here, since no stemmer joined them (lab 1): an index knows strings, not
# words.
#
# ### Exercise 2.1: a postings list by hand
#
# Write down the postings list of your term.

# %%
labs.given("2.1")

# %%
# solution
g = labs.given("2.1")
answer = [
    (n, text.split().count(g.term))
    for n, text in g.documents.items()
    if g.term in text.split()
]
# student: answer = ...  # your turn: a list of pairs (document, tf), such as [(2, 1), (5, 3)]
# end solution
labs.check("2.1", answer)

# %% [markdown]
# ### Exercise 2.2: an index from scratch
#
# Write a function that gets documents as lists of tokens, numbers them from 1, and returns a dict from each term to its
# postings list. For `[["the", "cat", "and", "the", "dog"], ["dog"]]` it is `{"the": [(1, 2)], "cat": [(1, 1)], "and":
# [(1, 1)], "dog": [(1, 1), (2, 1)]}`.


# %%
def inverted(documents):
    # solution
    index = {}
    for number, tokens in enumerate(documents, 1):
        for term in dict.fromkeys(tokens):
            index.setdefault(term, []).append((number, tokens.count(term)))
    return index
    # end solution


labs.check("2.2", inverted)

# %% [markdown]
# Now the collection of this course. Its texts go through the analysis for English: stop words out, stems in place of
# words.

# %%
collection = labs.collection()
index = toysearch.Index.build(collection)
stats = index.stats
print(f"{collection.name}: {stats.N:,} documents, {stats.T:,} tokens")
print(
    f"{stats.n_terms:,} terms, {stats.n_postings:,} postings, "
    f"{stats.avg_distinct:.1f} a document"
)
print(f"in one document only: {(index.df == 1).mean():.0%} of the terms")

longest = sorted(index.df.tolist(), reverse=True)[: stats.n_terms // 100]
print(
    "the longest 1 % of the lists hold "
    f"{sum(longest) / stats.n_postings:.0%} of the postings"
)

# %% [markdown]
# Does yours agree?

# %% tags=["yours"]
labs.needs("2.2")
tokens = [index.analyzer(index.text(number)) for number in range(stats.N)]
mine = inverted(tokens)
print("terms:   ", len(mine) == stats.n_terms)
print("postings:", sum(map(len, mine.values())) == stats.n_postings)

# %% [markdown]
# Lists are as unequal as words are: a few are long, most are very short. The picture shows how long, the term with the
# longest list first. Nearly all that follows is about the long ones: they cost the time and the space.

# %%
import altair as alt

lengths = sorted(index.df.tolist(), reverse=True)
ranks = sorted({round(1.12**n) for n in range(100) if 1.12**n <= len(lengths)})
rows = [
    {"rank of the term": rank, "length of its list": lengths[rank - 1]}
    for rank in ranks
]
log = alt.Scale(type="log")
line = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(point=True)
    .encode(
        x=alt.X("rank of the term:Q", scale=log),
        y=alt.Y("length of its list:Q", scale=log),
    )
    .properties(width=500, height=240)
)
labs.picture(
    line,
    "Lengths of the postings lists over the rank of the term, both "
    "logarithmic: it falls all the way to 1.",
)

# %% [markdown]
# ## 2. Boolean retrieval: merging lists
#
# A Boolean query is answered from the lists alone. As both rise, one pass is enough: hold a place in each, look at the
# two documents there, and move on where the number is smaller. AND keeps documents that stand in both lists, OR those
# that stand in one or both, `x AND NOT y` those of x that y lacks. A merge of lists of lengths x and y takes at most x
# + y steps. (NOT alone is another matter: nearly the whole collection. Most systems allow it only after AND.)
#
#     cat   2  4  7  9             2 < 4: on in cat      4 = 4: found, on in both
#     dog   4  8  9                7 < 8: on in cat      9 > 8: on in dog      9 = 9: found
#
# ### Exercise 2.3: Boolean retrieval by hand
#
# The collection has 15 documents. Which does your query find?

# %%
labs.given("2.3")

# %%
# solution
first, second, third = map(set, labs.given("2.3").lists.values())
answer = sorted((first | second) - third)
# student: answer = ...  # your turn: a list of document numbers
# end solution
labs.check("2.3", answer)

# %% [markdown]
# ### Exercise 2.4: a merge and its cost
#
# Write AND as a merge of two rising lists, and count its turns: each time two documents are compared is one turn,
# whether they turn out equal, smaller or larger. Return both, `(documents, turns)`. The example above gives `([4, 9],
# 5)`.


# %%
def intersect(a, b):
    # solution
    found, i, j, turns = [], 0, 0, 0
    while i < len(a) and j < len(b):
        turns += 1
        if a[i] == b[j]:
            found.append(a[i])
            i, j = i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return found, turns
    # end solution


labs.check("2.4", intersect)

# %% [markdown]
# With three lists and more the order matters: AND can only shorten, so whoever begins with the shortest list carries a
# short list through all that follows. Below are the three longest lists of the collection and a rarer term's, in both
# orders. A merge walks along the long lists all the same, so it gains little. But whoever has a short list can look its
# documents up in the long one by halving (binary search), about log₂ of its length each; skip pointers serve the same
# end. Then the order is what counts, and with the long list first it would cost more than the merge. (This cell needs
# exercise 2.4.)

# %% tags=["yours"]
labs.needs("2.4")
import math


def cost(lists):
    """Turns of merging all lists in order, and steps of halving instead."""
    found, turns, steps = lists[0], 0, 0
    for other in lists[1:]:
        steps += len(found) * math.ceil(math.log2(len(other) + 1))
        found, more = intersect(found, other)
        turns += more
    return turns, steps


by_length = sorted(range(stats.n_terms), key=lambda number: -index.df[number])
terms = [
    index.term(number)
    for number in (*by_length[:3], by_length[stats.n_terms // 10])
]
lists = [(index.postings(term).docs + 1).tolist() for term in terms]
print(
    "lengths:",
    ", ".join(
        f"{term} {len(docs)}" for term, docs in zip(terms, lists, strict=True)
    ),
)
for name, ordered in (
    ("longest first: ", lists),
    ("shortest first:", lists[::-1]),
):
    turns, steps = cost(ordered)
    print(
        f"{name} {turns:,} turns of merging, or {steps:,} steps of looking up"
    )

# %% [markdown]
# ### Exercise 2.5: the order of merges
#
# People write several words for one thing: `(cat OR feline) AND (feed OR diet) AND …`. First each OR is merged, then
# the results are merged by AND. Only the df are known beforehand. In which order should the groups be taken, the one
# first whose list is the shortest by the safest guess from df? (A safe guess is never too small.)

# %%
labs.given("2.5")

# %%
# solution
g = labs.given("2.5")
answer = sorted(g.df, key=lambda name: sum(g.df[name].values()))
# student: answer = ...  # your turn: the four letters in order, such as ["A", "B", "C", "D"]
# end solution
labs.check("2.5", answer)

# %% [markdown]
# ## 3. Overlap: from sets to a ranking
#
# What do Boolean searches bring for questions as people ask them? Each query of the collection, its terms joined by AND
# and by OR:
#
# *Guess first:* for how many of the queries does AND find nothing at all?

# %% tags=["guess"]
import statistics
from collections import Counter

found_by_and, found_by_or, documents, relevant = [], [], Counter(), Counter()
for query in collection.judged_queries:
    terms = set(index.analyzer(query.text))
    levels = Counter()  # document → how many of the terms it holds
    for term in terms:
        levels.update(index.postings(term).docs.tolist())
    found_by_and.append(sum(level == len(terms) for level in levels.values()))
    found_by_or.append(len(levels))
    documents.update(min(level, 4) for level in levels.values())
    for doc_id, grade in collection.qrels[query.query_id].items():
        relevant[min(levels[index.doc_number(doc_id)], 4)] += (
            grade >= collection.threshold
        )

print(f"{len(found_by_and)} queries, {stats.N:,} documents")
nothing = found_by_and.count(0)
print(
    f"AND finds nothing for {nothing} of them, "
    f"{statistics.median(found_by_and):g} documents in the median"
)
print(f"OR finds {statistics.median(found_by_or):g} documents in the median")

# %% [markdown]
# One asks for too much, the other hands over more than anybody reads, in no order. Trained searchers steer between them
# with carefully built queries. For all others there is a simple way out: count. The *overlap* or *coordination level*
# of a document is the number of different query terms that it holds. Sort by it, and AND of all words comes first, if
# anything has them all, and OR's remainder last: a ranking. Cleverdon's tests at Cranfield used these levels in the
# 1960s.

# %%
overlap = toysearch.Searcher(small, "overlap")
for hit in overlap.search("cat and mouse", k=10):
    print(hit.doc_id, hit.score, texts[int(hit.doc_id) - 1])

# %% [markdown]
# ### Exercise 2.6: overlap by hand
#
# Rank the documents for your query by overlap: every word is a term, words must be exactly the same, equal levels stand
# by rising number, and what shares nothing with the query is left out.

# %%
labs.given("2.6")

# %%
# solution
g = labs.given("2.6")
level = {
    n: len(set(text.split()) & set(g.query.split()))
    for n, text in g.documents.items()
}
answer = sorted((n for n in level if level[n]), key=lambda n: (-level[n], n))
# student: answer = ...  # your turn: a list of document numbers, the best first
# end solution
labs.check("2.6", answer)

# %% [markdown]
# Does a higher level mean a better document? The loop above has also counted, over all judged queries, how many
# documents there are at each level, and how many of them are judged relevant.

# %%
rows = []
for level in range(1, 5):
    share = 100 * relevant[level] / max(1, documents[level])
    rows.append(
        {
            "level": f"{level}{'+' * (level == 4)}",
            "relevant per 100": round(share, 3),
        }
    )
    print(
        f"level {rows[-1]['level']:2} {documents[level]:7,} documents, "
        f"{relevant[level]:4} relevant, {share:5.2f} %"
    )
print(f"no term in common: {relevant[0]} relevant")

# %%
bars = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_bar()
    .encode(
        x=alt.X(
            "level:N",
            title="query terms in the document",
            axis=alt.Axis(labelAngle=0),
        ),
        y="relevant per 100:Q",
    )
    .properties(width=320, height=220)
)
labs.picture(
    bars,
    "Relevant documents per hundred at each level of overlap: more terms in "
    "common, more of them.",
)

# %% [markdown]
# The higher the level, the denser the relevant documents: overlap works. But look at the counts too. The low levels
# hold most of the documents and a good part of the relevant ones, and within a level nothing is said about order.
# Overlap takes a rare term for no more than a frequent one, five occurrences for no more than one, and a long document
# may collect terms by mere length. Labs 3 and 4 mend these one after the other. Relevant documents without any term of
# the query they cannot reach either.

# %% [markdown]
# ## 4. Gaps and codes
#
# A document number of a large collection takes 32 bits. It need not. As the numbers of a list rise, it is enough to
# store the *gaps*: 7, 9, 15 becomes 7, 2, 6 (the first counts from 0). Long lists have small gaps, since a term in half
# of the documents has a gap of 2 on average; and small numbers can have short codes. Four of them, for a number n ≥ 1:
#
# - **variable byte**: n in binary, cut into groups of seven bits from the right, a byte each; the top bit is 1 in the
#   last byte and 0 in the others. 824 = 110 0111000 is `00000110 10111000`.
# - **gamma** (Elias 1975): the *offset* is n in binary without its leading 1. Its length as so many ones and a zero,
#   then the offset: 13 = 1101 is `1110 101`. A number takes 2⌊log₂ n⌋ + 1 bits. (Elias himself told the length in
#   zeros.)
# - **delta** (Elias 1975): the length of the whole binary number in gamma code, then the offset. 13 has 4 binary
#   digits, and 4 is `110 00`, so 13 is `11000 101`. Longer than gamma for small numbers, shorter for large ones.
# - **Golomb** (1966): divide n − 1 by b; the quotient in ones and a zero, then the remainder in about log₂ b bits.
#   **Rice** codes take b = 2^k, so that the remainder has k bits exactly. 13 with k = 2: 12 = 3 · 4 + 0, so `1110 00`.
#   The parameter is chosen to fit the list: b near 0.69 times the mean gap is best if gaps are as chance makes them.
#
# Others draw ones and zeros the other way round, or divide n instead of n − 1; the lengths are the same but for
# details.

# %%
from toysearch.laboratory.explain.codes import (
    delta,
    gamma,
    gaps,
    variable_byte,
)


def rice(number, k):
    quotient, remainder = divmod(number - 1, 2**k)
    return "1" * quotient + "0" + (f"{remainder:0{k}b}" if k else "")


def in_bytes(number):
    return " ".join(f"{byte:08b}" for byte in variable_byte(number))


print(
    "number  variable byte      gamma                  delta           rice, "
    "k = 3"
)
for number in (1, 2, 5, 13, 100, 824):
    ones = rice(number, 3)
    shown = ones if len(ones) <= 20 else f"{len(ones)} bits"
    print(
        f"{number:6}  {in_bytes(number):17}  {gamma(number):21}  "
        f"{delta(number):14}  {shown}"
    )

# %% [markdown]
# A postings list of the collection, as a textbook draws it:

# %%
from toysearch.laboratory.explain.codes import textbook_view

term = index.term(
    sorted(range(stats.n_terms), key=lambda number: -index.df[number])[
        stats.n_terms // 10
    ]
)
view = textbook_view(index, term, k=6)
print(f"{view.term}: df {view.df}, cf {view.cf}")
print("bits for all its document numbers:", view.bits)
view

# %% [markdown]
# ### Exercise 2.7: codes by hand
#
# A postings list is given, and one of its documents. What is stored for it in each code? (Blanks do not matter.) Do it
# on paper; Python may turn numbers to binary, as in `f"{13:b}"`.

# %%
labs.given("2.7")

# %%
# solution
g = labs.given("2.7")
gap = g.document - g.documents[g.documents.index(g.document) - 1]
answer = {
    "variable byte": in_bytes(gap),
    "gamma": gamma(gap),
    "delta": delta(gap),
    "rice": rice(gap, g.k),
}
# student: answer = ...  # your turn: {"variable byte": "...", "gamma": "...", "delta": "...", "rice": "..."}
# end solution
labs.check("2.7", answer)

# %% [markdown]
# What does it bring? All gaps of the index, in each code, in bits a posting. Each list has its own k for Rice; this k
# has to be stored too, which is little and left out here, and so are the tf.

# %%
import numpy as np

all_gaps, bits = Counter(), Counter()
for start, stop in zip(
    index.offsets[:-1].tolist(), index.offsets[1:].tolist(), strict=True
):
    distances = gaps(index.docs[start:stop])
    all_gaps.update(distances.tolist())
    k = max(0, int(np.log2(0.69 * stats.N / len(distances))))
    bits["Rice"] += int(((distances - 1) >> k).sum()) + len(distances) * (
        1 + k
    )
for gap, count in all_gaps.items():
    bits["variable byte"] += count * 8 * len(variable_byte(gap))
    bits["gamma"] += count * len(gamma(gap))
    bits["delta"] += count * len(delta(gap))
bits["32 bits each"] = 32 * stats.n_postings

rows = [
    {"code": code, "bits a posting": round(total / stats.n_postings, 2)}
    for code, total in bits.most_common()
]
for row in rows:
    print(f"{row['code']:13} {row['bits a posting']:6.2f}")
sizes = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_bar()
    .encode(x="bits a posting:Q", y=alt.Y("code:N", sort=None, title=None))
    .properties(width=420, height=130)
)
labs.picture(
    sizes,
    "Bits a posting in each code: 32 for plain numbers, far less for each "
    "code of gaps.",
)

# %% [markdown]
# Every code of gaps beats plain numbers by far, and the one that is fitted to each list takes the least; whole bytes
# cannot go below 8 bits. What is best for search is another question: whole bytes are quicker to read, and modern
# engines code blocks of a hundred postings and more with processors in mind. toysearch itself stores whole numbers, as
# narrow as they can be, which can be used in place without decoding; it has these codes to look at.
#
# ## 5. What this index cannot answer: phrases and wildcards
#
# Our postings know in which document a term is, not where. So *"guide dog"* as a phrase is indistinguishable from a dog with
# a guide somewhere else in the text. And `train*` would need all terms that begin so. **toysearch has neither**:
# quotation marks and stars are cut away by the analyzer like any punctuation, without a word.

# %%
print(plain('"guide dog" train*'))

# %% [markdown]
# What would it take?
#
# - For phrases a **positional index**: each posting also lists the positions, as in `dog: (4, [2, 17])`. It needs an
#   entry for each token instead of each posting. Matching a phrase is a merge of documents, and within each of
#   positions.
# - For phrases of two words a **biword index**: pairs of neighbours are terms. That toysearch can do, with
#   `Analyzer(ngrams=(1, 2))`, at the price of a large dictionary. Longer phrases as chains of pairs can go wrong: "a b"
#   and "b c" may both be there, and "a b c" not.
# - For wildcards a second index, over the *dictionary*. A sorted dictionary is enough for `train*`. For a star inside,
#   a **permuterm index** stores every rotation of each term (`cat$`, `at$c`, `t$ca`, `$cat`, where `$` marks the end)
#   and turns `c*t` round into the prefix `t$c*`. A **k-gram index** lists for each k letters the terms with them,
#   merges those by AND, and looks at what is left, since not every candidate matches.

# %%
words = toysearch.Index.build(collection, analyzer=plain)
pairs = toysearch.Index.build(
    collection, analyzer=toysearch.Analyzer(ngrams=(1, 2))
)
print(
    f"words:            {words.stats.n_terms:7,} terms, "
    f"{words.stats.n_postings:8,} postings"
)
print(
    f"with positions:   {words.stats.n_terms:7,} terms, "
    f"{words.stats.n_postings:8,} postings,",
    end=" ",
)
print(f"{words.stats.T:,} positions")
print(
    f"words and pairs:  {pairs.stats.n_terms:7,} terms, "
    f"{pairs.stats.n_postings:8,} postings"
)

# %% [markdown]
# A 3-gram index over the collection's words takes a few lines. The query `red*` has the 3-grams `$re` and `red`; a word
# can have both without beginning with *red*.

# %%
import fnmatch

grams = {}
for number in range(words.stats.n_terms):
    word = words.term(number)
    marked = f"${word}$"
    for at in range(len(marked) - 2):
        grams.setdefault(marked[at : at + 3], set()).add(word)

for pattern, asked in (
    ("red*", ("$re", "red")),
    ("re*ed", ("$re", "ed$")),
    ("*tio*", ("tio",)),
):
    candidates = sorted(set.intersection(*(grams[gram] for gram in asked)))
    matching = fnmatch.filter(candidates, pattern)
    others = [word for word in candidates if word not in matching]
    print(
        f"{pattern:6} {len(candidates):4} candidates, {len(matching):4} "
        f"match: {', '.join(matching[:3])}",
        end="",
    )
    print(f"; not: {', '.join(others[:2])}" if others else "")

# %% [markdown]
# ### Exercise 2.8: phrases from positions
#
# Write a function that finds the documents with a phrase: its words next to each other, in their order. Documents are
# lists of tokens, numbered from 1; the phrase is a list of one word or more. Build a positional index first, and answer
# from it: term → document → positions.


# %%
def with_phrase(phrase, documents):
    # solution
    positions = {}
    for number, tokens in enumerate(documents, 1):
        for position, term in enumerate(tokens):
            positions.setdefault(term, {}).setdefault(number, []).append(
                position
            )
    lists = [positions.get(word, {}) for word in phrase]
    return [
        number
        for number, starts in sorted(lists[0].items())
        if any(
            all(
                start + step in found.get(number, ())
                for step, found in enumerate(lists)
            )
            for start in starts
        )
    ]
    # end solution


labs.check("2.8", with_phrase)

# %%
labs.progress()

# %% [markdown]
# ## What to take home
#
# - An inverted index turns "which terms has this document" round. A list is as long as its df; few lists are long.
# - Lists in one order make AND, OR and AND NOT a single pass; begin with the shortest.
# - Sets are too strict or too large. Counting the terms in common ranks, and forgets rarity, repetition and length.
# - Rising numbers become gaps, and small numbers short codes. What is shortest and what is fastest are two questions.
# - An index answers what it stores: no positions, no phrases. Know what yours throws away.
#
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, chapters 1 to 5 · Witten, Moffat
# & Bell, *Managing Gigabytes*, 2nd edition, Morgan Kaufmann 1999 · Zobel & Moffat, "Inverted files for text search
# engines", ACM Computing Surveys 38(2), 2006 · Elias, "Universal codeword sets and representations of the integers",
# IEEE Transactions on Information Theory 21(2), 1975 · Golomb, "Run-length encodings", IEEE Transactions on Information
# Theory 12(3), 1966 · Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19(6), 1967 · in
# this project: docs/understand/inside-an-index.md (`toysearch show --textbook`)
