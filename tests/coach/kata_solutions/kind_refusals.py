from typing import Any


def problems(form: dict[str, Any]) -> list[str]:
    people, hours = form["people"], form["hours"]
    rules = [
        (form["name"].strip() != "", "name is empty: please tell us who rents the boat"),
        (1 <= people <= 6, f"people is {people}: a boat takes 1 to 6"),
        (1 <= hours <= 8, f"hours is {hours}: boats are rented for 1 to 8 hours"),
    ]
    return [message for is_kept, message in rules if not is_kept]


WRONG = """
def problems(form):
    if not form["name"].strip():
        return ["name is empty: please tell us who rents the boat"]
    if not 1 <= form["people"] <= 6:
        return [f"people is {form['people']}: a boat takes 1 to 6"]
    if not 1 <= form["hours"] <= 8:
        return [f"hours is {form['hours']}: boats are rented for 1 to 8 hours"]
    return []
"""

RAISING = """
def problems(form):
    found = []
    try:
        if not form["name"].strip():
            raise ValueError("name is empty: please tell us who rents the boat")
    except ValueError as error:
        found.append(str(error))
    if not 1 <= form["people"] <= 6:
        found.append(f"people is {form['people']}: a boat takes 1 to 6")
    if not 1 <= form["hours"] <= 8:
        found.append(f"hours is {form['hours']}: boats are rented for 1 to 8 hours")
    return found
"""

BREAKS = {"A rule a line": RAISING, "No exceptions for answers": RAISING}
