# %% [markdown]
# # Lab 4: BM25
#
# BM25 is the default ranking of Lucene, and the model that a new idea has to beat first. After this lab you can write
# it from scratch, explain each of its parts and its two parameters, decompose a score, and identify which of the many
# formulas called BM25 a program uses. At the end, query likelihood derives a similar sum from another idea.
#
# You need tf, df and idf (lab 3), Python functions, and a little numpy.

# %%
from toysearch import labs

labs.start(4, student="anyone")

# %% [markdown]
# ## 1. How rare is a word?
#
# The score of a document is a sum over the words that it shares with the query. Each word contributes an *idf* part
# (how rare is it?) times a *tf part* (how much is the document about it?). N is the number of documents in the
# collection, df the number of those that contain the word.
#
# | form | idf | |
# | --- | --- | --- |
# | Robertson and others | $\ln\frac{N - df + 0.5}{df + 0.5}$ | the original; follows from a model of relevance |
# | ATIRE | $\ln\frac{N}{df}$ | the plain idf of lab 3 |
# | Lucene | $\ln\left(1 + \frac{N - df + 0.5}{df + 0.5}\right)$ | `bm25` in toysearch |
#
# Logarithms are natural in this lab; another base multiplies all scores by one number and changes no ranking.

# %%
import toysearch

FORMS = {
    "bm25": "Lucene",
    "bm25-robertson": "Robertson",
    "bm25-atire": "ATIRE",
}

# At average length and with k1 = 0 the tf part is 1: the weight is the idf.
print("df     " + "".join(f"{form:>12}" for form in FORMS.values()))
curves = [
    toysearch.weight_curve(toysearch.model(f"{name}:k1=0"), "df", {"N": 1000})
    for name in FORMS
]
for df, *idfs in zip(
    curves[0].values, *(curve.weights for curve in curves), strict=True
):
    print(f"{df:<7g}" + "".join(f"{idf:12.3f}" for idf in idfs))

# %%
import math

import altair as alt
import numpy as np


def drawn(rows, x, y, series, logarithmic=False):
    """Lines, one for each value of `series`."""
    names = list(dict.fromkeys(row[series] for row in rows))
    colours = alt.Scale(domain=names, range=list(labs.COLOURS[: len(names)]))
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line(
        point=len(rows) < 100
    )
    return chart.encode(
        x=alt.X(
            f"{x}:Q",
            scale=alt.Scale(
                type="log" if logarithmic else "linear", nice=False
            ),
        ),
        y=f"{y}:Q",
        color=alt.Color(f"{series}:N", scale=colours),
    ).properties(width=500, height=260)


df = np.arange(25.0, 1000, 25)
rows = [
    {"df": float(x), "idf": float(idf), "form": form}
    for name, form in FORMS.items()
    for x, idf in zip(
        df,
        toysearch.model(f"{name}:k1=0").weight(
            tf=1, dl=1, df=df, N=1000, avgdl=1
        ),
        strict=True,
    )
]
labs.picture(
    drawn(rows, "df", "idf", "form"),
    "Falling curves of idf over df for 1,000 documents. Lucene's and ATIRE's "
    "lie on each other and stay above 0; "
    "Robertson's is like them for rare words and goes below 0 for words in "
    "more than half of the documents.",
)

# %% [markdown]
# The line of ATIRE hides that of Lucene: the fraction of the latter simplifies to (N + 1)/(df + 0.5), which is nearly
# N/df. Robertson's form agrees with them for rare words and departs from them for common ones. Its odds (N − df +
# 0.5)/(df + 0.5) are below 1 as soon as df > N/2, and then the idf is *negative*: a document with the word gets less
# than one without it. In the underlying model this is right: if nothing is known, a word is assumed to be in half of
# the relevant documents (Croft & Harper 1979), and if more than half of all documents contain it, it is evidence
# against relevance. In a small collection it is surprising, because many words are in half of the documents. The 1 + of
# Lucene keeps all idfs above 0. Which words of our collection are affected?

# %%
import warnings

warnings.simplefilter(
    "ignore", toysearch.ToysearchNote
)  # it is told at every search where no word of a query is known

