"""A text as statements: who does what, how binding it is, under which conditions, how much.

There is no grammar here, only its landmarks. That is enough for rules, which are written to be
unambiguous, and it takes no model.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from bottega.library.judging.landmarks import (
    ABBREVIATION,
    ADVERBIAL,
    AGENT,
    ASIDE,
    BACK_REFERENCE,
    BESIDES_THAT,
    BUT_NOT,
    CIRCUMSTANCE,
    CLAUSE,
    CONDITIONAL,
    EMPHASIS,
    FINITE,
    FOOTNOTE,
    GERUND,
    GOES_ON,
    HEARD_FROM,
    IMPERSONAL,
    INNER_ITEM,
    INNER_LIST,
    INVERTED,
    LIST,
    LIST_ITEM,
    MARKUP,
    NEGATOR,
    ONLY,
    OPENING,
    PASSIVE,
    PERIOD,
    PREAMBLE,
    REASON,
    RELATIVE,
    SCOPE,
    SECOND,
    SENTENCE_END,
    STARTERS,
    VERB,
)
from bottega.library.judging.modality import Modality, find_modality
from bottega.library.judging.narrowings import find_narrowings, without
from bottega.library.judging.quantities import Quantity, find_quantities
from bottega.library.judging.wordings import unify
from bottega.library.judging.words import Word, words

#: What goes on for longer is no sentence, and the patterns would take their time with it.
LONGEST_SENTENCE = 1_500
#: Fewer words than these make no statement.
SHORTEST_CLAUSE = 3


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
    #: Its subject stands in the sentence before.
    leans: bool = False

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
        return _expand_inner(text)
    lead, items = text[: match.start()], LIST_ITEM.split(text[match.start() + 1 :])
    return [join_lead(lead, item) for item in items if item.strip()]


def _expand_inner(text: str) -> list[str]:
    """The sentence that has a list in it, once an item; what stands around it stays."""
    match = INNER_LIST.search(text)
    if match is None:
        return [text]
    start = max(text.rfind(end, 0, match.start()) for end in (". ", "; ")) + 1
    end = text.find(". ", match.start()) + 1 or len(text)
    items = INNER_ITEM.split(text[match.start() : end])
    lead = text[start : match.start()].strip()
    said = [f"{lead} {item.strip(' ,;.')}." for item in items if item.strip()]
    return [each for each in (text[:start], *said, *_expand_inner(text[end:])) if each.strip()]


def join_lead(lead: str, item: str) -> str:
    lead, item = lead.strip().rstrip(":"), item.strip().rstrip(";. ")
    item = re.sub(r"^\(?\w{1,4}[.)]\s+", "", item)
    is_circumstance = re.match(rf"\W*(?:in|on|at|for|during|{STARTERS})\b", lead, re.I)
    return f"{lead}{',' if is_circumstance else ''} {item}."


def plain(text: str) -> str:
    """Without markup, numbers of paragraphs, and pointers to other ones."""
    text = EMPHASIS.sub(r"\1", text.replace("’", "'"))
    return ASIDE.sub("", FOOTNOTE.sub("", MARKUP.sub("", text)))


def _no_longer_than(most: int, parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        yield from (part[start : start + most] for start in range(0, max(1, len(part)), most))


def sentences(text: str) -> list[str]:
    """What each says, without markup and pointers."""
    return written_sentences(plain(text))


def written_sentences(text: str) -> list[str]:
    """As they stand there, with all that they point to."""
    found: list[str] = []
    for part in _no_longer_than(LONGEST_SENTENCE, SENTENCE_END.split(text)):
        part = " ".join(part.split())
        if found and ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        elif part:
            found.append(part)
    return found


def read_statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text, in order; one that leans on its predecessor gets its words."""
    found: list[Statement] = []
    for passage in expand_lists(unify(text)):
        for number, sentence in enumerate(sentences(passage)):
            for part in _parts(sentence):
                statement = read_statement(part)
                if not REASON.sub("", part).strip(" ."):
                    continue  # all of it stands in brackets
                is_whole = part is sentence
                is_alone = is_whole and (number == 0 or not statement.subject)
                found.append(statement if is_alone or not found else _lean_on(statement, found[-1]))
    return tuple(found)


