"""What was last read and computed of a campaign, kept until its judgements change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.result import AnalysisSettings
from steelyard.flows.adjudicate import require_marks
from steelyard.flows.analyse import weigh
from steelyard.flows.marks import CampaignMarks
from steelyard.flows.open import OpenCampaign
from steelyard.flows.precision import PrecisionOverTime, precision_over_time
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source, from_campaign
from steelyard.flows.verdicts import Verdicts, worker_verdicts

# Analyses or reports that are remembered: as many as one person may be comparing [our choice].
MOST_REMEMBERED = 8
# Points of curves of precision: five for each method that is looked at, and many methods [our choice].
MOST_POINTS = 500

Made = TypeVar("Made")
# Tells the judgements there are now from those of earlier.
Mark = tuple[int, ...]


@dataclass
class _Remembered:
    lock: threading.Lock = field(default_factory=threading.Lock)
    made: Any = None
    is_made: bool = False


class Memory:
    """The last few things made, by key. Each is made once: whoever asks meanwhile waits for it."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Remembered] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made under this key, made now if it is not there. An error is not remembered."""
        with self._lock:
            entry = self._entries.setdefault(key, _Remembered())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.is_made:
                entry.made = make()
                entry.is_made = True
            made: Made = entry.made
            return made


@dataclass
class _Findings:
    """What was made from the judgements that the mark stands for."""

    mark: Mark
    sources: Memory = field(default_factory=Memory)
    verdicts: Memory = field(default_factory=Memory)
    evidence: Memory = field(default_factory=Memory)
    precision: Memory = field(default_factory=Memory)
    marks: Memory = field(default_factory=Memory)
    # Apart: a request for the numbers alone does not wait for the figures.
    reports: Memory = field(default_factory=Memory)


class Analyses:
    """Analyses of all judgements so far and their reports, remade only when something has changed."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._lock = threading.Lock()
        self._findings = _Findings(())
        self._points = Memory(most=MOST_POINTS)

    def get(self, choices: Mapping[str, Any] | None = None) -> Evidence:
        """The analysis by these options and its judgements; NotEnoughData while there are too few."""
        return self._weighed(self._current(), choices or {})[1]

    def report(self, choices: Mapping[str, Any] | None = None) -> str:
        """The page about the analysis by these options; NotEnoughData while there are too few ratings."""
        findings = self._current()
        settings, evidence = self._weighed(findings, choices or {})
        return findings.reports.get(settings, lambda: _report(evidence))

    def verdicts(self, choices: Mapping[str, Any] | None = None) -> Verdicts:
        """What the check found about each worker, also while nothing can be ranked."""
        findings = self._current()
        source = self._read(findings)
        settings = settings_from(source, **(choices or {}))
        return findings.verdicts.get(settings, lambda: worker_verdicts(source, settings))

    def precision(self, choices: Mapping[str, Any] | None = None) -> PrecisionOverTime:
        """How precise the scores have become; earlier points are computed once."""
        findings = self._current()
        source = self._read(findings)
        settings = settings_from(source, **(choices or {}))
        decided = findings.mark[-1:]
        return findings.precision.get(
            settings,
            lambda: precision_over_time(
                self._watch.campaign,
                source,
                settings,
                self._watch.progress(now=datetime.now(UTC)),
                remember=lambda key, make: self._points.get((decided, key), make),
            ),
        )

    def marks(self) -> CampaignMarks:
        """All marks so far, translation by translation; NotFound if the protocol has none."""
        findings = self._current()
        require_marks(self._watch.campaign)
        source = self._read(findings)
        return findings.marks.get("", lambda: CampaignMarks(self._watch.campaign, source))

    def source(self) -> Source:
        """Everything judged so far."""
        return self._read(self._current())

    def _current(self) -> _Findings:
        """What was made from the judgements there are now; older findings are forgotten."""
        mark = self._watch.mark()
        with self._lock:
            if mark != self._findings.mark:
                self._findings = _Findings(mark)
            return self._findings

    def _read(self, findings: _Findings) -> Source:
        return findings.sources.get("", lambda: from_campaign(self._watch.campaign))

    def _weighed(self, findings: _Findings, choices: Mapping[str, Any]) -> tuple[AnalysisSettings, Evidence]:
        source = self._read(findings)
        settings = settings_from(source, **choices)
        return settings, findings.evidence.get(settings, lambda: weigh(source, settings))


def _report(evidence: Evidence) -> str:
    from steelyard.flows.exhibit import report_exhibits
    from steelyard.report.html import report_html

    settings = evidence.analysis.settings
    options = ExhibitOptions(draws=settings.method_settings.draws, seed=settings.seed)
    return report_html(evidence.analysis, *report_exhibits(evidence, options))


@dataclass(frozen=True)
class Watched:
    """A campaign with what was last read and computed of it."""

    campaign: OpenCampaign
    watch: Watch
    analyses: Analyses

    @classmethod
    def over(cls, campaign: OpenCampaign) -> Watched:
        """A campaign that nobody has looked at yet."""
        watch = Watch(campaign)
        return cls(campaign, watch, Analyses(watch))
