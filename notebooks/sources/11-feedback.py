# %% [markdown]
# # Lab 11: Expansion and relevance feedback
#
# A searcher types two or three words; the author of the best document used others. Stemming and synonyms do not close the gap.
# In this lab the collection itself suggests words: documents that are relevant, or are taken to be relevant because
# they rank first, lend theirs to the query. At the end, documents are compared without any word in common.
#
# Afterwards you can
#
# - compute by hand how Rocchio and RM3 change a query;
# - evaluate feedback of a user without rewarding the system for what it was told;
# - say when expansion harms, and find the queries that it harms;
# - explain why two documents without a shared word can be neighbours among latent topics;
# - say in a query what you mean, with groups of synonyms.
#
# You need labs 3 (vectors), 4 (BM25), 6 (AP) and 8 (significance).

# %%
from toysearch import labs

labs.start(11, student="anyone")

# %%
import warnings

import toysearch

# Notes, such as "this query has no known word", are not shown in this lab.
warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = labs.collection()
index = toysearch.Index.build(collection)
queries, qrels = collection.judged_queries, collection.qrels
threshold = collection.threshold
bm25 = toysearch.Searcher(index, "bm25")

# %% [markdown]
# ## 1. Words that are not there
#
# A model of words finds a document only if it contains a word of the query. How many relevant passages does it miss
# for that reason alone?

# %%
missed, relevant = 0, 0
for query in queries:
    found = set(bm25.search(query.text, k=None).doc_ids)
    good = {d for d, g in qrels[query.query_id].items() if g >= threshold}
    relevant += len(good)
    missed += len(good - found)
print(
    f"{relevant} relevant passages of {len(queries)} needs; "
    f"{missed} share no word with the query"
)

# %% [markdown]
# No formula of lab 4 can rank these passages, whatever its parameters. The query needs more words.
#
# ## 2. Rocchio: the query moves
#
# In 1965 Rocchio saw a query as a vector (lab 3), and asked a user which of the first documents were relevant. The
# query moves towards the mean of those, $D_r$, and away from the mean of the others, $D_n$:
#
# $$q' = q + \frac{\beta}{|D_r|} \sum_{d \in D_r} d - \frac{\gamma}{|D_n|} \sum_{d \in D_n} d$$
#
# Usually β is clearly larger than γ: what a user wants is more uniform than what a user does not want. Negative weights
# are dropped.
#
# ### Exercise 11.1: Rocchio by hand
#
# Your `query` and documents are vectors of counts. Compute the new query, with your `beta` and `gamma`. Keep the words
# with a weight above 0. (To 3 decimals.)

# %%
labs.given("11.1")

# %%
# solution
g = labs.given("11.1")
answer = dict(g.query)
for documents, factor in ((g.relevant, g.beta), (g.not_relevant, -g.gamma)):
    for document in documents:
        for word, count in document.items():
            answer[word] = answer.get(word, 0) + factor * count / len(
                documents
            )
answer = {word: weight for word, weight in answer.items() if weight > 0}
# student: answer = ...  # your turn: a dict such as {"cat": 1.25, "hay": 0.5}
# end solution
labs.check("11.1", answer)

# %% [markdown]
# The library first divides all vectors by their lengths, as lab 3 did, and keeps only the best words, because a
# document has hundreds. Here a user has marked one passage as relevant and another as not relevant:

# %%
need = "tick bite"
print("before:", bm25.search(need, k=3), sep="\n")
after = toysearch.search_again(bm25, need, ["p271"], ["p224"], k=3)
print("after:", after, sep="\n")
[expansion] = labs.explain_expansion(bm25, need, ["p271"], ["p224"])
for term in expansion.parts[:8]:
    _, added = term.parts
    print(f"{term.label:8} {term.value:7.4f}  added {added.value:+.4f}")

