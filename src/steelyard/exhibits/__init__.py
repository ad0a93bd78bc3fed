"""Exhibits: the tables and figures that people ask for by name, each made from evidence alone."""
