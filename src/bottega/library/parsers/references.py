"""References as people write them, in one normal form, and what contains what.

`para. 12 (a)` and `12(a)` are one reference; `315.12(a)(i)` lies in `315.12(a)`, that in `315.12`.
A paragraph without a number of its own is counted within what has one: `4.9.1 ¶2`; the second part
of a long one is `4.9.1 part 2`, the second of the same reference `4.9.1 #2`.
"""

import re
from collections.abc import Collection, Iterator

STEP = " › "

#: Words that only introduce a number. Their plurals too: "paragraphs 5 and 7".
LABEL = (
    r"(?:paragraphs?|paras?\.?|sections?|secs?\.?|subsections?|articles?|arts?\.|clauses?|cl\."
    r"|rules?|regulations?|points?|items?|requirements?|§§?|¶¶?)"
)
#: Words that are part of the reference: Appendix 2 is not paragraph 2.
KEPT_LABEL = r"(?:appendix|appendices|annex|annexes|schedules?|chapters?|parts?)"
_CURRENCY = r"(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|ZAR)"
#: A standard by its code: `ISA 315`, `Standard 210`; `EUR 60` is an amount.
CODE = rf"(?!{_CURRENCY}\b)(?:[A-Z]{{2,6}}|Standards?)[ \u00a0-](?=\d)"

_SINGULAR = {"appendices": "Appendix", "annexes": "Annex"}
#: Typed in any case: "isa 315.12"; but "annex 2" is no code.
_TYPED_CODE = rf"(?!(?:{LABEL}|{KEPT_LABEL})\b){CODE}"
_CODED = re.compile(rf"{_TYPED_CODE}(\d{{1,5}})(?:\.|\s*[,:]?\s*{LABEL}?\s*)(?=\S)", re.IGNORECASE)
_CODED_ALONE = re.compile(rf"{_TYPED_CODE}(\d{{1,5}})$", re.IGNORECASE)
_LABELLED = re.compile(rf"{LABEL}\s*(?=[\dA-Z(])", re.IGNORECASE)
_KEPT = re.compile(rf"({KEPT_LABEL})\s+(\w+)(.*)", re.IGNORECASE | re.DOTALL)
_GAPS = re.compile(r"\s+(?=\()|(?<=\()\s+|\s+(?=\))|(?<=\d)\s*\.\s*(?=[A-Z]?\d)")
_COUNTED = re.compile(r" (?:#\d+|part \d+|¶\d+)$")
_BRACKETED = re.compile(r"\([^()]*\)$")
_DOTTED = re.compile(r"[\w.]+(?: [\w.]+)?\.\w+")


def normalise_ref(written: str) -> str:
    """The normal form; a path of headings keeps its words, only its spaces are set right."""
    text = " ".join(written.split()).strip(" ,;:")
    if STEP.strip() in text:
        return STEP.join(step.strip() for step in text.split(STEP.strip()))
    prefix = ""
    if alone := _CODED_ALONE.match(text):
        return alone.group(1)
    if coded := _CODED.match(text):
        prefix, text = coded.group(1), text[coded.end() :]
    text = _LABELLED.sub("", text, count=1) if _LABELLED.match(text) else text
    return with_prefix(_normal_number(text.rstrip(".")), prefix)


def _normal_number(text: str) -> str:
    kept = _KEPT.match(text)
    if kept:
        word, number, rest = kept.group(1).lower(), kept.group(2), kept.group(3)
        label = _SINGULAR.get(word) or word.removesuffix("s").capitalize()
        return f"{label} {number.upper()}{_GAPS.sub(_gap, rest)}"
    return _GAPS.sub(_gap, text)


def _gap(found: re.Match[str]) -> str:
    return "." if "." in found.group() else ""


def with_prefix(number: str, prefix: str | None) -> str:
    """A number within the document that has that number of its own: `12(a)` → `315.12(a)`."""
    if not prefix or number == prefix or number.startswith(f"{prefix}."):
        return number
    if number[:1].isalpha() and " " in number:  # Appendix 2
        return f"{prefix} {number}"
    return f"{prefix}.{number}"


def parent_ref(ref: str) -> str | None:
    """What contains it: one bracket, one step, one number less."""
    for ending in (_COUNTED, _BRACKETED):
        found = ending.search(ref)
        if found:
            return ref[: found.start()].rstrip() or None
    if STEP in ref:
        return ref.rsplit(STEP, 1)[0]
    if _DOTTED.fullmatch(ref):
        return ref.rsplit(".", 1)[0]
    return None


def ancestors(ref: str) -> Iterator[str]:
    """Everything that contains it, nearest first."""
    above = parent_ref(ref)
    while above is not None:
        yield above
        above = parent_ref(above)


def resolve_ref(written: str, known: Collection[str]) -> str | None:
    """The known reference that is meant, else the nearest known one that contains it.

    "chapter 3" is also what is numbered just `3`.
    """
    normal = normalise_ref(written)
    bare = normal.split(" ", 1)[1] if _KEPT.fullmatch(normal) else normal
    meant = (normal, bare, *ancestors(normal))
    return next((ref for ref in meant if ref in known), None)
