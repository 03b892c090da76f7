# %% [markdown]
# # Lab 6: Measures of rankings
#
# A document in a set is right or wrong. A ranking is better or worse by degrees: a reader who finds the answer at rank
# 1 is served better than one who finds it at rank 9, and both better than one who gives up. This lab is about the
# numbers that measure these degrees, and about their conventions, which make two people report different numbers for
# the same ranking.
#
# Afterwards you can
#
# - compute P@k, RR, AP, the 11-point curve and nDCG by hand, and write AP and nDCG yourself;
# - name the convention that a printed number follows, and find the error in one that follows none;
# - describe the effect of equal scores and of unjudged documents on a value;
# - examine values query by query before you look at a mean.
#
# You need lab 5 (precision and recall of a set), and a little Python: loops, lists, dicts, functions.

# %%
from toysearch import labs

labs.start(6, student="anyone")

# %% [markdown]
# ## 1. Down to rank k, down to the first, over all of them
#
# Let r(i) be 1 if the document at rank i is relevant, else 0, and R the number of relevant documents in the whole
# collection, *found or not*. Then
#
# | | |
# | --- | --- |
# | $P@k = \frac{1}{k} \sum_{i=1}^{k} r(i)$ | precision of the first k |
# | $R@k = \frac{1}{R} \sum_{i=1}^{k} r(i)$ | recall of the first k |
# | $RR = 1 / \text{rank of the first relevant}$ | reciprocal rank; 0 if there is none |
# | $Rprec = P@R$ | R-precision: there precision and recall are equal |
# | $AP = \frac{1}{R} \sum_{i} r(i) \cdot P@i$ | average precision |
#
# Each is the value of *one query*. The mean of AP over queries is called MAP, that of RR is MRR. An example: of eight
# documents, those at ranks 2, 3 and 6 are relevant, and two more relevant ones were not found, so R = 5.

# %%
r = [0, 1, 1, 0, 0, 1, 0, 0]
R = 5

hits = [sum(r[:i]) for i in range(1, len(r) + 1)]
precision = [count / i for i, count in enumerate(hits, 1)]
for i in range(len(r)):
    counts = f"<- counts: {hits[i]}/{i + 1}" if r[i] else ""
    print(
        f"rank {i + 1}  r {r[i]}  hits {hits[i]}  P@{i + 1} "
        f"{precision[i]:.4f}  {counts}"
    )
print(
    f"P@5 {hits[4]}/5   R@5 {hits[4]}/{R}   RR 1/2   Rprec {hits[R - 1]}/{R}"
)
print(
    f"AP  (1/2 + 2/3 + 3/6) / {R} = "
    f"{sum(p for p, found in zip(precision, r, strict=True) if found) / R:.4f}"
)

# %% [markdown]
# The library takes the same ranking in one line; R stands for relevant, I for irrelevant:

# %%
import toysearch

typed = toysearch.typed_ranking("I R R I I R I I", relevant=5)
result = toysearch.evaluate(typed.run, typed.qrels, "P@5 R@5 RR Rprec AP")
result

# %% [markdown]
# In a terminal this is `toysearch score "I R R I I R I I" --relevant 5 -m "P@5 R@5 RR Rprec AP"`, which also shows the
# fractions. Do the exercises by hand first, then let it check you.
#
# ### Exercise 6.1: four measures by hand
#
# Compute P@k, R@k, RR and Rprec for your ranking and your `k`. (`relevant` is R, the number of all relevant documents.
# Three decimals.)

# %%
labs.given("6.1")

# %%
# solution
g = labs.given("6.1")
signs = [sign == "R" for sign in g.ranking.split()]
answer = {
    f"P@{g.k}": sum(signs[: g.k]) / g.k,
    f"R@{g.k}": sum(signs[: g.k]) / g.relevant,
    "RR": 1 / (signs.index(True) + 1),
    "Rprec": sum(signs[: g.relevant]) / g.relevant,
}
# student: answer = ...  # your turn: a dict such as {"P@5": 0.4, "R@5": 0.25, "RR": 1, "Rprec": 0.5}, with your k
# end solution
labs.check("6.1", answer)

