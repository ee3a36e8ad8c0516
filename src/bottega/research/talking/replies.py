"""What a person's reply to a paused run means, as far as words alone can tell.

Three things are asked of a reply, at different moments: is it a plain "go on" (`is_proceed`),
does it ask to leave (`is_breakout_intent`), and, when leaving was offered, is that taken
(`classify_breakout_response`). There the usual words turn round: "yes" leaves, "continue" stays.
A menu's numbers count only when they are the whole reply: "stage 1 looks good" is no choice.
"""

import re
from enum import StrEnum

from bottega.research.talking.negation import clauses, find_denied, find_meant, normalise
from bottega.research.talking.phrases import (
    AGREED,
    ASIDE,
    BREAKOUT,
    IDLE,
    LEAVE,
    NO,
    OWN_QUESTION,
    PROCEED,
    STAY,
)

ONE = frozenset({"1", "1."})
TWO = frozenset({"2", "2."})
THREE = frozenset({"3", "3."})
#: The lines of the pause menu by their words, as the whole reply.
MODIFY = TWO | {"modify", "change", "modify the plan", "change the plan"}
EXIT = THREE | {"exit", "quit", "leave", "stop", "cancel", "abort"}


class BreakoutResponse(StrEnum):
    CONFIRM = "confirm"
    DENY = "deny"
    #: Neither: the person has moved on, and what they wrote is their next question.
    IMPLICIT_CONFIRM = "implicit_confirm"


def is_proceed(text: str) -> bool:
    """Whether the reply is "go on" and nothing more; "yes, but only the fees" changes the plan."""
    reply = normalise(text)
    if reply in ONE:
        return True
    said = clauses(reply)
    if re.search(r"\bbut\b", reply) or any(find_denied(PROCEED, clause) for clause in said):
        return False
    return any(find_meant(PROCEED, clause) for clause in said) and not any(
        ASIDE.sub(" ", PROCEED.sub(" ", clause)).strip() for clause in said
    )


def wants_to_modify(text: str) -> bool:
    """Whether the reply chooses to change the plan, without saying yet what."""
    return normalise(text) in MODIFY


def is_breakout_intent(text: str) -> bool:
    """Whether the reply asks, in so many words, to leave the run."""
    reply = normalise(text)
    return reply in EXIT or any(find_meant(BREAKOUT, clause) for clause in clauses(reply))


def classify_breakout_response(text: str) -> BreakoutResponse:
    """What "do you want to leave?" is answered. Staying is looked for first: it loses nothing."""
    reply = normalise(text)
    if reply in ONE:
        return BreakoutResponse.CONFIRM
    if reply in TWO:
        return BreakoutResponse.DENY
    said = [clause for clause in clauses(reply) if not OWN_QUESTION.fullmatch(clause)]
    if any(_stays(clause) for clause in said):
        return BreakoutResponse.DENY
    if any(_leaves(clause) for clause in said):
        return BreakoutResponse.CONFIRM
    return BreakoutResponse.IMPLICIT_CONFIRM


def open_question(pending: str, reply: str) -> str | None:
    """What a person who leaves wants answered: what made us ask, or else what they said then.

    Somebody who chose "3" and then "1" asked nothing.
    """
    return next((text for text in (pending, reply) if _asks_something(text)), None)


def _stays(clause: str) -> bool:
    return bool(NO.search(clause)) or find_meant(STAY, clause) or find_denied(LEAVE, clause)


def _leaves(clause: str) -> bool:
    return find_meant(LEAVE, clause) or find_denied(STAY, clause) or bool(AGREED.fullmatch(clause))


def _asks_something(text: str) -> bool:
    said = normalise(text)
    if said in EXIT | ONE | TWO:
        return False
    for known in (BREAKOUT, LEAVE, STAY, IDLE):
        said = known.sub(" ", said)
    return re.search(r"\w", said) is not None
