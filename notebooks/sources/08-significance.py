# %% [markdown]
# # Lab 8: Is it significant?
#
# A new system has a higher mean. Would it have one with other queries too, or were these few kind to it? Nobody can try
# all queries that people will ever ask. But the queries at hand show how much a mean varies.
#
# Afterwards you can
#
# - test a difference between two systems, by hand and with a test of your own, and give its interval;
# - say what a p-value means and what it does not mean, how many queries a difference needs, and what trying many ideas
#   does to p;
# - tune a model without fooling yourself, and be fair to the baseline.
#
# You need AP or another measure of a ranking (lab 6), the mean and the standard deviation.

# %%
from toysearch import labs

labs.start(8, student="anyone")

# %% [markdown]
# ## 1. Pairs
#
# Take two rankings of the same collection for the same queries: the baseline is `tfidf`, the new system `bm25`. Every
# query gives one value of AP for each of them. An `Evaluator` makes this fast, because it prepares queries and
# judgments once.

# %%
import warnings

import numpy as np

import toysearch

# A query without a known term finds nothing. It counts as 0.
warnings.simplefilter("ignore", toysearch.ToysearchNote)

collection = labs.collection()
index = toysearch.Index.build(collection)
queries = collection.judged_queries
evaluator = toysearch.Evaluator(
    index, queries, collection.qrels, "AP", threshold=collection.threshold
)


def per_query(model, evaluator=evaluator, measure="AP"):
    """The values of a model, in the order of the queries."""
    found = evaluator(model).per_query
    return np.array([found[query.query_id][measure] for query in queries])


baseline, system = per_query("tfidf"), per_query("bm25")
n = len(queries)
print(f"{collection.name}, {n} queries")
print(
    f"tfidf  mean {baseline.mean():.4f}, deviation of the queries "
    f"{baseline.std(ddof=1):.4f}"
)
print(
    f"bm25   mean {system.mean():.4f}, deviation of the queries "
    f"{system.std(ddof=1):.4f}"
)

# %% [markdown]
# Queries differ a lot: the standard deviation between queries is many times the difference of the two means. If the
# values came from two separate groups of queries, they would show nothing. But they are *pairs*: both systems answered
# each query, and a query that is hard for one is mostly hard for the other. So look at the differences d = new − old,
# one number per query. Their spread is what matters:

# %%
d = system - baseline
print(
    f"mean difference {d.mean():+.4f}, deviation of the differences "
    f"{d.std(ddof=1):.4f}"
)
print(
    f"queries won {(d > 0).sum()}, tied {(d == 0).sum()}, lost {(d < 0).sum()}"
)

# %%
import altair as alt

rows = [
    {"place": place, "difference": round(value, 4)}
    for place, value in enumerate(sorted(d.tolist(), reverse=True), 1)
]
bars = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_bar()
    .encode(
        x=alt.X(
            "place:O",
            title=f"{n} queries, by difference",
            axis=alt.Axis(labels=False, ticks=False),
        ),
        y=alt.Y("difference:Q", title="AP of bm25 minus AP of tfidf"),
        color=alt.condition(
            "datum.difference > 0", alt.value("#0072B2"), alt.value("#D55E00")
        ),
    )
    .properties(width=520, height=240)
)
labs.picture(
    bars,
    "One bar per query: AP of bm25 minus AP of tfidf, the largest gain "
    "left, the largest loss right.",
)

# %% [markdown]
# Gains are on the left, losses on the right. Few pictures say more about a change: a mean of +0.03 may be a small gain
# for nearly every query, or a large gain for a few at the expense of others.
#
# ## 2. The t test
#
# Suppose there is really no difference, and the d of these queries were drawn at random around 0: this is the *null
# hypothesis*. How far from 0 would their mean be? With n queries, mean d̄ and standard deviation s (with n − 1 in its
# denominator), the mean varies by the *standard error* s / √n, and
#
# $$t = \frac{\bar{d}}{s / \sqrt{n}}$$
#
# is its distance from 0 in standard errors. *Student's distribution* with n − 1 degrees of freedom gives the
# probability that chance alone produces a t at least as far from 0, on either side: this is **p**. Four differences by
# hand:
#
# $$d = 0.1,\ 0.2,\ 0.0,\ 0.1 \qquad \bar{d} = 0.1 \qquad s = \sqrt{\frac{0^2 + 0.1^2 + 0.1^2 + 0^2}{3}} = 0.0816 \qquad t = \frac{0.1}{0.0816 / 2} = 2.449$$

