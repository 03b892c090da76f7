# %% [markdown]
# # Lab 1: Tokens and terms
#
# A search engine does not see texts. It sees *terms*, and what becomes a term is decided before anything is ranked. Whatever
# goes wrong here, no ranking formula can mend.
#
# Afterwards you can
#
# - say which tokens a text gives, and write a tokenizer yourself;
# - describe a vocabulary by two laws, Heaps' and Zipf's, and say what they mean for an index;
# - say what a stop list and a stemmer change, what they cost, and when they harm.
#
# You need Python: lists, dicts, functions, a little of `collections.Counter`. The next cell has your name;
# where it says *anyone*, put it there. It decides your numbers, which differ from your neighbour's.

# %%
from toysearch import labs

labs.start(1, student="anyone")

# %% [markdown]
# The exercises check themselves. Where a cell says `...  # your turn`, put your answer and run the cell. A check says what is
# wrong but not what is right; `labs.hint("1.1")` gives a hint, and a better one when you ask again.
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
# Look closely. `cat's` has lost its *s*, which is one character long; `b-side` has lost its *b*, and the digit 2 is gone.
# That is not right or wrong in itself. A search for *vitamin B* will suffer from it; a search for *cat* will even find *cat's*. What must
# hold is that documents and queries are cut in the *same* way: a term that only a query can have finds nothing.

# %% [markdown]
# ### Exercise 1.1: tokens by hand
#
# Write down the tokens of your sentence, in order, as the default analysis makes them. By hand: you can let the machine do it
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
# Write a function that gives the tokens of any text by the same rule. It will be tried on texts that you do not see.

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
# Now a whole collection. Read it document by document and keep two counts: T, the tokens so far, and M, the distinct terms
# among them. The first document brings almost nothing but new terms. Later ones bring fewer and fewer, and yet there is no
# end to it: names, numbers, misspellings, words of art. *Heaps' law* says
#
# $$M = k \cdot T^b$$
#
# with b near 0.5 and k between 30 and 100 for large English collections (Manning et al., 5.1.1): four times the text has about
# twice the vocabulary. A small collection of many subjects has a larger b.

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
# The library counts the same, and fits the law to it: a straight line through log M over log T.

# %%
from toysearch.laboratory.explain.laws import heaps

index = toysearch.Index.build(collection, analyzer=plain)
law = heaps(index)
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
# The law is a description, not a law of nature: it says nothing about the order of documents, and where the topic changes the
# curve has a bend. But it answers a question that everyone who plans an index has: *what happens when the text grows?*
#
# ### Exercise 1.3: terms that occur once
#
# Where do the new terms come from? Many occur a single time in the whole text; linguists call one a *hapax legomenon*. Your
# documents are those at the places `first` to `last` in the list `texts`, both included, counted from 0. Which share of their
# distinct terms occurs exactly once in them? (A number between 0 and 1, to 4 decimals.)

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
# Each of these terms needs an entry of its own in the dictionary of the index, for a single posting. They are a large part of
# what an index has to know, and almost nothing of what it has to store.
#
# ### The other end: Zipf's law
#
# Sort the terms by their frequency *cf* (collection frequency: how often a term occurs in all documents together). The most
# frequent has rank 1. *Zipf's law* says
#
# $$cf = c \cdot rank^s \quad \text{with } s \text{ near } -1:$$
#
# the second term occurs half as often as the first, the tenth a tenth as often. Taking logarithms, $\log cf = \log c + s \cdot \log rank$:
# on logarithmic axes it is a straight line with the slope s.

# %%
for rank, each in enumerate(index.frequent_terms(8), 1):
    print(
        f"{rank}  {each.term:6} {each.cf:7,}  rank · cf = {rank * each.cf:7,}"
    )

# %%
from toysearch.laboratory.explain.laws import zipf

zipfian = zipf(index)
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
# The dashed line has slope −1 and begins at the first rank. Real texts keep near such a line without lying on it; the steps on
# the right are the terms that occur three times, twice, once. Which slope comes out of a fit depends on which ranks are fitted:

