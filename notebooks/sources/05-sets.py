# %% [markdown]
# # Lab 5: Precision, recall and F
#
# How good is the result of a search? In this lab the result is a *set*: the order of the documents does not count yet
# (lab 6). After this lab you can fill in the 2×2 table, compute and interpret the measures made from it, explain why
# accuracy is useless and F is a harmonic mean, and see through numbers that were made to look good.
#
# You need Python sets and dicts. From labs 1 to 4 you need only the idea that a search returns documents.

# %%
from toysearch import labs

labs.start(5, student="anyone")

# %% [markdown]
# ## 1. The 2×2 table
#
# For one query, people have judged which documents are *relevant*, and a system has *returned* some documents. Each of
# the N documents of the collection is in one of four cells:
#
# | | returned | not returned | |
# | --- | --- | --- | --- |
# | **relevant** | TP, hits | FN, missed | all relevant: TP + FN |
# | **not relevant** | FP, false alarms | TN, rightly left out | all others: FP + TN |
# | | all returned: TP + FP | | N |
#
# | measure | formula | of … | what part … |
# | --- | --- | --- | --- |
# | precision P | TP / (TP + FP) | the returned documents | is relevant? |
# | recall R | TP / (TP + FN) | the relevant documents | was returned? |
# | fallout | FP / (FP + TN) | the others | was returned? |
# | specificity | TN / (FP + TN) | the others | was left out? (1 − fallout) |
#
# Recall is called *sensitivity* or *true positive rate* elsewhere, fallout *false positive rate*.
#
# By hand: of 1,000 documents 100 are relevant; a system returns 20, of which 8 are relevant. TP = 8, FP = 12, FN = 92,
# TN = 1000 − 8 − 12 − 92 = 888. P = 8/20 = 0.4, R = 8/100 = 0.08, fallout = 12/900 = 0.0133. In Python:

# %%
import toysearch

returned = [f"d{number}" for number in range(1, 21)]
relevant = returned[:8] + [f"e{number}" for number in range(1, 93)]
run, qrels = {"a query": returned}, {"a query": dict.fromkeys(relevant, 1)}
measures = "TP FP FN TN(N=1000) SetP SetR Fallout(N=1000)"
toysearch.evaluate(run, qrels, measures)

# %% [markdown]
# A measure that needs TN needs N, the size of the collection, which neither a ranking nor judgments contain. In
# practice there is a larger gap: nobody has read all documents, so FN is known only as far as people have judged (lab
# 9).
#
# ### Exercise 5.1: the four cells

# %%
labs.given("5.1")

# %%
# solution
g = labs.given("5.1")
found, wanted = set(g.returned), set(g.relevant)
answer = {
    "TP": len(found & wanted),
    "FP": len(found - wanted),
    "FN": len(wanted - found),
}
answer["TN"] = g.N - sum(answer.values())
# student: answer = ...  # your turn: {"TP": a number, "FP": …, "FN": …, "TN": …}
# end solution
labs.check("5.1", answer)

# %% [markdown]
# ### Exercise 5.2: four measures
#
# You get the number of documents returned, the number relevant, the number that are `both`, and N, the size of the
# collection. Compute the four measures.

# %%
labs.given("5.2")

# %%
# solution
g = labs.given("5.2")
false_alarms, others = g.returned - g.both, g.N - g.relevant
answer = {
    "precision": g.both / g.returned,
    "recall": g.both / g.relevant,
    "fallout": false_alarms / others,
    "specificity": (others - false_alarms) / others,
}
# student: answer = ...  # your turn: {"precision": …, "recall": …, "fallout": …, "specificity": …}, to 3 decimals
# end solution
labs.check("5.2", answer)

# %% [markdown]
# ## 2. Why not accuracy?
#
# Accuracy is the share of all decisions that are right, (TP + TN)/N. To distinguish cats from dogs it is a natural
# measure. In a search nearly everything is not relevant, and TN swamps the rest. One document of 1,000 is relevant, and
# a system returns *nothing*:

# %%
toysearch.evaluate(
    {"a query": []}, {"a query": {"d1": 1}}, "SetAccuracy(N=1000) SetR SetP"
)

# %% [markdown]
# The same on the collection of this course: the mean accuracy of a system that returns nothing, and of the first ten
# and the first hundred documents of BM25.
#
# *Guess first:* which of the three has the highest accuracy?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
import warnings

