"""What an analyst can be asked: verbs that end in bytes or a file, never in frames or analyses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from steelyard.domain.errors import EvaluationError, SourceError, as_command_line
from steelyard.domain.payment import Payments
from steelyard.domain.series import AnalysedCampaign
from steelyard.flows.bonus import owed_bonuses
from steelyard.flows.marks import marks_record, text_record
from steelyard.flows.payments import payments as make_payments
from steelyard.flows.precision import precision_record
from steelyard.flows.release import hit_places
from steelyard.flows.series_overview import CampaignGlance, glance
from steelyard.flows.state import campaign_state
from steelyard.flows.verdicts import verdicts_record
from steelyard.flows.worker import worker_detail, worker_record
from steelyard.report.payments import payments_record, payments_sheet
from steelyard.web.analyst import Answer, Question
from steelyard.web.overview_schemas import HITS, overview_view
from steelyard.web.watched import Watched

# Questions of one kind do not wait for those of another: a look at progress, an analysis, a file.
Lane = Literal["look", "analysis", "file"]
_RECORD: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
_GLANCE = TypeAdapter(CampaignGlance)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: about which campaign, by which values, and where a file may be put."""

    campaigns: Mapping[str, Watched]
    name: str
    arguments: Mapping[str, Any]
    folder: Path

    @property
    def watched(self) -> Watched:
        return self.campaigns[self.name]

    @property
    def choices(self) -> dict[str, Any]:
        """The options of an analysis."""
        return dict(self.arguments.get("choices", {}))


def answer_to(campaigns: Mapping[str, Watched], question: Question, *, folder: Path) -> Answer:
    """The answer to a question; files are put into the folder."""
    _, act = VERBS[question.verb]
    return act(_Asked(campaigns, question.campaign, question.arguments, folder))


def lane_of(verb: str) -> Lane:
    """With which others a question waits."""
    return VERBS[verb][0]


def _record(found: dict[str, Any]) -> Answer:
    return Answer(_RECORD.dump_json(found))


def _overview(asked: _Asked) -> Answer:
    seen = overview_view(asked.watched.watch.overview(now=datetime.now(UTC)))
    return Answer(seen.model_dump_json().encode())


def _glance(asked: _Asked) -> Answer:
    return Answer(_GLANCE.dump_json(glance(asked.watched.watch.overview(now=datetime.now(UTC)))))


def _hits(asked: _Asked) -> Answer:
    return Answer(HITS.dump_json(hit_places(asked.watched.campaign, now=datetime.now(UTC))))


def _analysis(asked: _Asked) -> Answer:
    from steelyard.report.json import analysis_record

    return _record(analysis_record(asked.watched.analyses.get(asked.choices).analysis))


def _report(asked: _Asked) -> Answer:
    return Answer(asked.watched.analyses.report(asked.choices).encode())


def _verdicts(asked: _Asked) -> Answer:
    return _record(verdicts_record(asked.watched.analyses.verdicts(asked.choices)))


def _marks(asked: _Asked) -> Answer:
    watched = asked.watched
    return _record(marks_record(watched.analyses.marks(), watched.campaign, most=asked.arguments["most"]))


def _marked_text(asked: _Asked) -> Answer:
    marks = asked.watched.analyses.marks()
    return _record(text_record(marks.text(marks.key(asked.arguments["system"], asked.arguments["segment"]))))


def _precision(asked: _Asked) -> Answer:
    return _record(precision_record(asked.watched.analyses.precision(asked.choices)))


def _worker(asked: _Asked) -> Answer:
    watched, now = asked.watched, datetime.now(UTC)
    found = watched.analyses.verdicts(asked.choices)
    detail = worker_detail(watched.watch, found, asked.arguments["worker_id"], now=now)
    if not asked.arguments["people"]:
        detail = replace(detail, name="", email="", background=None)
    return _record(worker_record(detail))


def _payments(asked: _Asked) -> Answer:
    return _record(payments_record(_due(asked.watched), people=asked.arguments["people"]))


def _owed_bonuses(asked: _Asked) -> Answer:
    found = _due(asked.watched)
    owed = [asdict(each) for each in owed_bonuses(asked.watched.campaign, found)]
    return _record({"currency": found.currency, "bonuses": owed})


def _payments_file(asked: _Asked) -> Answer:
    from steelyard.report.tables_csv import table_csv

    return Answer(table_csv(payments_sheet(_due(asked.watched), people=asked.arguments["people"])).encode())


def _due(watched: Watched) -> Payments:
    return make_payments(watched.watch, watched.analyses.verdicts(), now=datetime.now(UTC))


def _judgements_file(asked: _Asked) -> Answer:
    from steelyard.flows.export import export_frame

    with tempfile.NamedTemporaryFile(dir=asked.folder, suffix=".csv", delete=False) as made:
        path = Path(made.name)
    try:
        export_frame(asked.watched.campaign, path, asked.arguments["frame"])
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Answer(path=str(path))


def _series_report(asked: _Asked) -> Answer:
    """Every ranking in short. `pages`: by campaign, its full report; `broken`: what is wrong with others."""
    from steelyard.report.series import series_html

    pages: dict[str, str] = asked.arguments["pages"]
    broken: dict[str, str] = asked.arguments["broken"]
    found, analysed = [], {}
    for name in sorted({*pages, *broken}):
        if name not in asked.campaigns:
            found.append(AnalysedCampaign(name, None, None, broken.get(name) or asked.arguments["unusable"]))
            continue
        watched, state = asked.campaigns[name], None
        try:
            state = campaign_state(watched.campaign)
            analysis = watched.analyses.get().analysis
            found.append(AnalysedCampaign(name, state, analysis, ""))
            analysed[name] = pages[name]
        except SourceError:
            found.append(AnalysedCampaign(name, state, None, asked.arguments["unusable"]))
        except EvaluationError as error:
            found.append(AnalysedCampaign(name, state, None, error.spelt(as_command_line)))
    return Answer(series_html(asked.arguments["title"], found, analysed).encode())


VERBS: dict[str, tuple[Lane, Callable[[_Asked], Answer]]] = {
    "overview": ("look", _overview),
    "glance": ("look", _glance),
    "hits": ("look", _hits),
    "analysis": ("analysis", _analysis),
    "report": ("analysis", _report),
    "verdicts": ("analysis", _verdicts),
    "marks": ("analysis", _marks),
    "marked-text": ("analysis", _marked_text),
    "precision": ("analysis", _precision),
    "worker": ("analysis", _worker),
    "payments": ("analysis", _payments),
    "payments-file": ("analysis", _payments_file),
    "owed-bonuses": ("analysis", _owed_bonuses),
    "series-report": ("analysis", _series_report),
    "judgements-file": ("file", _judgements_file),
}
