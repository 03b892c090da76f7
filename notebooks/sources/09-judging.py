# %% [markdown]
# # Lab 9: Judging
#
# Every figure in the previous labs depends on someone who read documents and decided: this one answers, that one does
# not. Who was it, what was read, what was never read, and how much does it matter?
#
# Afterwards you can
#
# - distinguish a query from the need behind it, and judge documents against the need;
# - make a pool of several runs, and say what it misses and which systems this harms;
# - measure the agreement of two judges;
# - give the bounds of a figure when documents are unjudged, and choose a measure that tolerates them;
# - judge and pool the runs of your own class.
#
# You need AP and nDCG (lab 6). This lab always uses the collection *companions*, because it includes the runs from
# which its documents were pooled. Its README describes how the judgments were made; read it before or after the lab.

# %%
from toysearch import labs

labs.start(9, student="anyone")

# %% [markdown]
# ## 1. A need is not a query
#
# People type a few words. They want something: the *information need* behind the words. Documents are relevant to the
# need, whatever words they share with the query. So a test collection describes each need: the query as typed, a
# *description* of what the searcher wants to know, and a *narrative* that defines what counts as relevant.

# %%
import textwrap
import warnings

import toysearch

# A need without a known term finds nothing: it counts as 0.
warnings.simplefilter("ignore", toysearch.ToysearchNote)

collection = toysearch.load("companions")
texts = {query.query_id: query.text for query in collection.queries}
descriptions = {
    query.query_id: query.text
    for query in toysearch.load(
        "companions", query_fields="description"
    ).queries
}
narratives = {
    query.query_id: query.text
    for query in toysearch.load("companions", query_fields="narrative").queries
}


def show(text, indent=4):
    """A text in lines that fit."""
    print(
        textwrap.fill(
            " ".join(text.split()),
            110,
            initial_indent=" " * indent,
            subsequent_indent=" " * indent,
        )
    )


print(f"{len(collection.documents)} passages, {len(texts)} needs")
for need in ("31", "3"):
    print(f"\nneed {need}, the query: {texts[need]}")
    show(descriptions[need])
    show(narratives[need])

# %% [markdown]
# A search for *lead poisoning* shares a word with every passage about dog leads. Here are two passages, with the grades
# that the assessors gave them for this need:

# %%
passages = {document.doc_id: document for document in collection.documents}
for doc_id in ("p254", "p220"):
    print(f"{doc_id}, grade {collection.qrels['31'][doc_id]:g}")
    show(passages[doc_id].text)

# %% [markdown]
# The grades here are 3 (answers the need by itself), 2 (a substantial part of the answer), 1 (helps a little) and 0
# (does not help, whatever words it shares). Judges see no score, no rank and no system name, because it would influence
# them to know that a document was ranked first. And each grade is for one document alone, as if no other had been read.
#
# ### Exercise 9.1: judge for yourself
#
# The cell below shows two needs with five passages each, and a form that you can copy. Grade the passages before you
# read on. The check only tests whether the form is complete: your opinion is your own.

# %%
labs.given("9.1")

# %% tags=["yours"]
for need, doc_ids in labs.given("9.1").needs.items():
    print(f"NEED {need}: {texts[need]}")
    show(descriptions[need])
    show(narratives[need])
    for doc_id in doc_ids:
        print(f"\n  {doc_id}")
        show(passages[doc_id].text)
    print()
print(
    {
        need: dict.fromkeys(doc_ids)
        for need, doc_ids in labs.given("9.1").needs.items()
    }
)

# %%
# solution
# These are the grades of the assessors. Put your own here.
grades = {
    need: {doc_id: int(collection.qrels[need][doc_id]) for doc_id in doc_ids}
    for need, doc_ids in labs.given("9.1").needs.items()
}
# student: grades = ...  # your turn: the form from above, with 0, 1, 2 or 3 instead of None
# end solution
labs.check("9.1", grades)

# %% [markdown]
# Now compare your grades with those of the assessors. Section 3 explains κ: 1 is complete agreement, 0 is the agreement
# expected by chance.

