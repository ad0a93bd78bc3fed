"""Planning: how much work and money a target precision takes, and what a budget buys."""
