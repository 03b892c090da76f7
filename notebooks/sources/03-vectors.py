# %% [markdown]
# # Lab 3: Vectors
#
# Overlap counts the terms that a query and a document share. Vectors give terms different weights, and ask how far two
# texts point in the same direction. In this lab you compute TF-IDF weights by hand, cosines by hand and in Python, read
# the SMART letters such as lnc.ltc, compare with Dice and Jaccard, meet the weights of scikit-learn, and carefully
# measure the effect of all this on a collection.
#
# You need Python dicts and functions, logarithms, and df and tf from lab 2.

# %%
from toysearch import labs

labs.start(3, student="anyone")

# %% [markdown]
# ## 1. Weights: tf and idf
#
# A term should weigh more in a document that repeats it, and less if it is in many documents. The usual weight is a
# product:
#
# $$w = \text{tf part} \cdot idf, \qquad \text{tf part}: tf, \text{ or } 1 + \log tf, \text{ or } 1, \ldots \qquad idf = \log\frac{N}{df}$$
#
# with **tf**, the number of times the document contains the term; **df**, the number of documents that contain the
# term; **N**, the number of documents. A term has the weight 0 in documents that lack it. The idea of idf is due to
# Karen Spärck Jones (1972): a term in all documents does not distinguish them, and gets log 1 = 0.
#
# The tf part grows slowly on purpose: a document that says *cat* ten times is more about cats than one that says it
# once, but hardly ten times as much.

# %%
import math

N = 1000
print(
    "  tf   raw  1 + ln tf  1 + lg tf  binary          df  ln(N/df)  "
    "lg(N/df)  log2(N/df)"
)
for tf, df in ((1, 1), (2, 10), (5, 100), (10, 500), (100, 1000)):
    print(
        f"{tf:4} {tf:5} {1 + math.log(tf):10.3f} {1 + math.log10(tf):10.3f}  "
        "     1",
        end="",
    )
    print(
        f"       {df:5} {math.log(N / df):9.3f} {math.log10(N / df):9.3f} "
        f"{math.log2(N / df):11.3f}"
    )

# %% [markdown]
# Which logarithm? Some textbooks print base 10, most programs use e, some papers 2. For log(N/df) it does not matter:
# another base multiplies every idf by the same number and changes no ranking. In 1 + log tf it matters a little,
# because the 1 does not change. A formula is not complete without its base.

# %%
import altair as alt

rows = [
    {"tf": tf, "tf part": round(value, 3), "form": form}
    for tf in range(1, 21)
    for form, value in (
        ("tf", tf),
        ("1 + log tf, base 2", 1 + math.log2(tf)),
        ("1 + log tf, base e", 1 + math.log(tf)),
        ("1 + log tf, base 10", 1 + math.log10(tf)),
        ("binary", 1),
    )
    if value <= 8
]
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line()
    .encode(
        x="tf:Q",
        y="tf part:Q",
        color=alt.Color(
            "form:N", sort=None, title=None, scale=alt.Scale(scheme="dark2")
        ),
        strokeDash=alt.StrokeDash("form:N", sort=None, title=None),
    )
    .properties(width=420, height=240)
)
labs.picture(
    lines,
    "Forms of the tf part over tf: raw tf leaves the picture, the logarithms "
    "flatten, binary stays at 1.",
)

# %% [markdown]
# ### Exercise 3.1: a weight by hand
#
# Compute (1 + log tf) · log(N/df), with both logarithms to your base (2.718… is e, the natural logarithm). Four
# decimals.

# %%
labs.given("3.1")

# %%
# solution
g = labs.given("3.1")
answer = (1 + math.log(g.tf, g.base)) * math.log(g.N / g.df, g.base)
# student: answer = ...  # your turn: a number
# end solution
labs.check("3.1", answer)

# %% [markdown]
# ## 2. The angle
#
# Let every term be a direction of its own, and the weights of a text its coordinates: a text is a *vector*, an arrow.
# With two terms it can be drawn. One of the texts here is another one repeated.

