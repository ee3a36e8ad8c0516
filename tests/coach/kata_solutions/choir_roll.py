def by_voice(singers: list[tuple[str, str]]) -> dict[str, list[str]]:
    roll: dict[str, list[str]] = {}
    for name, voice in singers:
        roll.setdefault(voice, []).append(name)
    return roll


WRONG = """
def by_voice(singers):
    roll = dict.fromkeys((voice for _, voice in singers), [])
    for name, voice in singers:
        roll[voice].append(name)
    return roll
"""

BREAKS = {
    'No "is it there yet?"': """
def by_voice(singers):
    roll = {}
    for name, voice in singers:
        if voice not in roll:
            roll[voice] = []
        roll[voice].append(name)
    return roll
""",
    "Through the singers once": """
def by_voice(singers):
    roll = {voice: [] for _, voice in singers}
    for name, voice in singers:
        roll[voice].append(name)
    return roll
""",
}
