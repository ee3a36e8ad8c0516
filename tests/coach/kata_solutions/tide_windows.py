def windows(readings: list[int], size: int) -> list[list[int]]:
    if size < 1:
        raise ValueError(f"a window needs at least one reading, not {size}")
    return [readings[start : start + size] for start in range(len(readings) - size + 1)]


WRONG = """
def windows(readings, size):
    if size < 1:
        raise ValueError(size)
    return [readings[i : i + size] for i in range(len(readings) - size)]
"""

BREAKS = {
    "Slices only": """
def windows(readings, size):
    if size < 1:
        raise ValueError(size)
    return [[readings[i + j] for j in range(size)] for i in range(len(readings) - size + 1)]
""",
    "No special case for short lists": """
def windows(readings, size):
    if size < 1:
        raise ValueError(size)
    if len(readings) < size:
        return []
    return [readings[i : i + size] for i in range(len(readings) - size + 1)]
""",
}
