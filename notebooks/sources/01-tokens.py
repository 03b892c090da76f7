# %% [markdown]
# # Lab 1: Tokens and terms
#
# A search engine does not see texts. It sees *terms*, and the terms are determined before anything is ranked. No
# ranking formula can repair an error made here.
#
# Afterwards you can
#
# - list the tokens of a text, and write a tokenizer yourself;
# - describe a vocabulary by two laws, Heaps' and Zipf's, and say what they mean for an index;
# - say what a stop list and a stemmer change, what they cost, and when they harm;
# - compute the edit distance of two words, and correct misspelt words by it.
#
# The whole way from texts to an evaluated ranking is one short file of plain Python: `toysearch docs tiny` walks through it.
#
# You need Python: lists, dicts, functions, a little of `collections.Counter`. The next cell contains your name; replace
# *anyone* by it. The name decides your numbers, which differ from those of your neighbour.

# %%
from toysearch import labs

labs.start(1, student="anyone")

# %% [markdown]
# The exercises check themselves. If a cell says `...  # your turn`, enter your answer and run the cell. A check says
# what is wrong but not what is right; `labs.hint("1.1")` gives a hint, and a better one each time you ask again.
#
# ## 1. From text to tokens
#
# A *token* is an occurrence of a word in a text. A *term* is what the index keeps for it: "The cat sat on the mat" has six
# tokens and, in lower case, five terms. The default analysis of toysearch does two things: everything becomes lower case, and
# every longest run of two or more *word characters* (letters and digits of any script, and the underscore) is a token.

# %%
import toysearch

plain = toysearch.Analyzer()
print(plain("The cat's toy-mouse: 2 years old, a b-side from Besançon."))

# %% [markdown]
# Look closely. `cat's` has lost its *s*, which is only one character long; `b-side` has lost its *b*, and the digit 2
# is gone. This is neither right nor wrong in itself. A search for *vitamin B* will suffer from it; a search for *cat*
# will even find *cat's*. What matters is that documents and queries are analysed in the *same* way: a term that only
# queries can contain finds nothing.

# %% [markdown]
# ### Exercise 1.1: tokens by hand
#
# Write down the tokens of your sentence by hand, in order, as the default analysis makes them. You can let Python do it
# a moment later.

# %%
labs.given("1.1")

# %%
# solution
answer = plain(labs.given("1.1").text)
# student: answer = ...  # your turn: a list of texts, such as ["the", "cat"]
# end solution
labs.check("1.1", answer)

# %% [markdown]
# ### Exercise 1.2: a tokenizer of your own
#
# Write a function that returns the tokens of any text by the same rule. It will be tested on texts that you do not see.

# %%
import re


def tokens(text):
    # solution
    return re.findall(r"\w\w+", text.lower())
    # end solution


labs.check("1.2", tokens)

# %% [markdown]
# ## 2. How a vocabulary grows
#
# Now a whole collection. Read it document by document and keep two counts: T, the tokens so far, and M, the distinct
# terms among them. Nearly all terms of the first document are new. Later documents add fewer and fewer, but they never
# stop: names, numbers, misspellings, technical terms. *Heaps' law* says
#
# $$M = k \cdot T^b$$
#
# with b near 0.5 and k between 30 and 100 for large English collections (Manning et al., 5.1.1): four times the text
# has about twice the vocabulary. A small collection with many subjects has a larger b.

# %%
collection = labs.collection()
texts = [document.text for document in collection.documents]

T, seen, growth = 0, set(), []
for text in texts:
    terms = plain(text)
    T += len(terms)
    seen.update(terms)
    growth.append((T, len(seen)))
print(
    f"{collection.name}: {len(texts)} documents, {T:,} tokens, {len(seen):,} "
    "distinct terms"
)

# %% [markdown]
# The library counts the same, and fits the law to the counts: a straight line of log M against log T.

# %%
index = toysearch.Index.build(collection, analyzer=plain)
law = labs.heaps(index)
assert (law.tokens[-1], law.terms[-1]) == growth[-1]
print(
    f"M = {law.k:.1f} · T^{law.b:.2f}, which explains {law.r_squared:.1%} of "
    "the variance of log M"
)

# %%
import altair as alt

every = max(1, len(growth) // 60)
rows = [
    {"tokens": T, "terms": M, "what": "counted"} for T, M in growth[::every]
]
rows += [
    {"tokens": T, "terms": law.k * T**law.b, "what": "Heaps' law"}
    for T, _ in growth[::every]
]
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2)
    .encode(
        x=alt.X("tokens:Q", title="tokens read"),
        y=alt.Y("terms:Q", title="distinct terms"),
        color=alt.Color(
            "what:N", title=None, scale=alt.Scale(range=["#D55E00", "#0072B2"])
        ),
        strokeDash=alt.StrokeDash(
            "what:N", title=None, scale=alt.Scale(range=[[6, 3], [1, 0]])
        ),
    )
    .properties(width=460, height=260)
)
labs.picture(
    lines,
    "Distinct terms over tokens read, counted and by Heaps' law: both rise "
    "ever more slowly, without an end.",
)