# %% [markdown]
# In a terminal: `toysearch search companions "tick bite" --relevant p271 --not p224 --explain`. The word *tick* is in
# the passage that is not relevant too, yet its weight grows: it gains more from the one than it loses by the other.
#
# ## 3. RM3: feedback without a user
#
# Users rarely mark anything. *Pseudo-relevance feedback* takes the first documents as relevant without asking. A
# relevance model (Lavrenko and Croft 2001) estimates how likely a relevant document uses the word $t$: its share of
# each feedback document $d$, weighted by the score of the document,
#
# $$w(t) = \sum_{d} \frac{tf_{t,d}}{dl_d} \cdot s_d$$
#
# The best words are kept, and divided by the sum of their weights: $p(t)$ adds up to 1.
#
# ### Exercise 11.2: a relevance model by hand
#
# Your `documents` are the first three of some query, with their `scores`. Which are the best words (as many as `terms`
# says), and what is the $p(t)$ of each? A word is a text between blanks. (To 3 decimals.)

# %%
labs.given("11.2")

# %%
# solution
g = labs.given("11.2")
weights = {}
for doc_id, text in g.documents.items():
    words = text.split()
    for word in words:
        weights[word] = weights.get(word, 0) + g.scores[doc_id] / len(words)
best = sorted(weights, key=weights.get, reverse=True)[: g.terms]
total = sum(weights[word] for word in best)
answer = {word: weights[word] / total for word in best}
# student: answer = ...  # your turn: a dict such as {"cat": 0.5, "hay": 0.5}
# end solution
labs.check("11.2", answer)

# %% [markdown]
# A query of such words alone would forget what was asked. *RM3* (Abdul-Jaleel and others 2004) mixes both: the query
# keeps the share λ,
#
# $$w'(t) = \lambda \cdot \frac{qtf_t}{\sum_u qtf_u} + (1 - \lambda) \cdot p(t)$$
#
# ### Exercise 11.3: the query and the model mixed
#
# Write this as a function. `query` is a dict of counts, `expansion` a dict with the shares $p(t)$. Return a dict with
# the weights above 0.


# %%
def mixed(query, expansion, lambda_):
    # solution
    length = sum(query.values())
    weights = {
        word: lambda_ * query.get(word, 0) / length
        + (1 - lambda_) * expansion.get(word, 0)
        for word in [*query, *expansion]
    }
    return {word: weight for word, weight in weights.items() if weight > 0}
    # end solution


labs.check("11.3", mixed)

# %% [markdown]
# Is it the formula of the library? It multiplies all weights by the length of the query, which changes no ranking. So
# we compute $p(t)$ from one λ, mix with your function for another λ, and compare with the library:

# %% tags=["yours"]
labs.needs("11.3")


def expanded(lambda_):
    """The counts, what came in, and the weights, by the library."""
    searcher = toysearch.Searcher(index, f"rm3(bm25, lambda={lambda_})")
    [found] = labs.explain_expansion(searcher, "guinea pig food")
    return found.parts


half = expanded(0.5)
counts = {each.label: each.parts[0].quantities["qtf"] for each in half}
counts = {term: qtf for term, qtf in counts.items() if qtf}
length = sum(counts.values())
shares = {each.label: each.parts[1].value / (0.5 * length) for each in half}
print(f"p(t) adds up to {sum(shares.values()):.4f}")
yours = mixed(counts, shares, 0.8)
worst = max(
    abs(yours[each.label] * length - each.value) for each in expanded(0.8)
)
print(f"largest difference between your weights and the library: {worst:.10f}")

# %% [markdown]
# And a check that costs nothing: with λ = 1 the plain query must come back, to the last bit.

# %%
runs = {
    model: toysearch.Searcher(index, model).run(queries)
    for model in ("bm25", "rm3(bm25, lambda=1)", "rm3(bm25)", "rocchio(bm25)")
}
plain, unchanged = runs["bm25"], runs.pop("rm3(bm25, lambda=1)")
print("same passages:", list(plain.doc_ids) == list(unchanged.doc_ids))
print("same scores:  ", bool((plain.values == unchanged.values).all()))

# %% [markdown]
# ## 4. Is it better?
#
# *Guess first:* RM3 and Rocchio take the first ten passages as relevant, whatever they are. Do they gain or lose AP on
# average, and can 58 needs show it?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
comparison = toysearch.compare(runs, qrels, "AP", threshold=threshold)
comparison

# %% [markdown]
# Both add words of the same ten passages, but not the same words with the same weights. RM3 gains clearly. Rocchio
# gains more often than it loses, and its mean hardly moves: its losses are large. Read the interval, not only p: for
# Rocchio, a gain and a loss of nearly 0.04 are both compatible with these needs.

