"""The library as tools of a chat, and the references that its answer may carry."""

import re
from dataclasses import dataclass, field

from pydantic import JsonValue

from bottega.errors import BottegaError, NotFound
from bottega.library.service import Library, LibraryService, ParagraphView

MOST_RESULTS = 20
LONGEST_TEXT = 2_000

#: Something in brackets with a digit in it, not a link, not a bare number, not `W1` or `P1`.
_CITED = re.compile(r"\[(?!\d+\]|[WP]\d+\])([^\[\]\n]{0,80}\d[^\[\]\n]{0,80})\](?!\()")


@dataclass(frozen=True, slots=True)
class Checked:
    text: str
    #: References that stand in the library, and those that do not.
    references: list[str]
    unknown: list[str]


@dataclass(slots=True)
class LibraryTools:
    libraries: LibraryService
    library: Library
    #: References that a tool has returned.
    seen: set[str] = field(default_factory=set)

    async def library_search(self, query: str, max_results: int = 8) -> JsonValue:
        """Find paragraphs of the library by words and meaning. Best first.

        Args:
            query: What to look for, in a few words or as a question.
            max_results: How many paragraphs at most, up to 20.
        """
        found = await self.libraries.search.search(
            self.library, query, max_results=max(1, min(max_results, MOST_RESULTS))
        )
        return [self._show(hit.paragraph) for hit in found.hits]

    async def get_paragraph(self, reference: str) -> JsonValue:
        """Read one paragraph of the library.

        Args:
            reference: Its reference as a search returned it, such as 315.12(a).
        """
        try:
            return self._show(await self.libraries.libraries.paragraph(self.library, reference))
        except BottegaError as error:
            return {"error": error.message}

    async def check_references(self, text: str) -> Checked:
        """Mark in an answer what it cites and the library lacks."""
        cited = list(dict.fromkeys(match.strip() for match in _CITED.findall(text)))
        missing = [ref for ref in cited if ref not in self.seen and not await self._has(ref)]
        for ref in missing:
            text = text.replace(f"[{ref}]", f"[{ref}] *(not in the library)*")
        return Checked(text, [ref for ref in cited if ref not in missing], missing)

    async def _has(self, reference: str) -> bool:
        try:
            await self.libraries.libraries.paragraph(self.library, reference)
        except NotFound:
            return False
        return True

    def _show(self, paragraph: ParagraphView) -> dict[str, JsonValue]:
        self.seen.add(paragraph.ref)
        return {
            "reference": paragraph.ref,
            "document": paragraph.document,
            "text": paragraph.text[:LONGEST_TEXT],
        }
