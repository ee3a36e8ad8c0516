"""What a piece of code is and does, told from its syntax tree, without a model.

`explain` reads the selection into `Facts` (`python/` with the standard library's tree,
`ecmascript/` with tree-sitter's, the same file names in both), and `writing` puts them into words
for the learner's stage. Every fact is a piece of the source, so nothing in an explanation is
made up.
"""
