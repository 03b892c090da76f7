"""`toysearch analyze`: the steps of a text, in each form."""

from functools import partial

import pytest
import shell

run = partial(shell.run, "analyze")


@pytest.mark.parametrize("text", ["", "!", "\udce9"])
def test_a_text_without_tokens_has_no_rows(text):
    result = run(text, "--tsv")
    assert [result.exit_code, result.stdout] == [0, "token\tstop_word\tterm\n"]
