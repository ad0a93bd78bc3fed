from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.bases import BaseBook
from steelyard.design.choice import NO_LANE, BaseChoice, NoBaseError
from steelyard.design.entries import entries_of
from steelyard.design.layout import layout_of
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.plugin import Damage
from steelyard.domain.text import Segment, System
from steelyard.domain.work import CONTROL_KINDS, ItemKind

hurried = settings(max_examples=25)
seeds = st.integers(0, 2**32)
LAYOUT = layout_of(
    DesignSettings(40, quota={ItemKind.DEGRADED: 5, ItemKind.REPEAT: 4, ItemKind.REFERENCE: 3})
)
N_HITS = 30
# What a text begins with says how it fares: damaged without reserve, with some, against all rules, or not.
DAMAGE = Damage(
    is_eligible=lambda text: text[0] in "pse",
    is_preferred=lambda text: text[0] in "ps",
    degrade=lambda text, *_: None if text[0] == "s" else f"broken {text}",
)


def chosen(n_systems, letters, *, seed, has_reference=lambda _: True):
    """The campaign's book, the entries of HITs in which systems take turns, and their lanes."""
    rng = np.random.default_rng(seed)
    n_segments = -(-N_HITS * LAYOUT.n_regular // n_systems)
    segments = tuple(
        Segment(f"g{k}", "doc", "", "reference" if has_reference(k) else "") for k in range(n_segments)
    )
    systems = tuple(System(f"s{k}") for k in range(n_systems))
    texts = rng.choice(list(letters), size=(n_systems, n_segments))
    translations = {
        system.system_id: [f"{letter} {j} by {i}" for j, letter in enumerate(texts[i])]
        for i, system in enumerate(systems)
    }
    campaign = Campaign(
        CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en"), systems, segments, translations
    )
    entries = entries_of(campaign, merge=True)
    book = BaseBook(campaign, entries, damage=DAMAGE, rng=rng)
    place = np.arange(N_HITS * LAYOUT.n_regular)
    entry = ((place % n_systems) * n_segments + place // n_systems).astype(np.int32).reshape(N_HITS, -1)
    share = np.full(n_systems, n_segments)
    choice = BaseChoice(entries.system, share, layout=LAYOUT, book=book, rng=rng)
    seen = []
    # In two portions, as a large campaign is dealt with.
    parts = [choice.lanes(rows, progress=lambda: seen.append(1)) for rows in (entry[:11], entry[11:])]
    assert len(seen) == N_HITS
    return book, entries, entry, np.concatenate(parts)


@hurried
@given(st.integers(1, 20), st.sampled_from(["p", "pppe", "ppps", "ppf"]), seeds)
def test_every_kind_has_its_quota_and_works(n_systems, letters, seed):
    book, _, entry, lane = chosen(n_systems, letters, seed=seed)

    for number, kind in enumerate(CONTROL_KINDS):
        assert ((lane == number).sum(axis=1) == LAYOUT.quota[kind]).all()
        assert all(book.text(kind, each) for each in entry[lane == number].tolist())


@pytest.mark.parametrize("letters", ["p", "ppps", "pppe"])
@pytest.mark.parametrize("n_systems", [2, 3, 7, 12])
@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_bases_are_balanced_even_if_some_fail(n_systems, letters, kind):
    _, entries, entry, lane = chosen(n_systems, letters, seed=n_systems)

    served = [
        np.bincount(entries.system[row[lanes == CONTROL_KINDS.index(kind)]], minlength=n_systems)
        for row, lanes in zip(entry, lane, strict=True)
    ]
    totals = np.cumsum(served, axis=0)
    assert (totals.max(axis=1) - totals.min(axis=1)).max() <= 2


@hurried
@given(st.sampled_from(["peef", "eeef", "pf", "sspef"]), seeds)
def test_no_worse_text_is_degraded_than_must_be(letters, seed):
    _, entries, entry, lane = chosen(4, letters, seed=seed)

    rank = {"p": 0, "e": 1, "f": 2, "s": 3}
    for row, lanes in zip(entry.tolist(), lane.tolist(), strict=True):
        grades = sorted(rank[entries.text[each][0]] for each in row)
        taken = [rank[entries.text[each][0]] for each, own in zip(row, lanes, strict=True) if own == 0]
        assert sorted(taken) == grades[:5]


def test_bases_are_chosen_at_random_within_a_system():
    _, _, _, lane = chosen(1, "p", seed=4)

    # 12 of 28 places in each of 30 HITs: every place is now and then a base, none always.
    share = (lane != NO_LANE).mean(axis=0)
    assert share.min() > 0
    assert share.max() < 1


def test_references_are_made_only_where_there_are_some():
    _, entries, entry, lane = chosen(4, "p", seed=2, has_reference=lambda segment: segment % 3 == 0)

    own = entry[lane == CONTROL_KINDS.index(ItemKind.REFERENCE)]
    assert (entries.segment[own] % 3 == 0).all()


@pytest.mark.parametrize(
    ("letters", "has_reference", "kind"),
    [("s", lambda _: True, ItemKind.DEGRADED), ("p", lambda _: False, ItemKind.REFERENCE)],
)
def test_a_hit_with_too_few_bases_is_refused(letters, has_reference, kind):
    with pytest.raises(NoBaseError) as caught:
        chosen(4, letters, seed=1, has_reference=has_reference)

    assert caught.value.kind is kind
