from enum import StrEnum


class State(StrEnum):
    FREE = "free"
    RESERVED = "reserved"
    RIDING = "riding"
    BROKEN = "broken"


TRANSITIONS = {
    (State.FREE, "reserve"): State.RESERVED,
    (State.FREE, "unlock"): State.RIDING,
    (State.FREE, "report"): State.BROKEN,
    (State.RESERVED, "unlock"): State.RIDING,
    (State.RESERVED, "cancel"): State.FREE,
    (State.RESERVED, "report"): State.BROKEN,
    (State.RIDING, "lock"): State.FREE,
    (State.RIDING, "report"): State.BROKEN,
    (State.BROKEN, "repair"): State.FREE,
}


class Bike:
    def __init__(self) -> None:
        self.history = [State.FREE]

    @property
    def state(self) -> State:
        return self.history[-1]

    def handle(self, event: str) -> None:
        if (self.state, event) not in TRANSITIONS:
            raise ValueError(f"a bike that is {self.state} cannot {event}")
        self.history.append(TRANSITIONS[self.state, event])


WRONG = """
class Bike:
    history = ["free"]

    def __init__(self):
        self.state = "free"

    def handle(self, event):
        table = {
            ("free", "reserve"): "reserved", ("free", "unlock"): "riding",
            ("reserved", "unlock"): "riding", ("reserved", "cancel"): "free",
            ("riding", "lock"): "free", ("broken", "repair"): "free",
            ("free", "report"): "broken", ("reserved", "report"): "broken",
            ("riding", "report"): "broken",
        }
        if (self.state, event) not in table:
            raise ValueError(event)
        self.state = table[self.state, event]
        self.history.append(self.state)
"""

LADDER = """
class Bike:
    def __init__(self):
        self.state, self.history = "free", ["free"]

    def handle(self, event):
        if event == "reserve" and self.state == "free":
            self.state = "reserved"
        elif event == "unlock" and self.state in ("free", "reserved"):
            self.state = "riding"
        elif event == "cancel" and self.state == "reserved":
            self.state = "free"
        elif event == "lock" and self.state == "riding":
            self.state = "free"
        elif event == "report" and self.state != "broken":
            self.state = "broken"
        elif event == "repair" and self.state == "broken":
            self.state = "free"
        else:
            raise ValueError(event)
        self.history.append(self.state)
"""

BREAKS = {"A table, not a ladder": LADDER, "No loose strings": LADDER}
