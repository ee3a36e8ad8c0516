"""A trip: who paid what, and the transfers that make everyone even."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Transfer:
    giver: str
    taker: str
    amount: float


@dataclass
class Trip:
    people: list[str]
    payments: list[tuple[str, float, str]] = field(default_factory=list)

    def pay(self, person: str, amount: float, what: str) -> None:
        if person not in self.people:
            raise ValueError(f"{person} is not on this trip")
        self.payments.append((person, amount, what))

    def balances(self) -> dict[str, float]:
        """What each person has paid above (or below) an equal share."""
        share = sum(amount for _, amount, _ in self.payments) / len(self.people)
        paid = dict.fromkeys(self.people, 0.0)
        for person, amount, _ in self.payments:
            paid[person] += amount
        return {person: amount - share for person, amount in paid.items()}

    def settle(self) -> list[Transfer]:
        """The transfers that bring every balance to zero, largest debts first."""
        balances = self.balances()
        debtors = sorted((b, p) for p, b in balances.items() if b < 0)
        takers = sorted(((b, p) for p, b in balances.items() if b > 0), reverse=True)
        transfers = []
        while debtors and takers:
            (debt, giver), (credit, taker) = debtors.pop(0), takers.pop(0)
            amount = min(-debt, credit)
            transfers.append(Transfer(giver, taker, amount))
            if -debt > amount:
                debtors.insert(0, (debt + amount, giver))
            if credit > amount:
                takers.insert(0, (credit - amount, taker))
        return transfers