# %% tags=["yours"]
labs.needs("9.1")
found = toysearch.kappa(grades, collection.qrels)
print(
    f"the same grade for {found.agreement:.0%} of {found.n} passages, κ "
    f"{found.kappa:.2f}, quadratic {found.quadratic:.2f}"
)
for need, doc_id, mine, theirs in found.disagreements:
    print(f"need {need}, {doc_id}: you {mine:g}, the assessors {theirs:g}")

# %% [markdown]
# Read the passages again where you differ. Often both of you have a point, and the narrative is unclear. With ten
# passages κ is only rough: a single grade changes it a lot.
#
# ## 2. Pools
#
# Four hundred passages for 58 needs are 23,200 pairs: too many to read even here, and a web collection has millions of
# documents. So only a **pool** is judged: for each need, the union of the top documents of several *different* systems
# (Spärck Jones & van Rijsbergen 1975). Documents that no system ranked near the top are never read: they are
# **unjudged**, and most measures count them as not relevant. The *depth*, the number of documents taken from each run,
# is a question of money: 100 in the early years of TREC, 20 here.

# %%
three = {
    "one": {"q": list("abcd")},
    "two": {"q": list("bxay")},
    "three": {"q": list("bczx")},
}
small = toysearch.pool(three, depth=2)
small

# %% [markdown]
# ### Exercise 9.2: a pool by hand
#
# You get three runs for one need, best first. Which documents are in their pool at your depth?

# %%
labs.given("9.2")

# %%
# solution
g = labs.given("9.2")
answer = set().union(*(ranking[: g.depth] for ranking in g.runs.values()))
# student: answer = ...  # your turn: a set or a list of documents
# end solution
labs.check("9.2", answer)

# %% [markdown]
# Now the real pool. The ten runs from which *companions* was judged are stored with its files. They differ on purpose:
# words and parts of words, short queries and whole narratives, keywords of an expert, latent semantic analysis.

# %%
runs = {
    path.stem: toysearch.read_run(path)
    for path in sorted((collection.folder / "pools").glob("*.run"))
}
pool = toysearch.pool(runs, depth=20)
judged = {(need, doc_id) for need, doc_id, _ in collection.qrels}
print(
    f"{len(pool.pairs)} pairs in the pool of depth 20, and as judged: "
    f"{set(pool.pairs) == judged}"
)

print(
    f"\n{'run':27} {'in the pool':>11} {'it alone':>9} {'relevant':>9} "
    f"{'it alone':>9}"
)
for name, documents, alone in pool.contributions:
    good = [
        by
        for need, found in pool.ranks.items()
        for doc_id, by in found.items()
        if name in by and collection.qrels[need][doc_id] >= 1
    ]
    print(
        f"{name:27} {documents:11} {alone:9} {len(good):9} "
        f"{sum(len(by) == 1 for by in good):9}"
    )

# %% [markdown]
# The last column is the important one: the relevant documents that would be unjudged without that run. A run made by a
# person who knows the passages contributes most of them. Pools need searchers, not only formulas; TREC had *manual
# runs* for that purpose.
#
# How deep is deep enough? The cell below makes pools of increasing depth, with their cost (pairs to read) and the
# relevant documents found:

# %%
import altair as alt

rows = []
all_relevant = sum(grade >= 1 for _, _, grade in collection.qrels)
for depth in range(1, 21):
    pairs = toysearch.pool(runs, depth).pairs
    good = sum(collection.qrels[need][doc_id] >= 1 for need, doc_id in pairs)
    rows.append(
        {
            "depth": depth,
            "share": len(pairs) / len(judged),
            "what": "pairs to read",
        }
    )
    rows.append(
        {
            "depth": depth,
            "share": good / all_relevant,
            "what": "relevant ones found",
        }
    )
    if depth in (1, 5, 10, 20):
        print(
            f"depth {depth:2}: {len(pairs):4} pairs to read, {good:3} relevant"
        )

# %%
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2, point=True)
    .encode(
        x=alt.X("depth:Q", title="depth of the pool"),
        y=alt.Y(
            "share:Q",
            title="share of depth 20's",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
        color=alt.Color(
            "what:N", title=None, scale=alt.Scale(range=["#999999", "#0072B2"])
        ),
    )
    .properties(width=440, height=240)
)
labs.picture(
    lines,
    "Pairs to read and relevant documents found over the depth of the pool, "
    "as shares of those at depth 20: reading grows "
    "evenly, the relevant ones come early.",
)

