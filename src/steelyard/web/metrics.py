"""What Prometheus reads at /metrics: counts and times by route, never by person or system.

With several server processes the numbers of all of them add up, whichever is asked: prometheus_client keeps
them in files of a folder that `serving` makes and removes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector as PrometheusCollector

from steelyard.domain.errors import SourceError
from steelyard.version import __version__
from steelyard.web.logs import Seen

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SUBMITTING = "/api/v1/work/judgements"
# Upper ends of the classes of times, in seconds [our choice].
TIMES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Seconds for which a number read from the database is used again [our choice].
KEPT_SECONDS = 5.0


class Writer(Protocol):
    """Whoever stores the answers of a campaign; `n_commits` only grows."""

    n_commits: int

    @property
    def n_waiting(self) -> int: ...


class Metrics:
    """The numbers of this process. `open_assignments`: counts those of a campaign, by the campaign's name."""

    def __init__(self, open_assignments: Mapping[str, Callable[[], int]]) -> None:
        self._own = CollectorRegistry()
        by_campaign = ["campaign"]
        self._requests = Counter(
            "steelyard_requests",
            "Requests answered.",
            ["campaign", "method", "route", "status"],
            registry=self._own,
        )
        self._times = Histogram(
            "steelyard_request_seconds",
            "Time until a request was answered.",
            ["campaign", "route"],
            buckets=TIMES,
            registry=self._own,
        )
        self._judgements = Counter(
            "steelyard_judgements", "Judgements stored by this server.", by_campaign, registry=self._own
        )
        self._commits = Counter(
            "steelyard_commits", "Transactions that stored judgements.", by_campaign, registry=self._own
        )
        self._waiting = Gauge(
            "steelyard_answers_waiting",
            "Answers that wait to be stored.",
            by_campaign,
            registry=self._own,
            multiprocess_mode="livesum",
        )
        self._processor = Counter(
            "steelyard_processor_seconds", "Processor time of the server.", registry=self._own
        )
        self._memory = Gauge(
            "steelyard_memory_bytes", "Memory of the server.", registry=self._own, multiprocess_mode="livesum"
        )
        self._children: dict[tuple[str, str, str, int], tuple[Counter, Histogram]] = {}
        self._writers: dict[str, Writer] = {}
        self._n_commits: dict[str, int] = {}
        self._processor_before = 0.0
        self._computed = _Computed(open_assignments)
        self._own.register(self._computed)

    def add_writer(self, campaign: str, writer: Writer) -> None:
        """Count what this writer does."""
        self._writers[campaign] = writer

    def count(self, seen: Seen) -> None:
        """Count one request."""
        key = (seen.campaign, seen.method, seen.route, seen.status)
        found = self._children.get(key)
        if found is None:
            campaign, method, route, status = key
            found = (
                self._requests.labels(campaign, method, route, status),
                self._times.labels(campaign, route),
            )
            self._children[key] = found
        found[0].inc()
        found[1].observe(seen.milliseconds / 1000)
        if seen.route == SUBMITTING and seen.status == 201:
            self._judgements.labels(seen.campaign).inc()

    def sample(self) -> None:
        """Note the numbers that others keep."""
        for campaign, writer in self._writers.items():
            n_commits = writer.n_commits
            self._commits.labels(campaign).inc(n_commits - self._n_commits.get(campaign, 0))
            self._n_commits[campaign] = n_commits
            self._waiting.labels(campaign).set(writer.n_waiting)
        processor = time.process_time()
        self._processor.inc(processor - self._processor_before)
        self._processor_before = processor
        self._memory.set(_memory())

    def text(self) -> bytes:
        """Everything, in Prometheus' own format."""
        self.sample()
        folder = os.environ.get(FOLDER)
        if folder is None:
            return generate_latest(self._own)
        _forget_ended(Path(folder))
        everything = CollectorRegistry()
        MultiProcessCollector(everything, path=folder)  # type: ignore[no-untyped-call]
        everything.register(self._computed)
        return generate_latest(everything)


class _Computed(PrometheusCollector):
    """Numbers that are read when they are asked for, at most every few seconds."""

    def __init__(self, open_assignments: Mapping[str, Callable[[], int]]) -> None:
        self._open_assignments = open_assignments
        self._read_at = float("-inf")
        self._found: dict[str, int] = {}

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        if time.monotonic() - self._read_at > KEPT_SECONDS:
            self._found = {}
            for campaign, count in self._open_assignments.items():
                # A database that cannot be reached shows in /readyz; the other numbers are wanted then too.
                with suppress(SourceError):
                    self._found[campaign] = count()
            self._read_at = time.monotonic()
        held = GaugeMetricFamily(
            "steelyard_open_assignments", "HITs that workers hold and have not finished.", labels=["campaign"]
        )
        for campaign, n in self._found.items():
            held.add_metric([campaign], n)
        version = GaugeMetricFamily("steelyard_version", "Version of the server.", labels=["version"])
        version.add_metric([__version__], 1)
        return [held, version]


def _forget_ended(folder: Path) -> None:
    """Leave out what processes that are gone had waiting; what they counted stays."""
    for file in folder.glob("gauge_live*.db"):
        number = file.stem.rpartition("_")[2]
        if not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
            mark_process_dead(int(number), path=str(folder))  # type: ignore[no-untyped-call]


def _memory() -> float:
    """The memory in use, in bytes; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return float(pages * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return 0.0
