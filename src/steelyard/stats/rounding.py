"""How close computed numbers must be to count as equal."""

from __future__ import annotations

# What rounding alone may leave of nothing, as a share of the size of the terms: a variance, a difference of
# sums or a rest of a quotient below it is 0.
ROUNDING = 1e-12

# Differences of ratings with decimals carry more noise; below this share of the largest they are equal.
EQUAL = 1e-9

# Equal means of different ratings may differ in their last bits. Scores are rounded to this many decimals
# before they are ranked or counted, so that ties are seen.
TIE_DECIMALS = 10
