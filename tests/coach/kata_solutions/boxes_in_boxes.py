from typing import Any


def find_things(box: list[Any], depth: int = 0) -> list[tuple[str, int]]:
    unpacked = (find_things(x, depth + 1) if isinstance(x, list) else [(x, depth)] for x in box)
    return [found for inner in unpacked for found in inner]


WRONG = """
def find_things(box, depth=0):
    found = []
    for inner in box:
        if isinstance(inner, list):
            depth += 1
            found.extend(find_things(inner, depth))
        else:
            found.append((inner, depth))
    return found
"""

BREAKS = {
    "One function": """
def find_things(box):
    found, todo = [], [(inner, 0) for inner in reversed(box)]
    while todo:
        thing, depth = todo.pop()
        if isinstance(thing, str):
            found.append((thing, depth))
        else:
            todo.extend((inner, depth + 1) for inner in reversed(thing))
    return found
""",
    "Two lines": """
def find_things(box, depth=0):
    found = []
    for inner in box:
        if isinstance(inner, list):
            found.extend(find_things(inner, depth + 1))
        else:
            found.append((inner, depth))
    return found
""",
}
