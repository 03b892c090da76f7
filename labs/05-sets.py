# %% [markdown]
# # Lab 5: Precision, recall and F
#
# How good is what a search returned? Here as a *set*: in which order the documents stand does not count yet (lab 6). After
# this lab you can fill in the 2×2 table, compute and interpret what is made of it, say why accuracy is useless and F is a
# harmonic mean, and see through numbers that were made to look good.
#
# You need: Python with sets and dicts. From labs 1 to 4 nothing but the idea that a search returns documents.

# %%
from toysearch import labs

labs.start(5, student="anyone")

# %% [markdown]
# ## 1. The 2×2 table
#
# For one query people have judged which documents are *relevant*; a system has *returned* some. Each of the N documents of
# the collection is in one of four cells:
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
# By hand: of 1,000 documents 100 are relevant; a system returns 20, of which 8 are relevant. TP = 8, FP = 12, FN = 92, TN =
# 1000 − 8 − 12 − 92 = 888. P = 8/20 = 0.4, R = 8/100 = 0.08, fallout = 12/900 = 0.0133. By machine:

# %%
import toysearch

returned = [f"d{number}" for number in range(1, 21)]
relevant = returned[:8] + [f"e{number}" for number in range(1, 93)]
run, qrels = {"a query": returned}, {"a query": dict.fromkeys(relevant, 1)}
measures = "TP FP FN TN(N=1000) SetP SetR Fallout(N=1000)"
toysearch.evaluate(run, qrels, measures)

# %% [markdown]
# What needs TN needs N, the size of the collection: neither a ranking nor judgments tell it. In practice there is a larger
# hole. Nobody has read all documents, so FN is known only as far as people have judged (lab 9).
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
# So many documents were returned, so many are relevant, `both` are both, N are in the collection.

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
# Accuracy is the part of all decisions that is right, (TP + TN)/N. For telling cats from dogs it is a natural measure. In a
# search nearly everything is not relevant, and TN swamps the rest. One document of 1,000 is relevant, and a system
# returns *nothing*:

# %%
print(
    toysearch.evaluate(
        {"a query": []},
        {"a query": {"d1": 1}},
        "SetAccuracy(N=1000) SetR SetP",
    ).means
)

# %% [markdown]
# The same on the collection of this course: mean accuracy of a system that returns nothing, and of BM25's first ten and
# first hundred documents.
#
# *Guess first:* which of the three has the highest accuracy?

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
# What decides which of the three is the highest? The next exercise shows it.
#
# ### Exercise 5.3: beating a system that returns nothing
#
# In a collection of N documents `relevant` are relevant. A system returns as many as given. How many of these must be
# relevant, at the least, for its accuracy to be *higher* than that of a system that returns nothing?

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
# N has no part in it, and neither has the number of relevant documents. So accuracy calls a search worse than no search
# unless its precision is above a bar that is the same everywhere. Which?
#
# ## 3. One number from two
#
# Precision alone is easy: return one document of which you are sure. Recall alone is easier: return everything. So both
# have to be told, or one number that cannot be had for nothing. Which? For P and R there are three means:

# %%
from toysearch.evaluation.result import means

for P, R in ((0.6, 0.2), (0.01, 1), (1, 0.01)):
    three = means([P, R])._asdict()
    print(
        f"P = {P:<5} R = {R:<5}",
        ", ".join(f"{name} {value:.4f}" for name, value in three.items()),
    )

# %%
import altair as alt

from toysearch.laboratory.reports.charts import COLOURS


def drawn(rows, x, y, series, logarithmic=False):
    """Lines, one for each value of `series`."""
    names = list(dict.fromkeys(row[series] for row in rows))
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
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
        "mean": getattr(means([percent / 100, 1]), kind),
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
# Recall is 1 all along: everything is returned. The arithmetic mean pays 0.5 for that. The harmonic mean is near the
# smaller of the two, never above twice it: neither can make up for the other. It is called F:
#
# $$F = \frac{2}{1/P + 1/R} = \frac{2PR}{P + R} = \frac{2\,TP}{\text{returned} + \text{relevant}}$$
#
# The last form is Dice's coefficient of the two sets (lab 3), and says why *this* mean: P and R are two fractions with the
# same numerator, and F is the one with the mean of their denominators. If P and R are both 0, so is F.
#
# (On a terminal, `toysearch means 0.6 0.2` prints the three means with their arithmetic.)
#
# ### Exercise 5.4: a function for any two lists
#
# Write a function that takes two lists of doc_ids and returns P, R and F. Where a denominator is 0, the value is to be 0:
# that is trec_eval's convention, and section 4 has another.


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
# Somebody measures with (P + R)/2. Give a set of documents (a list of their ids) for the query that you are given that gets
# at least 0.5, without looking at any document or judgment. Nothing forbids long lists.

# %%
labs.given("5.5")

# %%
# solution
answer = [document.doc_id for document in collection.documents]
# student: answer = ...  # your turn: a list of doc_ids
# end solution
labs.check("5.5", answer)

