# %% [markdown]
# # Lab 12: Learning to rank
#
# BM25, topics, feedback, lengths, titles: each says something about a document, and none says everything. How much of
# each should count? One can guess, or tune by hand (lab 10). *Learning to rank* takes the weights from judged queries.
# It is easy to start, and easy to fool oneself with: a learner finds a gain in pure noise, if it is evaluated wrongly.
#
# Afterwards you can
#
# - compute features of a query and a document by hand, and make them comparable across queries;
# - explain a step of pairwise learning, and the score of a learned ranker, feature by feature;
# - split judged queries into folds that do not leak;
# - tell an honest gain from an optimistic one, with held-out values and a control.
#
# You need labs 4 (BM25), 8 (significance) and 10 (tuning). Topics and feedback are those of lab 11.

# %%
from toysearch import labs

labs.start(12, student="anyone")

# %%
import math
import warnings

import numpy as np

import toysearch

# Notes, such as "this query has no known word", are not shown in this lab.
warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = labs.collection()
index = toysearch.Index.build(collection)
queries, qrels = collection.judged_queries, collection.qrels

# %% [markdown]
# ## 1. Features
#
# A learner sees no words. It sees one row of numbers for each pair of a query and a document, and the grade of the
# pair. Some features are scores of models; others are counts. Only a *pool* of documents gets a row, here the first 200
# of BM25; what else BM25 ranks follows below.

# %%
names = ["bm25", "coverage", "idf-sum", "idf-coverage", "tf-sum", "length"]
table = toysearch.features(collection, names, index=index)
print(table)
rows = [row for row in table.rows if row[0] == "33"][:3]
print(f'need 33, "{collection.query("33").text}":')
print("         grade  " + "  ".join(f"{name:>12}" for name in names))
for _, doc_id, grade, values in rows:
    row = "  ".join(f"{value:12.4f}" for value in values)
    print(f"{doc_id:8} {grade:5.0f}  {row}")

# %% [markdown]
# | feature | value |
# | --- | --- |
# | `coverage` | the share of the distinct words of the query that the document contains |
# | `idf-sum` | the sum of the idf of these words |
# | `idf-coverage` | that sum, divided by the sum over *all* distinct words of the query |
# | `tf-sum` | the number of occurrences of words of the query in the document |
# | `length` | the number of words of the document |
#
# The idf is that of Lucene, $\ln\left(1 + \frac{N - df + 0.5}{df + 0.5}\right)$, also for a word that no document has.
# `toysearch docs learn-a-ranker` lists all features.
#
# ### Exercise 12.1: features by hand
#
# Compute these five for your `query` and `document` (words between blanks, as they are; 3 decimals).

# %%
labs.given("12.1")

# %%
# solution
g = labs.given("12.1")
words = g.document.split()
asked = list(dict.fromkeys(g.query))
idf = {
    word: math.log(1 + (g.N - g.df[word] + 0.5) / (g.df[word] + 0.5))
    for word in asked
}
held = [word for word in asked if word in words]
idf_sum = sum(idf[word] for word in held)
answer = {
    "coverage": len(held) / len(asked),
    "idf-sum": idf_sum,
    "idf-coverage": idf_sum / sum(idf.values()),
    "tf-sum": sum(words.count(word) for word in held),
    "length": len(words),
}
# student: answer = ...  # your turn: a dict {"coverage": …, "idf-sum": …, "idf-coverage": …, "tf-sum": …, "length": …}
# end solution
labs.check("12.1", answer)

# %% [markdown]
# ## 2. Scores of different queries
#
# Is 2 a good score? For need 2 twelve passages reach it, for need 12 none:

# %%
import altair as alt

points = []
for query_id in ("1", "2", "11", "12", "22", "33", "46", "53"):
    hits = toysearch.Searcher(index).search(
        collection.query(query_id).text, k=20
    )
    points += [{"need": query_id, "score": hit.score} for hit in hits]
