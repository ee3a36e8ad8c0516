class BadOrder(ValueError):
    pass


def read_order(text: str, stock: dict[str, int]) -> tuple[str, int]:
    try:
        plant, amount = text.strip().lower().split(" x ")
        count = int(amount)
    except ValueError as error:
        raise BadOrder(f"write an order like 'sage x 3', not {text!r}") from error
    if count < 1:
        raise BadOrder(f"order at least one {plant}, not {count}")
    if plant not in stock:
        raise BadOrder(f"we have no {plant}")
    if count > stock[plant]:
        raise BadOrder(f"we have {stock[plant]} {plant}, not {count}")
    return plant, count


WRONG = """
class BadOrder(ValueError):
    pass


def read_order(text, stock):
    try:
        plant, amount = text.strip().lower().split(" x ")
        if int(amount) > stock[plant]:
            raise BadOrder(text)
        return plant, int(amount)
    except (ValueError, KeyError):
        raise BadOrder(text)
"""

WIDE = """
class BadOrder(ValueError):
    pass


def read_order(text, stock):
    try:
        plant, amount = text.strip().lower().split(" x ")
        count = int(amount)
    except Exception:
        raise BadOrder(text)
    if count < 1 or count > stock.get(plant, 0):
        raise BadOrder(text)
    return plant, count
"""

BREAKS = {"Catch only what you expect": WIDE, "Keep the cause": WIDE}
