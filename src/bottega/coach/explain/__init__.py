""" "Explain This": what a piece of code does, told at the learner's stage, with or without a model.

`selection.py` finds it in its file, read by `core/code`; `findings.py` makes `Facts` of it and
`markdown.py` writes them up. Every fact is a piece of the source, so nothing in an explanation
without a model is made up.
"""
