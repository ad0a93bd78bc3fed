"""How few draws still say something [our choices]."""

from __future__ import annotations

# Fewer have no 2.5th percentile to speak of: for the intervals of scores, and for links.
LEAST_DRAWS = 40
# Bands of a curve are looked at rather than read off.
LEAST_FOR_CURVES = 20
# The ends of an interval that a conclusion rests on.
LEAST_FOR_CONCLUSIONS = 200