# %%
labs.picture(
    toysearch.plot("queries", comparison),
    "One bar per need, sorted, for the AP of RM3 minus that of BM25. Many "
    "needs gain, up to 0.23; fewer lose, up to 0.10.",
)

# %% [markdown]
# Does it hold elsewhere? Here is the same test on Cranfield (lab 7).
#
# *Guess first:* the needs of Cranfield are whole sentences. Does RM3 gain there too?

# %% tags=["guess"]
cranfield = toysearch.load("cranfield")
shelf = toysearch.Index.build(cranfield)
print(
    toysearch.compare(
        {
            model: toysearch.Searcher(shelf, model).run(
                cranfield.judged_queries
            )
            for model in runs
        },
        cranfield.qrels,
        "AP",
        threshold=cranfield.threshold,
    )
)

# %% [markdown]
# ## 5. A user who marks documents
#
# With a user the documents are known to be relevant. How much is that worth? The judgments of the collection can play
# the user: they mark the relevant ones of the first five passages. But take care. After feedback, the marked passages
# rank first, because their words are in the query, and AP rises even if the user sees nothing new. To score what one
# was told is cheating.
#
# So all passages seen, relevant or not, are removed from the ranking *and* from the judgments. What is left is the
# *residual collection* (Salton and Buckley 1990). The ranking without feedback is evaluated on it too.
#
# ### Exercise 11.4: the residual collection by hand
#
# `before` is the first ranking, of which the user has `seen` this number of documents from the top. `after` is the
# ranking with feedback, `relevant` are all relevant documents. Compute AP of `after` on the residual collection. (To 3
# decimals.)

# %%
labs.given("11.4")

# %%
# solution
g = labs.given("11.4")
seen = g.before[: g.seen]
ranking = [doc_id for doc_id in g.after if doc_id not in seen]
wanted = [doc_id for doc_id in g.relevant if doc_id not in seen]
answer, hits = 0, 0
for rank, doc_id in enumerate(ranking, 1):
    if doc_id in wanted:
        hits += 1
        answer += hits / rank / len(wanted)
# student: answer = ...  # your turn: a number
# end solution
labs.check("11.4", answer)

# %% [markdown]
# `labs.judged_feedback` does this for a whole collection: it returns two runs, without and with feedback, and the
# judgments that are left. Needs without a relevant passage left are dropped. To see the trap, we add a system that finds nothing
# new: it only moves the passages that were marked to the top of the first ranking.
#
# *Guess first:* how much AP does this system gain on the whole collection, and how much on the residual one? And
# Rocchio?

# %% tags=["guess"]


def mean_ap(run, judgments):
    return toysearch.evaluate(run, judgments, "AP", threshold=threshold)["AP"]


found = labs.judged_feedback(collection, index, ["rocchio(bm25)"], docs=5)
again, moved, moved_left = [], {}, {}
for query in queries:
    number, grades = query.query_id, qrels[query.query_id]
    seen = found.seen[number]
    good = [each for each in seen if grades.get(each, 0) >= threshold]
    bad = [each for each in seen if each not in good]
    again.append(
        toysearch.search_again(
            bm25, query.text, good, bad, k=1000, query_id=number
        )
    )
    first = bm25.search(query.text, k=1000).doc_ids
    moved[number] = good + [each for each in first if each not in good]
    if number in found.qrels.query_ids:
        moved_left[number] = [
            each for each in moved[number] if each not in seen
        ]
rocchio = toysearch.Run.from_rankings(again)
for name, judgments, *systems in (
    ("whole collection", qrels, plain, moved, rocchio),
    ("residual collection", found.qrels, found.runs[0], moved_left,
     found.runs[1]),
):  # fmt: skip
    values = [mean_ap(run, judgments) for run in systems]
    print(
        f"{name:20} bm25 {values[0]:.4f}  marked on top {values[1]:.4f}  "
        f"rocchio {values[2]:.4f}"
    )

