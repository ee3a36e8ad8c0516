from collections import defaultdict, deque


def ride(tracks: list[tuple[str, str]], start: str, goal: str) -> list[str] | None:
    neighbours = defaultdict(list)
    for one, other in tracks:
        neighbours[one].append(other)
        neighbours[other].append(one)
    came_from: dict[str, str | None] = {start: None}
    todo = deque([start])
    while todo and goal not in came_from:
        stop = todo.popleft()
        for neighbour in neighbours[stop]:
            if neighbour not in came_from:
                came_from[neighbour] = stop
                todo.append(neighbour)
    return _walk_back(came_from, goal) if goal in came_from else None


def _walk_back(came_from: dict[str, str | None], goal: str) -> list[str]:
    stops = []
    stop: str | None = goal
    while stop is not None:
        stops.append(stop)
        stop = came_from[stop]
    return stops[::-1]


WRONG = """
def ride(tracks, start, goal):
    neighbours = {}
    for one, other in tracks:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    seen, todo = {start}, [[start]]
    while todo:
        path = todo.pop()
        if path[-1] == goal:
            return path
        for stop in neighbours.get(path[-1], ()):
            if stop not in seen:
                seen.add(stop)
                todo.append([*path, stop])
    return None
"""

BREAKS = {
    "First come, first served": """
def ride(tracks, start, goal):
    neighbours = {}
    for one, other in tracks:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    seen, layer = {start}, [[start]]
    while layer:
        following = []
        for path in layer:
            if path[-1] == goal:
                return path
            for stop in neighbours.get(path[-1], ()):
                if stop not in seen:
                    seen.add(stop)
                    following.append([*path, stop])
        layer = following
    return None
""",
}
