def fresh_labels(boxes: list[list[tuple[str, int]]], this_year: int) -> list[str]:
    return [
        f"{plant.upper()} {year}" for box in boxes for plant, year in box if this_year - year <= 3
    ]


WRONG = """
def fresh_labels(boxes, this_year):
    return [f"{p.upper()} {year}" for box in boxes for p, year in box if this_year - year < 3]
"""

BY_NUMBER = """
def fresh_labels(boxes, this_year):
    labels = []
    for box in boxes:
        for packet in box:
            if this_year - packet[1] <= 3:
                labels.append(packet[0].upper() + " " + str(packet[1]))
    return labels
"""

BREAKS = {"One expression": BY_NUMBER, "Names, not numbers": BY_NUMBER}