# %% [markdown]
# The blue line flattens. That does not prove that little is left: it shows that *these ten runs* find little more at
# their ranks near 20. No curve shows what lies out of reach of all of them.
#
# ### Exercise 9.3: found by one run alone
#
# Take the pool of all ten runs at your depth. How many relevant pairs of need and document (grade 1 or more) did your
# `run` alone contribute?

# %%
labs.given("9.3")

# %%
# solution
g = labs.given("9.3")
ranks = toysearch.pool(runs, g.depth).ranks
answer = sum(
    list(by) == [g.run] and collection.qrels[need][doc_id] >= 1
    for need, found in ranks.items()
    for doc_id, by in found.items()
)
# student: answer = ...  # your turn: a whole number
# end solution
labs.check("9.3", answer)

# %% [markdown]
# ## 3. Two judges
#
# Do two people who read the same documents agree? Let A be the share of pairs on which they agree. Part of it is due to
# chance: two judges who each say *not relevant* nine times out of ten, at random, agree on 82%. **Cohen's κ** corrects
# for chance:
#
# $$\kappa = \frac{A - E}{1 - E} \qquad E = \sum_{g} p_1(g) \cdot p_2(g)$$
#
# where $p_1(g)$ is the share of grade g among the grades of the first judge, and $p_2(g)$ that of the second.
#
# By hand, for 100 pairs: 20 are relevant for both judges, 10 only for the first, 5 only for the second, 65 for neither.
# A = 0.85; the first judge calls 0.30 relevant, the second 0.25; E = 0.30 · 0.25 + 0.70 · 0.75 = 0.60; κ = 0.25 / 0.40
# = 0.625. In Python:

# %%
outcomes = [(1, 1)] * 20 + [(1, 0)] * 10 + [(0, 1)] * 5 + [(0, 0)] * 65
one = {"q": {str(place): grade for place, (grade, _) in enumerate(outcomes)}}
other = {"q": {str(place): grade for place, (_, grade) in enumerate(outcomes)}}
toysearch.kappa(one, other)

# %% [markdown]
# ### Exercise 9.4: κ by hand
#
# You get the numbers of documents that are relevant for both judges, for only one of them, and for neither. What is κ?
# (To 3 decimals.)

# %%
labs.given("9.4")

# %%
# solution
both, only_first, only_second, neither = vars(labs.given("9.4")).values()
total = both + only_first + only_second + neither
p1, p2 = (both + only_first) / total, (both + only_second) / total
chance = p1 * p2 + (1 - p1) * (1 - p2)
answer = ((both + neither) / total - chance) / (1 - chance)
# student: answer = ...  # your turn: a number
# end solution
labs.check("9.4", answer)

# %% [markdown]
# ### Exercise 9.5: κ from scratch
#
# Write κ for any grades: two lists of equal length, the grades of the first and of the second judge for the same
# documents. Nearly equal grades do not count as equal.


# %%
def kappa(first, second):
    # solution
    n = len(first)
    agreed = (
        sum(one == other for one, other in zip(first, second, strict=True)) / n
    )
    chance = sum(
        first.count(grade) / n * second.count(grade) / n
        for grade in set(first)
    )
    return (agreed - chance) / (1 - chance)
    # end solution


labs.check("9.5", kappa)

# %% [markdown]
# If grades are steps on a scale, 2 instead of 3 is a smaller error than 0 instead of 3. **Weights** express this: κ = 1
# − Σ w · observed / Σ w · expected, where w is the difference of the two grades (*linear*) or its square (*quadratic*).
# In *companions* ten needs were judged a second time:

# %%
second_assessor = toysearch.load("companions", split="second").qrels
found = toysearch.kappa(collection.qrels, second_assessor)
found

