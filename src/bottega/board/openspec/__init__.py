"""OpenSpec, a library of its own: a project's changes and specs, read, written and validated.

`project.py` is the door: `OpenSpec(root)`. `cli.py` runs the real program where it is installed.
"""
