# %% [markdown]
# # Lab 10: A tweak, from idea to report
#
# You have an idea for a better ranking. Is it better, on which queries, why, and does it hold elsewhere? This lab
# follows one idea all the way, with the methods of the previous labs, and ends where a class compares its ideas, your
# own among them.
#
# Afterwards you can
#
# - write an idea as a ranking model, and check it where it must equal the old model;
# - say whether it is better, with a test, an interval, and a correction for everything you tried;
# - find the queries and the terms that it affects;
# - tune without fooling yourself, and hand in a result that others can repeat.
#
# You need labs 4 (BM25), 6 (AP) and 8 (significance). The next cell contains your name; replace *anyone* by it.

# %%
from toysearch import labs

labs.start(10, student="anyone")

# %%
import warnings

from numpy import log

import toysearch

# One need has no word in common with any passage: it counts as 0.
warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = toysearch.load("companions", fields=["title", "text"])
index = toysearch.Index.build(collection, fields=["title", "text"])
queries, qrels = collection.judged_queries, collection.qrels
print(f"{len(collection.documents)} passages, {len(queries)} judged needs")

# %% [markdown]
# ## 1. The idea
#
# A title says what a passage is about, and its author chose each word with care. BM25 as we know it does not look where
# a word occurs. So let a word count more if the title contains it: to its count in the text we add `boost` times its
# count in the title, *before* saturation, so that a word in both title and text is not counted twice in full
# (Robertson, Zaragoza and Taylor 2004).
#
# A model is a function. Its arguments before the star are statistics, here of the fields `text` and `title`; those
# after it are parameters, which can be tuned.


# %%
@toysearch.model(k1=(0, None), b=(0, 1), boost=(0, None))
def titled(
    tf_text, tf_title, dl_text, avgdl_text, df, N, *, k1=1.2, b=0.75, boost=1
):
    """BM25 that counts the words of the title more often."""
    idf = log(1 + (N - df + 0.5) / (df + 0.5))
    count = tf_text + boost * tf_title
    length = 1 - b + b * dl_text / avgdl_text
    return idf * count / (count + k1 * length)


print(titled, "takes", ", ".join(titled.statistics))

# %% [markdown]
# ### Exercise 10.1: the idea as a function
#
# Write the weight of one term yourself, with your `k1`, `b` and `boost`, in plain Python. `dl` and `avgdl` are lengths
# of the text; the idf is $\ln\left(1 + \frac{N - df + 0.5}{df + 0.5}\right)$.

# %%
labs.given("10.1")

# %%
import math


def weight(tf_text, tf_title, dl, avgdl, df, N):
    # solution
    given = labs.given("10.1")
    idf = math.log(1 + (N - df + 0.5) / (df + 0.5))
    count = tf_text + given.boost * tf_title
    return (
        idf * count / (count + given.k1 * (1 - given.b + given.b * dl / avgdl))
    )
    # end solution


labs.check("10.1", weight)

# %% [markdown]
# ## 2. A check that costs nothing
#
# Before you compute any value, ask: where must the new model equal an old one? On passages without titles it must be
# BM25 on their text, with any boost and to the last bit. A tweak that fails such a check is a bug, whatever its mean.

# %%
texts = [document.fields["text"] for document in collection.documents]
untitled = [
    toysearch.Document(document.doc_id, text, "", {"title": "", "text": text})
    for document, text in zip(collection.documents, texts, strict=True)
]
english = index.analyzer
new = toysearch.Searcher(
    toysearch.Index.build(untitled, english, fields=["title", "text"]),
    titled.bind(boost=3),
)
old = toysearch.Searcher(
    toysearch.Index.build(untitled, english, fields=["text"]), "bm25"
)
pairs = [
    (new.search(query.text, k=None), old.search(query.text, k=None))
    for query in queries
]
print(
    "same passages:", all(one.doc_ids == other.doc_ids for one, other in pairs)
)
print(
    "same scores:  ",
    all(list(one.scores) == list(other.scores) for one, other in pairs),
)

# %% [markdown]
# With titles and a boost of 0, it is *nearly* BM25 on the text: df counts the passages with a word in the title or in
# the text. This is our baseline, so that nothing but the boost differs.

# %%
baseline = toysearch.Searcher(index, titled.bind(boost=0))
mine = toysearch.Searcher(index, titled)

# %% [markdown]
# ## 3. Look first
#
# Here are the first ten passages for two needs, with a star at the relevant ones. A look finds mistakes that a mean
# hides; it proves nothing.

# %%
for query in (collection.query("1"), collection.query("33")):
    print(query.text)
    for searcher in (baseline, mine):
        grades = qrels[query.query_id]
        hits = [
            hit.doc_id + "*" * (grades.get(hit.doc_id, 0) > 0)
            for hit in searcher.search(query.text)
        ]
        print(f"  {searcher.model!s:14}", *hits)

