"""How close ways of weighing workers come to an expert who judged some of the same translations."""