# %% [markdown]
# ### Exercise 6.2: average precision by hand
#
# Compute the AP of your ranking to three decimals.

# %%
labs.given("6.2")

# %%
# solution
g = labs.given("6.2")
ranks = [rank for rank, sign in enumerate(g.ranking.split(), 1) if sign == "R"]
answer = sum(count / rank for count, rank in enumerate(ranks, 1)) / g.relevant
# student: answer = ...  # your turn: a number
# end solution
labs.check("6.2", answer)

# %% [markdown]
# **The divisor of AP.** A relevant document that was not retrieved adds 0 to the sum, but still counts in the
# denominator. That is the point of AP, and the place where most home-made versions fail. Here are three divisors for
# the ranking R I I R I with R = 4:

# %%
total = 1 / 1 + 2 / 4
for what, divisor in (
    ("all relevant", 4),
    ("those found", 2),
    ("the length of the ranking", 5),
):
    print(f"by {what:26} {total / divisor:.4f}")

# %% [markdown]
# If the divisor is the number found, AP is 1 for a system that returns a single sure document. With a cutoff there is a
# second question: AP@10 of a query with 50 relevant documents is at most 0.2 if the divisor is 50, as in trec_eval;
# others divide by min(R, 10). Either can be defended. A number without its convention cannot.
#
# ### Exercise 6.3: your own average precision
#
# Write AP as a function. `ranking` is a list of doc_ids, best first; `relevant` is a list of the doc_ids of all
# relevant documents. If there is none, the value is 0. The function will be tested on rankings that you do not see.


# %%
def average_precision(ranking, relevant):
    # solution
    hits, total = 0, 0.0
    for rank, doc_id in enumerate(ranking, 1):
        if doc_id in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0
    # end solution


labs.check("6.3", average_precision)

# %% [markdown]
# Now a collection. BM25 ranks its documents for each judged query, and the library evaluates the ranking. A document is
# *relevant* if its grade is at least the threshold of the collection.

# %%
import warnings

warnings.simplefilter(
    "ignore", toysearch.ToysearchNote
)  # a query may have no word that is in any document

collection = labs.collection()
index = toysearch.Index.build(collection)
queries, qrels, threshold = (
    collection.judged_queries,
    collection.qrels,
    collection.threshold,
)
bm25 = toysearch.Searcher(index, "bm25").run(queries)
result = toysearch.evaluate(
    bm25, qrels, "AP RR nDCG@10 P@10", threshold=threshold
)
print(
    f"{collection.name}, {len(queries)} queries:",
    {name: round(value, 4) for name, value in result.means.items()},
)

# %% [markdown]
# Does your function agree with the library on every query?

# %% tags=["yours"]
labs.needs("6.3")
furthest = 0.0
for query in queries:
    ranking = list(bm25[query.query_id]) if query.query_id in bm25 else []
    relevant = [
        doc_id
        for doc_id, grade in qrels[query.query_id].items()
        if grade >= threshold
    ]
    library = result.per_query[query.query_id]["AP"]
    furthest = max(
        furthest, abs(average_precision(ranking, relevant) - library)
    )
print("every query alike:", furthest < 1e-9)

# %% [markdown]
# ## 2. The 11-point curve
#
# Walk down a ranking and write down recall and precision. Recall rises with each relevant document; between them
# precision falls. The line has the shape of a saw. To average such curves over queries, each is *interpolated*:
#
# $$P_{\text{interpolated}}(x) = \max_{i:\ R@i \ge x} P@i$$
#
# that is, the highest precision at any rank where recall is at least x. It is read at eleven levels, x = 0, 0.1, …, 1.
# The reason lies with the reader: if precision is higher further down, nobody would want to stop before. Levels that
# the ranking never reaches have the value 0. For the ranking from above (2, 3, 6 of R = 5):

