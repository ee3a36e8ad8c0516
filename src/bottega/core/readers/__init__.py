"""Small models that run in this process: texts as vectors, and whether a text bears out a claim."""
