"""The readers of this process: one of each, made when it is first asked for."""

from functools import cache

from bottega.core.readers.answer_reader import AnswerReader, FittedAnswerReader
from bottega.core.readers.claim_reader import ClaimReader, CrossClaimReader


@cache
def claim_reader() -> ClaimReader:
    return CrossClaimReader()


@cache
def answer_reader() -> AnswerReader:
    return FittedAnswerReader()
