"""Processes do the work of commands, in order; what they say and report is told once."""

import json
import multiprocessing
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from captured_notes import noted
from error_messages import raising
from interruptible_command import PROGRAM
from local_workers import KILL, WorkersHere, connect
from shell import done, refusal
from tiers import exhaustive
from waiting import PATIENCE, until

import toysearch
from toysearch.base.errors import ToysearchError, ToysearchNote, note
from toysearch.base.worker_tasks import all_done, report
from toysearch.workbench.shards import connection
from toysearch.workbench.shards.connection import each_done, own_version, refuse_other_versions

distributed = pytest.importorskip("distributed")

WAY_OUT = "; start every worker in the environment of this command"
COMMANDS = ["run SHARDS -o - --model bm25", "run SHARDS -o - --model rm3(bm25)"]


def noting(number):
    """A result of a task that says the same as some others."""
    note(f"odd or even: {number % 2}")
    report(number)
    return 10 * number


def test_results_come_in_order_and_notes_once():
    with noted() as told:
        assert list(each_done(WorkersHere(), noting, [(3,), (1,), (2,)])) == [30, 10, 20]
    assert told == ["odd or even: 1", "odd or even: 0"]


def test_processes_that_the_command_has_started_are_waited_for():
    client = WorkersHere(0, cluster="started by the command")
    later = WorkersHere(2).workers
    client.wait_for_workers = lambda n, timeout: client.workers.update(later)
    with pytest.warns(ToysearchNote):
        assert all_done(client, noting, [(1,)]) == [10]


def test_a_cluster_without_workers_is_refused_even_one_that_the_command_has_started():
    client = WorkersHere(0, cluster="started by the command")

    def wait(n, timeout):
        assert (n, timeout) == (1, connection._LOST)
        raise TimeoutError

    client.wait_for_workers = wait
    for cluster in (client, WorkersHere(0)):
        with raising(ToysearchError, "the cluster has no workers; start some, and run the command again"):
            all_done(cluster, noting, [(1,)])


@pytest.fixture
def somebody():
    """The address of a server that is no scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def nobody():
    """An address at which nobody listens, and what the system says of it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefusedError) as error:
            socket.create_connection(bound.getsockname())
        yield f"127.0.0.1:{bound.getsockname()[1]}", error.value.strerror


NO_FILE = (
    "'{}' is neither a number of processes from 1 on, nor the address of a scheduler, such as tcp://HOST:8786, nor a "
    "file that is there"
)
NO_SCHEDULER = "{0} is not the file of a scheduler; dask scheduler --scheduler-file {0} writes it"


