"""Markdown with YAML frontmatter, and the exact place of everything that is wrong in it.

People write agents, commands, skills and notes by hand. When one is wrong the answer names the
file, the line and the column, and all problems at once:

    agents/tutor.md:3:1: unknown key 'modle'; did you mean 'model'?
"""

from bottega.core.definitions.document import Document, Section, parse_document, sections
from bottega.core.definitions.problems import DocumentError, KeyPath, Problem

__all__ = [
    "Document",
    "DocumentError",
    "KeyPath",
    "Problem",
    "Section",
    "parse_document",
    "sections",
]