# %%
pairs = [(hits[i] / R, precision[i]) for i in range(len(r)) if r[i]]
print(
    "recall, precision at each relevant document:",
    [(round(x, 2), round(p, 4)) for x, p in pairs],
)
levels = [level / 10 for level in range(11)]
by_hand = [
    max([p for recall, p in pairs if recall >= x], default=0.0) for x in levels
]
for x, value in zip(levels, by_hand, strict=True):
    print(f"{x:.1f}  {value:.4f}")
assert by_hand == [
    value
    for _, value in toysearch.curve(typed.run, typed.qrels, points=11).points
]

# %%
import altair as alt

saw = [
    {"recall": hits[i] / R, "precision": precision[i], "rank": i + 1}
    for i in range(len(r))
]
points = [
    {"recall": x, "precision": value}
    for x, value in zip(levels, by_hand, strict=True)
]
scale = alt.Scale(domain=[0, 1])
drawn_saw = (
    alt.Chart(alt.InlineData(values=saw))
    .mark_line(point=True, color="#0072B2")
    .encode(
        x=alt.X("recall:Q", scale=scale),
        y=alt.Y("precision:Q", scale=scale, title="precision"),
        order=alt.Order("rank:Q"),
    )
)
drawn_points = (
    alt.Chart(alt.InlineData(values=points))
    .mark_point(color="#D55E00", filled=True, size=70, shape="diamond")
    .encode(x="recall:Q", y="precision:Q")
)
labs.picture(
    alt.layer(drawn_saw, drawn_points).properties(width=420, height=260),
    "Precision over recall, rank by rank, as a saw; eleven interpolated "
    "points lie on its upper right edge, the last at 0.",
)

# %% [markdown]
# A vertical piece of the saw is a sequence of documents that are not relevant. The points up to a recall of 0.4 are at
# 0.67, even where the ranking itself has 0.5 or less: further down it is better.
#
# ### Exercise 6.4: the 11-point curve by hand
#
# Compute the eleven interpolated precisions of your ranking, for recall 0, 0.1, …, 1. (Three decimals.)

# %%
labs.given("6.4")

# %%
# solution
g = labs.given("6.4")
ranks = [rank for rank, sign in enumerate(g.ranking.split(), 1) if sign == "R"]
answer = [
    max(
        [
            n / rank
            for n, rank in enumerate(ranks, 1)
            if 10 * n >= level * g.relevant
        ],
        default=0,
    )
    for level in range(11)
]
# student: answer = ...  # your turn: a list of eleven numbers
# end solution
labs.check("6.4", answer)

# %% [markdown]
# The mean of the curves of all queries shows where one system is ahead of another: on the left at the top of the
# ranking, on the right for readers who want everything. The mean of the eleven points is an old measure from the first
# TREC conferences (Manning et al. 2008, section 8.4). AP, which uses every relevant document, has replaced it.

# %%
overlap = toysearch.Searcher(index, "overlap").run(queries)
comparison = toysearch.compare(
    {"overlap": overlap, "bm25": bm25}, qrels, "AP", threshold=threshold
)
labs.picture(
    toysearch.plot("pr", comparison),
    "Interpolated precision at eleven levels of recall, mean of all queries: "
    "BM25 lies above overlap nearly everywhere.",
)

# %% [markdown]
# ## 3. Grades: nDCG and its conventions
#
# Relevance has degrees. Let the *gain* of a document be its grade, discounted the further down it ranks, and sum the
# gains:
#
# $$DCG@k = \sum_{i=1}^{k} \frac{gain(i)}{\log_2(i + 1)} \qquad nDCG@k = \frac{DCG@k \text{ of the ranking}}{DCG@k \text{ of the ideal ranking}}$$
#
# The ideal ranking has all judged documents of the query by descending grade, *retrieved or not*, cut at the same k. An
# unjudged document gains 0. Here is an example from lecture slides: a ranking with the grades 3 2 3 0 1 2, where 3 3 3
# 2 2 2 1 0 were judged.

