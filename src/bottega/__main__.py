"""`python -m bottega` is `bottega`."""

import os
import sys

# Without `-P` Python looks for modules in the working directory first: a stranger's project may
# have a `typer.py` there.
if not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 - nothing more yet
    del sys.path[0]

from bottega.cli.main import main

main()
