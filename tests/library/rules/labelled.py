"""The labelled sets, the texts that they are about, and how a judge is scored on them.

The default reader learns from `claims_tuning`, `claims_foreign_tuning` and `claims_foreign_fresh`
(`training/`), without what is about Debian Policy. Only totals are looked at of all others: the
held-out ones were written by the hands that wrote the tuning claims, about documents that were not
tuned on, and `claims_foreign_blind` and `claims_foreign_blind_2` by authors who did not know the
judge.
The foreign ones are about documents that Debian installs; their texts are read from the installed
packages.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lxml import html

from bottega.core.readers.claim_reader import ClaimReader
from bottega.library.parsers.reader import read_document
from bottega.library.verify.citations import CitedPart, read_cited
from bottega.library.verify.claims import judge_claims
from bottega.library.verify.verdicts import Verdict

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "library" / "data"
STANDARDS = ROOT / "examples" / "standards"
DOC = Path("/usr/share/doc")
POLICY = DOC / "debian-policy"
LICENSES = Path("/usr/share/common-licenses")
INFO = Path("/usr/share/info")
#: The chapters of the policy that the first tuning claims are about, and those that once were
#: held out.
TUNED = (
    *("archive", "binary", "source", "maintainerscripts"),
    *("opersys", "files", "customized-programs", "docs"),
)
HELD_OUT_ONCE = ("controlfields", "relationships", "sharedlibs")
FOREIGN = {
    "python": [DOC / "python3" / "python-policy.html"],
    "policy": [POLICY / "policy.html" / f"ch-{chapter}.html" for chapter in TUNED],
    "fields": [POLICY / "policy.html" / f"ch-{chapter}.html" for chapter in HELD_OUT_ONCE],
    "fhs": [POLICY / "fhs" / "fhs-3.0.html"],
    "perl": [POLICY / "perl-policy-1.html"],
    "copyright": [POLICY / "copyright-format-1.0.html"],
    "autopkgtest": [POLICY / "autopkgtest.html"],
    "process": [POLICY / "policy.html" / f"{page}.html" for page in ("ch-scope", "ap-process")],
    "debconf": [POLICY / "debconf_specification.html"],
    "adduser": [DOC / "adduser" / "README.gz"],
    "gpl": [LICENSES / "GPL-2"],
    "gpl3": [LICENSES / "GPL-3"],
    "lgpl": [LICENSES / "LGPL-2.1"],
    "gfdl": [LICENSES / "GFDL-1.3"],
    "apache": [LICENSES / "Apache-2.0"],
    "artistic": [LICENSES / "Artistic"],
    "cluster": [DOC / "nodejs" / "api" / "cluster.html"],
    "valgrind": [DOC / "valgrind" / "html" / "manual-core.html"],
    "timers": [DOC / "nodejs" / "api" / "timers.html"],
    "helgrind": [DOC / "valgrind" / "html" / "hg-manual.html"],
    "bzip2": [DOC / "bzip2" / "manual.html"],
    "appendix": [
        POLICY / "policy.html" / f"ap-pkg-{part}.html"
        for part in ("alternatives", "conffiles", "diversions")
    ],
    "packages": [
        POLICY / "policy.html" / f"ap-pkg-{part}.html" for part in ("sourcepkg", "binarypkg")
    ],
    "mpl": [LICENSES / "MPL-2.0"],
    "triggers": [DOC / "dpkg" / "spec" / "triggers.txt"],
    "mime": [
        DOC / "shared-mime-info" / "shared-mime-info-spec.html" / f"{page}.html"
        for page in ("index", "x34")
    ],
    "pam": [DOC / "libpam0g" / "Debian-PAM-MiniPolicy.gz"],
    "users": [DOC / "base-passwd" / "users-and-groups.html"],
    "xz": [DOC / "liblzma-dev" / "xz-file-format.txt.gz"],
    "worker": [DOC / "nodejs" / "api" / "worker_threads.html"],
    "fontconfig": [DOC / "fontconfig" / "fontconfig-user.html"],
    "massif": [DOC / "valgrind" / "html" / "ms-manual.html"],
    "jpeg": [DOC / "libjpeg62-turbo-dev" / "usage.txt.gz"],
    "subtree": [DOC / "git" / "contrib" / "subtree" / "git-subtree.txt"],
    "exec": [DOC / "nodejs" / "api" / "child_process.html"],
    "bc": [DOC / "bc" / "bc.html"],
    "rootless": [DOC / "dpkg" / "spec" / "rootless-builds.txt"],
    "xdmcp": [DOC / "libxdmcp-dev" / "xdmcp.txt.gz"],
    "randr": [DOC / "x11proto-dev" / "randrproto.txt.gz"],
    "wget": [INFO / "wget.info.gz"],
    "constitution": [DOC / "debian" / "constitution.txt.gz"],
    "coreutils": [INFO / "coreutils.info.gz"],
}


@dataclass(frozen=True, slots=True)
class Claim:
    ref: str
    claim: str
    label: Verdict
    kind: str
    #: Of the paragraph in the edition that the claim was written for.
    sha256: str | None = None
    #: One of `FOREIGN`; without it, the example standards.
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Texts:
    paragraphs: dict[str, str]
    terms: dict[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    claim: Claim
    verdict: Verdict
    #: As it leans, if it is undecided.
    supported: bool
    score: float
    reasons: list[str]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def claims(name: str) -> list[Claim]:
    return [Claim(**row | {"label": Verdict(row["label"])}) for row in rows(name)]


@cache
def standards() -> Texts:
    documents = [read_document(path.read_bytes(), path.name) for path in STANDARDS.glob("*.md")]
    return Texts(
        {each.ref: each.text for document in documents for each in document.paragraphs},
        {each.term: each.definition for document in documents for each in document.terms},
    )


@cache
def foreign(document: str) -> Texts:
    if document == "python":
        return Texts(_python_policy(), {})
    read = [read_document(unpacked(path), file_name(path)) for path in FOREIGN[document]]
    paragraphs: dict[str, str] = {}
    for each in (paragraph for part in read for paragraph in part.paragraphs):
        paragraphs.setdefault(each.ref, each.text)
    return Texts(paragraphs, {term.term: term.definition for part in read for term in part.terms})


def unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def file_name(path: Path) -> str:
    """Texts have no ending there."""
    return path.name if path.suffix in (".html", ".txt") else f"{path.stem}.txt"


def _python_policy() -> dict[str, str]:
    """Its paragraphs as `4.2¶2`: the second of section 4.2."""
    page = html.fromstring(FOREIGN["python"][0].read_text("utf-8"))
    paragraphs: dict[str, str] = {}
    for heading in page.iter("h2", "h3", "h4"):
        number = re.match(r"([\d.]+)\.\s", heading.text_content())
        section = heading.getparent()
        # The appendices begin again at 1.
        if number and section is not None and f"{number[1]}¶1" not in paragraphs:
            for place, paragraph in enumerate(section.iterchildren("p"), 1):
                paragraphs[f"{number[1]}¶{place}"] = " ".join(paragraph.text_content().split())
    return paragraphs


def texts_of(claim: Claim) -> Texts:
    return foreign(claim.document) if claim.document else standards()


def unreadable(wanted: Sequence[Claim]) -> str | None:
    """Why these claims cannot be judged here: nothing is installed, or another edition."""
    documents = {claim.document for claim in wanted if claim.document}
    missing = [str(p) for name in sorted(documents) for p in FOREIGN[name] if not p.exists()]
    if missing:
        return f"not installed: {missing[0]}"
    other = [claim.ref for claim in wanted if claim.document and _is_other_edition(claim)]
    return f"another edition is installed: {other[0]} differs" if other else None


def _is_other_edition(claim: Claim) -> bool:
    text = texts_of(claim).paragraphs.get(claim.ref)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16] if text is not None else None
    return digest != claim.sha256


def many_paragraphs(number: int) -> dict[str, str]:
    """The example over and over, each time about other vessels, harbours and masters."""
    paragraphs = standards().paragraphs
    rounds = number // len(paragraphs) + 1
    found = {
        f"{again}/{ref}": re.sub(
            r"\b(vessel|harbour|watch|skipper)", rf"\1{'abcdefghi'[again]}", text
        )
        for again in range(rounds)
        for ref, text in paragraphs.items()
    }
    return dict(list(found.items())[:number])


async def judge_all(wanted: Sequence[Claim], reader: ClaimReader) -> list[Judged]:
    """What a library without a model says of each; those of one document are judged together."""
    judged: dict[int, Judged] = {}
    for document in dict.fromkeys(claim.document for claim in wanted):
        texts = foreign(document) if document else standards()
        places = [
            place
            for place, claim in enumerate(wanted)
            if claim.document == document and claim.ref in texts.paragraphs
        ]
        asked = [(wanted[place].claim, [_part(wanted[place], texts)]) for place in places]
        opinions = await judge_claims(reader, asked, texts.terms)
        for place, said in zip(places, opinions, strict=True):
            judged[place] = Judged(
                wanted[place], said.verdict, said.supports_claim, said.score, said.reasons
            )
    # A reference that is not there is refused before anything is read.
    return [
        judged.get(place) or Judged(claim, Verdict.UNSUPPORTED, False, 0.0, ["not there"])
        for place, claim in enumerate(wanted)
    ]


def _part(claim: Claim, texts: Texts) -> CitedPart:
    return CitedPart(claim.ref, claim.ref, *read_cited(claim.ref, texts.paragraphs))
