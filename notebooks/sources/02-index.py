# %% [markdown]
# # Lab 2: The inverted index
#
# To find a word in a pile of texts, you can read them all, or you can prepare: for each word, write down the texts that
# contain it. This list of lists is an *inverted index*, and nearly every search engine has one. In this lab you build
# one by hand and from scratch; merge its lists for AND, OR and NOT; see why counting shared words leads to ranking;
# store the lists in fewer bits; and answer phrases, windows and wildcards.
#
# You need Python lists, dicts and loops, and from lab 1 the terms *token* and *term*.

# %%
from toysearch import labs

labs.start(2, student="anyone")

# %% [markdown]
# ## 1. From documents to postings
#
# A document lists its terms. An inverted index does the reverse: each term lists its documents.
#
# - a *posting* is a document that contains a term, together with **tf**, the number of occurrences of the term in it;
# - the *postings list* of a term has one posting for each document that contains it, in ascending order of document
#   numbers;
# - the *dictionary* is the list of all terms. For each term it has the position of the postings and two counts: **df**,
#   the number of documents that contain the term (the length of its list), and **cf**, the number of its occurrences in
#   the whole collection (the sum of its tf).
#
# Here are four small documents. Try to write down the list of `cat` before you look at the output.

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
# Note two things. Textbooks number documents from 1, and so does this lab; toysearch numbers them from 0 internally,
# hence the `+ 1`. And `dog` and `dogs` are two terms here, because no stemmer has joined them (lab 1): an index knows
# strings, not words.
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
# Write a function that takes documents as lists of tokens, numbers them from 1, and returns a dict from each term to
# its postings list. For `[["the", "cat", "and", "the", "dog"], ["dog"]]` it returns `{"the": [(1, 2)], "cat": [(1, 1)],
# "and": [(1, 1)], "dog": [(1, 1), (2, 1)]}`.


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
# Now the collection of this course. Its texts are analysed as English: stop words are removed, and words are replaced
# by their stems.

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
    "the longest 1% of the lists hold "
    f"{sum(longest) / stats.n_postings:.0%} of the postings"
)

# %% [markdown]
# Does your index agree?

# %% tags=["yours"]
labs.needs("2.2")
tokens = [index.analyzer(index.text(number)) for number in range(stats.N)]
mine = inverted(tokens)
print("terms:   ", len(mine) == stats.n_terms)
print("postings:", sum(map(len, mine.values())) == stats.n_postings)

# %% [markdown]
# Lists are as unequal as word frequencies: a few are long, and most are very short. The picture shows their lengths,
# longest first. Most of this lab is about the long ones, because they cost the time and the space.

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
# A Boolean query is answered from the lists alone. Since both lists are sorted, one pass is enough: keep a position in
# each, compare the two documents there, and advance in the list with the smaller number. AND keeps the documents in
# both lists, OR those in at least one, and `x AND NOT y` those in x but not in y. Merging lists of lengths x and y
# takes at most x + y comparisons. (NOT alone is different: it matches nearly the whole collection, so it is best
# applied last.)
#
#     cat   2  4  7  9             2 < 4: on in cat      4 = 4: found, on in both
#     dog   4  8  9                7 < 8: on in cat      9 > 8: on in dog      9 = 9: found
#
# ### Exercise 2.3: Boolean retrieval by hand
#
# The collection has 15 documents. Which of them match your query?

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
# ### Exercise 2.4: merges and their cost
#
# Write a merge of two sorted lists, and count how often it compares two documents. The operator is `"AND"`, `"OR"` or
# `"NOT"`, which means a AND NOT b. Comparing stops at the end of one list; OR then keeps the rest of the other list, and
# NOT keeps the rest of a. Return both as `(documents, comparisons)`. The example above gives `([4, 9], 5)` for AND,
# `([2, 4, 7, 8, 9], 5)` for OR and `([2, 7], 5)` for NOT.


# %%
def merge(a, b, operator):
    # solution
    found, i, j, comparisons = [], 0, 0, 0
    while i < len(a) and j < len(b):
        comparisons += 1
        if a[i] == b[j]:
            if operator in ("AND", "OR"):
                found.append(a[i])
            i, j = i + 1, j + 1
        elif a[i] < b[j]:
            if operator in ("OR", "NOT"):
                found.append(a[i])
            i += 1
        else:
            if operator == "OR":
                found.append(b[j])
            j += 1
    if operator in ("OR", "NOT"):
        found += a[i:]
    if operator == "OR":
        found += b[j:]
    return found, comparisons
    # end solution


labs.check("2.4", merge)

# %% [markdown]
# The query language of toysearch has the same operators. Does your merge find the same documents?