# %%
from scipy import stats

few = np.array([0.1, 0.2, 0.0, 0.1])
t = few.mean() / (few.std(ddof=1) / np.sqrt(len(few)))
print(f"by hand  t = {t:.3f}, p = {2 * stats.t.sf(abs(t), len(few) - 1):.4f}")
print(
    f"scipy    t = {stats.ttest_1samp(few, 0).statistic:.3f}, p = "
    f"{stats.ttest_rel(few, 0 * few).pvalue:.4f}"
)
print(f"toysearch              p = {toysearch.paired_test(few).p:.4f}")

# %% [markdown]
# ### Exercise 8.1: t by hand
#
# You get the values of a few queries under two systems. What is t of new − old? (To 3 decimals.)

# %%
labs.given("8.1")

# %%
# solution
g = labs.given("8.1")
differences = np.array(g.new) - np.array(g.old)
answer = differences.mean() / (
    differences.std(ddof=1) / np.sqrt(len(differences))
)
# student: answer = ...  # your turn: a number
# end solution
labs.check("8.1", answer)

# %% [markdown]
# p alone is half of the result. The **confidence interval** shows where the mean difference over all possible queries
# may be. In 95% of all experiments like this one it lies between
#
# $$\bar{d} - q \cdot \frac{s}{\sqrt{n}} \quad \text{and} \quad \bar{d} + q \cdot \frac{s}{\sqrt{n}}$$
#
# where q is the quantile of Student's distribution that leaves 2.5% above it. 0 is outside exactly if p < 0.05. And
# the **effect size** d_z = d̄ / s (Cohen) compares the mean with the spread, whatever n is: 0.2 is called small, 0.5
# medium, 0.8 large.

# %%
found = toysearch.paired_test(d)
found

# %% [markdown]
# Is 0 inside? Then these queries do not show that `bm25` is better. They do not show the opposite either: the interval
# says how much better, or worse, it may still be.
#
# ### Exercise 8.2: an interval by hand
#
# For `n` queries you know the mean and the standard deviation of the differences. `quantiles` are those of Student's
# distribution with n − 1 degrees of freedom: the share below, and the value. Give both ends of the 95% interval, the
# lower one first. (To 3 decimals.)

# %%
labs.given("8.2")

# %%
# solution
g = labs.given("8.2")
half = g.quantiles[0.975] * g.deviation / np.sqrt(g.n)
answer = [g.mean - half, g.mean + half]
# student: answer = ...  # your turn: a list of two numbers
# end solution
labs.check("8.2", answer)

# %% [markdown]
# ## 3. The permutation test
#
# The t test assumes that means of n differences follow Student's distribution. With many queries this is nearly true
# for any distribution of the differences; with few it need not be. Another test makes no such assumption (Fisher 1935).
# If the systems do not differ, their names are exchangeable: for each query, *new* and *old* could just as well be
# swapped. A swap flips the sign of d. So go through all 2ⁿ choices of signs, compute the sum for each, and count the
# sums that are at least as far from 0 as the observed one, on either side. Their share is p.
#
# For d = 3, −1, 4 there are eight sums: ±6, ±8, ±2 and ±0. The observed one is 6; ±6 and ±8 are at least as far from 0,
# so p = 4/8.
#
# ### Exercise 8.3: a permutation test from scratch
#
# Write this test for all 2ⁿ choices (n is small). The differences are whole numbers, in hundredths of AP, so that equal
# sums are exactly equal. (With fractions, 0.1 + 0.2 is not 0.3 for a computer; `paired_test` rounds to 12 decimals for
# that reason.)

