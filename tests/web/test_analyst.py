"""The analyst in a process of its own: the same answers, errors as they are, no trouble when it ends."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.loops import run_apart

from steelyard.domain import errors
from steelyard.domain.errors import ChoiceError, EvaluationError, NotFound, SourceError, as_command_line
from steelyard.flows.links import links
from steelyard.flows.open import open_campaign
from steelyard.web.analyst import AnalystError, AnalystHere, Question
from steelyard.web.analyst_process import AnalystBeside
from steelyard.web.app import create_app

KINDS: list[EvaluationError] = [
    errors.CampaignError("campaign.toml", ["one problem", "another"]),
    errors.SourceError("a.csv", ["give {columns=worker=COLUMN}"]),
    errors.AnswerError("too high", "rating"),
    errors.ChoiceError("Leave out {gold_form}."),
    errors.NotFound("no such worker"),
    errors.Conflict("over", code="closed"),
    errors.NotEnoughData("Too few; try {method=mean-z}."),
    AnalystError("busy"),
]


@pytest.fixture(scope="module")
def address(judged_once: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(shutil.copy(judged_once, tmp_path_factory.mktemp("analyst") / "site.db"))


@pytest.fixture(scope="module")
def beside(address: str) -> Iterator[AnalystBeside]:
    analyst = AnalystBeside(address)
    analyst.wake()
    yield analyst
    analyst.close()


def ask(analyst: Any, verb: str, **arguments: Any) -> Any:
    return run_apart(analyst.ask(Question(verb, "", arguments)))


def waited_for(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_so()


def is_running(pid: int) -> bool:
    # One that has ended but was not asked about yet is a line without a command.
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("error", KINDS, ids=lambda error: type(error).__name__)
def test_an_error_that_crossed_over_is_the_same(error: EvaluationError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)

    assert type(again) is type(error)
    assert (str(again), again.spelt(as_command_line)) == (str(error), error.spelt(as_command_line))
    assert vars(again) == vars(error)


@pytest.mark.parametrize("verb", ["verdicts", "payments-file", "hits"])
def test_both_analysts_answer_alike(beside: AnalystBeside, address: str, verb: str) -> None:
    arguments = {"people": False} if verb == "payments-file" else {}
    with open_campaign(address) as campaign:
        here = AnalystHere({"": campaign})
        expected = ask(here, verb, **arguments)
        here.close()

    assert ask(beside, verb, **arguments) == expected


def test_errors_come_back_as_themselves(beside: AnalystBeside) -> None:
    with pytest.raises(NotFound):
        ask(beside, "worker", worker_id="W9999", people=True)
    with pytest.raises(ChoiceError, match="no method"):
        ask(beside, "analysis", choices={"method": "no-such"})


def test_a_file_is_a_temporary_one_that_the_receiver_removes(beside: AnalystBeside) -> None:
    found = ask(beside, "judgements-file", frame="ratings")

    assert Path(found.path).read_text("utf-8").startswith("worker,segment,rating")
    found.discard()
    assert not Path(found.path).exists()


def test_who_judges_goes_first(beside: AnalystBeside) -> None:
    ask(beside, "hits")
    assert beside.pid is not None

    assert os.getpriority(os.PRIO_PROCESS, beside.pid) >= 10


def test_one_that_was_killed_is_replaced_without_anybody_noticing(beside: AnalystBeside) -> None:
    ask(beside, "hits")
    before = beside.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)

    assert ask(beside, "hits").content
    assert beside.pid != before


def test_half_a_file_goes_with_the_process_that_was_killed(beside: AnalystBeside) -> None:
    first = ask(beside, "judgements-file", frame="ratings")
    first.discard()
    folder, pid = Path(first.path).parent, beside.pid
    assert pid is not None
    with ThreadPoolExecutor(1) as asking:
        again = asking.submit(ask, beside, "judgements-file", frame="ratings")
        assert waited_for(lambda: any(folder.rglob("*.csv")))
        os.kill(pid, signal.SIGKILL)
        again.result().discard()

    assert waited_for(lambda: not any(folder.rglob("*.csv")))


def test_the_app_serves_what_the_process_found(beside: AnalystBeside, address: str) -> None:
    with open_campaign(address) as campaign:
        token = links(campaign, base_url="").manager_url.rpartition("/")[2]
        bearer = {"Authorization": f"Bearer {token}"}
        # Not as a context: its end would close the analyst that others use.
        client = TestClient(create_app(campaign, analyst=beside))
        seen = client.get("/api/v1/campaign", headers=bearer).json()
        refused = client.get("/api/v1/analysis", headers=bearer, params={"method": "no-such"})
        file = client.get("/api/v1/judgements.csv", headers=bearer)

    assert seen["progress"]["n_judgements"] > 0
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "choice")
    assert int(file.headers["Content-Length"]) == len(file.content)
    assert file.content.count(b"\n") == seen["progress"]["n_judgements"] + 1


def test_a_database_that_cannot_be_opened_is_an_error_of_its_own(tmp_path: Path) -> None:
    analyst = AnalystBeside(str(tmp_path / "nothing.db"))
    with pytest.raises(SourceError, match="no such file"):
        ask(analyst, "hits")
    analyst.close()


def test_it_logs_what_went_wrong_as_the_server_does(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    analyst = AnalystBeside(address, log="json")
    with pytest.raises(RuntimeError):
        # Nothing that a route would ask.
        ask(analyst, "judgements-file", frame="Jane Doe")
    analyst.close()
    [line] = capfd.readouterr().err.splitlines()

    assert " at steelyard/" in json.loads(line)["error"]
    assert "Jane" not in line


def test_nothing_is_left_of_it_when_the_server_is_killed(address: str) -> None:
    program = (
        "import asyncio, sys, time\n"
        "from steelyard.web.analyst import Question\n"
        "from steelyard.web.analyst_process import AnalystBeside\n"
        "if __name__ == '__main__':\n"
        f"    analyst = AnalystBeside({address!r})\n"
        "    asyncio.run(analyst.ask(Question('hits')))\n"
        "    print(analyst.pid, analyst._folder.name, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid, folder = server.stdout.readline().split()
        assert is_running(int(pid))
        server.kill()

    assert waited_for(lambda: not is_running(int(pid)))
    assert waited_for(lambda: not Path(folder).exists())
