def split_bill(cents: int, people: int) -> list[int]:
    if people < 1:
        raise ValueError(f"somebody has to pay: {people} people")
    share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)


WRONG = """
def split_bill(cents, people):
    if people < 1:
        raise ValueError(people)
    share = cents // people
    return [share + cents % people] + [share] * (people - 1)
"""

STEP_BY_STEP = """
def split_bill(cents, people):
    if people < 1:
        raise ValueError(people)
    shares = [cents // people] * people
    for person in range(cents % people):
        shares[person] += 1
    return shares
"""

BREAKS = {
    "Never a float": """
def split_bill(cents, people):
    if people < 1:
        raise ValueError(people)
    share = cents // people
    rest = round(cents % people / 1)
    return [share + 1] * rest + [share] * (people - rest)
""",
    "No loop": STEP_BY_STEP,
    "One call for both": STEP_BY_STEP,
}