collection = labs.collection()
index = toysearch.Index.build(collection)
queries, N = collection.judged_queries, index.stats.N
common = {
    index.terms[number]: int(index.df[number])
    for number in range(len(index.terms))
    if index.df[number] > N / 2
}
unknown = [
    query
    for query in queries
    if all(index.term_number(term) < 0 for term in index.analyzer(query.text))
]
print(
    f"{collection.name}: {N:,} documents, {len(index.terms):,} terms; in "
    "more than half of the documents:",
    common,
)
print(
    f"{len(queries)} queries, of which {len(unknown)} have no word that the "
    "documents have"
)

# %% [markdown]
# ### Exercise 4.1: two idfs of a common word
#
# A word is in df of N documents. Compute its idf in the forms of Robertson and of Lucene.

# %%
labs.given("4.1")

# %%
# solution
g = labs.given("4.1")
odds = (g.N - g.df + 0.5) / (g.df + 0.5)
answer = {"robertson": math.log(odds), "lucene": math.log(1 + odds)}
# student: answer = ...  # your turn: {"robertson": a number, "lucene": a number}, to 3 decimals
# end solution
labs.check("4.1", answer)

# %% [markdown]
# ## 2. Saturation
#
# Is a document that contains a word ten times ten times as good as one that contains it once? TF-IDF with raw counts
# says so. BM25 says that each further occurrence adds less than the one before. In a document of average length its tf
# part is
#
# $$\frac{tf}{tf + k_1}$$
#
# which is 1/2 at tf = k1, grows ever more slowly, and never reaches 1. The parameter k1 ≥ 0 sets the speed: with k1 = 0
# only the presence of a word counts, not its frequency; with a large k1 the tf part is nearly proportional to tf. Many
# texts, and some programs, write tf · (k1 + 1) / (tf + k1). The factor k1 + 1 is the same for all words and documents:
# it changes the scores, but not the ranking.

# %%
rows = []
for k1 in (0.3, 1.2, 3, 10):
    curve = toysearch.weight_curve(
        toysearch.model(f"bm25:k1={k1}"), "tf", {"N": 1000, "df": 10}
    )
    idf = math.log(1 + (1000 - 10 + 0.5) / (10 + 0.5))
    rows += [
        {"tf": int(tf), "tf part": float(weight / idf), "k1": str(k1)}
        for tf, weight in zip(curve.values, curve.weights, strict=True)
    ]
labs.picture(
    drawn(rows, "tf", "tf part", "k1"),
    "The tf part over tf from 1 to 20 for k1 of 0.3, 1.2, 3 and 10: all rise "
    "and flatten, the sooner the smaller k1.",
)

# %% [markdown]
# In a terminal, `toysearch models bm25 bm25:k1=3 --curve tf` draws such curves for any model, and for tf, dl and df.
#
# ### Exercise 4.2: nearly saturated
#
# In a document of average length, how often must a word occur, at least, for its tf part to reach the given share of
# its maximum? (Use the form without the factor k1 + 1.)

# %%
labs.given("4.2")

# %%
# solution
g = labs.given("4.2")
answer = next(tf for tf in range(1, 1000) if tf / (tf + g.k1) >= g.share)
# student: answer = ...  # your turn: a whole number
# end solution
labs.check("4.2", answer)

# %% [markdown]
# ## 3. Length
#
# A long document has more words of every kind. Perhaps it says more (then its counts are earned); perhaps it only uses
# more words to say the same (then they are not). BM25 lets you choose between the two. Let dl be the number of tokens
# of the document, and avgdl its mean over the collection:
#
# $$L = 1 - b + b \cdot \frac{dl}{avgdl} \qquad \text{tf part} = \frac{tf}{tf + k_1 \cdot L}$$
#
# With b = 0 length does not count. With b = 1 a document of twice the average length needs twice the count for the same
# tf part. Usual values are b = 0.75 and k1 from 1.2 to 2; Robertson and Zaragoza (2009) call 0.5 < b < 0.8 and 1.2 < k1
# < 2 reasonable in many circumstances, and say that the best values depend on the collection.

# %%
rows = []
for b in (0, 0.25, 0.75, 1):
    curve = toysearch.weight_curve(
        toysearch.model(f"bm25:b={b}"),
        "dl",
        {"N": 1000, "df": 10, "tf": 2, "avgdl": 100},
    )
    rows += [
        {"dl": float(dl), "weight": float(weight), "b": str(b)}
        for dl, weight in zip(curve.values, curve.weights, strict=True)
        if 10 <= dl <= 1000
    ]