# %%
import itertools


def permutation_p(differences):
    # solution
    ways = itertools.product((1, -1), repeat=len(differences))
    sums = [
        sum(
            sign * value
            for sign, value in zip(signs, differences, strict=True)
        )
        for signs in ways
    ]
    return sum(abs(each) >= abs(sum(differences)) for each in sums) / len(sums)
    # end solution


labs.check("8.3", permutation_p)

# %% [markdown]
# Does it agree with the library? (This cell needs your function.)

# %% tags=["yours"]
labs.needs("8.3")
some = np.round(100 * d[d != 0][:10]).astype(int).tolist()
print(some)
print(
    f"yours {permutation_p(some):.6f}, the library's "
    f"{toysearch.paired_test(some, 'permutation').p:.6f}"
)

# %% [markdown]
# With all queries there are too many choices: 50 queries have more than 10¹⁵. So signs are *drawn* some ten thousand
# times, and the observed ones count as one more draw: p = (c + 1) / (draws + 1), where c draws are at least as far from
# 0.

# %%
rng = np.random.default_rng(8)
signs = rng.choice([-1, 1], size=(10_000, n))
by_chance = signs @ d / n
p = ((np.abs(by_chance) >= abs(d.mean()) - 1e-12).sum() + 1) / (
    len(by_chance) + 1
)
print(
    f"p = {p:.4f} from 10,000 draws; the library's, from 100,000: "
    f"{toysearch.paired_test(d, 'permutation').p:.4f}"
)

# %%
counts, edges = np.histogram(by_chance, bins=40)
rows = [
    {"from": round(low, 5), "to": round(high, 5), "count": count}
    for low, high, count in zip(
        edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True
    )
]
chance = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_bar(color="#999999")
    .encode(
        x=alt.X(
            "from:Q",
            title="mean difference when signs are drawn",
            bin="binned",
        ),
        x2="to:Q",
        y=alt.Y("count:Q", title="draws", stack=None),
    )
)
observed = (
    alt.Chart(
        alt.InlineData(
            values=[{"at": round(value, 5)} for value in (d.mean(), -d.mean())]
        )
    )
    .mark_rule(color="#D55E00", strokeWidth=2, strokeDash=[6, 3])
    .encode(x="at:Q")
)
labs.picture(
    alt.layer(chance, observed).properties(width=480, height=220),
    "Mean differences under 10,000 draws of the signs: a bell around 0; "
    "dashed the observed mean difference and its mirror.",
)

# %% [markdown]
# p is the share of the bell outside the dashed lines. Three more tests, in a few words each:
#
# - The **sign test** uses only the winner of each query, as if a coin had been tossed; ties are dropped. It cannot be
#   misled by a few large differences, and it sees nothing but signs.
# - **Wilcoxon's** signed-rank test replaces the differences by their ranks: large ones count more, but not without
#   limit. It asks whether the differences are symmetric about 0, which is not quite a question about the mean.
# - The **bootstrap** draws n of the n queries with replacement, many times over, and examines how the mean varies.

# %%
for name, test in labs.TESTS.items():
    print(f"{name:12} p {toysearch.paired_test(d, name).p:.4f}   {test.asks}")

# %% [markdown]
# The t test, the permutation test and the bootstrap agree on most data (Smucker, Allan & Carterette 2007). The other
# two answer other questions, so their p can differ. Choose your test *before* you see the results.
#
# ### Exercise 8.4: the sign test by hand
#
# A system wins `wins` queries, loses `losses`, and ties on the others. If each query were the toss of a fair coin, what
# would be the probability of a result at least as one-sided, in either direction? (To 4 decimals; ties are dropped.)

# %%
labs.given("8.4")

# %%
from math import comb

# solution
g = labs.given("8.4")
tosses = g.wins + g.losses
answer = (
    2 * sum(comb(tosses, k) for k in range(g.wins, tosses + 1)) / 2**tosses
)
# student: answer = ...  # your turn: a number
# end solution
labs.check("8.4", answer)

