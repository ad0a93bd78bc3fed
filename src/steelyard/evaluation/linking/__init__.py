"""Systems of several campaigns on one scale, through items that the campaigns have in common."""
