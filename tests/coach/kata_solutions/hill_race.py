def final_board(results: list[tuple[str, int, int]]) -> list[str]:
    ordered = sorted(results, key=lambda result: (-result[1], result[2], result[0]))
    return [name for name, _, _ in ordered]


WRONG = """
def final_board(results):
    ordered = sorted(results, key=lambda result: (result[1], -result[2], result[0]), reverse=True)
    return [name for name, _, _ in ordered]
"""

IN_STEPS = """
def final_board(results):
    by_name = sorted(results)
    by_time = sorted(by_name, key=lambda result: result[2])
    ordered = sorted(by_time, key=lambda result: result[1], reverse=True)
    return [name for name, _, _ in ordered]
"""

BREAKS = {"One sort": IN_STEPS, "No reverse": IN_STEPS}
