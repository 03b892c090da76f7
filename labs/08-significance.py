# %% [markdown]
# # Lab 8: Is it significant?
#
# A new system has a higher mean. Would it have one with other queries, too? Or were these few kind to it? Nobody can try all
# queries that people will ever ask. But from those at hand it can be told how much a mean wobbles.
#
# Afterwards you can
#
# - test a difference between two systems, by hand and with a test that you wrote yourself, and give its interval;
# - say what a p-value says and what it does not, how many queries a difference needs, and what trying many ideas does to p;
# - tune a model without fooling yourself, and be fair to the baseline.
#
# You need AP or another measure of a ranking (lab 6), means and standard deviations.

# %%
from toysearch import labs

labs.start(8, student="anyone")

# %% [markdown]
# ## 1. Pairs
#
# Two rankings of the same collection, for the same queries: the baseline is `tfidf`, the other `bm25`. Every query gives a
# value of AP for each of them. An `Evaluator` makes that quick, since it prepares queries and judgments once.

# %%
import warnings

import numpy as np

import toysearch

# A query without a word that the index knows finds nothing. It counts as 0.
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
# Queries are very unlike: the deviation from one to the next is many times the difference of the two means. If these were two
# groups of strangers, nothing could be said. But they are *pairs*: each query was put to both systems, and what is hard for one
# is mostly hard for the other. So look at the differences d = new − old, a single number for each query. Their spread is
# what matters:

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
        y=alt.Y("difference:Q", title="AP of bm25 minus that of tfidf"),
        color=alt.condition(
            "datum.difference > 0", alt.value("#0072B2"), alt.value("#D55E00")
        ),
    )
    .properties(width=520, height=240)
)
labs.picture(
    bars,
    "A bar for each query: AP of bm25 minus that of tfidf, the largest gain "
    "left, the largest loss right.",
)

# %% [markdown]
# Gains on the left, losses on the right. Few pictures say more about a change: a mean of +0.03 may be a little for nearly
# everybody, or a lot for a few, paid by others.
#
# ## 2. The t test
#
# Suppose there were no difference in truth, and the d of these queries were drawn by chance around 0: the *null hypothesis*.
# How far from 0 would their mean then lie? With n queries, mean d̄ and deviation s (with n − 1 in its denominator), the mean
# wobbles by the *standard error* s / √n, and
#
# $$t = \frac{\bar{d}}{s / \sqrt{n}}$$
#
# says how many standard errors it is away. *Student's distribution* with n − 1 degrees of freedom says how often chance alone
# brings a t as far from 0, on either side: that is **p**. Four differences by hand:
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
# The values of a few queries under two systems. What is t of new − old? (To 3 decimals.)

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
# p alone is half of the result. The **confidence interval** says where the mean difference of all queries there could be may
# lie. Between
#
# $$\bar{d} - q \cdot \frac{s}{\sqrt{n}} \quad \text{and} \quad \bar{d} + q \cdot \frac{s}{\sqrt{n}}$$
#
# it lies in 95 % of all experiments made like this one, where q is the quantile of Student's distribution that leaves 2.5 %
# above it. 0 is outside exactly where p < 0.05. And the **effect size** d_z = d̄ / s (Cohen's) says how large the mean is
# beside the spread, whatever n is: 0.2 is called small, 0.5 medium, 0.8 large.

# %%
found = toysearch.paired_test(d)
found

# %% [markdown]
# Is 0 inside? Then these queries do not show that `bm25` is better. They do not show the contrary either: the interval says
# how much better, or worse, it may still be.
#
# ### Exercise 8.2: an interval by hand
#
# Of `n` queries you know the mean and the deviation of the differences. `quantiles` are those of Student's distribution with
# n − 1 degrees of freedom: the share below, and the value. Give both ends of the 95 % interval, the lower first. (To 3 decimals.)

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
# The t test believes that means of n differences are spread as Student says. For many queries that is nearly true, whatever
# single differences look like; for few it need not be. There is a test that believes nothing of the kind (Fisher 1935). If
# there is no difference between the systems, their names are exchangeable: for each query, *new* and *old* might as well have
# been the other way round. That flips the sign of d. So go through all 2ⁿ ways to choose the signs, take each time the sum,
# and count how many sums are at least as far from 0 as the one observed, on either side. Their share is p.
#
# For d = 3, −1, 4 there are eight sums: ±6, ±8, ±2 and ±0. The observed one is 6; ±6 and ±8 are as far away, so p = 4/8.
#
# ### Exercise 8.3: a permutation test from scratch
#
# Write it, for all 2ⁿ ways (n is small). Differences come as whole numbers, in hundredths of AP, so that equal sums are equal.
# (With fractions, 0.1 + 0.2 is not 0.3 for a computer; `paired_test` rounds to 12 decimals for that reason.)

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
# Does it agree with the library's? (This cell needs your function.)