labs.picture(
    drawn(rows, "dl", "weight", "b", logarithmic=True),
    "The weight of a word that occurs twice, over the length of the document "
    "from 10 to 1,000 tokens, average 100. "
    "With b = 0 it is a level line; the larger b is, the steeper it falls. "
    "All lines meet at the average length.",
)

# %% [markdown]
# Now a whole weight by hand. There are four documents, *How to train a cat*, *… a dog*, *… a parrot*, *… a hamster*;
# the query is *train cat*. The analysis drops the one-letter word, so each document has 4 tokens and avgdl is also 4: L
# = 1.
#
# | term | df | idf | tf part | weight |
# | --- | --- | --- | --- | --- |
# | cat | 1 | $\ln(1 + 3.5/1.5) = 1.2040$ | $1/(1 + 1.2) = 0.4545$ | 0.5473 |
# | train | 4 | $\ln(1 + 0.5/4.5) = 0.1054$ | $1/(1 + 1.2) = 0.4545$ | 0.0479 |
#
# Document 1 gets both weights, the others only that of *train*.

# %%
tiny = toysearch.load("cat-dog-parrot")
tiny_index = toysearch.Index.build(tiny)
toysearch.Searcher(tiny_index, "bm25").search("train cat")

# %% [markdown]
# ### Exercise 4.3: one weight by hand
#
# Compute the BM25 weight of one word in one document, with the idf of Lucene and without the factor k1 + 1.

# %%
labs.given("4.3")

# %%
# solution
g = labs.given("4.3")
idf = math.log(1 + (g.N - g.df + 0.5) / (g.df + 0.5))
answer = idf * g.tf / (g.tf + g.k1 * (1 - g.b + g.b * g.dl / g.avgdl))
# student: answer = ...  # your turn: a number, to 3 decimals
# end solution
labs.check("4.3", answer)

# %% [markdown]
# ### Exercise 4.4: BM25 from scratch
#
# Now write it as a function. In toysearch a ranking model *is* a function: the arguments before the star are
# statistics, those after it are parameters that can be tuned. tf, dl and df are numpy arrays of the same length, with
# one element per posting; N and avgdl are numbers. So write `np.log`, not `math.log`.
#
# The check searches the collection of this course with your function, with the query and the parameters that you are
# given, and compares the first documents and their scores.

# %%
labs.given("4.4")


# %%
def mine(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75):
    # solution
    idf = np.log(1 + (N - df + 0.5) / (df + 0.5))
    length = 1 - b + b * dl / avgdl
    return idf * tf / (tf + k1 * length)
    # end solution


labs.check("4.4", mine)

# %% [markdown]
# Compare your function with the library: does it give the same documents with the same scores for every query of the
# collection? The picture shows the curve of your function.

# %% tags=["yours"]
labs.needs("4.4")
run, library = (
    toysearch.Searcher(index, model).run(queries, k=100)
    for model in (mine, "bm25")
)
print("same documents:", list(run.doc_ids) == list(library.doc_ids))
print(
    "largest difference of two scores:",
    f"{np.abs(run.scores - library.scores).max():.0e}",
)

# %% tags=["yours"]
labs.needs("4.4")
curve = toysearch.weight_curve(toysearch.model(mine), "tf")
rows = [
    {"tf": int(tf), "weight": float(w), "model": "mine"}
    for tf, w in zip(curve.values, curve.weights, strict=True)
]
labs.picture(
    drawn(rows, "tf", "weight", "model"),
    "The weight that your function gives, over tf.",
)

# %% [markdown]
# ### Exercise 4.5: a change of order
#
# Two documents contain the only word of the query: a long one `long_tf` times among `long_dl` tokens, a short one
# `short_tf` times among `short_dl`. With b = 0 the long one is first, with b = 1 the short one. At which b are their
# scores equal?

# %%
labs.given("4.5")

# %%
# solution
g = labs.given("4.5")
long, short = g.long_dl / g.avgdl, g.short_dl / g.avgdl
answer = (g.long_tf - g.short_tf) / (
    g.short_tf * (long - 1) - g.long_tf * (short - 1)
)
# student: answer = ...  # your turn: a number, to 3 decimals
# end solution
labs.check("4.5", answer)

# %% [markdown]
# Did you miss k1 among the given values? For a query of one word it does not affect the order (unless it is 0): the
# weight depends on tf and dl only through tf/L. With two words it does.
#
# ## 4. A score, term by term
#
# Why does a document have its rank? `toysearch.explain` decomposes a score; the parts come from the functions that
# compute it. (The terms are stems, as in lab 1.)