# %% [markdown]
# ## 4. How many queries?
#
# A test either finds an existing difference or misses it. The probability of finding it is its **power**; 0.8 is the
# usual goal. Power grows with the difference and with n, and falls with the spread s of the differences. Ask two
# questions before an experiment: how large a difference do my queries detect, and how many queries does a difference
# need?

# %%
spread = d.std(ddof=1)
for queries_there in (25, 50, 100, 200, 1000):
    smallest = toysearch.detectable_difference(spread, queries_there)
    print(
        f"{queries_there:5} queries detect {smallest:.4f}, four times in five"
    )
for effect in (0.8, 0.5, 0.2, 0.1):
    print(
        f"an effect d_z of {effect} needs "
        f"{toysearch.queries_needed(effect):4.0f} queries"
    )

# %% [markdown]
# Half the difference needs four times the queries, because of the square root. The classic TREC collections have 50
# queries each. So many real improvements are not detected with them; and those detected with few queries tend to look
# larger than they are, because only the lucky ones pass the test (Gelman & Carlin 2014).
#
# Cranfield (lab 7) has 225 queries. Is the table above right about them? Here are the same two systems there.

# %%
cranfield = toysearch.load("cranfield")
there = toysearch.Evaluator(
    toysearch.Index.build(cranfield),
    cranfield.judged_queries,
    cranfield.qrels,
    "AP",
    threshold=cranfield.threshold,
)
values = [
    [row["AP"] for row in there(model).per_query.values()]
    for model in ("tfidf", "bm25")
]
d_there = np.subtract(values[1], values[0])
smallest = toysearch.detectable_difference(d_there.std(ddof=1), d_there.size)
print(
    f"{d_there.size} queries with a spread of {d_there.std(ddof=1):.4f} "
    f"(here {spread:.4f}) detect {smallest:.4f}"
)

# %% [markdown]
# The number of queries is only half of the story: a difference drowns in its own spread, and the spread depends on the
# collection too.
#
# ### Exercise 8.5: a detectable difference
#
# How large must the mean difference between your `system` and the baseline be for the queries of this collection to
# detect it with your `power` at the level 0.05? Use the observed spread of the differences between the two. (To 4
# decimals. A measure other than AP needs another evaluator: `toysearch.Evaluator(index, queries, collection.qrels,
# measure, threshold=collection.threshold)`.)

# %%
labs.given("8.5")

# %%
# solution
g = labs.given("8.5")
mine = toysearch.Evaluator(
    index, queries, collection.qrels, g.measure, threshold=collection.threshold
)
differences = per_query(g.system, mine, g.measure) - per_query(
    g.baseline, mine, g.measure
)
answer = toysearch.detectable_difference(
    differences.std(ddof=1), n, wanted=g.power
)
# student: answer = ...  # your turn: a number
# end solution
labs.check("8.5", answer)

# %% [markdown]
# Try other systems: the more similar they are, the smaller the detectable difference, because their values differ less
# from query to query.
#
# ## 5. Twenty ideas
#
# Where there is nothing to find, one of twenty comparisons has a p below 0.05 by chance. That is the bargain. But if
# you try twenty ideas, you get about one such p for free. Here is a simulation: each *idea* has the differences from
# above with random signs, so it is worth exactly nothing. A thousand researchers try twenty ideas each. How many of
# them have at least one to publish?
#
# *Guess first:* write your number down before you run the cell.

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
rng = np.random.default_rng(20)
researchers, ideas = 1000, 20
p_values = np.empty((researchers, ideas))
for each in range(researchers):
    worthless = rng.choice([-1, 1], size=(ideas, n)) * d
    t = worthless.mean(axis=1) / (worthless.std(axis=1, ddof=1) / np.sqrt(n))
    p_values[each] = 2 * stats.t.sf(np.abs(t), n - 1)

