"""A test of the example project that is really run, and its outcome as JUnit XML."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from bottega.core.programs import run

NAME = "test_the_cents_add_up"
#: Plain Python: a test runner need not be installed here.
TEST = """\
from tally import Trip

trip = Trip(["ada", "ben", "cleo"])
trip.pay("ada", 100, "hotel")
repaid = sum(transfer.amount for transfer in trip.settle())
assert repaid == round(repaid, 2), f"{repaid} is not a sum in whole cents"
"""
SECONDS = 30


@dataclass(frozen=True)
class Outcome:
    #: Empty if it passed.
    error: str
    stack: str

    @property
    def junit(self) -> bytes:
        suite = Element("testsuite", name="tally", tests="1", failures=str(int(bool(self.error))))
        case = SubElement(
            suite, "testcase", classname="tests.test_trip", name=NAME, file="tests/test_trip.py"
        )
        if self.error:
            SubElement(case, "failure", message=self.error).text = self.stack
        return tostring(suite)


async def run_test(project: Path) -> Outcome:
    command = (sys.executable, "-c", TEST)
    ended = await run(command, project / "src", SECONDS)
    if not ended.code:
        return Outcome("", "")
    stack = ended.errors.strip()
    return Outcome(stack.rpartition("\n")[2], stack)


async def mend(project: Path) -> str:
    """What an agent would do about it; the path of the file that it changed."""
    path = project / "src" / "tally" / "trip.py"
    source = await asyncio.to_thread(path.read_text, "utf-8")
    await asyncio.to_thread(path.write_text, source.replace(BROKEN, MENDED), "utf-8")
    return str(path.relative_to(project))


BROKEN = """\
        share = sum(amount for _, amount, _ in self.payments) / len(self.people)
        paid = dict.fromkeys(self.people, 0.0)
        for person, amount, _ in self.payments:
            paid[person] += amount
        return {person: amount - share for person, amount in paid.items()}
"""
MENDED = """\
        paid = dict.fromkeys(self.people, 0)
        for person, amount, _ in self.payments:
            paid[person] += round(amount * 100)
        share, left = divmod(sum(paid.values()), len(self.people))
        owed = {person: share + (n < left) for n, person in enumerate(self.people)}
        return {person: (cents - owed[person]) / 100 for person, cents in paid.items()}
"""
