"""Texts as words that can be compared: split, stemmed, and brought to one word a meaning."""

import re
from dataclasses import dataclass
from functools import lru_cache

from bottega.library.judging.vocabulary import GRAMMAR, IRREGULAR, LIGHT, SYNONYMS

#: A word, or a technical name such as `/usr/bin/python3`, `X-Version`, `foo_bar`, `*.whl`.
TOKEN = re.compile(r"[\w/.*~+#@:$%'’-]*[\w/*]", re.UNICODE)
#: Endings that make one word out of another, the longest first.
ENDINGS = tuple(
    """
    isation ization ations ation ements ement ments ment ances ance ences ence ities ity ures
    ure ions ion ings ing ally als al ees ee ers er ors or eds ed ies ied ily ly es s e y
    """.split()  # noqa: SIM905 - a list of them would be a page
)
SHORTEST_STEM = 3
#: Texts whose words are remembered: one judgement looks at the same ones over and over.
KEPT_TEXTS = 2_000
#: Spelt numbers are quantities, not content.
NUMBERS = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve hundred thousand twice
    single
    """.split()  # noqa: SIM905 - a list of them would be a page
)


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    #: The same for the forms of one word and for its synonyms.
    concept: str
    #: Compared letter by letter: paths, identifiers, names.
    is_name: bool
    position: int

    @property
    def weight(self) -> float:
        if self.is_name:
            return 1.5
        return 0.5 if self.concept in _LIGHT_CONCEPTS else 1.0


@lru_cache(maxsize=KEPT_TEXTS)
def words(text: str) -> tuple[Word, ...]:
    """The content words in their order; numbers are left to `quantities`."""
    found = []
    for token, position in tokens(text):
        lower = token.lower()
        if lower in GRAMMAR or lower in NUMBERS or (token[0].isdigit() and not _is_name(token)):
            continue
        name = _is_name(token)
        if name and _is_plural(token):
            lower = lower[:-1]
        found.append(Word(token, bare_name(lower) if name else concept(lower), name, position))
    return tuple(found)


def bare_name(name: str) -> str:
    """`*.whl` is `.whl`, and `/usr/share/` is `/usr/share`."""
    return name.strip("*").rstrip("/") or name


def _is_plural(name: str) -> bool:
    """`UIDs`"""
    return len(name) > 2 and name.endswith("s") and name[:-1].isupper()


def tokens(text: str) -> list[tuple[str, int]]:
    """Words with where they stand; a hyphen parts two plain words."""
    found = []
    for match in TOKEN.finditer(text.replace("’", "'")):
        token = match[0].rstrip(".:'") if not match[0].startswith(("/", "*")) else match[0]
        token = token.removesuffix("'s").strip("'")
        if not token or not any(map(str.isalnum, token)):
            continue
        if "-" in token and all(part.isalpha() for part in token.split("-")) and token.islower():
            start = match.start()
            for part in token.split("-"):
                found.append((part, start))
                start += len(part) + 1
        else:
            found.append((token, match.start()))
    return found


@lru_cache(maxsize=20_000)
def concept(word: str) -> str:
    """One word for all that mean the same, as far as the tables know."""
    lower = word.lower()
    base = IRREGULAR.get(lower, lower)
    for form in (base, *forms(base)):
        if form in SYNONYMS:
            return stem(SYNONYMS[form])
    return stem(base)


def forms(word: str) -> tuple[str, ...]:
    """What the dictionary may list a regular form under."""
    forms: list[str] = []
    for ending, others in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", "")):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            bare = word[: -len(ending)] + others
            forms += [bare, bare + "e"]
    if word.endswith("ing") and len(word) > 5:
        forms += [word[:-3], word[:-3] + "e"]
    return tuple(
        other for form in forms for other in (form, form[:-1] if form[-2:-1] == form[-1:] else form)
    )


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


def _is_name(token: str) -> bool:
    """Anything with a sign or a digit among its letters, or capitals after its first letter."""
    has_letter = any(map(str.isalpha, token))
    odd = any(not each.isalpha() and each not in "-'" for each in token)
    return has_letter and (odd or any(map(str.isupper, token[1:])))


_LIGHT_CONCEPTS = frozenset(concept(word) for word in LIGHT)