# %% [markdown]
# What does an honest system get for the same query? BM25 ranks all documents that match; the rest of the collection follows
# in any order. The longer the list that is returned, the higher is recall and the lower, on the whole, is precision.


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
    both = means([hits / k, hits / len(wanted)])
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
# With everything returned, (P + R)/2 is one half and a little, whatever the query; F is 2R/(N + R), R the number of relevant
# documents, which is next to nothing. The other end pays as well: one document, if it is relevant, has P = 1 and so again
# half or more; its F is 2/(1 + R). F is not proof against all: it knows no order, and whoever may choose the length of
# the list can choose the one that was best on known queries.
#
# Some care more for one of the two. A patent examiner must not miss anything; who wants one good answer minds a screen
# full of wrong ones. β says how many times as much recall counts as precision, and E, van Rijsbergen's (1979) original, is
# what is missing to 1, so that *less* is better:
#
# $$F = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R} \qquad E = 1 - F$$
#
# The same with a weight α from 0 to 1: F = 1 / (α/P + (1 − α)/R), where β² = (1 − α)/α. The even F has β = 1 and α = 1/2.
#
# By hand: P = 0.5, R = 0.25, β = 2. F = 5 · 0.125 / (4 · 0.5 + 0.25) = 0.625 / 2.25 = 0.2778, nearer to R than the even F,
# 0.3333.

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
# A system is measured on many queries. Two ways to average:
#
# - *macro*: a value for each query, then their mean. Each query counts alike. This is the usual one in retrieval.
# - *micro*: the cells of all queries are added up, then one value of the sums. Each document counts alike, so that queries
#   with long lists or many relevant documents decide.

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
# Precision at 10 is the same both ways: all queries have the same denominator. Recall is not. And the mean of the queries'
# F is never above the F of the two means (the harmonic mean is a concave function): a paper has to say which it prints.
#
# ### Exercise 5.7: two averages
#
# The macro and the micro average of *precision* over the three queries.

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
# Sometimes the collection has no answer. Then R is 0/0, and P is 0 for every list, however short. What should a system get
# that returns nothing, and so does the one right thing? Neither P nor R can say it. Three queries: half right; one document
# returned where nothing is relevant; nothing returned where nothing is relevant.

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
# trec_eval counts such a query as 0, a textbook leaves it out (nan: not a number). Neither tells noise from silence. With
# the first, the mean says as much about the queries as about the system: no system can reach 1. So say how many such
# queries there are and how they were counted (docs/understand/conventions.md has what other tools do).
#
# ## 5. Cutoffs
#
# A search engine returns a ranking, and nobody reads to its end. P@k and R@k are precision and recall of its first k
# documents. P@k divides by k, also where fewer came back; R@k by all relevant documents, also where these are more than k.
# As k grows, R@k can only grow. P@k may do as it likes, and falls in the long run.

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
# Both have limits that are not the system's fault. With 4 relevant documents no ranking has a P@10 above 0.4; with 40 none
# has an R@10 above 0.25. The best means that any system could have here, beside BM25's:

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
# A ranking as R (relevant) and I (irrelevant), best first; `relevant` documents are relevant in all. Give P and R at the
# cutoffs `k` and `deeper`; the deeper one is below the end of the list.

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
# Numbers from introductions, slides and notes that can be found on the web. Which are right? Use your function, paper, or
# `toysearch.evaluate`, before you run the second cell. (A ranking is written as in exercise 5.8.)

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
# B8's ranking is R R R I I R R R I R, and R_cap@5 divides by 5 instead of 7. D2's is the same. E7 has 8 of 20 relevant, 100
# in all; α is as in section 3.

# %% tags=["yours"]
for example in examples:
    for row in example.rows:
        if row.printed and not row.as_printed:
            print(
                f"{example.example_id}: {row.measure} is {row.standard:.4f}, "
                f"printed {row.printed}: {row.slip}"
            )

# %% [markdown]
# `toysearch examples` has all of them, with the ones on rankings that lab 6 is about. The commonest reasons: another
# denominator, a definition that differs in one word, a square or a root lost. Compute an example before you print it.

# %%
labs.progress()

# %% [markdown]
# ## What to take home
#
# - Four cells; precision asks about what was returned, recall about what is relevant. Both need to be told.
# - Accuracy praises silence: in a search nearly everything is rightly left out.
# - F is the harmonic mean because neither of the two may make up for the other; it is Dice of two sets.
# - Say how you averaged, at which cutoff, and what you did with queries that have no answer.
# - A measure that can be had for nothing will be: try it on an empty list and on everything.
#
# Fast already? `toysearch measures SetF` prints formula, range and source of a measure. And try to write a measure that
# rewards silence where nothing is relevant: what else does it reward?
#
# ## Further reading
#
# van Rijsbergen, *Information Retrieval*, 2nd edition, Butterworths 1979, chapter 7 · Manning, Raghavan & Schütze,
# *Introduction to Information Retrieval*, Cambridge 2008, chapter 8 · Buckland & Gey, "The relationship between recall and
# precision", *Journal of the American Society for Information Science* 45(1), 1994 · Chinchor, "MUC-4 evaluation metrics",
# Fourth Message Understanding Conference, 1992 (the name F) · Cleverdon, Mills & Keen, *Factors Determining the Performance
# of Indexing Systems*, Cranfield 1966
