def with_guest(plan: dict[str, list[str]], table: str, guest: str) -> dict[str, list[str]]:
    return {**plan, table: [*plan.get(table, ()), guest]}


WRONG = """
def with_guest(plan, table, guest):
    draft = plan.copy()
    draft.setdefault(table, []).append(guest)
    return draft
"""

DEEP = """
from copy import deepcopy


def with_guest(plan, table, guest):
    draft = deepcopy(plan)
    draft.setdefault(table, []).append(guest)
    return draft
"""

BREAKS = {"Only what changes": DEEP, "Nothing is assigned into": DEEP}
