# %% [markdown]
# # Lab 13: Users as judges
#
# Judges cost money and read for somebody else. Users come for free, know what they want, and click. But they click what
# they see, and they see the top of the list. In this lab you read a log of clicks without being misled by it, and let
# users decide which of two rankings is better.
#
# Afterwards you can
#
# - show position bias in a log, and correct for it;
# - fit two click models, one of them from scratch, and name the assumption of each;
# - mix two rankings by team draft, and count whom the users prefer;
# - say how certain a preference is, and how many sessions would decide it.
#
# You need labs 6 (AP), 8 (significance) and 9 (judging).

# %%
from toysearch import labs

labs.start(13, student="anyone")

# %% [markdown]
# ## 1. A log of clicks
#
# No real user has clicked here. We *simulate* users, because then we know the truth that a method should find. They
# look from the top; they click a relevant passage more often than one that is not; after a click that satisfies them
# they leave, and else they look further with a chance of 0.8 at each rank. What they find relevant are the judgments
# of the collection.

# %%
import warnings

import scipy.stats

import toysearch

# Notes, such as "this query has no known word", are not shown in this lab.
warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = labs.collection()
index = toysearch.Index.build(collection)
queries, qrels = collection.judged_queries, collection.qrels
threshold = collection.threshold


def ranked(model):
    """The run of a model."""
    return toysearch.Searcher(index, model).run(queries)


def simulated(first, second, seed=0, sessions=10):
    """Lists of five that mix two models, and what users click in them."""
    mixed = toysearch.interleave_runs(
        ranked(first),
        ranked(second),
        qrels=qrels,
        k=5,
        sessions=sessions,
        seed=seed,
    )
    return [
        labs.ShownList(
            session,
            shown.query_id,
            tuple(map(labs.ShownDocument, shown.doc_ids, clicks, shown.teams)),
        )
        for (session, shown), clicks in zip(
            mixed.lists, mixed.clicks, strict=True
        )
    ]


log = simulated("bm25", "jaccard", sessions=20)
print(f"{len(log)} lists; one of them:")
shown = log[20]
print(f'need {shown.query_id}, "{collection.query(shown.query_id).text}"')
for rank, one in enumerate(shown.documents, 1):
    print(f"{rank}  {one.doc_id}  {'clicked' if one.clicked else ''}")

# %% [markdown]
# ### Exercise 13.1: click rates by rank
#
# Your `lists` have a 1 for each document that was clicked, and a 0 for the others, from the top. Some lists are
# shorter than others. What is the click rate at each of the ranks 1 to 5: the share of clicks among the documents
# shown there? (To 3 decimals.)

# %%
labs.given("13.1")

# %%
# solution
answer = []
for rank in range(5):
    column = [
        clicks[rank]
        for clicks in labs.given("13.1").lists
        if len(clicks) > rank
    ]
    answer.append(sum(column) / len(column))
# student: answer = ...  # your turn: a list such as [0.5, 0.25, 0.2, 0.1, 0.1]
# end solution
labs.check("13.1", answer)

# %% [markdown]
# ## 2. Position bias
#
# The rate falls with the rank. That alone is no bias: good passages should stand at the top. So look at relevant
# passages only. They are as relevant at rank 5 as at rank 1.
#
# *Guess first:* how often is a relevant passage clicked at rank 1, and how often at rank 5?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
rates = []
for rank in range(5):
    for kind in ("relevant", "not relevant"):
        clicks = [
            shown.documents[rank].clicked
            for shown in log
            if len(shown.documents) > rank
            and (
                qrels[shown.query_id].get(shown.documents[rank].doc_id, 0)
                >= threshold
            )
            == (kind == "relevant")
        ]
        rates.append(
            {
                "rank": rank + 1,
                "click rate": sum(clicks) / len(clicks),
                "passage": kind,
            }
        )
for row in rates:
    print(f"{row['rank']}  {row['passage']:12}  {row['click rate']:.3f}")

# %%
import altair as alt

totals = []
for rank in range(5):
    clicks = [
        shown.documents[rank].clicked
        for shown in log
        if len(shown.documents) > rank
    ]
    totals.append({"rank": rank + 1, "click rate": sum(clicks) / len(clicks)})
chart = (
    alt.Chart(alt.InlineData(values=totals))
    .mark_bar()
    .encode(x=alt.X("rank:O", axis=alt.Axis(labelAngle=0)), y="click rate:Q")
    .properties(width=320, height=220)
)
labs.picture(
    chart,
    "The click rate at ranks 1 to 5 of the log, one bar per rank. It falls "
    "from more than 0.4 at rank 1 to less than 0.1 at rank 5.",
)

