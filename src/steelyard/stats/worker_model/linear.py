"""Worker models as they were learned, as equations that are linear in the ratings."""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, csr_array, diags_array, eye_array, hstack, kron, vstack

from steelyard.stats.worker_model.effects import KIND_VARIANCE, ItemOrigin
from steelyard.stats.worker_model.influence import LinearModel
from steelyard.stats.worker_model.problem import Posterior, WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors
from steelyard.stats.worker_model.spread import membership
from steelyard.stats.worker_model.variational import Learned


def learned_model(learned: Learned, ratings: WorkerRatings, origin: ItemOrigin) -> LinearModel:
    """The model of effects and offsets that was learned; effects of segments are its last unknowns."""
    effects, workers, priors = learned.effects, learned.workers, learned.priors
    criteria = origin.n_criteria
    of_system = np.where(origin.system >= 0, origin.system * criteria + origin.criterion, -1)
    memberships = [
        membership(origin.kind * criteria + origin.criterion, origin.n_kinds * criteria),
        membership(of_system, origin.n_systems * criteria),
        membership(origin.segment, origin.n_segments),
    ]
    systems = np.linalg.cholesky(np.linalg.inv(effects.system_covariance)).T
    beliefs = [
        eye_array(memberships[0].shape[1]) / np.sqrt(KIND_VARIANCE),
        kron(eye_array(origin.n_systems), systems) if origin.n_systems else csr_array((0, 0)),
        eye_array(origin.n_segments) / np.sqrt(effects.segment_variance),
    ]
    expected = hstack(memberships)
    near = diags_array(1 / np.sqrt(effects.item_variance[origin.kind]))
    offsets = _offsets(ratings, offset_sd=priors.offset_sd, part_sd=priors.part_sd)
    spread = (workers.precision * workers.slope_variance)[ratings.worker]
    extra = np.bincount(ratings.item, spread, ratings.n_items).astype(np.float64)
    own = block_array([[part if at == row else None for at in range(3)] for row, part in enumerate(beliefs)])
    return LinearModel(
        ratings=ratings,
        offset=workers.offset,
        slope=workers.slope,
        precision=workers.precision,
        beliefs=csr_array(
            block_array([[near, None, -near @ expected], [None, offsets, None], [None, None, own]])
        ),
        extra=extra,
        prior_ratings=2 * priors.shape,
    )


def published_model(
    ratings: WorkerRatings, posterior: Posterior, priors: PublishedPriors, *, hit_sd: float
) -> LinearModel:
    """The published model: no effects. A rating taken for a click at random says nothing.

    That degraded copies are worse than their bases is left out: it moves bases little.
    """
    n_items = ratings.n_items
    quality = diags_array(1 / priors.of_items(n_items).sd)
    first, second = (membership(ratings.repeat[:, place], n_items) for place in (0, 1))
    offsets = _offsets(ratings, offset_sd=priors.offset_sd, part_sd=hit_sd)
    of_items = vstack([quality, (first - second) / priors.repeat_sd])
    honest = 1.0 if posterior.contamination is None else 1 - posterior.contamination
    return LinearModel(
        ratings=ratings,
        offset=posterior.offset.mean,
        slope=posterior.slope.mean,
        precision=honest * posterior.precision.mean,
        beliefs=csr_array(block_array([[of_items, None], [None, offsets]])),
        extra=np.zeros(n_items),
        prior_ratings=2 * priors.shape,
    )


def _offsets(ratings: WorkerRatings, *, offset_sd: float, part_sd: float) -> csr_array:
    """Beliefs about offsets: of workers, or of parts near their worker's, which are unknowns then too."""
    of_workers = eye_array(ratings.n_workers) / offset_sd
    if ratings.hit is None:
        return csr_array(of_workers)
    owner = np.zeros(int(ratings.hit.max(initial=-1)) + 1, dtype=np.int64)
    owner[ratings.hit] = ratings.worker
    near = eye_array(len(owner)) / part_sd
    return csr_array(
        block_array([[near, -membership(owner, ratings.n_workers) / part_sd], [None, of_workers]])
    )