# %% [markdown]
# ## 4. Is it better?
#
# Now all needs. The test is paired: each need gives the difference of its two values. The interval shows where the mean
# difference may lie; p is the probability that chance alone gives a difference as large.

# %%
runs = [baseline.run(queries), mine.run(queries)]
comparison = toysearch.compare(
    runs, qrels, "AP", threshold=collection.threshold
)
comparison

# %%
labs.picture(
    toysearch.plot("queries", comparison),
    "One bar per need, sorted: how much its AP gains or loses with "
    "titles. A few gain much, more gain a little, some lose.",
)

# %% [markdown]
# Study the picture as well as the table. A mean may come from many small gains or from one large one, and these are
# different findings: a single lucky need will not recur.
#
# ### Exercise 10.2: does it depend on one query?
#
# You get the values of two systems, query by query. What is the mean difference (new minus old) *without the query that
# gains most*? (To 4 decimals.)

# %%
labs.given("10.2")

# %%
# solution
given = labs.given("10.2")
differences = sorted(
    new - old for old, new in zip(given.old, given.new, strict=True)
)
answer = sum(differences[:-1]) / (len(differences) - 1)
# student: answer = ...  # your turn: a number
# end solution
labs.check("10.2", answer)

# %% [markdown]
# ## 5. Which queries, and why?
#
# `diff` compares the two systems: the needs that gain and lose most, for each the document with the most informative
# move, the documents that it passed or that passed it, and the terms that made the difference.

# %%
given = {"queries": queries, "threshold": collection.threshold}
print(toysearch.diff(baseline, mine, qrels, "AP", n=2, moves=1, **given))

# %% [markdown]
# Now down to the numbers: why one document ranks above another, term by term.

# %%
toysearch.explain_order(mine, collection.query("33").text, "p057", "p224")

# %% [markdown]
# ### Exercise 10.3: the term with the largest lift
#
# Under plain `bm25`, with the index of this lab, which term of your query contributes most to the lead of the document
# `above` over the document `below`? Answer with the term as in the index (a stem).

# %%
labs.given("10.3")

# %%
# solution
given = labs.given("10.3")
searcher, text = (
    toysearch.Searcher(index, "bm25"),
    collection.query(given.query_id).text,
)
leads = {
    share.term: share.share
    for share in toysearch.explain(searcher, text, given.above).terms
}
for share in toysearch.explain(searcher, text, given.below).terms:
    leads[share.term] = leads.get(share.term, 0) - share.share
answer = max(leads, key=leads.get)
# student: answer = ...  # your turn: a text
# end solution
labs.check("10.3", answer)

# %% [markdown]
# ## 6. Everything you tried
#
# p says how often chance gives such a difference *in one comparison*. If you try ten ideas and report the best, you
# have made ten comparisons. Holm and Bonferroni correct for that (lab 8), but they can only count what you tell them.
# So write down every idea, including those that failed. Here the count includes two more values of `boost` and a second
# measure:

# %%
tried = {
    f"boost={boost}": toysearch.Searcher(index, titled.bind(boost=boost)).run(
        queries
    )
    for boost in (0, 1, 2, 4)
}
all_tried = toysearch.compare(
    tried, qrels, "AP nDCG@10", threshold=collection.threshold
)
all_tried

# %% [markdown]
# The differences are the same as before. What has changed is p, the intervals with it, and what you may claim.
#
# ### Exercise 10.4: correct for every idea
#
# Your best idea has this `p`. You tried this number of `ideas`, each with this number of `measures`. What is p after
# Bonferroni's correction? (To 4 decimals.)

# %%
labs.given("10.4")

# %%
# solution
given = labs.given("10.4")
answer = min(1, given.p * given.ideas * given.measures)
# student: answer = ...  # your turn: a number
# end solution
labs.check("10.4", answer)

# %% [markdown]
# ## 7. Tuning, honestly
#
# `boost`, k1 and b were guesses. If the best values for all needs are evaluated on the *same* needs, they are rewarded
# for having looked. So the needs are split into folds, and each fold is evaluated with the setting that the others
# chose. The grid is wide, so that the best values are not at its edge: if they were, better ones might lie beyond it.
#
# *Guess first:* 252 settings are tried. By how much will the best of them beat our guess on the queries that chose it,
# and by how much on queries that did not?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
k1_and_b = {
    "k1": [0.1, 0.2, 0.4, 0.8, 1.6, 3.2],
    "b": [0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9],
}
tuned = toysearch.tune(
    titled, collection, {"boost": [0, 0.5, 1, 2, 4, 8], **k1_and_b}
)
print(tuned)

