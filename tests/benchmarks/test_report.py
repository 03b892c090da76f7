"""The tables of benchmarks/: the least of several processes, and ratios to toysearch."""

import pytest


@pytest.fixture(scope="module")
def report(benchmark_module):
    return benchmark_module("report")


def line(tool, part, turn=0, **found):
    common = {"table": "once", "workload": "synthetic-2000x55", "version_of_source": "", "when": "2026-11-21 12:00"}
    return {**common, "tool": tool, "part": part, "round": turn, "failure": "", **found}


def asked(tool, turn, first, mean, call):
    for kind in ("rare", "mix"):
        for k in (10, 1000):
            times = {"start": 50.0, "open": 2.0, "first": first, "mean": mean * k, "others": mean * k / 2}
            whole = {"whole": 60.0 + call}
            yield line(tool, f"one {kind} {k}", turn, **times, **whole, version="1.0", settings="as they are")
            yield line(tool, f"batch {kind} {k}", turn, start=50.0, open=2.0, call=call, **whole)


LINES = [
    line("toysearch", "build", process=2.0, process_mb=100.0, size_mb=10.0),
    line("peer", "build", process=3.0, process_mb=200.0, size_mb=20.0),
    *asked("peer, fast", 0, 6.0, 0.25, 100.0),
    *asked("toysearch", 0, 4.0, 0.5, 300.0),
    *asked("toysearch", 1, 3.0, 0.75, 200.0),
    line("toysearch", "top rare", top=[["a", "b"], ["c"]]),
    line("peer, fast", "top rare", top=[["b", "x"], ["c"]]),
]


@pytest.fixture(scope="module")
def once_tables(benchmark_module):
    return "\n".join(benchmark_module("asked_once")._tables(LINES))


def rows(text, first):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith(first)]


def test_the_least_of_the_processes_counts_and_ratios_are_to_toysearch(once_tables):
    [ours, whole, _] = rows(once_tables, "| toysearch")
    [theirs, their_whole] = rows(once_tables, "| peer, fast")
    assert ours[1:6] == ["50.0", "2.00", "3.00 / 3.00", "5.00 / 5.00", "1.00 / 1.00"]
    assert theirs[3:6] == ["6.00 / 6.00", "2.50 / 2.50", "0.500 / 0.500"]
    assert theirs[8:] == ["100 / 100", "0.500 / 0.500", "100 / 100", "0.500 / 0.500", "20.0"]
    assert whole[1:3] == ["260 / 260", "1.00 / 1.00"]
    assert their_whole[1:3] == ["160 / 160", "0.615 / 0.615"]


@pytest.fixture
def whole_run(benchmark_module, tmp_path, monkeypatch):
    """A run that finds all in its log, and writes into a folder of its own."""
    run, plan, processes = map(benchmark_module, ("run", "plan", "processes"))
    log = processes.Log(tmp_path / "measured.jsonl")
    for measured in LINES:
        log.add({**measured, "workload": "synthetic-1000000x55"})
    quoting = {name: (tmp_path / path.name, quoted) for name, (path, quoted) in run.QUOTING.items()}
    for path, _ in quoting.values():
        names = [name for name in quoting if quoting[name][0] == path]
        marked = [f"<!-- measured: {name} -->\nmeasure it!\n<!-- measured: end -->\n" for name in names]
        path.write_text("".join(marked) + "More.\n")
    monkeypatch.setattr(run, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(run, "QUOTING", quoting)
    monkeypatch.setattr(run, "planned", lambda options: plan.Plan(tmp_path, tmp_path))
    monkeypatch.setattr(run, "run", lambda jobs, log: None)
    monkeypatch.setattr("sys.argv", ["run.py"])
    return run, log


def test_a_whole_run_writes_the_results_and_the_quotation_from_the_log(whole_run, tmp_path, capsys):
    whole_run[0].main()
    results, page = (tmp_path / "RESULTS.md").read_text(), (tmp_path / "speed.md").read_text()
    assert "### 1,000,000 documents of about 55 tokens" in results
    queries, whole = rows(results, "| peer, fast")
    assert rows(page, "| peer, fast") == [queries] != [whole]
    assert "measure it!" not in page
    assert page.endswith("More.\n")
    assert "2026-11-21; " in results
    assert "not measured; " in (tmp_path / "SCALE.md").read_text()
    assert capsys.readouterr().err.count("written: ") == 3


def test_pages_keep_their_figures_if_toysearch_failed(whole_run, tmp_path):
    run, log = whole_run
    other = {"tool": "simulated", "part": "shards 2", "version_of_source": "a", "failure": "killed"}
    log.add({**log.lines[0], **other, "table": "scale"})
    with pytest.raises(SystemExit, match="shards 2: killed"):
        run.main()
    assert all("measure it!" in (tmp_path / name).read_text() for name in ("speed.md", "SCALE.md"))


def test_the_page_about_speed_has_no_figures_but_those_of_the_results(benchmark_module):
    run = benchmark_module("run")
    _, _, rest = run.QUOTING["once"][0].read_text().partition("<!-- measured: once -->")
    quoted, _, _ = rest.partition("<!-- measured: end -->")
    rows = [line for line in quoted.splitlines() if line.startswith("|")]
    assert rows
    assert set(rows) <= set(run.RESULTS.read_text().splitlines())
