"""The demo: a whole campaign without a person, and with one who presses Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from steelyard.flows.judged import judged_frames
from steelyard.flows.open import open_campaign
from steelyard.flows.progress import campaign_progress

DEMO = [sys.executable, "-m", "steelyard", "demo"]
# With three workers instead of thirty: how it ends does not depend on how many have judged.
FEW_WORKERS = "from steelyard.cli import demonstration; demonstration.N_WORKERS = 3"
SMALL_DEMO = [sys.executable, "-c", f"{FEW_WORKERS}; from steelyard.cli.main import main; main()", "demo"]


def test_the_demo_runs_to_its_report_without_a_person(tmp_path: Path) -> None:
    done = subprocess.run(
        [*DEMO, "--once", "--port", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    [report] = tmp_path.glob("steelyard-demo/*/report.html")
    assert "demo-de-en" in report.read_text("utf-8")
    # Clearly different systems, so clearly ranked: the imagined best first, the worst last.
    order = re.findall(r"^ *[\d-]+ {2,}(\w+) ", done.stdout, flags=re.M)
    assert order == ["brass", "copper", "iron", "tin", "lead"]
    [database] = tmp_path.glob("steelyard-demo/*/demo.db")
    with open_campaign(str(database)) as campaign:
        progress = campaign_progress(campaign)
        # 30 workers took a HIT each, and five HITs are left for people.
        assert (progress.n_submitted, progress.n_openings) == (30, 35)
        frames = judged_frames(campaign)
        assert frames.ratings["worker_id"].n_unique() == 30
        assert frames.simulated == set(frames.ratings["worker_id"])
    assert "All 30 workers are simulated, so these numbers are made up." in done.stdout
    # Three of the 30 cheat and four or five are careless; a person should look at hardly anybody else.
    [flagged] = re.findall(r"(\d+) workers flagged", done.stdout)
    assert 2 <= int(flagged) <= 6


def test_the_demo_prints_three_links_that_open_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*SMALL_DEMO, "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        lines: list[str] = []
        while not any("Ctrl-C" in line for line in lines):
            line = process.stdout.readline()
            assert line, f"the demo ended early: {lines}"
            lines.append(line)
        links = [line.split()[-1] for line in lines if "http://127.0.0.1" in line]
        statuses = [urllib.request.urlopen(link, timeout=30).status for link in links]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()

    assert len(links) == 3
    assert statuses == [200, 200, 200]
    assert process.returncode == 0
    assert rest.strip() == "Stopped."
    assert errors == ""
