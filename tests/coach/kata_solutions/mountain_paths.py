from functools import cache


def ways_up(paths: dict[str, list[str]], start: str) -> int:
    @cache
    def ways_from(hut: str) -> int:
        if hut == "summit":
            return 1
        return sum(ways_from(higher) for higher in paths.get(hut, ()))

    return ways_from(start)


WRONG = """
known = {"summit": 1}


def ways_up(paths, start):
    if start not in known:
        known[start] = sum(ways_up(paths, hut) for hut in paths.get(start, ()))
    return known[start]
"""

BREAKS = {
    "A cache in one line": """
def ways_up(paths, start):
    known = {"summit": 1}

    def ways_from(hut):
        if hut not in known:
            known[hut] = sum(ways_from(higher) for higher in paths.get(hut, ()))
        return known[hut]

    return ways_from(start)
""",
    "Nothing is left behind": """
from functools import cache

mountains = []


@cache
def ways_from(hut, mountain):
    if hut == "summit":
        return 1
    return sum(ways_from(higher, mountain) for higher in mountains[mountain].get(hut, ()))


def ways_up(paths, start):
    mountains.append(paths)
    return ways_from(start, len(mountains) - 1)
""",
}