# %% [markdown]
# That is too good. People seldom get above 0.6, and the assessors of TREC agreed on a third to a half of the documents
# that either called relevant (Voorhees 2000). As the README says, both assessors here are readings by one large
# language model: neither knows the grades of the other, but they think alike, and err alike. Agreement shows that
# judging can be repeated. It does not show that it is right. In this respect your own κ of exercise 9.1 is worth more.
#
# Does it matter? Imagine a judge with errors: a share of the relevant passages is overlooked, and equally many others
# are called relevant. The ten runs are then evaluated with these judgments. How similar is the order of the runs
# (Kendall's τ; 1 is the same order)? The values are means of three draws:

# %%
import random


def careless(share, rng):
    """Judgments of one who overlooks some relevant, and takes others."""
    judgments = {
        need: {
            doc_id: float(grade >= 1)
            for doc_id, grade in collection.qrels[need].items()
        }
        for need in texts
    }
    for grades in judgments.values():
        good, other = (
            [doc_id for doc_id in grades if grades[doc_id] == of]
            for of in (1, 0)
        )
        overlooked = [doc_id for doc_id in good if rng.random() < share]
        for doc_id in (*overlooked, *rng.sample(other, len(overlooked))):
            grades[doc_id] = 1 - grades[doc_id]
    return judgments


def by_ap(judgments):
    """The names of the runs, best first, and their values."""
    values = {
        name: toysearch.evaluate(run, judgments, "AP", threshold=1).means["AP"]
        for name, run in runs.items()
    }
    return sorted(values, key=values.get, reverse=True), values


order, values = by_ap(collection.qrels)
for share in (0.1, 0.2, 0.4, 0.6):
    agreed, best, tau = [], [], []
    for draw in range(3):
        judgments = careless(share, random.Random(draw))
        noisy_order, noisy = by_ap(judgments)
        agreed.append(
            toysearch.kappa(judgments, collection.qrels, threshold=1).kappa
        )
        best.append(noisy[order[0]])
        tau.append(toysearch.kendall_tau(order, noisy_order))
    print(
        f"overlooks {share:.0%}: κ {sum(agreed) / 3:.2f}, AP of the best run "
        f"{values[order[0]]:.2f} → {sum(best) / 3:.2f}, "
        f"τ of the order {sum(tau) / 3:.2f}"
    )

# %% [markdown]
# The values fall fast, but the order of the runs changes slowly. Voorhees found the same with people, and this is why
# test collections work although judges disagree. But this judge errs at random. Errors in favour of one kind of system,
# say of passages that share words with the query, would not be noticed in this way.
#
# ## 4. Unjudged documents
#
# A system that did not contribute to the pool finds documents that nobody has read. **Judged@k**, the share of the
# first k documents that is judged, shows how many. Here is `bm25`, a thousand documents deep:
#
# *Guess first:* the pools were 20 deep. What share of the first 10 is judged, and of the first 100?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
index = toysearch.Index.build(collection)
run = toysearch.Searcher(index, "bm25").run(collection.queries)
found = toysearch.evaluate(
    run,
    collection.qrels,
    "Judged@10 Judged@20 Judged@50 Judged@100",
    threshold=1,
)
print(
    ", ".join(
        f"{measure} {value:.3f}" for measure, value in found.means.items()
    )
)

# %% [markdown]
# (It is not 1 at rank 10: one need shares no word with any passage and finds nothing, and a few words of the passages
# were changed after the judging, which moved a few documents.) What can be done about the rest?
#
# - **Count them as not relevant**, as most measures do. This is fair only if the pool contains nearly all relevant
#   documents.
# - **Bounds**: compute the measure as if all unjudged documents were as bad as possible, and as good as possible. The
#   truth lies between.
# - **Condensed lists** (Sakai 2007): remove the unjudged documents, so that those below move up; then compute AP or
#   nDCG as usual.
# - **Bpref** (Buckley & Voorhees 2004): use judged documents only. Each relevant one that is found loses value for the
#   non-relevant ones above it: Bpref = 1/R · Σ (1 − min(n, R) / min(N, R)), where R and N are the numbers of documents
#   judged relevant and not relevant, and n is the number of these N that rank above it.
# - **infAP** (Yilmaz & Aslam 2006): if a random part of the pool was judged, estimate the precision at each rank from
#   it.

