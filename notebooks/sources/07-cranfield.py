# %% [markdown]
# # Lab 7: Cranfield
#
# Nearly every evaluation of a search engine rests on one idea: fix the documents and the questions, let people decide
# which documents answer which question, and let systems compete on that. The idea was developed in the 1960s in a
# library of aeronautics. In this lab you get to know its collection, meet the traps in its files before they cost you
# anything, and carry out your first real evaluation.
#
# Afterwards you can
#
# - say where test collections come from, and how they were criticised;
# - read an old format carefully, and name the misreadings that give nonsense without any error;
# - evaluate a system, improve it until it reaches a target, and examine the queries that it answers worst;
# - explain, term by term, why one document ranks above another.
#
# You need lab 6 (AP and nDCG).

# %%
from toysearch import labs

labs.start(7, student="anyone")

# %% [markdown]
# The texts of Cranfield belong to others and are not part of toysearch. Its *figures* are: how often each word occurs in
# each document, and the judgments. Every value in this lab is computed from these counts, and equals that of the texts
# to the last digit, because stop words, stems and the models used here see counts only. What needs sentences shows
# terms instead. `toysearch corpora get cranfield` downloads the texts, in case you want to read a document.

# %%
import warnings

import toysearch

warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = toysearch.load("cranfield")
print(
    f"{collection.name}: {len(collection.documents):,} documents, "
    f"{len(collection.judged_queries)} judged queries"
)

# %% [markdown]
# ## 1. The story
#
# Cyril Cleverdon was the librarian of the College of Aeronautics at Cranfield in England. Around 1960 people argued
# about how a library should be indexed: by a universal classification, by subject headings, by facets, or simply by
# words from the text. They argued from principles. Cleverdon counted.
#
# - **Cranfield 1** (report: Cleverdon 1962) indexed some 18,000 papers in four ways and used some 1,200 questions. Each
#   question was made from a paper, its *source document*, and a search succeeded if it found that paper. The four
#   methods were closer than anyone had expected. Critics said that such questions are unlike real ones, because they
#   borrow words from the document to be found.
# - **Cranfield 2** (Cleverdon, Mills & Keen 1966) answered this criticism. Authors of papers were asked which questions
#   had led to their work, and papers were judged for each question on a scale of five grades. Many ways of indexing
#   were compared by *recall* and *precision*, a pair that has stayed. Single words of natural language worked better
#   than elaborate vocabularies, which few had expected (Cleverdon 1967).
#
# Ours is the collection of Cranfield 2: 1,400 abstracts and 225 questions. It spread around the world with Salton's
# system SMART. TREC has worked in the same way since 1992, on far larger collections of which only pools are judged
# (lab 9); this is known as the *Cranfield paradigm* (Voorhees 2002). Its assumptions are worth remembering: relevance
# means being on the topic; it is judged for each document by itself; it is the same for all users; and the judgments
# are good enough to compare systems.
#
# ## 2. The files, and their traps
#
# In the SMART format a document begins with `.I` and its number. Its *fields* follow, each after a line with its
# letter: `.T` title, `.A` author, `.B` place of publication, `.W` text. Queries have `.I` and `.W`. Judgments are lines
# of three numbers: query, document, code. Here is a small imitation with all the peculiarities of Cranfield.

# %%
documents_file = """\
.I 1
.T
taming a budgie
.A
brown,j.
.B
birds 12, 1961.
.W
taming a budgie
a bird that is left alone for a week comes to the hand sooner .
.I 2
.T
.A
.B
.W
.I 3
.T
birds that talk
.A
li,w.
.B
birds 14, 1963.
.W
birds that talk
talking was observed in parrots for
.A
budgies .
.B
a budgie learns words when nobody else is there to talk to .
"""
queries_file = """\
.I 001
.W
how are birds tamed
.I 004
.W
do budgies talk .
.I 002
.W
what do birds eat .
"""
judgments_file = """\
1 1 1
1 3 -1
2 3 2
2 1 4
3 1 -1
"""

