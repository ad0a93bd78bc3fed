from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.bases import BaseBook
from steelyard.design.choice import BaseChoice, NoBaseError, shuffled_by
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
    """The campaign's book, its entries, and HITs in which systems take turns, their bases first."""
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
    parts = [choice.bases_first(rows, progress=lambda: seen.append(1)) for rows in (entry[:11], entry[11:])]
    assert len(seen) == N_HITS
    made = np.concatenate(parts)
    assert (np.sort(made, axis=1) == np.sort(entry, axis=1)).all()
    return book, entries, made


def bases_of(kind, made):
    """The columns in which the bases of a kind stand."""
    start = sum(LAYOUT.quota[each] for each in CONTROL_KINDS[: CONTROL_KINDS.index(kind)])
    return made[:, start : start + LAYOUT.quota[kind]]


@hurried
@given(st.integers(1, 20), st.sampled_from(["p", "pppe", "ppps", "ppf"]), seeds)
def test_every_kind_has_its_quota_and_works(n_systems, letters, seed):
    book, _, made = chosen(n_systems, letters, seed=seed)

    for kind in CONTROL_KINDS:
        assert bases_of(kind, made).shape == (N_HITS, LAYOUT.quota[kind])
        assert all(book.text(kind, each) for each in bases_of(kind, made).ravel().tolist())


@pytest.mark.parametrize("letters", ["p", "ppps", "pppe"])
@pytest.mark.parametrize("n_systems", [2, 3, 7, 12])
@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_bases_are_balanced_even_if_some_fail(n_systems, letters, kind):
    _, entries, made = chosen(n_systems, letters, seed=n_systems)

    served = [np.bincount(entries.system[row], minlength=n_systems) for row in bases_of(kind, made)]
    totals = np.cumsum(served, axis=0)
    assert (totals.max(axis=1) - totals.min(axis=1)).max() <= 2


@hurried
@given(st.sampled_from(["peef", "eeef", "pf", "sspef"]), seeds)
def test_no_worse_text_is_degraded_than_must_be(letters, seed):
    _, entries, made = chosen(4, letters, seed=seed)

    rank = {"p": 0, "e": 1, "f": 2, "s": 3}
    for row, bases in zip(made.tolist(), bases_of(ItemKind.DEGRADED, made).tolist(), strict=True):
        grades = sorted(rank[entries.text[each][0]] for each in row)
        assert sorted(rank[entries.text[each][0]] for each in bases) == grades[:5]


def test_bases_are_chosen_at_random_within_a_system():
    _, _, made = chosen(1, "p", seed=4)

    # 12 of 28 places in each of 30 HITs: every place is now and then a base, none always. The entries of a
    # HIT are consecutive numbers, so their remainder is their place.
    place = np.bincount((made[:, : LAYOUT.n_controls] % LAYOUT.n_regular).ravel(), minlength=LAYOUT.n_regular)
    assert place.min() > 0
    assert place.max() < N_HITS


def test_references_are_made_only_where_there_are_some():
    _, entries, made = chosen(4, "p", seed=2, has_reference=lambda segment: segment % 3 == 0)

    assert (entries.segment[bases_of(ItemKind.REFERENCE, made)] % 3 == 0).all()


@pytest.mark.parametrize(
    ("letters", "has_reference", "kind"),
    [("s", lambda _: True, ItemKind.DEGRADED), ("p", lambda _: False, ItemKind.REFERENCE)],
)
def test_a_hit_with_too_few_bases_is_refused(letters, has_reference, kind):
    with pytest.raises(NoBaseError) as caught:
        chosen(4, letters, seed=1, has_reference=has_reference)

    assert caught.value.kind is kind


def test_rows_are_shuffled_within_equal_values_only():
    major = np.tile(np.array([2, 0, 1, 0, 1, 2]), (2000, 1))

    order = shuffled_by(major, rng=np.random.default_rng(1))

    assert (np.take_along_axis(major, order, axis=1) == [0, 0, 1, 1, 2, 2]).all()
    # Each of two orders half of the time: 1000 of 2000, give or take 22.
    assert abs((order[:, 0] == 1).sum() - 1000) < 100
