"""What `steelyard demo` does: a campaign judged by a simulated crowd, and served for people to see."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.listening import listening_at, url_of
from steelyard.cli.options import progress_bar
from steelyard.web.serving import ServerSettings, run_server

if TYPE_CHECKING:
    import socket
    from multiprocessing.process import BaseProcess

    from steelyard.flows.open import OpenCampaign

N_WORKERS = 30
SEED = 7
FOLDER = Path("steelyard-demo")


def demonstrate(*, once: bool, port: int | None) -> None:
    """Create the demo campaign, have it judged, report; then serve it until Ctrl-C unless `once`."""
    from steelyard.flows.links import links, remember_url
    from steelyard.flows.open import open_campaign

    _let_signals_end_it()
    folder = _new_folder()
    database = folder / "demo.db"
    _create(folder, database)
    with listening_at("127.0.0.1", port) as listening:
        with open_campaign(str(database)) as campaign:
            _judge(campaign)
            base_url = url_of(listening)
            remember_url(campaign, base_url)
            found = links(campaign, base_url=base_url)
        report = _write_report(str(database), folder)
        click.echo(f"The report is in {report}, the campaign in {database}.\n")
        if once:
            return
        with _running_server(str(database), listening) as server:
            click.echo("Open in a browser:")
            click.echo(f"  judge something yourself   {found.open_url}")
            click.echo(f"  watch the campaign         {found.manager_url}")
            click.echo(f"  read the report            {found.manager_url}/report")
            click.echo("\nCtrl-C ends the demo.")
            _wait(server)
    click.echo("Stopped.")


def _let_signals_end_it() -> None:
    """Treat SIGTERM like Ctrl-C, and Ctrl-C as such even if started with it ignored.

    Otherwise the demo could end without ending its server.
    """

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def _new_folder() -> Path:
    """A folder of this run's own, so that an earlier demo keeps its judgements."""
    folder = FOLDER / datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    while folder.exists():
        folder = folder.with_name(f"{folder.name}-again")
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise click.FileError(str(folder), error.strerror) from None
    return folder


def _create(folder: Path, database: Path) -> None:
    from steelyard.flows.create import create
    from steelyard.protocols import protocols

    campaign_file = folder / "campaign.toml"
    campaign_file.write_bytes((protocols()["da"].folder / "example.toml").read_bytes())
    created = create(campaign_file, str(database), now=datetime.now(UTC))
    click.echo(
        f"Demo campaign: {created.n_systems} systems, {created.n_segments} segments, "
        f"{created.n_hits} HITs of {created.settings.design.hit_size} items."
    )


@contextmanager
def _running_server(address: str, listening: socket.socket) -> Iterator[BaseProcess]:
    """The real server in a process of its own, ended with the block.

    The socket listens already, so requests that come before the server is up just wait.
    """
    process = get_context("spawn").Process(target=run_server, args=(address, listening, ServerSettings()))
    process.start()
    try:
        yield process
    finally:
        process.terminate()
        process.join(timeout=10)


def _judge(campaign: OpenCampaign) -> None:
    """Each simulated worker finishes one HIT, at the pace of a person on a clock of their own."""
    from steelyard.flows.simulate import judge_in_turn

    started = time.perf_counter()
    click.echo(f"{N_WORKERS} simulated workers (careful, noisy, careless, cheating) are judging …")
    with progress_bar("Judging", N_WORKERS * campaign.settings.design.hit_size) as advance:
        done = judge_in_turn(campaign, N_WORKERS, seed=SEED, most_each=1, progress=advance)
    click.echo(f"{done.n_judgements:,} judgements in {time.perf_counter() - started:.1f} s.")


def _write_report(address: str, folder: Path) -> Path:
    from steelyard.domain.exhibit import ExhibitOptions
    from steelyard.flows.analyse import weigh
    from steelyard.flows.exhibit import report_exhibits
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import read_source
    from steelyard.report.html import report_html
    from steelyard.report.text import analysis_text

    source = read_source(address)
    evidence = weigh(source, settings_from(source))
    click.echo(f"\n{analysis_text(evidence.analysis)}\n")
    path = folder / "report.html"
    page = report_html(evidence.analysis, *report_exhibits(evidence, ExhibitOptions()))
    path.write_text(page, encoding="utf-8")
    return path


def _wait(server: BaseProcess) -> None:
    """Until Ctrl-C or until the server ends by itself."""
    try:
        # In short waits: polars makes system calls go on after a signal, so a long one would not notice it.
        while server.is_alive():
            server.join(timeout=0.2)
    except KeyboardInterrupt:
        click.echo()
