"""How many of those who passed did so by luck."""

from __future__ import annotations

# The pass rate of fewer means next to nothing [our choice].
LEAST_TESTED = 20


def contamination(*, n_pass: int, n_tested: int, power: float, threshold: float = 0.05) -> float | None:
    """Share of random clickers to be expected among the workers who passed.

    Someone who clicks at random passes with probability `threshold`, anyone else with `power`: the
    mean of the verdicts' power, say. The observed pass rate r = threshold q + power (1 - q) gives the
    share q of random clickers among those tested, at most 1; the share among those who passed is
    threshold q / r with that r. It assumes only these two kinds of people: someone who pays attention half
    of the time is counted partly with each.

    None where fewer than twenty were tested or nobody passed, where the check distinguishes the two no better
    than chance, and where more pass than `power` says. Degraded copies are then worse than the power
    assumes, and it does not follow that nobody clicks at random.

    >>> round(contamination(n_pass=475, n_tested=1000, power=0.9), 4)
    0.0526
    """
    if n_tested < LEAST_TESTED or n_pass <= 0 or power <= threshold or n_pass / n_tested > power:
        return None
    share = min((power - n_pass / n_tested) / (power - threshold), 1.0)
    lucky, able = threshold * share, power * (1 - share)
    return lucky / (lucky + able)
