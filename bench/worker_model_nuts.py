"""The worker model: our fast method against NUTS of NumPyro at equal accuracy.

4,000 ratings, 200 items by 20 workers, in each worker's own units. Our method also learns how workers and
items vary; NUTS and a long Gibbs run are handed what it learned as priors, so that all three have the same
model. Both estimate the posterior means of the qualities, whose true values the Gibbs run tells; as ratings
tell slope times quality only, qualities are taken times the mean slope, which ours has at 1. Equal
accuracy: means within 0.05 posterior deviations, as root of the mean square over items. For NUTS the draws
that this takes follow from how many independent ones its draws are worth, because a run that stopped when it
happened to be near would be luck; for ours the column `error` shows what it is. Seconds are by the clock,
with and without the compilation that NumPyro needs first.

NumPyro lives in an environment of its own, made on the first run in the user's cache folder; this file
is run there again, as `worker_model_nuts.py nuts`, with the ratings on its standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from steelyard.stats.worker_model.effects import ItemOrigin
    from steelyard.stats.worker_model.problem import WorkerRatings
    from steelyard.stats.worker_model.variational import Learned

N_ITEMS, N_WORKERS = 200, 20
SEED = 7
# How the crowd is made up.
SLOPE_MEAN, SLOPE_SD = 1.0, 0.25
# Root mean square error of the means in posterior deviations that counts as equal accuracy.
ACCURACY = 0.05
WARM_UP, DRAWS, BLOCK = 500, 1500, 100
RUNS = 5
ROOT = Path(__file__).parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steelyard" / "bench-nuts"


def main() -> None:
    """Print one line for our method and two for each precision of NUTS."""
    ratings = some_ratings()
    fast, learned = best_seconds(ratings)
    priors = priors_of(learned)
    mean, sd = long_run(ratings, priors)
    print(f"{'4,000 ratings':<34} {'seconds':>9}  {'ratio':>7}   {'error':>6}  draws")
    print(f"{'ours':<34} {fast:>9.4f}  {'':>7}   {error(learned.quality, mean, sd):>6.3f}", flush=True)
    python = numpyro_python()
    if python is None:
        return
    for bits in (64, 32):
        answer = nuts_elsewhere(python, ratings, priors, bits)
        draws = np.array(answer["draws"])
        needed = draws_needed(draws)
        seconds = answer["warm_up"] + needed * answer["each"]
        found = error(draws.mean(axis=0), mean, sd)
        for name, more in (("", 0.0), (", with compilation", answer["compilation"])):
            title = f"NUTS, float{bits}{name}"
            ratio = (seconds + more) / fast
            print(f"{title:<34} {seconds + more:>9.3f}  x {ratio:>5,.0f}   {ACCURACY:>6.3f}  {needed:>5,}")
        spread = float(np.mean(draws.std(axis=0, ddof=1) / sd))
        print(f"  check: {DRAWS:,} draws have error {found:.3f}, deviations x {spread:.3f}", flush=True)


def draws_needed(draws: np.ndarray) -> int:
    """How many draws like these give means of the accuracy asked for."""
    from steelyard.stats.worker_model.gibbs_diagnostics import effective_draws

    squared_error = float(np.mean(1 / effective_draws(draws[None])))
    return int(np.ceil(len(draws) * squared_error / ACCURACY**2))


def fit_fast(ratings: WorkerRatings) -> Learned:
    """Our fast method."""
    from steelyard.stats.worker_model.variational import learn

    return learn(ratings, origin())


def origin() -> ItemOrigin:
    """Items of one kind, of no system and of no segment."""
    from steelyard.stats.worker_model.effects import ItemOrigin

    none = np.zeros(N_ITEMS, dtype=np.int64)
    return ItemOrigin(none, none - 1, none - 1, none, 1, 0, 0, 1)


def priors_of(learned: Learned) -> dict[str, float]:
    """What our method learned of how workers and items vary."""
    from steelyard.stats.worker_model.effects import KIND_VARIANCE

    return {
        "level_sd": KIND_VARIANCE**0.5,
        "item_sd": float(learned.effects.item_variance[0]) ** 0.5,
        "offset_sd": learned.priors.offset_sd,
        "slope_sd": learned.priors.slope_sd,
        "shape": learned.priors.shape,
        "rate": learned.priors.shape / learned.priors.precision,
    }


def some_ratings() -> WorkerRatings:
    """Everybody judges everything; ratings made by the model itself, then put in each worker's own units."""
    from steelyard.stats.worker_model.problem import WorkerRatings
    from steelyard.stats.worker_model.units import in_own_units

    rng = np.random.default_rng(SEED)
    item, worker = (index.ravel() for index in np.indices((N_ITEMS, N_WORKERS)))
    quality, offset = rng.normal(size=N_ITEMS), rng.normal(size=N_WORKERS)
    slope, precision = np.abs(rng.normal(SLOPE_MEAN, SLOPE_SD, N_WORKERS)), rng.gamma(2, 1, N_WORKERS)
    value = offset[worker] + slope[worker] * quality[item]
    value += rng.normal(size=len(item)) / np.sqrt(precision[worker])
    units = in_own_units(value, worker, np.zeros_like(item), n_workers=N_WORKERS, n_criteria=1)
    return WorkerRatings(item, worker, units.value, N_ITEMS, N_WORKERS)


