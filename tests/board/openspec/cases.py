"""Small changes and specs with the verdict that `openspec validate --strict` gives them.

`test_validation.py` holds our own rules to this table, `tests/clients/test_openspec.py` the table
to the real program.
"""

from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str | bytes]

LOGIN = """# login Specification

## Purpose

How people prove who they are before they may see what belongs to them.

## Requirements

### Requirement: Sign in

The system SHALL let a known person in.

#### Scenario: Right password

- **WHEN** the password is right
- **THEN** the person is in

#### Scenario: Wrong password

- **WHEN** the password is wrong
- **THEN** the person stays out

### Requirement: Sign out

The system SHALL let a person out.

#### Scenario: Out

- **WHEN** the person leaves
- **THEN** the session ends
"""

GOOD = "It SHALL work.\n\n#### Scenario: S\n\n- **WHEN** a\n- **THEN** b\n"


def block(name: str = "X", body: str = GOOD) -> str:
    return f"### Requirement: {name}\n\n{body}\n"


def added(*blocks: str) -> str:
    return "## ADDED Requirements\n\n" + "\n".join(blocks or (block(),))


def modified(*blocks: str) -> str:
    return "## MODIFIED Requirements\n\n" + "\n".join(blocks)


SIGN_IN = block(
    "Sign in",
    "It SHALL work.\n\n#### Scenario: Right password\n- a\n\n#### Scenario: Wrong password\n- b\n",
)
RENAME = (
    "## RENAMED Requirements\n\n- FROM: `### Requirement: Sign in`\n"
    "- TO: `### Requirement: Enter`\n\n"
)

CAP = "specs/cap/spec.md"
META = ".openspec.yaml"