# %%
texts = {
    "query": {"cat": 1, "dog": 1},
    "a": {"cat": 1, "dog": 2},
    "a twice": {"cat": 2, "dog": 4},
    "b": {"cat": 3, "dog": 1},
}
rows = [{"text": name, "cat": 0, "dog": 0} for name in texts] + [
    {"text": name} | tf for name, tf in texts.items()
]
x = alt.X("cat:Q", scale=alt.Scale(domain=[0, 4.5]), title="tf of cat")
y = alt.Y("dog:Q", scale=alt.Scale(domain=[0, 4.5]), title="tf of dog")
chart = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y)
ends = alt.Chart(alt.InlineData(values=rows[len(texts) :])).encode(x=x, y=y)
arrows = (
    chart.mark_line().encode(
        detail="text:N",
        strokeDash=alt.condition(
            "datum.text == 'query'", alt.value([5, 3]), alt.value([1, 0])
        ),
    )
    + ends.mark_point(filled=True, size=70, opacity=1)
    + ends.mark_text(align="left", dx=8, dy=-4).encode(text="text:N")
)
labs.picture(
    arrows.properties(width=300, height=300),
    "Four texts as arrows: a and a twice point the same way, b another.",
)

# %% [markdown]
# Which text is nearest to the query? There are several ways to ask:
#
# - the **inner product** Σ xy, the sum over shared terms of the product of their weights, grows with the length of the
#   arrows;
# - the **Euclidean distance** between the ends of the arrows makes `a` and `a twice` very different, although they say
#   the same;
# - the **cosine** of the angle depends on the direction alone: Σ xy / (√Σx² · √Σy²). The roots are the *lengths* of the
#   arrows. It is 1 for the same direction and 0 for texts that share no term.


# %%
def product(x, y):
    return sum(x[term] * y[term] for term in x if term in y)


def length(x):
    return math.sqrt(product(x, x))


query = texts["query"]
for name in ("a", "a twice", "b"):
    other = texts[name]
    distance = math.sqrt(
        sum((query[term] - other[term]) ** 2 for term in query)
    )
    cosine = product(query, other) / (length(query) * length(other))
    print(
        f"{name:8} product {product(query, other)}   distance {distance:.3f} "
        f"  cosine {cosine:.4f}",
        end="   ",
    )
    print(f"angle {math.degrees(math.acos(cosine)):.1f} degrees")

# %% [markdown]
# By hand for `b`: Σxy = 1·3 + 1·1 = 4; lengths √(1 + 1) and √(9 + 1); 4 / √20 = 0.8944. If you divide each vector by
# its length once, the cosine is the inner product of the results: this is what search engines do. For such vectors of
# length 1, distance and cosine give the same ranking, because distance² = 2 − 2 · cosine.
#
# ### Exercise 3.2: cosine by hand
#
# You get the weights of two texts. What is their cosine? Four decimals.

# %%
labs.given("3.2")

# %%
# solution
g = labs.given("3.2")
answer = product(g.x, g.y) / (length(g.x) * length(g.y))
# student: answer = ...  # your turn: a number
# end solution
labs.check("3.2", answer)

# %% [markdown]
# ## 3. SMART's letters
#
# There are many weighting schemes, so Salton's SMART system named them by six letters: three for the document, a dot,
# three for the query, as in Manning, Raghavan & Schütze (2008, 6.4.3).
#
# | | first: tf part | second: df part | third: divided by |
# | --- | --- | --- | --- |
# | n | tf | 1 | 1 |
# | l | 1 + log tf | | |
# | b | 1 | | |
# | a | 0.5 + 0.5 · tf / (largest tf of the text) | | |
# | t | | log(N/df) | |
# | p | | max(0, log((N − df)/df)) | |
# | c | | | the length √Σw², over *all* terms of the text |
#
# So in **lnc.ltc** the weights of a document are 1 + log tf, without idf, divided by their length; the weights of a
# query also have the idf. One idf in the product is enough to distinguish rare terms from frequent ones. In toysearch
# it is `smart:lnc.ltc`, with natural logarithms; `smart:lnc.ltc,base=10` uses base 10. First by hand:

# %%
import toysearch