# %% [markdown]
# There are six traps, all of them real:
#
# 1. **Numbering.** The queries of Cranfield have `.I` numbers from 001 to 365 with gaps, but the judgments count
#    *positions*: 1 is the first query in the file, 2 the second. In the sample above, judgments that begin with 2
#    belong to query `.I 004`. Most of the numbers are also positions, so a join by number raises no error. It gives
#    nonsense.
# 2. **Codes run backwards.** 1 is a complete answer, 2 a high degree of relevance, 3 useful as background, 4 of minimum
#    interest. (5, no interest, does not occur in the file.) Used as gains, they reward the weakest answers most.
# 3. **−1** occurs once in each query and is not documented. It seems to mark the *source document* of the question,
#    which nobody judged.
# 4. **`.W` repeats the title.** If you search `.T` and `.W`, each title counts twice.
# 5. **Empty documents.** Two documents have no text. They must keep their ids, and nothing may be divided by their
#    length.
# 6. **Marker lines inside the text.** In three documents a line `.A`, `.B` or `.W` occurs in the middle of the
#    abstract.
#
# Here is the first trap on a longer list:
#
# ### Exercise 7.1: whose judgments?
#
# `query_ids` are the `.I` numbers in file order; `judgments` are triples (query, document, code) whose query is a
# position. Which documents are relevant, with a code from 1 to 4, to the query `query_id`?

# %%
labs.given("7.1")

# %%
# solution
g = labs.given("7.1")
place = g.query_ids.index(g.query_id) + 1
answer = [
    doc_id
    for number, doc_id, code in g.judgments
    if number == place and code > 0
]
# student: answer = ...  # your turn: a list of document numbers, such as [12, 345]
# end solution
labs.check("7.1", answer)

# %% [markdown]
# ### Exercise 7.2: a reader of SMART files
#
# Write a function that takes the content of a file of documents and returns a dict from id to the text of `.W`, with
# its lines joined by single spaces. The rule: everything from the first `.W` to the next `.I` is text. A marker line
# inside it (a full stop and one capital letter, alone on its line) is dropped, and the text continues. A document
# without text has the text `""`.


# %%
def documents(text):
    # solution
    found, inside = {}, False
    for line in text.splitlines():
        if line.startswith(".I "):
            lines, inside = found.setdefault(line[3:], []), False
        elif len(line) == 2 and line[0] == ".":
            inside = inside or line == ".W"
        elif inside:
            lines.append(line)
    return {doc_id: " ".join(lines) for doc_id, lines in found.items()}
    # end solution


labs.check("7.2", documents)

# %% [markdown]
# The library, given the three files and a description of their format, should agree (with your function, once it is
# written).

# %%
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    piece = Path(folder) / "piece"
    piece.mkdir()
    for name, content in (
        ("p.all", documents_file),
        ("p.qry", queries_file),
        ("prel", judgments_file),
    ):
        (piece / name).write_text(content)
    (piece / "collection.toml").write_text("""
format = "smart"
text = ["W"]
number = "place"
default_grades = "graded"
files = [
  {role = "documents", path = "p.all"},
  {role = "queries", path = "p.qry"},
  {role = "qrels", path = "prel"},
]
[grades.graded]
description = "5 - code, and nothing for -1"
gains = {1 = 4, 2 = 3, 3 = 2, 4 = 1, -1 = 0}
""")
    small = toysearch.load(piece)
    library = {
        document.doc_id: " ".join(document.text.split())
        for document in small.documents
    }
for query in small.queries:
    print(query.query_id, query.text.strip(), small.qrels[query.query_id])

# %% tags=["yours"]
labs.needs("7.2")
for doc_id, text in documents(documents_file).items():
    print(
        doc_id,
        "as the library"
        if text == library[doc_id]
        else "other than the library",
        repr(text[:60]),
    )

# %% [markdown]
# The library numbers the queries 1, 2, 3 by their positions, and turns the codes into gains by 5 − code. `toysearch
# corpora show cranfield` describes how it reads the real files.
#
# ### Exercise 7.3: codes that run backwards
#
# Compute nDCG@5 for your ranking and codes, where a document gains 5 − code for the codes 1 to 4, and nothing for −1 or
# without a code. (The gain itself is summed, with discount log₂(rank + 1); the ideal ranking has all documents with a
# code; three decimals.)

# %%
labs.given("7.3")

