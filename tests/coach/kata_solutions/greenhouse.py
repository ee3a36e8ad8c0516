class Thermostat:
    def __init__(self, celsius: float) -> None:
        self.celsius = celsius

    @property
    def celsius(self) -> float:
        return self._celsius

    @celsius.setter
    def celsius(self, value: float) -> None:
        if not 5 <= value <= 40:
            raise ValueError(f"orchids want 5 to 40 °C, not {value}")
        self._celsius = value

    @property
    def fahrenheit(self) -> float:
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value: float) -> None:
        self.celsius = (value - 32) * 5 / 9

    @property
    def frost_risk(self) -> bool:
        return self.celsius < 8


WRONG = """
class Thermostat:
    def __init__(self, celsius):
        self._celsius = celsius

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if not 5 <= value <= 40:
            raise ValueError(value)
        self._celsius = value

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9

    @property
    def frost_risk(self):
        return self._celsius < 8
"""

TWO_TRUTHS = """
class Thermostat:
    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if not 5 <= value <= 40:
            raise ValueError(value)
        self._celsius = value
        self._fahrenheit = value * 9 / 5 + 32

    @property
    def fahrenheit(self):
        return self._fahrenheit

    @fahrenheit.setter
    def fahrenheit(self, value):
        if not 41 <= value <= 104:
            raise ValueError(value)
        self._fahrenheit = value
        self._celsius = (value - 32) * 5 / 9

    @property
    def frost_risk(self):
        return self._celsius < 8
"""

BREAKS = {"One truth": TWO_TRUTHS, "One gate": TWO_TRUTHS}
