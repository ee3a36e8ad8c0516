"""Hooks by the names that agent files and callers give them."""

import importlib
from collections.abc import Mapping, Sequence

from bottega.assistant.hooks.adjudication import TeacherAdjudication
from bottega.assistant.hooks.feedforward import Feedforward
from bottega.assistant.hooks.memory_capture import MemoryCapture
from bottega.assistant.hooks.reflection import ReflectionPrompt
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import Hook
from bottega.assistant.plugins.definition import no_such
from bottega.errors import InvalidInput

#: Module and class, loaded when they are first named: their word lists take a while.
GUARDRAILS = {
    "scope-check": ("scope_check", "ScopeCheck"),
    "age-appropriate": ("age_appropriate", "AgeAppropriate"),
    "curriculum-evidence": ("curriculum_evidence", "CurriculumEvidence"),
}


class HookRegistry:
    def __init__(
        self, parts: HookDependencies, more: Mapping[str, type[Hook]] | None = None
    ) -> None:
        """`more` are hooks of the caller's own, by name."""
        self._parts = parts
        self._more = dict(more or {})

    @property
    def names(self) -> list[str]:
        """All that may be named, in alphabetical order."""
        return sorted({*_PEOPLE, *GUARDRAILS, *self._more})

    def resolve(self, names: Sequence[str], extra: Sequence[str] = ()) -> list[Hook]:
        """Fresh hooks for one turn: the agent's in the order of its file, then the caller's.

        They keep what happened from one round of a turn to the next, so nobody shares them.
        """
        self._check(names, "the agent's hooks")
        self._check(extra, "the caller's hooks")
        return [self._make(name) for name in dict.fromkeys((*names, *extra))]

    def _check(self, names: Sequence[str], where: str) -> None:
        for position, name in enumerate(names, 1):
            if name not in self.names:
                missing = no_such("hook", name, self.names)
                raise InvalidInput(
                    f"Number {position} of {where}: there is {missing}",
                    position=position,
                    valid_options=self.names,
                )

    def _make(self, name: str) -> Hook:
        if name in self._more:
            return self._more[name]()
        if name in _PEOPLE:
            return _PEOPLE[name](self._parts)
        return _find(name)()


def shipped_hook(name: str) -> type[Hook]:
    """Blocking when it is first called: guardrails bring long lists of words."""
    return _PEOPLE[name] if name in _PEOPLE else _find(name)


_PEOPLE = {
    hook.name: hook for hook in (Feedforward, ReflectionPrompt, TeacherAdjudication, MemoryCapture)
}


def _find(name: str) -> type[Hook]:
    module, kind = GUARDRAILS[name]
    found: type[Hook] = getattr(importlib.import_module(f"bottega.assistant.hooks.{module}"), kind)
    return found
