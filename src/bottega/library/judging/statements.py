"""A text as statements: who does what, how binding it is, under which conditions, how much.

There is no grammar here, only its landmarks. That is enough for rules, which are written to be
unambiguous, and it takes no model.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from bottega.library.judging.landmarks import (
    ABBREVIATION,
    ADVERBIAL,
    AGENT,
    ASIDE,
    BACK_REFERENCE,
    CIRCUMSTANCE,
    CONDITION,
    DEFINITION,
    FINITE,
    HEARD_FROM,
    INVERTED,
    LIST,
    LIST_ITEM,
    MARKUP,
    MODAL_VERB,
    NARROWED,
    NEGATOR,
    ONLY,
    OPENING,
    PASSIVE,
    PERIOD,
    REASON,
    RELATIVE,
    SCOPE,
    SECOND,
    SENTENCE_END,
    STARTERS,
    TRIVIAL,
    VERB,
)
from bottega.library.judging.modality import Modality, find_modality
from bottega.library.judging.quantities import Quantity, find_quantities
from bottega.library.judging.words import Word, words


@dataclass(frozen=True)
class Statement:
    #: All of it, with its conditions.
    text: str
    modality: Modality
    #: What has to be the case for it to hold, in the text's words.
    conditions: tuple[str, ...]
    #: "whose dues are unpaid", each with the noun that it is about.
    relatives: tuple[tuple[str, str], ...]
    #: When it holds: "between 1 November and 31 March".
    periods: tuple[str, ...]
    subject: str
    #: Who acts: the subject of an active sentence, or who stands behind "by".
    actor: str
    is_passive: bool
    is_exclusive: bool

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """With those of a condition that stands in the sentence before."""
        elsewhere = [each for each in self.conditions if each not in self.text]
        return words(" ".join([self.text, *elsewhere]))

    @cached_property
    def core_words(self) -> tuple[Word, ...]:
        """Those outside its conditions, with their place in the whole text."""
        outside = [*self.conditions, *(relative for relative, _ in self.relatives)]
        spans = [(self.text.find(each), len(each)) for each in outside]
        return tuple(
            word
            for word in words(self.text)
            if not any(at <= word.position < at + length for at, length in spans if at >= 0)
        )

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return find_quantities(self.text)

    @cached_property
    def core(self) -> str:
        """The statement without its conditions."""
        core = REASON.sub(" ", self.text)
        for condition in (*self.conditions, *(relative for relative, _ in self.relatives)):
            core = core.replace(condition, " ")
        return " ".join(core.split())


def expand_lists(text: str) -> list[str]:
    """A lead-in with items is one text an item: "The pass shall show: (a) …; (b) …"."""
    match = LIST.search(text)
    if match is None:
        return [text]
    lead, items = text[: match.start()], LIST_ITEM.split(text[match.start() + 1 :])
    return [join_lead(lead, item) for item in items if item.strip()]


def join_lead(lead: str, item: str) -> str:
    lead, item = lead.strip().rstrip(":"), item.strip().rstrip(";. ")
    item = re.sub(r"^\(?\w{1,4}[.)]\s+", "", item)
    is_circumstance = re.match(rf"\W*(?:in|on|at|for|during|{STARTERS})\b", lead, re.I)
    return f"{lead}{',' if is_circumstance else ''} {item}."


def plain(text: str) -> str:
    """Without markup, numbers of paragraphs, and pointers to other ones."""
    return ASIDE.sub("", MARKUP.sub("", text.replace("’", "'")))


def sentences(text: str) -> list[str]:
    found: list[str] = []
    for part in SENTENCE_END.split(plain(text)):
        part = " ".join(part.split())
        if found and ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        elif part:
            found.append(part)
    return found


def read_statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text, in order; one that leans on its predecessor gets its words."""
    found: list[Statement] = []
    for passage in expand_lists(text):
        for number, sentence in enumerate(sentences(passage)):
            for part in _parts(sentence):
                statement = read_statement(part)
                if not REASON.sub("", part).strip(" ."):
                    continue  # all of it stands in brackets
                is_first = number == 0 and part is sentence
                found.append(statement if is_first or not found else _lean_on(statement, found[-1]))
    return tuple(found)


def _parts(sentence: str) -> list[str]:
    """A sentence with two verbs that differ in modality is two statements."""
    opening = OPENING.match(sentence)
    condition = f"{opening[0]}, " if opening else ""
    main = sentence[len(condition) :]
    pieces, start = [], 0
    for cut in SECOND.finditer(main):
        if VERB.search(RELATIVE.sub(" ", main[start : cut.start()])):
            pieces.append(main[start : cut.start()])
            start = cut.end()
    pieces.append(main[start:])
    return [condition + piece for piece in pieces] if len(pieces) > 1 else [sentence]


