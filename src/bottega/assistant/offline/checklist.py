"""A document held against a playbook's checks: what is there, what is missing, what to do."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.assistant.hooks.sections import Output, cut
from bottega.assistant.offline.phrases import has_any
from bottega.assistant.offline.playbook import Check
from bottega.assistant.offline.timing import minutes_by_section

_EVIDENCE = re.compile(r"\[evidence: [^\]\n]+:L\d+")
_IN_HAND = re.compile(r"\*\*(In hand|Borrowed):\*\* (\d+) minutes")


@dataclass(frozen=True, slots=True)
class Checked:
    check: Check
    passed: bool
    #: Where it was found, or what was found instead.
    note: str = ""


def check_document(
    text: str, checks: Sequence[Check], *, profile: str = "", whole: int | None = None
) -> list[Checked]:
    """`profile` is what is known of the class; checks that it gives no reason for are left out."""
    output = cut(text)
    return [
        _check(check, output, whole)
        for check in checks
        if not check.needed_for or has_any(profile, check.needed_for)
    ]


def total_minutes(output: Output) -> int:
    """Of the sections that say how long they take, with what a revision has freed or borrowed."""
    headings = [section.text.partition("\n")[0] for section in output.sections]
    total = sum(minutes_by_section(headings).values())
    for kind, minutes in _IN_HAND.findall(output.text):
        total += int(minutes) if kind == "In hand" else -int(minutes)
    return total


def _check(check: Check, output: Output, whole: int | None) -> Checked:
    if check.timings:
        total = total_minutes(output)
        is_right = total == whole if whole is not None else total > 0
        return Checked(check, is_right, f"{total} minutes in all" if total else "no timings")
    if check.evidence:
        pointers = len(_EVIDENCE.findall(output.text))
        return Checked(check, pointers > 0, f"{pointers} evidence pointers")
    for section in output.sections:
        in_title = has_any(section.title, check.sections) and bool(section.body)
        if in_title and (not check.words or has_any(section.body, check.words)):
            return Checked(check, True, section.title)
        if not check.sections and has_any(section.text, check.words):
            return Checked(check, True, section.title)
    return Checked(check, False, "not found")
