from collections import deque


class WaitingRoom:
    def __init__(self) -> None:
        self._urgent: deque[str] = deque()
        self._others: deque[str] = deque()

    def arrive(self, name: str, urgent: bool = False) -> None:
        (self._urgent if urgent else self._others).append(name)

    def next(self) -> str | None:
        queue = self._urgent or self._others
        return queue.popleft() if queue else None

    def leave(self, name: str) -> None:
        for queue in (self._urgent, self._others):
            if name in queue:
                queue.remove(name)


WRONG = """
import heapq


class WaitingRoom:
    def __init__(self):
        self.waiting = []

    def arrive(self, name, urgent=False):
        heapq.heappush(self.waiting, (not urgent, name))

    def next(self):
        return heapq.heappop(self.waiting)[1] if self.waiting else None

    def leave(self, name):
        self.waiting = [entry for entry in self.waiting if entry[1] != name]
        heapq.heapify(self.waiting)
"""

SORTING = """
class WaitingRoom:
    def __init__(self):
        self.waiting = []

    def arrive(self, name, urgent=False):
        self.waiting.append((not urgent, name))
        self.waiting.sort(key=lambda entry: entry[0])

    def next(self):
        return self.waiting.pop(0)[1] if self.waiting else None

    def leave(self, name):
        self.waiting = [entry for entry in self.waiting if entry[1] != name]
"""

BREAKS = {"No sorting": SORTING, "Quick at the front": SORTING}