# %% [markdown]
# On the whole collection the system that finds nothing new gains 0.0248, more than a quarter of the gain of Rocchio. On
# the residual collection it gains nothing, as it should, and Rocchio gains 0.1276: much more than feedback without a
# user, because to know is better than to assume. (All values are lower there, since the easiest passages are gone. Only
# differences between systems on the same collection count.)
#
# ### Exercise 11.5: the gain from a user who marks
#
# The user sees this number of documents (`docs`) for each of your `queries`, and `rocchio(bm25)` searches again. What
# is the gain in mean AP on the residual collection, over those of your queries that have a relevant document left? (To
# 3 decimals.)

# %%
labs.given("11.5")

# %%
# solution
g = labs.given("11.5")
found = labs.judged_feedback(collection, index, ["rocchio(bm25)"], g.docs)
means = []
for run in found.runs:
    values = toysearch.evaluate(
        run, found.qrels, "AP", threshold=threshold
    ).per_query
    left = [values[each]["AP"] for each in g.queries if each in values]
    means.append(sum(left) / len(left))
answer = means[1] - means[0]
# student: answer = ...  # your turn: a number
# end solution
labs.check("11.5", answer)

# %% [markdown]
# ## 6. When it harms
#
# Feedback without a user trusts the first documents. Where several of ten are relevant, their common words describe the
# need. Where one is relevant, nine others speak of something else. Collections of questions often have just one
# relevant document per query. We can imitate that: the same rankings, but of the relevant passages of each need only
# one counts, one of those with the highest grade.

# %%
single = {}
for query in queries:
    grades = qrels[query.query_id]
    highest = max(grades.values())
    if highest >= threshold:
        best = min(each for each in grades if grades[each] == highest)
        single[query.query_id] = {best: 1}
for name, judgments in (("all relevant", qrels), ("one relevant", single)):
    row = "  ".join(
        f"{model} {mean_ap(run, judgments):.4f}" for model, run in runs.items()
    )
    print(f"{name}:  {row}")
print(toysearch.compare(runs, single, "AP"))

# %% [markdown]
# The gain of RM3 shrinks from 0.0403 to 0.0079, which is inconclusive. Rocchio now has a lower mean than BM25, which is
# inconclusive too. The words that came in lead to *more passages on the topic*, and that helps only a searcher who
# wants more than one. On SciFact, where a claim has about one relevant abstract, every kind of feedback in the library
# has a lower mean than BM25 (`docs/look-up/results.md` has the table).
#
# Does the number of relevant passages among the first ten explain which needs gain? Look at each of them:

# %%
import altair as alt

rows = {
    model: toysearch.evaluate(
        run, qrels, "AP P@10", threshold=threshold
    ).per_query
    for model, run in runs.items()
}
points = [
    {
        "relevant among the first ten": round(10 * row["P@10"]),
        "change of AP": rows["rm3(bm25)"][query_id]["AP"] - row["AP"],
    }
    for query_id, row in rows["bm25"].items()
]
chart = (
    alt.Chart(alt.InlineData(values=points))
    .mark_circle(size=60, opacity=0.6)
    .encode(
        x="relevant among the first ten:Q",
        y="change of AP:Q",
    )
    .properties(width=460, height=240)
)
labs.picture(
    chart,
    "The change of AP by RM3 over the number of relevant passages among the "
    "first ten of BM25, one point per need. All losses lie where there are "
    "three or fewer; gains are everywhere.",
)

# %% [markdown]
# Every need that loses has at most three relevant passages among its first ten; with four or more, all gain. But most
# needs with three or fewer gain as well: a rule that says when to switch feedback off is hard to find.
#
# ### Exercise 11.6: queries that feedback harms
#
# Which of your `queries` have a lower AP under `rm3(bm25)` than under `bm25`? Answer with their ids.

# %%
labs.given("11.6")

# %%
# solution
old, new = (
    toysearch.evaluate(runs[model], qrels, "AP", threshold=threshold).per_query
    for model in ("bm25", "rm3(bm25)")
)
answer = [
    query_id
    for query_id in labs.given("11.6").queries
    if new[query_id]["AP"] < old[query_id]["AP"]
]
# student: answer = ...  # your turn: a list such as ["2", "46"]
# end solution
labs.check("11.6", answer)

# %% [markdown]
# Why does a query lose? Here is one that lost much, with the words that came in:

