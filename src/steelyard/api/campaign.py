"""Campaigns in a database: make one, open one, see how far it is, take its judgements."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from steelyard.api.analysis import Analysis
from steelyard.api.analysis import analyse as analyse_judgements
from steelyard.api.display import Displayed
from steelyard.api.reading import Judgements
from steelyard.domain.errors import ChoiceError
from steelyard.domain.layouts import OURS, SPAN_LAYOUTS
from steelyard.domain.nearest import no_such
from steelyard.flows.source import from_campaign

if TYPE_CHECKING:
    from steelyard.design.layout_report import LayoutReport
    from steelyard.domain.study import StudyResult
    from steelyard.flows.export import HitsLayout
    from steelyard.flows.open import OpenCampaign
    from steelyard.flows.publication import PublicationPack
    from steelyard.flows.verify import Verification


class Campaign(Displayed):
    """A campaign in a database. Use it in a `with` block, or `close` it. A notebook shows how far it is.

    >>> with sy.open("eval.db") as campaign:
    ...     len(campaign.judgements())
    500
    """

    def __init__(self, opened: OpenCampaign) -> None:
        self._opened = opened

    @property
    def title(self) -> str:
        """The title as it was when the campaign was opened.

        >>> campaign.title
        'Which translations say it right? For native speakers of English'
        """
        return self._opened.settings.title

    def judgements(self) -> Judgements:
        """All judgements given so far.

        >>> campaign.judgements().frame["system_id"].n_unique()
        5
        """
        return Judgements(from_campaign(self._opened))

    def analyse(self, **options: Any) -> Analysis:
        """Check workers, score and rank systems; the options are those of `steelyard.analyse`.

        >>> campaign.analyse(method="mean-z", seed=7).systems["system_id"][0]
        'brass'
        """
        return analyse_judgements(self.judgements(), **options)

    # As people in America spell it.
    analyze = analyse

    def export(self, path: str | PathLike[str], *, layout: str = OURS) -> int:
        """Write all judgements to a file that `read` takes; returns their number.

        `layout` may be one of `steelyard export --as`, which hold marked errors for other programs.

        >>> campaign.export("all.csv") == len(campaign.judgements())
        True
        """
        from steelyard.flows.export import export
        from steelyard.flows.export_marks import export_marks

        if layout == OURS:
            return export(self._opened, Path(path)).n_judgements
        if layout not in SPAN_LAYOUTS:
            raise ChoiceError(no_such("layout", layout, [OURS, *SPAN_LAYOUTS]))
        return export_marks(self._opened, Path(path), layout).n_judgements

    def export_hits(self, path: str | PathLike[str], *, layout: HitsLayout = "audit") -> int:
        """Write every HIT, for audit or for another system to run; returns the number of items.

        >>> campaign.export_hits("hits.csv")
        500
        """
        from steelyard.flows.export import export_hits

        return export_hits(self._opened, Path(path), layout=layout)

    def to_publication(self, folder: str | PathLike[str], **options: Any) -> PublicationPack:
        """Write all that a paper needs; the options are those of `steelyard publication`.

        The ranking is a table and a figure:

        >>> campaign.to_publication("paper-of-campaign", exhibits=("ranking",)).n_exhibits
        2
        """
        from steelyard.flows.publication import pack_options, publish_campaign
        from steelyard.web.replay import replay_writer

        wanted, choices = pack_options(options)
        writer = replay_writer(self._opened, texts=wanted.texts, media=wanted.media)
        wanted = replace(wanted, write_replay=writer)
        return publish_campaign(self._opened, Path(folder), wanted, **choices)

    def to_replay(self, folder: str | PathLike[str], *, items: int = 10, hit: str | None = None) -> None:
        """Write the page that workers see, with the first items of a HIT, to open without a server.

        >>> campaign.to_replay("replay", items=3)
        """
        from steelyard.web.replay import write_replay

        today = datetime.now(UTC).date()
        write_replay(self._opened, Path(folder), made_on=today, hit_id=hit, most_items=items)

    def verify(self, *, root: str | None = None) -> Verification:
        """Recompute the hashes of all judgements; `root` is one that was published before.

        >>> campaign.verify().is_sound
        True
        """
        from steelyard.flows.verify import verify

        return verify(self._opened, root=root)

    def close(self) -> None:
        """Let go of the database.

        >>> campaign = sy.open("eval.db")
        >>> campaign.close()
        """
        self._opened.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.overviews import CampaignCounts, campaign_overview
        from steelyard.flows.progress import Watch

        seen = Watch(self._opened).overview(now=datetime.now(UTC))
        found = seen.progress
        counts = CampaignCounts(
            n_judgements=found.n_judgements,
            n_wanted=found.n_wanted,
            n_workers=len(found.workers),
            n_submitted=found.n_submitted,
            n_open=found.places.open + found.places.idle,
            n_free=found.places.free,
            history=found.history,
        )
        return campaign_overview(seen.settings, seen.state.value, counts, seen.warnings)


def explain_layout(campaign_file: str | PathLike[str]) -> LayoutReport:
    """How the campaign's HITs would be laid out: groups, kinds, pairs, separations. Writes nothing.

    >>> sy.explain_layout("campaign.toml").n_hits
    10
    """
    from steelyard.flows import create as creation

    return creation.explain_layout(creation.design(Path(campaign_file)))


def create(campaign_file: str | PathLike[str], address: str | PathLike[str]) -> Campaign:
    """Make a campaign from its file, in a new SQLite file or an empty PostgreSQL database, and open it.

    >>> with sy.create("campaign.toml", "new.db") as campaign:
    ...     len(campaign.judgements())
    0
    """
    from steelyard.flows.create import create as create_campaign

    create_campaign(Path(campaign_file), fspath(address), now=datetime.now(UTC))
    return open(address)


def open(address: str | PathLike[str]) -> Campaign:  # noqa: A001 (the name users know from the README)
    """The campaign in a SQLite file or at a postgresql:// address.

    >>> campaign = sy.open("eval.db")
    >>> campaign.title
    'Which translations say it right? For native speakers of English'
    >>> campaign.close()
    """
    from steelyard.flows.open import open_campaign

    return Campaign(open_campaign(fspath(address)))