documents = [
    "cat dog cat",
    "cat parrot",
    "dog dog dog lead",
    "parrot lead walk",
]
counts = [
    {"cat": 2, "dog": 1},
    {"cat": 1, "parrot": 1},
    {"dog": 3, "lead": 1},
    {"parrot": 1, "lead": 1, "walk": 1},
]
df = {"cat": 2, "dog": 2, "parrot": 2, "lead": 2, "walk": 1}


def lg(number):
    return math.log10(number)


asked = {
    "cat": lg(4 / df["cat"]),
    "walk": lg(4 / df["walk"]),
}  # the query cat walk: (1 + lg 1) · lg(N/df)
print(
    f"query: cat {asked['cat']:.4f}, walk {asked['walk']:.4f}, length "
    f"{length(asked):.4f}"
)
for number, tf in enumerate(counts, 1):
    weights = {term: 1 + lg(count) for term, count in tf.items()}
    score = product(weights, asked) / (length(weights) * length(asked))
    print(
        number,
        {term: round(weight, 4) for term, weight in weights.items()},
        end=" ",
    )
    print(f"length {length(weights):.4f}, score {score:.6f}")

# %% [markdown]
# And with the library. Document 3 shares no term with the query; it has the score 0 above and is not ranked at all
# below.

# %%
small = toysearch.Index.build(documents, analyzer=toysearch.Analyzer())
toysearch.Searcher(small, "smart:lnc.ltc,base=10").search("cat walk")

# %% [markdown]
# ### Exercise 3.3: lnc.ltc by hand
#
# Compute the score of the document for the query under lnc.ltc, with logarithms to base 10. Four decimals.

# %%
labs.given("3.3")

# %%
# solution
g = labs.given("3.3")
document = {term: 1 + lg(tf) for term, tf in g.document.items()}
query = {
    term: (1 + lg(tf)) * lg(g.N / g.df[term]) for term, tf in g.query.items()
}
answer = product(document, query) / (length(document) * length(query))
# student: answer = ...  # your turn: a number
# end solution
labs.check("3.3", answer)

# %% [markdown]
# ### Exercise 3.4: ltc from scratch
#
# Write a function that takes the tf of the terms of a document and the df of all terms, both as dicts, and N. It
# returns the ltc weights of the document as a dict: natural logarithms, length 1. If all weights are 0, leave them at
# 0.


# %%
def ltc(tf, df, N):
    # solution
    weights = {
        term: (1 + math.log(count)) * math.log(N / df[term])
        for term, count in tf.items()
    }
    norm = math.sqrt(sum(weight**2 for weight in weights.values()))
    return {
        term: weight / norm if norm else 0.0
        for term, weight in weights.items()
    }
    # end solution


labs.check("3.4", ltc)

# %% [markdown]
# With this function a search engine needs only a few more lines. Here are the five best documents of the course
# collection for a query, yours and those of toysearch. (The second cell needs exercise 3.4.)

# %%
collection = labs.collection()
index = toysearch.Index.build(collection)
df_of = {
    index.term(number): int(index.df[number])
    for number in range(index.stats.n_terms)
}
queries = [
    query
    for query in collection.judged_queries
    if df_of.keys() & index.analyzer(query.text)
]
print(
    f"{collection.name}: {index.stats.N:,} documents, "
    f"{index.stats.n_terms:,} terms"
)
print(
    f"{len(queries)} of {len(collection.judged_queries)} judged queries have "
    "a term that is in some document"
)

query = next(query for query in queries if len(index.analyzer(query.text)) > 2)
print(f"query {query.query_id}:", " ".join(query.text.split()))

# %% tags=["yours"]
labs.needs("3.4")
from collections import Counter

asked = ltc(
    Counter(term for term in index.analyzer(query.text) if term in df_of),
    df_of,
    index.stats.N,
)
for hit in toysearch.Searcher(index, "smart:ltc.ltc").search(query.text, k=5):
    document = ltc(index.vector(hit.doc_id), df_of, index.stats.N)
    print(
        f"{hit.doc_id:>6}  toysearch {hit.score:.6f}  yours "
        f"{product(document, asked):.6f}"
    )

