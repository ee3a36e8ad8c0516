from typing import Any


def tag(thing: dict[str, Any]) -> str:
    owner = thing.get("owner") or {}
    if phone := owner.get("phone"):
        return f"{thing['name']} → call {phone}"
    shelf = thing.get("shelf")
    if shelf is not None:
        return f"{thing['name']} → shelf {shelf}"
    return f"{thing['name']} → unsorted"


WRONG = """
def tag(thing):
    owner = thing.get("owner") or {}
    if owner.get("phone"):
        return f"{thing['name']} → call {owner['phone']}"
    if thing.get("shelf"):
        return f"{thing['name']} → shelf {thing['shelf']}"
    return f"{thing['name']} → unsorted"
"""

CHAIN = """
def tag(thing):
    owner = thing.get("owner")
    phone = owner.get("phone") if owner != None else None
    if phone:
        where = f"call {phone}"
    elif thing.get("shelf") != None:
        where = f"shelf {thing['shelf']}"
    else:
        where = "unsorted"
    return f"{thing['name']} → {where}"
"""

BREAKS = {"Ask for None by name": CHAIN, "Return early": CHAIN}