# %%
bounds = toysearch.unjudged_bounds(
    run, collection.qrels, "P@10 P@20 P@100 AP", threshold=1
)
bounds

# %% [markdown]
# `toysearch eval --bounds` prints the same in a terminal. P@10 is nearly certain; AP is not at all, because it looks a
# thousand documents deep. The upper bound is of course absurd, because it assumes that everything unread is relevant.
#
# ### Exercise 9.6: one ranking, five readings
#
# You get eight documents by rank. `missed` more are known to be relevant but were not retrieved. No other document is
# judged. Compute by hand the lowest and the highest P@5, AP as usual, AP of the condensed list, and Bpref. (To 4
# decimals.)

# %%
labs.given("9.6")

# %%
# solution
g = labs.given("9.6")


def ap(ranking, R):
    hits = [
        rank for rank, state in enumerate(ranking, 1) if state == "relevant"
    ]
    return sum(place / rank for place, rank in enumerate(hits, 1)) / R


R, N = g.ranking.count("relevant") + g.missed, g.ranking.count("not")
top, bpref = g.ranking[:5], 0
for rank, state in enumerate(g.ranking):
    if state == "relevant":
        bpref += (1 - min(g.ranking[:rank].count("not"), R) / min(N, R)) / R
answer = {
    "P@5 lowest": top.count("relevant") / 5,
    "P@5 highest": (top.count("relevant") + top.count("unjudged")) / 5,
    "AP": ap(g.ranking, R),
    "AP condensed": ap(
        [state for state in g.ranking if state != "unjudged"], R
    ),
    "Bpref": bpref,
}
# student: answer = ...  # your turn: a dict with the keys "P@5 lowest", "P@5 highest", "AP", "AP condensed", "Bpref"
# end solution
labs.check("9.6", answer)

# %% [markdown]
# Which of them can be trusted? Here is an experiment after Buckley and Voorhees: discard part of the judgments at
# random, and watch the values. A good measure for incomplete judgments keeps its value. (Only needs that keep a
# relevant document count; values are means of ten draws. A grade of −1 means: in the pool, but not judged.)

# %%
names = {
    "AP": "AP",
    "AP(judged_only=True)": "AP condensed",
    "Bpref": "Bpref",
    "infAP": "infAP",
}
rows = []
for share in (1, 0.8, 0.6, 0.4, 0.2):
    sums = dict.fromkeys(names, 0.0)
    for draw in range(10):
        rng = random.Random(draw)
        kept = {need: {} for need in texts}
        for need, doc_id, grade in collection.qrels:
            kept[need][doc_id] = grade if rng.random() < share else -1
        means = toysearch.evaluate(
            run, kept, list(names), threshold=1, undefined="nan"
        ).means
        sums = {
            measure: sums[measure] + means[measure] / 10 for measure in names
        }
    rows += [
        {"share": share, "value": value, "measure": names[measure]}
        for measure, value in sums.items()
    ]
    print(
        f"{share:4.0%} judged: "
        + ", ".join(
            f"{names[measure]} {value:.3f}" for measure, value in sums.items()
        )
    )

# %%
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(strokeWidth=2, point=True)
    .encode(
        x=alt.X(
            "share:Q",
            title="judgments kept",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(reverse=True),
        ),
        y=alt.Y("value:Q", title="value of bm25", scale=alt.Scale(zero=False)),
        color=alt.Color(
            "measure:N",
            title=None,
            sort=list(names.values()),
            scale=alt.Scale(
                range=["#D55E00", "#0072B2", "#009E73", "#999999"]
            ),
        ),
    )
    .properties(width=420, height=250)
)
labs.picture(
    lines,
    "AP, AP of condensed lists, Bpref and infAP while judgments are thrown "
    "away: AP falls steeply, the three "
    "others change far less.",
)

# %% [markdown]
# AP falls because the discarded documents count as not relevant. The other measures tolerate this better. Condensed
# lists are even too kind: among few documents it is easier to rank high. And all of these measures are made for
# judgments missing *at random*. The documents that a pool misses are not missing at random: the pool knows what its own
# runs found, and is blind to what only a newcomer finds. This is **pooling bias**. You can measure it (Zobel 1998):
# leave one run out of the pool, judge by what the nine others found, and see the value of the run now.

