"""Progress: what the manager's dashboard shows, computed from judgements by query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.running import CampaignState, Rules
from steelyard.flows.forecast import CLOSING_VERBS, OPENING_VERBS, Forecast, forecast, pauses_of
from steelyard.flows.open import OpenCampaign
from steelyard.flows.retention import erased_notes, retention_warnings
from steelyard.planning.spending import Spending, Workload, pay_terms, spending
from steelyard.protocols import protocols
from steelyard.store import campaigns, running
from steelyard.store.actions import EXCLUSION_VERBS, last_action, logged_actions
from steelyard.store.leases import idle_before
from steelyard.store.progress import HeldHit, PlaceCounts, Progress, ProgressReader, WorkerProgress, n_parts

__all__ = ["HeldHit", "Overview", "PlaceCounts", "Progress", "Watch", "WorkerProgress", "campaign_progress"]


@dataclass(frozen=True)
class Overview:
    """A campaign at a glance: what it is, its state and rules, how far it is, when it ends, what it costs."""

    settings: CampaignSettings
    state: CampaignState
    revision: int
    n_parts: int
    progress: Progress
    forecast: Forecast
    money: Spending
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What is good to know and asks for nothing: how many workers were erased."""

    @property
    def rules(self) -> Rules:
        """The rules as they are now."""
        return self.settings.rules


class Watch:
    """Looks at a campaign again and again, cheaply: what can no longer change is read once."""

    def __init__(self, campaign: OpenCampaign) -> None:
        self.campaign = campaign
        self._reader = ProgressReader()

    def progress(self, *, now: datetime) -> Progress:
        """Counts, pace and workers of the campaign at this moment."""
        with self.campaign.store.snapshot() as connection:
            before = idle_before(connection, running.conditions(connection), now=now)
            return self._reader.read(connection, idle_before=before)

    def mark(self) -> tuple[int, ...]:
        """What changes when an analysis may: judgements, corrections, places, words; last, exclusions."""
        with self.campaign.store.snapshot() as connection:
            found = self._reader.read(connection)
            revision = running.conditions(connection).revision
            decided = last_action(connection, EXCLUSION_VERBS)
        excluded = 0 if decided is None else decided.number
        return found.n_judgements, found.n_corrections, found.n_openings, revision, excluded

    def overview(self, *, now: datetime) -> Overview:
        """The campaign at a glance at this moment."""
        with self.campaign.store.snapshot() as connection:
            settings = campaigns.settings(connection)
            conditions = running.conditions(connection)
            before = idle_before(connection, conditions, now=now)
            found = self._reader.read(connection, idle_before=before)
            parts = n_parts(connection)
            kept_too_long = retention_warnings(connection, conditions.rules, today=now.date())
            notes = erased_notes(connection)
            pauses = pauses_of(logged_actions(connection, verbs=(*CLOSING_VERBS, *OPENING_VERBS)))
        state = conditions.state
        money = campaign_spending(settings, state, found)
        return Overview(
            settings=settings,
            state=state,
            revision=conditions.revision,
            n_parts=parts,
            progress=found,
            forecast=forecast(found, state, now=now, pauses=pauses),
            money=money,
            warnings=(*money.warnings, *kept_too_long),
            notes=notes,
        )


def campaign_progress(campaign: OpenCampaign, *, now: datetime | None = None) -> Progress:
    """Counts, pace and workers of the campaign at this moment."""
    return Watch(campaign).progress(now=now or datetime.now(UTC))


def campaign_spending(settings: CampaignSettings, state: CampaignState, progress: Progress) -> Spending:
    """What the campaign costs so far and will have cost.

    A HIT that is idle counts as given back: what was judged is spent, and its place will be paid anew. In a
    closed campaign nothing more is expected than what was judged.
    """
    seconds = protocols()[settings.protocol].seconds_per_item[settings.attribute]
    is_closed = state is CampaignState.CLOSED
    due = [due_work(worker, is_closed=is_closed) for worker in progress.workers]
    held = [worker.open for worker in progress.workers if worker.open is not None]
    active = [] if is_closed else [hit for hit in held if not hit.is_idle]
    left = [hit for hit in held if hit not in active]
    free = Workload(0, 0)
    if not is_closed:
        free = Workload(
            progress.places.free + len(left), progress.n_free_items + sum(hit.n_items for hit in left)
        )
    return spending(
        pay_terms(settings.rules, seconds_per_item=seconds),
        done=[Workload(work.hits, work.items) for work in due],
        held=Workload(len(active), sum(hit.n_items for hit in active)),
        free=free,
        hours_worked=sum(work.seconds for work in due) / 3600,
    )


@dataclass(frozen=True, slots=True)
class DueWork:
    """What one worker is paid for: HITs, parts of them included, items, and the seconds these took.

    `open_items` were judged in a HIT that is still open: they will be due with it.
    """

    hits: float
    items: int
    seconds: float
    open_items: int = 0


def due_work(worker: WorkerProgress, *, is_closed: bool) -> DueWork:
    """The work of one worker that is due. A HIT that is idle, or open at the end, counts as given back."""
    held = worker.open
    if held is None:
        return DueWork(worker.hits_worked, worker.n_done, worker.seconds)
    if held.is_idle or is_closed:
        # Nobody is likely to finish it.
        part = held.n_done / held.n_items if held.n_items else 0.0
        return DueWork(worker.hits_worked + part, worker.n_done, worker.seconds)
    return DueWork(
        worker.hits_worked, worker.n_done - held.n_done, worker.seconds - held.seconds, held.n_done
    )
