import logging

log = logging.getLogger("hives")

LIGHT = 15


def check_hive(name: str, kilos: float | None) -> bool:
    if kilos is None:
        log.error("hive %s has no weight", name)
        return False
    if kilos < LIGHT:
        log.warning("hive %s is light: %s kg", name, kilos)
        return False
    log.info("hive %s weighs %s kg", name, kilos)
    return True


WRONG = """
import logging


def check_hive(name, kilos):
    log = logging.getLogger("hives")
    if not kilos:
        log.error("hive %s has no weight", name)
        return False
    if kilos < 15:
        log.warning("hive %s is light: %s kg", name, kilos)
        return False
    log.info("hive %s weighs %s kg", name, kilos)
    return True
"""

BUILT = """
import logging


def check_hive(name, kilos):
    log = logging.getLogger("hives")
    if kilos is None:
        log.error(f"hive {name} has no weight")
    elif kilos < 15:
        log.warning(f"hive {name} is light: {kilos} kg")
    else:
        log.info(f"hive {name} weighs {kilos} kg")
    return kilos is not None and kilos >= 15
"""

BREAKS = {"Values beside the text": BUILT, "A logger of its own": BUILT}