# %% tags=["yours"]
labs.needs("2.4")
searcher = toysearch.Searcher(index, "bm25")
cat, dog = (
    (index.postings(term).docs + 1).tolist() for term in ("cat", "dog")
)
for operator, query in (
    ("AND", "cat AND dog"),
    ("OR", "cat OR dog"),
    ("NOT", "cat NOT dog"),
):
    hits = searcher.search(query, query_mode="strict", k=len(index))
    found = sorted(index.doc_number(hit.doc_id) + 1 for hit in hits)
    documents, comparisons = merge(cat, dog, operator)
    print(
        f"{query:12} {len(found):4} documents, {comparisons} comparisons, "
        f"the same: {documents == found}"
    )

# %% [markdown]
# With three or more lists the order matters. AND can only shorten a result, so if you begin with the shortest list,
# every later step has a short list. The cell below takes the three longest lists of the collection and the list of a
# rarer term, in both orders. A merge still walks along the long lists, so it gains little. But the documents of a short
# list can be looked up in a long one by binary search, in about log₂ of its length steps each; skip pointers serve the
# same purpose. Then the order makes the difference, and starting with the long list would cost more than the merge.
# (This cell needs exercise 2.4.)

# %% tags=["yours"]
labs.needs("2.4")
import math


def cost(lists):
    """Comparisons of merging all lists, and steps of halving instead."""
    found, comparisons, steps = lists[0], 0, 0
    for other in lists[1:]:
        steps += len(found) * math.ceil(math.log2(len(other) + 1))
        found, more = merge(found, other, "AND")
        comparisons += more
    return comparisons, steps


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
    comparisons, steps = cost(ordered)
    print(
        f"{name} {comparisons:,} comparisons, or {steps:,} steps of looking up"
    )

# %% [markdown]
# ### Exercise 2.5: the order of merges
#
# Searchers list several words for the same thing: `(cat OR feline) AND (feed OR diet) AND …`. Each OR is merged first;
# then AND merges the results. Only the df are known in advance. Estimate the length of each OR from the df: the
# estimate must never be too small, but otherwise as small as possible. In which order should the groups be merged, the
# smallest estimate first?

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
# How do Boolean searches handle questions as people ask them? The cell below joins the terms of each query by AND and
# by OR.
#
# *Guess first:* for how many of the queries does AND find nothing at all?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

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
# AND demands too much; OR returns more than anyone reads, in no order. Trained searchers steer between them with
# carefully built queries. For everyone else there is a simple solution: count. The *overlap* or *coordination level* of
# a document is the number of different query terms that it contains. Sort by it, and you have a ranking: documents with
# all terms come first, if there are any, and documents with a single one come last. Cleverdon's tests at Cranfield used
# these levels in the 1960s.

# %%
overlap = toysearch.Searcher(small, "overlap")
for hit in overlap.search("cat and mouse", k=10):
    print(hit.doc_id, hit.score, texts[int(hit.doc_id) - 1])

# %% [markdown]
# ### Exercise 2.6: overlap by hand
#
# Rank the documents for your query by overlap. Every word is a term, and words must match exactly. Documents with equal
# overlap are in ascending order of their numbers; documents without a query term are left out.

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
# Does a higher level mean a better document? The loop above has also counted, over all judged queries, the documents at
# each level and the relevant ones among them.

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
        f"{relevant[level]:4} relevant, {share:5.2f}%"
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
# The higher the level, the larger the share of relevant documents: overlap works. But look at the counts too. The low
# levels contain most of the documents and many of the relevant ones, and within a level there is no order. Overlap
# treats a rare term like a frequent one, and five occurrences like one; and a long document collects terms merely by
# being long. Labs 3 and 4 fix these weaknesses one after the other. They still cannot find relevant documents without
# any query term.

# %% [markdown]
# ## 4. Gaps and codes
#
# A document number in a large collection takes 32 bits, but it need not. Since the numbers in a list ascend, it is
# enough to store the *gaps*: 7, 9, 15 becomes 7, 2, 6 (the first is counted from 0). Long lists have small gaps: a term
# in half of the documents has a mean gap of 2. And small numbers can have short codes. Here are four codes for a number
# n ≥ 1:
#
# - **variable byte**: write n in binary and cut it into groups of seven bits from the right, one byte per group. The
#   top bit is 1 in the last byte and 0 in the others. 824 = 110 0111000 becomes `00000110 10111000`.
# - **gamma** (Elias 1975): the *offset* is n in binary without its leading 1. Write its length as that many ones and a
#   zero, then the offset: 13 = 1101 becomes `1110 101`. A number takes 2⌊log₂ n⌋ + 1 bits. (Elias himself wrote the
#   length in zeros.)
# - **delta** (Elias 1975): write the length of the whole binary number in gamma code, then the offset. 13 has 4 binary
#   digits, and 4 is `110 00`, so 13 becomes `11000 101`. Delta is longer than gamma for small numbers and shorter for
#   large ones.
# - **Golomb** (1966): divide n − 1 by b; write the quotient as ones and a zero, then the remainder in about log₂ b
#   bits. **Rice** codes use b = 2^k, so the remainder has exactly k bits. 13 with k = 2: 12 = 3 · 4 + 0, so `1110 00`.
#   The parameter is fitted to the list: if gaps are random, the best b is near 0.69 times the mean gap.
#
# Other authors swap ones and zeros, or divide n instead of n − 1; the lengths are the same except in details.


