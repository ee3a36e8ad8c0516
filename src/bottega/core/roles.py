"""What somebody who comes in may do: a role, and the rooms and projects that it holds in.

Every operation, tool, message, resource and route needs one `Right`; a role is a set of them. The
doors ask `Grant.check` before they do anything, and nobody else decides by role.

Agents are a kind of their own. They work, and leave to people what people have to decide: answers
to gates, approvals, sources, credentials, tokens. The board lets them write where they hold a
lease, through operations of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from bottega.errors import Forbidden

#: In a grant's rooms: what belongs to no room, such as runs, events, traces and tokens.
HOUSE = "house"

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Right(StrEnum):
    #: Look, and move about.
    READ = "read"
    #: Do one's own work: begin, note, ask, cancel.
    WORK = "work"
    #: What a person decides: answers, approvals, sources, credentials, one's own tokens.
    DECIDE = "decide"
    #: Write files of the project.
    EDIT = "edit"
    #: What concerns the whole house: trust, everybody's tokens and costs, this machine's folders.
    ADMINISTER = "administer"


class TokenRole(StrEnum):
    OWNER = "owner"
    MEMBER = "member"
    AGENT = "agent"
    READER = "reader"


RIGHTS: Mapping[TokenRole, frozenset[Right]] = {
    TokenRole.OWNER: frozenset(Right),
    TokenRole.MEMBER: frozenset(Right) - {Right.ADMINISTER},
    TokenRole.AGENT: frozenset({Right.READ, Right.WORK}),
    TokenRole.READER: frozenset({Right.READ}),
}


def roles_with(right: Right) -> list[TokenRole]:
    """Those that hold it, the least powerful first."""
    return [role for role in reversed(TokenRole) if right in RIGHTS[role]]


@dataclass(frozen=True, slots=True)
class Grant:
    role: TokenRole = TokenRole.MEMBER
    #: `None` is all of them.
    rooms: frozenset[str] | None = None
    #: Absolute paths; `None` is all projects.
    projects: frozenset[str] | None = None

    def holds(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def admits_room(self, room: str) -> bool:
        return self.rooms is None or room in self.rooms

    def admits_project(self, path: str) -> bool:
        return self.projects is None or path in self.projects

    def allows(self, right: Right, room: str) -> bool:
        return self.holds(right) and self.admits_room(room)

    def check(self, right: Right, room: str) -> None:
        """Raises `Forbidden`, which names the roles or the rooms that would do."""
        if not self.holds(right):
            needed = roles_with(right)
            raise Forbidden(
                f"This needs the role {' or '.join(needed)}: your token's role is {self.role}. "
                "The owner of the house changes it with `bottega token change`.",
                role=self.role,
                required_roles=needed,
            )
        if not self.admits_room(room):
            self._refuse("rooms", self.rooms or (), f"the room {room!r}")

    def check_project(self, path: str) -> None:
        """Raises `Forbidden`, which names the projects that the grant is for."""
        if not self.admits_project(path):
            self._refuse("projects", self.projects or (), f"the project {path!r}")

    def covers(self, other: "Grant") -> bool:
        """Whether somebody who has this may give the other to somebody else."""
        return (
            RIGHTS[other.role] <= RIGHTS[self.role]
            and _covers(self.rooms, other.rooms)
            and _covers(self.projects, other.projects)
        )

    def within(self, other: "Grant") -> "Grant":
        """As much of it as the other covers."""
        return Grant(
            min(self.role, other.role, key=lambda role: len(RIGHTS[role])),
            _common(self.rooms, other.rooms),
            _common(self.projects, other.projects),
        )

    def _refuse(self, what: str, allowed: frozenset[str] | tuple[()], wanted: str) -> NoReturn:
        named = sorted(allowed)
        raise Forbidden(
            f"Your token is for the {what} {', '.join(named)}, and this is in {wanted}.",
            valid_options=named,
        )


def _covers(whole: frozenset[str] | None, part: frozenset[str] | None) -> bool:
    return whole is None or (part is not None and part <= whole)


def _common(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def needs(right: Right) -> Callable[[Handler], Handler]:
    """Declares what the caller of a hand-written route must hold. Default: to read what is got,
    else to work."""

    def declare(handler: Handler) -> Handler:
        handler.right = right  # type: ignore[attr-defined]
        return handler

    return declare


def right_of(endpoint: object, method: str) -> Right:
    default = Right.READ if method in ("GET", "HEAD") else Right.WORK
    right: Right = getattr(endpoint, "right", default)
    return right


#: Of whoever runs the house: at this machine, or with its own token or passcode.
OWNERS = Grant(TokenRole.OWNER)