# %%
for query_id in ("46",):
    text = collection.query(query_id).text
    print(text)
    [expansion] = labs.explain_expansion(
        toysearch.Searcher(index, "rm3(bm25)"), text
    )
    grades = qrels[query_id]
    print(
        "first ten, with * if relevant:",
        *(
            doc_id + "*" * (grades.get(doc_id, 0) >= threshold)
            for doc_id in expansion.quantities
        ),
    )
    print("words:", *(each.label for each in expansion.parts[:12]))

# %% [markdown]
# Two of the first ten passages are relevant. Words of the eight others come in, such as *snail*, *rabbit* and *cage*,
# and the query is no longer about parrots alone: this is called *query drift*. `toysearch diff companions --model bm25
# --model "rm3(bm25)"` shows such queries with the documents that moved.
#
# ## 7. Neighbours without a shared word
#
# Feedback brings words in through documents that have a word of the query. There is another way. *Latent semantic
# analysis* (Deerwester and others 1990) describes each word, and each document, by a few numbers: its place among the
# *topics* of the collection. Words that occur in the same documents get similar places. Five documents show it; none
# has both *car* and *automobile*, but both keep the company of *engine*:

# %%
import numpy as np

texts = {
    "d1": "car engine motor",
    "d2": "automobile engine motor",
    "d3": "automobile garage",
    "d4": "cat dog fur",
    "d5": "dog fur leash",
}
tiny = toysearch.Index.build(texts, toysearch.Analyzer.for_language("none"))
words = list(tiny.terms)
tf = np.array(
    [[text.split().count(word) for word in words] for text in texts.values()]
)
df = (tf > 0).sum(0)
idf = np.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
matrix = np.log(1 + tf) * idf
_, strengths, topics = np.linalg.svd(matrix)
print("strengths:", *strengths.round(2))
for word, place in zip(words, topics[:2].T, strict=True):
    print(f"{word:10} " + "  ".join(f"{abs(each):.2f}" for each in place))

# %% [markdown]
# The singular value decomposition finds the two directions that keep most of this matrix: one of vehicles and one of
# pets. (The sign of a direction means nothing, so it is not shown.) The place of a document is the sum of the places of
# its words, each times its weight. The similarity is the cosine of two places:

# %%
places = matrix @ topics[:2].T
places /= np.linalg.norm(places, axis=1, keepdims=True)
print("by words: ", repr(toysearch.similar(tiny, "d1")))
print("by topics:", repr(toysearch.similar(tiny, "d1", "lsa:2")))
print("by hand:  ", *(abs(places[1:] @ places[0])).round(4))

# %% [markdown]
# ### Exercise 11.7: neighbours without a shared word
#
# `topics` has the place of each word among two topics. `first` and `second` are documents with counts; they share no
# word. What is the cosine of their places, if each word counts as often as it occurs? (To 3 decimals.)

# %%
labs.given("11.7")

# %%
# solution
import math

g = labs.given("11.7")
one, other = (
    [
        sum(count * g.topics[word][topic] for word, count in counts.items())
        for topic in (0, 1)
    ]
    for counts in (g.first, g.second)
)
answer = sum(a * b for a, b in zip(one, other, strict=True)) / (
    math.hypot(*one) * math.hypot(*other)
)
# student: answer = ...  # your turn: a number
# end solution
labs.check("11.7", answer)

# %% [markdown]
# Now in our collection. Each of its passages has the word *animal*, on purpose, so here it is a stop word. Fifteen
# topics are few and broad.

# %%
english = index.analyzer
bare = toysearch.Index.build(
    collection,
    toysearch.Analyzer(
        stop=[*english.stop, "animal", "animals"], stem="english"
    ),
)
broad = toysearch.Searcher(bare, "lsa:15")
topical = toysearch.Searcher(bare, "lsa:20")
passages = {each.doc_id: each for each in collection.documents}
sharing = set(toysearch.similar(bare, "p288", k=None).doc_ids)
for hit in toysearch.similar(broad, "p288", k=3):
    share = "shares a word" if hit.doc_id in sharing else "shares no word"
    title = passages[hit.doc_id].fields["title"]
    print(f"{hit.doc_id} {hit.score:.2f} {share:14}  {title}")
