"""Every requirement by its id, in our words, and a check that ties ids and tests both ways.

A test proves a requirement by naming its id in its docstring. `test_requirements.py` fails on an
id that no test names, and on an id that a test names and nobody stated.
"""