# %% [markdown]
# If we knew how often users *examine* each rank, we could undo the bias. A click at a place where one user in four
# looks stands for four: it counts 1 divided by the examination of its rank (*inverse propensity*). Over the number of
# times that a document was shown, this estimates how attractive it is:
#
# $$\hat{a} = \frac{1}{n} \sum_{clicks} \frac{1}{e_{rank}}$$
#
# ### Exercise 13.2: clicks weighted by propensity
#
# You get the `examination` of four ranks, and for three documents how often they were `shown` and clicked at each
# rank. Estimate the attraction of each. (To 3 decimals.)

# %%
labs.given("13.2")

# %%
# solution
g = labs.given("13.2")
answer = {}
for doc_id, ranks in g.seen.items():
    weighted = sum(
        row["clicks"] / g.examination[rank] for rank, row in ranks.items()
    )
    answer[doc_id] = weighted / sum(row["shown"] for row in ranks.values())
# student: answer = ...  # your turn: a dict from document ids to numbers
# end solution
labs.check("13.2", answer)

# %% [markdown]
# Look at your numbers: the document that was shown furthest down has the fewest clicks per showing, or nearly so, and
# is the best of the three.
#
# ## 3. Click models
#
# Nobody tells us the examination. A *click model* states how users look and click, and both parts follow from the log.
#
# The **cascade model** (Craswell and others 2008): users look from the top, click the first document that attracts
# them, and stop. So a document was looked at if it is above the first click, or is the first click; without a click,
# all of the list was looked at. Its attraction is the number of its clicks over the number of its looks.
#
# ### Exercise 13.3: a cascade model from scratch
#
# Write it as a function. `lists` is a list of lists, each with pairs such as `("p007", True)` from the top. Return a
# dict from documents to attractions, without the documents that nobody looked at.


# %%
def attraction(lists):
    # solution
    clicks, looks = {}, {}
    for shown in lists:
        for doc_id, clicked in shown:
            looks[doc_id] = looks.get(doc_id, 0) + 1
            clicks[doc_id] = clicks.get(doc_id, 0) + clicked
            if clicked:
                break
    return {doc_id: clicks[doc_id] / looks[doc_id] for doc_id in looks}
    # end solution


labs.check("13.3", attraction)

# %% [markdown]
# Here is your function beside plain click rates, for the lists of one need:

# %% tags=["yours"]
labs.needs("13.3")

of_need = [shown for shown in log if shown.query_id == "33"]
seen = [
    [(one.doc_id, one.clicked) for one in each.documents] for each in of_need
]
yours = attraction(seen)
for doc_id in sorted(yours, key=yours.get, reverse=True)[:5]:
    clicks = [
        clicked for shown in seen for doc, clicked in shown if doc == doc_id
    ]
    print(
        f"{doc_id}  yours {yours[doc_id]:.4f}  "
        f"click rate {sum(clicks) / len(clicks):.4f}  "
        f"grade {qrels['33'].get(doc_id, 0):.0f}"
    )

# %% [markdown]
# The **position-based model** (`pbm`), which the library has, supposes that a look depends on the rank alone: P(click) = P(look at the rank) ·
# P(the document attracts). Neither factor is observed. *Expectation maximisation* begins with a guess, computes how
# likely each silent document was looked at, and estimates both factors from that, again and again. It works because
# the same document was shown at several ranks, which interleaving takes care of.

# %%
fitted = toysearch.click_model(log)
print(fitted)

# %% [markdown]
# The column *perplexity* says how surprised the model is by the clicks at a rank: 1 is certain, 2 is a coin.
#
# ### Exercise 13.4: a click model fitted to a log
#
# Make a log with your `seed` (`simulated("bm25", "jaccard", seed=…)`, ten sessions per need), and fit the
# position-based model. What is the examination of your `rank`? (To 3 decimals.)

# %%
labs.given("13.4")

# %%
# solution
g = labs.given("13.4")
answer = toysearch.click_model(
    simulated("bm25", "jaccard", seed=g.seed)
).examination[g.rank - 1]
# student: answer = ...  # your turn: a number
# end solution
labs.check("13.4", answer)

# %% [markdown]
# Is it worth the trouble? Each of these estimates ranks the passages that a need was shown. We know the grades, so we
# can ask which order is better.
#
# *Guess first:* which is the best judge: plain click rates, the cascade model, or the position-based model?

# %% tags=["yours", "guess"]
labs.needs("13.3")

counts, lists = {}, {}
for shown in log:
    lists.setdefault(shown.query_id, []).append(
        [(one.doc_id, one.clicked) for one in shown.documents]
    )
    for one in shown.documents:
        row = counts.setdefault(shown.query_id, {}).setdefault(
            one.doc_id, [0, 0]
        )
        row[0] += one.clicked
        row[1] += 1