#: By id: whether it is valid, and its files.
CHANGES: dict[str, tuple[bool, Files]] = {
    "added": (True, {CAP: added()}),
    "added-with-purpose": (True, {CAP: "## Purpose\n\nWhat it is for.\n\n" + added()}),
    "small-letters-in-the-section": (True, {CAP: added().replace("ADDED", "added")}),
    "two-blanks-in-the-section": (False, {CAP: added().replace("ADDED R", "ADDED  R")}),
    "section-twice": (True, {CAP: added() + "\n" + added(block("Y"))}),
    "windows-lines": (True, {CAP: added().replace("\n", "\r\n")}),
    "old-mac-lines": (True, {CAP: added().replace("\n", "\r")}),
    "byte-order-mark": (True, {CAP: "\ufeff" + added()}),
    "utf-16": (False, {CAP: added().encode("utf-16")}),
    "latin-1": (True, {CAP: added(block("Café")).encode("latin-1")}),
    "nested-area": (True, {"specs/area/cap/spec.md": added()}),
    "no-files-at-all": (False, {"notes.txt": "nothing yet"}),
    "proposal-only": (False, {"proposal.md": "# P\n\n## Why\n\nBecause.\n"}),
    "no-delta-section": (False, {CAP: "# Notes\n\nSome text.\n"}),
    "empty-section": (False, {CAP: "## ADDED Requirements\n"}),
    "no-must": (False, {CAP: added(block("X", GOOD.replace("SHALL", "should")))}),
    "must": (True, {CAP: added(block("X", GOOD.replace("SHALL", "MUST")))}),
    "must-in-small-letters": (False, {CAP: added(block("X", GOOD.replace("SHALL", "must")))}),
    "must-in-the-heading-only": (
        False,
        {CAP: added(block("It SHALL work", GOOD.replace("SHALL", "does")))},
    ),
    "must-on-a-later-line": (True, {CAP: added(block("X", "First a word.\nThen\n" + GOOD))}),
    "must-in-a-code-block-only": (
        False,
        {CAP: added(block("X", "```\nIt SHALL work.\n```\nSo.\n\n#### Scenario: S\n- a\n"))},
    ),
    "must-in-the-scenario-only": (
        False,
        {CAP: added(block("X", "Some words.\n\n#### Scenario: S\n- it SHALL work\n"))},
    ),
    "metadata-as-text": (True, {CAP: added(block("X", "**Rule**: It MUST.\n\n#### S\n- a\n"))}),
    "no-text": (False, {CAP: added(block("X", "#### Scenario: S\n- a\n"))}),
    "no-scenario": (False, {CAP: added(block("X", "It SHALL work.\n"))}),
    "empty-scenario": (False, {CAP: added(block("X", "It SHALL work.\n\n#### Scenario: S\n"))}),
    "scenario-in-code": (
        False,
        {CAP: added(block("X", "It SHALL work.\n\n```\n#### Scenario: S\n- a\n```\n"))},
    ),
    "scenario-by-another-name": (True, {CAP: added(block("X", "It SHALL.\n\n#### Edge\n- a\n"))}),
    "scenario-as-a-bullet": (
        False,
        {CAP: added(block("X", "It SHALL work.\n\n- **Scenario: S**\n- a\n"))},
    ),
    "no-blank-in-the-heading": (True, {CAP: added().replace("### R", "###R")}),
    "divider-heading": (True, {CAP: added("### More\n\n" + block())}),
    "heading-without-a-name": (False, {CAP: "## ADDED Requirements\n\n### Requirement:\n\nSHALL"}),
    "fence-left-open": (False, {CAP: "```\n" + added()}),
    "orphan-above": (False, {CAP: block("Lost") + "\n" + added()}),
    "orphan-in-notes": (False, {CAP: added() + "\n## Notes\n\n" + block("Lost")}),
    "added-twice": (False, {CAP: added(block(), block())}),
    "added-in-two-spellings": (True, {CAP: added(block("Foo"), block("foo"))}),
    "closing-hashes-are-the-same-name": (False, {CAP: added(block("X"), block("X ###"))}),
    "added-and-modified": (False, {CAP: added() + "\n" + modified(block())}),
    "added-and-removed": (
        False,
        {CAP: added() + "\n## REMOVED Requirements\n\n### Requirement: X\n"},
    ),
    "modified-and-removed": (
        False,
        {CAP: modified(block()) + "\n## REMOVED Requirements\n\n### Requirement: X\n"},
    ),
    "modified": (True, {"specs/login/spec.md": modified(SIGN_IN)}),
    "modified-drops-a-scenario": (False, {"specs/login/spec.md": modified(block("Sign in"))}),
    "modified-of-nothing": (True, {"specs/login/spec.md": modified(block("Unheard of"))}),
    "modified-twice": (False, {"specs/login/spec.md": modified(SIGN_IN, SIGN_IN)}),
    "removed": (
        True,
        {"specs/login/spec.md": "## REMOVED Requirements\n\n### Requirement: Sign out\n"},
    ),
    "removed-as-a-list": (
        True,
        {"specs/login/spec.md": "## REMOVED Requirements\n\n* `### Requirement: Sign out`\n"},
    ),
    "removed-as-words": (False, {"specs/login/spec.md": "## REMOVED Requirements\n\n- Sign out\n"}),
    "removed-twice": (
        False,
        {"specs/login/spec.md": "## REMOVED Requirements\n" + "### Requirement: Sign out\n" * 2},
    ),
    "renamed": (True, {"specs/login/spec.md": RENAME}),
    "renamed-without-bullets": (True, {"specs/login/spec.md": RENAME.replace("- ", "")}),
    "renamed-from-only": (
        False,
        {"specs/login/spec.md": RENAME.replace("- TO: `### Requirement: Enter`\n", "")},
    ),
    "renamed-to-only": (
        False,
        {"specs/login/spec.md": RENAME.replace("- FROM: `### Requirement: Sign in`\n", "")},
    ),
    "renamed-interleaved": (
        False,
        {
            "specs/login/spec.md": "## RENAMED Requirements\n- FROM: `### Requirement: Sign in`\n"
            "- FROM: `### Requirement: Sign out`\n- TO: `### Requirement: A`\n"
            "- TO: `### Requirement: B`\n"
        },
    ),
    "renamed-and-modified": (
        True,
        {"specs/login/spec.md": RENAME + modified(SIGN_IN.replace("Sign in", "Enter"))},
    ),
    "renamed-and-modified-drops-a-scenario": (
        False,
        {"specs/login/spec.md": RENAME + modified(block("Enter"))},
    ),
    "renamed-and-modified-by-the-old-name": (
        False,
        {"specs/login/spec.md": RENAME + modified(SIGN_IN)},
    ),
    "renamed-onto-added": (False, {"specs/login/spec.md": RENAME + added(block("Enter"))}),
    "renamed-and-removed-in-another-spelling": (
        False,
        {"specs/login/spec.md": RENAME + "## REMOVED Requirements\n\n### Requirement: sign  IN\n"},
    ),
    "spec-without-a-capability": (False, {CAP: added(), "specs/spec.md": added(block("Y"))}),
    "delta-in-another-file": (False, {CAP: added(), "specs/cap/more.md": added(block("Y"))}),
    "notes-beside-the-delta": (True, {CAP: added(), "specs/cap/notes.md": "# Notes\n"}),
    "hidden-file": (True, {CAP: added(), "specs/.draft.md": added(block("Y"))}),
    "no-specs-on-purpose": (True, {META: "schema: spec-driven\nskip_specs: true\n"}),
    "no-specs-in-another-word": (False, {META: "schema: spec-driven\nskip_specs: yes\n"}),
    "no-specs-as-text": (False, {META: 'schema: spec-driven\nskip_specs: "true"\n'}),
    "no-specs-yet-specs": (
        False,
        {META: "schema: spec-driven\nskip_specs: true\n", CAP: added()},
    ),
    "no-specs-of-an-unknown-schema": (False, {META: "schema: nobody\nskip_specs: true\n"}),
    "no-schema": (True, {META: "created: 2026-11-15\n", CAP: added()}),
    "no-schema-but-no-specs": (False, {META: "skip_specs: true\n"}),
    "broken-yaml": (True, {META: "schema: [\n", CAP: added()}),
    "broken-yaml-and-no-specs": (False, {META: "schema: [\nskip_specs: true\n", CAP: added()}),
    "tasks": (True, {CAP: added(), "tasks.md": "## 1. A\n\n- [ ] 1.1 a\n- [x] 1.2 b\n"}),
    "tasks-without-boxes": (False, {CAP: added(), "tasks.md": "## 1. A\n\n- a\n- b\n"}),
    "tasks-as-prose": (True, {CAP: added(), "tasks.md": "Nothing to do.\n"}),
    "tasks-in-code-only": (True, {CAP: added(), "tasks.md": "```\n- a\n```\n"}),
    "tasks-in-a-comment": (True, {CAP: added(), "tasks.md": "<!--\n- a\n-->\n"}),
    "tasks-as-front-matter": (True, {CAP: added(), "tasks.md": "---\ntags:\n- a\n---\n"}),
    "task-number-twice": (False, {CAP: added(), "tasks.md": "## 1. A\n- [ ] 1.1 a\n- [ ] 1.1 b\n"}),
    "task-in-another-group": (False, {CAP: added(), "tasks.md": "## 1. A\n- [ ] 2.1 a\n"}),
    "task-numbers-without-groups": (
        True,
        {CAP: added(), "tasks.md": "## A\n- [ ] 1.1 a\n- [ ] 1.1 b\n"},
    ),
    "task-number-with-a-zero": (True, {CAP: added(), "tasks.md": "## 1. A\n- [ ] 01.1 a\n"}),
    "task-rules-of-broken-metadata": (
        True,
        {META: "created: soon\n", CAP: added(), "tasks.md": "- a\n"},
    ),
}

