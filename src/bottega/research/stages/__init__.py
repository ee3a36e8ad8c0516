"""The six stages of a research run, each a function from what is known to what it adds."""
