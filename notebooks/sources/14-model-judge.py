# %% [markdown]
# # Lab 14: Judging by a model
#
# A language model reads a need and a passage and writes down a grade, a thousand pairs in an hour. May its grades
# replace those of people? The question is not whether it agrees. It is whether *your conclusions* stay the same. In
# this lab you find out how such a judge errs, and what that does to an experiment.
#
# Afterwards you can
#
# - show for each grade how often a judge rates too high;
# - measure agreement on a scale, and read grades through their calibration;
# - find the systems that a judge favours, and the conclusions that change;
# - let a model fill the holes of a pool, and say when not to.
#
# You need labs 6 (P@k), 8 (significance) and 9 (κ, pools).

# %%
from toysearch import labs

labs.start(14, student="anyone")

# %% [markdown]
# ## 1. Two judges
#
# *companions* has the grades of an assessor, 0 to 3, and a file with the grades of a model for what ten runs have among
# their first five passages. No model is called in this lab. **The file is made up**: a script changed the grades of the
# assessor, so that a passage with many words of the query is likelier to be rated one grade too high. Such a habit has
# been reported of language models (Alaofi and others 2024). Because we know the rule, we can see whether we would
# have found it. The person is called *person* here, and the model *model*.

# %%
import warnings
from collections import Counter

import toysearch

# Notes, such as "this query has no known word", are not shown in this lab.
warnings.simplefilter("ignore", toysearch.ToysearchNote)
collection = toysearch.load("companions")
person = collection.qrels
grades = collection.folder / "made-up" / "grades.jsonl"
model = toysearch.read_qrels(grades)
both = [
    (int(person[need][doc_id]), int(grade)) for need, doc_id, grade in model
]
table = Counter(both)
print(f"{len(both)} pairs of a need and a passage, judged by both")
print("person    model: 0    1    2    3")
for row in range(4):
    print(
        f"     {row}      "
        + "".join(f"{table[row, column]:5}" for column in range(4))
    )

# %% [markdown]
# The table is a *confusion matrix*: rows are the grades of the person, columns those of the model. What lies right of
# the diagonal is rated too high.
#
# *Guess first:* for which grade of the person is the share that the model rates too high the largest?

# %% [markdown] tags=["predict"]
# Write your guess here before you run the next cell, with a reason in a sentence or two. A tutor reads it. (A double-click
# opens this cell.)
#
# **Your prediction:**

# %% tags=["guess"]
for row in range(4):
    n = sum(table[row, column] for column in range(4))
    high = sum(table[row, column] for column in range(row + 1, 4))
    low = sum(table[row, column] for column in range(row))
    print(
        f"grade {row}: {n:4} pairs, {high / n:4.0%} higher, "
        f"{low / n:4.0%} lower"
    )

# %% [markdown]
# ### Exercise 14.1: over-rating by grade
#
# You get the grades of both judges for the same pairs, in the same order. For each grade of the person, what share of
# its pairs did the model rate higher? (To 3 decimals.)

# %%
labs.given("14.1")

# %%
# solution
g = labs.given("14.1")
answer = {}
for grade in range(4):
    theirs = [m for p, m in zip(g.person, g.model, strict=True) if p == grade]
    answer[grade] = sum(m > grade for m in theirs) / len(theirs)
# student: answer = ...  # your turn: a dict such as {0: 0.5, 1: 0.2, 2: 0.1, 3: 0}
# end solution
labs.check("14.1", answer)

# %% [markdown]
# ## 2. Agreement on a scale
#
# Cohen's κ (lab 9) treats a 3 for a 2 like a 3 for a 0. On a scale the distance should count. With weights
# $w_{ij} = (i - j)^2$, observed shares $o_{ij}$, and the shares $e_{ij}$ that are expected by chance from the row and column
# sums,
#
# $$\kappa_w = 1 - \frac{\sum w_{ij} \, o_{ij}}{\sum w_{ij} \, e_{ij}}$$
#
# ### Exercise 14.2: κ with quadratic weights
#
# `counts` is a confusion matrix: one row for each grade of the person, from 0 to 3. Compute κ with quadratic weights.
# (To 3 decimals.)

