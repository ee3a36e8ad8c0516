"""The zip file and the XML inside a DOCX, opened with care: sizes first, no document types.

A few kilobytes of zip can unpack to gigabytes, and so can entities of XML, which can also name
files to be read. Word writes neither; a document type is refused before anything in it is read.
"""

import io
import zipfile
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.parsers import expat

from bottega.library.reading.unreadable import Reason, Unreadable

MOST_UNPACKED = 200_000_000
MOST_PART = 100_000_000
#: Text shrinks to a tenth, rarely to a fiftieth; a bomb to a thousandth.
MOST_RATIO = 200
_SMALL = 1_000_000
_MOST_FILES = 10_000


class WordPackage:
    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, EOFError, OverflowError) as error:
            raise Unreadable(
                name, Reason.MALFORMED, f"is a damaged Word document: {error}."
            ) from None
        self._parts: Mapping[str, zipfile.ZipInfo] = {
            part.filename: part for part in self._zip.infolist()
        }
        self._check_sizes()

    def _check_sizes(self) -> None:
        parts = self._parts.values()
        unpacked = sum(part.file_size for part in parts)
        if len(parts) > _MOST_FILES or unpacked > MOST_UNPACKED:
            raise self._bomb(f"{len(parts):,} files of {unpacked:,} bytes")
        for part in parts:
            ratio = part.file_size / max(1, part.compress_size)
            if part.file_size > _SMALL and ratio > MOST_RATIO:
                raise self._bomb(f"{part.filename[:80]} grows {ratio:,.0f} times")
            if part.flag_bits & 1:
                message = "is protected by a password. Save it without one."
                raise Unreadable(self._name, Reason.ENCRYPTED, message)

    def tree(self, part: str) -> ElementTree.Element | None:
        """A part as a tree, `None` if there is no such part."""
        found = self._parts.get(part)
        if found is None:
            return None
        builder = ElementTree.TreeBuilder()
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, attributes: builder.start(
            _named(tag), {_named(name): value for name, value in attributes.items()}
        )
        parser.EndElementHandler = lambda tag: builder.end(_named(tag))
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        try:
            parser.Parse(self._bytes(found), True)
        except expat.ExpatError as error:
            message = f"is a damaged Word document: {part}: {error}."
            raise Unreadable(self._name, Reason.MALFORMED, message) from None
        root: ElementTree.Element = builder.close()
        return root

    def _bytes(self, part: zipfile.ZipInfo) -> bytes:
        # A zip may lie about its sizes, so no more is unpacked than is allowed.
        try:
            with self._zip.open(part) as file:
                data = file.read(MOST_PART + 1)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
            message = f"is a damaged Word document: {error}."
            raise Unreadable(self._name, Reason.MALFORMED, message) from None
        if len(data) > MOST_PART:
            raise self._bomb(f"{part.filename[:80]} has over {MOST_PART:,} bytes")
        return data

    def _refuse_document_type(self, *_: object) -> None:
        raise Unreadable(
            self._name, Reason.BOMB, "declares XML entities, which no Word document does."
        )

    def _bomb(self, what: str) -> Unreadable:
        return Unreadable(self._name, Reason.BOMB, f"unpacks to far more than it should: {what}.")


def _named(name: str) -> str:
    """As ElementTree looks for it: `{namespace}name`."""
    return f"{{{name}" if "}" in name else name
