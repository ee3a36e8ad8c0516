"""Bottega: a workshop for coding agents and the people who work with them."""

import os

# A second thread of a matrix product mostly waits for a core that something else keeps busy: on a
# small machine that makes the slowest searches three times as slow. Must come before numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