# %% [markdown]
# The law is a description, not a law of nature: it ignores the order of the documents, and the curve bends where the
# topic changes. But it answers a question of everyone who plans an index: *what happens if the text grows?*
#
# ### Exercise 1.3: terms that occur once
#
# Where do the new terms come from? Many occur only once in the whole text; linguists call such a term a *hapax
# legomenon*. Your documents are those at the positions `first` to `last` in the list `texts`, inclusive, counted from
# 0. What share of their distinct terms occurs exactly once in them? (A number between 0 and 1, to 4 decimals.)

# %%
labs.given("1.3")

# %%
from collections import Counter

# solution
given = labs.given("1.3")
counts = Counter(
    term
    for text in texts[given.first : given.last + 1]
    for term in plain(text)
)
answer = sum(count == 1 for count in counts.values()) / len(counts)
# student: answer = ...  # your turn: a number
# end solution
labs.check("1.3", answer)

# %% [markdown]
# Each of these terms needs its own entry in the dictionary of the index, for a single posting. They are a large part of
# the dictionary, and almost nothing of the postings.
#
# ### The other end: Zipf's law
#
# Sort the terms by their *collection frequency* cf, the number of their occurrences in all documents together. The most
# frequent term has rank 1. *Zipf's law* says
#
# $$cf = c \cdot rank^s \quad \text{with } s \text{ near } -1:$$
#
# the second term occurs half as often as the first, the tenth a tenth as often. Take logarithms, $\log cf = \log c + s
# \cdot \log rank$: on logarithmic axes this is a straight line with the slope s.

# %%
for rank, each in enumerate(index.frequent_terms(8), 1):
    print(
        f"{rank}  {each.term:6} {each.cf:7,}  rank · cf = {rank * each.cf:7,}"
    )

# %%
zipfian = labs.zipf(index)
ranks = sorted(
    {round(1.12**n) for n in range(200) if 1.12**n <= len(zipfian.cf)}
)
rows = [{"rank": rank, "cf": int(zipfian.cf[rank - 1])} for rank in ranks]
points = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_point(filled=True, size=28)
    .encode(
        x=alt.X(
            "rank:Q", scale=alt.Scale(type="log"), title="rank of the term"
        ),
        y=alt.Y(
            "cf:Q", scale=alt.Scale(type="log"), title="how often it occurs"
        ),
    )
)
ideal = [
    {"rank": rank, "cf": int(zipfian.cf[0]) / rank}
    for rank in (1, int(zipfian.cf[0]))
]
line = (
    alt.Chart(alt.InlineData(values=ideal))
    .mark_line(color="#D55E00", strokeDash=[6, 3], clip=True)
    .encode(x="rank:Q", y="cf:Q")
)
labs.picture(
    alt.layer(points, line).properties(width=460, height=300),
    "Frequency over rank, both logarithmic: the points lie near a line of "
    "slope -1, not on it, and end in steps.",
)

# %% [markdown]
# The dashed line has slope −1 and begins at the first rank. Real texts stay near such a line without lying on it; the
# steps on the right are the terms that occur three times, twice, once. The fitted slope depends on the ranks that are
# fitted:

# %%
for first, last in ((1, 50), (10, 500), (1, len(zipfian.cf))):
    print(
        f"ranks {first} to {last}: slope "
        f"{labs.zipf(index, ranks=(first, last)).slope:.2f}"
    )

# %% [markdown]
# ### Exercise 1.4: Zipf's exponent from two ranks
#
# In some collection the term of rank `rank_1` occurs `cf_1` times, and the term of rank `rank_2` occurs `cf_2` times.
# What is the slope s of the line through the two points, on logarithmic axes? (To 3 decimals; mind the sign.)

# %%
labs.given("1.4")

# %%
# solution
from math import log

given = labs.given("1.4")
answer = log(given.cf_2 / given.cf_1) / log(given.rank_2 / given.rank_1)
# student: answer = ...  # your turn: a number
# end solution
labs.check("1.4", answer)

# %% [markdown]
# ### Exercise 1.5: a larger vocabulary
#
# For another collection, Heaps' law was fitted: M = k · T^b, with your `k` and `b`. By what factor must the text grow
# until the vocabulary is `times` as large as now? (To 2 decimals.)

# %%
labs.given("1.5")

