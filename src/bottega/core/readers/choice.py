"""The readers of this process: one of each, made when it is first asked for."""

from functools import cache

from bottega.core.readers.answer_reader import AnswerReader, CrossAnswerReader
from bottega.core.readers.claim_reader import ClaimReader, CrossClaimReader
from bottega.core.readers.weights import is_installed


@cache
def claim_reader(entailment: bool = False) -> ClaimReader:
    """The default; or that of the extra `entailment`, where a person has installed it and a
    setting turns it on."""
    if entailment and is_installed():
        from bottega.core.readers.entailment import EntailmentClaimReader

        return EntailmentClaimReader()
    return CrossClaimReader()


@cache
def answer_reader() -> AnswerReader:
    return CrossAnswerReader()
