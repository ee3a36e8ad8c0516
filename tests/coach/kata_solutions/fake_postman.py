from collections.abc import Collection
from typing import Protocol


class Postman(Protocol):
    def send(self, name: str, text: str) -> None: ...


def invite(names: list[str], postman: Postman) -> list[str]:
    unreached = []
    for name in names:
        try:
            postman.send(name, f"Dear {name}, come to the fair!")
        except ConnectionError:
            unreached.append(name)
    return unreached


class FakePostman:
    def __init__(self, lost: Collection[str] = ()) -> None:
        self.lost = lost
        self.sent: list[tuple[str, str]] = []

    def send(self, name: str, text: str) -> None:
        if name in self.lost:
            raise ConnectionError(f"the letter to {name} got lost")
        self.sent.append((name, text))


WRONG = """
def invite(names, postman):
    unreached = []
    for name in names:
        try:
            postman.send(name, f"Dear {name}, come to the fair!")
        except Exception:
            unreached.append(name)
    return unreached


class FakePostman:
    def __init__(self, lost=()):
        self.lost, self.sent = lost, []

    def send(self, name, text):
        self.sent.append((name, text))
        if name in self.lost:
            raise ConnectionError(name)
"""

BREAKS = {
    "No mock library": """
from unittest.mock import Mock


def invite(names, postman):
    unreached = []
    for name in names:
        try:
            postman.send(name, f"Dear {name}, come to the fair!")
        except ConnectionError:
            unreached.append(name)
    return unreached


def FakePostman(lost=()):
    postman = Mock(sent=[])

    def send(name, text):
        if name in lost:
            raise ConnectionError(name)
        postman.sent.append((name, text))

    postman.send = send
    return postman
""",
    "The inviter does not know": """
def invite(names, postman):
    unreached = []
    for name in names:
        if isinstance(postman, FakePostman) and name in postman.lost:
            unreached.append(name)
            continue
        try:
            postman.send(name, f"Dear {name}, come to the fair!")
        except ConnectionError:
            unreached.append(name)
    return unreached


class FakePostman:
    def __init__(self, lost=()):
        self.lost, self.sent = lost, []

    def send(self, name, text):
        if name in self.lost:
            raise ConnectionError(name)
        self.sent.append((name, text))
""",
}
