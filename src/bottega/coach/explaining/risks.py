"""What often goes wrong with code of a certain shape, each in one sentence.

A danger is a shape, not a verdict: the sentence says when it matters.
"""

from enum import StrEnum


class Danger(StrEnum):
    MUTABLE_DEFAULT = "mutable default"
    BARE_EXCEPT = "catches everything"
    SWALLOWED_ERROR = "swallowed error"
    SHADOWING = "shadowed built-in"
    FLOAT_MONEY = "money as float"
    FORGOTTEN_AWAIT = "forgotten await"
    AWAIT_IN_LOOP = "await in a loop"
    ASYNC_CALLBACK = "async callback"
    LOOSE_EQUALITY = "loose equality"
    IDENTITY_COMPARISON = "identity for equality"
    CHANGED_WHILE_LOOPING = "changed while looping"
    LATE_BINDING = "late binding"
    UNCLOSED_FILE = "unclosed file"
    ASSERT_TUPLE = "assertion that never fails"
    RUNS_TEXT = "runs text as code"
    SHELL = "shell command"
    FUNCTION_SCOPE = "function-wide variable"
    ANY_TYPE = "unchecked type"
    NON_NULL = "unchecked null"
    ASSIGNED_CONDITION = "assignment as condition"
    RAW_HTML = "raw HTML"
    MISSING_KEY = "list without keys"


DANGERS = {
    Danger.MUTABLE_DEFAULT: "the default is made once and shared by all calls, so what one call "
    "puts into it the next one finds",
    Danger.BARE_EXCEPT: "this also catches mistakes in the code and the request to stop, and hides "
    "them",
    Danger.SWALLOWED_ERROR: "the error ends here without a trace, and whoever looks for it later "
    "finds nothing",
    Danger.SHADOWING: "the name hides a built-in of the same name from here on",
    Danger.FLOAT_MONEY: "if this is money: binary fractions cannot hold most cents, and sums drift",
    Danger.FORGOTTEN_AWAIT: "the call makes something to wait for, and nobody waits: it may not "
    "run to its end, and its errors get lost",
    Danger.AWAIT_IN_LOOP: "each round waits for the one before; where rounds do not depend on each "
    "other, starting them together is quicker",
    Danger.ASYNC_CALLBACK: "the method does not wait for the async callback, so what follows runs "
    "first, and errors get lost",
    Danger.LOOSE_EQUALITY: "two equals signs convert before they compare; three do not",
    Danger.IDENTITY_COMPARISON: "this asks whether two things are the same object, not whether "
    "they are equal",
    Danger.CHANGED_WHILE_LOOPING: "the collection changes while it is gone through, so elements "
    "can be skipped or the loop can fail",
    Danger.LATE_BINDING: "the inner function sees the loop's variable as it is when called, which "
    "is usually the last value",
    Danger.UNCLOSED_FILE: "unless something else closes the file, an error leaves it open",
    Danger.ASSERT_TUPLE: "a tuple that is not empty always counts as true, so this can never fail",
    Danger.RUNS_TEXT: "text is run as code; if any of it comes from outside, so does the code",
    Danger.SHELL: "the text goes through a shell, which gives meaning to characters in it",
    Danger.FUNCTION_SCOPE: "a variable declared like this is seen in the whole function, before "
    "its line too",
    Danger.ANY_TYPE: "the type checker stops looking here, and at everything made from this",
    Danger.NON_NULL: "the exclamation mark is a promise that nothing checks when it runs",
    Danger.ASSIGNED_CONDITION: "this assigns instead of comparing, if a comparison was meant",
    Danger.RAW_HTML: "text becomes part of the page as it is, scripts included",
    Danger.MISSING_KEY: "elements made in a loop have no key, so the page cannot tell them apart "
    "when the list changes",
}

#: Names that usually stand for money.
MONEY_WORDS = ("price", "amount", "cost", "money", "balance", "salary", "invoice", "vat", "tax")


def is_about_money(name: str) -> bool:
    return any(word in name.lower().split("_") for word in MONEY_WORDS) or name.lower().endswith(
        ("price", "amount", "balance")
    )