print(f"of all comparisons {np.mean(p_values < 0.05):.1%} have p < 0.05")
for tried in (1, 5, 10, 20):
    fooled = (p_values[:, :tried].min(axis=1) < 0.05).mean()
    print(
        f"ideas {tried:2}: {fooled:6.1%} of the researchers find one; 1 − "
        f"0.95^{tried} = {1 - 0.95**tried:.1%}"
    )

# %%
rows = []
for tried in range(1, ideas + 1):
    best = p_values[:, :tried].min(axis=1)
    rows.append(
        {"ideas": tried, "share": float((best < 0.05).mean()), "p": "as it is"}
    )
    rows.append(
        {
            "ideas": tried,
            "share": float((best * tried < 0.05).mean()),
            "p": "corrected",
        }
    )
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2, point=True)
    .encode(
        x=alt.X("ideas:Q", title="ideas tried, all worthless"),
        y=alt.Y(
            "share:Q",
            title="researchers with a finding",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
        color=alt.Color(
            "p:N", title="p", scale=alt.Scale(range=["#D55E00", "#0072B2"])
        ),
    )
    .properties(width=420, height=230)
)
labs.picture(
    lines,
    "Researchers who find something where nothing is, over the ideas tried: "
    "with p as it is it rises to more than half, "
    "with p corrected it stays near a twentieth.",
)

# %% [markdown]
# This is *p-hacking*, and it needs no bad intent: several measures, several models, some queries left out for good
# reasons, and only the good results are reported. Another form is to test again and again, and to stop as soon as the
# result is significant:

# %%
rng = np.random.default_rng(50)
moved = d[d != 0]
stopped = 0
for _ in range(researchers):
    worthless = rng.choice([-1, 1], size=len(moved)) * rng.permutation(moved)
    for size in range(5, len(moved) + 1, 5):
        t = worthless[:size].mean() / (
            worthless[:size].std(ddof=1) / np.sqrt(size)
        )
        if 2 * stats.t.sf(abs(t), size - 1) < 0.05:
            stopped += 1
            break
print(
    f"looking after every fifth query: {stopped / researchers:.1%} stop with "
    "p < 0.05, and nothing is there"
)

# %% [markdown]
# The solution is to count honestly, and to correct. With m comparisons:
#
# - **Bonferroni**: multiply every p by m. You may claim what is still below 0.05: the probability of *any* false claim
#   is then at most 0.05.
# - **Holm** guarantees the same and detects more. Sort the p-values; multiply the smallest by m, the next by m − 1, and
#   so on. A corrected p must not be smaller than the one before it (take the larger of the two), and none exceeds 1.
#
# For p = 0.01, 0.04, 0.03: sorted, 0.01 · 3 = 0.03, 0.03 · 2 = 0.06, 0.04 · 1 = 0.04, which is raised to 0.06.

# %%
for method in ("none", "bonferroni", "holm"):
    print(
        f"{method:11}",
        labs.corrected([0.01, 0.04, 0.03], method).round(4).tolist(),
    )

# %% [markdown]
# ### Exercise 8.6: Holm by hand
#
# Five systems were compared with the same baseline. Give the p of each, corrected by Holm's method. (To 4 decimals.)

# %%
labs.given("8.6")

# %%
# solution
p = labs.given("8.6").p
answer, before = {}, 0
for place, name in enumerate(sorted(p, key=p.get)):
    before = max(before, min(1, p[name] * (len(p) - place)))
    answer[name] = before
# student: answer = ...  # your turn: a dict such as {"A": 0.05, "B": 0.2}, with all five
# end solution
labs.check("8.6", answer)

# %% [markdown]
# `compare` does all of this at once: means, differences, intervals, p corrected by Holm's method for all comparisons,
# effect sizes, and what the conclusions depend on. In a terminal it is `toysearch compare`, with `--power`, `--test
# permutation` and more.

# %%
models = ("tfidf", "bm25", "lm-jm", "bm25:b=0.4")
runs = [toysearch.Searcher(index, model).run(queries) for model in models]
comparison = toysearch.compare(
    runs, collection.qrels, "AP", threshold=collection.threshold
)
comparison