# %%
# solution
g = labs.given("7.3")
gains = {
    doc_id: 5 - code if code > 0 else 0 for doc_id, code in g.codes.items()
}
answer = toysearch.evaluate({"q": g.ranking}, {"q": gains}, "nDCG@5")["nDCG@5"]
# student: answer = ...  # your turn: a number
# end solution
labs.check("7.3", answer)

# %% [markdown]
# AP would not have noticed, because it only asks whether a code is above 0. An error that leaves one measure unchanged
# and reverses another is found late.
#
# ### Exercise 7.4: the value of −1
#
# Compute AP of your ranking twice: with the document of code −1 as not relevant, and as relevant. (Codes 1 to 4 are
# relevant in both cases; three decimals.)

# %%
labs.given("7.4")

# %%
# solution
g = labs.given("7.4")
answer = {}
for reading, source in (("not relevant", 0), ("relevant", 1)):
    grades = {
        doc_id: 1 if code > 0 else source for doc_id, code in g.codes.items()
    }
    answer[reading] = toysearch.evaluate(
        {"q": g.ranking}, {"q": grades}, "AP"
    )["AP"]
# student: answer = ...  # your turn: a dict {"not relevant": …, "relevant": …}
# end solution
labs.check("7.4", answer)

# %% [markdown]
# Neither reading is the truth. The source document was never judged; it shares its words with the question, so systems
# find it easily. This choice alone changes published values of Cranfield by more than the difference between good
# systems. State which reading you use.
#
# ## 3. A first real evaluation
#
# Index, rank, evaluate: three lines. Next to the correct value the cell prints values of a collection that is read
# wrongly: each query gets the judgments of the previous one. Further lines show the effect of −1, of the direction of
# the codes, and of the title.
#
# *Guess first:* how much AP is left if each query is evaluated with the judgments of another: half, a tenth, nothing?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
index = toysearch.Index.build(collection)
searcher = toysearch.Searcher(index, "bm25")
queries, qrels, threshold = (
    collection.judged_queries,
    collection.qrels,
    collection.threshold,
)


def evaluated(searcher, judgments=qrels):
    return toysearch.evaluate(
        searcher.run(queries),
        judgments,
        "AP nDCG@10 P@10",
        threshold=threshold,
    )


def shown(what, result):
    print(
        f"{what:32}",
        "  ".join(
            f"{name} {value:.4f}" for name, value in result.means.items()
        ),
    )


shown("bm25", evaluated(searcher))
ids = [query.query_id for query in queries]
shifted = {
    query_id: qrels[before]
    for query_id, before in zip(ids, [ids[-1], *ids[:-1]], strict=True)
}
shown("judgments of the previous query", evaluated(searcher, shifted))
for reading in ("removed", "relevant"):
    other = toysearch.load("cranfield", grades=f"graded:minus1={reading}")
    shown(f"-1 {reading}", evaluated(searcher, other.qrels))
raw = toysearch.load("cranfield", grades="raw")
shown("codes as gains", evaluated(searcher, raw.qrels))
doubled = toysearch.Index.build(toysearch.load("cranfield", fields=["T", "W"]))
shown("title and text", evaluated(toysearch.Searcher(doubled, "bm25")))

# %% [markdown]
# A wrong join does not give 0. It gives a small value, which you might believe if you do not know what to expect. So
# find out: compare with a published value, or with a second tool, before you change anything. And a trap need not lower
# a value: titles that count twice raise it here. But that is another system, which cannot be compared with one
# that reads `.W` alone.
#
# The direction of the codes can also be checked without trusting any description: the better a document is, the earlier
# a reasonable system should find it. What share of the documents of each grade is among the first k?

# %%
import altair as alt

run = searcher.run(queries)
grades = sorted({grade for _, _, grade in qrels if grade > 0}, reverse=True)
ranks = {grade: [] for grade in grades}
for query in queries:
    places = (
        {doc_id: rank for rank, doc_id in enumerate(run[query.query_id], 1)}
        if query.query_id in run
        else {}
    )
    for doc_id, grade in qrels[query.query_id].items():
        if grade > 0:
            ranks[grade].append(places.get(doc_id, 10_000))
