from typing import Protocol


class Drink(Protocol):
    def price(self) -> int: ...

    def name(self) -> str: ...


class Coffee:
    def price(self) -> int:
        return 250

    def name(self) -> str:
        return "coffee"


class Extra:
    def __init__(self, drink: Drink, name: str, price: int) -> None:
        self._drink = drink
        self._name = name
        self._price = price

    def price(self) -> int:
        return self._drink.price() + self._price

    def name(self) -> str:
        return f"{self._drink.name()} with {self._name}"


def with_milk(drink: Drink) -> Drink:
    return Extra(drink, "milk", 40)


def with_syrup(drink: Drink, flavour: str) -> Drink:
    return Extra(drink, f"{flavour} syrup", 60)


WRONG = """
class Coffee:
    def __init__(self, name="coffee", price=250):
        self._name, self._price = name, price

    def price(self):
        return self._price

    def name(self):
        return self._name


def with_milk(drink):
    return Coffee(drink.name() + " with milk", drink.price() + 40)


def with_syrup(drink, flavour):
    return Coffee(drink.name() + f" with {flavour} syrup", drink.price() + 60)
"""

INHERITING = """
class Coffee:
    def price(self):
        return 250

    def name(self):
        return "coffee"


class Milk(Coffee):
    def __init__(self, drink):
        self.drink = drink

    def price(self):
        return self.drink.price() + 40

    def name(self):
        return self.drink.name() + " with milk"


class Syrup(Coffee):
    def __init__(self, drink, flavour):
        self.drink, self.flavour = drink, flavour

    def price(self):
        return self.drink.price() + 60

    def name(self):
        return f"{self.drink.name()} with {self.flavour} syrup"


with_milk, with_syrup = Milk, Syrup
"""

BREAKS = {"No inheritance": INHERITING, "An extra knows nothing of drinks": INHERITING}
