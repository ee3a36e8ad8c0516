"""What a question asks for, and whether a paragraph names it at all.

Rules that quote sentences find one for nearly every question in a library's own words: asked for
the penalty, they quote the prohibition. So what a question names has to be named by what is quoted:
the things it speaks of, whom it asks about, and what they do; and what it asks for by its form has
to be there. A model reads for itself; this is for answers that no model wrote.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from bottega.core.textindex.stopwords import STOP_WORDS
from bottega.library.service import concept, has_what_is_sought

_WORD = re.compile(r"[^\W\d_]+(?=['’]s\b)|(?<!['’])[^\W\d_]+")
#: What a thing's name stands behind.
_ARTICLES = frozenset(["the", "a", "an", "my", "your", "his", "her", "its", "their", "any"])
_PREPOSITIONS = frozenset(["of", "for", "with", "without", "about", "against", "from"])
#: Where a thing's name ends: a word that only joins, or one that begins the next part.
_ENDS = STOP_WORDS | frozenset(
    """
    may might must shall can could would need get gets within without among towards per outside
    inside
    """.split()  # noqa: SIM905 - a list of them would be a page
)
#: Too general to be what is asked for: they may be missing from any answer.
_GENERAL = frozenset(
    """
    answer amount basics board boat case comparison condition consequence cost day deadline
    definition detail difference duration duty evening example exception fee first harbour hour
    information kind library limit list matter meaning midnight minute moment money month morning
    name night number obligation one order overview part people person place point price procedure
    process purpose question reason regulation relation relationship requirement responsibility
    role rule sense ship situation sort standard step sum summary summer thing time vessel way week
    winter word year
    """.split()  # noqa: SIM905 - as above
)
_LIGHT_VERBS = frozenset(
    """
    be is are was were been being have has had do does did get gets go goes come comes take takes
    make makes give gives given need needs use uses used count counts counted happen happens mean
    means say says tell told call called know want put let see ask find found pay pays paid cost
    costs look stand pass
    """.split()  # noqa: SIM905 - as above
)
_MODAL = "may|can|must|shall|should|could|might|has to|have to"
_BE = "is|are|was|were"
#: Who or what does what, by the place in the question.
_DOERS_AND_DEEDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:which|what)\s.+?\b(?:do|does|did)\s+([^\W\d_]+)",
        rf"^who\s+(?:(?:{_MODAL})\s+)?([^\W\d_]+)",
        rf"^which\s[^?]+?\s(?:{_MODAL}|{_BE})\s+([^\W\d_]+)",
        r"^(?:how\s+)?(?:do|can|may|could|must)\s+(?:i|you|we|one|they)\s+([^\W\d_]+)",
        rf"^(?:how|when|where)\s+(?:{_BE})\s.*?\b([^\W\d_]+)\W*$",
    )
)
_WHAT_DOES = re.compile(r"^what\s+(?:do|does|did)\s+(?!it\b|i\b|you\b)(.+)", re.IGNORECASE)
_CASE = re.compile(r"\b(?:if|when|while|at|during|before|after|in|on)\b", re.IGNORECASE)
#: How something is; what a number with a unit answers is told by the form of the question.
_HOW = re.compile(
    r"^how\s+(?!many|much|long|often|old|far|near|deep|wide|tall|heavy|cold|hot|warm|fast|large|big"
    rf"|early|late|soon|quickly|high|expensive|do|does|did|{_BE}|{_MODAL})([^\W\d_]+)",
    re.IGNORECASE,
)


def unnamed(question: str, paragraphs: Sequence[str]) -> list[str]:
    """What the question asks for and the best of the paragraphs does not have, for people."""
    return min((_missing(question.strip(), each) for each in paragraphs), key=len, default=[])


def _missing(question: str, paragraph: str) -> list[str]:
    said = _concepts(paragraph)
    missing = [each for each in _asked_for(question) if not said & _concepts(each)]
    missing += [wanted for wanted, asks, has in _FORMS if asks(question) and not has(paragraph)]
    if not missing and _is_open(question):
        has_it = has_what_is_sought(_plainly(question), paragraph) is not False
        missing = [] if has_it else ["what is asked for"]
    return list(dict.fromkeys(missing))


def _asked_for(question: str) -> Iterator[str]:
    yield from _things(_WORD.findall(question))
    for pattern in _DOERS_AND_DEEDS:
        if (found := pattern.match(question)) and _says_something(found[1]):
            yield found[1]
    if how := _HOW.match(question):
        yield how[1]
    if rest := _WHAT_DOES.match(question):
        yield from filter(_says_something, _WORD.findall(_CASE.split(rest[1], maxsplit=1)[0]))


def _things(words: Sequence[str]) -> Iterator[str]:
    """By the word that the rest of a name only tells apart: of the speed limit, the limit."""
    for place, word in enumerate(words):
        if word.lower() in _ARTICLES | _PREPOSITIONS:
            named = list(takewhile(lambda each: each.lower() not in _ENDS, words[place + 1 :]))
            if named and _says_something(named[-1]):
                yield " ".join(named)


def _says_something(word: str) -> bool:
    lower = word.lower()
    return lower not in _ENDS | _LIGHT_VERBS and concept(lower) not in _general_concepts()


#: Questions whose form tells what the answer has: a sum, a number, a kind, a doer.
_OPEN = re.compile(r"^(?:who|which|when|(?:what|how)(?!\s+(?:about|else|if)\b))\b", re.IGNORECASE)
#: "How long can a penalty be imposed" asks for no sum, though it looks so.
_NO_SUM = re.compile(
    r"^how\s+(?:long|often|soon|late)\b.*\b(?:penalty|pays?|paid|fines?|charged?)\b", re.IGNORECASE
)
#: What is told about a thing is not what is asked for.
_ASIDE = re.compile(r"(?<=\w)\s+(?:who|which|that|if|when|while)\s.*", re.IGNORECASE)
#: In "how many berth passes does …" passes are counted, not berths.
_COUNTED = re.compile(
    r"^(how\s+many)\s+(?!hours|days|weeks|minutes|metres|years)[^\W\d_]+\s+([^\W\d_]+)\s+"
    rf"(?:do|does|did|{_BE}|{_MODAL})\b.*",
    re.IGNORECASE,
)


def _is_open(question: str) -> bool:
    return bool(_OPEN.match(question)) and not _NO_SUM.match(question)


def _plainly(question: str) -> str:
    return _COUNTED.sub(r"\1 \2?", _ASIDE.sub("?", question))


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.search(text) is not None


def _tells_more_than_a_ban(paragraph: str) -> bool:
    return not _is_ban(paragraph) or _has_condition(paragraph)


_is_ban = _matches(r"\b(?:shall not|must not|may not|forbidden|not allowed)\b")
_has_condition = _matches(r"\b(?:if|when|who|whoever|after|unless|until|pays?)\b")

_is_inside = _matches(r"\binside\b(?!.*\boutside\b)")
_is_outside = _matches(r"\boutside\b(?!.*\binside\b)")

#: What else is asked for by the form: its name, who asks for it, who has it.
_FORMS: tuple[tuple[str, Callable[[str], bool], Callable[[str], bool]], ...] = (
    ("what happens then", _matches(r"^what\s+(?:will\s+)?happens?\s+to\b"), _tells_more_than_a_ban),
    (
        "how often",
        _matches(r"^how\s+often\b"),
        _matches(r"\b(?:every|each|once|twice|times|always|never|daily|weekly|monthly|yearly)\b"),
    ),
    (
        "a measure",
        _matches(r"^how\s+(?:large|big|wide|tall|deep)\b"),
        _matches(r"\d[\d.,]*\s+(?:\w+\s+)?(?:(?:centi|kilo)?metres?|feet|miles)\b(?!\s+a\s)"),
    ),
    ("what holds outside", _matches(r"\boutside\b"), lambda text: not _is_inside(text)),
    ("what holds inside", _matches(r"\binside\b"), lambda text: not _is_outside(text)),
)


@lru_cache(maxsize=2_000)
def _concepts(text: str) -> frozenset[str]:
    return frozenset(
        concept(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS
    )


@lru_cache(maxsize=1)
def _general_concepts() -> frozenset[str]:
    return frozenset(map(concept, _GENERAL))