chart = (
    alt.Chart(alt.InlineData(values=points))
    .mark_tick(thickness=2)
    .encode(x="score:Q", y=alt.Y("need:N", sort=None))
    .properties(width=460, height=220)
)
labs.picture(
    chart,
    "The scores of the first twenty passages of BM25 for eight needs, one "
    "line per need. Their ranges differ widely: the best score of need 12 is "
    "below the twentieth of need 2.",
)

# %% [markdown]
# Within a query only differences matter. Across queries a learner uses *one* weight for the feature, and rows of all
# queries in one table. So scores are often normalised by query: *min-max* maps the lowest score of a query to 0, and
# its highest to 1 (and all to 1, if they are equal).
#
# ### Exercise 12.2: scores normalised by query
#
# Normalise your `scores` by min-max. Answer with a dict of the same form. (To 3 decimals.)

# %%
labs.given("12.2")

# %%
# solution
answer = {}
for query_id, scores in labs.given("12.2").scores.items():
    low, high = min(scores.values()), max(scores.values())
    answer[query_id] = {
        doc_id: (score - low) / (high - low)
        for doc_id, score in scores.items()
    }
# student: answer = ...  # your turn: a dict such as {"q1": {"p001": 0.5, "p002": 1}, "q2": {"p003": 0}}
# end solution
labs.check("12.2", answer)

# %% [markdown]
# Something is lost, too: the best document of a hopeless query also gets 1. That is why the library offers each model
# in both forms by default, and lets the learner choose.
#
# ## 3. How weights are learned
#
# A score is a weighted sum, $s = \sum_f w_f \cdot x_f$. *Pairwise* learning looks at a relevant document $r$ and
# another document $o$ of the same query. Their lead $d = s_r - s_o$ should be above 0. The probability that the order
# is wrong is modelled as
#
# $$P(\mathrm{wrong}) = \frac{1}{1 + e^{d}}$$
#
# and each weight takes a step, with the learning rate $\eta$:
#
# $$w_f \leftarrow w_f + \eta \cdot P(\mathrm{wrong}) \cdot (x_{r,f} - x_{o,f})$$
#
# This is gradient descent on $\ln(1 + e^{-d})$; with a neural network instead of the weighted sum it is RankNet (Burges
# and others 2005). The worse the order, the larger the step:

# %%
curve = [
    {"lead d": d / 10, "size of the step": 1 / (1 + math.exp(d / 10))}
    for d in range(-50, 51)
]
chart = (
    alt.Chart(alt.InlineData(values=curve))
    .mark_line()
    .encode(x="lead d:Q", y="size of the step:Q")
    .properties(width=460, height=220)
)
labs.picture(
    chart,
    "The size of the step over the lead d: near 1 where the wrong document "
    "leads by far, one half at d = 0, and near 0 where the relevant one does.",
)

# %% [markdown]
# ### Exercise 12.3: one step of pairwise learning
#
# Your `weights` put the `other` document before the `relevant` one. What are the weights after one step with the
# learning rate `rate`? (To 4 decimals.)

# %%
labs.given("12.3")

# %%
# solution
g = labs.given("12.3")
lead = sum(
    weight * (g.relevant[name] - g.other[name])
    for name, weight in g.weights.items()
)
answer = {
    name: weight
    + g.rate * (g.relevant[name] - g.other[name]) / (1 + math.exp(lead))
    for name, weight in g.weights.items()
}
# student: answer = ...  # your turn: a dict {"bm25": …, "coverage": …, "length": …}
# end solution
labs.check("12.3", answer)

# %% [markdown]
# Now all pairs of our collection, one after the other. Each feature is first *standardised*: its mean is subtracted,
# and it is divided by its standard deviation, so that the weights can be compared.

# %%
columns = ["min-max(bm25)", "min-max(lsa:100)", "coverage", "length"]
small = toysearch.features(collection, columns, index=index)
x = (small.values - small.values.mean(0)) / small.values.std(0)
good = small.grades >= small.threshold
pairs = [
    (relevant, other)
    for first, last in zip(small.starts, small.starts[1:], strict=False)
    for relevant in range(first, last)
    if good[relevant]
    for other in range(first, last)
    if not good[other]
]
weights = np.zeros(len(columns))
for place in np.random.default_rng(0).permutation(len(pairs)):
    relevant, other = pairs[place]
    difference = x[relevant] - x[other]
    weights += 0.01 * difference / (1 + math.exp(weights @ difference))
