"""A draft's references, brought into the library's form.

Nothing is dropped: a reference that nobody knows stays, so that verification sees it.
"""

import re
from collections.abc import Iterable, Sequence

from bottega.library.service import normalise_ref
from bottega.research.pipeline.outputs import Claim, Retrieved

_LABEL = re.compile(r"[\[(]?\b([WP]\d{1,3})\b[\])]?")
_INLINE_LABEL = re.compile(r"\s*\[((?:[WP]\d{1,3}(?:,\s*)?)+)\]")
#: Inside a reference: what a number that counts something does not have.
_DISTINCT = re.compile(r"\w[.(]\w")
_BETWEEN = re.compile(r"\s*[;,]\s*|\s+and\s+")


class References:
    """The references that a draft was given, found again in any form."""

    def __init__(self, paragraphs: Sequence[Retrieved]) -> None:
        self._titles = {each.paragraph.document.casefold() for each in paragraphs}
        self._known = {
            key: each.paragraph.ref
            for each in paragraphs
            for key in (
                each.paragraph.ref.casefold(),
                normalise_ref(each.paragraph.ref).casefold(),
                each.paragraph.id,
            )
        }

    def settle(self, claim: Claim) -> Claim:
        text, inline = self._lift(claim.text)
        citations, labels = [], [*claim.labels]
        for written in (*claim.citations, *inline):
            for each in self._split(written):
                label = _LABEL.fullmatch(each)
                if label is None:
                    citations.append(self._find(each) or normalise_ref(each))
                else:
                    labels.append(label[1])
        return Claim(text=text, citations=_once(citations), labels=_once(map(_bare, labels)))

    def _split(self, written: str) -> list[str]:
        bare = written.strip().strip("[]").strip()
        if not bare or self._find(bare):
            return [bare] if bare else []
        parts = [each for each in _BETWEEN.split(bare) if each]
        # A title may have a comma of its own; only references are taken apart.
        return parts if all(any(map(str.isdigit, each)) for each in parts) else [bare]

    def _find(self, written: str) -> str | None:
        forms = [written, normalise_ref(written)]
        before, _, last_word = written.rpartition(" ")
        # A title may stand before the reference. What is not known as one could be that of
        # another work, whose paragraph 6 is not ours: then only `450.6` or `6(a)` will do.
        is_title = before.casefold().strip(" ,:") in self._titles
        if is_title or (_DISTINCT.search(last_word) and not any(map(str.isdigit, before))):
            forms += [last_word, normalise_ref(last_word)]
        keys = (form.casefold() for form in forms)
        return next((self._known[key] for key in keys if key in self._known), None)

    def _lift(self, text: str) -> tuple[str, list[str]]:
        """The text without references and labels in brackets, and these."""
        lifted = [label for found in _INLINE_LABEL.findall(text) for label in found.split(",")]
        text = _INLINE_LABEL.sub("", text)
        refs = dict.fromkeys(self._known.values())
        marked = {f"[{ref}]": ref for ref in refs}
        marked |= {f"({ref})": ref for ref in refs if _DISTINCT.search(ref)}
        there = sorted((text.index(each), each) for each in marked if each in text)
        for _, written in there:
            text = text.replace(f" {written}", "").replace(written, "")
            lifted.append(marked[written])
        return " ".join(text.split()), [each.strip() for each in lifted]


def _bare(label: str) -> str:
    return label.strip(" []()")


def _once(values: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(values) if each]