# %% [markdown]
# Here are two numbers for the same thing. On the queries that chose it, the best setting is 0.0150 ahead of our guess;
# on queries that had no part in the choice, nothing is left of the lead. The folds do not even choose the same setting.
# With so few needs, the winner among 252 settings is mostly the luckiest one, and a guess made in advance is just as
# good.
#
# There is a second trap: a tuned tweak easily looks good against an untuned baseline (Armstrong and others 2009). So
# the baseline is tuned too, on the same folds.

# %%
rival = toysearch.tune(titled.bind(boost=0), collection, k1_and_b)
test = toysearch.paired_test(
    tuned.held_out.per_query - rival.held_out.per_query
)
for found in (rival, tuned):
    print(
        f"{found.model:14} held out {found.held_out.value:.4f}, on the same "
        f"queries {found.best.value:.4f}"
    )
print(
    f"difference, held out {test.mean:+.4f} ({test.low:+.4f} to "
    f"{test.high:+.4f}), p {test.p:.4f}"
)

# %%
import altair as alt

evaluator = toysearch.Evaluator(
    index, queries, qrels, "AP", threshold=collection.threshold
)
rows = [
    {
        "boost": boost,
        "b": f"b = {b}",
        "AP": round(evaluator(titled.bind(boost=boost, b=b)).means["AP"], 4),
    }
    for b in (0.3, 0.5, 0.75)
    for boost in (0, 0.5, 1, 1.5, 2, 3, 4, 6)
]
curves = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(point=True)
    .encode(
        x=alt.X("boost:Q"),
        y=alt.Y("AP:Q", scale=alt.Scale(zero=False)),
        color=alt.Color("b:N", title=None),
    )
    .properties(width=460, height=240)
)
labs.picture(
    curves,
    "AP against boost for three values of b: a step up from 0 to 1, then "
    "nearly flat; lower b is higher.",
)

# %% [markdown]
# A flat top is good news: the exact value hardly matters, so a guess will do, and it will do elsewhere. A sharp peak is
# a warning.
#
# ### Exercise 10.5: a held-out value by hand
#
# The needs were split into two halves of equal size; `values` has the mean AP of each setting on the first and on the
# second half. What is the held-out value: the mean of the two halves, each evaluated with the setting that the *other*
# half chose? If several are best on a half, the first of them counts. (To 4 decimals.)

# %%
labs.given("10.5")

# %%
# solution
values = labs.given("10.5").values
first, second = (
    max(values, key=lambda name: values[name][fold]) for fold in (0, 1)
)
answer = (values[first][1] + values[second][0]) / 2
# student: answer = ...  # your turn: a number
# end solution
labs.check("10.5", answer)

# %% [markdown]
# ## 8. A bar to reach
#
# ### Exercise 10.6: a bar
#
# Half of the needs are yours (`queries`). Find a model that reaches the bar on them; some values of k1 and b do. Any
# model is allowed: a text such as `"bm25:k1=0.9,b=0.5"`, a mixture, a function of your own. `value` gives the mean AP
# of a model.

# %%
labs.given("10.6")

# %%
mine_alone = [
    query for query in queries if query.query_id in labs.given("10.6").queries
]
judged = {query.query_id: qrels[query.query_id] for query in mine_alone}
yours = toysearch.Evaluator(
    index, mine_alone, judged, "AP", threshold=collection.threshold
)


def value(model):
    return yours(model).means["AP"]


print(f"bm25 as it comes: {value('bm25'):.4f}")

# %%
# solution
grid = [
    f"bm25:k1={k1},b={b}"
    for k1 in (0.6, 1.2, 1.8, 2.4)
    for b in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
]
answer = max(grid, key=value)
# student: answer = ...  # your turn: a model
# end solution
labs.check("10.6", answer)

# %% [markdown]
# Now the other half, which had no part in your choice. How much is left of the gain over plain BM25?

# %% tags=["yours"]
labs.needs("10.6")
others = [query for query in queries if query not in mine_alone]
judged = {query.query_id: qrels[query.query_id] for query in others}
theirs = toysearch.Evaluator(
    index, others, judged, "AP", threshold=collection.threshold
)
for name, measured in (("your half", yours), ("the other", theirs)):
    gain = measured(answer).means["AP"] - measured("bm25").means["AP"]
    print(f"{name:9}  {gain:+.4f}")

# %% [markdown]
# ## 9. Does it hold elsewhere, and with other words?
#
# What does each part of the system contribute? Each is switched off in turn; *title off* removes our tweak and the
# words of the title.

# %%
toysearch.ablate(titled, collection)

# %% [markdown]
# Now words of the queries are misspelt: the gain has to survive what users type.

# %%
weather = toysearch.robustness(
    [titled.bind(boost=0), titled], collection, only="spelling"
)
weather