# %%
searcher = toysearch.Searcher(index, "bm25")
query = max(
    queries, key=lambda query: len(set(index.analyzer(query.text)))
)  # the one with most words
best = searcher.search(query.text, k=1)[0]
why = toysearch.explain(searcher, query.text, best.doc_id)
print(" ".join(query.text.split()))
print(f"document {best.doc_id}, score {best.score:.4f}")
print(
    f"{'term':12} {'tf':>3} {'df':>4} {'dl':>4} {'idf':>7} {'L':>7} "
    f"{'share':>8}"
)
for each in why.terms:
    tf, df, dl = (int(each.statistics[name]) for name in ("tf", "df", "dl"))
    idf, length = each.parts["idf"], each.parts["length"]
    print(
        f"{each.term:12} {tf:3} {df:4} {dl:4} {idf:7.4f} {length:7.4f} "
        f"{each.share:8.4f}"
    )
print(f"sum of the shares {sum(each.share for each in why.terms):.4f}")
print(
    "not in this document:",
    ", ".join(why.absent) or "none",
    "· not in any:",
    ", ".join(why.unknown) or "none",
)

# %% [markdown]
# Compute the share of the first row from the other numbers of the row: share = idf · tf / (tf + 1.2 · L). In a
# terminal, `toysearch search COLLECTION "the query" --explain` prints the same table. Which word decides, the rare one
# or the frequent one? Try other queries and b = 0 before you go on.
#
# ## 5. A second opinion
#
# Many tutorials use the package rank-bm25. Its BM25Okapi has the idf of Robertson, the factor k1 + 1, k1 = 1.5, and a
# special rule: a negative idf is replaced by ε · (mean idf over all terms), ε = 0.25. This is meant as a floor. On
# cat/dog/parrot:

# %%
from rank_bm25 import BM25Okapi

texts = [tiny_index.analyzer(document.text) for document in tiny.documents]
okapi = BM25Okapi(texts)
robertson = {
    term: math.log((4 - df + 0.5) / (df + 0.5))
    for term, df in {"train": 4, "cat": 1}.items()
}
print(
    "Robertson's idf:  ",
    {term: round(idf, 4) for term, idf in robertson.items()},
)
print(
    "mean of 7 terms:  ",
    round((4 * robertson["cat"] + 3 * robertson["train"]) / 7, 4),
)
print(
    "rank-bm25's idf:  ",
    {term: round(float(okapi.idf[term]), 4) for term in ("train", "cat")},
)
print(
    "scores, train cat:",
    [round(float(score), 4) for score in okapi.get_scores(["train", "cat"])],
)
hits = toysearch.Searcher(tiny_index, "bm25-okapi").search("train cat")
print("bm25-okapi:       ", [round(hit.score, 4) for hit in hits])

# %% [markdown]
# Four terms (cat, dog, parrot, hamster) are in one document each, three (how, to, train) in all: the mean idf is itself
# negative, and so is a quarter of it. So the floor is no floor, and three documents score below 0 although they match.
# toysearch provides the formula of rank-bm25 under the name `bm25-okapi`, and on the collection both give the same
# scores:

# %%
second = BM25Okapi(
    [
        index.analyzer(" ".join(document.text.split()))
        for document in collection.documents
    ]
)
text = query.text
theirs = second.get_scores(index.analyzer(text))
ours = toysearch.Searcher(index, "bm25-okapi").search(text, k=10)
print(
    "agree:",
    all(
        abs(theirs[index.doc_number(hit.doc_id)] - hit.score) < 1e-9
        for hit in ours
    ),
)

# %% [markdown]
# If two programs disagree about "BM25", check four things: the analysis, the form of idf, the factor k1 + 1, and the
# parameters. Kamphuis and others (2020) compared eight variants on three collections and found no significant
# differences in effectiveness.
#
# ### Exercise 4.6: the floor of rank-bm25
#
# Which idf does rank-bm25 use for the given term in the given small collection? The mean is over all distinct terms of
# the documents.

# %%
labs.given("4.6")

# %%
# solution
g = labs.given("4.6")
answer = BM25Okapi([text.split() for text in g.documents]).idf[g.term]
# student: answer = ...  # your turn: a number, to 4 decimals
# end solution
labs.check("4.6", answer)

