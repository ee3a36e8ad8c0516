"""Documents of many formats into numbered paragraphs that can be cited. Reads bytes, nothing else.

No database, no network, no execution: `read_document` turns a file's bytes into a `Document`, or
raises `Unreadable` with the reason.
"""

from bottega.library.reading.citations import (
    Citation,
    Reach,
    cited_references,
    paragraph_citations,
)
from bottega.library.reading.document import (
    DefinedTerm,
    Document,
    Format,
    Kind,
    Link,
    Paragraph,
    Problem,
    Unit,
)
from bottega.library.reading.formats import SUFFIXES
from bottega.library.reading.read import LARGEST_FILE, read_document
from bottega.library.reading.references import ancestors, normalise_ref, parent_ref, resolve_ref
from bottega.library.reading.unreadable import Reason, Unreadable

__all__ = [
    "LARGEST_FILE",
    "SUFFIXES",
    "Citation",
    "DefinedTerm",
    "Document",
    "Format",
    "Kind",
    "Link",
    "Paragraph",
    "Problem",
    "Reach",
    "Reason",
    "Unit",
    "Unreadable",
    "ancestors",
    "cited_references",
    "normalise_ref",
    "paragraph_citations",
    "parent_ref",
    "read_document",
    "resolve_ref",
]