# %% tags=["yours"]
labs.needs("8.3")
some = np.round(100 * d[d != 0][:10]).astype(int).tolist()
print(some)
print(
    f"yours {permutation_p(some):.6f}, the library's "
    f"{toysearch.paired_test(some, 'permutation').p:.6f}"
)

# %% [markdown]
# For all queries there are too many ways: of 50 queries more than 10¹⁵. So signs are *drawn*, some ten thousand times, and the
# observed ones are counted as one draw more: p = (c + 1) / (draws + 1), where c draws are as far from 0.

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
# p is the share of the bell that lies outside of the dashed lines. Three more tests, a sentence each:
#
# - The **sign test** looks at nothing but who won each query, as if a coin were tossed; ties are left out. It cannot be misled
#   by a few large differences, and it sees no more than their signs.
# - **Wilcoxon's** signed-rank test puts the ranks of the differences in their place: large ones count more, but not without
#   limit. It asks whether the differences are symmetric about 0, which is not quite a question about the mean.
# - The **bootstrap** draws n queries out of the n, with repetition, many times over, and looks at how the mean varies.

# %%
from toysearch.laboratory.experiments.stats.significance import TESTS

for name, test in TESTS.items():
    print(f"{name:12} p {toysearch.paired_test(d, name).p:.4f}   {test.asks}")

# %% [markdown]
# t test, permutation and bootstrap agree on most data (Smucker, Allan & Carterette 2007). The other two ask something else and
# can come to another p. Choose your test *before* you see what they say.
#
# ### Exercise 8.4: the sign test by hand
#
# A system wins `wins` queries, loses `losses`, and ties in the rest. If each query were the toss of a fair coin, how probable
# is a result at least as one-sided, in either direction? (To 4 decimals; ties are left out.)

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
# A test finds a difference that is there, or misses it. The probability that it finds it is its **power**; 0.8 is what one
# usually asks for. It grows with the difference and with n, and falls with the spread s of the differences. Two questions
# to ask before an experiment: how large a difference do my queries detect, and how many does a difference need?

# %%
from toysearch.laboratory.experiments.stats.power import (
    detectable_difference,
    queries_needed,
)

spread = d.std(ddof=1)
for queries_there in (25, 50, 100, 200, 1000):
    smallest = detectable_difference(spread, queries_there)
    print(
        f"{queries_there:5} queries detect {smallest:.4f}, four times in five"
    )
for effect in (0.8, 0.5, 0.2, 0.1):
    print(
        f"an effect d_z of {effect} needs "
        f"{queries_needed(effect):4.0f} queries"
    )

# %% [markdown]
# Half the difference needs four times the queries: there is a square root in it. The classic collections of TREC have 50
# queries each. So much that is better is not found with them; and what is found with few queries tends to look larger than
# it is, since only those that were lucky get over the bar (Gelman & Carlin 2014).
#
# ### Exercise 8.5: a detectable difference
#
# How large must the mean difference between your `system` and the baseline be, so that the queries of this collection show it
# with your `power` at the level 0.05? Take the spread of the differences as it is between the two. (To 4 decimals. Another
# measure than AP takes another evaluator: `toysearch.Evaluator(index, queries, collection.qrels, measure,
# threshold=collection.threshold)`.)

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
answer = detectable_difference(differences.std(ddof=1), n, wanted=g.power)
# student: answer = ...  # your turn: a number
# end solution
labs.check("8.5", answer)

# %% [markdown]
# Try other systems: the nearer they are to each other, the smaller a difference is found, as their queries differ less.
#
# ## 5. Twenty ideas
#
# A p below 0.05 comes about by chance in one of twenty comparisons in which there is nothing to find. That is the bargain. But
# whoever tries twenty ideas gets about one such p as a present. A simulation: each *idea* has the differences from above with
# random signs, so it is worth exactly nothing. A thousand researchers try twenty ideas each. How many of them have at
# least one to publish?
#
# *Guess first:* write your number down before you run the cell.

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
# That is *p-hacking*, and it needs no bad intent: several measures, several models, some queries left out for good reasons,
# and only what came out well is told. Another form is to look again and again and to stop when it is significant:

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
# The way out is to count honestly, and to correct. With m comparisons:
#
# - **Bonferroni**: multiply every p by m. What is then still below 0.05 may be claimed: the probability of *any* false claim is
#   at most 0.05.
# - **Holm** promises the same and finds more. Sort; multiply the smallest p by m, the next by m − 1, and so on; and no corrected p
#   may be below that of a smaller p before it (take the larger of both). None is above 1.
#
# For p = 0.01, 0.04, 0.03: sorted 0.01 · 3 = 0.03, 0.03 · 2 = 0.06, 0.04 · 1 = 0.04, which is raised to 0.06.