# %%
for each in labs.sensitivity(comparison):
    print(
        f"{each.system:11} difference {each.difference:+.4f}, detectable "
        f"{each.detectable:.4f}"
    )

# %% [markdown]
# ## 6. What you may claim
#
# *Not significant* is not *equal*. p says how well the data agree with a difference of 0. A large p comes from a small
# difference or from few queries; the interval shows which. Decide beforehand which difference would matter, the
# *margin*, say 0.02. Then apply the first of these rules that fits:
#
# 1. the whole interval is above 0: the system is **better**;
# 2. the whole interval is below 0: it is **worse**;
# 3. the whole interval lies between −margin and +margin: the two are **alike** for all practical purposes;
# 4. anything else: the question is **open**, and more queries are needed.
#
# An interval from +0.001 to +0.010 fits the first rule and the third. The first applies, because the sign is known. Say
# *better*, and add that the difference is too small to matter.
#
# ### Exercise 8.7: the right conclusion
#
# Here are five results, with 95% intervals `from` … `to`. Give the verdict on each by these rules.

# %%
labs.given("8.7")

# %%
# solution
g = labs.given("8.7")
answer = []
for each in g.results:
    if each["from"] > 0:
        answer.append("better")
    elif each["to"] < 0:
        answer.append("worse")
    else:
        alike = -g.margin < each["from"] and each["to"] < g.margin
        answer.append("alike" if alike else "open")
# student: answer = ...  # your turn: a list of "better", "worse", "alike" or "open", in their order
# end solution
labs.check("8.7", answer)

# %% [markdown]
# ## 7. Tuning
#
# BM25 has two parameters, k1 and b (lab 4). On a judged collection it is easy to find their best values: try many and
# keep the best. Its value on the same queries is *optimistic*, for the same reason as above: one of many settings was
# lucky, and it was chosen for that.
#
# So some queries choose, and others report. Here are 25 settings. Two hundred times, a few random queries choose the
# setting with the best mean. How much better than the default BM25 does it look on the queries that chose it, and how
# much better is it on all others?

# %%
settings = [
    f"bm25:k1={k1},b={b}"
    for k1 in (0.4, 0.8, 1.2, 2, 3)
    for b in (0, 0.25, 0.5, 0.75, 1)
]
values = np.array([evaluator.values(setting) for setting in settings])
gains = values - system  # setting by query, less BM25 as it is
print(
    f"{values.shape[0]} settings, {values.shape[1]} queries; mean AP from "
    f"{values.mean(1).min():.4f} to {values.mean(1).max():.4f}"
)

# %%
rng = np.random.default_rng(7)
rows = []
for choosing in (5, 10, 20, 40):
    looks, holds = [], []
    for _ in range(200):
        order = rng.permutation(n)
        here, there = order[:choosing], order[choosing:]
        best = gains[:, here].mean(axis=1).argmax()
        looks.append(gains[best, here].mean())
        holds.append(gains[best, there].mean())
    rows.append(
        {
            "queries": choosing,
            "gain": np.mean(looks),
            "where": "on the queries that chose",
        }
    )
    rows.append(
        {"queries": choosing, "gain": np.mean(holds), "where": "on all others"}
    )
    print(
        f"{choosing:2} queries choose: looks {np.mean(looks):+.4f} better, "
        f"and is {np.mean(holds):+.4f}"
    )

# %%
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2, point=True)
    .encode(
        x=alt.X("queries:Q", title="queries that choose"),
        y=alt.Y("gain:Q", title="AP, difference from BM25 as it is"),
        color=alt.Color(
            "where:N",
            title=None,
            scale=alt.Scale(range=["#0072B2", "#D55E00"]),
        ),
    )
    .properties(width=400, height=230)
)
labs.picture(
    lines,
    "What tuning seems to gain on the queries that choose, and what it gains "
    "on all others: far apart for few queries, "
    "and nearer with more.",
)