# %%
def rice(number, k):
    quotient, remainder = divmod(number - 1, 2**k)
    return "1" * quotient + "0" + (f"{remainder:0{k}b}" if k else "")


def in_bytes(number):
    return " ".join(f"{byte:08b}" for byte in labs.variable_byte(number))


print(
    "number  variable byte      gamma                  delta           rice, "
    "k = 3"
)
for number in (1, 2, 5, 13, 100, 824):
    ones = rice(number, 3)
    shown = ones if len(ones) <= 20 else f"{len(ones)} bits"
    print(
        f"{number:6}  {in_bytes(number):17}  {labs.gamma(number):21}  "
        f"{labs.delta(number):14}  {shown}"
    )

# %% [markdown]
# A postings list of the collection, with its gaps and two of their codes:

# %%
term = index.term(
    sorted(range(stats.n_terms), key=lambda number: -index.df[number])[
        stats.n_terms // 10
    ]
)
postings = index.postings(term)
gaps = labs.gaps(postings.docs).tolist()
print(f"{term}: df {len(gaps)}, cf {int(postings.tf.sum())}")
print("document  tf  gap  variable byte      gamma")
rows = zip(postings.docs, postings.tf, gaps, strict=True)
for doc, tf, gap in list(rows)[:6]:
    print(f"{doc + 1:8} {tf:3} {gap:4}  {in_bytes(gap):17}  {labs.gamma(gap)}")

# %% [markdown]
# ### Exercise 2.7: codes by hand
#
# You get a postings list and one of its documents. What is stored for that document in each code? (Spaces do not
# matter.) Work on paper; Python may convert numbers to binary, as in `f"{13:b}"`.

# %%
labs.given("2.7")

# %%
# solution
g = labs.given("2.7")
gap = g.document - g.documents[g.documents.index(g.document) - 1]
answer = {
    "variable byte": in_bytes(gap),
    "gamma": labs.gamma(gap),
    "delta": labs.delta(gap),
    "rice": rice(gap, g.k),
}
# student: answer = ...  # your turn: {"variable byte": "...", "gamma": "...", "delta": "...", "rice": "..."}
# end solution
labs.check("2.7", answer)

# %% [markdown]
# What do the codes save? The cell below encodes all gaps of the index in each code and prints the bits per posting.
# Each list has its own k for Rice codes. This k must be stored too, which takes little space and is left out here; so
# are the tf.

# %%
import numpy as np

all_gaps, bits = Counter(), Counter()
for start, stop in zip(
    index.offsets[:-1].tolist(), index.offsets[1:].tolist(), strict=True
):
    distances = labs.gaps(index.docs(start, stop))
    all_gaps.update(distances.tolist())
    k = max(0, int(np.log2(0.69 * stats.N / len(distances))))
    bits["Rice"] += int(((distances - 1) >> k).sum()) + len(distances) * (
        1 + k
    )
for gap, count in all_gaps.items():
    bits["variable byte"] += count * 8 * len(labs.variable_byte(gap))
    bits["gamma"] += count * len(labs.gamma(gap))
    bits["delta"] += count * len(labs.delta(gap))
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
# Every code for gaps is much shorter than plain numbers, and the code fitted to each list is the shortest; whole bytes
# cannot go below 8 bits. Which code is best for search is another question: whole bytes are faster to read, and modern
# engines encode blocks of a hundred postings or more with the processor in mind. toysearch itself packs the gaps of 128
# postings, all in as many bits as the widest of them; its codes are for study.
#
# ## 5. Phrases and windows
#
# Our postings record the documents of a term, but not its positions. So the phrase *"old dog"* cannot be
# distinguished from a dog with an old owner. There are two ways out:
#
# - A **positional index**: each posting also lists the positions of its term, counted from 0, as in `dog: (4, [2, 17])`.
#   It needs an entry for each token instead of each posting. Matching a phrase is a merge of documents and, within each
#   document, of positions. `Index.build(…, positions=True)` builds one; without it, toysearch reads the texts of the
#   documents that contain all words of a phrase.
# - A **biword index**: pairs of adjacent words are terms. `Analyzer(ngrams=(1, 2))` makes one, at the price of a large
#   dictionary. A longer phrase as a chain of pairs can match wrongly: a document may contain "a b" and "b c" but not
#   "a b c".