def read_clauses(text: str) -> tuple[Statement, ...]:
    """The clauses of long sentences as statements of their own, each with all conditions."""
    found: list[Statement] = []
    for passage in expand_lists(unify(text)):
        for sentence in sentences(passage):
            pieces = [piece.strip(" .,;") for piece in CLAUSE.split(REASON.sub(" ", sentence))]
            conditions = [piece for piece in pieces if CONDITIONAL.match(piece)]
            main = [piece for piece in pieces if piece not in conditions]
            if len(main) < 2:
                continue
            whole = read_statement(sentence)
            scope = main.pop(0) if SCOPE.match(sentence) and len(main) > 1 else ""
            for clause in main:
                if len(words(clause)) < SHORTEST_CLAUSE:
                    continue
                kept = {scope, clause, *conditions}
                parts = [piece for piece in pieces if piece in kept]
                statement = read_statement(", ".join(parts))
                found.append(statement if statement.subject else _lean_on(statement, whole))
    return tuple(found)


def _parts(sentence: str) -> list[str]:
    """A sentence with two verbs that differ in modality is two statements."""
    opening = OPENING.match(sentence)
    condition = f"{opening[0]}, " if opening else ""
    main = sentence[len(condition) :]
    pieces, start = [], 0
    for cut in SECOND.finditer(main):
        before = RELATIVE.sub(" ", main[start : cut.start()])
        is_second = cut[0].startswith(",") and len(before.split()) > 2
        is_denial = BUT_NOT.match(main, cut.start()) is not None
        if VERB.search(before) or is_denial or (is_second and GOES_ON.match(main[cut.end() :])):
            pieces.append(main[start : cut.start()])
            start = cut.end()
    rest = main[start:]
    if (aside := BESIDES_THAT.search(rest)) and "," not in rest[aside.end() :]:
        pieces.append(f"{aside['noun']} {rest[aside.end() :]}")
        rest = rest[: aside.start()] + aside["noun"]
    pieces.append(rest)
    return [condition + piece for piece in pieces] if len(pieces) > 1 else [sentence]


def read_statement(text: str) -> Statement:
    text = PREAMBLE.sub("", text.strip().rstrip(".;:, "))
    rule = " ".join(REASON.sub(" ", text).split()) or text
    conditions, relatives = find_narrowings(rule)
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
    actor = agent["agent"] if agent else ("" if passive or GERUND.match(subject) else subject)
    return Statement(
        text=text,
        modality=modality,
        conditions=conditions,
        relatives=relatives,
        periods=tuple(match[0].strip() for match in PERIOD.finditer(core)),
        subject=subject,
        actor=actor,
        is_passive=passive is not None,
        is_exclusive=ONLY.search(without(text, relatives)) is not None,
    )


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
    return re.sub(r"^then\s+", "", head.strip(), flags=re.I)


def _lean_on(statement: Statement, previous: Statement) -> Statement:
    """ "In that case it may …": what "that" and "it" are stands in the sentence before."""
    conditions = statement.conditions
    if BACK_REFERENCE.match(statement.text):
        before = previous.conditions or (previous.text,)
        if statement.text.lower().startswith("otherwise"):
            before = tuple(f"if not so: {each}" for each in before)
        conditions = (*conditions, *before)
    said = statement.subject.lower().split()[-1:]
    if (
        not previous.subject
        or NEGATOR.match(previous.subject)
        or said not in (["it"], ["they"], ["this"], ["these"], [])
        or (said == ["it"] and IMPERSONAL.search(statement.text))
    ):
        return replace(statement, conditions=conditions)
    text = (
        re.sub(rf"\b{said[0]}\b", previous.subject, statement.text, count=1, flags=re.I)
        if said
        else f"{previous.subject} {statement.text}"
    )
    actor = statement.actor if statement.is_passive else previous.subject
    return replace(
        statement,
        text=text,
        conditions=conditions,
        subject=previous.subject,
        actor=actor,
        leans=True,
    )
