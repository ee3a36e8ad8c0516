"""What reading a file anew changes: paragraphs that are new, changed, kept or gone.

A paragraph's id follows from its library and its reference, so a new edition of a document leaves
the ids, and with them what leads to them, as they were.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bottega.core.clock import new_id
from bottega.library.documents.repository import indexed_texts
from bottega.library.documents.tables import LibraryDocument, LibraryParagraph, paragraph_id
from bottega.library.parsers.document import Document, DocumentProblem, Paragraph
from bottega.library.parsers.references import STEP


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A file that was read."""

    path: str
    content_hash: str
    size: int
    document: Document


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One document as it will be, beside what is there of it."""

    incoming: IncomingDocument
    #: With references that nobody else in the library has.
    document: Document
    document_id: str
    is_new: bool
    #: By id.
    new: Mapping[str, Paragraph]
    changed: Mapping[str, Paragraph]
    #: Only their place may have changed.
    kept: Mapping[str, Paragraph]
    gone: Sequence[str]
    #: What the new and the changed are found by, by id.
    to_index: Mapping[str, str]


def compare(
    library_id: str,
    incoming: IncomingDocument,
    there: LibraryDocument | None,
    paragraphs: Sequence[LibraryParagraph],
    taken: Collection[str],
) -> DocumentChange:
    """`taken` are the references that other documents of the library have."""
    document = with_free_refs(incoming.document, incoming.path, taken)
    wanted = {paragraph_id(library_id, each.ref): each for each in document.paragraphs}
    texts = indexed_texts(document.title, document.paragraphs)
    old = {each.id: each for each in paragraphs}
    old_texts = indexed_texts(there.title, paragraphs) if there else {}
    # The kind is among what searches filter by.
    is_same_kind = there is not None and there.kind == document.kind
    kept = {
        key: each
        for key, each in wanted.items()
        if is_same_kind and key in old and old_texts[each.ref] == texts[each.ref]
    }
    return DocumentChange(
        incoming,
        document,
        there.id if there else new_id(),
        is_new=there is None,
        new={key: each for key, each in wanted.items() if key not in old},
        changed={key: each for key, each in wanted.items() if key in old and key not in kept},
        kept=kept,
        gone=[key for key in old if key not in wanted],
        to_index={key: texts[each.ref] for key, each in wanted.items() if key not in kept},
    )


def with_free_refs(document: Document, path: str, taken: Collection[str]) -> Document:
    """References that another document has already begin with this one's name instead."""
    named = {
        each.ref: f"{PurePosixPath(path).stem}{STEP}{each.ref}"
        for each in document.paragraphs
        if each.ref in taken
    }
    if not named:
        return document
    some = ", ".join(list(named)[:5]) + (" …" if len(named) > 5 else "")
    problem = DocumentProblem(
        f"{len(named)} references are those of another document ({some}); here they begin with "
        f"{PurePosixPath(path).stem!r}. Give the document a number of its own."
    )
    return replace(
        document,
        paragraphs=tuple(
            replace(each, ref=named.get(each.ref, each.ref)) for each in document.paragraphs
        ),
        terms=tuple(replace(each, ref=named.get(each.ref, each.ref)) for each in document.terms),
        anchors={name: named.get(ref, ref) for name, ref in document.anchors.items()},
        problems=(*document.problems, problem),
    )
