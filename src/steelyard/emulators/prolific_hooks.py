"""Webhooks of Prolific: subscriptions, signatures, notices that are sent again until somebody takes them."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np

from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.prolific_market import ProlificError, ProlificMarket

EVENTS = ("submission.status.change", "study.status.change", "study.progress.change")
# By Prolific's page: so many more tries after the first, within a day, each pause up to twice the one before.
MORE_TRIES = 11
FIRST_PAUSE = 60.0
PATIENCE = 5.0


@dataclass(slots=True)
class HookNotice:
    """A notice on its way to a subscriber."""

    hook_id: str
    kind: str
    event_id: str
    happened_at: str
    body: bytes
    n_tried: int = 0


class ProlificHooks:
    """Who wants to be told what, and what is still to be sent."""

    def __init__(self, market: ProlificMarket, settings: EmulatorSettings) -> None:
        self._market = market
        self._faults = settings.faults
        self._chance = np.random.default_rng(settings.seed + 1)
        self._waiting: list[HookNotice] = []
        self._sending = asyncio.Lock()
        self.hooks: dict[str, dict[str, Any]] = {}
        self.secret = ""
        market.notify = self.notify

    def rotate(self) -> str:
        """Another secret, by which everything is signed from now on."""
        self.secret = f"whs_{self._market.new_id()}"
        return self.secret

    def subscribe(self, body: Any) -> dict[str, Any]:
        """A subscription; it holds once it was confirmed with the secret that the reply's header has."""
        if body.get("event_type") not in EVENTS or not str(body.get("target_url", "")).startswith("http"):
            raise ProlificError(400, "Invalid subscription", {"event_type": ["Not a valid choice."]})
        if not self.secret:
            self.rotate()
        hook_id = self._market.new_id()
        self.hooks[hook_id] = {
            "id": hook_id,
            "event_type": body["event_type"],
            "target_url": body["target_url"],
            "is_enabled": False,
            "workspace_id": body.get("workspace_id", ""),
        }
        return self.hooks[hook_id]

    def confirm(self, hook_id: str, body: Any) -> dict[str, Any]:
        """Switch a subscription on."""
        hook = self.hooks.get(hook_id)
        if hook is None or body.get("secret") != self.secret:
            raise ProlificError(400, "Invalid subscription", {"secret": ["It does not match."]})
        hook["is_enabled"] = True
        return hook

    def notify(self, kind: str, resource: str, status: str, person: str) -> None:
        """Put a notice into the queue of everybody who wants such."""
        said = {"event_type": kind, "resource_id": resource, "status": status, "participant_id": person}
        for hook_id, hook in self.hooks.items():
            if hook["event_type"] == kind and hook["is_enabled"]:
                event_id, moment = self._market.new_id(), self._market.clock.now().isoformat()
                notice = HookNotice(hook_id, kind, event_id, moment, json.dumps(said).encode())
                is_late = self._faults.strikes("late", kind, self._chance)
                if is_late and self._waiting:
                    self._waiting.insert(0, notice)
                else:
                    self._waiting.append(notice)
                if self._faults.strikes("duplicate", kind, self._chance):
                    self._waiting.append(notice)

    async def send_all(self) -> None:
        """Send what is waiting; what nobody takes is sent again later, by the platform's clock."""
        if not self._waiting:
            # Most often; a client costs more than all else that a request does.
            return
        async with self._sending, httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
            while self._waiting:
                notice = self._waiting.pop(0)
                hook = self.hooks.get(notice.hook_id)
                if hook is None or not hook["is_enabled"]:
                    continue
                try:
                    reply = await http.post(
                        hook["target_url"], headers=self._signed(notice), content=notice.body
                    )
                    is_taken = reply.is_success
                except httpx2.TransportError:
                    is_taken = False
                if not is_taken:
                    self._again_later(notice, hook)

    def _signed(self, notice: HookNotice) -> dict[str, str]:
        stamp = str(int(self._market.clock.now().timestamp()))
        digest = hmac.digest(self.secret.encode(), stamp.encode() + notice.body, "sha256")
        return {
            "Content-Type": "application/json",
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
            "X-Prolific-Request-Timestamp": stamp,
            "X-Event-ID": notice.event_id,
            "X-Timestamp": notice.happened_at,
        }

    def _again_later(self, notice: HookNotice, hook: dict[str, Any]) -> None:
        notice.n_tried += 1
        if notice.n_tried > MORE_TRIES:
            hook["is_enabled"] = False
            return
        pause = FIRST_PAUSE * 2 ** (notice.n_tried - 1) * float(self._chance.random())
        self._market.clock.after(pause, lambda: self._waiting.append(notice))