# %% [markdown]
# The surest answer to *does it hold elsewhere* is another collection that had no part in anything. The notebook
# `tweak-on-cranfield.ipynb` of the project follows the same idea through Cranfield and CISI: it holds on the former,
# with 225 queries, and not on the latter.
#
# ## 10. What to write
#
# ### Exercise 10.7: the sentence to write
#
# You `tried` this number of things on this number of `queries`. Each of your `findings` has the mean difference, its 95
# % interval from `low` to `high` as if it had been the only comparison, and `p` after Bonferroni's correction for
# everything tried. At the level 0.05, which sentence may you write: `"better"`, `"worse"`, `"inconclusive"` or
# `"equal"`? Answer with a list in their order.

# %%
labs.given("10.7")

# %%
# solution
answer = [
    "inconclusive"
    if each["p"] > 0.05
    else "better"
    if each["difference"] > 0
    else "worse"
    for each in labs.given("10.7").findings
]
# student: answer = ...  # your turn: a list such as ["better", "equal"]
# end solution
labs.check("10.7", answer)

# %% [markdown]
# And what is the honest sentence on titles? Take your own notes as seriously as the exercise. We compared three boosts
# with none by two measures (section 6), and the tuned tweak with the tuned baseline (section 7). These are seven
# comparisons, and all of them count. (The 252 settings need no correction: the queries that chose among them did not
# evaluate them.)

# %%
notes = {
    f"{each.system}, {each.measure}": each.result for each in all_tried.pairs
}
notes["tuned, held out"] = test
p_values = labs.corrected([each.p for each in notes.values()], "holm")
print(f"{'':20} {'diff.':>7} {'95% interval':>18} {'p':>7} {'corrected':>9}")
for (name, each), p in zip(notes.items(), p_values, strict=True):
    interval = f"{each.low:+.4f} to {each.high:+.4f}"
    print(f"{name:20} {each.mean:+.4f} {interval:>18} {each.p:7.4f} {p:9.4f}")

# %% [markdown]
# Four of the seven, each on its own, would have been called *better*. Corrected for everything tried, no difference is
# shown: **inconclusive**. That is not *equal* either: each mean difference is a gain, and the intervals reach from
# about nothing to a gain of 0.05 or more. The next step is not another setting but more queries, chosen before anyone
# looks at the results.
#
# Here are a table for a paper, and a page with everything in one file that opens offline:

# %%
print(format(comparison, "markdown"))
page = toysearch.report(comparison, collection=collection, index=index, k=1000)
page.save("report.html")
print(page)

# %% [markdown]
# ## 11. The class
#
# Now your own idea. Write it into a file, `mine.py`, as a function like `titled`, and let a shell print its value:
#
#     toysearch eval companions --model mine.py:rank -m AP
#
# Then rank the queries with it (`toysearch run companions --model mine.py:rank -o ada.run`), and hand in the run. Half of
# the needs count for the table that you see; the other half, which you never see, counts for the final one. Systems that
# share a letter cannot be distinguished, and share a rank. Here are a baseline and two teams on the first half:

# %%
half = {need: qrels[need] for need in sorted(qrels.keys())[::2]}
handed_in = {
    team: toysearch.Searcher(index, model).run(collection.judged_queries, 1000)
    for team, model in (
        ("baseline", "bm25"),
        ("Ada", "bm25:k1=0.8,b=0.4"),
        ("Ben", "dice"),
    )
}
print(toysearch.compare(handed_in, half, "AP", pairs="all"))

# %% [markdown]
# Two tips before you submit yours. Make a note of every idea, including those that fail: the notes are worth more than
# the rank. And stop looking at the table after a while: each look fits your idea a little more to the public half.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# The best of 252 settings gains 0.0150 on the queries that chose it. Explain why it gains less on others, and what to
# report. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Check a new model where it must equal an old one.
# - Report a mean with a test and an interval, and count everything you tried; then look at the queries, then at a score
#   by hand.
# - Tune on some queries, evaluate on others, and give the baseline the same chance.
# - Inconclusive is not equal; a gain on one collection is a gain on that collection.
#
# ## Further reading
#
# - Stephen Robertson, Hugo Zaragoza and Michael Taylor, *Simple BM25 extension to multiple weighted fields*, CIKM 2004.
# - Timothy Armstrong, Alistair Moffat, William Webber and Justin Zobel, *Improvements that don't add up: ad-hoc retrieval results
#   since 1998*, CIKM 2009.
# - Norbert Fuhr, *Some common mistakes in IR evaluation, and how they can be avoided*, SIGIR Forum 51(3), 2017.
# - Avrim Blum and Moritz Hardt, *The ladder: a reliable leaderboard for machine learning competitions*, ICML 2015.