def long_run(ratings: WorkerRatings, priors: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Posterior means and deviations of the qualities, several times as accurate as asked for."""
    from steelyard.stats.worker_model.gibbs import GibbsOptions, GibbsPriors, sample
    from steelyard.stats.worker_model.problem import Normal

    known = GibbsPriors(
        quality=Normal(np.zeros(N_ITEMS), np.full(N_ITEMS, priors["item_sd"])),
        offset_sd=priors["offset_sd"],
        slope=Normal(np.ones(N_WORKERS), np.full(N_WORKERS, priors["slope_sd"])),
        positive=True,
        shape=priors["shape"],
        rate=priors["rate"],
        groups=np.zeros((N_ITEMS, 1), dtype=np.int64),
        effect=Normal(np.zeros(1), np.full(1, priors["level_sd"])),
    )
    options = GibbsOptions(sweeps=10_500, warm_up=500, chains=2)
    draws = sample(ratings, known, options, np.random.default_rng(SEED + 1))
    quality = draws.quality * draws.slope.mean(axis=1, keepdims=True)
    return quality.mean(axis=0), quality.std(axis=0, ddof=1)


def error(found: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> float:
    """Root mean square distance of the means in posterior deviations."""
    return float(np.sqrt(np.mean(((found - mean) / sd) ** 2)))


def best_seconds(ratings: WorkerRatings) -> tuple[float, Learned]:
    """The shortest of several runs of our method, and its answer."""
    seconds = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        learned = fit_fast(ratings)
        seconds.append(time.perf_counter() - begin)
    return min(seconds), learned


def numpyro_python() -> Path | None:
    """The Python of an environment with NumPyro, made if need be; None, and a line, if that fails."""
    python = CACHE / "bin" / "python"
    environment = os.environ | {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    uv = str(ROOT / ".uv" / "bin" / "uv")
    commands = [
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(CACHE)],
        [uv, "pip", "install", "--quiet", "--python", str(python), "numpyro"],
    ]
    try:
        if not (CACHE / ".complete").exists():
            for command in commands:
                subprocess.run(command, env=environment, check=True)
            (CACHE / ".complete").touch()
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"NumPyro is left out, because it could not be installed in {CACHE}: {problem}")
        return None
    return python


def nuts_elsewhere(
    python: Path, ratings: WorkerRatings, priors: dict[str, float], bits: int
) -> dict[str, Any]:
    """What `nuts` says, run in the other environment."""
    question = {
        "item": ratings.item.tolist(),
        "worker": ratings.worker.tolist(),
        "value": ratings.value.tolist(),
        "bits": bits,
        "priors": priors,
    }
    command = [str(python), __file__, "nuts"]
    done = subprocess.run(command, input=json.dumps(question), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"NUTS failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def nuts() -> None:
    """Draw the qualities by NUTS, and say how long compiling, warming up and each draw took."""
    import jax
    import numpyro

    question = json.load(sys.stdin)
    numpyro.enable_x64(question["bits"] == 64)
    item, worker, value = (np.array(question[name]) for name in ("item", "worker", "value"))
    distributions, priors = numpyro.distributions, question["priors"]

    def model() -> None:
        level = numpyro.sample("level", distributions.Normal(0, priors["level_sd"]))
        items = distributions.Normal(level, priors["item_sd"])
        quality = numpyro.sample("quality", items.expand([N_ITEMS]))
        offset = numpyro.sample("offset", distributions.Normal(0, priors["offset_sd"]).expand([N_WORKERS]))
        positive = distributions.TruncatedNormal(1.0, priors["slope_sd"], low=0.0)
        slope = numpyro.sample("slope", positive.expand([N_WORKERS]))
        gamma = distributions.Gamma(priors["shape"], priors["rate"])
        precision = numpyro.sample("precision", gamma.expand([N_WORKERS]))
        expected = offset[worker] + slope[worker] * quality[item]
        numpyro.sample("rating", distributions.Normal(expected, precision[worker] ** -0.5), obs=value)

    begin = time.perf_counter()
    kernel = numpyro.infer.NUTS(model)
    start = kernel.init(jax.random.PRNGKey(SEED), WARM_UP, None, (), {})

    @jax.jit
    def block(state: Any) -> Any:
        """Some steps at once; the kernel itself knows how long it warms up."""

        def step(state: Any, _: None) -> Any:
            state = kernel.sample(state, (), {})
            # Slopes are above 0, and drawn as logarithms.
            return state, state.z["quality"] * jax.numpy.exp(state.z["slope"]).mean()

        return jax.lax.scan(step, state, None, length=BLOCK)

    jax.block_until_ready(block(start))
    first = time.perf_counter() - begin
    state, _, warm_up = several(block, start, WARM_UP // BLOCK)
    _, draws, drawing = several(block, state, DRAWS // BLOCK)
    answer = {
        # The first block's steps are not compilation.
        "compilation": first - warm_up * BLOCK / WARM_UP,
        "warm_up": warm_up,
        "each": drawing / DRAWS,
        "draws": np.asarray(draws, dtype=np.float64).round(6).tolist(),
    }
    print(json.dumps(answer))


def several(block: Any, state: Any, n_blocks: int) -> tuple[Any, np.ndarray, float]:
    """The state after some blocks, their draws, and the seconds they took."""
    begin = time.perf_counter()
    draws = []
    for _ in range(n_blocks):
        state, quality = block(state)
        draws.append(np.asarray(quality))
    return state, np.concatenate(draws), time.perf_counter() - begin


if __name__ == "__main__":
    nuts() if sys.argv[1:] == ["nuts"] else main()
