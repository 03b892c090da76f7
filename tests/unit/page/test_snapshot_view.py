"""Snapshots on the page: saved, listed, compared, renamed and removed; what was tried counts after a restart."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("starlette")

from served import HOST, client, of_name
from shell import done, run, words_of

import toysearch
from toysearch.laboratory.experiments.experiment_log import ExperimentLog
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.served_source import ServedSource

MODELS = {"bm25": toysearch.MODELS["bm25"], "rm3(bm25)": toysearch.model("rm3(bm25)")} | toysearch.MODELS

SOURCES: list[ServedSource] = []


def opened(file, *, create=False, models=MODELS):
    """A server with a log, and what writes there."""
    [read] = SOURCES or SOURCES.extend(of_name("companions")) or SOURCES
    source = ServedSource("companions", "companions", read.study)  # on which nothing has been tried
    source.experiments = ExperimentLog(file, create=create)
    asked = client(source, models=models)
    page = asked.get("/companions/compare").text
    token = page.partition('name="toysearch-token" content="')[2].partition('"')[0]

    def write(status=200, view="snapshots", **form):
        reply = asked.post(f"/companions/{view}.json", data=form, headers={TOKEN_HEADER: token})
        assert reply.status_code == status, reply.text
        return reply.json()

    return asked, write


def data_of(asked, address):
    return asked.get(address.replace("?", ".json?", 1)).json()


def test_a_snapshot_keeps_systems_values_and_the_command(tmp_path):
    file = tmp_path / "pets.jsonl"
    asked, write = opened(file)
    address = "/companions/compare?a=bm25&b=bm25%3Ab%3D0.4&measure=AP%2CP%405"
    compared = data_of(asked, address)
    assert (compared["snapshots"]["made"], compared["snapshots"]["saved"]) == (False, 0)
    assert not file.exists()
    [row] = write(name="less length", comparison=address)["snapshots"]
    assert row["then"] == {each["measure"]: each["means"] for each in compared["overall"]["measures"]} == row["now"]
    assert (row["name"], row["systems"], row["changed"]) == ("less length", {"a": "bm25", "b": "bm25:b=0.4"}, [])
    printed = json.loads(done(*words_of(row["command"])[1:], "--json").stdout)
    assert [[*means.values()] for means in row["then"].values()] == [
        [*each["means"].values()] for each in printed["measures"]
    ]
    other = data_of(asked, "/companions/compare?a=bm25&b=dph")
    assert [each["model"] for each in other["snapshots"]["add"]] == ["bm25:b=0.4"]
    added = data_of(asked, other["snapshots"]["add"][0]["address"])
    assert [each["model"] for each in added["systems"]] == ["bm25", "dph", "bm25:b=0.4"]
    assert data_of(asked, row["address"])["systems"] == compared["systems"]


def test_a_snapshot_is_renamed_removed_and_restored(tmp_path):
    asked, write = opened(tmp_path / "pets.jsonl")
    for name in ("first", "second"):
        write(name=name, comparison="a=bm25&b=rm3(bm25)")
    first = data_of(asked, "/companions/snapshots?")["snapshots"][1]["id"]
    newest, oldest = write(action="rename", id=first, name="1st")["snapshots"]
    assert (newest["name"], oldest["name"]) == ("second", "1st")
    left = write(action="remove", id=newest["id"])
    assert ([each["name"] for each in left["snapshots"]], [each["name"] for each in left["removed"]]) == (
        ["1st"],
        ["second"],
    )
    assert len(write(action="restore", id=newest["id"])["snapshots"]) == 2
    assert "unknown snapshot" in write(400, action="remove", id="nothing")["error"]
    assert "unknown action" in write(400, action="erase", id=newest["id"])["error"]
    assert "needs a name" in write(400, name=" ", comparison="a=bm25")["error"]
    assert "mine.py" in write(400, name="x", comparison="a=mine.py:rank")["error"]


@pytest.mark.parametrize(("site", "written"), [("cross-site", 0), ("same-site", 0), ("same-origin", 1), ("none", 1)])
def test_a_link_on_another_page_writes_nothing_to_the_log(tmp_path, site, written):
    file = tmp_path / "pets.jsonl"
    asked, _ = opened(file, create=True)
    before, followed = file.read_text(), {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    reply = asked.get("/companions/compare?a=bm25&b=bm25:b=0.123", headers=followed | {"sec-fetch-site": site})
    assert reply.status_code == 200
    assert len(file.read_text().splitlines()) == len(before.splitlines()) + written


def test_settings_are_counted_anew_and_the_log_says_so(tmp_path):
    file = tmp_path / "pets.jsonl"
    asked, write = opened(file)
    for b in ("0.1", "0.2", "0.3"):
        data_of(asked, f"/companions/compare?a=bm25&b=bm25:b={b}")
    write(name="kept", comparison="a=bm25&b=bm25:b=0.3")
    assert data_of(asked, "/companions/compare?a=bm25&b=bm25:b=0.3")["tried"] == 5
    before = file.read_text()
    reply = write(view="compare", comparison="a=bm25&b=bm25:b=0.3")
    assert (reply["tried"], [system["model"] for system in reply["systems"]]) == (2, ["bm25", "bm25:b=0.3"])
    assert file.read_text().startswith(before)
    assert '"kind": "begun"' in file.read_text().removeprefix(before)
    again, _ = opened(file)
    assert data_of(again, "/companions/compare?a=bm25&b=bm25:b=0.9")["tried"] == 4


def test_what_was_tried_counts_after_a_restart_and_in_compare(tmp_path):
    file = tmp_path / "pets.jsonl"
    asked, write = opened(file)
    for b in ("0.1", "0.2", "0.3"):
        data_of(asked, f"/companions/compare?a=bm25&b=bm25:b={b}")
    write(name="kept", comparison="a=bm25&b=bm25:b=0.3")  # with those tried before the file was made
    again, _ = opened(file)
    found = data_of(again, "/companions/compare?a=bm25&b=bm25:b=0.3&measure=AP,P@5")
    tried = found["tried"]
    assert tried == len([line for line in file.read_text().splitlines() if '"kind": "tried"' in line]) == 5
    log = ["--experiments", str(file), "--json"]
    printed = json.loads(done(*words_of(found["command"])[1:], *log).stdout)
    assert printed["tried"] == tried
    own = [pair["p"] for each in found["overall"]["measures"] for pair in each["pairs"]]
    assert [pair["p"] for each in printed["measures"] for pair in each["pairs"]] == own
    alone = [pair["p_uncorrected"] for each in found["overall"]["measures"] for pair in each["pairs"]]
    assert own == [min(1.0, p * 2 * (tried - 1)) for p in alone]
    done("compare", "companions", "--model", "bm25", "--model", "dph", *log)
    data_of(again, "/companions/search?q=tick&model=cosine")
    assert data_of(again, "/companions/compare?a=bm25&b=bm25:b=0.3")["tried"] == tried + 2


@pytest.mark.parametrize("kept", [40, -1])  # without only its line end, an entry is whole
def test_a_log_of_tune_that_ends_within_an_entry_counts_what_is_whole(tmp_path, kept):
    """The page and the commands read the whole entries, and what is tried next stands on a line of its own."""
    file = tmp_path / "pets.jsonl"
    log = ["--experiments", str(file), "--json"]

    def settings():
        return [json.loads(line)["setting"].rpartition(" | ")[2] for line in file.read_text().splitlines()]

    done("tune", "companions", "--grid", "b=0.1,0.2,0.3", *log)
    tuned = settings()
    assert {*tuned} == {"bm25", "bm25:b=0.1", "bm25:b=0.2", "bm25:b=0.3"}
    *whole, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(whole) + last[:kept])
    asked, _ = opened(file, create=True)
    found = data_of(asked, "/companions/compare?a=bm25&b=dph")
    known = [*tuned[: None if kept == -1 else -1], "lm-dirichlet", "dph"]  # the page opens with lm-dirichlet
    assert settings() == known
    assert found["tried"] == len(known)
    assert file.read_bytes().startswith(b"".join(whole))
    printed = json.loads(done(*words_of(found["command"])[1:], *log).stdout)
    assert printed["tried"] == len(known)
    done("tune", "companions", "--grid", "b=0.1,0.2,0.3", *log)  # again: what was torn counts now
    assert sorted(settings()) == sorted({*known, *tuned})
    assert data_of(asked, "/companions/compare?a=bm25&b=dph")["tried"] == len({*known, *tuned})


def test_a_changed_collection_and_a_missing_model_are_said(tmp_path):
    file = tmp_path / "pets.jsonl"
    _, write = opened(file)
    write(name="a & <b>", comparison="a=bm25&b=rm3(bm25)")
    [line] = [line for line in file.read_text().splitlines() if '"snapshot"' in line]
    entry = json.loads(line)
    entry["data"]["fingerprints"]["judgments"] = "0" * 16
    entry["data"]["means"]["AP"]["a"] = 0.5
    file.write_text(json.dumps(entry) + "\n")
    asked, _ = opened(file)
    [row] = data_of(asked, "/companions/snapshots?")["snapshots"]
    assert row["changed"] == ["judgments"]
    assert row["then"]["AP"]["a"] == 0.5
    assert row["now"]["AP"]["a"] == pytest.approx(0.3831, abs=5e-5)
    page = asked.get("/companions/snapshots").text
    assert "Changed since: judgments." in page
    assert "a &amp; &lt;b&gt;" in page
    without, _ = opened(file, models=toysearch.MODELS)
    [row] = data_of(without, "/companions/snapshots?")["snapshots"]
    assert (row["now"], row["address"]) == (None, None)
    assert "rm3" in row["problem"]
    assert without.get("/companions/snapshots").status_code == 200
    assert data_of(without, "/companions/compare?")["snapshots"]["saved"] == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 403), ({TOKEN_HEADER: "wrong"}, 403), ({"origin": "http://evil.example"}, 403), ({"host": "evil"}, 421)],
)
def test_strangers_cannot_save(tmp_path, headers, status):
    file = tmp_path / "pets.jsonl"
    asked, _ = opened(file)
    form = {"name": "x", "comparison": "a=bm25"}
    assert asked.post("/companions/snapshots", data=form, headers=headers).status_code == status
    long = asked.post("/companions/snapshots", content=b"x" * 10_000_000, headers=headers)
    assert long.status_code == (413 if not headers else status)  # what headers refuse is not read
    assert not file.exists()


def test_the_form_of_the_page_saves_and_leads_to_the_list(tmp_path):
    asked, _ = opened(tmp_path / "pets.jsonl")
    page = asked.get("/companions/compare?a=bm25&b=dph").text
    token = page.partition('name="token" value="')[2].partition('"')[0]
    form = {"token": token, "name": "by hand", "comparison": "/companions/compare?a=bm25&b=dph"}
    reply = asked.post("/companions/snapshots", data=form, headers={"origin": f"http://{HOST}"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/companions/snapshots")
    assert "by hand" in asked.get("/companions/snapshots").text
    assert "by hand" in asked.get("/companions/compare").text


def test_a_log_that_cannot_be_written_is_said_and_nothing_ends(tmp_path):
    asked, write = opened(tmp_path / "gone" / "pets.jsonl")
    assert "cannot be opened for appending" in write(500, name="x", comparison="a=bm25")["error"]
    assert asked.get("/companions/compare").status_code == 200
    file = tmp_path / "pets.jsonl"
    asked, write = opened(file, create=True)
    file.unlink()
    file.mkdir()
    assert any("will not count" in each for each in data_of(asked, "/companions/search?q=cat&model=dph")["notes"])


def test_without_a_log_or_judgments_there_are_no_snapshots():
    asked = client(*of_name("companions"))
    assert data_of(asked, "/companions/compare?")["snapshots"] is None
    assert "--experiments FILE.jsonl" in asked.get("/companions/snapshots.json").json()["error"]


@pytest.mark.parametrize("wrong", [["--all-pairs"], ["--family", "measure"], ["--correction", "none"]])
def test_compare_refuses_what_the_log_cannot_count(tmp_path, wrong):
    models = ["--model", "bm25", "--model", "dph"]
    refused = run("compare", "companions", *models, "--experiments", tmp_path / "log.jsonl", *wrong)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert not (tmp_path / "log.jsonl").exists()


def test_a_measure_over_snapshots_is_a_line_for_each_system(tmp_path):
    asked, write = opened(tmp_path / "log.jsonl")
    write(name="first", comparison="a=bm25&b=dph")
    data = write(name="later", comparison="a=bm25&b=bm25:b=0.4&measure=AP,RR")
    later, first = data["snapshots"]
    page = asked.get("/companions/snapshots").text
    assert '<h2 id="trend">AP over snapshots</h2>' in page
    told = re.findall(r"<title>((?:first|later): [^<]*)</title>", page)
    assert told == [
        f"first: bm25 {first['then']['AP']['a']:.4f}",
        f"later: bm25 {later['then']['AP']['a']:.4f}",
        f"first: dph {first['then']['AP']['b']:.4f}",
        f"later: bm25:b=0.4 {later['then']['AP']['b']:.4f}",
    ]
    assert 'href="/companions/snapshots" aria-current="page"' in page
    assert 'id="trend"' not in asked.get("/companions/snapshots?measure=RR").text  # only one of them has it
    assert asked.get("/companions/snapshots?measure=P@3").status_code == 400
