def after_sales(stock: dict[str, int], sales: list[tuple[str, int]]) -> dict[str, int]:
    left = dict(stock)
    for item, count in sales:
        if count > left.get(item, 0):
            raise ValueError(f"cannot sell {count} {item}: there are {left.get(item, 0)}")
        left[item] -= count
    return left


def to_reorder(stock: dict[str, int], minimum: int) -> list[str]:
    return sorted(item for item, count in stock.items() if count < minimum)


WRONG = """
def after_sales(stock, sales):
    for item, count in sales:
        if stock.get(item, 0) < count:
            raise ValueError(item)
        stock[item] -= count
    return stock


def to_reorder(stock, minimum):
    return sorted(item for item in stock if stock[item] < minimum)
"""

GLOBAL = """
left = {}


def after_sales(stock, sales):
    global left
    left = stock.copy()
    for item, count in sales:
        if left.get(item, 0) < count:
            raise ValueError(item)
        left[item] -= count
    return left


def to_reorder(stock, minimum):
    return sorted(item for item in stock if stock[item] < minimum)
"""

BREAKS = {"No word to anybody": GLOBAL, "Nothing lives at the top": GLOBAL}
