"""What kind of error it is, by its words: decides what to ask, and whether it is the product's."""

import re
from enum import StrEnum


class ErrorKind(StrEnum):
    #: The machine lacks something: a browser, a package, space.
    SET_UP = "set_up"
    #: Nobody answered, or the name was unknown.
    NETWORK = "network"
    SNAPSHOT = "snapshot"
    HYDRATION = "hydration"
    NULL_ACCESS = "null_access"
    #: The test itself is broken: a wrong import, a missing fixture, a misspelled name.
    TEST_CODE = "test_code"
    LOCATOR = "locator"
    TIMEOUT = "timeout"
    ASSERTION = "assertion"
    OTHER = "other"


#: The first that fits decides: a locator that timed out is a locator's trouble.
_SIGNS = {
    ErrorKind.SET_UP: (
        r"executable doesn't exist|playwright install|missing dependencies to run browsers"
        r"|ENOSPC|no space left on device|EMFILE|too many open files|out of memory|ENOMEM"
        r"|heap limit|EADDRINUSE|address already in use|docker daemon|command not found"
        r"|browser(?:Type)?\.launch|EACCES|permission denied|certificate has expired"
        r"|environment variable .{0,40}(?:missing|not set|required)"
    ),
    ErrorKind.NETWORK: (
        r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EPIPE"
        r"|net::ERR_|NS_ERROR_|socket hang up|fetch failed|getaddrinfo|connection (?:refused|reset)"
        r"|ConnectionError|ConnectError|Connection refused|HTTP (?:502|503|504)\b"
        r"|50[234] (?:bad gateway|service unavailable|gateway time-?out)"
    ),
    ErrorKind.SNAPSHOT: (
        r"toHaveScreenshot|toMatchSnapshot|toMatchInlineSnapshot|toMatchAriaSnapshot"
        r"|snapshot (?:doesn't exist|does not match|name|comparison)|pixels .{0,40}are different"
        r"|screenshot comparison|obsolete snapshot"
    ),
    ErrorKind.HYDRATION: r"hydrat",
    ErrorKind.NULL_ACCESS: (
        r"cannot read propert|cannot set propert|of undefined|of null\b|is not a function"
        r"|is (?:undefined|null)\b|NoneType|NullPointerException|null pointer|nil pointer"
    ),
    ErrorKind.TEST_CODE: (
        r"ReferenceError|SyntaxError|cannot find module|ModuleNotFoundError|ImportError"
        r"|fixture .{0,60}not found|IndentationError|NameError|is not defined|failed to load"
        r"|no tests found|duplicate test title|unknown fixture|has unknown parameter"
    ),
    ErrorKind.LOCATOR: (
        r"locator|strict mode violation|getBy(?:Role|Text|Label|TestId)|waiting for selector"
        r"|element (?:is )?not (?:found|visible|attached|stable)|NoSuchElement|page\.click"
        r"|element is outside of the viewport|intercepts pointer events"
    ),
    ErrorKind.TIMEOUT: r"time[sd]?[- ]?out|exceeded .{0,30}while|deadline exceeded",
    ErrorKind.ASSERTION: (
        r"\bassert|expect\(|\bexpected\b|\bto (?:equal|be|have|contain|match)\b|AssertionError"
        r"|ComparisonFailure|should (?:be|equal|have)"
    ),
}
_PATTERNS = {kind: re.compile(signs, re.IGNORECASE) for kind, signs in _SIGNS.items()}
#: What an error is, it says at once; below that is output of the program under test.
READ_AT_MOST = 2_000


def kind_of(message: str) -> ErrorKind:
    said = message[:READ_AT_MOST]
    return next((kind for kind, signs in _PATTERNS.items() if signs.search(said)), ErrorKind.OTHER)