PURPOSE = "## Purpose\n\nA purpose with enough words in it to be taken for one by everybody.\n\n"
REQUIREMENTS = "## Requirements\n\n" + block()

SPECS: dict[str, tuple[bool, Files]] = {
    "login": (True, {"spec.md": LOGIN}),
    "area/good": (True, {"spec.md": PURPOSE + REQUIREMENTS}),
    "good-with-windows-lines": (
        True,
        {"spec.md": ("\ufeff" + PURPOSE + REQUIREMENTS).replace("\n", "\r\n")},
    ),
    "no-purpose": (False, {"spec.md": REQUIREMENTS}),
    "empty-purpose": (False, {"spec.md": "## Purpose\n\n" + REQUIREMENTS}),
    "short-purpose": (False, {"spec.md": "## Purpose\n\nShort.\n\n" + REQUIREMENTS}),
    "purpose-to-be-written": (
        False,
        {"spec.md": PURPOSE.replace("A purpose", "TODO purpose") + REQUIREMENTS},
    ),
    "purpose-that-begins-with-todo": (
        True,
        {"spec.md": PURPOSE.replace("A purpose", "Todo lists, a purpose") + REQUIREMENTS},
    ),
    "purpose-made-by-archiving": (
        False,
        {
            "spec.md": "## Purpose\nTBD - created by archiving change a. Update Purpose after "
            "archive.\n" + REQUIREMENTS
        },
    ),
    "no-requirements": (False, {"spec.md": PURPOSE}),
    "empty-requirements": (False, {"spec.md": PURPOSE + "## Requirements\n"}),
    "requirement-without-must": (
        False,
        {"spec.md": PURPOSE + REQUIREMENTS.replace("SHALL", "can")},
    ),
    "requirement-without-text": (
        False,
        {"spec.md": PURPOSE + "## Requirements\n\n### Requirement: X\n\n#### Scenario: S\n- a\n"},
    ),
    "requirement-without-scenario": (
        False,
        {"spec.md": PURPOSE + "## Requirements\n\n### Requirement: X\n\nIt SHALL.\n"},
    ),
    "requirement-twice": (False, {"spec.md": PURPOSE + REQUIREMENTS + block()}),
    "requirement-elsewhere": (
        False,
        {"spec.md": PURPOSE + REQUIREMENTS + "## Notes\n\n" + block("Y")},
    ),
    "delta-heading": (False, {"spec.md": PURPOSE + REQUIREMENTS + added(block("Y"))}),
    "other-heading-without-scenario": (
        False,
        {"spec.md": PURPOSE + REQUIREMENTS + "### Divider\n\nWords.\n"},
    ),
}


def write(directory: Path, files: Files) -> None:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_all(root: Path) -> None:
    """One project with every case."""
    for name, (_, files) in CHANGES.items():
        write(root / "openspec" / "changes" / name, files)
    for name, (_, files) in SPECS.items():
        write(root / "openspec" / "specs" / name, files)
