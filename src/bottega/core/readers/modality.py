"""How binding a statement is: obligation, recommendation, permission, their denials, or a fact."""

import re
from enum import StrEnum


class Modality(StrEnum):
    OBLIGATION = "shall"
    RECOMMENDATION = "should"
    PERMISSION = "may"
    PROHIBITION = "shall not"
    ADVICE_AGAINST = "should not"
    EXEMPTION = "need not"
    FACT = "is"


_BE = r"(?:is|are|be|was|were|been|being)"
#: "Nobody but the clerk may" is a permission, of the clerk.
_NOBODY = r"(?:no|nobody|none|neither|nothing|no one)(?! (?:but|except|other than)\b)"
#: "The easy way is to ship it" obliges nobody.
_NO_AIM = "".join(
    rf"(?<!{noun} )" for noun in ("aim", "approach", "goal", "idea", "method", "purpose", "way")
)
#: The first that is found wins, so denials stand before what they deny.
_SIGNS = [
    (Modality.PERMISSION, r"\bfeel free to\b"),
    (Modality.EXEMPTION, r"\bneed not\b|\bneedn't\b|\b(?:do|does) not (?:have|need) to\b"
     rf"|\b{_BE} (?:not|never) (?:required|obliged|bound|mandatory|necessary|obligatory)\b"
     r"|\bno\b[^.;,]{0,30}\b(?:is|are) (?:required|needed|necessary)\b"
     r"|\bnot (?:necessarily )?(?:every|all)\b[^.;,]{0,40}\b(?:has|have|needs?|should|must)\b"
     r"|\bno need\b|\bbut not required\b|\bnot mandatory\b|\bno obligation\b"
     r"|\b(?:is|are) optional\b"),
    (Modality.ADVICE_AGAINST,
     r"\b(?:should|ought)(?: \w+ly| also)? (?:not|never|neither)\b|\bshouldn't\b"
     r"|\bshould (?:take care|be careful|ensure|make sure)\b[^.;,]*\bnot\b"
     r"|\bshould (?:generally )?(?:be avoided|avoid)\b"
     r"|\bnot (?:recommended|advisable|advised)\b"
     r"|\b(?:recommended|advisable|advised|better) (?:not to|to not)\b"
     r"|\bshould (?:be|have|contain) no\b|\bdiscouraged\b|\binadvisable\b"
     rf"|^\W*{_NOBODY}\b[^.;]{{0,60}}?\bshould\b"
     rf"|(?<!\bis )(?<!\bare )\b{_NOBODY}\b[^.;,]{{0,30}}? should\b"),
    (Modality.PROHIBITION,
     r"\b(?:shall|must|may|can|might)(?: \w+ly| also)? (?:not|never|neither|under no)\b|\bcannot\b"
     r"|\b(?:shall|must|has to|have to) (?:take care|be careful|ensure|make sure)\b[^.;,]*\bnot\b"
     r"|\bmust (?:be avoided|avoid)\b|\b(?:must|shall) (?:be|have|contain) no\b"
     r"|\b(?:can't|mustn't|shan't)\b|\bno longer to be\b"
     rf"|\b{_BE} (?:strictly |also )?(?:forbidden|prohibited|banned|not (?:allowed|permitted)"
     r"|never (?:allowed|permitted))\b|\bis not to be\b|\bare not to be\b"
     rf"|(?:^|[,;:] |\bthat |\band )\W*{_NOBODY}\b[^.;]{{0,80}}?\b(?:shall|must|may|can)\b"
     r"|\b(?:nobody|no one|none)\b(?! (?:but|except|other than)\b)[^.;,]{0,60}?"
     r"\b(?:shall|must|may|can)\b"
     r"|\b(?:do|does) not (?:allow|permit)\b|\bforbids?\b|\bprohibits?\b"
     r"|\bforbidden\b|\bprohibited\b|\bnot (?:allowed|permitted)\b"),
    # `Recommends` with a capital is a name.
    (Modality.RECOMMENDATION, r"\bshould\b|\bought to\b|\b(?-i:recommend(?:ed|s)?)\b"
     r"|\brecommendation is\b"
     r"|\badvis(?:ed|able)\b|\bencouraged\b|\bsuggested that\b|\bpreferabl[ye]\b|\bbest to\b"),
    (Modality.OBLIGATION, r"\bshall\b|\bmust\b|\b(?:has|have|had|having) to\b|\bneeds? to\b"
     rf"|\b{_BE} (?:always )?(?:required|obliged|bound|mandatory|obligatory|compulsory)\b"
     rf"|{_NO_AIM}\b(?:is|are) to \w+|\b(?:is|are) due\b"
     r"|\b(?:has|have) [\w ]{0,20}(?:minutes|hours|days|weeks|months) to\b"),
    (Modality.PERMISSION, r"\bmay\b(?! \d)|\bcan\b|\bcould\b|\bmight\b|\bentitled\b|\bfree to\b"
     rf"|\b{_BE} (?:also )?(?:allowed|permitted|able)\b|\ballowed\b|\bpermitted\b|\bright to\b"
     r"|\b(?:is|are) (?:acceptable|fine|open to|valid to|possible to)\b|\breserved (?:to|for)\b"),
    # "may need" is no need.
    (Modality.OBLIGATION, r"\brequires?\b|\bneeds?\b"),
]  # fmt: skip
_PATTERNS = [(modality, re.compile(signs, re.I)) for modality, signs in _SIGNS]

#: What a claim may say of a source: a duty may be told as a fact, and nothing becomes stronger.
_TOLD_AS_FACT = {Modality.OBLIGATION, Modality.FACT}


def find_modality(text: str) -> tuple[Modality, re.Match[str] | None]:
    for modality, pattern in _PATTERNS:
        if match := pattern.search(text):
            return modality, match
    return Modality.FACT, None


def is_denial(modality: Modality) -> bool:
    return modality in (Modality.PROHIBITION, Modality.ADVICE_AGAINST, Modality.EXEMPTION)


def may_say(claim: Modality, source: Modality) -> bool:
    """Whether a claim of this modality can rest on a source of that one."""
    return claim is source or (claim is Modality.FACT and source in _TOLD_AS_FACT)


#: The words by which it is told, for those who compare what is said besides.
MODAL_WORDS = re.compile(
    r"\b(?:shall|must|should|may|might|can|cannot|could|need|needs|ought|has to|have to|required"
    r"|obliged|allowed|permitted|forbidden|prohibited|recommended|entitled|necessary)\b",
    re.IGNORECASE,
)