estimates = {
    "click rate": {
        query_id: {doc: clicks / n for doc, (clicks, n) in rows.items()}
        for query_id, rows in counts.items()
    },
    "cascade": {
        query_id: attraction(each) for query_id, each in lists.items()
    },
    "pbm": fitted.relevance,
}
for name, relevance in estimates.items():
    value = toysearch.evaluate(relevance, qrels, "nDCG@5")["nDCG@5"]
    print(f"{name:10}  nDCG@5 {value:.4f}")

# %% [markdown]
# Surprised? Plain click rates win, because their bias helps here: they repeat the opinion of the two rankings, which
# is mostly right. The models give that help away, and what they estimate instead from twenty sessions is noisy. With 400
# sessions per need, plain rates reach 0.4692, the cascade 0.4622, and the position-based model 0.4728. A correction
# costs variance and pays with many clicks. It is needed wherever the rankings are *not* mostly right: for the passage that
# they both put too low.
#
# ## 4. Interleaving
#
# Whether a ranking is better than another can be asked directly: show both in *one* list, and see on whose documents
# users click. Both are then seen by the same users, at the same ranks.
#
# *Team draft* (Radlinski, Kurup and Joachims 2008) works as captains choose players. In each round a coin decides who
# picks first. Then each team in turn picks the best document of its ranking that is not in the list yet. A click is
# credited to the team that picked the document.
#
# ### Exercise 13.5: team draft by hand
#
# Mix your rankings `first` and `second` into a list of `k` documents. `coins` has the team that picks first in each
# round. Answer with pairs of a document and a team.

# %%
labs.given("13.5")

# %%
# solution
g = labs.given("13.5")
rankings = {"first": g.first, "second": g.second}
answer = []
for coin in g.coins:
    for team in (coin, "second" if coin == "first" else "first"):
        taken = [doc_id for doc_id, _ in answer]
        best = next(doc for doc in rankings[team] if doc not in taken)
        answer.append((best, team))
answer = answer[: g.k]
# student: answer = ...  # your turn: a list such as [("a", "first"), ("c", "second")]
# end solution
labs.check("13.5", answer)

# %% [markdown]
# The library tosses a coin that depends on the query and the session, so that a list can be made again:

# %%
two = {
    model: list(toysearch.Searcher(index, model).search("old dog").doc_ids)
    for model in ("bm25", "jaccard")
}
for voter in ("session 1", "session 2"):
    mixed = toysearch.interleave(two, "old dog", k=5, voter=voter)
    for doc_id, team in zip(mixed.doc_ids, mixed.teams, strict=True):
        print(f"{voter}  {doc_id} from {team}")

# %% [markdown]
# A session goes to the team with more clicks, and is a tie if both have equally many. Let $w$ and $l$ be the numbers of
# sessions that the first and the second system win. The share $s = w / (w + l)$ of the first one has an interval of
# about
#
# $$s \pm 1.96 \sqrt{\frac{s (1 - s)}{w + l}}$$
#
# ### Exercise 13.6: a preference with its interval
#
# Each of your `sessions` has the number of clicks on documents of the first and of the second system. Count, and
# compute the share with its interval. (To 3 decimals.)

# %%
labs.given("13.6")

# %%
# solution
sessions = labs.given("13.6").sessions
wins = sum(one > other for one, other in sessions)
losses = sum(one < other for one, other in sessions)
share = wins / (wins + losses)
half = 1.96 * (share * (1 - share) / (wins + losses)) ** 0.5
answer = {
    "first wins": wins,
    "ties": len(sessions) - wins - losses,
    "second wins": losses,
    "share": share,
    "low": share - half,
    "high": share + half,
}
# student: answer = ...  # your turn: a dict {"first wins": …, "ties": …, "second wins": …, "share": …, "low": …, "high": …}
# end solution
labs.check("13.6", answer)

# %% [markdown]
# The library has an exact interval instead (Clopper and Pearson), and the sign test. Here are three pairs of systems,
# with twenty sessions per need each. The difference in AP is the truth that users do not know.
#
# *Guess first:* which of the three differences do about a thousand sessions find?