print(f"{len(pairs):,} pairs")
for name, weight in zip(columns, weights, strict=True):
    print(f"{name:18} {weight:+.2f}")

# %% [markdown]
# Topics get the largest weight, as they had the best AP in lab 11. BM25 gets almost none, because coverage and topics
# overlap with it. Features that overlap share one effect, so a small weight does not make a feature useless.
#
# Other learners look at single documents (*pointwise*: logistic regression of relevant or not), or at whole lists
# (*listwise*: LambdaMART). The library has `logistic` and `boosting` (trees), both by scikit-learn.
#
# ## 4. Why is it first? Shares of a score
#
# A learned weighted sum explains itself: the score is the intercept plus the share of each feature,
#
# $$s = w_0 + \sum_f w_f \cdot \frac{x_f - \mathrm{mean}_f}{\mathrm{deviation}_f}$$
#
# ### Exercise 12.4: a learned score explained
#
# Compute the share of each feature and the score of your `document`. (To 3 decimals.)

# %%
labs.given("12.4")

# %%
# solution
g = labs.given("12.4")
answer = {
    name: weight * (g.document[name] - g.means[name]) / g.deviations[name]
    for name, weight in g.weights.items()
}
answer["score"] = g.intercept + sum(answer.values())
# student: answer = ...  # your turn: a dict {"bm25": …, "coverage": …, "length": …, "score": …}
# end solution
labs.check("12.4", answer)

# %% [markdown]
# The same for a ranker that the library learned. It is saved in a folder, and `learned:FOLDER` is then a model like any
# other, here and in `toysearch search companions "removing a tick" --model learned:FOLDER --explain`:

# %%
import tempfile

plain = toysearch.features(
    collection, ["bm25", "coverage", "length"], index=index
)
with tempfile.TemporaryDirectory() as folder:
    toysearch.learn(plain, "logistic").save(f"{folder}/ranker")
    ranker = toysearch.Searcher(index, f"learned:{folder}/ranker")
    found = toysearch.explain(ranker, "removing a tick", "p057")
base, *shares = found.tree.parts
for share in shares:
    value = share.quantities["value"]
    print(f"{share.label:10} {value:8.3f} {share.value:+9.4f}")
print(f"base       {'':8} {base.value:+9.4f}")
total = base.value + sum(share.value for share in shares)
print(f"sum        {'':8} {total:+9.4f}   score {found.score:+.4f}")

# %% [markdown]
# ## 5. Held out
#
# What is the ranker worth? On the queries that it was learned from it has seen the answers. So the judged queries are
# split into folds, and each fold is ranked by a ranker that was learned from the others, as in section 7 of lab 10.
#
# *Guess first:* a weighted sum of six features, and fifty trees of up to fifteen leaves. By how much do they beat
# BM25 on the queries that they were learned from, and by how much on held-out queries?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
six = [
    "bm25",
    "min-max(lsa:100)",
    "min-max(rm3(bm25))",
    "coverage",
    "idf-coverage",
    "length",
]
real = toysearch.features(collection, six, index=index)
TREES = "boosting:trees=50,leaves=15,rate=0.1,rows=5,columns=1"


def shown(name, found):
    gain = found.gain
    print(
        f"{name:24} on the same queries {found.fitted.value:.4f}   held out "
        f"{found.held_out.value:.4f} ({gain.mean:+.4f}, {gain.low:+.3f} to "
        f"{gain.high:+.3f})"
    )


learned = {
    "sum": toysearch.learn(real, "logistic"),
    "trees": toysearch.learn(real, TREES),
}
print(f"bm25 {learned['sum'].baseline.value:.4f}")
for name, found in learned.items():
    shown(name, found)

# %% [markdown]
# The trees know much of their own queries by heart, and on held-out queries their mean is below that of the simple sum.
# The sum has six weights and an intercept to remember anything with. Never report the first value alone.
#
# ### Exercise 12.5: held out and optimistic
#
# Seven queries are in three `folds`. `AP` has four values for each: under three rankers, of which `without 1` was
# learned from all folds but fold 1, and under the `final` ranker, learned from all queries. What is the mean held-out
# AP of the seven queries, and the mean on the same queries? (To 4 decimals.)

