"""What to ask about the root cause, fitted to the kind of error and to its pattern."""

from dataclasses import dataclass

from bottega.board.failures.kinds import ErrorKind
from bottega.board.failures.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Guide:
    #: What will most likely have to change.
    change: str
    questions: tuple[str, ...]


GUIDES = {
    ErrorKind.TIMEOUT: Guide(
        "Make what the test waits for happen in time, or let the test wait for the right thing.",
        (
            "What exactly was being waited for when the time was up?",
            "Does it never happen, or only too late? How long does it take when it works?",
            "Is a request, a lock or a timer left unanswered on the way there?",
        ),
    ),
    ErrorKind.LOCATOR: Guide(
        "Bring the page and what the test looks for together again.",
        (
            "Is the element missing, hidden, or there more than once?",
            "Was it renamed or moved on purpose, so that the test is what has to follow?",
            "Which state of the page, or which answer of the server, does the element need?",
        ),
    ),
    ErrorKind.ASSERTION: Guide(
        "Make the code give the value that is expected, or correct an expectation that is wrong.",
        (
            "Which of the two values is right, the expected one or the one received?",
            "Where does the wrong value first appear on its way to the assertion?",
            "Which rule of the product does the expectation stand for?",
        ),
    ),
    ErrorKind.NETWORK: Guide(
        "Make the service answer before the test asks, and say clearly when it does not.",
        (
            "Which service did not answer, and was it running at that moment?",
            "Is its address or port right on the machine where the test failed?",
            "What should a person see when this service is away?",
        ),
    ),
    ErrorKind.NULL_ACCESS: Guide(
        "Make sure that the value is there, or handle its absence where it can be absent.",
        (
            "Which value is missing, and who should have set it?",
            "Can it really be absent, as in first use, empty data or a slow answer?",
            "Why did nothing say so before it was used?",
        ),
    ),
    ErrorKind.HYDRATION: Guide(
        "Make the server and the browser render the same page.",
        (
            "Which part differs between the server's page and the browser's first one?",
            "Does it depend on time, locale, randomness or something that only browsers have?",
            "Can that part wait until the page is in the browser?",
        ),
    ),
    ErrorKind.SNAPSHOT: Guide(
        "Restore the look, or renew the snapshot if the new look is meant.",
        (
            "Is the difference meant? Which change brought it?",
            "Does it come from the product, or from fonts, sizes or animation on this machine?",
            "Would a narrower snapshot say the same with less noise?",
        ),
    ),
    ErrorKind.SET_UP: Guide(
        "Make the set-up complete, and let it say what is missing.",
        (
            "What is missing on the machine where it failed, and who should have put it there?",
            "Does it also happen on a fresh checkout that follows the instructions?",
            "Can the set-up check for it before the tests begin?",
        ),
    ),
    ErrorKind.TEST_CODE: Guide(
        "Repair the test, so that it can say something about the product again.",
        (
            "Was something renamed or moved without this test?",
            "Does the test still check something that the product promises?",
            "Why did no check before the test run notice?",
        ),
    ),
    ErrorKind.OTHER: Guide(
        "Remove the cause of the error.",
        (
            "What is the smallest step that produces the error?",
            "What does the error's own text say was wrong, and where does it come from?",
            "Which assumption of the code does not hold here?",
        ),
    ),
}

_BY_PATTERN = {
    Pattern.NEW: "What changed between the last run that passed and this one?",
    Pattern.RECURRING: "What do the runs in which it failed have in common?",
    Pattern.PERSISTENT: "Which change came with the first of these failures in a row?",
    Pattern.FLAKY: "What differs between runs that pass and runs that fail: order, timing, data, "
    "other tests at the same time?",
}


def questions_for(kind: ErrorKind, pattern: Pattern) -> tuple[str, ...]:
    return (*GUIDES[kind].questions, _BY_PATTERN[pattern])
