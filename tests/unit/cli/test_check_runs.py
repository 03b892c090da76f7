"""`toysearch check` of runs and judgments, and what `toysearch eval` says before it scores."""

from shell import run


def test_what_trec_does_not_take_is_found(tmp_path):
    lines = [f"1 Q0 {1 + n % 4 if n < 4 else f'd{n}'} {n + 1} {5000 - n} {'t' * 21}" for n in range(1002)]
    lines[4] = lines[4].replace("Q0", "QO")
    lines[6] += " or so"
    (tmp_path / "odd.run").write_text("\n".join(lines) + "\n")
    result = run("check", tmp_path / "odd.run", "cat-dog-parrot")
    assert result.exit_code == 1
    for sentence in (
        "second column: 'QO' instead of Q0, first on line 5; some readers need Q0\n",
        "tags: 1 line has text after the tag, first line 7; a tag holds no blank\n",
        f"tags: '{'t' * 21}' has 21 characters; TREC takes 20\n",
        "unknown documents: 998 of 1,002 ranked documents are not in collection 'cat-dog-parrot', such as 'd4' of ",
        "long rankings: 1 query has more than 1,000 documents, such as '1' with 1,002; TREC takes 1,000\n",
    ):
        assert sentence in result.stdout
