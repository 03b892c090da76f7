"""A relevance.toml with all that it may say, but expectations that need a file of another run."""

VALID = """ties = "rank"
collection = "cat-dog-parrot"
model = "bm25:b=0.4"  # the default system

[systems.mine]
run = "mine.run"
qrels = "qrels.txt"

[[expect]]
measure = "AP"
at_least = 0.3

[[expect]]
name = "cats"
system = "mine"
query = 1
documents = [1, "2"]
not_in_first = 2

[[ expect ]] # blanks and comments
baseline = "mine"
measure = "nDCG@10"
query_may_fall_by = 0.2

[[expect]]
text = "train a cat"
document = "1"
in_first = 1

[[expect]]
text = "zebra"
finds_at_most = 0
"""
