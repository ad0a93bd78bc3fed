"""`python -m steelyard`: the command line without its script."""

from steelyard.cli.main import main

main()