# %% tags=["guess"]
for other in ("jaccard", "tfidf", "lm-dirichlet"):
    means = [
        toysearch.evaluate(ranked(model), qrels, "AP", threshold=threshold)[
            "AP"
        ]
        for model in ("bm25", other)
    ]
    print(f"bm25 minus {other}: {means[0] - means[1]:+.4f} AP")
    leads = [
        sum(
            (one.system == "bm25") - (one.system == other)
            for one in shown.documents
            if one.clicked
        )
        for shown in simulated("bm25", other, sessions=20)
    ]
    wins, losses = (
        sum(lead > 0 for lead in leads),
        sum(lead < 0 for lead in leads),
    )
    test = scipy.stats.binomtest(wins, wins + losses)
    interval = test.proportion_ci()
    print(
        f"{wins} wins, {losses} losses of {len(leads)} sessions: share "
        f"{interval.low:.4f} to {interval.high:.4f}, p {test.pvalue:.4f}\n"
    )

# %% [markdown]
# A thousand sessions find a difference of 0.12 AP with ease and one of 0.025; for one of 0.01 they are far too few.
#
# To count each need once is less certain, and more honest: twenty sessions on one need are not independent of each
# other, and next month users have other needs.
#
# ## 5. How many sessions?
#
# Give a win the lead 1, a tie 0 and a loss −1. If the mean lead is $m$ and the standard deviation of the leads is $s$
# (divided by n − 1, as in lab 8), a difference of this size is found in 80 of 100 tests with
#
# $$n = \left(\frac{2.8 \, s}{m}\right)^2$$
#
# sessions: 1.96 for the level of 5%, and 0.84 for the power of 80%.
#
# ### Exercise 13.7: how many sessions are needed
#
# Your test had this many `wins`, `ties` and `losses`. How many sessions are needed in all? Round up.

# %%
labs.given("13.7")

# %%
import math
import statistics

# solution
g = labs.given("13.7")
leads = [1] * g.wins + [0] * g.ties + [-1] * g.losses
ratio = statistics.stdev(leads) / statistics.mean(leads)
answer = math.ceil((2.8 * ratio) ** 2)
# student: answer = ...  # your turn: a whole number
# end solution
labs.check("13.7", answer)

# %% [markdown]
# The column *sessions needed* of the library uses the t distribution and gives nearly the same. Fix the number before
# the test begins. Someone who looks every day and stops at the first p below 0.05 finds a difference sooner or later,
# also between two equal systems. You can see it: here both teams have the same ranking, and sides are drawn at random.

# %%
import random

points = []
for test in range(200):
    draw = random.Random(test)
    wins, stopped = 0, False
    for n in range(1, 301):
        wins += draw.random() < 0.5
        lead = abs(2 * wins - n) / n**0.5
        stopped = stopped or (n >= 20 and lead > 1.96)
        if n % 20 == 0:
            points.append({"sessions": n, "stopped": stopped})
chart = (
    alt.Chart(alt.InlineData(values=points))
    .transform_calculate(value="datum.stopped ? 1 : 0")
    .mark_line(point=True)
    .encode(
        x=alt.X("sessions:Q"),
        y=alt.Y(
            "mean(value):Q",
            title="tests that have stopped",
            axis=alt.Axis(format="%"),
        ),
    )
    .properties(width=380, height=220)
)
labs.picture(
    chart,
    "The share of 200 tests of two equal systems that someone who looks after "
    "each session has stopped with p below 0.05. It grows with the number of "
    "sessions, far beyond 5%.",
)

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A colleague sorts documents by click rate and calls the result relevance. Explain what is wrong, what would separate
# the place from the document, and what that remedy supposes. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - A click says that a document was seen and attracted someone. No click may mean that nobody looked.
# - Click models separate the two, under an assumption that you should name.
# - Interleaving shows both rankings at the same ranks, so that places cannot decide.
# - A preference needs an interval, and the number of sessions is fixed before the test.
# - Simulated users tell whether a *method* works. They say nothing about real users.
#
# More to try: `toysearch clicks interleave --help`, `toysearch clicks model --help`; `docs/do/learn-from-clicks.md`; the
# thumbs of your class on the page of `toysearch serve`.
#
# ## Further reading
#
# Joachims, Granka, Pan, Hembrooke & Gay, "Accurately interpreting clickthrough data as implicit feedback", SIGIR 2005 ·
# Radlinski, Kurup & Joachims, "How does clickthrough data reflect retrieval quality?", CIKM 2008 · Craswell, Zoeter,
# Taylor & Ramsey, "An experimental comparison of click position-bias models", WSDM 2008 · Chapelle & Zhang, "A dynamic
# Bayesian network click model for web search ranking", WWW 2009 · Chapelle, Joachims, Radlinski & Yue, "Large-scale
# validation and analysis of interleaved search evaluation", *ACM Transactions on Information Systems* 30(1), 2012 ·
# Chuklin, Markov & de Rijke, *Click Models for Web Search*, Morgan & Claypool 2015 · Joachims, Swaminathan & Schnabel,
# "Unbiased learning-to-rank with biased feedback", WSDM 2017
