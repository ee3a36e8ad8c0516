def compare_lists(before: list[str], after: list[str]) -> tuple[list[str], list[str], list[str]]:
    old, new = set(before), set(after)
    return sorted(new - old), sorted(old - new), sorted(old & new)


WRONG = """
def compare_lists(before, after):
    old, new = set(before), set(after)
    return (
        sorted(name for name in after if name not in old),
        sorted(name for name in before if name not in new),
        sorted(name for name in before if name in new),
    )
"""

BREAKS = {
    "Let the sets do it": """
def compare_lists(before, after):
    old, new = set(before), set(after)
    return (
        sorted({name for name in new if name not in old}),
        sorted({name for name in old if name not in new}),
        sorted({name for name in old if name in new}),
    )
""",
    "Three lines at most": """
def compare_lists(before, after):
    old, new = set(before), set(after)
    added = sorted(new - old)
    cancelled = sorted(old - new)
    return added, cancelled, sorted(old & new)
""",
}