rows = [
    {
        "k": k,
        "found": sum(rank <= k for rank in own) / len(own),
        "grade": f"grade {grade:g} ({len(own)} documents)",
    }
    for grade, own in ranks.items()
    for k in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
]
lines = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_line(point=True, strokeWidth=2)
    .encode(
        x=alt.X(
            "k:Q",
            scale=alt.Scale(type="log", domain=[1, 200]),
            title="k, logarithmic",
        ),
        y=alt.Y(
            "found:Q",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
            title="found in the first k",
        ),
        color=alt.Color(
            "grade:N",
            title=None,
            sort=None,
            scale=alt.Scale(
                range=["#0072B2", "#009E73", "#E69F00", "#D55E00"][
                    : len(grades)
                ]
            ),
        ),
    )
    .properties(width=420, height=260)
)
labs.picture(
    lines,
    "The share of the documents of each grade among the first k: those of "
    "the best grade are found first.",
)

# %% [markdown]
# The best grade (code 1, which is grade 4 here) is on top. If the codes were reversed, the lines would be
# too.
#
# ## 4. A bar to reach
#
# Now build a system. Your queries are `collection.judged_queries[first:last]`, counted as in Python, and your bar is a
# mean AP on them. Here is a weak start: texts without stop words or stems, ranked by overlap.

# %%
g = labs.given("7.5")


def mean_ap(searcher):
    """Mean AP on your queries."""
    mine = collection.judged_queries[g.first : g.last]
    values = toysearch.evaluate(
        searcher.run(mine), qrels, "AP", threshold=threshold
    ).per_query
    return sum(values[query.query_id]["AP"] for query in mine) / len(mine)


plain = toysearch.Index.build(collection, analyzer=toysearch.Analyzer())
print(
    f"{mean_ap(toysearch.Searcher(plain, 'overlap')):.4f}, and the bar is "
    f"{g.bar}"
)

# %% [markdown]
# ### Exercise 7.5: a bar to reach
#
# Reach the bar. Answer with a `toysearch.Searcher` (an index and a model), or with a `Run`. Everything is allowed:
# another analyzer, any model and its parameters, a model of your own as in lab 4, several models combined
# (`toysearch.fuse`).

# %%
# solution
from itertools import product

tried = [
    toysearch.Searcher(index, f"bm25:k1={k1},b={b}")
    for k1, b in product((0.9, 1.5, 2, 2.5), (0.4, 0.6, 0.75, 0.9))
]
tried += [toysearch.Searcher(index, model) for model in ("bm25", "dph", "spl")]
answer = max(tried, key=mean_ap)
# student: answer = ...  # your turn: a Searcher, such as toysearch.Searcher(index, "bm25:k1=1,b=0.5")
# end solution
labs.check("7.5", answer)

# %% [markdown]
# Be honest about what you did: you looked at the judgments of your queries as often as you liked, and kept what fitted
# them best. The value will be lower on queries that you have not seen. Lab 8 shows how to find out by how much.
#
# ## 5. The queries behind the mean
#
# A mean gives no ideas; the queries that fail do. Here is the AP of each query, from the worst to the best:

# %%
result = evaluated(searcher)
ordered = sorted(result.per_query.items(), key=lambda item: item[1]["AP"])
rows = [
    {"query": place, "AP": row["AP"]}
    for place, (_, row) in enumerate(ordered, 1)
]
steps = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_area(interpolate="step", color="#0072B2")
    .encode(
        x=alt.X(
            "query:Q",
            title="queries, the worst first",
            scale=alt.Scale(domain=[0, len(rows) + 1]),
        ),
        y=alt.Y("AP:Q", scale=alt.Scale(domain=[0, 1])),
    )
    .properties(width=560, height=200)
)
labs.picture(
    steps,
    "AP of each query in ascending order: many near 0, a long even rise, few "
    "near 1.",
)

# %%
for poor in labs.poorest(run, qrels, result, 3):
    text = collection.query(poor.query_id).text
    terms = " ".join(sorted(set(index.analyzer(text))))
    print(f"query {poor.query_id}, AP {poor.value:.4f}: {terms}")
    for cause in labs.causes(
        run, qrels, result, poor.query_id, index=index, text=text
    ):
        print("   ", cause.sentence)