# %%
labs.given("14.2")

# %%
# solution
counts = labs.given("14.2").counts
n = sum(map(sum, counts))
rows = [sum(row) for row in counts]
columns = [sum(column) for column in zip(*counts, strict=True)]
cells = [(i, j) for i in range(4) for j in range(4)]
seen = sum((i - j) ** 2 * counts[i][j] for i, j in cells)
chance = sum((i - j) ** 2 * rows[i] * columns[j] / n for i, j in cells)
answer = 1 - seen / chance
# student: answer = ...  # your turn: a number
# end solution
labs.check("14.2", answer)

# %%
agreement = toysearch.kappa(person, model)
print(
    f"this model: κ {agreement.kappa:.4f}, "
    f"with quadratic weights {agreement.quadratic:.4f}"
)

# %% [markdown]
# A κ above 0.9 looks like a judge that one can trust. Keep that number in mind until section 4.
#
# ## 3. Calibration
#
# Over-rating asks what the model says of each grade of the person. A reader of the model's grades needs the opposite
# direction: if the model says 1, what is that worth? A judge is *calibrated* if the answer is 1. The mean distance
# between a grade and its worth, over all pairs, is the *calibration error*.
#
# ### Exercise 14.3: what a grade of the model is worth
#
# From your `counts` (rows: person, columns: model), compute the mean grade of the person for each grade of the model,
# and the calibration error. (To 3 decimals.)

# %%
labs.given("14.3")

# %%
# solution
counts = labs.given("14.3").counts
answer, error = {}, 0
for grade, column in enumerate(zip(*counts, strict=True)):
    worth = sum(i * n for i, n in enumerate(column)) / sum(column)
    answer[grade] = worth
    error += abs(grade - worth) * sum(column)
answer["error"] = error / sum(map(sum, counts))
# student: answer = ...  # your turn: a dict {0: …, 1: …, 2: …, 3: …, "error": …}
# end solution
labs.check("14.3", answer)

# %%
import altair as alt

points = []
for grade in range(4):
    n = sum(table[row, grade] for row in range(4))
    worth = sum(row * table[row, grade] for row in range(4)) / n
    points += [
        {"grade of the model": grade, "grade of the person": worth,
         "line": "this model"},
        {"grade of the model": grade, "grade of the person": grade,
         "line": "calibrated"},
    ]  # fmt: skip
chart = (
    alt.Chart(alt.InlineData(values=points))
    .mark_line(point=True)
    .encode(
        x=alt.X("grade of the model:O", axis=alt.Axis(labelAngle=0)),
        y="grade of the person:Q",
        color=alt.Color(
            "line:N",
            title=None,
            scale=alt.Scale(range=["#999999", "#0072B2"]),
        ),
    )
    .properties(width=320, height=220)
)
labs.picture(
    chart,
    "The mean grade of the person for each grade of the model, beside the "
    "diagonal of a calibrated judge. A grade of 1 is worth only a third; the "
    "others lie close to the diagonal.",
)

# %% [markdown]
# Most pairs have grade 0, so even a small share of them that is rated 1 outnumbers the true ones. This is the base
# rate at work: where relevant documents are rare, *relevant* from an imperfect judge is often wrong.
#
# ## 4. From grades to systems
#
# If a judge is kind to all systems alike, all means rise and no order changes. So look at how much more the mean of a
# system rises than those of all: its *bias*.
#
# ### Exercise 14.4: the systems that a model favours
#
# Your `means` are those of five systems under each judge. Compute the bias of each: its rise, minus the mean rise of the
# five. (To 4 decimals.)

# %%
labs.given("14.4")

# %%
# solution
means = labs.given("14.4").means
rises = {name: row["model"] - row["person"] for name, row in means.items()}
average = sum(rises.values()) / len(rises)
answer = {name: rise - average for name, rise in rises.items()}
# student: answer = ...  # your turn: a dict from systems to numbers
# end solution
labs.check("14.4", answer)

# %% [markdown]
# Here are the ten runs from which *companions* was pooled. Their names say which text of the need they use: the short
# title, the description, the long narrative, or keywords of an expert.
#
# *Guess first:* which of these texts does this model favour, and why?

