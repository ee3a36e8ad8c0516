"""What an agent may do, decided in one place.

A session has a mode. In `explore` an agent looks and changes nothing; in `ask` a person agrees to
every change; in `execute` it works by itself. Credentials are always a person's to give, and a
shell is refused unless the settings allow one, and then only in `execute`.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum

from bottega.errors import Forbidden


class PermissionMode(StrEnum):
    EXPLORE = "explore"
    ASK = "ask"
    EXECUTE = "execute"


class ToolClass(StrEnum):
    """What using a tool amounts to. One tool may be of several classes."""

    #: It looks, or keeps notes in its own session.
    READ = "read"
    #: It changes something that people or others have.
    WRITE = "write"
    #: It reaches out of this machine.
    NETWORK = "network"
    CREDENTIALS = "credentials"
    SHELL = "shell"


class Verdict(StrEnum):
    ALLOW = "allow"
    #: Only when a person agrees.
    ASK = "ask"
    REFUSE = "refuse"


RULES: Mapping[PermissionMode, Mapping[ToolClass, Verdict]] = {
    PermissionMode.EXPLORE: {
        ToolClass.READ: Verdict.ALLOW,
        ToolClass.NETWORK: Verdict.ALLOW,
        ToolClass.WRITE: Verdict.REFUSE,
        ToolClass.CREDENTIALS: Verdict.REFUSE,
        ToolClass.SHELL: Verdict.REFUSE,
    },
    PermissionMode.ASK: {
        ToolClass.READ: Verdict.ALLOW,
        ToolClass.NETWORK: Verdict.ALLOW,
        ToolClass.WRITE: Verdict.ASK,
        ToolClass.CREDENTIALS: Verdict.ASK,
        ToolClass.SHELL: Verdict.REFUSE,
    },
    PermissionMode.EXECUTE: {
        ToolClass.READ: Verdict.ALLOW,
        ToolClass.NETWORK: Verdict.ALLOW,
        ToolClass.WRITE: Verdict.ALLOW,
        ToolClass.CREDENTIALS: Verdict.ASK,
        ToolClass.SHELL: Verdict.ALLOW,
    },
}

_STRICTNESS = tuple(Verdict)


def decide(mode: PermissionMode, classes: Collection[ToolClass], *, shell: bool = False) -> Verdict:
    """The strictest verdict on any of the classes; `shell`: the settings allow one."""
    if ToolClass.SHELL in classes and not shell:
        return Verdict.REFUSE
    return max((RULES[mode][each] for each in classes), key=_STRICTNESS.index)


def require(
    mode: PermissionMode,
    tool: str,
    classes: Collection[ToolClass],
    *,
    agreed: bool = False,
    shell: bool = False,
) -> None:
    """Raise `Forbidden` unless the tool may be used now; `agreed` says that a person said yes, or
    that the tool does nothing until a person does."""
    verdict = decide(mode, classes, shell=shell)
    if verdict is Verdict.ALLOW or (verdict is Verdict.ASK and agreed):
        return
    named = ", ".join(sorted(classes))
    if verdict is Verdict.ASK:
        raise Forbidden(
            f"{tool} ({named}) needs a person's agreement in the mode {mode.value!r}.",
            needs_agreement=True,
            mode=mode,
        )
    raise Forbidden(
        f"{tool} ({named}) is not allowed in the mode {mode.value!r}. A person can change the "
        "session's mode.",
        needs_agreement=False,
        mode=mode,
    )