# %%
from math import log2

grades, judged = [3, 2, 3, 0, 1, 2], [3, 3, 3, 2, 2, 2, 1, 0]
dcg = sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))
ideal = sum(grade / log2(rank + 1) for rank, grade in enumerate(judged[:6], 1))
print(f"{dcg:.4f} / {ideal:.4f} = {dcg / ideal:.4f}")

# %% [markdown]
# The library explains the value: it runs its own code on this one query and shows each quantity as computed. On the
# command line this is `toysearch eval … --explain nDCG@6 --query-id …`.

# %%
import textwrap

slides = toysearch.typed_ranking("3 2 3 0 1 2", judged="3 3 3 2 2 2 1 0")
evaluated = toysearch.evaluate(slides.run, slides.qrels, "nDCG@6")
why = toysearch.explain_measure(
    slides.run, slides.qrels, evaluated, "nDCG@6", "typed"
)
for line in (
    str(why).replace("query typed", "the slides' ranking").splitlines()
):
    print(textwrap.fill(line, 90, subsequent_indent="  "))

# %% [markdown]
# Three parts of it are conventions, and all of these are in use:
#
# | question | usual here, and in trec_eval | others |
# | --- | --- | --- |
# | which gain? | the grade | 2^grade − 1 (Burges et al. 2005): only the best grades count much |
# | which discount? | log₂(rank + 1) | 1 at ranks 1 and 2, then log₂(rank): Järvelin & Kekäläinen 2002 with b = 2 |
# | which ideal? | all judged documents | those of the ranking itself; the top of the scale at every rank |
#
# (The base of the logarithm in log(rank + 1) is not a convention: it cancels in the ratio.)

# %%
for parameters in (
    "",
    "(dcg='exp-log2')",
    "(discount='jk')",
    "(ideal='ranking')",
    "(ideal='max')",
):
    name = f"nDCG{parameters}@6"
    print(
        f"{toysearch.evaluate(slides.run, slides.qrels, name)[name]:.4f}  "
        f"{name}"
    )

# %% [markdown]
# From 0.69 to 0.96, for one ranking. An ideal made from the ranking itself only shows whether the documents found are
# in a good order: a system that finds a single document of grade 1 has nDCG 1.
#
# ### Exercise 6.5: your own nDCG
#
# Write nDCG@k by the usual convention: the gain is the grade, the discount is log₂(rank + 1), the ideal ranking has all
# judged documents, and everything is cut at k. `ranking` is a list of doc_ids, `grades` a dict from the doc_ids of all
# judged documents to their grades; documents not in it are unjudged and gain 0. If no document has a gain, the value is
# 0.


# %%
def ndcg(ranking, grades, k):
    # solution
    def dcg(gains):
        return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))

    ideal = dcg(sorted(grades.values(), reverse=True)[:k])
    return (
        dcg([grades.get(doc_id, 0) for doc_id in ranking[:k]]) / ideal
        if ideal
        else 0.0
    )
    # end solution


labs.check("6.5", ndcg)

# %% tags=["yours"]
labs.needs("6.5")
furthest = 0.0
for query in queries:
    ranking = list(bm25[query.query_id]) if query.query_id in bm25 else []
    library = result.per_query[query.query_id]["nDCG@10"]
    furthest = max(
        furthest, abs(ndcg(ranking, qrels[query.query_id], 10) - library)
    )
print("every query alike:", furthest < 1e-9)

# %% [markdown]
# ### Exercise 6.6: which convention?
#
# Five people report nDCG of the same ranking and the same judgments. Each has changed one thing, or nothing. Name the
# change for each number: `"usual"`, `"exponential"` (gain 2^grade − 1), `"old discount"` (Järvelin & Kekäläinen), `"own
# ideal"` (from the grades of the ranking) or `"top of the scale"` (the highest grade at every rank of the ranking).

# %%
labs.given("6.6")

