from typing import Any

Row = tuple[str, str | None, int]


def order_sheet(customers: list[dict[str, Any]], orders: list[dict[str, Any]]) -> list[Row]:
    names = {customer["id"]: customer["name"] for customer in reversed(customers)}
    served = {order["customer"] for order in orders}
    ids = dict.fromkeys(customer["id"] for customer in customers)
    rows: list[Row] = [
        (names.get(order["customer"], "?"), order["cheese"], order["kilos"]) for order in orders
    ]
    rows.extend((names[key], None, 0) for key in ids if key not in served)
    return rows


WRONG = """
def order_sheet(customers, orders):
    names = {customer["id"]: customer["name"] for customer in customers}
    served = {order["customer"] for order in orders}
    rows = [(names.get(o["customer"]) or "?", o["cheese"], o["kilos"]) for o in orders]
    return rows + [(name, None, 0) for id, name in names.items() if id not in served]
"""

BREAKS = {
    "No loop in a loop": """
def order_sheet(customers, orders):
    rows = []
    for order in orders:
        found = [c["name"] for c in customers if c["id"] == order["customer"]]
        rows.append((found[0] if found else "?", order["cheese"], order["kilos"]))
    seen = {order["customer"] for order in orders}
    for customer in customers:
        if customer["id"] not in seen:
            seen.add(customer["id"])
            rows.append((customer["name"], None, 0))
    return rows
""",
    "Nothing is changed": """
def order_sheet(customers, orders):
    names = {}
    for customer in customers:
        names.setdefault(customer["id"], customer["name"])
    rows, seen = [], set()
    for order in orders:
        row = dict(order)
        row["name"] = names.get(order["customer"], "?")
        rows.append((row["name"], row["cheese"], row["kilos"]))
        seen.add(order["customer"])
    return rows + [(name, None, 0) for id, name in names.items() if id not in seen]
""",
}