# %% [markdown]
# ## 4. Sets: Dice, Jaccard, cosine
#
# Forget the weights: a text is now the set of its terms. X and Y have |X| and |Y| terms, |X∩Y| of them in common. There
# are three ways to turn the overlap into a number from 0 to 1:
#
# | | | |
# | --- | --- | --- |
# | Dice | $\frac{2 \lvert X \cap Y \rvert}{\lvert X \rvert + \lvert Y \rvert}$ | the intersection as a part of the average size |
# | Jaccard | $\frac{\lvert X \cap Y \rvert}{\lvert X \rvert + \lvert Y \rvert - \lvert X \cap Y \rvert}$ | the intersection as a part of the union |
# | cosine | $\frac{\lvert X \cap Y \rvert}{\sqrt{\lvert X \rvert \cdot \lvert Y \rvert}}$ | the cosine of vectors of zeros and ones |

# %%
one, two = {"how", "to", "train", "a", "cat"}, {"train", "a", "dog"}
both = len(one & two)
print(
    "shared:", both, " sizes:", len(one), len(two), " union:", len(one | two)
)
print(f"dice    {2 * both / (len(one) + len(two)):.4f}")
print(f"jaccard {both / len(one | two):.4f}")
print(f"cosine  {both / math.sqrt(len(one) * len(two)):.4f}")
pair = labs.similarity(one, two)
print(f"by machine: {pair.dice:.4f} {pair.jaccard:.4f} {pair.cosine:.4f}")

# %% [markdown]
# ### Exercise 3.5: Dice, Jaccard and cosine of sets
#
# Compute the three values for the two texts, split at spaces. Four decimals.

# %%
labs.given("3.5")

# %%
# solution
g = labs.given("3.5")
pair = labs.similarity(set(g.x.split()), set(g.y.split()))
answer = {"dice": pair.dice, "jaccard": pair.jaccard, "cosine": pair.cosine}
# student: answer = ...  # your turn: {"dice": 0.0, "jaccard": 0.0, "cosine": 0.0}
# end solution
labs.check("3.5", answer)

# %% [markdown]
# Dice and Jaccard are two scales for the same thing. |X| + |Y| is the size of the union plus that of the intersection;
# so divide numerator and denominator of Dice by the union, and D = 2J / (1 + J). The larger J is, the larger D is: they
# always give **the same ranking**, and choosing between them is a matter of taste unless you compute with the values.
# The cosine is not a function of J: a difference in size affects it less. The points are pairs of sets of 1 to 12
# terms.

# %%
pairs = [
    (x, y, both)
    for x in range(1, 13)
    for y in range(x, 13)
    for both in range(1, x + 1)
]
cosines = {
    (both / (x + y - both), both / math.sqrt(x * y)) for x, y, both in pairs
}
points = [
    {"Jaccard": round(j, 4), "value": round(value, 4), "of": "cosine"}
    for j, value in sorted(cosines)
]
curve = [
    {"Jaccard": n / 50, "value": round(2 * n / (50 + n), 4), "of": "Dice"}
    for n in range(51)
]
colour = alt.Color("of:N", sort=["cosine", "Dice"], title=None)
chart = alt.Chart(alt.InlineData(values=points)).mark_point(
    filled=True, size=12
).encode(x="Jaccard:Q", y="value:Q", color=colour) + alt.Chart(
    alt.InlineData(values=curve)
).mark_line().encode(x="Jaccard:Q", y="value:Q", color=colour)
labs.picture(
    chart.properties(width=420, height=260),
    "Dice over Jaccard is one rising curve; cosines are a cloud of points on "
    "that curve and above it.",
)

# %%
some = queries[:20]
by_jaccard = toysearch.Searcher(index, "jaccard").run(some, k=10)
for name in ("dice", "cosine:weights=binary"):
    other = toysearch.Searcher(index, name).run(some, k=10)
    same = sum(
        list(by_jaccard[query.query_id]) == list(other[query.query_id])
        for query in some
    )
    print(
        f"{name:22} has jaccard's first ten in jaccard's order for {same} of "
        f"{len(some)} queries"
    )