warnings.simplefilter(
    "ignore", toysearch.ToysearchNote
)  # it tells of queries whose words no document has

collection = labs.collection()
index = toysearch.Index.build(collection)
queries, N = collection.judged_queries, index.stats.N
bm25 = toysearch.Searcher(index, "bm25").run(queries, k=1000)


def averages(run, measures):
    """The means of measures over the collection's queries."""
    return toysearch.evaluate(
        run, collection.qrels, measures, threshold=collection.threshold
    ).means


silence = {query.query_id: [] for query in queries}
nothing = averages(silence, f"SetAccuracy(N={N})")
some = averages(bm25, f"SetAccuracy(N={N})@10 SetAccuracy(N={N})@100")
for what, value in zip(
    ("nothing", "first ten", "first hundred"),
    [*nothing.values(), *some.values()],
    strict=True,
):
    print(f"{what:14} {value:.4f}")

# %% [markdown]
# What decides which of the three has the highest accuracy? The next exercise shows it.
#
# ### Exercise 5.3: beating a system that returns nothing
#
# In a collection of N documents, `relevant` are relevant. A system returns the given number of documents. How many of
# these must be relevant, at least, for its accuracy to be *higher* than that of a system that returns nothing?

# %%
labs.given("5.3")

# %%
# solution
g = labs.given("5.3")
errors = {
    hits: (g.returned - hits) + (g.relevant - hits)
    for hits in range(g.returned + 1)
}
answer = min(hits for hits in errors if errors[hits] < g.relevant)
# student: answer = ...  # your turn: a whole number
# end solution
labs.check("5.3", answer)

# %% [markdown]
# The answer does not depend on N or on the number of relevant documents. So accuracy rates a search worse than no
# search unless its precision is above a limit that is the same everywhere. Which limit?
#
# ## 3. One number from two
#
# Precision alone is easy: return one document of which you are sure. Recall alone is easier: return everything. So you
# must report both, or a single number that cannot be had for free. Which one? P and R have three means:

# %%
for P, R in ((0.6, 0.2), (0.01, 1), (1, 0.01)):
    three = labs.means([P, R])._asdict()
    print(
        f"P = {P:<5} R = {R:<5}",
        ", ".join(f"{name} {value:.4f}" for name, value in three.items()),
    )

# %%
import altair as alt


def drawn(rows, x, y, series, logarithmic=False):
    """Lines, one for each value of `series`."""
    names = list(dict.fromkeys(row[series] for row in rows))
    colours = alt.Scale(domain=names, range=list(labs.COLOURS[: len(names)]))
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line()
    return chart.encode(
        x=alt.X(
            f"{x}:Q",
            scale=alt.Scale(
                type="log" if logarithmic else "linear", nice=False
            ),
        ),
        y=alt.Y(f"{y}:Q"),
        color=alt.Color(f"{series}:N", scale=colours),
    ).properties(width=500, height=260)


rows = [
    {
        "precision": percent / 100,
        "mean": getattr(labs.means([percent / 100, 1]), kind),
        "kind": kind,
    }
    for kind in ("arithmetic", "geometric", "harmonic")
    for percent in range(0, 101, 2)
]
labs.picture(
    drawn(rows, "precision", "mean", "kind"),
    "Three means of precision and a recall of 1, over precision from 0 to 1. "
    "The arithmetic mean begins at 0.5, "
    "the two others at 0; the harmonic one is the lowest everywhere. All "
    "meet at 1.",
)

# %% [markdown]
# Recall is 1 throughout: everything is returned. The arithmetic mean rewards that with 0.5. The harmonic mean is near
# the smaller of the two, and never above twice the smaller: neither can make up for the other. It is called F:
#
# $$F = \frac{2}{1/P + 1/R} = \frac{2PR}{P + R} = \frac{2\,TP}{\text{returned} + \text{relevant}}$$
#
# The last form is Dice's coefficient of the two sets (lab 3), and explains why it is *this* mean: P and R are two
# fractions with the same numerator, and F has the mean of their denominators. If P and R are both 0, so is F.
#
# (On a terminal, `toysearch textbook means 0.6 0.2` prints the three means with their arithmetic.)
#
# ### Exercise 5.4: a function for any two lists
#
# Write a function that takes two lists of doc_ids and returns P, R and F. If a denominator is 0, the value is 0: this
# is the convention of trec_eval; section 4 shows another.