# %%
# solution
g = labs.given("6.6")
found = toysearch.typed_ranking(
    " ".join(map(str, g.ranking)), judged=" ".join(map(str, g.judged))
)
spelled = {
    "usual": "nDCG",
    "exponential": "nDCG(dcg='exp-log2')",
    "old discount": "nDCG(discount='jk')",
    "own ideal": "nDCG(ideal='ranking')",
    "top of the scale": "nDCG(ideal='max')",
}
values = {
    name: toysearch.evaluate(found.run, found.qrels, measure)[measure]
    for name, measure in spelled.items()
}
answer = [
    min(values, key=lambda name: abs(values[name] - printed))
    for printed in g.printed
]
# student: answer = ...  # your turn: a list of five, such as ["usual", "own ideal", …]
# end solution
labs.check("6.6", answer)

# %% [markdown]
# This is not just a game. Here are numbers from blog posts, lecture slides and articles that students read, each with
# the value by the usual definition and the reason for the printed one. (`toysearch textbook examples` has all of them.)

# %%
examples = toysearch.worked_examples()
rows = [(example, row) for example in examples for row in example.rows]
slips = [(example, row) for example, row in rows if row.as_printed is False]
print(f"{len(rows)} numbers, {len(slips)} of them printed otherwise. A few:")
for example, row in slips:
    if example.example_id in ("A11", "B1", "B5", "B8", "D3"):
        measure = row.measure.replace("(dcg='exp-log2')", " (2^grade - 1)")
        print(
            f"\n{example.example_id}  {measure} {row.case}: printed "
            f"{row.printed}, usual {row.standard:.4g}"
        )
        print(f"     {row.slip}")

# %% [markdown]
# D3 is the most common error: a description of AP as the mean of precision over *all* ranks. The lesson is not that
# others are careless. It is: compute one example by hand before you trust any tool, and write down the convention.
#
# ## 4. Readers behind the formulas
#
# A measure weights ranks, and the weights describe a reader. P@10: reads ten documents and weights them equally. RR:
# stops at the first relevant one. *Rank-biased precision* (RBP, Moffat & Zobel 2008): continues after each document
# with probability p, so rank i is read with probability p^(i−1), and RBP = (1 − p) · Σ r(i) · p^(i−1). *Expected
# reciprocal rank* (ERR, Chapelle et al. 2009): a document of grade g satisfies the reader with probability (2^g − 1) /
# 2^g_max, and then the reader stops; ERR is the expected 1 / rank of the stop. So a good document takes weight from all
# those below it.

# %%
for ranking in ("3 0 0 0", "0 0 0 3", "3 3 0 0", "1 1 1 1"):
    each = toysearch.typed_ranking(ranking, judged="3 3 1 1 1 1 0 0 0 0")
    values = toysearch.evaluate(
        each.run, each.qrels, "RR P@4 AP nDCG RBP(rel=1) ERR(max_rel=3)"
    ).means
    print(
        ranking,
        " ",
        "  ".join(
            f"{name.partition('(')[0]} {value:.3f}"
            for name, value in values.items()
        ),
    )

# %%
readers = {
    "P@10": lambda rank: 1.0 if rank <= 10 else 0.0,
    "nDCG: 1/log₂(rank + 1)": lambda rank: 1 / log2(rank + 1),
    "nDCG, old discount": lambda rank: 1 / max(1, log2(rank)),
    "RBP, p = 0.8": lambda rank: 0.8 ** (rank - 1),
    "reciprocal rank": lambda rank: 1 / rank,
}
rows = [
    {"rank": rank, "weight": weight(rank), "measure": name}
    for name, weight in readers.items()
    for rank in range(1, 16)
]
names = list(readers)
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(point=alt.OverlayMarkDef(size=18), strokeWidth=2)
    .encode(
        x=alt.X("rank:Q", axis=alt.Axis(values=list(range(1, 16)))),
        y=alt.Y("weight:Q", title="weight, beside that of rank 1"),
        color=alt.Color(
            "measure:N",
            title=None,
            sort=names,
            scale=alt.Scale(
                domain=names,
                range=["#000000", "#0072B2", "#56B4E9", "#D55E00", "#009E73"],
            ),
        ),
    )
    .properties(width=420, height=260)
)
labs.picture(
    lines,
    "What a relevant document counts at ranks 1 to 15: the same down to 10 "
    "for P@10, slowly falling for nDCG, "
    "fast for RBP and the reciprocal rank.",
)

