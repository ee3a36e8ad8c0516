"""Finding secrets: how many of those that should be, how many alarms for nothing, and how fast.

The secrets are made here in the shapes of their issuers, at random, each in a sentence, a line of
code and a line of a shell. The innocent texts are others': the files of the packages that are
installed beside us (source, type stubs, lists of checksums, licences, JSON) and our lock files.
"""

import itertools
import random
import statistics
import string
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.core.trust.admission import scrub
from bottega.core.trust.redaction import clean
from bottega.core.trust.scanner import find, hide

EACH = 40
FILES_OF_A_KIND = 600
LONGEST = 200_000
KINDS = ("*.py", "*.pyi", "RECORD", "METADATA", "*.txt", "*.md", "*.json", "*.toml", "*.js")
RECALL, ALARMS_PER_MB = 0.95, 0.5
LETTERS, HEX = string.ascii_letters + string.digits, "0123456789abcdef"

PLACES = (
    "Then I logged in with {} and it worked.",
    'client = Client("{}", timeout=3)',
    "curl -s -H 'X-Auth: {}' https://api.example.org/v1 | jq .",
)
NAMED = ("password={}", "DB_PASSWORD: '{}'", '"client_secret": "{}"', "export API_TOKEN={}")


def of(chance: random.Random, length: int, letters: str = LETTERS) -> str:
    return "".join(chance.choices(letters, k=length))


def secrets(chance: random.Random) -> dict[str, str]:
    """One of each kind."""
    url = LETTERS + "-_"
    return {
        "AWS key id": "AKIA" + of(chance, 16, string.ascii_uppercase + "234567"),
        "GitHub": "ghp_" + of(chance, 36),
        "GitHub, fine-grained": f"github_pat_{of(chance, 22)}_{of(chance, 59)}",
        "GitLab": "glpat-" + of(chance, 20, url),
        "Slack": f"xoxb-{of(chance, 12, string.digits)}-{of(chance, 24)}",
        "Stripe": "sk_live_" + of(chance, 24),
        "OpenAI": "sk-proj-" + of(chance, 48, url),
        "Anthropic": "sk-ant-api03-" + of(chance, 93, url) + "AA",
        "Google": "AIza" + of(chance, 35, url),
        "npm": "npm_" + of(chance, 36),
        "PyPI": "pypi-AgEIcHlwaS5vcmc" + of(chance, 120, url),
        "JSON web token": f"eyJ{of(chance, 33)}.eyJ{of(chance, 60, url)}.{of(chance, 43, url)}",
        "Shopify": "shpat_" + of(chance, 32, HEX),
        "Vault": "hvs." + of(chance, 24),
        "DigitalOcean": "dop_v1_" + of(chance, 64, HEX),
        "Linear": "lin_api_" + of(chance, 40),
        "Databricks": "dapi" + of(chance, 32, HEX),
        "Telegram": f"{of(chance, 10, string.digits)}:AA{of(chance, 33, url)}",
        "Discord": f"MT{of(chance, 24)}.{of(chance, 6)}.{of(chance, 38)}",
        "private key": "-----BEGIN RSA PRIVATE KEY-----\n"
        + "\n".join(of(chance, 64, LETTERS + "+/") for _ in range(12))
        + "\n-----END RSA PRIVATE KEY-----",
        "address with a password": f"postgresql://ada:{of(chance, 12)}@db.example.org/house",
        "a random word, 40": of(chance, 40),
    }


def recalled(chance: random.Random) -> Iterator[tuple[str, bool]]:
    for _ in range(EACH):
        for kind, secret in secrets(chance).items():
            text = chance.choice(PLACES).format(secret)
            core = secret.partition(":")[2].partition(":")[2].partition("@")[0] or secret
            yield kind, core not in hide(text) if "@" in secret else secret not in hide(text)
        word = of(chance, chance.randint(8, 20)) + str(chance.randint(0, 9)) + "x"
        yield "a value by its name", word not in hide(chance.choice(NAMED).format(word))


def files() -> list[Path]:
    packages = Path(sysconfig.get_path("purelib"))
    found = [
        path
        for kind in KINDS
        for path in itertools.islice(sorted(packages.rglob(kind)), FILES_OF_A_KIND)
    ]
    here = Path(__file__).parents[1]
    locks = [*here.glob("requirements/*.txt"), here / "constraints.txt", *here.glob("web/*.json")]
    return [*found, *locks]


def main() -> None:
    console = Console()
    show_recall(console)
    show_alarms(console)
    show_cost(console)


def show_recall(console: Console) -> None:
    tried, found = Counter[str](), Counter[str]()
    for kind, is_hidden in recalled(random.Random(18)):
        tried[kind] += 1
        found[kind] += is_hidden
    table = Table("secrets", "hidden", "of", box=None)
    for kind in tried:
        table.add_row(kind, str(found[kind]), str(tried[kind]))
    console.print(table)
    share = found.total() / tried.total()
    verdict = _verdict(share >= RECALL)
    console.print(f"recall {share:.1%} of {tried.total()}; at least {RECALL:.0%}: {verdict}")


def show_alarms(console: Console) -> None:
    alarms, size, took, count = Counter[str](), 0, 0.0, 0
    shown: list[str] = []
    for path in files():
        try:
            text = path.read_text("utf-8")[:LONGEST]
        except (OSError, UnicodeDecodeError):
            continue
        began = time.perf_counter()
        found = find(text)
        took += time.perf_counter() - began
        count, size = count + 1, size + len(text)
        alarms.update(each.kind for each in found)
        shown += [f"{path.name}: {text[max(0, e.start - 30) : e.end]!r}" for e in found]
    megabytes = size / 1e6
    rate = alarms.total() / megabytes
    console.print(
        f"{count:,} files of others, {megabytes:.1f} MB: {alarms.total()} alarms {dict(alarms)}, "
        f"{rate:.2f} a MB, at most {ALARMS_PER_MB}: {_verdict(rate <= ALARMS_PER_MB)}; "
        f"{megabytes / took:.1f} MB a second"
    )
    for line in shown[:10]:
        console.print(f"  {line[:150]}", markup=False, highlight=False)


def show_cost(console: Console) -> None:
    """What it adds to the writing of a span, which is cleaned behind the call."""
    attributes = {
        "gen_ai.tool.name": "recall",
        "query": "why is a cent missing after splitting a bill?",
        "gen_ai.tool.call.arguments": '{"path": "src/tally/trip.py", "limit": 20}',
        "gen_ai.tool.call.result": "def balances(self):\n    " * 20,
    }
    plain, scanned = (_microseconds(attributes, redact) for redact in (str, scrub))
    console.print(
        f"cleaning a span of {sum(map(len, attributes.values()))} characters: {plain:.1f} µs by "
        f"names alone, {scanned:.1f} µs with the scanner ({scanned / plain:.1f} ×), on a thread"
    )


def _microseconds(attributes: dict[str, str], redact: object) -> float:
    took = []
    for _ in range(2_000):
        began = time.perf_counter()
        clean(attributes, redact)  # type: ignore[arg-type]
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e6


def _verdict(is_met: bool) -> str:
    return "[green]PASS[/green]" if is_met else "[red]MISS[/red]"


if __name__ == "__main__":
    main()