# %%
def measures(returned, relevant):
    # solution
    hits = len(set(returned) & set(relevant))
    P = hits / len(returned) if returned else 0
    R = hits / len(relevant) if relevant else 0
    return {"P": P, "R": R, "F": 2 * P * R / (P + R) if P + R else 0}
    # student: ...  # your turn: return {"P": …, "R": …, "F": …}, three numbers
    # end solution


labs.check("5.4", measures)

# %% [markdown]
# ### Exercise 5.5: gaming a mean
#
# Someone evaluates with (P + R)/2. For the given query, give a set of documents (a list of their ids) that gets at
# least 0.5, without looking at any document or judgment. Long lists are allowed.

# %%
labs.given("5.5")

# %%
# solution
answer = [document.doc_id for document in collection.documents]
# student: answer = ...  # your turn: a list of doc_ids
# end solution
labs.check("5.5", answer)

# %% [markdown]
# What does an honest system get for the same query? BM25 ranks all documents that match; the rest of the collection
# follows in any order. The longer the returned list, the higher the recall and, on the whole, the lower the precision.


# %%
def relevant_to(query):
    """The ids of the documents that are relevant to a query."""
    grades = collection.qrels[query.query_id]
    return {
        doc_id
        for doc_id, grade in grades.items()
        if grade >= collection.threshold
    }


query = next(query for query in queries if len(relevant_to(query)) >= 5)
ranked = [
    hit.doc_id
    for hit in toysearch.Searcher(index, "bm25").search(query.text, k=N)
]
ranked += [
    document.doc_id
    for document in collection.documents
    if document.doc_id not in set(ranked)
]
wanted = relevant_to(query)

rows, hits = [], 0
for k, doc_id in enumerate(ranked, 1):
    hits += doc_id in wanted
    both = labs.means([hits / k, hits / len(wanted)])
    rows += [
        {"returned": k, "value": both.arithmetic, "measure": "(P + R)/2"},
        {"returned": k, "value": both.harmonic, "measure": "F"},
    ]
for measure in ("(P + R)/2", "F"):
    its = [row for row in rows if row["measure"] == measure]
    best = max(its, key=lambda row: row["value"])
    print(
        f"{measure:10} everything {its[-1]['value']:.4f}, best "
        f"{best['value']:.4f} at {best['returned']} documents"
    )

# %%
kept = sorted(
    {round(10 ** (step / 40)) for step in range(160)} & set(range(1, N + 1))
    | {N}
)
labs.picture(
    drawn(
        [row for row in rows if row["returned"] in kept],
        "returned",
        "value",
        "measure",
        logarithmic=True,
    ),
    "(P + R)/2 and F of the first documents of a ranking, over how many are "
    "returned, up to the whole collection: "
    "at the end F is near 0 and (P + R)/2 above one half.",
)

# %% [markdown]
# With everything returned, (P + R)/2 is slightly more than one half, whatever the query; F is 2R/(N + R), where R is
# the number of relevant documents, which is almost nothing. The other extreme pays too: a single document, if relevant,
# has P = 1 and so again at least one half; its F is 2/(1 + R). F is not immune to everything: it ignores order, and if
# you may choose the length of the list, you can choose the one that was best on known queries.
#
# One of the two may matter more. A patent examiner must not miss anything; a user who wants one good answer dislikes a
# screen full of wrong ones. β says how many times as much recall counts as precision. E, the original of van Rijsbergen
# (1979), is 1 − F, so *lower* is better:
#
# $$F = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R} \qquad E = 1 - F$$
#
# The same with a weight α from 0 to 1: F = 1 / (α/P + (1 − α)/R), where β² = (1 − α)/α. The balanced F has β = 1 and α
# = 1/2.
#
# By hand: P = 0.5, R = 0.25, β = 2. F = 5 · 0.125 / (4 · 0.5 + 0.25) = 0.625 / 2.25 = 0.2778, which is nearer to R than
# the balanced F, 0.3333.

# %%
run, qrels = {"a query": ["a", "b"]}, {"a query": dict.fromkeys("acde", 1)}
toysearch.evaluate(
    run, qrels, "SetP SetR SetF SetF(beta=2) SetF(alpha=0.2) SetE(beta=2)"
)

# %% [markdown]
# ### Exercise 5.6: F with a preference, and E

