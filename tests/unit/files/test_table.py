"""Tables: which columns count the rows of another one, by brute force, and in how many steps."""

import random

import pytest
from tiers import often

import toysearch
from toysearch.base.errors import DataError
from toysearch.files import table
from toysearch.files.table import FEW, MANY, Row, Table


def counted(columns):
    """By definition: sorted, the numbers beside each cell of another column are 0, 1, 2 … or 1, 2, 3 …"""
    found = {}
    for label, numbers in columns.items():
        least = FEW if min(numbers) == 1 else MANY
        for other, cells in columns.items():
            groups = [sorted(n for n, one in zip(numbers, cells, strict=True) if one == cell) for cell in {*cells}]
            starts = all(group in ([*range(len(group))], [*range(1, len(group) + 1)]) for group in groups)
            if starts and max(map(len, groups)) >= least:
                found.setdefault(label, other)
    return found


@pytest.mark.parametrize("seed", range(often(200, 40)))
def test_the_columns_that_count_the_rows_of_another_are_those_of_the_definition(seed):
    drawn = random.Random(seed)
    sizes = [drawn.randrange(1, 8) for _ in range(drawn.randrange(1, 5))]
    columns = {
        "query": [query for query, size in enumerate(sizes) for _ in range(size)],
        "rank": [rank + first for size in sizes for first in [drawn.randrange(2)] for rank in range(size)],
        "judge": [drawn.randrange(1, 4) for size in sizes for _ in range(size)],
        "place": [*range(sum(sizes))],
    }
    order = drawn.sample([*columns], 4)
    columns = {label: columns[label] for label in order}
    rows = [
        Row(line, dict(zip(order, cells, strict=True)))
        for line, cells in enumerate(zip(*columns.values(), strict=True))
    ]
    drawn.shuffle(rows)
    assert Table("a.csv", order, rows, lambda: iter(rows)).counted == counted(columns)


def test_judgments_of_many_judges_are_refused_in_linear_time(tmp_path, monkeypatch):
    def steps(n_judges):
        labels = ["query", "doc", *(f"judge{judge}" for judge in range(n_judges))]
        rows = [[f"q{row % 4}", f"d{row}", *(str(row * judge % 3) for judge in range(n_judges))] for row in range(20)]
        (tmp_path / "wide.csv").write_text("".join(",".join(row) + "\n" for row in [labels, *rows]))
        taken = []
        monkeypatch.setattr(table, "groups_of", lambda pairs: taken.append(1) or groups_of(pairs))
        with pytest.raises(DataError, match="found the columns"):
            toysearch.read_qrels(tmp_path / "wide.csv")
        return len(taken)

    groups_of = table.groups_of
    assert steps(400) <= 2 * steps(200) + 10
