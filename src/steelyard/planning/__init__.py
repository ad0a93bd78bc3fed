"""Planning: how much work and money a wanted precision takes, and what a budget buys."""
