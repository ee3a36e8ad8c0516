"""Why a file cannot be read: a closed set, so that a report can count and explain."""

from enum import StrEnum

from bottega.errors import InvalidInput


class Reason(StrEnum):
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNKNOWN_TYPE = "unknown_type"
    #: Bytes that are no text, under the name of a text.
    NOT_TEXT = "not_text"
    ENCRYPTED = "encrypted"
    #: Pages are there, words are not: a scan.
    NO_TEXT = "no_text"
    #: Small on disk, vast when unpacked.
    BOMB = "bomb"
    MALFORMED = "malformed"


class Unreadable(InvalidInput):
    type = "unreadable_document"

    def __init__(self, name: str, reason: Reason, explanation: str) -> None:
        super().__init__(f"{name}: {explanation}", file=name, reason=reason.value)
        self.name = name
        self.reason = reason