# %%


def judged_from(some, depth):
    """The judgments there would be, had only these runs been pooled."""
    found = toysearch.pool(some, depth)
    return {
        need: {
            doc_id: collection.qrels[need][doc_id] for doc_id in found[need]
        }
        for need in found
    }


rows = []
print(f"{'AP of':27} with it, without it in a pool of depth 5; of depth 20")
for name in runs:
    others = {other: runs[other] for other in runs if other != name}
    shown = []
    for depth in (5, 20):
        for who, some in (("took part", runs), ("left out", others)):
            value = toysearch.evaluate(
                runs[name], judged_from(some, depth), "AP", threshold=1
            ).means["AP"]
            shown.append(f"{value:.4f}")
            if depth == 5:
                rows.append({"run": name, "AP": value, "the run": who})
    print(
        f"{name:27} {shown[0]} → {shown[1]}          {shown[2]} → {shown[3]}"
    )

# %%
points = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_point(filled=True, size=70)
    .encode(
        x=alt.X(
            "AP:Q",
            title="AP by a pool of depth 5",
            scale=alt.Scale(zero=False),
        ),
        y=alt.Y(
            "run:N", title=None, sort=list(runs), axis=alt.Axis(labelLimit=220)
        ),
        color=alt.Color(
            "the run:N",
            sort=["took part", "left out"],
            scale=alt.Scale(range=["#0072B2", "#D55E00"]),
        ),
        shape=alt.Shape(
            "the run:N", sort=["took part", "left out"], legend=None
        ),
    )
    .properties(width=380, height=260)
)
labs.picture(
    points,
    "AP of each run when it took part in the pool, and when it was left out: "
    "nearly the same for most, clearly lower for the "
    "expert's keywords.",
)

# %% [markdown]
# Runs that resemble others lose almost nothing. The run that is unlike all others loses much, although it is the best:
# the pool punishes what is new. (Means can even rise slightly: documents that only this run had found, far down, no
# longer count as relevant.)
#
# ### Exercise 9.7: a run left out of the pool
#
# Compute the value of your `run` by your `measure`, judged by a pool of the nine others at your `depth`. (To 4
# decimals.)

# %%
labs.given("9.7")

# %%
# solution
g = labs.given("9.7")
others = {name: run for name, run in runs.items() if name != g.run}
answer = toysearch.evaluate(
    runs[g.run], judged_from(others, g.depth), g.measure, threshold=1
).means[g.measure]
# student: answer = ...  # your turn: a number
# end solution
labs.check("9.7", answer)

# %% [markdown]
# ## 5. A corpus that changes
#
# *companions-2* is a later release of the same collection: twenty passages were withdrawn, twenty added, and twenty
# revised under their old ids. The needs are the same, and judgments were renewed where necessary. What if you continue
# to use the old judgments?

# %%
second = toysearch.load("companions-2")
second_index = toysearch.Index.build(second)
new_run = toysearch.Searcher(second_index, "bm25").run(second.queries)
for name, qrels in (("old", collection.qrels), ("new", second.qrels)):
    found = toysearch.evaluate(
        new_run, qrels, "AP nDCG@10 P@10 Judged@10", threshold=1
    )
    print(
        name,
        "judgments:",
        ", ".join(
            f"{measure} {value:.4f}" for measure, value in found.means.items()
        ),
    )

# %% [markdown]
# There is no error, and the means are nearly the same: that is the trap. Only Judged@10 gives a hint. Single needs tell
# another story. These are the needs whose AP is most wrong:

# %%
old_values = toysearch.evaluate(
    new_run, collection.qrels, "AP", threshold=1
).per_query
new_values = toysearch.evaluate(
    new_run, second.qrels, "AP", threshold=1
).per_query
wrong = {
    need: old_values[need]["AP"] - new_values[need]["AP"] for need in texts
}
for need in sorted(wrong, key=lambda need: -abs(wrong[need]))[:6]:
    print(
        f"need {need:2} {texts[need]:42} old {old_values[need]['AP']:.3f}, "
        f"new {new_values[need]['AP']:.3f}"
    )