# %%
# solution
given = labs.given("1.5")
answer = given.times ** (1 / given.b)
# student: answer = ...  # your turn: a number
# end solution
labs.check("1.5", answer)

# %% [markdown]
# ## 3. Stop words
#
# By Zipf's law a handful of terms makes up a large part of every text: *the, of, and*. A *stop list* removes them. That
# saves space and time, and a word in nearly every document hardly distinguishes documents. The next picture shows the
# share of tokens that a list of the n most frequent terms removes.
#
# *Guess first:* what share of all tokens are the ten most frequent terms, and what share the two hundred most frequent?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
total = int(zipfian.cf.sum())
rows = [
    {"n": n, "share": int(zipfian.cf[:n].sum()) / total}
    for n in range(0, 201, 4)
]
curve = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2)
    .encode(
        x=alt.X("n:Q", title="terms in the stop list"),
        y=alt.Y(
            "share:Q",
            title="share of all tokens",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
    )
    .properties(width=460, height=220)
)
labs.picture(
    curve,
    "The share of tokens that a stop list of n terms takes away: steep for "
    "the first twenty, then ever flatter.",
)

# %% [markdown]
# ### Exercise 1.6: savings of a stop list
#
# Take your documents again (`first` to `last` in `texts`, inclusive), and use their `n` most frequent terms as stop
# words. What share of their tokens is removed? (A number between 0 and 1, to 4 decimals.)

# %%
labs.given("1.6")

# %%
# solution
given = labs.given("1.6")
counts = Counter(
    term
    for text in texts[given.first : given.last + 1]
    for term in plain(text)
)
answer = (
    sum(count for _, count in counts.most_common(given.n)) / counts.total()
)
# student: answer = ...  # your turn: a number
# end solution
labs.check("1.6", answer)

# %% [markdown]
# Published stop lists are made by hand and are longer; their content differs widely, and some contain words that people
# search for. Here are three queries, and what the English list of toysearch leaves of them:

# %%
english = toysearch.Analyzer.for_language("english")
for query in (
    "to be or not to be",
    "the who",
    "how to keep a cat from the system",
):
    print(f"{query!r:38} {english(query)}")

# %% [markdown]
# Nothing is left of the first two queries. Many systems today keep every word: a ranking that weights rare terms higher
# (lab 3) gives *the* almost no weight anyway, and compressed postings of frequent terms are cheap (lab 2).
#
# ## 4. Stemming
#
# *Train, trains, training*: if you search for one of them, you mostly want the others too. A *stemmer* removes endings
# by rules until such forms are equal. It uses no dictionary; the result (the *stem*) need not be a word.

# %%
stemmed = toysearch.Analyzer(stem="english")
for text in (
    "train trains trained training trainer",
    "pony ponies",
    "happy happily happiness",
    "mouse mice",
):
    print(f"{text:38} {stemmed(text)}")

# %% [markdown]
# The whole English analysis, step by step:

# %%
for step in english.steps("The trainers' ponies aren't trained!"):
    print(f"{step.name:11} {step.tokens}")

# %% [markdown]
# Rules err in two directions. If they remove *too much*, words with different meanings get one stem; if they remove
# *too little*, words with one meaning get two stems. This stemmer is the Snowball stemmer for English, also called
# Porter2.
#
# ### Exercise 1.7: errors of stemming
#
# Judge the stemmer on each of your pairs: `"fine"`, `"too much"` (one stem, different meanings) or `"too little"` (two
# stems, one meaning). The answer is a list with one judgment per pair, in order. Guess first, then try.

# %%
labs.given("1.7")

# %%
# solution
answer = []
unrelated = [
    "animal",
    "ration",
    "import",
    "author",
    "inform",
    "negligent",
]  # to their partners: known by reading
for one, other in labs.given("1.7").pairs:
    same_stem, same_meaning = (
        stemmed(one) == stemmed(other),
        one not in unrelated,
    )
    answer.append(
        "fine"
        if same_stem == same_meaning
        else "too much"
        if same_stem
        else "too little"
    )
# student: answer = ...  # your turn: a list such as ["fine", "too much"]
# end solution
labs.check("1.7", answer)

# %% [markdown]
# ### Exercise 1.8: documents found by stemming
#
# Take two indexes of the collection, one without stemming and one with. How many documents does a search for your
# `word` find in the second that it does *not* find in the first? (A search for a stem finds every document with a form
# of the word.)

# %%
stemmed_index = toysearch.Index.build(collection, analyzer=stemmed)
print(
    f"{len(index.terms):,} terms without stemming, "
    f"{len(stemmed_index.terms):,} with"
)

# %%
labs.given("1.8")

