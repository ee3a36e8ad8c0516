"""Code of six languages read into one model, with tree-sitter and a query file for each language.

`queries/*.scm` say what counts as a definition, a call, a loop in each language; `syntax.py` runs
them; `reader.py` makes the language-neutral `Code` of what they found. Grammars are loaded when
code of theirs is first read.
"""