print(
    f"{sum(value != 0 for value in wrong.values())} of {len(wrong)} needs "
    "have another AP"
)

# %% [markdown]
# A withdrawn answer counts as missed, a new one as not relevant, and a revised one has the grade of its old text.
# Judgments belong to a version of a corpus: name it in your report.
#
# ### Exercise 9.8: old judgments, new corpus
#
# Rank the second release with your `model`. What is the value of your `measure` by the judgments of the first release
# (`old`), and by those of the second (`new`)? (To 4 decimals, with `threshold=1`.)

# %%
labs.given("9.8")

# %%
# solution
g = labs.given("9.8")
mine = toysearch.Searcher(second_index, g.model).run(second.queries)
answer = {
    name: toysearch.evaluate(mine, qrels, g.measure, threshold=1).means[
        g.measure
    ]
    for name, qrels in (("old", collection.qrels), ("new", second.qrels))
}
# student: answer = ...  # your turn: a dict such as {"old": 0.25, "new": 0.3}
# end solution
labs.check("9.8", answer)

# %% [markdown]
# ## 6. Your class makes a collection
#
# A class can do all of this with its own runs in an afternoon. Everyone brings a run for the same needs, made by a
# ranking of their own. Then, in a terminal:
#
#     toysearch judge pool ada.run ben.run carla.run --depth 10 -o sheet.csv --texts companions --judges ada,ben,carla --twice 20
#
# makes one sheet per judge with one row per pair: the need with its description and narrative, the passage, and empty
# columns `relevance` and `reason`. The sheets contain no run and no rank. Each need goes to one judge, and 20% of its
# pairs also to a second one. Fill in the columns in any spreadsheet program and save the sheet as CSV:
#
#     toysearch judge agree sheet-ada.csv sheet-ben.csv sheet-carla.csv
#     toysearch judge agree sheet-ada.csv sheet-ben.csv sheet-carla.csv --differences --texts companions
#     toysearch judge merge sheet-ada.csv sheet-ben.csv sheet-carla.csv -o judged.csv
#
# Discuss the differences *afterwards*, and improve the description rather than the grade. `judge merge` writes judgments
# like any others: `toysearch eval ada.run judged.csv`. A run that arrives late is pooled with `--judged judged.csv`,
# which leaves out the pairs already judged. Here are three lines of a sheet without texts:

# %%
import io

sheet = io.StringIO()
toysearch.write_pool(
    toysearch.pool(
        {name: runs[name] for name in ("lsa", "bm25-title")}, depth=2
    ),
    sheet,
    texts,
)
print(*sheet.getvalue().splitlines()[:4], sep="\n")

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A new system finds relevant documents that nobody has judged. Explain what happens to its values, and what one can
# do. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Judge documents against the need, without seeing system or rank, and have some of them judged twice.
# - A pool is as good as its runs are different. It is blind to what none of them found, and therefore unfair to
#   newcomers.
# - κ corrects agreement for chance. High agreement is not truth, and low agreement seldom changes which system is
#   better.
# - Unjudged does not mean *not relevant*: look at Judged@k and at bounds before you trust a value.
# - Judgments belong to a version of a corpus.
#
# More to try: `toysearch judge pool --help`, `toysearch judge agree --help`, `toysearch eval --bounds`; the last two
# columns of the table in section 2 for the pools of companions-2.
#
# ## Further reading
#
# Spärck Jones & van Rijsbergen, "Report on the need for and provision of an 'ideal' information retrieval test collection",
# British Library Research and Development Report 5266, 1975 · Cohen, "A coefficient of agreement for nominal scales", Educational
# and Psychological Measurement 20, 1960 · Zobel, "How reliable are the results of large-scale information retrieval
# experiments?", SIGIR 1998 · Voorhees, "Variations in relevance judgments and the measurement of retrieval effectiveness",
# Information Processing & Management 36(5), 2000 · Buckley & Voorhees, "Retrieval evaluation with incomplete information", SIGIR
# 2004 · Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006 · Sakai,
# "Alternatives to Bpref", SIGIR 2007 · Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge University
# Press 2008, chapter 8
