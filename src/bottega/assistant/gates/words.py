"""The words that gates are answered with, and what people say for them."""

#: Decisions that say nothing without a text, and what the text says.
NEEDS_TEXT = {
    "modify": "what is different",
    "revise": "what to change",
    "edit": "the wording that you want",
    "answer": "your answer",
}

#: Said for whichever of these the gate has.
YES = ("confirm", "accept", "allow")
NO = ("dismiss", "skip", "deny")
SAID_FOR = {
    **dict.fromkeys(("y", "yes", "yep", "ok", "okay", "sure", "go on"), YES),
    **dict.fromkeys(("n", "no", "nope", "none", "never mind"), NO),
}

#: What a person is told about an option, where its word is not enough.
EXPLAINED = {
    "modify": "say what is different",
    "revise": "say what to change",
    "alternatives": "see other versions",
    "edit": "give your own wording",
    "answer": "write what you think",
    "rate": "a number from 1 to 5",
}