# %% [markdown]
# ### Exercise 8.8: tune here, report there
#
# The queries at positions `start`, `start + step`, `start + 2 · step` and so on choose (positions count from 0). Which
# of the `settings` above has the best mean of your `measure` on them? If several are equal, take the first. Report its
# mean on *all other* queries. (To 4 decimals.)

# %%
labs.given("8.8")

# %%
# solution
g = labs.given("8.8")
mine = toysearch.Evaluator(
    index, queries, collection.qrels, g.measure, threshold=collection.threshold
)
table = np.array([per_query(setting, mine, g.measure) for setting in settings])
chooses = np.zeros(n, dtype=bool)
chooses[g.start :: g.step] = True
best = table[:, chooses].mean(axis=1).round(12).argmax()
answer = table[best, ~chooses].mean()
# student: answer = ...  # your turn: a number
# end solution
labs.check("8.8", answer)

# %% [markdown]
# Reporting on only a part of the queries is a waste. With *cross-validation* every query reports: the queries are split
# into folds, and each fold is evaluated with the setting that is best on all *other* folds. `tune` does this and calls
# the value *held out*.

# %%
grid = {"k1": [0.4, 0.8, 1.2, 2, 3], "b": [0.25, 0.5, 0.75, 1]}
tuned = toysearch.tune("bm25", collection, grid)
print(tuned)

# %% [markdown]
# The last lines show how much the choice depends on the queries, and how flat the top is. If it is flat, take a round
# number and stop.
#
# **An untuned baseline is no baseline.** The parameter of another model, `lm-jm` (lab 4), is tuned. Then it is compared
# twice: with the default BM25, and with BM25 tuned in the same way on the same folds. All values are held-out ones,
# except those of the default BM25, where nothing was chosen.

# %%
rival = toysearch.tune(
    "lm-jm", collection, {"lambda": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7]}
)
for name, other in (
    ("BM25 as it is", tuned.default),
    ("BM25 tuned", tuned.held_out),
):
    test = toysearch.paired_test(rival.held_out.per_query - other.per_query)
    print(
        f"lm-jm tuned less {name:13} {test.mean:+.4f}  ({test.low:+.4f} to "
        f"{test.high:+.4f})  p {test.p:.3f}"
    )

# %% [markdown]
# The same system, the same queries, two stories; only the second one is fair. Armstrong and others (2009) examined ten
# years of papers and found improvements that did not add up, most of them over baselines weaker than those already
# known.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A newspaper writes: “p = 0.03, so the new search engine is better with a probability of 97 per cent.” Explain what p
# is, what it is not, and what is missing. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Test the differences between pairs, and look at them one by one.
# - Report the difference, its interval, p, and the number of comparisons. A large p does not prove that two systems are
#   equal.
# - Find out what your queries can detect before you begin; half the difference takes four times the queries.
# - Tune on some queries, report on others, and give the baseline the same chance.
#
# More to try: `toysearch compare --help`, `toysearch tune --help`; the same with nDCG@10; `--test wilcoxon`.
#
# ## Further reading
#
# Student, "The probable error of a mean", Biometrika 6(1), 1908 · Fisher, *The Design of Experiments*, Oliver & Boyd
# 1935 · Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 2nd edition, Lawrence Erlbaum 1988 · Holm, "A
# simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979 · Smucker, Allan &
# Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007 ·
# Armstrong, Moffat, Webber & Zobel, "Improvements that don't add up: ad-hoc retrieval results since 1998", CIKM 2009 ·
# Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM TOIS
# 30(1), 2012 · Gelman & Carlin, "Beyond power calculations: assessing type S (sign) and type M (magnitude) errors",
# Perspectives on Psychological Science 9(6), 2014 · Varma & Simon, "Bias in error estimation when using
# cross-validation for model selection", BMC Bioinformatics 7:91, 2006 · Fuhr, "Some common mistakes in IR evaluation,
# and how they can be avoided", SIGIR Forum 51(3), 2017 · Sakai, *Laboratory Experiments in Information Retrieval*,
# Springer 2018