@pytest.mark.waits
@pytest.mark.parametrize(
    ("cluster", "content", "said"),
    [
        *((name, None, NO_FILE) for name in ("nowhere.json", "nowhere", "-1", "")),
        ("0", None, "the number of workers must be at least 1, not 0"),
        *(("file.json", content, NO_SCHEDULER) for content in ("", "[]", '{"address": 5}', "\xff")),
        ("file.json", '{"address": "tcp://NOBODY"}', "the cluster {} does not answer: REFUSED"),
        ("file.json", '{"address": "nowhere"}', "the cluster {} does not answer: "),
        ("tcp://NOBODY", None, "the cluster {} does not answer: REFUSED"),
        ("NOBODY", None, "the cluster {} does not answer: REFUSED"),
        ("odd://NOBODY", None, "the cluster {} does not answer: "),
        ("tcp://127.0.0.1:99999", None, "the cluster {} does not answer: "),
        ("tcp://SOMEBODY", None, "the cluster {} does not answer: Time"),  # of two limits, the one that is over first
    ],
)
def test_a_cluster_that_is_none_is_one_sentence(cluster, content, said, somebody, nobody, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    if "SOMEBODY" in cluster:
        monkeypatch.setattr(connection, "_SECONDS", 0.1)
    monkeypatch.setattr(distributed, "Client", None)  # it would try for long, and leave a traceback
    if content is not None:
        (tmp_path / cluster).write_text(content.replace("NOBODY", nobody[0]), encoding="latin-1")
    cluster = cluster.replace("SOMEBODY", somebody).replace("NOBODY", nobody[0])
    line = refusal("index", "cat-dog-parrot", "-o", "x", "--workers", cluster)
    assert line.startswith("toysearch: " + said.format(cluster).replace("REFUSED", nobody[1]))
    assert sorted(tmp_path.iterdir()) == ([tmp_path / cluster] if content is not None else [])
    assert capfd.readouterr() == ("", "")


def test_processes_that_are_all_gone_end_the_command():
    client = WorkersHere(away=1000, cluster="started by the command")
    with raising(ToysearchError, "all workers have ended and none has started again; nothing is changed"):
        list(each_done(client, noting, [(1,)]))
    assert 1000 - client.away == connection._LOST / connection._LOOK


def test_a_cluster_of_others_is_waited_for():
    client = WorkersHere(away=100)
    with noted() as told:
        assert list(each_done(client, noting, [(1,), (2,)])) == [10, 20]
    waiting = "the cluster has no workers at the moment; this command waits for some"
    assert told == [waiting, "odd or even: 1", "odd or even: 0"]


def test_a_task_that_ends_while_its_workers_are_looked_for_has_its_result():
    class Late:
        asked = 0

        def result(self, timeout=None):
            self.asked += 1
            if self.asked == 1:
                raise TimeoutError
            return "late"

        def done(self):
            return True

    assert connection._result(WorkersHere(), Late()) == "late"


@pytest.mark.system
@pytest.mark.waits
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another Ctrl-C")
def test_ctrl_c_in_a_terminal_reaches_no_worker_that_the_command_has_started():
    with connection.connected(1) as client:
        [blocked] = client.run(signal.pthread_sigmask, signal.SIG_BLOCK, []).values()
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.waits
@pytest.mark.parametrize("moment", ["while they start", "at work"])
def test_processes_that_are_not_needed_any_more_are_killed(moment, monkeypatch):
    """Dask waits for those that start, and for the end of a task."""
    started = []

    def start(**_):
        started.append(multiprocessing.get_context("spawn").Process(target=time.sleep, args=(PATIENCE,)))
        started[0].start()
        if moment == "while they start":
            started[0].join()
        return SimpleNamespace(close=lambda timeout: started[0].join())

    def interrupted(future):
        until(lambda: started and started[0].pid)
        raise KeyboardInterrupt

    if moment == "while they start":
        monkeypatch.setattr(connection, "awaited", interrupted)
    with (
        pytest.raises(KeyboardInterrupt),
        connection._processes(SimpleNamespace(LocalCluster=start), 1),
    ):
        raise KeyboardInterrupt
    assert started[0].exitcode == -KILL


@pytest.mark.parametrize("wrong", [0, 1])
def test_processes_write_no_more_when_a_task_has_failed(wrong):
    """A folder that the command removes would be made again."""
    killed = []
    client = WorkersHere(2, cluster=SimpleNamespace(kill_processes=lambda: killed.append(True)))
    assert all_done(client, abs, [(-1,), (2,)]) == [1, 2]
    assert not killed
    with pytest.raises(ZeroDivisionError):
        all_done(client, divmod, [(1, number != wrong) for number in range(2)])
    assert killed


@pytest.mark.system
@pytest.mark.waits
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another Ctrl-C")
@pytest.mark.parametrize("shards", [["--shards", "2"], []])
def test_nothing_half_made_stays_after_ctrl_c(shards, tmp_path):
    texts = ({"_id": str(number), "text": f"w{number % 997} " * 60} for number in range(60_000))
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="utf-8")
    line = ["index", "in.jsonl", "-o", "new.idx", "--workers", "2", *shards]
    with subprocess.Popen([*PROGRAM, *line], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        until(lambda: [*tmp_path.glob("new.idx*/**/toysearch-*.tmp")])  # of a worker
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
    assert (running.returncode, said.splitlines()[-1:]) == (130, ["toysearch: interrupted"])
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@exhaustive
@pytest.mark.waits
def test_processes_print_the_same(processes, tmp_path, monkeypatch):
    done("index", "companions", "-o", tmp_path / "shards", "--shards", 3)
    lines = [line.replace("SHARDS", str(tmp_path / "shards")).split() for line in COMMANDS]
    expected = [done(*line) for line in lines]
    connect(monkeypatch, processes)
    for line, alone in zip(lines, expected, strict=True):
        found = done(*line, "--workers", 2)
        assert (found.stdout, found.stderr) == (alone.stdout, alone.stderr), line


@exhaustive
@pytest.mark.waits
def test_reports_of_processes_are_summed(processes):
    told = []
    assert processes.cluster.scheduler.worker_ttl is None  # 5 minutes by default: a command may be busy for longer
    assert list(each_done(processes, noting, [(3,), (4,), (5,)], told.append)) == [30, 40, 50]
    assert told == sorted(told)
    assert told[-1] <= 12


def test_the_version_is_that_of_every_file(tmp_path, monkeypatch):
    assert own_version()[0] == toysearch.__version__
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(toysearch, "__file__", str(tmp_path / "__init__.py"))
    before = connection._asking()()
    (tmp_path / "builder.py").write_text("dropped = 'w1'", encoding="utf-8")
    assert connection._asking()() != before


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (("0.1.9", "a"), f"has toysearch 0.1.9, and this command {toysearch.__version__}"),
        ((toysearch.__version__, "a"), f"has toysearch {toysearch.__version__} with other code than this command"),
        (ModuleNotFoundError("No module named 'toysearch'"), "cannot import toysearch"),
    ],
)
def test_a_worker_with_another_toysearch_is_refused(theirs, said):
    client = WorkersHere(2)
    refuse_other_versions(client)  # has the same code
    client.run = lambda function, on_error: {"tcp://1:1": own_version(), "tcp://1:2": theirs}
    with raising(ToysearchError, f"the worker tcp://1:2 {said}{WAY_OUT}"):
        refuse_other_versions(client)


def test_one_that_comes_later_refuses_its_task(monkeypatch):
    monkeypatch.setattr(connection, "own_version", iter([("9.9", "x"), *[own_version()] * 9]).__next__)
    with raising(ToysearchError, f"a worker has toysearch {toysearch.__version__}, and this command 9.9{WAY_OUT}"):
        all_done(WorkersHere(1), abs, [(-1,)])
