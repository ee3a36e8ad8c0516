class Sketchpad:
    def __init__(self) -> None:
        self._done: list[str] = []
        self._undone: list[str] = []

    def draw(self, stroke: str) -> None:
        self._done.append(stroke)
        self._undone.clear()

    def undo(self) -> None:
        if self._done:
            self._undone.append(self._done.pop())

    def redo(self) -> None:
        if self._undone:
            self._done.append(self._undone.pop())

    def strokes(self) -> list[str]:
        return self._done.copy()


WRONG = """
class Sketchpad:
    def __init__(self):
        self.done, self.undone = [], []

    def draw(self, stroke):
        self.done.append(stroke)

    def undo(self):
        if self.done:
            self.undone.append(self.done.pop())

    def redo(self):
        if self.undone:
            self.done.append(self.undone.pop())

    def strokes(self):
        return self.done[:]
"""

BY_POSITION = """
class Sketchpad:
    def __init__(self):
        self.all, self.shown = [], 0

    def draw(self, stroke):
        self.all = self.all[: self.shown] + [stroke]
        self.shown += 1

    def undo(self):
        self.shown = max(self.shown - 1, 0)

    def redo(self):
        self.shown = min(self.shown + 1, len(self.all))

    def strokes(self):
        return self.all[: self.shown]
"""

BREAKS = {"Two stacks": BY_POSITION, "Ask, do not count": BY_POSITION}
