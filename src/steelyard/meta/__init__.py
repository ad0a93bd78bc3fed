"""Meta-evaluation: how well automatic metrics agree with people."""