# %% [markdown]
# ## 6. The other school: query likelihood
#
# Here is another idea: think of each document as a bag from which words are drawn. How probable is it that the bag
# yields the query? With c(w) the count of a query word in the document, p(w|d) = c(w)/dl would do, but one missing word
# makes the product 0. So the bag of each document is *smoothed* with the words of the whole collection, p(w|C) = cf/T,
# where cf is the number of occurrences of the word among all T tokens of the collection. There are two ways to smooth:
#
# | | p(w given d) | parameter |
# | --- | --- | --- |
# | Jelinek and Mercer | $(1 - \lambda) \cdot \frac{tf}{dl} + \lambda \cdot \frac{cf}{T}$ | λ: the part of the *collection*; 0.1 to 0.7 |
# | Dirichlet | $\frac{tf + \mu \cdot cf / T}{dl + \mu}$ | μ: the number of words borrowed from the collection; 1000 to 2500 |
#
# The score is $\ln p(q|d) = \sum_{w \in q} \ln p(w|d)$, a sum over the words of the query. Be careful with λ: for
# Manning, Raghavan and Schütze (2008, eq. 12.12) it is the part of the *document*. Here it is as in Zhai and Lafferty
# (2004).
#
# By hand: *train cat* and document 1, λ = 0.5. T = 16 tokens, cf(train) = 4, cf(cat) = 1, dl = 4.
#
# $$p(\text{train}) = 0.5 \cdot \tfrac{1}{4} + 0.5 \cdot \tfrac{4}{16} = 0.25 \qquad
# p(\text{cat}) = 0.5 \cdot \tfrac{1}{4} + 0.5 \cdot \tfrac{1}{16} = 0.15625$$
#
# $$\ln 0.25 + \ln 0.15625 = -1.3863 - 1.8563 = -3.2426$$
#
# Document 2 has no cat, so for *cat* the first part is 0: ln 0.25 + ln 0.03125 = −4.8520.

# %%
for model in ("lm-jm:lambda=0.5", "lm-dirichlet:mu=4"):
    hits = toysearch.Searcher(tiny_index, model).search("train cat", k=2)
    print(f"{model:18}", [(hit.doc_id, round(hit.score, 4)) for hit in hits])

# %% [markdown]
# Here dl = μ = 4, so Dirichlet smoothing uses half of each and equals Jelinek and Mercer with λ = 0.5; in a longer
# document it borrows less. Where are idf and length? They are in the smoothing. A rare word has a small cf/T, so a
# document with it gains much over one without it. And with Dirichlet a long document relies on its own words, a short
# one on those of the collection.
#
# ### Exercise 4.7: query likelihood with a Dirichlet prior
#
# For a query of three words and a document, compute ln p(q|d). `tf` and `cf` are dicts from words to counts.

# %%
labs.given("4.7")

# %%
# solution
g = labs.given("4.7")
answer = sum(
    math.log((g.tf[word] + g.mu * g.cf[word] / g.T) / (g.dl + g.mu))
    for word in g.tf
)
# student: answer = ...  # your turn: a number, to 3 decimals
# end solution
labs.check("4.7", answer)

# %% [markdown]
# ### Exercise 4.8: query likelihood after Jelinek and Mercer
#
# Write it as a function: `tf` and `cf` are lists with one count per query word, `dl` and `T` are numbers of tokens, and
# `lambda_` is the part of the collection (`lambda` without the underscore is a reserved word in Python). It returns ln
# p(q|d), in natural logarithms.


# %%
def likelihood(tf, cf, dl, T, lambda_):
    # solution
    return sum(
        math.log((1 - lambda_) * n / dl + lambda_ * c / T)
        for n, c in zip(tf, cf, strict=True)
    )
    # end solution


labs.check("4.8", likelihood)

# %% [markdown]
# ## 7. What the parameters do on a collection
#
# First, the effect of b, whatever people judge relevant: the larger b is, the less long documents get. The cell prints
# the mean length of the first ten documents over all queries, beside the mean of the collection:
#
# *Guess first:* are the first ten documents with b = 0 longer or shorter than the mean document, and with b = 1?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
print(f"all documents: {index.stats.avgdl:.1f} tokens")
for b in (0, 0.5, 1):
    run = toysearch.Searcher(index, f"bm25:b={b}").run(queries, k=10)
    lengths = [index.dl[index.doc_number(doc_id)] for doc_id in run.doc_ids]
    print(f"first ten, b = {b:<3}: {np.mean(lengths):.1f}")