# %% [markdown]
# **With weights.** To use Dice and Jaccard on vectors, replace |X∩Y| by Σxy, |X| by Σx² and |Y| by Σy². With weights of
# 0 and 1 this gives the set forms, as it should. Some notes print √Σx², the Euclidean length, instead of Σx²; then
# "Dice" can exceed 1, and the set form is no longer a special case:

# %%
pair = labs.similarity(
    {"train": 1, "cat": 1}, {"how": 1, "to": 1, "train": 1, "cat": 1}
)
print(f"Σx²:  dice {pair.dice:.4f}, jaccard {pair.jaccard:.4f}")
print(
    f"√Σx²: dice {pair.dice_euclidean:.4f}, jaccard "
    f"{pair.jaccard_euclidean:.4f}"
)

# %% [markdown]
# (A second generalisation uses minima, Σ min(x, y), and sums, Σx and Σy. It also agrees on sets, and differs elsewhere.
# Say which one you mean.)
#
# ### Exercise 3.6: Dice and Jaccard with weights
#
# Compute both for the two vectors, with Σxy, Σx² and Σy². Four decimals.

# %%
labs.given("3.6")

# %%
# solution
g = labs.given("3.6")
xy, xx, yy = product(g.x, g.y), product(g.x, g.x), product(g.y, g.y)
answer = {"dice": 2 * xy / (xx + yy), "jaccard": xy / (xx + yy - xy)}
# student: answer = ...  # your turn: {"dice": 0.0, "jaccard": 0.0}
# end solution
labs.check("3.6", answer)

# %% [markdown]
# ## 5. Another library, another idf
#
# `TfidfVectorizer` of scikit-learn makes vectors of length 1 from tf · idf. Its idf is not that of the textbooks:
#
# $$idf = \ln\frac{1 + N}{1 + df} + 1$$
#
# It pretends that one more document exists, which contains every term (this is *smoothing*: no division by 0), and adds
# 1, so that terms in all documents keep a weight. `smooth_idf=False` gives ln(N/df) + 1. Neither is wrong, but numbers
# computed with one cannot be compared with numbers computed with the other. toysearch has the same as
# `cosine:idf=smooth`:

# %%
from sklearn.feature_extraction.text import TfidfVectorizer

plain = toysearch.Index.build(collection, analyzer=toysearch.Analyzer())
vectorizer = TfidfVectorizer()
matrix = vectorizer.fit_transform(
    plain.text(number) for number in range(plain.stats.N)
)
print(
    "the same number of terms:",
    len(vectorizer.vocabulary_) == plain.stats.n_terms,
)

known = vectorizer.vocabulary_.keys()
some = [query for query in queries if known & set(plain.analyzer(query.text))][
    :20
]
run = toysearch.Searcher(plain, "cosine:idf=smooth").run(some, k=100)
largest = 0.0
for query in some:
    theirs = (matrix @ vectorizer.transform([query.text]).T).toarray()[:, 0]
    for doc_id, score in run[query.query_id].items():
        largest = max(largest, abs(score - theirs[plain.doc_number(doc_id)]))
print(
    "scores of 20 queries agree to 12 digits behind the point:",
    largest < 5e-13,
)

# %% [markdown]
# ### Exercise 3.7: scikit-learn's idf
#
# What idf does scikit-learn give to your term by default? Four decimals.

# %%
labs.given("3.7")

# %%
# solution
g = labs.given("3.7")
answer = math.log((1 + g.N) / (1 + g.df)) + 1
# student: answer = ...  # your turn: a number
# end solution
labs.check("3.7", answer)