# %%
words = toysearch.Index.build(collection, analyzer=plain, positions=True)
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
# Positions answer more than phrases. A **window** is looser: `"old dog"~8` in the query language of toysearch asks for
# both words in any order within 8 positions. The phrase counts once for each position where it starts, and so does the
# window: it starts at a position of one of its words, and the other word is at most 7 positions further on.

# %%
searcher = toysearch.Searcher(words, "bm25")
for query in (
    "old AND dog",
    '"old dog"~8',
    '"old dog"',
):
    hits = searcher.search(query, query_mode="strict", k=len(words))
    print(f"{query:15} {len(hits):3} documents")

# %% [markdown]
# ### Exercise 2.8: positions by hand
#
# You get the positions of two words in one document. At which positions does your `phrase` start? And at which positions
# does a window of `width` positions start that contains both words, in any order?

# %%
labs.given("2.8")

# %%
# solution
g = labs.given("2.8")
first, second = g.positions.values()
either = sorted(first + second)
answer = {
    "phrase": [place for place in first if place + 1 in second],
    "window": [
        place
        for place in either
        if any(place + step in first for step in range(g.width))
        and any(place + step in second for step in range(g.width))
    ],
}
# student: answer = ...  # your turn: {"phrase": [2, 5], "window": [2, 3, 5]}, with your positions
# end solution
labs.check("2.8", answer)

# %% [markdown]
# ### Exercise 2.9: phrases from positions
#
# Write a function that finds the documents with a phrase: its words next to each other, in order. Documents are lists
# of tokens, numbered from 1; the phrase is a list of one or more words. First build a positional index, term → document
# → positions; then answer from it.


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


labs.check("2.9", with_phrase)

# %% [markdown]
# ## 6. Wildcards
#
# `train*` needs all terms with that beginning: a second index, over the *dictionary*. A sorted dictionary is enough for
# `train*`; toysearch looks up the beginning and reads on. For a star elsewhere there are two indexes:
#
# - A **permuterm index** stores every rotation of each term (`cat$`, `at$c`, `t$ca`, `$cat`, where `$` marks the end)
#   and rotates `c*t` into the prefix `t$c*`.
# - A **k-gram index** lists the terms that contain each sequence of k letters, merges these lists by AND, and checks
#   the candidates, since not every one matches.
#
# A 3-gram index over the words of the collection takes a few lines. The query `red*` has the 3-grams `$re` and `red`; a
# word can contain both without beginning with *red*.

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
# ### Exercise 2.10: a wildcard by hand
#
# You get a wildcard and a few words, the whole dictionary. Give the `rotation` that a permuterm index looks up, the
# `2-grams` of the wildcard with the marks `$` at both ends, the `candidates`, which are the words with all of these
# 2-grams, and the `terms` that fit the wildcard.

# %%
labs.given("2.10")

# %%
# solution
g = labs.given("2.10")
begin, end = g.pattern.split("*")
asked = [
    piece[at : at + 2]
    for piece in (f"${begin}", f"{end}$")
    for at in range(len(piece) - 1)
]
answer = {
    "rotation": [f"{end}${begin}*"],
    "2-grams": asked,
    "candidates": [
        word for word in g.words if all(gram in f"${word}$" for gram in asked)
    ],
    "terms": fnmatch.filter(g.words, g.pattern),
}
# student: answer = ...  # your turn: {"rotation": ["t$c*"], "2-grams": [...], "candidates": [...], "terms": [...]}
# end solution
labs.check("2.10", answer)

# %% [markdown]
# `toysearch query 'cat AND dog' companions --textbook` in a terminal works out the merge of any two lists.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Why does it pay to merge the shortest postings lists first? Explain it with an example of three words. Three to five
# sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - A document lists its terms; an inverted index lists the documents of each term. The length of a list is the df of
#   its term; few lists are long.
# - Sorted lists make AND, OR and AND NOT a single pass; begin with the shortest list.
# - Boolean results are too strict or too large. Counting shared terms gives a ranking, but ignores rarity, repetition
#   and length.
# - Ascending numbers become gaps, and small numbers get short codes. The shortest code is not always the fastest.
# - An index answers only what it stores: phrases and windows need positions, and wildcards an index of the dictionary.
#
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, chapters 1 to 5 · Witten, Moffat
# & Bell, *Managing Gigabytes*, 2nd edition, Morgan Kaufmann 1999 · Zobel & Moffat, "Inverted files for text search
# engines", ACM Computing Surveys 38(2), 2006 · Elias, "Universal codeword sets and representations of the integers",
# IEEE Transactions on Information Theory 21(2), 1975 · Golomb, "Run-length encodings", IEEE Transactions on Information
# Theory 12(3), 1966 · Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19(6), 1967 · in
# this project: docs/understand/inside-an-index.md