# %% [markdown]
# The causes suggested by the library come from rules that count; they do not read. You can, once you have the texts
# (`toysearch corpora get cranfield`): print the query, the first documents (`collection.documents[doc_id].text`), and a
# relevant one that ranks far below. Without them you still see the terms of each. Typical causes are a
# different word for the same thing, a query of mostly general words, a document that is relevant only in passing, and,
# more often than you might think, a judgment that you would not have made.
#
# ### Exercise 7.6: ranks of the relevant documents
#
# For your query and the run of BM25 (`run`): how many documents are relevant (grade at or above the threshold), at
# which rank is the first of them, how many are in the first 10, and how many are *not* in the first 100?

# %%
labs.given("7.6")

# %%
# solution
g = labs.given("7.6")
wanted = [
    doc_id for doc_id, grade in qrels[g.query_id].items() if grade >= threshold
]
places = {doc_id: rank for rank, doc_id in enumerate(run[g.query_id], 1)}
found = sorted(places[doc_id] for doc_id in wanted if doc_id in places)
answer = {
    "relevant": len(wanted),
    "first rank": found[0],
    "in the first 10": sum(rank <= 10 for rank in found),
    "not in the first 100": len(wanted) - sum(rank <= 100 for rank in found),
}
# student: answer = ...  # your turn: {"relevant": …, "first rank": …, "in the first 10": …, "not in the first 100": …}
# end solution
labs.check("7.6", answer)

# %% [markdown]
# ## 6. Why this rank?
#
# A score is a sum over the terms of the query. `explain` shows each share, and that they add up:

# %%
query = queries[0]
first = next(iter(run[query.query_id]))
toysearch.explain(searcher, query.text, first)

# %% [markdown]
# The *order* of two documents is more informative: how far one is ahead of the other, term by term. Here is the first
# document compared with the one at rank 10:

# %%
tenth = list(run[query.query_id])[9]
toysearch.explain_order(searcher, query.text, first, tenth)

# %% [markdown]
# The last column sums to the difference of the scores. In a terminal, `toysearch explain` shows the same, with the
# formulas and with the smallest change of a parameter that would swap the two documents.
#
# ### Exercise 7.7: the term that made the difference
#
# For your query, `above` ranks above `below`, although only `below` is relevant. Which term puts `above` ahead most?
# (Give the term as in the index, that is, a stem. Use the `searcher` from above.)

# %%
labs.given("7.7")

# %%
# solution
g = labs.given("7.7")
order = toysearch.explain_order(
    searcher, collection.query(g.query_id).text, g.above, g.below
)
answer = max(order.parts, key=lambda part: part.difference).name
# student: answer = ...  # your turn: a text
# end solution
labs.check("7.7", answer)

# %% [markdown]
# Now compare the two documents. Would you have swapped them, and what would a formula have to know to do so? A sentence
# such as *in this query the word … counts too much because …* is how most good tweaks begin. Lab 10 follows one of them
# to the end.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# Choose one trap of this collection. Explain how one notices it, and what it would have done to the values of this
# lab. Three to five sentences are enough; a tutor reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - A test collection consists of documents, questions and judgments, and of the assumptions behind them.
# - The worst errors raise no exception: a wrong join, reversed codes, an undocumented −1. Compare with a known value
#   first.
# - A bar reached on the queries that you tuned on is a start, not a result.
# - Read the queries that fail, and find the terms that cause a wrong order.
#
# More to try: `toysearch check cranfield` looks for such traps automatically, in your own collections too; `toysearch
# diff` shows the effect of a change on every query.
#
# ## Further reading
#
# Cleverdon, *Report on the Testing and Analysis of an Investigation into the Comparative Efficiency of Indexing Systems*, College of
# Aeronautics, Cranfield 1962 · Cleverdon, Mills & Keen, *Factors Determining the Performance of Indexing Systems*, Cranfield
# 1966 · Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19(6), 1967 · Cleverdon, "The
# significance of the Cranfield tests on index languages", SIGIR 1991 · Voorhees, "The philosophy of information retrieval
# evaluation", CLEF 2001, Springer 2002 · Sanderson, "Test collection based evaluation of information retrieval systems",
# Foundations and Trends in Information Retrieval 4(4), 2010 · Robertson, "On the history of evaluation in IR", Journal of
# Information Science 34(4), 2008
