"""The server looks at crowd platforms by itself: people are followed and paid though nobody runs `sync`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from steelyard.domain.errors import EvaluationError
from steelyard.flows.open import OpenCampaign
from steelyard.flows.sync import sync_if_due

# How often a platform is asked, and how often is looked whether it is time [our choice].
EVERY = timedelta(minutes=5)
LOOK_SECONDS = 30.0
# How long a stopping server waits for a look that is under way.
PATIENCE = 10.0
_LOG = logging.getLogger("steelyard.platform")


class CrowdWatch:
    """A thread that asks the platforms of these campaigns how things stand, until it is closed.

    Several processes may have one each: who comes first asks, and the others see that it is done.
    """

    def __init__(
        self,
        campaigns: Sequence[OpenCampaign],
        *,
        look_seconds: float = LOOK_SECONDS,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._campaigns = campaigns
        self._look_seconds = look_seconds
        self._clock = clock
        # By place in the list: until when a platform that could not be asked is left alone.
        self._alone_until: dict[int, datetime] = {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="crowd-watch", daemon=True)
        self._thread.start()

    def look(self) -> int:
        """Ask every platform whose turn it is; how many were asked."""
        return sum(self._look_at(number, campaign) for number, campaign in enumerate(self._campaigns))

    def close(self) -> None:
        """Look no more."""
        self._is_over.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        while not self._is_over.wait(self._look_seconds):
            self.look()

    def _look_at(self, number: int, campaign: OpenCampaign) -> bool:
        now = self._clock()
        if now < self._alone_until.get(number, now):
            return False
        try:
            return sync_if_due(campaign, every=EVERY, now=now)
        except EvaluationError as error:
            # Not its words: they may name people.
            said = f"{type(error).__name__}. To see why: steelyard sync DB"
            _LOG.warning("%s: its platform could not be asked: %s", campaign.settings.name, said)
        except Exception:
            # Whatever it is, the next look may succeed, and people wait to be paid.
            _LOG.exception("%s: its platform could not be asked", campaign.settings.name)
        self._alone_until[number] = now + EVERY
        return False