# %%
from toysearch.laboratory.experiments.stats.multiple_comparisons import (
    corrected,
)

for method in ("none", "bonferroni", "holm"):
    print(
        f"{method:11}",
        corrected([0.01, 0.04, 0.03], method).round(4).tolist(),
    )

# %% [markdown]
# ### Exercise 8.6: Holm by hand
#
# Five systems were compared with the same baseline. Give each its corrected p, by Holm. (To 4 decimals.)

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
# `compare` does all of this at once: means, differences, intervals, p corrected by Holm for all comparisons made, effect sizes,
# and what the conclusions depend on. In a terminal it is `toysearch compare`, with `--power`, `--test permutation` and more.

# %%
models = ("tfidf", "bm25", "lm-jm", "bm25:b=0.4")
runs = [toysearch.Searcher(index, model).run(queries) for model in models]
comparison = toysearch.compare(
    runs, collection.qrels, "AP", threshold=collection.threshold
)
print(comparison)

# %%
from toysearch.laboratory.experiments.stats.power import sensitivity

for each in sensitivity(comparison):
    print(
        f"{each.system:11} difference {each.difference:+.4f}, detectable "
        f"{each.detectable:.4f}"
    )

# %% [markdown]
# ## 6. What may be said
#
# *Not significant* is not *equal*. p says how well the data go with a difference of 0. A large p comes from a small difference,
# or from few queries; the interval tells which. Decide beforehand which difference would matter to anybody, the *margin*, say
# 0.02. Then take the first of these rules that fits:
#
# 1. the whole interval is above 0: the system is **better**;
# 2. the whole interval is below 0: it is **worse**;
# 3. the whole interval lies between −margin and +margin: the two are **alike**, for all that matters;
# 4. anything else: it is **open**, and more queries are needed.
#
# An interval from +0.001 to +0.010 fits the first rule and the third. The first is taken: the sign is known. Say *better*, and add
# that the difference is too small to matter.
#
# ### Exercise 8.7: the right conclusion
#
# Five results, with 95 % intervals `from` … `to`. Give the verdict for each, by these rules.

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
# BM25 has two parameters, k1 and b (lab 4). On a collection with judgments it is easy to find their best values: try many,
# keep the best. Its value on the same queries is *optimistic*, for the same reason as above: of many settings one was lucky,
# and it was chosen for that.
#
# So some queries choose, and others report. Here 25 settings, and two hundred times a few random queries that choose: of
# the settings tried, the one with the best mean. How much better than BM25 as it is does it look on the queries that chose it,
# and how much better is it on all others?

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
# Of the queries in their order, those at places `start`, `start + step`, `start + 2 · step` and so on choose (places count from
# 0). Which of the `settings` above has the best mean of your `measure` on these? The first counts where several are equal. Report
# its mean on *all other* queries. (To 4 decimals.)

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
# To report on a part only is a waste of queries. *Cross-validation* lets every query report: the queries are split into folds,
# and each fold is valued with the setting that is best on all *other* folds. `tune` does that, and calls the value *held out*.

# %%
grid = {"k1": [0.4, 0.8, 1.2, 2, 3], "b": [0.25, 0.5, 0.75, 1]}
tuned = toysearch.tune(collection, "bm25", grid)
print(tuned)

# %% [markdown]
# The last lines say how much the choice depends on the queries, and how flat the top is. Where it is flat, take a round number
# and stop.
#
# **An untuned baseline is no baseline.** Another model, `lm-jm` (lab 4), is tuned by its own parameter, and then compared: with
# BM25 as it is, and with BM25 that had the same chance, on the same folds. All values are held-out ones, but for BM25 as it is,
# which chose nothing.

# %%
rival = toysearch.tune(
    collection, "lm-jm", {"lambda": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7]}
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
# The same system, the same queries, two stories; only the second is fair. Armstrong and others (2009) went through ten years of
# papers and found improvements that did not add up, most of them over baselines that were weaker than what was known.

# %%
labs.progress()

# %% [markdown]
# ## What to take home
#
# - Pairs: test the differences, and look at them one by one.
# - Report the difference, its interval, p, and how many comparisons were made. A large p is no proof of being equal.
# - Ask what your queries can detect before you begin; half the difference takes four times the queries.
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