# %%
labs.given("5.6")

# %%
# solution
g = labs.given("5.6")
F = (
    (1 + g.beta**2)
    * g.precision
    * g.recall
    / (g.beta**2 * g.precision + g.recall)
)
answer = {"F": F, "E": 1 - F}
# student: answer = ...  # your turn: {"F": a number, "E": a number}, to 3 decimals
# end solution
labs.check("5.6", answer)

# %% [markdown]
# ## 4. Many queries
#
# A system is measured on many queries. There are two ways to average:
#
# - *macro*: compute a value for each query, then their mean. Each query has the same weight. This is usual in
#   retrieval.
# - *micro*: sum the cells of all queries, then compute one value from the sums. Each document has the same weight, so
#   queries with long lists or many relevant documents dominate.

# %%
import statistics

sizes = [len(relevant_to(query)) for query in queries]
print(
    f"relevant documents a query: {min(sizes)} to {max(sizes)}, median "
    f"{statistics.median(sizes):g}"
)
macro = averages(bm25, "P@10 R@10 F@10")
hits = 10 * macro["P@10"] * len(queries)
print(
    f"P@10 macro {macro['P@10']:.4f}, micro {hits / (10 * len(queries)):.4f}"
)
print(f"R@10 macro {macro['R@10']:.4f}, micro {hits / sum(sizes):.4f}")
P, R = macro["P@10"], macro["R@10"]
print(
    f"F@10 mean of the queries' F {macro['F@10']:.4f}, F of the mean P and "
    f"mean R {2 * P * R / (P + R):.4f}"
)

# %% [markdown]
# Precision at 10 is the same either way: all queries have the same denominator. Recall is not. And the mean of the F of
# all queries is never above the F of the two means (the harmonic mean is a concave function): a paper has to say which
# one it reports.
#
# ### Exercise 5.7: two averages
#
# Compute the macro and the micro average of *precision* over the three queries.

# %%
labs.given("5.7")

# %%
# solution
g = labs.given("5.7")
rows = [g.query_1, g.query_2, g.query_3]
answer = {
    "macro": sum(row["both"] / row["returned"] for row in rows) / len(rows),
    "micro": sum(row["both"] for row in rows)
    / sum(row["returned"] for row in rows),
}
# student: answer = ...  # your turn: {"macro": a number, "micro": a number}, to 3 decimals
# end solution
labs.check("5.7", answer)

# %% [markdown]
# ### Queries without relevant documents
#
# Sometimes the collection has no answer. Then R is 0/0, and P is 0 for every list, however short. What should a system
# get if it returns nothing, and so does the only right thing? Neither P nor R can express it. Here are three queries:
# half right; one document returned where nothing is relevant; nothing returned where nothing is relevant.

# %%
run = {"half": ["a", "b"], "noise": ["c"], "silence": []}
qrels = {"half": {"a": 1, "x": 1}, "noise": {"c": 0}, "silence": {"z": 0}}
for convention in ("trec_eval", "textbook"):
    found = toysearch.evaluate(run, qrels, "SetP SetR", convention=convention)
    print(
        f"{convention:10}",
        {name: round(value, 4) for name, value in found.means.items()},
    )
    print(
        " " * 10,
        {
            query_id: values["SetP"]
            for query_id, values in found.per_query.items()
        },
    )
print(
    f"{collection.name}: {sum(size == 0 for size in sizes)} of {len(sizes)} "
    "queries have no relevant document"
)

# %% [markdown]
# trec_eval counts such a query as 0; a textbook leaves it out (nan: not a number). Neither distinguishes noise from
# silence. With 0, the mean says as much about the queries as about the system: no system can reach 1. So report the
# number of such queries and how they were counted (docs/understand/conventions.md shows what other tools do).
#
# ## 5. Cutoffs
#
# A search engine returns a ranking, and nobody reads to its end. P@k and R@k are precision and recall of its first k
# documents. P@k divides by k, even if fewer documents were returned; R@k divides by all relevant documents, even if
# they are more than k. As k grows, R@k never falls. P@k may rise or fall, and falls in the long run.