def read_statement(text: str) -> Statement:
    text = text.strip().rstrip(".;:, ")
    rule = " ".join(REASON.sub(" ", text).split()) or text
    conditions, relatives = _conditions(rule)
    core = rule
    for condition in (*conditions, *(relative for relative, _ in relatives)):
        core = core.replace(condition, " ")
    core = " ".join(core.split()).lstrip(",;: ")
    modality, sign = find_modality(core)
    if modality is Modality.FACT:
        whole, _ = find_modality(text)
        modality = whole if not core else modality
    passive = PASSIVE.search(core)
    subject = _subject(core, sign) or _whoever(relatives)
    agent = AGENT.search(core) if passive else HEARD_FROM.search(core)
    actor = agent["agent"] if agent else ("" if passive else subject)
    return Statement(
        text=text,
        modality=modality,
        conditions=conditions,
        relatives=relatives,
        periods=tuple(match[0].strip() for match in PERIOD.finditer(core)),
        subject=subject,
        actor=actor,
        is_passive=passive is not None,
        is_exclusive=ONLY.search(text) is not None,
    )


def _conditions(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    if DEFINITION.search(text):
        return (), ()
    opening = OPENING.match(text)
    rest = text[opening.end() :] if opening else text
    found = [opening[0].strip()] if opening else []
    if not opening and (scope := SCOPE.match(text)):
        found.append(scope["scope"])
    found += [_up_to_verb(rest, match) for match in CONDITION.finditer(rest)]
    found = [each for each in found if not TRIVIAL.fullmatch(each)]
    for condition in found:
        rest = rest.replace(condition, " ")
    relatives = [
        (_whole_relative(rest, match), " ".join(rest[: match.start()].split()[-1:]))
        for match in RELATIVE.finditer(rest)
    ]
    relatives += [(match["narrow"], match["noun"]) for match in NARROWED.finditer(rest)]
    return (
        tuple(each for each in found if words(each) or find_quantities(each)),
        tuple(each for each in relatives if words(each[0]) or find_quantities(each[0])),
    )


def _whole_relative(text: str, match: re.Match[str]) -> str:
    """Before the main verb it ends there; behind it, at the next comma."""
    if not MODAL_VERB.search(text[: match.start()]):
        return match[0].strip()
    end = re.search(r"[,;]|$", text[match.end() :])
    return text[match.start() : match.end() + (end.start() if end else 0)].strip(" .")


def _up_to_verb(text: str, match: re.Match[str]) -> str:
    """ "No program other than adduser should …": the condition ends before the main verb."""
    if not VERB.search(text[: match.start()]) and (verb := MODAL_VERB.search(match[0])):
        return match[0][: verb.start()].strip()
    return match[0].strip()


def _whoever(relatives: tuple[tuple[str, str], ...]) -> str:
    return next((each for each, _ in relatives if each.lower().startswith("whoever")), "")


def _subject(core: str, sign: re.Match[str] | None) -> str:
    """What stands before the first verb, without the adverbials in front of it."""
    finite = FINITE.search(core)
    ends = [match.start() for match in (sign, finite) if match is not None and match.start() > 0]
    if sign is not None and sign.start() == 0:
        nobody = re.match(r"(no\w*\b.*?)\s+(?:shall|must|should|may|can|is|are)\b", sign[0], re.I)
        return nobody[1] if nobody else ""
    if not ends:
        return ""
    if inverted := INVERTED.match(core):
        return inverted["subject"]
    head = core[: min(ends)]
    if (circumstance := CIRCUMSTANCE.match(head)) and "," not in head:
        return head[circumstance.end() :].strip()
    if "," in head and ADVERBIAL.match(head):
        head = head.rsplit(",", 1)[1]
    return head.strip()


def _lean_on(statement: Statement, previous: Statement) -> Statement:
    """ "In that case it may …": what "that" and "it" are stands in the sentence before."""
    conditions = statement.conditions
    if BACK_REFERENCE.match(statement.text):
        conditions = (*conditions, *(previous.conditions or (previous.text,)))
    said = statement.subject.lower().split()[-1:]
    if (
        not previous.subject
        or NEGATOR.match(previous.subject)
        or said not in (["it"], ["they"], ["this"], ["these"], [])
    ):
        return replace(statement, conditions=conditions)
    text = (
        re.sub(rf"\b{said[0]}\b", previous.subject, statement.text, count=1, flags=re.I)
        if said
        else f"{previous.subject} {statement.text}"
    )
    actor = statement.actor if statement.is_passive else previous.subject
    return replace(
        statement, text=text, conditions=conditions, subject=previous.subject, actor=actor
    )
