from collections.abc import Callable


def machine(letter: str) -> Callable[[], str]:
    printed = 0

    def press() -> str:
        nonlocal printed
        printed += 1
        return f"{letter}{printed}"

    return press


def machines(letters: str) -> dict[str, Callable[[], str]]:
    return {letter: machine(letter) for letter in letters}


WRONG = """
def machine(letter):
    printed = 0

    def press():
        nonlocal printed
        printed += 1
        return f"{letter}{printed}"

    return press


def machines(letters):
    buttons, counts = {}, {}
    for letter in letters:
        def press():
            counts[letter] = counts.get(letter, 0) + 1
            return f"{letter}{counts[letter]}"

        buttons[letter] = press
    return buttons
"""

WITH_CLASS = """
class Machine:
    def __init__(self, letter):
        self.letter, self.printed = letter, 0

    def __call__(self):
        self.printed += 1
        return f"{self.letter}{self.printed}"


def machine(letter):
    return Machine(letter)


def machines(letters):
    buttons = {}
    for letter in letters:
        buttons[letter] = Machine(letter)
    return buttons
"""

BREAKS = {
    "No class": WITH_CLASS,
    "No lists as pockets": WITH_CLASS,
    "One machine makes them all": WITH_CLASS,
}