# %%
for first, last in ((1, 50), (10, 500), (1, len(zipfian.cf))):
    print(
        f"ranks {first} to {last}: slope "
        f"{zipf(index, ranks=(first, last)).slope:.2f}"
    )

# %% [markdown]
# ### Exercise 1.4: Zipf's exponent from two ranks
#
# In some collection the term of rank `rank_1` occurs `cf_1` times and that of rank `rank_2` occurs `cf_2` times. Which slope s has
# the line through the two points, on logarithmic axes? (To 3 decimals; mind the sign.)

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
# For another collection Heaps' law was fitted: M = k · T^b, with your `k` and `b`. By which factor must the text grow until the
# vocabulary is `times` as large as now? (To 2 decimals.)

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
# By Zipf's law a handful of terms makes a large part of every text: *the, of, and*. A *stop list* leaves them out. That saves
# room and time, and a word that is in nearly every document tells documents apart hardly at all. The next picture shows how much
# a list of the n most frequent terms takes away.
#
# *Guess first:* which share of all tokens are the ten most frequent terms, and which the two hundred most frequent?

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
# Take your documents again (`first` to `last` in `texts`, both included), and as stop words the `n` terms that are most frequent
# in them. Which share of their tokens goes? (A number between 0 and 1, to 4 decimals.)

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
# Published stop lists are made by hand and are longer; what they hold differs widely, and some hold words that somebody may look
# for. Three queries, and what the English list of toysearch leaves of them:

# %%
english = toysearch.Analyzer.for_language("english")
for query in (
    "to be or not to be",
    "the who",
    "how to keep a cat from the system",
):
    print(f"{query!r:38} {english(query)}")

# %% [markdown]
# Nothing is left of the first two queries. Many systems today keep every word: a ranking that weighs rare terms higher (lab 3) gives *the*
# next to no weight anyway, and compressed postings of frequent terms are cheap (lab 2).
#
# ## 4. Stemming
#
# *Train, trains, training*: whoever asks for one of them mostly wants the others, too. A *stemmer* cuts endings off by rules until
# such forms agree. It knows no dictionary; what is left (the *stem*) need not be a word.

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
# Rules err in two directions. Cutting *too much* gives one stem to words of different meaning; cutting *too little* leaves two
# stems where there is one meaning. This stemmer is Snowball's for English, also called Porter2.
#
# ### Exercise 1.7: errors of stemming
#
# For each of your pairs say how the stemmer does: `"fine"`, `"too much"` (one stem, different meanings) or `"too little"` (two
# stems, one meaning). The answer is a list with a judgment for each pair, in their order. Guess first, then try.

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
# Two indexes of the collection: one without stemming, one with. How many documents does a search for your `word` find in the
# second that it does *not* find in the first? (A search for a stem finds every document that holds a form of it.)

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
# More documents are found; whether they are *better* is another question, and one that no count of terms can answer. It needs
# people who say which documents answer which query: labs 5 to 8.

# %%
labs.progress()

# %% [markdown]
# ## What to take home
#
# - Tokens, terms, queries: one analysis for all of them, or nothing is found.
# - Vocabularies grow without end (Heaps), and most of their terms are rare while most of a text is made of few (Zipf).
# - Stop lists take away a large part of the text and can empty a query. Stemming finds more, some of it wrong.
# - Every such choice can be measured, and should be.
#
# More to try: `toysearch analyze --help` and `toysearch show --help` in a terminal; another language
# (`toysearch.Analyzer.for_language("german")`); Heaps' law with the documents in another order.
#
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge University Press 2008, chapters 2 and 5 ·
# Zipf, *Human Behavior and the Principle of Least Effort*, Addison-Wesley 1949 · Heaps, *Information Retrieval: Computational
# and Theoretical Aspects*, Academic Press 1978, section 7.5 · Porter, "An algorithm for suffix stripping", Program 14(3),
# 1980 · Fox, "A stop list for general text", SIGIR Forum 24, 1989/90 · Nothman, Qin & Yurchak, "Stop word lists in free
# open-source software packages", NLP-OSS workshop at ACL 2018