# %%
labs.given("12.5")

# %%
# solution
g = labs.given("12.5")
held_out = [g.AP[query][f"without {fold}"] for query, fold in g.folds.items()]
final = [values["final"] for values in g.AP.values()]
answer = {
    "held out": sum(held_out) / len(held_out),
    "on the same queries": sum(final) / len(final),
}
# student: answer = ...  # your turn: a dict {"held out": …, "on the same queries": …}
# end solution
labs.check("12.5", answer)

# %% [markdown]
# ## 6. Folds that do not leak
#
# Why are the folds made of *queries*, not of rows? A new query comes without any judged row, so a test query must not
# have lent rows to the learner. For the same reason *near-duplicate queries* must be in one fold. Cranfield has 29
# among its 225 (the last section shows it). The library puts queries into one group if the Jaccard similarity of their
# terms is at least 0.5, directly or by a chain of such pairs, and each group into one fold.
#
# Here each need gets a twin: the same words plus *animal*, which is in every passage, and the same judgments.
#
# *Guess first:* what happens to the held-out value of the trees if twins may be in different folds?

# %% tags=["guess"]
twins = {query.query_id: query.text for query in queries}
twins |= {
    f"{query.query_id}-twin": f"{query.text} animal" for query in queries
}
judged = {
    query_id: dict(qrels[query_id.removesuffix("-twin")]) for query_id in twins
}
doubled = toysearch.features(
    collection, six, index=index, queries=twins, qrels=judged
)
for name, least in (("twins divided", 1.0), ("twins together", 0.5)):
    shown(name, toysearch.learn(doubled, TREES, similarity=least))

# %% [markdown]
# With twins divided, the trees seem to beat BM25 clearly, with an interval above 0. Nothing was learned that helps a
# new query: they have met the answers. With twins together, more than half of the gain is gone, and the interval
# includes 0. (It is still too narrow: it counts each need twice.)
#
# ### Exercise 12.6: queries that belong in one fold
#
# Which of your `queries` belong in one group, if a Jaccard similarity of at least `least` joins two of them? Answer
# with a list of groups of ids; leave out queries without a near duplicate.

# %%
labs.given("12.6")

# %%
# solution
g = labs.given("12.6")
answer = []
for query_id, words in g.queries.items():
    near = {query_id}
    for other, others in g.queries.items():
        shared, both = set(words) & set(others), set(words) | set(others)
        if len(shared) / len(both) >= g.least:
            near.add(other)
    joined = [group for group in answer if group & near]
    answer = [group for group in answer if not group & near]
    answer.append(near.union(*joined))
answer = [group for group in answer if len(group) > 1]
# student: answer = ...  # your turn: a list of lists, such as [["1", "7"], ["2", "5", "9"]]
# end solution
labs.check("12.6", answer)

# %% [markdown]
# ## 7. A control: learn from noise
#
# Is the experiment itself right? A good test is one whose answer is known. Keep BM25, and shuffle the rows of all other
# features among the documents of each query. Now they say nothing about a document. A right experiment must find no
# gain.
#
# *Guess first:* what do the trees reach on the same queries, with real and with shuffled features?

# %% tags=["guess"]
import dataclasses

values, generator = real.values.copy(), np.random.default_rng(0)
for first, last in zip(real.starts, real.starts[1:], strict=False):
    order = generator.permutation(last - first)
    values[first:last, 1:] = values[first:last, 1:][order]
noise = dataclasses.replace(real, values=values)
for learner in ("logistic", TREES):
    for kind, data in (("real", real), ("shuffled", noise)):
        shown(
            f"{learner.partition(':')[0]}, {kind}",
            toysearch.learn(data, learner),
        )

