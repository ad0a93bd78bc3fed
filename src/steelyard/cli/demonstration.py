"""What `steelyard demo` does: a campaign judged by a simulated crowd over real HTTP."""

from __future__ import annotations

import json
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.listening import listening_at, url_of
from steelyard.cli.options import progress_bar
from steelyard.web.serving import ServerSettings, run_server

if TYPE_CHECKING:
    import socket
    from multiprocessing.process import BaseProcess

    from steelyard.flows.links import WorkerLink
    from steelyard.flows.simulate import Hand

N_WORKERS = 30
# Requests under way at once: enough to look like a busy campaign, few enough for a laptop.
N_CLIENTS = 8
SEED = 7
FOLDER = Path("steelyard-demo")


def demonstrate(*, once: bool, port: int | None) -> None:
    """Create the demo campaign, have it judged, report; then serve it until Ctrl-C unless `once`."""
    from steelyard.flows.open import open_campaign

    _let_signals_end_it()
    folder = _new_folder()
    database = folder / "demo.db"
    _create(folder, database)
    with open_campaign(str(database)) as campaign, listening_at("127.0.0.1", port) as listening:
        base_url = url_of(listening)
        with _running_server(str(database), listening) as server:
            from steelyard.flows.links import add_workers, links, remember_url
            from steelyard.flows.simulate import make_hands

            remember_url(campaign, base_url)
            found = links(campaign, base_url=base_url)
            workers = add_workers(
                campaign, N_WORKERS, base_url=base_url, now=datetime.now(UTC), is_simulated=True
            )
            hands = make_hands(campaign, N_WORKERS, seed=SEED)
            _judge(base_url, workers, hands, n_items=campaign.settings.design.hit_size)
            report = _write_report(str(database), folder)
            click.echo(f"The report is in {report}, the campaign in {database}.\n")
            if once:
                return
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
    process = get_context("spawn").Process(
        target=run_server, args=(address, listening, ServerSettings()), daemon=True
    )
    process.start()
    try:
        yield process
    finally:
        process.terminate()
        process.join(timeout=10)


def _judge(base_url: str, workers: tuple[WorkerLink, ...], hands: list[Hand], *, n_items: int) -> None:
    """Each simulated worker finishes one HIT through the HTTP interface."""
    started = time.perf_counter()
    click.echo(f"{len(hands)} simulated workers (careful, noisy, careless, cheating) are judging …")
    with (
        progress_bar("Judging", len(hands) * n_items) as advance,
        ThreadPoolExecutor(N_CLIENTS) as clients,
    ):
        jobs = [
            clients.submit(_finish_hit, base_url, link.token, hand, advance)
            for link, hand in zip(workers, hands, strict=True)
        ]
        try:
            n_judgements = sum(job.result() for job in jobs)
        finally:
            clients.shutdown(wait=False, cancel_futures=True)
    click.echo(f"{n_judgements:,} judgements in {time.perf_counter() - started:.1f} s.")


def _finish_hit(base_url: str, token: str, hand: Hand, advance: Callable[[int], None]) -> int:
    n_done = 0
    with closing(HTTPConnection(base_url.removeprefix("http://"), timeout=60)) as connection:
        view = _post(connection, token, "next", None)
        while not view.get("finished"):
            answer, milliseconds = hand.judge(view["assignment_id"], view["item"]["item_id"])
            submission = {
                "judgement_id": str(uuid.uuid4()),
                "assignment_id": view["assignment_id"],
                "item_id": view["item"]["item_id"],
                "answer": dict(answer),
                "shown_ms": milliseconds,
            }
            view = _post(connection, token, "judgements", submission)["next"]
            n_done += 1
            advance(1)
    return n_done


def _post(connection: HTTPConnection, token: str, path: str, content: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", f"/api/v1/work/{path}", json.dumps(content), headers)
    response = connection.getresponse()
    reply = json.loads(response.read())
    if response.status >= 400:
        raise RuntimeError(f"the server refused a simulated worker: {reply}")
    return reply


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
