"""Whether chains of draws have found the posterior, and how many independent draws they are worth."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray

# Columns whose autocorrelations are computed at a time, to keep memory small.
_CHUNK = 256


def split_rhat(draws: FloatArray) -> FloatArray:
    """How much wider all chains together are than each half of a chain alone; 1 is best. Shape (n,).

    Halves of (chains, draws, n) that agree neither with each other nor over time give values above 1, a
    sign of chains that were too short; without the ranks of [Vehtari2021], who ask for at most 1.01.
    NaN for what never changes.

    >>> drifting = np.arange(8.0).reshape(1, 8, 1)
    >>> bool(split_rhat(drifting)[0] > 2)
    True
    """
    halves = _halves(draws)
    within, total = _variances(halves)
    return np.sqrt(np.divide(total, within, out=np.full_like(within, np.nan), where=within > 0))


def effective_draws(draws: FloatArray) -> FloatArray:
    """How many independent draws would give the mean as precisely as these (chains, draws, n). Shape (n,).

    From the autocorrelations of the halved chains, summed in pairs up to the first pair below 0
    and never increasing [Vehtari2021]. NaN for what never changes.
    """
    halves = _halves(draws)
    chunks = [_effective(halves[:, :, begin : begin + _CHUNK]) for begin in range(0, halves.shape[2], _CHUNK)]
    return np.concatenate(chunks) if chunks else np.zeros(0)


def _halves(draws: FloatArray) -> FloatArray:
    """Every chain cut in two, an odd draw left out: (2 chains, draws // 2, n)."""
    n_chains, n_draws, n = draws.shape
    even = draws[:, : n_draws // 2 * 2].astype(np.float64)
    return even.reshape(2 * n_chains, n_draws // 2, n)


def _variances(chains: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variance within chains, and of all of them, estimated from within and between."""
    n_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    # What is fixed differs in the last digit at most.
    within = np.where(within > 1e-12 * np.square(chains).mean(axis=(0, 1)), within, 0.0)
    return within, within * (n_draws - 1) / n_draws + between


def _effective(chains: FloatArray) -> FloatArray:
    n_chains, n_draws, n = chains.shape
    within, total = _variances(chains)
    usable = within > 0
    scale = np.where(usable, total, 1.0)
    covariance = _autocovariance(chains).mean(axis=1)
    correlation = 1 - (within - covariance * n_draws / (n_draws - 1)) / scale
    correlation[0] = 1.0
    pairs = correlation[: n_draws // 2 * 2].reshape(-1, 2, n).sum(axis=1)
    counted = np.logical_and.accumulate(pairs > 0, axis=0)
    time = 2 * np.where(counted, np.minimum.accumulate(pairs, axis=0), 0.0).sum(axis=0) - 1
    # Draws that alternate can beat independent ones, but the estimate is not good enough to claim much.
    most = n_chains * n_draws * np.log10(max(n_chains * n_draws, 10))
    effective = np.minimum(n_chains * n_draws / np.maximum(time, 1e-9), most)
    return np.where(usable, effective, np.nan)


def _autocovariance(chains: FloatArray) -> FloatArray:
    """Autocovariances by lag: (draws, chains, n)."""
    n_draws = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    size = 1 << (2 * n_draws - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    lags = np.fft.irfft(power, size, axis=1)[:, :n_draws] / n_draws
    return np.moveaxis(lags, 1, 0)
