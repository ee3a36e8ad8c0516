"""`make chaos`: how much survives when everything else does not.

    python -m bench.chaos [--database sqlite|postgresql] [--kills 200] [--minutes 10] [--seed 1]
    python -m bench.chaos --hostile 100000 [--door HTTP|MCP|WebSocket]

Ends with 1 if anything that was acknowledged is lost, doubled or out of order, or if a hostile
request makes a server fail.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.chaos.checker import Findings
from bench.chaos.hostile import DOORS, Bombardment
from bench.chaos.storm import Report, Storm


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--kills", type=int, default=200, help="of each kind of database")
    parser.add_argument("--minutes", type=float, default=30, help="of faults at most, in all")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--hostile", type=int, help="only so many hostile requests at each door")
    parser.add_argument("--door", choices=DOORS, help="of hostile requests; without it, all")
    given = parser.parse_args()
    if given.hostile is not None:
        doors = DOORS if given.door is None else (given.door,)
        sys.exit(0 if bombard(given.hostile, doors, given.seed) else 1)
    kinds = ["sqlite", "postgresql"] if given.database == "both" else [given.database]
    print(f"seed {given.seed}")
    reports = []
    for kind in kinds:
        seconds = given.minutes * 60 / len(kinds)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            storm = Storm(kind, Path(folder), given.kills, seconds, random.Random(given.seed))
            reports.append(asyncio.run(storm.rage()))
        show(reports[-1])
    sys.exit(0 if all(report.findings.is_clean for report in reports) else 1)


def bombard(number: int, doors: Sequence[str], seed: int) -> bool:
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bombardment = Bombardment(Path(folder), number, random.Random(seed))
        reports = asyncio.run(bombardment.bombard(doors))
    for report in reports:
        print(f"\n── {report.door}, {report.seconds:.0f} s " + "─" * 40)
        print(f"  sent                    {report.sent}")
        print(f"  answers                 {dict(report.answers.most_common())}")
        print(f"  memory, MB              {[size // 1_000_000 for size in report.memory]}")
        print(f"  findings                {len(report.findings)}")
    return not any(report.findings for report in reports)


def show(report: Report) -> None:
    print(f"\n── {report.kind}, {report.seconds:.0f} s " + "─" * 40)
    print(f"  kill -9                 {report.kills}")
    for name, count in report.faults.items():
        print(f"  {name:<23} {count}")
    print(f"  acknowledged writes     {report.writes}")
    print(f"  acknowledged runs       {report.runs}")
    print(f"  events followed         {report.events}")
    print(f"  leases, signs of life   {report.leases}, {report.beats}")
    print(f"  sign-ins                {report.sign_ins}")
    print(f"  answers                 {dict(report.answers.most_common())}")
    show_findings(report.findings)


def show_findings(findings: Findings) -> None:
    for name, items in vars(findings).items():
        print(f"  {name.replace('_', ' '):<23} {len(items)}{'' if not items else f'  {items[:5]}'}")


if __name__ == "__main__":
    main()
