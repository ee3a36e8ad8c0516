"""Markdown with YAML frontmatter, and the exact place of everything that is wrong in it.

People write agents, commands, skills and notes by hand. When one is wrong the answer names the
file, the line and the column, and all problems at once:

    agents/tutor.md:3:1: unknown key 'modle'; did you mean 'model'?
"""

from bottega.core.documents.document import Document, parse_document, render
from bottega.core.documents.problems import DocumentError, KeyPath, Problem
from bottega.core.documents.sections import Section, sections

__all__ = [
    "Document",
    "DocumentError",
    "KeyPath",
    "Problem",
    "Section",
    "parse_document",
    "render",
    "sections",
]