# %% tags=["guess"]
runs = {
    path.stem: toysearch.read_run(path)
    for path in sorted((collection.folder / "pools").glob("*.run"))
}
result = toysearch.rejudge(runs, person, "P@5", by=model, threshold=1, depth=5)
for system in sorted(result.systems, key=lambda each: -each.favour):
    print(
        f"{system.system:27} {system.by_first:.4f} → {system.by_second:.4f}  "
        f"bias {system.favour:+.4f}  p {system.p:.4f}"
    )

# %% [markdown]
# The judge sees words of the query in a passage, and the systems with short queries find passages with all of them. Long
# queries and keywords share fewer words with the title. A system whose ranking is made by the same model as the judgments
# is the extreme case: it is compared with its own opinion (Clarke and Dietz 2024).
#
# What matters in the end is what you would have written in your report. Test each pair of systems under each judge
# (p is corrected for the number of pairs). The conclusion is
#
# - **same**: both judges show a difference, with the same sign;
# - **reversed**: both show one, with different signs;
# - **lost**: only the person shows one, and **new**: only the model does;
# - **inconclusive**: neither does.
#
# ### Exercise 14.5: which conclusions change
#
# For each of your `pairs` you get the difference of the two systems and its p, under the person and under the model.
# What happens to each conclusion at the level of 0.05?

# %%
labs.given("14.5")

# %%
# solution
answer = []
for pair in labs.given("14.5").pairs:
    p, m = pair["person"], pair["model"]
    if p["p"] < 0.05 and m["p"] < 0.05:
        same = p["difference"] * m["difference"] > 0
        answer.append("same" if same else "reversed")
    elif p["p"] < 0.05:
        answer.append("lost")
    else:
        answer.append("new" if m["p"] < 0.05 else "inconclusive")
# student: answer = ...  # your turn: a list of words
# end solution
labs.check("14.5", answer)

# %% [markdown]
# *Guess first:* of the 45 pairs of the ten runs, how many conclusions change, with a κ of more than 0.9?

# %% tags=["guess"]
runs = {
    path.stem: toysearch.read_run(path)
    for path in sorted((collection.folder / "pools").glob("*.run"))
}
result = toysearch.rejudge(runs, person, "P@5", by=model, threshold=1, depth=5)
print(result.changes)
print(f"τ of the two orders of systems: {result.tau:.4f}")

# %% [markdown]
# Thirteen of 45. Eight are *new*: you would have published a difference that the assessor does not see. Neither κ nor
# τ says so. τ counts pairs of systems in the same order, and most of these are far apart and easy.
#
# ### Exercise 14.6: conclusions of a whole experiment
#
# Take your four `systems` from the ten runs, and your `measure`. Compare them with `rejudge`: first the person, then
# the model, with `threshold=1` and `test="t"`. What is τ, and how many conclusions are lost and new? (To 3 decimals.)

# %%
labs.given("14.6")

# %%
# solution
g = labs.given("14.6")
mine = {
    name: toysearch.read_run(collection.folder / "pools" / f"{name}.run")
    for name in g.systems
}
found = toysearch.rejudge(
    mine, person, g.measure, by=model, threshold=1, test="t"
)
answer = {
    "τ": found.tau,
    "lost": found.changes["lost"],
    "new": found.changes["new"],
}
# student: answer = ...  # your turn: a dict {"τ": …, "lost": …, "new": …}
# end solution
labs.check("14.6", answer)

# %% [markdown]
# ## 5. Holes of a pool
#
# Perhaps the model need not replace anyone. A newcomer finds passages that nobody has judged (lab 9); they count as not
# relevant, and the newcomer is punished. The model could grade just these: the person where there is one, the model in
# the holes.
#
# ### Exercise 14.7: holes of a pool, filled
#
# You get a `ranking`, the grades of the `person`, who has not seen all of it, and those of the `model`. Relevant is a
# grade of 2 or more. Compute P@5 with the holes as they are (`without`), with the holes filled by the model (`filled`),
# and by the model alone.

# %%
labs.given("14.7")

# %%
# solution
g = labs.given("14.7")