for doc_id in ("p288", "p261"):
    print(f"\n{doc_id}: {passages[doc_id].text}")

# %% [markdown]
# The first passage has the word *car*, if only for a ramp, and passages on cars are its neighbours. The second one, on
# a dog left in a hot car, has neither *car* nor *dog* and still belongs there. That is the strength of topics, and
# their weakness: the first passage is about arthritis. A neighbour among fifteen topics is a guess.
#
# ### Exercise 11.8: the nearest stranger
#
# With the index `bare` and the model `lsa:20`: which document that shares no term with your `document` is nearest to
# it? Answer with its id.

# %%
labs.given("11.8")

# %%
# solution
document = labs.given("11.8").document
sharing = set(toysearch.similar(bare, document, k=None).doc_ids)
answer = next(
    hit.doc_id
    for hit in toysearch.similar(topical, document, k=None)
    if hit.doc_id not in sharing
)
# student: answer = ...  # your turn: a text such as "p001"
# end solution
labs.check("11.8", answer)

# %% [markdown]
# A query is a small document, so topics can rank for it too. We compare 100 topics and 20 topics, alone and mixed with
# BM25 or RM3. Each is tested against BM25, and all four p are corrected, since we try four things.
#
# *Guess first:* which will be best?

# %% tags=["guess"]
toysearch.compare(
    {
        model: toysearch.Searcher(index, model).run(queries)
        for model in (
            "bm25",
            "lsa:100",
            "lsa:20",
            "0.5*min-max(bm25) + 0.5*min-max(lsa:100)",
            "0.5*min-max(rm3(bm25)) + 0.5*min-max(lsa:100)",
        )
    },
    qrels,
    "AP",
    threshold=threshold,
)

# %% [markdown]
# A hundred topics gain more than feedback did, twenty have a lower mean (inconclusive), and the three best cannot
# be distinguished. None of these gains is one for all collections: on the exact claims of SciFact, topics alone are far
# below BM25 (`docs/do/search-by-topic.md`). So compare on your own needs before you use any of them.
#
# ## 8. Hybrid search
#
# A search by words finds what is named, one by places finds what is meant. *Hybrid search* asks both. In practice the
# places come from a neural network: each document, and each query, is a vector of a few hundred numbers. The collection
# comes with small ones of 64 numbers, made from its own texts; `dense:companions` ranks by their cosine. A score of
# BM25 and a cosine have different scales, but ranks can be added up. *Reciprocal rank fusion* (Cormack and others 2009)
# gives a document 1 / (k + rank) for each ranking that it is in; k = 60 is usual.
#
# ### Exercise 11.9: two rankings fused
#
# `by_words` and `by_vectors` are rankings, best first. What is the sum of each document of either, with your `k`? (To 4
# decimals.)

# %%
labs.given("11.9")

# %%
# solution
g = labs.given("11.9")
answer = {}
for ranking in (g.by_words, g.by_vectors):
    for rank, doc_id in enumerate(ranking, 1):
        answer[doc_id] = answer.get(doc_id, 0) + 1 / (g.k + rank)
# student: answer = ...  # your turn: a dict of document to number
# end solution
labs.check("11.9", answer)

# %% [markdown]
# The documents that both find come first. Here it is on all needs, beside a mixture of scores that each query brings
# to the same scale:

# %%
toysearch.compare(
    {
        model: toysearch.Searcher(index, model).run(queries)
        for model in (
            "bm25",
            "dense:companions",
            "rrf(bm25, dense:companions)",
            "0.5*min-max(bm25) + 0.5*min-max(dense:companions)",
        )
    },
    qrels,
    "AP",
    threshold=threshold,
)

# %% [markdown]
# The vectors alone have a lower mean than BM25 (inconclusive), and yet both ways to ask both have a higher one: each
# search finds what the other misses. Fusion by ranks needs no scores, but its gain hangs on a single query; the mixture
# of scores gains more. Of 58 needs in a small collection that says little about others.
#
# ## 9. What a query means
#
# The query *data science programming languages* means R, Python, Julia, pandas. *Languages* is a collection of 86 short
# texts on programming, and every text is judged for every need. This is the first of its needs:

