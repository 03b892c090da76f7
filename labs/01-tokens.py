# %% [markdown]
# # Lab 1: Tokens and terms
#
# A search engine does not see texts. It sees *terms*, and what becomes a term is decided before anything is ranked. In this
# lab you cut texts into tokens, by hand and by machine, count what comes out, and find two laws in the counts.
#
# You need Python with lists and functions, and nothing from other labs.

# %%
from toysearch import labs

labs.start(1, student="anyone")

# %% [markdown]
# ## 1. From text to tokens
#
# A *token* is an occurrence of a word in a text; a *term* is what is kept in the index for it. The default analysis of
# toysearch does two things: everything becomes lower case, and every run of two or more *word characters* (letters and
# digits of any script, and the underscore) is a token.

# %%
import toysearch

plain = toysearch.Analyzer()
print(plain("The cat's toy-mouse: 2 years old, a b-side from Besançon."))

# %% [markdown]
# Look closely: `cat's` has lost its *s*, which is one character long, and so has `b-side` its *b*. The digit 2 is gone too.
# Nothing here is right or wrong in itself. What matters is that documents and queries are cut in the *same* way.
#
# ### Exercise 1.1: tokens by hand
#
# Write down the tokens of your sentence, in order, as the default analysis makes them. Do it by hand first.

# %%
labs.given("1.1")

# %%
# solution
answer = plain(labs.given("1.1").text)
# student: answer = ...  # your turn: a list of texts, such as ["the", "cat"]
# end solution
labs.check("1.1", answer)

# %% [markdown]
# ### Exercise 1.2: a tokenizer of your own
#
# Write a function that does the same to any text. (`labs.hint("1.2")` helps, and helps more when you ask again.)

# %%
import re


def tokens(text):
    # solution
    return re.findall(r"\w\w+", text.lower())
    # end solution


labs.check("1.2", tokens)

# %% [markdown]
# ## 2. How a vocabulary grows
#
# Read a collection document by document and keep two counts: the tokens so far, and the distinct terms among them.

# %%
collection = labs.collection()
index = toysearch.Index.build(collection, analyzer=plain)
growth = toysearch.heaps(index)
print(f"{collection.name}: {growth.tokens[-1]:,} tokens, {growth.terms[-1]:,} distinct terms")

# %%
import altair as alt

steps = range(0, len(growth.tokens), 20)
data = [{"tokens": int(growth.tokens[n]), "terms": int(growth.terms[n])} for n in steps]
line = (
    alt.Chart(alt.InlineData(values=data))
    .mark_line()
    .encode(x="tokens:Q", y="terms:Q")
    .properties(width=500, height=260)
)
labs.picture(line, "A curve of distinct terms over tokens: it rises ever more slowly and never becomes flat.")

# %% [markdown]
# ## Further reading
#
# Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, chapters 2 and 5