# %% [markdown]
# None of these readers is the true one. Choosing a measure means deciding for whom you build the system, before you see
# the results.
#
# ## 5. Ties
#
# Overlap (lab 2) gives many documents the same score. Which comes first? The model does not say, and yet values depend
# on it. trec_eval ignores the order of lines and the rank column of a run file: it sorts by score (read as a 32-bit
# number), and equal scores by doc_id *as text, descending*. So renaming documents changes its values. Other tools have
# other rules.
#
# *Guess first:* three documents tie below the first, and one of the three is relevant: `d3`. At which rank will
# trec_eval see it?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
scores = {"q": {"d1": 3.0, "d2": 2.0, "d3": 2.0, "d10": 2.0}}
relevant = {"q": {"d3": 1}}
print("as texts, falling:", sorted(["d2", "d3", "d10"], reverse=True))
for rule in ("trec_eval", "rank", "average"):
    ap = toysearch.evaluate(scores, qrels=relevant, measures="AP", ties=rule)
    print(f"{rule:10} AP {ap['AP']:.4f}")
low, high = toysearch.evaluate(
    scores, qrels=relevant, measures="AP", ties="bounds"
).tie_bounds["AP"]
print(f"bounds     AP {low:.4f} to {high:.4f}")

# %% [markdown]
# `rank` keeps the given order, `average` is the exact mean over all orders of the tied documents (McSherry & Najork
# 2008), `bounds` are the lowest and the highest value. If the bounds of two systems overlap a lot, their difference may
# be due to ties.
#
# ### Exercise 6.7: the effect of equal scores
#
# Four of your documents tie. `relevant` are all relevant documents, retrieved or not. Give AP in the order of
# trec_eval, the lowest and the highest AP over all orders of the tied documents, and the mean over these orders. (Three
# decimals. Your function from 6.3 may help.)

# %%
labs.given("6.7")

# %%
from itertools import permutations

# solution
g = labs.given("6.7")
by_score = sorted(g.scores, key=lambda doc_id: -g.scores[doc_id])
middle = by_score[1:5]
values = [
    average_precision([by_score[0], *order, by_score[5]], g.relevant)
    for order in permutations(sorted(middle, reverse=True))
]
answer = {
    "trec_eval": values[0],
    "lowest": min(values),
    "highest": max(values),
    "average": sum(values) / len(values),
}
# student: answer = ...  # your turn: {"trec_eval": …, "lowest": …, "highest": …, "average": …}
# end solution
labs.check("6.7", answer)

# %% [markdown]
# And on the collection: how much can the order of ties alone change the mean?

# %%
for name, run in (("overlap", overlap), ("bm25", bm25)):
    evaluated = toysearch.evaluate(run, qrels, "AP RR", threshold=threshold)
    for measure, (low, high) in evaluated.tie_bounds.items():
        print(
            f"{name:8} {measure:3} {evaluated[measure]:.4f}, in any order of "
            f"ties {low:.4f} to {high:.4f}"
        )

# %% [markdown]
# ## 6. Before the mean: what was not judged, and each query
#
# Nobody judges every document for every query. *Unjudged* documents count as not relevant in all measures above. That
# is a guess, mostly right, but never in favour of a system that finds what others did not. Report two numbers with
# every value: the share of the first ten that was judged, and the value if the unjudged documents were as good as
# possible.

# %%
judged_share = toysearch.evaluate(
    bm25, qrels, "Judged@10", threshold=threshold
)["Judged@10"]
low, high = toysearch.unjudged_bounds(
    bm25, qrels, "P@10", threshold=threshold
).means["P@10"]
print(
    f"{judged_share:.0%} of the first ten are judged; P@10 "
    f"{result['P@10']:.4f}, with the unjudged {low:.4f} to {high:.4f}"
)

