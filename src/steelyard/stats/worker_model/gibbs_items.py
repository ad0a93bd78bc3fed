"""The items' part of a Gibbs sweep: their qualities and the effects of their groups."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.gibbs_links import ItemLinks, Level, Pull, bundles_of, levels_of, move
from steelyard.stats.worker_model.gibbs_model import GibbsModel
from steelyard.stats.worker_model.gibbs_sums import CellSums, ChainState, sums_by_place

# Our choice: the effects of up to this many groups are drawn together, by a dense matrix.
MOST_TOGETHER = 500


class Items:
    """Draws qualities given everything else."""

    def __init__(self, sums: CellSums, model: GibbsModel, links: ItemLinks) -> None:
        self.sums, self.model, self.links = sums, model, links
        n_items = sums.n_items
        tied = np.zeros(n_items, dtype=np.bool_)
        tied[links.order.ravel()] = tied[links.repeat.ravel()] = True
        self.all_free = not tied.any()
        self.free = np.flatnonzero(~tied)
        alone = np.full(n_items, -1)
        alone[tied] = np.arange(np.count_nonzero(tied))
        self.levels = levels_of(alone, links)
        # Nearly equal items hold each other in place, and so does an order that the ratings contradict;
        # moved together they get along.
        if len(links.repeat):
            self.levels += levels_of(bundles_of(links.repeat, n_items), links)
        if len(links.order):
            both = np.concatenate([links.order, links.repeat])
            self.levels += levels_of(bundles_of(both, n_items), links)

    def draw(self, state: ChainState, expected: FloatArray, rng: np.random.Generator) -> None:
        """Draw every quality; `expected` are the prior means, effects of groups included."""
        weight, pull = self.sums.of_items(state)
        weight = weight + self.model.quality_weight
        pull = pull + self.model.quality_weight * expected
        if self.all_free:
            state.quality = pull / weight + rng.standard_normal(len(weight)) / np.sqrt(weight)
            return
        quality = state.quality.copy()
        free = self.free
        quality[free] = pull[free] / weight[free] + rng.standard_normal(len(free)) / np.sqrt(weight[free])
        for level in self.levels:
            rest = pull[level.item] - weight[level.item] * quality[level.item]
            n = len(level.label)
            force = Pull(
                sums_by_place(level.bundle, weight[level.item], n), sums_by_place(level.bundle, rest, n)
            )
            quality[level.item] += move(quality, level, self.links, force, rng)[level.bundle]
        state.quality = quality


class GroupEffects:
    """Draws the effects of groups given everything else, in two ways after each other.

    First given the qualities; then together with the qualities, which all move with their group's
    effect. The first mixes well where items have many ratings, the second where they have few; done in
    turn they mix about as well as the better of the two, often better [Yu2011].
    """

    def __init__(self, sums: CellSums, model: GibbsModel, links: ItemLinks) -> None:
        self.sums, self.links = sums, links
        self.base = model.quality.mean
        self.groups = model.groups
        self.n_groups = len(model.effect.mean)
        self.weight = model.effect.sd**-2
        self.mean = model.effect.mean
        row, column = np.nonzero(self.groups >= 0)
        member = self.groups[row, column]
        shape = (len(self.groups), self.n_groups)
        self.design = csr_array((np.ones(len(row)), (row, member)), shape=shape)
        self.pulled = csr_array((model.quality_weight[row], (row, member)), shape=shape)
        self.levels = [levels_of(members, links) for members in self.groups.T]
        self.members = [np.unique(column[column >= 0]) for column in self.groups.T]
        if 0 < self.n_groups <= MOST_TOGETHER:
            information = (self.pulled.T @ self.design).toarray() + np.diag(self.weight)
            # The precision of all effects given the qualities never changes: its root serves every sweep.
            self.root = np.linalg.inv(np.linalg.cholesky(information))

    def expected(self, state: ChainState) -> FloatArray:
        """Prior means of the qualities, effects included."""
        mean: FloatArray = self.base + self.design @ state.effect if self.n_groups else self.base
        return mean

    def draw(self, state: ChainState, rng: np.random.Generator) -> None:
        """Draw every effect, twice; in the second round qualities move with them."""
        if not self.n_groups:
            return
        rest = state.quality - self.base
        if self.n_groups <= MOST_TOGETHER:
            pull = self.pulled.T @ rest + self.weight * self.mean
            state.effect = self.root.T @ (self.root @ pull + rng.standard_normal(self.n_groups))
        else:
            self._draw_by_column(state, rest, rng)
        weight, pull = self.sums.of_items(state)
        for levels in self.levels:
            for level in levels:
                self._move_along(state, level, Pull(weight, pull), rng)

    def _draw_by_column(self, state: ChainState, rest: FloatArray, rng: np.random.Generator) -> None:
        """Groups of one column share no item: given the other columns they are independent."""
        effect = state.effect.copy()
        weight = self.weight + self.pulled.T @ np.ones(len(rest))
        for column, members in zip(self.groups.T, self.members, strict=True):
            own = np.where(column >= 0, effect[column], 0.0)
            pull = self.weight * self.mean + self.pulled.T @ (rest - self.design @ effect + own)
            normal = rng.standard_normal(len(members))
            effect[members] = pull[members] / weight[members] + normal / np.sqrt(weight[members])
        state.effect = effect

    def _move_along(self, state: ChainState, level: Level, said: Pull, rng: np.random.Generator) -> None:
        """Move effects with all qualities of their groups: ratings, ties and the effects' prior decide."""
        n, label, item = len(level.label), level.label, level.item
        rest = said.pull[item] - said.weight[item] * state.quality[item]
        weight = self.weight[label] + sums_by_place(level.bundle, said.weight[item], n)
        pull = self.weight[label] * (self.mean[label] - state.effect[label])
        force = Pull(weight, pull + sums_by_place(level.bundle, rest, n))
        step = move(state.quality, level, self.links, force, rng)
        quality, effect = state.quality.copy(), state.effect.copy()
        quality[item] += step[level.bundle]
        effect[label] += step
        state.quality, state.effect = quality, effect


def sorted_pairs(pairs: IntArray) -> IntArray:
    """Pairs in an order that does not depend on how they were given. Shape (n, 2)."""
    return np.asarray(pairs[np.lexsort(pairs.T)], dtype=np.int64)
