"""Python, read with the standard library's syntax tree."""