# %% [markdown]
# And is the ranking better? That depends on whether relevant documents tend to be long, and so on the collection. Here
# is the mean average precision (AP, lab 6) over all queries for a few settings; one parameter varies, the other keeps
# its default.

# %%
evaluator = toysearch.Evaluator(
    index, queries, collection.qrels, "AP", threshold=collection.threshold
)
settings = [("b", value) for value in (0, 0.25, 0.5, 0.75, 1)] + [
    ("k1", value) for value in (0, 0.6, 1.2, 2.4, 4.8)
]
rows = [
    {
        "parameter": name,
        "value": value,
        "mean AP": round(evaluator(f"bm25:{name}={value}")["AP"], 4),
    }
    for name, value in settings
]
for row in rows:
    print(
        f"{row['parameter']:>2} = {row['value']:<4}  mean AP "
        f"{row['mean AP']:.4f}"
    )

# %%
each = alt.Chart(alt.InlineData(values=rows)).mark_line(
    color=labs.COLOURS[0], point={"color": labs.COLOURS[0]}
)
each = each.encode(
    x="value:Q",
    y=alt.Y("mean AP:Q", scale=alt.Scale(zero=False)),
    column="parameter:N",
)
labs.picture(
    each.properties(width=230, height=220).resolve_scale(x="independent"),
    "Two pictures on one axis: mean AP over the value of b, with k1 at 1.2, "
    "and over the value of k1, with b at 0.75.",
)

# %% [markdown]
# Look at the height of the whole picture before you look at its shape: its axis need not begin at 0. What may you
# conclude? For these queries and judgments, the numbers above; not that the highest point is the best b for other
# queries (lab 8 shows how to find out). And here is a test of one pair that is far apart, length normalization switched
# off and the default:

# %%
pair = toysearch.compare(
    {
        f"b={b}": toysearch.Searcher(index, f"bm25:b={b}").run(queries)
        for b in (0, 0.75)
    },
    collection.qrels,
    "AP",
    threshold=collection.threshold,
).pairs[0]
print(
    f"b = 0.75 less b = 0: {pair.result.mean:+.4f}, 95% interval "
    f"{pair.result.low:+.4f} to {pair.result.high:+.4f}"
)

# %% [markdown]
# If the interval contains 0, these queries do not show that length matters here. If it does not, the difference is
# unlikely to be chance; whether a reader would notice it is another question. Here are the other forms of BM25 and
# query likelihood, each at a usual setting (whether these differ would need a test too):

# %%
for model in (
    "bm25",
    "bm25-robertson",
    "bm25-okapi",
    "lm-dirichlet:mu=1000",
    "lm-jm:lambda=0.3",
):
    print(f"{model:22} mean AP {evaluator(model)['AP']:.4f}")

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A word occurs ten times in a document. Explain why BM25 does not give it ten times the weight of one occurrence, and
# why the length of the document matters. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - BM25 = Σ idf · tf/(tf + k1 · (1 − b + b · dl/avgdl)): rarity, times a count that saturates, corrected for length.
# - k1 sets the effect of repetition, b the effect of length.
# - "BM25" is a family: the form of idf, the factor k1 + 1 and the defaults differ between programs. State which one you
#   mean.
# - Query likelihood needs no idf: smoothing with the collection takes its place.
# - A setting that is best on a collection is best on that collection.
#
# Finished early? BM25+ (`bm25plus`) adds a lower bound for a match in a long document: read its page with `toysearch
# models bm25plus`, and give `mine` a parameter delta.
#
# ## Further reading
#
# Croft & Harper, "Using probabilistic models of document retrieval without relevance information", *Journal of
# Documentation* 35(4), 1979 · Robertson & Zaragoza, "The probabilistic relevance framework: BM25 and beyond",
# *Foundations and Trends in Information Retrieval* 3(4), 2009 · Robertson, Walker, Jones, Hancock-Beaulieu & Gatford,
# "Okapi at TREC-3", TREC-3, 1994 · Kamphuis, de Vries, Boytsov & Lin, "Which BM25 do you mean? A large-scale
# reproducibility study of scoring variants", ECIR 2020 · Lv & Zhai, "Lower-bounding term frequency normalization", CIKM
# 2011 · Ponte & Croft, "A language modeling approach to information retrieval", SIGIR 1998 · Zhai & Lafferty, "A study
# of smoothing methods for language models applied to information retrieval", *ACM Transactions on Information Systems*
# 22(2), 2004 · Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, chapters 11 and 12