# %% [markdown]
# ## 6. What it brings, with care
#
# Now compare all of them on the collection, first by length. Without division by the length, a long document has more
# terms that can match and higher tf. With sets and Jaccard, a short document needs few matches. Here is the mean number
# of tokens in the ten best documents:
#
# *Guess first:* which of `jaccard`, `nnn.ntn`, `lnn.ltn` and `lnc.ltc` prefers the longest documents, and which the shortest?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
models = ("jaccard", "smart:nnn.ntn", "smart:lnn.ltn", "smart:lnc.ltc")
runs = {
    model: toysearch.Searcher(index, model).run(queries) for model in models
}
rows = []
for model, run in runs.items():
    best = [
        index.doc_number(doc_id)
        for query_id in run.query_ids
        for doc_id in list(run[query_id])[:10]
    ]
    rows.append(
        {"model": model, "tokens": round(float(index.dl[best].mean()), 1)}
    )
rows.append(
    {"model": "(all documents)", "tokens": round(index.stats.avgdl, 1)}
)
bars = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_bar()
    .encode(
        x=alt.X("tokens:Q", title="tokens a document, mean"),
        y=alt.Y("model:N", sort=None, title=None),
    )
    .properties(width=400, height=130)
)
labs.picture(
    bars,
    "Mean length of the ten best documents under four models, and of all "
    "documents.",
)

# %% [markdown]
# Then by effectiveness. AP, average precision, is the subject of lab 6; for now it is enough that it is between 0 and
# 1, that higher is better, and that it has a value for each query, which is 0 if nothing is found. The table has the
# mean over all judged queries; its difference from lnc.ltc, with a 95% interval; and the numbers of queries that are
# better or worse.

# %%
compared = toysearch.compare(
    runs,
    collection.qrels,
    "AP",
    baseline="smart:lnc.ltc",
    threshold=collection.threshold,
)
compared

# %% [markdown]
# Before you draw conclusions:
#
# - These are queries of one collection. Long queries hide some effects and show others; another collection may well
#   reverse two neighbours in this table.
# - The mean hides that each model loses some queries to every other. The interval shows how certain the difference of
#   the means is; if it contains 0, these queries do not decide.
# - From nnn.ntn to lnc.ltc two letters changed on each side. To see which one mattered, change one at a time.
#
# ### Exercise 3.8: the gain of one letter
#
# You get two models and some queries. By how much is the mean AP of the second higher than that of the first, over
# exactly these queries? (Negative if it is lower.) Four decimals. Make the runs with `toysearch.Searcher(index,
# model).run(queries)` as above.

# %%
labs.given("3.8")

# %%
# solution
g = labs.given("3.8")
means = []
for model in g.models:
    run = toysearch.Searcher(index, model).run(queries)
    values = toysearch.evaluate(
        run, collection.qrels, "AP", threshold=collection.threshold
    ).per_query
    means.append(
        sum(values[query_id]["AP"] for query_id in g.queries) / len(g.queries)
    )
answer = means[1] - means[0]
# student: answer = ...  # your turn: a number
# end solution
labs.check("3.8", answer)

# %% [markdown]
# Ask a neighbour for theirs: other queries, another number, perhaps another sign. This is why results are reported with
# an interval (lab 8).

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Why does the cosine divide by the lengths of the vectors? Explain what it repairs, and what it costs. Three to five
# sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - A weight is a tf part times an idf; state which forms, which base, and which length is divided by.
# - The cosine compares directions. Its lengths cover all terms of a text, not only the shared ones.
# - Dice and Jaccard give the same ranking. On vectors their "sizes" are Σx², without a root.
# - Two libraries may both say TF-IDF and mean different numbers.
# - Without division by length, long documents are favoured; with full division, short ones may be. How much is right is
#   a separate question, to which lab 4 has an answer with a parameter.
#
# ## Further reading
#
# Salton, Wong & Yang, "A vector space model for automatic indexing", Communications of the ACM 18(11), 1975 · Spärck
# Jones, "A statistical interpretation of term specificity and its application in retrieval", Journal of Documentation
# 28(1), 1972 · Salton & Buckley, "Term-weighting approaches in automatic text retrieval", Information Processing &
# Management 24(5), 1988 · Singhal, Buckley & Mitra, "Pivoted document length normalization", SIGIR 1996 · Manning,
# Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, chapter 6 · van Rijsbergen, *Information
# Retrieval*, 2nd edition, Butterworths 1979, chapter 3 · in this project: docs/look-up/models.md
