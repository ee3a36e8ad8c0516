USUAL_FARES = {"bike": 4, "car": 18, "truck": 40}
SUMMER_FARES = {"bike": 6, "car": 25, "truck": 55}
LEAST_FARE = 3


def fare(vehicle: str, season: str, resident: bool) -> int:
    fares = SUMMER_FARES if season == "summer" else USUAL_FARES
    if vehicle not in fares:
        raise ValueError(f"there is no fare for a {vehicle}; we take {', '.join(fares)}")
    return resident_fare(fares[vehicle]) if resident else fares[vehicle]


def resident_fare(full: int) -> int:
    return max(full // 2, LEAST_FARE)


WRONG = """
FARES = {"bike": (4, 6), "car": (18, 25), "truck": (40, 55)}


def fare(vehicle, season, resident):
    if vehicle not in FARES:
        raise ValueError(vehicle)
    full = FARES[vehicle][season == "summer"]
    return full // 2 if resident else full
"""

NESTED = """
def fare(vehicle, season, resident):
    if vehicle == "bike":
        full = 6 if season == "summer" else 4
    elif vehicle == "car":
        full = 25 if season == "summer" else 18
    elif vehicle == "truck":
        if season == "summer":
            full = 55
        else:
            full = 40
    else:
        raise ValueError(vehicle)
    if resident:
        return max(3, full // 2)
    return full
"""

BREAKS = {"No pyramid": NESTED, "Every number once": NESTED, "Short functions": NESTED}
