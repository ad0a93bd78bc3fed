"""Who meets whom: a round-robin tournament of systems on every segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from steelyard.domain.campaign import Campaign

Matching = tuple[tuple[int, int], ...]


class Met(NamedTuple):
    """Two systems that were compared on a segment."""

    segment_id: str
    system_a: str
    system_b: str


def matchings(n_systems: int) -> tuple[Matching, ...]:
    """A round-robin tournament by the circle method: every pair once, every system once per matching.

    With an odd number of systems one of them sits out in each matching, each in its turn.

    >>> matchings(4)
    (((0, 3), (1, 2)), ((0, 2), (1, 3)), ((0, 1), (2, 3)))
    """
    # A dummy makes the number even: the system that meets it sits out.
    n_players = n_systems + n_systems % 2
    found = []
    for turn in range(n_players - 1):
        ring = [0, *(1 + (each - turn) % (n_players - 1) for each in range(n_players - 1))]
        pairs = (sorted((ring[k], ring[-1 - k])) for k in range(n_players // 2))
        found.append(tuple((low, high) for low, high in pairs if high < n_systems))
    return tuple(found)


class Tournament:
    """Gives every segment of every round its matching of systems, by their indices in the campaign.

    Systems and segments take their places by lot; then the matchings rotate over segments and rounds. Where
    some have `met` in earlier rounds, a segment gets the matching with the fewest of these.
    """

    def __init__(self, campaign: Campaign, *, rng: np.random.Generator, met: Iterable[Met] = ()) -> None:
        seat = rng.permutation(len(campaign.systems)).tolist()
        self._turn = rng.permutation(len(campaign.segments)).tolist()
        self._matchings = [
            [(seat[low], seat[high]) for low, high in matching]
            for matching in matchings(len(campaign.systems))
        ]
        systems = {system.system_id: index for index, system in enumerate(campaign.systems)}
        segments = {segment.segment_id: index for index, segment in enumerate(campaign.segments)}
        self._met = Counter(
            (segments[segment_id], frozenset((systems[one], systems[other])))
            for segment_id, one, other in met
        )

    def matching(self, segment: int, number: int) -> list[tuple[int, int]]:
        """Who meets whom on this segment in round `number`, both from 0. Ask in order of rounds."""
        first = self._turn[segment] + number
        if not self._met:
            return self._matchings[first % len(self._matchings)]
        in_turn = (self._matchings[(first + k) % len(self._matchings)] for k in range(len(self._matchings)))
        chosen = min(in_turn, key=lambda pairs: sum(self._met[segment, frozenset(pair)] for pair in pairs))
        self._met.update((segment, frozenset(pair)) for pair in chosen)
        return chosen