# %% [markdown]
# The lower bound is the value itself. If judgments are few, the upper bound shows how little is known. Lab 9 is about
# this.
#
# A mean over queries hides just as much. Here are the values of AP behind it:

# %%
import statistics

values = {query_id: row["AP"] for query_id, row in result.per_query.items()}
for low in range(0, 100, 10):
    count = sum(
        low <= 100 * value < low + 10 or (low == 90 and value == 1)
        for value in values.values()
    )
    print(
        f"{low / 100:.1f} to {low / 100 + 0.1:.1f}  {count:3}  "
        f"{'█' * round(60 * count / len(values))}"
    )
spread = statistics.pstdev(values.values())
print(
    f"mean {statistics.fmean(values.values()):.4f}, median "
    f"{statistics.median(values.values()):.4f}, spread {spread:.4f}"
)
cosine = toysearch.evaluate(
    toysearch.Searcher(index, "cosine").run(queries),
    qrels,
    "AP",
    threshold=threshold,
)
print(f"mean of another system, cosine: {cosine['AP']:.4f}")

# %% [markdown]
# The values are spread over the whole scale, and a query near the mean is not typical. The spread between queries (a
# standard deviation) is many times the difference between two good systems. This is why systems are compared *query by
# query*: first the difference for each query, then its mean.
#
# ### Exercise 6.8: query by query
#
# For your two systems, your measure and your queries, give the mean difference (second − first, four decimals), the
# number of queries on which the second is better (`wins`), and the number on which it is worse (`losses`). Use the
# threshold of the collection, and the `index` from above.

# %%
labs.given("6.8")

# %%
# solution
g = labs.given("6.8")
by_system = {}
for model in (g.first, g.second):
    run = toysearch.Searcher(index, model).run(queries)
    by_system[model] = toysearch.evaluate(
        run, qrels, g.measure, threshold=threshold
    ).per_query
differences = [
    by_system[g.second][query_id][g.measure]
    - by_system[g.first][query_id][g.measure]
    for query_id in g.query_ids
]
answer = {
    "difference": sum(differences) / len(differences),
    "wins": sum(each > 0 for each in differences),
    "losses": sum(each < 0 for each in differences),
}
# student: answer = ...  # your turn: {"difference": …, "wins": …, "losses": …}
# end solution
labs.check("6.8", answer)

# %% [markdown]
# Whether such a difference means anything for future queries is the question of lab 8.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Two systems have the same P@10 and different AP. Explain how that can be, and for which reader each of the two
# measures is the right one. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - AP divides by *all* relevant documents, nDCG by the ideal of *all* judged ones. Documents not found count.
# - The name of a measure is not enough: state gain, discount, ideal, divisor, cutoff and ties, or name the tool and its
#   version.
# - Equal scores and unjudged documents change values without any change of the model; bounds show by how much.
# - Look at the queries before the mean.
#
# More to try: `toysearch measures` lists all measures, `toysearch measures ERR` explains one; `toysearch eval
# COLLECTION --convention all` shows one run under the conventions of trec_eval, textbooks and scikit-learn.
#
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge University Press 2008, chapter 8 · Järvelin &
# Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM Transactions on Information Systems 20(4), 2002 · Burges
# et al., "Learning to rank using gradient descent", ICML 2005 · Moffat & Zobel, "Rank-biased precision for measurement of
# retrieval effectiveness", ACM TOIS 27(1), 2008 · Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded
# relevance", CIKM 2009 · McSherry & Najork, "Computing information retrieval performance measures efficiently in the
# presence of tied scores", ECIR 2008 · Robertson, "A new interpretation of average precision", SIGIR 2008 · Fuhr, "Some
# common mistakes in IR evaluation, and how they can be avoided", SIGIR Forum 51(3), 2017, who argues
# against means of RR and AP altogether
