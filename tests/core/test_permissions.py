"""What each mode lets an agent do."""

import pytest

from bottega.core.trust.permissions import (
    RULES,
    PermissionMode,
    ToolClass,
    Verdict,
    decide,
    require,
)
from bottega.errors import Forbidden

STRICTEST_LAST = [Verdict.ALLOW, Verdict.ASK, Verdict.REFUSE]


@pytest.mark.requirement("RS-650")
def test_every_mode_has_a_verdict_on_every_class_and_none_is_stricter_than_the_one_before() -> None:
    """Explore is the strictest mode, execute the freest."""
    assert set(RULES) == set(PermissionMode)
    for tool_class in ToolClass:
        strictness = [
            STRICTEST_LAST.index(decide(mode, [tool_class], shell=True))
            for mode in (PermissionMode.EXPLORE, PermissionMode.ASK, PermissionMode.EXECUTE)
        ]
        assert strictness == sorted(strictness, reverse=True), tool_class


@pytest.mark.requirement("RS-650")
@pytest.mark.parametrize(
    ("mode", "tool_class", "verdict"),
    [
        ("explore", "read", "allow"),
        ("explore", "network", "allow"),
        ("explore", "write", "refuse"),
        ("explore", "credentials", "refuse"),
        ("ask", "write", "ask"),
        ("ask", "credentials", "ask"),
        ("ask", "network", "allow"),
        ("execute", "write", "allow"),
        ("execute", "credentials", "ask"),
        ("execute", "shell", "refuse"),
    ],
)
def test_the_table_of_modes_and_classes(mode: str, tool_class: str, verdict: str) -> None:
    """What each mode allows, asks for and refuses."""
    assert decide(PermissionMode(mode), [ToolClass(tool_class)]) == verdict


@pytest.mark.requirement("RS-651")
def test_the_strictest_class_of_a_tool_decides() -> None:
    """A tool that reads over the network and writes is a tool that writes."""
    mixed = [ToolClass.READ, ToolClass.WRITE, ToolClass.NETWORK]
    assert decide(PermissionMode.ASK, mixed) is Verdict.ASK
    assert decide(PermissionMode.EXPLORE, mixed) is Verdict.REFUSE
    assert decide(PermissionMode.EXECUTE, mixed) is Verdict.ALLOW


@pytest.mark.requirement("RS-651")
def test_a_shell_is_for_execute_mode_in_a_house_that_wants_one() -> None:
    """Off by default, and in the other modes always."""
    shell = [ToolClass.SHELL]
    assert decide(PermissionMode.EXECUTE, shell) is Verdict.REFUSE
    assert decide(PermissionMode.EXECUTE, shell, shell=True) is Verdict.ALLOW
    assert decide(PermissionMode.ASK, shell, shell=True) is Verdict.REFUSE


@pytest.mark.requirement("RS-650")
def test_what_is_asked_for_passes_with_a_persons_agreement_and_what_is_refused_does_not() -> None:
    """Agreement turns an ask into a yes, never a refusal."""
    require(PermissionMode.ASK, "save_note", [ToolClass.WRITE], agreed=True)
    with pytest.raises(Forbidden, match=r"save_note.*agreement") as asked:
        require(PermissionMode.ASK, "save_note", [ToolClass.WRITE])
    assert asked.value.details["needs_agreement"] is True
    with pytest.raises(Forbidden, match="'explore'") as refused:
        require(PermissionMode.EXPLORE, "save_note", [ToolClass.WRITE], agreed=True)
    assert refused.value.details["needs_agreement"] is False