# %%
cutoffs = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
at = averages(bm25, [f"{measure}@{k}" for k in cutoffs for measure in "PRF"])
rows = [
    {"k": k, "mean": at[f"{measure}@{k}"], "measure": f"{measure}@k"}
    for measure in "PRF"
    for k in cutoffs
]
labs.picture(
    drawn(rows, "k", "mean", "measure", logarithmic=True),
    "Mean P@k, R@k and F@k of BM25 over the cutoff k from 1 to 100: recall "
    "rises, "
    "precision is lower at the end than at the beginning.",
)

# %% [markdown]
# Both have limits for which the system is not to blame. With 4 relevant documents no ranking has a P@10 above 0.4; with
# 40 none has an R@10 above 0.25. Here are the best means that any system could have, beside those of BM25:

# %%
best_P = statistics.fmean(min(size, 10) / 10 for size in sizes)
best_R = statistics.fmean(
    min(size, 10) / size if size else 0 for size in sizes
)
print(f"P@10  at best {best_P:.4f}, BM25 {at['P@10']:.4f}")
print(f"R@10  at best {best_R:.4f}, BM25 {at['R@10']:.4f}")

# %% [markdown]
# ### Exercise 5.8: at a cutoff
#
# You get a ranking as R (relevant) and I (irrelevant), best first; `relevant` documents are relevant in all. Give P and
# R at the cutoffs `k` and `deeper`; the deeper one is below the end of the list.

# %%
labs.given("5.8")

# %%
# solution
g = labs.given("5.8")
marks = g.ranking.split()
answer = {}
for k in (g.k, g.deeper):
    answer[f"P@{k}"] = marks[:k].count("R") / k
    answer[f"R@{k}"] = marks[:k].count("R") / g.relevant
# student: answer = ...  # your turn: such as {"P@3": …, "R@3": …, "P@10": …, "R@10": …}, with your k and deeper
# end solution
labs.check("5.8", answer)

# %% [markdown]
# ## 6. What is printed is not always right
#
# Here are numbers from introductions, slides and notes found on the web. Which are right? Use your function, paper, or
# `toysearch.evaluate` before you run the second cell. (A ranking is written as in exercise 5.8.)

# %%
CHOSEN = ("B8", "C10", "D1", "D2", "E5", "E7", "E8")
examples = [
    example
    for example in toysearch.worked_examples()
    if example.example_id in CHOSEN
]
for example in examples:
    print(f"{example.example_id}: {example.what}")
    for row in example.rows:
        if row.printed:
            print(f"      {row.measure:22} printed {row.printed}")

# %% [markdown]
# The ranking of B8 is R R R I I R R R I R, and R_cap@5 divides by 5 instead of 7. D2 has the same ranking. E7 has 8
# relevant documents of 20 returned, and 100 in all; α is as in section 3.

# %% tags=["yours"]
for example in examples:
    for row in example.rows:
        if row.printed and not row.as_printed:
            print(
                f"{example.example_id}: {row.measure} is {row.standard:.4f}, "
                f"printed {row.printed}: {row.slip}"
            )

# %% [markdown]
# `toysearch textbook examples` has all of them, with those on rankings, the subject of lab 6. The most common causes are
# another denominator, a definition that differs in one word, a lost square or root. Compute an example before you print
# it.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Somebody proposes to report the arithmetic mean of precision and recall. Explain why F is a harmonic mean instead,
# and what F still hides. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - There are four cells; precision asks about the returned documents, recall about the relevant ones. Report both.
# - Accuracy rewards silence: in a search nearly everything is rightly left out.
# - F is the harmonic mean, because neither of the two may make up for the other; it is Dice's coefficient of two sets.
# - Say how you averaged, at which cutoff, and how you treated queries without an answer.
# - A measure that can be gamed will be gamed: try it on an empty list and on everything.
#
# Finished early? `toysearch measures SetF` prints formula, range and source of a measure. And try to write a measure
# that rewards silence where nothing is relevant: what else does it reward?
#
# ## Further reading
#
# van Rijsbergen, *Information Retrieval*, 2nd edition, Butterworths 1979, chapter 7 · Manning, Raghavan & Schütze,
# *Introduction to Information Retrieval*, Cambridge 2008, chapter 8 · Buckland & Gey, "The relationship between recall and
# precision", *Journal of the American Society for Information Science* 45(1), 1994 · Chinchor, "MUC-4 evaluation metrics",
# Fourth Message Understanding Conference, 1992 (the name F) · Cleverdon, Mills & Keen, *Factors Determining the Performance
# of Indexing Systems*, Cranfield 1966