def p5(judgments):
    return sum(judgments.get(d, 0) >= 2 for d in g.ranking[:5]) / 5


answer = {
    "without": p5(g.person),
    "filled": p5({**g.model, **g.person}),
    "model alone": p5(g.model),
}
# student: answer = ...  # your turn: a dict {"without": …, "filled": …, "model alone": …}
# end solution
labs.check("14.7", answer)

# %% [markdown]
# With the ten runs we can try it: leave one run out of the pool, and see what its mean would be. Here `truth` is the
# mean when all were pooled.

# %%
runs = {
    path.stem: toysearch.read_run(path)
    for path in sorted((collection.folder / "pools").glob("*.run"))
}
result = toysearch.rejudge(runs, person, "P@5", by=model, threshold=1, depth=5)
print(f"{'left out':27} truth   without  filled")
for system in result.systems:
    print(
        f"{system.system:27} {system.by_first:.4f}  {system.without:.4f}  "
        f" {system.filled:.4f}"
    )

# %%
import altair as alt

rows = [
    {
        "run": system.system,
        "error of P@5": value - system.by_first,
        "holes": name,
    }
    for system in toysearch.rejudge(
        {
            path.stem: toysearch.read_run(path)
            for path in sorted((collection.folder / "pools").glob("*.run"))
        },
        person,
        "P@5",
        by=model,
        threshold=1,
        depth=5,
    ).systems
    for name, value in (
        ("not relevant", system.without),
        ("filled", system.filled),
    )
]
chart = (
    alt.Chart(alt.InlineData(values=rows))
    .mark_point(filled=True, size=70)
    .encode(
        x="error of P@5:Q",
        y=alt.Y("run:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
        color=alt.Color(
            "holes:N", scale=alt.Scale(range=["#0072B2", "#D55E00"])
        ),
        shape="holes:N",
    )
    .properties(width=360, height=240)
)
labs.picture(
    chart,
    "The error of P@5 of each run when it is left out of the pool. With holes "
    "as not relevant all errors are 0 or below; filled by the model all are "
    "above 0. The keywords of the expert lose 0.18 without the model.",
)

# %% [markdown]
# The run with the keywords of an expert finds most that no other run has. Without the model it loses 0.18, with it the
# error is 0.02. But the model is too kind to everyone: six of the ten runs are further from the truth with it than
# without, and `jaccard-title`, the worst run, gains most. Calibration (section 3) tells why.

# %%
labs.progress()

# %% [markdown] tags=["explain"]
# ## In your own words
#
# A paper reports κ of 0.9 between a model and people, and drops the people. Explain which evidence is missing, what
# could have gone wrong with the conclusions, and where a circle may hide. Three to five sentences are enough; a tutor
# reads them.
#
# **Your explanation:**

# %% [markdown]
# ## What to take home
#
# - Look at the errors of a judge by grade, and in both directions: over-rating and calibration.
# - Where relevant documents are rare, a few per cent of mistakes on the others decide what *relevant* is worth.
# - Agreement is about grades. Count which conclusions change.
# - Kindness to all systems does no harm; kindness to one kind of system does.
# - A model may fill holes. It must not judge a system that is made of itself.
#
# More to try: `toysearch judge rejudge --help`, `toysearch judge agree --help`, and `docs/do/judge.md`. If you have the
# grades of a real model for your own collection, run this lab on them.
#
# ## Further reading
#
# Cohen, "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit",
# *Psychological Bulletin* 70(4), 1968 · Zobel, "How reliable are the results of large-scale information retrieval
# experiments?", SIGIR 1998 · Faggioli and others, "Perspectives on large language models for relevance judgment", ICTIR
# 2023 · Thomas, Spielman, Craswell & Mitra, "Large language models can accurately predict searcher preferences", SIGIR
# 2024 · Upadhyay and others, "UMBRELA: UMbrela is the (open-source reproduction of the) Bing RELevance Assessor", 2024 ·
# Alaofi and others, "LLMs can be fooled into labelling a document as relevant", SIGIR-AP 2024 · Clarke & Dietz,
# "LLM-based relevance assessment still can't replace human relevance assessment", 2024
