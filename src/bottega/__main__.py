"""`python -m bottega` is `bottega`."""

from bottega.cli.main import main

main()
