"""The verbs, one file each: the only place where the layers meet."""
