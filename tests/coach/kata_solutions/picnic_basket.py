def pack(item: str, basket: list[str] | None = None) -> list[str]:
    return [*(basket or ()), item]


WRONG = """
def pack(item, basket=None):
    basket = basket or []
    basket.append(item)
    return basket
"""

BREAKS = {
    "No list in the signature": """
def pack(item, basket=[]):
    return basket + [item]
""",
    "Build it new": """
def pack(item, basket=None):
    packed = list(basket or ())
    packed.append(item)
    return packed
""",
}