# %%
languages = toysearch.load("languages")
shorts = toysearch.Index.build(languages)
need = languages.query("1")
for hit in toysearch.Searcher(shorts, "bm25").search(need, k=5):
    grade = languages.qrels["1"][hit.doc_id]
    print(f"{hit.doc_id} grade {grade:.0f}  {languages[hit.doc_id].title}")

# %% [markdown]
# A joke about a cat, computing at school, and linguistics have the words. Of the 29 relevant texts, 15 have none of them.
# This lab has shown two remedies. A third is a person who knows what is meant: `#syn(…)` makes a group of words that counts
# as one term.
#
# *Guess first:* which remedy gains most?

# %% tags=["guess"]
grouped = (
    "#syn(data statistics) science programming "
    "#syn(languages R Python Julia pandas)"
)
for model, query in (
    ("bm25", need.text),
    ("rm3(bm25)", need.text),
    ("rocchio(bm25)", need.text),
    ("lsa:25", need.text),
    ("bm25", grouped),
    ("lsa:25", grouped),
):
    ranking = toysearch.Searcher(shorts, model).search(query, k=None)
    found = toysearch.evaluate(
        {"1": ranking.doc_ids}, {"1": languages.qrels["1"]}, "AP nDCG@10 R@20"
    )
    row = "  ".join(
        f"{measure} {value:.4f}" for measure, value in found.means.items()
    )
    print(f"{model:14} {'grouped' if query == grouped else 'typed':8} {row}")

# %% [markdown]
# Each helps, and topics help the grouped query too: they bring words that nobody thought of. But this is one need. On all
# 20, `toysearch compare languages --model bm25 --model "rm3(bm25)" --model lsa:25` tests the first two remedies, and the
# tutorial `docs/learn/what-a-query-means.md` goes on from here.
#
# ### Exercise 11.10: a query that says what is meant
#
# Your need has a `query_id`, a `text` and a `description`. Write a query for it, with groups of synonyms or without, of
# at most 25 words, with which `bm25` reaches the AP of the `bar`. Try as often as you like.

# %%
labs.given("11.10")

# %%
# solution
answer = languages.queries.fields[int(labs.given("11.10").query_id) - 1][
    "synonyms"
]
# student: answer = ...  # your turn: a text such as "#syn(cat kitten) food"
# end solution
labs.check("11.10", answer)

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A user has marked documents, and the system ranks again. Explain why the gain must be measured on the residual
# collection. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Feedback adds words of documents: of marked ones (Rocchio), or of the first ones (RM3), mixed with the query.
# - Check expansion where it must do nothing: λ = 1, or β = γ = 0.
# - Documents that a user has judged do not count: evaluate on the residual collection.
# - A mean gain hides losers. With one relevant document per query there may be no gain at all.
# - Latent topics bring documents together that share no word, for better and for worse.
# - Hybrid search adds up ranks, or scores brought to one scale, of a search by words and one by vectors.
# - A query has words and a meaning; a person, the first documents or the topics can bring the words that it lacks.
#
# More to try: `toysearch tune companions --model "rm3(bm25)" --grid docs=3,10 --grid lambda=0.5,0.8,1`, and `toysearch
# similar companions --term tortoise --model lsa:100`.
#
# ## Further reading
#
# Rocchio, "Relevance feedback in information retrieval", in Salton (ed.), *The SMART Retrieval System*, Prentice-Hall
# 1971 · Salton & Buckley, "Improving retrieval performance by relevance feedback", *JASIS* 41(4), 1990 · Deerwester,
# Dumais, Furnas, Landauer & Harshman, "Indexing by latent semantic analysis", *JASIS* 41(6), 1990 · Lavrenko & Croft,
# "Relevance-based language models", SIGIR 2001 · Abdul-Jaleel, Allan, Croft, Diaz, Larkey, Li, Smucker & Wade, "UMass
# at TREC 2004: novelty and HARD", TREC 2004 · Carpineto & Romano, "A survey of automatic query expansion in information
# retrieval", *ACM Computing Surveys* 44(1), 2012 · Manning, Raghavan & Schütze, *Introduction to Information
# Retrieval*, Cambridge 2008, chapters 9 and 18
