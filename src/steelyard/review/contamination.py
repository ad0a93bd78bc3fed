"""How many of those who passed did so by luck."""

from __future__ import annotations


def contamination(*, n_pass: int, n_tested: int, power: float, threshold: float = 0.05) -> float | None:
    """Share of random clickers to be expected among the workers who passed.

    Someone who clicks at random passes with probability `threshold`, anyone else with `power`: the
    mean of the verdicts' power, say. The observed pass rate r = threshold q + power (1 - q) tells the
    share q of random clickers among those tested, kept between 0 and 1; the share among those who
    passed is threshold q / r with that r. It knows only these two sorts of people: whoever pays
    attention half of the time is counted partly with each.

    None where nobody was tested or passed, or where the check tells the two no better than chance.

    >>> round(contamination(n_pass=475, n_tested=1000, power=0.9), 4)
    0.0526
    """
    if n_tested <= 0 or n_pass <= 0 or power <= threshold:
        return None
    share = (power - n_pass / n_tested) / (power - threshold)
    share = min(max(share, 0.0), 1.0)
    lucky, able = threshold * share, power * (1 - share)
    return lucky / (lucky + able)