# %% [markdown]
# On the same queries the trees are nearly as good with noise as with real features: that value measures memory, not
# relevance. Held out, noise gains nothing, and costs much: a learner believes in chance patterns and reorders the good
# ranking of BM25 by them. The weighted sum has less room for that.
#
# If shuffled features *do* gain, held out, look for the error: a baseline that lost its documents outside the pool, or
# unjudged documents dropped from one of the rankings only. The control does not find every error: judgments that have
# become a feature are shuffled with the others, and so do no harm in the control.
#
# ### Exercise 12.7: a control with shuffled features
#
# Each of your `experiments` compares a learned ranker with BM25. It has the gain on the same queries, and the held-out
# gain with its interval, for the real features and for shuffled ones. What does it show: a `"gain"`, is it
# `"inconclusive"`, or is there an `"error"` in it? Answer with a list in their order.

# %%
labs.given("12.7")

# %%
# solution
answer = [
    "error"
    if each["shuffled"]["low"] > 0
    else "gain"
    if each["held out"]["low"] > 0
    else "inconclusive"
    for each in labs.given("12.7").experiments
]
# student: answer = ...  # your turn: a list such as ["gain", "inconclusive"]
# end solution
labs.check("12.7", answer)

# %% [markdown]
# ## 8. Features of your own
#
# ### Exercise 12.8: features that reach a bar
#
# Find features with which the `logistic` learner reaches the `bar`: the held-out AP in your own folds, which your
# `seed` decides. The names of features are those of section 1, and any model: `lm-dirichlet:mu=200`, `rm3(bm25)`,
# `lsa:100`, also in `min-max(…)`. `value` gives the held-out AP of a list of features.

# %%
labs.given("12.8")


# %%
def value(names):
    table = toysearch.features(collection, names, index=index)
    found = toysearch.learn(table, "logistic", seed=labs.given("12.8").seed)
    return found.held_out.value


# %% tags=["yours"]
print(f"{value(['bm25', 'coverage', 'length']):.4f}")

# %%
# solution
answer = [
    "min-max(bm25)",
    "min-max(lsa:100)",
    "min-max(rm3(bm25))",
    "coverage",
]
# student: answer = ...  # your turn: a list such as ["bm25", "coverage"]
# end solution
labs.check("12.8", answer)

# %% [markdown]
# How many lists did you try? You chose the best of them by its held-out value, so that value is optimistic again (lab
# 10). Only other queries can show whether the gain holds. Here are four features on the 225 queries of Cranfield (lab
# 7).
#
# *Guess first:* will the gain over BM25 be larger or smaller there?

# %% tags=["guess"]
cranfield = toysearch.load("cranfield")
print(
    toysearch.learn(
        toysearch.features(
            cranfield,
            ["min-max(bm25)", "min-max(lsa:100)", "coverage", "length"],
        ),
        "logistic",
    )
)

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Explain how two near-duplicate queries in different folds make a ranker look better than it is, and what to do about
# it. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - A learner knows only what the features say; new evidence gains more than another learner.
# - Make features comparable across queries, and split by query, with near-duplicate queries together.
# - Report the held-out value with an interval. The value on the same queries measures memory.
# - Run the experiment on shuffled features. If noise gains, the experiment is wrong.
# - A score should explain itself: shares add up to it.
#
# More to try: `toysearch learn companions --learner boosting --features "bm25 lsa:100 length"`.
# `docs/look-up/results.md` has results on three collections.
#
# ## Further reading
#
# Joachims, "Optimizing search engines using clickthrough data", KDD 2002 · Burges, Shaked, Renshaw, Lazier, Deeds,
# Hamilton & Hullender, "Learning to rank using gradient descent", ICML 2005 · Liu, "Learning to rank for information
# retrieval", *Foundations and Trends in Information Retrieval* 3(3), 2009 · Burges, "From RankNet to LambdaRank to
# LambdaMART: an overview", Microsoft Research MSR-TR-2010-82 · Qin & Liu, "Introducing LETOR 4.0 datasets",
# arXiv:1306.2597, 2013 · Kaufman, Rosset, Perlich & Stitelman, "Leakage in data mining: formulation, detection, and
# avoidance", *ACM Transactions on Knowledge Discovery from Data* 6(4), 2012 · Hastie, Tibshirani & Friedman, *The
# Elements of Statistical Learning*, 2nd edition, Springer 2009, chapter 7
