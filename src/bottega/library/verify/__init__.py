"""Whether a text says no more than the paragraphs that it cites."""