# %%
# solution
word = labs.given("1.8").word
with_stemming = set(stemmed_index.postings(stemmed(word)[0]).docs.tolist())
answer = len(with_stemming - set(index.postings(word).docs.tolist()))
# student: answer = ...  # your turn: a whole number
# end solution
labs.check("1.8", answer)

# %% [markdown]
# More documents are found. Whether they are *better* is another question, which no count of terms can answer. It needs
# people who judge which documents answer which query: labs 5 to 8.
#
# ## 5. Spelling
#
# A misspelt word finds nothing, or the wrong documents. Stems do not help: *tikc* and *tick* remain two terms. What helps
# is a measure of how near two words are. The *edit distance* is the smallest number of edits that turn one word into the
# other. An edit inserts, deletes or replaces a letter, or exchanges two neighbours (Damerau 1964).
#
# It is computed in a matrix. Row i, column j is the distance of the first i letters of one word from the first j of the
# other, and depends on its neighbours only: it is the least of
#
# - the cell above plus 1 (a letter is deleted), and the cell to the left plus 1 (a letter is inserted);
# - the cell above on the left, plus 1 if the two letters differ (a letter is replaced), plus 0 if they are equal;
# - where the last two letters of one beginning are those of the other in reverse: the cell two rows above and two columns
#   to the left, plus 1 (they are exchanged).

# %%
print(labs.edit_matrix("tikc", "stick"))

# %% [markdown]
# ### Exercise 1.9: edit distance by hand
#
# Write down the matrix of your two words, with a row for each beginning of the word that was `typed` and a column for each
# beginning of the one that was `meant`. Include the row and the column of the empty beginning.

# %%
labs.given("1.9")

# %%
# solution
given = labs.given("1.9")
answer = labs.edit_matrix(given.typed, given.meant).rows
# student: answer = ...  # your turn: a list of rows, such as [[0, 1, 2], [1, 0, 1]]
# end solution
labs.check("1.9", answer)

# %% [markdown]
# ### Exercise 1.10: a spelling corrector
#
# A corrector needs no dictionary: the terms of the documents are one. Write a function `correct(word)` that returns the
# term which a misspelt word most probably stands for, or the word itself if no term is near. Some errors are shown below;
# your function is scored on 200 others, by the share that it corrects. One in four has two errors. The cell shows what is
# at hand: the terms within some edits, and how often each occurs.

# %%
near = toysearch.terms_within(index, "tikc", 2)
for number, edits in zip(*map(list, near), strict=True):
    if index.cf[number] > 5:
        print(index.term(number), edits, index.cf[number])

# %%
labs.given("1.10")


# %%
def correct(word):
    # solution
    near = toysearch.terms_within(index, word, 2)
    found = [
        (edits, -index.cf[number], index.term(number))
        for number, edits in zip(
            near.numbers.tolist(), near.edits.tolist(), strict=True
        )
    ]
    return min(found)[2] if found else word
    # end solution


labs.check("1.10", correct)

# %% [markdown]
# `toysearch search` corrects in the same way. It also knows that a letter is dropped more often than replaced by a certain
# other one, and that a rare word of the documents may be misspelt too.

# %%
for query in ("tikc removal", "card trikc"):
    print(query, "→", toysearch.suggest(index, query).text)

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A stemmer is said to help searchers, and to harm them. Explain how it can do both, with a pair of words for each.
# Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Documents and queries need the same analysis, or nothing is found.
# - Vocabularies grow without end (Heaps). Most of their terms are rare, but most of a text consists of a few frequent
#   ones (Zipf).
# - Stop lists remove a large part of the text and can empty a query. Stemming finds more, some of it wrong.
# - The edit distance is computed cell by cell; with the frequencies of the terms it corrects most misspelt words.
# - The effect of every such choice can be measured, and should be.
#
# More to try: `toysearch analyze --help` and `toysearch show --help` in a terminal; another language
# (`toysearch.Analyzer.for_language("german")`); Heaps' law with the documents in another order.
#
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge University Press 2008, chapters 2, 3 and 5 ·
# Zipf, *Human Behavior and the Principle of Least Effort*, Addison-Wesley 1949 · Heaps, *Information Retrieval: Computational
# and Theoretical Aspects*, Academic Press 1978, section 7.5 · Porter, "An algorithm for suffix stripping", Program 14(3),
# 1980 · Fox, "A stop list for general text", SIGIR Forum 24, 1989/90 · Nothman, Qin & Yurchak, "Stop word lists in free
# open-source software packages", NLP-OSS workshop at ACL 2018 · Damerau, "A technique for computer detection and
# correction of spelling errors", CACM 7(3), 1964 · Kernighan, Church & Gale, "A spelling correction program based on a
# noisy channel model", COLING 1990
